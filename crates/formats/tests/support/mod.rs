//! Helpers of the tests for all formats of games: fixtures, and functions that read and write them.
#![allow(dead_code, clippy::expect_used, reason = "each test uses a part")]

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::{Confidence, CreateOptions, OpenOptions, Probe};
use tabia_core::game::{Annotation, Flow, Game, GameHead, GameResult, Recorder, Visitor, Want};
use tabia_core::games::{Block, Database, GameStream};
use tabia_core::io::Source;
use tabia_core::loss::{Features, Losses};
use tabia_core::{Error, ErrorKind, GameFormat, GameIndex, Problem, Result};
use tabia_formats::GAMES;
use tabia_testkit::dump::Dump;
use tabia_testkit::repository;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{shared, skip};

/// A game and everything else that a reader reported about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ReadGame {
    pub(crate) game: Game,
    /// All visitor calls, as text.
    pub(crate) dump: String,
    pub(crate) problems: Vec<String>,
    /// The error because of which the record could not be read.
    pub(crate) error: Option<String>,
}

/// The folder of this format's fixtures.
pub(crate) fn fixture_folder(format: &GameFormat) -> PathBuf {
    repository()
        .join("crates/formats/tests/fixtures")
        .join(format.file.id.as_str())
}

/// The main files among a format's fixtures, sorted. `bad` holds files that cannot be opened.
pub(crate) fn fixtures(format: &GameFormat) -> Vec<PathBuf> {
    let folder = fixture_folder(format);
    if !folder.is_dir() {
        return Vec::new();
    }
    files_below(&folder)
        .into_iter()
        .filter(|path| !path.components().any(|part| part.as_os_str() == "bad"))
        .filter(|path| has_extension(path, format.file.extensions))
        .collect()
}

/// Fixtures, and the small real databases of that format if the shared data is present.
pub(crate) fn databases(format: &GameFormat) -> Vec<PathBuf> {
    let mut found = fixtures(format);
    let Some(shared) = shared() else {
        skip(&format!("real databases of {}", format.file.id));
        return found;
    };
    let real = files_below(&shared.join("data"))
        .into_iter()
        .filter(|path| {
            let length = path.metadata().map_or(0, |metadata| metadata.len());
            has_extension(path, format.file.extensions) && length < MAX_REAL_SIZE
        });
    found.extend(real);
    found
}

/// Maximal size of the main file of a small real database.
const MAX_REAL_SIZE: u64 = 24 << 10;

pub(crate) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Formats of games, as opposed to books and archives.
pub(crate) fn game_formats() -> impl Iterator<Item = &'static GameFormat> {
    GAMES.iter().copied()
}

pub(crate) fn open(format: &GameFormat, path: &Path, options: &OpenOptions) -> Box<dyn Database> {
    let source = Source::from_path(path).expect("the fixture exists");
    (format.open)(&source, options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every game of a database, in order.
pub(crate) fn read_database(database: &dyn Database, want: Want) -> Vec<ReadGame> {
    let mut reader = database.reader();
    (0..database.len())
        .map(|index| {
            let index = GameIndex(index);
            read_one(|visitor| reader.read(index, want, visitor).map(|_| ()))
        })
        .map(|(_, read)| read.expect("an existing record is visited"))
        .collect()
}

/// Every game of a stream.
pub(crate) fn read_stream(stream: &mut dyn GameStream, want: Want) -> Vec<ReadGame> {
    let mut games = Vec::new();
    let mut errors = 0;
    loop {
        let (more, read) = read_one(|visitor| Ok(stream.next(want, visitor)?.is_some()));
        games.extend(read);
        match more {
            Some(false) => return games,
            Some(true) => {}
            None => errors += 1,
        }
        assert!(errors < 10_000, "the stream does not come to its end");
    }
}

/// Every game of a stream that is cut into blocks.
pub(crate) fn read_blocks(
    format: &GameFormat,
    bytes: Box<dyn Read + Send>,
    want: Want,
) -> Vec<ReadGame> {
    let open = format.open_blocks.expect("the format has blocks");
    let mut blocks = open(bytes, &OpenOptions::default()).expect("the stream opens");
    let mut reader = blocks.reader();
    let mut block = Block::default();
    let mut game = Game::new();
    let mut collector = Collector::new(game.recorder());
    while blocks.next(&mut block).expect("the stream can be read") {
        let _ = reader
            .read(&block, want, &mut collector)
            .expect("the block can be read");
    }
    collector.done()
}

/// A stream over bytes in memory.
pub(crate) fn stream(format: &GameFormat, bytes: &[u8]) -> Box<dyn GameStream> {
    let open = format.open_stream.expect("the format has streams");
    open(
        Box::new(Cursor::new(bytes.to_vec())),
        &OpenOptions::default(),
    )
    .expect("it opens")
}

/// The result of a call, and the game that it visits.
fn read_one<T>(call: impl FnOnce(&mut dyn Visitor) -> Result<T>) -> (Option<T>, Option<ReadGame>) {
    let mut game = Game::new();
    let mut collector = Collector::new(game.recorder());
    let answer = call(&mut collector);
    let mut done = collector.done();
    assert!(done.len() < 2, "one call visits {} games", done.len());
    match answer {
        Ok(answer) => (Some(answer), done.pop()),
        Err(error) => {
            let mut read = done.pop().unwrap_or_default();
            read.error = Some(error.to_string());
            (None, Some(read))
        }
    }
}

/// A visitor that collects every game. It panics if the calls are not in the documented order, or if a
/// move is illegal.
pub(crate) struct Collector<'g> {
    done: Vec<ReadGame>,
    recorder: Recorder<&'g mut Game>,
    dump: Dump,
}

impl<'g> Collector<'g> {
    pub(crate) fn new(recorder: Recorder<&'g mut Game>) -> Self {
        Self {
            done: Vec::new(),
            recorder,
            dump: Dump::new(),
        }
    }

    pub(crate) fn done(self) -> Vec<ReadGame> {
        self.done
    }

    fn check(&self) {
        if let Some(violation) = self.dump.violation() {
            panic!("{violation}\n{}", self.dump.text);
        }
    }
}

impl Visitor for Collector<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        let _ = self.dump.begin_game(game, head);
        self.check();
        self.recorder.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let _ = self.dump.visit_move(before, ply);
        self.check();
        self.recorder.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let _ = self.dump.visit_annotation(annotation);
        self.recorder.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        let _ = self.dump.begin_variation();
        self.recorder.begin_variation()
    }

    fn end_variation(&mut self) {
        self.dump.end_variation();
        self.check();
        self.recorder.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.dump.end_game(result);
        self.check();
        self.recorder.end_game(result);
        let problems = self.recorder.take_problems();
        let problems = problems.iter().map(|problem| problem.error.to_string());
        self.done.push(ReadGame {
            game: self.recorder.game().clone(),
            dump: std::mem::take(&mut self.dump.text),
            problems: problems.collect(),
            error: None,
        });
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        let line = Problem {
            error: Error::new(ErrorKind::Invalid(problem.error.to_string())),
            unread_bytes: problem.unread_bytes.clone(),
        };
        let _ = self.dump.problem(line);
        self.recorder.problem(problem)
    }
}

/// Writes games as text with one writer: the text and the losses.
pub(crate) fn write_text(
    format: &GameFormat,
    options: &CreateOptions,
    games: &[Game],
) -> (Vec<u8>, Losses) {
    let create = format.create_text.expect("the format has a text writer");
    let mut writer = create(options).expect("the writer is made");
    for (index, game) in games.iter().enumerate() {
        let _ = game.replay(GameIndex(index as u32), Want::ALL, &mut *writer);
    }
    let losses = writer.take_losses();
    (std::mem::take(writer.text()), losses)
}

/// The features that the format holds with these options.
pub(crate) fn can(format: &GameFormat, options: &CreateOptions) -> Features {
    format.can_with.map_or(format.can, |can| can(options))
}

/// How certainly a format recognizes a file.
pub(crate) fn score(format: &GameFormat, path: &Path, bytes: &[u8]) -> Confidence {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    (format.file.score)(&Probe {
        name: name.as_deref(),
        head: &bytes[..bytes.len().min(Probe::HEAD)],
        len: Some(bytes.len() as u64),
    })
}
