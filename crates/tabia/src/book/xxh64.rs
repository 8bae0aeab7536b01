//! Checksums of files, to tell later whether they are still the same.
//!
//! XXH64 with seed 0, a public algorithm of Yann Collet: what `xxhsum` prints.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tabia_core::io::Cursor;
use tabia_core::{Error, Result};

const PRIMES: [u64; 5] = [
    0x9e37_79b1_85eb_ca87,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x85eb_ca77_c2b2_ae63,
    0x27d4_eb2f_1656_67c5,
];
/// Bytes that are mixed at a time.
const STRIPE: usize = 32;

/// The checksum of a file, in hexadecimal digits.
///
/// # Errors
/// When it cannot be read.
pub fn of_file(path: &Path) -> Result<String> {
    let named = |error: std::io::Error| Error::from(error).in_path(path);
    let mut file = File::open(path).map_err(named)?;
    let mut hash = Xxh64::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        // Whole stripes, so that only the last piece may have a rest.
        let mut filled = 0;
        while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
            match file.read(room).map_err(named)? {
                0 => break,
                count => filled += count,
            }
        }
        let piece = buffer.get(..filled).unwrap_or_default();
        if filled < buffer.len() {
            return Ok(format!("{:016x}", hash.finish(piece)?));
        }
        hash.stripes(piece)?;
    }
}

struct Xxh64 {
    lanes: [u64; 4],
    length: u64,
}

impl Default for Xxh64 {
    fn default() -> Self {
        let [p1, p2, ..] = PRIMES;
        Self {
            lanes: [p1.wrapping_add(p2), p2, 0, 0u64.wrapping_sub(p1)],
            length: 0,
        }
    }
}

fn round(lane: u64, word: u64) -> u64 {
    let [p1, p2, ..] = PRIMES;
    lane.wrapping_add(word.wrapping_mul(p2))
        .rotate_left(31)
        .wrapping_mul(p1)
}

impl Xxh64 {
    /// Mixes whole stripes.
    fn stripes(&mut self, bytes: &[u8]) -> Result<()> {
        let mut cursor = Cursor::new(bytes);
        for _ in 0..bytes.len() / STRIPE {
            for lane in &mut self.lanes {
                *lane = round(*lane, cursor.u64_le("checksum")?);
            }
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn finish(mut self, last: &[u8]) -> Result<u64> {
        let [p1, p2, p3, p4, p5] = PRIMES;
        let whole = last.len() / STRIPE * STRIPE;
        self.stripes(last.get(..whole).unwrap_or_default())?;
        let rest = last.get(whole..).unwrap_or_default();
        let mut mixed = if self.length >= STRIPE as u64 {
            let [a, b, c, d] = self.lanes;
            let mut sum = a
                .rotate_left(1)
                .wrapping_add(b.rotate_left(7))
                .wrapping_add(c.rotate_left(12))
                .wrapping_add(d.rotate_left(18));
            for lane in self.lanes {
                sum = (sum ^ round(0, lane)).wrapping_mul(p1).wrapping_add(p4);
            }
            sum
        } else {
            p5
        };
        mixed = mixed.wrapping_add(self.length + rest.len() as u64);
        let mut cursor = Cursor::new(rest);
        let mut left = rest.len();
        while left >= 8 {
            mixed ^= round(0, cursor.u64_le("checksum")?);
            mixed = mixed.rotate_left(27).wrapping_mul(p1).wrapping_add(p4);
            left -= 8;
        }
        if left >= 4 {
            mixed ^= u64::from(cursor.u32_le("checksum")?).wrapping_mul(p1);
            mixed = mixed.rotate_left(23).wrapping_mul(p2).wrapping_add(p3);
            left -= 4;
        }
        for _ in 0..left {
            mixed ^= u64::from(cursor.u8("checksum")?).wrapping_mul(p5);
            mixed = mixed.rotate_left(11).wrapping_mul(p1);
        }
        mixed = (mixed ^ mixed >> 33).wrapping_mul(p2);
        mixed = (mixed ^ mixed >> 29).wrapping_mul(p3);
        Ok(mixed ^ mixed >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(bytes: &[u8]) -> u64 {
        Xxh64::default().finish(bytes).unwrap()
    }

    #[test]
    fn known_values() {
        assert_eq!(hash(b""), 0xef46_db37_51d8_e999);
        assert_eq!(hash(b"a"), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(hash(b"abc"), 0x44bc_2cf5_ad77_0999);
        let long = b"Nobody inspects the spammish repetition";
        assert_eq!(hash(long), 0xfbce_a83c_8a37_8bf1);
    }
}
