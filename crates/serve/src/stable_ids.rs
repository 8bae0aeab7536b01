//! Ids of inputs that stay the same when other inputs are added or removed: made from the path of the input alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Inputs that ids of games distinguish, at most: what eight digits to the base 62 hold besides 32 bits.
pub(crate) const SLOTS: u64 = 50_836;
/// Digits of a digest in an id.
const DIGITS: usize = 6;

/// The digest of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Digest(u64);

impl Digest {
    /// FNV-1a, which gives the same number in every version of this program.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // The last steps of a 64-bit mixer: all bits depend on all bytes.
        let sum = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        Self(sum ^ (sum >> 33))
    }

    /// That of a member of an archive that has this one.
    pub(crate) fn with(self, member: &str) -> Self {
        Self::of(&[&format!("{:016x}", self.0), member])
    }

    /// A name with the digest.
    pub(crate) fn after(self, name: &str) -> String {
        let mut value = self.0;
        let mut id = format!("{name}~");
        for _ in 0..DIGITS {
            let digit = u32::try_from(value % 36).unwrap_or_default();
            id.push(char::from_digit(digit, 36).unwrap_or('0'));
            value /= 36;
        }
        id
    }

    /// The slot of its games; the next one that is not in `taken` if it is.
    pub(crate) fn slot(self, taken: &HashMap<u64, usize>) -> Option<u64> {
        let first = self.0 % SLOTS;
        (0..SLOTS)
            .map(|step| (first + step) % SLOTS)
            .find(|slot| !taken.contains_key(slot))
    }
}

/// A name as a single part of an address, which no comma, slash or colon separates.
pub(crate) fn plain_name(name: &str) -> String {
    let name = name.replace(['/', '\\', ':', ','], "_");
    match name.as_str() {
        "" | "." | ".." => format!("_{name}"),
        _ => name,
    }
}

/// The folders of inputs without links and `..`, each found once.
#[derive(Debug, Default)]
pub(crate) struct RealFolders(HashMap<PathBuf, PathBuf>);

impl RealFolders {
    /// The path of a file, the same however its folder was given.
    pub(crate) fn path_of(&mut self, file: &Path) -> PathBuf {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let real = self.0.entry(folder.to_path_buf()).or_insert_with(|| {
            let found = folder.canonicalize();
            found.unwrap_or_else(|_| folder.to_path_buf())
        });
        real.join(file.file_name().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_the_same_in_every_version() {
        assert_eq!(Digest::of(&["/chess/a.pgn"]).after("a.pgn"), "a.pgn~r2wzq9");
        assert_ne!(Digest::of(&["ab", "c"]), Digest::of(&["a", "bc"]));
    }

    #[test]
    fn slots_are_unique() {
        let digest = Digest::of(&["x"]);
        let mut taken = HashMap::new();
        for number in 0..3 {
            let slot = digest.slot(&taken).unwrap();
            assert_eq!(slot, (digest.0 + number) % SLOTS);
            assert!(taken.insert(slot, 0).is_none());
        }
    }

    #[test]
    fn names_are_single_parts_of_an_address() {
        for name in ["../../etc/passwd", "a:b/c\\d", "x,y", "", ".", ".."] {
            let id = plain_name(name);
            assert!(!id.contains(['/', '\\', ':', ',']), "{id}");
            assert!(!["", ".", ".."].contains(&id.as_str()), "{id}");
        }
    }
}
