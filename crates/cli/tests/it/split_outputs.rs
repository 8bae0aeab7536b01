use std::collections::BTreeMap;

use crate::common::{tabia, tabia_with_input};
use tabia_testkit::Scratch;

const PGN: &str = "[Event \"A/B: 'x'\"]\n[Date \"2001.??.??\"]\n[White \"Tal\"]\n[Black \"Žižka\"]\n\
    [ECO \"B90\"]\n\n1. e4 {good} (1. d4) 1... c5 *\n\n\
    [Event \"a/b: 'X'\"]\n[Date \"2002.01.01\"]\n[White \"Fine\"]\n[Black \"Tal\"]\n[ECO \"B91\"]\n\n\
    1. e4 c5 1-0\n\n\
    [Event \"A_B_ 'x'\"]\n[White \"?\"]\n[Black \"Fine\"]\n\n1. d4 *\n\n\
    [Event \"?\"]\n[Date \"2001.02.03\"]\n[White \"Tal\"]\n[Black \"Tal\"]\n[ECO \"B90\"]\n\n1. c4 0-1\n\n";

fn folder(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("in.pgn"), PGN).unwrap();
    folder
}

/// The names of the main files of the outputs, and the players of their games.
fn outputs(folder: &Scratch, stem: &str, extension: &str) -> BTreeMap<String, String> {
    let names = folder.names().into_iter();
    let names = names.filter(|name| name.starts_with(stem) && name.ends_with(extension));
    let players = |name: &String| {
        let args = ["ls", name, "--columns", "white,black", "--no-header"];
        let rows = tabia(folder, &args).expect(0).out;
        rows.replace('\t', "-").replace('\n', " ").trim().to_owned()
    };
    names.map(|name| (name.clone(), players(&name))).collect()
}

fn pairs(found: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    let pairs = found.iter();
    pairs
        .map(|(name, games)| (name.as_str(), games.as_str()))
        .collect()
}

#[test]
fn outputs_have_a_number_of_games_each() {
    let folder = folder("split-count");
    let args = ["convert", "in.pgn", "-o", "out.pgn", "--split", "3"];
    let run = tabia(&folder, &args).expect(0);
    assert!(run.err.contains("4 games to 2 outputs"), "{}", run.err);
    let found = outputs(&folder, "out", ".pgn");
    assert_eq!(
        pairs(&found),
        [
            ("out-0001.pgn", "Tal-Žižka Fine-Tal -Fine"),
            ("out-0002.pgn", "Tal-Tal")
        ]
    );
    // Together they are the single output.
    let whole = tabia(&folder, &["convert", "in.pgn"]).expect(0).out;
    let parts = found.keys();
    let parts = parts.map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(parts.collect::<String>(), whole);
}

#[test]
fn outputs_have_an_event_opening_player_or_year() {
    let folder = folder("split-by");
    let split = |field: &str, output: &str| {
        let args = ["convert", "in.pgn", "-q", "-o", output, "--split-by", field];
        tabia(&folder, &args).expect(0);
    };
    split("event", "event.pgn");
    assert_eq!(
        pairs(&outputs(&folder, "event", ".pgn")),
        [
            ("event-A_B_ 'x' (3).pgn", "-Fine"),
            ("event-A_B_ 'x'.pgn", "Tal-Žižka"),
            ("event-a_b_ 'X' (2).pgn", "Fine-Tal"),
            ("event-unknown.pgn", "Tal-Tal"),
        ]
    );
    split("eco", "eco.si4");
    assert_eq!(
        pairs(&outputs(&folder, "eco", ".si4")),
        [
            ("eco-B90.si4", "Tal-Žižka Tal-Tal"),
            ("eco-B91.si4", "Fine-Tal"),
            ("eco-unknown.si4", "-Fine")
        ]
    );
    let shown = tabia(&folder, &["show", "eco-B90.si4"]).expect(0).out;
    assert!(shown.contains("1. e4 {good} (1. d4) 1... c5"), "{shown}");
    split("player", "player.pgn");
    assert_eq!(
        pairs(&outputs(&folder, "player", ".pgn")),
        [
            ("player-Fine.pgn", "Fine-Tal -Fine"),
            ("player-Tal.pgn", "Tal-Žižka Fine-Tal Tal-Tal"),
            ("player-unknown.pgn", "-Fine"),
            ("player-Žižka.pgn", "Tal-Žižka"),
        ]
    );
    split("year", "year.csv.gz");
    let names = folder.names().into_iter();
    let years: Vec<String> = names.filter(|name| name.starts_with("year")).collect();
    let expected = ["2001", "2002", "unknown"].map(|year| format!("year-{year}.csv.gz"));
    assert_eq!(years, expected);
}

#[test]
fn all_outputs_appear_or_none() {
    let folder = folder("split-exists");
    std::fs::write(folder.join("out-2002.pgn"), "mine").unwrap();
    let before = folder.names();
    let args = ["convert", "in.pgn", "-o", "out.pgn", "--split-by", "year"];
    let run = tabia(&folder, &args).expect(5);
    assert!(run.err.contains("out-2002.pgn"), "{}", run.err);
    assert_eq!(folder.names(), before);
    tabia(&folder, &[&args[..], &["--force"]].concat()).expect(0);
    assert_eq!(folder.names().len(), before.len() + 2);
    let replaced = std::fs::read_to_string(folder.join("out-2002.pgn")).unwrap();
    assert!(replaced.contains("Fine"));
    // An output never replaces an input.
    std::fs::write(folder.join("out-2001.pgn"), PGN).unwrap();
    let mut args = args;
    args[1] = "out-2001.pgn";
    tabia(&folder, &[&args[..], &["--force"]].concat()).expect(2);
    let input = std::fs::read_to_string(folder.join("out-2001.pgn")).unwrap();
    assert_eq!(input, PGN);
    // No temporary file is left.
    let names = folder.names();
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let folder = folder("split-options");
    for wrong in [
        &["-o", "x.pgn", "--split", "0"][..],
        &["-o", "x.pgn", "--split", "2", "--split-by", "eco"],
        &["-o", "x.pgn", "--split-by", "moon"],
        &["-o", "x.pgn", "--split", "2", "--sort", "date"],
        &["-o", "x.pgn", "--split-by", "eco", "--where", "sort:date"],
        &["--split", "2"],
        &["-o", "-", "--split", "2"],
    ] {
        tabia(&folder, &[&["convert", "in.pgn"], wrong].concat()).expect(2);
    }
    let args = ["convert", "-", "-o", "piped.pgn", "--split", "1", "-q"];
    tabia_with_input(&folder, &args, PGN.as_bytes()).expect(0);
    assert!(folder.join("piped-0004.pgn").exists());
}

#[test]
fn parts_of_an_earlier_split_are_named() {
    let folder = folder("split-earlier");
    let split = [
        "convert", "in.pgn", "-o", "out.pgn", "--split", "1", "--force",
    ];
    let run = tabia(&folder, &split).expect(0);
    assert!(!run.err.contains("earlier"), "{}", run.err);
    std::fs::write(folder.join("out-notes.pgn"), PGN).unwrap();
    let run = tabia(&folder, &[&split[..], &["--games", "1-2"]].concat()).expect(0);
    let expected = "warning: not of this conversion, but perhaps of an earlier one: out-0003.pgn, out-0004.pgn\n";
    assert!(run.err.contains(expected), "{}", run.err);
}
