//! Deflate streams, bare, in zlib and in gzip form.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::engines::{Engine, Step};
use super::input::Input;

/// A deflate stream. What was unpacked before a fault is given all the same.
pub(in crate::archives) struct Inflate(Decompress);

impl Inflate {
    /// A bare stream, or one with the header and the checksum of zlib.
    pub(in crate::archives) fn new(zlib: bool) -> Self {
        Self(Decompress::new(zlib))
    }

    /// Unpacks to `out`: how many bytes, and whether the stream has ended.
    pub(in crate::archives) fn step(
        &mut self,
        input: &mut Input,
        out: &mut [u8],
    ) -> (usize, io::Result<bool>) {
        let bytes = match input.fill(1) {
            Ok(bytes) => bytes,
            Err(error) => return (0, Err(error)),
        };
        let nothing_left = bytes.is_empty();
        let before = (self.0.total_in(), self.0.total_out());
        let result = self.0.decompress(bytes, out, FlushDecompress::None);
        let consumed = (self.0.total_in() - before.0) as usize;
        let produced = (self.0.total_out() - before.1) as usize;
        input.consume(consumed);
        let result = match result {
            Ok(Status::StreamEnd) => Ok(true),
            Ok(_) if nothing_left && produced == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(false),
            Err(error) => Err(error.into()),
        };
        (produced, result)
    }
}

impl Engine for Inflate {
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> (usize, io::Result<Step>) {
        let (produced, result) = Inflate::step(self, input, out);
        (
            produced,
            result.map(|end| if end { Step::End } else { Step::More }),
        )
    }
}

/// One member of a gzip file.
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

impl Engine for Gzip {
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> (usize, io::Result<Step>) {
        match self.state {
            State::Header => {
                self.state = State::Body;
                (0, header(input).map(|()| Step::More))
            }
            State::Body => {
                let (produced, result) = self.inflate.step(input, out);
                self.crc.update(out.get(..produced).unwrap_or_default());
                if let Ok(true) = result {
                    self.state = State::Trailer;
                }
                (produced, result.map(|_| Step::More))
            }
            State::Trailer => (0, trailer(input, &self.crc).map(|()| Step::End)),
        }
    }
}

const HEADER_CHECKSUM: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// RFC 1952, section 2.3.
fn header(input: &mut Input) -> io::Result<()> {
    input.skip(3)?;
    let flags = input.byte()?;
    input.skip(6)?;
    if flags & EXTRA != 0 {
        let length = u64::from(input.byte()?) | u64::from(input.byte()?) << 8;
        input.skip(length)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            while input.byte()? != 0 {}
        }
    }
    if flags & HEADER_CHECKSUM != 0 {
        input.skip(2)?;
    }
    Ok(())
}

fn trailer(input: &mut Input, crc: &Crc) -> io::Result<()> {
    let mut word = || {
        (0..4).try_fold(0_u32, |word, i| {
            input.byte().map(|byte| word | u32::from(byte) << (8 * i))
        })
    };
    let (sum, length) = (word()?, word()?);
    if sum != crc.sum() || length != crc.amount() {
        let text = "the checksum or the length at its end does not match";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    Ok(())
}
