//! The verbs that only read.

use std::ffi::OsString;

use clap::Args;

use super::common::{CommonArgs, ListingArgs, SelectArgs, profile};

/// Format, size and problems of inputs
///
/// Databases are only opened, members of archives are listed too, books and streams of text are
/// counted without reading their moves.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia info mega.cbh
  tabia info mega.cbv --json
  tabia info ~/Chess --table")]
pub(crate) struct InfoArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Lists games, one row each
///
/// Columns: game (from 1), white, whiteElo, black, blackElo, result, date, event, site, round, eco,
/// plies, annotator, flags. Flags: D deleted, T guiding text, P setup position, V variations,
/// C comments, S symbols. Several inputs add a column `path`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia ls mega.cbh --limit 20
  tabia ls mega.cbv:mega.cbh --ndjson | jq -r .white
  zstdcat games.pgn.zst | tabia ls - --csv > games.csv")]
pub(crate) struct LsArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Also guiding texts
    #[arg(long)]
    pub(crate) texts: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Prints games as PGN, or guiding texts
///
/// On a terminal tags are dim, comments and glyphs coloured. `--board` also draws a position of
/// each game.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia show mega.cbh --game 48213 --profile full
  tabia show mega.cbh --game 5-7 --board
  tabia show mega.cbv --game 1 --json | jq '.moves[0]'")]
pub(crate) struct ShowArgs {
    /// A file, base name, archive, `archive:member`, or `-`
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
    /// Number of the game from 1, or several as `5-7,12`
    #[arg(long, short, value_name = "N", default_value = "1")]
    pub(crate) game: String,
    /// Draw the position after this ply of the mainline, the last one without a number; 0 is the
    /// start position
    #[arg(
        long,
        value_name = "PLY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "last",
        value_parser = board_ply,
        conflicts_with = "json"
    )]
    pub(crate) board: Option<BoardPly>,
    /// How much the PGN shows: standard, full, lichess, chessbase, seven
    #[arg(long, value_name = "PROFILE", default_value = "standard", value_parser = profile, conflicts_with = "json")]
    pub(crate) profile: tabia::core::formats::Profile,
    /// PGN without line breaks inside the move text
    #[arg(long)]
    pub(crate) no_wrap: bool,
    /// JSON: the move tree with typed annotations
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A position of a game's mainline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoardPly {
    /// After the last ply.
    Last,
    /// After this many plies.
    After(usize),
}

fn board_ply(text: &str) -> Result<BoardPly, String> {
    match text {
        "last" => Ok(BoardPly::Last),
        _ => text
            .parse()
            .map(BoardPly::After)
            .map_err(|_| "a number of plies from the start, or `last`".to_owned()),
    }
}

/// Decodes everything and reports every problem; exit code 3 if there are any
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia check mega.cbh
  tabia check *.cbv --deep --json
  tabia check ~/Chess --report problems.json || echo damaged")]
pub(crate) struct CheckArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    /// Also compare the files of a set with each other, counts and references too
    #[arg(long)]
    pub(crate) deep: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Lists the formats and what each can hold
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia formats
  tabia formats --json
  tabia formats --csv > formats.csv")]
pub(crate) struct FormatsArgs {
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
