//! The tree in `.ctb` and `.cto`, which leads from a hash to a page.

use tabia_core::io::{Blob, Cursor};
use tabia_core::plural::counted;
use zerocopy::FromBytes;
use zerocopy::byteorder::big_endian::I32;

/// Bytes before the bits of `.ctb`.
pub(super) const CTB_HEAD: usize = 12;
/// Bytes before the entries of `.cto`.
pub(super) const CTO_HEAD: usize = 16;
/// The node of level *k* for a hash has the number *m* + (hash & *m*), where *m* is 2^*k* - 1. No
/// tree has more levels than a hash has bits.
pub(super) const LEVELS: u32 = 32;
/// The leaves of companions up to this size are counted on opening.
const COUNTED: usize = 2 << 20;

/// How the page of a record is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// By following the bits of `.ctb` to a leaf, whose page is in `.cto`.
    Bitmap,
    /// By the first node on the path that has a page in `.cto`; `.ctb` is missing or wrong.
    Pages,
    /// By a list of the hashes of all records, made for the first lookup; `.cto` is missing or wrong.
    Scan,
}

/// The companions `.ctb` and `.cto`.
#[derive(Debug)]
pub(super) struct Tree {
    bits: Option<Blob>,
    pages: Option<Blob>,
    pub(super) lookup: Lookup,
}

impl Tree {
    /// From the companions of a book of `page_count` pages. Their defects go to `problems`.
    pub(super) fn open(
        bits: Option<Blob>,
        pages: Option<Blob>,
        page_count: u32,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut tree = Self {
            bits,
            pages,
            lookup: Lookup::Bitmap,
        };
        if let Err(why) = tree.check_pages(page_count) {
            problems.push(format!("{why}: all records are listed to find one"));
            tree.lookup = Lookup::Scan;
        }
        if let Err(why) = tree.check_bits(page_count) {
            let way = if tree.lookup == Lookup::Scan {
                String::new()
            } else {
                tree.lookup = Lookup::Pages;
                ": pages are found through the .cto alone".to_owned()
            };
            problems.push(format!("{why}{way}"));
        }
        tree
    }

    /// The page of each node; -1 if it has none.
    pub(super) fn entries(&self) -> &[I32] {
        let bytes = self.pages.as_deref().and_then(|file| file.get(CTO_HEAD..));
        let bytes = bytes.unwrap_or_default();
        let entries = bytes.get(..bytes.len() / 4 * 4).unwrap_or_default();
        <[I32]>::ref_from_bytes(entries).unwrap_or_default()
    }

    /// A bit for each node, the lowest of a byte first: the node is split.
    pub(super) fn bitmap(&self) -> &[u8] {
        let bytes = self.bits.as_deref().and_then(|file| file.get(CTB_HEAD..));
        bytes.unwrap_or_default()
    }

    fn check_pages(&self, page_count: u32) -> Result<(), String> {
        let Some(file) = self.pages.as_deref() else {
            return Err("the .cto is missing".to_owned());
        };
        let mut head = Cursor::new(file);
        let length = head.u16_be("length").unwrap_or_default();
        if usize::from(length) != CTO_HEAD || file.len() < CTO_HEAD {
            return Err("the .cto has no header".to_owned());
        }
        let entries = self.entries();
        if file.len() <= COUNTED {
            let is_page = |page: &&I32| u32::try_from(page.get()).is_ok_and(|p| p < page_count);
            let count = entries.iter().filter(is_page).count();
            if count != page_count as usize {
                let (count, wanted) = (count, page_count);
                let count = counted(count, "page", "pages");
                return Err(format!("the .cto names {count}, the book has {wanted}"));
            }
        }
        Ok(())
    }

    fn check_bits(&self, page_count: u32) -> Result<(), String> {
        let Some(file) = self.bits.as_deref() else {
            return Err("the .ctb is missing".to_owned());
        };
        let mut head = Cursor::new(file);
        let length = head.u16_be("length").unwrap_or_default();
        if usize::from(length) != CTB_HEAD || file.len() < CTB_HEAD {
            return Err("the .ctb has no header".to_owned());
        }
        if file.len() <= COUNTED {
            let split: u32 = self.bitmap().iter().map(|byte| byte.count_ones()).sum();
            if split.wrapping_add(1) != page_count && page_count > 0 {
                let leaves = u64::from(split) + 1;
                return Err(format!(
                    "the .ctb has {} for {}",
                    counted(leaves, "leaf", "leaves"),
                    counted(page_count, "page", "pages")
                ));
            }
        }
        Ok(())
    }

    pub(super) fn is_split(&self, node: u64) -> bool {
        let byte = usize::try_from(node / 8).ok();
        let byte = byte.and_then(|at| self.bitmap().get(at));
        byte.is_some_and(|byte| byte >> (node % 8) & 1 == 1)
    }

    /// The page of a node.
    pub(super) fn page(&self, node: u64) -> Option<u32> {
        let entry = self.entries().get(usize::try_from(node).ok()?)?;
        u32::try_from(entry.get()).ok()
    }

    /// The leaf for a hash.
    pub(super) fn leaf(&self, hash: u32) -> Option<u64> {
        path(hash).find(|&node| !self.is_split(node))
    }

    /// The page for a hash, and a mask of the bits of the hash that lead to it: all hashes that are
    /// equal in these bits have the same page.
    pub(super) fn leaf_page(&self, hash: u32) -> Option<(u32, u32)> {
        if self.lookup != Lookup::Bitmap {
            return None;
        }
        let level = path(hash).position(|node| !self.is_split(node))?;
        let mask = ((1u64 << level) - 1) as u32;
        let page = self.page(u64::from(hash & mask) + u64::from(mask))?;
        Some((page, mask))
    }

    /// The page for a hash; not for [`Lookup::Scan`].
    pub(super) fn find(&self, hash: u32) -> Option<u32> {
        let leaf = match self.lookup {
            Lookup::Bitmap => self.leaf(hash).and_then(|leaf| self.page(leaf)),
            Lookup::Pages | Lookup::Scan => None,
        };
        // Only leaves have pages, so the first page on the path is that of the leaf.
        leaf.or_else(|| path(hash).find_map(|node| self.page(node)))
    }
}

/// The nodes on the path of a hash, from the root.
pub(super) fn path(hash: u32) -> impl Iterator<Item = u64> {
    (0..LEVELS).map(move |level| {
        let mask = (1u64 << level) - 1;
        (u64::from(hash) & mask) + mask
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbered_level_by_level() {
        let nodes: Vec<u64> = path(0b101).take(4).collect();
        assert_eq!(nodes, [0, 1 + 1, 3 + 1, 7 + 5]);
        assert_eq!(path(u32::MAX).last(), Some((1 << 32) - 2));
    }
}
