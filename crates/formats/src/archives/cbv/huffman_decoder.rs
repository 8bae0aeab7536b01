//! Decoding Huffman-coded blocks. Layout: FORMAT.md, "Huffman".

use tabia_core::Malformed;
use tabia_core::error::Why;
use tabia_core::io::Cursor;
use zerocopy::FromBytes;
use zerocopy::big_endian::U64;

/// Bits of the index of the lookup table. Longer codes are infrequent and found by a linear search.
const LOOKUP: u32 = 11;
/// Lookups per refill, which provides at least 56 bits.
const LOOKUPS_PER_REFILL: usize = 5;
/// Size of the output window of these lookups: a power of two, at least two bytes per lookup.
const WINDOW: usize = 16;

/// The codes of a block. The memory is reused for the next block.
pub(super) struct CodeTable {
    /// One or two symbols for the next [`LOOKUP`] bits; see [`Entry`].
    table: Box<[Entry; 1 << LOOKUP]>,
    /// Code, length and symbol of each longer code.
    long: Vec<(u16, u32, u8)>,
}

impl Default for CodeTable {
    fn default() -> Self {
        Self {
            table: Box::new([0; 1 << LOOKUP]),
            long: Vec::new(),
        }
    }
}

/// A table entry. From the lowest bit: the length of all codes (8 bits), the number of symbols (4
/// bits; 0 if the bits are no code or a longer one), the length of the first code (4 bits), the first
/// and the second symbol (8 bits each).
type Entry = u32;

const fn entry(first: u8, second: u8, length: u32, first_length: u32, count: u32) -> Entry {
    length | count << 8 | first_length << 12 | (first as u32) << 16 | (second as u32) << 24
}

const fn count_of(entry: Entry) -> usize {
    (entry >> 8 & 15) as usize
}

const fn first_length(entry: Entry) -> u32 {
    entry >> 12 & 15
}

const fn first_of(entry: Entry) -> u8 {
    (entry >> 16) as u8
}

/// Decodes `input` and appends the bytes to `out`. Their number is stated in `input`.
///
/// # Errors
/// Truncated input, bits that are not a code, more than `limit` bytes of output.
pub(super) fn decode(
    input: &[u8],
    codes: &mut CodeTable,
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
    let mut bits = BitReader::new(cursor.rest());
    codes.read(&mut bits)?;
    let start = out.len();
    out.resize(start + length, 0);
    let mut target = out.get_mut(start..).unwrap_or_default();
    while let Some(window) = target.first_chunk_mut::<WINDOW>()
        && bits.at + 8 <= bits.bytes.len()
    {
        bits.refill();
        let decoded = codes.decode_several(&mut bits, window)?;
        target = target.split_at_mut(decoded).1;
    }
    for byte in target {
        bits.refill();
        *byte = codes.decode_one(&mut bits)?;
    }
    if bits.is_overrun() {
        return Err(bits.truncated());
    }
    Ok(())
}

impl CodeTable {
    /// Reads the 256 codes.
    fn read(&mut self, bits: &mut BitReader<'_>) -> Result<(), Malformed> {
        self.table.fill(0);
        self.long.clear();
        for symbol in 0..=255_u8 {
            bits.refill();
            let length = bits.take(4);
            let code = bits.take(length) as u16;
            if length > LOOKUP {
                self.long.push((code, length, symbol));
            } else if length > 0 {
                let spread = LOOKUP - length;
                let first = usize::from(code) << spread;
                if let Some(entries) = self.table.get_mut(first..first + (1 << spread)) {
                    entries.fill(entry(symbol, 0, length, length, 1));
                }
            }
        }
        if bits.is_overrun() {
            return Err(bits.truncated());
        }
        self.add_second_symbols();
        Ok(())
    }

    /// Adds a second symbol to each entry whose index has enough bits left for it.
    fn add_second_symbols(&mut self) {
        for index in (0..self.table.len()).rev() {
            let one = self.table.get(index).copied().unwrap_or_default();
            let length = first_length(one);
            if one == 0 || length == LOOKUP {
                continue;
            }
            // The bits after the first code, followed by zeros.
            let rest = index << length & ((1 << LOOKUP) - 1);
            let two = self.table.get(rest).copied().unwrap_or_default();
            let second_length = first_length(two);
            if two != 0
                && length + second_length <= LOOKUP
                && let Some(slot) = self.table.get_mut(index)
            {
                let both = length + second_length;
                *slot = entry(first_of(one), first_of(two), both, length, 2);
            }
        }
    }

    #[inline(always)]
    fn lookup(&self, buffer: u64) -> Entry {
        let index = (buffer >> (64 - LOOKUP)) as usize;
        self.table.get(index).copied().unwrap_or_default()
    }

    /// Decodes several symbols after a refill and returns their number, at least 1.
    #[inline(always)]
    fn decode_several(
        &self,
        bits: &mut BitReader<'_>,
        window: &mut [u8; WINDOW],
    ) -> Result<usize, Malformed> {
        let mut buffer = bits.buffer;
        let mut taken = 0;
        let mut decoded = 0;
        for _ in 0..LOOKUPS_PER_REFILL {
            let entry = self.lookup(buffer);
            // The masks change nothing; they let the compiler omit the bounds checks.
            window[decoded & (WINDOW - 1)] = first_of(entry);
            window[(decoded + 1) & (WINDOW - 1)] = (entry >> 24) as u8;
            buffer <<= entry & 63;
            taken += entry & 63;
            decoded += count_of(entry);
            if count_of(entry) == 0 {
                break;
            }
        }
        bits.buffer = buffer;
        bits.filled -= taken;
        if decoded == 0 {
            window[0] = self.decode_one(bits)?;
            decoded = 1;
        }
        Ok(decoded)
    }

    /// Decodes one symbol after a refill.
    fn decode_one(&self, bits: &mut BitReader<'_>) -> Result<u8, Malformed> {
        let entry = self.lookup(bits.buffer);
        if count_of(entry) > 0 {
            bits.skip(first_length(entry));
            return Ok(first_of(entry));
        }
        let mut long = self.long.iter();
        let buffer = bits.buffer;
        let found = long.find(|(code, length, _)| buffer >> (64 - length) == u64::from(*code));
        let Some((_, length, symbol)) = found else {
            return Err(Malformed {
                field: "huffman code",
                at: bits.position(),
                why: Why::Value(buffer >> 48),
            });
        };
        bits.skip(*length);
        Ok(*symbol)
    }
}

/// Reads bits, the most significant first. After the end of the input it returns zeros and counts
/// them.
struct BitReader<'a> {
    bytes: &'a [u8],
    /// Index of the next byte to load into `buffer`; beyond the end if zeros were loaded.
    at: usize,
    /// The next bits, from the most significant one on.
    buffer: u64,
    /// The number of loaded bits in `buffer`.
    filled: u32,
}

impl<'a> BitReader<'a> {
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
            let bytes = (63 - self.filled) / 8;
            self.at += bytes as usize;
            self.filled += bytes * 8;
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
        self.skip(count);
        value
    }

    #[inline(always)]
    fn skip(&mut self, count: u32) {
        self.buffer <<= count & 63;
        // A refill provides more bits than are used before the next refill.
        self.filled -= count;
    }

    fn is_overrun(&self) -> bool {
        self.at.saturating_sub(self.filled as usize / 8) > self.bytes.len()
    }

    /// Offset in the payload, counted from the byte after the mode.
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

    /// Packs bits written as text.
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
        decode(input, &mut CodeTable::default(), &mut out, 1000)?;
        Ok(out)
    }

    #[test]
    fn codes_and_data_are_decoded() {
        assert_eq!(decoded(&sample(5, "0 10 11 10 0")).unwrap(), b"abcba");
        let long = "0 10 11".repeat(200);
        assert_eq!(decoded(&sample(600, &long)).unwrap(), b"abc".repeat(200));
        assert_eq!(decoded(&sample(0, "")).unwrap(), b"");
    }

    #[test]
    fn truncated_or_too_long_data_is_an_error() {
        let intact = sample(40, &"10".repeat(40));
        assert_eq!(decoded(&intact).unwrap(), [b'b'; 40]);
        for length in 0..intact.len() {
            assert!(decoded(&intact[..length]).is_err(), "{length}");
        }
        assert!(decoded(&sample(1001, &"0".repeat(1001))).is_err());
        let mut no_codes = vec![0, 1];
        no_codes.extend([0; 300]);
        assert!(decoded(&no_codes).is_err());
    }
}
