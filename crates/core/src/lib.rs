//! The vocabulary of tabia: chess rules, the game model, and the traits that formats implement.
//!
//! | module | contents |
//! |---|---|
//! | [`ids`] | identifiers of games, names and formats |
//! | [`chess`] | positions, moves, SAN, FEN, UCI, keys |
//! | [`game`] | [`Visitor`](game::Visitor), [`Game`](game::Game), tags, annotations |
//! | [`games`] | databases: random access, streams, writers |
//! | [`books`] | opening books |
//! | [`formats`] | descriptors of formats, options, limits |
//! | [`error`] | errors with their location, problems |
//! | [`loss`] | what a format can hold and what a conversion loses |
//! | [`external`] | sorters, sets and queues of records that may be larger than memory |
//! | [`io`] | bytes of files, cursors, sets of files, texts, atomic outputs, progress |
//! | [`byte_sets`] | searches for bytes of a set, with vector instructions |
//! | [`calendar`], [`decimal_digits`], [`hexadecimal`], [`plural`] | day numbers, numbers and bytes as text, numbers with nouns |
//!
//! ```
//! use tabia_core::chess::Position;
//!
//! let mut position = Position::standard();
//! let ply = position.parse_san("e4")?;
//! position.play_ply(ply);
//! assert_eq!(position.legal_moves().len(), 20);
//! # Ok::<(), tabia_core::chess::san::SanError>(())
//! ```
#![warn(missing_docs)]

#[doc(hidden)]
pub mod as_in_tabia;
pub mod books;
pub mod byte_sets;
pub mod calendar;
pub mod chess;
pub mod decimal_digits;
pub mod error;
pub mod external;
pub mod formats;
pub mod game;
pub mod games;
pub mod hexadecimal;
pub mod ids;
pub mod io;
pub mod loss;
pub mod plural;
pub mod shell_argument;

pub use error::{Error, ErrorKind, ErrorSide, Malformed, Problem, Result};
pub use formats::{BookFormat, GameFormat};
pub use ids::{FormatId, GameIndex, NameId, NameKind};
