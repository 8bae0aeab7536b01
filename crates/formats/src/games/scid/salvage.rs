//! Salvage of damaged sets: finds the games whose index entry is lost or leads to no game.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use tabia_core::games::DatabaseInfo;
use tabia_core::io::Blob;
use tabia_core::plural::counted;

use crate::games::common::salvage::{
    self, CHANGED_RECORD, IndexedGame, LocatedRecord, MainlineEnd, OUT_OF_ORDER, changed_records,
};

use super::blob_finder::{Finds, Found, attempt, block_end, game_at, scan};
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
    let (mut end, mut broken) = search.extent(&mut salvage);
    search.find_shifted(&mut salvage, info);
    search.find_shared(&mut salvage);
    broken += salvage.shared.len() as u32;
    if broken > 0 {
        search.find_broken(&mut salvage, info);
    }
    let found = salvage.moved.values().chain(&salvage.unindexed);
    let ends = found.map(|found| found.at as usize + found.length as usize);
    end = ends.max().unwrap_or_default().max(end);
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

    /// Finds the games of entries that lead into the file, but not to a game: bytes were inserted or lost before them, so
    /// that all games up to the next such damage are as far from where the index has them.
    fn find_shifted(&self, salvage: &mut Salvage, info: &mut DatabaseInfo) {
        let (mut whole, mut misled) = (Vec::new(), Vec::new());
        // Offsets of entries, and how far from there their games are.
        let mut located: Vec<(u64, i64)> = Vec::new();
        let mut records = Vec::new();
        for game in 0..self.entries.len() {
            let Some(entry) = self.entry(game) else {
                continue;
            };
            let Some((start, end)) = self.range(&entry) else {
                continue;
            };
            let found = game_at(self.file, start, end, self.depth);
            if found.is_some_and(|found| found.length == entry.blob_length) {
                located.push((entry.blob_at, 0));
                records.push(located_at(entry.blob_at, &entry, game));
                whole.push((start, end));
            } else {
                misled.push((game, entry));
            }
        }
        if misled.is_empty() {
            return;
        }
        whole.sort_unstable();
        whole.push((self.file.len(), self.file.len()));
        let finds = self.scan_gaps(&whole);
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        let mut shifts = Shifts {
            search: self,
            whole: &whole,
            last: None,
            distances: likely_distances(&misled, &finds.games),
            searches: 0,
            left: STEPS + STEPS_PER_BYTE.saturating_mul(self.file.len()),
        };
        misled.sort_unstable_by_key(|(game, entry)| (entry.blob_at, *game));
        let mut lost = Vec::new();
        for (index, &(game, entry)) in misled.iter().enumerate() {
            let others = misled.get(index + 1..).unwrap_or_default();
            let Some((distance, found)) = shifts.locate(&entry, others) else {
                lost.push((game, entry));
                continue;
            };
            salvage.moved.insert(game, found);
            located.push((entry.blob_at, distance));
            records.push(located_at(found.at, &entry, game));
            *counts.entry(distance).or_default() += 1;
        }
        located.sort_unstable();
        for (game, entry) in lost {
            let distance = distance_between(&located, entry.blob_at);
            let Some(distance) = distance.filter(|&distance| distance != 0) else {
                let found = self.range(&entry);
                let found =
                    found.and_then(|(start, end)| game_at(self.file, start, end, self.depth));
                // Of one that ends elsewhere all moves can be read, and its texts may be those of others.
                if distance.is_none() || found.is_some() {
                    salvage.changed.insert(game, CHANGED_RECORD);
                }
                continue;
            };
            let moved = Entry {
                blob_at: entry.blob_at.saturating_add_signed(distance),
                ..entry
            };
            if self.range(&moved).is_some() {
                salvage.moved.insert(game, Found::stated(&moved));
                *counts.entry(distance).or_default() += 1;
            }
        }
        for game in other_claims(salvage, &records, &counts) {
            salvage.moved.remove(&game);
            salvage.changed.insert(game, CHANGED_RECORD);
            records.retain(|record| record.game != game);
        }
        let changed = changed_records(records.clone()).into_iter();
        salvage
            .changed
            .extend(changed.map(|game| (game, CHANGED_RECORD)));
        let out_of_order = out_of_order(&records, &counts).into_iter();
        salvage
            .changed
            .extend(out_of_order.map(|game| (game, OUT_OF_ORDER)));
        for (distance, count) in counts {
            let bytes = counted(distance.unsigned_abs(), "byte", "bytes");
            let side = if distance > 0 { "after" } else { "before" };
            let games = counted(count, "game was found", "games were found");
            let text = format!("{games} {bytes} {side} where the index has them");
            info.problems.push(text);
        }
    }

    /// Whether the game there ends as the entry states.
    fn fits(&self, entry: &Entry, start: usize, end: usize) -> bool {
        let found = game_at(self.file, start, end, self.depth);
        found.is_some_and(|found| ends_as_stated(entry, found.end))
    }

    /// Notes the entries that lead to a record of another one.
    fn find_shared(&self, salvage: &mut Salvage) {
        let in_place = (0..self.entries.len()).filter(|game| !salvage.moved.contains_key(game));
        let records = in_place.filter_map(|game| {
            let (start, end) = self.range(&self.entry(game)?)?;
            Some((start..end, game))
        });
        salvage.shared = salvage::shared_records(records.collect());
    }

    /// Finds the games of entries that lead to none: first directly after the game of the entry
    /// before, as games mostly are in the order of their entries, then anywhere between the other
    /// games.
    fn find_broken(&self, salvage: &mut Salvage, info: &mut DatabaseInfo) {
        let mut used: Vec<(usize, usize)> = (0..self.entries.len())
            .filter_map(|game| self.range(&self.entry(game)?))
            .collect();
        used.sort_unstable();
        let shifted = salvage.moved.len();
        let lost = self.find_in_order(&UsedRanges(&used), salvage);
        let by_order = salvage.moved.len() - shifted;
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
            // An entry that fits the game of another one is a copy of the other entry: no other game is its own.
            if let Some((start, end)) = self.range(&entry)
                && (!salvage.shared.contains_key(&game) || self.fits(&entry, start, end))
            {
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

/// The search for games that are elsewhere than their entries have them.
struct Shifts<'s, 'a> {
    search: &'s Search<'a>,
    /// The games that are where their entries have them, in their order.
    whole: &'s [(usize, usize)],
    /// How far the last game is from its entry.
    last: Option<i64>,
    /// How far games are from their entries, the distance of the last one first.
    distances: Vec<i64>,
    /// Entries for which games were searched near by.
    searches: u32,
    /// Moves and tags that attempts may still read, which bounds the time for crafted files.
    left: usize,
}

impl Shifts<'_, '_> {
    /// The game of an entry, and its distance from where the entry has it. `others` are those after it.
    fn locate(&mut self, entry: &Entry, others: &[(u32, Entry)]) -> Option<(i64, Found)> {
        let last = self.last;
        let found = match last.and_then(|distance| self.at_distance(entry, distance)) {
            Some(found) => last.map(|distance| (distance, found)),
            None => match self.longest_run(entry, others) {
                Some((run, distance, found)) => {
                    // Where games repeat, a lost one may be at the distance of others.
                    let mut next = (1..=LOST_RECORDS).filter_map(|skipped| {
                        let (_, entry) = others.get(skipped - 1)?;
                        let rest = others.get(skipped..).unwrap_or_default();
                        Some((entry, rest))
                    });
                    let is_longer = |(entry, rest): (&Entry, &[(u32, Entry)])| {
                        let best = self.longest_run(entry, rest);
                        best.is_some_and(|(longer, ..)| longer > run)
                    };
                    if run < LONG_RUN.min(others.len()) && next.any(is_longer) {
                        return None;
                    }
                    Some((distance, found))
                }
                None => None,
            },
        };
        let (distance, found) = match found {
            Some(found) => found,
            None => self.search_near(entry)?,
        };
        self.last = Some(distance);
        // The next game is mostly as far from its entry.
        self.distances.retain(|other| *other != distance);
        self.distances.insert(0, distance);
        Some((distance, found))
    }

    /// The game of an entry at the likely distance at which most games of those after it are, too, and how many.
    fn longest_run(
        &mut self,
        entry: &Entry,
        others: &[(u32, Entry)],
    ) -> Option<(usize, i64, Found)> {
        let mut best: Option<(usize, i64, Found)> = None;
        for index in 0..self.distances.len() {
            let distance = *self.distances.get(index)?;
            let Some(found) = self.at_distance(entry, distance) else {
                continue;
            };
            let mut run = 0;
            for (_, other) in others.iter().take(LONG_RUN) {
                if self.at_distance(other, distance).is_none() {
                    break;
                }
                run += 1;
            }
            if best.is_none_or(|(longest, ..)| run > longest) {
                best = Some((run, distance, found));
            }
        }
        best
    }

    fn search_near(&mut self, entry: &Entry) -> Option<(i64, Found)> {
        self.searches += 1;
        if self.searches > MAX_SEARCHES {
            return None;
        }
        let mut distances = (1..=MAX_NEAR).flat_map(|distance| [distance, -distance]);
        distances.find_map(|distance| {
            let found = self.at_distance(entry, distance)?;
            found.is_sure().then_some((distance, found))
        })
    }

    fn at_distance(&mut self, entry: &Entry, distance: i64) -> Option<Found> {
        if self.left == 0 {
            return None;
        }
        let start = entry.blob_at.checked_add_signed(distance)?;
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(entry.blob_length as usize)?;
        // Those are the games of other entries.
        let next = self
            .whole
            .partition_point(|&(_, whole_end)| whole_end <= start);
        if self.whole.get(next).is_some_and(|&(whole, _)| whole < end) {
            return None;
        }
        let (found, spent) = attempt(self.search.file, start, end, self.search.depth);
        self.left = self.left.saturating_sub(spent);
        found.filter(|found| found.length == entry.blob_length && ends_as_stated(entry, found.end))
    }
}

/// The games whose records were found where that of another one is, all but those that are as far from their entries as
/// most.
fn other_claims(
    salvage: &Salvage,
    records: &[LocatedRecord],
    counts: &BTreeMap<i64, u64>,
) -> Vec<u32> {
    let mut found: Vec<(u64, Reverse<u64>, u32)> = Vec::new();
    for record in records
        .iter()
        .filter(|record| salvage.moved.contains_key(&record.game))
    {
        let distance = record.at.wrapping_sub(record.stated_at) as i64;
        let count = counts.get(&distance).copied().unwrap_or_default();
        found.push((record.at, Reverse(count), record.game));
    }
    found.sort_unstable();
    let claims = found.windows(2).filter_map(|pair| match pair {
        [(at, ..), (other, _, game)] if at == other => Some(*game),
        _ => None,
    });
    claims.collect()
}

/// The games that are not as far from their entries as most, where bytes were inserted or lost, and lie after one that the
/// index has after them.
fn out_of_order(records: &[LocatedRecord], counts: &BTreeMap<i64, u64>) -> Vec<u32> {
    let most = counts.iter().max_by_key(|(_, count)| **count);
    let Some((&usual, _)) = most.filter(|(_, count)| **count >= MANY) else {
        return Vec::new();
    };
    let distance = |record: &LocatedRecord| record.at.wrapping_sub(record.stated_at) as i64;
    let mut sorted: Vec<&LocatedRecord> = records.iter().collect();
    sorted.sort_unstable_by_key(|record| (record.stated_at, record.game));
    let mut next = u64::MAX;
    let mut found = Vec::new();
    for record in sorted.into_iter().rev() {
        if distance(record) == usual || distance(record) == 0 {
            next = next.min(record.at);
        } else if record.at >= next {
            found.push(record.game);
        }
    }
    found
}

/// The record of an entry, found at an offset.
fn located_at(at: u64, entry: &Entry, game: u32) -> LocatedRecord {
    LocatedRecord {
        at,
        stated_at: entry.blob_at,
        stated_end: entry.blob_at.saturating_add(entry.blob_length.into()),
        game,
    }
}

/// The distances at which several games were found from where entries have games of such a length and end, the most
/// frequent first.
fn likely_distances(misled: &[(u32, Entry)], found: &[Found]) -> Vec<i64> {
    let mut starts: HashMap<(u32, MainlineEnd), Vec<u64>> = HashMap::new();
    for found in found {
        let key = (found.length, found.end.clamped(Entry::MAX_PLIES));
        starts.entry(key).or_default().push(found.at);
    }
    let mut counts: HashMap<i64, u32> = HashMap::new();
    for (_, entry) in misled {
        let starts = starts.get(&(entry.blob_length, entry.end()));
        let starts = starts.map_or(&[][..], Vec::as_slice);
        // Of equal games those that are near.
        let near = starts.partition_point(|&at| at < entry.blob_at);
        let near = near.saturating_sub(NEAR)..(near + NEAR).min(starts.len());
        for at in starts.get(near).unwrap_or_default() {
            *counts
                .entry((*at).wrapping_sub(entry.blob_at) as i64)
                .or_default() += 1;
        }
    }
    let mut likely: Vec<(u32, i64)> = counts
        .into_iter()
        .filter(|&(distance, count)| distance != 0 && count > 1)
        .map(|(distance, count)| (count, distance))
        .collect();
    likely.sort_unstable_by_key(|&(count, distance)| {
        (Reverse(count), distance.unsigned_abs(), distance)
    });
    likely.truncate(MAX_DISTANCES);
    likely.into_iter().map(|(_, distance)| distance).collect()
}

/// How far from their entries the games before and after an offset are, if they are equally far.
fn distance_between(located: &[(u64, i64)], at: u64) -> Option<i64> {
    let next = located.partition_point(|&(other, _)| other < at);
    let (_, before) = *located.get(next.checked_sub(1)?)?;
    let after = located.get(next).map_or(before, |&(_, after)| after);
    (before == after).then_some(before)
}

/// Games that may be lost in a row where bytes were lost.
const LOST_RECORDS: usize = 3;
/// Games in a row that are compared at a distance.
const LONG_RUN: usize = 64;
/// Games at one distance that show that bytes were inserted or lost.
const MANY: u64 = 4;
/// Equal games on each side of an entry that are compared with it.
const NEAR: usize = 8;
/// How far from its entry a game is searched, and for how many entries at most.
const MAX_NEAR: i64 = 1 << 15;
const MAX_SEARCHES: u32 = 64;
/// Moves and tags that are read to find shifted games, at most: some, and more for each byte of the game file.
const STEPS: usize = 1 << 24;
const STEPS_PER_BYTE: usize = 4;
/// Distances that are tried at first, at most.
const MAX_DISTANCES: usize = 64;

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
