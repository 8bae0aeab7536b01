//! How many games each term of a query leaves.

use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex};
use tabia_query::{Answer, Matcher, Query};

use crate::dedupe::known_duplicates;
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;

/// Which games, and how they are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExplainOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Threads that read.
    pub threads: usize,
    /// Which records.
    pub selection: Selection,
    /// The first problem ends the job.
    pub strict: bool,
}

/// Counts the games of an item, and of them those that fit each of several queries, in one pass; the number
/// of all games comes first. [`Query::plan`] makes such queries of one.
///
/// # Errors
/// When the item cannot be read.
pub fn count_each(
    item: &InputItem,
    queries: &[Query],
    options: &ExplainOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Vec<u64>), Error> {
    let queries = queries.iter();
    let queries = queries
        .map(|query| known_duplicates(item, query, &options.open, options.threads, progress))
        .collect::<Result<Vec<Query>, Error>>()?;
    let mut want = Want::TAGS;
    for query in &queries {
        want = want.and(Matcher::new(query).want());
    }
    let mut plan = ScanOptions {
        threads: options.threads,
        selection: options.selection.clone(),
        strict: options.strict,
        want,
        ..ScanOptions::default()
    };
    if queries.iter().any(Query::asks_for_numbers) {
        // Numbers of games are known only when all before them were counted.
        plan.threads = 1;
    }
    let matcher = |query: &Query| Matcher::new(query).for_database(&item.name());
    let task = CountTask {
        matchers: queries.iter().map(matcher).collect(),
        counts: vec![0; queries.len() + 1],
    };
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    let mut sums = vec![0; queries.len() + 1];
    reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
        let tasks = vec![task; plan.threads.max(1)];
        scan(reporter, input, &plan, tasks, &mut |_, counts| {
            for (sum, count) in sums.iter_mut().zip(counts.iter()) {
                *sum += count;
            }
            Ok(true)
        })
    })?;
    Ok((summary, sums))
}

/// Counts the games that fit each query.
#[derive(Clone)]
struct CountTask {
    matchers: Vec<Matcher>,
    counts: Vec<u64>,
}

impl CountTask {
    /// Has every matcher look that has not decided; whether the game is read on.
    fn ask(&mut self, mut look: impl FnMut(&mut Matcher)) -> Flow {
        let mut flow = Flow::Skip;
        for matcher in &mut self.matchers {
            if matcher.answer() == Answer::Maybe {
                look(matcher);
            }
            if matcher.answer() == Answer::Maybe {
                flow = Flow::Go;
            }
        }
        flow
    }
}

impl Visitor for CountTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        let mut flow = Flow::Skip;
        for matcher in &mut self.matchers {
            let _ = matcher.begin_game(game, head);
            if matcher.answer() == Answer::Maybe {
                flow = Flow::Go;
            }
        }
        flow
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.ask(|matcher| {
            let _ = matcher.visit_move(before, ply);
        })
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.ask(|matcher| {
            let _ = matcher.visit_annotation(annotation);
        })
    }

    fn begin_variation(&mut self) -> Flow {
        self.ask(|matcher| {
            let _ = matcher.begin_variation();
        })
    }

    fn end_variation(&mut self) {
        let _ = self.ask(Visitor::end_variation);
    }

    fn end_game(&mut self, result: GameResult) {
        let _ = self.ask(|matcher| matcher.end_game(result));
        let fits = |matcher: &Matcher| u64::from(matcher.answer() == Answer::Yes);
        let games = std::iter::once(1).chain(self.matchers.iter().map(fits));
        for (count, game) in self.counts.iter_mut().zip(games) {
            *count += game;
        }
    }
}

impl Task for CountTask {
    type Out = Vec<u64>;

    fn swap(&mut self, out: &mut Vec<u64>) {
        out.clear();
        out.resize(self.counts.len(), 0);
        std::mem::swap(&mut self.counts, out);
    }

    fn set_first_game(&mut self, first: u32) {
        for matcher in &mut self.matchers {
            matcher.set_first_game(first);
        }
    }
}
