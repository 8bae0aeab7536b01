//! Books that are damaged, and books whose moves do not fit into another format.

use std::fmt::Write as _;

use tabia_testkit::Scratch;

use crate::common::{many_games, tabia};

/// A folder with `book_0.kob`, its index and its list of games.
fn with_kvetka_book(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("games.pgn"), many_games(60)).unwrap();
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "book.kob",
        "--game-links",
    ];
    tabia(&folder, &build).expect(0);
    folder
}

/// The exit codes of the verbs that make a book of `book_0.kob` or describe it.
fn codes(folder: &Scratch) -> Vec<(&'static str, i32, String)> {
    let book = "book_0.kob";
    let verbs: [(&str, &[&str]); 4] = [
        (
            "convert",
            &["book", "convert", book, "-o", "out.bin", "--force"],
        ),
        (
            "merge",
            &["book", "merge", book, book, "-o", "out.bin", "--force"],
        ),
        (
            "fix",
            &["book", "fix", book, "-o", "fixed_0.kob", "--force"],
        ),
        ("info", &["book", "info", book]),
    ];
    let run = |(verb, args): (&'static str, &[&str])| {
        let run = tabia(folder, args);
        (verb, run.code, run.err)
    };
    verbs.into_iter().map(run).collect()
}

#[test]
fn damage_of_a_kvetka_book_that_check_finds_is_reported_by_every_verb() {
    let folder = with_kvetka_book("damaged-kvetka");
    for (_, code, message) in codes(&folder) {
        assert_eq!(code, 0, "{message}");
    }
    let mut found = 0;
    for name in ["book_0.kob", "book.kin"] {
        let path = folder.join(name);
        let whole = std::fs::read(&path).unwrap();
        for part in 1..12 {
            let mut damaged = whole.clone();
            let at = whole.len() * part / 12;
            damaged[at] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            let check = tabia(&folder, &["check", "book_0.kob"]);
            if check.code == 3 {
                found += 1;
                for (verb, code, message) in codes(&folder) {
                    assert_eq!(code, 3, "{verb}, {name} at {at}: {message} / {}", check.err);
                    assert!(
                        message.contains("warning: book_0.kob: "),
                        "{verb}: {message}"
                    );
                }
            }
        }
        std::fs::write(&path, whole).unwrap();
    }
    assert!(found > 4, "{found}");
}

#[test]
fn a_book_that_cannot_be_opened_is_reported_in_a_folder() {
    let folder = Scratch::new("noise-in-folder");
    std::fs::create_dir(folder.join("all")).unwrap();
    std::fs::write(folder.join("all/games.pgn"), many_games(3)).unwrap();
    let noise: Vec<u8> = (0..5000_u32)
        .map(|at| ((at * 7919) >> 3) as u8 | 2)
        .collect();
    std::fs::write(folder.join("all/noise.kob"), noise).unwrap();
    // One that is recognised, and cannot be opened, is not the end of the others either.
    std::fs::write(folder.join("all/noise.2cbh"), [0x81; 4000]).unwrap();
    let verbs: [&[&str]; 5] = [
        &["ls", "all"],
        &["stats", "all"],
        &["convert", "all", "-o", "out.pgn", "--force"],
        &["search", "all", "white:*"],
        &[
            "book",
            "build",
            "all",
            "-o",
            "out.bin",
            "--min-games",
            "1",
            "--force",
        ],
    ];
    for verb in verbs {
        let run = tabia(&folder, verb);
        assert_eq!(run.code, 3, "{verb:?}: {} {}", run.out, run.err);
        for name in ["noise.kob: ", "noise.2cbh: "] {
            assert_eq!(run.err.matches(name).count(), 1, "{verb:?}: {}", run.err);
        }
        assert!(
            !run.err.contains("tabia repair all/noise.kob"),
            "{verb:?}: {}",
            run.err
        );
    }
    let stats = tabia(&folder, &["stats", "all", "--json"]);
    assert_eq!(stats.json()[0]["games"], 3, "{}", stats.out);
}

#[test]
fn moves_that_do_not_fit_into_a_book_are_a_problem() {
    let folder = Scratch::new("unreachable-book");
    let game = "[SetUp \"1\"]\n[FEN \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. e4 Kd4 1-0\n";
    std::fs::write(folder.join("games.pgn"), game).unwrap();
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "book.bin",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "convert", "book.bin", "-o", "book.abk"]);
    assert_eq!(run.code, 3, "{}", run.err);
    let none = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "none.bin",
        "--min-games",
        "0",
    ];
    tabia(&folder, &none).expect(2);
}

#[test]
fn a_fixed_kvetka_book_is_sound_whatever_its_list_of_games_was() {
    let folder = with_kvetka_book("fixed-kvetka");
    let Ok(whole) = std::fs::read(folder.join("book.ksf")) else {
        panic!("the book has no list of games");
    };
    for length in [0, 1, 7, 12, 100, whole.len() / 2, whole.len()] {
        std::fs::write(folder.join("book.ksf"), &whole[..length.min(whole.len())]).unwrap();
        let fix = ["book", "fix", "book_0.kob", "-o", "fixed_0.kob", "--force"];
        let run = tabia(&folder, &fix);
        assert!(matches!(run.code, 0 | 3), "{length}: {}", run.err);
        let check = tabia(&folder, &["check", "fixed_0.kob"]);
        assert_eq!(check.code, 0, "{length}: {}", check.err);
        let again = ["book", "fix", "fixed_0.kob", "-o", "again_0.kob", "--force"];
        tabia(&folder, &again).expect(0);
        std::fs::remove_file(folder.join("fixed.ksf")).unwrap_or_default();
        std::fs::remove_file(folder.join("again.ksf")).unwrap_or_default();
    }
}

/// A book of the positions of many games.
fn with_book(name: &str, book: &str) -> Scratch {
    let folder = Scratch::new(name);
    let mut text = String::new();
    for first in [
        "a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3", "a4", "b4", "c4", "d4", "e4", "f4", "g4",
        "h4",
    ] {
        let knight = if first.starts_with('f') { "Nc3" } else { "Nf3" };
        for second in [
            "a6", "b6", "c6", "d6", "e6", "f6", "g6", "h6", "a5", "b5", "c5", "d5", "e5", "f5",
            "g5", "h5",
        ] {
            let _ = write!(
                text,
                "[White \"A\"]\n[Result \"1/2-1/2\"]\n\n1. {first} {second} 2. {knight} 1/2-1/2\n\n"
            );
        }
    }
    std::fs::write(folder.join("games.pgn"), text).unwrap();
    let build = ["book", "build", "games.pgn", "-o", book, "--min-games", "1"];
    tabia(&folder, &build).expect(0);
    folder
}

#[test]
fn shifted_entries_of_polyglot_books_are_found() {
    let folder = with_book("shifted-polyglot", "book.bin");
    let whole = std::fs::read(folder.join("book.bin")).unwrap();
    assert!(whole.len() > 400 * 16);
    for (at, inserted) in [(3, 3), (4_003, 1), (4_000, 9), (5_000, 100)] {
        let mut bytes = whole.clone();
        bytes.splice(at..at, vec![0xa7; inserted]);
        std::fs::write(folder.join("book.bin"), bytes).unwrap();
        let run = tabia(&folder, &["check", "book.bin"]).expect(3);
        assert!(run.err.contains("inserted"), "{at}: {}", run.err);
        assert!(run.err.contains("tabia book fix"), "{at}: {}", run.err);
        let fix = ["book", "fix", "book.bin", "-o", "fixed.bin", "--force"];
        tabia(&folder, &fix).expect(3);
        tabia(&folder, &["check", "fixed.bin"]).expect(0);
        let fixed = std::fs::read(folder.join("fixed.bin")).unwrap();
        let lost = (whole.len() - fixed.len()) / 16;
        assert!(lost <= 8, "{lost} of {} entries lost", whole.len() / 16);
        let known: Vec<&[u8]> = whole.chunks(16).collect();
        assert!(fixed.chunks(16).all(|entry| known.contains(&entry)), "{at}");
    }
}

#[test]
fn games_of_lost_records_of_a_ctg_book_are_not_invented_in_silence() {
    let folder = with_book("lost-records", "book.ctg");
    let again = ["book", "fix", "book.ctg", "-o", "same.ctg"];
    let run = tabia(&folder, &again).expect(0);
    assert!(!run.err.contains("are lost"), "{}", run.err);
    let mut bytes = std::fs::read(folder.join("book.ctg")).unwrap();
    let pages = bytes.len() / 4096;
    assert!(pages > 4, "{pages}");
    bytes.truncate(4096 * (pages - 1));
    std::fs::write(folder.join("book.ctg"), bytes).unwrap();
    let run = tabia(&folder, &["book", "fix", "book.ctg", "-o", "fixed.ctg"]).expect(3);
    assert!(
        run.err.contains("whose own records are lost") && run.err.contains("has 1 game"),
        "{}",
        run.err
    );
}

#[test]
fn zeros_in_place_of_polyglot_entries_are_left_out_by_a_fix() {
    let folder = with_book("damaged-zeros", "book.bin");
    let path = folder.join("book.bin");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[16 * 5..16 * 8].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let text = tabia(&folder, &["check", "book.bin"]).expect(3).err;
    assert!(
        text.contains("3 entries have zeros in place of a position"),
        "{text}"
    );
    let run = tabia(&folder, &["book", "fix", "book.bin", "-o", "fixed.bin"]).expect(3);
    let dropped = "3 entries of zeros dropped, whose moves are lost";
    assert!(run.err.contains(dropped), "{}", run.err);
    tabia(&folder, &["check", "--deep", "fixed.bin"]).expect(0);
}

#[test]
fn zeros_at_the_end_of_a_polyglot_book_are_not_put_in_order() {
    let folder = with_book("damaged-zero-tail", "book.bin");
    let path = folder.join("book.bin");
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.len();
    bytes[whole - 16 * 2..].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let text = tabia(&folder, &["check", "book.bin"]).expect(3).err;
    let zeros = "2 entries at the end have zeros in place of a position, whose move is lost";
    assert!(text.contains(zeros) && !text.contains("in order"), "{text}");
    let run = tabia(&folder, &["book", "fix", "book.bin", "-o", "fixed.bin"]).expect(3);
    assert!(
        run.err.contains("2 entries of zeros dropped") && !run.err.contains("put in order"),
        "{}",
        run.err
    );
    let fixed = std::fs::metadata(folder.join("fixed.bin")).unwrap().len();
    assert_eq!(fixed, whole as u64 - 32);
}

/// A book that is cut between two records has no bytes left over: its header shows it.
#[test]
fn an_arena_book_that_is_cut_is_reported_by_every_verb() {
    let folder = Scratch::new("damaged-arena");
    std::fs::write(folder.join("games.pgn"), many_games(40)).unwrap();
    tabia(&folder, &["book", "build", "games.pgn", "-o", "whole.abk"]).expect(0);
    tabia(&folder, &["check", "whole.abk"]).expect(0);
    let whole = std::fs::read(folder.join("whole.abk")).unwrap();
    let moves = (whole.len() - 25_200) / 28;
    for (length, has) in [
        (25_200, "none".to_owned()),
        (25_200 + 28 * 3 + 5, "3".to_owned()),
    ] {
        std::fs::write(folder.join("cut.abk"), &whole[..length]).unwrap();
        let text = format!("the file is cut: it has {has} of the {moves} moves");
        for args in [
            &["check", "cut.abk"][..],
            &["book", "info", "cut.abk"],
            &[
                "book",
                "merge",
                "cut.abk",
                "whole.abk",
                "-o",
                "merged.abk",
                "--force",
            ],
            &["book", "convert", "cut.abk", "-o", "out.bin", "--force"],
            &["book", "fix", "cut.abk", "-o", "fixed.abk", "--force"],
        ] {
            let run = tabia(&folder, args).expect(3);
            assert!(run.err.contains(&text), "{args:?}: {}", run.err);
        }
        tabia(&folder, &["check", "fixed.abk"]).expect(0);
    }
}

/// What `book fix` corrects, `check` names, and nothing is left to correct in what it writes.
#[test]
fn check_and_fix_agree_about_repeated_entries() {
    let folder = Scratch::new("damaged-repeats");
    let start = tabia::core::chess::Position::standard();
    let mut castle = start.clone();
    let mut line = Vec::new();
    for word in ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"] {
        let key = castle.key();
        let ply = tabia::core::chess::san::read_and_play(&mut castle, word.as_bytes()).unwrap();
        let bits = tabia::formats::books::polyglot::encode_move(ply.to_move().unwrap());
        line.push((key, bits));
    }
    let unknown = 0x1234_5678_9abc_def0;
    for (name, added, text) in [
        ("none", &[][..], ""),
        ("repeat", &[(start.key(), 0x031c)], "1 entry repeats a move"),
        (
            "unreached",
            &[(unknown, 0x031c), (unknown, 0x031c)],
            "1 entry repeats a move",
        ),
        (
            "castling",
            &[(castle.key(), 0x0106), (castle.key(), 0x0107)],
            "1 entry repeats a move",
        ),
        ("no-move", &[(unknown, 0)], "1 entry has no move"),
        (
            "no-move-reached",
            &[(start.key(), 0)],
            "1 entry has no move",
        ),
    ] {
        let mut entries = [&line[..], added].concat();
        entries.sort_unstable();
        let bytes: Vec<u8> = entries
            .iter()
            .flat_map(|(key, bits)| crate::books::entry(*key, *bits, 5))
            .collect();
        let (book, fixed) = (format!("{name}.bin"), format!("{name}-fixed.bin"));
        std::fs::write(folder.join(&book), bytes).unwrap();
        let code = if added.is_empty() { 0 } else { 3 };
        let run = tabia(&folder, &["check", &book]).expect(code);
        assert!(run.err.contains(text), "{name}: {}", run.err);
        assert!(
            run.err.matches("warning: ").count() <= 1,
            "{name}: {}",
            run.err
        );
        tabia(&folder, &["book", "fix", &book, "-o", &fixed]).expect(code);
        tabia(&folder, &["check", &fixed]).expect(0);
        tabia(
            &folder,
            &["book", "fix", &fixed, "-o", "again.bin", "--force"],
        )
        .expect(0);
        let [first, again] =
            [fixed.as_str(), "again.bin"].map(|name| std::fs::read(folder.join(name)).unwrap());
        assert_eq!(first, again, "{name}");
    }
}

#[test]
fn bytes_after_the_last_entry_are_reported_of_books_of_any_size() {
    let folder = Scratch::new("damaged-tails");
    for count in [1, 4, 40] {
        std::fs::write(folder.join("games.pgn"), many_games(60)).unwrap();
        let build = ["book", "build", "games.pgn", "-o", "whole.bin", "--force"];
        tabia(&folder, &build).expect(0);
        let whole = std::fs::read(folder.join("whole.bin")).unwrap();
        // One entry is that of the standard position.
        let key = tabia::core::chess::Position::standard().key();
        let start: Vec<u8> = (0..8).rev().map(|byte| (key >> (8 * byte)) as u8).collect();
        let entries: Vec<&[u8]> = whole.chunks(16).collect();
        let kept: Vec<u8> = match count {
            1 => entries
                .iter()
                .find(|entry| entry.starts_with(&start))
                .unwrap()
                .to_vec(),
            _ => entries[..count.min(entries.len())].concat(),
        };
        for tail in [&[1, 2, 3][..], &[9; 4], &[0xff; 15]] {
            std::fs::write(folder.join("tail.bin"), [&kept, tail].concat()).unwrap();
            let run = tabia(&folder, &["check", "tail.bin"]).expect(3);
            let text = format!("{} trailing bytes are no entry", tail.len());
            assert!(run.err.contains(&text), "{count}: {}", run.err);
        }
    }
}

/// Rows that would be imported again are not those of a whole book without a word.
#[test]
fn verbs_that_read_a_damaged_book_end_with_3() {
    let folder = Scratch::new("damaged-books-read");
    std::fs::write(folder.join("games.pgn"), many_games(60)).unwrap();
    for book in ["b.abk", "b.bin", "b.ctg"] {
        let build = ["book", "build", "games.pgn", "-o", book, "--min-games", "1"];
        tabia(&folder, &build).expect(0);
        tabia(&folder, &["book", "edit", book, "--csv"]).expect(0);
        tabia(&folder, &["book", "diff", book, book]).expect(0);
        let path = folder.join(book);
        let mut bytes = std::fs::read(&path).unwrap();
        if book == "b.ctg" {
            // All pages.
            bytes[4096..].fill(0);
        } else {
            bytes.pop();
        }
        std::fs::write(&path, bytes).unwrap();
        let edit = tabia(&folder, &["book", "edit", book, "--csv"]).expect(3);
        assert!(edit.err.contains(book), "{}", edit.err);
        tabia(&folder, &["book", "diff", book, book]).expect(3);
        if book == "b.ctg" {
            for verb in ["find", "line"] {
                let run = tabia(&folder, &["book", verb, book]).expect(3);
                assert!(!run.err.contains("may play"), "{}", run.err);
            }
        }
    }
}

/// The list of games of a Kvetka book of which the rest became zeros, from `from` on.
fn with_zeroed_list(name: &str, from: usize) -> Scratch {
    let folder = with_kvetka_book(name);
    let path = folder.join("book.ksf");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[from..].fill(0);
    std::fs::write(&path, bytes).unwrap();
    folder
}

#[test]
fn games_that_became_zeros_are_no_games_of_a_kvetka_book() {
    let folder = with_zeroed_list("kvetka-zeroed-games", 900);
    tabia(&folder, &["check", "book_0.kob"]).expect(3);
    let append = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "book.kob",
        "--game-links",
        "--append",
    ];
    let run = tabia(&folder, &append);
    assert_eq!(run.code, 4, "{}", run.err);
    let find = ["book", "find", "book_0.kob", "--json", "--games"];
    let run = tabia(&folder, &find);
    assert!(!run.out.contains("\"white\": \"\""), "{}", run.out);
}

#[test]
fn a_fixed_kvetka_book_without_sources_has_all_its_files() {
    let folder = with_zeroed_list("kvetka-zeroed-sources", 1);
    let fix = ["book", "fix", "book_0.kob", "-o", "fixed_0.kob"];
    tabia(&folder, &fix).expect(3);
    tabia(&folder, &["check", "fixed_0.kob"]).expect(0);
}
