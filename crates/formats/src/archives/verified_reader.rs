//! A member's stream, compared with what the archive says of it.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::Crc;
use tabia_core::error::Why;
use tabia_core::{Error, Malformed, Result};

use super::compressed::{Inflate, Input};
use super::{Faults, size_fault};

/// What the archive says of a member.
pub(super) struct Expected {
    /// Unpacked bytes.
    pub(super) size: Option<u64>,
    /// The most bytes that are unpacked without a stated size.
    pub(super) limit: u64,
    /// Where the member is, for messages.
    pub(super) label: Arc<Path>,
    /// Where its data begins in the archive.
    pub(super) at: u64,
}

/// Whether the CRC-32 of the unpacked bytes, or whatever else is compared, is right.
pub(super) type Check = Box<dyn Fn(u32) -> bool + Send>;

/// Delivers what `inner` gives, up to the expected size, and raises what is wrong at the end.
pub(super) struct Checked {
    inner: Box<dyn Read + Send>,
    expected: Expected,
    check: Check,
    faults: Faults,
    crc: Crc,
    count: u64,
    over: bool,
}

impl Checked {
    pub(super) fn new(
        inner: Box<dyn Read + Send>,
        expected: Expected,
        check: Check,
        faults: &Faults,
    ) -> Self {
        let faults = faults.clone();
        Self {
            inner,
            expected,
            check,
            faults,
            crc: Crc::new(),
            count: 0,
            over: false,
        }
    }

    fn raise(&self, error: Error) -> Result<()> {
        self.faults.raise(
            error
                .at_offset(self.expected.at)
                .in_file(&self.expected.label),
        )
    }

    /// Compares what was delivered.
    fn end(&mut self) -> Result<()> {
        self.over = true;
        let found = self.count;
        if let Some(size) = self.expected.size.filter(|size| *size != found) {
            return self.raise(size_fault(size, found).into());
        }
        if !(self.check)(self.crc.sum()) {
            let fault = Malformed {
                field: "content",
                at: 0,
                why: Why::Checksum,
            };
            return self.raise(fault.into());
        }
        Ok(())
    }
}

impl Read for Checked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.over || out.is_empty() {
            return Ok(0);
        }
        let left = self
            .expected
            .size
            .unwrap_or(self.expected.limit)
            .saturating_sub(self.count);
        let room = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if room == 0 {
            // Whatever follows is too much; a checksum of the stream itself is compared here.
            let size = self.expected.size.unwrap_or(self.expected.limit);
            let error = match self.inner.read(&mut [0]) {
                Ok(0) => {
                    self.end()?;
                    return Ok(0);
                }
                Ok(_) => Malformed {
                    field: "size",
                    at: 0,
                    why: Why::Value(size),
                }
                .into(),
                Err(error) => Error::from(error).shift(0, self.expected.at, 0),
            };
            self.over = true;
            self.raise(error)?;
            return Ok(0);
        }
        match self.inner.read(out.get_mut(..room).unwrap_or_default()) {
            Ok(0) => {
                self.end()?;
                Ok(0)
            }
            Ok(read) => {
                self.crc.update(out.get(..read).unwrap_or_default());
                self.count += read as u64;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.over = true;
                self.raise(Error::from(error).shift(0, self.expected.at, 0))?;
                Ok(0)
            }
        }
    }
}

/// A deflate stream; faults carry their offset in it.
pub(super) struct InflateReader {
    input: Input,
    inflate: Inflate,
    /// An error that came with bytes.
    held: Option<io::Error>,
    over: bool,
}

impl InflateReader {
    /// Unpacks `inner`: bare, or with the header and checksum of zlib.
    pub(super) fn new(inner: Box<dyn Read + Send>, zlib: bool) -> Self {
        Self {
            input: Input::new(inner),
            inflate: Inflate::new(zlib),
            held: None,
            over: false,
        }
    }

    fn describe(&self, error: &io::Error) -> io::Error {
        let error = if error.kind() == io::ErrorKind::UnexpectedEof {
            let why = Why::Truncated { needed: 1, left: 0 };
            Error::from(Malformed {
                field: "deflate stream",
                at: 0,
                why,
            })
        } else {
            Error::invalid(format!("the deflate stream cannot be unpacked: {error}"))
        };
        error.at_offset(self.input.consumed()).into()
    }
}

impl Read for InflateReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.held.take() {
            self.over = true;
            return Err(error);
        }
        while !self.over && !out.is_empty() {
            let (produced, result) = self.inflate.step(&mut self.input, out);
            match result {
                Ok(end) => self.over = end,
                Err(error) if produced > 0 => self.held = Some(self.describe(&error)),
                Err(error) => {
                    self.over = true;
                    return Err(self.describe(&error));
                }
            }
            if produced > 0 {
                return Ok(produced);
            }
        }
        Ok(0)
    }
}
