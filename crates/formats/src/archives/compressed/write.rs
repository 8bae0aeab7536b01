//! Writing compressed streams.

use std::fmt;
use std::io::{self, Write};

use tabia_core::Result;

use super::Compression;

/// A writer that compresses. The stream is incomplete until [`finish`](Compressor::finish) is called.
pub trait Compressor: Write + Send {
    /// Writes the remaining bytes, ends the stream and returns the target.
    fn finish(self: Box<Self>) -> Result<Box<dyn Write + Send>>;
}

impl fmt::Debug for dyn Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compressor")
    }
}

/// A writer that compresses to `target`, at the default level of the compression. The same input
/// produces the same bytes: no names and no times are stored.
///
/// # Errors
/// If the compression is not part of this build, or the first bytes cannot be written.
pub fn compress(target: Box<dyn Write + Send>, kind: Compression) -> Result<Box<dyn Compressor>> {
    Ok(match kind {
        Compression::None => Box::new(Plain(target)),
        Compression::Gzip => {
            let level = flate2::Compression::default();
            Box::new(Gzip(flate2::write::GzEncoder::new(target, level)))
        }
        Compression::Bzip2 => {
            let level = bzip2::Compression::best();
            Box::new(Bzip2(bzip2::write::BzEncoder::new(target, level)))
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(6);
            Box::new(Xz(lzma_rust2::XzWriter::new(target, options)?))
        }
        Compression::Zstd => zstandard(target)?,
        Compression::Lz4 => {
            let info = lz4_flex::frame::FrameInfo::new()
                .block_size(lz4_flex::frame::BlockSize::Max256KB)
                .content_checksum(true);
            Box::new(Lz4(lz4_flex::frame::FrameEncoder::with_frame_info(
                info, target,
            )))
        }
    })
}

macro_rules! compressors {
    ($($(#[$meta:meta])* $name:ident($inner:ty) => $finish:expr;)*) => {
        $($(#[$meta])* struct $name($inner);

        $(#[$meta])* impl Write for $name {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                self.0.flush()
            }
        }

        $(#[$meta])* impl Compressor for $name {
            fn finish(self: Box<Self>) -> Result<Box<dyn Write + Send>> {
                let finish: fn($inner) -> io::Result<Box<dyn Write + Send>> = $finish;
                let mut target = finish(self.0)?;
                target.flush()?;
                Ok(target)
            }
        })*
    };
}

type Target = Box<dyn Write + Send>;

compressors! {
    Plain(Target) => Ok;
    Gzip(flate2::write::GzEncoder<Target>) => flate2::write::GzEncoder::finish;
    Bzip2(bzip2::write::BzEncoder<Target>) => bzip2::write::BzEncoder::finish;
    Xz(lzma_rust2::XzWriter<Target>) => lzma_rust2::XzWriter::finish;
    #[cfg(feature = "zstd")]
    Zstandard(zstd::stream::write::Encoder<'static, Target>) => zstd::stream::write::Encoder::finish;
    Lz4(lz4_flex::frame::FrameEncoder<Target>) => |encoder| Ok(encoder.finish()?);
}

#[cfg(feature = "zstd")]
fn zstandard(target: Target) -> io::Result<Box<dyn Compressor>> {
    let mut encoder = zstd::stream::write::Encoder::new(target, 3)?;
    encoder.include_checksum(true)?;
    Ok(Box::new(Zstandard(encoder)))
}

#[cfg(not(feature = "zstd"))]
fn zstandard(_: Target) -> io::Result<Box<dyn Compressor>> {
    let text = "this build cannot write Zstandard: build tabia with the feature `zstd`";
    Err(tabia_core::Error::unsupported(text).into())
}
