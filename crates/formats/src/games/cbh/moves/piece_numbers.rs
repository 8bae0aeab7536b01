//! The numbers of pieces in compact move records.
//!
//! Each side has one number for the king, three each for queens, rooks, bishops and knights, and
//! eight for pawns (FORMAT.md § Piece numbers). A fourth piece of a kind and a ninth pawn have no
//! number, even if one becomes free later. In code, the number of a piece is its slot.

use tabia_core::chess::{Color, Move, Piece, Position, Role, Square};

/// Slots of one side: king 0, queens 1–3, rooks 4–6, bishops 7–9, knights 10–12, pawns 13–20.
pub(super) const SLOTS: usize = 21;
/// The first slot of pawns.
pub(super) const PAWNS: u8 = 13;
/// No slot, or no square.
pub(super) const NONE: u8 = 0xff;

/// The squares of the numbered pieces, and the slots of the squares.
#[derive(Debug, Clone)]
pub(super) struct PieceNumbers {
    /// Square index by colour and slot; 32 entries, so that a masked index is always valid.
    squares: [[u8; 32]; 2],
    /// Slot by square index, for both colours.
    at: [u8; 64],
}

impl PieceNumbers {
    /// Numbers the pieces from a1, a2, … to h8, or from h8 to a1.
    pub(super) fn new(position: &Position, reverse: bool) -> Self {
        let mut numbers = Self {
            squares: [[NONE; 32]; 2],
            at: [NONE; 64],
        };
        for step in 0..64u8 {
            let number = if reverse { 63 - step } else { step };
            // ChessBase counts a1, a2, …
            let Some(square) = Square::from_coords(number >> 3, number & 7) else {
                continue;
            };
            if let Some(Piece { color, role }) = position.piece_at(square) {
                numbers.add(color, role, square);
            }
        }
        numbers
    }

    /// The slot of the piece on a square, or [`NONE`].
    #[inline(always)]
    pub(super) fn on(&self, square: Square) -> u8 {
        self.at[square.index()]
    }

    /// The square of a numbered piece.
    #[inline(always)]
    pub(super) fn square(&self, color: Color, slot: u8) -> Option<Square> {
        Square::new(self.squares[side(color)][usize::from(slot & 31)])
    }

    /// The square that a pawn, by the number of its piece, has passed with a step of two ranks.
    #[inline(always)]
    pub(super) fn double_step(slot: u8, from: Square, to: Square) -> Option<Square> {
        let is_double = (PAWNS..NONE).contains(&slot) && from.number() ^ to.number() == 16;
        Square::new(from.number().midpoint(to.number())).filter(|_| is_double)
    }

    /// As [`play`](Self::play), for castling, promotions and moves of pieces without numbers of `us`.
    pub(super) fn play_known(&mut self, us: Color, m: Move) {
        if m.is_castling() {
            return self.castle(us, m);
        }
        let (from, to) = (m.from(), m.to());
        let slot = self.on(from);
        self.step_known(us, None, slot, from, to);
        if let Some(role) = m.promotion_role() {
            self.promote(us, slot, role, to);
        }
    }

    /// As [`step`](Self::step), for a side and the square that a pawn has just passed, in games in
    /// which every pawn has a number.
    #[inline(always)]
    pub(super) fn step_known(
        &mut self,
        us: Color,
        en_passant: Option<Square>,
        slot: u8,
        from: Square,
        to: Square,
    ) {
        let captured = self.on(to);
        if captured != NONE {
            self.remove(us.other(), captured);
        } else if en_passant == Some(to) && (PAWNS..NONE).contains(&slot) {
            self.remove_en_passant(us, from, to);
        }
        self.shift(us, slot, from, to);
    }

    /// Removes the pawn that a pawn takes en passant, if it moves to another file.
    #[cold]
    fn remove_en_passant(&mut self, us: Color, from: Square, to: Square) {
        let Some(square) = Square::from_coords(to.file(), from.rank()) else {
            return;
        };
        let captured = self.on(square);
        if from.file() != to.file() && captured != NONE {
            self.at[square.index()] = NONE;
            self.remove(us.other(), captured);
        }
    }

    /// Updates the numbers for a move that is legal in `before`.
    pub(super) fn play(&mut self, before: &Position, m: Move) {
        let us = before.turn();
        if m.is_castling() {
            return self.castle(us, m);
        }
        let (from, to) = (m.from(), m.to());
        let slot = self.on(from);
        self.step(before, slot, from, to);
        if let Some(role) = m.promotion_role() {
            self.promote(us, slot, role, to);
        }
    }

    /// Numbers the piece that the pawn with number `slot` has become on `square`.
    fn promote(&mut self, us: Color, slot: u8, role: Role, square: Square) {
        if slot != NONE {
            self.squares[side(us)][usize::from(slot & 31)] = NONE;
        }
        self.at[square.index()] = NONE;
        self.add(us, role, square);
    }

    /// Updates the numbers for a legal move of the piece with number `slot` that is neither
    /// castling nor a promotion.
    #[inline(always)]
    pub(super) fn step(&mut self, before: &Position, slot: u8, from: Square, to: Square) {
        let us = before.turn();
        let captured = self.on(to);
        if captured != NONE {
            self.remove(us.other(), captured);
        } else if before.en_passant() == Some(to) && slot >= PAWNS {
            self.capture_en_passant(before, from, to);
        }
        self.shift(us, slot, from, to);
    }

    #[inline(always)]
    fn shift(&mut self, us: Color, slot: u8, from: Square, to: Square) {
        self.at[from.index()] = NONE;
        self.at[to.index()] = slot;
        if slot != NONE {
            self.squares[side(us)][usize::from(slot & 31)] = to.index() as u8;
        }
    }

    #[cold]
    fn capture_en_passant(&mut self, before: &Position, from: Square, to: Square) {
        let is_pawn = |square| {
            before
                .piece_at(square)
                .is_some_and(|piece| piece.role == Role::Pawn)
        };
        if is_pawn(from) {
            self.remove_en_passant(before.turn(), from, to);
        }
    }

    #[cold]
    fn castle(&mut self, us: Color, m: Move) {
        let (king, rook) = (m.from(), m.to());
        let (king_slot, rook_slot) = (self.on(king), self.on(rook));
        self.at[king.index()] = NONE;
        self.at[rook.index()] = NONE;
        let files = if rook.file() > king.file() {
            (6, 5)
        } else {
            (2, 3)
        };
        for (file, slot) in [(files.0, king_slot), (files.1, rook_slot)] {
            if let Some(square) = Square::from_coords(file, king.rank()) {
                self.at[square.index()] = slot;
                if slot != NONE {
                    self.squares[side(us)][usize::from(slot & 31)] = square.index() as u8;
                }
            }
        }
    }

    /// Gives a piece the first free number of its kind, if one is free.
    fn add(&mut self, color: Color, role: Role, square: Square) {
        let squares = &mut self.squares[side(color)];
        let (first, last) = numbers(role);
        for slot in first..=last {
            if squares[usize::from(slot & 31)] == NONE {
                squares[usize::from(slot & 31)] = square.index() as u8;
                self.at[square.index()] = slot;
                return;
            }
        }
    }

    /// Frees the number of a captured piece: pawns leave a gap, higher numbers of other pieces move
    /// down.
    #[inline(never)]
    fn remove(&mut self, color: Color, slot: u8) {
        let squares = &mut self.squares[side(color)];
        let mut slot = slot & 31;
        if slot < PAWNS {
            while !slot.is_multiple_of(3) {
                let next = squares[usize::from(slot + 1)];
                squares[usize::from(slot)] = next;
                if next == NONE {
                    return;
                }
                self.at[usize::from(next & 63)] = slot;
                slot += 1;
            }
        }
        squares[usize::from(slot)] = NONE;
    }
}

/// The first and last slot of a role.
pub(super) const fn numbers(role: Role) -> (u8, u8) {
    match role {
        Role::King => (0, 0),
        Role::Queen => (1, 3),
        Role::Rook => (4, 6),
        Role::Bishop => (7, 9),
        Role::Knight => (10, 12),
        Role::Pawn => (PAWNS, 20),
    }
}

const fn side(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Setup;

    fn position(fen: &str) -> Position {
        Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
    }

    fn square(name: &str) -> Square {
        Square::parse(name.as_bytes()).unwrap()
    }

    #[test]
    fn pieces_are_numbered_by_file() {
        let numbers = PieceNumbers::new(&Position::standard(), false);
        assert_eq!(numbers.square(Color::White, 4), Some(square("a1")));
        assert_eq!(numbers.square(Color::Black, 5), Some(square("h8")));
        assert_eq!(numbers.square(Color::White, PAWNS + 4), Some(square("e2")));
        let reverse = PieceNumbers::new(&Position::standard(), true);
        assert_eq!(reverse.square(Color::White, 4), Some(square("h1")));
        assert_eq!(reverse.square(Color::White, PAWNS), Some(square("h2")));
    }

    #[test]
    fn captures_shift_numbers_without_numbering_a_fourth_piece() {
        let before = position("4k3/8/8/1b6/Q1Q1Q1Q1/8/8/4K3 b - - 0 1");
        let mut numbers = PieceNumbers::new(&before, false);
        assert_eq!(numbers.on(square("g4")), NONE);
        numbers.play(&before, Move::normal(square("b5"), square("a4")));
        assert_eq!(numbers.on(square("c4")), 1);
        assert_eq!(numbers.on(square("e4")), 2);
        assert_eq!(numbers.on(square("g4")), NONE);
        assert_eq!(numbers.square(Color::White, 3), None);
        assert_eq!(numbers.on(square("a4")), 7);
    }

    #[test]
    fn en_passant_and_promotion_update_numbers() {
        let before = position("4k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 2");
        let mut numbers = PieceNumbers::new(&before, false);
        numbers.play(&before, Move::normal(square("e5"), square("d6")));
        assert_eq!(numbers.square(Color::Black, PAWNS), None);
        assert_eq!(numbers.on(square("d5")), NONE);
        assert_eq!(numbers.on(square("d6")), PAWNS + 1);

        let mut numbers = PieceNumbers::new(&before, false);
        numbers.play(
            &before,
            Move::promotion(square("a7"), square("a8"), Role::Rook),
        );
        assert_eq!(numbers.square(Color::White, PAWNS), None);
        assert_eq!(numbers.square(Color::White, 4), Some(square("a8")));
    }

    #[test]
    fn castling_moves_king_and_rook() {
        let before = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        let mut numbers = PieceNumbers::new(&before, false);
        numbers.play(&before, Move::castling(square("e1"), square("a1")));
        assert_eq!(numbers.square(Color::White, 0), Some(square("c1")));
        assert_eq!(numbers.square(Color::White, 4), Some(square("d1")));
        assert_eq!(numbers.on(square("a1")), NONE);
        assert_eq!(numbers.on(square("e1")), NONE);
    }
}
