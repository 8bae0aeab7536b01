//! Ascending numbers in few bits: the difference to the number before as a Rice code, and with each number
//! some bits that belong to it.
//!
//! A difference is stored as its upper part in unary, that many bits 0 and a bit 1, and its `low` lower bits
//! as they are; the lowest bit of a byte comes first.

use zerocopy::little_endian::U64;

/// How many lower bits of a difference are stored as they are, for a list of `count` numbers below `limit`.
pub(crate) fn low_bits(limit: u64, count: u64) -> u32 {
    (limit / count.max(1)).checked_ilog2().unwrap_or_default()
}

/// Appends lists to bytes, each of which begins with a byte of its own.
#[derive(Debug, Default)]
pub(crate) struct ListWriter {
    bytes: Vec<u8>,
    /// Bits that are not yet in `bytes`, and their number, below 8 between calls.
    bits: u64,
    used: u32,
}

impl ListWriter {
    /// Number of bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Appends a difference and `width` bits, at most 16.
    pub(crate) fn push(&mut self, difference: u64, low: u32, extra: u64, width: u32) {
        let mut upper = difference >> low;
        while upper >= 16 {
            self.put(0, 16);
            upper -= 16;
        }
        self.put(1 << upper, upper as u32 + 1);
        self.put(difference & ((1 << low) - 1), low);
        self.put(extra, width);
    }

    /// Appends a number in groups of seven bits, the lowest first.
    pub(crate) fn number(&mut self, number: usize) {
        let mut rest = number as u64;
        while rest > 0x7f {
            self.put(rest & 0x7f | 0x80, 8);
            rest >>= 7;
        }
        self.put(rest, 8);
    }

    /// Appends at most 32 bits.
    fn put(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.used;
        self.used += count;
        while self.used >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.used -= 8;
        }
    }

    /// Ends a list.
    pub(crate) fn end(&mut self) {
        if self.used > 0 {
            self.bytes.push(self.bits as u8);
        }
        (self.bits, self.used) = (0, 0);
    }

    /// The bytes of all lists.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads a list.
#[derive(Debug, Clone)]
pub(crate) struct ListReader<'b> {
    bytes: &'b [u8],
    /// Number of the next bit.
    at: usize,
    low: u32,
    width: u32,
}

impl<'b> ListReader<'b> {
    /// A list that begins with the first byte, whose differences have `low` lower bits and `width` more.
    pub(crate) fn new(bytes: &'b [u8], low: u32, width: u32) -> Self {
        Self {
            bytes,
            at: 0,
            low,
            width,
        }
    }

    /// The bits from the next one on, 57 at least; 0 after the end.
    #[inline]
    fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(word) => U64::from_bytes(*word).get(),
            None => rest
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        word >> (self.at % 8)
    }

    /// The next difference and its bits; `None` if the bytes end before.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(u64, u64)> {
        let mut word = self.peek();
        let mut upper = 0;
        while word.trailing_zeros() >= 24 {
            upper += 24;
            self.at += 24;
            if self.at >= self.bytes.len() * 8 {
                return None;
            }
            word = self.peek();
        }
        let zeros = word.trailing_zeros();
        self.at += zeros as usize + 1;
        upper += u64::from(zeros);
        word >>= zeros + 1;
        if zeros + 1 + self.low + self.width > 57 {
            word = self.peek();
        }
        self.at += (self.low + self.width) as usize;
        if self.at > self.bytes.len() * 8 {
            return None;
        }
        let low = word & ((1 << self.low) - 1);
        let extra = word >> self.low & ((1 << self.width) - 1);
        Some((upper << self.low | low, extra))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Random;

    #[test]
    fn lists_are_read_as_they_were_written() {
        let random = &mut Random::new(5);
        let mut writer = ListWriter::default();
        let mut lists = Vec::new();
        for count in (0..40).chain([500, 3000]) {
            let limit = 1 << random.below(26);
            let width = random.below(17) as u32;
            let low = low_bits(limit, count);
            let list: Vec<(u64, u64)> = (0..count)
                .map(|_| {
                    let number = match random.below(9) {
                        0 => random.below(limit as usize),
                        1 => 0,
                        _ => random.below(1 + (limit / count.max(1)) as usize),
                    };
                    (number as u64, random.below(1 << width) as u64)
                })
                .collect();
            let start = writer.len();
            for &(difference, extra) in &list {
                writer.push(difference, low, extra, width);
            }
            writer.end();
            lists.push((start, writer.len(), low, width, list));
        }
        let bytes = writer.into_bytes();
        for (start, end, low, width, list) in lists {
            let mut reader = ListReader::new(&bytes[start..end], low, width);
            for entry in &list {
                assert_eq!(reader.next(), Some(*entry), "low {low}, width {width}");
            }
            let mut cut = ListReader::new(&bytes[start..end.max(start + 1) - 1], low, width);
            let left = (0..list.len()).map_while(|_| cut.next()).count();
            assert!(list.is_empty() || left < list.len());
        }
    }

    #[test]
    fn zeros_have_no_end() {
        assert_eq!(ListReader::new(&[0; 40], 3, 2).next(), None);
        assert_eq!(ListReader::new(&[], 0, 0).next(), None);
    }
}
