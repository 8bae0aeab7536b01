//! A set of keys that may be larger than memory: a log-structured merge tree of sorted files.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use zerocopy::byteorder::little_endian::U64;
use zerocopy::{FromBytes, IntoBytes};

use super::interpolation_search::interpolation_lower_bound;
use crate::error::Result;
use crate::io::{Blob, TemporaryFile, temporary_folder};

/// Bytes that a key takes in the hash table.
const KEY_SIZE: usize = 18;
/// Memory of a set made by `default`.
const DEFAULT_MEMORY: usize = KEY_SIZE << 20;
/// Keys that are written at a time.
const WRITE: usize = 1 << 13;

/// A set of 64-bit keys that are hashes themselves, such as those of positions. Recent keys are in
/// a hash table; when it is full, they go to a sorted file, together with the keys of files that
/// are not much larger, so there are few files and a key is seldom copied.
///
/// ```
/// use tabia_core::external::DiskKeySet;
///
/// let mut seen = DiskKeySet::default();
/// assert!(seen.insert(0x463b_9618_1691_fc9c)?);
/// assert!(!seen.insert(0x463b_9618_1691_fc9c)?);
/// assert!(seen.contains(0x463b_9618_1691_fc9c) && !seen.contains(0));
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct DiskKeySet {
    folder: PathBuf,
    /// Keys that memory holds.
    capacity: usize,
    recent: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    /// Each a good deal larger than the next.
    files: Vec<SortedKeys>,
}

impl Default for DiskKeySet {
    /// A set that uses 18 MiB of memory and the system's folder for temporary files.
    fn default() -> Self {
        Self::new(&temporary_folder(), DEFAULT_MEMORY)
    }
}

impl DiskKeySet {
    /// A set that uses about `memory` bytes and temporary files in `folder`.
    pub fn new(folder: &Path, memory: usize) -> Self {
        Self {
            folder: folder.to_path_buf(),
            capacity: (memory / KEY_SIZE).max(1),
            recent: HashSet::default(),
            files: Vec::new(),
        }
    }

    /// Adds a key; `true` if it is new.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn insert(&mut self, key: u64) -> Result<bool> {
        if self.is_in_file(key) {
            return Ok(false);
        }
        let is_new = self.recent.insert(key);
        if self.recent.len() >= self.capacity {
            self.spill()?;
        }
        Ok(is_new)
    }

    /// Whether the set has the key.
    pub fn contains(&self, key: u64) -> bool {
        self.recent.contains(&key) || self.is_in_file(key)
    }

    fn is_in_file(&self, key: u64) -> bool {
        self.files.iter().any(|file| file.contains(key))
    }

    /// Moves the keys in memory to a file, with those of files of at most twice the size.
    fn spill(&mut self) -> Result<()> {
        let mut recent: Vec<U64> = self.recent.drain().map(U64::new).collect();
        recent.sort_unstable_by_key(|key| key.get());
        let mut count = recent.len();
        let mut unchanged = self.files.len();
        for file in self.files.iter().rev() {
            if file.keys().len() > 2 * count {
                break;
            }
            count += file.keys().len();
            unchanged -= 1;
        }
        let merged = self.files.split_off(unchanged);
        let mut sources: Vec<&[U64]> = merged.iter().map(SortedKeys::keys).collect();
        sources.push(&recent);
        self.files.push(SortedKeys::merge(sources, &self.folder)?);
        Ok(())
    }
}

/// Ascending keys in a file.
#[derive(Debug)]
struct SortedKeys(Blob);

impl SortedKeys {
    /// Merges ascending keys, each of which is in one source only.
    fn merge(mut sources: Vec<&[U64]>, folder: &Path) -> Result<Self> {
        let mut file = TemporaryFile::new_in(folder)?;
        let mut buffer: Vec<U64> = Vec::with_capacity(WRITE);
        loop {
            let lowest = sources
                .iter_mut()
                .filter(|source| !source.is_empty())
                .min_by_key(|source| source.first().map(|key| key.get()));
            let Some(key) = lowest.and_then(|source| source.split_off_first()) else {
                break;
            };
            buffer.push(*key);
            if buffer.len() == WRITE {
                file.write_all(buffer.as_bytes())?;
                buffer.clear();
            }
        }
        file.write_all(buffer.as_bytes())?;
        Ok(Self(file.map()?))
    }

    fn keys(&self) -> &[U64] {
        <[U64]>::ref_from_bytes(&self.0).unwrap_or_default()
    }

    fn contains(&self, key: u64) -> bool {
        let keys = self.keys();
        let index = interpolation_lower_bound(keys, key, |key| key.get());
        keys.get(index).is_some_and(|found| found.get() == key)
    }
}

/// Uses a key as its own hash.
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
    use super::super::random_numbers;
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_set_on_disk_is_like_one_in_memory() {
        let mut random = random_numbers(7);
        for capacity in [1, 50] {
            let mut keys = DiskKeySet::new(&std::env::temp_dir(), capacity * KEY_SIZE);
            let mut expected = HashSet::new();
            for number in 0..400 * capacity as u64 {
                // Repeats, soon or much later; two thirds are not spread evenly.
                let key = match number % 3 {
                    0 => random(),
                    1 => (random() % 3000).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                    _ => random() % 2000,
                };
                assert_eq!(keys.contains(key), expected.contains(&key));
                assert_eq!(keys.insert(key).unwrap(), expected.insert(key));
                assert!(keys.contains(key) && !keys.insert(key).unwrap());
            }
            let on_disk: usize = keys.files.iter().map(|file| file.keys().len()).sum();
            assert_eq!(on_disk + keys.recent.len(), expected.len());
            assert!(keys.files.len() < 10, "{}", keys.files.len());
        }
    }

    #[test]
    fn errors_name_the_folder() {
        let folder = std::env::temp_dir().join("tabia-no-such-folder");
        let mut keys = DiskKeySet::new(&folder, 0);
        let error = keys.insert(1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TemporaryFile(_)));
        assert_eq!(error.location().file.as_deref(), Some(&*folder));
    }
}
