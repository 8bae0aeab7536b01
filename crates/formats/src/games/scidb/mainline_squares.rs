//! The pieces of a game that began in the standard position, without a position: enough to write its
//! moves when they are known to be legal.

use tabia_core::chess::{Color, Move, Piece, Role, Square};

use crate::games::scid::move_codes::{Dialect, MoveBytes, Mover, castling_targets};

use super::board::Board;

/// An empty square. The byte of a piece has bit 7 set for Black, the [`Mover`] in bits 4-6, and its
/// number in bits 0-3; kings have the number 0, so that no piece has this byte.
const EMPTY: u8 = 0xff;

const BLACK: u8 = 0x80;

/// The pieces of both sides.
#[derive(Debug, Clone)]
pub(crate) struct MainlineSquares {
    squares: [u8; 64],
    /// The squares of pawns that have never moved.
    home: u64,
    /// [`BLACK`], or 0.
    turn: u8,
}

impl MainlineSquares {
    /// The standard position.
    pub(crate) fn standard() -> Self {
        let board = Board::standard();
        let mut squares = [EMPTY; 64];
        let mut home = 0;
        for (square, stored) in Square::ALL.into_iter().zip(&mut squares) {
            let (Some(number), Some(piece)) =
                (board.number(square), board.position.piece_at(square))
            else {
                continue;
            };
            *stored = kind(piece) | number;
            if piece.role == Role::Pawn {
                home |= square.bit();
            }
        }
        Self {
            squares,
            home,
            turn: 0,
        }
    }

    #[inline(always)]
    fn at(&self, square: Square) -> u8 {
        self.squares.get(square.index()).copied().unwrap_or(EMPTY)
    }

    #[inline(always)]
    fn put(&mut self, square: Square, piece: u8) {
        if let Some(stored) = self.squares.get_mut(square.index()) {
            *stored = piece;
        }
    }

    /// Plays a legal move and appends its bytes. The bit of the home square that a pawn leaves, or where
    /// it is taken; 0 if none. `None` if there is no piece of the side to move, or it has no such move.
    #[inline(always)]
    pub(crate) fn play(&mut self, m: Move, out: &mut Vec<u8>) -> Option<u64> {
        let (from, to) = (m.from(), m.to());
        let piece = self.at(from);
        if piece == EMPTY || piece & BLACK != self.turn {
            return None;
        }
        if m.is_normal() {
            let MoveBytes { bytes, length } = Mover::wrap(piece >> 4).normal(piece & 15, m)?;
            // Without a call to copy one byte or two.
            out.extend_from_slice(&bytes);
            out.truncate(out.len() - (bytes.len() - length));
            let is_pawn = piece >> 4 & 7 < 2;
            let takes = is_pawn & (from.file() != to.file());
            if takes
                && self.at(to) == EMPTY
                && let Some(passed) = Square::from_coords(to.file(), from.rank())
            {
                self.put(passed, EMPTY);
            }
            self.put(from, EMPTY);
            self.put(to, piece);
        } else {
            self.play_special(m, piece, out)?;
        }
        self.turn ^= BLACK;
        let gone = self.home & (from.bit() | to.bit());
        self.home ^= gone;
        Some(gone)
    }

    /// Castling or a promotion.
    #[inline(never)]
    fn play_special(&mut self, m: Move, piece: u8, out: &mut Vec<u8>) -> Option<()> {
        let (from, to) = (m.from(), m.to());
        if !Mover::wrap(piece >> 4).encode(piece & 15, m, out) {
            return None;
        }
        if let Some(role) = m.promotion_role() {
            let color = if piece & BLACK == 0 {
                Color::White
            } else {
                Color::Black
            };
            self.put(from, EMPTY);
            self.put(to, kind(Piece { color, role }) | piece & 15);
        } else if let Some([king_to, rook_to]) = castling_targets(m) {
            let rook = self.at(to);
            self.put(from, EMPTY);
            self.put(to, EMPTY);
            self.put(king_to, piece);
            self.put(rook_to, rook);
        }
        Some(())
    }

    /// The bits of [`Material`](tabia_core::chess::Material).
    pub(crate) fn material(&self) -> u32 {
        // Pawns have four bits, all others two; those of White are above those of Black.
        const FIELDS: [(Role, u32, u32); 5] = [
            (Role::Queen, 10, 3),
            (Role::Rook, 8, 3),
            (Role::Bishop, 6, 3),
            (Role::Knight, 4, 3),
            (Role::Pawn, 0, 15),
        ];
        // An empty square counts as a king, of which there is no field.
        let mut counts = [0_u8; 16];
        for piece in self.squares {
            if let Some(count) = counts.get_mut(usize::from(piece >> 4)) {
                *count += 1;
            }
        }
        let mut word = 0;
        for (color, base) in [(Color::White, 12), (Color::Black, 0)] {
            for (role, shift, max) in FIELDS {
                let index = usize::from(kind(Piece { color, role }) >> 4);
                let count = counts.get(index).copied().unwrap_or(0);
                word |= u32::from(count).min(max) << (base + shift);
            }
        }
        word
    }

    /// The files of White's and Black's pawns on their second and third ranks.
    pub(crate) fn pawns(&self) -> [u8; 4] {
        let ranks = [
            (Color::White, 1),
            (Color::White, 2),
            (Color::Black, 6),
            (Color::Black, 5),
        ];
        ranks.map(|(color, rank)| {
            let role = Role::Pawn;
            let pawn = kind(Piece { color, role }) >> 4;
            let squares = self.squares.get(8 * rank..8 * rank + 8);
            let pieces = squares.unwrap_or_default().iter().rev();
            pieces.fold(0, |files, piece| files << 1 | u8::from(piece >> 4 == pawn))
        })
    }
}

/// The bits of a piece above its number.
fn kind(piece: Piece) -> u8 {
    let color = if piece.color.is_white() { 0 } else { BLACK };
    color | Mover::new(Dialect::Scidb, piece).number() << 4
}

#[cfg(test)]
mod tests {
    use tabia_core::chess::{HomePawns, Material, Ply};
    use tabia_testkit::Random;

    use super::super::record_body_encoder::pawns;
    use super::*;
    use crate::games::scid::home_pawns::home_number;

    /// Random games: bytes, material and pawns are those of the board with a position.
    #[test]
    fn squares_agree_with_the_board() {
        let mut random = Random::new(5);
        let (mut promotions, mut castlings, mut en_passant) = (0, 0, 0);
        for _ in 0..200 {
            let mut board = Board::standard();
            let mut squares = MainlineSquares::standard();
            let mut home = HomePawns::ALL;
            for _ in 0..250 {
                let moves = board.position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[random.below(moves.len())];
                promotions += u32::from(m.promotion_role().is_some());
                castlings += u32::from(m.is_castling());
                en_passant += u32::from(Some(m.to()) == board.position.en_passant());
                let (mut expected, mut bytes) = (Vec::new(), Vec::new());
                assert!(board.encode(Ply::Move(m), &mut expected));
                let gone = squares.play(m, &mut bytes).unwrap();
                assert_eq!(bytes, expected, "{m} in {}", board.position.fen());
                board.play(Ply::Move(m));
                let now = HomePawns::of(&board.position);
                let number = (gone != 0).then(|| home_number(gone));
                assert_eq!(number, home.gone(now), "{m} to {}", board.position.fen());
                home = now;
                let material = Material::of(&board.position).to_bits();
                assert_eq!(squares.material(), material, "{}", board.position.fen());
                assert_eq!(squares.pawns(), pawns(&board.position));
            }
        }
        assert!(promotions > 0 && castlings > 0 && en_passant > 0);
    }
}
