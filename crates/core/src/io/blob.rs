//! The bytes of one file, mapped, owned or read in ranges.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::{Bound, Deref, RangeBounds};
use std::path::Path;
use std::sync::Arc;

use super::disk::noun;
use super::failure_injection;
use super::file_ranges::{FileRanges, ReadRange};
use super::lost_file_signals::MappedRange;
use crate::error::{Error, Result};

/// Files up to this size are read instead of mapped.
const SMALL: u64 = 1 << 16;

/// The bytes of one file, shared between threads. Cloning shares.
///
/// Large files are memory maps. As with every memory map, a file that is cut off while it is open, or
/// whose disk fails, ends this process when the lost bytes are read, unless [`LostFiles`](super::LostFiles) watched
/// when it was opened. A program reports that in a sentence if it calls
/// [`handle_lost_files`](super::handle_lost_files). A file that only grows is safe.
#[derive(Clone)]
pub struct Blob {
    bytes: Arc<Bytes>,
    start: usize,
    end: usize,
}

enum Bytes {
    Map(
        #[cfg_attr(
            not(target_family = "wasm"),
            expect(dead_code, reason = "it lives as long as the map")
        )]
        MappedRange,
        memmap2::Mmap,
    ),
    Owned(Vec<u8>),
    Ranges(FileRanges),
}

impl Blob {
    /// The bytes of a file.
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub fn open(path: &Path) -> Result<Self> {
        Self::read(path).map_err(|error| Error::from(error).in_path(path))
    }

    /// The bytes of a file, copied into memory: whatever becomes of the file, they stay as they are.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn copy(path: &Path) -> Result<Self> {
        let read = Self::read_up_to(path, u64::MAX);
        read.map_err(|error| Error::from(error).in_path(path))
    }

    pub(super) fn read(path: &Path) -> std::io::Result<Self> {
        Self::read_up_to(path, SMALL)
    }

    /// The bytes of a file: copied if it is not longer than `most`, else mapped.
    fn read_up_to(path: &Path, most: u64) -> std::io::Result<Self> {
        failure_injection::input_step()?;
        // Opening a pipe would wait for its other end, and a device may never end.
        let kind = std::fs::metadata(path)?.file_type();
        if kind.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        } else if !kind.is_file() {
            let text = format!("is {}, not a file", noun(kind));
            return Err(std::io::Error::other(text));
        }
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.len() <= most {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            return Ok(Self::from(bytes));
        }
        Self::map(&file, Some(path))
    }

    /// The present bytes of an open temporary file, mapped. They start at a page boundary, so that their integers
    /// are aligned.
    ///
    /// # Errors
    /// When the file cannot be mapped.
    pub fn of_file(file: &File) -> Result<Self> {
        if file.metadata()?.len() == 0 {
            return Ok(Self::from(Vec::new()));
        }
        Ok(Self::map(file, None)?)
    }

    fn map(file: &File, path: Option<&Path>) -> std::io::Result<Self> {
        #[expect(unsafe_code, reason = "memory maps are unsafe by nature; see SAFETY")]
        // SAFETY: the map is read only. The bytes may change or vanish only if another process
        // changes the file meanwhile; every reader treats them as untrusted and checks all offsets
        // against the length taken here.
        let map = unsafe { memmap2::Mmap::map(file)? };
        let end = map.len();
        let range = MappedRange::new(&map, path);
        Ok(Self {
            bytes: Arc::new(Bytes::Map(range, map)),
            start: 0,
            end,
        })
    }

    /// A file of `length` bytes that is read when its bytes are asked for: by [`get`](Self::get),
    /// [`prefix`](Self::prefix) and [`at_most`](Self::at_most) in chunks of 16 KiB, by everything else as a whole. What
    /// was read is kept in memory.
    ///
    /// Bytes that cannot be read are `None`, and as a whole none at all, just as if the file was cut off there. So
    /// whoever gives `file` has to ask it after each call whether reading failed, and to discard the result then.
    pub fn in_ranges(length: usize, file: Box<dyn ReadRange>) -> Self {
        Self {
            bytes: Arc::new(Bytes::Ranges(FileRanges::new(length, file))),
            start: 0,
            end: length,
        }
    }

    /// The number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there are no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.end == self.start
    }

    /// A range of the bytes; `None` if it exceeds them.
    #[inline]
    pub fn get(&self, range: impl RangeBounds<usize>) -> Option<&[u8]> {
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(before) => before.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last.checked_add(1)?,
            Bound::Excluded(end) => *end,
            Bound::Unbounded => self.len(),
        };
        match &*self.bytes {
            Bytes::Ranges(file) => self.get_in_ranges(file, start, end),
            _ => self.as_slice().get(start..end),
        }
    }

    #[cold]
    fn get_in_ranges<'b>(
        &self,
        file: &'b FileRanges,
        start: usize,
        end: usize,
    ) -> Option<&'b [u8]> {
        if start > end || end > self.len() {
            return None;
        }
        file.get(self.start + start, self.start + end)
    }

    /// The first `length` bytes, or all if there are fewer.
    #[inline]
    pub fn prefix(&self, length: usize) -> &[u8] {
        self.at_most(0, length).unwrap_or_default()
    }

    /// The bytes from `at` on, at most `length`; `None` if `at` exceeds the bytes.
    #[inline]
    pub fn at_most(&self, at: usize, length: usize) -> Option<&[u8]> {
        self.get(at..at.saturating_add(length).min(self.len()))
    }

    /// A part of these bytes, which shares them; `None` if it exceeds them.
    pub fn part(&self, start: usize, length: usize) -> Option<Self> {
        let start = self.start.checked_add(start)?;
        let end = start.checked_add(length)?;
        (end <= self.end).then(|| Self {
            bytes: Arc::clone(&self.bytes),
            start,
            end,
        })
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        let all: &[u8] = match &*self.bytes {
            Bytes::Map(_, map) => map,
            Bytes::Owned(bytes) => bytes,
            Bytes::Ranges(file) => return file.get(self.start, self.end).unwrap_or_default(),
        };
        all.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        let end = bytes.len();
        Self {
            bytes: Arc::new(Bytes::Owned(bytes)),
            start: 0,
            end,
        }
    }
}

impl Deref for Blob {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_inside() {
        let blob = Blob::from(vec![1, 2, 3, 4]);
        let part = blob.part(1, 2).unwrap();
        assert_eq!(&*part, [2, 3]);
        assert!(part.part(1, 2).is_none());
        assert!(blob.part(usize::MAX, 2).is_none());
    }
}
