//! Hands every game to visitors on several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::{Error, GameIndex, Problem};

use crate::input::InputItem;
use crate::observer::Observer;
use crate::read_games::{ReadGames, scan_item};
use crate::scan::{Task, scan};

/// Hands every game to visitors, one for each thread, and returns them.
pub(crate) fn visit<V: Visitor + Send>(
    job: &ReadGames,
    threads: usize,
    mut visitor: impl FnMut() -> V,
) -> Result<Vec<V>, Error> {
    let threads = threads.max(1);
    let options = job.scan_options(threads);
    let visitors = Mutex::new((0..threads).map(|_| visitor()).collect::<Vec<V>>());
    let mut first_error = None;
    let stopped = AtomicBool::new(false);
    let mut read = |item: &InputItem| {
        let seen = AtomicU64::new(0);
        let mut observer = UnseenProblems::default();
        scan_item(item, job, &mut observer, |reporter, input| {
            let options = options.for_item(item, &job.options.open, &Arc::default())?;
            let mut owned = visitors.lock().unwrap_or_else(PoisonError::into_inner);
            let tasks = owned
                .drain(..)
                .map(|visitor| VisitTask {
                    visitor: Some(visitor),
                    done: &visitors,
                    seen: &seen,
                    stopped: &stopped,
                    first: (threads == 1).then_some(0),
                })
                .collect();
            drop(owned);
            scan(reporter, input, &options, tasks, &mut |_, ()| Ok(true))
        })?;
        let mut owned = visitors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(visitor) = owned.first_mut() {
            for problem in observer.unseen(seen.into_inner()) {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let is_stop = visitor.problem(problem) == Flow::Stop;
                stopped.fetch_or(is_stop, Ordering::Relaxed);
            }
        }
        Ok(!stopped.load(Ordering::Relaxed))
    };
    job.each(&mut read, &mut |error| {
        first_error.get_or_insert(error);
        false
    })?;
    match first_error {
        Some(error) => Err(error),
        None => Ok(visitors
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Problems of an item as a whole, which no visitor gets with a game.
#[derive(Default)]
struct UnseenProblems {
    /// Those of no game.
    of_item: Vec<Problem>,
    /// Those of games, with the ones that visitors got.
    of_games: u64,
    last: Option<Problem>,
}

impl Observer for UnseenProblems {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> tabia_core::Result<()> {
        if problem.error.location().game.is_none() {
            self.of_item.push(problem.clone());
        } else {
            self.of_games += 1;
            self.last = Some(problem.clone());
        }
        Ok(())
    }
}

impl UnseenProblems {
    /// The problems that no visitor got, which got `seen` others. A stream that breaks off is the last one.
    fn unseen(self, seen: u64) -> impl Iterator<Item = Problem> {
        let last = self.last.filter(|_| self.of_games > seen);
        self.of_item.into_iter().chain(last)
    }
}

/// A visitor on its way through one item; it goes back to the others at the end.
struct VisitTask<'a, V> {
    visitor: Option<V>,
    done: &'a Mutex<Vec<V>>,
    /// How many problems of games visitors got.
    seen: &'a AtomicU64,
    /// Whether one of the visitors wants no more: then none gets more.
    stopped: &'a AtomicBool,
    /// How many games of a text are before those that are read now; `None` if that is not known.
    first: Option<u32>,
}

impl<V> Drop for VisitTask<'_, V> {
    fn drop(&mut self) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.extend(self.visitor.take());
    }
}

impl<V: Visitor> VisitTask<'_, V> {
    /// Calls the visitor, unless one of them wants no more.
    fn call(&mut self, call: impl FnOnce(&mut V) -> Flow) -> Flow {
        let Some(visitor) = self.visitor.as_mut() else {
            return Flow::Stop;
        };
        if self.stopped.load(Ordering::Relaxed) {
            return Flow::Stop;
        }
        let flow = call(visitor);
        if flow == Flow::Stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        flow
    }
}

impl<V: Visitor> Visitor for VisitTask<'_, V> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        // Guiding texts were left out by the selection.
        debug_assert!(head.kind == RecordKind::Game);
        let game = GameIndex(game.0.saturating_add(self.first.unwrap_or_default()));
        self.call(|visitor| visitor.begin_game(game, head))
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.call(|visitor| visitor.visit_move(before, ply))
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.call(|visitor| visitor.visit_annotation(annotation))
    }

    fn begin_variation(&mut self) -> Flow {
        self.call(Visitor::begin_variation)
    }

    fn end_variation(&mut self) {
        let _ = self.call(|visitor| {
            visitor.end_variation();
            Flow::Go
        });
    }

    fn end_game(&mut self, result: GameResult) {
        let _ = self.call(|visitor| {
            visitor.end_game(result);
            Flow::Go
        });
    }
}

impl<V: Visitor + Send> Task for VisitTask<'_, V> {
    type Out = ();

    fn swap(&mut self, (): &mut ()) {}

    fn set_first_game(&mut self, first: u32) {
        self.first = self.first.map(|_| first);
    }

    fn on_problem(&mut self, problem: &Problem) {
        let is_of_game = problem.error.location().game.is_some();
        self.seen.fetch_add(is_of_game.into(), Ordering::Relaxed);
        if !is_of_game {
            return;
        }
        let _ = self.call(|visitor| visitor.problem(problem.clone()));
    }
}
