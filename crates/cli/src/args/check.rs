//! The arguments of `check`.

use std::ffi::OsString;

use clap::Args;

use super::common::{CommonArgs, ListingArgs};

/// Decodes everything and reports every problem; exit code 3 if there are any
///
/// Files in a folder whose names are those of no format are not checked; how many there are is stated at the end,
/// which of them are chess files by their content too, and `-v` and `--report` list them. Hidden files are left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia check mega.cbh
  tabia check *.cbv --deep --json
  tabia check ~/Chess --report problems.json --force || echo damaged")]
pub(crate) struct CheckArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    /// Also compare the files of a set with each other, counts and references too
    #[arg(long)]
    pub(crate) deep: bool,
    /// Replace an existing report
    #[arg(long, requires = "report")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
