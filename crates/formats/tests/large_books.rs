//! Books of more than 4 GiB. Almost all of each file is a hole, which takes no space on the disk.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs::{File, OpenOptions as FileOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tabia_core::books::{Book, BookEntry, BookPosition, BookWriter, Wdl};
use tabia_core::chess::{Move, Position, Square};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::io::{Sink, Source};
use tabia_formats::books::ctg;
use tabia_formats::books::ctg::{CtgBook, CtgWriter, Lookup, PAGE};
use tabia_formats::books::polyglot::{PolyglotBook, encode_move};
use tabia_testkit::Scratch;

fn e4() -> Move {
    let square = |name: &[u8]| Square::parse(name).unwrap();
    Move::normal(square(b"e2"), square(b"e4"))
}

fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = FileOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

fn u32_be(value: u32) -> Vec<u8> {
    let mut sink = Sink::new();
    sink.u32_be(value);
    sink.into_vec()
}

/// The number of levels of the tree on which all nodes are split.
const LEVELS: u32 = 20;
/// The number of leaves below these that are split once more.
const SPLIT_LEAVES: u32 = 8;
/// The number of pages of the large book: one for each leaf.
const PAGES: u32 = (1 << LEVELS) + SPLIT_LEAVES;

/// Writes a large book with the records of a small one on its last pages.
fn enlarge(small: &Path, large: &Path) {
    let source = Source::from_path(small).unwrap();
    let book = CtgBook::open(&source, &OpenOptions::default()).unwrap();
    let with = |extension: &str| {
        (
            small.with_extension(extension),
            large.with_extension(extension),
        )
    };

    // The header, with the new number of pages.
    let mut head = std::fs::read(small).unwrap();
    head.truncate(PAGE);
    head[16..20].copy_from_slice(&u32_be(PAGES));
    let file = File::create(large).unwrap();
    file.set_len((u64::from(PAGES) + 1) * PAGE as u64).unwrap();
    write_at(large, 0, &head);

    // The bitmap of split nodes. The split leaves are some without records.
    let (from, to) = with("ctb");
    let mut bits = std::fs::read(from).unwrap();
    bits.truncate(12);
    bits.resize(12 + (1 << (LEVELS - 3)), 0xff);
    let nodes = (1u32 << LEVELS) - 1;
    let leaf = |hash: u32| nodes + (hash & nodes);
    let used_leaves: Vec<u32> = book
        .records()
        .map(|(_, record)| leaf(ctg::hash(record.key)))
        .collect();
    bits[12 + (nodes as usize >> 3)] &= 0x7f;
    let free = (nodes..).filter(|node| !used_leaves.contains(node));
    for node in free.take(SPLIT_LEAVES as usize) {
        bits.resize(bits.len().max(13 + (node as usize >> 3)), 0);
        bits[12 + (node as usize >> 3)] |= 1 << (node & 7);
    }
    std::fs::write(to, bits).unwrap();

    // The page of each leaf with a record; the nodes above have no page.
    let (from, to) = with("cto");
    let mut head = std::fs::read(from).unwrap();
    head.truncate(16);
    let file = File::create(&to).unwrap();
    file.set_len(16 + 4 * (u64::from(PAGES) * 2 - 1)).unwrap();
    write_at(&to, 0, &head);
    for ((number, (_, record)), leaf) in (1..).zip(book.records()).zip(&used_leaves) {
        let hash = ctg::hash(record.key);
        let page = PAGES - number;
        for level in 0..LEVELS {
            let mask = (1 << level) - 1;
            write_at(
                &to,
                16 + 4 * u64::from((hash & mask) + mask),
                &u32_be(u32::MAX),
            );
        }
        write_at(&to, 16 + 4 * u64::from(*leaf), &u32_be(page));
        let mut sink = Sink::new();
        sink.u16_be(1);
        sink.u16_be(4 + record.len() as u16);
        sink.bytes(record.key);
        sink.bytes(record.body);
        let at = (u64::from(page) + 1) * PAGE as u64;
        assert!(at > 1 << 32);
        write_at(large, at, &sink.into_vec());
    }
}

#[test]
fn records_beyond_4_gib_of_ctg_are_found() {
    let scratch = Scratch::new("large_ctg");
    let (small, large) = (scratch.join("small.ctg"), scratch.join("large.ctg"));
    let mut writer = CtgWriter::create(&small, &CreateOptions::default()).unwrap();
    let results = Wdl {
        white: 3,
        draws: 2,
        black: 1,
    };
    let start = Position::standard();
    let mut page = BookPosition::default();
    page.entries = vec![BookEntry::new(e4()).with_games(6).with_results(results)];
    page.games = Some(6);
    page.results = Some(results);
    writer.put(&start, &page).unwrap();
    Box::new(writer).finish().unwrap();
    enlarge(&small, &large);

    let mut after = start.clone();
    after.play(e4());
    for lookup in [Lookup::Bitmap, Lookup::Pages] {
        let source = Source::from_path(&large).unwrap();
        let book = CtgBook::open(&source, &OpenOptions::default()).unwrap();
        assert_eq!(book.page_count(), PAGES);
        assert_eq!(book.lookup(), lookup, "{:?}", book.info().problems);
        let mut page = BookPosition::default();
        assert!(book.probe(&start, &mut page).unwrap());
        assert_eq!(page.results, Some(results));
        assert_eq!(page.entries.len(), 1);
        let entry = &page.entries[0];
        assert_eq!((entry.m, entry.results), (Some(e4()), Some(results)));
        assert!(book.probe(&after, &mut page).unwrap());
        assert_eq!(page.games, Some(6));
        // Without the bitmap, the first node with a page is used.
        let _ = std::fs::remove_file(large.with_extension("ctb"));
    }
}

#[test]
fn entries_beyond_4_gib_of_polyglot_are_found() {
    let scratch = Scratch::new("large_polyglot");
    let path = scratch.join("large.bin");
    let start = Position::standard();
    let mut after = start.clone();
    after.play(e4());
    let entry = |key: u64, bits: u16, weight: u16| {
        let mut sink = Sink::new();
        sink.u64_be(key);
        sink.u16_be(bits);
        sink.u16_be(weight);
        sink.zeros(4);
        sink.into_vec()
    };
    // Small keys before the hole. It consists of entries with the key 0.
    let first: Vec<u8> = (1..=64).flat_map(|key| entry(key, 1, 1)).collect();
    let mut last = [
        (start.key(), entry(start.key(), encode_move(e4()), 40)),
        (after.key(), entry(after.key(), 0x0d2d, 7)),
    ];
    last.sort_by_key(|(key, _)| *key);
    let last: Vec<u8> = last.into_iter().flat_map(|(_, entry)| entry).collect();
    File::create(&path).unwrap().set_len(1 << 32).unwrap();
    write_at(&path, 0, &first);
    write_at(&path, 1 << 32, &last);

    let source = Source::from_path(&path).unwrap();
    let book = PolyglotBook::open(&source, &OpenOptions::default()).unwrap();
    assert_eq!(book.info().problems, [""; 0]);
    let mut page = BookPosition::default();
    assert!(book.probe(&start, &mut page).unwrap());
    let found: Vec<_> = page
        .entries
        .iter()
        .map(|entry| (entry.m, entry.weight))
        .collect();
    assert_eq!(found, [(Some(e4()), Some(40))]);
    assert!(book.probe(&after, &mut page).unwrap());
    assert_eq!(page.entries[0].weight, Some(7));
    after.play(after.legal_moves()[0]);
    assert!(!book.probe(&after, &mut page).unwrap());
}
