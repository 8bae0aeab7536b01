//! Chess databases and opening books: open, list, convert, check.
//!
//! | module | holds |
//! |---|---|
//! | [`resolve`] | from what a user typed to inputs: files, sets, folders, archives, streams |
//! | [`detect`] | which format a file has |
//! | [`item`] | an input and how it is opened |
//! | [`scan`] | all records of an input on several threads, results in order |
//! | [`select`] | which records, and what of them |
//! | [`convert`](mod@convert) | any input to any format that can be written |
//! | [`check`](mod@check) | decodes everything and counts what is wrong |
//! | [`edit`](mod@edit) | changes a copy of a database: deletes, replaces, packs |
//! | [`repair`](mod@repair) | saves what survives of a damaged database into a new one |
//! | [`list`](mod@list) | a row for each record |
//! | [`load`](mod@load) | one record, whole |
//! | [`scratch`] | temporary files that leave nothing behind |
//! | [`inspect`](mod@inspect) | what an input is, how much it holds |
//! | [`book`](mod@book) | opening books |
#![warn(missing_docs)]

pub use tabia_core as core;
pub use tabia_formats as formats;
pub use tabia_query as query;

pub mod book;
pub mod check;
pub mod convert;
pub mod detect;
pub mod edit;
mod error;
mod filter_stream;
pub mod input;
pub mod inspect;
pub mod list;
mod output;
mod parallel;
pub mod read_one;
pub mod repair;
pub mod resolve;
pub mod scan;
pub mod select;
mod summary;
pub mod temporary_files;
mod unpack;

pub use error::Failure;
pub use input::{InputItem, OpenInput, OpenedInput};
pub use resolve::Resolver;
pub use summary::{LossEntry, LossTable, NoObserver, Observer, Summary};
