//! Finds games in a game file without the index: where a blob ends follows from its moves.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use tabia_core::chess::Setup;
use tabia_core::io::Cursor;

use crate::games::common::salvage::{IndexedGame, MainlineEnd};

use super::blob_parts::{Tag, are_moves_wiped, read_start, read_tag, variation_follows};
use super::board::{Board, token};
use super::entry::Entry;
use super::version::Version;

/// The magic that begins the game files of old versions of Scid; the version and a zero follow.
const MAGIC: &[u8; 8] = b"Scid.sg\0";
const HEADER: usize = 11;
/// The least plies of a blob at an unexpected offset: shorter ones can occur by chance.
const MIN_PLIES: u32 = 6;
/// Moves and tags that failed attempts may read between one game and the next. Real damage needs
/// few; the limit bounds the time for crafted files.
const MAX_EFFORT: usize = 1 << 22;
/// All bits of the byte before the moves.
const START_BITS: u8 = 7;

/// A game that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) at: u64,
    pub(crate) length: u32,
    pub(crate) end: MainlineEnd,
    /// Its texts have no control characters and its tags have names.
    is_plausible: bool,
}

impl Found {
    /// Whether such a game does not occur by chance.
    pub(crate) fn is_sure(&self) -> bool {
        self.is_plausible && self.end.plies >= MIN_PLIES
    }

    /// The game of an entry, which was not played.
    pub(crate) fn stated(entry: &Entry) -> Self {
        Self {
            at: entry.blob_at,
            length: entry.blob_length,
            end: entry.end(),
            is_plausible: false,
        }
    }
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    pub(crate) games: Vec<Found>,
    /// Bytes outside games that are not zero.
    pub(crate) unread: u64,
    /// Repeated games, which fill the ends of blocks.
    pub(crate) copies: u64,
}

/// Searches a part of the file for games.
pub(crate) fn scan(version: Version, file: &[u8], part: Range<usize>, depth: u32) -> Finds {
    let mut finds = Finds::default();
    let mut seen = HashSet::new();
    let mut at = part.start;
    if at == 0 && file.starts_with(MAGIC) {
        at = HEADER;
    }
    // A game is expected after another one and at the start of a block.
    let mut is_expected = true;
    let mut left = MAX_EFFORT;
    while at < part.end {
        let block = block_end(version, at).min(part.end);
        let found = if is_expected || left > 0 {
            let (found, spent) = attempt(file, at, block, depth);
            left = left.saturating_sub(spent);
            found
        } else {
            None
        };
        let is_sure = |found: &Found| is_expected || found.is_sure();
        if let Some(found) = found.filter(is_sure) {
            let next = at + found.length as usize;
            let bytes = file.get(at..next).unwrap_or_default();
            let is_new = seen.insert(hash(bytes));
            if is_new || is_expected {
                finds.games.push(found);
            } else {
                finds.copies += 1;
            }
            at = next;
            is_expected = true;
            left = MAX_EFFORT;
        } else {
            finds.unread += u64::from(file.get(at).is_some_and(|&byte| byte != 0));
            at += 1;
            is_expected = at == block;
            if is_expected {
                left = MAX_EFFORT;
            }
        }
    }
    finds
}

/// The end of the block that contains `at`. No game crosses it.
pub(crate) fn block_end(version: Version, at: usize) -> usize {
    let block = version.block() as usize;
    (at / block).saturating_add(1).saturating_mul(block)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The game that begins at `at` and ends before `end`. `None` if its moves cannot be played.
pub(crate) fn game_at(file: &[u8], at: usize, end: usize, depth: u32) -> Option<Found> {
    attempt(file, at, end, depth).0
}

/// As [`game_at`], with the number of moves and tags that were read.
pub(crate) fn attempt(file: &[u8], at: usize, end: usize, depth: u32) -> (Option<Found>, usize) {
    let mut spent = 1;
    (try_at(file, at, end, depth, &mut spent), spent)
}

fn try_at(file: &[u8], at: usize, end: usize, depth: u32, spent: &mut usize) -> Option<Found> {
    let bytes = file.get(at..end)?;
    let mut cursor = Cursor::new(bytes);
    let mut is_plausible = true;
    while let Some(tag) = read_tag(&mut cursor).ok()? {
        is_plausible &= is_tag_plausible(&tag);
        *spent += 1;
    }
    if *cursor.rest().first()? > START_BITS {
        return None;
    }
    let board = match read_start(&mut cursor).ok()? {
        None => Board::standard(),
        Some(fen) => Board::from_setup(&Setup::parse_fen(fen).ok()?)?,
    };
    let moves = moves_at(bytes, cursor.offset(), board, depth, spent)?;
    let mut at_end = moves.at;
    for _ in 0..moves.marks {
        *spent += 1;
        let rest = bytes.get(at_end..)?;
        let comment = rest.get(..memchr::memchr(0, rest)?)?;
        is_plausible &= !comment.iter().any(|&byte| is_control(byte));
        at_end += comment.len() + 1;
    }
    Some(Found {
        at: at as u64,
        length: u32::try_from(at_end).ok()?,
        end: moves.end,
        is_plausible,
    })
}

/// The moves of a game that were played.
struct Moves {
    /// Offset after the moves.
    at: usize,
    marks: usize,
    end: MainlineEnd,
}

/// Plays all moves from `at` on. `None` if one of them cannot be played.
fn moves_at(
    bytes: &[u8],
    mut at: usize,
    mut board: Board,
    depth: u32,
    spent: &mut usize,
) -> Option<Moves> {
    let mut marks = 0;
    let mut plies = 0;
    let mut before: Option<Board> = None;
    let mut open: Vec<(Option<Board>, Board)> = Vec::new();
    loop {
        *spent += 1;
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            token::NAG => at += 1,
            token::COMMENT => marks += 1,
            token::BEGIN_VARIATION => {
                if open.len() >= depth as usize {
                    return None;
                }
                let start = before.clone()?;
                let after = std::mem::replace(&mut board, start);
                open.push((before.take(), after));
            }
            token::END_VARIATION => (before, board) = open.pop()?,
            token::END_GAME => break,
            0 if are_moves_wiped(bytes.get(at..)?) => return None,
            _ => {
                let ply = board.decode(byte, || {
                    let second = bytes.get(at).copied();
                    at += 1;
                    second
                })?;
                before = variation_follows(bytes, at).then(|| board.clone());
                board.play(byte, ply);
                plies += u32::from(open.is_empty());
            }
        }
    }
    open.is_empty().then(|| Moves {
        at,
        marks,
        end: MainlineEnd::new(plies, &board.position),
    })
}

fn is_tag_plausible(tag: &Tag<'_>) -> bool {
    match tag {
        Tag::Text { name, value } => {
            name.iter().all(u8::is_ascii_graphic) && !value.iter().any(|&byte| is_control(byte))
        }
        // A date from before Scid 3.
        Tag::EventDate(bits) => bits >> 9 < 2100 && (bits >> 5 & 15) <= 12,
        Tag::Unknown { .. } => false,
    }
}

/// Whether a byte is a control character other than white space, which texts do not contain.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}
