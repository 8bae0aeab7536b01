//! Deflate streams: raw, in zlib and in gzip format.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::input_buffer::InputBuffer;
use super::stream_decoder::{DecodeStatus, StreamDecoder};

/// Decodes a deflate stream. Bytes decoded before an error are returned together with it.
pub(in crate::archives) struct Inflate(Decompress);

impl Inflate {
    /// For a raw stream, or for one with the header and the checksum of zlib.
    pub(in crate::archives) fn new(zlib: bool) -> Self {
        Self(Decompress::new(zlib))
    }

    /// Decodes to `out`. Returns the number of bytes, and whether the stream has ended.
    pub(in crate::archives) fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<bool>) {
        let bytes = match input.fill(1) {
            Ok(bytes) => bytes,
            Err(error) => return (0, Err(error)),
        };
        let at_end = bytes.is_empty();
        let before = (self.0.total_in(), self.0.total_out());
        let result = self.0.decompress(bytes, out, FlushDecompress::None);
        let consumed = (self.0.total_in() - before.0) as usize;
        let produced = (self.0.total_out() - before.1) as usize;
        input.consume(consumed);
        let result = match result {
            Ok(Status::StreamEnd) => Ok(true),
            Ok(_) if at_end && produced == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(false),
            Err(error) => Err(error.into()),
        };
        (produced, result)
    }
}

impl StreamDecoder for Inflate {
    fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<DecodeStatus>) {
        let (produced, result) = Inflate::step(self, input, out);
        (
            produced,
            result.map(|end| {
                if end {
                    DecodeStatus::End
                } else {
                    DecodeStatus::More
                }
            }),
        )
    }
}

/// Decodes one member of a gzip file.
pub(super) struct Gzip {
    state: State,
    inflate: Inflate,
    crc: Crc,
}

enum State {
    Header,
    Body,
    Trailer,
}

impl Gzip {
    pub(super) fn new() -> Self {
        Self {
            state: State::Header,
            inflate: Inflate::new(false),
            crc: Crc::new(),
        }
    }
}

impl StreamDecoder for Gzip {
    fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<DecodeStatus>) {
        match self.state {
            State::Header => {
                self.state = State::Body;
                (0, header(input).map(|()| DecodeStatus::More))
            }
            State::Body => {
                let (produced, result) = self.inflate.step(input, out);
                self.crc.update(out.get(..produced).unwrap_or_default());
                if let Ok(true) = result {
                    self.state = State::Trailer;
                }
                (produced, result.map(|_| DecodeStatus::More))
            }
            State::Trailer => (0, trailer(input, &self.crc).map(|()| DecodeStatus::End)),
        }
    }
}

const HEADER_CHECKSUM: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// Reads the header of a member (RFC 1952, section 2.3).
fn header(input: &mut InputBuffer) -> io::Result<()> {
    input.skip(3)?;
    let flags = input.read_byte()?;
    input.skip(6)?;
    if flags & EXTRA != 0 {
        let length = u64::from(input.read_byte()?) | u64::from(input.read_byte()?) << 8;
        input.skip(length)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            while input.read_byte()? != 0 {}
        }
    }
    if flags & HEADER_CHECKSUM != 0 {
        input.skip(2)?;
    }
    Ok(())
}

/// Reads the checksum and the length after the data and verifies them.
fn trailer(input: &mut InputBuffer, crc: &Crc) -> io::Result<()> {
    let mut word = || {
        (0..4).try_fold(0_u32, |word, i| {
            input
                .read_byte()
                .map(|byte| word | u32::from(byte) << (8 * i))
        })
    };
    let (sum, length) = (word()?, word()?);
    if sum != crc.sum() || length != crc.amount() {
        let text = "the checksum or the length at its end does not match";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    Ok(())
}
