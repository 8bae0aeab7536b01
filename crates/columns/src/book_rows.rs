//! The table of book rows: a row for each move of each position of a book.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int16Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    StringDictionaryBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use tabia::book::build::{BuildOptions, Built, MoveSum, for_each_move_sum};
use tabia::book::merge::Merged;
use tabia::book::positions::{StoredPosition, for_each};
use tabia::core::books::{BookEntry, BookPosition, Wdl};
use tabia::core::game::Nag;
use tabia::core::loss::{Feature, Losses};
use tabia::{CreateOptions, Error, InputItem, Observer, OpenOptions, Progress, Summary};

use crate::positions::signed_key;
use crate::record_batches::{BATCH_BYTES, BATCH_ROWS, table_error};
use crate::schema::{book_rows_schema, element};
use crate::write::{TableFile, TableOptions, TakeBatch, create_target};

/// Writes the positions and moves of a book as a table, in the order of the book; those of a Polyglot
/// book in the order of their keys. Files appear complete or not at all.
///
/// [`Merged::losses`] counts links to games, which the table cannot hold; [`Merged::unreached`] positions
/// without a board, whose rows have no `fen`.
///
/// # Errors
/// If the book cannot be read or the target not be written.
///
/// ```
/// use tabia_columns::book_rows::write_book_rows;
/// use tabia_columns::write::TableFile;
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bindings/c/tests/book.bin");
/// let mut stream = Vec::new();
/// for item in &tabia::Resolver::default().resolve(path.as_ref())? {
///     let file = TableFile::Stream(&mut stream);
///     let open = Default::default();
///     let create = Default::default();
///     let written = write_book_rows(item, file, &open, &create, &Default::default())?;
///     assert!(written.moves > 0);
/// }
/// # Ok(())
/// # }
/// ```
pub fn write_book_rows(
    item: &InputItem,
    file: TableFile<'_>,
    open: &OpenOptions,
    create: &CreateOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let mut target = create_target(file, &book_rows_schema(), create)?;
    let mut rows = 0;
    let mut merged = each_book_row_batch(item, open, progress, &mut |batch| {
        rows += batch.num_rows() as u64;
        target.write(&batch)
    })?;
    merged.written = target.finish(rows)?;
    Ok(merged)
}

/// The positions and moves of a book as batches of the table, in order.
///
/// # Errors
/// If the book cannot be read, and errors of `take`.
pub fn each_book_row_batch(
    item: &InputItem,
    open: &OpenOptions,
    progress: &Progress,
    take: &mut dyn FnMut(RecordBatch) -> Result<(), Error>,
) -> Result<Merged, Error> {
    let mut batches = BookRowBatches::new();
    let mut losses = Losses::new();
    let mut merged = for_each(item, open, progress, &mut |stored| {
        let page = stored.page;
        let links = page.games_ending_here.len() + usize::from(page.sample_game.is_some());
        losses.add(Feature::GameLinks, links as u64, None);
        batches.push(stored);
        if batches.is_full()
            && let Some(batch) = batches.take()?
        {
            take(batch)?;
        }
        Ok(())
    })?;
    if let Some(batch) = batches.take()? {
        take(batch)?;
    }
    merged.losses.merge(&losses);
    Ok(merged)
}

/// The moves of all items, which are books, as batches of the table, until `take` wants no more.
pub(crate) fn each_batch_of_books(
    items: &[InputItem],
    options: &TableOptions,
    progress: &Progress,
    take: TakeBatch<'_>,
) -> Result<Summary, Error> {
    let mut summary = Summary::default();
    for item in items {
        let mut is_stopped = false;
        let written = each_book_row_batch(item, &options.open, progress, &mut |batch| {
            is_stopped = !take(batch)?;
            if is_stopped {
                return Err(Error::cancelled());
            }
            Ok(())
        });
        match written {
            Err(_) if is_stopped => break,
            written => summary.losses.add_whole(&item.name(), &written?.losses),
        }
    }
    Ok(summary)
}

/// Writes the moves of games as a table, sorted by key and code, with their sums: what is added up over the tables of
/// several machines and made a book by [`book_from_rows`](crate::read::book_from_rows). `weight` is the points of the
/// side that plays the move, twice. Files appear complete or not at all.
///
/// # Errors
/// As for [`for_each_move_sum`], and if the target cannot be written.
pub fn write_move_sums(
    items: &[InputItem],
    file: TableFile<'_>,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    let folder = file.path().map(Path::to_path_buf).unwrap_or_default();
    let mut target = create_target(file, &book_rows_schema(), &options.create)?;
    let mut batches = BookRowBatches::new();
    let mut built = for_each_move_sum(items, &folder, options, progress, observer, &mut |sums| {
        for sum in sums {
            batches.push_sum(sum);
            if batches.is_full()
                && let Some(batch) = batches.take()?
            {
                target.write(&batch)?;
            }
        }
        Ok(())
    })?;
    if let Some(batch) = batches.take()? {
        target.write(&batch)?;
    }
    built.written = target.finish(built.moves)?;
    Ok(built)
}

/// What a row holds of a position or a move.
struct Statistics<'a> {
    results: Option<Wdl>,
    games: Option<u64>,
    average_elo: Option<u16>,
    performance: Option<u16>,
    nags: &'a [Nag],
    comment: Option<&'a str>,
    /// The sums of games.
    sums: Option<&'a MoveSum>,
}

impl<'a> Statistics<'a> {
    fn of_position(page: &'a BookPosition) -> Self {
        Self {
            results: page.results,
            games: page.games,
            average_elo: page.average_rating,
            performance: page.performance,
            nags: &page.nags,
            comment: page.comment.as_deref(),
            sums: None,
        }
    }

    fn of_entry(entry: &'a BookEntry) -> Self {
        Self {
            results: entry.results,
            games: entry.games,
            average_elo: entry.average_rating,
            performance: entry.performance,
            nags: &entry.nags,
            comment: entry.comment.as_deref(),
            sums: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.results.is_none()
            && self.games.is_none()
            && self.average_elo.is_none()
            && self.performance.is_none()
            && self.nags.is_empty()
            && self.comment.is_none()
    }
}

/// Makes batches of the table.
struct BookRowBatches {
    schema: SchemaRef,
    key: Int64Builder,
    code: Int32Builder,
    white: Int64Builder,
    draws: Int64Builder,
    black: Int64Builder,
    games: Int64Builder,
    weight: Int64Builder,
    average_elo: Int32Builder,
    performance: Int32Builder,
    recommended: BooleanBuilder,
    nags: ListBuilder<Int16Builder>,
    comment: StringBuilder,
    learn: StringBuilder,
    uci: StringDictionaryBuilder<Int32Type>,
    fen: StringBuilder,
    mirror_image: BooleanBuilder,
    elo_sum: Int64Builder,
    elo_count: Int64Builder,
    last_year: Int16Builder,
    rows: usize,
    bytes: usize,
}

/// A count of a book; counts above the largest number of the column are cut off there.
fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl BookRowBatches {
    fn new() -> Self {
        let nags = ListBuilder::new(Int16Builder::new());
        Self {
            schema: book_rows_schema(),
            key: Int64Builder::new(),
            code: Int32Builder::new(),
            white: Int64Builder::new(),
            draws: Int64Builder::new(),
            black: Int64Builder::new(),
            games: Int64Builder::new(),
            weight: Int64Builder::new(),
            average_elo: Int32Builder::new(),
            performance: Int32Builder::new(),
            recommended: BooleanBuilder::new(),
            nags: nags.with_field(element(DataType::Int16, false)),
            comment: StringBuilder::new(),
            learn: StringBuilder::new(),
            uci: StringDictionaryBuilder::new(),
            fen: StringBuilder::new(),
            mirror_image: BooleanBuilder::new(),
            elo_sum: Int64Builder::new(),
            elo_count: Int64Builder::new(),
            last_year: Int16Builder::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Appends the rows of a position: one of its own, if the book stores anything of it, and one for each
    /// move.
    fn push(&mut self, stored: &StoredPosition<'_>) {
        let fen = stored.position.map(tabia::Position::fen);
        let own = Statistics::of_position(stored.page);
        let (key, is_mirror_image) = (stored.key, stored.page.is_duplicate);
        if !own.is_empty() || stored.codes.is_empty() {
            self.push_statistics(key, is_mirror_image, fen.as_deref(), &own);
            self.code.append_null();
            self.uci.append_null();
            self.weight.append_null();
            self.recommended.append_null();
            self.learn.append_null();
        }
        for (entry, code) in stored.page.entries.iter().zip(stored.codes) {
            let row = Statistics::of_entry(entry);
            self.push_statistics(key, is_mirror_image, fen.as_deref(), &row);
            self.code.append_value(i32::from(*code));
            match (entry.m, stored.position) {
                (Some(m), Some(position)) => {
                    self.uci.append_value(position.uci(m).to_string());
                }
                _ => self.uci.append_null(),
            }
            self.weight.append_option(entry.weight.map(i64::from));
            self.recommended.append_option(entry.recommended);
            let learn = entry.learn.map(|learn| learn.to_string());
            self.learn.append_option(learn);
        }
    }

    /// Appends the row of a move of games.
    fn push_sum(&mut self, sum: &MoveSum) {
        let row = Statistics {
            results: Some(sum.results),
            games: Some(sum.games),
            average_elo: None,
            performance: None,
            nags: &[],
            comment: None,
            sums: Some(sum),
        };
        self.push_statistics(sum.key, false, None, &row);
        self.code.append_value(i32::from(sum.code));
        self.uci.append_null();
        self.weight.append_value(count(sum.points));
        self.recommended.append_null();
        self.learn.append_null();
    }

    fn push_statistics(
        &mut self,
        key: u64,
        is_mirror_image: bool,
        fen: Option<&str>,
        row: &Statistics<'_>,
    ) {
        self.key.append_value(signed_key(key));
        let results = |pick: fn(Wdl) -> u64| row.results.map(pick).map(count);
        self.white.append_option(results(|results| results.white));
        self.draws.append_option(results(|results| results.draws));
        self.black.append_option(results(|results| results.black));
        self.games.append_option(row.games.map(count));
        let average = row.average_elo.map(i32::from);
        self.average_elo.append_option(average);
        let performance = row.performance.map(i32::from);
        self.performance.append_option(performance);
        for nag in row.nags {
            self.nags.values().append_value(i16::from(nag.0));
        }
        self.nags.append(!row.nags.is_empty());
        self.comment.append_option(row.comment);
        self.fen.append_option(fen);
        self.mirror_image.append_value(is_mirror_image);
        let elo = row.sums.map(|sum| (sum.elo_sum, sum.elo_count));
        self.elo_sum.append_option(elo.map(|(sum, _)| count(sum)));
        self.elo_count
            .append_option(elo.map(|(_, number)| count(number)));
        let year = row.sums.and_then(|sum| sum.last_year);
        self.last_year
            .append_option(year.and_then(|year| i16::try_from(year).ok()));
        self.rows += 1;
        let texts = row.comment.map_or(0, str::len) + fen.map_or(0, str::len);
        self.bytes += texts + 2 * row.nags.len();
    }

    fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS * 8 || self.bytes >= BATCH_BYTES
    }

    /// The rows so far; `None` without any.
    fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        if self.rows == 0 {
            return Ok(None);
        }
        (self.rows, self.bytes) = (0, 0);
        let batch = self.batch();
        batch.map(Some).map_err(|error| table_error(&error))
    }

    fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(self.key.finish()),
            Arc::new(self.code.finish()),
            Arc::new(self.white.finish()),
            Arc::new(self.draws.finish()),
            Arc::new(self.black.finish()),
            Arc::new(self.games.finish()),
            Arc::new(self.weight.finish()),
            Arc::new(self.average_elo.finish()),
            Arc::new(self.performance.finish()),
            Arc::new(self.recommended.finish()),
            Arc::new(self.nags.finish()),
            Arc::new(self.comment.finish()),
            Arc::new(self.learn.finish()),
            Arc::new(self.uci.finish()),
            Arc::new(self.fen.finish()),
            Arc::new(self.mirror_image.finish()),
            Arc::new(self.elo_sum.finish()),
            Arc::new(self.elo_count.finish()),
            Arc::new(self.last_year.finish()),
        ];
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }
}
