//! A reader of deflate streams.

use std::io::{self, Read};

use tabia_core::error::Why;
use tabia_core::{Error, Malformed};

use super::compressed::{Inflate, InputBuffer};

/// Unpacks a deflate stream; errors carry their offset in it.
pub(super) struct InflateReader {
    input: InputBuffer,
    inflate: Inflate,
    /// An error that came together with bytes, returned by the next read.
    pending_error: Option<io::Error>,
    ended: bool,
}

impl InflateReader {
    /// Unpacks `inner`: raw deflate, or with the header and checksum of zlib.
    pub(super) fn new(inner: Box<dyn Read + Send>, zlib: bool) -> Self {
        Self {
            input: InputBuffer::new(inner),
            inflate: Inflate::new(zlib),
            pending_error: None,
            ended: false,
        }
    }

    fn with_offset(&self, error: &io::Error) -> io::Error {
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
        if let Some(error) = self.pending_error.take() {
            self.ended = true;
            return Err(error);
        }
        while !self.ended && !out.is_empty() {
            let (produced, result) = self.inflate.step(&mut self.input, out);
            match result {
                Ok(end) => self.ended = end,
                Err(error) if produced > 0 => self.pending_error = Some(self.with_offset(&error)),
                Err(error) => {
                    self.ended = true;
                    return Err(self.with_offset(&error));
                }
            }
            if produced > 0 {
                return Ok(produced);
            }
        }
        Ok(0)
    }
}
