//! Formats of games: databases and texts.

pub mod bpgn;
pub mod cbf;
pub mod cbh;
pub mod cbh2;
pub(crate) mod common;
pub mod epd;
pub mod export;
pub mod pgn;
pub mod scid;
pub mod scidb;
