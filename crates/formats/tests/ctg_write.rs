//! Written CTG books: their records are found by our reader and by the algorithms of other programs,
//! and equal their sources.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, BookWriter, GameLink, Wdl};
use tabia_core::chess::{Color, Move, Position, Role, Setup, Square};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Flow, Nag};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Losses};
use tabia_formats::books::ctg;
use tabia_formats::books::ctg::{CtgBook, CtgWriter, Keys, RawMove, Stats};
use tabia_testkit::Random;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, shared_data};

#[path = "support/ctg_lookups_of_other_programs.rs"]
mod ctg_lookups_of_other_programs;

use ctg_lookups_of_other_programs::Files;

fn open(path: &Path) -> CtgBook {
    let source = Source::from_path(path).unwrap();
    CtgBook::open(&source, &OpenOptions::default()).unwrap()
}

fn writer(path: &Path) -> CtgWriter {
    CtgWriter::create(path, &CreateOptions::default()).unwrap()
}

fn put_all(book: &dyn Book, writer: &mut CtgWriter) -> Losses {
    let mut losses = Losses::new();
    book.for_each(&mut |position, page| {
        let BookKey::Board(position) = position else {
            panic!("CTG books store boards");
        };
        losses.merge(&writer.put(position, page).unwrap());
        Flow::Go
    })
    .unwrap();
    losses
}

fn contents(book: &CtgBook) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let records = book.records();
    let mut contents = BTreeMap::new();
    for (_, record) in records {
        let before = contents.insert(record.key.to_vec(), record.body.to_vec());
        assert_eq!(before, None);
    }
    contents
}

/// Checks that every record is found by our reader and by the algorithms of other programs.
fn check_lookups(path: &Path) {
    let book = open(path);
    assert_eq!(book.info().problems, [""; 0]);
    let files = Files::open(path);
    for (_, record) in book.records() {
        let hash = ctg::hash(record.key);
        assert!(files.by_bounds(hash, record.key));
        assert!(files.below_root(hash, record.key));
    }
    let findings = book.inspect();
    let defects = [
        findings.damaged_pages,
        findings.unreadable,
        findings.wrong_keys,
        findings.bad_moves,
        findings.misplaced,
        findings.missing,
        findings.shared_pages,
        findings.lost_pages,
        findings.wrong_nodes,
    ];
    assert_eq!(defects, [0; 9]);
    assert_eq!(findings.added, findings.records);
}

#[test]
fn copy_of_a_real_book_has_equal_records() {
    let test = "copy_of_a_real_book_has_equal_records";
    let Some(path) = shared_data(test, "books/ctg/perfect2021/Perfect2021.ctg") else {
        return;
    };
    let book = open(&path);
    let scratch = Scratch::new("ctg-copy");
    let target = scratch.join("copy.ctg");
    let mut options = CreateOptions::default();
    options
        .facts
        .push(("games".to_owned(), book.header().games.to_string()));
    let mut writer = CtgWriter::create(&target, &options).unwrap();
    let losses = put_all(&book, &mut writer);
    assert!(losses.is_empty(), "{losses}");
    let written = Box::new(writer).finish().unwrap().written;
    assert_eq!(written.records, 104_224);
    assert_eq!(written.files.len(), 3);

    let copy = open(&target);
    assert!(contents(&copy) == contents(&book));
    assert_eq!(copy.header().games, book.header().games);
    check_lookups(&target);
}

/// Bytes of a page with the records below a node.
fn below(book: &CtgBook, node: usize) -> usize {
    let level = (node + 1).ilog2();
    let mask = (1u32 << level) - 1;
    let low = (node - mask as usize) as u32;
    let records = book
        .records()
        .filter(|(_, record)| ctg::hash(record.key) & mask == low);
    4 + records.map(|(_, record)| record.len()).sum::<usize>()
}

/// The `.ctb` of a book that was never edited is rebuilt byte for byte. In an edited book, records were
/// removed, but ChessBase never joins pages again: every bit that differs is a split node whose records
/// fit on one page now.
#[test]
fn trees_of_real_books_are_rebuilt() {
    let Some(folder) = shared_data("trees_of_real_books_are_rebuilt", "books/ctg") else {
        return;
    };
    let scratch = Scratch::new("ctg-trees");
    let mut compared = Vec::new();
    for path in files_below(&folder) {
        if path.extension().is_none_or(|extension| extension != "ctg") {
            continue;
        }
        let book = open(&path);
        let target = scratch.join("copy.ctg");
        // ChessBase leaves a book of one page as one leaf, which most programs cannot read.
        let mut copy = match book.page_count() {
            1 => writer(&target).with_single_page(),
            _ => writer(&target),
        };
        assert!(put_all(&book, &mut copy).is_empty());
        Box::new(copy).finish().unwrap();
        let (copied, original) = (Files::open(&target), Files::open(&path));
        let nodes = (0..8 * (original.bits.len() - 12)).filter(|&node| {
            let bit = |file: &[u8]| {
                file.get(12 + node / 8)
                    .map_or(0, |byte| byte >> (node % 8) & 1)
            };
            bit(&copied.bits) != bit(&original.bits)
        });
        let nodes: Vec<usize> = nodes.collect();
        let removed = u64::from(book.header().added) - book.size().unwrap().positions;
        if removed == 0 {
            assert!(*copied.bits == *original.bits, "{}", path.display());
            assert!(nodes.is_empty());
        }
        assert_eq!(copied.bits.len(), original.bits.len());
        for &node in &nodes {
            assert!(below(&book, node) <= ctg::PAGE, "{node}");
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        compared.push((name, removed, nodes));
        for file in ["ctg", "ctb", "cto"] {
            std::fs::remove_file(target.with_extension(file)).unwrap();
        }
    }
    let expected = [("Perfect2021.ctg", 570, 1), ("simple.ctg", 0, 0)];
    let compared: Vec<_> = compared
        .iter()
        .map(|(name, removed, nodes)| (name.as_str(), *removed, nodes.len()))
        .collect();
    assert_eq!(compared, expected);
}

#[test]
fn small_real_book_is_rebuilt_byte_for_byte() {
    let test = "small_real_book_is_rebuilt_byte_for_byte";
    let Some(path) = shared_data(test, "books/ctg/simple/simple.ctg") else {
        return;
    };
    let book = open(&path);
    let scratch = Scratch::new("ctg-simple");
    let target = scratch.join("simple.ctg");
    let mut options = CreateOptions::default();
    options.facts.push(("games".to_owned(), "1".to_owned()));
    let single = CtgWriter::create(&target, &options).unwrap();
    let mut single = single.with_single_page();
    assert!(put_all(&book, &mut single).is_empty());
    Box::new(single).finish().unwrap();
    let (copied, original) = (Files::open(&target), Files::open(&path));
    assert!(*copied.bits == *original.bits);
    assert!(*copied.nodes == *original.nodes);
    assert!(copied.records[..4096] == original.records[..4096]);
    assert!(contents(&open(&target)) == contents(&book));
    // Split, so that other programs find the records as well.
    let target = scratch.join("split.ctg");
    let mut split = writer(&target);
    put_all(&book, &mut split);
    Box::new(split).finish().unwrap();
    check_lookups(&target);
}

/// Counts of games, from the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    games: u64,
    won: u64,
    lost: u64,
}

impl Tally {
    fn add(&mut self, result: i8, turn: Color) {
        let result = if turn.is_white() { result } else { -result };
        self.games += 1;
        self.won += u64::from(result > 0);
        self.lost += u64::from(result < 0);
    }

    fn results(self, turn: Color) -> Wdl {
        let (white, black) = if turn.is_white() {
            (self.won, self.lost)
        } else {
            (self.lost, self.won)
        };
        Wdl {
            white,
            draws: self.games - self.won - self.lost,
            black,
        }
    }
}

/// Positions by key, each with its counts and those of its moves.
type Played = BTreeMap<u64, (Position, Tally, BTreeMap<Move, Tally>)>;

/// The positions of games of random moves from the standard position.
fn played(games: usize, plies: usize, seed: u64) -> Played {
    let mut random = Random::new(seed);
    let mut played = Played::new();
    for game in 0..games {
        let mut position = Position::standard();
        let result = random.below(3) as i8 - 1;
        let mut seen = Vec::new();
        // Two lines to positions that are mirror images.
        let prefix: &[&str] = if game % 2 == 0 {
            &["e2e4", "e7e5"]
        } else {
            &["e2e3", "e7e5", "e3e4"]
        };
        for ply in 0..=plies {
            let key = position.key();
            if seen.contains(&key) {
                break;
            }
            seen.push(key);
            let turn = position.turn();
            let (_, tally, moves) = played
                .entry(key)
                .or_insert_with(|| (position.clone(), Tally::default(), BTreeMap::new()));
            tally.add(result, turn);
            let mut legal = position.legal_moves().to_vec();
            // Only the queen's promotions have a code.
            legal.retain(|m| m.promotion_role().is_none());
            if legal.is_empty() || ply == plies {
                break;
            }
            let chosen = random.below(legal.len().min(5));
            let wanted = prefix.get(ply).copied().unwrap_or_default();
            let m = legal.iter().find(|m| m.to_string() == wanted);
            let m = *m.unwrap_or(&legal[chosen]);
            moves.entry(m).or_default().add(result, turn);
            position.play(m);
        }
    }
    played
}

fn page((position, tally, moves): &(Position, Tally, BTreeMap<Move, Tally>)) -> BookPosition {
    let turn = position.turn();
    let mut page = BookPosition::default();
    page.games = Some(tally.games);
    page.results = Some(tally.results(turn));
    page.average_rating = Some(if turn.is_white() { 2400 } else { 2300 });
    page.entries = moves
        .iter()
        .map(|(&m, tally)| {
            let mut entry = BookEntry::new(m);
            entry.games = Some(tally.games);
            entry.results = Some(tally.results(turn));
            entry.average_rating = Some(if turn.is_white() { 2400 } else { 2300 });
            entry
        })
        .collect();
    page
}

/// The expected counts of each record: the sum over its positions.
fn expected(played: &Played) -> BTreeMap<Vec<u8>, Tally> {
    let mut sums: BTreeMap<Vec<u8>, Tally> = BTreeMap::new();
    for (position, tally, _) in played.values() {
        let key = Keys::of(position).unwrap().key.as_bytes().to_vec();
        let sum = sums.entry(key).or_default();
        sum.games += tally.games;
        sum.won += tally.won;
        sum.lost += tally.lost;
    }
    sums
}

#[test]
fn records_sum_the_counts_of_mirror_images() {
    let played = played(1500, 14, 7);
    let expected = expected(&played);
    assert!(
        played.len() > expected.len(),
        "some positions are mirror images"
    );
    let scratch = Scratch::new("ctg-games");
    let target = scratch.join("games.ctg");
    let mut book = writer(&target);
    for position in played.values() {
        let losses = book.put(&position.0, &page(position)).unwrap();
        assert!(losses.is_empty(), "{losses}");
    }
    let written = Box::new(book).finish().unwrap().written;
    assert_eq!(written.records as usize, expected.len());
    check_lookups(&target);
    let book = open(&target);
    assert!(book.page_count() > 50);
    assert_eq!(book.header().games, 1500);
    assert_eq!(book.inspect().problems(), [""; 0]);
    let mut found = BookPosition::default();
    for (position, _, moves) in played.values() {
        let tally = expected[Keys::of(position).unwrap().key.as_bytes()];
        assert!(book.probe(position, &mut found).unwrap());
        assert_eq!(found.games, Some(tally.games));
        assert_eq!(found.results, Some(tally.results(position.turn())));
        assert!(found.average_rating.unwrap().abs_diff(2350) <= 50);
        for m in moves.keys() {
            let entry = found
                .entries
                .iter()
                .find(|entry| entry.m == Some(*m))
                .unwrap();
            let mut next = position.clone();
            next.play(*m);
            let tally = expected[Keys::of(&next).unwrap().key.as_bytes()];
            assert_eq!(entry.results, Some(tally.results(next.turn())));
            assert!(entry.average_rating.unwrap().abs_diff(2350) <= 50);
        }
    }
}

#[test]
fn order_and_memory_do_not_change_the_book() {
    let played = played(200, 10, 3);
    let scratch = Scratch::new("ctg-order");
    let mut books = Vec::new();
    for (name, memory, backwards) in [
        ("a.ctg", 1 << 20, false),
        ("b.ctg", 4096, false),
        ("c.ctg", 20_000, true),
    ] {
        let target = scratch.join(name);
        let mut book = writer(&target).with_memory(&target, memory);
        let mut positions: Vec<_> = played.values().collect();
        if backwards {
            positions.reverse();
        }
        for position in positions {
            book.put(&position.0, &page(position)).unwrap();
        }
        Box::new(book).finish().unwrap();
        books.push(target);
    }
    let files: Vec<_> = books.iter().map(|path| Files::open(path)).collect();
    assert!(*files[0].records == *files[1].records);
    assert!(*files[0].bits == *files[1].bits && *files[0].bits == *files[2].bits);
    // The order of the moves of mirror images is that in which they were put.
    let sorted = |path| {
        let book = open(path);
        let mut contents = contents(&book);
        for body in contents.values_mut() {
            let length = usize::from(body[0]);
            body[1..length].as_chunks_mut::<2>().0.sort_unstable();
        }
        contents
    };
    assert!(sorted(&books[0]) == sorted(&books[2]));
    assert_eq!(scratch.names().len(), 9);
}

#[test]
fn moves_create_records_for_their_positions() {
    let scratch = Scratch::new("ctg-children");
    let target = scratch.join("moves.ctg");
    let start = Position::standard();
    let e4 = Move::normal(Square::E2, Square::E4);
    let d4 = Move::normal(Square::D2, Square::D4);
    let a4 = Move::normal(Square::A2, Square::A4);
    let mut book = writer(&target);
    let entry = |m, results, weight| {
        let mut entry = BookEntry::new(m);
        entry.results = results;
        entry.weight = weight;
        entry
    };
    let wdl = Wdl {
        white: 6,
        draws: 3,
        black: 1,
    };
    let mut first = entry(e4, Some(wdl), None);
    first.recommended = Some(true);
    first.nags = vec![Nag(1), Nag(16)];
    first.average_rating = Some(2500);
    let mut page = BookPosition::default();
    page.entries = vec![first, entry(d4, None, Some(7)), entry(a4, None, Some(0))];
    page.nags = vec![Nag(11)];
    let losses = book.put(&start, &page).unwrap();
    assert_eq!(losses.to_string(), "1 weight of a book move");
    let written = Box::new(book).finish().unwrap().written;
    assert_eq!(written.records, 4);
    check_lookups(&target);

    let book = open(&target);
    assert_eq!(book.inspect().problems(), [""; 0]);
    let mut found = BookPosition::default();
    assert!(book.probe(&start, &mut found).unwrap());
    assert_eq!(found.nags, [Nag(11)]);
    // The position has no counts of its own: those of its moves, with the drawn games of d4.
    let sum = Wdl { draws: 10, ..wdl };
    assert_eq!((found.games, found.results), (Some(17), Some(sum)));
    let [e4, d4, a4] = found.entries.as_slice() else {
        panic!("three moves");
    };
    assert_eq!((e4.results, e4.recommended), (Some(wdl), Some(true)));
    assert_eq!(e4.nags, [Nag(1), Nag(16)]);
    assert_eq!(e4.average_rating, Some(2500));
    assert_eq!((d4.games, d4.results.unwrap().draws), (Some(7), 7));
    assert_eq!(
        (a4.recommended, a4.weight, a4.games),
        (Some(false), Some(0), Some(1))
    );
    let raw = RawMove::read(&e4.raw).unwrap();
    assert_eq!(raw.child, Some((Stats::MAIN, 0, 17)));
}

#[test]
fn edited_values_replace_stored_ones() {
    let scratch = Scratch::new("ctg-edit");
    let (first, second) = (scratch.join("a.ctg"), scratch.join("b.ctg"));
    let start = Position::standard();
    let mut book = writer(&first);
    let mut entry = BookEntry::new(Move::normal(Square::E2, Square::E4));
    entry.games = Some(4);
    entry.recommended = Some(true);
    entry.nags = vec![Nag(3), Nag(14)];
    let entries = vec![entry.clone()];
    let mut page = BookPosition::default();
    page.entries = entries;
    book.put(&start, &page).unwrap();
    Box::new(book).finish().unwrap();

    let mut book = writer(&second);
    open(&first)
        .for_each(&mut |position, page| {
            let BookKey::Board(position) = position else {
                panic!("CTG books store boards");
            };
            let mut page = page.clone();
            for entry in &mut page.entries {
                entry.recommended = Some(false);
                entry.nags = vec![Nag(6)];
            }
            book.put(position, &page).unwrap();
            Flow::Go
        })
        .unwrap();
    Box::new(book).finish().unwrap();
    let mut found = BookPosition::default();
    assert!(open(&second).probe(&start, &mut found).unwrap());
    entry.raw = found.entries[0].raw.clone();
    assert_eq!(found.entries[0].recommended, Some(false));
    assert_eq!(found.entries[0].nags, [Nag(6)]);
    assert_eq!(found.entries[0].games, Some(4));
}

#[test]
fn losses_are_counted() {
    let scratch = Scratch::new("ctg-losses");
    let mut book = writer(&scratch.join("a.ctg"));
    let position =
        |fen: &str| Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap();
    let promotion = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    let knight = Move::promotion(Square::A7, Square::A8, Role::Knight);
    let queen = Move::promotion(Square::A7, Square::A8, Role::Queen);
    let illegal = Move::normal(Square::A7, Square::A6);
    let entry = |m: Option<Move>| m.map_or_else(BookEntry::default, BookEntry::new);
    let mut annotated = entry(Some(queen));
    annotated.comment = Some("at last".to_owned());
    annotated.nags = vec![Nag(1), Nag(3), Nag(18)];
    annotated.performance = Some(2600);
    let mut page = BookPosition::default();
    page.entries = vec![
        entry(Some(knight)),
        annotated,
        entry(Some(illegal)),
        entry(None),
    ];
    page.comment = Some("an ending".to_owned());
    page.games_ending_here = vec![GameLink::default(); 2];
    let losses = book.put(&promotion, &page).unwrap();
    for (feature, count) in [
        (Feature::BookMoves, 1),
        (Feature::UnreadMoves, 2),
        (Feature::Comments, 2),
        (Feature::Nags, 1),
        (Feature::GameLinks, 2),
        (Feature::BookRatings, 1),
    ] {
        assert_eq!(losses.count(feature), count, "{feature:?}");
    }
    let queens = position("6k1/8/8/8/8/8/6K1/QQQ5 w - - 0 1");
    let third = entry(Some(Move::normal(Square::C1, Square::C2)));
    let mut page = BookPosition::default();
    page.entries = vec![third];
    let losses = book.put(&queens, &page).unwrap();
    assert_eq!(losses.to_string(), "1 book move without a code");
    let shuffled = Position::from_setup(&Setup::chess960_start(1).unwrap()).unwrap();
    let losses = book.put(&shuffled, &BookPosition::default()).unwrap();
    assert_eq!(losses.count(Feature::BookMoves), 1);
    // Promotion, its child, and the queens.
    assert_eq!(Box::new(book).finish().unwrap().written.records, 3);
}

#[test]
fn existing_files_are_replaced_only_with_force() {
    let scratch = Scratch::new("ctg-exists");
    let target = scratch.join("a.ctg");
    std::fs::write(scratch.join("a.ctb"), "existing").unwrap();
    assert!(CtgWriter::create(&target, &CreateOptions::default()).is_err());
    let mut options = CreateOptions::default();
    options.force = true;
    let book = CtgWriter::create(&target, &options).unwrap();
    Box::new(book).finish().unwrap();
    let empty = open(&target);
    assert_eq!(empty.records().count(), 0);
    assert_eq!(empty.inspect().problems(), [""; 0]);
}
