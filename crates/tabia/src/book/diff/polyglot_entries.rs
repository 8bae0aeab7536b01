//! Compares Polyglot books by their keys.

use tabia_core::Result;
use tabia_core::chess::Position;
use tabia_core::game::Flow;
use tabia_core::io::Progress;
use tabia_formats::books::polyglot::{PolyglotBook, decode_move};

use super::union::BookUnion;
use super::{BookDiff, Difference, DifferingKeys, MovePair, OnDifference, for_each_reachable};
use crate::book::sorted_polyglot_entries::{EntryRuns, KeyMove, uci_of_bits};

/// Compares two Polyglot books in one pass through both. Calls `visit` with the differences: those of
/// reachable positions in the order of a walk from the standard position, then the others by key.
///
/// # Errors
/// Those of `visit`, and of temporary files.
#[doc(hidden)]
pub fn diff_entries(
    first: &PolyglotBook,
    second: &PolyglotBook,
    progress: &Progress,
    visit: OnDifference<'_>,
) -> Result<BookDiff> {
    let (mut a, mut b) = (
        EntryRuns::new(first, progress)?,
        EntryRuns::new(second, progress)?,
    );
    let mut diff = BookDiff::default();
    let mut keys = Vec::new();
    let mut runs = RunPair::default();
    while let Some(key) = [a.key(), b.key()].into_iter().flatten().min() {
        progress.check()?;
        runs.clear();
        if a.key() == Some(key) {
            a.take(&mut runs.first);
        }
        if b.key() == Some(key) {
            b.take(&mut runs.second);
        }
        let mut differs = false;
        for (_, pair) in runs.pairs() {
            differs |= diff.count(&pair, true);
        }
        keys.extend(differs.then_some(key));
    }
    let mut keys = DifferingKeys::new(keys);
    let books = BookUnion { first, second };
    let mut report = |key: u64, known: Option<(&Position, &str)>| {
        a.run_of(key, &mut runs.first);
        b.run_of(key, &mut runs.second);
        runs.report(key, known, visit)
    };
    let goes_on = for_each_reachable(&books, &mut keys, progress, &mut |position, line| {
        report(position.key(), Some((position, line)))
    })?;
    if goes_on {
        for key in keys.left() {
            if report(key, None)? == Flow::Stop {
                break;
            }
        }
    }
    Ok(diff)
}

/// The moves of a key in both books.
#[derive(Default)]
struct RunPair {
    first: Vec<KeyMove>,
    second: Vec<KeyMove>,
}

impl RunPair {
    fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
    }

    /// Every move once, with its bits.
    fn pairs(&self) -> impl Iterator<Item = (u16, MovePair)> {
        let find =
            |run: &[KeyMove], bits| run.iter().find(|m| m.bits == bits).map(KeyMove::book_entry);
        let only_second = |m: &&KeyMove| self.first.iter().all(|other| other.bits != m.bits);
        let second = self.second.iter().filter(only_second);
        self.first.iter().chain(second).map(move |m| {
            let pair = MovePair {
                first: find(&self.first, m.bits),
                second: find(&self.second, m.bits),
            };
            (m.bits, pair)
        })
    }

    /// Reports the moves that differ.
    fn report(
        &self,
        key: u64,
        known: Option<(&Position, &str)>,
        visit: OnDifference<'_>,
    ) -> Result<Flow> {
        for (bits, pair) in self.pairs() {
            if pair.is_same(true) {
                continue;
            }
            let position = known.map(|(position, _)| position);
            let san = position.and_then(|position| {
                let m = decode_move(position, bits)?;
                Some(position.san(m).to_string())
            });
            let flow = visit(Difference {
                key,
                fen: position.map(Position::fen),
                line: known.map(|(_, line)| line.to_owned()),
                uci: uci_of_bits(bits),
                san,
                differs: pair.differing(true),
                first: pair.first,
                second: pair.second,
            })?;
            if flow == Flow::Stop {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }
}
