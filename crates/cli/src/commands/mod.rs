//! One file per command.

pub(crate) mod append;
pub(crate) mod archive;
pub(crate) mod book;
pub(crate) mod check;
mod completion_values;
pub(crate) mod completions;
pub(crate) mod convert;
#[cfg(feature = "parquet")]
mod convert_to_tables;
pub(crate) mod converted;
pub(crate) mod dedupe;
mod distinct_members;
pub(crate) mod eco;
pub(crate) mod edit;
pub(crate) mod formats;
pub(crate) mod index;
pub(crate) mod info;
pub(crate) mod ls;
pub(crate) mod man;
pub(crate) mod names;
mod note_media;
pub(crate) mod novelty;
pub(crate) mod other_files;
pub(crate) mod overview;
pub(crate) mod repair;
mod repair_all;
mod salvage;
mod scoutfish_query;
pub(crate) mod search;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod shard;
pub(crate) mod show;
pub(crate) mod stats;
#[cfg(feature = "parquet")]
mod table_schema;
pub(crate) mod tree;
