//! Hands every game to visitors on several threads.

use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::{Error, GameIndex, Problem};

use crate::input::InputItem;
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
    let mut read = |item: &InputItem| {
        let mut observer = crate::NoObserver;
        scan_item(item, job, &mut observer, |reporter, input| {
            let options = options.for_item(item, &job.options.open, &Arc::default())?;
            let mut owned = visitors.lock().unwrap_or_else(PoisonError::into_inner);
            let tasks = owned
                .drain(..)
                .map(|visitor| VisitTask {
                    visitor: Some(visitor),
                    done: &visitors,
                })
                .collect();
            drop(owned);
            scan(reporter, input, &options, tasks, &mut |_, ()| Ok(true))
        })?;
        Ok(true)
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

/// A visitor on its way through one item; it goes back to the others at the end.
struct VisitTask<'a, V> {
    visitor: Option<V>,
    done: &'a Mutex<Vec<V>>,
}

impl<V> Drop for VisitTask<'_, V> {
    fn drop(&mut self) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.extend(self.visitor.take());
    }
}

impl<V: Visitor> Visitor for VisitTask<'_, V> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        // Guiding texts were left out by the selection.
        debug_assert!(head.kind == RecordKind::Game);
        match &mut self.visitor {
            Some(visitor) => visitor.begin_game(game, head),
            None => Flow::Stop,
        }
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        match &mut self.visitor {
            Some(visitor) => visitor.visit_move(before, ply),
            None => Flow::Stop,
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        match &mut self.visitor {
            Some(visitor) => visitor.visit_annotation(annotation),
            None => Flow::Stop,
        }
    }

    fn begin_variation(&mut self) -> Flow {
        match &mut self.visitor {
            Some(visitor) => visitor.begin_variation(),
            None => Flow::Stop,
        }
    }

    fn end_variation(&mut self) {
        if let Some(visitor) = &mut self.visitor {
            visitor.end_variation();
        }
    }

    fn end_game(&mut self, result: GameResult) {
        if let Some(visitor) = &mut self.visitor {
            visitor.end_game(result);
        }
    }
}

impl<V: Visitor + Send> Task for VisitTask<'_, V> {
    type Out = ();

    fn swap(&mut self, (): &mut ()) {}

    fn on_problem(&mut self, problem: &Problem) {
        if let Some(visitor) = &mut self.visitor {
            let _ = visitor.problem(problem.clone());
        }
    }
}
