//! What can be typed after `tabia book`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::args::{CommonArgs, ListingArgs};

/// Opening books: what they know, and how they are made
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  tabia book info book.bin
  tabia book find book.bin --moves \"1.e4 c5\"
  tabia book line book.bin --best")]
pub(crate) enum BookVerb {
    Info(BookInfoArgs),
    Find(BookFindArgs),
    Line(BookLineArgs),
    Build(Box<BookBuildArgs>),
}

impl BookVerb {
    /// The options that all verbs share.
    pub(crate) fn common(&self) -> &CommonArgs {
        match self {
            Self::Info(args) => &args.common,
            Self::Find(args) => &args.common,
            Self::Line(args) => &args.common,
            Self::Build(args) => &args.common,
        }
    }
}

/// What books are, how much they hold, and every defect by name and count
///
/// All entries are looked at. `--walk` also goes through the book from the usual start: how deep it
/// is, which side it is for, how castling is written, which moves are not legal.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book info book.bin
  tabia book info book.bin --walk
  tabia book info *.bin --json")]
pub(crate) struct BookInfoArgs {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<OsString>,
    /// Go through the book from the usual start
    #[arg(long)]
    pub(crate) walk: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which position.
#[derive(Debug, Clone, Args)]
pub(crate) struct PositionArgs {
    /// The position, as FEN [default: the usual start]
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
    /// The position after these moves, SAN or UCI, with or without numbers
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
}

/// What books know of a position; exit code 1 when none has it
///
/// Score is that of the side to move, probability how likely a program plays the move. `--json` has
/// the keys of the Lichess explorer; what a book does not know is absent or null. White, draws and
/// black are games from White's side.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book find book.bin
  tabia book find one.bin two.bin --moves \"1.e4 c5 2.Nf3\"
  tabia book find book.bin --fen \"8/8/8/8/8/5k2/6p1/6K1 b - - 0 1\" --json")]
pub(crate) struct BookFindArgs {
    /// Books; several are shown side by side
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<OsString>,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A walk through a book: the best moves, or moves at random by their weights
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book line book.bin --best
  tabia book line book.bin --seed 7 --moves \"1.d4\"
  tabia book line book.bin --count 5 --plies 12")]
pub(crate) struct BookLineArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Always the heaviest move
    #[arg(long, conflicts_with = "seed")]
    pub(crate) best: bool,
    /// Makes the random choice repeatable
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How many lines
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) count: u32,
    /// Plies at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) plies: usize,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A book from games, of any format that opens
///
/// The target's extension names its format. Moves weigh two points for a win of the side that plays
/// them and one for a draw or an unknown result; where that is more than 16 bits hold, the weights
/// of the position are scaled. Games whose moves cannot all be read are left out and reported.
/// Polyglot's own spelling works too: `-pgn games.pgn -bin book.bin -max-ply 40 -min-game 5`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book build games.pgn -o book.bin
  tabia book build mega.cbh twic.pgn.zst -o strong.bin --where \"elo:>=2500 date:2010..\"
  tabia book build games.pgn -o same.bin --compat polyglot --max-ply 60 --min-games 1")]
pub(crate) struct BookBuildArgs {
    /// Databases: files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The book's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Plies of each game
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Moves")]
    pub(crate) max_ply: u32,
    /// Games in which a move was played, at least
    #[arg(
        long,
        visible_alias = "min-game",
        value_name = "N",
        default_value_t = 3,
        help_heading = "Moves"
    )]
    pub(crate) min_games: u64,
    /// Score of the side that plays a move in percent, at least
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 0.0,
        help_heading = "Moves"
    )]
    pub(crate) min_score: f64,
    /// Only moves of White
    #[arg(long, overrides_with = "only_black", help_heading = "Moves")]
    pub(crate) only_white: bool,
    /// Only moves of Black
    #[arg(long, overrides_with = "only_white", help_heading = "Moves")]
    pub(crate) only_black: bool,
    /// Moves that never scored too (kept by formats with results anyway)
    #[arg(long, help_heading = "Moves")]
    pub(crate) scoreless: bool,
    /// Moves of variations too
    #[arg(long, help_heading = "Moves")]
    pub(crate) variations: bool,
    /// Every weight is 1
    #[arg(long, help_heading = "Weights")]
    pub(crate) uniform: bool,
    /// Points halve with every so many years of age
    #[arg(long, value_name = "YEARS", help_heading = "Weights")]
    pub(crate) recency: Option<f64>,
    /// The heaviest move of each position gets 65535
    #[arg(long, help_heading = "Weights")]
    pub(crate) stretch: bool,
    /// Byte for byte what `polyglot make-book` 2.0.4 makes of the same PGN
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["recency", "stretch", "scoreless"], help_heading = "Weights")]
    pub(crate) compat: Option<Compat>,
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS", help_heading = "Games")]
    pub(crate) games: Option<String>,
    /// Records marked as deleted too
    #[arg(long, help_heading = "Games")]
    pub(crate) include_deleted: bool,
    /// Only games that fit, as `elo:>=2500 date:2010.. -result:*`
    #[arg(
        long = "where",
        value_name = "FILTER",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true,
        help_heading = "Games"
    )]
    pub(crate) filter: String,
    /// Memory for counting; more than that goes to disk
    #[arg(long, value_name = "BYTES", default_value = "512M", value_parser = bytes)]
    pub(crate) memory: u64,
    /// No `OUT.json` beside the book that says what it was made from
    #[arg(long)]
    pub(crate) no_record: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Whose books to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    Polyglot,
}

/// `512M`, `2G`, `65536`.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let shift = match unit
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("a number with K, M or G".to_owned()),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|bytes| *bytes >= 16 << 20)
        .ok_or_else(|| "at least 16M".to_owned())
}

/// Polyglot's spelling of `book build` turned into ours; everything else as it is.
pub(crate) fn from_polyglot(arguments: Vec<OsString>) -> Vec<OsString> {
    let is = |i: usize, text: &str| arguments.get(i).is_some_and(|argument| argument == text);
    if !is(1, "book") || !(is(2, "build") || is(2, "make-book")) {
        return arguments;
    }
    let mut ours: Vec<OsString> = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let text = argument.to_str().unwrap_or_default();
        let own = match text {
            "make-book" if i == 2 => "build",
            "-pgn" => continue,
            "-bin" => "--output",
            "-max-ply" => "--max-ply",
            "-min-game" => "--min-games",
            "-min-score" => "--min-score",
            "-only-white" => "--only-white",
            "-only-black" => "--only-black",
            "-uniform" => "--uniform",
            _ => {
                ours.push(argument.clone());
                continue;
            }
        };
        ours.push(own.into());
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("2GiB"), Ok(2 << 30));
        assert!(bytes("1K").is_err() && bytes("M").is_err() && bytes("5X").is_err());
    }

    #[test]
    fn polyglots_options_are_ours() {
        let typed = "tabia book make-book -pgn a.pgn -bin b.bin -min-game 2 -uniform";
        let ours = from_polyglot(typed.split(' ').map(OsString::from).collect());
        let expected = "tabia book build a.pgn --output b.bin --min-games 2 --uniform";
        assert_eq!(ours.join(std::ffi::OsStr::new(" ")), expected);
    }
}
