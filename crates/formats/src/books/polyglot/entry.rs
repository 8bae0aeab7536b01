//! The 16-byte entry and its move.

use tabia_core::books::Learn;
use tabia_core::chess::{Color, Move, Piece, Position, Role, Square};
use zerocopy::byteorder::big_endian::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// One entry of a book.
///
/// | at | size | field | meaning |
/// |---:|-----:|-------|---------|
/// |  0 |    8 | `key` | key of the position in which the move is played; 0 for header records |
/// |  8 |    2 | `move_bits` | bits 0-5 to, 6-11 from, 12-14 promotion (1 knight … 4 queen) |
/// | 10 |    2 | `weight` | relative to the other moves of the key; 0 is *never play* |
/// | 12 |    4 | `learn` | one of several conventions, see FORMAT.md |
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned,
)]
#[repr(C)]
pub struct Entry {
    /// Key of the position.
    pub key: U64,
    /// The move.
    pub move_bits: U16,
    /// The weight.
    pub weight: U16,
    /// The bytes of [`Entry::learn`].
    pub learn: [u8; 4],
}
const _: () = assert!(size_of::<Entry>() == Entry::SIZE);

impl Entry {
    /// Bytes of an entry.
    pub const SIZE: usize = 16;

    /// The `learn` value.
    pub const fn learn(&self) -> Learn {
        Learn::from_bytes(self.learn)
    }

    /// Whether the move has bits that no book uses: bit 15 or a promotion above the queen.
    pub fn is_foreign(&self) -> bool {
        is_foreign(self.move_bits.get())
    }
}

/// As [`Entry::is_foreign`].
pub(super) const fn is_foreign(move_bits: u16) -> bool {
    move_bits >> 12 > 4
}

/// The move of the bits in a position; `None` if it is not legal.
///
/// Castling is read as king takes rook and, if the king is on its standard square, as the king's two
/// steps (FORMAT.md § Move). Promotion bits must be set if and only if a pawn promotes.
pub fn decode_move(position: &Position, bits: u16) -> Option<Move> {
    let to = Square::new((bits & 63) as u8)?;
    let from = Square::new((bits >> 6 & 63) as u8)?;
    let us = position.turn();
    if position.piece_at(from)
        == Some(Piece {
            color: us,
            role: Role::King,
        })
    {
        if position.piece_at(to)
            == Some(Piece {
                color: us,
                role: Role::Rook,
            })
        {
            return legal(position, Move::castling(from, to)).filter(|_| bits >> 12 == 0);
        }
        if let Some(m) = two_steps(position, us, from, to) {
            return Some(m).filter(|_| bits >> 12 == 0);
        }
    }
    let m = match bits >> 12 {
        0 => Move::normal(from, to),
        1 => Move::promotion(from, to, Role::Knight),
        2 => Move::promotion(from, to, Role::Bishop),
        3 => Move::promotion(from, to, Role::Rook),
        4 => Move::promotion(from, to, Role::Queen),
        _ => return None,
    };
    legal(position, m)
}

fn two_steps(position: &Position, us: Color, from: Square, to: Square) -> Option<Move> {
    if from.file() != 4 || from.rank() != to.rank() || from.file().abs_diff(to.file()) != 2 {
        return None;
    }
    let rook = position.castling_rook(us, usize::from(to.file() == 2))?;
    legal(position, Move::castling(from, rook))
}

fn legal(position: &Position, m: Move) -> Option<Move> {
    position.is_legal(m).then_some(m)
}

/// The bits of a move; castling as king takes rook.
pub fn encode_move(m: Move) -> u16 {
    let promotion = match m.promotion_role() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    u16::from(m.to().number()) | u16::from(m.from().number()) << 6 | promotion << 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Setup;

    fn position(fen: &str) -> Position {
        Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn moves_round_trip() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 b kq - 0 1",
            "r3k2r/8/8/8/8/8/1P6/R3K2R w KQkq - 0 1",
        ] {
            let position = position(fen);
            for &m in &*position.legal_moves() {
                assert_eq!(decode_move(&position, encode_move(m)), Some(m), "{fen} {m}");
            }
        }
        assert_eq!(encode_move(Move::normal(Square::E2, Square::E4)), 0x031c);
        assert_eq!(encode_move(Move::castling(Square::E1, Square::H1)), 0x0107);
        assert_eq!(
            encode_move(Move::promotion(Square::E7, Square::E8, Role::Queen)),
            0x4d3c
        );
    }

    #[test]
    fn both_forms_of_castling_are_read() {
        let can = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let short = Some(Move::castling(Square::E1, Square::H1));
        assert_eq!(decode_move(&can, 0x0107), short);
        let e1g1 = u16::from(Square::G1.number()) | u16::from(Square::E1.number()) << 6;
        assert_eq!(decode_move(&can, e1g1), short);
        let cannot = position("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1");
        assert_eq!(decode_move(&cannot, 0x0107), None);
        // With a rook on e1 instead of the king, the same bits are the rook's move.
        let rook = position("4k3/8/8/8/8/8/1K6/4R3 w - - 0 1");
        assert_eq!(
            decode_move(&rook, 0x0107),
            Some(Move::normal(Square::E1, Square::H1))
        );
    }

    #[test]
    fn invalid_bits_are_no_moves() {
        let start = Position::standard();
        assert_eq!(decode_move(&start, 0), None);
        assert_eq!(decode_move(&start, 0x031c | 1 << 12), None);
        assert_eq!(decode_move(&start, 0x031c | 1 << 15), None);
    }
}
