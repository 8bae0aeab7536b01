//! Keys of positions, more of them than memory holds.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::Write;

use tabia_core::Result;
use tabia_core::io::Blob;
use tabia_formats::books::interpolation_search::lower_bound;
use zerocopy::byteorder::little_endian::U64;
use zerocopy::{FromBytes, IntoBytes};

use crate::temporary_files;

/// Keys kept in memory before they go to disk: about 19 MiB.
const IN_MEMORY: usize = 1 << 20;
/// Keys that are written at a time.
const PIECE: usize = 1 << 13;

/// A set of keys, which are random enough to be their own hashes. Beyond a bounded number they are
/// kept in temporary files in the order of the keys, each a good deal larger than the next.
#[derive(Debug)]
pub struct DiskKeySet {
    young: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    runs: Vec<Run>,
    most: usize,
}

impl Default for DiskKeySet {
    fn default() -> Self {
        Self {
            young: HashSet::default(),
            runs: Vec::new(),
            most: IN_MEMORY,
        }
    }
}

impl DiskKeySet {
    /// Adds a key; whether it is new.
    ///
    /// # Errors
    /// When temporary files cannot be written.
    pub fn insert(&mut self, key: u64) -> Result<bool> {
        if self.is_old(key) {
            return Ok(false);
        }
        let is_new = self.young.insert(key);
        if self.young.len() >= self.most {
            self.spill()?;
        }
        Ok(is_new)
    }

    /// Whether the key is there.
    pub fn contains(&self, key: u64) -> bool {
        self.young.contains(&key) || self.is_old(key)
    }

    fn is_old(&self, key: u64) -> bool {
        self.runs.iter().any(|run| {
            let keys = run.keys();
            let place = lower_bound(keys, key, |known| known.get());
            keys.get(place).is_some_and(|known| known.get() == key)
        })
    }

    /// Moves the keys in memory to a file, together with those of files that are not much larger:
    /// so there are few files, and no key is written often.
    fn spill(&mut self) -> Result<()> {
        let mut young: Vec<U64> = self.young.drain().map(U64::new).collect();
        young.sort_unstable_by_key(|key| key.get());
        let mut count = young.len();
        let mut kept = self.runs.len();
        while let Some(run) = kept.checked_sub(1).and_then(|last| self.runs.get(last)) {
            if run.keys().len() > 2 * count {
                break;
            }
            count += run.keys().len();
            kept -= 1;
        }
        let joined = self.runs.split_off(kept);
        let mut sources: Vec<&[U64]> = joined.iter().map(Run::keys).collect();
        sources.push(&young);
        self.runs.push(Run::of(sources)?);
        Ok(())
    }
}

/// Keys in a file, ascending.
#[derive(Debug)]
struct Run {
    blob: Blob,
}

impl Run {
    /// Of keys that are in ascending order and in one source each.
    fn of(mut sources: Vec<&[U64]>) -> Result<Self> {
        let mut file = temporary_files::file()?;
        let mut piece: Vec<U64> = Vec::with_capacity(PIECE);
        loop {
            let next = sources
                .iter_mut()
                .filter(|source| !source.is_empty())
                .min_by_key(|source| source.first().map(|key| key.get()));
            let next = next.and_then(|source| source.split_off_first());
            piece.extend(next);
            if piece.len() == PIECE || next.is_none() {
                file.write_all(piece.as_bytes())?;
                piece.clear();
            }
            if next.is_none() {
                break;
            }
        }
        Ok(Self {
            blob: Blob::of_file(&file)?,
        })
    }

    fn keys(&self) -> &[U64] {
        <[U64]>::ref_from_bytes(&self.blob).unwrap_or_default()
    }
}

/// Takes a key as its own hash.
#[derive(Debug, Default, Clone, Copy)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_on_disk_are_known() {
        let mut seed = 7u64;
        let mut keys = DiskKeySet {
            most: 50,
            ..DiskKeySet::default()
        };
        let mut expected = HashSet::new();
        for i in 0..20_000u64 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Some come twice, at once or much later; others are not spread at all.
            let key = match i % 3 {
                0 => seed,
                1 => (seed % 3000).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                _ => seed % 2000,
            };
            assert_eq!(keys.contains(key), expected.contains(&key));
            assert_eq!(keys.insert(key).unwrap(), expected.insert(key));
            assert!(keys.contains(key) && !keys.insert(key).unwrap());
        }
        let stored: usize = keys.runs.iter().map(|run| run.keys().len()).sum();
        assert_eq!(stored + keys.young.len(), expected.len());
        assert!(keys.runs.len() < 10, "{}", keys.runs.len());
    }
}
