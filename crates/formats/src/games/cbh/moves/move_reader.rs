//! Reads the moves of a record one by one, in stored order.

use tabia_core::chess::{Color, Move, Ply, Position, Role, Setup};
use tabia_core::error::{Error, Malformed, Why};
use tabia_core::game::Start;
use tabia_core::io::Cursor;

use super::compact_codes;
use super::compact_codes::CODES;
use super::piece_numbers::PieceNumbers;
use super::start_position;
use super::start_position::Rooks;
use super::substitution;
use super::substitution::Table;

/// Bit of the first byte: a start position follows the head.
pub(super) const HAS_START: u8 = 0x40;
/// Bits of the first byte: the encoding mode.
const MODE: u8 = 0x3f;
/// Bytes of a record's head: flags and mode, then the size of the record.
pub(super) const HEAD: usize = 4;
/// Mode of ordinary games.
pub(super) const ORDINARY: u8 = 0;
/// Mode of Chess960 games.
pub(super) const CHESS960: u8 = 10;

/// Whether the moves of a record begin in the standard position, whatever its header states.
pub(in crate::games::cbh) fn begins_in_standard_position(bytes: &[u8]) -> bool {
    bytes
        .first()
        .is_some_and(|first| first & HAS_START == 0 && !matches!(first & MODE, 10 | 11))
}

/// The move record of a game with its head and start position parsed; its moves are not.
#[derive(Debug, Clone)]
pub struct MoveRecord<'r> {
    /// The record, cut to its size.
    pub(super) bytes: &'r [u8],
    /// Offset of the record in its file, for messages.
    pub(super) base: u64,
    /// Offset of the moves in the record.
    pub(super) body: usize,
    /// The encoding mode, 0 to 63.
    pub mode: u8,
    /// The start position.
    pub start: Start,
    rooks: Rooks,
}

impl<'r> MoveRecord<'r> {
    /// Reads the head and start position of the record at the start of `bytes`; `chess960` is the
    /// start number in the game's header, for Chess960 records without a start position.
    pub(super) fn read(
        bytes: &'r [u8],
        base: u64,
        chess960: Option<u16>,
    ) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let first = cursor.u8("mode")?;
        let at = cursor.offset();
        let size = cursor.u24_be("size")? as usize;
        if size < HEAD {
            let why = Why::Value(size as u64);
            return Err(Malformed {
                field: "size",
                at,
                why,
            });
        }
        let bytes = bytes.get(..size).unwrap_or(bytes);
        let mut cursor = Cursor::new(bytes);
        cursor.take(HEAD, "size")?;
        let mode = first & MODE;
        let is_chess960 = matches!(mode, 10 | 11);
        let mut start = Start {
            setup: None,
            chess960: is_chess960,
        };
        let mut rooks = start_position::CLASSICAL;
        if first & HAS_START != 0 {
            let (setup, castling) = start_position::decode(&mut cursor, is_chess960)?;
            start.setup = Some(Box::new(setup));
            rooks = castling;
        } else if is_chess960 && let Some(setup) = chess960.and_then(Setup::chess960_start) {
            rooks = setup.castling;
            start.setup = Some(Box::new(setup));
        }
        Ok(Self {
            bytes,
            base,
            body: cursor.offset(),
            mode,
            start,
            rooks,
        })
    }

    /// Fails for encoding modes that are not read.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](tabia_core::error::ErrorKind::Unsupported), naming the kind of
    /// game.
    pub fn check_mode(&self) -> Result<(), Error> {
        let game = match self.mode {
            0..=7 | 10 | 11 => return Ok(()),
            8 | 9 => "losing chess",
            12 | 13 => "Out Chatrang",
            14 | 15 => "Twins",
            16 | 17 => "Makruk",
            18 | 19 => "the pawns game",
            63 => "positions with illegal moves",
            _ => "an unknown kind of game",
        };
        let mode = self.mode;
        let text = format!("moves in encoding mode {mode} ({game}) are not read");
        Err(Error::unsupported(text).at_offset(self.base))
    }

    /// Whether pieces are numbered from h8 to a1.
    pub(super) const fn is_reverse(&self) -> bool {
        matches!(self.mode, 2 | 3 | 6 | 7 | 11)
    }
}

/// One step through the moves of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A move that is legal in the current position, which has cached whether it gives check.
    Play(Ply),
    /// The next move has alternatives, which are stored after its line.
    Branch,
    /// The line ends.
    End,
    /// The next move cannot be read; see [`MoveReader::malformed`].
    Unreadable,
}

/// A position with the numbers of its pieces.
#[derive(Debug, Clone)]
pub(super) struct Board {
    pub(super) position: Position,
    pub(super) numbers: PieceNumbers,
}

/// Reads the moves of a record.
#[derive(Debug, Clone)]
pub(super) struct MoveReader<'r> {
    bytes: &'r [u8],
    at: usize,
    /// Number of moves read so far, variations included; the stored bytes depend on it.
    moves: u32,
    table: &'static Table,
    /// 0xff if the number of moves is subtracted before the table lookup, 0 if after it.
    before: u8,
    simple: bool,
    reverse: bool,
    pending: PendingStep,
    rooks: Rooks,
}

/// The next step, if the last simple word has more than one.
#[derive(Debug, Clone, Copy)]
enum PendingStep {
    None,
    /// The move of a word whose branch was returned.
    Move(u16),
    /// The end of the line after the word's move.
    End,
}

/// The squares of a simple word; all zeros is the null move.
const SQUARES: u16 = 0x0fff;
/// Flag of a simple word: the line ends after this move.
pub(super) const SIMPLE_END: u16 = 0x4000;
/// Flag of a simple word: this move has alternatives.
pub(super) const SIMPLE_BRANCH: u16 = 0x8000;

impl<'r> MoveReader<'r> {
    /// A reader at the first move of a record; `None` for modes that are not read.
    pub(super) fn new(record: &MoveRecord<'r>) -> Option<Self> {
        record.check_mode().ok()?;
        let simple = matches!(record.mode, 1 | 3 | 5 | 7);
        Some(Self {
            bytes: record.bytes,
            at: record.body,
            moves: 0,
            table: substitution::MODES.get(usize::from(record.mode))?,
            before: if record.mode < 4 { 0xff } else { 0 },
            simple,
            reverse: record.is_reverse(),
            pending: PendingStep::None,
            rooks: record.rooks,
        })
    }

    /// A reader of the moves of a game quotation.
    pub(super) fn quotation(bytes: &'r [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            moves: 0,
            table: &substitution::QUOTATIONS,
            before: 0xff,
            simple: true,
            reverse: false,
            pending: PendingStep::None,
            rooks: start_position::CLASSICAL,
        }
    }

    /// Number of moves read so far, in stored order.
    pub(super) const fn moves(&self) -> u32 {
        self.moves
    }

    /// The offset in the record; after [`Step::Unreadable`], that of the unreadable move.
    pub(super) const fn offset(&self) -> usize {
        self.at
    }

    #[inline(always)]
    fn value(&self, stored: u8) -> u8 {
        let moves = self.moves as u8;
        let before = moves & self.before;
        let after = moves & !self.before;
        self.table.value[usize::from(stored.wrapping_sub(before))].wrapping_sub(after)
    }

    fn word(&self, high: u8, low: u8) -> u16 {
        u16::from(self.value(high)) << 8 | u16::from(self.value(low))
    }

    /// The next step. For a move, the piece numbers are updated, but the position is still the one
    /// before it: the caller plays the move.
    #[inline(always)]
    pub(super) fn next(&mut self, board: &mut Board) -> Step {
        if self.simple {
            return self.next_simple(board);
        }
        let color = board.position.turn();
        loop {
            let Some(&stored) = self.bytes.get(self.at) else {
                return Step::Unreadable;
            };
            let code = CODES[side_of(color)][usize::from(self.value(stored))];
            if code.slot < compact_codes::PIECES {
                let Some(from) = board.numbers.square(color, code.slot) else {
                    return Step::Unreadable;
                };
                let to = code.target(from);
                let m = Move::normal(from, to);
                if !board.position.is_legal_cached(m) {
                    return Step::Unreadable;
                }
                board.numbers.step(&board.position, code.slot, from, to);
                self.at += 1;
                self.moves = self.moves.wrapping_add(1);
                return Step::Play(Ply::Move(m));
            }
            match code.slot {
                compact_codes::IGNORED => self.at += 1,
                compact_codes::BRANCH => {
                    self.at += 1;
                    return Step::Branch;
                }
                compact_codes::END => {
                    self.at += 1;
                    return Step::End;
                }
                _ => return self.next_special(board, code.slot),
            }
        }
    }

    /// Null moves, castling and moves of two bytes.
    #[cold]
    fn next_special(&mut self, board: &mut Board, kind: u8) -> Step {
        let mut length = 1;
        let m = match kind {
            compact_codes::NULL => {
                self.moves = self.moves.wrapping_add(1);
                self.at += 1;
                return Step::Play(Ply::Null);
            }
            compact_codes::SHORT => self.castling(&board.position, 0),
            compact_codes::LONG => self.castling(&board.position, 1),
            _ => {
                length = 3;
                let Some(&[high, low]) = self.bytes.get(self.at + 1..self.at + 3) else {
                    return Step::Unreadable;
                };
                self.word_to_move(&board.position, self.word(high, low))
            }
        };
        self.play(board, m, length)
    }

    #[inline(never)]
    fn next_simple(&mut self, board: &mut Board) -> Step {
        let word = match std::mem::replace(&mut self.pending, PendingStep::None) {
            PendingStep::End => return Step::End,
            PendingStep::Move(word) => word,
            PendingStep::None => {
                let word = match self.bytes.get(self.at..) {
                    // A game without moves has no bytes at all.
                    None | Some([]) => return Step::End,
                    Some([_]) => return Step::Unreadable,
                    Some(&[high, low, ..]) => self.word(high, low),
                };
                if word & SIMPLE_BRANCH != 0 {
                    self.pending = PendingStep::Move(word);
                    return Step::Branch;
                }
                word
            }
        };
        let step = if word & SQUARES == 0 {
            self.moves = self.moves.wrapping_add(1);
            self.at += 2;
            Step::Play(Ply::Null)
        } else {
            let swapped = (word & 0x3f) << 6 | word >> 6 & 0x3f | word & 0x3000;
            let word = if self.reverse { swapped } else { word };
            let m = self.word_to_move(&board.position, word);
            self.play(board, m, 2)
        };
        if word & SIMPLE_END != 0 {
            self.pending = PendingStep::End;
        }
        step
    }

    /// Checks a move of `length` bytes and updates the piece numbers.
    fn play(&mut self, board: &mut Board, m: Option<Move>, length: usize) -> Step {
        match m {
            Some(m) if board.position.is_legal_cached(m) => {
                board.numbers.play(&board.position, m);
                self.moves = self.moves.wrapping_add(1);
                self.at += length;
                Step::Play(Ply::Move(m))
            }
            _ => Step::Unreadable,
        }
    }

    fn castling(&self, position: &Position, side: usize) -> Option<Move> {
        let color = position.turn();
        let rook = self.rooks[side_of(color)][side]?;
        Some(Move::castling(position.king(color), rook))
    }

    /// The move with these squares. Castling is the king's step of two files or, in Chess960 games,
    /// a step from the king's target square to itself.
    fn word_to_move(&self, position: &Position, word: u16) -> Option<Move> {
        let (from, to, role) = compact_codes::from_two_bytes(word);
        if from == to {
            let back = if position.turn().is_white() { 0 } else { 7 };
            return match (to.file(), to.rank() == back) {
                (6, true) => self.castling(position, 0),
                (2, true) => self.castling(position, 1),
                _ => None,
            };
        }
        let piece = position.piece_at(from)?;
        let files = from.file().abs_diff(to.file());
        Some(match piece.role {
            Role::King if from.file() == 4 && files == 2 && from.rank() == to.rank() => {
                return self.castling(position, usize::from(to.file() == 2));
            }
            Role::Pawn if matches!(to.rank(), 0 | 7) => Move::promotion(from, to, role),
            _ => Move::normal(from, to),
        })
    }

    /// The number of moves up to the end of the first line. `None` if the record ends before, and for
    /// records of simple words.
    fn count_line(mut self) -> Option<u32> {
        if self.simple {
            return None;
        }
        // A line that ends at once is empty, and the mainline goes on with the next alternative.
        let mut branches_here = 0_u32;
        loop {
            let stored = *self.bytes.get(self.at)?;
            self.at += 1;
            match CODES[0][usize::from(self.value(stored))].slot {
                compact_codes::IGNORED => {}
                compact_codes::BRANCH => branches_here = branches_here.saturating_add(1),
                compact_codes::END => match branches_here.checked_sub(1) {
                    Some(less) => branches_here = less,
                    None => return Some(self.moves),
                },
                slot => {
                    if slot == compact_codes::TWO_BYTES {
                        self.at += 2;
                    }
                    self.moves = self.moves.wrapping_add(1);
                    branches_here = 0;
                }
            }
        }
    }

    /// Counts the remaining moves of a game with `open` lines to end, without decoding them. `None`
    /// if the record ends too early.
    pub(super) fn count_rest(&self, mut open: u32) -> Option<u32> {
        let mut rest = self.clone();
        let start = rest.moves;
        loop {
            if rest.simple {
                let word = match rest.bytes.get(rest.at..)? {
                    [] => return Some(rest.moves - start),
                    [_] => return None,
                    &[high, low, ..] => rest.word(high, low),
                };
                rest.at += 2;
                rest.moves = rest.moves.wrapping_add(1);
                open += u32::from(word & SIMPLE_BRANCH != 0);
                if word & SIMPLE_END == 0 {
                    continue;
                }
            } else {
                let stored = *rest.bytes.get(rest.at)?;
                rest.at += 1;
                match CODES[0][usize::from(rest.value(stored))].slot {
                    compact_codes::IGNORED => continue,
                    compact_codes::BRANCH => {
                        open = open.saturating_add(1);
                        continue;
                    }
                    compact_codes::END => {}
                    slot => {
                        if slot == compact_codes::TWO_BYTES {
                            rest.at += 2;
                        }
                        rest.moves = rest.moves.wrapping_add(1);
                        continue;
                    }
                }
            }
            match open.checked_sub(1) {
                Some(less) => open = less,
                None => return Some(rest.moves - start),
            }
        }
    }

    /// Why the next move cannot be read.
    #[cold]
    pub(super) fn malformed(&self) -> Malformed {
        let left = self.bytes.len().saturating_sub(self.at);
        let needed = match self.bytes.get(self.at) {
            _ if self.simple => 2,
            Some(&stored) if self.value(stored) == compact_codes::TWO_BYTES_VALUE => 3,
            _ => 1,
        };
        let why = if left < needed {
            Why::Truncated { needed, left }
        } else {
            Why::IllegalMove
        };
        Malformed {
            field: "move",
            at: self.at,
            why,
        }
    }
}

/// The number of plies of the mainline in the record at the start of `bytes`, not tested for legality;
/// `base` is its offset in the file. `None` if it ends too early, and for records with a start position
/// or another encoding than most.
pub fn stored_plies(bytes: &[u8], base: u64) -> Option<u32> {
    let record = MoveRecord::read(bytes, base, None).ok()?;
    if record.start.setup.is_some() || record.start.chess960 {
        return None;
    }
    MoveReader::new(&record)?.count_line()
}

const fn side_of(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}
