//! [`Lines`]: the lines of an index, one after the other.

use std::ops::Range;

use tabia_core::GameIndex;
use tabia_core::chess::Position;
use tabia_core::game::{Flow, GameHead, GameResult, Visitor};

use crate::directory::Unusable;
use crate::layout::LINES_PER_BLOCK;
use crate::move_symbols;
use crate::reader::{PositionIndex, Segment, read_next};
use crate::section_reader::read_number;

/// The lines of some ranks of a segment. Games with equal moves are one line.
///
/// ```
/// # use tabia_core::GameIndex;
/// # use tabia_core::game::{Game, Visitor, Want};
/// # use tabia_core::io::{Blob, Progress};
/// # use tabia_index::{Batch, BuildOptions, Builder, Collector, PositionIndex};
/// # let (mut collector, mut batch) = (Collector::new(), Batch::default());
/// # let _ = Game::new().replay(GameIndex(0), Want::ALL, &mut collector);
/// # let _ = Game::new().replay(GameIndex(1), Want::ALL, &mut collector);
/// # collector.swap(&mut batch);
/// # let progress = Progress::new();
/// # let mut builder = Builder::in_memory(BuildOptions::default(), &progress)?;
/// # builder.add(&batch, 0)?;
/// # let (_, bytes) = builder.finish_bytes(b"two games")?.unwrap_or_default();
/// let index = PositionIndex::open(&Blob::from(bytes))?;
/// let mut lines = index.lines(0, index.ranks(0))?;
/// assert_eq!(lines.next_line()?, Some(0..2));
/// assert_eq!(lines.next_line()?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Lines<'i> {
    segment: &'i Segment,
    /// The rank of the next line, and the one after the last line.
    next: u32,
    end: u32,
    /// The bytes of the block from the next line on.
    rest: &'i [u8],
    line: Vec<u8>,
    start: Position,
    head: GameHead,
    /// Whether the start position is that of the line before.
    is_started: bool,
    position: Position,
}

impl PositionIndex {
    /// The lines of some ranks of a segment.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn lines(&self, segment: usize, ranks: Range<u32>) -> Result<Lines<'_>, Unusable> {
        Lines::new(self.segment(segment)?, ranks)
    }
}

impl<'i> Lines<'i> {
    fn new(segment: &'i Segment, ranks: Range<u32>) -> Result<Self, Unusable> {
        let end = ranks.end.min(segment.games);
        let mut lines = Self {
            segment,
            next: ranks.start.min(end),
            end,
            rest: &[],
            line: Vec::new(),
            start: Position::standard(),
            head: GameHead::default(),
            is_started: false,
            position: Position::standard(),
        };
        if lines.next < end {
            let (mut rest, first) = segment.lines_from(lines.next)?;
            for _ in first..lines.next {
                read_next(&mut rest, &mut lines.line).ok_or_else(|| segment.damaged_line())?;
            }
            lines.rest = rest;
        }
        Ok(lines)
    }

    /// Goes to the next line; the ranks of the games that have it, `None` after the last.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn next_line(&mut self) -> Result<Option<Range<u32>>, Unusable> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        if !self.is_started || self.segment.common(first)? == 0 {
            let start = self.segment.start(first)?;
            self.start.clone_from(start);
            let is_standard = *start == Position::standard();
            let setup = || Box::new(start.to_setup());
            self.head.start.setup = (!is_standard).then(setup);
            self.is_started = true;
        }
        self.turn_block()?;
        read_next(&mut self.rest, &mut self.line).ok_or_else(|| self.segment.damaged_line())?;
        self.next += 1;
        while self.next < self.end && self.is_next_equal()? {
            read_next(&mut self.rest, &mut self.line).ok_or_else(|| self.segment.damaged_line())?;
            self.next += 1;
        }
        Ok(Some(first..self.next))
    }

    /// Begins the next block if the next line is the first of it.
    fn turn_block(&mut self) -> Result<(), Unusable> {
        if self.next.is_multiple_of(LINES_PER_BLOCK as u32) {
            (self.rest, _) = self.segment.lines_from(self.next)?;
        }
        Ok(())
    }

    /// Whether the next rank has the same line.
    fn is_next_equal(&mut self) -> Result<bool, Unusable> {
        if self.segment.common(self.next)? == 0 {
            return Ok(false);
        }
        self.turn_block()?;
        let mut rest = self.rest;
        let lengths = read_number(&mut rest).zip(read_number(&mut rest));
        let (shared, own) = lengths.ok_or_else(|| self.segment.damaged_line())?;
        if self.next.is_multiple_of(LINES_PER_BLOCK as u32) {
            return Ok(shared == 0 && rest.get(..own) == Some(self.line.as_slice()));
        }
        Ok(own == 0 && shared == self.line.len())
    }

    /// Hands the line on as a game whose number is `game`, whose head has nothing but the start position,
    /// and whose result is unknown; no further than the visitor wants.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn visit(&mut self, game: GameIndex, visitor: &mut dyn Visitor) -> Result<(), Unusable> {
        if visitor.begin_game(game, &self.head) != Flow::Go {
            return Ok(());
        }
        self.position.clone_from(&self.start);
        let mut rest = self.line.as_slice();
        while let Some(&first) = rest.first() {
            let played = move_symbols::decode(&self.position, rest);
            let played = played.ok_or_else(|| self.segment.damaged_line())?;
            if visitor.visit_move(&self.position, played) != Flow::Go {
                break;
            }
            self.position.play_ply(played);
            rest = rest.get(move_symbols::length(first)..).unwrap_or_default();
        }
        visitor.end_game(GameResult::Unknown);
        Ok(())
    }
}
