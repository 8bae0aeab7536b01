//! Elements into blocks, blocks into parts, and the index of the blocks.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, Result};
use tabia_core::io::OutputSet;

use super::element::BLOCK;
use super::header::Header;
use super::key::Key;

/// A part is no longer than this.
pub(super) const PART: u64 = 20 << 20;
/// Numbers of the files in their set.
pub(super) const FIRST: usize = 0;
pub(super) const INDEX: usize = 1;

/// The name of a part.
pub(super) fn part_path(base: &Path, number: u32) -> PathBuf {
    with_suffix(base, &format!("_{number}.kob"))
}

/// A path with something appended to its name.
pub(super) fn with_suffix(base: &Path, suffix: &str) -> PathBuf {
    let mut name = base.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    base.with_file_name(name)
}

/// Fills the blocks of a new book one after another.
pub(super) struct Packer<'s> {
    set: &'s mut OutputSet,
    base: &'s Path,
    most: u64,
    /// Bytes of a block after which no further element is put into it.
    fill: usize,
    block: Vec<u8>,
    first: Option<Key>,
    file: usize,
    written: u64,
    blocks: u32,
    pub(super) parts: u32,
    pub(super) elements: u32,
}

impl<'s> Packer<'s> {
    /// Writes the header; its number of blocks comes last.
    pub(super) fn new(
        set: &'s mut OutputSet,
        base: &'s Path,
        header: &Header,
        most: u64,
        fill: usize,
    ) -> Result<Self> {
        let mut packer = Self {
            set,
            base,
            most,
            fill,
            block: vec![0; 2],
            first: None,
            file: FIRST,
            written: 0,
            blocks: 0,
            parts: 1,
            elements: 0,
        };
        packer.write(FIRST, &header.write())?;
        Ok(packer)
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

    /// Adds an element; keys must ascend.
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
        if self.written + BLOCK as u64 > self.most && self.blocks > 0 {
            self.file = self.set.create(&part_path(self.base, self.parts))?;
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

    /// Ends the last block and completes the header; returns numbers of parts and elements.
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
