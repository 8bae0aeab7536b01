//! Compares the chess core with shakmaty and cozy-chess: rules, SAN, FEN and keys must be the same.
//!
//! For tests and benchmarks only. `cargo run --release -p tabia-oracle -- FILE…` compares every
//! position of PGN files (`.pgn` or `.pgn.zst`).

pub mod compare;
pub mod read_pgn_mainlines;

pub use compare::{Comparison, Disagreement};
pub use read_pgn_mainlines::{Game, for_each_game};
