//! A cache of the first moves of games: many begin alike, and what is known of a line is not tested again.

use std::fmt;

use super::position::{NextMoveCache, Position};
use super::types::Move;

/// Lines in a cache; a power of two.
const LINES: usize = 4096;

/// Lines that are asked for before there is any memory for them: few games take none.
const FIRST: u32 = 32;

/// How often a line that was found is kept when another wants its slot.
const KEPT: u8 = 7;

/// The lines from the standard start position that were read before, by the texts of their moves: the legal move
/// that a text names, whether it gives check, and the position after it. One mebibyte once 32 lines were added; rare
/// lines make room for others.
///
/// Texts are compared as numbers, so that any code of moves will do in which equal codes in one position
/// mean the same move.
///
/// ```
/// use tabia_core::chess::{Line, OpeningCache, Ply, Position, san};
///
/// let mut cache = OpeningCache::new();
/// let mut hits = 0;
/// for _ in 0..100 {
///     let (mut line, mut position) = (Line::START, Position::standard());
///     for text in ["e4", "e5", "Nf3"] {
///         let code = text.bytes().fold(0, |code, byte| code << 8 | u64::from(byte));
///         if let Some((next, m)) = cache.find(line, code) {
///             assert_eq!(cache.before(line, next).san(m).to_string(), text);
///             (line, hits) = (next, hits + 1);
///             position = cache.after(line).clone();
///             continue;
///         }
///         if let Ok(Ply::Move(m)) = san::read(&position, text.as_bytes()) {
///             position.cache_check(m);
///             cache.insert(line, code, &position, m);
///         }
///         break;
///     }
/// }
/// // The first 32 games are not remembered, and the next ones add a move each.
/// assert_eq!(hits, 1 + 2 + 3 * 65);
/// ```
pub struct OpeningCache {
    start: Position,
    entries: Vec<Entry>,
    /// Lines that were asked to be inserted so far.
    inserted: u64,
}

/// A line of an [`OpeningCache`], until the next one is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    slot: u32,
    /// Unique among all lines that the cache has ever had; 0 is the start.
    serial: u64,
}

impl Line {
    /// No moves.
    pub const START: Self = Self { slot: 0, serial: 0 };
}

/// A line: its last move. What is compared is in one cache line, the position in others.
#[derive(Clone)]
#[repr(align(64))]
struct Entry {
    /// The serial number of the line without the last move; `u64::MAX` in a free slot.
    parent: u64,
    text: u64,
    serial: u64,
    /// What the position before the last move has cached of it.
    known: NextMoveCache,
    m: Move,
    uses: u8,
    after: Position,
}
const _: () = assert!(size_of::<Entry>() == 256);

impl Default for OpeningCache {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for OpeningCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpeningCache").finish_non_exhaustive()
    }
}

impl OpeningCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            start: Position::standard(),
            entries: Vec::new(),
            inserted: 0,
        }
    }

    /// Whether lines of the cache begin at `position`.
    #[inline]
    pub fn begin_at(&self, position: &Position) -> bool {
        self.start == *position
    }

    /// The line that continues `line` by the move that `text` stands for, and that move.
    #[inline]
    pub fn find(&mut self, line: Line, text: u64) -> Option<(Line, Move)> {
        let slot = slot(line, text);
        let entry = self.entries.get_mut(slot)?;
        if entry.parent != line.serial || entry.text != text {
            return None;
        }
        entry.uses = KEPT;
        let found = Line {
            slot: slot as u32,
            serial: entry.serial,
        };
        Some((found, entry.m))
    }

    /// The position at the end of `line`; it has cached whether the last move of `next`, which was found there,
    /// is legal and gives check.
    #[inline]
    pub fn before(&mut self, line: Line, next: Line) -> &Position {
        let known = self.entries.get(next.slot as usize);
        let known = known.map_or(NextMoveCache::EMPTY, |entry| entry.known);
        let position = match self.entries.get_mut(line.slot as usize) {
            Some(entry) if line != Line::START => &mut entry.after,
            _ => &mut self.start,
        };
        position.next_move = known;
        position
    }

    /// The position at the end of a line.
    #[inline]
    pub fn after(&self, line: Line) -> &Position {
        match self.entries.get(line.slot as usize) {
            Some(entry) if line != Line::START => &entry.after,
            _ => &self.start,
        }
    }

    /// Keeps that `text` stands for the legal move `m` after `line`, where the position is `before`, with all that it
    /// has cached of the move.
    pub fn insert(&mut self, line: Line, text: u64, before: &Position, m: Move) {
        self.inserted += 1;
        if self.entries.is_empty() {
            if self.inserted <= FIRST.into() {
                return;
            }
            self.entries = vec![Entry::free(); LINES];
        }
        let Some(entry) = self.entries.get_mut(slot(line, text)) else {
            return;
        };
        if entry.uses > 0 {
            entry.uses -= 1;
            return;
        }
        let known = before.next_move;
        entry.parent = line.serial;
        entry.text = text;
        entry.serial = self.inserted;
        entry.known = known;
        entry.m = m;
        entry.after.clone_from(before);
        entry.after.play(m);
    }
}

impl Entry {
    fn free() -> Self {
        Self {
            parent: u64::MAX,
            text: 0,
            serial: u64::MAX,
            known: NextMoveCache::EMPTY,
            m: Move::normal(super::Square::A1, super::Square::A1),
            uses: 0,
            after: Position::standard(),
        }
    }
}

/// The slot of a line.
#[inline(always)]
fn slot(line: Line, text: u64) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (line.serial.wrapping_mul(FACTOR).rotate_left(32) ^ text).wrapping_mul(FACTOR);
    (mixed >> (64 - LINES.ilog2())) as usize
}
