//! The verbs that only read.

use std::ffi::OsString;

use clap::Args;

use super::common::{CommonArgs, IndexUseArgs, ListingArgs, SelectArgs, profile};

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
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "PATH")]
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
/// C comments, S symbols. Several inputs add a column `path`. `--columns` chooses among these, and
/// among all tags of the games.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia ls mega.cbh --limit 20
  tabia ls mega.cbv:mega.cbh --columns white,black,Opening --no-header
  zstdcat games.pgn.zst | tabia ls - --csv > games.csv")]
pub(crate) struct LsArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Also guiding texts
    #[arg(long)]
    pub(crate) texts: bool,
    /// Only these columns, in this order; any other name is that of a tag, as `white,black,Opening`
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Option<String>,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Finds games by players, positions, moves: one row per game, or a new database
///
/// The last argument is the query: words of names, `name:value`, comparisons, `OR`, parentheses, `-` for
/// not. Terms about a position hold at the same one, the moment, whose ply, position and next move are
/// the last columns; `A -> B` asks for a later one, `A => B` for the next. Exit code 1 if no game fits.
#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  tabia search mega.cbh 'player:carlsen elo:>=2700 date:2020..'
  tabia search games.pgn 'mat:KRPKR for:10' -o endings.pgn --mark
  tabia search mega.si5 'by:white move:Bxh7+ => move:Kxh7 -> within:6 move:Ng5' --count

`tabia help search` lists the fields of queries.",
    after_long_help = crate::query_help::field_table()
)]
pub(crate) struct SearchArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`; then the query. Standard input, if
    /// it is a pipe and nothing but the query is given
    #[arg(required = true, num_args = 1.., value_name = "IN... QUERY")]
    pub(crate) inputs: Vec<OsString>,
    /// Write the games to this file instead of rows; `-` is standard output
    #[arg(long, short, value_name = "OUT", conflicts_with = "count")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace an existing output
    #[arg(long, short, requires = "output")]
    pub(crate) force: bool,
    /// Put a comment at the moments in the games that `-o` writes [default text: found]
    #[arg(
        long,
        value_name = "TEXT",
        num_args = 0..=1,
        default_missing_value = "found",
        requires = "output"
    )]
    pub(crate) mark: Option<String>,
    /// Only the number of games
    #[arg(long, conflicts_with = "style")]
    pub(crate) count: bool,
    /// The terms in the order in which they are asked, and how many games each leaves
    #[arg(long, conflicts_with_all = ["output", "count"])]
    pub(crate) explain: bool,
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) games: Option<String>,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    /// Also guiding texts
    #[arg(long)]
    pub(crate) texts: bool,
    /// Only these columns, in this order; any other name is that of a tag, as `white,black,Opening`
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) columns: Option<String>,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Explores a position: the moves of the games that reached it, with results and ratings
///
/// A game counts once, with the move after its first arrival; games that end in the position are the row
/// `end`. childGames are the games that reach the position after the move, by any order of moves.
/// averageRating and performance are those of the side to move. `--json` has the keys of `book find`, and
/// the best and the last games. Exit code 1 if no game reached the position.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia tree mega.cbh
  tabia tree mega.cbh --line '1.e4 c5 2.Nf3 d6' --where 'elo:>=2500 date:2015..'
  tabia tree mega.cbh twic.pgn --fen '8/8/8/8/8/5k2/6p1/6K1 b - - 0 1' --json")]
pub(crate) struct TreeArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The position, as FEN [default: the standard position]
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
    /// The position after these moves, SAN or UCI, with or without numbers
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub(crate) line: Option<String>,
    /// Only games that fit a query
    #[arg(
        long = "where",
        value_name = "QUERY",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub(crate) filter: String,
    /// Most moves; the sums are those of all
    #[arg(long, value_name = "N")]
    pub(crate) moves: Option<usize>,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Makes or extends the saved index of positions of databases
///
/// The index is the file `NAME.EXT.tidx` next to the database, or in the user's cache folder if that
/// cannot be written to. `search` and `tree` use it; it grows when games were appended, and is made again
/// when the database was changed otherwise. `--check` compares it with the database (exit code 3 if it
/// differs).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia index mega.cbh
  tabia index ~/Chess -j 2
  tabia index games.pgn --check
  tabia index games.pgn --drop")]
pub(crate) struct IndexArgs {
    /// Files, base names or folders
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// Compare the index with the database, game by game, and change nothing
    #[arg(long, conflicts_with = "drop")]
    pub(crate) check: bool,
    /// Remove the index
    #[arg(long)]
    pub(crate) drop: bool,
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
    /// A file, base name, archive, `archive:member`, or `-` [default: standard input, if it is a pipe]
    #[arg(value_name = "PATH", default_value = "", hide_default_value = true)]
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
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "PATH")]
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
    /// The columns of a table in Parquet or Arrow instead: games, positions
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "TABLE", hide_possible_values = true)]
    pub(crate) schema: Option<super::parquet_options::TableArg>,
    /// The columns as a statement of SQL that creates the table
    #[cfg(feature = "parquet")]
    #[arg(long, requires = "schema", group = "style")]
    pub(crate) sql: bool,
    /// The columns as a table of Markdown
    #[cfg(feature = "parquet")]
    #[arg(long, requires = "schema", group = "style")]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
