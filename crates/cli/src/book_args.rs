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
    Merge(BookMergeArgs),
    Convert(BookConvertArgs),
    Diff(BookDiffArgs),
    Fix(BookFixArgs),
    Edit(BookEditArgs),
    Explain(BookExplainArgs),
    Novelty(BookNoveltyArgs),
}

impl BookVerb {
    /// The options that all verbs share.
    pub(crate) fn common(&self) -> &CommonArgs {
        match self {
            Self::Info(args) => &args.common,
            Self::Find(args) => &args.common,
            Self::Line(args) => &args.common,
            Self::Build(args) => &args.common,
            Self::Merge(args) => &args.common,
            Self::Convert(args) => &args.common,
            Self::Diff(args) => &args.common,
            Self::Fix(args) => &args.common,
            Self::Edit(args) => &args.common,
            Self::Explain(args) => &args.common,
            Self::Novelty(args) => &args.common,
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

/// Where a book is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct BookOutArgs {
    /// The book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The book's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
}

/// Several books into one
///
/// Polyglot books are merged as a stream, whatever their size. What moves of other formats know of
/// games, results and ratings adds up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book merge one.bin two.bin -o both.bin
  tabia book merge mine.bin theirs.bin -o both.bin --mode priority
  tabia book merge a.bin b.bin c.bin -o all.bin --mode average --normalize --factors 2,1,1")]
pub(crate) struct BookMergeArgs {
    /// Books, the most important first
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<OsString>,
    #[command(flatten)]
    pub(crate) out: BookOutArgs,
    /// Moves of several books: sum or max of the weights, priority of the first book that has the
    /// position, average of those that have it
    #[arg(
        long,
        value_name = "MODE",
        default_value = "sum",
        hide_possible_values = true
    )]
    pub(crate) mode: MergeMode,
    /// What the weights of each book are multiplied by, as `2,1`
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub(crate) factors: Vec<f64>,
    /// Bring the heaviest move of each position of each book to 65535 first
    #[arg(long)]
    pub(crate) normalize: bool,
    /// Weight 0 (never play) in one book wins over any weight in others
    #[arg(long)]
    pub(crate) zero_wins: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeMode {
    Sum,
    Max,
    Priority,
    Average,
}

/// A book in another format, or as lines of PGN
///
/// Books that know only keys are walked from the usual start; what the walk does not reach is
/// counted as lost. PGN has a game for every line; a line ends where another has been before.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book convert book.ctg -o book.bin
  tabia book convert book.bin -o lines.pgn --plies 20
  tabia book convert book.bin --to pgn --moves \"1.e4 c5\"")]
pub(crate) struct BookConvertArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The target; without it lines of PGN go to standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The target's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing target
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Plies of a line at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) plies: usize,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What two books say differently, a row a move
///
/// Two Polyglot books are compared by their keys; others position by position.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book diff old.bin new.bin
  tabia book diff old.bin new.bin --limit 20
  tabia book diff book.ctg book.bin --json")]
pub(crate) struct BookDiffArgs {
    /// The first book
    #[arg(value_name = "FIRST")]
    pub(crate) first: OsString,
    /// The second book
    #[arg(value_name = "SECOND")]
    pub(crate) second: OsString,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A sound copy of a book: sorted, without stale entries, repeats added up, castling in one form
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book fix old.bin -o sound.bin
  tabia book fix old.bin -o old.bin --force
  tabia book info old.bin && tabia book fix old.bin -o sound.bin")]
pub(crate) struct BookFixArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    #[command(flatten)]
    pub(crate) out: BookOutArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Changes moves of a book, or lists all of them as rows that can be read back
///
/// Without changes every move is listed. `--import` reads rows as `--csv` lists them: `fen` or
/// `key`, `move`, and what is to be changed: `weight`, `annotation`, `comment`, `learn`; empty cells
/// change nothing, a weight of `-` takes the move out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book edit book.bin --csv > moves.csv
  tabia book edit book.bin --import moves.csv -o new.bin
  tabia book edit book.bin --moves \"1.e4\" --move c5 --weight 100 -o new.bin")]
pub(crate) struct BookEditArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The changed book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The move to change, SAN or UCI
    #[arg(long = "move", value_name = "MOVE", requires = "output")]
    pub(crate) m: Option<String>,
    /// Its weight; 0 is never played
    #[arg(long, value_name = "N", requires = "m")]
    pub(crate) weight: Option<u32>,
    /// Its symbols, as `!` or `$14`; empty for none
    #[arg(long, value_name = "SYMBOLS", requires = "m")]
    pub(crate) annotation: Option<String>,
    /// Its comment; empty for none
    #[arg(long, value_name = "TEXT", requires = "m")]
    pub(crate) comment: Option<String>,
    /// Take it out
    #[arg(long, requires = "m")]
    pub(crate) remove: bool,
    /// Changes as comma-separated rows
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with = "m")]
    pub(crate) import: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which games made a move's weight; exit code 1 when there are none
///
/// The games come from the sources, given again, with the points that `book build` gives them; the
/// end compares them with what the book says. Without sources they are those that the book links
/// to, from the position on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book explain book.bin games.pgn --moves \"1.e4\" --move c5
  tabia book explain book.bin mega.cbh --move d4 --where \"elo:>=2600\"
  tabia book explain book_0.kob --moves \"1.e4\" --pgn")]
pub(crate) struct BookExplainArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// Where the games are [default: where the book's links lead]
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<OsString>,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The move, SAN or UCI [default: any]
    #[arg(long = "move", value_name = "MOVE")]
    pub(crate) m: Option<String>,
    /// The text of the games that the book links to, out of their files
    #[arg(long, conflicts_with = "sources")]
    pub(crate) pgn: bool,
    /// Plies of each game, as when the book was built
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_ply: u32,
    /// Only games that fit, as when the book was built
    #[arg(
        long = "where",
        value_name = "FILTER",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub(crate) filter: String,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Marks where games leave a book: NAG 146 and a comment that says what the book has instead
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book novelty games.pgn --book book.bin -o marked.pgn
  tabia book novelty mega.cbh --book book.bin --games 1-100 -o marked.pgn
  tabia book novelty games.pgn --book book.bin | less")]
pub(crate) struct BookNoveltyArgs {
    /// Databases: files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The book
    #[arg(long, value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The PGN; without it standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) games: Option<String>,
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
