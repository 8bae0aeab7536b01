//! Small Polyglot books, byte for byte and entry for entry.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::big_endian_bytes,
    reason = "a test fails by panicking, and writes entries as the format states them"
)]

use std::path::Path;

use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, BookWriter, Learn};
use tabia_core::chess::{Move, Position, Setup, san};
use tabia_core::formats::{CreateOptions, OpenOptions, Probe};
use tabia_core::game::Flow;
use tabia_core::io::Source;
use tabia_formats::books::polyglot::{self, LearnConvention, PolyglotBook, PolyglotWriter};
use tabia_testkit::Scratch;

/// Both sides may castle to both sides.
const OPEN: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

fn position(fen: &str) -> Position {
    Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
}

fn named(position: &Position, text: &str) -> Move {
    match san::read(position, text.as_bytes()).unwrap() {
        tabia_core::chess::Ply::Move(m) => m,
        tabia_core::chess::Ply::Null => panic!("{text}"),
    }
}

/// Key, move, weight and learn value of an entry.
fn entry(key: u64, bits: u16, weight: u16, learn: [u8; 4]) -> Vec<u8> {
    let mut bytes = key.to_be_bytes().to_vec();
    bytes.extend(bits.to_be_bytes());
    bytes.extend(weight.to_be_bytes());
    bytes.extend(learn);
    bytes
}

/// The bits of a move from one square to another, both counted from a1 along the ranks.
const fn bits(from: u16, to: u16) -> u16 {
    from << 6 | to
}

fn open(path: &Path) -> PolyglotBook {
    let source = Source::from_path(path).unwrap();
    PolyglotBook::open(&source, &OpenOptions::default()).unwrap()
}

fn open_bytes(folder: &Scratch, bytes: &[u8]) -> PolyglotBook {
    let path = folder.join("given.bin");
    std::fs::write(&path, bytes).unwrap();
    open(&path)
}

/// All positions with the number of their entries, as a walk finds them.
fn walk(book: &PolyglotBook) -> Vec<(u64, usize)> {
    let mut found = Vec::new();
    let left = book
        .for_each(&mut |key, page| {
            let BookKey::Key(key) = key else { panic!() };
            found.push((key, page.entries.len()));
            Flow::Go
        })
        .unwrap();
    assert_eq!(left, 0);
    found
}

#[test]
fn written_bytes_are_those_of_the_format() {
    let folder = Scratch::new("polyglot-bytes");
    let path = folder.join("a.bin");
    let mut options = CreateOptions::default();
    options.title = Some("12345678".to_owned());
    let mut writer = Box::new(PolyglotWriter::create(&path, &options).unwrap());
    let start = Position::standard();
    let castling = position(OPEN);
    let mut put = |position: &Position, text: &str, weight: u32, learn: [u8; 4]| {
        let mut page = BookPosition::default();
        let mut new = BookEntry::new(named(position, text)).with_weight(weight);
        new.learn = Some(Learn::from_bytes(learn));
        page.entries.push(new);
        assert!(writer.put(position, &page).unwrap().is_empty());
    };
    put(&castling, "O-O", 7, [0; 4]);
    put(&castling, "O-O-O", 9, [0; 4]);
    put(&start, "e4", 40_000, [0; 4]);
    put(&start, "d4", 40_000, [1, 2, 3, 4]);
    put(&start, "e4", 30_000, [5, 6, 7, 8]);
    put(&start, "e4", 1, [9, 9, 9, 9]);
    put(&start, "Nf3", 0, [0; 4]);
    let complete = writer.complete().unwrap();
    assert_eq!((complete.size.positions, complete.size.moves), (2, 5));
    assert_eq!(complete.records, 5);
    complete.commit().unwrap();

    let mut expected = Vec::new();
    for text in [
        &b"@PG@\n1.0"[..],
        b"\n2\n1\nnor",
        b"mal\n1234",
        b"5678\0\0\0\0",
    ] {
        expected.extend([0; 8]);
        expected.extend(text);
    }
    let mut positions = [
        (
            castling.key(),
            // King takes rook, the larger weight first.
            [
                entry(castling.key(), bits(4, 0), 9, [0; 4]),
                entry(castling.key(), bits(4, 7), 7, [0; 4]),
            ]
            .concat(),
        ),
        (
            start.key(),
            [
                // Weights are summed up to the largest number; the first learn value is written.
                entry(start.key(), bits(12, 28), 65_535, [5, 6, 7, 8]),
                entry(start.key(), bits(11, 27), 40_000, [1, 2, 3, 4]),
                entry(start.key(), bits(6, 21), 0, [0; 4]),
            ]
            .concat(),
        ),
    ];
    positions.sort();
    expected.extend(positions.iter().flat_map(|(_, bytes)| bytes.clone()));
    assert_eq!(std::fs::read(&path).unwrap(), expected);

    let book = open(&path);
    let mut counts = vec![(castling.key(), 2), (start.key(), 3)];
    counts.sort_unstable();
    assert_eq!(walk(&book), counts);
    let size = book.size().unwrap();
    assert_eq!((size.positions, size.moves), (2, 5));
    assert_eq!(book.info().moves, Some(5));
    assert_eq!(book.info().problems, [""; 0]);
    let facts = [
        ("header version", "1.0"),
        ("variants", "normal"),
        ("header comment", "12345678"),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(book.info().facts, facts);
    let header = book.header().unwrap();
    let records: Vec<u8> = header.records().concat();
    assert_eq!(records, expected[..64]);
}

#[test]
fn a_walk_ends_where_the_visitor_stops() {
    let folder = Scratch::new("polyglot-walk");
    let bytes: Vec<u8> = (1..=5)
        .flat_map(|key| entry(key, bits(12, 28), 1, [0; 4]))
        .collect();
    let book = open_bytes(&folder, &bytes);
    assert_eq!(walk(&book).len(), 5);
    let mut count = 0;
    book.for_each(&mut |_, _| {
        count += 1;
        if count == 3 { Flow::Stop } else { Flow::Go }
    })
    .unwrap();
    assert_eq!(count, 3);
}

#[test]
fn castling_is_read_as_both_kinds_of_books_write_it() {
    let folder = Scratch::new("polyglot-castling");
    for (turn, squares) in [
        ("w", [(4, 7), (4, 6), (4, 0), (4, 2)]),
        ("b", [(60, 63), (60, 62), (60, 56), (60, 58)]),
    ] {
        let position = position(&OPEN.replace(" w ", &format!(" {turn} ")));
        let bytes: Vec<u8> = squares
            .iter()
            .flat_map(|&(from, to)| entry(position.key(), bits(from, to), 5, [0; 4]))
            .collect();
        let book = open_bytes(&folder, &bytes);
        let mut page = BookPosition::default();
        assert!(book.probe(&position, &mut page).unwrap());
        let found: Vec<_> = page
            .entries
            .iter()
            .map(|entry| (entry.m, entry.weight))
            .collect();
        // Two spellings of one move are one entry.
        let expected = ["O-O", "O-O-O"].map(|text| (Some(named(&position, text)), Some(10)));
        assert_eq!(found, expected, "{turn}");
        // With bits of a promotion it is no castling.
        let bytes = entry(position.key(), 1 << 12 | bits(4, 6), 5, [0; 4]);
        let book = open_bytes(&folder, &bytes);
        book.probe(&position, &mut page).unwrap();
        assert_eq!(page.entries[0].m, None);
    }
}

#[test]
fn records_with_key_0_without_a_header_are_a_problem() {
    let folder = Scratch::new("polyglot-null");
    let bytes = [
        entry(0, 0, 0, [0; 4]),
        entry(0, 0x4040, 0x5047, [0; 4]),
        entry(7, bits(12, 28), 1, [0; 4]),
    ]
    .concat();
    let book = open_bytes(&folder, &bytes);
    assert_eq!(
        book.info().problems,
        ["2 records with key 0, but no header"]
    );
    assert!(book.header().is_none());
    assert_eq!(walk(&book), [(7, 1)]);
    assert_eq!(book.info().moves, Some(1));
    assert_eq!(book.inspect().null_records, 2);
}

/// `count` entries with rising keys, changed by their number.
fn entries(count: u64, change: impl Fn(u64) -> (u64, u16, [u8; 4])) -> Vec<u8> {
    (0..count)
        .flat_map(|number| {
            let (key, bits, learn) = change(number);
            entry(key, bits, 1, learn)
        })
        .collect()
}

#[test]
fn some_entries_out_of_order_are_damage_and_many_another_format() {
    let folder = Scratch::new("polyglot-order");
    let move_bits = bits(12, 28);
    let with = |descents: u64, foreign: u64| {
        let bytes = entries(3001, |number| {
            let is_low = number % 90 == 89 && number / 90 < descents;
            let key = if is_low { 1 } else { number + 10 };
            let is_foreign = number % 10 == 5 && number / 10 < foreign;
            (key, if is_foreign { 0x8000 } else { move_bits }, [0; 4])
        });
        let path = folder.join("order.bin");
        std::fs::write(&path, &bytes).unwrap();
        let why = polyglot::why_not(&Probe {
            name: Some("order.bin"),
            head: &bytes,
            len: Some(bytes.len() as u64),
        });
        let source = Source::from_path(&path).unwrap();
        let opened = PolyglotBook::open(&source, &OpenOptions::default());
        (why, opened)
    };
    // One of a hundred neighbours, one of a thousand moves.
    assert_eq!(with(30, 0).0, None);
    let (why, opened) = with(31, 0);
    let why = why.unwrap();
    assert!(why.contains("31 of 3000 neighbouring keys"), "{why}");
    // On request it is a book, with all its entries.
    assert_eq!(opened.unwrap().book_entries().len(), 3001);
    let with = |descents, foreign| with(descents, foreign).1;
    assert!(with(0, 3).is_ok());
    let error = with(0, 4).unwrap_err().to_string();
    assert!(error.contains("bits that no book uses"), "{error}");
}

#[test]
fn conventions_of_learn_values_are_recognised() {
    let folder = Scratch::new("polyglot-learn");
    let convention = |learn: &dyn Fn(u64) -> (u64, [u8; 4])| {
        let bytes = entries(100, |number| {
            let (key, learn) = learn(number);
            (key, bits(12, 28), learn)
        });
        open_bytes(&folder, &bytes).inspect().learn
    };
    assert_eq!(
        convention(&|key| (key + 1, [0; 4])),
        LearnConvention::Unused
    );
    // A score of 20 at depth 17; up to five of a hundred may be something else.
    let score = Learn::from_bytes([20, 0, 17, 0]);
    assert_eq!(score.score_and_depth(), (20, 17));
    let scores = |others: u64| {
        convention(&|key| {
            let learn = if key < others {
                [255; 4]
            } else {
                [20, 0, 17, 0]
            };
            (key + 1, learn)
        })
    };
    assert_eq!(scores(5), LearnConvention::ScoreAndDepth);
    assert_ne!(scores(6), LearnConvention::ScoreAndDepth);
    // One move twice, with links to two games.
    let links = convention(&|number| (number / 2 + 1, [200, number as u8 + 1, 200, 7]));
    assert_eq!(links, LearnConvention::GameLinks);
    let counts = convention(&|key| (key + 1, [0, 1, 200, 200]));
    assert_eq!(counts, LearnConvention::Counts);
    let points = convention(&|key| (key + 1, [200, 200, 0, 1]));
    assert_eq!(points, LearnConvention::GamesAndPoints);
}
