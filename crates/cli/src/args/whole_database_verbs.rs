//! The verbs that work on all games together: `eco`, `dedupe`, `stats`, `names`, `novelty`, `append`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{CommonArgs, IndexUseArgs, ListingArgs, SelectArgs};

/// Openings of games by position
///
/// The opening of a game is that of its last mainline position that has a name, by whatever order of moves
/// it was reached. Columns: game, ply of that position, eco, name; without a named position they are
/// empty. Several inputs add a column `path`. With `-o` the games are written with these codes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia eco mega.cbh --limit 20
  tabia eco games.pgn -o coded.pgn
  tabia eco games.pgn -o coded.si5 --eco replace")]
pub(crate) struct EcoArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// Write the games to this file instead of rows; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace an existing output
    #[arg(long, short, requires = "output")]
    pub(crate) force: bool,
    /// Stored codes in written games: fill those that are missing, replace all, keep all [default: fill]
    #[arg(long, value_name = "HOW", requires = "output")]
    pub(crate) eco: Option<tabia::eco::EcoUpdate>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Leaves duplicate games out
///
/// Games of the same two surnames and compatible years are duplicates if they have the same moves, most of
/// the moves, or if one begins the other; short games only if event, round or day agree. Kept is the game
/// with most annotations, then the longest, then the one with most known tags, then the first. Rows:
/// group, kind (exact, near, embedded), kept, dropped, reason, score (percentage of plies in common).
/// Nothing is dropped without a row.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia dedupe mega.cbh --dry-run
  tabia dedupe old.pgn new.pgn -o all.pgn --explain dropped.tsv
  tabia dedupe *.pgn -o all.si5")]
pub(crate) struct DedupeArgs {
    /// Files, base names, folders, archives, `archive:member`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The games that are kept, of all inputs in order
    #[arg(long, short, value_name = "OUT", conflicts_with = "dry_run")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace existing outputs
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Write a row for each game that is dropped, tab-separated
    #[arg(long, value_name = "FILE")]
    pub(crate) explain: Option<PathBuf>,
    /// Add the annotations and variations of duplicates to the games that are kept
    #[arg(long, requires = "output")]
    pub(crate) merge_annotations: bool,
    /// Show the rows and write no games
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Games, results, ratings and plies by year, player, opening or anything else
///
/// A row for each group: its keys, games, white, draws, black, score (of White, in percent),
/// averageRating (of both players), plies (mean). Games with an unknown result are in none of the three.
/// With `player`, `opponent` or `color` a game counts for each of its players, from that player's side:
/// games, wins, draws, losses, score, averageRating, performance, plies. Several inputs are added up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia stats mega.cbh --by year
  tabia stats mega.cbh --by player --limit 20
  tabia stats mega.cbh --player 'carlsen, m' --by color,openingFamily --where 'date:2015..'

Keys: year decade month date player opponent color whitePlayer blackPlayer whiteElo blackElo
eloBand result event site round annotator eco opening openingFamily plyCount plyBand speed,
and any tag, as WhiteTitle.")]
pub(crate) struct StatsArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// What games are grouped by; without it all games are one group
    #[arg(long, value_name = "KEYS")]
    pub(crate) by: Option<String>,
    /// Only games of a player, from that player's side: each word begins a word of the name
    #[arg(long, value_name = "NAME")]
    pub(crate) player: Option<String>,
    /// The order of rows: key (ascending), games (most first) [default: games for one key that is a
    /// name, else key]
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    pub(crate) order: Option<StatsOrderChoice>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The order of rows of `stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsOrderChoice {
    Key,
    Games,
}

/// Names that are spelt in several ways: proposals, and applying those that you choose
///
/// A row for each spelling: cluster, kind, name, games, years, elo (lowest-highest), proposal, reason; the
/// spelling that is proposed has no reason. Players and annotators: initials, order, capitals and accents,
/// one letter of a surname, FIDE ids; events and sites: capitals, accents and punctuation. Proposals are
/// spellings of the games or of a reference, and nothing is changed without `--apply`. Exit code 1 if every
/// name has one spelling.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia names mega.cbh --tsv > names.tsv
  tabia names mega.cbh --kind player --spelling ratings.ssp --fide players_list.txt
  tabia names mega.cbh --apply names.tsv -o clean.cbh")]
pub(crate) struct NamesArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// Only these names: player, event, site, annotator
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = named_thing)]
    pub(crate) kind: Vec<tabia::names::NamedThing>,
    /// Scid's spelling file, whose names are the correct ones
    #[arg(long, value_name = "FILE")]
    pub(crate) spelling: Option<PathBuf>,
    /// FIDE's list of players, as text or XML, whose names are the correct ones of their ids
    #[arg(long, value_name = "FILE")]
    pub(crate) fide: Option<PathBuf>,
    /// Give names the proposals of these rows, which `--tsv` made and you edited: rows that you remove, and
    /// those without a proposal, change nothing
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with_all = ["spelling", "fide", "kind"])]
    pub(crate) apply: Option<PathBuf>,
    /// The games with the new names; `-` is standard output
    #[arg(long, short, value_name = "OUT", requires = "apply")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace an existing output
    #[arg(long, short, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

fn named_thing(text: &str) -> Result<tabia::names::NamedThing, String> {
    let found = tabia::names::NamedThing::parse(text.trim());
    found.ok_or_else(|| "player, event, site or annotator".to_owned())
}

/// The first position of each game that no earlier game of a base had
///
/// Columns: game, ply, san (the move that leads to it), fen, basegames (earlier games that had the position
/// before). A game of the base is earlier if its date is; to a game without a date all are. If every position
/// is known, ply, san and fen are empty. Several inputs add a column `path`. Bases with a saved index are
/// looked up, others are read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia novelty twic.pgn --base mega.cbh
  tabia novelty twic.pgn --base mega.cbh old.si5 --where 'elo:>=2600' --json
  tabia novelty mega.cbh --base mega.cbh --games 48213")]
pub(crate) struct NoveltyArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "GAMES")]
    pub(crate) paths: Vec<OsString>,
    /// The databases of what was played before
    #[arg(long, required = true, num_args = 1.., value_name = "IN")]
    pub(crate) base: Vec<OsString>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Adds the games that a database does not have yet
///
/// Games that are duplicates of games of the database, or of each other, are left out, as `dedupe` finds them;
/// the games of the database stay as they are. It is replaced by a copy with the new games when that is
/// complete, and its saved index, if it has one, grows with it. Databases of ChessBase and PGN can grow.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia append twic1567.pgn -o mega.cbh
  tabia append *.pgn.zst -o base.pgn --explain dropped.tsv
  tabia append week.cbv -o base.pgn --dry-run")]
pub(crate) struct AppendArgs {
    /// Files, base names, folders, archives, `archive:member`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The database that grows
    #[arg(long, short, value_name = "BASE")]
    pub(crate) output: OsString,
    /// Write a row for each game that is left out, tab-separated, as `dedupe` does
    #[arg(long, value_name = "FILE")]
    pub(crate) explain: Option<PathBuf>,
    /// Replace the file of `--explain`
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Show the rows and add no games
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
