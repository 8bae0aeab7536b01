//! What is odd about a book, by name and count.

use tabia_core::chess::Position;

use super::key::{Key, Keys, decode};
use super::moves::decode_move;
use super::read::CtgBook;
use super::record::{PAGE, Record, Records};
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::reachable::Met;

/// Everything a look at all pages tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Records, one a position and its twins.
    pub records: u64,
    /// Moves listed in them.
    pub moves: u64,
    /// Most moves of one record.
    pub most_moves: u64,
    /// Pages that do not end where they say, with as many records as they say.
    pub damaged_pages: u64,
    /// Records whose key is no position.
    pub unreadable: u64,
    /// Records whose position has another key.
    pub odd_keys: u64,
    /// Moves without a meaning, or not legal.
    pub bad_moves: u64,
    /// Records that are not found, or of which another copy is found.
    pub misplaced: u64,
    /// Moves that lead to positions which are not stored.
    pub missing: u64,
    /// Records that no play from the usual start reaches.
    pub unreached: u64,
    /// Records that stand for several positions which play reaches.
    pub shared: u64,
    /// Pages that two nodes name.
    pub shared_pages: u64,
    /// Pages that no node names.
    pub lost_pages: u64,
    /// Nodes with a page that are no leaves, and leaves without a page.
    pub wrong_nodes: u64,
    /// Records the header counts.
    pub added: u64,
}

impl Findings {
    /// The faults, one line each.
    pub fn problems(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (count, text) in [
            (self.damaged_pages, "pages are damaged"),
            (self.unreadable, "records are no position"),
            (
                self.odd_keys,
                "records have a key that is not their position's",
            ),
            (self.bad_moves, "moves are not legal"),
            (self.misplaced, "records are not where they are looked for"),
            (self.missing, "moves lead to positions that are not stored"),
            (self.unreached, "records cannot be reached from the start"),
            (self.shared_pages, "pages are named twice"),
            (self.lost_pages, "pages are never named"),
            (self.wrong_nodes, "nodes of the .ctb and .cto disagree"),
        ] {
            if count > 0 {
                lines.push(format!("{count} {text}"));
            }
        }
        if self.added != self.records {
            let (added, records) = (self.added, self.records);
            lines.push(format!(
                "the header counts {added} records, {records} are there"
            ));
        }
        lines
    }
}

pub(super) fn inspect(book: &CtgBook) -> Findings {
    let mut findings = Findings {
        added: u64::from(book.header().added),
        ..Findings::default()
    };
    let met = Met::by_play(book);
    for number in 0..book.page_count() {
        let mut records = Records::of(book.page(number).unwrap_or_default());
        while let Some(record) = records.next() {
            let at = records.at();
            look_at(book, number, at, &record, &mut findings);
            let frames = met.frames(u64::from(number) * PAGE as u64 + at as u64);
            findings.unreached += u64::from(frames == 0);
            findings.shared += u64::from(frames.count_ones() > 1);
        }
        findings.damaged_pages += u64::from(!records.is_whole());
    }
    look_at_tree(book, &mut findings);
    findings
}

fn look_at(book: &CtgBook, page: u32, at: usize, record: &Record<'_>, findings: &mut Findings) {
    findings.records += 1;
    let moves = record.moves.len() as u64;
    findings.moves += moves;
    findings.most_moves = findings.most_moves.max(moves);
    let found = Key::from_stored(record.key).and_then(|key| book.by_key(&key));
    let is_here = found.is_some_and(|place| (place.page, place.at) == (page, at));
    findings.misplaced += u64::from(!is_here);
    let Some(position) = decode(record.key, Frame::PLAIN) else {
        findings.unreadable += 1;
        return;
    };
    findings.odd_keys += u64::from(!is_own_key(&position, record.key));
    for &[code, _] in record.moves {
        let Some(m) = decode_move(&position, Frame::PLAIN, code) else {
            findings.bad_moves += 1;
            continue;
        };
        let mut next = position.clone();
        next.play(m);
        findings.missing += u64::from(book.place(&next, book.look(&next)).is_none());
    }
}

fn is_own_key(position: &Position, key: &[u8]) -> bool {
    Keys::of(position).is_some_and(|keys| {
        let other = keys.other.as_ref().map(Key::as_bytes);
        keys.key.as_bytes() == key || other == Some(key)
    })
}

fn look_at_tree(book: &CtgBook, findings: &mut Findings) {
    let tree = &book.tree;
    if tree.entries().is_empty() {
        return;
    }
    let mut named = vec![false; book.page_count() as usize];
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

/// The node above; `None` for the root.
fn parent(node: u64) -> Option<u64> {
    let level = (node + 1).ilog2().checked_sub(1)?;
    let mask = (1u64 << level) - 1;
    let block = node - ((1u64 << (level + 1)) - 1);
    Some((block & mask) + mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::ctg::tree::path;

    #[test]
    fn parents_are_one_level_up() {
        for hash in [0, 5, 0xdead_beef, u32::MAX] {
            let nodes: Vec<u64> = path(hash).collect();
            assert_eq!(parent(nodes[0]), None);
            for pair in nodes.windows(2) {
                assert_eq!(parent(pair[1]), Some(pair[0]));
            }
        }
    }
}
