//! Counts the defects of a book by kind.

use tabia_core::books::{BookKey, BookPosition};
use tabia_core::chess::Position;
use tabia_core::game::Flow;
use tabia_core::plural::counted;

use super::header::Header;
use super::key::{Key, Keys, decode};
use super::moves::decode_move;
use super::page_store::{PageStore, offset};
use super::record::Record;
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::probe_and_walk::scan;
use crate::books::mirrored::record_lookup::MirroredStore;

/// What a check of all pages found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Number of records; a position and its mirror images share one.
    pub records: u64,
    /// Number of moves in all records.
    pub moves: u64,
    /// Number of moves in the record with the most.
    pub most_moves: u64,
    /// Pages whose records do not end where the page states, or are not as many as it states.
    pub damaged_pages: u64,
    /// Records whose key is not that of a position.
    pub unreadable: u64,
    /// Records whose position has another key.
    pub wrong_keys: u64,
    /// Moves that are undefined or not legal.
    pub bad_moves: u64,
    /// Records that are not found, or of which another copy is found.
    pub misplaced: u64,
    /// Moves that lead to positions which are not stored.
    pub missing: u64,
    /// Records that are not reachable from the standard position.
    pub unreached: u64,
    /// Records in which several positions are reachable.
    pub shared: u64,
    /// Pages that two nodes name.
    pub shared_pages: u64,
    /// Pages that no node names.
    pub lost_pages: u64,
    /// Nodes with a page that are not leaves, and leaves without a page.
    pub wrong_nodes: u64,
    /// Number of records ever added, from the header.
    pub added: u64,
}

impl Findings {
    fn count(&mut self, record: &Record<'_>) {
        self.records += 1;
        let moves = record.moves.len() as u64;
        self.moves += moves;
        self.most_moves = self.most_moves.max(moves);
    }

    /// The defects, one line for each kind. Records that are not reachable are none: a position can be
    /// looked up without the moves that lead to it.
    pub fn problems(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (count, one, several, text) in [
            (self.damaged_pages, "page is", "pages are", "damaged"),
            (
                self.unreadable,
                "record contains",
                "records contain",
                "no position",
            ),
            (
                self.wrong_keys,
                "record has",
                "records have",
                "a key of another position",
            ),
            (self.bad_moves, "move is", "moves are", "not legal"),
            (
                self.misplaced,
                "record is",
                "records are",
                "not on the page of their hash",
            ),
            (
                self.missing,
                "move leads",
                "moves lead",
                "to positions that are not stored",
            ),
            (self.shared_pages, "page is", "pages are", "named twice"),
            (self.lost_pages, "page is", "pages are", "never named"),
            (
                self.wrong_nodes,
                "node differs",
                "nodes differ",
                "between .ctb and .cto",
            ),
        ] {
            if count > 0 {
                lines.push(format!("{} {text}", counted(count, one, several)));
            }
        }
        // The count includes records that ChessBase has removed since.
        if self.added < self.records {
            let (added, records) = (self.added, self.records);
            lines.push(format!(
                "the header counts {}, the book has {records}",
                counted(added, "record", "records")
            ));
        }
        lines
    }
}

/// Checks everything and visits the positions.
pub(super) fn inspect(
    store: &PageStore,
    header: &Header,
    visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
) -> Findings {
    let mut findings = Findings {
        added: u64::from(header.added),
        ..Findings::default()
    };
    // A reachable record was found by the key of its position, so that only its moves are checked.
    let visited = scan(store, false, visit, |node, moves| {
        findings.count(&node.record);
        for child in moves {
            findings.bad_moves += u64::from(child.m.is_none());
            findings.missing += u64::from(child.m.is_some() && child.child.is_none());
        }
    })
    .visited;
    for page in 0..store.page_count() {
        let mut records = store.page_records(page);
        while let Some(record) = records.next() {
            let offset = offset(page, records.at());
            let orientations = visited.orientations(offset);
            if orientations == 0 {
                findings.unreached += 1;
                check_record(store, offset, &record, &mut findings);
            }
            findings.shared += u64::from(orientations.count_ones() > 1);
        }
        findings.damaged_pages += u64::from(!records.is_intact());
    }
    check_tree(store, &mut findings);
    findings
}

fn check_record(store: &PageStore, offset: u64, record: &Record<'_>, findings: &mut Findings) {
    findings.count(record);
    let found = Key::from_stored(record.key).and_then(|key| store.find_key(&key));
    findings.misplaced += u64::from(found.is_none_or(|(found, _)| found != offset));
    let Some(position) = decode(record.key, Orientation::IDENTITY) else {
        findings.unreadable += 1;
        return;
    };
    findings.wrong_keys += u64::from(!is_key_of(&position, record.key));
    for &[code, _] in record.moves {
        let Some(m) = decode_move(&position, Orientation::IDENTITY, code) else {
            findings.bad_moves += 1;
            continue;
        };
        let mut child = position.clone();
        child.play(m);
        let found = store.locate(&child, store.index_hit(&child));
        findings.missing += u64::from(found.is_none());
    }
}

fn is_key_of(position: &Position, key: &[u8]) -> bool {
    Keys::of(position).is_some_and(|keys| {
        let alternative = keys.alternative.as_ref().map(Key::as_bytes);
        keys.key.as_bytes() == key || alternative == Some(key)
    })
}

fn check_tree(store: &PageStore, findings: &mut Findings) {
    let tree = store.tree();
    if tree.entries().is_empty() {
        return;
    }
    let mut named = vec![false; store.page_count() as usize];
    let mut leaves = 0;
    for (node, entry) in (0u64..).zip(tree.entries()) {
        let Ok(page) = u32::try_from(entry.get()) else {
            continue;
        };
        match named.get_mut(page as usize) {
            Some(named) => findings.shared_pages += u64::from(std::mem::replace(named, true)),
            None => findings.wrong_nodes += 1,
        }
        let is_leaf = !tree.is_split(node) && parent(node).is_none_or(|node| tree.is_split(node));
        if is_leaf {
            leaves += 1;
        } else if !tree.bitmap().is_empty() {
            findings.wrong_nodes += 1;
        }
    }
    findings.lost_pages = named.iter().filter(|named| !**named).count() as u64;
    let split = tree
        .bitmap()
        .iter()
        .map(|byte| u64::from(byte.count_ones()));
    let split = split.sum::<u64>();
    if split > 0 {
        findings.wrong_nodes += (split + 1).saturating_sub(leaves);
    }
}

/// The parent of a node; `None` for the root.
fn parent(node: u64) -> Option<u64> {
    let level = (node + 1).ilog2().checked_sub(1)?;
    let mask = (1u64 << level) - 1;
    let block = node - ((1u64 << (level + 1)) - 1);
    Some((block & mask) + mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::ctg::page_tree::path;

    #[test]
    fn parent_is_the_previous_node_of_a_path() {
        for hash in [0, 5, 0xdead_beef, u32::MAX] {
            let nodes: Vec<u64> = path(hash).collect();
            assert_eq!(parent(nodes[0]), None);
            for pair in nodes.windows(2) {
                assert_eq!(parent(pair[1]), Some(pair[0]));
            }
        }
    }
}
