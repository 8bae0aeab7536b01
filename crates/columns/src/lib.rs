//! Chess databases as columns: every format that tabia reads as Arrow record batches, Parquet files
//! and streams of them, and Parquet back to games.
//!
//! The crate is empty without its feature `parquet`.
//!
//! `schema` lists the tables with their columns, types and meanings; `write` writes them
//! to files and hands them on as record batches, `stream` gives them to a consumer that asks, and
//! `read` makes databases of tables. `book_rows` writes the moves of opening books, and `read` makes books
//! of such tables.
#![warn(missing_docs)]
#![cfg(feature = "parquet")]

pub mod book_rows;
mod first_time_period;
mod game_rows;
mod move_code;
mod name_column;
mod positions;
pub mod read;
mod record_batches;
pub mod schema;
mod sent_texts;
mod span;
pub mod stream;
mod tag_targets;
mod target;
pub mod write;
mod year_folders;
