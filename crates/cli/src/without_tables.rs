//! The messages of a program that was built without tables in Parquet and Arrow.

use std::path::Path;

use tabia::formats::archives::compressed::Compression;

/// How to get a program that has them.
pub(crate) const HINT: &str = "this program was built without tables; `cargo install --path crates/cli --features parquet` builds it with them (docs/guide/columns.md)";

/// Options of a verb that only a program with tables has.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "convert",
        &[
            "--table",
            "--columns",
            "--with-pgn",
            "--comments",
            "--plies",
            "--shards",
            "--fen",
        ],
    ),
    ("formats", &["--markdown", "--schema", "--sql"]),
];

/// Whether this program lacks an option of the verb because it has no tables.
pub(crate) fn lacks_option(verb: &str, option: &str) -> bool {
    let is_it = |(of, options): &(&str, &[&str])| *of == verb && options.contains(&option);
    cfg!(not(feature = "parquet")) && OPTIONS.iter().any(is_it)
}

/// Whether this program lacks the verb because it has no tables.
pub(crate) fn lacks_verb(group: &str, verb: &str) -> bool {
    cfg!(not(feature = "parquet")) && group == "book" && verb == "from-parquet"
}

/// Whether a format or an extension is one of tables, which this program does not have.
pub(crate) fn lacks_format(name: &str) -> bool {
    let tables = ["parquet", "arrow", "arrows", "feather"];
    cfg!(not(feature = "parquet")) && tables.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether a file is named like a table, which this program does not have; compressed or not.
pub(crate) fn lacks_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (_, bare) = Compression::of_name(&name);
    let extension = Path::new(bare).extension().unwrap_or_default();
    lacks_format(&extension.to_string_lossy())
}
