//! A buffer of compressed bytes that can be inspected before they are consumed.

use std::io::{self, Read};

/// A buffered reader that counts consumed bytes and records how its input ended.
pub(in crate::archives) struct InputBuffer {
    inner: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Index of the next byte in `buffer`.
    at: usize,
    /// Index after the last byte read.
    end: usize,
    consumed: u64,
    reached_end: bool,
    failed: bool,
}

impl InputBuffer {
    /// Size of the buffer.
    const CHUNK: usize = 1 << 18;
    /// The most bytes that [`InputBuffer::fill`] returns.
    pub(super) const MAX_FILL: usize = Self::CHUNK;

    pub(in crate::archives) fn new(inner: Box<dyn Read + Send>) -> Self {
        Self {
            inner,
            buffer: vec![0; Self::CHUNK],
            ..Self::empty()
        }
    }

    /// A buffer that is at its end.
    pub(super) fn empty() -> Self {
        Self {
            inner: Box::new(io::empty()),
            buffer: Vec::new(),
            at: 0,
            end: 0,
            consumed: 0,
            reached_end: false,
            failed: false,
        }
    }

    /// The next bytes: at least `wanted`, unless the input ends before or `wanted` is more than
    /// [`InputBuffer::MAX_FILL`].
    pub(in crate::archives) fn fill(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.at == self.end {
            (self.at, self.end) = (0, 0);
        }
        if self.at + wanted > self.buffer.len() {
            self.buffer.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
        }
        while self.end - self.at < wanted {
            let free = self.buffer.get_mut(self.end..).unwrap_or_default();
            if free.is_empty() {
                break;
            }
            match self.inner.read(free) {
                Ok(0) => {
                    self.reached_end = true;
                    break;
                }
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = true;
                    return Err(error);
                }
            }
        }
        Ok(self.buffer.get(self.at..self.end).unwrap_or_default())
    }

    /// Consumes bytes that [`InputBuffer::fill`] returned.
    pub(in crate::archives) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.at);
        self.at += count;
        self.consumed += count as u64;
    }

    /// Consumes `count` bytes.
    pub(super) fn skip(&mut self, mut count: u64) -> io::Result<()> {
        while count > 0 {
            let step = self
                .fill(1)?
                .len()
                .min(usize::try_from(count).unwrap_or(usize::MAX));
            if step == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.consume(step);
            count -= step as u64;
        }
        Ok(())
    }

    /// Consumes and returns the next byte.
    pub(super) fn read_byte(&mut self) -> io::Result<u8> {
        let byte = self
            .fill(1)?
            .first()
            .copied()
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        self.consume(1);
        Ok(byte)
    }

    /// The number of bytes consumed.
    pub(in crate::archives) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Whether bytes were read that are not consumed yet.
    pub(super) fn has_bytes(&self) -> bool {
        self.at < self.end
    }

    /// Whether the end of the input was reached.
    pub(super) fn is_at_end(&self) -> bool {
        self.reached_end
    }

    /// Whether reading the input failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }
}

impl Read for InputBuffer {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let from = self.fill(1)?;
        let length = from.len().min(out.len());
        if let (Some(from), Some(to)) = (from.get(..length), out.get_mut(..length)) {
            to.copy_from_slice(from);
        }
        self.consume(length);
        Ok(length)
    }
}
