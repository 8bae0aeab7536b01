//! The games from which a move got its weight.

use std::sync::Arc;

use tabia_core::books::Wdl;
use tabia_core::chess::{Color, Move, Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Date, Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex};
use tabia_query::Query;

use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::{RecordRanges, Selection};

/// Which move in which games. The other fields have the same meaning as when the book was built.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExplainQuery {
    /// The position.
    pub position: Position,
    /// The move; `None` for any.
    pub m: Option<Move>,
    /// Which games count.
    pub filter: Query,
    /// Number of plies that count of each game, at most.
    pub max_ply: u32,
    /// Only the games with these numbers in their source; `None` is all.
    pub numbers: Option<RecordRanges>,
    /// Records marked as deleted too.
    pub deleted: bool,
}

impl ExplainQuery {
    /// Any move of the position, in the first 1024 plies of all games.
    pub fn new(position: Position) -> Self {
        Self {
            position,
            m: None,
            filter: Query::default(),
            max_ply: 1024,
            numbers: None,
            deleted: false,
        }
    }
}

/// A game in which the move was played.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MoveOccurrence {
    /// Number of the game in its input.
    pub game: GameIndex,
    /// The move.
    pub san: String,
    /// Number of plies before the move.
    pub ply: u32,
    /// Player with White.
    pub white: String,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Player with Black.
    pub black: String,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// The result.
    pub result: GameResult,
    /// The date.
    pub date: Date,
    /// Two for a win of the side that played the move, one for a draw or an unknown result.
    pub points: u64,
}

/// The statistics of all games in which the move was played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveStats {
    /// Number of games in which the move was played.
    pub games: u64,
    /// Number of times the move was played: more than the games if one of them repeats it.
    pub times: u64,
    /// Results of those games.
    pub results: Wdl,
    /// The points of all times: the weight before scaling.
    pub points: u64,
}

impl MoveStats {
    /// `is_new_game`: the occurrence before was in another game.
    fn add(&mut self, occurrence: &MoveOccurrence, is_new_game: bool) {
        self.times += 1;
        self.points += occurrence.points;
        if is_new_game {
            self.games += 1;
            self.results.count(occurrence.result);
        }
    }
}

/// Collects the occurrences of the move; runs on several threads.
struct OccurrenceCollector<'a> {
    query: &'a ExplainQuery,
    found: Vec<MoveOccurrence>,
    /// Index of the first occurrence in the current game.
    first: usize,
    /// The current game.
    game: MoveOccurrence,
    ply: u32,
    /// Whether the current game counts.
    counts_game: bool,
}

impl<'a> OccurrenceCollector<'a> {
    fn new(query: &'a ExplainQuery) -> Self {
        Self {
            query,
            found: Vec::new(),
            first: 0,
            game: MoveOccurrence::default(),
            ply: 0,
            counts_game: false,
        }
    }
}

impl Visitor for OccurrenceCollector<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.first = self.found.len();
        self.ply = 0;
        let tags = &head.tags;
        self.counts_game = head.kind == RecordKind::Game;
        if !self.counts_game {
            return Flow::Skip;
        }
        self.game = MoveOccurrence {
            game,
            white: tags.text("White").to_owned(),
            white_elo: tags.white_elo(),
            black: tags.text("Black").to_owned(),
            black_elo: tags.black_elo(),
            date: tags.date().unwrap_or_default(),
            ..MoveOccurrence::default()
        };
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.ply >= self.query.max_ply {
            return Flow::Skip;
        }
        self.ply += 1;
        let Ply::Move(m) = ply else { return Flow::Go };
        let is_queried = before.key() == self.query.position.key()
            && self.query.m.is_none_or(|queried| queried == m);
        if is_queried {
            self.found.push(MoveOccurrence {
                san: before.san(ply).to_string(),
                ply: self.ply - 1,
                ..self.game.clone()
            });
        }
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        if !self.counts_game {
            return;
        }
        let won = match self.query.position.turn() {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        };
        let points = match result.to_pgn() {
            GameResult::Draw | GameResult::Unknown => 1,
            other if other == won => 2,
            _ => 0,
        };
        for occurrence in self.found.get_mut(self.first..).unwrap_or_default() {
            occurrence.result = result;
            occurrence.points = points;
        }
    }
}

impl Task for OccurrenceCollector<'_> {
    type Out = Vec<MoveOccurrence>;

    fn swap(&mut self, out: &mut Vec<MoveOccurrence>) {
        out.clear();
        std::mem::swap(&mut self.found, out);
        self.first = 0;
    }
}

/// Calls `visit` with each game of the sources in which the move was played, in order. Returns the
/// statistics of these games, and the number of problems of the sources.
///
/// # Errors
/// Of the first source that cannot be read, and those of `visit`.
pub fn explain(
    items: &[InputItem],
    query: &ExplainQuery,
    open: &OpenOptions,
    threads: usize,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    visit: &mut dyn FnMut(&InputItem, &MoveOccurrence) -> Result<(), Error>,
) -> Result<(MoveStats, u64), Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let mut summary = Summary::default();
    let mut stats = MoveStats::default();
    let mut selection = Selection::games();
    selection.numbers.clone_from(&query.numbers);
    selection.deleted = query.deleted;
    let options = ScanOptions {
        threads,
        selection,
        want: Want::TAGS.and(Want::MAINLINE),
        strict: open.strict,
        filter: Some(query.filter.clone()).filter(|query| !query.is_empty()),
        ..ScanOptions::default()
    };
    for item in items {
        let tasks = (0..threads.max(1)).map(|_| OccurrenceCollector::new(query));
        let tasks = tasks.collect();
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        let options = options.for_item(item, open, progress)?;
        let mut last = None;
        reporter.read_item(open, progress, open.strict, |reporter, input| {
            scan(reporter, input, &options, tasks, &mut |base, found| {
                for occurrence in found.iter_mut() {
                    occurrence.game = base.game(occurrence.game);
                    let is_new_game = last.replace(occurrence.game) != Some(occurrence.game);
                    stats.add(occurrence, is_new_game);
                    visit(item, occurrence)?;
                }
                Ok(true)
            })
        })?;
    }
    Ok((stats, summary.problems))
}
