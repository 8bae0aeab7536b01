//! The Huffman method of CBV blocks. Facts: FORMAT.md, "Huffman".

use tabia_core::Malformed;
use tabia_core::error::Why;
use tabia_core::io::Cursor;
use zerocopy::FromBytes;
use zerocopy::big_endian::U64;

/// Bits that are looked up at once. Longer codes are rare by their nature and searched for.
const LOOKUP: u32 = 11;
/// Lookups that one refill of at least 56 bits is enough for.
const STEP: usize = 5;
/// Room for what these lookups give and a little more, a power of two.
const WINDOW: usize = 16;

/// The codes of a block. The memory is used again for the next one.
pub(super) struct Codes {
    /// By the next [`LOOKUP`] bits, one or two symbols; see [`Entry`].
    table: Box<[Entry; 1 << LOOKUP]>,
    /// Code, length and symbol of longer codes.
    long: Vec<(u16, u32, u8)>,
}

impl Default for Codes {
    fn default() -> Self {
        Self {
            table: Box::new([0; 1 << LOOKUP]),
            long: Vec::new(),
        }
    }
}

/// From the lowest bit: the length of all (8 bits: the first to be needed), how many symbols there
/// are (4; 0 for what is no code or a long one), the length of the first (4), the first and the
/// second symbol (8 each).
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

/// Decodes `input`, appending to `out`: the length that it states, at most `limit` bytes.
///
/// # Errors
/// Input cut off, bits that are no code, more output than `limit`.
pub(super) fn decode(
    input: &[u8],
    codes: &mut Codes,
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
    codes.read(&mut bits)?;
    let start = out.len();
    out.resize(start + length, 0);
    let mut room = out.get_mut(start..).unwrap_or_default();
    while let Some(window) = room.first_chunk_mut::<WINDOW>()
        && bits.at + 8 <= bits.bytes.len()
    {
        bits.refill();
        let done = codes.several(&mut bits, window)?;
        room = room.split_at_mut(done).1;
    }
    for byte in room {
        bits.refill();
        *byte = codes.single(&mut bits)?;
    }
    if bits.is_overrun() {
        return Err(bits.truncated());
    }
    Ok(())
}

impl Codes {
    /// Reads the 256 codes.
    fn read(&mut self, bits: &mut Bits<'_>) -> Result<(), Malformed> {
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
        self.pair();
        Ok(())
    }

    /// Adds a second symbol to each entry that has bits left for one.
    fn pair(&mut self) {
        for index in (0..self.table.len()).rev() {
            let one = self.table.get(index).copied().unwrap_or_default();
            let length = first_length(one);
            if one == 0 || length == LOOKUP {
                continue;
            }
            // The bits behind the first code, followed by zeros.
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

    /// Decodes a few symbols after a refill; how many.
    #[inline(always)]
    fn several(&self, bits: &mut Bits<'_>, window: &mut [u8; WINDOW]) -> Result<usize, Malformed> {
        let mut buffer = bits.buffer;
        let mut taken = 0;
        let mut done = 0;
        for _ in 0..STEP {
            let entry = self.lookup(buffer);
            // The masks are never needed; they tell the compiler so.
            window[done & (WINDOW - 1)] = first_of(entry);
            window[(done + 1) & (WINDOW - 1)] = (entry >> 24) as u8;
            buffer <<= entry & 63;
            taken += entry & 63;
            done += count_of(entry);
            if count_of(entry) == 0 {
                break;
            }
        }
        bits.buffer = buffer;
        bits.filled -= taken;
        if done == 0 {
            window[0] = self.single(bits)?;
            done = 1;
        }
        Ok(done)
    }

    /// Decodes one symbol after a refill.
    fn single(&self, bits: &mut Bits<'_>) -> Result<u8, Malformed> {
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
        self.skip(count);
        value
    }

    #[inline(always)]
    fn skip(&mut self, count: u32) {
        self.buffer <<= count & 63;
        // A refill gives more than is ever taken before the next one.
        self.filled -= count;
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
        decode(input, &mut Codes::default(), &mut out, 1000)?;
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
