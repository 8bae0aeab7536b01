//! The arguments of `info`.

use std::ffi::OsString;

use clap::Args;

use super::common::{CommonArgs, ListingArgs, ReplaceReportArgs};

/// Format, size and problems of inputs
///
/// Databases are only opened, members of archives are listed too, books and streams of text are
/// counted without reading their moves. Files in a folder whose names are those of no format are named at the
/// end, and which of them are chess files by their content.
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
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}
