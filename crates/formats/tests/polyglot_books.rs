//! Real Polyglot books: keys, walks without an illegal move, reported damage.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashSet;
use std::path::Path;

use tabia_core::books::{Book, BookPosition, BookWriter};
use tabia_core::chess::{Position, Setup};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::io::Source;
use tabia_formats::books::polyglot::{LearnConvention, PolyglotBook, PolyglotWriter};
use tabia_testkit::shared_data;
use tabia_testkit::shared_data_folder::files_below;

fn open(path: &Path) -> PolyglotBook {
    let source = Source::from_path(path).unwrap();
    PolyglotBook::open(&source, &OpenOptions::default()).unwrap()
}

#[test]
fn keys_match_the_vectors() {
    let Some(path) = shared_data("keys_match_the_vectors", "books/vectors/polyglot_keys.tsv")
    else {
        return;
    };
    let table = std::fs::read_to_string(path).unwrap();
    let mut checked = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let fen = fields.next().unwrap();
        let key = u64::from_str_radix(fields.next().unwrap(), 16).unwrap();
        let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
        let position = Position::from_setup(&setup).unwrap();
        assert_eq!(position.key(), key, "{fen}");
        checked += 1;
    }
    assert_eq!(checked, 204);
}

/// Counts the legal and illegal moves that a walk from the standard position finds; it follows book
/// moves, and all replies that lead to a book position if the book has no move.
fn walk(book: &PolyglotBook) -> (usize, usize) {
    let mut seen = HashSet::new();
    let mut waiting = vec![Position::standard()];
    let (mut moves, mut illegal) = (0, 0);
    let mut page = BookPosition::default();
    while let Some(position) = waiting.pop() {
        if !seen.insert(position.key()) || !book.probe(&position, &mut page).unwrap() {
            continue;
        }
        for entry in &page.entries {
            let Some(m) = entry.m else {
                illegal += 1;
                continue;
            };
            moves += 1;
            let mut next = position.clone();
            next.play(m);
            // Books for one side hold no move of the other, so every reply is tried there.
            if book.find(next.key()).is_empty() {
                for &reply in &*next.legal_moves() {
                    let mut after = next.clone();
                    after.play(reply);
                    if !book.find(after.key()).is_empty() {
                        waiting.push(after);
                    }
                }
            } else {
                waiting.push(next);
            }
        }
    }
    (moves, illegal)
}

#[test]
fn real_books_have_no_illegal_move() {
    let test = "real_books_have_no_illegal_move";
    let Some(folder) = shared_data(test, "books/polyglot") else {
        return;
    };
    let mut books = 0;
    for path in files_below(&folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let book = open(&path);
        let (moves, illegal) = walk(&book);
        assert_eq!(illegal, 0, "{name}");
        // lasker-trap is a book for Black only: the walk from the start does not enter it.
        assert!(moves > 0 || name == "lasker-trap.bin", "{name}");
        books += 1;
    }
    assert_eq!(books, 16);
}

#[test]
fn damage_and_conventions_are_recognised() {
    let Some(folder) = shared_data("damage_and_conventions_are_recognised", "books/polyglot")
    else {
        return;
    };
    let titans = open(&folder.join("Titans.bin"));
    assert_eq!(titans.inspect().out_of_order, 3);
    assert_eq!(titans.info().problems.len(), 1);
    let small = open(&folder.join("debian_gnuchess_smallbook.bin"));
    assert_eq!(
        small.info().problems,
        ["the last byte is no entry and is ignored"]
    );
    assert_eq!(small.inspect().moves, 2417);
    let sturddle = open(&folder.join("sturddle2_book.bin")).inspect();
    assert_eq!((sturddle.repeats, sturddle.positions), (2408, 18346));
    let performance = open(&folder.join("performance.bin")).inspect();
    assert_eq!(
        (performance.learn, performance.positions),
        (LearnConvention::ScoreAndDepth, 77872)
    );
    assert_eq!(
        open(&folder.join("scid_Performance.bin")).inspect().learn,
        LearnConvention::Unused
    );
    assert!(!open(&folder.join("Prime.bin")).inspect().by_weight);
}

#[test]
fn headers_are_read() {
    let Some(folder) = shared_data("headers_are_read", "books/made") else {
        return;
    };
    let book = open(&folder.join("pg_header_normal.bin"));
    assert_eq!(book.header().unwrap().variants, ["normal"]);
    assert!(
        book.probe(&Position::standard(), &mut BookPosition::default())
            .unwrap()
    );
    let two = open(&folder.join("pg_header_two_variants.bin"));
    assert_eq!(two.header().unwrap().variants.len(), 2);
    let none = open(&folder.join("pg_null_key_no_header.bin"));
    assert!(none.header().is_none() && !none.info().problems.is_empty());
}

#[test]
fn other_files_are_rejected() {
    let test = "other_files_are_rejected";
    let Some(folder) = shared_data(test, "books/not-polyglot") else {
        return;
    };
    for path in files_below(&folder) {
        let source = Source::from_path(&path).unwrap();
        let result = PolyglotBook::open(&source, &OpenOptions::default());
        assert!(result.is_err(), "{}", path.display());
    }
}

/// All entries sorted by key and move, repetitions merged.
fn contents(book: &PolyglotBook) -> Vec<(u64, u16, u16, [u8; 4])> {
    let mut all: Vec<_> = book
        .book_entries()
        .iter()
        .map(|e| (e.key.get(), e.move_bits.get(), e.weight.get(), e.learn))
        .collect();
    all.sort_by_key(|entry| (entry.0, entry.1));
    all.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 = kept.2.saturating_add(next.2);
            if kept.3 == [0; 4] {
                kept.3 = next.3;
            }
        }
        same
    });
    all
}

/// A lookup finds what a scan of all entries finds: with repetitions, clusters of keys, and stale tails.
#[test]
fn lookup_finds_the_same_as_a_scan() {
    let scratch = tabia_testkit::Scratch::new("polyglot-find");
    let path = scratch.join("book.bin");
    let mut numbers = tabia_testkit::Random::new(29);
    let mut random = move || numbers.next_u64();
    for round in 0..24u64 {
        let mut keys: Vec<u64> = (0..40 + random() % 3000)
            .map(|_| match round % 4 {
                0 => random(),
                1 => (random() % 64) << 58 | (random() % 4),
                2 => random() >> (random() % 60),
                _ => u64::MAX - random() % 2000,
            })
            .map(|key| key.max(1))
            .collect();
        keys.sort_unstable();
        let sorted = keys.len();
        if round % 3 == 0 {
            // A stale tail, as editors leave it in a book that has become shorter.
            let mut tail: Vec<u64> = (0..=random() % 50).map(|_| 1 + random() % 1000).collect();
            tail.sort_unstable();
            keys.extend(tail);
        }
        let mut bytes = Vec::new();
        for key in &keys {
            bytes.extend_from_slice(&key.to_be_bytes());
            bytes.extend_from_slice(&[0x03, 0x1c, 0, 1, 0, 0, 0, 0]);
        }
        std::fs::write(&path, &bytes).unwrap();
        let book = open(&path);
        assert!(book.book_entries().len() >= sorted);
        let own = book.book_entries();
        let asked = keys
            .iter()
            .flat_map(|&key| [key - 1, key, key.saturating_add(1)]);
        for key in asked
            .chain([1, u64::MAX])
            .collect::<std::collections::BTreeSet<_>>()
        {
            let first = own.iter().take_while(|entry| entry.key.get() < key).count();
            let count = own.iter().filter(|entry| entry.key.get() == key).count();
            let found = book.find(key);
            assert_eq!(found.len(), count, "{key:x}");
            assert!(count == 0 || std::ptr::eq(found, &raw const own[first..first + count]));
        }
    }
}

#[test]
fn a_copy_has_the_same_moves() {
    let Some(folder) = shared_data("a_copy_has_the_same_moves", "books/polyglot") else {
        return;
    };
    let scratch = tabia_testkit::Scratch::new("polyglot-copy");
    for name in [
        "sturddle2_book.bin",
        "performance.bin",
        "Titans.bin",
        "gm2001.bin",
    ] {
        let book = open(&folder.join(name));
        let target = scratch.path().join(name);
        let mut writer =
            Box::new(PolyglotWriter::create(&target, &CreateOptions::default()).unwrap());
        // Where nothing repeats, the order they come in does not show.
        if book.inspect().repeats == 0 {
            book.book_entries()
                .iter()
                .rev()
                .for_each(|entry| writer.push(*entry).unwrap());
        } else {
            book.book_entries()
                .iter()
                .for_each(|entry| writer.push(*entry).unwrap());
        }
        let written = writer.finish().unwrap().written;
        let copy = open(&target);
        assert_eq!(contents(&copy), contents(&book), "{name}");
        assert_eq!(written.bytes, copy.entries().len() as u64 * 16);
        let findings = copy.inspect();
        assert!(findings.by_weight && findings.repeats == 0 && findings.out_of_order == 0);
    }
}
