//! Outputs that are inputs of the same job are refused or left out.

use std::fs;

use crate::common::tabia;
use crate::folders::folder;

#[test]
fn an_output_that_is_an_input_is_refused_or_left_out() {
    let scratch = folder("folder-output");
    let games = || fs::read(scratch.join("f/games.pgn")).unwrap();
    let before = games();
    let same = ["convert", "f/games.pgn", "-o", "f/games.pgn", "--force"];
    let refused = tabia(&scratch, &same).expect(2);
    assert!(refused.err.contains("input and output"), "{}", refused.err);
    let other = [
        "convert",
        "f/games.pgn",
        "-o",
        "./f/../f/games.pgn",
        "--force",
    ];
    tabia(&scratch, &other).expect(2);
    assert_eq!(games(), before);

    tabia(&scratch, &["convert", "f", "-o", "f/all.pgn"]).expect(0);
    let first = fs::read(scratch.join("f/all.pgn")).unwrap();
    let again = tabia(&scratch, &["convert", "f", "-o", "f/all.pgn", "--force"]).expect(0);
    assert!(again.err.contains("left out"), "{}", again.err);
    assert_eq!(fs::read(scratch.join("f/all.pgn")).unwrap(), first);
}

/// `games.pgn` and `games.cbh` have one base name and are two databases; a companion is part of its set.
#[test]
fn another_format_of_the_same_name_is_no_input() {
    let scratch = folder("same-base-name");
    for (from, to) in [
        ("f/games.pgn", "f/games.cbh"),
        ("f/games.pgn", "f/games.cbh"),
        ("f/games.cbh", "f/games.pgn"),
        ("f/games.pgn", "f/games.si4"),
        ("f/games.si4", "f/games.si5"),
    ] {
        tabia(&scratch, &["convert", from, "-o", to, "--force"]).expect(0);
    }
    let companion = [
        "convert",
        "f/games.cbh",
        "--to",
        "pgn",
        "-o",
        "f/games.cbg",
        "--force",
    ];
    let refused = tabia(&scratch, &companion).expect(2);
    assert!(refused.err.contains("input and output"), "{}", refused.err);
}

#[test]
fn no_verb_writes_over_its_input() {
    let scratch = folder("own-input");
    fs::copy(scratch.join("f/games.pgn"), scratch.join("g.pgn")).unwrap();
    let run = |args: &[&str]| tabia(&scratch, args);
    run(&["convert", "g.pgn", "-o", "g.cbh"]).expect(0);
    run(&["convert", "g.pgn", "-o", "g.pgn.gz"]).expect(0);
    for book in ["b.bin", "b.ctg", "b.kob"] {
        run(&["book", "build", "g.pgn", "-o", book, "--min-games", "1"]).expect(0);
    }
    run(&["archive", "create", "a.zip", "g.pgn"]).expect(0);
    let before: Vec<_> = scratch
        .names()
        .into_iter()
        .filter(|name| name != "f")
        .map(|name| (fs::read(scratch.join(&name)).unwrap(), name))
        .collect();
    for arguments in [
        "convert g.pgn -o g.pgn",
        "convert g.pgn.gz -o g.pgn.gz",
        "convert g.pgn -o x.cbh --report g.pgn",
        "convert g.pgn -o x.cbh --rejects g.pgn",
        "convert g.pgn -o x.cbh --report x.cbh",
        "convert a.zip -o x.cbh --report a.zip",
        "convert g.cbh -o x.pgn --report g.cbp",
        "repair g.cbh -o g.cbh",
        "edit g.cbh -o g.cbh --delete 1",
        "edit g.cbh -o g.cbh --pack",
        "book build g.pgn -o g.pgn --to bin",
        "book build g.pgn -o x.bin --report g.pgn",
        "book convert b.ctg -o b.ctg",
        "book convert b.bin -o b.bin --report x.json",
        "book merge b.bin b.ctg -o b.bin",
        "book fix b.bin -o b.bin",
        "book fix b.kob -o b.kob",
        "book fix b_0.kob -o b.kob",
        "book edit b.ctg -o b.ctg --move e4 --annotation !",
        "archive create a.zip a.zip g.pgn",
        "archive create g.pgn g.pgn --to zip",
    ] {
        let args: Vec<&str> = arguments.split(' ').chain(["--force"]).collect();
        let refused = run(&args).expect(2);
        assert!(
            refused.err.contains("at once"),
            "{arguments}: {}",
            refused.err
        );
        for (bytes, name) in &before {
            assert!(
                fs::read(scratch.join(name)).unwrap() == *bytes,
                "{arguments}: {name}"
            );
        }
        assert_eq!(scratch.names().len(), before.len() + 1, "{arguments}");
    }
    // Files of another format with the same name are no input.
    run(&["convert", "g.cbh", "-o", "g.pgn", "--force"]).expect(0);
    run(&["book", "convert", "b.ctg", "-o", "b.bin", "--force"]).expect(0);
    // An archive in the folder that is packed is left out of itself.
    run(&["archive", "create", "f/a.zip", "f"]).expect(0);
    let again = run(&["archive", "create", "f/a.zip", "f", "--force"]).expect(0);
    assert!(again.err.contains("left out of itself"), "{}", again.err);
    let list = run(&["archive", "list", "f/a.zip", "--ndjson"]).expect(0);
    assert_eq!(list.out.lines().count(), 1, "{}", list.out);
}
