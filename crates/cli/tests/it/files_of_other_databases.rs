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
