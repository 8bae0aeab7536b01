//! An open Parquet file: its rows in batches of fixed length, whichever thread asks for them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use tabia::core::io::Blob;
use tabia::{Error, Limits};

use super::file_checks::{FileBytes, check_footer, check_row_group, damaged, guarded};

/// Rows of a batch: those that a scan takes at a time.
const ROWS: usize = 256;

/// Batches that are kept for other threads.
const KEPT: usize = 16;

/// Rows that are always allowed, however short the file is.
const FEW_ROWS: u64 = 1 << 20;

/// Rows that one byte may encode.
const ROWS_A_BYTE: u64 = 64;

/// A row group.
#[derive(Debug, Clone, Copy)]
struct Group {
    first: u32,
    rows: u32,
}

/// An open file.
pub(super) struct TableFile {
    file: Blob,
    metadata: ArrowReaderMetadata,
    schema: Schema,
    groups: Vec<Group>,
    rows: u32,
}

/// Texts as views into their page, so that a page with a long text and many references to it takes no more
/// memory than the page.
fn with_views(data: &DataType) -> DataType {
    let inner = |field: &FieldRef| Arc::new(field_with_views(field));
    match data {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(field) => DataType::List(inner(field)),
        DataType::LargeList(field) => DataType::LargeList(inner(field)),
        DataType::Map(field, sorted) => DataType::Map(inner(field), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect::<Fields>()),
        other => other.clone(),
    }
}

fn field_with_views(field: &FieldRef) -> Field {
    field
        .as_ref()
        .clone()
        .with_data_type(with_views(field.data_type()))
}

impl TableFile {
    /// # Errors
    /// When the file is damaged or would take more memory than the limits allow.
    pub(super) fn open(file: Blob, limits: &Limits) -> Result<Self, Error> {
        check_footer(&file)?;
        let bytes = FileBytes(file.clone());
        let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&bytes, options()))?;
        let fields = metadata.schema().fields().iter();
        let fields: Vec<Field> = fields.map(field_with_views).collect();
        let viewed = Arc::new(Schema::new_with_metadata(
            fields.clone(),
            metadata.schema().metadata().clone(),
        ));
        let inner = Arc::clone(metadata.metadata());
        let metadata = guarded(|| {
            ArrowReaderMetadata::try_new(Arc::clone(&inner), options().with_schema(viewed))
        })?;
        let entries = inner.file_metadata().key_value_metadata();
        let entries = entries.into_iter().flatten();
        let entries: HashMap<String, String> = entries
            .filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)))
            .collect();
        let mut table = Self {
            file,
            metadata,
            schema: Schema::new_with_metadata(fields, entries),
            groups: Vec::new(),
            rows: 0,
        };
        table.find_groups(limits)?;
        Ok(table)
    }

    fn find_groups(&mut self, limits: &Limits) -> Result<(), Error> {
        let mut total: u64 = 0;
        let bound = FEW_ROWS.max((self.file.len() as u64).saturating_mul(ROWS_A_BYTE));
        let bound = bound.min(u64::from(u32::MAX));
        for group in self.metadata.metadata().row_groups() {
            let rows = u64::try_from(group.num_rows());
            let rows = rows.map_err(|_| damaged("a number of rows is negative"))?;
            let first = total;
            total = total.saturating_add(rows);
            Limits::check("number of rows", total, bound)?;
            // Programs differ in what an empty group has; nothing of it is read.
            if rows > 0 {
                check_row_group(&self.file, group, limits)?;
            }
            self.groups.push(Group {
                first: first as u32,
                rows: rows as u32,
            });
        }
        self.rows = total as u32;
        Ok(())
    }

    /// The columns, with texts as views.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The program that wrote the file.
    pub(super) fn created_by(&self) -> &str {
        let created_by = self.metadata.metadata().file_metadata().created_by();
        created_by.unwrap_or_default()
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// The projection to these columns.
    pub(super) fn mask(&self, columns: impl Iterator<Item = usize>) -> ProjectionMask {
        ProjectionMask::roots(self.metadata.parquet_schema(), columns)
    }

    fn reader(
        &self,
        group: usize,
        offset: usize,
        mask: &ProjectionMask,
    ) -> Result<ParquetRecordBatchReader, Error> {
        guarded(|| {
            ParquetRecordBatchReaderBuilder::new_with_metadata(
                FileBytes(self.file.clone()),
                self.metadata.clone(),
            )
            .with_row_groups(vec![group])
            .with_projection(mask.clone())
            .with_batch_size(ROWS)
            .with_offset(offset)
            .build()
        })
    }

    /// Hands on all batches of a projection, in order.
    ///
    /// # Errors
    /// When the file is damaged, and errors of `take`.
    pub(super) fn each_batch(
        &self,
        mask: &ProjectionMask,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (group, rows) in self.groups.iter().enumerate() {
            if rows.rows == 0 {
                continue;
            }
            let mut reader = self.reader(group, 0, mask)?;
            while let Some(batch) = next_batch(&mut reader)? {
                take(&batch)?;
            }
        }
        Ok(())
    }
}

fn next_batch(reader: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>, Error> {
    guarded(|| Ok(reader.next().transpose()?))
}

/// The batches of a file, shared by the threads that read it: one of them decodes, the others find what
/// they need or wait for it.
pub(super) struct SharedBatches {
    mask: ProjectionMask,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// A reader and the row that it gives next.
    reader: Option<(u32, ParquetRecordBatchReader)>,
    /// Batches with their first row, the oldest first.
    kept: VecDeque<(u32, Arc<RecordBatch>)>,
}

impl SharedBatches {
    pub(super) fn new(mask: ProjectionMask) -> Self {
        Self {
            mask,
            state: Mutex::default(),
        }
    }

    /// The batch that contains a row, and the index of the row in it.
    ///
    /// # Errors
    /// When the file is damaged.
    pub(super) fn row(
        &self,
        table: &TableFile,
        row: u32,
    ) -> Result<(Arc<RecordBatch>, usize), Error> {
        let index = table.groups.partition_point(|group| group.first <= row);
        let index = index
            .checked_sub(1)
            .ok_or_else(|| damaged("it has no rows"))?;
        let group = table.groups.get(index).copied();
        let group = group.filter(|group| row - group.first < group.rows);
        let group = group.ok_or_else(|| damaged("it has no such row"))?;
        let offset = (row - group.first) as usize;
        let first = group.first + (offset - offset % ROWS) as u32;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = state.kept.iter().find(|(start, _)| *start == first);
        let batch = match kept {
            Some((_, batch)) => Arc::clone(batch),
            None => self.decode(table, &mut state, index, group, first)?,
        };
        let at = offset % ROWS;
        if at >= batch.num_rows() {
            return Err(damaged("a row group has fewer rows than its footer states"));
        }
        Ok((batch, at))
    }

    fn decode(
        &self,
        table: &TableFile,
        state: &mut State,
        index: usize,
        group: Group,
        first: u32,
    ) -> Result<Arc<RecordBatch>, Error> {
        let reader = state.reader.take().filter(|(next, _)| *next == first);
        let mut reader = match reader {
            Some((_, reader)) => reader,
            None => table.reader(index, (first - group.first) as usize, &self.mask)?,
        };
        let batch = next_batch(&mut reader)?;
        let batch = Arc::new(batch.ok_or_else(|| damaged("a row group ends early"))?);
        let next = first + batch.num_rows() as u32;
        if next < group.first + group.rows {
            state.reader = Some((next, reader));
        }
        if state.kept.len() >= KEPT {
            state.kept.pop_front();
        }
        state.kept.push_back((first, Arc::clone(&batch)));
        Ok(batch)
    }
}
