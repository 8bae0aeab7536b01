//! The vocabulary of tabia: chess rules, the game model, and the traits that formats implement.
//!
//! | module | holds |
//! |---|---|
//! | [`chess`] | positions, moves, SAN, FEN, UCI, keys |
//! | [`game`] | [`Visitor`](game::Visitor), [`Game`](game::Game), tags, annotations |
//! | [`database`] | random access, streams, writers |
//! | [`book`] | opening books |
//! | [`format`](mod@format) | the descriptor of a format, options, limits |
//! | [`error`] | errors with their place, problems |
//! | [`loss`] | what a format can hold and what a conversion loses |
//! | [`external`] | sorters, sets and queues of records that may be larger than memory |
//! | [`io`] | bytes of files, cursors, sets of files, texts, atomic outputs, progress |
#![warn(missing_docs)]

pub mod books;
pub mod calendar;
pub mod chess;
pub mod decimal;
pub mod error;
pub mod external;
pub mod formats;
pub mod game;
pub mod games;
pub mod ids;
pub mod io;
pub mod loss;

pub use error::{Error, ErrorKind, Malformed, Problem, Result};
pub use formats::{BookFormat, GameFormat};
pub use ids::{FormatId, GameIndex, NameId, NameKind};
