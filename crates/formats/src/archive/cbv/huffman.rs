//! The Huffman method of CBV blocks. Facts: FORMAT.md, "Huffman".

use tabia_core::Malformed;
use tabia_core::error::Why;
use tabia_core::io::Cursor;
use zerocopy::FromBytes;
use zerocopy::big_endian::U64;

/// Decodes `input`, appending to `out`: the length that it states, at most `limit` bytes.
/// `table` is memory that is used again.
///
/// # Errors
/// Input cut off, bits that are no code, more output than `limit`.
pub(super) fn decode(
    input: &[u8],
    table: &mut Vec<u16>,
    out: &mut Vec<u8>,
    limit: usize,
) -> Result<(), Malformed> {
    let mut cursor = Cursor::new(input);
    let length = usize::from(cursor.u16_be("huffman length")?);
    if length > limit {
        return Err(Malformed {
            field: "huffman length",
            at: 0,
            why: Why::Value(length as u64),
        });
    }
    let mut bits = Bits::new(cursor.rest());
    let longest = read_codes(&mut bits, table)?;
    if length > 0 && longest == 0 {
        return Err(Malformed {
            field: "huffman codes",
            at: 2,
            why: Why::Value(0),
        });
    }
    let start = out.len();
    out.resize(start + length, 0);
    let Some(mut room) = out.get_mut(start..) else {
        return Ok(());
    };
    // A refill gives at least 56 bits: that many codes need no check in between.
    let step = (56 / longest.max(1)).min(8) as usize;
    while room.len() >= step && bits.at + 8 <= bits.bytes.len() {
        bits.refill();
        let (now, later) = room.split_at_mut(step);
        for byte in now {
            *byte = bits.symbol(table, longest)?;
        }
        room = later;
    }
    for byte in room {
        bits.refill();
        *byte = bits.symbol(table, longest)?;
    }
    if bits.is_overrun() {
        return Err(bits.truncated());
    }
    Ok(())
}

/// Fills the table: index is the next `longest` bits, value is `symbol << 4 | code length`, 0 for
/// bits that are no code. Returns the length of the longest code.
fn read_codes(bits: &mut Bits<'_>, table: &mut Vec<u16>) -> Result<u32, Malformed> {
    let mut codes = [(0_u16, 0_u32); 256];
    for (code, length) in &mut codes {
        bits.refill();
        *length = bits.take(4);
        *code = bits.take(*length) as u16;
    }
    if bits.is_overrun() {
        return Err(bits.truncated());
    }
    let longest = codes.iter().map(|(_, length)| *length).max().unwrap_or(0);
    table.clear();
    table.resize(1 << longest, 0);
    for (symbol, (code, length)) in (0_u16..).zip(codes) {
        if length == 0 {
            continue;
        }
        let spread = longest - length;
        let first = usize::from(code) << spread;
        if let Some(entries) = table.get_mut(first..first + (1 << spread)) {
            entries.fill(symbol << 4 | length as u16);
        }
    }
    Ok(longest)
}

/// Bits, most significant first. Behind the end come zeros, counted.
struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte to go into `buffer`, beyond the end when zeros were taken.
    at: usize,
    /// The next bits, in the upper end.
    buffer: u64,
    /// How many bits of `buffer` are filled.
    filled: u32,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            buffer: 0,
            filled: 0,
        }
    }

    /// Makes at least 56 bits available.
    #[inline(always)]
    fn refill(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if let Ok((word, _)) = U64::read_from_prefix(rest) {
            self.buffer |= word.get() >> self.filled;
            let whole = (63 - self.filled) / 8;
            self.at += whole as usize;
            self.filled += whole * 8;
            return;
        }
        while self.filled < 56 {
            let byte = self.bytes.get(self.at).copied().unwrap_or_default();
            self.buffer |= u64::from(byte) << (56 - self.filled);
            self.at += 1;
            self.filled += 8;
        }
    }

    /// The next `count` bits, at most 15.
    fn take(&mut self, count: u32) -> u32 {
        let value = (self.buffer >> 1 >> (63 - count)) as u32;
        self.buffer <<= count;
        self.filled = self.filled.saturating_sub(count);
        value
    }

    #[inline(always)]
    fn symbol(&mut self, table: &[u16], longest: u32) -> Result<u8, Malformed> {
        let index = (self.buffer >> (64 - longest)) as usize;
        let entry = table.get(index).copied().unwrap_or_default();
        let length = u32::from(entry & 15);
        if length == 0 {
            let why = Why::Value(index as u64);
            return Err(Malformed {
                field: "huffman code",
                at: self.position(),
                why,
            });
        }
        self.buffer <<= length;
        self.filled = self.filled.saturating_sub(length);
        Ok((entry >> 4) as u8)
    }

    fn is_overrun(&self) -> bool {
        self.at.saturating_sub(self.filled as usize / 8) > self.bytes.len()
    }

    /// Offset in the payload behind the mode byte.
    fn position(&self) -> usize {
        2 + self.at.saturating_sub(self.filled as usize / 8)
    }

    fn truncated(&self) -> Malformed {
        Malformed {
            field: "huffman data",
            at: 2 + self.bytes.len(),
            why: Why::Truncated { needed: 1, left: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs bits given as text.
    fn pack(bits: &str) -> Vec<u8> {
        let bits: Vec<u8> = bits.bytes().filter(|b| *b != b' ').collect();
        bits.chunks(8)
            .map(|chunk| {
                chunk
                    .iter()
                    .enumerate()
                    .fold(0, |byte, (i, bit)| byte | (bit - b'0') << (7 - i))
            })
            .collect()
    }

    /// 'a' = 0, 'b' = 10, 'c' = 11, then `data`.
    fn sample(length: u16, data: &str) -> Vec<u8> {
        let mut bits = "0000".repeat(97);
        bits += "0001 0 0010 10 0010 11";
        bits += &"0000".repeat(156);
        bits += data;
        let mut bytes = vec![(length >> 8) as u8, length as u8];
        bytes.extend(pack(&bits));
        bytes
    }

    fn decoded(input: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut out = Vec::new();
        decode(input, &mut Vec::new(), &mut out, 1000)?;
        Ok(out)
    }

    #[test]
    fn codes_and_data() {
        assert_eq!(decoded(&sample(5, "0 10 11 10 0")).unwrap(), b"abcba");
        let long = "0 10 11".repeat(200);
        assert_eq!(decoded(&sample(600, &long)).unwrap(), b"abc".repeat(200));
        assert_eq!(decoded(&sample(0, "")).unwrap(), b"");
    }

    #[test]
    fn cut_off_or_too_long_is_a_fault() {
        let whole = sample(40, &"10".repeat(40));
        assert_eq!(decoded(&whole).unwrap(), [b'b'; 40]);
        for length in 0..whole.len() {
            assert!(decoded(&whole[..length]).is_err(), "{length}");
        }
        assert!(decoded(&sample(1001, &"0".repeat(1001))).is_err());
        let mut nothing = vec![0, 1];
        nothing.extend([0; 300]);
        assert!(decoded(&nothing).is_err());
    }
}
