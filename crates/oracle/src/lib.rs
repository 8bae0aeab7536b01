//! The chess core beside shakmaty and cozy-chess: same rules, same SAN, same FEN, same keys.
//!
//! For tests and benchmarks only. `cargo run --release -p tabia-oracle -- FILE…` compares every
//! position of PGN files (`.pgn` or `.pgn.zst`).

pub mod compare;
pub mod corpus;
pub mod random;

pub use compare::{Comparison, Disagreement};
pub use corpus::{Game, for_each_game};
