//! The arguments of `show`.

use std::ffi::OsString;

use clap::Args;

use super::common::{CommonArgs, ReplaceReportArgs, profile};

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
    /// A file, base name, archive, `archive:member`, or `-` [default: standard input, if it is a pipe]
    #[arg(value_name = "PATH", default_value = "", hide_default_value = true)]
    pub(crate) path: OsString,
    /// Number of the game from 1, several as `5-7,12`, or `last`
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
        conflicts_with = "json_form"
    )]
    pub(crate) board: Option<BoardPly>,
    /// How much the PGN shows: standard, full, lichess, chessbase, seven
    ///
    /// `standard` is what every program reads, `full` everything, which tabia reads back, `lichess` and
    /// `chessbase` what these write, `seven` the seven usual tags and the bare moves.
    #[arg(long, value_name = "PROFILE", default_value = "standard", value_parser = profile, conflicts_with = "json_form")]
    pub(crate) profile: tabia::core::formats::Profile,
    /// PGN without line breaks inside the move text
    #[arg(long)]
    pub(crate) no_wrap: bool,
    /// JSON: the move tree with typed annotations; a list, if `--game` names several
    #[arg(long, group = "json_form")]
    pub(crate) json: bool,
    /// JSON with each game on a line of its own
    #[arg(long, group = "json_form")]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
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
