//! Games and headers as iterators.
//!
//! The records are read on threads of their own and arrive in batches through a bounded channel, so
//! that an iterator needs little memory and stops reading when it is dropped.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

use tabia_core::game::Game;
use tabia_core::io::Progress;
use tabia_core::{Error, ErrorKind, GameIndex, Problem};

use crate::input::InputItem;
use crate::list::{ListOptions, ListRow, list};
use crate::observer::Observer;
use crate::read_games::{ReadGames, scan_item};
use crate::scan::scan;
use crate::text_record_and_encode_tasks::RecordTask;

/// Batches that wait for the consumer.
const WAITING: usize = 2;

/// The header of a game: see [`Input::headers`](crate::Input::headers).
pub type Header = ListRow<'static>;

/// A batch: results in order, each with the problems of its game.
struct Batch<T> {
    results: Vec<Result<(T, Vec<Problem>), Error>>,
    /// Those of the input as a whole, which cost no record.
    problems: Vec<Problem>,
}

impl<T> Batch<T> {
    /// Gives the problems to the records that they are of, which are in order. Those of other records cost the whole
    /// of it: the first one of each is its error, the others are problems.
    fn new(
        records: impl IntoIterator<Item = T>,
        problems: Vec<Problem>,
        index: impl Fn(&T) -> GameIndex,
    ) -> Self {
        let mut records: Vec<_> = records
            .into_iter()
            .map(|record| (record, Vec::new()))
            .collect();
        let (mut whole, mut lost) = (Vec::new(), Vec::new());
        let mut last_lost = None;
        for problem in problems {
            let Some(game) = problem.error.location().game else {
                whole.push(problem);
                continue;
            };
            let found = records.binary_search_by_key(&game, |(record, _)| index(record));
            match found.ok().and_then(|found| records.get_mut(found)) {
                Some((_, own)) => own.push(problem),
                None if last_lost == Some(game) => whole.push(problem),
                None => {
                    last_lost = Some(game);
                    lost.push(problem.error);
                }
            }
        }
        let results = records.into_iter().map(Ok);
        Self {
            results: results.chain(lost.into_iter().map(Err)).collect(),
            problems: whole,
        }
    }
}

/// A consumer's end of the channel; the reading thread starts with the first batch that is asked for.
#[derive(Debug)]
struct Stream<T> {
    job: Option<ReadGames>,
    receiver: Option<Receiver<Batch<T>>>,
    batch: vec::IntoIter<Result<(T, Vec<Problem>), Error>>,
    problems: Vec<Problem>,
    /// Files whose absence was reported.
    missing: BTreeSet<Arc<Path>>,
}

type Reader<T> = fn(&ReadGames, &SyncSender<Batch<T>>);

impl<T: Send + 'static> Stream<T> {
    fn new(job: ReadGames) -> Self {
        Self {
            job: Some(job),
            receiver: None,
            batch: Vec::new().into_iter(),
            problems: Vec::new(),
            missing: BTreeSet::new(),
        }
    }

    fn next(&mut self, read: Reader<T>) -> Option<Result<(T, Vec<Problem>), Error>> {
        if let Some(job) = self.job.take() {
            let (sender, receiver) = sync_channel(WAITING);
            self.receiver = Some(receiver);
            let started = std::thread::Builder::new().spawn(move || read(&job, &sender));
            if let Err(error) = started {
                self.receiver = None;
                return Some(Err(error.into()));
            }
        }
        loop {
            if let Some(result) = self.batch.next() {
                return Some(result);
            }
            let batch = self.receiver.as_ref()?.recv().ok()?;
            self.batch = batch.results.into_iter();
            self.problems.extend(batch.problems);
        }
    }

    /// The next one without its problems, which are kept.
    fn next_alone(&mut self, read: Reader<T>) -> Option<Result<T, Error>> {
        let next = self.next(read)?;
        Some(next.map(|(record, problems)| {
            let missing = &mut self.missing;
            // A missing file is missing for all.
            let is_new =
                |problem: &Problem| match (problem.error.kind(), &problem.error.location().file) {
                    (ErrorKind::MissingFile(_), Some(file)) => missing.insert(Arc::clone(file)),
                    _ => true,
                };
            self.problems.extend(problems.into_iter().filter(is_new));
            record
        }))
    }
}

/// The games of an input: see [`Input::games`](crate::Input::games).
#[derive(Debug)]
pub struct Games(Stream<FoundGame>);

/// A game with its index and the database that it is of.
#[derive(Debug)]
struct FoundGame {
    index: GameIndex,
    game: Game,
    database: Arc<Path>,
}

impl Games {
    pub(crate) fn new(job: ReadGames) -> Self {
        Self(Stream::new(job))
    }

    /// Problems that cost no whole game, each with its file, game and ply: those of the games that were taken since
    /// the last call, and those of their databases as a whole. A game with a problem has lost the part that could
    /// not be read, no more. [`numbered`](Self::numbered) gives each game with its own.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// let pgn = "1. e4 e5 2. Ke3 *\n";
    /// let mut games = tabia::open_reader(pgn.as_bytes())?.games();
    /// let game = games.next().unwrap()?;
    /// assert_eq!(game.ply_count(), 2);
    /// assert_eq!(games.problems().len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.0.problems)
    }

    /// The same games, each with its index in its database, which [`change_game`](crate::change_game) takes, and
    /// with its own problems.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// let pgn = "1. e4 e5 *\n\n1. e4 e5 2. Ke3 *\n";
    /// for found in tabia::open_reader(pgn.as_bytes())?.games().numbered() {
    ///     let found = found?;
    ///     println!("{}: {} plies", found.index, found.game.ply_count());
    ///     for problem in &found.problems {
    ///         eprintln!("{}", problem.error);
    ///     }
    ///     # assert_eq!(found.problems.len() as u32, found.index.0);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn numbered(self) -> NumberedGames {
        NumberedGames(self.0)
    }
}

impl Iterator for Games {
    type Item = Result<Game, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.0.next_alone(read_games)?;
        Some(found.map(|found| found.game))
    }
}

/// The games of an input with their indices and problems: see [`Games::numbered`].
#[derive(Debug)]
pub struct NumberedGames(Stream<FoundGame>);

impl NumberedGames {
    /// Problems of databases as a whole, which cost no game; those since the last call.
    pub fn problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.0.problems)
    }
}

/// A game as an input has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NumberedGame {
    /// The record in its database, counted from 0; its `Display` counts from 1, as people do.
    pub index: GameIndex,
    /// The game.
    pub game: Game,
    /// What of it could not be read.
    pub problems: Vec<Problem>,
    /// Its database, as messages name it.
    pub database: Arc<Path>,
}

impl Iterator for NumberedGames {
    type Item = Result<NumberedGame, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.0.next(read_games)?;
        Some(found.map(|(found, problems)| NumberedGame {
            index: found.index,
            game: found.game,
            problems,
            database: found.database,
        }))
    }
}

/// The headers of an input: see [`Input::headers`](crate::Input::headers).
#[derive(Debug)]
pub struct Headers(Stream<Header>);

impl Headers {
    pub(crate) fn new(job: ReadGames) -> Self {
        Self(Stream::new(job))
    }

    /// Problems that cost no whole header: those of the headers that were taken since the last call, and those of
    /// their databases as a whole.
    pub fn problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.0.problems)
    }

    /// The same headers, each with its own problems.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// for header in tabia::open(path)?.headers().with_problems() {
    ///     let (header, problems) = header?;
    ///     println!("{}: {} problems", header.game, problems.len());
    ///     # assert!(problems.is_empty());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_problems(mut self) -> impl Iterator<Item = Result<(Header, Vec<Problem>), Error>> {
        std::iter::from_fn(move || self.0.next(read_headers))
    }
}

impl Iterator for Headers {
    type Item = Result<Header, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_alone(read_headers)
    }
}

/// Sends an error as the only result of a batch; whether the consumer is still there.
fn send_error<T>(sender: &SyncSender<Batch<T>>, error: Error) -> bool {
    let batch = Batch {
        results: vec![Err(error)],
        problems: Vec::new(),
    };
    sender.send(batch).is_ok()
}

fn read_games(job: &ReadGames, sender: &SyncSender<Batch<FoundGame>>) {
    let options = job.scan_options(job.options.threads.max(1));
    let mut read = |item: &InputItem| {
        let problems = Mutex::new(Vec::new());
        let mut is_closed = false;
        let done = scan_item(
            item,
            job,
            &mut SharedProblems::of_each(&problems),
            |reporter, input| {
                let options = options.for_item(item, &job.options.open, &Arc::default())?;
                let tasks = (0..options.threads)
                    .map(|_| RecordTask::default())
                    .collect();
                scan(reporter, input, &options, tasks, &mut |base, recorded| {
                    let games = recorded.take().into_iter().map(|(index, game)| FoundGame {
                        index: base.game(index),
                        game,
                        database: Arc::clone(item.label()),
                    });
                    let batch = Batch::new(games, take_problems(&problems), |found| found.index);
                    is_closed = sender.send(batch).is_err();
                    Ok(!is_closed)
                })
            },
        );
        Ok(!is_closed && finish(done, take_problems(&problems), sender))
    };
    let _ = job.each(&mut read, &mut |error| send_error(sender, error));
}

fn read_headers(job: &ReadGames, sender: &SyncSender<Batch<Header>>) {
    let options = ListOptions {
        open: job.options.open.clone(),
        threads: job.options.threads.max(1),
        selection: job.selection(),
        filter: job.options.filter.clone(),
        strict: job.options.open.strict,
        ..ListOptions::default()
    };
    let mut read = |item: &InputItem| {
        let problems = Mutex::new(Vec::new());
        let mut is_closed = false;
        let mut observer = SharedProblems::of_each(&problems);
        let progress = Arc::new(Progress::default());
        let render =
            |row: &ListRow<'_>, rows: &mut Vec<Header>| rows.push(row.clone().into_owned());
        let done = list(
            item,
            &options,
            &render,
            &progress,
            &mut observer,
            &mut |rows| {
                let batch = Batch::new(rows.drain(..), take_problems(&problems), |row| row.game);
                is_closed = sender.send(batch).is_err();
                if is_closed {
                    Err(Error::cancelled())
                } else {
                    Ok(())
                }
            },
        );
        let done = done.map(drop);
        Ok(!is_closed && finish(done, take_problems(&problems), sender))
    };
    let _ = job.each(&mut read, &mut |error| send_error(sender, error));
}

/// Sends what is left after the last batch of an item; whether the consumer is still there.
fn finish<T>(
    done: Result<(), Error>,
    problems: Vec<Problem>,
    sender: &SyncSender<Batch<T>>,
) -> bool {
    // A problem that ended a strict job is in the error as well.
    let rest = if done.is_ok() { problems } else { Vec::new() };
    let rest = rest.into_iter().map(|problem| problem.error);
    let results: Vec<_> = rest.chain(done.err()).map(Err).collect();
    let batch = Batch {
        results,
        problems: Vec::new(),
    };
    batch.results.is_empty() || sender.send(batch).is_ok()
}

pub(crate) fn take_problems(problems: &Mutex<Vec<Problem>>) -> Vec<Problem> {
    let mut buffer = problems.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut buffer)
}

/// The observer's side of a buffer that the consumer of batches empties.
pub(crate) struct SharedProblems<'a> {
    buffer: &'a Mutex<Vec<Problem>>,
    /// Whether a missing file is a problem of each record that lacks something, or of the first alone.
    is_of_each: bool,
}

impl<'a> SharedProblems<'a> {
    pub(crate) fn new(buffer: &'a Mutex<Vec<Problem>>) -> Self {
        Self {
            buffer,
            is_of_each: false,
        }
    }

    fn of_each(buffer: &'a Mutex<Vec<Problem>>) -> Self {
        Self {
            buffer,
            is_of_each: true,
        }
    }
}

impl Observer for SharedProblems<'_> {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> tabia_core::Result<()> {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        buffer.push(problem.clone());
        Ok(())
    }

    fn record_problem(
        &mut self,
        item: &InputItem,
        problem: &Problem,
        is_first: bool,
    ) -> tabia_core::Result<bool> {
        // Whoever takes the games learns what each lacks.
        let is_own = matches!(problem.error.kind(), ErrorKind::NotInFile(_));
        if is_first || is_own || self.is_of_each {
            self.problem(item, problem)?;
        }
        Ok(true)
    }
}
