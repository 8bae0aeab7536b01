//! The arguments of `names`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::common::{CommonArgs, ListingArgs, SelectArgs};

/// Names that are spelt in several ways: proposals, and applying those that you choose
///
/// A row for each spelling: cluster, kind, name, games, years, elo (lowest-highest), proposal, reason; the
/// spelling that is proposed has no reason. Players and annotators: initials, order, capitals and accents,
/// one letter of a surname, FIDE ids; events and sites: capitals, accents and punctuation. Proposals are
/// spellings of the games or of a reference, and nothing is changed without `--apply`. Exit code 1 if every
/// name has one spelling.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("written").args(["output", "report"]).multiple(true)))]
#[command(after_help = "\
Examples:
  tabia names mega.cbh --tsv > names.tsv
  tabia names mega.cbh --spelling ratings.ssp --fide players_list.txt
  tabia names mega.cbh --apply names.tsv -o clean.cbh")]
pub(crate) struct NamesArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
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
    /// Give names the proposals of these rows, which `--tsv` or `--csv` made and you edited: rows that you
    /// remove, and those without a proposal, change nothing; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with_all = ["spelling", "fide", "kind"])]
    pub(crate) apply: Option<PathBuf>,
    /// The games with the new names; `-` is standard output
    #[arg(long, short, value_name = "OUT", requires = "apply")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace an existing output or report
    #[arg(long, short, requires = "written")]
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
