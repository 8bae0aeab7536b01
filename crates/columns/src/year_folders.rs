//! Parquet files in a folder for each year, as Hive names them: `year=2015/part-00000.parquet`.
//!
//! Engines read the year of a row from the name of its folder, and only the folders of the years that are asked for.
//!
//! A writer for each year would need megabytes for each. The rows are sorted by year first: those in memory are, whenever
//! they are many, and go to a temporary file as one piece for each year; then the files are written one after another.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, UInt32Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::{take, take_record_batch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tabia::core::formats::CreateOptions;
use tabia::core::io::TemporaryFile;
use tabia::{Error, Written};

use crate::record_batches::table_error;
use crate::target::{
    FileOut, SharedSet, TableTarget, arrow_error, parquet_error, part_name, properties,
};

/// The column whose values the folders have.
const COLUMN: &str = "year";

/// The value of a folder of games whose year is unknown. Spark, `DuckDB` and Polars read it as null; any other text
/// would make the column one of texts.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";

/// Bytes of rows that wait in memory. They are copied once when they are sorted.
const MEMORY: usize = 40 << 20;

/// Folders at most: their files stay open until all are complete, and systems allow 1,024.
const MAX_YEARS: usize = 900;

/// The year of a folder; those of which it is unknown come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Year {
    Known(i16),
    Unknown,
}

impl Year {
    fn of(value: Option<i16>) -> Self {
        value.map_or(Self::Unknown, Self::Known)
    }

    fn folder_name(self) -> String {
        match self {
            Self::Known(year) => format!("{COLUMN}={year}"),
            Self::Unknown => format!("{COLUMN}={UNKNOWN}"),
        }
    }
}

/// A folder for each year.
pub(crate) struct YearFolders {
    set: SharedSet,
    folder: PathBuf,
    /// Bytes after which another file of a year begins.
    part_bytes: usize,
    /// The columns of the files: all but the year.
    schema: SchemaRef,
    columns: Vec<usize>,
    /// The index of the year among all columns.
    year: usize,
    properties: WriterProperties,
    /// The rows in memory.
    waiting: Vec<RecordBatch>,
    waiting_bytes: usize,
    /// Bytes of them after which they are set aside.
    memory: usize,
    years: BTreeSet<Year>,
    pieces: Option<Pieces>,
}

impl YearFolders {
    /// # Errors
    /// When the table has no years, or the folder has Parquet files that may not be replaced, or cannot be written to.
    pub(crate) fn create(
        folder: &Path,
        part_bytes: usize,
        schema: &SchemaRef,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let is_year = |field: &arrow_schema::FieldRef| {
            field.name() == COLUMN && *field.data_type() == DataType::Int16
        };
        let fields = schema.fields();
        let Some(year) = fields.iter().position(is_year) else {
            return Err(Error::usage("folders of years need the column `year`"));
        };
        let columns: Vec<usize> = (0..fields.len()).filter(|index| *index != year).collect();
        if columns.is_empty() {
            let text =
                "folders of years need another column than `year`, which is not in the files";
            return Err(Error::usage(text));
        }
        let projected: Schema = schema
            .project(&columns)
            .map_err(|error| table_error(&error))?;
        let schema = Arc::new(projected);
        let set = SharedSet::new(options);
        set.prepare_folder(folder, options.force)?;
        Ok(Self {
            set,
            folder: folder.to_path_buf(),
            part_bytes,
            properties: properties(&schema),
            schema,
            columns,
            year,
            waiting: Vec::new(),
            waiting_bytes: 0,
            memory: MEMORY,
            years: BTreeSet::new(),
            pieces: None,
        })
    }

    /// The years of some rows.
    fn years_of(&self, batch: &RecordBatch) -> Vec<Year> {
        let column = batch.columns().get(self.year);
        let years = column.and_then(|column| column.as_primitive_opt::<Int16Type>());
        years.map_or_else(Vec::new, |years| years.iter().map(Year::of).collect())
    }

    /// Takes the rows in memory, each year's in the order in which they came.
    fn sorted(
        &mut self,
        take_piece: &mut dyn FnMut(Year, &RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let batches = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let mut rows: BTreeMap<Year, Vec<u32>> = BTreeMap::new();
        let years = batches.iter().flat_map(|batch| self.years_of(batch));
        for (row, year) in (0..).zip(years) {
            rows.entry(year).or_default().push(row);
        }
        let Some(first) = batches.first() else {
            return Ok(());
        };
        let all = concat_batches(&first.schema(), &batches).map_err(|error| table_error(&error))?;
        drop(batches);
        let all = all
            .project(&self.columns)
            .map_err(|error| table_error(&error))?;
        let mut used = UsedTexts::default();
        for (year, rows) in rows {
            let piece = take_record_batch(&all, &UInt32Array::from(rows))
                .and_then(|piece| used.alone(&piece))
                .map_err(|error| table_error(&error))?;
            take_piece(year, &piece)?;
        }
        Ok(())
    }

    /// Moves the rows in memory to the temporary file.
    fn set_aside(&mut self) -> Result<(), Error> {
        let mut pieces = match self.pieces.take() {
            Some(pieces) => pieces,
            None => Pieces::create(&self.folder)?,
        };
        self.sorted(&mut |year, piece| pieces.write(year, piece))?;
        self.pieces = Some(pieces);
        Ok(())
    }

    /// Writes the files of a year.
    fn write_year(
        &self,
        year: Year,
        pieces: Option<&Pieces>,
        last: Option<&RecordBatch>,
    ) -> Result<(), Error> {
        let folder = self.folder.join(year.folder_name());
        self.set.make_folder(&folder)?;
        let mut number = 0;
        let mut writer: Option<ArrowWriter<FileOut>> = None;
        let mut write = |batch: &RecordBatch| {
            let mut open = if let Some(open) = writer.take() {
                open
            } else {
                let out = self.set.create(&folder.join(part_name(number)))?;
                number += 1;
                let properties = Some(self.properties.clone());
                ArrowWriter::try_new(out, Arc::clone(&self.schema), properties)
                    .map_err(parquet_error)?
            };
            open.write(batch).map_err(parquet_error)?;
            // Parts end with a row group.
            if open.in_progress_rows() == 0 && open.bytes_written() >= self.part_bytes {
                open.close().map_err(parquet_error)?;
            } else {
                writer = Some(open);
            }
            Ok(())
        };
        if let Some(pieces) = pieces {
            pieces.read(year, &mut write)?;
        }
        last.map_or(Ok(()), write)?;
        match writer {
            Some(writer) => writer.close().map(drop).map_err(parquet_error),
            None => Ok(()),
        }
    }
}

/// Removes the folders of years of an older table of which nothing is left.
fn remove_empty(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_of_year = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("year=");
    for entry in entries.filter(|entry| is_of_year(&entry.file_name())) {
        // It fails if there is anything in it.
        let _ = std::fs::remove_dir(entry.path());
    }
}

impl TableTarget for YearFolders {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.years.extend(self.years_of(batch));
        if self.years.len() > MAX_YEARS {
            let text = format!("the games are of more than {MAX_YEARS} years");
            return Err(Error::usage(text).with_hint("`-o folder/` without `--partition`"));
        }
        self.waiting_bytes += batch.get_array_memory_size();
        self.waiting.push(batch.clone());
        if self.waiting_bytes > self.memory {
            self.set_aside()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, rows: u64) -> Result<Written, Error> {
        let mut last = BTreeMap::new();
        self.sorted(&mut |year, piece| {
            last.insert(year, piece.clone());
            Ok(())
        })?;
        let mut pieces = self.pieces.take();
        if let Some(pieces) = &mut pieces {
            pieces.out.flush().map_err(temporary_error)?;
        }
        for year in &self.years {
            self.write_year(*year, pieces.as_ref(), last.remove(year).as_ref())?;
        }
        let written = self.set.commit(rows)?;
        remove_empty(&self.folder);
        Ok(written)
    }
}

/// Rows in a temporary file: streams of Arrow, one after another.
struct Pieces {
    out: BufWriter<TemporaryFile>,
    end: u64,
    /// The first byte and the length of the pieces of each year.
    spans: BTreeMap<Year, Vec<(u64, u64)>>,
}

impl Pieces {
    /// In the folder of the files, which has to have the space for them anyway.
    fn create(folder: &Path) -> Result<Self, Error> {
        let file = TemporaryFile::new_in(folder).map_err(Error::in_output)?;
        Ok(Self {
            out: BufWriter::with_capacity(1 << 18, file),
            end: 0,
            spans: BTreeMap::new(),
        })
    }

    fn write(&mut self, year: Year, piece: &RecordBatch) -> Result<(), Error> {
        let mut counted = Counted {
            out: &mut self.out,
            bytes: 0,
        };
        let mut writer =
            StreamWriter::try_new(&mut counted, &piece.schema()).map_err(arrow_error)?;
        writer.write(piece).map_err(arrow_error)?;
        writer.finish().map_err(arrow_error)?;
        drop(writer);
        let bytes = counted.bytes;
        self.spans.entry(year).or_default().push((self.end, bytes));
        self.end += bytes;
        Ok(())
    }

    /// The rows of a year, in the order in which they were written.
    fn read(
        &self,
        year: Year,
        take_piece: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut file: &TemporaryFile = self.out.get_ref();
        for (start, bytes) in self.spans.get(&year).into_iter().flatten() {
            file.seek(SeekFrom::Start(*start))
                .map_err(temporary_error)?;
            let piece = BufReader::with_capacity(1 << 16, file.take(*bytes));
            for batch in StreamReader::try_new(piece, None).map_err(arrow_error)? {
                take_piece(&batch.map_err(arrow_error)?)?;
            }
        }
        Ok(())
    }
}

fn temporary_error(error: std::io::Error) -> Error {
    Error::from(error).in_output()
}

/// Counts the bytes that are written.
struct Counted<'a> {
    out: &'a mut BufWriter<TemporaryFile>,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Leaves in dictionaries what some rows use. Those of all rows would be written once for each year.
#[derive(Default)]
struct UsedTexts {
    /// The new number of each text, and the round in which it got it.
    numbers: Vec<(u32, i32)>,
    round: u32,
}

impl UsedTexts {
    fn alone(&mut self, rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns =
            rows.columns()
                .iter()
                .map(|column| match column.as_dictionary_opt::<Int32Type>() {
                    Some(column) => self.column(column),
                    None => Ok(Arc::clone(column)),
                });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        RecordBatch::try_new(rows.schema(), columns)
    }

    fn column(&mut self, column: &DictionaryArray<Int32Type>) -> Result<ArrayRef, ArrowError> {
        self.round += 1;
        let round = self.round;
        let count = column.values().len();
        if self.numbers.len() < count {
            self.numbers.resize(count, (0, 0));
        }
        let mut used: Vec<u32> = Vec::new();
        let mut number = |key: i32| {
            let key = usize::try_from(key).ok()?;
            let slot = self.numbers.get_mut(key)?;
            if slot.0 != round {
                *slot = (round, i32::try_from(used.len()).ok()?);
                used.push(u32::try_from(key).ok()?);
            }
            Some(slot.1)
        };
        let keys = column.keys().iter().map(|key| key.and_then(&mut number));
        let keys: Int32Array = keys.collect();
        let values = take(column.values(), &UInt32Array::from(used), None)?;
        Ok(Arc::new(DictionaryArray::try_new(keys, values)?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs::File;

    use arrow_array::{Int16Array, StringArray};
    use arrow_schema::Field;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    fn batch(schema: &SchemaRef, number: i32) -> RecordBatch {
        let rows = 0..100;
        let year = |row: i32| (row % 7 != 0).then_some((1900 + row % 10) as i16);
        let years: Int16Array = rows.clone().map(year).collect();
        let texts: Vec<String> = rows.clone().map(|row| format!("{number}-{row}")).collect();
        let keys: Int32Array = rows
            .clone()
            .map(|row| (row % 3 != 0).then_some(row))
            .collect();
        let names = DictionaryArray::try_new(keys, Arc::new(StringArray::from(texts))).unwrap();
        let numbers: Int32Array = rows.map(|row| Some(number * 100 + row)).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(names), Arc::new(years)];
        RecordBatch::try_new(Arc::clone(schema), columns).unwrap()
    }

    /// The rows of the files of each folder: the number and the name.
    fn rows(folder: &Path) -> BTreeMap<String, Vec<(i32, Option<String>)>> {
        let mut found = BTreeMap::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let file = File::open(entry.path().join(part_name(0))).unwrap();
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            let mut rows = Vec::new();
            for batch in builder.build().unwrap() {
                let batch = batch.unwrap();
                let numbers = batch.column(0).as_primitive::<Int32Type>();
                let names = batch.column(1).as_dictionary::<Int32Type>();
                let names = names.downcast_dict::<StringArray>().unwrap();
                let names = names.into_iter().map(|name| name.map(str::to_owned));
                rows.extend(numbers.values().iter().copied().zip(names));
            }
            found.insert(entry.file_name().into_string().unwrap(), rows);
        }
        found
    }

    #[test]
    fn rows_that_were_set_aside_come_back_in_order() {
        let name = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let schema: SchemaRef = Arc::new(Schema::new(vec![
            Field::new("game", DataType::Int32, false),
            Field::new("white", name, true),
            Field::new("year", DataType::Int16, true),
        ]));
        let scratch = tabia_testkit::Scratch::new("years");
        let mut all = Vec::new();
        // All in memory, each batch set aside, and some of them.
        for (index, memory) in [usize::MAX, 0, 20_000].into_iter().enumerate() {
            let folder = scratch.join(index.to_string());
            let options = CreateOptions::default();
            let mut target =
                Box::new(YearFolders::create(&folder, usize::MAX, &schema, &options).unwrap());
            target.memory = memory;
            for number in 0..20 {
                target.write(&batch(&schema, number)).unwrap();
            }
            assert_eq!(target.pieces.is_some(), memory < usize::MAX);
            target.finish(2000).unwrap();
            all.push(rows(&folder));
        }
        assert_eq!(all[0], all[1]);
        assert_eq!(all[0], all[2]);
        assert_eq!(all[0].len(), 11);
        assert_eq!(all[0].values().map(Vec::len).sum::<usize>(), 2000);
        for (folder, rows) in &all[0] {
            assert!(rows.is_sorted(), "{folder}");
            for (number, name) in rows {
                let (batch, row) = (number / 100, number % 100);
                let expected = (row % 3 != 0).then(|| format!("{batch}-{row}"));
                assert_eq!(*name, expected);
                let year = format!("year={}", 1900 + row % 10);
                assert!(*folder == year || row % 7 == 0 && folder.ends_with(UNKNOWN));
            }
        }
    }
}
