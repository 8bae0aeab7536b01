//! Folders: every database, book and archive in them, and what is wrong with each.

use std::fs;

use tabia_testkit::Scratch;

use crate::common::{GAMES, tabia};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");

/// A folder `f` with three games as PGN.
fn folder(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::create_dir(scratch.join("f")).unwrap();
    fs::write(scratch.join("f/games.pgn"), GAMES).unwrap();
    scratch
}

/// Bytes that no format begins with.
fn noise() -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8 | 0x80
    };
    (0..3000).map(|_| next()).collect()
}

#[test]
fn every_broken_file_of_a_folder_is_named() {
    let scratch = folder("folder-broken");
    let names = [
        "bad.cbv", "bad.si5", "bad.cbh", "bad.zip", "bad.ctg", "bad.bin",
    ];
    for name in names {
        fs::write(scratch.join("f").join(name), noise()).unwrap();
    }
    let check = tabia(&scratch, &["check", "f", "--json"]).expect(3);
    let rows = check.json();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 7, "{rows:?}");
    for name in names {
        let path = format!("f/{name}");
        let row = rows.iter().find(|row| row["path"] == path.as_str());
        assert!(row.unwrap()["problems"].as_u64().unwrap() > 0, "{name}");
        assert!(check.err.contains(&path), "{name}: {}", check.err);
    }
    let games = rows
        .iter()
        .find(|row| row["path"] == "f/games.pgn")
        .unwrap();
    assert_eq!(games["games"], 3);

    let info = tabia(&scratch, &["info", "f", "--json"]).expect(3).json();
    assert_eq!(info.as_array().unwrap().len(), 7);
    let list = tabia(&scratch, &["ls", "f", "--ndjson"]).expect(3);
    assert_eq!(list.out.lines().count(), 3);
    let convert = tabia(&scratch, &["convert", "f", "-o", "out.pgn"]).expect(3);
    for name in ["bad.cbv", "bad.si5", "bad.cbh", "bad.zip"] {
        assert!(list.err.contains(name), "{name}: {}", list.err);
        assert!(convert.err.contains(name), "{name}: {}", convert.err);
    }
    tabia(&scratch, &["check", "out.pgn"]).expect(0);
}

#[test]
fn archives_in_a_folder_are_sources_of_games_and_books_are_not() {
    let scratch = folder("folder-archive");
    let alone = tabia(&scratch, &["ls", "f", "--ndjson"]).expect(0);
    fs::copy(SAMPLE, scratch.join("f/tabia.cbv")).unwrap();
    tabia(
        &scratch,
        &[
            "book",
            "build",
            "f/games.pgn",
            "-o",
            "f/book.bin",
            "--min-games",
            "1",
        ],
    )
    .expect(0);
    let both = tabia(&scratch, &["ls", "f", "--ndjson"]).expect(0);
    assert!(both.out.lines().count() > alone.out.lines().count());
    tabia(&scratch, &["convert", "f", "-o", "all.pgn"]).expect(0);
    let archive = tabia(&scratch, &["ls", SAMPLE, "--ndjson"]).expect(0);
    let count = |text: &str| text.lines().count();
    assert_eq!(
        count(&both.out),
        count(&alone.out) + count(&archive.out),
        "{}",
        both.out
    );
    let rows = tabia(&scratch, &["check", "f", "--json"]).expect(0).json();
    assert!(rows.as_array().unwrap().len() >= 4, "{rows}");
}

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
fn a_folder_without_databases_is_reported() {
    let scratch = Scratch::new("folder-none");
    fs::create_dir(scratch.join("f")).unwrap();
    fs::write(scratch.join("f/notes.txt"), "no chess").unwrap();
    let info = tabia(&scratch, &["info", "f"]).expect(4);
    assert!(
        info.err.contains("no database, book or archive"),
        "{}",
        info.err
    );
}

#[test]
fn companions_without_their_main_file_are_a_row() {
    let scratch = folder("folder-orphans");
    let extract = ["archive", "extract", SAMPLE, "-d", "f"];
    tabia(&scratch, &extract).expect(0);
    fs::remove_file(scratch.join("f/tabia.cbh")).unwrap();
    for name in [
        "old.sg4",
        "old.sn4",
        "kept_1.kob",
        "book.kin",
        "desktop.ini",
    ] {
        fs::write(scratch.join("f").join(name), "x").unwrap();
    }
    let problems = |rows: &serde_json::Value, part: &str| {
        let rows = rows.as_array().unwrap();
        let of_part = |row: &&serde_json::Value| row["path"].as_str().unwrap().contains(part);
        let found: Vec<_> = rows.iter().filter(of_part).collect();
        assert_eq!(found.len(), 1, "{part}: {rows:?}");
        found[0]["problems"].as_u64().unwrap()
    };
    for verb in ["check", "info"] {
        let run = tabia(&scratch, &[verb, "f", "--json"]).expect(3);
        for set in ["tabia", "old", "book"] {
            assert_eq!(problems(&run.json(), set), 1, "{verb}: {}", run.out);
        }
        assert!(run.err.contains("tabia.cbh is missing"), "{}", run.err);
        assert!(run.err.contains("old.si4 is missing"), "{}", run.err);
        assert!(!run.out.contains("desktop.ini"), "{}", run.out);
        assert_eq!(problems(&run.json(), "games.pgn"), 0);
    }
    let list = tabia(&scratch, &["ls", "f", "--ndjson"]).expect(3);
    assert_eq!(list.out.lines().count(), 3);
    assert!(list.err.contains("tabia.cbh is missing"), "{}", list.err);
    tabia(&scratch, &["archive", "create", "all.zip", "f"]).expect(0);
    let check = tabia(&scratch, &["check", "all.zip", "--json"]).expect(3);
    assert_eq!(problems(&check.json(), "tabia"), 1, "{}", check.out);
    assert!(check.err.contains("tabia.cbh is missing"), "{}", check.err);
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
