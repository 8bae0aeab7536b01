//! Playing a move: updates pieces, key, castling rights, clocks and caches incrementally.

use super::attacks;
use super::keys;
use super::position::{
    Checkers, KING, NONE, NextMoveCache, OpponentMayBeInCheck, PAWN, Position, code,
};
use super::types::{Color, Move, Piece, Ply, Role, Square};

impl Position {
    /// Plays a legal move.
    ///
    /// A move that is not legal gives an arbitrary position, without panic; one from an empty square,
    /// of a piece of the other side or onto a king changes nothing.
    #[inline]
    pub fn play(&mut self, m: Move) {
        self.play_inlined(m);
    }

    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "one branch instead of four")]
    fn play_inlined(&mut self, m: Move) {
        let (from, to) = (m.from(), m.to());
        let touches_rights = self.castlers & (from.bit() | to.bit()) != 0;
        let is_simple = m.is_normal() & (self.en_passant == NONE) & !touches_rights;
        if is_simple & self.next_move.is_legal_and_quiet(m) {
            let piece = self.board[from.index()];
            self.shift(from, to, piece, piece, self.board[to.index()]);
            self.opponent_in_check = OpponentMayBeInCheck(false);
            self.checkers = Checkers::NONE;
        } else {
            self.play_slow(m, is_simple);
        }
    }

    /// [`play`](Self::play) for a move that is not cached as legal and quiet, or not simple. Not inlined,
    /// so that the usual moves save no registers for it.
    #[inline(never)]
    fn play_slow(&mut self, m: Move, is_simple: bool) {
        let (from, to) = (m.from(), m.to());
        let quiet = self.next_move.is_quiet(m);
        if !is_simple {
            if !self.play_special(m) {
                return;
            }
        } else if let Some((piece, captured)) = self.movable(from, to) {
            self.shift(from, to, piece, piece, captured);
        } else {
            return;
        }
        self.opponent_in_check = OpponentMayBeInCheck(false);
        self.checkers = if quiet {
            Checkers::NONE
        } else {
            Checkers::UNKNOWN
        };
    }

    /// Whether a legal move gives check. The answer is cached: writing or playing that move next
    /// costs less.
    #[inline]
    pub fn cache_check(&mut self, m: Move) -> bool {
        let gives_check = self.gives_check(m);
        self.next_move = NextMoveCache::new(m, gives_check);
        gives_check
    }

    /// Plays castling, promotions, and moves that touch castling rights or the en passant square.
    /// `false`: nothing was played.
    #[inline(never)]
    fn play_special(&mut self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            return self.play_castling(from, to);
        }
        let Some((piece, captured)) = self.movable(from, to) else {
            return false;
        };
        if piece & 7 == PAWN && to.number() == self.en_passant && from.file() != to.file() {
            let pawn = Square::wrap(to.number() ^ 8);
            self.take(pawn, self.board[pawn.index()]);
        }
        self.clear_en_passant();
        self.drop_rights(from.bit() | to.bit());
        let placed = match m.promotion_role() {
            None => piece,
            Some(role) => piece & 8 | (role as u8 + 1),
        };
        self.shift(from, to, piece, placed, captured);
        true
    }

    /// The codes of the piece to move and of the piece it takes (0 for none); `None` if the move
    /// starts from an empty square, moves a piece of the other side or takes a king.
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "one branch, which is never taken, instead of three"
    )]
    fn movable(&self, from: Square, to: Square) -> Option<(u8, u8)> {
        let piece = self.board[from.index()];
        let captured = self.board[to.index()];
        // The codes of White's pieces begin at 1, those of Black's at 9.
        let is_own = piece.wrapping_sub(1 + 8 * self.turn as u8) < 6;
        (is_own & (captured & 7 != KING) & (from != to)).then_some((piece, captured))
    }

    /// Removes `captured` from `to` and `piece` from `from`, puts `placed` on `to`, ends the ply.
    /// Has no branch on the kind of either piece: it would be mispredicted often.
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a branch on it is mispredicted too often"
    )]
    fn shift(&mut self, from: Square, to: Square, piece: u8, placed: u8, captured: u8) {
        let us = self.turn;
        // An empty square has code 0, whose keys are zeros and whose set is that of all pieces.
        self.roles[usize::from(captured & 7)] &= !to.bit();
        self.colors[usize::from(captured >> 3 & 1)] &= !to.bit();
        self.roles[usize::from(piece & 7)] &= !from.bit();
        self.roles[usize::from(placed & 7)] |= to.bit();
        self.roles[0] = self.roles[0] & !from.bit() | to.bit();
        let ours = &mut self.colors[us as usize];
        *ours = *ours & !from.bit() | to.bit();
        let king = &mut self.kings[us as usize];
        let is_king = 0_u8.wrapping_sub(u8::from(piece & 7 == KING));
        *king = *king & !is_king | to.number() & is_king;
        self.board[from.index()] = 0;
        self.board[to.index()] = placed;
        self.key ^= keys::piece(captured, to) ^ keys::piece(piece, from) ^ keys::piece(placed, to);
        let is_pawn = piece & 7 == PAWN;
        let restarts = u16::from(is_pawn | (captured != 0));
        self.half_move_clock = self.half_move_clock.saturating_add(1) & restarts.wrapping_sub(1);
        self.end_ply();
        // One comparison for "a pawn, by two squares": a branch on the former is often mispredicted.
        let step = u32::from(from.number() ^ to.number()) | u32::from(piece & 7 ^ PAWN) << 8;
        if step == 16 {
            self.end_double_step(from, to);
        }
    }

    /// Stores the en passant square after a pawn's move by two squares. Not inlined, so that other moves
    /// compute nothing for it.
    #[inline(never)]
    fn end_double_step(&mut self, from: Square, to: Square) {
        let neighbours = to.bit() << 1 & !attacks::FILE_A | to.bit() >> 1 & !(attacks::FILE_A << 7);
        let takers = self.roles[usize::from(PAWN)] & self.colors[self.turn as usize];
        if neighbours & takers != 0 {
            self.offer_en_passant(Square::wrap(from.number().midpoint(to.number())));
        }
    }

    /// Plays a legal move or a null move; see [`play`](Self::play).
    #[inline]
    pub fn play_ply(&mut self, ply: Ply) {
        match ply {
            Ply::Move(m) => self.play(m),
            Ply::Null => self.play_null(),
        }
    }

    /// [`play_ply`](Self::play_ply), always inlined: for a loop that tests and plays the moves of games, which has read
    /// most of what playing needs.
    #[inline(always)]
    pub fn play_ply_inlined(&mut self, ply: Ply) {
        match ply {
            Ply::Move(m) => self.play_inlined(m),
            Ply::Null => self.play_null(),
        }
    }

    /// The position after a move; see [`play`](Self::play).
    pub fn after(&self, ply: impl Into<Ply>) -> Self {
        let mut next = self.clone();
        next.play_ply(ply.into());
        next
    }

    /// Plays a null move: the other side is to move, the en passant square is cleared.
    pub fn play_null(&mut self) {
        self.clear_en_passant();
        self.half_move_clock = self.half_move_clock.saturating_add(1);
        self.end_ply();
        self.opponent_in_check = OpponentMayBeInCheck(true);
        self.checkers = Checkers::UNKNOWN;
    }

    #[inline(never)]
    fn play_castling(&mut self, king: Square, rook: Square) -> bool {
        let color = self.turn;
        let king_piece = code(Piece {
            color,
            role: Role::King,
        });
        let rook_piece = code(Piece {
            color,
            role: Role::Rook,
        });
        if self.board[king.index()] != king_piece || self.board[rook.index()] != rook_piece {
            return false;
        }
        self.clear_en_passant();
        self.drop_own_rights(king);
        let back = king.number() & 0x38;
        let [king_to, rook_to] = if rook.file() > king.file() {
            [6, 5].map(|file| Square::wrap(back + file))
        } else {
            [2, 3].map(|file| Square::wrap(back + file))
        };
        let moved = king.bit() | rook.bit();
        let placed = king_to.bit() | rook_to.bit();
        // Pieces on the target squares of an illegal castling are removed, so that bitboards and
        // mailbox agree.
        if self.roles[0] & !moved & placed != 0 {
            for square in [king_to, rook_to] {
                if moved & square.bit() == 0 {
                    self.take(square, self.board[square.index()]);
                }
            }
        }
        for (piece, from, to) in [(king_piece, king, king_to), (rook_piece, rook, rook_to)] {
            let role = &mut self.roles[usize::from(piece & 7)];
            *role = *role & !from.bit() | to.bit();
            self.board[from.index()] = 0;
            self.key ^= keys::piece(piece, from) ^ keys::piece(piece, to);
        }
        self.board[king_to.index()] = king_piece;
        self.board[rook_to.index()] = rook_piece;
        for set in [&mut self.roles[0], &mut self.colors[color as usize]] {
            *set = *set & !moved | placed;
        }
        self.kings[color as usize] = king_to.number();
        self.half_move_clock = self.half_move_clock.saturating_add(1);
        self.end_ply();
        true
    }

    #[inline(always)]
    pub(super) fn put(&mut self, square: Square, code: u8) {
        let bit = square.bit();
        self.roles[usize::from(code & 7)] |= bit;
        self.roles[0] |= bit;
        self.colors[usize::from(code >> 3 & 1)] |= bit;
        self.board[square.index()] = code;
        self.key ^= keys::piece(code, square);
        if code & 7 == KING {
            self.kings[usize::from(code >> 3 & 1)] = square.number();
        }
    }

    #[inline(always)]
    fn take(&mut self, square: Square, code: u8) {
        let bit = !square.bit();
        self.roles[usize::from(code & 7)] &= bit;
        self.roles[0] &= bit;
        self.colors[usize::from(code >> 3 & 1)] &= bit;
        self.board[square.index()] = 0;
        self.key ^= keys::piece(code, square);
    }

    /// Drops the castling rights of the side to move, whose king is on that square.
    #[inline(always)]
    fn drop_own_rights(&mut self, king: Square) {
        let us = self.turn;
        for side in 0..2 {
            if let Some(rook) = self.castling_rook(us, side) {
                self.castling[us as usize][side] = NONE;
                self.key ^= keys::castling(us, side);
                self.castlers &= !(king.bit() | rook.bit());
            }
        }
    }

    /// Drops the castling rights whose king or rook was on one of the squares.
    #[inline(always)]
    fn drop_rights(&mut self, squares: u64) {
        if self.castlers & squares != 0 {
            self.drop_rights_of(squares);
        }
    }

    /// [`drop_rights`](Self::drop_rights) if one of the squares is of a king or rook that may castle.
    #[inline(never)]
    fn drop_rights_of(&mut self, squares: u64) {
        let mut castlers = 0;
        for color in [Color::White, Color::Black] {
            let king = self.king(color).bit();
            for side in 0..2 {
                let Some(rook) = self.castling_rook(color, side) else {
                    continue;
                };
                if squares & (king | rook.bit()) != 0 {
                    self.castling[color as usize][side] = NONE;
                    self.key ^= keys::castling(color, side);
                } else {
                    castlers |= king | rook.bit();
                }
            }
        }
        self.castlers = castlers;
    }

    #[inline(always)]
    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant() {
            self.key ^= keys::en_passant(square.file());
            self.en_passant = NONE;
        }
    }

    /// Stores an en passant square if a pawn of the side to move attacks it.
    #[inline(always)]
    pub(super) fn offer_en_passant(&mut self, square: Square) {
        let us = self.turn;
        let pawns = self.roles[usize::from(PAWN)] & self.colors[us as usize];
        if attacks::pawn(us.other(), square) & pawns != 0 {
            self.en_passant = square.number();
            self.key ^= keys::en_passant(square.file());
        }
    }

    #[inline(always)]
    fn end_ply(&mut self) {
        self.full_move_number = self.full_move_number.saturating_add(self.turn as u16);
        self.turn = self.turn.other();
        self.key ^= keys::turn();
        self.next_move = NextMoveCache::EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Setup;

    /// Castling of random positions, legal or not: bitboards, mailbox, rights and key are those of the position
    /// that results.
    #[test]
    fn castling_updates_all_parts() {
        let mut random = tabia_testkit::Random::new(9);
        let mut below = |bound: usize| random.below(bound) as u8;
        let (mut legal, mut illegal) = (0, 0);
        for _ in 0..20_000 {
            let mut setup = Setup::empty();
            setup.turn = [Color::White, Color::Black][usize::from(below(2))];
            for _ in 0..below(8) {
                let color = [Color::White, Color::Black][usize::from(below(2))];
                let role = Role::ALL[1 + usize::from(below(4))];
                setup.set(Square::wrap(below(64)), Some(Piece { color, role }));
            }
            for color in [Color::White, Color::Black] {
                let back = if color.is_white() { 0 } else { 56 };
                let file = 1 + below(6);
                for (side, file) in [file + 1 + below(usize::from(7 - file)), below(file.into())]
                    .into_iter()
                    .enumerate()
                {
                    if below(3) > 0 {
                        let rook = Square::wrap(back + file);
                        let role = Role::Rook;
                        setup.set(rook, Some(Piece { color, role }));
                        setup.castling[color as usize][side] = Some(rook);
                    }
                }
                let role = Role::King;
                setup.set(Square::wrap(back + file), Some(Piece { color, role }));
            }
            setup.half_move_clock = u16::from(below(100));
            let Ok(position) = Position::from_setup(&setup) else {
                continue;
            };
            for rook in position.castling[position.turn as usize] {
                let Some(rook) = Square::new(rook) else {
                    continue;
                };
                let m = Move::castling(position.king(position.turn), rook);
                let after = position.after(m);
                let Ok(mut expected) = Position::from_setup(&after.to_setup()) else {
                    continue;
                };
                if position.is_chess960() {
                    expected.set_chess960();
                }
                assert_eq!(after, expected, "{m} in {}", position.fen());
                assert_eq!(after.castling[position.turn as usize], [NONE; 2]);
                let other = position.turn.other() as usize;
                assert_eq!(after.castling[other], position.castling[other]);
                if position.is_legal(m) {
                    legal += 1;
                } else {
                    illegal += 1;
                }
            }
        }
        assert!(legal > 2000 && illegal > 2000, "{legal} {illegal}");
    }
}
