//! Finds games in a game file without the index: a record states its length and the end of its
//! moves.

use std::ops::Range;

use tabia_core::chess::Setup;
use tabia_core::io::Cursor;

use crate::games::common::salvage::{IndexedGame, MainlineEnd};

use super::board::{Board, token, variation_follows};
use super::entry::Entry;
use super::format_identity::SEPARATE_NAGS_SINCE;
use super::record_body;
use super::record_body::{Body, LENGTH};

/// Bytes of magic and version before the first record. Since version 94 a zero follows them.
const FIRST: usize = 10;

/// Bytes of a block. A record is inside one block, or begins one if it is longer.
pub(crate) const BLOCK: usize = 1 << 17;

/// The longest record in bytes.
pub(crate) const MAX_RECORD: usize = (1 << 20) - 1;

/// Bytes of moves that failed attempts may read between one game and the next. Real damage needs
/// few; the limit bounds the time for crafted files.
const MAX_EFFORT: usize = 1 << 19;

/// A game that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) at: usize,
    /// Bytes of the record, including its length.
    pub(crate) length: usize,
    /// Number of the start position.
    pub(crate) start: u16,
    /// `None` if its moves are not those of chess.
    pub(crate) end: Option<MainlineEnd>,
}

impl Found {
    /// Whether it can be the game of an entry.
    pub(crate) fn fits(&self, entry: &Entry) -> bool {
        let ends_as_stated = |end: MainlineEnd| end.clamped(Entry::MAX_PLIES) == entry.end();
        self.start == entry.start && self.end.is_none_or(ends_as_stated)
    }

    pub(crate) const fn range(&self) -> Range<usize> {
        self.at..self.at + self.length
    }
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    pub(crate) games: Vec<Found>,
    /// Bytes outside games that are not zero.
    pub(crate) unread: u64,
}

/// Searches a game file for games.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scanner<'a> {
    pub(crate) file: &'a [u8],
    /// The greatest depth of variations.
    pub(crate) depth: u32,
    /// The moves are those of chess.
    pub(crate) is_chess: bool,
    pub(crate) version: u16,
}

impl Scanner<'_> {
    /// The offset of the first record.
    pub(crate) const fn first(&self) -> usize {
        FIRST + (self.version >= SEPARATE_NAGS_SINCE) as usize
    }

    /// Searches a part of the file.
    pub(crate) fn scan(&self, part: Range<usize>) -> Finds {
        let mut finds = Finds::default();
        let end = part.end.min(self.file.len());
        let mut at = part.start.max(self.first());
        // A game is expected after another one and at the start of a block.
        let mut is_expected = true;
        let mut left = MAX_EFFORT;
        while at < end {
            let mut spent = 1;
            let found = if is_expected || left > 0 {
                self.attempt(at, &mut spent)
            } else {
                None
            };
            left = left.saturating_sub(spent);
            if let Some(found) = found.filter(|found| found.range().end <= end) {
                at = found.range().end;
                finds.games.push(found);
                is_expected = true;
                left = MAX_EFFORT;
            } else {
                finds.unread += u64::from(self.file.get(at).is_some_and(|&byte| byte != 0));
                at += 1;
                is_expected = at.is_multiple_of(BLOCK);
                if is_expected {
                    left = MAX_EFFORT;
                }
            }
        }
        finds
    }

    /// The game that begins at `at`. `None` if its moves cannot be played to their end.
    pub(crate) fn game_at(&self, at: usize) -> Option<Found> {
        self.attempt(at, &mut 0)
    }

    fn attempt(&self, at: usize, spent: &mut usize) -> Option<Found> {
        let rest = self.file.get(at..)?;
        let length = Cursor::new(rest).u24_be("length").ok()? as usize;
        let is_within = length <= BLOCK - at % BLOCK;
        if length > MAX_RECORD || !(is_within || at.is_multiple_of(BLOCK)) {
            return None;
        }
        let (body, malformed) = Body::read(rest.get(LENGTH..length)?, self.version).ok()?;
        if malformed.is_some() {
            return None;
        }
        let end = if self.is_chess {
            let board = match (body.fen, record_body::start(body.start)) {
                (Some(fen), _) => Board::from_setup(&Setup::parse_fen(fen).ok()?, false),
                (None, Some((start, is_array))) => match &start.setup {
                    None => Some(Board::standard()),
                    Some(setup) => Board::from_setup(setup, is_array),
                },
                (None, None) => None,
            };
            Some(self.play(body.moves, board?, spent)?)
        } else {
            let ends = [token::END, token::COMMENT].map(|last| [token::END, last]);
            ends.iter().find(|end| body.moves.ends_with(*end))?;
            None
        };
        Some(Found {
            at,
            length,
            start: body.start,
            end,
        })
    }

    /// Plays all moves. `None` if one of them cannot be played, or if bytes follow their end.
    fn play(&self, moves: &[u8], mut board: Board, spent: &mut usize) -> Option<MainlineEnd> {
        let mut at = 0;
        let mut plies = 0;
        let mut before: Option<Board> = None;
        let mut open: Vec<(Option<Board>, Board)> = Vec::new();
        let has_nags = self.version < SEPARATE_NAGS_SINCE;
        loop {
            *spent += 1;
            let byte = *moves.get(at)?;
            at += 1;
            match byte {
                token::NAG if has_nags => at += 1,
                token::MARK | token::NAG | token::COMMENT => {}
                token::BEGIN_VARIATION => {
                    if open.len() >= self.depth as usize {
                        return None;
                    }
                    let start = before.clone()?;
                    let after = std::mem::replace(&mut board, start);
                    open.push((before.take(), after));
                }
                token::END => {
                    if !matches!(*moves.get(at)?, token::END | token::COMMENT) {
                        return None;
                    }
                    at += 1;
                    match open.pop() {
                        Some(line) => (before, board) = line,
                        None => break,
                    }
                }
                byte => {
                    let ply = board.decode(byte, || {
                        let second = moves.get(at).copied();
                        at += 1;
                        second
                    })?;
                    if variation_follows(moves, at, has_nags) {
                        before = Some(board.clone());
                    }
                    board.play(ply);
                    plies += u32::from(open.is_empty());
                }
            }
        }
        (at == moves.len()).then(|| MainlineEnd::new(plies, &board.position))
    }
}
