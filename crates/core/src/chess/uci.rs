//! Moves in UCI coordinates.

use super::position::Position;
use super::types::{Move, Piece, Ply, Role, Square};

/// Reads `e2e4`, `e7e8q`, castling as `e1g1` or king takes rook, and `0000` for a null move.
/// `None` if it is not a legal move in `position`.
///
/// ```
/// use tabia_core::chess::{Ply, Position, uci};
///
/// let position = Position::standard();
/// let Some(Ply::Move(m)) = uci::read(&position, b"e2e4") else { panic!() };
/// let mut text = Vec::new();
/// uci::write(m, false, &mut text);
/// assert_eq!(text, b"e2e4");
/// assert_eq!(uci::read(&position, b"e2e5"), None);
/// ```
pub fn read(position: &Position, text: &[u8]) -> Option<Ply> {
    if text == b"0000" {
        return Some(Ply::Null);
    }
    let from = Square::parse(text.get(..2)?)?;
    let to = Square::parse(text.get(2..4)?)?;
    let us = position.turn();
    let piece = position.piece_at(from)?;
    if piece
        == (Piece {
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
            return legal(position, Move::castling(from, to));
        }
        if from.file() == 4 && from.rank() == to.rank() && from.file().abs_diff(to.file()) == 2 {
            let side = usize::from(to.file() == 2);
            let rook = position.castling_rook(us, side)?;
            return legal(position, Move::castling(from, rook));
        }
    }
    let m = match text.get(4) {
        Some(&letter) => Move::promotion(from, to, Role::from_char(letter)?),
        None => Move::normal(from, to),
    };
    if text.len() > 5 {
        return None;
    }
    legal(position, m)
}

fn legal(position: &Position, m: Move) -> Option<Ply> {
    position.is_legal(m).then_some(Ply::Move(m))
}

/// Appends a move. Castling is written as king takes rook if `chess960`, otherwise as the king's move
/// of two squares.
pub fn write(m: Move, chess960: bool, out: &mut Vec<u8>) {
    let to = if m.is_castling() && !chess960 {
        let file = if m.to().file() > m.from().file() {
            6
        } else {
            2
        };
        Square::wrap((m.from().number() & 0x38) + file)
    } else {
        m.to()
    };
    out.extend_from_slice(&m.from().letters());
    out.extend_from_slice(&to.letters());
    if let Some(role) = m.promotion_role() {
        out.push(role.upper_char().to_ascii_lowercase());
    }
}
