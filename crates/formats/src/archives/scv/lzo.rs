//! LZO1X, as a single stream or in chunks. Layout: FORMAT.md, "LZO".

use std::io::{self, Read};

use tabia_core::error::Why;
use tabia_core::io::Blob;
use tabia_core::{Error, Malformed};

/// Unpacked bytes of one chunk.
pub(super) const CHUNK: usize = 1 << 15;
/// The longest packed chunk.
const MAX_PACKED: usize = CHUNK + CHUNK / 16 + 67;
/// The most bytes that LZO unpacks from one byte: bounds the size of a single stream.
const EXPANSION: u64 = 256;

/// Packs at most [`CHUNK`] bytes as one chunk, with its length.
pub(super) fn pack(data: &[u8]) -> Result<Vec<u8>, Error> {
    let packed = if data.is_empty() {
        // Other decoders cannot read what the crate writes for empty input.
        vec![0x11, 0, 0]
    } else {
        lzokay::compress::compress(data)
            .map_err(|error| Error::invalid(format!("LZO cannot pack the data: {error}")))?
    };
    let mut chunk = vec![(packed.len() >> 8) as u8, packed.len() as u8];
    chunk.extend(packed);
    Ok(chunk)
}

/// A stream of the unpacked bytes of a member. Chunks are unpacked one at a time; a single stream
/// at once, at most `limit` bytes.
pub(super) fn reader(stored: Blob, size: Option<u64>, limit: u64) -> Box<dyn Read + Send> {
    let reader = LzoReader {
        stored,
        at: 0,
        data: Vec::new(),
        copied: 0,
        pending_error: None,
    };
    if is_chunked(&reader.stored, size) {
        return Box::new(reader);
    }
    let (data, pending_error) = unpack_single(&reader.stored, size, limit);
    Box::new(LzoReader {
        at: reader.stored.len(),
        data,
        pending_error,
        ..reader
    })
}

/// Whether the lengths of chunks add up to the size of the data, and their number is that of a member
/// of `size` bytes.
fn is_chunked(stored: &[u8], size: Option<u64>) -> bool {
    let mut at = 0;
    let mut chunks = 0_u64;
    while let Some([high, low]) = stored.get(at..at + 2) {
        let length = usize::from(*high) << 8 | usize::from(*low);
        if !(3..=MAX_PACKED).contains(&length) {
            return false;
        }
        at += 2 + length;
        chunks += 1;
    }
    at == stored.len() && size.is_none_or(|size| size.div_ceil(CHUNK as u64) == chunks)
}

/// Unpacks a single stream, whose unpacked size is not in the stream itself.
fn unpack_single(stored: &[u8], size: Option<u64>, limit: u64) -> (Vec<u8>, Option<io::Error>) {
    let max = (stored.len() as u64).saturating_mul(EXPANSION).min(limit);
    let mut capacity = size.unwrap_or(stored.len() as u64 * 4 + 4096).min(max);
    loop {
        let mut data = vec![0; usize::try_from(capacity).unwrap_or_default()];
        match lzokay::decompress::decompress(stored, &mut data) {
            Ok(length) => {
                data.truncate(length);
                return (data, None);
            }
            Err(lzokay::Error::OutputOverrun) if size.is_none() && capacity < max => {
                capacity = capacity.saturating_mul(4).min(max);
            }
            Err(error) => return (Vec::new(), Some(stream_error(error, 0))),
        }
    }
}

fn stream_error(error: lzokay::Error, at: usize) -> io::Error {
    let text = format!("the LZO stream cannot be unpacked: {error}");
    Error::invalid(text).at_offset(at as u64).into()
}

struct LzoReader {
    stored: Blob,
    /// Offset of the next chunk.
    at: usize,
    /// Unpacked bytes, and the number of these that were delivered.
    data: Vec<u8>,
    copied: usize,
    /// Returned after the last unpacked byte.
    pending_error: Option<io::Error>,
}

impl LzoReader {
    /// Unpacks the next chunk; `false` at the end.
    fn next(&mut self) -> io::Result<bool> {
        let rest = self.stored.get(self.at..).unwrap_or_default();
        let (Some(high), Some(low)) = (rest.first(), rest.get(1)) else {
            return Ok(false);
        };
        let length = usize::from(*high) << 8 | usize::from(*low);
        let Some(packed) = rest.get(2..2 + length) else {
            let why = Why::Truncated {
                needed: length,
                left: rest.len() - 2,
            };
            let malformed = Malformed {
                field: "LZO chunk",
                at: self.at,
                why,
            };
            return Err(malformed.at_base(0).into());
        };
        self.data.resize(CHUNK, 0);
        let result = lzokay::decompress::decompress(packed, &mut self.data);
        self.data.truncate(*result.as_ref().unwrap_or(&0));
        self.copied = 0;
        let at = self.at;
        self.at += 2 + length;
        result
            .map(|_| true)
            .map_err(|error| stream_error(error, at))
    }
}

impl Read for LzoReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.copied >= self.data.len() {
            if let Some(error) = self.pending_error.take() {
                return Err(error);
            }
            if !self.next()? {
                return Ok(0);
            }
        }
        Ok(crate::archives::copy_next::copy_next(
            &self.data,
            &mut self.copied,
            out,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(stored: Vec<u8>, size: Option<u64>) -> io::Result<Vec<u8>> {
        let mut data = Vec::new();
        reader(Blob::from(stored), size, 1 << 24).read_to_end(&mut data)?;
        Ok(data)
    }

    fn sample() -> Vec<u8> {
        (0..100_000_u32)
            .map(|i| (i.wrapping_mul(i) >> 9) as u8 & 0x3f)
            .collect()
    }

    #[test]
    fn chunks_round_trip() {
        let data = sample();
        let stored: Vec<u8> = data
            .chunks(CHUNK)
            .flat_map(|chunk| pack(chunk).unwrap())
            .collect();
        assert!(unpacked(stored.clone(), Some(100_000)).unwrap() == data);
        assert!(unpacked(stored.clone(), None).unwrap() == data);
        assert!(unpacked(stored[..stored.len() - 1].to_vec(), None).is_err());
        assert_eq!(unpacked(Vec::new(), Some(0)).unwrap(), b"");
        assert_eq!(unpacked(pack(&[]).unwrap(), None).unwrap(), b"");
    }

    #[test]
    fn single_streams_unpack_with_and_without_a_size() {
        let data = sample();
        let stored = lzokay::compress::compress(&data).unwrap();
        assert!(unpacked(stored.clone(), Some(100_000)).unwrap() == data);
        assert!(unpacked(stored, None).unwrap() == data);
        let zeros = vec![0; 3_000_000];
        let stored = lzokay::compress::compress(&zeros).unwrap();
        assert!(unpacked(stored, None).unwrap() == zeros);
        assert!(unpacked(b"abc".to_vec(), None).is_err());
    }
}
