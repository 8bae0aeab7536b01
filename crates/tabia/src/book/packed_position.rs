//! Positions in 24 bytes, for walks through many of them.

use tabia_core::chess::{Color, Piece, Position, Role, Setup, Square};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A position without its move counters.
///
/// The occupied squares, then four bits for each of them from a1 on: colour and kind, with codes of
/// their own for rooks that may castle, the pawn that has just moved two squares, and the king of
/// the side to move.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    FromBytes,
    IntoBytes,
    KnownLayout,
    Immutable,
)]
#[repr(C)]
pub(super) struct Packed {
    occupied: u64,
    codes: [u64; 2],
}

/// A rook of White that may castle; Black's is one more.
const CASTLER: u64 = 12;
/// The pawn that has just moved two squares.
const PASSER: u64 = 14;
/// The king of the side to move.
const KING_TO_MOVE: u64 = 15;

impl Packed {
    /// `None` for a position with more than 32 pieces, which no game has.
    pub(super) fn of(position: &Position) -> Option<Self> {
        let occupied = position.occupied();
        if occupied.count() > 32 {
            return None;
        }
        let turn = position.turn();
        let castlers: [Option<Square>; 4] = [
            position.castling_rook(Color::White, 0),
            position.castling_rook(Color::White, 1),
            position.castling_rook(Color::Black, 0),
            position.castling_rook(Color::Black, 1),
        ];
        let passer = position.en_passant().and_then(|square| {
            let rank = if turn.is_white() { 4 } else { 3 };
            Square::from_coords(square.file(), rank)
        });
        let mut codes = [0u64; 2];
        for (i, square) in occupied.into_iter().enumerate() {
            let piece = position.piece_at(square)?;
            let code = match piece.role {
                Role::King if piece.color == turn => KING_TO_MOVE,
                Role::Rook if castlers.contains(&Some(square)) => CASTLER + piece.color as u64,
                Role::Pawn if passer == Some(square) => PASSER,
                role => role as u64 + 6 * piece.color as u64,
            };
            *codes.get_mut(i / 16)? |= code << (i % 16 * 4);
        }
        Some(Self {
            occupied: occupied.0,
            codes,
        })
    }

    /// The position; `None` if these bytes are not those of one.
    pub(super) fn position(self) -> Option<Position> {
        let mut setup = Setup::empty();
        let mut turn = None;
        let mut kings = [None; 2];
        let mut castlers: [Option<(Square, Color)>; 4] = [None; 4];
        let mut count = 0;
        let mut passer = None;
        let squares = tabia_core::chess::Bitboard(self.occupied);
        // The side to move decides whose the king to move and the passing pawn are, so it is
        // found by the colour of the other king.
        let code = |i: usize| self.codes.get(i / 16).map(|word| word >> (i % 16 * 4) & 15);
        for i in 0..squares.count() as usize {
            match code(i)? {
                5 => turn = Some(Color::Black),
                11 => turn = Some(Color::White),
                _ => {}
            }
        }
        let turn = turn?;
        for (i, square) in squares.into_iter().enumerate() {
            let piece = match code(i)? {
                KING_TO_MOVE => Piece {
                    color: turn,
                    role: Role::King,
                },
                PASSER => {
                    passer = Some(square);
                    Piece {
                        color: turn.other(),
                        role: Role::Pawn,
                    }
                }
                castler @ (12 | 13) => {
                    let color = if castler == CASTLER {
                        Color::White
                    } else {
                        Color::Black
                    };
                    *castlers.get_mut(count)? = Some((square, color));
                    count += 1;
                    Piece {
                        color,
                        role: Role::Rook,
                    }
                }
                plain => Piece {
                    color: if plain < 6 {
                        Color::White
                    } else {
                        Color::Black
                    },
                    role: *Role::ALL.get(plain as usize % 6)?,
                },
            };
            if piece.role == Role::King {
                kings[piece.color as usize] = Some(square);
            }
            setup.set(square, Some(piece));
        }
        for (rook, color) in castlers.into_iter().flatten() {
            let king = kings[color as usize]?;
            let side = usize::from(rook.file() < king.file());
            setup.castling[color as usize][side] = Some(rook);
        }
        setup.turn = turn;
        setup.en_passant = passer.and_then(|pawn| {
            let rank = if turn.is_white() { 5 } else { 2 };
            Square::from_coords(pawn.file(), rank)
        });
        Position::from_setup(&setup).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_round_trip() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1",
            "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1",
            "8/8/8/8/8/8/8/k1K5 b - - 0 1",
        ] {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let position = Position::from_setup(&setup).unwrap();
            let back = Packed::of(&position).unwrap().position().unwrap();
            assert_eq!(back, position, "{fen}");
            assert_eq!(back.key(), position.key());
        }
        assert_eq!(Packed::default().position(), None);
    }
}
