//! The arguments of `append`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::common::DuplicateRowArgs;

/// Adds the games that a database does not have yet
///
/// Games that are duplicates of games of the database, or of each other, are left out, as `dedupe` finds them;
/// the games of the database stay as they are. It is replaced by a copy with the new games when that is
/// complete, and its saved index, if it has one, grows with it. Every database and PGN file can grow, lists
/// of positions (EPD, FEN) and bughouse matches cannot; one of Scid, Scidb or ChessBase 17 is written again with all its records, and refused if a copy would lose
/// anything. Records of a damaged input whose moves or names are lost are left out and counted. `--from`,
/// `--encoding` and `--pieces` are about the inputs. A PGN file grows in its own character set; one with the
/// piece letters of another language does not grow.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  tabia append twic1567.pgn -o mega.cbh
  tabia append *.pgn.zst -o base.pgn --explain dropped.tsv
  tabia append week.cbv -o base.si5 --dry-run")]
pub(crate) struct AppendArgs {
    /// Files, base names, folders, archives, `archive:member`
    #[arg(value_name = "IN")]
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
    /// Repair a damaged ChessBase database first, as `repair` does, and add damaged records too
    ///
    /// Without it, a damaged database is refused, and records of the inputs whose moves or names are lost are
    /// left out. What cannot be recovered is reported and given up; the old files stay until the new ones are
    /// complete.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) salvage: bool,
    /// Show the rows and add no games
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) rows: DuplicateRowArgs,
}
