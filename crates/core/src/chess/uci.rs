//! Moves in UCI coordinates.
//!
//! [`Position::uci`] and [`Position::parse_uci`] are the methods for occasional use; the functions here work on bytes.

use std::fmt::{self, Write};

use super::position::Position;
use super::types::{Move, Piece, Ply, Role, Square};

/// The UCI coordinates of a move: four or five ASCII letters. `Display` writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UciText {
    letters: [u8; 5],
    len: u8,
}

impl fmt::Display for UciText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.letters.iter().take(usize::from(self.len));
        letters.try_for_each(|&letter| f.write_char(char::from(letter)))
    }
}

impl Position {
    /// The UCI coordinates of a move in this position: `e2e4`, `e7e8q`, `0000` for a null move. Castling is the king's
    /// move of two squares, in [Chess960](Self::is_chess960) king takes rook. Whether the move is legal is not tested.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Position;
    ///
    /// let position = Position::standard();
    /// let ply = position.parse_san("Nf3")?;
    /// assert_eq!(position.uci(ply).to_string(), "g1f3");
    /// # Ok::<(), tabia_core::chess::san::SanError>(())
    /// ```
    pub fn uci(&self, ply: impl Into<Ply>) -> UciText {
        let mut out = Vec::new();
        match ply.into() {
            Ply::Move(m) => write(m, self.is_chess960(), &mut out),
            Ply::Null => out.extend_from_slice(b"0000"),
        }
        let mut text = UciText {
            letters: [0; 5],
            len: out.len() as u8,
        };
        for (letter, written) in text.letters.iter_mut().zip(out) {
            *letter = written;
        }
        text
    }

    /// The legal move that UCI coordinates name in this position; `None` if they name none. Castling may be written as
    /// in standard chess or as in Chess960. `0000` is the null move, [`Ply::Null`], in every position; `--`, as SAN has
    /// it, is none of UCI.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Position;
    ///
    /// let position = Position::standard();
    /// let ply = position.parse_uci("g1f3").unwrap();
    /// assert_eq!(position.san(ply).to_string(), "Nf3");
    /// assert_eq!(position.parse_uci("g1g3"), None);
    /// assert_eq!(position.parse_uci("0000"), Some(tabia::Ply::Null));
    /// assert_eq!(position.parse_uci("--"), None);
    /// ```
    pub fn parse_uci(&self, text: &str) -> Option<Ply> {
        read(self, text.as_bytes())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_is_read_back() {
        for (fen, castling) in [
            ("r3k2r/8/8/8/8/8/1p6/R3K2R w KQkq - 0 1", "e1g1"),
            ("4k3/P7/8/8/8/8/8/1R3K1R w HB - 0 1", "f1h1"),
        ] {
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            let mut texts = Vec::new();
            for &m in &*position.legal_moves() {
                let text = position.uci(m).to_string();
                assert_eq!(position.parse_uci(&text), Some(Ply::Move(m)), "{text}");
                texts.push(text);
            }
            assert!(texts.iter().all(|text| matches!(text.len(), 4 | 5)));
            assert!(texts.iter().any(|text| text == castling), "{texts:?}");
        }
        let null = Position::standard().uci(Ply::Null);
        assert_eq!(null.to_string(), "0000");
    }
}
