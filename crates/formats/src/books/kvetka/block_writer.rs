//! Writes elements into blocks, blocks into parts, and the index file.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, Result};
use tabia_core::io::{OutputSet, cased_as};

use super::header::Header;
use super::key::Key;
use super::read_element::BLOCK;

/// Bytes of the longest part.
pub(super) const MAX_PART: u64 = 20 << 20;
/// Number of the first part in the set of files.
const FIRST: usize = 0;
/// Number of the index file in the set of files.
const INDEX: usize = 1;

/// The names of the files of a book.
#[derive(Debug, Clone)]
pub(super) struct BookNames {
    /// The path of all of them, without `_0.kob` and the like.
    pub(super) base: PathBuf,
    /// The path that was asked for.
    asked: PathBuf,
}

impl BookNames {
    /// Those of a book at `path`, which may be that of its first part.
    pub(super) fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = match name.rsplit_once('.') {
            Some((stem, extension)) if extension.eq_ignore_ascii_case("kob") => stem,
            _ => &*name,
        };
        Self {
            base: path.with_file_name(stem.strip_suffix("_0").unwrap_or(stem)),
            asked: path.to_path_buf(),
        }
    }

    /// The path of a part.
    pub(super) fn part(&self, number: u32) -> PathBuf {
        self.with_suffix(&format!("_{number}"), "kob")
    }

    /// The path of the file with an extension.
    pub(super) fn file(&self, extension: &str) -> PathBuf {
        self.with_suffix("", extension)
    }

    fn with_suffix(&self, suffix: &str, extension: &str) -> PathBuf {
        let mut name = self.base.file_name().unwrap_or_default().to_os_string();
        name.push(format!("{suffix}.{}", cased_as(&self.asked, extension)));
        self.base.with_file_name(name)
    }
}

/// Writes the blocks of a new book in order.
pub(super) struct BlockWriter<'s> {
    set: &'s mut OutputSet,
    names: &'s BookNames,
    /// Bytes of the longest part.
    max_part: u64,
    /// Bytes of a block after which no further element is put into it.
    fill: usize,
    block: Vec<u8>,
    /// The key of the first element of `block`; `None` if it has no element.
    first: Option<Key>,
    /// The part being written, and its bytes so far.
    file: usize,
    written: u64,
    blocks: u32,
    pub(super) parts: u32,
    pub(super) elements: u32,
}

impl<'s> BlockWriter<'s> {
    /// Writes the header; [`finish`](Self::finish) corrects its number of blocks.
    pub(super) fn new(
        set: &'s mut OutputSet,
        names: &'s BookNames,
        header: &Header,
        max_part: u64,
        fill: usize,
    ) -> Result<Self> {
        let mut writer = Self {
            set,
            names,
            max_part,
            fill,
            block: vec![0; 2],
            first: None,
            file: FIRST,
            written: 0,
            blocks: 0,
            parts: 1,
            elements: 0,
        };
        writer.write(FIRST, &header.write())?;
        Ok(writer)
    }

    fn write(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        let Some(out) = self.set.file(file) else {
            return Err(Error::invalid("the target is gone"));
        };
        let written = out.write_all(bytes);
        written.map_err(|error| Error::from(error).in_path(out.target()))?;
        if file == self.file {
            self.written += bytes.len() as u64;
        }
        Ok(())
    }

    /// Adds an element; keys must be in ascending order.
    pub(super) fn push(&mut self, key: Key, element: &[u8]) -> Result<()> {
        let length = self.block.len() + element.len();
        if self.first.is_some() && length > self.fill || length > BLOCK {
            self.end_block()?;
        }
        self.first.get_or_insert(key);
        self.block.extend_from_slice(element);
        self.elements = self.elements.saturating_add(1);
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        let Some(first) = self.first.take() else {
            return Ok(());
        };
        let length = self.block.len();
        if let Some(head) = self.block.first_chunk_mut() {
            *head = [(length >> 8) as u8, length as u8];
        }
        self.block.resize(BLOCK, 0);
        if self.written + BLOCK as u64 > self.max_part && self.blocks > 0 {
            self.file = self.set.create(&self.names.part(self.parts))?;
            self.parts += 1;
            self.written = 0;
        }
        let block = std::mem::take(&mut self.block);
        self.write(self.file, &block)?;
        self.write(INDEX, &first.0)?;
        self.blocks = self
            .blocks
            .checked_add(1)
            .ok_or_else(|| Error::unsupported("a Kvetka book of more than 8 TiB"))?;
        self.block = block;
        self.block.clear();
        self.block.resize(2, 0);
        Ok(())
    }

    /// Ends the last block and completes the header; returns the numbers of parts and elements.
    pub(super) fn finish(mut self, header: &Header) -> Result<(u32, u32)> {
        self.end_block()?;
        let header = Header {
            blocks: self.blocks,
            ..header.clone()
        };
        if let Some(out) = self.set.file(FIRST) {
            let rewritten = out
                .seek(SeekFrom::Start(0))
                .and_then(|_| out.write_all(&header.write()));
            rewritten.map_err(|error| Error::from(error).in_path(out.target()))?;
        }
        Ok((self.parts, self.elements))
    }
}
