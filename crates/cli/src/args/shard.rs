//! The arguments of `shard`.

use std::ffi::OsString;
use std::num::NonZeroU32;

use clap::Args;

use super::common::{CommonArgs, profile};

/// Writes one of N parts of databases, each game in exactly one
///
/// Several machines share a job: all are given the same inputs and the same `--of`, and each its `--index`.
/// A database is cut by the numbers of its records; its shards in order are the database. PGN, also compressed or
/// from standard input, is cut into blocks of half a megabyte, which the shards get in turn, so that it is
/// read once and only the games of the shard are decoded. If there are fewer games or blocks than shards, some
/// shards have no games.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia shard mega.cbh --of 4 --index 1 -o part1.cbh
  tabia shard games.pgn.zst --of 16 --index 7 -o part7.pgn.zst
  tabia shard games.pgn --of 16 --index 7 -o - | tabia book build - -o book7.bin")]
pub(crate) struct ShardArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// Number of shards
    #[arg(long, value_name = "N")]
    pub(crate) of: NonZeroU32,
    /// Which shard, from 1 to N
    #[arg(long, value_name = "K")]
    pub(crate) index: NonZeroU32,
    /// The output; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: OsString,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing output
    #[arg(long, short)]
    pub(crate) force: bool,
    /// How much PGN shows: standard, full, lichess, chessbase, seven
    #[arg(long, value_name = "PROFILE", default_value = "standard", value_parser = profile)]
    pub(crate) profile: tabia::core::formats::Profile,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
