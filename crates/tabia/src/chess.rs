//! Squares, setups, FEN and SAN: what [`Position`](crate::Position) takes and returns.
//!
//! ```
//! use tabia::Position;
//!
//! let mut position = Position::standard();
//! let ply = position.parse_san("Nf3")?;
//! assert_eq!(position.san(ply).to_string(), "Nf3");
//! position.play_ply(ply);
//! assert_eq!(position.fen(), "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1");
//! # Ok::<(), tabia::chess::SanError>(())
//! ```

#[doc(inline)]
pub use tabia_core::chess::san::{SanError, SanText};
#[doc(inline)]
pub use tabia_core::chess::{
    Bitboard, FenError, FenStyle, Legality, MoveList, PositionError, Setup, SetupError,
    SetupProblem, Squares,
};
