//! Memory for large tables with random access.

use std::fmt;

use zerocopy::FromBytes;

/// Tables from this size in bytes on are memory maps with huge pages.
const HUGE_PAGE_MIN: usize = 1 << 22;

/// A zeroed table of 64-bit words for random access. From 4 MiB on it uses huge pages where the system
/// grants them, which saves misses in the translation of addresses.
pub struct HugeTable {
    memory: Memory,
    words: usize,
}

enum Memory {
    Map(memmap2::MmapMut),
    Owned(Vec<u64>),
}

impl HugeTable {
    /// A table of `words` words, all 0.
    pub fn zeroed(words: usize) -> Self {
        let memory = map(words).map_or_else(|| Memory::Owned(vec![0; words]), Memory::Map);
        Self { memory, words }
    }

    /// All words, for reading.
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.memory {
            // A map starts at a page boundary and its length is a multiple of eight.
            Memory::Map(map) => <[u64]>::ref_from_bytes(map).unwrap_or_default(),
            Memory::Owned(words) => words,
        }
    }

    /// All words, for writing.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.memory {
            Memory::Map(map) => <[u64]>::mut_from_bytes(map).unwrap_or_default(),
            Memory::Owned(words) => words,
        }
    }
}

/// A map with huge pages; `None` if the table is small or the system refuses.
fn map(words: usize) -> Option<memmap2::MmapMut> {
    let bytes = words.checked_mul(size_of::<u64>())?;
    if bytes < HUGE_PAGE_MIN {
        return None;
    }
    let map = memmap2::MmapMut::map_anon(bytes).ok()?;
    // Without huge pages the table is only slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}

impl fmt::Debug for HugeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HugeTable")
            .field("words", &self.words)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_zeroed_and_writable() {
        for words in [
            0,
            1,
            1000,
            HUGE_PAGE_MIN / 8,
            HUGE_PAGE_MIN / 8 + 1,
            3 << 20,
        ] {
            let mut table = HugeTable::zeroed(words);
            assert_eq!(table.words().len(), words);
            assert!(table.words().iter().all(|word| *word == 0));
            for (number, word) in table.words_mut().iter_mut().enumerate() {
                *word = number as u64 * 7;
            }
            let expected = (0..words as u64).map(|number| number * 7);
            assert!(table.words().iter().copied().eq(expected));
            assert_eq!(
                format!("{table:?}"),
                format!("HugeTable {{ words: {words} }}")
            );
        }
    }
}
