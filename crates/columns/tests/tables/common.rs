//! Inputs made of text, and tables read back.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use tabia::{Error, InputItem, NoObserver, Progress, Resolver, Summary};
use tabia_columns::write::{TableFile, TableOptions, each_batch, write_table};
use tabia_testkit::Scratch;

/// The databases that a path names.
pub(crate) fn items(path: &Path) -> Vec<InputItem> {
    let found = Resolver::default().resolve_games(path.as_os_str()).unwrap();
    found.into_iter().map(Result::unwrap).collect()
}

/// The batches of a table of some PGN, and what became of the games.
pub(crate) fn batches(pgn: &str, options: &TableOptions) -> (Vec<RecordBatch>, Summary) {
    let folder = Scratch::new("columns");
    let path = folder.join("games.pgn");
    std::fs::write(&path, pgn).unwrap();
    let mut batches = Vec::new();
    let summary = each_batch(
        &items(&path),
        options,
        &Arc::new(Progress::default()),
        &mut NoObserver,
        &mut |batch| {
            batches.push(batch);
            Ok(true)
        },
    );
    (batches, summary.unwrap())
}

/// The only batch of a table of some PGN.
pub(crate) fn table(pgn: &str, options: &TableOptions) -> RecordBatch {
    let (mut batches, _) = batches(pgn, options);
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

/// Writes a table.
pub(crate) fn write(
    from: &Path,
    to: TableFile<'_>,
    options: &TableOptions,
) -> Result<Summary, Error> {
    let progress = Arc::new(Progress::default());
    let written = write_table(&items(from), to, options, false, &progress, &mut NoObserver);
    written.map(|(summary, _)| summary)
}

/// A few thousand short games, no two alike.
pub(crate) fn many_games(count: u32) -> String {
    let moves = ["e4", "d4", "c4", "Nf3", "b3", "g3", "f4", "Nc3"];
    let replies = ["e5", "d5", "c5", "Nf6", "b6", "g6", "f5", "Nc6"];
    let mut pgn = String::new();
    for game in 0..count {
        let first = moves[(game % 8) as usize];
        let reply = replies[(game / 8 % 8) as usize];
        let result = ["1-0", "0-1", "1/2-1/2", "*"][(game % 4) as usize];
        write!(
            pgn,
            "[Event \"Cup {}\"]\n[White \"Player {game}\"]\n[Black \"Player {}\"]\n[WhiteElo \"{}\"]\n\
             [Date \"{}.{:02}.??\"]\n[Result \"{result}\"]\n\n1. {first} {{[%clk 0:{:02}:00]}} {reply} {result}\n\n",
            game / 100,
            game * 7 % 1000,
            1000 + game % 1800,
            1900 + game % 120,
            1 + game % 12,
            game % 60,
        )
        .unwrap();
    }
    pgn
}

/// Writes a table of Parquet as other programs do, of nullable columns.
pub(crate) fn write_batch(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}
