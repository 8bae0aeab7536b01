//! Arena books: a real one, written ones, and damaged ones.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, BookWriter, Wdl};
use tabia_core::chess::{Position, san};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};
use tabia_core::loss::{Feature, Losses};
use tabia_formats::books::abk::{AbkBook, AbkWriter};
use tabia_testkit::{Scratch, shared_data};

fn open(path: &Path) -> AbkBook {
    let source = Source::from_path(path).unwrap();
    AbkBook::open(&source, &OpenOptions::default()).unwrap()
}

fn in_memory(bytes: Vec<u8>) -> tabia_core::Result<AbkBook> {
    let members = vec![("a.abk".to_owned(), Blob::from(bytes))];
    let source = Source::from_members("a.abk", "a.abk", members).unwrap();
    AbkBook::open(&source, &OpenOptions::default())
}

fn after(moves: &str) -> Position {
    let mut position = Position::standard();
    for m in moves.split_whitespace() {
        san::read_and_play(&mut position, m.as_bytes()).unwrap();
    }
    position
}

/// All positions with their moves, sorted by key and move.
fn contents(book: &dyn Book) -> Vec<(u64, Vec<BookEntry>)> {
    let mut contents = Vec::new();
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("Arena books store boards")
        };
        let mut entries = page.entries.clone();
        entries.sort_by_key(|entry| entry.m);
        contents.push((position.key(), entries));
        Flow::Go
    })
    .unwrap();
    contents.sort_by_key(|(key, _)| *key);
    contents
}

fn copy(book: &AbkBook, path: &Path, backwards: bool) -> Losses {
    let mut options = CreateOptions::default();
    options.facts.clone_from(&book.info().facts);
    let mut writer = Box::new(AbkWriter::create(path, &options).unwrap());
    let mut pages = Vec::new();
    book.for_each(&mut |position, page| {
        if let BookKey::Board(position) = position {
            pages.push((position.clone(), page.clone()));
        }
        Flow::Go
    })
    .unwrap();
    if backwards {
        pages.reverse();
    }
    let mut losses = Losses::new();
    for (position, page) in &pages {
        losses.merge(&writer.put(position, page).unwrap());
    }
    losses.merge(&writer.finish().unwrap().losses);
    losses
}

#[test]
fn real_book_is_read_completely() {
    let Some(path) = shared_data("real_book_is_read_completely", "books/abk/Perfect2021.abk")
    else {
        return;
    };
    let book = open(&path);
    let findings = book.findings();
    assert_eq!((findings.records, findings.reached), (9571, 9142));
    assert_eq!((findings.illegal, findings.repeated_references), (0, 0));
    assert_eq!((findings.positions, findings.depth), (4158, 30));
    assert!(findings.has_games && !findings.has_results);
    assert_eq!(book.header().author, "Sedat Canbaz");
    assert_eq!(book.header().numbers[1], 9542);
    assert_eq!(
        book.problems().unwrap(),
        ["429 records are reached from no move"]
    );
    let mut page = BookPosition::default();
    assert!(book.probe(&Position::standard(), &mut page).unwrap());
    let weights: Vec<_> = page
        .entries
        .iter()
        .map(|entry| (entry.m.unwrap().to_string(), entry.weight.unwrap()))
        .collect();
    let expected = [("d2d4", 4), ("e2e4", 9), ("c2c4", 2), ("g1f3", 2)];
    assert_eq!(weights, expected.map(|(m, weight)| (m.to_owned(), weight)));
}

#[test]
fn copy_of_a_real_book_has_equal_contents() {
    let Some(path) = shared_data(
        "copy_of_a_real_book_has_equal_contents",
        "books/abk/Perfect2021.abk",
    ) else {
        return;
    };
    let book = open(&path);
    let scratch = Scratch::new("abk-copy");
    let (first, second) = (scratch.join("a.abk"), scratch.join("b.abk"));
    assert_eq!(copy(&book, &first, false), Losses::new());
    let copied = open(&first);
    assert_eq!(copied.info().problems, [""; 0]);
    assert_eq!(copied.problems().unwrap(), [""; 0]);
    assert!(contents(&book) == contents(&copied));
    assert_eq!(copied.header().comment, book.header().comment);
    assert_eq!(copied.header().numbers[2..], book.header().numbers[2..]);
    copy(&copied, &second, true);
    assert!(std::fs::read(first).unwrap() == std::fs::read(second).unwrap());
}

/// A move with its results.
fn entry(position: &Position, m: &str, white: u64, draws: u64, black: u64) -> BookEntry {
    let ply = san::read(position, m.as_bytes()).unwrap();
    let tabia_core::chess::Ply::Move(m) = ply else {
        panic!("{ply:?}")
    };
    let results = Wdl {
        white,
        draws,
        black,
    };
    BookEntry::new(m)
        .with_weight(5)
        .with_games(results.games())
        .with_results(results)
}

/// 1.d4 d5 2.c4 and 1.c4 d5 2.d4 transpose; 1.Nf3 Nf6 2.Ng1 Ng8 returns to the standard position.
fn small(path: &Path, options: &CreateOptions) -> (Losses, Vec<u8>) {
    let mut writer = Box::new(AbkWriter::create(path, options).unwrap());
    let mut losses = Losses::new();
    for (line, moves) in [
        ("", vec![("d4", 9, 5, 3), ("c4", 2, 1, 0), ("Nf3", 1, 0, 0)]),
        ("d4", vec![("d5", 9, 5, 3)]),
        ("d4 d5", vec![("c4", 9, 5, 3)]),
        ("c4", vec![("d5", 2, 1, 0)]),
        ("c4 d5", vec![("d4", 2, 1, 0)]),
        ("d4 d5 c4", vec![("e6", 6, 3, 2), ("c6", 5, 3, 1)]),
        ("d4 d5 c4 e6", vec![("Nc3", 6, 3, 2)]),
        ("Nf3", vec![("Nf6", 1, 0, 0)]),
        ("Nf3 Nf6", vec![("Ng1", 1, 0, 0)]),
        ("Nf3 Nf6 Ng1", vec![("Ng8", 1, 0, 0)]),
        // Unreachable.
        ("e4 e5", vec![("Nf3", 1, 0, 0), ("f4", 1, 0, 0)]),
    ] {
        let position = after(line);
        let mut page = BookPosition::default();
        for (m, white, draws, black) in moves {
            page.entries.push(entry(&position, m, white, draws, black));
        }
        losses.merge(&writer.put(&position, &page).unwrap());
    }
    let book = writer.finish().unwrap();
    losses.merge(&book.losses);
    let written = book.written;
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(written.bytes, bytes.len() as u64);
    assert_eq!(u64::from(written.records) * 28 + 25200, written.bytes);
    (losses, bytes)
}

#[test]
fn transpositions_share_their_counts_and_cycles_are_cut() {
    let scratch = Scratch::new("abk-small");
    let (losses, bytes) = small(&scratch.join("a.abk"), &CreateOptions::default());
    assert_eq!(losses.count(Feature::BookMoves), 2);
    let book = in_memory(bytes).unwrap();
    assert_eq!(book.info().problems, [""; 0]);
    assert_eq!(book.problems().unwrap(), [""; 0]);
    // d4 d5 c4 and its replies have two nodes.
    assert_eq!(book.findings().records, 13 + 3);
    let transposition = after("d4 d5 c4");
    let mut page = BookPosition::default();
    assert!(book.probe(&transposition, &mut page).unwrap());
    let expected = [
        entry(&transposition, "e6", 6, 3, 2),
        entry(&transposition, "c6", 5, 3, 1),
    ];
    for (found, expected) in page.entries.iter().zip(&expected) {
        assert_eq!(
            (found.m, found.results, found.games, found.weight),
            (
                expected.m,
                expected.results,
                expected.games,
                expected.weight
            )
        );
    }
    assert_eq!(page.entries.len(), 2);
    // The counts of e6 are distributed among its two nodes.
    let nodes: Vec<_> = book
        .records()
        .iter()
        .skip(900)
        .filter(|record| (record.from, record.to) == (52, 44))
        .map(|record| (record.games.get(), record.won.get(), record.lost.get()))
        .collect();
    let sum = nodes.iter().fold((0, 0, 0), |sum, node| {
        (sum.0 + node.0, sum.1 + node.1, sum.2 + node.2)
    });
    assert_eq!((nodes.len(), sum), (2, (11, 6, 2)));
    assert!(nodes.iter().all(|node| node.0 > 0));
}

#[test]
fn every_position_has_one_node_without_repeats() {
    let scratch = Scratch::new("abk-repeats");
    let mut options = CreateOptions::default();
    options
        .facts
        .push(("abk.repeats".to_owned(), "0".to_owned()));
    let (_, bytes) = small(&scratch.join("a.abk"), &options);
    let once = in_memory(bytes).unwrap();
    let (_, bytes) = small(&scratch.join("b.abk"), &CreateOptions::default());
    let often = in_memory(bytes).unwrap();
    assert_eq!(once.findings().records, 13);
    assert!(contents(&once) == contents(&often));
}

/// Writes random lines of six plies, with many transpositions and some cycles.
fn put_many(mut writer: AbkWriter, path: &Path) -> Vec<u8> {
    let mut random = tabia_testkit::Random::new(11);
    for _ in 0..3000 {
        let mut position = Position::standard();
        for _ in 0..6 {
            let bits = random.next_u64();
            let moves = position.legal_moves();
            let m = moves[(bits % moves.len().min(6) as u64) as usize];
            let results = Wdl {
                white: bits >> 60,
                draws: bits >> 56 & 15,
                black: bits >> 52 & 3,
            };
            let mut page = BookPosition::default();
            page.entries = vec![{
                let mut entry = BookEntry::new(m);
                entry.weight = (bits >> 50 & 3 > 0).then_some((bits >> 44) as u32 & 31);
                entry.results = Some(results);
                entry
            }];
            let _ = writer.put(&position, &page).unwrap();
            position.play(m);
        }
    }
    Box::new(writer).finish().unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn memory_does_not_change_the_book() {
    let scratch = Scratch::new("abk-memory");
    let writer = |path: &Path| AbkWriter::create(path, &CreateOptions::default()).unwrap();
    let path = scratch.join("a.abk");
    let all = put_many(writer(&path), &path);
    let path = scratch.join("b.abk");
    let few = put_many(writer(&path).with_memory(&path, 5000), &path);
    assert!(all.len() > 200_000 && all == few);
    let book = in_memory(all).unwrap();
    assert_eq!(book.problems().unwrap(), [""; 0]);
    assert!(book.findings().records > book.findings().moves);
}

#[test]
fn weights_become_priorities_and_deleted_moves_stay_deleted() {
    let scratch = Scratch::new("abk-weights");
    let path = scratch.join("a.abk");
    let mut writer = Box::new(AbkWriter::create(&path, &CreateOptions::default()).unwrap());
    let start = Position::standard();
    let mut page = BookPosition::default();
    for (m, weight) in [
        ("e4", Some(65520)),
        ("d4", Some(39312)),
        ("c4", Some(0)),
        ("b4", None),
    ] {
        let mut entry = entry(&start, m, 1, 0, 0);
        entry.weight = weight;
        page.entries.push(entry);
    }
    let mut deleted = entry(&start, "a4", 1, 0, 0);
    deleted.weight = Some(0);
    deleted.raw = b"abk\x07\xfe\0\0\x01".as_slice().into();
    page.entries.push(deleted);
    page.entries.push(BookEntry::default());
    let mut losses = writer.put(&start, &page).unwrap();
    losses.merge(&writer.finish().unwrap().losses);
    assert_eq!(losses.count(Feature::UnreadMoves), 1);
    assert_eq!(losses.count(Feature::BookWeights), 1);
    let book = open(&path);
    let mut read = BookPosition::default();
    assert!(book.probe(&start, &mut read).unwrap());
    let moves: Vec<_> = read
        .entries
        .iter()
        .map(|entry| (entry.m.unwrap().to_string(), entry.weight.unwrap()))
        .collect();
    let expected = [
        ("e2e4", 9),
        ("a2a4", 0),
        ("d2d4", 6),
        ("b2b4", 5),
        ("c2c4", 0),
    ];
    assert_eq!(moves, expected.map(|(m, weight)| (m.to_owned(), weight)));
    assert_eq!(&*read.entries[1].raw, b"abk\x07\xfe\0\0\x01");
    assert_eq!(book.findings().deleted, 1);
    assert_eq!(book.header().numbers[..2], [1, 4]);
}

#[test]
fn damage_is_reported_and_never_hangs() {
    let scratch = Scratch::new("abk-damage");
    let (_, sound) = small(&scratch.join("a.abk"), &CreateOptions::default());
    let record = |number: usize| 25200 + 28 * number;
    let with = |changes: &[(usize, &[u8])]| {
        let mut bytes = sound.clone();
        for (at, new) in changes {
            bytes[*at..at + new.len()].copy_from_slice(new);
        }
        in_memory(bytes).unwrap().problems().unwrap()
    };
    let root = [0x84, 3, 0, 0];
    // A reply that is the root, and an alternative of itself.
    let problems = with(&[(record(3) + 20, &root)]);
    assert!(
        problems.contains(&"1 reference to records that are reached already".to_owned()),
        "{problems:?}"
    );
    let problems = with(&[(record(0) + 24, &root)]);
    assert!(
        problems[0].ends_with("are reached from no move"),
        "{problems:?}"
    );
    for outside in [[1, 0, 0, 0], [0xff, 0xff, 0xff, 0x7f]] {
        let problems = with(&[(record(0) + 20, &outside)]);
        assert!(
            problems.contains(&"1 reference to records that do not exist".to_owned()),
            "{problems:?}"
        );
    }
    let problems = with(&[(record(0), &[60, 60])]);
    assert!(problems.contains(&"1 move is not legal".to_owned()));
    let problems = with(&[(record(0) + 8, &[0xff, 0xff, 0xff, 0xff])]);
    assert!(problems.contains(&"1 record with impossible counts".to_owned()));
    // Cut anywhere, and any byte changed.
    for length in (0..sound.len()).step_by(17).chain(25190..sound.len()) {
        let cut = in_memory(sound[..length].to_vec());
        assert_eq!(cut.is_ok(), length >= 25200, "{length}");
    }
    for at in 25200..sound.len() {
        for new in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] = new;
            let _ = contents(&in_memory(bytes).unwrap());
        }
    }
    for at in 0..12 {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        let refused = in_memory(bytes).is_err();
        assert_eq!(refused, !(3..8).contains(&at), "{at}");
    }
}
