//! Damaged and hostile CTG books: nothing panics or hangs, every move returned is legal, and lost
//! records are reported.
#![allow(
    clippy::unwrap_used,
    clippy::big_endian_bytes,
    reason = "tests fail by panicking and make files"
)]

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::time::Duration;

use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, BookWriter, Wdl};
use tabia_core::chess::{Position, san};
use tabia_core::error::ErrorKind;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};
use tabia_formats::books::ctg::{CtgBook, CtgWriter, Keys, Lookup, PAGE};
use tabia_testkit::Scratch;
use tabia_testkit::time_and_memory_limits::Watchdog;
use tabia_testkit::{Random, corrupt};

/// Files of a set by extension.
type Set = BTreeMap<&'static str, Vec<u8>>;

fn open(set: &Set) -> Result<CtgBook, tabia_core::Error> {
    let files = set.iter();
    let members =
        files.map(|(extension, bytes)| (format!("a.{extension}"), Blob::from(bytes.clone())));
    let source = Source::from_members("a.ctg", "a.ctg", members.collect()).unwrap();
    CtgBook::open(&source, &OpenOptions::default())
}

/// A page with these moves, all drawn once.
fn page(moves: &[tabia_core::chess::Move]) -> BookPosition {
    let drawn = Wdl {
        draws: 1,
        ..Wdl::default()
    };
    let mut page = BookPosition::default();
    page.entries = moves
        .iter()
        .map(|&m| BookEntry::new(m).with_results(drawn))
        .collect();
    page
}

/// A book of random games on some thirty pages.
fn sound_set() -> Set {
    let scratch = Scratch::new("ctg-damage");
    let target = scratch.join("a.ctg");
    let mut writer = CtgWriter::create(&target, &CreateOptions::default()).unwrap();
    let mut random = Random::new(11);
    for _ in 0..120 {
        let mut position = Position::standard();
        for _ in 0..12 {
            let mut legal = position.legal_moves().to_vec();
            legal.retain(|m| m.promotion_role().is_none());
            let m = legal[random.below(legal.len())];
            writer.put(&position, &page(&[m])).unwrap();
            position.play(m);
        }
    }
    Box::new(writer).finish().unwrap();
    ["ctg", "ctb", "cto"]
        .into_iter()
        .map(|extension| {
            let bytes = std::fs::read(target.with_extension(extension)).unwrap();
            (extension, bytes)
        })
        .collect()
}

/// Uses all of a book. Returns how many records were found, and whether any problem was reported.
fn use_all(book: &CtgBook) -> (u64, bool) {
    let mut page = BookPosition::default();
    let mut found = 0;
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("CTG books store boards");
        };
        for m in page.entries.iter().filter_map(|entry| entry.m) {
            assert!(position.is_legal(m), "{m:?} in {}", position.fen());
        }
        Flow::Go
    })
    .unwrap();
    let start = Position::standard();
    let _ = book.moves(&start, &mut page).unwrap();
    for (_, record) in book.records() {
        let position = tabia_formats::books::ctg::decode(
            record.key,
            tabia_formats::books::ctg::Orientation::IDENTITY,
        );
        found += u64::from(position.is_some_and(|position| book.record(&position).is_some()));
    }
    let is_reported = !book.info().problems.is_empty() || !book.problems().unwrap().is_empty();
    (found, is_reported)
}

#[test]
fn damage_is_survived_and_reported() {
    let sound = sound_set();
    assert!(sound["ctg"].len() > 20 * PAGE);
    let book = open(&sound).unwrap();
    let (records, is_reported) = use_all(&book);
    assert!(records > 1000 && !is_reported);
    let watchdog = Watchdog::new(Duration::from_mins(1));
    for (extension, bytes) in &sound {
        let lengths = [0, 1, 11, 12, 16, 31, 32, 4095, 4096, 4097, 8191, 20_000];
        let prefixes = lengths
            .into_iter()
            .filter(|&length| length < bytes.len())
            .map(|length| corrupt::prefix(bytes, length));
        for damaged in prefixes.chain(corrupt::random(bytes, 30, 5)) {
            let what = format!("{extension}: {}", damaged.how);
            watchdog.case(&what);
            let mut set = sound.clone();
            set.insert(extension, damaged.bytes);
            let Ok(book) = open(&set) else {
                assert_eq!(*extension, "ctg", "{what}");
                continue;
            };
            let (found, is_reported) = use_all(&book);
            // Companions contain nothing but how to find the records.
            if *extension != "ctg" {
                assert!(
                    found == records || is_reported,
                    "{what}: {found} of {records}"
                );
            }
        }
    }
}

#[test]
fn contradictory_companions_are_not_used() {
    let sound = sound_set();
    let records = use_all(&open(&sound).unwrap()).0;
    let bits = sound["ctb"].len();
    for (extension, bytes, lookup) in [
        (
            "ctb",
            [&sound["ctb"][..12], &vec![0xff; bits][..]].concat(),
            Lookup::Pages,
        ),
        ("ctb", vec![0; bits], Lookup::Pages),
        ("ctb", Vec::new(), Lookup::Pages),
        (
            "cto",
            [&sound["cto"][..16], &[0x7f; 4000][..]].concat(),
            Lookup::Scan,
        ),
        (
            "cto",
            [&sound["cto"][..16], &[0; 4000][..]].concat(),
            Lookup::Scan,
        ),
        ("cto", sound["cto"][..16].to_vec(), Lookup::Scan),
    ] {
        let mut set = sound.clone();
        set.insert(extension, bytes);
        let book = open(&set).unwrap();
        assert_eq!(book.lookup(), lookup, "{:?}", book.info().problems);
        assert_eq!(book.info().problems.len(), 1);
        assert_eq!(use_all(&book).0, records);
    }
}

#[test]
fn wrong_page_headers_are_reported() {
    let sound = sound_set();
    for head in [
        [0xff, 0xff, 0xff, 0xff],
        [0xff, 0xff, 0x10, 0],
        [0, 9, 0, 0],
        [0, 0, 0x10, 0],
    ] {
        let mut set = sound.clone();
        let file = set.get_mut("ctg").unwrap();
        for page in file.chunks_exact_mut(PAGE).skip(1) {
            page[..4].copy_from_slice(&head);
        }
        let book = open(&set).unwrap();
        assert!(use_all(&book).1, "{head:?}");
        assert!(book.inspect().damaged_pages > 0, "{head:?}");
    }
    // Keys of no length, then moves of no length.
    for byte in [0, 0x1f, 0xff] {
        let mut set = sound.clone();
        set.get_mut("ctg").unwrap()[PAGE + 4..].fill(byte);
        assert!(use_all(&open(&set).unwrap()).1, "{byte}");
    }
}

#[test]
fn wrong_counts_in_the_header_are_reported() {
    let sound = sound_set();
    let mut set = sound.clone();
    set.get_mut("ctg").unwrap()[16..20].fill(0xff);
    let book = open(&set).unwrap();
    assert_eq!(book.info().problems.len(), 1);
    assert!(book.info().problems[0].starts_with("the header states 4294967295 pages"));

    let mut set = sound.clone();
    set.get_mut("ctg").unwrap().truncate(PAGE);
    let book = open(&set).unwrap();
    assert_eq!(use_all(&book), (0, true));

    let mut set = sound.clone();
    set.get_mut("ctg").unwrap()[..2].fill(0);
    let error = open(&set).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WrongFormat { .. }),
        "{error}"
    );
}

#[test]
fn cycles_are_visited_once() {
    let scratch = Scratch::new("ctg-cycle");
    let target = scratch.join("a.ctg");
    let mut writer = CtgWriter::create(&target, &CreateOptions::default()).unwrap();
    let mut position = Position::standard();
    let mut keys = Vec::new();
    for text in ["Nf3", "Nf6", "Ng1", "Ng8"] {
        let tabia_core::chess::Ply::Move(m) = san::read(&position, text.as_bytes()).unwrap() else {
            panic!("a move");
        };
        writer.put(&position, &page(&[m])).unwrap();
        keys.push(Keys::of(&position).unwrap().key);
        position.play(m);
    }
    Box::new(writer).finish().unwrap();
    let source = Source::from_path(&target).unwrap();
    let book = CtgBook::open(&source, &OpenOptions::default()).unwrap();
    let mut positions = 0;
    book.for_each(&mut |_, _| {
        positions += 1;
        Flow::Go
    })
    .unwrap();
    assert_eq!((book.records().count(), positions), (4, 4));
    assert_eq!(book.problems().unwrap(), [""; 0]);
}

/// A file with a hole of more than four gigabytes before its last page.
#[test]
fn pages_past_four_gigabytes_are_found() {
    const LAST: usize = 1_100_000;
    let scratch = Scratch::new("ctg-large");
    let target = scratch.join("a.ctg");
    let mut writer = CtgWriter::create(&target, &CreateOptions::default()).unwrap();
    writer.put(&Position::standard(), &page(&[])).unwrap();
    Box::new(writer).finish().unwrap();
    let small = std::fs::read(&target).unwrap();
    let (first, pages) = small.split_at(PAGE);
    let with_record = pages.chunks(PAGE).find(|page| page[1] == 1).unwrap();
    let mut file = std::fs::File::create(&target).unwrap();
    file.write_all(first).unwrap();
    file.seek(SeekFrom::Start((LAST as u64 + 1) * PAGE as u64))
        .unwrap();
    file.write_all(with_record).unwrap();
    // The root is a leaf; more entries follow than are counted on opening.
    let mut nodes = std::fs::read(target.with_extension("cto")).unwrap();
    nodes.truncate(16);
    nodes.extend_from_slice(&u32::to_be_bytes(LAST as u32));
    nodes.resize(16 + 4 * 600_000, 0xff);
    std::fs::write(target.with_extension("cto"), nodes).unwrap();
    std::fs::remove_file(target.with_extension("ctb")).unwrap();

    let source = Source::from_path(&target).unwrap();
    let book = CtgBook::open(&source, &OpenOptions::default()).unwrap();
    assert_eq!(
        (book.page_count() as usize, book.lookup()),
        (LAST + 1, Lookup::Pages)
    );
    assert!(
        book.probe(&Position::standard(), &mut BookPosition::default())
            .unwrap()
    );
}
