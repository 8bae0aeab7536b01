//! Encodes the moves of a game as ChessBase does: mode 0, or mode 10 for Chess960.

use tabia_core::chess::{Color, Move, Ply, Position, Setup, Square};
use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Game, Start};
use tabia_core::io::Sink;
use tabia_core::loss::Losses;

use super::compact_codes;
use super::move_reader::{Board, CHESS960, HAS_START, ORDINARY};
use super::piece_numbers::PieceNumbers;
use super::start_position;
use super::start_position::CLASSICAL;
use super::substitution::{MODES, Table};
use crate::games::common::line_tree::{LineTree, NONE};
use crate::games::common::playable_part::playable_part;

/// The largest record size that fits its head.
const MAX_SIZE: usize = 0xff_ffff;

/// Encodes games as move records; its buffers are reused from game to game.
#[derive(Debug)]
pub struct Encoder {
    /// Piece numbers of the standard position.
    standard: PieceNumbers,
    tree: LineTree,
    pending: Vec<PendingBranch>,
    stored: Vec<u32>,
    record: Sink,
    /// Whether castling rights that the start position lacks may be granted.
    may_grant: bool,
    /// Whether one was granted.
    granted: bool,
}

/// A game's encoded moves.
#[derive(Debug)]
pub struct Encoded<'e> {
    /// The complete record, its head included.
    pub record: &'e [u8],
    /// For every move in the game's order, its number in stored order, to which annotations refer.
    pub stored: &'e [u32],
    /// Plies of the mainline.
    pub mainline: u32,
    /// Plies of variations.
    pub variations: u32,
    /// Whether the start position was stored completely. A half-move clock and a move number above
    /// 255 cannot be stored.
    pub is_start_exact: bool,
    /// Whether the record is that of a Chess960 game.
    pub is_chess960: bool,
}

/// A position with alternatives still to write: its next move and the plies before it.
#[derive(Debug, Clone)]
struct PendingBranch {
    board: Board,
    next: u32,
    ply: u32,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An encoder with empty buffers.
    pub fn new() -> Self {
        Self {
            standard: PieceNumbers::new(&Position::standard(), false),
            tree: LineTree::default(),
            pending: Vec::new(),
            stored: Vec::new(),
            record: Sink::new(),
            may_grant: false,
            granted: false,
        }
    }

    /// Encodes the record of a game. Variations of a variation's first move become variations of
    /// the move that it replaces, which is equivalent. Variations without moves are left out.
    ///
    /// # Errors
    /// If a move is illegal, or the record or its start position does not fit.
    pub fn encode(&mut self, game: &Game) -> Result<Encoded<'_>, Error> {
        self.record.clear();
        self.stored.clear();
        self.may_grant = game.head.start.setup.is_some();
        self.granted = false;
        let is_chess960 = is_chess960(&game.head.start);
        let mode = if is_chess960 { CHESS960 } else { ORDINARY };
        let setup = match &game.head.start.setup {
            Some(setup) => Some((**setup).clone()),
            None if is_chess960 => Some(Setup::standard()),
            None => None,
        };
        let flag = if setup.is_some() { HAS_START } else { 0 };
        self.record.u8(mode | flag);
        self.record.u24_be(0);
        let mut is_start_exact = true;
        if let Some(setup) = setup {
            let pieces = Square::ALL
                .iter()
                .filter(|&&square| setup.piece(square).is_some())
                .count();
            if pieces > 32 {
                return Err(Error::unsupported(format!(
                    "a start position with {pieces} pieces does not fit, 32 do"
                )));
            }
            is_start_exact =
                start_position::encode(&setup, is_chess960, start_number(game), &mut self.record)
                    && setup.half_move_clock == 0
                    && setup.full_move_number != 0;
        }
        let is_linear = !game.has_variations();
        self.tree.clear();
        if !is_linear {
            self.tree.collect(game);
        }
        let is_empty = self.tree.len() == 0 && game.mainline().next().is_none();
        let mainline = match (is_empty, game.head.start.position()) {
            (true, _) => {
                self.put(&MODES[usize::from(mode)], mode, compact_codes::END_VALUE, 0);
                0
            }
            (false, Some(_)) if is_linear && game.has_known_moves() => {
                self.write_known_mainline(game)
            }
            (false, Some(position)) if is_linear => self.write_mainline(game, position, mode)?,
            (false, Some(position)) => self.write(position, mode)?,
            (false, None) => {
                return Err(Error::invalid("moves from a position without its kings").at_ply(0));
            }
        };
        let size = self.record.len();
        if size > MAX_SIZE {
            return Err(Error::new(ErrorKind::Limit {
                what: "size of a game's moves",
                limit: MAX_SIZE as u64,
                size: size as u64,
            }));
        }
        self.record.patch_u24_be(1, size as u32);
        Ok(Encoded {
            record: self.record.as_slice(),
            stored: &self.stored,
            mainline,
            variations: self.stored.len() as u32 - mainline,
            is_start_exact: is_start_exact && !self.granted,
            is_chess960,
        })
    }

    /// Writes the moves of a game without variations from the standard start position, all of which
    /// are known to be legal. Returns their number.
    fn write_known_mainline(&mut self, game: &Game) -> u32 {
        let table = &MODES[usize::from(ORDINARY)];
        let mut numbers = self.standard.clone();
        let mut color = Color::White;
        let mut en_passant = None;
        let mut count = 0_u32;
        for ply in game.mainline() {
            let Ply::Move(m) = ply else { break };
            let (from, to) = (m.from(), m.to());
            let slot = numbers.on(from);
            let double_step = PieceNumbers::double_step(slot, from, to);
            if m.is_normal()
                && let Some(value) = compact_codes::value(color, slot, from, to)
            {
                self.put(table, ORDINARY, value, count);
                numbers.step_known(color, en_passant, slot, from, to);
            } else {
                self.put_special(table, ORDINARY, m, count);
                numbers.play_known(color, m);
            }
            en_passant = double_step;
            color = color.other();
            count = count.wrapping_add(1);
        }
        self.put(table, ORDINARY, compact_codes::END_VALUE, count);
        self.stored.extend(0..count);
        count
    }

    /// Writes the moves of a game without variations and returns their number.
    fn write_mainline(&mut self, game: &Game, position: Position, mode: u8) -> Result<u32, Error> {
        let table = &MODES[usize::from(mode)];
        let numbers = match game.head.start.setup {
            None => self.standard.clone(),
            Some(_) => PieceNumbers::new(&position, false),
        };
        let mut board = Board { position, numbers };
        let mut count = 0;
        for ply in game.mainline() {
            self.put_ply(table, mode, &mut board, ply, count)
                .map_err(|error| error.at_ply(count))?;
            count = count.wrapping_add(1);
        }
        self.put(table, mode, compact_codes::END_VALUE, count);
        self.stored.extend(0..count);
        Ok(count)
    }

    /// Writes all lines and returns the plies of the mainline.
    fn write(&mut self, position: Position, mode: u8) -> Result<u32, Error> {
        let table = &MODES[usize::from(mode)];
        let numbers = PieceNumbers::new(&position, false);
        let mut board = Board { position, numbers };
        let (mut count, mut ply) = (0u32, 0u32);
        let mut mainline = None;
        let mut at = 0;
        self.pending.clear();
        self.stored.resize(self.tree.len(), 0);
        while let Some(node) = self.tree.node(at) {
            if node.alternative != NONE {
                self.put(table, mode, compact_codes::BRANCH_VALUE, count);
                self.pending.push(PendingBranch {
                    board: board.clone(),
                    next: node.alternative,
                    ply,
                });
            }
            self.put_ply(table, mode, &mut board, node.ply, count)
                .map_err(|error| error.at_ply(ply))?;
            ply += 1;
            if let Some(stored) = self.stored.get_mut(at as usize) {
                *stored = count;
            }
            count = count.wrapping_add(1);
            if node.next != NONE {
                at = node.next;
                continue;
            }
            self.put(table, mode, compact_codes::END_VALUE, count);
            mainline.get_or_insert(count);
            match self.pending.pop() {
                Some(branch) => (board, at, ply) = (branch.board, branch.next, branch.ply),
                None => break,
            }
        }
        Ok(mainline.unwrap_or(0))
    }

    #[inline]
    fn put_ply(
        &mut self,
        table: &Table,
        mode: u8,
        board: &mut Board,
        ply: Ply,
        count: u32,
    ) -> Result<(), Error> {
        match ply {
            Ply::Null => self.put(table, mode, compact_codes::NULL_VALUE, count),
            Ply::Move(m) => {
                if !board.position.is_legal_cached(m) && !self.grant(board, m) {
                    let text = format!("{m:?} cannot be played in {}", board.position.fen());
                    return Err(Error::invalid(text));
                }
                let (from, to) = (m.from(), m.to());
                let slot = board.numbers.on(from);
                let color = board.position.turn();
                if m.is_normal()
                    && let Some(value) = compact_codes::value(color, slot, from, to)
                {
                    self.put(table, mode, value, count);
                    board.numbers.step(&board.position, slot, from, to);
                } else {
                    self.put_special(table, mode, m, count);
                    board.numbers.play(&board.position, m);
                }
            }
        }
        board.position.play_ply(ply);
        Ok(())
    }

    /// Grants a castling right that a setup position lacks.
    fn grant(&mut self, board: &mut Board, m: Move) -> bool {
        let is_granted = self.may_grant && grant(&mut board.position, m);
        self.granted |= is_granted;
        is_granted
    }

    /// Writes castling or a move of two bytes.
    #[inline(never)]
    fn put_special(&mut self, table: &Table, mode: u8, m: Move, count: u32) {
        match special_value(m, mode) {
            Ok(value) => self.put(table, mode, value, count),
            Err(word) => {
                self.put(table, mode, compact_codes::TWO_BYTES_VALUE, count);
                self.put(table, mode, (word >> 8) as u8, count);
                self.put(table, mode, word as u8, count);
            }
        }
    }

    /// Writes a value after `count` moves.
    #[inline]
    fn put(&mut self, table: &Table, mode: u8, value: u8, count: u32) {
        let count = count as u8;
        self.record.u8(if mode == ORDINARY {
            table.stored[usize::from(value)].wrapping_add(count)
        } else {
            table.stored[usize::from(value.wrapping_add(count))]
        });
    }
}

/// The game without the moves that cannot be played from its start position, which are counted.
pub(crate) fn storable_part(game: &Game, losses: &mut Losses) -> Game {
    let may_grant = game.head.start.setup.is_some();
    let can_store = |position: &mut Position, ply| match ply {
        Ply::Null => true,
        Ply::Move(m) => position.is_legal_cached(m) || may_grant && grant(position, m),
    };
    playable_part(game, game.head.start.position(), can_store, losses)
}

/// Grants the castling right that a move needs, as readers do.
#[cold]
fn grant(position: &mut Position, m: Move) -> bool {
    let side = usize::from(m.to().file() < m.from().file());
    let turn = position.turn();
    m.is_castling() && position.grant_castling(turn, side) && position.is_legal_cached(m)
}

/// The value of castling, or the two bytes of another move as an error.
fn special_value(m: Move, mode: u8) -> Result<u8, u16> {
    let (from, to) = (m.from(), m.to());
    if !m.is_castling() {
        return Err(compact_codes::two_bytes(from, to, m.promotion_role()));
    }
    let is_short = to.file() > from.file();
    if mode == ORDINARY {
        return Ok(if is_short {
            compact_codes::SHORT_VALUE
        } else {
            compact_codes::LONG_VALUE
        });
    }
    let file = if is_short { 6 } else { 2 };
    let target = Square::from_coords(file, from.rank()).unwrap_or(from);
    Err(compact_codes::two_bytes(target, target, None))
}

/// The number of the Chess960 start position that a game is of: that of its tag, else that of its setup
/// position, 0 if it has none.
fn start_number(game: &Game) -> u16 {
    let stored = game.head.tags.get("CbChess960");
    let stored = stored.and_then(|value| value.parse().ok().filter(|number| *number < 960));
    let setup = game.head.start.setup.as_deref();
    let own = setup.map_or(Some(518), Setup::chess960_number);
    stored.or(own).unwrap_or(0)
}

/// Whether a game needs the Chess960 encoding: it is marked as Chess960, or its kings and castling
/// rooks are not on their standard squares.
pub(crate) fn is_chess960(start: &Start) -> bool {
    let Some(setup) = &start.setup else {
        return start.chess960;
    };
    let rights = setup.castling.as_flattened().iter();
    let classical = CLASSICAL.as_flattened().iter();
    let unusual = rights
        .zip(classical)
        .any(|(right, usual)| right.is_some() && right != usual);
    let kings = [(Color::White, 0), (Color::Black, 7)];
    let displaced = kings.into_iter().any(|(color, rank)| {
        let home = Square::from_coords(4, rank);
        let has_right = setup.castling[color as usize].iter().any(Option::is_some);
        has_right && setup.king(color) != home
    });
    start.chess960 || unusual || displaced
}
