//! The verb that serves a page.

use std::ffi::OsString;

use clap::Args;

use super::common::CommonArgs;

/// Opens a page over databases and books in the browser
///
/// Lists, games, books and positions of every database and book of a folder, in the browser of this machine.
/// The server listens on this machine only, reads only the inputs named here, and changes nothing. The page
/// loads nothing from elsewhere. Standard output has one line: the address with its key, without which no data
/// is shown. ^C ends the server with exit code 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia serve ~/Chess
  tabia serve mega.cbh book.ctg --no-open
  tabia serve --port 8000 --json")]
pub(crate) struct ServeArgs {
    /// Files, base names, folders, archives [default: this folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    /// The port; 0 for any [default: 6464, or the next free one up to 6473]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Replace the key, so that old addresses no longer work
    #[arg(long)]
    pub(crate) new_key: bool,
    /// The address as JSON: url, port, pid, version; does not open the browser
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
