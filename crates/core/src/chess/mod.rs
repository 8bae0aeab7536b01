//! The rules of chess, built for databases: resolve a move, play it, write it, keep the key.
//!
//! Squares are numbered a1 = 0, b1 = 1, … h8 = 63. Nothing here allocates on the way of a move, and
//! no list of all legal moves is built to check or to write one.

mod attacks;
mod check_and_play;
mod fen;
mod keys;
mod legality;
mod moves;
mod play;
mod position;
pub mod san;
mod setup;
mod setup_problems;
pub mod signature;
mod types;
pub mod uci;

pub use fen::{FenError, FenStyle, PositionError};
pub use moves::MoveList;
pub use position::{Position, SetupError};
pub use setup::Setup;
pub use setup_problems::{Legality, SetupProblem};
pub use signature::{HomePawns, Material, Signature};
pub use types::{Bitboard, Color, Move, Piece, Ply, Role, Square, Squares};
