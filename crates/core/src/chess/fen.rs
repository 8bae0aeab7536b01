//! Positions as text: FEN, X-FEN and Shredder-FEN.

use std::fmt;
use std::str::FromStr;

use super::position::{Position, SetupError};
use super::setup::Setup;
use super::types::{Color, Piece, Role, Square};

/// How FEN shows castling rights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FenStyle {
    /// `KQkq` if the rook is the outermost one on its side, otherwise the letter of its file.
    #[default]
    XFen,
    /// Always the letter of the rook's file.
    Shredder,
}

/// Why a text is not FEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FenError {
    /// Name of the field that cannot be read.
    pub field: &'static str,
    /// Byte offset in the text, from 0.
    pub at: usize,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "FEN: unreadable {} at column {}",
            self.field,
            self.at + 1
        )
    }
}

impl std::error::Error for FenError {}

impl Setup {
    /// Parses FEN, X-FEN or Shredder-FEN. Fields after the board may be missing: White is then to
    /// move, on move 1, without castling rights. Fields are separated by blanks or underscores. The
    /// position need not be legal.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::chess::{FenStyle, Setup};
    ///
    /// let setup = Setup::parse_fen(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
    /// assert_eq!(setup.fen(FenStyle::XFen), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    /// assert_eq!(Setup::parse_fen(b"9/8").unwrap_err().field, "board");
    /// # Ok::<(), tabia_core::chess::FenError>(())
    /// ```
    ///
    /// # Errors
    /// The field that cannot be read, and where.
    pub fn parse_fen(text: &[u8]) -> Result<Self, FenError> {
        let mut setup = Self::empty();
        let mut fields = text
            .split(|byte| byte.is_ascii_whitespace() || *byte == b'_')
            .filter(|field| !field.is_empty());
        let at = |field: &[u8]| (field.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let board = fields.next().ok_or(FenError {
            field: "board",
            at: 0,
        })?;
        read_board(board, &mut setup).map_err(|offset| FenError {
            field: "board",
            at: at(board) + offset,
        })?;
        if let Some(field) = fields.next() {
            setup.turn = match field {
                b"w" | b"W" => Color::White,
                b"b" | b"B" => Color::Black,
                _ => {
                    return Err(FenError {
                        field: "side to move",
                        at: at(field),
                    });
                }
            };
        }
        if let Some(field) = fields.next() {
            read_castling(field, &mut setup).map_err(|offset| FenError {
                field: "castling rights",
                at: at(field) + offset,
            })?;
        }
        if let Some(field) = fields.next()
            && field != b"-"
        {
            let square = Square::parse(field);
            setup.en_passant = Some(square.ok_or(FenError {
                field: "en passant square",
                at: at(field),
            })?);
        }
        if let Some(field) = fields.next() {
            setup.half_move_clock = number(field).ok_or(FenError {
                field: "half-move clock",
                at: at(field),
            })?;
        }
        if let Some(field) = fields.next() {
            setup.full_move_number = number(field).ok_or(FenError {
                field: "move number",
                at: at(field),
            })?;
        }
        Ok(setup)
    }

    /// All six fields as text.
    pub fn fen(&self, style: FenStyle) -> String {
        let mut out = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.piece(Square::wrap(rank * 8 + file)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            out.push(char::from(b'0' + empty));
                            empty = 0;
                        }
                        out.push(char::from(piece.fen_char()));
                    }
                }
            }
            if empty > 0 {
                out.push(char::from(b'0' + empty));
            }
            out.push(if rank > 0 { '/' } else { ' ' });
        }
        out.push_str(if self.turn.is_white() { "w " } else { "b " });
        let before = out.len();
        for color in [Color::White, Color::Black] {
            for side in 0..2 {
                if let Some(rook) = self.castling[color as usize][side] {
                    out.push(char::from(self.castling_letter(color, side, rook, style)));
                }
            }
        }
        if out.len() == before {
            out.push('-');
        }
        match self.en_passant {
            Some(square) => {
                let [file, rank] = square.letters();
                out.extend([' ', char::from(file), char::from(rank)]);
            }
            None => out.push_str(" -"),
        }
        for number in [self.half_move_clock, self.full_move_number] {
            out.push(' ');
            out.push_str(&number.to_string());
        }
        out
    }

    fn castling_letter(&self, color: Color, side: usize, rook: Square, style: FenStyle) -> u8 {
        let outermost = self.outermost_rook(color, side) == Some(rook);
        let letter = if style == FenStyle::XFen && outermost {
            if side == 0 { b'K' } else { b'Q' }
        } else {
            b'A' + rook.file()
        };
        if color.is_white() {
            letter
        } else {
            letter.to_ascii_lowercase()
        }
    }

    /// The rook nearest the edge on one side of the king, on the back rank.
    fn outermost_rook(&self, color: Color, side: usize) -> Option<Square> {
        let rank = if color.is_white() { 0 } else { 7 };
        let king = self.king(color).filter(|king| king.rank() == rank)?;
        let rook = Piece {
            color,
            role: Role::Rook,
        };
        let mut rooks = (0..8)
            .filter_map(|file| Square::from_coords(file, rank))
            .filter(|&square| self.piece(square) == Some(rook));
        if side == 0 {
            rooks.rfind(|square| square.file() > king.file())
        } else {
            rooks.next().filter(|square| square.file() < king.file())
        }
    }
}

fn read_board(text: &[u8], setup: &mut Setup) -> Result<(), usize> {
    let (mut rank, mut file) = (7, 0);
    for (offset, &byte) in text.iter().enumerate() {
        match byte {
            b'/' if file == 8 && rank > 0 => {
                rank -= 1;
                file = 0;
            }
            // Some programs write a slash after the last rank.
            b'/' if file == 8 && offset + 1 == text.len() => {}
            b'1'..=b'8' if file + (byte - b'0') <= 8 => file += byte - b'0',
            _ => {
                let piece = Piece::from_fen_char(byte).ok_or(offset)?;
                let square = Square::from_coords(file, rank).ok_or(offset)?;
                setup.set(square, Some(piece));
                file += 1;
            }
        }
    }
    if rank == 0 && file == 8 {
        Ok(())
    } else {
        Err(text.len())
    }
}

fn read_castling(text: &[u8], setup: &mut Setup) -> Result<(), usize> {
    for (offset, &byte) in text.iter().enumerate() {
        let color = if byte.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let rank = if color.is_white() { 0 } else { 7 };
        let (side, rook) = match byte.to_ascii_uppercase() {
            b'-' => continue,
            b'K' => (0, setup.outermost_rook(color, 0)),
            b'Q' => (1, setup.outermost_rook(color, 1)),
            letter @ b'A'..=b'H' => {
                let rook = Square::from_coords(letter - b'A', rank);
                let king = setup.king(color).map_or(4, Square::file);
                let side = usize::from(rook.is_some_and(|rook| rook.file() < king));
                let fits = |&rook: &Square| setup.can_have_right(color, side, rook);
                (side, rook.filter(fits))
            }
            _ => return Err(offset),
        };
        // A right without its rook cannot be used.
        if let Some(rook) = rook {
            setup.castling[color as usize][side] = Some(rook);
        }
    }
    Ok(())
}

/// A decimal number, 65,535 for larger ones, 0 for `-`; `None` for anything else.
fn number(text: &[u8]) -> Option<u16> {
    if text == b"-" {
        return Some(0);
    }
    let digits = text.iter().map(|&byte| char::from(byte).to_digit(10));
    digits
        .map(|digit| Some(digit? as u16))
        .try_fold(0u16, |number, digit| {
            Some(number.saturating_mul(10).saturating_add(digit?))
        })
}

/// Why a text is not the FEN of a position that can be played from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionError {
    /// The text is not FEN.
    Fen(FenError),
    /// The arrangement of pieces cannot be played from.
    Setup(SetupError),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fen(error) => error.fmt(f),
            Self::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PositionError {}

impl Position {
    /// Parses FEN, X-FEN or Shredder-FEN; see [`Setup::parse_fen`] and [`Position::from_setup`].
    ///
    /// # Errors
    /// Text that is not FEN, and arrangements of pieces that cannot be played from.
    pub fn parse_fen(text: &[u8]) -> Result<Self, PositionError> {
        let setup = Setup::parse_fen(text).map_err(PositionError::Fen)?;
        Self::from_setup(&setup).map_err(PositionError::Setup)
    }

    /// The FEN of this position, as X-FEN where castling rights need it.
    pub fn fen(&self) -> String {
        self.to_setup().fen(FenStyle::XFen)
    }
}

/// Accepts what [`Position::parse_fen`] accepts.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Position;
///
/// let position: Position = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse()?;
/// assert_eq!(position.legal_moves().len(), 6);
/// # Ok::<(), tabia_core::chess::PositionError>(())
/// ```
impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        Self::parse_fen(text.as_bytes())
    }
}

/// Accepts what [`Setup::parse_fen`] accepts.
impl FromStr for Setup {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::parse_fen(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fen_round_trips() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/8/8/8/8/8/8 b - - 7 0",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 17",
            "4rrkr/8/8/8/8/8/8/RK1R3R w DAfh - 0 9",
            "8/8/8/3pP3/8/8/8/KKkk4 w - d6 0 1",
        ] {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let written = setup.fen(FenStyle::XFen);
            assert_eq!(
                Setup::parse_fen(written.as_bytes()),
                Ok(setup.clone()),
                "{fen}"
            );
            let shredder = setup.fen(FenStyle::Shredder);
            assert_eq!(Setup::parse_fen(shredder.as_bytes()), Ok(setup), "{fen}");
        }
        assert_eq!(
            Setup::standard().fen(FenStyle::Shredder),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
        );
    }

    #[test]
    fn errors_name_the_field_and_its_offset() {
        let error = Setup::parse_fen(b"8/8/8/8/8/8/8/7x w").unwrap_err();
        assert_eq!(
            error,
            FenError {
                field: "board",
                at: 15
            }
        );
        let error = Setup::parse_fen(b"8/8/8/8/8/8/8/8 x").unwrap_err();
        assert_eq!((error.field, error.at), ("side to move", 16));
        let slash = Setup::parse_fen(b"8/8/8/8/8/8/8/8/ b").unwrap();
        assert_eq!(Ok(slash), Setup::parse_fen(b"8/8/8/8/8/8/8/8 b"));
        assert!(Setup::parse_fen(b"8/8/8/8/8/8/8/8// b").is_err());
        assert!(Setup::parse_fen(b"").is_err());
        assert!(Setup::parse_fen(b"9/8/8/8/8/8/8/8").is_err());
    }
}
