//! Which games made a move's weight.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use tabia_core::books::{Book, GameLink, LinkedGame, Wdl};
use tabia_core::chess::{Color, Move, Ply, Position};
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Date, Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex};
use tabia_query::Query;

use super::walk::walk;
use crate::input::InputItem;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;
use crate::summary::{Observer, Summary};

/// What is asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExplainQuery {
    /// The position.
    pub position: Position,
    /// The move; `None` for any.
    pub m: Option<Move>,
    /// Which games count.
    pub filter: Query,
    /// Plies of each game that count.
    pub max_ply: u32,
}

impl ExplainQuery {
    /// Any move of the position, in the first 1024 plies of all games.
    pub fn new(position: Position) -> Self {
        Self {
            position,
            m: None,
            filter: Query::default(),
            max_ply: 1024,
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
    /// Plies before it.
    pub ply: u32,
    /// Player with White.
    pub white: String,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Player with Black.
    pub black: String,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// How it ended.
    pub result: GameResult,
    /// When.
    pub date: Date,
    /// Two for a win of the side that played the move, one for a draw or an unknown result.
    pub points: u64,
}

/// What the games make together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveStats {
    /// Times the move was played.
    pub games: u64,
    /// How those games ended.
    pub results: Wdl,
    /// The points: the weight before scaling.
    pub points: u64,
}

struct BookMove<'a> {
    question: &'a ExplainQuery,
    found: Vec<MoveOccurrence>,
    /// The current game: where its witnesses begin, what its tags say.
    first: usize,
    game: MoveOccurrence,
    ply: u32,
    passing: bool,
}

impl Visitor for BookMove<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.first = self.found.len();
        self.ply = 0;
        let tags = &head.tags;
        self.passing = head.kind == RecordKind::Game;
        if !self.passing {
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
        if self.ply >= self.question.max_ply {
            return Flow::Skip;
        }
        self.ply += 1;
        let Ply::Move(m) = ply else { return Flow::Go };
        let is_asked = before.key() == self.question.position.key()
            && self.question.m.is_none_or(|asked| asked == m);
        if is_asked {
            let mut name = Vec::new();
            tabia_core::chess::san::write(before, ply, &mut name);
            self.found.push(MoveOccurrence {
                san: String::from_utf8_lossy(&name).into_owned(),
                ply: self.ply - 1,
                ..self.game.clone()
            });
        }
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        if !self.passing {
            return;
        }
        let won = match self.question.position.turn() {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        };
        let points = match result.to_pgn() {
            GameResult::Draw | GameResult::Unknown => 1,
            other if other == won => 2,
            _ => 0,
        };
        for witness in self.found.get_mut(self.first..).unwrap_or_default() {
            witness.result = result;
            witness.points = points;
        }
    }
}

impl Task for BookMove<'_> {
    type Out = Vec<MoveOccurrence>;

    fn swap(&mut self, out: &mut Vec<MoveOccurrence>) {
        out.clear();
        std::mem::swap(&mut self.found, out);
        self.first = 0;
    }
}

/// Hands on the games of the sources in which the move was played, in order.
///
/// # Errors
/// The first source that cannot be read, or what `each` says.
pub fn explain(
    items: &[InputItem],
    question: &ExplainQuery,
    open: &OpenOptions,
    threads: usize,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    each: &mut dyn FnMut(&InputItem, &MoveOccurrence) -> Result<(), Error>,
) -> Result<(MoveStats, u64), Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let mut ledger = Summary::default();
    let mut sum = MoveStats::default();
    for item in items {
        let tasks = (0..threads.max(1))
            .map(|_| BookMove {
                question,
                found: Vec::new(),
                first: 0,
                game: MoveOccurrence::default(),
                ply: 0,
                passing: false,
            })
            .collect();
        let plan = ScanOptions {
            threads,
            selection: Selection {
                texts: false,
                ..Selection::default()
            },
            want: Want::TAGS.and(Want::MAINLINE),
            filter: Some(question.filter.clone()).filter(|query| !query.is_empty()),
            ..ScanOptions::default()
        };
        let mut opened = item.open(open, Some(progress))?;
        let mut reporter = ScanReporter {
            item,
            summary: &mut ledger,
            observer: &mut *observer,
            progress,
        };
        for error in std::mem::take(&mut opened.problems) {
            reporter.problem(error.into(), false)?;
        }
        let (input, _) = opened.into_parts();
        scan(&mut reporter, input, &plan, tasks, &mut |base, found| {
            for witness in found.iter_mut() {
                witness.game = base.game(witness.game);
                sum.games += 1;
                sum.points += witness.points;
                match witness.result.to_pgn() {
                    GameResult::WhiteWins => sum.results.white += 1,
                    GameResult::Draw => sum.results.draws += 1,
                    GameResult::BlackWins => sum.results.black += 1,
                    _ => {}
                }
                each(item, witness)?;
            }
            Ok(true)
        })?;
    }
    Ok((sum, ledger.problems))
}

/// Hands on the games that a book links to, in the position and all that it leads to in the book,
/// each once. A game may have come there by other moves.
///
/// # Errors
/// Those of the book, or what `each` says.
pub fn linked(
    book: &dyn Book,
    start: &Position,
    progress: &Progress,
    each: &mut dyn FnMut(&LinkedGame) -> Result<(), Error>,
) -> Result<u64, Error> {
    let mut seen: BTreeSet<GameLink> = BTreeSet::new();
    let mut failure = None;
    let starts = [start.clone()];
    let walked = walk(book, &starts, 0, progress, &mut |_, _, page| {
        for &link in page.games_ending_here.iter().chain(&page.sample_game) {
            if !seen.insert(link) {
                continue;
            }
            let Some(game) = book.linked_game(link)? else {
                continue;
            };
            if let Err(error) = each(&game) {
                failure = Some(error);
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Go)
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    walked?;
    Ok(seen.len() as u64)
}

/// The text of a linked game out of its source; `None` when the file is not there, or the book does
/// not say where in it the game is.
///
/// # Errors
/// When the file cannot be read.
pub fn text_of(game: &LinkedGame, limits: &Limits) -> tabia_core::Result<Option<Vec<u8>>> {
    let (Some(path), Some(offset), Some(length)) = (&game.path, game.offset, game.length) else {
        return Ok(None);
    };
    if !path.is_file() {
        return Ok(None);
    }
    let named = |error: std::io::Error| Error::from(error).in_path(path);
    let length = Limits::check("linked game", length, limits.record)?;
    let mut file = File::open(path).map_err(named)?;
    file.seek(SeekFrom::Start(offset)).map_err(named)?;
    let mut text = Vec::new();
    file.take(length as u64)
        .read_to_end(&mut text)
        .map_err(named)?;
    Ok(Some(text))
}
