//! Inputs with problems: `append` and `dedupe` report what they did, and what is lost of a record is neither added
//! in silence nor a duplicate.

use std::path::Path;

use serde_json::Value;
use tabia_testkit::Scratch;

use crate::common::{many_games, tabia};

fn games(folder: &Scratch, base: &str) -> u64 {
    let checked = tabia(folder, &["check", base, "--json"]);
    checked.json()[0]["games"].as_u64().unwrap()
}

fn summary(folder: &Scratch, file: &str) -> Value {
    let report = std::fs::read(folder.join(file)).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    report["summary"].clone()
}

/// A ChessBase database of different games, `damaged.cbh`, and a base of others in several formats.
fn with_bases(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("many.pgn"), different_games()).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "damaged.cbh", "-q"]).expect(0);
    let other = "[White \"Other, A\"]\n[Black \"Other, B\"]\n\n1. e4 c6 2. d4 d5 *\n";
    std::fs::write(folder.join("other.pgn"), other).unwrap();
    for base in ["base.si5", "base.cbh", "base.pgn"] {
        tabia(&folder, &["convert", "other.pgn", "-o", base, "-q"]).expect(0);
    }
    folder
}

/// Forty games between eighty players, no two of which have the same first two plies.
fn different_games() -> String {
    let firsts = [
        "a3", "a4", "b3", "b4", "c3", "c4", "d3", "d4", "e3", "e4", "f3", "f4", "g3", "g4", "h3",
        "h4", "Na3", "Nc3", "Nf3", "Nh3",
    ];
    let games = firsts.iter().zip(b'A'..).flat_map(|(first, letter)| {
        ["c6", "f6"].map(|reply| {
            let letter = char::from(letter);
            let event = letter.to_ascii_lowercase();
            format!(
                "[Event \"Open of {event}{reply}\"]\n[Date \"2020.01.01\"]\n[White \"{letter}{reply}son, W\"]\n\
                 [Black \"{letter}{reply}sen, B\"]\n[Result \"1-0\"]\n\n1. {first} {reply} 1-0\n\n"
            )
        })
    });
    games.collect()
}

/// Fills bytes of a file with zeros.
fn blank(path: &Path, from: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[from..].fill(0);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn the_result_is_reported_although_an_input_has_problems() {
    let folder = Scratch::new("result-with-problems");
    std::fs::write(
        folder.join("broken.pgn"),
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n\
         [White \"C\"]\n[Black \"D\"]\n\n1. d4 d5 2. c4 *\n",
    )
    .unwrap();
    std::fs::write(
        folder.join("base.pgn"),
        "[White \"E\"]\n[Black \"F\"]\n\n1. c4 *\n",
    )
    .unwrap();
    for base in ["base.pgn", "base.si5", "base.cbh"] {
        if base != "base.pgn" {
            tabia(
                &folder,
                &["convert", "base.pgn", "--games", "1", "-o", base, "-q"],
            )
            .expect(0);
        }
        let args = [
            "append",
            "broken.pgn",
            "-o",
            base,
            "--report",
            "r.json",
            "-f",
        ];
        let run = tabia(&folder, &args).expect(3);
        assert!(
            run.err.contains(&format!("2 games to {base}")),
            "{}",
            run.err
        );
        assert_eq!(run.err.matches("Ke3").count(), 1, "{}", run.err);
        let summary = summary(&folder, "r.json");
        assert_eq!(
            (&summary["written"], &summary["duplicates"]),
            (&2.into(), &0.into())
        );
        assert_eq!(summary["inputs"][0]["games"], 2, "{summary}");
        let run = tabia(&folder, &["append", "broken.pgn", "-o", base]).expect(3);
        assert!(run.err.contains("2 duplicates left out"), "{}", run.err);
        assert!(
            run.err.contains(&format!("0 games to {base}")),
            "{}",
            run.err
        );
    }
    let args = [
        "dedupe",
        "broken.pgn",
        "-o",
        "once.pgn",
        "--report",
        "d.json",
    ];
    let run = tabia(&folder, &args).expect(3);
    assert!(run.err.contains("2 games to once.pgn"), "{}", run.err);
    assert_eq!(summary(&folder, "d.json")["written"], 2);
}

/// Records without their moves or names are left out and no duplicates; `--salvage` adds them.
#[test]
fn records_whose_moves_or_names_are_lost_are_left_out() {
    for lost in ["cbg", "cbp"] {
        let folder = with_bases(&format!("lost-parts-{lost}"));
        std::fs::remove_file(folder.join(format!("damaged.{lost}"))).unwrap();
        for base in ["base.si5", "base.cbh", "base.pgn"] {
            let args = [
                "append",
                "damaged.cbh",
                "-o",
                base,
                "--report",
                "r.json",
                "-f",
            ];
            let run = tabia(&folder, &args).expect(3);
            assert!(run.err.contains("0 duplicates left out"), "{}", run.err);
            assert!(run.err.contains("40 damaged games left out"), "{}", run.err);
            assert!(run.err.contains("`--salvage` adds"), "{}", run.err);
            assert!(
                run.err.contains(&format!("0 games to {base}")),
                "{}",
                run.err
            );
            assert_eq!(summary(&folder, "r.json")["damaged"], 40);
            assert_eq!(games(&folder, base), 1, "{base}");
            let run = tabia(&folder, &["append", "damaged.cbh", "-o", base, "--salvage"]);
            if base != "base.pgn" || run.code != 2 {
                assert_eq!(run.code, 3, "{}", run.err);
                assert!(run.err.contains("40 damaged games added"), "{}", run.err);
                assert!(run.err.contains("0 duplicates left out"), "{}", run.err);
                assert_eq!(games(&folder, base), 41, "{base}");
            }
        }
        // Nothing of them is the same.
        let rows = tabia(&folder, &["dedupe", "damaged.cbh", "--dry-run", "--ndjson"]).expect(3);
        assert_eq!(rows.out, "");
    }
}

#[test]
fn a_part_of_the_moves_is_not_the_game() {
    let folder = with_bases("lost-part-of-moves");
    let body = folder.join("damaged.cbg");
    let length = std::fs::read(&body).unwrap().len();
    let mut bytes = std::fs::read(&body).unwrap();
    bytes.truncate(length / 2);
    std::fs::write(&body, bytes).unwrap();
    let run = tabia(&folder, &["append", "damaged.cbh", "-o", "base.si5"]).expect(3);
    assert!(run.err.contains("damaged games left out"), "{}", run.err);
    let added = games(&folder, "base.si5") - 1;
    assert!((10..40).contains(&added), "{added}");
    let run = tabia(
        &folder,
        &["repair", "damaged.cbh", "-o", "saved.cbh", "--json"],
    )
    .expect(3);
    let account = run.json();
    let count = |key: &str| account[key].as_u64().unwrap();
    assert_eq!(count("whole"), added);
    assert!(count("withoutMoves") > 0, "{account}");
    assert_eq!(count("withoutMoves") + count("withCutMoves"), 40 - added);
    assert_eq!(count("withoutNames"), 0);
    assert!(run.err.contains("without any moves"), "{}", run.err);
}

/// Names that were overwritten with zeros are a problem for `check`, `repair` and `append`.
#[test]
fn blank_names_are_found_and_not_laundered() {
    for (extension, column) in [("cbp", "white"), ("cbt", "event")] {
        let folder = with_bases(&format!("blank-names-{extension}"));
        tabia(&folder, &["check", "damaged.cbh"]).expect(0);
        // The header is 32 bytes.
        blank(&folder.join(format!("damaged.{extension}")), 32);
        let run = tabia(&folder, &["check", "damaged.cbh"]).expect(3);
        assert!(run.err.contains("overwritten with zeros"), "{}", run.err);
        let run = tabia(
            &folder,
            &["repair", "damaged.cbh", "-o", "saved.cbh", "--json"],
        )
        .expect(3);
        let account = run.json();
        assert_eq!(account["whole"], 0, "{account}");
        assert_eq!(account["damaged"], 40, "{account}");
        let nameless = if extension == "cbp" { 40 } else { 0 };
        assert_eq!(account["withoutNames"], nameless, "{account}");
        let rows = tabia(
            &folder,
            &["ls", "saved.cbh", "--ndjson", "--columns", column],
        )
        .expect(0);
        assert!(rows.out.contains("(lost "), "{}", rows.out);
        tabia(&folder, &["check", "saved.cbh", "--deep"]).expect(0);
        // Lost names are not the same name.
        let rows = tabia(&folder, &["dedupe", "saved.cbh", "--dry-run", "--ndjson"]).expect(0);
        assert_eq!(rows.out, "");
        let before = std::fs::read(folder.join("damaged.cbh")).unwrap();
        let run = tabia(&folder, &["append", "other.pgn", "-o", "damaged.cbh"]);
        assert_ne!(run.code, 0, "{}", run.err);
        assert!(
            run.err.contains("a damaged database is not changed"),
            "{}",
            run.err
        );
        assert!(before == std::fs::read(folder.join("damaged.cbh")).unwrap());
    }
}

/// Bytes that are no database give no games, and no file.
#[test]
fn nothing_is_made_of_noise() {
    let folder = with_bases("repair-of-noise");
    let mut state = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(5000)
    .collect();
    for file in [
        "noise.si4",
        "noise.si5",
        "noise.cbh",
        "noise.sci",
        "noise.cbi",
    ] {
        std::fs::write(folder.join(file), &noise).unwrap();
        let run = tabia(&folder, &["repair", file, "-o", "saved.cbh"]);
        assert_eq!(run.code, 4, "{file}: {}", run.err);
        assert!(!folder.join("saved.cbh").exists(), "{file}");
        std::fs::remove_file(folder.join(file)).unwrap();
    }
    // Without the names of both the headers alone are nothing; with one of them they are something.
    std::fs::remove_file(folder.join("damaged.cbg")).unwrap();
    tabia(&folder, &["repair", "damaged.cbh", "-o", "headers.cbh"]).expect(3);
}

/// The hints name commands that work.
#[test]
fn hints_of_damaged_files() {
    let folder = with_bases("hints-of-damage");
    std::fs::write(
        folder.join("games.pgn.1"),
        "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n",
    )
    .unwrap();
    let run = tabia(&folder, &["check", "games.pgn.1", "--table"]).expect(3);
    assert!(run.err.contains("-o saved-games.pgn`"), "{}", run.err);
    std::fs::write(folder.join("old.rar"), b"Rar!\x1a\x07\x00more").unwrap();
    let run = tabia(&folder, &["check", "old.rar"]).expect(4);
    assert!(run.err.contains("`unrar x old.rar`"), "{}", run.err);
    for tar in ["old.tar", "old.tar.gz", "old.TGZ"] {
        std::fs::write(folder.join(tar), b"games.pgn\0\0\0").unwrap();
        let run = tabia(&folder, &["check", tar]).expect(4);
        let hint = format!("`tar xf {tar}`");
        assert!(run.err.contains(&hint), "{}", run.err);
    }
    let run = tabia(&folder, &["fix", "base.cbh"]).expect(2);
    assert!(run.err.contains("tabia repair"), "{}", run.err);
    // A damaged database that would be written again.
    std::fs::write(folder.join("many.pgn"), many_games(40)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "cut.si4", "-q"]).expect(0);
    let bytes = std::fs::read(folder.join("cut.sg4")).unwrap();
    std::fs::write(folder.join("cut.sg4"), &bytes[..bytes.len() / 2]).unwrap();
    let run = tabia(&folder, &["append", "other.pgn", "-o", "cut.si4"]).expect(4);
    assert!(
        run.err.contains("is damaged and cannot grow"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("`tabia repair cut.si4 -o saved-cut.si4`"),
        "{}",
        run.err
    );
}
