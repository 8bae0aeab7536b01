//! Real CTG books: every record round trips, is found by every lookup, and agrees with the same book
//! in other formats.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tabia_core::books::{Book, BookKey, BookPosition};
use tabia_core::chess::{Position, Setup, Square};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::Source;
use tabia_formats::books::abk::AbkBook;
use tabia_formats::books::ctg;
use tabia_formats::books::ctg::{CtgBook, Keys, Lookup, Orientation};
use tabia_formats::books::polyglot::PolyglotBook;
use tabia_testkit::shared_data;

#[path = "support/ctg_lookups_of_other_programs.rs"]
mod ctg_lookups_of_other_programs;

use ctg_lookups_of_other_programs::Files;

/// Opens a book without some of its companions.
fn open_without(path: &Path, without: &[&str]) -> CtgBook {
    let source = Source::from_path(path).unwrap();
    let kept = source.siblings().iter().filter(|file| {
        without
            .iter()
            .all(|extension| !file.name.ends_with(extension))
    });
    let members = kept.map(|file| (file.name.clone(), file.open().unwrap()));
    let source = Source::from_members(path, source.name(), members.collect()).unwrap();
    CtgBook::open(&source, &OpenOptions::default()).unwrap()
}

fn open(path: &Path) -> CtgBook {
    open_without(path, &[])
}

fn books(test: &str) -> Option<[PathBuf; 2]> {
    let folder = shared_data(test, "books/ctg")?;
    Some([
        folder.join("perfect2021/Perfect2021.ctg"),
        folder.join("simple/simple.ctg"),
    ])
}

#[test]
fn keys_and_moves_round_trip() {
    let Some(books) = books("keys_and_moves_round_trip") else {
        return;
    };
    for (path, expected) in books.iter().zip([104_224, 4]) {
        let book = open(path);
        assert_eq!(book.info().problems, [""; 0], "{}", path.display());
        let mut records = 0;
        for (_, record) in book.records() {
            for orientation in Orientation::ALL {
                let position = ctg::decode(record.key, orientation).unwrap();
                let keys = Keys::of(&position).unwrap();
                assert_eq!(keys.key.as_bytes(), record.key, "{}", position.fen());
                for &[code, _] in record.moves {
                    let m = ctg::decode_move(&position, orientation, code).unwrap();
                    assert_eq!(ctg::encode_move(&position, orientation, m), Some(code));
                }
                // Only without castling rights the files can be exchanged.
                if !orientation.mirrored && record.key[0] & 0x40 != 0 {
                    break;
                }
            }
            records += 1;
        }
        assert_eq!(records, expected, "{}", path.display());
    }
}

#[test]
fn every_record_is_found_by_every_lookup() {
    let Some(books) = books("every_record_is_found_by_every_lookup") else {
        return;
    };
    for path in &books {
        let files = Files::open(path);
        let by_bits = open(path);
        let by_pages = open_without(path, &[".ctb"]);
        let by_scan = open_without(path, &[".ctb", ".cto"]);
        let without_nodes = open_without(path, &[".cto"]);
        let books = [&by_bits, &by_pages, &by_scan, &without_nodes];
        let lookups = books.map(CtgBook::lookup);
        assert_eq!(
            lookups,
            [Lookup::Bitmap, Lookup::Pages, Lookup::Scan, Lookup::Scan]
        );
        assert_eq!(books.map(|book| book.info().problems.len()), [0, 1, 2, 1]);
        let is_split = by_bits.page_count() > 1;
        for (_, record) in by_bits.records() {
            let position = ctg::decode(record.key, Orientation::IDENTITY).unwrap();
            for book in books {
                let (_, found) = book.record(&position).unwrap();
                assert_eq!(found, record);
            }
            let hash = ctg::hash(record.key);
            assert!(files.by_bounds(hash, record.key), "{}", position.fen());
            assert_eq!(
                files.below_root(hash, record.key),
                is_split,
                "{}",
                position.fen()
            );
        }
        let bare = Setup::parse_fen(b"4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let absent = Position::from_setup(&bare).unwrap();
        for book in books {
            assert!(!book.probe(&absent, &mut BookPosition::default()).unwrap());
        }
    }
}

#[test]
fn defects_of_a_real_book_are_counted() {
    let Some([perfect, simple]) = books("defects_of_a_real_book_are_counted") else {
        return;
    };
    let book = open(&perfect);
    let findings = book.inspect();
    assert_eq!((findings.records, findings.added), (104_224, 104_794));
    assert_eq!((findings.moves, findings.most_moves), (112_290, 17));
    let size = book.size().unwrap();
    assert_eq!((size.positions, size.moves), (104_224, 112_290));
    // 570 records were removed since.
    assert_eq!(findings.problems(), [""; 0]);
    assert_eq!(findings.unreached, 255);
    let findings = open(&simple).inspect();
    assert_eq!((findings.records, findings.moves), (4, 3));
    assert_eq!(findings.problems(), [""; 0]);
}

#[test]
fn first_moves_of_a_real_book() {
    let Some([perfect, _]) = books("first_moves_of_a_real_book") else {
        return;
    };
    let book = open(&perfect);
    let start = Position::standard();
    let mut page = BookPosition::default();
    assert!(book.probe(&start, &mut page).unwrap());
    assert_eq!(page.entries.len(), 17);
    let sum: u64 = page.entries.iter().map(|e| e.results.unwrap().white).sum();
    assert_eq!((page.results.unwrap().white, sum), (12_048, 12_048));
    let e4 = page
        .entries
        .iter()
        .find(|entry| entry.m.unwrap().to() == Square::E4)
        .unwrap();
    let results = e4.results.unwrap();
    assert_eq!((results.white, results.black), (5679, 2207));
    assert_eq!(e4.recommended, Some(true));
    assert!(e4.average_rating.is_some() && e4.performance.is_some());

    let mut quick = BookPosition::default();
    assert!(book.moves(&start, &mut quick).unwrap());
    assert_eq!(quick.games, page.games);
    let moves = |page: &BookPosition| page.entries.iter().map(|e| e.m).collect::<Vec<_>>();
    assert_eq!(moves(&quick), moves(&page));
}

#[test]
fn every_reachable_position_is_visited_once() {
    let Some([perfect, _]) = books("every_reachable_position_is_visited_once") else {
        return;
    };
    let book = open(&perfect);
    let mut turns = [0u64; 2];
    let mut visits = HashMap::new();
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("CTG books store boards");
        };
        turns[position.turn() as usize] += 1;
        *visits.entry(position.key()).or_insert(0u32) += 1;
        assert!(page.entries.iter().all(|entry| entry.m.is_some()));
        Flow::Go
    })
    .unwrap();
    assert!(visits.values().all(|&count| count == 1));
    let findings = book.inspect();
    assert!(visits.len() as u64 >= findings.records + findings.shared);
    // Both sides are to move about equally often.
    assert!(turns[0] > 40_000 && turns[1] > 40_000, "{turns:?}");
}

/// The unordered walk visits the same positions once, with the same pages except ratings and raw bytes.
#[test]
fn unordered_walk_visits_the_same_positions() {
    let Some(books) = books("unordered_walk_visits_the_same_positions") else {
        return;
    };
    for path in &books {
        for without in [&[][..], &[".ctb"], &[".ctb", ".cto"]] {
            let book = open_without(path, without);
            let mut pages = HashMap::new();
            book.for_each(&mut |position, page| {
                let BookKey::Board(position) = position else {
                    panic!("CTG books store boards");
                };
                let mut page = page.clone();
                (page.average_rating, page.performance) = (None, None);
                (page.ratings, page.opponent_ratings) = (None, None);
                page.is_duplicate = false;
                page.raw.clear();
                for entry in &mut page.entries {
                    (entry.average_rating, entry.performance) = (None, None);
                    entry.ratings = None;
                    entry.raw.clear();
                }
                assert!(pages.insert(position.key(), page).is_none());
                Flow::Go
            })
            .unwrap();
            book.for_each_unordered(&mut |position, page| {
                let BookKey::Board(position) = position else {
                    panic!("CTG books store boards");
                };
                // Unreachable records have ratings and raw bytes.
                (page.average_rating, page.performance) = (None, None);
                (page.ratings, page.opponent_ratings) = (None, None);
                for entry in &mut page.entries {
                    (entry.average_rating, entry.performance) = (None, None);
                    entry.ratings = None;
                    entry.raw.clear();
                }
                assert_eq!(pages.remove(&position.key()).as_ref(), Some(&*page));
                Flow::Go
            })
            .unwrap();
            assert!(pages.is_empty());
        }
    }
}

/// Compares the CTG book with the same author's book for Arena.
#[test]
fn moves_agree_with_the_arena_book() {
    let Some([perfect, _]) = books("moves_agree_with_the_arena_book") else {
        return;
    };
    let Some(arena) = shared_data(
        "moves_agree_with_the_arena_book",
        "books/abk/Perfect2021.abk",
    ) else {
        return;
    };
    let arena = Source::from_path(&arena).unwrap();
    let arena = AbkBook::open(&arena, &OpenOptions::default()).unwrap();
    let book = open(&perfect);
    let (mut positions, mut absent, mut same, mut missing) = (0, 0, 0, 0);
    let mut ours = BookPosition::default();
    arena
        .for_each(&mut |position, page| {
            let BookKey::Board(position) = position else {
                panic!("CTG books store boards");
            };
            positions += 1;
            if !book.probe(position, &mut ours).unwrap() {
                absent += 1;
                return Flow::Go;
            }
            for entry in &page.entries {
                if ours.entries.iter().any(|ours| ours.m == entry.m) {
                    same += 1;
                } else {
                    missing += 1;
                }
            }
            Flow::Go
        })
        .unwrap();
    assert_eq!((positions, absent, same, missing), (4158, 11, 5470, 29));
}

/// Compares the CTG book with the same author's smaller Polyglot book.
#[test]
fn moves_agree_with_the_polyglot_book() {
    let Some([perfect, _]) = books("moves_agree_with_the_polyglot_book") else {
        return;
    };
    let Some(polyglot) = shared_data("moves_agree_with_the_polyglot_book", "books/polyglot") else {
        return;
    };
    let source = Source::from_path(&polyglot.join("Perfect2021.bin")).unwrap();
    let polyglot = PolyglotBook::open(&source, &OpenOptions::default()).unwrap();
    let book = open(&perfect);
    let (mut positions, mut same, mut missing, mut avoided) = (0, 0, 0, 0);
    let mut theirs = BookPosition::default();
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("CTG books store boards");
        };
        if !polyglot.probe(position, &mut theirs).unwrap() {
            return Flow::Go;
        }
        positions += 1;
        for entry in &theirs.entries {
            match page.entries.iter().find(|ours| ours.m == entry.m) {
                Some(ours) => {
                    same += 1;
                    avoided += u32::from(ours.recommended == Some(false));
                }
                None => missing += 1,
            }
        }
        Flow::Go
    })
    .unwrap();
    // The author has changed a few lines in one book only.
    assert_eq!((positions, same, missing, avoided), (4063, 5374, 11, 0));
}
