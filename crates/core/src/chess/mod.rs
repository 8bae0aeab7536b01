//! The rules of chess, built for databases: read a move, test its legality, play it, write it, and
//! update the position's key.
//!
//! Squares are numbered a1 = 0, b1 = 1, … h8 = 63. Reading, playing and writing a move allocates
//! nothing, and builds no list of all legal moves.

mod attacks;
mod cached_legality;
mod fen;
mod keys;
mod legal_moves;
mod legality;
pub mod material_and_home_pawns;
mod piece_letters;
mod play;
mod position;
pub mod san;
mod setup;
mod setup_problems;
mod types;
pub mod uci;

pub use fen::{FenError, FenStyle, PositionError};
pub use legal_moves::MoveList;
pub use material_and_home_pawns::{HomePawns, Material, PawnsGone, Signature};
pub use piece_letters::PieceLetters;
pub use position::{Position, SetupError};
pub use setup::Setup;
pub use setup_problems::{Legality, SetupProblem};
pub use types::{Bitboard, Color, Move, Piece, Ply, Role, Square, Squares};
