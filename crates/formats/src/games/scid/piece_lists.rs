//! Piece lists and squares without a position: enough to write moves that are legal.

use tabia_core::chess::{Color, Move, Piece, Ply, Role, Square};

use super::board::{Board, MAX_PIECES};
use super::move_codes::{Dialect, MoveBytes, Mover, castling_targets};

/// An empty square. The byte of a piece has bit 7 set for Black, the [`Mover`] in bits 4-6, and the
/// slot of its list in bits 0-3.
const EMPTY: u8 = 0xff;

const BLACK: u8 = 0x80;

/// The pieces of both sides in the order of their lists.
#[derive(Debug, Clone)]
pub(crate) struct PieceLists {
    squares: [u8; 64],
    /// The squares of the pieces: White's list, then Black's.
    order: [u8; 2 * MAX_PIECES],
    counts: [u8; 2],
    /// The number of pieces by bits 4-7 of their byte.
    kinds: [u8; 16],
    /// The squares of pawns that have never moved.
    home: u64,
    /// [`BLACK`], or 0.
    turn: u8,
}

impl PieceLists {
    /// The lists of a position.
    pub(crate) fn of(board: &Board) -> Self {
        let mut lists = Self {
            squares: [EMPTY; 64],
            order: [0; 2 * MAX_PIECES],
            counts: [0; 2],
            kinds: [0; 16],
            home: 0,
            turn: turn(board.position.turn()),
        };
        for color in [Color::White, Color::Black] {
            let home_rank = if color.is_white() { 1 } else { 6 };
            for (slot, square) in (0..).zip(board.listed(color)) {
                let Some(piece) = board.position.piece_at(square) else {
                    continue;
                };
                let mover = Mover::new(Dialect::Scid, piece);
                lists.put_listed(turn(color) | kind(mover) | slot, square);
                lists.count(turn(color) | kind(mover), 1);
                if let Some(count) = lists.counts.get_mut(color as usize) {
                    *count = slot + 1;
                }
                if piece.role == Role::Pawn && square.rank() == home_rank {
                    lists.home |= square.bit();
                }
            }
        }
        lists
    }

    #[inline(always)]
    fn put_listed(&mut self, piece: u8, square: Square) {
        if let Some(listed) = self.order.get_mut(list_index(piece)) {
            *listed = square.number();
        }
        self.put(square, piece);
    }

    #[inline(always)]
    fn put(&mut self, square: Square, piece: u8) {
        if let Some(stored) = self.squares.get_mut(square.index()) {
            *stored = piece;
        }
    }

    #[inline(always)]
    fn at(&self, square: Square) -> u8 {
        self.squares.get(square.index()).copied().unwrap_or(EMPTY)
    }

    /// Changes the count of a kind of piece.
    fn count(&mut self, piece: u8, by: i8) {
        if let Some(count) = self.kinds.get_mut(usize::from(piece >> 4)) {
            *count = count.saturating_add_signed(by);
        }
    }

    /// Whether the side to move has a piece on a square.
    #[inline(always)]
    pub(crate) fn has_mover(&self, square: Square) -> bool {
        let piece = self.at(square);
        piece != EMPTY && piece & BLACK == self.turn
    }

    /// Appends the byte or bytes of a ply. `false` if the move cannot be written.
    pub(crate) fn encode(&self, ply: Ply, out: &mut Vec<u8>) -> bool {
        let Ply::Move(m) = ply else {
            out.push(0);
            return true;
        };
        let piece = self.at(m.from());
        self.has_mover(m.from()) && Mover::wrap(piece >> 4).encode(piece & 15, m, out)
    }

    /// Plays a move that is neither castling nor a promotion. Its bytes, and the pawn that left home
    /// as [`PieceLists::play`] returns it. `None` if the move cannot be written.
    #[inline(always)]
    pub(crate) fn step(&mut self, m: Move) -> Option<(MoveBytes, u64)> {
        let piece = self.at(m.from());
        if piece == EMPTY || piece & BLACK != self.turn {
            return None;
        }
        let bytes = Mover::wrap(piece >> 4).normal(piece & 15, m)?;
        self.turn ^= BLACK;
        self.play_normal(m, piece);
        Some((bytes, self.leave_home(m)))
    }

    /// Plays a ply. The bit of the home square that a pawn leaves, or where it is taken; 0 if none.
    pub(crate) fn play(&mut self, ply: Ply) -> u64 {
        self.turn ^= BLACK;
        let Ply::Move(m) = ply else {
            return 0;
        };
        let piece = self.at(m.from());
        if m.is_normal() {
            self.play_normal(m, piece);
        } else {
            self.play_special(m, piece);
        }
        self.leave_home(m)
    }

    #[inline(always)]
    fn play_normal(&mut self, m: Move, piece: u8) {
        let (from, to) = (m.from(), m.to());
        let is_pawn = piece >> 4 & 7 < 2;
        // One branch, since a branch on pawn moves is mispredicted.
        let takes = (self.at(to) != EMPTY) | is_pawn & (from.file() != to.file());
        if takes {
            self.take(m, piece);
        }
        self.put(from, EMPTY);
        self.put_listed(piece, to);
    }

    #[inline(always)]
    fn leave_home(&mut self, m: Move) -> u64 {
        let gone = self.home & (m.from().bit() | m.to().bit());
        self.home ^= gone;
        gone
    }

    /// Castling or a promotion.
    #[inline(never)]
    fn play_special(&mut self, m: Move, piece: u8) {
        let (from, to) = (m.from(), m.to());
        if let Some(role) = m.promotion_role() {
            if self.at(to) != EMPTY {
                self.take(m, piece);
            }
            let color = if piece & BLACK == 0 {
                Color::White
            } else {
                Color::Black
            };
            let mover = Mover::new(Dialect::Scid, Piece { color, role });
            let promoted = piece & (BLACK | 15) | kind(mover);
            self.count(piece, -1);
            self.count(promoted, 1);
            self.put(from, EMPTY);
            self.put_listed(promoted, to);
            return;
        }
        let rook = self.at(to);
        if let Some([king_to, rook_to]) = castling_targets(m) {
            self.put(from, EMPTY);
            self.put(to, EMPTY);
            self.put_listed(piece, king_to);
            self.put_listed(rook, rook_to);
        }
    }

    /// Removes the piece on the target square, or the pawn that is taken en passant.
    fn take(&mut self, m: Move, piece: u8) {
        let taken = self.at(m.to());
        if taken != EMPTY {
            self.remove(taken);
            return;
        }
        if let Some(passed) = Square::from_coords(m.to().file(), m.from().rank()) {
            let taken = self.at(passed);
            if taken != EMPTY && (taken ^ piece) & BLACK != 0 {
                self.remove(taken);
                self.put(passed, EMPTY);
            }
        }
    }

    /// Removes a piece from its list. The last piece of the list takes its slot.
    fn remove(&mut self, piece: u8) {
        self.count(piece, -1);
        let Some(count) = self.counts.get_mut(usize::from(piece >> 7)) else {
            return;
        };
        *count = count.saturating_sub(1);
        let last = self.order.get(list_index(piece & BLACK | *count & 15));
        if let Some(square) = last.and_then(|&square| Square::new(square)) {
            let moved = self.at(square) & 0xf0 | piece & 15;
            self.put_listed(moved, square);
        }
    }

    /// The material signature.
    pub(crate) fn material(&self) -> u32 {
        // Pawns have four bits, all others two; those of White are above those of Black.
        const FIELDS: [(Role, u32, u32); 5] = [
            (Role::Queen, 10, 3),
            (Role::Rook, 8, 3),
            (Role::Bishop, 6, 3),
            (Role::Knight, 4, 3),
            (Role::Pawn, 0, 15),
        ];
        let mut word = 0;
        for (color, base) in [(Color::White, 12), (Color::Black, 0)] {
            for (role, shift, max) in FIELDS {
                let mover = Mover::new(Dialect::Scid, Piece { color, role });
                let index = usize::from((turn(color) | kind(mover)) >> 4);
                let count = self.kinds.get(index).copied().unwrap_or(0);
                word |= u32::from(count).min(max) << (base + shift);
            }
        }
        word
    }
}

/// The index of a piece in [`PieceLists::order`].
#[inline(always)]
const fn list_index(piece: u8) -> usize {
    (piece >> 3 & 16 | piece & 15) as usize
}

const fn turn(color: Color) -> u8 {
    if color.is_white() { 0 } else { BLACK }
}

#[inline(always)]
const fn kind(mover: Mover) -> u8 {
    mover.number() << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::scid::home_pawns;
    use tabia_core::chess::{HomePawns, Material, Setup};

    /// Random games from several starts: bytes, lists, material and home pawns are those of the
    /// board with a position.
    #[test]
    fn lists_agree_with_the_board() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRK1B1RN w KQkq - 0 1",
        ];
        let mut random = 7_usize;
        for fen in fens.repeat(40) {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let mut board = Board::from_setup(&setup).unwrap();
            let mut lists = PieceLists::of(&board);
            let mut home = HomePawns::of(&board.position);
            for _ in 0..200 {
                let moves = board.position.legal_moves();
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                if moves.is_empty() {
                    break;
                }
                let m = moves[(random >> 33) % moves.len()];
                let ply = if random >> 60 == 0 && !board.position.is_check() {
                    Ply::Null
                } else {
                    Ply::Move(m)
                };
                let (mut left, mut right) = (Vec::new(), Vec::new());
                assert!(board.encode(ply, &mut left) && lists.encode(ply, &mut right));
                assert_eq!(left, right, "{ply:?} in {}", board.position.fen());
                board.play(left[0], ply);
                let gone = lists.play(ply);
                let now = HomePawns::of(&board.position);
                let gone = (gone != 0).then(|| home_pawns::home_number(gone));
                assert_eq!(gone, home.gone(now), "{ply:?} to {}", board.position.fen());
                home = now;
                assert_eq!(
                    lists.material(),
                    Material::of(&board.position).to_bits(),
                    "{}",
                    board.position.fen()
                );
                let fresh = PieceLists::of(&board);
                assert_eq!(lists.squares, fresh.squares, "{}", board.position.fen());
                assert_eq!(
                    (lists.counts, lists.kinds, lists.home),
                    (fresh.counts, fresh.kinds, fresh.home)
                );
            }
        }
    }
}
