//! The verb that serves a page.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::common::CommonArgs;

/// Opens a page over databases and books in the browser
///
/// Lists, games, books and positions of every database and book of a folder, in the browser of this machine.
/// Without `--lan` the server listens on this machine only. It reads only the inputs named here, and changes none of them. The page
/// loads nothing from elsewhere. Standard output has one line: the address with its key, without which no data
/// is shown. Programs made for Lichess' opening explorer find its paths `/masters`, `/lichess` and `/player`
/// here, without a key. ^C ends the server with exit code 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia serve ~/Chess
  tabia serve mega.cbh book.ctg --no-open
  tabia serve --port 8000 --json
  tabia serve --masters mega.cbh --api-only
  tabia serve ~/Chess --write --out ~/Chess/new")]
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
    /// Answer other machines of the network too, all with the key; the traffic is not encrypted
    #[arg(long)]
    pub(crate) lan: bool,
    /// Inputs that `/masters` answers from [default: all databases]
    #[arg(long, value_name = "PATH")]
    pub(crate) masters: Vec<OsString>,
    /// An origin whose pages may ask the explorer, as `https://example.org`
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    pub(crate) cors: Vec<String>,
    /// The page may write new files into the folder of `--out`: conversions, copies of books with changes
    #[arg(long, requires = "out")]
    pub(crate) write: bool,
    /// An existing folder for what the page writes; no other one is written to, and no input is replaced
    #[arg(long, value_name = "DIR", requires = "write")]
    pub(crate) out: Option<PathBuf>,
    /// The explorer of other programs needs the key too
    #[arg(long)]
    pub(crate) private: bool,
    /// Without the page
    #[arg(long)]
    pub(crate) api_only: bool,
    /// A folder with saved indexes of positions, for databases that have none next to them; the page builds
    /// new ones there [default: the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
    /// The address as JSON: url, port, pid, version; does not open the browser
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// One exact origin: a scheme and a host, with or without a port.
fn origin(text: &str) -> Result<String, String> {
    let host = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let is_origin = host.is_some_and(|host| {
        let mut bytes = host.bytes();
        !host.is_empty()
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'))
    });
    if is_origin {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("an origin is a scheme and a host, as https://example.org".to_owned())
    }
}
