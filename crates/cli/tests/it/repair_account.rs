//! What `repair` states of a record is true: nothing is lost or in doubt without a word.

use serde_json::Value;
use tabia_testkit::Scratch;

use crate::common::{many_games, tabia, with_sample};

fn counts(account: &Value) -> [u64; 4] {
    ["records", "whole", "damaged", "lost"].map(|key| account[key].as_u64().unwrap())
}

fn with_set(name: &str, file: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", file, "-q"]).expect(0);
    folder
}

fn change(folder: &Scratch, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(folder.join(file)).unwrap();
    change(&mut bytes);
    std::fs::write(folder.join(file), bytes).unwrap();
}

/// The names of both players of each game.
fn players(folder: &Scratch, file: &str) -> Vec<(String, String)> {
    let run = tabia(folder, &["ls", file, "--ndjson"]);
    let rows = run.out.lines();
    let rows = rows.map(|row| serde_json::from_str::<Value>(row).unwrap());
    let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| (name(&row["white"]), name(&row["black"])))
        .collect()
}

/// Other systems have one file for both names.
#[cfg(target_os = "linux")]
#[test]
fn sets_whose_names_differ_in_letter_case_are_distinguished() {
    for (extension, main) in [("si4", "BASE.si4"), ("cbh", "BASE.CBH")] {
        let lower = format!("base.{extension}");
        let folder = with_set(&format!("repair-case-{extension}"), &lower);
        let few = many_games(3).replace("[White \"", "[White \"Other ");
        std::fs::create_dir(folder.join("other")).unwrap();
        std::fs::write(folder.join("other/few.pgn"), few).unwrap();
        let other = format!("other/x.{extension}");
        tabia(&folder, &["convert", "other/few.pgn", "-o", &other, "-q"]).expect(0);
        std::fs::create_dir(folder.join("both")).unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            if path.file_stem().unwrap() == "base" {
                std::fs::copy(&path, folder.join("both").join(path.file_name().unwrap())).unwrap();
            }
        }
        for file in std::fs::read_dir(folder.join("other")).unwrap() {
            let path = file.unwrap().path();
            if path.file_stem().unwrap() != "x" {
                continue;
            }
            let own = path.extension().unwrap().to_str().unwrap();
            let own = match extension {
                "cbh" => own.to_uppercase(),
                _ => own.to_owned(),
            };
            std::fs::copy(&path, folder.join(format!("both/BASE.{own}"))).unwrap();
        }
        let original = [players(&folder, &lower), players(&folder, &other)];
        let both = [format!("both/{lower}"), format!("both/{main}")];
        assert_eq!(both.clone().map(|set| players(&folder, &set)), original);
        let run = tabia(&folder, &["repair", "both", "-o", "saved", "--ndjson"]).expect(0);
        for row in run.out.lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            let upper = row["path"].as_str().unwrap().contains("BASE");
            let expected = &original[usize::from(upper)];
            assert_eq!(players(&folder, row["output"].as_str().unwrap()), *expected);
        }
        assert_eq!(run.out.lines().count(), 2);
        // Without its main file, too.
        std::fs::remove_file(folder.join(format!("both/{lower}"))).unwrap();
        assert_eq!(players(&folder, &both[1]), original[1]);
    }
}

#[test]
fn pgn_is_written_with_all_that_it_can_hold() {
    let folder = with_sample("repair-full");
    let args = ["convert", "mega", "-o", "full.pgn", "--profile", "full"];
    tabia(&folder, &args).expect(0);
    tabia(&folder, &["repair", "full.pgn", "-o", "r.pgn"]).expect(0);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("full.pgn") == read("r.pgn"));
}

#[test]
fn records_that_the_new_file_cannot_hold_are_not_whole() {
    let folder = Scratch::new("repair-unfit");
    let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";
    let other = game.replace("\n\n1.", "\n[Foo \"中\"]\n\n1.");
    std::fs::write(folder.join("t.pgn"), game.to_owned() + &other).unwrap();
    let run = tabia(&folder, &["repair", "t.pgn", "-o", "r.cbh", "--json"]).expect(3);
    let account = run.json();
    assert_eq!(counts(&account), [2, 1, 1, 0], "{account}");
    let reason = account["recordList"][0]["reasons"][0]["reason"].as_str();
    assert_eq!(reason, Some("the new file cannot hold tags"));
}

#[test]
fn games_whose_moves_are_elsewhere_are_not_whole() {
    let folder = Scratch::new("repair-elsewhere");
    let empty = "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n*\n";
    std::fs::write(folder.join("many.pgn"), many_games(5) + "\n" + empty).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "base.cbh", "-q"]).expect(0);
    change(&folder, "base.cbh", |bytes| {
        let empty = bytes[6 * 46 + 1..][..4].to_vec();
        bytes[2 * 46 + 1..][..4].copy_from_slice(&empty);
    });
    let run = tabia(&folder, &["repair", "base.cbh", "-o", "r.cbh", "--json"]).expect(3);
    let account = run.json();
    assert_eq!(counts(&account), [6, 5, 1, 0], "{account}");
    assert_eq!(account["withoutMoves"], 1, "{account}");
}

#[test]
fn names_that_may_be_those_of_others_are_not_whole() {
    let folder = with_set("repair-shifted", "base.si5");
    let intact = players(&folder, "base.si5");
    // The first player becomes an event, so that all other players have the number before.
    change(&folder, "base.sn5", |bytes| {
        let mut at = 0;
        while bytes[at] & 7 != 0 {
            at += 1 + usize::from(bytes[at] >> 3);
        }
        bytes[at] ^= 1;
    });
    let run = tabia(&folder, &["repair", "base.si5", "-o", "r.si5", "--json"]).expect(3);
    let account = run.json();
    assert_eq!(counts(&account), [60, 0, 60, 0], "{account}");
    assert!(
        account["recordList"]
            .to_string()
            .contains("may be those of other games")
    );
    assert!(players(&folder, "r.si5") != intact);
}

#[test]
fn a_damaged_header_costs_no_names() {
    let folder = with_set("repair-header", "base.cbh");
    tabia(&folder, &["convert", "many.pgn", "-o", "scid.si4", "-q"]).expect(0);
    let intact = players(&folder, "base.cbh");
    let cbh = std::fs::read(folder.join("base.cbh")).unwrap();
    let mut damages: Vec<(usize, u8)> = [0, 1, 3, 4].map(|at| (at, 0x10)).to_vec();
    damages.push((3, 1));
    for (at, bit) in damages {
        change(&folder, "base.cbh", |bytes| bytes[at] ^= bit);
        let args = ["repair", "base.cbh", "-o", "r.cbh", "--json", "--force"];
        let account = tabia(&folder, &args);
        let account = account.json();
        assert_eq!(counts(&account)[0], 60, "{at}: {account}");
        assert_eq!(players(&folder, "r.cbh"), intact, "{at}");
        std::fs::write(folder.join("base.cbh"), &cbh).unwrap();
    }
    // A sector of zero bytes.
    change(&folder, "base.cbh", |bytes| bytes[..512].fill(0));
    let args = ["repair", "base.cbh", "-o", "r.cbh", "--json", "--force"];
    let account = tabia(&folder, &args).expect(3).json();
    assert_eq!(counts(&account)[0], 60, "{account}");
    assert_eq!(players(&folder, "r.cbh")[12..], intact[12..]);

    let names = std::fs::read(folder.join("scid.sn4")).unwrap();
    for at in (0..36).filter(|at| !(8..12).contains(at)) {
        for bit in [1, 0x20, 0x80] {
            change(&folder, "scid.sn4", |bytes| bytes[at] ^= bit);
            let args = ["repair", "scid.si4", "-o", "r.si4", "-q", "--force"];
            tabia(&folder, &args);
            assert_eq!(players(&folder, "r.si4"), intact, "{at}, {bit}");
            std::fs::write(folder.join("scid.sn4"), &names).unwrap();
        }
    }
}

#[test]
fn garbage_of_a_damaged_stream_is_not_appended() {
    let folder = with_set("append-garbage", "base.si5");
    let new = many_games(400).replace("[White \"", "[White \"New ");
    // Games that begin in what the damage left.
    let garbage = "1. e4 e5 2. Nf3 *\n\n".repeat(20);
    std::fs::write(folder.join("new.pgn"), garbage + "\n" + &new).unwrap();
    tabia(&folder, &["convert", "new.pgn", "-o", "new.pgn.gz", "-q"]);
    let length = std::fs::metadata(folder.join("new.pgn.gz")).unwrap().len() as usize;
    change(&folder, "new.pgn.gz", |bytes| bytes[length - 6] ^= 0x55);
    let run = tabia(&folder, &["append", "new.pgn.gz", "-o", "base.si5"]).expect(3);
    assert!(run.err.contains("20 damaged games left out"), "{}", run.err);
    let nameless = players(&folder, "base.si5");
    assert!(nameless.iter().all(|(white, _)| white.len() > 1));
    assert!(nameless.len() > 60);
}

#[test]
fn stated_formats_of_archives_are_not_those_of_members() {
    let folder = with_set("from-archive", "base.si4");
    tabia(&folder, &["archive", "create", "a.zip", "base.si4", "-q"]).expect(0);
    for args in [
        ["ls", "a.zip", "--from", "zip"],
        ["ls", "a.zip:base.si4", "--from", "zip"],
        ["ls", "a.zip:base.si4", "--from", "si4"],
        ["check", "a.zip", "--from", "zip"],
    ] {
        tabia(&folder, &args).expect(0);
    }
    let args = ["repair", "a.zip", "--from", "zip", "-o", "saved/", "-q"];
    tabia(&folder, &args).expect(0);
    assert_eq!(players(&folder, "saved/base.si4").len(), 60);
}

#[test]
fn repair_does_not_recommend_itself() {
    let folder = with_set("repair-circle", "base.si4");
    tabia(
        &folder,
        &["convert", "many.pgn", "-o", "many.pgn.bz2", "-q"],
    )
    .expect(0);
    change(&folder, "many.pgn.bz2", |bytes| bytes.truncate(40));
    std::fs::write(folder.join("alone.cbi"), [0, 0, 0, 2, 0, 0, 0, 2]).unwrap();
    for input in ["many.pgn.bz2", "alone.cbi"] {
        let run = tabia(&folder, &["repair", input, "-o", "r.pgn"]).expect(4);
        assert!(!run.err.contains("`tabia repair"), "{}", run.err);
        assert!(run.err.contains("`tabia info"), "{}", run.err);
    }
}

#[test]
fn what_ends_a_text_is_no_game() {
    let folder = Scratch::new("text-ends");
    let game = "[Event \"a\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
    let open = game.replace("1-0", "*").replace("e5 *", "e5");
    for (text, games) in [
        (format!("{game}\u{1a}"), 1),
        (format!("{game}\n\u{1a}\u{1a}\n"), 1),
        (format!("{game}\u{1a}{game}\u{1a}"), 2),
        (format!("{game}\u{1a}\n{game}\u{1a}"), 2),
        (format!("{open}\u{1a}"), 1),
        (format!("{open}\u{1a}\n{game}"), 2),
    ] {
        std::fs::write(folder.join("t.pgn"), &text).unwrap();
        let run = tabia(&folder, &["check", "t.pgn", "--json"]).expect(0);
        assert_eq!(run.json()[0]["games"], games, "{text:?}");
    }
    // The signature of a letter is reported.
    std::fs::write(folder.join("t.pgn"), format!("{game}\n-- \nJohn Smith\n")).unwrap();
    let run = tabia(&folder, &["check", "t.pgn", "--json"]).expect(3);
    assert_eq!(run.json()[0]["games"], 1);
    assert!(run.err.contains("belongs to no game"), "{}", run.err);
}

/// Names of other systems are always Unicode.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_packed_and_unpacked() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Scratch::new("archive-names");
    std::fs::create_dir(folder.join("in")).unwrap();
    for name in [&b"a\xff.pgn"[..], b"a\xfe.pgn", b"a\xfe.txt"] {
        let path = folder.join("in").join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, many_games(2)).unwrap();
    }
    let run = tabia(&folder, &["archive", "create", "n.zip", "in"]).expect(0);
    assert!(run.err.contains("3 names are not UTF-8"), "{}", run.err);
    let run = tabia(&folder, &["archive", "list", "n.zip"]).expect(0);
    for name in ["a\u{fffd}.pgn", "a\u{fffd}.txt", "a\u{fffd}-2.pgn"] {
        assert!(run.out.contains(name), "{}", run.out);
    }

    // Names of DOS have no mark of UTF-8.
    std::fs::write(folder.join("xy.pgn"), many_games(2)).unwrap();
    tabia(&folder, &["archive", "create", "d.zip", "xy.pgn", "-q"]).expect(0);
    change(&folder, "d.zip", |bytes| {
        while let Some(at) = bytes.windows(6).position(|part| part == b"xy.pgn") {
            bytes[at..at + 2].copy_from_slice(b"\x81\x9c");
        }
        for (mark, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
            let at = bytes.windows(4).position(|part| part == mark).unwrap();
            bytes[at + flags + 1] &= !8;
        }
    });
    tabia(&folder, &["archive", "extract", "d.zip", "-d", "out", "-q"]).expect(0);
    assert!(folder.join("out/ü£.pgn").exists());
}
