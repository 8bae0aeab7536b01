//! Both walks over Kvetka books visit the same positions: with transpositions, cycles, unreachable
//! positions and damage.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, BookWriter, Wdl};
use tabia_core::chess::{Move, Ply, Position, Setup, san};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};
use tabia_formats::books::kvetka::{Key, KvetkaBook, KvetkaBuilder, Orientation};
use tabia_testkit::{Random, Scratch, shared_data};

fn open(path: &Path) -> KvetkaBook {
    let source = Source::from_path(path).unwrap();
    KvetkaBook::open(&source, &OpenOptions::default()).unwrap()
}

/// The visited positions as FEN without counters, each with its page without raw bytes, sorted.
fn visited(book: &KvetkaBook, unordered: bool) -> Vec<(String, BookPosition)> {
    let mut pages = Vec::new();
    let mut push = |position: BookKey<'_>, page: &BookPosition| {
        let BookKey::Board(position) = position else {
            panic!("Kvetka books know the board")
        };
        let fen = position.fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let mut page = page.clone();
        page.is_duplicate = false;
        page.raw.clear();
        pages.push((fields.join(" "), page));
        Flow::Go
    };
    if unordered {
        book.for_each_unordered(&mut |position, page| push(position, page))
            .unwrap();
    } else {
        book.for_each(&mut push).unwrap();
    }
    // Damaged books may visit a position twice.
    pages.sort_by_cached_key(|(fen, page)| (fen.clone(), format!("{page:?}")));
    pages
}

/// The positions of both walks, which must be equal.
fn by_both_walks(book: &KvetkaBook) -> Vec<(String, BookPosition)> {
    let in_order = visited(book, false);
    assert_eq!(in_order, visited(book, true));
    in_order
}

/// Writes the positions of lines of moves.
struct Lines {
    builder: Box<KvetkaBuilder>,
    number: u64,
}

impl Lines {
    fn new(scratch: &Scratch) -> Self {
        // Many small blocks.
        let mut options = CreateOptions::default();
        options.facts.push(("kvetka.fill".into(), "30".into()));
        options.facts.push(("kvetka.part".into(), "40000".into()));
        Self {
            builder: Box::new(KvetkaBuilder::create(&scratch.join("a.kob"), &options).unwrap()),
            number: 0,
        }
    }

    fn put(&mut self, position: &Position, m: Option<Move>) {
        self.number += 1;
        let results = Wdl {
            white: self.number % 200,
            draws: self.number % 7,
            black: 1,
        };
        let entry = |m| {
            BookEntry::new(m)
                .with_games(results.games())
                .with_results(results)
        };
        let mut page = BookPosition::default();
        page.entries = m.map(entry).into_iter().collect();
        page.games = Some(results.games());
        page.results = Some(results);
        page.comment = self.number.is_multiple_of(5).then(|| "B20".to_owned());
        self.builder.put(position, &page).unwrap();
    }

    fn line(&mut self, moves: &str) {
        let mut position = Position::standard();
        for name in moves.split(' ') {
            let Ply::Move(m) = san::read(&position, name.as_bytes()).unwrap() else {
                panic!("{name}")
            };
            self.put(&position, Some(m));
            position.play(m);
        }
        self.put(&position, None);
    }

    fn random(&mut self, lines: u64, plies: usize) {
        let mut random = Random::new(7 + lines);
        for _ in 0..lines {
            let mut position = Position::standard();
            for _ in 0..plies {
                let bits = random.next_u64();
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[(bits % moves.len() as u64) as usize];
                self.put(&position, Some(m));
                position.play(m);
            }
        }
    }

    fn finish(self, scratch: &Scratch) -> KvetkaBook {
        self.builder.finish().unwrap();
        open(&scratch.join("a_0.kob"))
    }
}

#[test]
fn walks_of_real_and_small_books_are_equal() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/kvetka");
    let small = by_both_walks(&open(&fixtures.join("mini_0.kob")));
    assert!(!small.is_empty());
    if let Some(path) = shared_data("walked_alike", "books/made/kv400_0.kob") {
        let book = open(&path);
        let found = by_both_walks(&book);
        assert!(found.len() as u64 >= book.inspect().elements);
        assert!(found.iter().any(|(_, page)| page.comment.is_some()));
        assert!(
            found
                .iter()
                .any(|(_, page)| !page.games_ending_here.is_empty())
        );
    }
}

#[test]
fn element_is_visited_once_per_orientation() {
    let scratch = Scratch::new("kvetka-walk-orientations");
    let mut lines = Lines::new(&scratch);
    // 1.e4 e5 and 1.e3 e5 2.e4 lead to mirror images.
    lines.line("e4 e5 Nf3");
    lines.line("e3 e5 e4 Nf6");
    // The kings return on both wings: one element with either side to move, mirrored or not.
    lines.line("d4 e5 Kd2 Ke7 Kc3 Kf6 Kd2 Ke7 Kd3");
    lines.line("e4 d5 Ke2 Kd7 Kf3 Kc6 Ke2 Kd7");
    let book = lines.finish(&scratch);
    let found = by_both_walks(&book);
    let fens: Vec<&str> = found.iter().map(|(fen, _)| fen.as_str()).collect();
    assert!(fens.windows(2).all(|pair| pair[0] != pair[1]), "{fens:?}");
    assert!(found.len() as u64 > book.inspect().elements);
    let mut orientations = [0; 4];
    for fen in &fens {
        let setup = Setup::parse_fen(format!("{fen} 0 1").as_bytes()).unwrap();
        let position = Position::from_setup(&setup).unwrap();
        orientations[usize::from(Orientation::of(&position).index())] += 1;
        let mut page = BookPosition::default();
        assert!(book.probe(&position, &mut page).unwrap());
        // A probe returns the same page as the walk.
        page.raw.clear();
        let walked = found.iter().find(|(other, _)| other == fen);
        assert_eq!(walked.map(|(_, page)| page), Some(&page), "{fen}");
    }
    assert!(
        orientations.iter().all(|&count| count > 0),
        "{orientations:?}"
    );
    // Both mirror images are visited.
    for fen in [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
    ] {
        assert!(fens.contains(&fen), "{fens:?}");
    }
}

#[test]
fn cycles_and_unreachable_elements_are_visited_once() {
    let scratch = Scratch::new("kvetka-walk-cycles");
    let mut lines = Lines::new(&scratch);
    lines.line("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4 e5 Ke2 Ke7 Ke1 Ke8");
    let reached = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "rnbq1bnr/ppppkppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR w - -",
    ];
    let unreached = [
        "8/8/8/8/8/4k3/8/R3K3 w Q -",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6",
        "4k3/8/8/8/8/8/8/4K2R b K -",
        "k7/8/8/8/8/8/1K6/7r w - -",
    ];
    for fen in unreached {
        let setup = Setup::parse_fen(format!("{fen} 0 1").as_bytes()).unwrap();
        let position = Position::from_setup(&setup).unwrap();
        let m = position.legal_moves()[0];
        lines.put(&position, Some(m));
    }
    let book = lines.finish(&scratch);
    let found = by_both_walks(&book);
    let count = |wanted: &str| found.iter().filter(|(fen, _)| fen == wanted).count();
    for fen in reached {
        assert_eq!(count(fen), 1, "{fen}");
    }
    for fen in unreached {
        // As it is stored: White to move, the king on the files e to h.
        let setup = Setup::parse_fen(format!("{fen} 0 1").as_bytes()).unwrap();
        let (key, _) = Key::of(&Position::from_setup(&setup).unwrap()).unwrap();
        let fen = key
            .position(Orientation::IDENTITY)
            .map(|position| position.fen());
        match fen {
            Some(fen) => {
                let fields: Vec<&str> = fen.split(' ').take(4).collect();
                assert_eq!(count(&fields.join(" ")), 1, "{fen}");
            }
            None => panic!("{key:?}"),
        }
    }
}

#[test]
fn walks_of_random_lines_are_equal() {
    let scratch = Scratch::new("kvetka-walk-random");
    let mut lines = Lines::new(&scratch);
    lines.random(60, 90);
    let book = lines.finish(&scratch);
    let found = by_both_walks(&book);
    assert!(found.len() > 4_000, "{}", found.len());
    // The index built by the first walk does not change the result.
    assert_eq!(found, by_both_walks(&book));
    // A walk that is stopped ends at once.
    for left in [1, 7, 300] {
        for unordered in [false, true] {
            let mut count = 0;
            let mut stop = || {
                count += 1;
                if count == left { Flow::Stop } else { Flow::Go }
            };
            if unordered {
                book.for_each_unordered(&mut |_, _| stop()).unwrap();
            } else {
                book.for_each(&mut |_, _| stop()).unwrap();
            }
            assert_eq!(count, left);
        }
    }
}

#[test]
fn walks_of_damaged_books_are_equal() {
    let scratch = Scratch::new("kvetka-walk-damage");
    let mut lines = Lines::new(&scratch);
    lines.random(12, 40);
    drop(lines.finish(&scratch));
    let read = |name: &str| std::fs::read(scratch.join(name)).unwrap();
    let sound = [("a_0.kob", read("a_0.kob")), ("a.kin", read("a.kin"))];
    let mut random = Random::new(11);
    let mut sizes = std::collections::HashSet::new();
    for round in 0..120 {
        let mut set = sound.clone();
        if round % 3 == 0 {
            set[1].1.clear();
        }
        // Changed bytes, and elements and blocks that are out of order or repeated.
        for _ in 0..=round % 4 {
            let bits = random.next_u64();
            let bytes = &mut set[0].1;
            let header = bytes.len() % 2048;
            let blocks = (bytes.len() - header) / 2048;
            let block = |number: u64| header + number as usize % blocks * 2048;
            let (a, b) = (block(bits >> 8), block(bits >> 30));
            match bits % 4 {
                0 => {
                    let copy = bytes[a..a + 2048].to_vec();
                    bytes[b..b + 2048].copy_from_slice(&copy);
                }
                1 => bytes[a..a + 2].copy_from_slice(&[0, 2]),
                2 => bytes[a + (bits >> 40) as usize % 2048] ^= 1 << (bits % 8),
                _ => bytes[a + 3..a + 6].copy_from_slice(&[0xff, 0xff, 0xff]),
            }
        }
        let members = set.map(|(name, bytes)| (name.to_owned(), Blob::from(bytes)));
        let source = Source::from_members("a_0.kob", "a_0.kob", members.into()).unwrap();
        let open = || KvetkaBook::open(&source, &OpenOptions::default());
        let Ok(book) = open() else { continue };
        let found = by_both_walks(&book);
        sizes.insert(found.len());
        // A book without an index finds the same.
        let (fresh, mut page) = (open().unwrap(), BookPosition::default());
        for (fen, _) in found.iter().step_by(17) {
            let setup = Setup::parse_fen(format!("{fen} 0 1").as_bytes()).unwrap();
            let position = Position::from_setup(&setup).unwrap();
            let mut indexed = BookPosition::default();
            let is_found = book.probe(&position, &mut indexed).unwrap();
            assert_eq!(fresh.probe(&position, &mut page).unwrap(), is_found);
            assert_eq!(page, indexed, "{fen}");
        }
    }
    assert!(sizes.len() > 10, "{sizes:?}");
}
