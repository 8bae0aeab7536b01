//! Builds the files of a set.

use std::io::{Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::io::{CompanionNames, Output, OutputSet, Sink};
use zerocopy::byteorder::little_endian::I64;

use super::header_fields::slot;
use crate::games::cbh2::container::{FILE_HEADER, FRAME, MARK, checksum, tag};
use crate::games::cbh2::name_roles::Role;
use crate::games::cbh2::names::{EntityKind, KINDS};
use crate::games::cbh2::records::{Record, SIZE};
use crate::games::cbh2::{game_lists, name_orders};
use crate::games::common::interner::Interner;

/// All files of a database that is written.
#[derive(Debug)]
pub(super) struct SetFiles {
    outputs: OutputSet,
    pub(super) companions: CompanionNames,
    pub(super) records: u32,
    /// Sizes of `.2cbg` and `.2cba`.
    ends: [u64; 2],
    /// The fields of all names, by kind.
    names: [Interner; KINDS],
}

/// The files in the order of creation, the main file first.
const EXTENSIONS: [&str; 6] = ["2cbh", "2cbg", "2cba", "2lid", "2lcd", "2lgd"];
const HEADERS: usize = 0;
const MOVES: usize = 1;
const ANNOTATIONS: usize = 2;
const NAMES: usize = 3;
const ORDERS: usize = 4;
const LISTS: usize = 5;

/// The version of new sets.
const VERSION: u8 = 5;
/// Free space of new records: at least one byte more, so that the next one is at a multiple of eight.
const FREE_SPACE: u64 = 96;
const FREE_SPACE_OF_TEXTS: u64 = 192;
/// Bytes of a slot for each kind of names.
const SLOTS: [usize; KINDS] = [
    slot::PLAYER,
    slot::TOURNAMENT,
    slot::SOURCE,
    slot::UNUSED,
    slot::TEAM,
    slot::TAG,
];
/// Bytes of the header of `.2lid`.
const NAMES_HEADER: usize = 184;

impl SetFiles {
    /// Creates the files of a new set; `path` is that of the `.2cbh` file.
    pub(super) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut outputs = options.outputs();
        // An interrupted replacement is complete then.
        outputs.create(path)?;
        let companions = CompanionNames::of(path)?;
        for extension in EXTENSIONS.into_iter().filter(|name| *name != "2cbh") {
            outputs.create(&companions.path(extension))?;
        }
        let mut files = Self {
            outputs,
            companions,
            records: 0,
            ends: [FILE_HEADER as u64; 2],
            names: Default::default(),
        };
        // The headers are completed at the end.
        files.append(HEADERS, &[0; SIZE])?;
        files.append(MOVES, &[0; FILE_HEADER])?;
        files.append(ANNOTATIONS, &[0; FILE_HEADER])?;
        Ok(files)
    }

    /// Marks files of an older database for removal when this one is committed.
    pub(super) fn remove_on_commit(&mut self, old: impl IntoIterator<Item = PathBuf>) {
        for path in old {
            self.outputs.obsolete(path);
        }
    }

    /// The id of a name.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn id(&mut self, kind: EntityKind, fields: &[u8]) -> Result<I64> {
        let names = self.names.get_mut(kind as usize);
        let number = names.and_then(|names| names.number(fields, MAX_NAMES));
        let (number, _) = number.ok_or_else(|| {
            Error::new(ErrorKind::Limit {
                what: "number of names of one kind",
                limit: MAX_NAMES.into(),
                size: u64::from(MAX_NAMES) + 1,
            })
        })?;
        Ok(I64::new(number.into()))
    }

    /// The id of a team; −1 if it is absent.
    pub(super) fn team(&mut self, fields: &[u8]) -> Result<I64> {
        if fields.is_empty() {
            return Ok(I64::new(-1));
        }
        self.id(EntityKind::Team, fields)
    }

    /// Appends a record to `.2cbg` and returns its offset.
    pub(super) fn append_moves(&mut self, tag: u16, content: &[u8]) -> Result<i64> {
        self.append_record(MOVES, tag, content)
    }

    /// Appends a record to `.2cba` and returns its offset.
    pub(super) fn append_annotations(&mut self, tag: u16, content: &[u8]) -> Result<i64> {
        self.append_record(ANNOTATIONS, tag, content)
    }

    fn append_record(&mut self, file: usize, tag: u16, content: &[u8]) -> Result<i64> {
        let Some(end) = self.ends.get_mut(file - MOVES) else {
            return Ok(0);
        };
        let at = *end;
        let size = content.len() as u64;
        let least = if tag == tag::TEXT {
            FREE_SPACE_OF_TEXTS
        } else {
            FREE_SPACE
        };
        let bare = at + FRAME + size + least;
        *end = (bare + 1).next_multiple_of(8);
        let free = *end - bare + least;
        let mut head = Sink::new();
        head.bytes(&MARK);
        head.u32_le(content.len() as u32);
        head.u32_le(free as u32);
        head.u64_be(checksum(content));
        head.u16_le(tag);
        let mut tail = Sink::new();
        tail.zeros(free as usize);
        tail.u64_le(size + free + FRAME);
        for part in [head.as_slice(), content, tail.as_slice()] {
            self.append(file, part)?;
        }
        i64::try_from(at).map_err(|_| Error::invalid("the file is too large"))
    }

    /// Appends a header to `.2cbh`.
    pub(super) fn append_header(&mut self, header: &[u8]) -> Result<()> {
        self.append(HEADERS, header)?;
        self.records += 1;
        Ok(())
    }

    /// Completes all files, which still have temporary names.
    pub(super) fn complete(&mut self, title: Option<&str>) -> Result<()> {
        self.write_headers()?;
        for file in [HEADERS, MOVES, ANNOTATIONS] {
            // These are complete; they go to the disk while the others are built.
            self.on_file(file, |output| {
                output.flush()?;
                output.start_sync()
            })?;
        }
        for names in &mut self.names {
            names.close();
        }
        self.write_names()?;
        self.write_indexes()?;
        if let Some(title) = title {
            let number = self.outputs.create(&self.companions.path("ini"))?;
            let text = format!("[Descr2CBG]\r\nTitle={title}\r\n");
            self.append(number, text.as_bytes())?;
        }
        Ok(())
    }

    /// Gives the files their final names. Returns these, the main file first, and the total size in
    /// bytes.
    pub(super) fn commit(self) -> Result<(Vec<PathBuf>, u64)> {
        self.outputs.commit()
    }

    fn write_headers(&mut self) -> Result<()> {
        let mut header = Sink::new();
        header.zeros(8);
        header.u16_le(38);
        header.u16_le(SIZE as u16);
        header.bytes(&[0, VERSION, 0, 0]);
        header.u32_le(self.records + 1);
        self.overwrite(HEADERS, header.as_slice())?;
        for (file, end) in [MOVES, ANNOTATIONS].into_iter().zip(self.ends) {
            let mut header = Sink::new();
            header.u64_le(end);
            header.u16_le(FILE_HEADER as u16);
            // As ChessBase marks files without a record.
            let is_empty = end == FILE_HEADER as u64;
            header.u8(u8::from(is_empty && file == MOVES));
            header.u8(if is_empty { 0 } else { VERSION });
            self.overwrite(file, header.as_slice())?;
        }
        Ok(())
    }

    /// Writes `.2lid`: blocks with a slot for one name of each kind, up to the last name.
    fn write_names(&mut self) -> Result<()> {
        let mut header = Sink::new();
        header.u32_be(NAMES_HEADER as u32);
        header.u32_be(KINDS as u32);
        for (names, size) in self.names.iter().zip(SLOTS) {
            header.u32_be(size as u32);
            header.u64_be(names.len().into());
            // The first deleted name.
            header.u64_be(u64::MAX);
        }
        for number in std::iter::once(u32::MAX).chain(0..KINDS as u32) {
            header.u32_be(number);
            header.u32_be(1);
        }
        let Self { outputs, names, .. } = self;
        with_output(outputs, NAMES, |output| {
            output.write_all(header.as_slice())?;
            let blocks = names.iter().map(Interner::len).max().unwrap_or(0);
            // Zeros before the next name.
            let mut gap = 0_u64;
            for block in 0..blocks {
                for (names, size) in names.iter().zip(SLOTS) {
                    let Some(fields) = names.get(block) else {
                        gap += size as u64;
                        continue;
                    };
                    std::io::copy(&mut std::io::repeat(0).take(gap), output)?;
                    let mut length = Sink::new();
                    length.u32_le(fields.len() as u32);
                    output.write_all(length.as_slice())?;
                    output.write_all(fields)?;
                    gap = (size - 4).saturating_sub(fields.len()) as u64;
                }
            }
            Ok(())
        })
    }

    /// Writes `.2lcd` and `.2lgd`, the orders of names and their games.
    fn write_indexes(&mut self) -> Result<()> {
        let headers = match self.outputs.file(HEADERS) {
            Some(output) => output.read_back()?,
            None => return Ok(()),
        };
        let records = || {
            let records = headers.chunks_exact(SIZE).skip(1);
            records.filter_map(Record::read)
        };
        let Self { outputs, names, .. } = self;
        let count = |role: Role| names.get(role.kind() as usize).map_or(0, Interner::len);
        let lists = game_lists::Heads::of(records, count);
        with_output(outputs, LISTS, |output| lists.write(records, output))?;
        with_output(outputs, ORDERS, |output| {
            let first = name_orders::write(&lists, output, |role, id| {
                let names = names.get(role.kind() as usize);
                names.and_then(|names| names.get(id)).unwrap_or_default()
            })?;
            output.seek(SeekFrom::Start(0))?;
            output.write_all(&first)
        })
    }

    fn append(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        self.on_file(file, |output| output.write_all(bytes))
    }

    fn overwrite(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        self.on_file(file, |output| {
            output.seek(SeekFrom::Start(0))?;
            output.write_all(bytes)
        })
    }

    fn on_file(
        &mut self,
        file: usize,
        write: impl FnOnce(&mut Output) -> std::io::Result<()>,
    ) -> Result<()> {
        with_output(&mut self.outputs, file, write)
    }
}

/// The most names of one kind.
const MAX_NAMES: u32 = i32::MAX as u32;

fn with_output(
    outputs: &mut OutputSet,
    file: usize,
    write: impl FnOnce(&mut Output) -> std::io::Result<()>,
) -> Result<()> {
    let Some(output) = outputs.file(file) else {
        return Ok(());
    };
    write(output).map_err(|error| Error::from(error).in_path(output.target()))
}
