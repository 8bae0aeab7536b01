//! What can be typed. Turned into plain options by [`Context`](crate::context::Context) and the
//! commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::book_args::BookVerb;

/// Chess databases and opening books: list, show, convert, check, edit, repair.
#[derive(Debug, Parser)]
#[command(
    name = "tabia",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  tabia info mega.cbv                  what it is and how much is in it
  tabia ls games.pgn.zst --limit 20    a row a game
  tabia convert mega.cbh -o mega.pgn   with every variation and annotation PGN can hold

`tabia VERB --help` shows a verb's options, `tabia help VERB` explains all of them."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Info(InfoArgs),
    Ls(LsArgs),
    Show(ShowArgs),
    Convert(ConvertArgs),
    Check(CheckArgs),
    Edit(EditArgs),
    Repair(RepairArgs),
    #[command(subcommand)]
    Archive(ArchiveVerb),
    #[command(subcommand)]
    Book(BookVerb),
    Formats(FormatsArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Verb {
    /// The options that all verbs share, for those that have them.
    pub(crate) fn common(&self) -> Option<&CommonArgs> {
        Some(match self {
            Self::Info(args) => &args.common,
            Self::Ls(args) => &args.common,
            Self::Show(args) => &args.common,
            Self::Convert(args) => &args.common,
            Self::Check(args) => &args.common,
            Self::Edit(args) => &args.common,
            Self::Repair(args) => &args.common,
            Self::Archive(ArchiveVerb::List(args)) => &args.common,
            Self::Archive(ArchiveVerb::Extract(args)) => &args.common,
            Self::Archive(ArchiveVerb::Create(args)) => &args.common,
            Self::Archive(ArchiveVerb::Test(args)) => &args.common,
            Self::Book(verb) => verb.common(),
            Self::Formats(args) => &args.common,
            Self::Completions(_) | Self::Man(_) => return None,
        })
    }
}

/// What inputs are, how much they hold, how healthy they are
///
/// Databases and books are only opened, archives are looked into, streams of text are counted
/// without reading their moves.
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

/// A row a game
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
    /// Only these games, as `1-100,205`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) games: Option<String>,
    /// Records marked as deleted too
    #[arg(long)]
    pub(crate) include_deleted: bool,
    /// Guiding texts too
    #[arg(long)]
    pub(crate) texts: bool,
    /// Only games that fit, as `player:carlsen elo:>=2700 date:2020.. -result:1/2-1/2`
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

/// One game as PGN, or the content of a guiding text
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia show mega.cbh --game 48213
  tabia show games.pgn --game 7 --profile full
  tabia show mega.cbv --game 1 --json | jq '.moves[0]'")]
pub(crate) struct ShowArgs {
    /// A file, base name, archive, `archive:member`, or `-`
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
    /// Number of the game, from 1
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    pub(crate) game: u32,
    /// How much the PGN shows: standard, full, lichess, chessbase, seven
    #[arg(long, value_name = "PROFILE", default_value = "standard", value_parser = profile, conflicts_with = "json")]
    pub(crate) profile: tabia::core::format::Profile,
    /// PGN without line breaks inside the move text
    #[arg(long)]
    pub(crate) no_wrap: bool,
    /// The whole tree, annotations typed
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Any database to any writable format
///
/// The target's extension names its format, `--to` overrides; `.gz`, `.bz2`, `.xz`, `.zst` and
/// `.lz4` after it compress text. Without `-o` PGN goes to standard output. The target appears
/// complete or not at all. What the target format cannot hold is counted at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia convert mega.cbv -o mega.pgn --profile full
  tabia convert *.pgn -o some.pgn.zst --where 'player:carlsen date:2020..'
  tabia convert round9.pgn -o mega.cbh --append")]
pub(crate) struct ConvertArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The target; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<OsString>,
    /// The target's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing target
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Add the games to the target, a ChessBase database that is there
    #[arg(long, conflicts_with = "force")]
    pub(crate) append: bool,
    /// How much PGN shows: standard, full, lichess, chessbase, seven
    #[arg(long, value_name = "PROFILE", default_value = "standard", value_parser = profile)]
    pub(crate) profile: tabia::core::format::Profile,
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) games: Option<String>,
    /// Only games that fit, as `player:carlsen elo:>=2700 date:2020.. -result:1/2-1/2`
    #[arg(
        long = "where",
        value_name = "FILTER",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub(crate) filter: String,
    /// Records marked as deleted too
    #[arg(long)]
    pub(crate) include_deleted: bool,
    /// Leave comments out
    #[arg(long)]
    pub(crate) no_comments: bool,
    /// Leave variations out
    #[arg(long)]
    pub(crate) no_variations: bool,
    /// Leave symbols (NAGs) out
    #[arg(long)]
    pub(crate) no_nags: bool,
    /// PGN without line breaks inside the move text
    #[arg(long)]
    pub(crate) no_wrap: bool,
    /// Where the bytes of unreadable games and lines go
    #[arg(long, value_name = "FILE")]
    pub(crate) rejects: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Decodes everything, verifies all it can; exit code 3 when anything is wrong
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

/// Changes a copy of a ChessBase database
///
/// Records are marked as deleted, replaced, or left out for good with all that is unused. The copy
/// is read back before it gets its name; `-o` may name the database itself with `--force`, except
/// for `--pack`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia edit mega.cbh -o new.cbh --delete 5,7-9
  tabia edit mega.cbh -o mega.cbh --force --replace 12 --with game.pgn
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
    /// Take the mark away from these records
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) restore: Option<String>,
    /// Replace this record
    #[arg(long, value_name = "N", requires = "with")]
    pub(crate) replace: Option<u32>,
    /// By the first game of this file
    #[arg(long, value_name = "FILE", requires = "replace")]
    pub(crate) with: Option<OsString>,
    /// Leave out deleted records, holes and unused names
    #[arg(long, conflicts_with_all = ["delete", "restore", "replace"])]
    pub(crate) pack: bool,
    /// Replace an existing target
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Saves what survives of a damaged database and accounts for every game
///
/// Reads all that is left, even if the index or another file of the set is missing, and writes it
/// into a new database. Every game is recovered whole, recovered with losses, or lost: `--json` and
/// `--report` say which, why and where. Exit code 3 when anything was damaged or lost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia repair broken.si4 -o saved.si4
  tabia repair broken.sg5 -o saved.si5 --report account.json
  tabia repair broken.cbh -o saved.pgn --json")]
pub(crate) struct RepairArgs {
    /// Any file of the damaged database, or its base name
    #[arg(value_name = "IN")]
    pub(crate) path: OsString,
    /// The new database
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: OsString,
    /// The new database's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing target
    #[arg(long, short)]
    pub(crate) force: bool,
    /// The account as one JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What can be read, written, held
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

/// Archives of files: scv, cbv, cbz, zip
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  tabia archive list mega.cbv
  tabia archive extract mega.cbv -d folder
  tabia archive test *.cbv")]
pub(crate) enum ArchiveVerb {
    List(ArchiveListArgs),
    Extract(ArchiveExtractArgs),
    Create(ArchiveCreateArgs),
    Test(ArchiveTestArgs),
}

/// A row a member; checksums are verified
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia archive list mega.cbv
  tabia archive list small.cbz --password secret
  tabia archive list all.scv --json")]
pub(crate) struct ArchiveListArgs {
    /// The archive, or `archive:member` for one inside another
    #[arg(value_name = "ARCHIVE")]
    pub(crate) archive: OsString,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Unpacks members into a folder
///
/// Names that would leave the folder are refused. A member with a wrong checksum is unpacked as
/// far as it goes and reported.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia archive extract mega.cbv -d folder
  tabia archive extract all.scv two.pgn
  tabia archive extract small.cbz --password secret -d folder --force")]
pub(crate) struct ArchiveExtractArgs {
    /// The archive
    #[arg(value_name = "ARCHIVE")]
    pub(crate) archive: OsString,
    /// Only these members
    #[arg(value_name = "MEMBER")]
    pub(crate) members: Vec<String>,
    /// The folder to unpack into
    #[arg(long = "directory", short, value_name = "DIR", default_value = ".")]
    pub(crate) directory: PathBuf,
    /// Replace existing files
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Packs files into a new archive
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia archive create mega.cbv mega.cb*
  tabia archive create all.scv one.pgn two.pgn
  tabia archive create all.scv base.sci base.scg base.scn --compression raw
  tabia archive create games.zip *.pgn --force")]
pub(crate) struct ArchiveCreateArgs {
    /// The archive; its extension names its format
    #[arg(value_name = "ARCHIVE")]
    pub(crate) archive: PathBuf,
    /// The files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The archive's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// How files are packed; lzo in scv only, and Scidb itself does not read it
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) compression: Option<Compression>,
    /// Replace an existing archive
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// How the members of an archive are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Compression {
    /// Not at all, as far as the format can
    Raw,
    /// Deflate
    Zlib,
    /// LZO
    Lzo,
}

/// Unpacks every member and compares it with its checksum; exit code 3 when one is bad
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia archive test mega.cbv
  tabia archive test *.cbv --json
  tabia archive test small.cbz --password secret")]
pub(crate) struct ArchiveTestArgs {
    /// The archives
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(crate) archives: Vec<OsString>,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Completions for a shell, on standard output
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia completions bash > ~/.local/share/bash-completion/completions/tabia
  tabia completions zsh > ~/.zfunc/_tabia
  tabia completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArgs {
    /// bash, zsh, fish, powershell or elvish
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Manual pages (roff): on standard output, or all of them into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia man | man -l -
  tabia man convert | man -l -
  tabia man -d ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The page of this verb
    #[arg(value_name = "VERB")]
    pub(crate) verb: Option<String>,
    /// Write every page into this folder
    #[arg(long = "directory", short, value_name = "DIR", conflicts_with = "verb")]
    pub(crate) directory: Option<PathBuf>,
}

/// How rows are shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListingArgs {
    /// One JSON document
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) json: bool,
    /// A JSON object a line
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) ndjson: bool,
    /// Comma-separated values
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) csv: bool,
    /// Tab-separated values; the default when standard output is no terminal
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) tsv: bool,
    /// A table; the default on a terminal
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) table: bool,
    /// Rows at most
    #[arg(long, value_name = "N", help_heading = "Rows")]
    pub(crate) limit: Option<u64>,
    /// Rows left out at the start
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Rows"
    )]
    pub(crate) offset: u64,
}

/// What every verb knows.
#[derive(Debug, Clone, Args)]
pub(crate) struct CommonArgs {
    /// Threads; the output never depends on it [default: one a core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Common")]
    pub(crate) threads: Option<u16>,
    /// The input's format, whatever it looks like
    #[arg(long, value_name = "FORMAT", help_heading = "Common")]
    pub(crate) from: Option<String>,
    /// Character set of texts: auto, utf-8, cp1252, …
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true, value_parser = charset, help_heading = "Common")]
    pub(crate) encoding: tabia::core::io::Charset,
    /// Password of an archive
    #[arg(
        long,
        value_name = "TEXT",
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub(crate) password: Option<String>,
    /// Stop at the first problem
    #[arg(long, help_heading = "Common")]
    pub(crate) strict: bool,
    /// Every problem and loss, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Common")]
    pub(crate) report: Option<PathBuf>,
    /// Show progress: auto (on a terminal), never, json
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub(crate) progress: ProgressChoice,
    /// Colours: auto, always, never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub(crate) color: ColorChoice,
    /// Only errors on standard error
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Common")]
    pub(crate) quiet: bool,
    /// Every problem on standard error, not only the first ten
    #[arg(long, short, help_heading = "Common")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    Auto,
    Never,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

fn profile(text: &str) -> Result<tabia::core::format::Profile, String> {
    let all = tabia::core::format::Profile::ALL;
    all.iter()
        .find(|(_, name)| *name == text)
        .map(|(profile, _)| *profile)
        .ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
            format!("one of {}", names.join(", "))
        })
}

fn charset(text: &str) -> Result<tabia::core::io::Charset, String> {
    tabia::core::io::Charset::parse(text)
        .ok_or_else(|| "auto, utf-8 or a single-byte character set such as cp1252".to_owned())
}
