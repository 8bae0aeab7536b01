//! One move of the tree.

use tabia_core::chess::{Color, Move, Piece, Position, Role, Square};
use zerocopy::byteorder::little_endian::{I32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// One move as stored (FORMAT.md § Record).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned,
)]
#[repr(C)]
pub struct Record {
    /// The square of the piece, a1 = 0 … h8 = 63.
    pub from: u8,
    /// The target square.
    pub to: u8,
    /// The promotion: 1 rook, 2 knight, 3 bishop, 4 queen; negative for White.
    pub promotion: i8,
    /// From 0 (not to be played) to 9.
    pub priority: u8,
    /// Number of games.
    pub games: I32,
    /// Games won by White.
    pub won: I32,
    /// Games won by Black.
    pub lost: I32,
    /// Flags, see [`Record::DELETED`].
    pub flags: U32,
    /// Number of the record with the first reply; absent if not above 0.
    pub child: I32,
    /// Number of the record with the next alternative; absent if not above 0.
    pub sibling: I32,
}
const _: () = assert!(size_of::<Record>() == Record::SIZE);

impl Record {
    /// Bytes of a record.
    pub const SIZE: usize = 28;
    /// The flag of a deleted move.
    pub const DELETED: u32 = 1 << 24;

    /// Whether the move is deleted.
    pub fn is_deleted(&self) -> bool {
        self.flags.get() & Self::DELETED != 0
    }
}

/// The move of a record in a position; `None` if it is not legal.
pub fn decode_move(position: &Position, record: &Record) -> Option<Move> {
    let from = Square::new(record.from)?;
    let to = Square::new(record.to)?;
    let us = position.turn();
    let king = Piece {
        color: us,
        role: Role::King,
    };
    let two_steps = from.rank() == to.rank() && from.file().abs_diff(to.file()) == 2;
    let m = if two_steps && position.piece_at(from) == Some(king) {
        let rook = position.castling_rook(us, usize::from(to.file() < from.file()))?;
        Move::castling(from, rook)
    } else {
        match record.promotion.unsigned_abs() {
            0 => Move::normal(from, to),
            1 => Move::promotion(from, to, Role::Rook),
            2 => Move::promotion(from, to, Role::Knight),
            3 => Move::promotion(from, to, Role::Bishop),
            4 => Move::promotion(from, to, Role::Queen),
            _ => return None,
        }
    };
    position.is_legal(m).then_some(m)
}

/// The fields `from`, `to` and `promotion` of a move of a side; `None` for castling of Chess960.
pub fn encode_move(color: Color, m: Move) -> Option<(u8, u8, i8)> {
    let (from, mut to) = (m.from(), m.to());
    if m.is_castling() {
        let file = match to.file() {
            7 => 6,
            0 => 2,
            _ => return None,
        };
        if from.file() != 4 {
            return None;
        }
        to = Square::from_coords(file, from.rank())?;
    }
    let promotion = match m.promotion_role() {
        Some(Role::Rook) => 1,
        Some(Role::Knight) => 2,
        Some(Role::Bishop) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    let promotion = if color.is_white() {
        -promotion
    } else {
        promotion
    };
    Some((from.number(), to.number(), promotion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Setup;

    #[test]
    fn moves_round_trip() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 b kq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "r3k2r/8/8/8/8/8/1P6/R3K2R w KQkq - 0 1",
        ] {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let position = Position::from_setup(&setup).unwrap();
            for &m in &*position.legal_moves() {
                let (from, to, promotion) = encode_move(position.turn(), m).unwrap();
                let record = Record {
                    from,
                    to,
                    promotion,
                    ..Record::read_from_bytes(&[0; Record::SIZE]).unwrap()
                };
                assert_eq!(decode_move(&position, &record), Some(m), "{fen} {m}");
            }
        }
    }

    #[test]
    fn only_classical_castling_has_a_code() {
        assert_eq!(
            encode_move(Color::White, Move::castling(Square::E1, Square::H1)),
            Some((4, 6, 0))
        );
        let chess960 = Move::castling(Square::F1, Square::H1);
        assert_eq!(encode_move(Color::White, chess960), None);
    }
}
