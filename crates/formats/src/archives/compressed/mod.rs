//! Compressed streams: gzip, bzip2, xz, Zstandard and LZ4, detected by content, never by name.
//!
//! An input can consist of several streams (as `pigz`, `pbzip2`, `pzstd` and `cat` write them), with
//! padding or skippable frames between them.

mod bzip2_blocks;
mod decoders;
mod inflate_and_gzip;
mod input_buffer;
mod stream_decoder;
mod write;

use std::fmt;
use std::io::{self, Read};

use tabia_core::error::Why;
use tabia_core::formats::Limits;
use tabia_core::{Error, ErrorKind, Malformed, Result};

use super::OnError;
use super::unpacked_limit_error::exceeds_limit;

pub(super) use inflate_and_gzip::Inflate;
pub(super) use input_buffer::InputBuffer;
use stream_decoder::{DecodeStatus, StreamDecoder};
pub use write::{Compressor, compress};

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not compressed.
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
    /// All methods of compression.
    pub const ALL: [Self; 5] = [Self::Gzip, Self::Bzip2, Self::Xz, Self::Zstd, Self::Lz4];

    /// Whether this build reads and writes it: Zstandard needs the feature `zstd`.
    pub const fn is_available(self) -> bool {
        cfg!(feature = "zstd") || !matches!(self, Self::Zstd)
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

    /// The extension of files, without the dot; `""` for [`Compression::None`].
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

    /// The compression with the last extension of a file name, and the name without that extension.
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

    /// Detects the compression by the first bytes of a stream: at least six, unless the stream is
    /// shorter. Skippable frames are not detected; [`decompress`] inspects the bytes after them.
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

/// The number of bytes that [`Compression::of_content`] needs.
const MAGIC_LENGTH: usize = 6;
/// The second to fourth byte of a skippable frame; the first byte is one of 16 values.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// A stream of the decompressed bytes of `reader`, and the compression found. Input that is not
/// compressed is delivered unchanged.
///
/// The stream delivers all bytes that can be decompressed before an error; its error then carries
/// an [`Error`] with the offset in the compressed bytes.
///
/// # Errors
/// If the first bytes cannot be read, or the compression is not part of this build.
pub fn decompress(reader: Box<dyn Read + Send>) -> Result<(Box<dyn Read + Send>, Compression)> {
    let mut limits = Limits::default();
    limits.unpacked = u64::MAX;
    decompress_within(reader, &limits)
}

/// As [`decompress`]; the stream ends with [`ErrorKind::Limit`] where it exceeds what
/// [`Limits::unpacked_from`] allows for the compressed bytes read so far.
///
/// # Errors
/// As for [`decompress`].
pub fn decompress_within(
    reader: Box<dyn Read + Send>,
    limits: &Limits,
) -> Result<(Box<dyn Read + Send>, Compression)> {
    decompress_gaps(reader, limits, None)
}

/// As [`decompress_within`]; `on_gap` collects the errors of bytes that are left out because they are damaged, after
/// which the stream goes on: at the next block of a bzip2 stream, else at the next stream. Instead of such bytes the
/// stream has [`GAP`].
///
/// # Errors
/// As for [`decompress`].
pub fn decompress_rest(
    reader: Box<dyn Read + Send>,
    limits: &Limits,
    on_gap: &OnError,
) -> Result<(Box<dyn Read + Send>, Compression)> {
    let on_gap = on_gap.is_collecting().then(|| on_gap.clone());
    decompress_gaps(reader, limits, on_gap)
}

fn decompress_gaps(
    reader: Box<dyn Read + Send>,
    limits: &Limits,
    on_gap: Option<OnError>,
) -> Result<(Box<dyn Read + Send>, Compression)> {
    let mut input = InputBuffer::new(reader);
    let mut skip = 0;
    let kind = loop {
        // Skippable frames are consumed only if a compressed stream follows them.
        let head = input.fill(skip + 8)?.get(skip..).unwrap_or_default();
        match skippable(head) {
            Some(length) if skip + length <= InputBuffer::MAX_FILL => skip += length,
            _ => break Compression::of_content(head),
        }
    };
    let kind = match kind {
        Compression::None => match input.fill(MAGIC_LENGTH)? {
            // Skippable frames longer than the buffer: only Zstandard and LZ4 have any.
            head if skippable(head).is_some() => Compression::Zstd,
            _ => return Ok((Box::new(input), Compression::None)),
        },
        kind => kind,
    };
    let stream = DecompressedStream {
        input,
        decoder: None,
        kind,
        limits: *limits,
        produced: 0,
        discarded: 0,
        started: false,
        ended: false,
        on_gap,
        gaps: 0,
        gap_text: &[],
    };
    if kind == Compression::Zstd {
        decoders::new_decoder(kind)?;
    }
    Ok((Box::new(stream), kind))
}

/// The length of the skippable frame that `head` begins with; `None` if it is not such a frame or
/// its length is not yet read.
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

/// Decompresses consecutive streams of one kind.
struct DecompressedStream {
    input: InputBuffer,
    /// `None` between streams.
    decoder: Option<Box<dyn StreamDecoder>>,
    kind: Compression,
    limits: Limits,
    /// The number of bytes decompressed.
    produced: u64,
    /// The number of bytes that decoders left out.
    discarded: u64,
    /// Whether the first stream was found.
    started: bool,
    ended: bool,
    /// Collects errors after which the stream goes on; `None`: the first error ends it.
    on_gap: Option<OnError>,
    gaps: u32,
    /// What is left to deliver of [`GAP`].
    gap_text: &'static [u8],
}

/// Blank lines instead of bytes that are left out: what is before and after them is not one line, and no tag
/// section goes on there.
pub const GAP: &[u8] = b"\n\n";

/// The most gaps of a stream: with one more it ends.
const MAX_GAPS: u32 = 1000;

impl DecompressedStream {
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
                self.decoder = Some(decoders::new_decoder(found)?);
                return Ok(true);
            }
            // Padding to complete blocks: tapes need it, and the specification of xz allows it.
            if head.first() == Some(&0) && !first {
                let zeros = head.iter().take_while(|byte| **byte == 0).count();
                self.input.consume(zeros);
                continue;
            }
            let name = self.kind.name();
            return Err(Error::invalid(format!(
                "the bytes after the {name} stream are not a {name} stream"
            ))
            .into());
        }
    }

    /// Decodes to `out`, or begins the next stream. Returns the number of bytes, and `false` at the
    /// end of the input.
    fn step(&mut self, out: &mut [u8]) -> (usize, io::Result<bool>) {
        let Some(decoder) = &mut self.decoder else {
            return (0, self.begin());
        };
        let (produced, result) = decoder.step(&mut self.input, out);
        let result = result.map(|status| {
            if status == DecodeStatus::End {
                self.decoder = None;
            }
            true
        });
        (produced, result)
    }

    /// Goes on after bytes that cannot be decoded, whose error is collected. Returns the error if there is nothing more
    /// to be read, or it ends the stream.
    fn skip_gap(&mut self, error: io::Error) -> io::Result<()> {
        let is_limit = |error: &io::Error| {
            let error = error
                .get_ref()
                .and_then(|error| error.downcast_ref::<Error>());
            error.is_some_and(|error| matches!(error.kind(), ErrorKind::Limit { .. }))
        };
        let Some(on_gap) = self.on_gap.clone().filter(|_| self.gaps < MAX_GAPS) else {
            return Err(self.with_context(error));
        };
        if self.input.has_failed() || is_limit(&error) {
            return Err(self.with_context(error));
        }
        let goes_on = self
            .decoder
            .as_ref()
            .is_some_and(|decoder| decoder.goes_on());
        let is_end = error.kind() == io::ErrorKind::UnexpectedEof;
        let error = self.with_context(error);
        if !goes_on {
            if is_end || !self.find_next_stream()? {
                return Err(error);
            }
            self.decoder = None;
        }
        on_gap.report(Error::from(error))?;
        self.gaps += 1;
        self.gap_text = GAP;
        Ok(())
    }

    /// Consumes the bytes before the next stream of this kind; `false` if there is none.
    fn find_next_stream(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.input.fill(STREAM_HEADER)?;
            if bytes.len() < STREAM_HEADER {
                return Ok(false);
            }
            let mut starts = bytes.windows(STREAM_HEADER);
            let found = starts.position(|start| is_stream_header(self.kind, start));
            let count = found.unwrap_or(bytes.len() + 1 - STREAM_HEADER);
            self.input.consume(count);
            if found.is_some() {
                return Ok(true);
            }
        }
    }

    /// An error of a decoder with the name of the compression and the offset in the input.
    fn with_context(&self, error: io::Error) -> io::Error {
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

/// The number of bytes by which a stream is found.
const STREAM_HEADER: usize = 10;

/// Whether a stream begins with these bytes. More of them is examined than where a stream is expected.
fn is_stream_header(kind: Compression, bytes: &[u8]) -> bool {
    let is_kind = kind != Compression::None && Compression::of_content(bytes) == kind;
    match (kind, bytes) {
        // No reserved flag, a level, and a known system.
        (Compression::Gzip, [_, _, _, flags, _, _, _, _, level, system, ..]) => {
            is_kind && *flags < 0x20 && matches!(level, 0 | 2 | 4) && matches!(system, 0..=13 | 255)
        }
        (Compression::Bzip2, [_, _, _, _, marker @ ..]) => {
            let block = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
            is_kind && marker.starts_with(&block)
        }
        // The flags of the stream.
        (Compression::Xz, [_, _, _, _, _, _, first, check, ..]) => {
            is_kind && *first == 0 && *check < 16
        }
        _ => is_kind,
    }
}

/// The name of a stream in errors.
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

impl Read for DecompressedStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            if !self.gap_text.is_empty() {
                let length = out.len().min(self.gap_text.len());
                let (text, rest) = self.gap_text.split_at(length);
                out.get_mut(..length)
                    .unwrap_or_default()
                    .copy_from_slice(text);
                self.gap_text = rest;
                return Ok(length);
            }
            // One byte more than allowed shows that there are more.
            let allowed = self.limits.unpacked_from(self.input.consumed());
            let used = self.produced.saturating_add(self.discarded);
            let allowed = allowed.saturating_sub(used).saturating_add(1);
            let length = out
                .len()
                .min(usize::try_from(allowed).unwrap_or(usize::MAX));
            let (mut produced, mut result) = self.step(out.get_mut(..length).unwrap_or_default());
            // Decoders that return few bytes at once return as many as the others, as long as nothing is waited for.
            while produced > 0
                && produced < length
                && matches!(self.kind, Compression::Xz | Compression::Lz4)
                && result.as_ref().is_ok_and(|more| *more)
                && self.decoder.is_some()
                && self.input.has_bytes()
            {
                let (more, next) = self.step(out.get_mut(produced..length).unwrap_or_default());
                produced += more;
                result = next;
            }
            if let Some(decoder) = &mut self.decoder {
                self.discarded += decoder.take_discarded();
            }
            if produced > 0 {
                self.produced += produced as u64;
                let limit = self.limits.unpacked_from(self.input.consumed());
                let result = match result {
                    Ok(_) if self.produced + self.discarded > limit => {
                        Err(exceeds_limit(limit).into())
                    }
                    other => other,
                };
                if let Err(error) = result {
                    self.decoder = Some(Box::new(decoders::FailedDecoder(Some(error))));
                }
                return Ok(produced);
            }
            match result {
                Ok(more) => self.ended = !more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    if let Err(error) = self.skip_gap(error) {
                        self.ended = true;
                        return Err(error);
                    }
                }
            }
        }
        Ok(0)
    }
}
