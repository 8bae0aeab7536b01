//! Every public way through an input yields the same games.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::path::{Path, PathBuf};

use tabia::core::formats::OpenOptions;
use tabia::core::game::{Recorder, Want};
use tabia::core::games::Block;
use tabia::core::io::{Blob, ReadRange};
use tabia::{Flow, GameIndex, InputItem, OpenInput, Ply, Position, ReadOptions, Visitor};
use tabia_testkit::repository;
use tabia_testkit::shared_data_folder::files_below;

fn fixtures() -> Vec<PathBuf> {
    let folder = repository().join("crates/formats/tests/fixtures");
    let mut files: Vec<PathBuf> = files_below(&folder)
        .into_iter()
        .filter(|path| !path.components().any(|part| part.as_os_str() == "bad"))
        .filter(|path| is_main(path))
        .collect();
    files.push(repository().join("samples/tabia.cbv"));
    files
}

fn is_main(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    tabia::formats::GAMES.iter().any(|format| {
        extension.is_some_and(|extension| format.file.extensions.contains(&extension))
    })
}

#[derive(Default)]
struct Count {
    games: usize,
    plies: usize,
}

impl Visitor for Count {
    fn begin_game(&mut self, _: GameIndex, _: &tabia::core::game::GameHead) -> Flow {
        self.games += 1;
        Flow::Go
    }

    fn visit_move(&mut self, _: &Position, _: Ply) -> Flow {
        self.plies += 1;
        Flow::Go
    }
}

/// Records, guiding texts and deleted games that the opened item has, by the traits of core.
fn by_traits(item: &InputItem) -> usize {
    let mut games = 0;
    let options = OpenOptions::default();
    let is_counted = |recorder: &Recorder| {
        let head = &recorder.game().head;
        usize::from(!head.deleted && head.kind == tabia::core::game::RecordKind::Game)
    };
    match item.open(&options, None).unwrap().input {
        OpenInput::Database(database) => {
            let mut reader = database.reader();
            let mut recorder = Recorder::new();
            for index in 0..database.len() {
                let read = reader.read(GameIndex(index), Want::ALL, &mut recorder);
                games += usize::from(read.is_ok()) * is_counted(&recorder);
            }
        }
        OpenInput::Blocks(mut blocks) => {
            let mut reader = blocks.reader();
            let mut block = Block::default();
            let mut count = Count::default();
            while blocks.next(&mut block).unwrap() {
                let _ = reader.read(&block, Want::ALL, &mut count).unwrap();
            }
            games += count.games;
        }
        OpenInput::Stream(mut stream) => {
            let mut recorder = Recorder::new();
            while stream.next(Want::ALL, &mut recorder).unwrap().is_some() {
                games += is_counted(&recorder);
            }
        }
        _ => {}
    }
    games
}

#[test]
fn every_route_yields_the_same_games() {
    let files = fixtures();
    assert!(files.len() > 15, "{} fixtures", files.len());
    let mut total = 0;
    for path in files {
        let name = path.display();
        let input = tabia::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let games: Vec<_> = input.games().filter_map(Result::ok).collect();
        let headers = input.headers().flatten().count();
        assert_eq!(games.len(), headers, "{name}: headers");

        let visited = input.visit(2, Count::default).unwrap();
        assert_eq!(visited.len(), 2, "{name}: a visitor a thread");
        let in_visits: usize = visited.iter().map(|count| count.games).sum();
        assert_eq!(in_visits, games.len(), "{name}: visits");

        let mut two = ReadOptions::default();
        two.threads = 2;
        let again = tabia::open_with(&path, two).unwrap();
        let again: Vec<_> = again.games().filter_map(Result::ok).collect();
        assert_eq!(again.len(), games.len(), "{name}: two threads");
        for (one, other) in games.iter().zip(&again) {
            assert!(one.head.tags == other.head.tags && one.events().eq(other.events()));
        }

        if !input.items()[0].is_archive() {
            assert_eq!(by_traits(&input.items()[0]), games.len(), "{name}: traits");
        }
        if let Some(open) = input
            .format()
            .and_then(|format| format.games()?.open_stream)
        {
            let file = std::fs::File::open(&path).unwrap();
            let mut stream = open(Box::new(file), &OpenOptions::default()).unwrap();
            let mut streamed = 0;
            let mut recorder = Recorder::new();
            while stream.next(Want::ALL, &mut recorder).unwrap().is_some() {
                streamed += 1;
            }
            assert_eq!(streamed, games.len(), "{name}: stream");
            let file = std::fs::File::open(&path).unwrap();
            let read = tabia::open_reader(file).unwrap().games().count();
            assert_eq!(read, games.len(), "{name}: reader");
        }
        total += games.len();
    }
    assert!(total > 50, "{total} games");
}

#[test]
fn three_games_of_pgn_are_three_games() {
    let pgn = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n\n[White \"C\"]\n\n1. c4 *\n";
    let games: Vec<_> = tabia::open_reader(pgn.as_bytes())
        .unwrap()
        .games()
        .map(|game| game.unwrap().head.tags.text("White").to_owned())
        .collect();
    assert_eq!(games, ["A", "B", "C"]);
}

/// The same game without end.
struct Endless(usize);

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let game = b"1. e4 e5 *\n\n";
        for byte in &mut *buffer {
            *byte = game[self.0 % game.len()];
            self.0 += 1;
        }
        Ok(buffer.len())
    }
}

#[test]
fn games_come_before_the_end_of_a_stream() {
    let mut games = tabia::open_reader(Endless(0)).unwrap().games();
    for _ in 0..10_000 {
        assert_eq!(games.next().unwrap().unwrap().ply_count(), 2);
    }
}

#[test]
fn a_folder_is_all_that_is_in_it() {
    let folder = repository().join("crates/formats/tests/fixtures/pgn");
    let together = tabia::open(&folder).unwrap().games().flatten().count();
    let apart: usize = files_below(&folder)
        .iter()
        .filter(|path| is_main(path))
        .map(|path| tabia::open(path).unwrap().games().flatten().count())
        .sum();
    assert_eq!(together, apart);
}

#[test]
fn a_broken_stream_is_an_error_and_not_an_end() {
    let whole = std::fs::read(repository().join("samples/tabia.cbv")).unwrap();
    let folder = tabia_testkit::Scratch::new("front-door");
    let path = folder.join("cut.cbv");
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let lost = match tabia::open(&path) {
        Ok(input) => input.games().any(|game| game.is_err()),
        Err(_) => true,
    };
    assert!(lost, "a cut archive loses games without an error");
}

#[test]
fn what_is_written_is_read() {
    let folder = tabia_testkit::Scratch::new("front-door-create");
    let source = repository().join("samples/tabia.cbv");
    for name in ["a.pgn", "a.pgn.gz", "a.si5", "a.cbh", "a.sci"] {
        let path = folder.join(name);
        let mut writer = tabia::create(&path).unwrap();
        let mut written = 0;
        for game in tabia::open(&source).unwrap().games() {
            writer.write(&game.unwrap()).unwrap();
            written += 1;
        }
        assert!(!path.exists(), "{name} appears at the end");
        assert_eq!(writer.finish().unwrap().records, written, "{name}");
        let read = tabia::open(&path)
            .unwrap()
            .games()
            .map(Result::unwrap)
            .count();
        assert_eq!(read as u32, written, "{name}");
        let error = tabia::create(&path)
            .map(tabia::DatabaseWriter::finish)
            .err();
        assert!(error.is_some(), "{name} is replaced without being asked");
    }
}

/// A file in memory that is read in ranges.
struct Ranges(Vec<u8>);

impl ReadRange for Ranges {
    fn read_range(&self, at: u64, bytes: &mut [u8]) -> bool {
        let at = usize::try_from(at).unwrap();
        bytes.copy_from_slice(&self.0[at..at + bytes.len()]);
        true
    }
}

fn dump_of(name: &str, files: Vec<(String, Blob)>, salvage: bool) -> Vec<String> {
    let resolver = tabia::Resolver::default();
    let mut options = OpenOptions::default();
    options.salvage = salvage;
    let items = resolver
        .expand(resolver.files(name, files).unwrap())
        .unwrap();
    let dump = |item: InputItem| match item.open_indexed(&options).map(|opened| opened.input) {
        Ok(OpenInput::Database(database)) => {
            let info = format!("{:?}\n", database.info());
            info + &tabia_testkit::dump::database(&*database, Want::ALL)
        }
        Ok(_) => "no database".to_owned(),
        Err(error) => error.to_string(),
    };
    items.into_iter().map(|item| dump(item.unwrap())).collect()
}

#[test]
fn files_read_in_ranges_are_those_in_memory() {
    for path in fixtures() {
        let source = tabia::core::io::Source::from_path(&path).unwrap();
        let files: Vec<(String, Vec<u8>)> = source
            .siblings()
            .iter()
            .map(|file| (file.name.clone(), file.open().unwrap().to_vec()))
            .collect();
        for salvage in [false, true] {
            let in_memory = files.iter().cloned();
            let in_memory = in_memory.map(|(name, bytes)| (name, Blob::from(bytes)));
            let in_ranges = files.iter().cloned().map(|(name, bytes)| {
                let blob = Blob::in_ranges(bytes.len(), Box::new(Ranges(bytes)));
                (name, blob)
            });
            let [expected, found] = [in_memory.collect(), in_ranges.collect()]
                .map(|files| dump_of(source.name(), files, salvage));
            assert_eq!(found, expected, "{}", path.display());
        }
    }
}

#[derive(Default)]
struct Numbers {
    numbers: Vec<u32>,
    problems: Vec<String>,
}

impl Visitor for Numbers {
    fn begin_game(&mut self, game: GameIndex, _: &tabia::core::game::GameHead) -> Flow {
        self.numbers.push(game.0);
        Flow::Skip
    }

    fn visit_move(&mut self, _: &Position, _: Ply) -> Flow {
        Flow::Skip
    }

    fn problem(&mut self, problem: tabia::core::Problem) -> Flow {
        self.problems.push(problem.error.to_string());
        Flow::Go
    }
}

#[test]
fn one_visitor_gets_the_numbers_of_games_and_what_breaks_off() {
    let folder = tabia_testkit::Scratch::new("visited-numbers");
    let game = |number: usize| format!("[White \"{number}\"]\n\n{{{}}} *\n\n", "x".repeat(900));
    let text: String = (0..4000).map(game).collect();
    let path = folder.join("many.pgn");
    std::fs::write(&path, &text).unwrap();
    let visited = tabia::open(&path)
        .unwrap()
        .visit(1, Numbers::default)
        .unwrap();
    assert!(visited[0].numbers.iter().copied().eq(0..4000));
    assert_eq!(visited[0].problems, [""; 0]);

    let packed = folder.join("many.pgn.gz");
    tabia::convert(&path, &packed).unwrap();
    let bytes = std::fs::read(&packed).unwrap();
    for (length, threads) in [(bytes.len() / 2, 1), (bytes.len() - 4, 2)] {
        std::fs::write(&packed, &bytes[..length]).unwrap();
        let visited = tabia::open(&packed)
            .unwrap()
            .visit(threads, Numbers::default);
        let problems: usize = visited
            .unwrap()
            .iter()
            .map(|found| found.problems.len())
            .sum();
        assert!(problems > 0, "cut to {length} bytes");
    }
}

#[test]
fn records_that_are_left_out_are_neither_listed_nor_converted() {
    let folder = tabia_testkit::Scratch::new("left-out");
    let sample = repository().join("samples/tabia.cbh");
    let resolver = tabia::Resolver::default();
    let items = resolver.resolve(sample.as_os_str()).unwrap();
    let progress = std::sync::Arc::default();
    let mut list = tabia::list::ListOptions::default();
    let mut convert = tabia::convert::ConvertOptions::default();
    let rows = |options: &tabia::list::ListOptions| {
        let mut games = Vec::new();
        tabia::list::list(
            &items[0],
            options,
            &|row, out: &mut Vec<u32>| out.push(row.game.0),
            &progress,
            &mut tabia::NoObserver,
            &mut |rows| {
                games.append(rows);
                Ok(())
            },
        )
        .unwrap();
        games
    };
    let all = rows(&list);
    list.selection.leave_out(GameIndex(1));
    convert.plan.selection.leave_out(GameIndex(1));
    assert!(all.contains(&1));
    assert_eq!(rows(&list).len(), all.len() - 1);
    let target = folder.join("x.pgn");
    let target = tabia::convert::Target::file(&resolver, &target, None).unwrap();
    let whole = tabia::convert(&sample, folder.join("all.pgn")).unwrap();
    let (summary, _) =
        tabia::convert::convert(&items, target, &convert, &progress, &mut tabia::NoObserver)
            .unwrap();
    assert_eq!(summary.counts.games, whole.counts.games - 1);
}
