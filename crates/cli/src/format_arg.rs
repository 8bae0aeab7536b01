//! The format that an option names.

use tabia::formats::Format;
use tabia::{Error, Resolver};

use crate::without_tables;

/// The format of that name.
pub(crate) fn find_format(resolver: &Resolver, name: &str) -> Result<Format, Error> {
    resolver.format(name).ok_or_else(|| {
        let known: Vec<String> = resolver
            .formats()
            .iter()
            .map(|format| format.id().to_string())
            .collect();
        let hint = match name.to_ascii_lowercase().as_str() {
            name if without_tables::lacks_format(name) => without_tables::HINT,
            "feather" => "`--to arrow` writes a stream of Arrow",
            "lichess" | "full" | "seven" | "standard" => {
                "the format is pgn; `--profile lichess`, for example, chooses how much it shows"
            }
            "chessbase" => {
                "`--to cbh` writes a ChessBase database, `--profile chessbase` PGN for ChessBase"
            }
            "scid" => "`--to si5` writes a database of Scid 5, `--to si4` of Scid 4",
            "json" => "`--to ndjson` writes a line of JSON for each game",
            "tsv" | "xls" | "xlsx" | "ods" | "sqlite" | "duckdb" => {
                "`--to csv` writes a table that spreadsheets and databases read"
            }
            _ => {
                let text = format!(
                    "no format is called `{name}`; there are {}",
                    known.join(", ")
                );
                return Error::usage(text).with_hint("`tabia formats` lists what each can do");
            }
        };
        Error::usage(format!("no format is called `{name}`")).with_hint(hint)
    })
}
