//! Compressed bytes, looked at before they are consumed.

use std::io::{self, Read};

/// A buffered reader that counts what was consumed and remembers why it ended.
pub(in crate::archives) struct Input {
    inner: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The next byte, and the end of those that were read.
    at: usize,
    end: usize,
    consumed: u64,
    starved: bool,
    failed: bool,
}

impl Input {
    /// Bytes read at once.
    const CHUNK: usize = 1 << 18;
    /// The most that [`Input::fill`] gives.
    pub(super) const LARGEST: usize = Self::CHUNK;

    pub(in crate::archives) fn new(inner: Box<dyn Read + Send>) -> Self {
        Self {
            inner,
            buffer: vec![0; Self::CHUNK],
            ..Self::none()
        }
    }

    /// What is always at its end.
    pub(super) fn none() -> Self {
        Self {
            inner: Box::new(io::empty()),
            buffer: Vec::new(),
            at: 0,
            end: 0,
            consumed: 0,
            starved: false,
            failed: false,
        }
    }

    /// The next bytes: at least `wanted` unless the input ends before or that is more than
    /// [`Input::LARGEST`].
    pub(in crate::archives) fn fill(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.at == self.end {
            (self.at, self.end) = (0, 0);
        }
        if self.at + wanted > self.buffer.len() {
            self.buffer.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
        }
        while self.end - self.at < wanted {
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            if room.is_empty() {
                break;
            }
            match self.inner.read(room) {
                Ok(0) => {
                    self.starved = true;
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

    /// Consumes bytes that [`Input::fill`] gave.
    pub(in crate::archives) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.at);
        self.at += count;
        self.consumed += count as u64;
    }

    /// Consumes that many bytes.
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

    /// The next byte, consumed.
    pub(super) fn byte(&mut self) -> io::Result<u8> {
        let byte = self
            .fill(1)?
            .first()
            .copied()
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        self.consume(1);
        Ok(byte)
    }

    /// How many bytes were consumed.
    pub(in crate::archives) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Whether more bytes were asked for than there are.
    pub(super) fn is_starved(&self) -> bool {
        self.starved
    }

    /// Whether reading failed, rather than decoding.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }
}

impl Read for Input {
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
