//! Options that several verbs share.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options that choose records by number and mark.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordArgs {
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) games: Option<String>,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
}

/// Options that choose games.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    /// Only games that fit a query, as `player:carlsen elo:>=2700 date:2020.. -result:draw`
    ///
    /// `tabia help search` lists the fields of queries.
    #[arg(
        long = "where",
        value_name = "QUERY",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub(crate) filter: String,
}

/// Whether saved indexes are used.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct IndexUseArgs {
    /// Use saved indexes of positions: auto (those that are current), never, require (makes them)
    #[arg(
        long = "index",
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) use_index: IndexChoice,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexChoice {
    #[default]
    Auto,
    Never,
    Require,
}

/// Options for rows.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListingArgs {
    /// One JSON document
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) json: bool,
    /// One JSON object per line
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) ndjson: bool,
    /// Comma-separated values
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) csv: bool,
    /// Tab-separated values; the default if standard output is not a terminal
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) tsv: bool,
    /// A table as wide as the terminal; the default on one
    #[arg(long, group = "style", help_heading = "Rows")]
    pub(crate) table: bool,
    /// Rows without the names of the columns above them
    #[arg(long, hide_short_help = true, help_heading = "Rows")]
    pub(crate) no_header: bool,
    /// At most this many rows
    #[arg(long, value_name = "N", help_heading = "Rows")]
    pub(crate) limit: Option<u64>,
    /// Rows skipped at the start
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Rows"
    )]
    pub(crate) offset: u64,
}

impl ListingArgs {
    /// Whether a form of the rows is asked for.
    pub(crate) fn has_style(&self) -> bool {
        self.json || self.ndjson || self.csv || self.tsv || self.table
    }
}

/// The options at the end of verbs that list what saved indexes find.
#[derive(Debug, Clone, Args)]
pub(crate) struct IndexedRowArgs {
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The options at the end of verbs that list duplicates.
#[derive(Debug, Clone, Args)]
pub(crate) struct DuplicateRowArgs {
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Whether a verb that writes nothing else replaces the file of `--report`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReplaceReportArgs {
    /// Replace an existing report
    #[arg(
        long,
        requires = "report",
        help_heading = "Common",
        hide_short_help = true
    )]
    pub(crate) force: bool,
}

/// Options of every verb.
#[derive(Debug, Clone, Args)]
pub(crate) struct CommonArgs {
    /// Threads; the output does not depend on them [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Common")]
    pub(crate) threads: Option<u16>,
    /// The input's format [default: detected]
    #[arg(long, value_name = "FORMAT", help_heading = "Common")]
    pub(crate) from: Option<String>,
    /// Character set of texts: auto, utf-8, cp1252, cp850, …
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true, value_parser = charset, help_heading = "Common")]
    pub(crate) encoding: tabia::core::io::Charset,
    /// Letters of pieces in PGN, by language: de, fr, es, ru, … [default: English, or what all games
    /// agree in]
    #[arg(
        long,
        value_name = "LANG",
        value_parser = pieces,
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub(crate) pieces: Option<&'static tabia::core::chess::PieceLetters>,
    /// Password of an archive
    #[arg(
        long,
        value_name = "TEXT",
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub(crate) password: Option<String>,
    /// Bytes that a member of an archive or a compressed file may unpack to, however small it is; 250
    /// times its size is always allowed
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "64M",
        value_parser = bytes,
        hide_short_help = true,
        help_heading = "Common"
    )]
    pub(crate) max_unpacked: u64,
    /// Stop at the first problem
    #[arg(long, help_heading = "Common")]
    pub(crate) strict: bool,
    /// Write every problem and loss as JSON
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
    /// No pager; otherwise rows and games longer than the terminal go to `$TABIA_PAGER`, `$PAGER` or less
    #[arg(long, hide_short_help = true, help_heading = "Common")]
    pub(crate) no_pager: bool,
    /// An input that does not exist, and what to type instead.
    #[arg(skip)]
    pub(crate) absent_hint: Option<(PathBuf, String)>,
    /// Paths that a glob named, not the user.
    #[arg(skip)]
    pub(crate) from_glob: Vec<OsString>,
    /// Only errors on standard error
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Common")]
    pub(crate) quiet: bool,
    /// Every problem on standard error, also many of one kind; in tables a second line with what the terminal is too narrow for
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

pub(super) fn profile(text: &str) -> Result<tabia::core::formats::Profile, String> {
    let all = tabia::core::formats::Profile::ALL;
    all.iter()
        .find(|(_, name)| *name == text)
        .map(|(profile, _)| *profile)
        .ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
            format!("one of {}", names.join(", "))
        })
}

pub(super) fn sort_order(text: &str) -> Result<tabia::sort::SortOrder, String> {
    tabia::sort::SortOrder::parse(text)
}

pub(super) fn charset(text: &str) -> Result<tabia::core::io::Charset, String> {
    tabia::core::io::Charset::parse(text).ok_or_else(|| {
        "auto, utf-8 or a single-byte character set such as cp1252, or cp850 and cp437 of DOS"
            .to_owned()
    })
}

/// `de`, or `#121` for a language that only ChessBase has a number for.
pub(super) fn language(text: &str) -> Result<tabia::core::game::Language, String> {
    tabia::core::game::Language::of_code(text)
}

fn pieces(text: &str) -> Result<&'static tabia::core::chess::PieceLetters, String> {
    use tabia::core::chess::PieceLetters;
    PieceLetters::of_language(&text.to_ascii_lowercase()).ok_or_else(|| {
        let codes: Vec<&str> = PieceLetters::codes().collect();
        format!("one of {}", codes.join(", "))
    })
}

/// `512M`, `2G`, `65536`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let shift = match unit
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("a number with K, M or G".to_owned()),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|bytes| *bytes >= 16 << 20)
        .ok_or_else(|| "at least 16M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("2GiB"), Ok(2 << 30));
        assert!(bytes("1K").is_err() && bytes("M").is_err() && bytes("5X").is_err());
    }
}
