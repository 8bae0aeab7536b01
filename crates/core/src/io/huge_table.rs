//! Memory for tables that are asked all over.

use std::fmt;

use zerocopy::FromBytes;

/// Smaller rooms are no maps.
const LARGE: usize = 1 << 22;

/// Words that are zero at first. A large room has large pages where the system gives them, so that
/// who asks for a word need not wait for where its page is as well.
pub struct HugeTable {
    memory: Memory,
    words: usize,
}

enum Memory {
    Map(memmap2::MmapMut),
    Owned(Vec<u64>),
}

impl HugeTable {
    /// Room for so many words of eight bytes.
    pub fn zeroed(words: usize) -> Self {
        let memory = map(words).map_or_else(|| Memory::Owned(vec![0; words]), Memory::Map);
        Self { memory, words }
    }

    /// All words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.memory {
            // A map begins with a page and has whole words.
            Memory::Map(map) => <[u64]>::ref_from_bytes(map).unwrap_or_default(),
            Memory::Owned(words) => words,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.memory {
            Memory::Map(map) => <[u64]>::mut_from_bytes(map).unwrap_or_default(),
            Memory::Owned(words) => words,
        }
    }
}

/// A map with large pages, if it is worth it and the system can.
fn map(words: usize) -> Option<memmap2::MmapMut> {
    let bytes = words.checked_mul(size_of::<u64>())?;
    if bytes < LARGE {
        return None;
    }
    let map = memmap2::MmapMut::map_anon(bytes).ok()?;
    // What is not granted costs time alone.
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
    fn rooms_are_empty_and_keep_what_is_put_there() {
        for words in [0, 1, 1000, LARGE / 8, LARGE / 8 + 1, 3 << 20] {
            let mut room = HugeTable::zeroed(words);
            assert_eq!(room.words().len(), words);
            assert!(room.words().iter().all(|word| *word == 0));
            for (number, word) in room.words_mut().iter_mut().enumerate() {
                *word = number as u64 * 7;
            }
            let expected = (0..words as u64).map(|number| number * 7);
            assert!(room.words().iter().copied().eq(expected));
            assert_eq!(
                format!("{room:?}"),
                format!("HugeTable {{ words: {words} }}")
            );
        }
    }
}
