//! The lines of games as they are read.

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::{GameIndex, Problem};

use crate::game_facts_row::Row;
use crate::keys::{is_same, rights_of};
use crate::move_symbols;

/// Longest line that is indexed, in plies.
pub(crate) const MAX_PLIES: u32 = 60_000;

/// Games in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The symbols of the lines, one line after the other.
    pub(crate) symbols: Vec<u8>,
    pub(crate) games: Vec<BatchGame>,
    /// Start positions other than the standard one.
    pub(crate) starts: Vec<Position>,
}

/// A game of a [`Batch`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchGame {
    /// The end of its symbols.
    pub(crate) end: u32,
    pub(crate) plies: u32,
    /// 0 for the standard position, else the number of the start position from 1.
    pub(crate) start: u32,
    /// The game cannot be played from its symbols and is only listed.
    pub(crate) irregular: bool,
    pub(crate) row: Row,
}

impl Batch {
    /// Number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Removes all games and keeps the memory.
    pub fn clear(&mut self) {
        self.symbols.clear();
        self.games.clear();
        self.starts.clear();
    }

    /// The number of a start position.
    fn start_of(&mut self, position: &Position, standard: &Position) -> u32 {
        if is_same(position, standard) {
            return 0;
        }
        self.starts.push(position.clone());
        self.starts.len() as u32
    }

    /// The start position with a number.
    pub(crate) fn start(&self, number: u32) -> Option<&Position> {
        self.starts.get((number as usize).checked_sub(1)?)
    }
}

/// Collects the mainlines of the games that it visits, with their ratings, dates and results. Guiding
/// texts are left out.
#[derive(Debug)]
pub struct Collector {
    batch: Batch,
    standard: Position,
    /// The game being visited; `None` for a guiding text.
    current: Option<Current>,
    /// The line of the next game, if it is known.
    known: Vec<u8>,
}

#[derive(Debug)]
struct Current {
    game: GameIndex,
    ratings: [u16; 2],
    date: tabia_core::game::Date,
    deleted: bool,
    /// The position at the start of the game, until the first move.
    head: Option<Position>,
    start: u32,
    plies: u32,
    rights: u8,
    irregular: bool,
    /// The line was known: moves need not be visited.
    is_known: bool,
    /// Something of the game could not be read.
    has_problem: bool,
}

impl Default for Collector {
    fn default() -> Self {
        Self {
            batch: Batch::default(),
            standard: Position::standard(),
            current: None,
            known: Vec::new(),
        }
    }
}

impl Collector {
    /// What has to be read of the games.
    pub const WANT: Want = Want::TAGS.and(Want::MAINLINE);

    /// A collector without games.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the games since the last call in exchange for an empty or used batch.
    pub fn swap(&mut self, batch: &mut Batch) {
        batch.clear();
        self.drop_incomplete();
        std::mem::swap(&mut self.batch, batch);
    }

    /// The line of a game if it is the one that was visited last and began in the standard position; for
    /// [`set_line`](Self::set_line).
    pub fn line_of(&self, game: GameIndex) -> Option<&[u8]> {
        let mut games = self.batch.games.iter().rev();
        let last = games.next()?;
        let from = games.next().map_or(0, |before| before.end as usize);
        let is_whole = last.row.game() == game && last.start == 0 && !last.irregular;
        let line = self.batch.symbols.get(from..last.end as usize)?;
        (is_whole && !line.is_empty()).then_some(line)
    }

    /// The next game has the line of another one: its moves need not be visited.
    ///
    /// ```
    /// use tabia_core::GameIndex;
    /// use tabia_core::chess::Position;
    /// use tabia_core::game::{GameHead, GameResult, Visitor};
    /// use tabia_index::{Batch, Collector};
    ///
    /// let (mut collector, mut batch) = (Collector::new(), Batch::default());
    /// let start = Position::standard();
    /// let _ = collector.begin_game(GameIndex(0), &GameHead::default());
    /// let _ = collector.visit_move(&start, start.parse_san("e4")?);
    /// collector.end_game(GameResult::Unknown);
    /// let line = collector.line_of(GameIndex(0)).unwrap_or_default().to_vec();
    /// collector.set_line(&line);
    /// let _ = collector.begin_game(GameIndex(1), &GameHead::default());
    /// collector.end_game(GameResult::Unknown);
    /// assert_eq!(collector.line_of(GameIndex(1)), Some(line.as_slice()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_line(&mut self, line: &[u8]) {
        self.known.clear();
        self.known.extend_from_slice(line);
    }

    /// Forgets a game that did not end.
    fn drop_incomplete(&mut self) {
        self.current = None;
        let end = self.batch.games.last().map_or(0, |game| game.end);
        self.batch.symbols.truncate(end as usize);
        let used = self.batch.games.iter().map(|game| game.start).max();
        self.batch
            .starts
            .truncate(used.unwrap_or_default() as usize);
    }
}

impl Visitor for Collector {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if self.current.is_some() {
            self.drop_incomplete();
        }
        let is_known = !self.known.is_empty();
        if head.kind == RecordKind::Text {
            self.known.clear();
            return Flow::Skip;
        }
        self.batch.symbols.append(&mut self.known);
        let tags = &head.tags;
        self.current = Some(Current {
            game,
            ratings: [tags.white_elo(), tags.black_elo()].map(Option::unwrap_or_default),
            date: tags.date().unwrap_or_default(),
            deleted: head.deleted,
            head: head.first_position(),
            start: 0,
            plies: 0,
            rights: 0,
            irregular: false,
            is_known,
            has_problem: false,
        });
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let Some(current) = &mut self.current else {
            return Flow::Skip;
        };
        if current.is_known {
            return Flow::Skip;
        }
        let rights = rights_of(before);
        if current.plies == 0 {
            current.start = self.batch.start_of(before, &self.standard);
        } else if rights & !current.rights != 0 {
            // The reader granted a right that playing the moves does not give.
            current.irregular = true;
        }
        current.rights = rights;
        current.plies += 1;
        current.irregular |= current.plies > MAX_PLIES;
        if !current.irregular {
            move_symbols::encode(before, ply, &mut self.batch.symbols);
        }
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        if current.is_known {
            let from = self.batch.games.last().map_or(0, |game| game.end);
            let line = self.batch.symbols.get(from as usize..);
            current.plies = move_symbols::count(line.unwrap_or_default());
        } else if current.plies == 0 {
            // Where a game ended whose moves could not be read is not known.
            let first = current.head.take().filter(|_| !current.has_problem);
            match first {
                Some(position) => current.start = self.batch.start_of(&position, &self.standard),
                None => current.irregular = true,
            }
        }
        if current.irregular {
            let end = self.batch.games.last().map_or(0, |game| game.end);
            self.batch.symbols.truncate(end as usize);
        }
        let row = Row::new(
            current.game,
            current.ratings,
            current.date,
            result,
            current.deleted,
        );
        self.batch.games.push(BatchGame {
            end: self.batch.symbols.len() as u32,
            plies: if current.irregular { 0 } else { current.plies },
            start: current.start,
            irregular: current.irregular,
            row,
        });
    }

    fn problem(&mut self, _problem: Problem) -> Flow {
        if let Some(current) = &mut self.current {
            current.has_problem = true;
        }
        Flow::Go
    }
}
