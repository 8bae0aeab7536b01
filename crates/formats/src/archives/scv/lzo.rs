//! LZO1X, bare or in chunks. Facts: FORMAT.md, "LZO".

use std::io::{self, Read};

use tabia_core::error::Why;
use tabia_core::io::Blob;
use tabia_core::{Error, Malformed};

/// Plain bytes of one chunk.
pub(super) const CHUNK: usize = 1 << 15;
/// No chunk of that many bytes is longer.
const LONGEST: usize = CHUNK + CHUNK / 16 + 67;
/// LZO never makes more of a byte; what a bare stream may unpack to.
const EXPANSION: u64 = 256;

/// Packs one chunk of at most [`CHUNK`] bytes, length included.
pub(super) fn pack(plain: &[u8]) -> Result<Vec<u8>, Error> {
    let packed = if plain.is_empty() {
        // What the crate makes of nothing is not what other decoders read.
        vec![0x11, 0, 0]
    } else {
        lzokay::compress::compress(plain)
            .map_err(|error| Error::invalid(format!("LZO cannot pack this: {error}")))?
    };
    let mut chunk = vec![(packed.len() >> 8) as u8, packed.len() as u8];
    chunk.extend(packed);
    Ok(chunk)
}

/// The plain bytes of a member. Chunks are unpacked one after the other; a bare stream at once,
/// at most `limit` bytes.
pub(super) fn reader(stored: Blob, size: Option<u64>, limit: u64) -> Box<dyn Read + Send> {
    let reader = Lzo {
        at: 0,
        plain: Vec::new(),
        given: 0,
        held: None,
        stored,
    };
    if is_chunked(&reader.stored, size) {
        return Box::new(reader);
    }
    let (plain, held) = bare(&reader.stored, size, limit);
    let at = reader.stored.len();
    Box::new(Lzo {
        at,
        plain,
        held,
        ..reader
    })
}

/// Whether the lengths of chunks lead exactly to the end, in as many steps as the size asks for.
fn is_chunked(stored: &[u8], size: Option<u64>) -> bool {
    let mut at = 0;
    let mut chunks = 0_u64;
    while let Some([high, low]) = stored.get(at..at + 2) {
        let length = usize::from(*high) << 8 | usize::from(*low);
        if !(3..=LONGEST).contains(&length) {
            return false;
        }
        at += 2 + length;
        chunks += 1;
    }
    at == stored.len() && size.is_none_or(|size| size.div_ceil(CHUNK as u64) == chunks)
}

/// A bare stream. Its length is known only from outside.
fn bare(stored: &[u8], size: Option<u64>, limit: u64) -> (Vec<u8>, Option<io::Error>) {
    let most = (stored.len() as u64).saturating_mul(EXPANSION).min(limit);
    let mut room = size.unwrap_or(stored.len() as u64 * 4 + 4096).min(most);
    loop {
        let mut plain = vec![0; usize::try_from(room).unwrap_or_default()];
        match lzokay::decompress::decompress(stored, &mut plain) {
            Ok(length) => {
                plain.truncate(length);
                return (plain, None);
            }
            Err(lzokay::Error::OutputOverrun) if size.is_none() && room < most => {
                room = room.saturating_mul(4).min(most);
            }
            Err(error) => return (Vec::new(), Some(fault(error, 0))),
        }
    }
}

fn fault(error: lzokay::Error, at: usize) -> io::Error {
    let text = format!("the LZO stream cannot be unpacked: {error}");
    Error::invalid(text).at_offset(at as u64).into()
}

struct Lzo {
    stored: Blob,
    /// The next chunk.
    at: usize,
    plain: Vec<u8>,
    given: usize,
    held: Option<io::Error>,
}

impl Lzo {
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
            let fault = Malformed {
                field: "LZO chunk",
                at: self.at,
                why,
            };
            return Err(fault.at_base(0).into());
        };
        self.plain.resize(CHUNK, 0);
        let result = lzokay::decompress::decompress(packed, &mut self.plain);
        self.plain.truncate(*result.as_ref().unwrap_or(&0));
        self.given = 0;
        let at = self.at;
        self.at += 2 + length;
        result.map(|_| true).map_err(|error| fault(error, at))
    }
}

impl Read for Lzo {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given >= self.plain.len() {
            if let Some(error) = self.held.take() {
                return Err(error);
            }
            if !self.next()? {
                return Ok(0);
            }
        }
        Ok(crate::archives::give(&self.plain, &mut self.given, out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(stored: Vec<u8>, size: Option<u64>) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        reader(Blob::from(stored), size, 1 << 24).read_to_end(&mut plain)?;
        Ok(plain)
    }

    fn sample() -> Vec<u8> {
        (0..100_000_u32)
            .map(|i| (i.wrapping_mul(i) >> 9) as u8 & 0x3f)
            .collect()
    }

    #[test]
    fn chunks_there_and_back() {
        let plain = sample();
        let stored: Vec<u8> = plain
            .chunks(CHUNK)
            .flat_map(|chunk| pack(chunk).unwrap())
            .collect();
        assert!(unpacked(stored.clone(), Some(100_000)).unwrap() == plain);
        assert!(unpacked(stored.clone(), None).unwrap() == plain);
        assert!(unpacked(stored[..stored.len() - 1].to_vec(), None).is_err());
        assert_eq!(unpacked(Vec::new(), Some(0)).unwrap(), b"");
        assert_eq!(unpacked(pack(&[]).unwrap(), None).unwrap(), b"");
    }

    #[test]
    fn bare_streams_with_and_without_a_size() {
        let plain = sample();
        let stored = lzokay::compress::compress(&plain).unwrap();
        assert!(unpacked(stored.clone(), Some(100_000)).unwrap() == plain);
        assert!(unpacked(stored, None).unwrap() == plain);
        let zeros = vec![0; 3_000_000];
        let stored = lzokay::compress::compress(&zeros).unwrap();
        assert!(unpacked(stored, None).unwrap() == zeros);
        assert!(unpacked(b"abc".to_vec(), None).is_err());
    }
}
