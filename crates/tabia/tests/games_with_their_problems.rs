//! Each game with its own problems and index, and what comes after a visitor has had enough: nothing.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tabia::base::{SearchOptions, TreeOptions};
use tabia::check::{CheckOptions, check};
use tabia::collect_in_parallel::{Collector, collect};
use tabia::{
    Base, Error, Flow, GameHead, GameIndex, Index, NoObserver, OpenInput, OpenOptions, Ply,
    Position, Progress, Query, ReadOptions, Recorder, Resolver, ScanOptions, Visitor, Want,
};
use tabia_testkit::Scratch;

/// A database of `games` games.
fn database(folder: &Scratch, name: &str, games: u32) -> PathBuf {
    let mut pgn = String::new();
    for number in 0..games {
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6";
        let _ = write!(pgn, "[White \"W{number}\"]\n\n{moves} *\n\n");
    }
    let (from, to) = (folder.join("many.pgn"), folder.join(name));
    std::fs::write(&from, pgn).unwrap();
    if from != to {
        tabia::convert(from, &to).unwrap();
    }
    to
}

/// The problems of each record, as access by number has them; `None` of a record that cannot be read.
fn problems_by_number(path: &Path) -> Vec<Option<Vec<String>>> {
    let input = tabia::open(path).unwrap();
    let item = &input.items()[0];
    let opened = item.open_indexed(&OpenOptions::default()).unwrap();
    let OpenInput::Database(database) = opened.input else {
        panic!("no database");
    };
    let mut reader = database.reader();
    let one = |game| {
        let mut recorder = Recorder::new();
        let read = reader.read(GameIndex(game), Want::ALL, &mut recorder);
        let problems = recorder.take_problems().into_iter();
        let locate = |error: Error| error.in_game(GameIndex(game)).in_file(item.label());
        let texts = problems.map(|problem| locate(problem.error).to_string());
        read.is_ok().then(|| texts.collect())
    };
    (0..database.len()).map(one).collect()
}

#[test]
fn each_game_has_its_problems_and_its_index() {
    for (name, moves) in [("c.cbh", "c.cbg"), ("b.si4", "b.sg4"), ("b.si5", "b.sg5")] {
        for part in [2, 3, 100] {
            let folder = Scratch::new("games-with-problems");
            let path = database(&folder, name, 300);
            // Of the later games the moves are lost, with one cause.
            let file = std::fs::File::options()
                .write(true)
                .open(folder.join(moves))
                .unwrap();
            let length = file.metadata().unwrap().len();
            file.set_len(length / part).unwrap();
            drop(file);
            let expected = problems_by_number(&path);
            let damaged = expected.iter().filter(|problems| {
                problems
                    .as_ref()
                    .is_none_or(|problems| !problems.is_empty())
            });
            assert!(damaged.count() > 100, "{moves}");
            let mut found = vec![None; expected.len()];
            let mut games = tabia::open(&path).unwrap().games().numbered();
            for game in games.by_ref().flatten() {
                let white = format!("W{}", game.index.0);
                assert_eq!(game.game.tag("White"), Some(white.as_str()));
                assert_eq!(*game.database, *path);
                let problems = game
                    .problems
                    .iter()
                    .map(|problem| problem.error.to_string());
                found[game.index.0 as usize] = Some(problems.collect::<Vec<_>>());
            }
            assert_eq!(found, expected, "{moves} / {part}");
            // What costs no game is no error: the loop of the README reads all there is.
            let alone = tabia::open(&path).unwrap().games();
            let read = alone.flatten().count();
            assert_eq!(read, expected.iter().flatten().count());
            let headers = tabia::open(&path).unwrap().headers();
            let headers = headers.collect::<Result<Vec<_>, _>>().unwrap();
            assert_eq!(headers.len(), expected.len());
        }
    }
}

#[test]
fn a_problem_of_the_file_as_a_whole_ends_no_loop() {
    let folder = Scratch::new("games-of-damaged-file");
    let path = database(&folder, "c.cbh", 20);
    // Half a record at the end.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend([0; 20]);
    std::fs::write(&path, bytes).unwrap();
    let mut games = tabia::open(&path).unwrap().games();
    let read: Result<Vec<_>, Error> = games.by_ref().collect();
    assert_eq!(read.unwrap().len(), 20);
    assert!(!games.problems().is_empty());
    assert!(games.problems().is_empty());
    let mut numbered = tabia::open(&path).unwrap().games().numbered();
    assert!(
        numbered
            .by_ref()
            .all(|game| game.unwrap().problems.is_empty())
    );
    assert!(!numbered.problems().is_empty());
    let mut headers = tabia::open(&path).unwrap().headers();
    assert_eq!(headers.by_ref().flatten().count(), 20);
    assert!(!headers.problems().is_empty());
}

#[test]
fn a_problem_comes_with_its_game_and_not_before() {
    let pgn = "1. e4 e5 *\n\n1. e4 e5 2. Ke3 *\n\n1. d4 *\n\n1. d4 d5 2. Ke3 *\n";
    let mut games = tabia::open_reader(pgn.as_bytes()).unwrap().games();
    let mut counts = Vec::new();
    while let Some(game) = games.next() {
        game.unwrap();
        counts.push(games.problems().len());
    }
    assert_eq!(counts, [0, 1, 0, 1]);
}

/// Wants no more after a number of moves; counts the calls after that.
struct Stopping<'a> {
    moves: &'a AtomicU32,
    after: &'a AtomicU32,
    limit: u32,
}

impl Stopping<'_> {
    fn flow(&self) -> Flow {
        let moves = self.moves.load(Ordering::SeqCst);
        if moves > self.limit {
            self.after.fetch_add(1, Ordering::SeqCst);
        }
        if moves >= self.limit {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}

impl Visitor for Stopping<'_> {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        self.flow()
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.moves.fetch_add(1, Ordering::SeqCst);
        self.flow()
    }
}

impl Collector for Stopping<'_> {
    type Piece = u32;

    fn swap(&mut self, _piece: &mut u32) {}
}

#[test]
fn nothing_is_visited_after_a_stop() {
    for name in ["many.pgn", "b.si4", "c.cbh"] {
        let folder = Scratch::new("stopped-visit");
        let path = database(&folder, name, 2000);
        std::fs::create_dir(folder.join("two")).unwrap();
        let two = ["a.pgn", "b.pgn"].map(|name| folder.join("two").join(name));
        for file in &two {
            std::fs::copy(folder.join("many.pgn"), file).unwrap();
        }
        for input in [path, folder.join("two")] {
            for query in ["", "plies:>=3"] {
                for threads in [1, 4] {
                    let mut options = ReadOptions::default();
                    options.filter = Query::parse(query).unwrap();
                    let (moves, after) = (AtomicU32::new(0), AtomicU32::new(0));
                    let visitor = || Stopping {
                        moves: &moves,
                        after: &after,
                        limit: 300,
                    };
                    tabia::open_with(&input, options)
                        .unwrap()
                        .visit(threads, visitor)
                        .unwrap();
                    // Each other thread is in one call at most when one of them stops.
                    let after = after.into_inner();
                    assert!(
                        after < threads as u32,
                        "{} {query} {threads}: {after}",
                        input.display()
                    );
                }
            }
        }
        // Collectors: no other chunk and no other input.
        let items = Resolver::default()
            .resolve_games(folder.join("two").as_os_str())
            .unwrap();
        let items = items.into_iter().collect::<Result<Vec<_>, _>>().unwrap();
        let (moves, after) = (AtomicU32::new(0), AtomicU32::new(0));
        let mut pieces = 0;
        collect(
            &items,
            &OpenOptions::default(),
            &ScanOptions::default(),
            &mut |_| {
                Ok(Stopping {
                    moves: &moves,
                    after: &after,
                    limit: 20,
                })
            },
            &Arc::new(Progress::default()),
            &mut NoObserver,
            &mut |_, _, _| {
                pieces += 1;
                Ok(true)
            },
        )
        .unwrap();
        assert_eq!((pieces, after.into_inner()), (1, 0), "{name}");
    }
}

/// Counts games.
#[derive(Default)]
struct Games(u32);

impl Visitor for Games {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }

    fn end_game(&mut self, _result: tabia::GameResult) {
        self.0 += 1;
    }
}

impl Collector for Games {
    type Piece = u32;

    fn swap(&mut self, piece: &mut u32) {
        *piece = std::mem::take(&mut self.0);
    }
}

#[test]
fn chosen_records_are_those_of_each_input() {
    let folder = Scratch::new("chosen-of-each");
    for name in ["a.pgn", "b.pgn"] {
        std::fs::write(folder.join(name), "1. e4 *\n\n".repeat(5)).unwrap();
    }
    let items = Resolver::default()
        .resolve_games(folder.path().as_os_str())
        .unwrap();
    let items = items.into_iter().collect::<Result<Vec<_>, _>>().unwrap();
    let mut plan = ScanOptions::default();
    plan.selection.numbers = Some(tabia::select::RecordRanges::parse("2").unwrap());
    for (more, expected) in [(true, 2), (false, 1)] {
        let mut games = 0;
        collect(
            &items,
            &OpenOptions::default(),
            &plan,
            &mut |_| Ok(Games::default()),
            &Arc::new(Progress::default()),
            &mut NoObserver,
            &mut |_, _, piece| {
                games += *piece;
                Ok(more)
            },
        )
        .unwrap();
        assert_eq!(games, expected);
    }
}

#[test]
fn a_cancelled_search_is_not_complete() {
    let folder = Scratch::new("cancelled-search");
    let path = database(&folder, "b.si4", 2000);
    let base = Base::open(&[&path], Index::Never).unwrap();
    let query = Query::parse("plies:>=3").unwrap();
    let options = SearchOptions::default();
    let mut hits = base.search(&query, &options);
    assert!(hits.next().is_some());
    options.progress.cancel();
    let errors = hits.by_ref().filter(Result::is_err).count();
    assert_eq!((errors, hits.is_complete()), (1, false));
    let mut all = base.search(&query, &SearchOptions::default());
    assert_eq!(
        (all.by_ref().flatten().count(), all.is_complete()),
        (2000, true)
    );
}

#[test]
fn the_wrong_question_does_not_use_up_a_stream() {
    let input = tabia::open_reader("1. e4 *\n".as_bytes()).unwrap();
    assert!(input.book().is_err());
    assert!(input.archive().is_err());
    assert_eq!(
        input.games().collect::<Result<Vec<_>, _>>().unwrap().len(),
        1
    );
}

#[test]
fn the_amount_of_work_is_known() {
    let folder = Scratch::new("known-work");
    let path = database(&folder, "b.si4", 500);
    let size = std::fs::metadata(&path).unwrap().len();
    let items = Resolver::default().resolve_games(path.as_os_str()).unwrap();
    let items = items.into_iter().collect::<Result<Vec<_>, _>>().unwrap();
    let progress = Arc::new(Progress::default());
    check(
        &items[0],
        &CheckOptions::default(),
        &progress,
        &mut NoObserver,
    )
    .unwrap();
    assert_eq!((progress.done(), progress.total()), (size, size));
    let base = Base::open(&[&path], Index::Never).unwrap();
    let options = SearchOptions::default();
    let hits = base.search(&Query::parse("plies:>=3").unwrap(), &options);
    assert_eq!(hits.count(), 500);
    assert_eq!(
        (options.progress.done(), options.progress.total()),
        (size, size)
    );
    let progress = Arc::new(Progress::default());
    let selected = base.select(&Query::default(), &progress).unwrap();
    let tree = TreeOptions::default();
    base.tree_with(
        &Position::standard(),
        &selected,
        &tree,
        &progress,
        &mut NoObserver,
    )
    .unwrap();
    assert_eq!((progress.done(), progress.total()), (size, size));
}

/// A database of which some records are deleted or guiding texts, with that file cut off.
fn with_unselected_records(folder: &Scratch, name: &str, cut: &str) -> PathBuf {
    let mut pgn = String::new();
    for number in 0..30 {
        let mark = ["", "[TabiaRecord \"deleted\"]\n"][number % 2];
        let _ = write!(
            pgn,
            "[White \"W{number}\"]\n{mark}\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *\n\n"
        );
    }
    let (from, to) = (folder.join("some.pgn"), folder.join(name));
    std::fs::write(&from, pgn).unwrap();
    let resolver = Resolver::default();
    let items = resolver.resolve(from.as_ref()).unwrap();
    let target = tabia::convert::Target::file(&resolver, &to, None).unwrap();
    let mut options = tabia::convert::ConvertOptions::default();
    options.plan.selection = tabia::select::Selection::all();
    let progress = Arc::new(Progress::new());
    tabia::convert::convert(&items, target, &options, &progress, &mut NoObserver).unwrap();
    let file = std::fs::File::options()
        .write(true)
        .open(folder.join(cut))
        .unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    to
}

#[test]
fn problems_of_records_that_are_left_out_are_no_items() {
    for (name, cut) in [
        ("c.cbh", "c.cbg"),
        ("b.si4", "b.sg4"),
        ("b.si5", "b.sg5"),
        ("b.sci", "b.scg"),
        ("d.2cbh", "d.2cbg"),
    ] {
        let folder = Scratch::new("games-left-out");
        let path = with_unselected_records(&folder, name, cut);
        let mut counts = Vec::new();
        for deleted in [false, true] {
            let mut options = ReadOptions::default();
            options.deleted = deleted;
            let games = tabia::open_with(&path, options.clone()).unwrap().games();
            let (mut lost, mut all, mut games_of_problems) =
                (0, 0, std::collections::BTreeSet::new());
            for game in games.numbered() {
                all += 1;
                match game {
                    Ok(game) if deleted || game.index.0 % 2 == 0 => {}
                    Ok(game) => panic!("{name}: {}", game.index),
                    Err(error) => {
                        lost += 1;
                        let game = error.location().game.unwrap();
                        assert!(deleted || game.0 % 2 == 0, "{name}: {error}");
                        assert!(games_of_problems.insert(game), "{name}: {error} twice");
                    }
                }
            }
            let headers = tabia::open_with(&path, options).unwrap().headers().count();
            assert_eq!(headers, if deleted { 30 } else { 15 }, "{name}");
            counts.push((all, lost));
        }
        assert_eq!([counts[0].0, counts[1].0], [15, 30], "{name}: {counts:?}");
    }
    // Of a text.
    let pgn = "[White \"A\"]\n[TabiaRecord \"deleted\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"B\"]\n\n1. e4 e5 *\n\n\
        [TabiaRecord \"text\"]\n\n1. Ke3 *\n";
    for threads in [1, 2] {
        let mut options = ReadOptions::default();
        options.threads = threads;
        options.open.strict = threads == 2;
        let mut games = tabia::open_reader_with(pgn.as_bytes(), options)
            .unwrap()
            .games();
        assert_eq!(games.by_ref().map(Result::unwrap).count(), 1);
        assert_eq!(games.problems().len(), 0);
    }
}

#[test]
fn a_lost_file_of_names_is_one_item_of_each_record() {
    for (name, lost) in [("c.cbh", "c.cbp"), ("c.cbh", "c.cbt"), ("b.si4", "b.sn4")] {
        let folder = Scratch::new("games-without-names");
        let path = database(&folder, name, 40);
        std::fs::remove_file(folder.join(lost)).unwrap();
        let mut games = tabia::open(&path).unwrap().games();
        assert_eq!(games.by_ref().count(), 40, "{lost}");
        assert!(!games.problems().is_empty(), "{lost}");
        let mut headers = tabia::open(&path).unwrap().headers();
        assert_eq!(headers.by_ref().count(), 40, "{lost}");
        assert!(!headers.problems().is_empty(), "{lost}");
    }
}
