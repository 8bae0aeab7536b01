//! The verbs that write a database.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{
    CommonArgs, IndexUseArgs, ListingArgs, SelectArgs, charset, language, profile, sort_order,
};

/// Converts any database to any writable format
///
/// The extension of the output names its format, `--to` overrides it; `.gz`, `.bz2`, `.xz`, `.zst` and
/// `.lz4` after it compress text. Without `-o` PGN goes to standard output. The output appears
/// complete or not at all. What its format cannot hold is counted at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia convert mega.cbv -o mega.pgn --profile full
  tabia convert *.pgn -o some.si5 --where 'player:carlsen' --sort date,white
  tabia convert round9.pgn -o mega.cbh --append")]
pub(crate) struct ConvertArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The output; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing output
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Add the games to the output, an existing database or text file
    #[arg(long, conflicts_with = "force")]
    pub(crate) append: bool,
    /// With `--append`: repair a damaged database first, as `repair` does
    ///
    /// Without it, a damaged database is refused. What cannot be recovered is reported and given up; the old
    /// files stay until the new ones are complete.
    #[arg(long, requires = "append")]
    pub(crate) salvage: bool,
    /// The repaired set that games are added to, in the stead of the output; for `append`.
    #[arg(skip)]
    pub(crate) repaired_output: Option<PathBuf>,
    /// Another verb converts, which has no `--profile`.
    #[arg(skip)]
    pub(crate) is_of_other_verb: bool,
    /// The problems of the inputs were shown when they were read before.
    #[arg(skip)]
    pub(crate) are_problems_reported: bool,
    /// How much PGN shows: standard, full, lichess, chessbase, seven
    ///
    /// `standard` is what every program reads, `full` everything, which tabia reads back, `lichess` and
    /// `chessbase` what these write, `seven` the seven usual tags and the bare moves. A study of Lichess takes 64 games at most, and no null moves.
    #[arg(long, value_name = "PROFILE", default_value = "standard", value_parser = profile)]
    pub(crate) profile: tabia::core::formats::Profile,
    /// Character set of the output, for formats that have a choice: cp1252, cp850, …
    /// [default: UTF-8]
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true, value_parser = charset)]
    pub(crate) to_encoding: tabia::core::io::Charset,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Sort the games of all inputs, as `date` or `white,-date`
    ///
    /// `-` is descending. Fields: number, white, black, whiteElo, blackElo, result, moves, plies, ply, eco, date,
    /// event, site, round, annotator.
    #[arg(long, value_name = "FIELDS", value_parser = sort_order, allow_hyphen_values = true)]
    pub(crate) sort: Option<tabia::sort::SortOrder>,
    /// A comment at the moments at which the games fit; for `search`.
    #[arg(skip)]
    pub(crate) mark: Option<String>,
    /// What happens to ECO codes; for `eco`.
    #[arg(skip)]
    pub(crate) eco: tabia::list_openings::EcoUpdate,
    /// Records of each input that are left out; for `dedupe`.
    #[arg(skip)]
    pub(crate) dropped: Vec<std::sync::Arc<Vec<u32>>>,
    /// The lock of the database that grows; for `append`.
    #[arg(skip)]
    pub(crate) lock: Option<std::sync::Arc<tabia::core::io::SetLock>>,
    /// What gives the output its name; for `dedupe` and `append`.
    #[arg(skip)]
    pub(crate) transaction: Option<tabia::core::io::Transaction>,
    /// Of each input the games that get annotations of duplicates; for `dedupe`.
    #[arg(skip)]
    pub(crate) merges: Vec<std::sync::Arc<tabia::dedupe::Merges>>,
    /// The part of the inputs that is written; for `shard`.
    #[arg(skip)]
    pub(crate) shard: Option<tabia::select::Shard>,
    /// New spellings of names; for `names`.
    #[arg(skip)]
    pub(crate) renames: Option<std::sync::Arc<tabia::names::Renames>>,
    /// The position of each game that a list of positions (EPD, FEN) gets: start, end or moment [default: end]
    ///
    /// `moment` are the positions at which a game fits `--where`, one for each step of a sequence; games that
    /// fit without one are left out.
    #[arg(
        long,
        value_name = "WHICH",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(crate) position: Option<PositionArg>,
    /// Without `--position` it is that of the moments, if there are any; for `search`.
    #[arg(skip)]
    pub(crate) prefers_moments: bool,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    /// Leave comments out
    #[arg(long)]
    pub(crate) no_comments: bool,
    /// Keep the comments in the first of these languages, as `de,en`
    ///
    /// Of comments on a move in several languages only those in the first of these that is among them:
    /// `de,en` is German, or else English. Comments without a language are kept. Training questions and guiding texts
    /// are reduced in the same way; those in none of the languages are kept whole.
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = language, conflicts_with = "no_comments")]
    pub(crate) language: Vec<tabia::core::game::Language>,
    /// Leave variations out
    #[arg(long)]
    pub(crate) no_variations: bool,
    /// Leave symbols (NAGs) out
    #[arg(long)]
    pub(crate) no_nags: bool,
    /// PGN without line breaks inside the move text
    #[arg(long)]
    pub(crate) no_wrap: bool,
    /// Several outputs with this number of games each
    ///
    /// Their names have numbers: `games-0001.pgn` and so on for `-o games.pgn`.
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = ["append", "split_by", "sort"])]
    pub(crate) split: Option<NonZeroU32>,
    /// An output for each event, eco, player or year
    ///
    /// Their names end with the value: `games-B90.pgn` for `-o games.pgn`.
    #[arg(
        long,
        value_name = "FIELD",
        requires = "output",
        conflicts_with_all = ["append", "sort"],
        hide_possible_values = true
    )]
    pub(crate) split_by: Option<SplitField>,
    /// Write the bytes of unreadable games and lines to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) rejects: Option<PathBuf>,
    #[cfg(feature = "parquet")]
    #[command(flatten)]
    pub(crate) table: super::parquet_options::TableArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The positions of a game that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PositionArg {
    /// Before the first move
    Start,
    /// After the last move of the mainline
    End,
    /// At which the game fits the query
    Moment,
}

/// What the games of one output have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitField {
    /// The event
    Event,
    /// The ECO code
    Eco,
    /// A player; each game is in two outputs
    Player,
    /// The year
    Year,
}

/// Changes a copy of a ChessBase database
///
/// Records are marked as deleted, replaced, or removed together with unused names and holes. The copy
/// is read back before it gets its name. The database itself is not changed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia edit mega.cbh -o new.cbh --delete 5,7-9
  tabia edit mega.cbh -o new.cbh --force --replace 12 --with game.pgn
  tabia edit mega.cbh -o small.cbh --pack")]
pub(crate) struct EditArgs {
    /// A ChessBase database
    #[arg(value_name = "IN")]
    pub(crate) path: OsString,
    /// The changed copy
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: OsString,
    /// Mark these records as deleted, as `5,7-9`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) delete: Option<String>,
    /// Unmark these records
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) restore: Option<String>,
    /// Replace this record
    #[arg(long, value_name = "N", requires = "with")]
    pub(crate) replace: Option<u32>,
    /// The file whose first game takes its position
    #[arg(long, value_name = "FILE", requires = "replace")]
    pub(crate) with: Option<OsString>,
    /// Repair a damaged database first, as `repair` does
    ///
    /// Without it, a damaged database is refused. What cannot be recovered is reported and given up. Numbers
    /// of records are those of the damaged database.
    #[arg(long)]
    pub(crate) salvage: bool,
    /// Leave out deleted records, holes and unused names
    #[arg(long, conflicts_with_all = ["delete", "restore", "replace"])]
    pub(crate) pack: bool,
    /// Replace an existing output
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Recovers what is left of a damaged database and accounts for every game
///
/// Reads all files of the set that are left, even without the index, and writes a new database. Every
/// game is recovered completely, recovered with losses, or lost: `--json` and `--report` list the
/// outcome, reason and location of each. A game is one with losses, too, if its names may be those of
/// another or the new file cannot hold all of it. PGN is written with the profile `full`. Exit code 3 if
/// anything was damaged or lost.
///
/// Of a folder or an archive each database and book is repaired into a file in the folder `-o`, and has a row with
/// what became of it. Archives in it are opened, also in archives, one level down. Nothing is written into the folder
/// that is repaired. Exit code 4 if one of them cannot be read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia repair broken.si4 -o saved.si4
  tabia repair broken.sg5 -o saved.si5 --report account.json
  tabia repair broken.cbh -o saved.pgn --json
  tabia repair Chess -o Saved --report account.json
  tabia repair backup.zip -o Saved")]
pub(crate) struct RepairArgs {
    /// Any file of the damaged database, or its base name; a folder; an archive
    #[arg(value_name = "IN")]
    pub(crate) path: OsString,
    /// The new database; of a folder or an archive, a folder
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: OsString,
    /// The format of new databases, or of new books [default: by extension; in a folder, that of each]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace existing outputs
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
