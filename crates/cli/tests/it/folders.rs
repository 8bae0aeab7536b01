//! Folders: every database, book and archive in them, and what is wrong with each.

use std::fs;

use tabia_testkit::Scratch;

use crate::common::{GAMES, tabia};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");

/// A folder `f` with three games as PGN.
pub(super) fn folder(name: &str) -> Scratch {
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
fn files_that_are_not_checked_are_named() {
    let scratch = folder("folder-others");
    let check = |args: &[&str]| tabia(&scratch, &[&["check", "f"], args].concat());
    let run = check(&[]).expect(0);
    assert!(!run.err.contains("not checked"), "{}", run.err);
    // Companions belong to their set, `ini` only next to one; hidden files do not count.
    let extract = ["archive", "extract", SAMPLE, "-d", "f"];
    tabia(&scratch, &extract).expect(0);
    for name in ["tabia.ini", ".hidden"] {
        fs::write(scratch.join("f").join(name), "x").unwrap();
    }
    let run = check(&[]).expect(0);
    assert!(!run.err.contains("not checked"), "{}", run.err);
    fs::create_dir(scratch.join("f/below")).unwrap();
    for name in [
        "below/a.doc",
        "desktop.ini",
        "notes.txt",
        "photo.jpg",
        "z.exe",
    ] {
        fs::write(scratch.join("f").join(name), "x").unwrap();
    }
    let run = check(&[]).expect(0);
    let line = "5 files were not checked, as no format has such a name: f/below/a.doc, f/desktop.ini, \
                f/notes.txt and 2 more";
    let err = run.err.replace(std::path::MAIN_SEPARATOR, "/");
    assert!(err.contains(line), "{err}");
    assert!(!check(&["-q"]).expect(0).err.contains("not checked"));
    let run = check(&["-v", "--report", "report.json"]).expect(0);
    let err = run.err.replace(std::path::MAIN_SEPARATOR, "/");
    assert!(
        err.contains("f/z.exe") && err.contains("f/photo.jpg"),
        "{err}"
    );
    let report = fs::read_to_string(scratch.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let listed = report["summary"]["notChecked"].as_array().unwrap();
    assert_eq!(listed.len(), 5, "{listed:?}");
    // A file that is named is an input, and fails.
    tabia(&scratch, &["check", "f/notes.txt"]).expect(4);
}

#[test]
fn chess_files_under_other_names_are_named() {
    let scratch = folder("folder-recognised");
    let f = scratch.join("f");
    fs::create_dir_all(f.join("below")).unwrap();
    fs::write(f.join("games.pgn"), "1. e4 *\n").unwrap();
    fs::write(f.join("notes.txt"), "To do: buy milk\n").unwrap();
    let old = "[Event \"Old\"]\n\n1. d4 *\n";
    fs::write(f.join("below/old.txt"), old).unwrap();
    fs::write(f.join("games.pgn.bak"), old).unwrap();
    let count = |verb: &str, what: &str| {
        let run = tabia(&scratch, &[verb, "f"]).expect(0);
        let err = run.err.replace(std::path::MAIN_SEPARATOR, "/");
        let all = format!("3 files were not {what}, as no format has such a name: f/below/old.txt");
        assert!(err.contains(&all), "{err}");
        let line = "2 of them are chess files by their content: \
                    f/below/old.txt (Portable Game Notation), \
                    f/games.pgn.bak (Portable Game Notation)";
        assert!(err.contains(line), "{err}");
        assert!(err.contains(&format!("`tabia {verb} ")), "{err}");
        // The games of the files are not counted: one database was looked at.
        assert_eq!(run.out.lines().count(), 2, "{}", run.out);
        let report = format!("{verb}.json");
        tabia(&scratch, &[verb, "f", "--report", &report]).expect(0);
        let report = fs::read_to_string(scratch.join(report)).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let listed = report["summary"]["recognised"].as_array().unwrap();
        assert_eq!(listed.len(), 2, "{listed:?}");
        assert_eq!(listed[0]["format"], "pgn", "{listed:?}");
        let quiet = tabia(&scratch, &[verb, "f", "-q"]).expect(0);
        assert!(!quiet.err.contains("chess files"), "{}", quiet.err);
    };
    count("check", "checked");
    count("info", "looked at");
    // Without them nothing about content is reported.
    fs::remove_file(f.join("below/old.txt")).unwrap();
    fs::remove_file(f.join("games.pgn.bak")).unwrap();
    let run = tabia(&scratch, &["info", "f"]).expect(0);
    assert!(
        run.err.contains("notes.txt") && !run.err.contains("content"),
        "{}",
        run.err
    );
}

#[test]
fn commands_that_read_games_name_the_files_they_leave_out() {
    let scratch = folder("folder-left-out");
    let f = scratch.join("f");
    fs::write(f.join("notes.txt"), "To do: buy milk\n").unwrap();
    // Other files are named by what makes something of a folder, not by lists.
    let convert = |name: &str| tabia(&scratch, &["convert", "f", "-o", name]).expect(0).err;
    let err = convert("one.pgn");
    let line = "1 file was not read, as no format has such a name: ";
    assert!(err.contains(line) && err.contains("notes.txt"), "{err}");
    assert!(
        !tabia(&scratch, &["ls", "f"])
            .expect(0)
            .err
            .contains("notes.txt")
    );
    // A file with games is named by both.
    fs::write(f.join("old.bak"), "[Event \"Old\"]\n\n1. d4 *\n").unwrap();
    let list = tabia(&scratch, &["ls", "f"]).expect(0);
    for err in [convert("two.pgn"), list.err] {
        let line = "1 of them is a chess file by its content: ";
        assert!(err.contains(line) && err.contains("old.bak"), "{err}");
    }
}

#[test]
fn several_damaged_files_of_a_folder_are_repaired_at_once() {
    let scratch = folder("folder-repair-hint");
    let cut = "[White \"A\"]\n\n1. e4 Ke4 *\n";
    fs::write(scratch.join("f/a.pgn"), cut).unwrap();
    tabia(&scratch, &["convert", "f", "-q"]).expect(3);
    let run = tabia(&scratch, &["check", "f"]).expect(3);
    assert!(
        run.err.contains("a.pgn -o saved-a.pgn` saves"),
        "{}",
        run.err
    );
    fs::write(scratch.join("f/b.pgn"), cut).unwrap();
    let run = tabia(&scratch, &["check", "f"]).expect(3);
    let hint = "`tabia repair f -o saved-f/` saves what is left of all of them";
    assert!(run.err.contains(hint), "{}", run.err);
    tabia(&scratch, &["repair", "f", "-o", "saved-f/"]).expect(3);
    assert!(scratch.join("saved-f/b.pgn").exists());
}

#[test]
fn inputs_of_no_format_are_problems_of_the_report() {
    let scratch = folder("folder-failed-report");
    fs::write(scratch.join("f/bad.cbv"), noise()).unwrap();
    tabia(&scratch, &["check", "f", "--report", "r.json"]).expect(3);
    let report = fs::read_to_string(scratch.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let listed = report["problems"].as_array().unwrap().len();
    assert_eq!(report["summary"]["problems"], listed, "{report}");
    assert_eq!(listed, 1);
}

#[test]
fn what_chessbase_makes_of_a_set_belongs_to_it() {
    let scratch = folder("folder-by-products");
    let extract = ["archive", "extract", SAMPLE, "-d", "f"];
    tabia(&scratch, &extract).expect(0);
    for name in ["tabia.cib", "tabia.cko", "alone.cib"] {
        fs::write(scratch.join("f").join(name), noise()).unwrap();
    }
    let run = tabia(&scratch, &["check", "f"]).expect(0);
    assert!(run.err.contains("1 file was not checked"), "{}", run.err);
    assert!(run.err.contains("alone.cib"), "{}", run.err);
    // As a shell expands `f/tabia.*`.
    let run = tabia(
        &scratch,
        &["info", "f/tabia.cbh", "f/tabia.cib", "f/tabia.cko"],
    )
    .expect(0);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    tabia(&scratch, &["info", "f/tabia.cib"]).expect(0);
    tabia(&scratch, &["info", "f/alone.cib"]).expect(4);
}

#[cfg(unix)]
#[test]
fn files_whose_names_are_not_utf8_are_all_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new("folder-latin1");
    let names = [&b"M\xfcller"[..], b"M\xf6ller", b"M\xe4ller"];
    fs::create_dir(scratch.join("f")).unwrap();
    let file = |folder: &str, name: &[u8], extension: &str| {
        let name = [name, extension.as_bytes()].concat();
        scratch.join(folder).join(OsStr::from_bytes(&name))
    };
    for (number, name) in names.into_iter().enumerate() {
        let game = format!("[White \"Number {number}\"]\n\n1. e4 1-0\n\n");
        if fs::write(file("f", name, ".pgn"), game).is_err() {
            // A file system whose names are UTF-8.
            return;
        }
    }
    let run = tabia(&scratch, &["convert", "f", "-o", "all.pgn"]).expect(0);
    let text = fs::read_to_string(scratch.join("all.pgn")).unwrap();
    for number in 0..names.len() {
        assert!(text.contains(&format!("Number {number}")), "{}", run.err);
    }
    let count = |args: &[&str]| tabia(&scratch, args).expect(0).out.lines().count();
    assert_eq!(count(&["check", "f"]), 4);
    assert_eq!(count(&["ls", "f"]), 4);
    // Their companions are those of the same name, and the names stay.
    for (number, name) in names.into_iter().enumerate().take(2) {
        let game = format!(
            "[White \"Number {number}\"]\n\n1. {} 1-0\n\n",
            ["a4", "h4"][number]
        );
        fs::write(scratch.join("game.pgn"), game).unwrap();
        let path = file("f", name, ".cbh");
        let args = [
            OsStr::new("convert"),
            "game.pgn".as_ref(),
            "-o".as_ref(),
            path.as_os_str(),
        ];
        tabia(&scratch, &args).expect(0);
    }
    tabia(&scratch, &["repair", "f", "-o", "saved"]).expect(0);
    for (number, name) in names.into_iter().enumerate() {
        assert!(file("saved", name, ".pgn").exists(), "{number}");
        if number < 2 {
            let path = file("saved", name, ".cbh");
            let args = [
                OsStr::new("convert"),
                path.as_os_str(),
                "-o".as_ref(),
                "-".as_ref(),
            ];
            let run = tabia(&scratch, &args).expect(0);
            let moves = ["1. a4", "1. h4"][number];
            assert!(run.out.contains(moves), "{}", run.out);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_has_its_own_reason() {
    use std::os::unix::fs::symlink;
    let scratch = folder("folder-links");
    symlink("nothing", scratch.join("f/dangling")).unwrap();
    symlink(".", scratch.join("f/same")).unwrap();
    let run = tabia(&scratch, &["check", "f"]).expect(0);
    let line = "2 links were not checked: leading to nothing, or to a folder that is read without it: \
                f/dangling, f/same";
    assert!(run.err.contains(line), "{}", run.err);
    // Games may be missing.
    symlink("nothing.pgn", scratch.join("f/dangling.pgn")).unwrap();
    fs::create_dir(scratch.join("other")).unwrap();
    symlink("../other", scratch.join("f/linked")).unwrap();
    for args in [
        &["check", "f"][..],
        &["ls", "f"],
        &["stats", "f", "--by", "year"],
        &["search", "f", "ply:0", "--count"],
        &["convert", "f"],
    ] {
        let run = tabia(&scratch, args).expect(3);
        for text in [
            "f/dangling.pgn: the link leads to nothing",
            "f/linked: a link to another folder, which is not followed",
        ] {
            assert!(run.err.contains(text), "{args:?} {}", run.err);
        }
    }
    let run = tabia(&scratch, &["check", "f"]).expect(3);
    assert!(
        !run.err.contains("no format has such a name"),
        "{}",
        run.err
    );
    let run = tabia(&scratch, &["check", "f/dangling.pgn"]).expect(4);
    let hint = "it is a link to nothing.pgn, which does not exist";
    assert!(run.err.contains(hint), "{}", run.err);
}

#[test]
fn folders_are_searched_as_deep_as_they_are() {
    let scratch = Scratch::new("folder-deep");
    let mut deepest = scratch.join("f");
    for number in 0..40 {
        deepest.push(format!("f{number}"));
        fs::create_dir_all(&deepest).unwrap();
        fs::write(deepest.join("g.pgn"), "[White \"A\"]\n\n1. e4 *\n").unwrap();
    }
    let run = tabia(&scratch, &["ls", "f"]).expect(0);
    assert_eq!(run.out.lines().count(), 41, "{}", run.err);
}

#[test]
fn a_folder_of_which_nothing_can_be_read_is_an_input_that_cannot() {
    let scratch = Scratch::new("folder-unreadable");
    fs::create_dir(scratch.join("f")).unwrap();
    fs::write(scratch.join("f/bad.cbh"), noise()).unwrap();
    for args in [
        &["check", "f"][..],
        &["ls", "f"],
        &["convert", "f", "-o", "out.pgn"],
        &["repair", "f", "-o", "saved"],
    ] {
        let run = tabia(&scratch, args).expect(4);
        assert!(run.err.contains("bad.cbh: "), "{args:?}: {}", run.err);
    }
    assert!(!scratch.join("out.pgn").exists());
    assert!(!scratch.join("saved").exists());
    // Next to an input that can be read it is a problem.
    fs::write(scratch.join("f/games.pgn"), GAMES).unwrap();
    for args in [&["check", "f"][..], &["convert", "f", "-o", "out.pgn"]] {
        tabia(&scratch, args).expect(3);
    }
}

#[test]
fn the_folder_for_repaired_files_is_never_inside_the_damaged_one() {
    let scratch = folder("folder-itself");
    let cut = "[White \"A\"]\n\n1. e4 Ke4 *\n";
    for name in ["f/a.pgn", "f/b.pgn"] {
        fs::write(scratch.join(name), cut).unwrap();
    }
    let f = scratch.join("f");
    let output = crate::common::command(&f).args(["check", "."]).output();
    let err = String::from_utf8(output.unwrap().stderr).unwrap();
    let err = err.replace(std::path::MAIN_SEPARATOR, "/");
    assert!(err.contains("`tabia repair . -o ../saved/` saves"), "{err}");
    let saved = crate::common::command(&f)
        .args(["repair", ".", "-o", "../saved/"])
        .output();
    assert_eq!(saved.unwrap().status.code(), Some(3));
}
