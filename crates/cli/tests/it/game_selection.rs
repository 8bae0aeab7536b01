use tabia_testkit::Scratch;

use crate::common::{GAMES, tabia, tabia_with_input, with_games};

#[test]
fn games_by_number() {
    let folder = with_games("numbers");
    std::fs::write(folder.join("many.pgn"), GAMES.repeat(1500)).unwrap();
    let args = ["convert", "many.pgn", "--games", "2,4400-4402", "-j4"];
    let run = tabia(&folder, &args).expect(0);
    let whites: Vec<&str> = run
        .out
        .lines()
        .filter(|line| line.starts_with("[White "))
        .collect();
    assert_eq!(
        whites,
        [
            "[White \"Müller, Jörg\"]",
            "[White \"Müller, Jörg\"]",
            "[White \"A\"]",
            "[White \"Carlsen, Magnus\"]"
        ]
    );
}

#[test]
fn options_that_leave_out_cause_no_losses() {
    let folder = with_games("leave-out");
    let run = tabia(&folder, &["convert", "games.pgn", "--no-comments"]).expect(0);
    assert!(
        !run.out.contains("Sicilian") && run.out.contains("(1... e6"),
        "{}",
        run.out
    );
    let run = tabia(&folder, &["convert", "games.pgn", "--no-variations"]).expect(0);
    assert!(
        run.out.contains("Sicilian") && !run.out.contains("e6"),
        "{}",
        run.out
    );
    let run = tabia(&folder, &["convert", "games.pgn", "--no-nags"]).expect(0);
    assert!(
        !run.out.contains("$1") && run.out.contains("Sicilian"),
        "{}",
        run.out
    );
    assert_eq!(run.err, "");
}

#[test]
fn filters_select_the_same_games_of_databases_and_text() {
    let folder = with_games("where");
    let sample = format!("{}/../../samples/tabia.cbh", env!("CARGO_MANIFEST_DIR"));
    tabia(&folder, &["convert", &sample, "-o", "all.pgn", "-q"]).expect(0);
    for (filter, games) in [
        ("player:anderssen", 2),
        ("elo:>=2100", 1),
        ("date:1850..1899 result:1-0", 3),
        ("moves:>20", 2),
        ("-has:variations", 1),
        ("player:unknown", 0),
        ("player:anderssen OR elo:>=2100", 3),
        ("-(player:anderssen OR elo:>=2100) date:..1900", 1),
        ("line:\"1.e4 e5\" -ends:mate", 1),
        ("ends:mate", 3),
        ("plies:<=45 opening:king", 1),
        ("text:queen OR nag:!!", 2),
        ("tag:Annotator OR is:chess960", 5),
        ("winner:morphy", 1),
        ("has:arrows,clock,eval", 5),
    ] {
        let code = i32::from(games == 0);
        let base = ["convert", &sample, "--where", filter, "-q"];
        let from_base = tabia(&folder, &base).expect(code).out;
        let text = ["convert", "all.pgn", "--where", filter, "-j2", "-q"];
        let from_text = tabia(&folder, &text).expect(code).out;
        assert_eq!(from_base, from_text, "{filter}");
        assert_eq!(from_base.matches("[Event ").count(), games, "{filter}");
    }
    // Numbers count the guiding text of the database, as `ls` does.
    let numbered = |input: &str, numbers: &str| {
        let args = ["convert", input, "--where", numbers, "-q"];
        tabia(&folder, &args).expect(0).out
    };
    let chosen = numbered(&sample, "game:2..3,5");
    assert_eq!(chosen.matches("[Event ").count(), 3);
    assert_eq!(chosen, numbered("all.pgn", "game:1..2,4"));
    let run = tabia(&folder, &["convert", "all.pgn", "--where", "elo:high"]).expect(2);
    assert!(run.err.contains("column 5"), "{}", run.err);
}

#[test]
fn a_query_counts_the_games_it_had_to_choose_from() {
    let folder = with_games("chosen-of");
    let sample = format!("{}/../../samples/tabia.cbh", env!("CARGO_MANIFEST_DIR"));
    let all = tabia(&folder, &["search", &sample, "", "--count"]).expect(0);
    let all: u64 = all.out.trim().parse().unwrap();
    tabia(&folder, &["convert", &sample, "-o", "all.pgn", "-q"]).expect(0);
    for input in [sample.as_str(), "all.pgn"] {
        let args = [
            "convert",
            input,
            "--where",
            "elo:>=2100",
            "-o",
            "few.pgn",
            "--force",
        ];
        let run = tabia(&folder, &args).expect(0);
        let wanted = format!("1 of {all} games to few.pgn");
        assert!(run.err.contains(&wanted), "{input}: {}", run.err);
    }
}

#[test]
fn the_last_game_can_be_shown() {
    let folder = with_games("last-game");
    let sample = format!("{}/../../samples/tabia.cbh", env!("CARGO_MANIFEST_DIR"));
    for input in ["games.pgn", &sample] {
        let rows = tabia(
            &folder,
            &[
                "ls",
                input,
                "--texts",
                "--include-deleted",
                "--columns",
                "game",
                "--no-header",
            ],
        );
        let last = rows.expect(0).out.lines().last().unwrap().to_owned();
        let by_number = tabia(&folder, &["show", input, "--game", &last])
            .expect(0)
            .out;
        let by_word = tabia(&folder, &["show", input, "--game", "last"])
            .expect(0)
            .out;
        assert_eq!(by_word, by_number, "{input}");
        assert!(!by_word.is_empty());
    }
}

#[test]
fn a_query_that_nothing_fits_replaces_no_games() {
    let folder = with_games("none-fits");
    let old = std::fs::read(folder.join("games.pgn")).unwrap();
    std::fs::write(folder.join("keep.pgn"), &old).unwrap();
    for (verb, chosen) in [
        ("convert", &["--where", "nobodyhere"][..]),
        ("convert", &["--games", "9000"]),
        ("search", &["nobodyhere"]),
    ] {
        let start = [verb, "games.pgn"];
        let output = ["-o", "keep.pgn", "--force"];
        let args = [&start[..], chosen, &output].concat();
        let run = tabia(&folder, &args).expect(1);
        assert!(run.err.contains("keep.pgn is not replaced"), "{}", run.err);
        assert_eq!(std::fs::read(folder.join("keep.pgn")).unwrap(), old);
        let names = std::fs::read_dir(folder.join(".")).unwrap();
        assert_eq!(names.count(), 2, "nothing else is left");
    }
    let args = [
        "convert",
        "games.pgn",
        "--where",
        "nobodyhere",
        "--report",
        "r.json",
    ];
    let args = [&args[..], &["-o", "keep.pgn", "--force"]].concat();
    tabia(&folder, &args).expect(1);
    assert!(folder.join("r.json").exists());
    assert_eq!(std::fs::read(folder.join("keep.pgn")).unwrap(), old);
}

#[test]
fn all_games_are_counted_or_none() {
    let folder = with_games("count-limit");
    for option in ["--limit", "--offset"] {
        let args = ["search", "games.pgn", "", "--count", option, "1"];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("are for rows"), "{}", run.err);
    }
}

#[test]
fn numbers_without_a_game_are_named() {
    let folder = with_games("absent-numbers");
    let choose = |numbers| {
        [
            "convert",
            "games.pgn",
            "-o",
            "out.pgn",
            "--force",
            "--games",
            numbers,
        ]
    };
    let run = tabia(&folder, &choose("1,300,400-500,900-")).expect(3);
    let expected = "warning: there are no games 300, 400-500; the last one is 3\n";
    assert!(run.err.contains(expected), "{}", run.err);
    // More than there are is what a range may state.
    let run = tabia(&folder, &choose("1-1000")).expect(0);
    assert!(!run.err.contains("no game"), "{}", run.err);
    let sample = crate::common::samples().join("tabia.cbv");
    let args = [
        "convert",
        sample.to_str().unwrap(),
        "-o",
        "text.pgn",
        "--games",
        "1",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(run.err.contains("1: guiding texts only"), "{}", run.err);
}

/// A file without games would look like a result.
#[test]
fn an_output_without_games_is_not_written() {
    let folder = with_games("no-empty-output");
    std::fs::write(folder.join("old.pgn"), "old").unwrap();
    std::fs::write(
        folder.join("names.tsv"),
        "kind\tname\tproposal\nplayer\tA\tB\n",
    )
    .unwrap();
    for args in [
        &["search", "games.pgn", "player:zukertort", "-o"][..],
        &["convert", "games.pgn", "--where", "player:zukertort", "-o"],
        &["convert", "games.pgn", "--games", "9", "-o"],
        &["eco", "games.pgn", "--where", "player:zukertort", "-o"],
        &[
            "names",
            "games.pgn",
            "--apply",
            "names.tsv",
            "--where",
            "player:zukertort",
            "-o",
        ],
    ] {
        for output in ["new.pgn", "new.cbh", "new.si5"] {
            let run = tabia(&folder, &[args, &[output]].concat()).expect(1);
            let note = format!("{output} is not written: there would be no game in it");
            assert!(run.err.contains(&note), "{args:?}: {}", run.err);
            assert!(!run.err.contains(" to new"), "{}", run.err);
        }
        let run = tabia(&folder, &[args, &["old.pgn", "--force"]].concat()).expect(1);
        assert!(run.err.contains("old.pgn is not replaced"), "{}", run.err);
    }
    assert_eq!(std::fs::read(folder.join("old.pgn")).unwrap(), b"old");
    assert_eq!(folder.names(), ["games.pgn", "names.tsv", "old.pgn"]);
}

/// As when a program in a pipe fails: nothing comes, and the games of the last run stay.
#[test]
fn games_are_not_replaced_by_nothing() {
    let folder = Scratch::new("replaced-by-nothing");
    std::fs::write(folder.join("empty.pgn"), "").unwrap();
    std::fs::write(folder.join("old.pgn"), "1. e4 *\n").unwrap();
    let args = ["convert", "empty.pgn", "-o", "old.pgn", "--force"];
    let run = tabia(&folder, &args).expect(1);
    assert!(run.err.contains("old.pgn is not replaced"), "{}", run.err);
    let piped = ["convert", "-", "-o", "old.pgn", "--force"];
    tabia_with_input(&folder, &piped, b"").expect(1);
    let old = std::fs::read(folder.join("old.pgn")).unwrap();
    assert_eq!(old, b"1. e4 *\n");
    // A new file, and one in which there is nothing, are written.
    for target in ["new.pgn", "new.pgn"] {
        tabia(&folder, &["convert", "empty.pgn", "-o", target, "--force"]).expect(0);
    }
}

/// A block of text may go on after the last game of the selection.
#[test]
fn games_after_the_selection_are_none_of_those_that_a_query_leaves_out() {
    let folder = with_games("selection-of");
    let text = std::fs::read_to_string(folder.join("games.pgn")).unwrap();
    std::fs::write(folder.join("many.pgn"), text.repeat(20)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "many.si5"]).expect(0);
    let mut counts = Vec::new();
    for input in ["many.pgn", "many.si5"] {
        let args = [
            "convert",
            input,
            "--where",
            "player:carlsen",
            "--games",
            "1-10",
            "-o",
            "o.pgn",
            "-f",
        ];
        let run = tabia(&folder, &args).expect(0);
        let of = run.err.split(" games to ").next().unwrap();
        counts.push(of.rsplit('\n').next().unwrap().to_owned());
    }
    assert!(counts[0].ends_with(" of 10"), "{counts:?}");
    assert_eq!(counts[0], counts[1]);
}
