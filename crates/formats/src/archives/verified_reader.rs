//! Streams of members that verify the size and the checksum which the archive states.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::Crc;
use tabia_core::error::Why;
use tabia_core::{Error, Malformed, Result};

use super::OnError;
use super::member_errors::size_mismatch;
use super::unpacked_limit_error::exceeds_limit;

/// What the archive states about a member.
pub(super) struct Expected {
    /// Size when unpacked, in bytes; `None` if not stated.
    pub(super) size: Option<u64>,
    /// The most bytes that are unpacked: see [`Limits::unpacked_from`](tabia_core::formats::Limits).
    pub(super) limit: u64,
    /// The name of the archive, for messages.
    pub(super) label: Arc<Path>,
    /// Offset of the data of the member in the archive.
    pub(super) at: u64,
}

/// Takes the CRC-32 of the unpacked bytes and returns whether the stated checksum is right.
pub(super) type Check = Box<dyn Fn(u32) -> bool + Send>;

/// Delivers the bytes of `inner` up to the expected size, and reports a wrong size or checksum at
/// the end.
pub(super) struct VerifiedReader {
    inner: Box<dyn Read + Send>,
    expected: Expected,
    check: Check,
    on_error: OnError,
    crc: Crc,
    count: u64,
    ended: bool,
}

impl VerifiedReader {
    pub(super) fn new(
        inner: Box<dyn Read + Send>,
        expected: Expected,
        check: Check,
        on_error: &OnError,
    ) -> Self {
        Self {
            inner,
            expected,
            check,
            on_error: on_error.clone(),
            crc: Crc::new(),
            count: 0,
            ended: false,
        }
    }

    fn report(&self, error: Error) -> Result<()> {
        self.on_error.report(
            error
                .at_offset(self.expected.at)
                .in_file(&self.expected.label),
        )
    }

    /// Verifies the size and the checksum of the delivered bytes.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        let found = self.count;
        if let Some(size) = self.expected.size.filter(|size| *size != found) {
            return self.report(size_mismatch(size, found).into());
        }
        if !(self.check)(self.crc.sum()) {
            let malformed = Malformed {
                field: "content",
                at: 0,
                why: Why::Checksum,
            };
            return self.report(malformed.into());
        }
        Ok(())
    }
}

impl Read for VerifiedReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.ended || out.is_empty() {
            return Ok(0);
        }
        let size = self.expected.size.unwrap_or(self.expected.limit);
        let left = size.min(self.expected.limit).saturating_sub(self.count);
        let length = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if length == 0 {
            // Any further byte exceeds the size; the stream verifies its own checksum on this read.
            let error = match self.inner.read(&mut [0]) {
                Ok(0) => {
                    self.end()?;
                    return Ok(0);
                }
                Ok(_) if self.count == self.expected.limit => exceeds_limit(self.count),
                Ok(_) => Malformed {
                    field: "size",
                    at: 0,
                    why: Why::Value(size),
                }
                .into(),
                Err(error) => Error::from(error).shift(0, self.expected.at, 0),
            };
            self.ended = true;
            self.report(error)?;
            return Ok(0);
        }
        match self.inner.read(out.get_mut(..length).unwrap_or_default()) {
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
                self.ended = true;
                self.report(Error::from(error).shift(0, self.expected.at, 0))?;
                Ok(0)
            }
        }
    }
}
