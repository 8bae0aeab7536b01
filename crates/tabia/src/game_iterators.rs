//! Games and headers as iterators.
//!
//! The records are read on threads of their own and arrive in batches through a bounded channel, so
//! that an iterator needs little memory and stops reading when it is dropped.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

use tabia_core::game::Game;
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Problem};

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

/// A batch: results in order, and problems of the games among them.
struct Batch<T> {
    results: Vec<Result<T, Error>>,
    problems: Vec<Problem>,
}

/// Splits problems into those of the games that arrived and those that cost a whole record.
fn split(
    problems: Vec<Problem>,
    arrived: &dyn Fn(GameIndex) -> bool,
) -> (Vec<Problem>, Vec<Error>) {
    let (partial, lost): (Vec<_>, Vec<_>) = problems
        .into_iter()
        .partition(|problem| problem.error.location().game.is_some_and(arrived));
    let lost = lost.into_iter().map(|problem| problem.error).collect();
    (partial, lost)
}

/// A consumer's end of the channel; the reading thread starts with the first batch that is asked for.
#[derive(Debug)]
struct Stream<T> {
    job: Option<ReadGames>,
    receiver: Option<Receiver<Batch<T>>>,
    batch: vec::IntoIter<Result<T, Error>>,
    problems: Vec<Problem>,
}

type Reader<T> = fn(&ReadGames, &SyncSender<Batch<T>>);

impl<T: Send + 'static> Stream<T> {
    fn new(job: ReadGames) -> Self {
        Self {
            job: Some(job),
            receiver: None,
            batch: Vec::new().into_iter(),
            problems: Vec::new(),
        }
    }

    fn next(&mut self, read: Reader<T>) -> Option<Result<T, Error>> {
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
}

/// The games of an input: see [`Input::games`](crate::Input::games).
#[derive(Debug)]
pub struct Games(Stream<Game>);

impl Games {
    pub(crate) fn new(job: ReadGames) -> Self {
        Self(Stream::new(job))
    }

    /// Problems of games that arrived all the same, each with its file, game and ply; those since
    /// the last call. A game with a problem has lost the part that could not be read, no more.
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
}

impl Iterator for Games {
    type Item = Result<Game, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next(read_games)
    }
}

/// The headers of an input: see [`Input::headers`](crate::Input::headers).
#[derive(Debug)]
pub struct Headers(Stream<Header>);

impl Headers {
    pub(crate) fn new(job: ReadGames) -> Self {
        Self(Stream::new(job))
    }

    /// Problems of games whose headers arrived all the same; those since the last call.
    pub fn problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.0.problems)
    }
}

impl Iterator for Headers {
    type Item = Result<Header, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next(read_headers)
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

fn read_games(job: &ReadGames, sender: &SyncSender<Batch<Game>>) {
    let options = job.scan_options(job.options.threads.max(1));
    let mut read = |item: &InputItem| {
        let problems = Mutex::new(Vec::new());
        let mut is_closed = false;
        let done = scan_item(
            item,
            job,
            &mut SharedProblems(&problems),
            |reporter, input| {
                let options = options.for_item(item, &job.options.open, &Arc::default())?;
                let tasks = (0..options.threads)
                    .map(|_| RecordTask::default())
                    .collect();
                scan(reporter, input, &options, tasks, &mut |base, recorded| {
                    let games = recorded.take();
                    let numbers: Vec<GameIndex> =
                        games.iter().map(|(number, _)| base.game(*number)).collect();
                    let arrived = |game: GameIndex| numbers.binary_search(&game).is_ok();
                    let (partial, lost) = split(take_problems(&problems), &arrived);
                    let games = games.into_iter().map(|(_, game)| Ok(game));
                    let batch = Batch {
                        results: games.chain(lost.into_iter().map(Err)).collect(),
                        problems: partial,
                    };
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
        let mut observer = SharedProblems(&problems);
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
                let arrived = |game| rows.iter().any(|row: &Header| row.game == game);
                let (partial, lost) = split(take_problems(&problems), &arrived);
                let batch = Batch {
                    results: rows
                        .drain(..)
                        .map(Ok)
                        .chain(lost.into_iter().map(Err))
                        .collect(),
                    problems: partial,
                };
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
    let (_, lost) = split(rest, &|_| false);
    let results: Vec<_> = lost.into_iter().chain(done.err()).map(Err).collect();
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
pub(crate) struct SharedProblems<'a>(pub(crate) &'a Mutex<Vec<Problem>>);

impl Observer for SharedProblems<'_> {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> tabia_core::Result<()> {
        let mut buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buffer.push(problem.clone());
        Ok(())
    }

    fn record_problem(
        &mut self,
        item: &InputItem,
        problem: &Problem,
        is_first: bool,
    ) -> tabia_core::Result<bool> {
        // Whoever takes the games learns what each lacks. A missing file is missing for all.
        if is_first || matches!(problem.error.kind(), tabia_core::ErrorKind::NotInFile(_)) {
            self.problem(item, problem)?;
        }
        Ok(true)
    }
}
