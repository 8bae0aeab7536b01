//! Where tables go: Parquet files, alone or as the parts of a folder, and streams of Arrow.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use tabia::core::formats::CreateOptions;
use tabia::core::io::OutputSet;
use tabia::{Error, ErrorKind, Written};

use crate::schema::{TABLE_KEY, VERSION_KEY};

/// Rows of a row group.
const GROUP_ROWS: usize = 65_536;

/// Bytes of a row group, about; reached only by games with very long comments.
const GROUP_BYTES: usize = 64 << 20;

/// Bytes of a page.
const PAGE_BYTES: usize = 1 << 20;

/// Columns that engines look single values up in.
const BLOOM_COLUMNS: [&str; 3] = ["white", "black", "source"];

/// Columns whose smallest and largest values do not help to skip rows.
const WITHOUT_STATISTICS: [&str; 5] = ["moves", "tags", "comments", "nags", "pgn"];

/// Takes the batches of a table.
pub(crate) trait TableTarget {
    /// Appends a batch.
    ///
    /// # Errors
    /// When the target cannot be written.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// Completes the target and gives files their names; `rows` is their number.
    ///
    /// # Errors
    /// When the target cannot be written.
    fn finish(self: Box<Self>, rows: u64) -> Result<Written, Error>;
}

/// The files of a target, shared by the writers of its parts.
#[derive(Clone)]
pub(crate) struct SharedSet(Arc<Mutex<Option<OutputSet>>>);

impl SharedSet {
    pub(crate) fn new(options: &CreateOptions) -> Self {
        Self(Arc::new(Mutex::new(Some(options.outputs()))))
    }

    /// Makes a folder; Parquet files in it are replaced when the new ones are complete. A new folder that stays empty is
    /// removed.
    ///
    /// # Errors
    /// When the folder has Parquet files that may not be replaced, or cannot be read or made.
    pub(crate) fn prepare_folder(&self, folder: &Path, force: bool) -> Result<(), Error> {
        self.make_folder(folder)?;
        let old = tables_in(folder)?;
        if let Some(first) = old.first().filter(|_| !force) {
            return Err(Error::new(ErrorKind::Exists).in_path(first).in_output());
        }
        // Parts of an older table would be read together with the new ones.
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = set.as_mut() {
            for path in old {
                set.obsolete(path);
            }
        }
        Ok(())
    }

    /// Makes a folder, which is removed if it stays empty.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn make_folder(&self, folder: &Path) -> Result<(), Error> {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = set.as_mut().map(|set| set.make_folder(folder));
        made.transpose().map(drop).map_err(Error::in_output)
    }

    pub(crate) fn create(&self, path: &Path) -> Result<FileOut, Error> {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match set.as_mut() {
            Some(set) => {
                let number = set.create(path).map_err(Error::in_output)?;
                Ok(FileOut {
                    set: self.clone(),
                    number,
                })
            }
            None => Err(Error::invalid("the files are complete").in_output()),
        }
    }

    pub(crate) fn commit(&self, rows: u64) -> Result<Written, Error> {
        let set = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (files, bytes) = match set {
            Some(set) => set.commit().map_err(Error::in_output)?,
            None => (Vec::new(), 0),
        };
        Ok(Written::new(
            u32::try_from(rows).unwrap_or(u32::MAX),
            files,
            bytes,
        ))
    }
}

/// One file of a [`SharedSet`].
pub(crate) struct FileOut {
    set: SharedSet,
    number: usize,
}

impl FileOut {
    fn with<T>(
        &self,
        job: impl FnOnce(&mut tabia::core::io::Output) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut set = self.set.0.lock().unwrap_or_else(PoisonError::into_inner);
        match set.as_mut().and_then(|set| set.file(self.number)) {
            Some(file) => job(file),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Write for FileOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(Write::flush)
    }
}

/// The error of the output that ended a Parquet file.
pub(crate) fn parquet_error(error: ParquetError) -> Error {
    let error = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => Error::from(*error),
            Err(other) => Error::invalid(format!("Parquet: {other}")),
        },
        other => Error::invalid(format!("Parquet: {other}")),
    };
    error.in_output()
}

pub(crate) fn arrow_error(error: ArrowError) -> Error {
    let error = match error {
        ArrowError::IoError(_, error) => Error::from(error),
        other => Error::invalid(format!("Arrow: {other}")),
    };
    error.in_output()
}

pub(crate) fn properties(schema: &SchemaRef) -> WriterProperties {
    let entries = [VERSION_KEY, TABLE_KEY].map(|key| {
        let value = schema.metadata().get(key).cloned();
        KeyValue::new(key.to_owned(), value)
    });
    let mut builder = WriterProperties::builder()
        // The lowest level: it takes half the time of the usual one for a tenth more bytes.
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).unwrap_or_default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_data_page_size_limit(PAGE_BYTES)
        .set_created_by(concat!("tabia ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(entries.to_vec()));
    for field in schema.fields() {
        let name = field.name().as_str();
        let path = ColumnPath::from(name.to_owned());
        if BLOOM_COLUMNS.contains(&name) {
            builder = builder
                .set_column_bloom_filter_enabled(path.clone(), true)
                .set_column_bloom_filter_max_ndv(path.clone(), GROUP_ROWS as u64);
        }
    }
    for leaf in leaves(schema) {
        let root = leaf.first().cloned().unwrap_or_default();
        if WITHOUT_STATISTICS.contains(&root.as_str()) {
            let path = ColumnPath::new(leaf);
            builder = builder.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
    }
    builder.build()
}

/// The paths of the columns of a Parquet file with this schema.
fn leaves(schema: &SchemaRef) -> Vec<Vec<String>> {
    let descriptor = parquet::arrow::ArrowSchemaConverter::new().convert(schema);
    let columns = descriptor.as_ref().map(SchemaDescriptor::columns);
    let columns = columns.unwrap_or_default();
    columns
        .iter()
        .map(|column| column.path().parts().to_vec())
        .collect()
}

/// A Parquet file, or parts of a folder.
pub(crate) struct ParquetTarget {
    set: SharedSet,
    schema: SchemaRef,
    properties: WriterProperties,
    writer: Option<ArrowWriter<FileOut>>,
    parts: Option<Parts>,
}

/// The files of a folder.
struct Parts {
    folder: PathBuf,
    next: usize,
    /// Bytes after which another part begins.
    bytes: usize,
}

impl Parts {
    /// As [`SharedSet::prepare_folder`].
    fn prepare(folder: &Path, set: &SharedSet, force: bool, bytes: usize) -> Result<Self, Error> {
        set.prepare_folder(folder, force)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            next: 0,
            bytes,
        })
    }

    fn next_path(&mut self) -> PathBuf {
        let path = self.folder.join(part_name(self.next));
        self.next += 1;
        path
    }
}

/// The name of a file of a folder, counted from 0.
pub(crate) fn part_name(number: usize) -> String {
    format!("part-{number:05}.parquet")
}

/// The Parquet files of a folder, also those of folders with a value of a column: `year=2015`.
///
/// # Errors
/// When a folder cannot be read.
fn tables_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let in_folder = |error: io::Error| Error::from(error).in_path(folder).in_output();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(in_folder)? {
        let entry = entry.map_err(in_folder)?;
        let path = entry.path();
        let is_folder = entry.file_type().map_err(in_folder)?.is_dir();
        if is_folder && entry.file_name().to_string_lossy().contains('=') {
            found.extend(tables_in(&path)?);
        } else if !is_folder
            && path
                .extension()
                .is_some_and(|extension| extension == "parquet")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl ParquetTarget {
    /// A file.
    ///
    /// # Errors
    /// When it exists and may not be replaced, or cannot be created.
    pub(crate) fn file(
        path: &Path,
        schema: &SchemaRef,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let mut target = Self::new(schema, SharedSet::new(options), None);
        let out = target.set.create(path)?;
        target.begin(out)?;
        Ok(target)
    }

    /// The parts `part-00000.parquet`, … of a folder, each of about `bytes` bytes.
    ///
    /// # Errors
    /// When the folder has Parquet files that may not be replaced, or cannot be written to.
    pub(crate) fn folder(
        folder: &Path,
        schema: &SchemaRef,
        options: &CreateOptions,
        bytes: usize,
    ) -> Result<Self, Error> {
        let set = SharedSet::new(options);
        let parts = Parts::prepare(folder, &set, options.force, bytes)?;
        let mut target = Self::new(schema, set, Some(parts));
        target.begin_part()?;
        Ok(target)
    }

    fn new(schema: &SchemaRef, set: SharedSet, parts: Option<Parts>) -> Self {
        Self {
            set,
            schema: Arc::clone(schema),
            properties: properties(schema),
            writer: None,
            parts,
        }
    }

    fn begin(&mut self, out: FileOut) -> Result<(), Error> {
        let properties = Some(self.properties.clone());
        let writer = ArrowWriter::try_new(out, Arc::clone(&self.schema), properties);
        self.writer = Some(writer.map_err(parquet_error)?);
        Ok(())
    }

    fn begin_part(&mut self) -> Result<(), Error> {
        let Some(parts) = &mut self.parts else {
            return Ok(());
        };
        let path = parts.next_path();
        let out = self.set.create(&path)?;
        self.begin(out)
    }

    fn end(&mut self) -> Result<(), Error> {
        match self.writer.take() {
            Some(writer) => writer.close().map(drop).map_err(parquet_error),
            None => Ok(()),
        }
    }
}

impl TableTarget for ParquetTarget {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        if self.writer.is_none() {
            self.begin_part()?;
        }
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        writer.write(batch).map_err(parquet_error)?;
        // Parts end with a row group.
        let is_between = writer.in_progress_rows() == 0;
        let written = writer.bytes_written();
        let is_large = self
            .parts
            .as_ref()
            .is_some_and(|parts| written >= parts.bytes);
        if is_between && is_large {
            self.end()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, rows: u64) -> Result<Written, Error> {
        self.end()?;
        self.set.commit(rows)
    }
}

/// Batches that wait for a thread of [`Shards`].
const WAITING: usize = 2;

/// A batch and the index of the file that it goes to, among those of a thread.
type ShardBatch = (usize, RecordBatch);

/// Parquet files that are written at the same time. Each gets a row group in turn, so that their bytes do
/// not depend on the number of threads.
pub(crate) struct Shards {
    set: SharedSet,
    workers: Vec<ShardWorker>,
    count: usize,
    /// The file that gets the next batch.
    next: usize,
    /// Rows of the row group that it gets.
    rows: usize,
}

struct ShardWorker {
    /// `None` once the thread has been joined.
    batches: Option<SyncSender<ShardBatch>>,
    thread: Option<JoinHandle<Result<(), Error>>>,
}

impl ShardWorker {
    /// Writes files on a thread of its own.
    fn start(mut writers: Vec<ArrowWriter<FileOut>>) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel::<ShardBatch>(WAITING);
        let thread = Builder::new().spawn(move || {
            while let Ok((index, batch)) = receiver.recv() {
                if let Some(writer) = writers.get_mut(index) {
                    writer.write(&batch).map_err(parquet_error)?;
                }
            }
            writers
                .into_iter()
                .try_for_each(|writer| writer.close().map(drop).map_err(parquet_error))
        })?;
        Ok(Self {
            batches: Some(sender),
            thread: Some(thread),
        })
    }

    /// Waits until everything is written.
    fn join(&mut self) -> Result<(), Error> {
        self.batches = None;
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(done)) => done,
            Some(Err(_)) => Err(Error::invalid("a thread that writes Parquet ended").in_output()),
        }
    }
}

impl Drop for ShardWorker {
    fn drop(&mut self) {
        // Only after a failure, which is reported: the files are not kept.
        let _ = self.join();
    }
}

impl Shards {
    /// `count` files `part-00000.parquet`, … of a folder, written by at most `threads` threads.
    ///
    /// # Errors
    /// When the folder has Parquet files that may not be replaced, or cannot be written to.
    pub(crate) fn create(
        folder: &Path,
        count: usize,
        threads: usize,
        schema: &SchemaRef,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let set = SharedSet::new(options);
        let mut parts = Parts::prepare(folder, &set, options.force, usize::MAX)?;
        let properties = properties(schema);
        let mut writers: Vec<Vec<_>> = Vec::new();
        writers.resize_with(threads.clamp(1, count.max(1)), Vec::new);
        for index in 0..count {
            let out = set.create(&parts.next_path())?;
            let properties = Some(properties.clone());
            let writer = ArrowWriter::try_new(out, Arc::clone(schema), properties);
            let thread = index % writers.len();
            if let Some(writers) = writers.get_mut(thread) {
                writers.push(writer.map_err(parquet_error)?);
            }
        }
        let workers = writers.into_iter().map(ShardWorker::start);
        Ok(Self {
            set,
            workers: workers.collect::<Result<_, _>>()?,
            count,
            next: 0,
            rows: 0,
        })
    }
}

impl TableTarget for Shards {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let threads = self.workers.len().max(1);
        if let Some(worker) = self.workers.get_mut(self.next % threads) {
            let message = (self.next / threads, batch.clone());
            let is_sent = worker
                .batches
                .as_ref()
                .is_some_and(|batches| batches.send(message).is_ok());
            if !is_sent {
                // The thread has ended: it knows why.
                worker.join()?;
                return Err(Error::invalid("the files are complete").in_output());
            }
        }
        self.rows += batch.num_rows();
        if self.rows >= GROUP_ROWS {
            self.rows = 0;
            self.next = (self.next + 1) % self.count.max(1);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, rows: u64) -> Result<Written, Error> {
        self.workers.iter_mut().try_for_each(ShardWorker::join)?;
        self.set.commit(rows)
    }
}

/// A stream of Arrow in a file.
pub(crate) struct ArrowFile {
    set: SharedSet,
    writer: StreamWriter<FileOut>,
}

impl ArrowFile {
    /// A file.
    ///
    /// # Errors
    /// When it exists and may not be replaced, or cannot be created.
    pub(crate) fn create(
        path: &Path,
        schema: &SchemaRef,
        options: &CreateOptions,
    ) -> Result<Self, Error> {
        let set = SharedSet::new(options);
        let out = set.create(path)?;
        let writer = StreamWriter::try_new(out, schema).map_err(arrow_error)?;
        Ok(Self { set, writer })
    }
}

impl TableTarget for ArrowFile {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.writer.write(batch).map_err(arrow_error)
    }

    fn finish(mut self: Box<Self>, rows: u64) -> Result<Written, Error> {
        self.writer.finish().map_err(arrow_error)?;
        self.set.commit(rows)
    }
}

/// A stream of Arrow to anything that takes bytes.
pub(crate) struct ArrowStream<'a>(StreamWriter<&'a mut dyn Write>);

impl<'a> ArrowStream<'a> {
    /// # Errors
    /// When the first bytes cannot be written.
    pub(crate) fn create(out: &'a mut dyn Write, schema: &SchemaRef) -> Result<Self, Error> {
        let writer = StreamWriter::try_new(out, schema).map_err(arrow_error)?;
        Ok(Self(writer))
    }
}

impl TableTarget for ArrowStream<'_> {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.0.write(batch).map_err(arrow_error)
    }

    fn finish(mut self: Box<Self>, _rows: u64) -> Result<Written, Error> {
        self.0.finish().map_err(arrow_error)?;
        self.0.flush().map_err(arrow_error)?;
        Ok(Written::default())
    }
}
