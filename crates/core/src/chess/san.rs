//! Standard algebraic notation (SAN): reads the forms found in real files, writes the form that the
//! PGN standard defines.
//!
//! [`Position::san`] and [`Position::parse_san`] are the methods for occasional use; the functions
//! here append to a buffer and play the move in one pass.

mod read;
mod write;

use std::fmt;

use super::position::Position;
use super::types::Ply;

pub use read::{read, read_all, read_and_play, read_letters};
pub use write::{SanText, text, write, write_and_play};

/// Why a text names no legal move in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SanError {
    /// The text is not the notation of a move.
    Unreadable,
    /// No piece can make this move.
    Illegal,
    /// Several pieces can make this move, and the text does not distinguish them.
    Ambiguous,
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable => "not the notation of a move",
            Self::Illegal => "an illegal move",
            Self::Ambiguous => "an ambiguous move",
        })
    }
}

impl std::error::Error for SanError {}

impl Position {
    /// The SAN of a legal move in this position, with the least disambiguation, `+` and `#`; `--`
    /// for a null move. A move that is not legal has its coordinates instead.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Move, Position, Square};
    ///
    /// let position = Position::standard();
    /// let m = Move::normal(Square::G1, Square::F3);
    /// assert_eq!(position.san(m).to_string(), "Nf3");
    /// ```
    #[inline]
    pub fn san(&self, ply: impl Into<Ply>) -> SanText {
        match ply.into() {
            Ply::Move(m) => text(self, m),
            Ply::Null => SanText::NULL_MOVE,
        }
    }

    /// The legal move that a text names in this position; see [`read()`] for the forms that are
    /// accepted.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::chess::SanError;
    /// use tabia::Position;
    ///
    /// let mut position = Position::standard();
    /// let ply = position.parse_san("Nf3")?;
    /// position.play_ply(ply);
    /// assert_eq!(position.parse_san("Nf3"), Err(SanError::Illegal));
    /// # Ok::<(), SanError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`read()`].
    pub fn parse_san(&self, text: &str) -> Result<Ply, SanError> {
        read(self, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Setup;

    fn position(fen: &str) -> Position {
        Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
    }

    fn written(position: &Position, ply: Ply) -> String {
        let mut out = Vec::new();
        write(position, ply, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_legal_move_is_read_back() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "8/8/1Q1Q4/8/1Q1Q4/8/7k/K7 w - - 0 1",
            "rnbqkb1r/ppppp1pp/5n2/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        ];
        for fen in fens {
            let position = position(fen);
            for &m in &*position.legal_moves() {
                let san = written(&position, Ply::Move(m));
                assert_eq!(
                    read(&position, san.as_bytes()),
                    Ok(Ply::Move(m)),
                    "{fen} {san}"
                );
            }
        }
    }

    #[test]
    fn forms_of_real_files() {
        let start = Position::standard();
        let e4 = read(&start, b"e4").unwrap();
        for text in ["e2e4", "e2-e4", "e4!", "Pe4", "e4+?"] {
            assert_eq!(read(&start, text.as_bytes()), Ok(e4), "{text}");
        }
        let knight = read(&start, b"Nf3").unwrap();
        for text in ["Ng1f3", "Ngf3", "N1f3", "Ng1-f3", "Nxf3"] {
            assert_eq!(read(&start, text.as_bytes()), Ok(knight), "{text}");
        }
        assert_eq!(read(&start, b"Z0"), Ok(Ply::Null));
        assert_eq!(read(&start, b"O-O"), Err(SanError::Illegal));
        assert_eq!(read(&start, b"e5"), Err(SanError::Illegal));
        assert_eq!(read(&start, b"nonsense"), Err(SanError::Unreadable));
        let promotes = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let queen = read(&promotes, b"a8=Q").unwrap();
        for text in ["a8Q", "a8(Q)", "a8=q", "a7a8Q"] {
            assert_eq!(read(&promotes, text.as_bytes()), Ok(queen), "{text}");
        }
        assert_eq!(read(&promotes, b"a8"), Err(SanError::Illegal));
        let two_knights = position("7k/8/8/8/8/8/7K/N1N5 w - - 0 1");
        assert_eq!(read(&two_knights, b"Nb3"), Err(SanError::Ambiguous));
    }

    #[test]
    fn suffixes_are_exact() {
        let mates = position("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1");
        assert_eq!(written(&mates, read(&mates, b"Re8").unwrap()), "Re8#");
        // A pinned piece needs no disambiguation.
        let pinned = position("4r2k/8/8/8/8/4N3/8/N3K3 w - - 0 1");
        assert_eq!(written(&pinned, read(&pinned, b"Nac2").unwrap()), "Nc2");
    }
}
