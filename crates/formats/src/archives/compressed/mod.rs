//! Compressed streams: gzip, bzip2, xz, Zstandard, LZ4; recognised by content, never by name.
//!
//! All of them may be several streams one after the other (as `pigz`, `pbzip2`, `pzstd` and
//! `cat` make them), with padding or skippable frames in between.

mod engines;
mod gzip;
mod input;
mod write;

use std::fmt;
use std::io::{self, Read};

use tabia_core::error::Why;
use tabia_core::{Error, Malformed, Result};

use engines::{Engine, Step};
pub(super) use gzip::Inflate;
pub(super) use input::Input;
pub use write::{Compressor, compress};

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip (RFC 1952).
    Gzip,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// Zstandard (RFC 8878).
    Zstd,
    /// LZ4 frames.
    Lz4,
}

impl Compression {
    /// Every way to compress.
    pub const ALL: [Self; 5] = [Self::Gzip, Self::Bzip2, Self::Xz, Self::Zstd, Self::Lz4];

    /// Whether this build reads and writes it: Zstandard needs the feature `zstd`.
    pub const fn is_available(self) -> bool {
        match self {
            Self::Zstd => cfg!(feature = "zstd"),
            _ => true,
        }
    }

    /// Its name: `gzip`, `bzip2`, `xz`, `zstd`, `lz4`; `none`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
        }
    }

    /// The extension of files, without the dot; `""` for none.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => "gz",
            Self::Bzip2 => "bz2",
            Self::Xz => "xz",
            Self::Zstd => "zst",
            Self::Lz4 => "lz4",
        }
    }

    /// What a file name asks for by its last extension, and the name without it.
    pub fn of_name(name: &str) -> (Self, &str) {
        let Some((base, extension)) = name.rsplit_once('.') else {
            return (Self::None, name);
        };
        let lower = extension.to_ascii_lowercase();
        let lower = if lower == "zstd" {
            "zst"
        } else {
            lower.as_str()
        };
        match Self::ALL.into_iter().find(|kind| kind.extension() == lower) {
            Some(kind) => (kind, base),
            None => (Self::None, name),
        }
    }

    /// By the first bytes, six of them at least unless the stream is shorter. Skippable frames
    /// look like none: [`decompress`] looks behind them.
    pub fn of_content(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            _ => Self::None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// First bytes that [`Compression::of_content`] looks at.
const HEAD: usize = 6;
/// The first byte of a skippable frame has 16 values, the other three are fixed.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// The plain bytes of `reader`, and how they were compressed. What is not compressed passes
/// through unchanged.
///
/// The stream delivers everything that can be unpacked before a fault; its error then carries an
/// [`Error`] with the offset in the compressed bytes.
///
/// # Errors
/// When the first bytes cannot be read, or the method is not part of this build.
pub fn decompress(reader: Box<dyn Read + Send>) -> Result<(Box<dyn Read + Send>, Compression)> {
    let mut input = Input::new(reader);
    let mut skip = 0;
    let kind = loop {
        // Frames to skip are only consumed when a compressed stream follows them.
        let head = input.fill(skip + 8)?.get(skip..).unwrap_or_default();
        match skippable(head) {
            Some(length) if skip + length <= Input::LARGEST => skip += length,
            _ => break Compression::of_content(head),
        }
    };
    let kind = match kind {
        Compression::None => match input.fill(HEAD)? {
            // Long frames before the first one that is not skippable: only these formats have them.
            head if skippable(head).is_some() => Compression::Zstd,
            _ => return Ok((Box::new(input), Compression::None)),
        },
        kind => kind,
    };
    let stream = Stream {
        input,
        engine: None,
        kind,
        started: false,
        over: false,
    };
    if kind == Compression::Zstd {
        engines::start(kind)?;
    }
    Ok((Box::new(stream), kind))
}

/// The length of the skippable frame that begins here, as far as it is known.
fn skippable(head: &[u8]) -> Option<usize> {
    match head {
        [0x50..=0x5f, a, b, c, l0, l1, l2, l3, ..] if [*a, *b, *c] == SKIPPABLE => {
            let length = [*l0, *l1, *l2, *l3]
                .iter()
                .rev()
                .fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
            Some(8 + length)
        }
        _ => None,
    }
}

/// Streams of one kind, one after the other.
struct Stream {
    input: Input,
    /// `None` between streams.
    engine: Option<Box<dyn Engine>>,
    kind: Compression,
    /// Whether a stream was found.
    started: bool,
    over: bool,
}

impl Stream {
    /// Begins the next stream; `false` at the end of the input.
    fn begin(&mut self) -> io::Result<bool> {
        let first = !self.started;
        loop {
            let head = self.input.fill(8)?;
            if head.is_empty() {
                return Ok(false);
            }
            if let Some(length) = skippable(head)
                && matches!(self.kind, Compression::Zstd | Compression::Lz4)
            {
                self.input.skip(length as u64)?;
                continue;
            }
            let found = Compression::of_content(head);
            if found == self.kind || (first && found != Compression::None) {
                self.kind = found;
                self.started = true;
                self.engine = Some(engines::start(found)?);
                return Ok(true);
            }
            // Padding to whole blocks, of tapes once and of xz by its specification.
            if head.first() == Some(&0) && !first {
                let zeros = head.iter().take_while(|byte| **byte == 0).count();
                self.input.consume(zeros);
                continue;
            }
            let name = self.kind.name();
            return Err(Error::invalid(format!(
                "the bytes behind the {name} stream belong to no {name} stream"
            ))
            .into());
        }
    }

    fn step(&mut self, out: &mut [u8]) -> (usize, io::Result<bool>) {
        let Some(engine) = &mut self.engine else {
            return (0, self.begin());
        };
        let (produced, result) = engine.step(&mut self.input, out);
        let result = result.map(|step| {
            if step == Step::End {
                self.engine = None;
            }
            true
        });
        (produced, result)
    }

    /// Says what is wrong, and at which byte of the input.
    fn describe(&self, error: io::Error) -> io::Error {
        if self.input.has_failed() {
            return error;
        }
        let at = self.input.consumed();
        if error
            .get_ref()
            .is_some_and(<dyn std::error::Error + Send + Sync>::is::<Error>)
        {
            return Error::from(error).at_offset(at).into();
        }
        let name = self.kind.name();
        if error.kind() == io::ErrorKind::UnexpectedEof {
            let why = Why::Truncated { needed: 1, left: 0 };
            return Error::from(Malformed {
                field: field(self.kind),
                at: 0,
                why,
            })
            .at_offset(at)
            .into();
        }
        Error::invalid(format!("the {name} stream cannot be unpacked: {error}"))
            .at_offset(at)
            .into()
    }
}

const fn field(kind: Compression) -> &'static str {
    match kind {
        Compression::None => "stream",
        Compression::Gzip => "gzip stream",
        Compression::Bzip2 => "bzip2 stream",
        Compression::Xz => "xz stream",
        Compression::Zstd => "zstd stream",
        Compression::Lz4 => "lz4 stream",
    }
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while !self.over {
            let (produced, result) = self.step(out);
            if produced > 0 {
                if let Err(error) = result {
                    self.engine = Some(Box::new(engines::Failed(Some(error))));
                }
                return Ok(produced);
            }
            match result {
                Ok(more) => self.over = !more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    self.over = true;
                    return Err(self.describe(error));
                }
            }
        }
        Ok(0)
    }
}
