//! Salvage of damaged sets: finds the games whose index entry is lost or leads to another offset.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tabia_core::games::DatabaseInfo;
use tabia_core::io::Cursor;
use tabia_core::plural::counted;

use crate::games::common::salvage::{
    self, CHANGED_RECORD, IndexedGame, LocatedRecord, MainlineEnd, changed_records,
};

use super::blob_finder::{Found, Scanner};
use super::entry::{self, Entry, NO_YEAR, STANDARD};
use super::file_set::Entries;
use super::record_body::LENGTH;

pub(crate) type Salvage = salvage::Salvage<Entry>;
pub(crate) type Index = salvage::Index<Entry>;
pub(crate) type SalvagedEntry = salvage::SalvagedEntry<Entry>;

impl IndexedGame for Entry {
    type Found = Found;

    const MAX_PLIES: u32 = entry::MAX_PLIES as u32;

    fn of_found(found: &Found) -> Self {
        Self {
            record_at: found.at as u32,
            year: NO_YEAR,
            start: STANDARD,
            // Numbers that no name has.
            white: u32::MAX,
            black: u32::MAX,
            event: u32::MAX,
            annotator: u32::MAX,
            ..Self::default()
        }
    }

    fn moved_to(self, found: &Found) -> Self {
        Self {
            record_at: found.at as u32,
            ..self
        }
    }

    fn end(&self) -> MainlineEnd {
        MainlineEnd {
            plies: u32::from(self.plies.min(entry::MAX_PLIES)),
            material: self.material,
        }
    }
}

/// Searches the game file for the games that index entries do not lead to. What was found is
/// reported in `info`.
pub(crate) fn find(entries: &Entries, scanner: Scanner<'_>, info: &mut DatabaseInfo) -> Salvage {
    let mut salvage = Salvage::new(entries.len());
    let search = Search { entries, scanner };
    let (mut used, broken) = search.intact(&mut salvage);
    used.sort_unstable_by_key(|range| range.start);
    let announced = entries.announced();
    let is_short = announced.is_some_and(|announced| announced > entries.len());
    let lacks_entries = !broken.is_empty() || !salvage.shared.is_empty() || is_short;
    let mut finds = search.scan_gaps(&used, lacks_entries, info);
    if !broken.is_empty() {
        let mut candidates = Candidates::new(&mut finds);
        search.assign(&broken, &used, &mut candidates, &mut salvage, info);
        candidates.remove_assigned();
    }
    let changed = search.changed(&salvage).into_iter();
    salvage.changed = changed.map(|game| (game, CHANGED_RECORD)).collect();
    if !finds.is_empty() {
        let count = counted(finds.len(), "game was found", "games were found");
        info.problems
            .push(format!("{count} that no index entry refers to"));
    }
    salvage.unindexed = finds;
    salvage.report_missing(announced, info);
    salvage
}

/// A search for the games of index entries.
struct Search<'a> {
    entries: &'a Entries,
    scanner: Scanner<'a>,
}

/// Games that no entry leads to, in the order of the file.
struct Candidates<'f> {
    finds: &'f mut Vec<Found>,
    is_assigned: Vec<bool>,
}

impl<'f> Candidates<'f> {
    fn new(finds: &'f mut Vec<Found>) -> Self {
        let is_assigned = vec![false; finds.len()];
        Self { finds, is_assigned }
    }

    /// The game of that index. `None` if an entry has it.
    fn get(&self, index: usize) -> Option<Found> {
        let is_free = self.is_assigned.get(index) == Some(&false);
        self.finds.get(index).copied().filter(|_| is_free)
    }

    /// Assigns the game of that index to an entry, unless another one has it.
    fn assign(&mut self, index: usize, game: u32, salvage: &mut Salvage) -> bool {
        let Some(found) = self.get(index) else {
            return false;
        };
        if let Some(is_assigned) = self.is_assigned.get_mut(index) {
            *is_assigned = true;
        }
        salvage.moved.insert(game, found);
        true
    }

    fn remove_assigned(self) {
        let mut assigned = self.is_assigned.into_iter();
        self.finds.retain(|_| assigned.next() == Some(false));
    }
}

/// What entry and game must have in common: the number of the start, and the mainline's end.
type MatchKey = (u16, Option<MainlineEnd>);

impl Search<'_> {
    /// The ranges of the games that entries certainly lead to, and the other entries. Notes the blank entries and those
    /// that share a game, which fit it: no other game is theirs.
    fn intact(&self, salvage: &mut Salvage) -> (Vec<Range<usize>>, Vec<u32>) {
        let mut whole = Vec::new();
        let mut broken = Vec::new();
        for game in 0..self.entries.len() {
            let bytes = self.entries.bytes(game).unwrap_or_default();
            let is_blank = bytes.iter().all(|&byte| byte == 0);
            if is_blank {
                salvage.blank.insert(game);
            }
            match self.game_of(game).filter(|_| !is_blank) {
                Some(found) => whole.push((found.range(), game)),
                None => broken.push(game),
            }
        }
        let used = whole.iter().map(|(range, _)| range.clone()).collect();
        salvage.shared = salvage::shared_records(whole);
        (used, broken)
    }

    /// The game where an entry leads to, if it matches the entry.
    fn game_of(&self, game: u32) -> Option<Found> {
        let entry = self.entries.get(game)?;
        let found = self.scanner.game_at(entry.record_at as usize)?;
        (found.at >= self.scanner.first() && found.fits(&entry)).then_some(found)
    }

    /// The games of whose records bytes were inserted or lost.
    fn changed(&self, salvage: &Salvage) -> BTreeSet<u32> {
        if salvage.moved.is_empty() {
            return BTreeSet::new();
        }
        let records = (0..self.entries.len()).filter_map(|game| {
            // Zeros state no offset.
            let entry = self
                .entries
                .get(game)
                .filter(|_| !salvage.blank.contains(&game))?;
            let stated_at = u64::from(entry.record_at);
            let moved = salvage.moved.get(&game).copied();
            let found = moved.or_else(|| self.game_of(game))?;
            Some(LocatedRecord {
                at: found.at as u64,
                stated_at,
                stated_end: stated_at + found.length as u64,
                game,
            })
        });
        changed_records(records.collect())
    }

    /// The games that no entry leads to: those after all others, and with `is_everywhere` those
    /// between them.
    fn scan_gaps(
        &self,
        used: &[Range<usize>],
        is_everywhere: bool,
        info: &mut DatabaseInfo,
    ) -> Vec<Found> {
        let mut gaps = Vec::new();
        let mut at = self.scanner.first();
        for range in used {
            if is_everywhere && range.start > at {
                gaps.push(at..range.start);
            }
            at = at.max(range.end);
        }
        gaps.push(at..self.scanner.file.len());
        let mut games = Vec::new();
        let mut unread = 0;
        for gap in gaps {
            let finds = self.scanner.scan(gap);
            games.extend(finds.games);
            unread += finds.unread;
        }
        if unread > 0 {
            let count = counted(unread, "byte", "bytes");
            let text = format!("no game in {count} of the game file");
            info.problems.push(text);
        }
        games
    }

    /// Assigns games to the entries that lead to none: the game that follows the one of the entry
    /// before, as games mostly are in the order of their entries; the only one that ends as the
    /// entry states; the one at the offset of the entry.
    fn assign(
        &self,
        broken: &[u32],
        used: &[Range<usize>],
        candidates: &mut Candidates<'_>,
        salvage: &mut Salvage,
        info: &mut DatabaseInfo,
    ) {
        let lost = self.assign_in_order(broken, used, candidates, salvage);
        let lost = assign_by_end(lost, candidates, salvage);
        let count = salvage.moved.len();
        for (game, entry) in lost {
            let at = entry.record_at as usize;
            if let Ok(index) = candidates.finds.binary_search_by_key(&at, |found| found.at) {
                candidates.assign(index, game, salvage);
            }
        }
        if count > 0 {
            info.problems.push(format!(
                "{} than the index states",
                counted(
                    count,
                    "game was found at another offset",
                    "games were found at other offsets"
                )
            ));
        }
    }

    /// Assigns games that follow the game of the entry before. The entries that are left without a
    /// game, except blank ones.
    fn assign_in_order(
        &self,
        broken: &[u32],
        used: &[Range<usize>],
        candidates: &mut Candidates<'_>,
        salvage: &mut Salvage,
    ) -> Vec<(u32, Entry)> {
        let mut lost = Vec::new();
        let mut last_end = self.scanner.first();
        let mut broken = broken.iter().copied().peekable();
        for game in 0..self.entries.len() {
            let Some(entry) = self.entries.get(game) else {
                continue;
            };
            if broken.next_if_eq(&game).is_none() {
                last_end = self.end_of(&entry).unwrap_or(last_end);
                continue;
            }
            let is_blank = salvage.blank.contains(&game);
            let next = candidates
                .finds
                .partition_point(|found| found.at < last_end);
            let found = candidates.get(next).filter(|found| {
                let is_next = used
                    .get(used.partition_point(|range| range.start < last_end))
                    .is_none_or(|range| range.start >= found.at);
                is_next && (is_blank || found.fits(&entry))
            });
            if let Some(found) = found {
                last_end = found.range().end;
                candidates.assign(next, game, salvage);
            } else if !is_blank {
                lost.push((game, entry));
            }
        }
        lost
    }

    /// Where the record of an entry ends.
    fn end_of(&self, entry: &Entry) -> Option<usize> {
        let at = entry.record_at as usize;
        let mut cursor = Cursor::new(self.scanner.file.get(at..)?);
        let length = cursor.u24_be("length").ok()? as usize;
        Some(at + length.max(LENGTH))
    }
}

/// Assigns games to the entries that state their start and end, where both are unique. The entries
/// that are left without a game.
fn assign_by_end(
    mut lost: Vec<(u32, Entry)>,
    candidates: &mut Candidates<'_>,
    salvage: &mut Salvage,
) -> Vec<(u32, Entry)> {
    let mut by_key: BTreeMap<MatchKey, (usize, u32)> = BTreeMap::new();
    for index in 0..candidates.finds.len() {
        if let Some(found) = candidates.get(index) {
            let end = found.end.map(|end| end.clamped(Entry::MAX_PLIES));
            by_key.entry((found.start, end)).or_insert((index, 0)).1 += 1;
        }
    }
    let key = |entry: &Entry| (entry.start, Some(entry.end()));
    let mut wanted: BTreeMap<MatchKey, u32> = BTreeMap::new();
    for (_, entry) in &lost {
        *wanted.entry(key(entry)).or_default() += 1;
    }
    lost.retain(|(game, entry)| {
        let key = key(entry);
        match (by_key.get(&key), wanted.get(&key)) {
            (Some(&(index, 1)), Some(1)) => !candidates.assign(index, *game, salvage),
            _ => true,
        }
    });
    lost
}
