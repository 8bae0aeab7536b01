//! Parquet files in a folder for each year, as Hive names them: `year=2015/part-00000.parquet`.
//!
//! Engines read the year of a row from the name of its folder, and only the folders of the years that are asked for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int16Type;
use arrow_array::{RecordBatch, UInt32Array};
use arrow_schema::{DataType, Schema, SchemaRef};
use arrow_select::take::take_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tabia::core::formats::CreateOptions;
use tabia::{Error, Written};

use crate::record_batches::table_error;
use crate::target::{FileOut, SharedSet, TableTarget, parquet_error, part_name, properties};

/// The column whose values the folders have.
const COLUMN: &str = "year";

/// The value of a folder of games whose year is unknown. Spark, `DuckDB` and Polars read it as null; any other text
/// would make the column one of texts.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";

/// Bytes of row groups in memory, over all years. The largest row group is written before there are more.
const MEMORY: usize = 96 << 20;

/// Folders at most: their files stay open until all are complete, and systems allow 1,024.
const MAX_YEARS: usize = 900;

/// A folder for each year.
pub(crate) struct YearFolders {
    set: SharedSet,
    folder: PathBuf,
    /// The columns of the files: all but the year.
    schema: SchemaRef,
    columns: Vec<usize>,
    /// The index of the year among all columns.
    year: usize,
    properties: WriterProperties,
    writers: BTreeMap<Option<i16>, ArrowWriter<FileOut>>,
}

impl YearFolders {
    /// # Errors
    /// When the table has no years, or the folder has Parquet files that may not be replaced, or cannot be written to.
    pub(crate) fn create(
        folder: &Path,
        schema: &SchemaRef,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let is_year = |field: &&arrow_schema::FieldRef| {
            field.name() == COLUMN && *field.data_type() == DataType::Int16
        };
        let fields = schema.fields();
        let Some(year) = fields.iter().position(|field| is_year(&field)) else {
            return Err(Error::usage("folders of years need the column `year`"));
        };
        let columns: Vec<usize> = (0..fields.len()).filter(|index| *index != year).collect();
        let projected: Schema = schema
            .project(&columns)
            .map_err(|error| table_error(&error))?;
        let schema = Arc::new(projected);
        let set = SharedSet::new(options);
        set.prepare_folder(folder, options.force)?;
        Ok(Self {
            set,
            folder: folder.to_path_buf(),
            properties: properties(&schema),
            schema,
            columns,
            year,
            writers: BTreeMap::new(),
        })
    }

    fn writer(&mut self, year: Option<i16>) -> Result<&mut ArrowWriter<FileOut>, Error> {
        if !self.writers.contains_key(&year) {
            if self.writers.len() >= MAX_YEARS {
                let text = format!("the games are of more than {MAX_YEARS} years");
                return Err(Error::usage(text).with_hint("`-o folder/` without `--partition`"));
            }
            let value = year.map_or_else(|| UNKNOWN.to_owned(), |year| year.to_string());
            let folder = self.folder.join(format!("{COLUMN}={value}"));
            self.set.make_folder(&folder)?;
            let out = self.set.create(&folder.join(part_name(0)))?;
            let properties = Some(self.properties.clone());
            let writer = ArrowWriter::try_new(out, Arc::clone(&self.schema), properties);
            self.writers.insert(year, writer.map_err(parquet_error)?);
        }
        let writer = self.writers.get_mut(&year);
        writer.ok_or_else(|| Error::invalid("the files are complete").in_output())
    }

    /// Writes row groups until the others take less than [`MEMORY`]. Which depends on the rows alone.
    fn bound_memory(&mut self) -> Result<(), Error> {
        let total: usize = self.writers.values().map(ArrowWriter::memory_size).sum();
        if total <= MEMORY {
            return Ok(());
        }
        let mut left = total;
        while left > MEMORY / 2 {
            let writers = self.writers.values_mut();
            let Some(largest) = writers.max_by_key(|writer| writer.memory_size()) else {
                return Ok(());
            };
            let before = largest.memory_size();
            if largest.in_progress_rows() == 0 {
                return Ok(());
            }
            largest.flush().map_err(parquet_error)?;
            left = left.saturating_sub(before);
        }
        Ok(())
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
        let mut rows: BTreeMap<Option<i16>, Vec<u32>> = BTreeMap::new();
        if let Some(column) = batch.columns().get(self.year) {
            let years = column.as_primitive::<Int16Type>();
            for (row, year) in (0..).zip(years) {
                rows.entry(year).or_default().push(row);
            }
        }
        let batch = batch
            .project(&self.columns)
            .map_err(|error| table_error(&error))?;
        for (year, rows) in rows {
            let writer = self.writer(year)?;
            if rows.len() == batch.num_rows() {
                writer.write(&batch).map_err(parquet_error)?;
                continue;
            }
            let part = take_record_batch(&batch, &UInt32Array::from(rows));
            let part = part.map_err(|error| table_error(&error))?;
            writer.write(&part).map_err(parquet_error)?;
        }
        self.bound_memory()
    }

    fn finish(self: Box<Self>, rows: u64) -> Result<Written, Error> {
        for writer in self.writers.into_values() {
            writer.close().map_err(parquet_error)?;
        }
        let written = self.set.commit(rows)?;
        remove_empty(&self.folder);
        Ok(written)
    }
}
