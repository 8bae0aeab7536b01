//! What a repair finds, a check finds, and the other way round.

use tabia_testkit::Scratch;

use crate::common::{many_games, tabia, with_sample};

/// Size of the index header, and of an entry.
const INDEXES: [(&str, usize, usize); 4] = [
    ("si3", 128, 46),
    ("si4", 182, 47),
    ("si5", 0, 56),
    ("sci", 128, 56),
];

/// A database of 60 games whose index is changed.
fn with_index(extension: &str, change: impl FnOnce(&mut Vec<u8>)) -> Scratch {
    let folder = Scratch::new(&format!("agree-{extension}"));
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    let index = format!("a.{extension}");
    tabia(&folder, &["convert", "many.pgn", "-o", &index, "-q"]).expect(0);
    let mut bytes = std::fs::read(folder.join(&index)).unwrap();
    change(&mut bytes);
    std::fs::write(folder.join(&index), bytes).unwrap();
    folder
}

fn check(folder: &Scratch, path: &str, code: i32) -> String {
    tabia(folder, &["check", "--deep", path]).expect(code).err
}

#[test]
fn entries_that_lead_to_one_game_are_damage_and_the_others_are_found() {
    for (extension, header, size) in INDEXES {
        let folder = with_index(extension, |bytes| {
            let [from, to] = [4, 9].map(|game| header + size * game);
            let entries = bytes[from..from + 3 * size].to_vec();
            bytes[to..to + 3 * size].copy_from_slice(&entries);
        });
        let index = format!("a.{extension}");
        let text = check(&folder, &index, 3);
        assert!(
            text.contains("game 10: its entry leads to the record of game 5"),
            "{text}"
        );
        std::fs::write(folder.join("more.pgn"), many_games(61)).unwrap();
        let run = tabia(&folder, &["append", "more.pgn", "-o", &index]).expect(4);
        assert!(run.err.contains("is damaged"), "{}", run.err);
        let saved = format!("saved.{extension}");
        let args = ["repair", &index, "-o", &saved, "--json"];
        let account = tabia(&folder, &args).expect(3).json();
        // Three headers are copies, three games have no header: none of them is whole.
        assert_eq!(account["whole"], 57, "{extension}: {account}");
        assert_eq!(account["damaged"], 6, "{extension}: {account}");
        check(&folder, &saved, 0);
    }
}

#[test]
fn games_that_end_otherwise_than_the_index_states_are_damage() {
    // Where an entry has the offset and the size of its game.
    for (extension, header, size, range) in [
        ("si3", 128, 46, 0..6),
        ("si4", 182, 47, 0..7),
        ("si5", 0, 56, 32..40),
    ] {
        let folder = Scratch::new(&format!("agree-ends-{extension}"));
        let text = "1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n\n1. c4 *\n";
        std::fs::write(folder.join("a.pgn"), text).unwrap();
        let index = format!("a.{extension}");
        tabia(&folder, &["convert", "a.pgn", "-o", &index, "-q"]).expect(0);
        check(&folder, &index, 0);
        let mut bytes = std::fs::read(folder.join(&index)).unwrap();
        for at in range {
            bytes.swap(header + at, header + size + at);
        }
        std::fs::write(folder.join(&index), bytes).unwrap();
        let text = check(&folder, &index, 3);
        assert!(
            text.contains("game 1: the index states 3 plies, the game has 2"),
            "{text}"
        );
        assert!(
            text.contains("game 2: the index states 2 plies, the game has 3"),
            "{text}"
        );
    }
}

#[test]
fn what_a_check_finds_in_chessbase_files_counts_in_a_repair() {
    let folder = with_sample("agree-cbh");
    let index = folder.join("mega.cbh");
    let mut bytes = std::fs::read(&index).unwrap();
    // The third game leads to the moves of the second.
    let [second, third] = [2, 3].map(|record| 46 * record + 1);
    let offset = bytes[second..second + 4].to_vec();
    bytes[third..third + 4].copy_from_slice(&offset);
    std::fs::write(&index, bytes).unwrap();
    let text = check(&folder, "mega.cbh", 3);
    assert!(text.contains("game 3"), "{text}");
    std::fs::write(folder.join("more.pgn"), many_games(1)).unwrap();
    let edit = ["edit", "mega.cbh", "--delete", "1", "-o", "new.cbh"];
    for args in [&["append", "more.pgn", "-o", "mega.cbh"][..], &edit] {
        let run = tabia(&folder, args).expect(4);
        assert!(run.err.contains("tabia repair"), "{}", run.err);
    }
    let run = tabia(
        &folder,
        &["repair", "mega.cbh", "-o", "saved.cbh", "--json"],
    )
    .expect(3);
    let account = run.json();
    assert!(account["damaged"].as_u64() > Some(0), "{account}");
    assert!(run.err.contains("game 3"), "{}", run.err);
    check(&folder, "saved.cbh", 0);
}

/// A comment with zeros inside, and a guiding text: the result of a repair has none.
#[test]
fn zeros_in_texts_are_not_in_the_result_of_a_repair() {
    for (extension, text) in [("cba", &b"Every white piece"[..]), ("cbg", b"sample")] {
        let folder = with_sample(&format!("agree-zeros-{extension}"));
        let path = folder.join(format!("mega.{extension}"));
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(text.len()).position(|part| part == text);
        let at = at.unwrap_or_else(|| panic!("{} is not in .{extension}", text.escape_ascii()));
        bytes[at + 2..at + 4].fill(0);
        std::fs::write(&path, bytes).unwrap();
        check(&folder, "mega.cbh", 3);
        tabia(&folder, &["repair", "mega.cbh", "-o", "saved.cbh"]).expect(3);
        check(&folder, "saved.cbh", 0);
    }
}

/// A bit of the label of a section in the name file of Scidb means nothing for readers, and costs no name.
#[test]
fn names_that_can_be_read_are_kept_by_a_repair() {
    let folder = with_index("sci", |_| {});
    let path = folder.join("a.scn");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|part| part == b"player");
    let at = at.expect("the label of the players");
    bytes[at + 1] ^= 2;
    std::fs::write(&path, bytes).unwrap();
    let list = |path: &str| tabia(&folder, &["ls", path, "--tsv"]).expect(0).out;
    let listed = list("a.sci");
    assert!(listed.contains("Player 1"), "{listed}");
    tabia(&folder, &["repair", "a.sci", "-o", "saved.sci"]);
    assert_eq!(list("saved.sci"), listed);
}

/// Sizes that no program needs are no damage: `ChessBase` leaves them out of date.
#[test]
fn sizes_that_are_out_of_date_are_no_damage() {
    // Field of the header, and the text about it.
    let fields = [(6, "unused byte"), (2, "the header states")];
    for ((at, text), extension) in fields.into_iter().zip(["cbg", "cba"]) {
        let folder = with_sample(&format!("agree-sizes-{extension}"));
        let path = folder.join(format!("mega.{extension}"));
        let mut bytes = std::fs::read(&path).unwrap();
        // Big-endian.
        bytes[at..at + 4].copy_from_slice(&[0, 0, 0, 25]);
        std::fs::write(&path, bytes).unwrap();
        let checked = check(&folder, "mega.cbh", 0);
        let is_noted = checked.contains(text) && checked.contains("programs compute it anew");
        assert!(is_noted && !checked.contains("hint:"), "{checked}");
        let repair = ["repair", "mega.cbh", "-o", "saved.cbh"];
        let repaired = tabia(&folder, &repair).expect(0).err;
        assert!(repaired.contains("programs compute it anew"), "{repaired}");
        assert_eq!(check(&folder, "saved.cbh", 0), "");
    }
}
