//! `repair` of sets of which one file is that of another database, and whose texts are no text.

use std::fmt::Write as _;

use tabia_testkit::Scratch;

use crate::common::{tabia, with_sample};

/// Two databases in a format: `one` and `other`, each with its own players, events and comments.
fn with_two(name: &str, extension: &str) -> Scratch {
    let folder = Scratch::new(name);
    for (base, games, players) in [("one", 80, 7), ("other", 90, 23)] {
        let mut text = String::new();
        for game in 0..games {
            // Which game uses a name, and how often, differs between the two.
            let (white, black) = (game % players, players + game % (players - 2));
            let event = game / (40 / players + 3);
            let _ = write!(
                text,
                "[Event \"{base} event {event}\"]\n[Site \"{base}\"]\n[Date \"2020.01.01\"]\n[Round \"{}\"]\n\
                 [White \"{base} player {white}\"]\n[Black \"{base} player {black}\"]\n[Result \"1-0\"]\n\n\
                 1. e4 {{{base} comment on game {game}}} e5 2. Nf3 1-0\n\n",
                game % 9 + 1
            );
        }
        std::fs::write(folder.join(format!("{base}.pgn")), text).unwrap();
        let (input, output) = (format!("{base}.pgn"), format!("{base}.{extension}"));
        tabia(&folder, &["convert", &input, "-o", &output, "-q"]).expect(0);
    }
    folder
}

/// Repairs `one` with a file of `other`: the messages, and how many records are whole.
fn repair_with_file(extension: &str, file: &str) -> (String, u64) {
    let folder = with_two(&format!("file-of-other-{file}"), extension);
    let main = format!("one.{extension}");
    let sound = tabia(&folder, &["repair", &main, "-o", "sound.pgn"]).expect(0);
    assert!(!sound.err.contains("another database"), "{}", sound.err);
    std::fs::copy(
        folder.join(format!("other.{file}")),
        folder.join(format!("one.{file}")),
    )
    .unwrap();
    let run = tabia(&folder, &["repair", &main, "-o", "new.pgn", "--json"]).expect(3);
    let whole = run.json()["whole"].as_u64().unwrap();
    (run.err, whole)
}

#[test]
fn names_of_another_database_are_in_doubt() {
    for (extension, file) in [
        ("cbh", "cbp"),
        ("cbh", "cbt"),
        ("si3", "sn3"),
        ("si4", "sn4"),
        ("sci", "scn"),
    ] {
        let (messages, whole) = repair_with_file(extension, file);
        assert!(messages.contains("another database"), "{file}: {messages}");
        assert_eq!(whole, 0, "{file}: {messages}");
    }
}

/// Games would get the names of others for good.
#[test]
fn a_database_with_names_of_another_one_does_not_grow() {
    for (extension, file) in [
        ("cbh", "cbp"),
        ("cbh", "cbt"),
        ("si3", "sn3"),
        ("si4", "sn4"),
        ("sci", "scn"),
        ("2cbh", "2lid"),
    ] {
        let folder = with_two(&format!("growth-with-{file}"), extension);
        let main = format!("one.{extension}");
        tabia(&folder, &["check", &main]).expect(0);
        let own = folder.join(format!("one.{file}"));
        std::fs::copy(folder.join(format!("other.{file}")), &own).unwrap();
        let files = || {
            ["one", "other"]
                .map(|name| std::fs::read(folder.join(format!("{name}.{file}"))).unwrap())
        };
        let before = files();
        tabia(&folder, &["check", &main]).expect(3);
        // Nor is it converted without a word.
        for options in [&["--to", "pgn"][..], &["--to", "si5", "--sort", "white"]] {
            let name = format!("new.{}", options[1]);
            let run = tabia(
                &folder,
                &[&["convert", &main, "-o", &name], options].concat(),
            )
            .expect(3);
            assert!(run.err.contains("another"), "{file}: {}", run.err);
        }
        for verb in [
            &["append", "other.pgn", "-o", &main][..],
            &["convert", "other.pgn", "-o", &main, "--append"],
        ] {
            let run = tabia(&folder, verb);
            assert_eq!(run.code, 4, "{verb:?}: {}", run.err);
            assert!(run.err.contains("repair"), "{verb:?}: {}", run.err);
            assert!(files() == before, "{verb:?}");
        }
    }
}

/// Team 0 is no team that zeros mean, and a number beyond the file no team that is not there.
#[test]
fn lost_teams_are_reported_and_none_is_invented() {
    let folder = Scratch::new("lost-teams");
    let mut text = String::new();
    for game in 0..40 {
        let teams = if game % 2 == 0 {
            format!(
                "[WhiteTeam \"Team {}\"]\n[BlackTeam \"Team {}\"]\n",
                game / 4,
                game / 4 + 1
            )
        } else {
            String::new()
        };
        let _ = write!(
            text,
            "[Event \"League\"]\n[White \"W{game}\"]\n[Black \"B{game}\"]\n[Result \"1-0\"]\n{teams}\n1. e4 e5 1-0\n\n"
        );
    }
    std::fs::write(folder.join("league.pgn"), text).unwrap();
    tabia(
        &folder,
        &["convert", "league.pgn", "-o", "league.cbh", "-q"],
    )
    .expect(0);
    let teams = |expected: i32| {
        tabia(&folder, &["check", "league.cbh"]).expect(expected);
        let run = tabia(
            &folder,
            &["convert", "league.cbh", "-o", "-", "--to", "pgn"],
        )
        .expect(expected);
        run.out.matches("Team \"").count()
    };
    assert_eq!(teams(0), 40);
    let entries = folder.join("league.cbj");
    let sound = std::fs::read(&entries).unwrap();
    let mut zeroed = sound.clone();
    zeroed[32 + 120 * 4..32 + 120 * 9 + 40].fill(0);
    std::fs::write(&entries, zeroed).unwrap();
    // Of the records 4 to 9 three had teams.
    assert_eq!(teams(3), 34);
    let repaired = tabia(
        &folder,
        &["repair", "league.cbh", "-o", "new.cbh", "--json"],
    )
    .expect(3);
    assert!(
        repaired.json()["whole"].as_u64().unwrap() <= 34,
        "{}",
        repaired.out
    );
    std::fs::write(&entries, sound).unwrap();
    tabia(
        &folder,
        &[
            "convert",
            "league.pgn",
            "-o",
            "few.cbh",
            "--games",
            "2",
            "-q",
        ],
    )
    .expect(0);
    std::fs::copy(folder.join("few.cbe"), folder.join("league.cbe")).unwrap();
    assert_eq!(teams(3), 0);
}

/// What wrote the zeros over some entries may have begun or ended in the middle of others.
#[test]
fn entries_next_to_zeroed_ones_are_in_doubt() {
    for (extension, file, size) in [
        ("si3", "si3", 46),
        ("si4", "si4", 47),
        ("si5", "si5", 56),
        ("cbh", "cbh", 46),
        ("2cbh", "2cbh", 192),
    ] {
        let folder = with_two(&format!("zeroed-{file}"), extension);
        let main = format!("one.{extension}");
        let path = folder.join(format!("one.{file}"));
        let mut bytes = std::fs::read(&path).unwrap();
        let start = bytes.len() - 80 * size;
        // From the middle of entry 30 to the middle of entry 34.
        bytes[start + 30 * size + size / 2..start + 34 * size + size / 2].fill(0);
        std::fs::write(&path, bytes).unwrap();
        let run = tabia(&folder, &["repair", &main, "-o", "new.pgn", "--json"]).expect(3);
        let document = run.json();
        let records = document["recordList"].as_array().unwrap();
        for number in 31..=35 {
            let has = |record: &serde_json::Value| {
                let first = record["game"].as_u64().unwrap();
                let last = record["lastGame"].as_u64().unwrap_or(first);
                (first..=last).contains(&number)
            };
            assert!(
                records.iter().any(has),
                "{file}, game {number}: {}; {records:?}",
                run.err
            );
        }
        assert!(records.len() <= 8, "{file}: {}", run.err);
    }
}

#[test]
fn annotations_of_another_database_are_in_doubt() {
    let (messages, whole) = repair_with_file("cbh", "cba");
    assert!(whole <= 1, "{messages}");
    assert!(
        messages.contains("annotations may be those of another database"),
        "{messages}"
    );
}

#[test]
fn a_missing_file_with_one_name_invents_none() {
    let folder = with_two("missing-sources", "cbh");
    for file in ["one.cbs", "one.cbc"] {
        std::fs::remove_file(folder.join(file)).unwrap();
    }
    let run = tabia(&folder, &["repair", "one.cbh", "-o", "new.pgn"]).expect(3);
    assert!(run.err.contains("cbs"), "{}", run.err);
    let text = std::fs::read_to_string(folder.join("new.pgn")).unwrap();
    assert!(!text.contains("(lost"), "{text}");
    assert!(text.contains("[White \"one player 5\"]"), "{text}");
}

fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    let mut windows = bytes.windows(wanted.len());
    windows.position(|window| window == wanted).unwrap()
}

#[test]
fn zeros_in_texts_are_damage() {
    let folder = with_two("zeros-in-comments", "cbh");
    tabia(&folder, &["check", "one.cbh", "--deep"]).expect(0);
    let mut bytes = std::fs::read(folder.join("one.cba")).unwrap();
    let at = find(&bytes, b"comment on game 17");
    bytes[at + 3..at + 6].fill(0);
    std::fs::write(folder.join("one.cba"), bytes).unwrap();
    let run = tabia(&folder, &["check", "one.cbh", "--deep"]).expect(3);
    assert!(run.err.contains("zero bytes"), "{}", run.err);
    assert!(run.err.contains("game 18"), "{}", run.err);

    let folder = with_sample("zeros-in-texts");
    tabia(&folder, &["check", "mega.cbh"]).expect(0);
    let mut bytes = std::fs::read(folder.join("mega.cbg")).unwrap();
    let at = find(&bytes, b"<body");
    bytes[at + 1..at + 4].copy_from_slice(b"\0\0\0");
    std::fs::write(folder.join("mega.cbg"), bytes).unwrap();
    let run = tabia(&folder, &["check", "mega.cbh"]).expect(3);
    assert!(
        run.err.contains("guiding text has zero bytes"),
        "{}",
        run.err
    );
}
