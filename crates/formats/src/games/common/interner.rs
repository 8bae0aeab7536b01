//! Numbers for texts, in the order in which they come.

use std::hash::{BuildHasher, Hasher, RandomState};

use zerocopy::FromBytes;
use zerocopy::byteorder::little_endian::U64;

/// Hashes texts, with numbers that nobody knows: what is put into a file cannot be made to meet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed(u64, u64);

impl Seed {
    pub(crate) fn new() -> Self {
        let state = RandomState::new();
        Self(state.hash_one(0), state.hash_one(1) | 1)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}

impl BuildHasher for Seed {
    type Hasher = TextHasher;

    fn build_hasher(&self) -> TextHasher {
        TextHasher {
            sum: self.0,
            factor: self.1,
        }
    }
}

/// Eight bytes at a time, each product folded.
#[derive(Debug)]
pub(crate) struct TextHasher {
    sum: u64,
    factor: u64,
}

impl Hasher for TextHasher {
    fn finish(&self) -> u64 {
        self.sum
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(size_of::<U64>());
        for word in &mut words {
            self.write_u64(U64::read_from_bytes(word).map_or(0, U64::get));
        }
        let tail = words.remainder().iter();
        self.write_u64(tail.fold(bytes.len() as u64, |sum, &byte| sum << 8 | u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.sum ^ word) * u128::from(self.factor);
        self.sum = product as u64 ^ (product >> 64) as u64;
    }

    fn write_usize(&mut self, length: usize) {
        self.write_u64(length as u64);
    }
}

/// Texts and their numbers, from 0 on. One look at the table and one at the text tell whether it is
/// known.
#[derive(Debug)]
pub(crate) struct Numbering {
    seed: Seed,
    /// Each text in the place that its hash names or in the next free one; a quarter is free.
    slots: Vec<Slot>,
    /// All texts, one behind the other.
    texts: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    start: u64,
    length: u32,
    number: u32,
    /// The upper half of the hash: its first bits are the place.
    hash: u32,
}

impl Slot {
    const FREE: Slot = Slot {
        start: 0,
        length: 0,
        number: u32::MAX,
        hash: 0,
    };
}

impl Default for Numbering {
    fn default() -> Self {
        Self {
            seed: Seed::new(),
            slots: Vec::new(),
            texts: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Numbering {
    /// Places at first, as a power of two.
    const FIRST: u32 = 6;

    /// How many texts there are.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// A text by its number.
    pub(crate) fn get(&self, number: u32) -> Option<&[u8]> {
        let i = number as usize;
        let end = *self.ends.get(i)?;
        let start = i.checked_sub(1).and_then(|i| self.ends.get(i).copied());
        self.texts.get(start.unwrap_or(0) as usize..end as usize)
    }

    /// The number of a text, and whether it is new; `None` when it would be `limit` or above it. The
    /// greatest `u32` is no number.
    pub(crate) fn number(&mut self, text: &[u8], limit: u32) -> Option<(u32, bool)> {
        let length = u32::try_from(text.len()).ok()?;
        let hash = (self.seed.hash(text) >> 32) as u32;
        if self.slots.len() * 3 <= self.ends.len() * 4 {
            self.grow();
        }
        let mask = self.slots.len().wrapping_sub(1);
        let mut place = self.place(hash);
        loop {
            let slot = self.slots.get_mut(place)?;
            if slot.number == Slot::FREE.number {
                let number = self.ends.len() as u32;
                if number >= limit {
                    return None;
                }
                *slot = Slot {
                    start: self.texts.len() as u64,
                    length,
                    number,
                    hash,
                };
                self.texts.extend_from_slice(text);
                self.ends.push(self.texts.len() as u64);
                return Some((number, true));
            }
            if slot.hash == hash && slot.length == length {
                let start = slot.start as usize;
                let known = self.texts.get(start..start + text.len());
                if known == Some(text) {
                    return Some((slot.number, false));
                }
            }
            place = (place + 1) & mask;
        }
    }

    /// Gives back the memory of what only finding numbers needs: no text is known any more.
    pub(crate) fn close(&mut self) {
        self.slots = Vec::new();
    }

    fn place(&self, hash: u32) -> usize {
        let bits = self.slots.len().trailing_zeros();
        (u64::from(hash) << bits >> 32) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let bits = self
            .slots
            .len()
            .checked_ilog2()
            .map_or(Self::FIRST, |bits| bits + 1);
        let size = 1_usize << bits.min(u32::BITS);
        let old = std::mem::replace(&mut self.slots, vec![Slot::FREE; size]);
        let mask = size - 1;
        for slot in old {
            if slot.number == Slot::FREE.number {
                continue;
            }
            let mut place = self.place(slot.hash);
            while let Some(new) = self.slots.get_mut(place) {
                if new.number == Slot::FREE.number {
                    *new = slot;
                    break;
                }
                place = (place + 1) & mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_those_of_a_map() {
        let mut numbering = Numbering::default();
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut random = 1_u64;
        for _ in 0..50_000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let text = format!("{:x}", random >> 33 & 0x1fff).repeat(1 + (random >> 60) as usize);
            let next = known.len() as u32;
            let number = *known.entry(text.clone().into()).or_insert(next);
            let found = numbering.number(text.as_bytes(), u32::MAX);
            assert_eq!(found, Some((number, number == next)), "{text}");
        }
        assert_eq!(numbering.len() as usize, known.len());
        assert!(known.len() > 20_000, "{}", known.len());
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_by_key(|(_, number)| *number);
        for (text, number) in known {
            assert_eq!(numbering.get(number), Some(&*text));
        }
        assert_eq!(numbering.get(numbering.len()), None);
    }

    #[test]
    fn there_is_a_limit() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.number(b"", 2), Some((0, true)));
        assert_eq!(numbering.number(b"a", 2), Some((1, true)));
        assert_eq!(numbering.number(b"b", 2), None);
        assert_eq!(numbering.number(b"a", 2), Some((1, false)));
        assert_eq!(numbering.number(b"b", 3), Some((2, true)));
    }
}
