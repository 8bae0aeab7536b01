//! Numbers texts in the order in which they are added.

use std::hash::{BuildHasher, Hasher, RandomState};

use zerocopy::FromBytes;
use zerocopy::byteorder::little_endian::U64;

/// String hash with a random seed, so that crafted files cannot force collisions.
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

/// Hashes eight bytes at a time by a multiplication whose halves are combined.
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

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, length: usize) {
        self.write_u64(length as u64);
    }
}

/// Texts and their numbers from 0 on: a hash table with linear probing.
#[derive(Debug)]
pub(crate) struct Interner {
    seed: Seed,
    /// The table, of which at least a quarter is free.
    slots: Vec<Slot>,
    /// All texts, one after the other.
    texts: Vec<u8>,
    /// The end of each text.
    ends: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    start: u64,
    length: u32,
    number: u32,
    /// The upper half of the hash, whose first bits are the index of the slot.
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

impl Default for Interner {
    fn default() -> Self {
        Self {
            seed: Seed::new(),
            slots: Vec::new(),
            texts: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Interner {
    /// Slots of the first table, as a power of two.
    const FIRST: u32 = 6;

    /// The number of texts.
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

    /// The number of a text, and whether the text is new. `None` if a new number would be `limit` or
    /// greater. `u32::MAX` is never a number.
    pub(crate) fn number(&mut self, text: &[u8], limit: u32) -> Option<(u32, bool)> {
        let length = u32::try_from(text.len()).ok()?;
        let hash = (self.seed.hash(text) >> 32) as u32;
        if self.slots.len() * 3 <= self.ends.len() * 4 {
            self.grow();
        }
        let mask = self.slots.len().wrapping_sub(1);
        let mut index = self.slot_index(hash);
        loop {
            let slot = self.slots.get_mut(index)?;
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
                let stored = self.texts.get(start..start + text.len());
                if stored == Some(text) {
                    return Some((slot.number, false));
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// Frees the table. Numbers are no longer found; [`Self::get`] still works.
    pub(crate) fn close(&mut self) {
        self.slots = Vec::new();
    }

    fn slot_index(&self, hash: u32) -> usize {
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
            let mut index = self.slot_index(slot.hash);
            while let Some(new) = self.slots.get_mut(index) {
                if new.number == Slot::FREE.number {
                    *new = slot;
                    break;
                }
                index = (index + 1) & mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn interner_agrees_with_a_map() {
        let mut interner = Interner::default();
        let mut map: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut random = 1_u64;
        for _ in 0..50_000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let text = format!("{:x}", random >> 33 & 0x1fff).repeat(1 + (random >> 60) as usize);
            let next = map.len() as u32;
            let number = *map.entry(text.clone().into()).or_insert(next);
            let found = interner.number(text.as_bytes(), u32::MAX);
            assert_eq!(found, Some((number, number == next)), "{text}");
        }
        assert_eq!(interner.len() as usize, map.len());
        assert!(map.len() > 20_000, "{}", map.len());
        let mut map: Vec<_> = map.into_iter().collect();
        map.sort_by_key(|(_, number)| *number);
        for (text, number) in map {
            assert_eq!(interner.get(number), Some(&*text));
        }
        assert_eq!(interner.get(interner.len()), None);
    }

    #[test]
    fn numbers_are_limited() {
        let mut interner = Interner::default();
        assert_eq!(interner.number(b"", 2), Some((0, true)));
        assert_eq!(interner.number(b"a", 2), Some((1, true)));
        assert_eq!(interner.number(b"b", 2), None);
        assert_eq!(interner.number(b"a", 2), Some((1, false)));
        assert_eq!(interner.number(b"b", 3), Some((2, true)));
    }
}
