//! The verbs of archives.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::{CommonArgs, ListingArgs, ReplaceReportArgs};

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

/// Lists the members of an archive and verifies their checksums
///
/// With `--limit` and `--offset` only the members listed are verified.
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
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// Extracts members into a folder
///
/// Names that would leave the folder are refused, and hidden files (names that begin with a dot) are
/// left out unless `--hidden` or their names are given. A damaged member is unpacked as far as it goes and
/// reported; it never replaces a file.
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
    #[arg(
        long = "directory",
        short,
        short_alias = 'o',
        alias = "output",
        value_name = "DIR",
        default_value = "."
    )]
    pub(crate) directory: PathBuf,
    /// Replace existing files
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Extract hidden files too
    #[arg(long)]
    pub(crate) hidden: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Packs files into a new archive
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia archive create mega.cbv mega.cbh
  tabia archive create all.scv one.pgn two.pgn
  tabia archive create all.scv base.sci --compression raw
  tabia archive create games.zip *.pgn --force")]
pub(crate) struct ArchiveCreateArgs {
    /// The archive; its extension names its format
    #[arg(value_name = "ARCHIVE")]
    pub(crate) archive: PathBuf,
    /// The files; the main file of a database or book brings the other files of its set
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The archive's format [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// How members are compressed; lzo only in scv, and Scidb itself does not read it
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) compression: Option<Compression>,
    /// Replace an existing archive
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// How the members of an archive are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Compression {
    /// Not at all, as far as the format can
    Raw,
    /// Deflate
    Zlib,
    /// LZO
    Lzo,
}

/// Unpacks every member and verifies its checksum; exit code 3 if one is bad
///
/// On a terminal only the members that are not ok are listed; `--verbose` lists all.
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
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}
