//! Openings of games by position.

use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex};
use tabia_query::Query;
use tabia_query::openings::Opening;

pub use crate::eco_tagger::EcoUpdate;

use crate::eco_tagger::Mainline;
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;

/// Which games, and how they are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct EcoOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Threads that read.
    pub threads: usize,
    /// Which records.
    pub selection: Selection,
    /// Which games among them.
    pub filter: Query,
    /// The first problem ends the job.
    pub strict: bool,
    /// Number of games of an item after which no more are read; `None` for all.
    pub limit: Option<u64>,
}

/// The opening of a game.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OpeningRow {
    /// Which game.
    pub game: GameIndex,
    /// Its last named position: the name, and the number of plies before it.
    pub opening: Option<(Opening, u32)>,
    /// Whether it is a game of Chess960; positions that also occur after the usual start have names there, too.
    pub chess960: bool,
}

/// Passes on the opening of each game of an item, in order: that of the last mainline position that has a
/// name.
///
/// # Errors
/// When the item cannot be read, and errors of `emit`.
pub fn openings_of(
    item: &InputItem,
    options: &EcoOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    emit: &mut dyn FnMut(&OpeningRow) -> Result<(), Error>,
) -> Result<Summary, Error> {
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    let plan = ScanOptions {
        threads: options.threads,
        selection: options.selection.clone(),
        filter: Some(options.filter.clone()).filter(|query| !query.is_empty()),
        strict: options.strict,
        want: Want::MAINLINE,
        ..ScanOptions::default()
    }
    .for_item(item, &options.open, progress)?;
    reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
        let tasks = (0..plan.threads.max(1))
            .map(|_| OpeningTask::default())
            .collect();
        let mut left = options.limit.unwrap_or(u64::MAX);
        scan(reporter, input, &plan, tasks, &mut |base, rows| {
            for row in rows.iter_mut() {
                if left == 0 {
                    return Ok(false);
                }
                left -= 1;
                row.game = base.game(row.game);
                emit(row)?;
            }
            Ok(left > 0)
        })
    })?;
    Ok(summary)
}

#[derive(Default)]
struct OpeningTask {
    mainline: Mainline,
    game: GameIndex,
    is_game: bool,
    chess960: bool,
    rows: Vec<OpeningRow>,
}

impl Visitor for OpeningTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.is_game = head.kind == RecordKind::Game;
        self.game = game;
        self.chess960 = head.start.chess960;
        self.mainline.begin(head);
        if self.is_game { Flow::Go } else { Flow::Skip }
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.mainline.visit_move(before, ply) {
            Flow::Go
        } else {
            Flow::Skip
        }
    }

    fn end_game(&mut self, _result: GameResult) {
        if self.is_game {
            self.rows.push(OpeningRow {
                game: self.game,
                opening: self.mainline.end(),
                chess960: self.chess960,
            });
        }
    }
}

impl Task for OpeningTask {
    type Out = Vec<OpeningRow>;

    fn swap(&mut self, out: &mut Vec<OpeningRow>) {
        out.clear();
        std::mem::swap(&mut self.rows, out);
    }
}
