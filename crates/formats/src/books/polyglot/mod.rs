#![doc = include_str!("FORMAT.md")]

mod count_defects;
mod entry;
mod header;
mod illegal_moves;
mod put_in_order;
mod read;
mod shifted_entries;
mod write;

pub use count_defects::{Findings, LearnConvention};
pub use entry::{Entry, decode_move, encode_move};
pub use header::Header;
pub use read::PolyglotBook;
pub use write::PolyglotWriter;

use std::path::Path;

use tabia_core::books::{Book, BookWriter};
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::formats::{
    BookFormat, Confidence, CreateOptions, FileFormat, FormatId, OpenOptions, Probe,
};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Features};

use self::shifted_entries::is_sound;
use super::MoveValues;

/// Polyglot opening books.
pub static FORMAT: BookFormat = BookFormat {
    file: FileFormat {
        id: FormatId::new("polyglot"),
        name: "Polyglot book",
        extensions: &["bin"],
        companions: &[],
        by_products: &[],
        score,
        evidence: "",
    },
    can: Features::of(&[Feature::BookWeights, Feature::BookLearn]),
    is_mirrored: false,
    has_key_entries: true,
    open,
    create: if cfg!(feature = "writers") {
        create
    } else {
        super::not_written
    },
};

/// What Polyglot books hold of a move.
pub(super) const MOVE_VALUES: MoveValues = MoveValues {
    max_weight: Some(u16::MAX as u32),
    learn: true,
    ..MoveValues::NONE
};

/// Entries of files that are too short to be recognised by the order of their keys.
const SHORT: usize = 32;

/// Sound entries in order that no short file of another kind has by chance.
const FEW: usize = 4;

/// The format has no magic number: a book is recognised by the ascending keys of its first entries.
/// Only a header makes it certain; without one the name must agree.
fn score(probe: &Probe<'_>) -> Confidence {
    if probe.head.starts_with(b"\0\0\0\0\0\0\0\0@PG@\n") {
        return Confidence::Certain;
    }
    let is_named = probe.extension() == "bin";
    if probe.head.is_empty() {
        return if is_named {
            Confidence::ByName
        } else {
            Confidence::No
        };
    }
    if probe.head.iter().all(|byte| *byte == 0) {
        // Zeros are what is left of a file whose bytes were never written, whatever it was.
        return Confidence::No;
    }
    let entries = read::entries(probe.head);
    let is_ascending = entries
        .iter()
        .zip(entries.iter().skip(1))
        .all(|(a, b)| a.key.get() <= b.key.get());
    let has_known_bits = entries
        .iter()
        .all(|entry| entry.key.get() == 0 || !entry.is_foreign());
    // Too few entries for their order to be conclusive: then everything else must agree.
    let is_short = probe.head.len() < SHORT * Entry::SIZE
        && probe
            .len
            .is_none_or(|length| length == probe.head.len() as u64);
    let (_, rest) = probe.head.as_chunks::<{ Entry::SIZE }>();
    // Several entries of one position are in order by more than chance.
    let is_of_one_key = entries.len() > 1 && is_of_one_key(entries);
    // Bytes after the last entry are those of a cut book if the entries before them are sure.
    let is_complete = matches!(rest, [] | [b'\n'])
        || has_standard_key(entries)
        || entries.len() >= FEW
            && is_ascending
            && has_moves(entries)
            && entries.iter().all(is_sound);
    if is_short && !((has_known_bits || is_of_one_key) && is_complete) {
        return Confidence::No;
    }
    match (
        is_named,
        is_ascending && has_known_bits && !entries.is_empty(),
    ) {
        (true, true) => Confidence::Likely,
        (true, false) if read::foreign(entries).is_none() || read::is_shifted(probe.head) => {
            Confidence::ByName
        }
        // Text is never in the order of keys for long, and other binary files seldom are.
        (false, true) if has_standard_key(entries) => Confidence::ByName,
        (false, true) if entries.len() >= 64 && has_moves(entries) => Confidence::ByName,
        _ => Confidence::No,
    }
}

/// Whether all entries have the same key, and more than half of them a move.
fn is_of_one_key(entries: &[Entry]) -> bool {
    let known = entries.iter().filter(|entry| !entry.is_foreign()).count();
    let mut pairs = entries.iter().zip(entries.iter().skip(1));
    pairs.all(|(a, b)| a.key == b.key) && has_moves(entries) && 2 * known > entries.len()
}

/// Whether more than half of the entries have a key and a move; zeros have the order of keys, too.
fn has_moves(entries: &[Entry]) -> bool {
    let count = entries.iter().filter(|entry| entry.key.get() != 0).count();
    2 * count > entries.len()
}

/// Whether one of the entries is of the standard position, whose key no other file contains by chance.
fn has_standard_key(entries: &[Entry]) -> bool {
    let key = Position::standard().key();
    entries.iter().any(|entry| entry.key.get() == key)
}

/// Why a file with the extension of a book is not a book, by its first bytes; `None` if it may be one,
/// or is too short to know.
pub fn why_not(probe: &Probe<'_>) -> Option<String> {
    if probe.extension() != "bin" {
        return None;
    }
    let why = read::foreign(read::entries(probe.head));
    why.filter(|_| !read::is_shifted(probe.head))
}

fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Book>> {
    Ok(Box::new(PolyglotBook::open(source, options)?))
}

fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn BookWriter>> {
    Ok(Box::new(PolyglotWriter::create(path, options)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::books::{BookPosition, Learn};
    use tabia_core::chess::{Move, Square};
    use tabia_core::io::Blob;

    fn book(entries: &[(u64, u16, u16, [u8; 4])], tail: &[u8]) -> Source {
        let mut bytes = Vec::new();
        for (key, move_bits, weight, learn) in entries {
            let mut sink = tabia_core::io::Sink::new();
            sink.u64_be(*key);
            sink.u16_be(*move_bits);
            sink.u16_be(*weight);
            sink.bytes(learn);
            bytes.extend_from_slice(sink.as_slice());
        }
        bytes.extend_from_slice(tail);
        let members = vec![("a.bin".to_owned(), Blob::from(bytes))];
        Source::from_members("a.bin", "a.bin", members).unwrap()
    }

    fn open(source: &Source) -> PolyglotBook {
        PolyglotBook::open(source, &OpenOptions::default()).unwrap()
    }

    const START: u64 = 0x463b_9618_1691_fc9c;
    const E4: u16 = 0x031c;
    const D4: u16 = 0x02db;

    #[test]
    fn short_files_of_other_kinds_are_rejected() {
        let probe = |head: &[u8]| {
            score(&Probe {
                name: Some("a.bin"),
                head,
                len: Some(head.len() as u64),
            })
        };
        let mut sink = tabia_core::io::Sink::new();
        sink.u64_be(START);
        sink.u16_be(E4);
        sink.bytes(&[0; 6]);
        let mut entry = sink.into_vec();
        assert_eq!(probe(&entry), Confidence::Likely);
        assert_eq!(probe(&[&entry[..], b"\n"].concat()), Confidence::Likely);
        let stale = [&entry[..], &[0; 15], &[1]].concat();
        assert_eq!(probe(&stale), Confidence::ByName, "out of order");
        let cut = [&entry[..], &[7; 12]].concat();
        assert_eq!(probe(&cut), Confidence::Likely, "cut in its second entry");
        entry[8] |= 0x80;
        assert_eq!(probe(&entry), Confidence::No, "a bit no move has");
    }

    #[test]
    fn short_books_may_end_in_other_bytes() {
        let probe = |count: u8, tail: &[u8]| {
            let mut bytes = Vec::new();
            for key in 1..=count {
                bytes.extend_from_slice(&[key; 8]);
                bytes.extend_from_slice(&[3, 0x1c, 0, 1, 0, 0, 0, 0]);
            }
            bytes.extend_from_slice(tail);
            let len = Some(bytes.len() as u64);
            score(&Probe {
                name: Some("a.bin"),
                head: &bytes,
                len,
            })
        };
        for tail in [&[][..], &[9, 9, 9], &[9; 15]] {
            assert_eq!(probe(4, tail), Confidence::Likely, "{tail:?}");
            assert_eq!(probe(40, tail), Confidence::Likely, "{tail:?}");
        }
        assert_eq!(probe(3, &[9, 9, 9]), Confidence::No);
    }

    #[test]
    fn repeated_entries_are_merged() {
        let learn = [0, 0, 20, 0];
        let source = book(
            &[
                (1, E4, 1, [0; 4]),
                (START, E4, 40, [0; 4]),
                (START, D4, 0, [0; 4]),
                (START, E4, 2, learn),
                (START, 0, 9, [0; 4]),
            ],
            b"\n",
        );
        let book = open(&source);
        let mut page = BookPosition::default();
        assert!(book.probe(&Position::standard(), &mut page).unwrap());
        let shown: Vec<_> = page
            .entries
            .iter()
            .map(|entry| (entry.m, entry.weight))
            .collect();
        let e4 = Some(Move::normal(Square::E2, Square::E4));
        let d4 = Some(Move::normal(Square::D2, Square::D4));
        assert_eq!(shown, [(e4, Some(42)), (d4, Some(0)), (None, Some(9))]);
        assert_eq!(
            page.entries.first().and_then(|entry| entry.learn),
            Some(Learn::from_bytes(learn))
        );
        let findings = book.inspect();
        assert_eq!(
            (findings.positions, findings.repeats, findings.zero_weights),
            (2, 1, 1)
        );
        assert_eq!(findings.no_moves, 1);
        assert_eq!(
            book.info().problems,
            ["the last byte is no entry and is ignored"]
        );
    }

    #[test]
    fn copies_at_the_end_are_ignored() {
        let source = book(
            &[
                (1, E4, 1, [0; 4]),
                (2, D4, 1, [0; 4]),
                (START, E4, 5, [0; 4]),
                (2, D4, 1, [0; 4]),
                (START, E4, 5, [0; 4]),
            ],
            b"",
        );
        let book = open(&source);
        assert_eq!(book.book_entries().len(), 3);
        assert_eq!((book.inspect().out_of_order, book.copies()), (2, 2));
        let problems = &book.info().problems;
        let text =
            "2 entries at the end are copies of earlier ones, out of order: they are ignored";
        assert!(problems[0].starts_with(text), "{problems:?}");
    }

    #[test]
    fn entries_out_of_order_are_found() {
        let all = [
            (7, E4, 1, [0; 4]),
            (START, E4, 5, [0; 4]),
            (2, D4, 1, [0; 4]),
            (3, D4, 1, [0; 4]),
            (START, D4, 2, [0; 4]),
        ];
        let book = open(&book(&all, b""));
        assert_eq!(book.book_entries().len(), all.len());
        for key in [2, 3, 7] {
            assert_eq!(book.find(key).len(), 1, "{key}");
        }
        assert_eq!(book.find(START).len(), 2);
        // By halves: 3 and the last entry are found.
        let problems = &book.info().problems;
        let text = "the entries are out of order from number 3 on, 3 of them; other programs search by halves and do \
                    not find 3 of 5 moves; `tabia book fix` puts them in order";
        assert_eq!(problems, &[text]);
    }

    #[test]
    fn other_files_are_rejected_with_the_reason() {
        let mut random = tabia_testkit::Random::new(1);
        let mut noise: Vec<_> = (0..500)
            .map(|_| (random.next_u64(), E4, 1, [0; 4]))
            .collect();
        let entries: Vec<Entry> = open(&book(&noise, b"")).entries().to_vec();
        let why = read::foreign(&entries).unwrap();
        assert!(why.contains("out of order"), "{why}");
        for entry in &mut noise {
            entry.1 = random.next_u64() as u16;
        }
        let error = PolyglotBook::open(&book(&noise, b""), &OpenOptions::default()).unwrap_err();
        let text = "bits that no book uses";
        assert!(error.to_string().contains(text), "{error}");
    }

    #[test]
    fn empty_file_is_an_empty_book() {
        let book = open(&book(&[], b""));
        assert!(
            !book
                .probe(&Position::standard(), &mut BookPosition::default())
                .unwrap()
        );
        assert_eq!(book.info().problems.len(), 1);
    }
}
