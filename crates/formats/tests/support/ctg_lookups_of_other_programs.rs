//! Searches the files of a CTG book with the algorithms of other programs, not that of the library.

use std::path::Path;

use tabia_core::io::Blob;
use tabia_formats::books::ctg::{PAGE, Records};

/// The three files that older programs use.
pub(crate) struct Files {
    pub(crate) records: Blob,
    pub(crate) bits: Blob,
    pub(crate) nodes: Blob,
}

impl Files {
    pub(crate) fn open(path: &Path) -> Self {
        let open = |extension| Blob::open(&path.with_extension(extension)).unwrap();
        Self {
            records: open("ctg"),
            bits: open("ctb"),
            nodes: open("cto"),
        }
    }

    fn number(bytes: &[u8], at: usize) -> i64 {
        let field: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
        i64::from(
            field
                .iter()
                .fold(0i32, |sum, &byte| sum << 8 | i32::from(byte)),
        )
    }

    fn has(&self, page: i64, key: &[u8]) -> bool {
        let start = (usize::try_from(page).unwrap() + 1) * PAGE;
        Records::of(&self.records[start..start + PAGE]).any(|record| record.key == key)
    }

    fn node(&self, node: u32) -> Option<i64> {
        let count = Self::number(&self.nodes, 4);
        (i64::from(node) < count).then(|| Self::number(&self.nodes, 16 + 4 * node as usize))
    }

    /// The search of most programs: from the lower bound up to the first node after the upper bound.
    pub(crate) fn by_bounds(&self, hash: u32, key: &[u8]) -> bool {
        let (lower, upper) = (Self::number(&self.bits, 4), Self::number(&self.bits, 8));
        let mut mask = 0u32;
        loop {
            let node = (hash & mask) + mask;
            if i64::from(node) >= lower {
                let page = self.node(node);
                if page.is_some_and(|page| page >= 0 && self.has(page, key)) {
                    return true;
                }
                if i64::from(node) >= upper {
                    return false;
                }
            }
            mask = mask << 1 | 1;
        }
    }

    /// The search of some others: without the root, and only in the first page that is found.
    pub(crate) fn below_root(&self, hash: u32, key: &[u8]) -> bool {
        let mut mask = 1u32;
        while let Some(page) = self.node((hash & mask) + mask) {
            if page >= 0 {
                return self.has(page, key);
            }
            mask = mask << 1 | 1;
        }
        false
    }
}
