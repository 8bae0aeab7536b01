//! The decoders of xz, Zstandard and LZ4 streams.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::Compression;
use super::bzip2_blocks::Bzip2Blocks;
use super::inflate_and_gzip::Gzip;
use super::input_buffer::InputBuffer;
use super::stream_decoder::{DecodeStatus, StreamDecoder};

/// The most memory that an xz stream may require, in KiB; `xz -9` requires 65 MiB.
const XZ_MEMORY_KIB: u32 = 512 << 10;

/// A decoder for one stream of that kind.
///
/// # Errors
/// If the kind is not part of this build.
pub(super) fn new_decoder(kind: Compression) -> io::Result<Box<dyn StreamDecoder>> {
    Ok(match kind {
        Compression::Gzip => Box::new(Gzip::new()),
        Compression::Bzip2 => Box::new(Bzip2Blocks::new()),
        Compression::Xz => Box::new(PullDecoder::new(|input| {
            lzma_rust2::XzReader::new_mem_limit(input, false, XZ_MEMORY_KIB)
        })),
        Compression::Zstd => zstandard()?,
        Compression::Lz4 => Box::new(PullDecoder::new(lz4_flex::frame::FrameDecoder::new)),
        Compression::None => return Err(io::ErrorKind::Unsupported.into()),
    })
}

/// Returns an error that occurred after bytes were decoded.
pub(super) struct FailedDecoder(pub(super) Option<io::Error>);

impl StreamDecoder for FailedDecoder {
    fn step(&mut self, _: &mut InputBuffer, _: &mut [u8]) -> (usize, io::Result<DecodeStatus>) {
        let error = self.0.take();
        (
            0,
            Err(error.unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into())),
        )
    }
}

#[cfg(feature = "zstd")]
fn zstandard() -> io::Result<Box<dyn StreamDecoder>> {
    Ok(Box::new(Zstandard {
        decoder: zstd::stream::raw::Decoder::new()?,
        next_length: 9,
    }))
}

#[cfg(not(feature = "zstd"))]
fn zstandard() -> io::Result<Box<dyn StreamDecoder>> {
    let text = "this build cannot read Zstandard: build tabia with the feature `zstd`";
    Err(tabia_core::Error::unsupported(text).into())
}

#[cfg(feature = "zstd")]
struct Zstandard {
    decoder: zstd::stream::raw::Decoder<'static>,
    /// The number of bytes to decode next: never beyond a block, so that no byte before a damaged
    /// block is lost.
    next_length: usize,
}

#[cfg(feature = "zstd")]
impl StreamDecoder for Zstandard {
    fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<DecodeStatus>) {
        use zstd::stream::raw::Operation;
        let bytes = match input.fill(self.next_length) {
            Ok(bytes) => bytes,
            Err(error) => return (0, Err(error)),
        };
        let at_end = bytes.is_empty();
        let bytes = bytes.get(..self.next_length).unwrap_or(bytes);
        match self.decoder.run_on_buffers(bytes, out) {
            Ok(status) => {
                input.consume(status.bytes_read);
                self.next_length = status.remaining;
                let produced = status.bytes_written;
                let result = if status.remaining == 0 {
                    Ok(DecodeStatus::End)
                } else if at_end && produced == 0 {
                    Err(io::ErrorKind::UnexpectedEof.into())
                } else {
                    Ok(DecodeStatus::More)
                };
                (produced, result)
            }
            Err(error) => (0, Err(error)),
        }
    }
}

/// Wraps a decoder that reads its input itself. Bytes that such a decoder has decoded and not yet
/// returned are lost if it fails, so few bytes are requested at once.
struct PullDecoder<D> {
    decoder: D,
    input: SharedInput,
}

/// The most bytes that a [`PullDecoder`] decodes at once.
const PULL_SIZE: usize = 512;

/// The input, which the decoder may use during a step; `None` between steps.
#[derive(Clone, Default)]
struct SharedInput(Arc<Mutex<Option<InputBuffer>>>);

impl<D: Read + Send> PullDecoder<D> {
    fn new(create: impl FnOnce(SharedInput) -> D) -> Self {
        let input = SharedInput::default();
        Self {
            decoder: create(input.clone()),
            input,
        }
    }
}

impl Read for SharedInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(input) => input.read(out),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl<D: Read + Send> StreamDecoder for PullDecoder<D> {
    fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<DecodeStatus>) {
        let shared = std::mem::replace(input, InputBuffer::empty());
        *self.input.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(shared);
        let length = out.len().min(PULL_SIZE);
        let read = self.decoder.read(out.get_mut(..length).unwrap_or_default());
        if let Some(shared) = self
            .input
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            *input = shared;
        }
        match read {
            // Some decoders treat the end of the input as the end of their stream.
            Ok(0) if input.is_at_end() => (0, Err(io::ErrorKind::UnexpectedEof.into())),
            Ok(0) => (0, Ok(DecodeStatus::End)),
            Ok(produced) => (produced, Ok(DecodeStatus::More)),
            Err(error) => (0, Err(error)),
        }
    }
}
