//! The decoders of one stream each.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::Compression;
use super::gzip::Gzip;
use super::input::Input;

/// Memory that an xz stream may ask for; `xz -9` needs 65 MiB.
const XZ_MEMORY_KIB: u32 = 512 << 10;

/// Whether a stream goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    More,
    End,
}

/// Decodes one stream.
pub(super) trait Engine: Send {
    /// Decodes from `input` to `out`, which is not empty: how many bytes, also before an error.
    /// No bytes and [`Step::More`] is no end.
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> (usize, io::Result<Step>);
}

/// The decoder of a kind of stream.
pub(super) fn start(kind: Compression) -> io::Result<Box<dyn Engine>> {
    Ok(match kind {
        Compression::Gzip => Box::new(Gzip::new()),
        Compression::Bzip2 => Box::new(Bzip2(bzip2::Decompress::new(false))),
        Compression::Xz => Box::new(Reading::new(|input| {
            lzma_rust2::XzReader::new_mem_limit(input, false, XZ_MEMORY_KIB)
        })),
        Compression::Zstd => zstandard()?,
        Compression::Lz4 => Box::new(Reading::new(lz4_flex::frame::FrameDecoder::new)),
        Compression::None => return Err(io::ErrorKind::Unsupported.into()),
    })
}

/// Gives an error that was held back.
pub(super) struct Failed(pub(super) Option<io::Error>);

impl Engine for Failed {
    fn step(&mut self, _: &mut Input, _: &mut [u8]) -> (usize, io::Result<Step>) {
        let error = self.0.take();
        (
            0,
            Err(error.unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into())),
        )
    }
}

struct Bzip2(bzip2::Decompress);

impl Engine for Bzip2 {
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> (usize, io::Result<Step>) {
        let bytes = match input.fill(1) {
            Ok(bytes) => bytes,
            Err(error) => return (0, Err(error)),
        };
        let nothing_left = bytes.is_empty();
        let before = (self.0.total_in(), self.0.total_out());
        let result = self.0.decompress(bytes, out);
        let consumed = (self.0.total_in() - before.0) as usize;
        let produced = (self.0.total_out() - before.1) as usize;
        input.consume(consumed);
        let result = match result {
            Ok(bzip2::Status::StreamEnd) => Ok(Step::End),
            Ok(bzip2::Status::MemNeeded) => Err(io::ErrorKind::OutOfMemory.into()),
            Ok(_) if nothing_left && produced == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(Step::More),
            Err(error) => Err(error.into()),
        };
        (produced, result)
    }
}

#[cfg(feature = "zstd")]
fn zstandard() -> io::Result<Box<dyn Engine>> {
    Ok(Box::new(Zstandard {
        decoder: zstd::stream::raw::Decoder::new()?,
        next: 9,
    }))
}

#[cfg(not(feature = "zstd"))]
fn zstandard() -> io::Result<Box<dyn Engine>> {
    let text = "this build cannot read Zstandard: build tabia with the feature `zstd`";
    Err(tabia_core::Error::unsupported(text).into())
}

#[cfg(feature = "zstd")]
struct Zstandard {
    decoder: zstd::stream::raw::Decoder<'static>,
    /// The next bytes to feed: never beyond a block, so that a damaged block costs nothing that
    /// was decoded before it.
    next: usize,
}

#[cfg(feature = "zstd")]
impl Engine for Zstandard {
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> (usize, io::Result<Step>) {
        use zstd::stream::raw::Operation;
        let bytes = match input.fill(self.next) {
            Ok(bytes) => bytes,
            Err(error) => return (0, Err(error)),
        };
        let nothing_left = bytes.is_empty();
        let bytes = bytes.get(..self.next).unwrap_or(bytes);
        match self.decoder.run_on_buffers(bytes, out) {
            Ok(status) => {
                input.consume(status.bytes_read);
                self.next = status.remaining;
                let produced = status.bytes_written;
                let result = if status.remaining == 0 {
                    Ok(Step::End)
                } else if nothing_left && produced == 0 {
                    Err(io::ErrorKind::UnexpectedEof.into())
                } else {
                    Ok(Step::More)
                };
                (produced, result)
            }
            Err(error) => (0, Err(error)),
        }
    }
}

/// A decoder that wants to read by itself. What it holds back is lost with an error, so it is
/// asked for little at a time.
struct Reading<D> {
    decoder: D,
    input: Lent,
}

/// The most that a [`Reading`] decodes at once.
const LITTLE: usize = 512;

/// The input, lent to a decoder for the time of a step.
#[derive(Clone, Default)]
struct Lent(Arc<Mutex<Option<Input>>>);

impl<D: Read + Send> Reading<D> {
    fn new(start: impl FnOnce(Lent) -> D) -> Self {
        let input = Lent::default();
        Self {
            decoder: start(input.clone()),
            input,
        }
    }
}

impl Read for Lent {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(input) => input.read(out),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl<D: Read + Send> Engine for Reading<D> {
    fn step(&mut self, input: &mut Input, out: &mut [u8]) -> (usize, io::Result<Step>) {
        let lent = std::mem::replace(input, Input::none());
        *self.input.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(lent);
        let little = out.len().min(LITTLE);
        let read = self.decoder.read(out.get_mut(..little).unwrap_or_default());
        if let Some(lent) = self
            .input
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            *input = lent;
        }
        match read {
            // A decoder may take the end of the input for the end of its stream.
            Ok(0) if input.is_starved() => (0, Err(io::ErrorKind::UnexpectedEof.into())),
            Ok(0) => (0, Ok(Step::End)),
            Ok(produced) => (produced, Ok(Step::More)),
            Err(error) => (0, Err(error)),
        }
    }
}
