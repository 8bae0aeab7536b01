//! A queue that may be longer than memory.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::error::Result;
use crate::io::{TemporaryFile, temporary_folder};

/// Memory of a queue made by `default`.
const DEFAULT_MEMORY: usize = 1 << 20;

/// A queue of records: first in, first out. Both ends are in memory, the blocks between them in a
/// temporary file.
///
/// ```
/// use tabia_core::external::DiskQueue;
///
/// // Memory for two records.
/// let mut queue = DiskQueue::<u64>::new(&std::env::temp_dir(), 16);
/// for number in 0..100 {
///     queue.push(number)?;
/// }
/// assert_eq!(queue.pop()?, Some(0));
/// assert_eq!(queue.pop()?, Some(1));
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct DiskQueue<T> {
    folder: PathBuf,
    /// Records that are written and read together.
    block: usize,
    /// The first records in reverse order.
    front: Vec<T>,
    /// The last records.
    back: Vec<T>,
    file: Option<TemporaryFile>,
    /// The part of the file with the blocks between `front` and `back`.
    blocks: std::ops::Range<u64>,
}

impl<T: Copy + FromBytes + IntoBytes + Immutable> Default for DiskQueue<T> {
    /// A queue that uses 1 MiB of memory and the system's folder for temporary files.
    fn default() -> Self {
        Self::new(&temporary_folder(), DEFAULT_MEMORY)
    }
}

impl<T: Copy + FromBytes + IntoBytes + Immutable> DiskQueue<T> {
    /// A queue that uses `memory` bytes, or two records, and a temporary file in `folder`.
    pub fn new(folder: &Path, memory: usize) -> Self {
        Self {
            folder: folder.to_path_buf(),
            block: (memory / 2 / size_of::<T>().max(1)).max(1),
            front: Vec::new(),
            back: Vec::new(),
            file: None,
            blocks: 0..0,
        }
    }

    /// Adds a record at the end.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn push(&mut self, record: T) -> Result<()> {
        self.back.push(record);
        if self.back.len() < self.block {
            return Ok(());
        }
        if self.front.is_empty() && self.blocks.is_empty() {
            self.take_back();
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(TemporaryFile::new_in(&self.folder)?),
        };
        let bytes = self.back.as_bytes();
        file.seek(SeekFrom::Start(self.blocks.end))?;
        file.write_all(bytes)?;
        self.blocks.end += bytes.len() as u64;
        self.back.clear();
        Ok(())
    }

    /// Removes the first record; `None` if the queue is empty.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn pop(&mut self) -> Result<Option<T>> {
        if self.front.is_empty() {
            self.fill_front()?;
        }
        Ok(self.front.pop())
    }

    fn fill_front(&mut self) -> Result<()> {
        let Some(file) = self.file.as_mut().filter(|_| !self.blocks.is_empty()) else {
            self.take_back();
            return Ok(());
        };
        self.front.resize_with(self.block, T::new_zeroed);
        let bytes = self.front.as_mut_slice().as_mut_bytes();
        file.seek(SeekFrom::Start(self.blocks.start))?;
        file.read_exact(bytes)?;
        self.blocks.start += bytes.len() as u64;
        self.front.reverse();
        if self.blocks.is_empty() {
            self.blocks = 0..0;
        }
        Ok(())
    }

    /// Makes the last records the first ones: there are none between them.
    fn take_back(&mut self) {
        std::mem::swap(&mut self.front, &mut self.back);
        self.front.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_numbers;
    use super::*;
    use crate::error::ErrorKind;
    use std::collections::VecDeque;

    #[test]
    fn a_queue_on_disk_is_like_one_in_memory() {
        let mut random = random_numbers(3);
        for block in [1, 3, 1 << 10] {
            let mut queue = DiskQueue::<u64>::new(&std::env::temp_dir(), 2 * block * 8);
            let mut expected = VecDeque::new();
            for round in 0..40 {
                for _ in 0..random() % (3 * block as u64) {
                    let number = random();
                    queue.push(number).unwrap();
                    expected.push_back(number);
                }
                let some = random() as usize % (2 * block);
                let all = expected.len() + 1;
                for _ in 0..if round == 39 { all } else { some.min(all) } {
                    assert_eq!(queue.pop().unwrap(), expected.pop_front());
                }
            }
            assert!(queue.file.is_some() && expected.is_empty());
            assert_eq!(queue.pop().unwrap(), None);
        }
    }

    #[test]
    fn errors_name_the_folder() {
        let folder = std::env::temp_dir().join("tabia-no-such-folder");
        let mut queue = DiskQueue::<u64>::new(&folder, 0);
        queue.push(1).unwrap();
        let error = queue.push(2).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TemporaryFile(_)));
        assert_eq!(error.location().file.as_deref(), Some(&*folder));
    }
}
