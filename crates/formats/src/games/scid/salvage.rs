//! Salvage of damaged sets: finds the games whose index entry is lost or leads to no game.

use std::collections::{BTreeSet, HashMap};

use tabia_core::games::DatabaseInfo;
use tabia_core::io::Blob;
use tabia_core::plural::counted;

use crate::games::common::salvage::{self, IndexedGame, MainlineEnd};

use super::blob_finder::{Finds, Found, block_end, game_at, scan};
use super::entry::Entry;
use super::file_set::Entries;
use super::version::Version;

pub(crate) type Salvage = salvage::Salvage<Entry>;
pub(crate) type Index = salvage::Index<Entry>;
pub(crate) type SalvagedEntry = salvage::SalvagedEntry<Entry>;

impl IndexedGame for Entry {
    type Found = Found;

    const MAX_PLIES: u32 = 1023;

    fn of_found(found: &Found) -> Self {
        Self::default().moved_to(found)
    }

    fn moved_to(self, found: &Found) -> Self {
        Self {
            blob_at: found.at,
            blob_length: found.length,
            ..self
        }
    }

    fn end(&self) -> MainlineEnd {
        MainlineEnd {
            plies: u32::from(self.plies),
            material: self.material,
        }
    }
}

/// Searches the game file for the games that index entries do not lead to. What was found is
/// reported in `info`.
pub(crate) fn find(
    version: Version,
    entries: &Entries,
    games: &Blob,
    depth: u32,
    info: &mut DatabaseInfo,
) -> Salvage {
    let mut salvage = Salvage::new(entries.len());
    let search = Search {
        version,
        entries,
        file: games,
        depth,
    };
    let (mut end, broken) = search.extent(&mut salvage);
    if broken > 0 {
        search.find_broken(&mut salvage, info);
        let found = salvage.moved.values().chain(&salvage.unindexed);
        let ends = found.map(|found| found.at as usize + found.length as usize);
        end = ends.max().unwrap_or_default().max(end);
    }
    let until = search.cut_at(end, broken).unwrap_or(games.len());
    let tail = scan(version, games, end..until, depth);
    report(&tail, "after those of the index", info);
    salvage.unindexed.extend(tail.games);
    salvage.report_missing(entries.announced(), info);
    salvage
}

/// Reports the result of a scan.
fn report(finds: &Finds, location: &str, info: &mut DatabaseInfo) {
    if !finds.games.is_empty() {
        let count = counted(finds.games.len(), "game was found", "games were found");
        let text = format!("{count} in the game file {location}");
        info.problems.push(text);
    }
    if finds.unread > 0 {
        let count = counted(finds.unread, "byte", "bytes");
        let text = format!("no game in {count} of the game file {location}");
        info.problems.push(text);
    }
    if finds.copies > 0 {
        let count = counted(finds.copies, "copy of a game", "copies of games");
        let text = format!("left out: {count} {location}");
        info.problems.push(text);
    }
}

/// A search for the games of index entries.
struct Search<'a> {
    version: Version,
    entries: &'a Entries,
    file: &'a [u8],
    depth: u32,
}

impl Search<'_> {
    fn entry(&self, game: u32) -> Option<Entry> {
        self.entries.get(game)
    }

    /// Where the last game of an entry ends, and how many entries lead to no game. Notes the blank
    /// entries.
    fn extent(&self, salvage: &mut Salvage) -> (usize, u32) {
        let mut end = 0;
        let mut broken = 0;
        for game in 0..self.entries.len() {
            let bytes = self.entries.bytes(game).unwrap_or_default();
            if bytes.iter().all(|&byte| byte == 0) {
                salvage.blank.insert(game);
            }
            match self.entry(game).and_then(|entry| self.range(&entry)) {
                Some((_, blob_end)) => end = end.max(blob_end),
                None => broken += 1,
            }
        }
        (end, broken)
    }

    /// The games that begin at `at` and at the next block, unless entries lead to them.
    fn games_after(&self, at: usize, used: &UsedRanges<'_>) -> [Option<Found>; 2] {
        [at, block_end(self.version, at)].map(|at| {
            let end = used.next_after(at)?.min(self.file.len());
            let end = end.min(block_end(self.version, at));
            game_at(self.file, at, end, self.depth)
        })
    }

    /// Where the first game begins that follows all others and that the file is too short for.
    fn cut_at(&self, end: usize, broken: u32) -> Option<usize> {
        if broken == 0 {
            return None;
        }
        (0..self.entries.len())
            .filter_map(|game| self.entry(game).filter(|entry| entry.blob_length > 0))
            .filter_map(|entry| usize::try_from(entry.blob_at).ok())
            .filter(|&at| at >= end && at < self.file.len())
            .min()
    }

    /// Start and end of an entry's blob. `None` if it is not inside the file.
    fn range(&self, entry: &Entry) -> Option<(usize, usize)> {
        let start = usize::try_from(entry.blob_at).ok()?;
        let end = start.checked_add(entry.blob_length as usize)?;
        (entry.blob_length > 0 && end <= self.file.len()).then_some((start, end))
    }

    /// Finds the games of entries that lead to none: first directly after the game of the entry
    /// before, as games mostly are in the order of their entries, then anywhere between the other
    /// games.
    fn find_broken(&self, salvage: &mut Salvage, info: &mut DatabaseInfo) {
        let mut used: Vec<(usize, usize)> = (0..self.entries.len())
            .filter_map(|game| self.range(&self.entry(game)?))
            .collect();
        used.sort_unstable();
        let lost = self.find_in_order(&UsedRanges(&used), salvage);
        let by_order = salvage.moved.len();
        used.extend(salvage.moved.values().map(|found| {
            let start = found.at as usize;
            (start, start + found.length as usize)
        }));
        used.sort_unstable();
        let mut finds = self.scan_gaps(&used);
        let by_end = match_ends(&lost, &mut finds, salvage);
        let count = by_order + by_end;
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
        report(&finds, "between those of the index", info);
        salvage.unindexed.append(&mut finds.games);
    }

    /// Assigns games that directly follow the game of the entry before. The entries that are left
    /// without a game, except blank ones.
    fn find_in_order(&self, used: &UsedRanges<'_>, salvage: &mut Salvage) -> Vec<(u32, Entry)> {
        let mut last_end = 0;
        let mut lost = Vec::new();
        let mut candidates: Option<(usize, [Option<Found>; 2])> = None;
        for game in 0..self.entries.len() {
            let Some(entry) = self.entry(game) else {
                continue;
            };
            if let Some((_, end)) = self.range(&entry) {
                last_end = end;
                continue;
            }
            let is_blank = salvage.blank.contains(&game);
            let fits = |found: &Found| is_blank || ends_as_stated(&entry, found.end);
            if candidates.is_none_or(|(at, _)| at != last_end) {
                candidates = Some((last_end, self.games_after(last_end, used)));
            }
            let following = candidates.map_or([None; 2], |(_, games)| games);
            match following.into_iter().flatten().find(fits) {
                Some(found) => {
                    last_end = found.at as usize + found.length as usize;
                    salvage.moved.insert(game, found);
                }
                None if is_blank => {}
                None => lost.push((game, entry)),
            }
        }
        lost
    }

    /// Scans the gaps between the ranges, which are sorted.
    fn scan_gaps(&self, used: &[(usize, usize)]) -> Finds {
        let mut finds = Finds::default();
        let mut at = 0;
        for &(start, end) in used {
            if start > at {
                let gap = scan(self.version, self.file, at..start, self.depth);
                finds.games.extend(gap.games);
                finds.unread += gap.unread;
                finds.copies += gap.copies;
            }
            at = at.max(end);
        }
        finds
    }
}

/// Assigns games to the entries that state their end, where both are unique. Returns how many.
fn match_ends(lost: &[(u32, Entry)], finds: &mut Finds, salvage: &mut Salvage) -> usize {
    let mut ends: HashMap<MainlineEnd, (usize, u32)> = HashMap::new();
    for (index, found) in finds.games.iter().enumerate() {
        let end = found.end.clamped(Entry::MAX_PLIES);
        ends.entry(end).or_insert((index, 0)).1 += 1;
    }
    let mut wanted: HashMap<MainlineEnd, u32> = HashMap::new();
    for (_, entry) in lost {
        *wanted.entry(entry.end()).or_default() += 1;
    }
    let mut used = BTreeSet::new();
    for (game, entry) in lost {
        let end = entry.end();
        if let (Some(&(index, 1)), Some(1)) = (ends.get(&end), wanted.get(&end))
            && let Some(found) = finds.games.get(index)
        {
            salvage.moved.insert(*game, *found);
            used.insert(index);
        }
    }
    let mut indexes = 0..;
    finds
        .games
        .retain(|_| indexes.next().is_none_or(|index| !used.contains(&index)));
    used.len()
}

fn ends_as_stated(entry: &Entry, end: MainlineEnd) -> bool {
    entry.end() == end.clamped(Entry::MAX_PLIES)
}

/// The ranges of the file that entries lead to, sorted.
struct UsedRanges<'a>(&'a [(usize, usize)]);

impl UsedRanges<'_> {
    /// Where the first range after `at` begins. `None` if `at` is inside a range.
    fn next_after(&self, at: usize) -> Option<usize> {
        let next = self.0.partition_point(|&(start, _)| start <= at);
        let inside = next
            .checked_sub(1)
            .and_then(|last| self.0.get(last))
            .is_some_and(|&(_, end)| end > at);
        if inside {
            return None;
        }
        Some(self.0.get(next).map_or(usize::MAX, |&(start, _)| start))
    }
}
