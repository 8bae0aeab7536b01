//! A queue that is longer than memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use tabia_core::{Error, Result};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Items that go to disk and come back together.
const PIECE: usize = 1 << 14;

/// Items in the order they came. Its ends are in memory, what is between them in a temporary file.
#[derive(Debug)]
pub(super) struct Tape<T> {
    /// The first items, the next one last.
    head: Vec<T>,
    /// The last items.
    tail: Vec<T>,
    file: Option<File>,
    /// Where the file has been read and written to.
    read: u64,
    written: u64,
}

impl<T> Default for Tape<T> {
    fn default() -> Self {
        Self {
            head: Vec::new(),
            tail: Vec::new(),
            file: None,
            read: 0,
            written: 0,
        }
    }
}

impl<T: Copy + FromBytes + IntoBytes + Immutable> Tape<T> {
    /// Adds an item behind all others.
    pub(super) fn push(&mut self, item: T) -> Result<()> {
        self.tail.push(item);
        if self.tail.len() < PIECE {
            return Ok(());
        }
        if self.head.is_empty() && self.read == self.written {
            self.take_over();
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(crate::temporary_files::file()?),
        };
        let bytes = self.tail.as_bytes();
        file.seek(SeekFrom::Start(self.written))?;
        file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        self.tail.clear();
        Ok(())
    }

    /// Takes the first item.
    pub(super) fn pop(&mut self) -> Result<Option<T>> {
        if self.head.is_empty() {
            self.fill()?;
        }
        Ok(self.head.pop())
    }

    fn fill(&mut self) -> Result<()> {
        let Some(file) = self.file.as_mut().filter(|_| self.read < self.written) else {
            self.take_over();
            return Ok(());
        };
        self.head.resize_with(PIECE, T::new_zeroed);
        let bytes = self.head.as_mut_slice().as_mut_bytes();
        file.seek(SeekFrom::Start(self.read))?;
        file.read_exact(bytes).map_err(Error::from)?;
        self.read += bytes.len() as u64;
        self.head.reverse();
        if self.read == self.written {
            (self.read, self.written) = (0, 0);
        }
        Ok(())
    }

    /// The last items are the first ones.
    fn take_over(&mut self) {
        std::mem::swap(&mut self.head, &mut self.tail);
        self.head.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn items_come_back_in_order() {
        let mut tape = Tape::<u64>::default();
        let mut expected = VecDeque::new();
        let mut seed = 3u64;
        for i in 0..40 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let count = seed % (3 * PIECE as u64);
            for number in 0..count {
                tape.push(number ^ seed).unwrap();
                expected.push_back(number ^ seed);
            }
            let taken = if i == 39 { u64::MAX } else { seed >> 40 };
            for _ in 0..taken.min(expected.len() as u64 + 1) {
                assert_eq!(tape.pop().unwrap(), expected.pop_front());
            }
        }
        assert!(tape.file.is_some() && expected.is_empty());
        assert_eq!(tape.pop().unwrap(), None);
    }
}
