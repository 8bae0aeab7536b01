//! What can be saved of a damaged set: games whose index entry is lost or points nowhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tabia_core::error::Error;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::Blob;

use super::blob_scanner::{Finds, Found, block_end, game_at, scan};
use super::entry::{Entry, Version};
use super::file_set::Rows;
use super::game_blob::MainlineEnd;

/// What there is of a game.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The row, with the place where the game was found; only that, when the row is lost.
    pub(crate) row: Entry,
    pub(crate) has_row: bool,
    /// The row was checked against the game, or must be.
    is_checked: bool,
}

impl Record {
    /// A game as its row says.
    pub(crate) fn whole(row: Entry) -> Self {
        Self {
            row,
            has_row: true,
            is_checked: true,
        }
    }

    fn without_row(found: &Found) -> Self {
        let row = Entry {
            blob_at: found.at,
            blob_length: found.length,
            ..Entry::default()
        };
        Self {
            row,
            has_row: false,
            is_checked: true,
        }
    }

    /// Why what was read is not the game of this row.
    pub(crate) fn contradiction(&self, end: MainlineEnd) -> Option<Error> {
        if self.is_checked {
            return None;
        }
        let announced = u32::from(self.row.plies);
        let text = if announced != end.plies.min(MAX_PLIES) {
            format!("the index says {announced} plies, {} are there", end.plies)
        } else if self.row.material != end.material {
            "the last position has other pieces than the index says".to_owned()
        } else {
            return None;
        };
        Some(Error::invalid(text))
    }
}

/// More plies are not counted in a row.
const MAX_PLIES: u32 = 1023;

/// What was found out about a damaged set.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// Games whose row has no place or a wrong one.
    moved: BTreeMap<u32, Found>,
    /// Rows that are nothing but zeros.
    blank: BTreeSet<u32>,
    /// Games without a row, in the order of the file.
    found: Vec<Found>,
    /// Games that the header announces and nothing else knows of.
    missing: u32,
    rows: u32,
}

impl Salvage {
    /// Looks for the games that rows do not lead to; says in the info what was found.
    pub(crate) fn find(
        version: Version,
        rows: &Rows,
        games: &Blob,
        depth: u32,
        info: &mut DatabaseInfo,
    ) -> Self {
        let mut salvage = Self {
            rows: rows.len,
            ..Self::default()
        };
        let search = Search {
            version,
            rows,
            file: games,
            depth,
        };
        let (end, broken) = search.extent(&mut salvage);
        if broken > 0 {
            search.look_for_broken(&mut salvage, info);
        }
        let until = search.cut_at(end, broken).unwrap_or(games.len());
        let tail = scan(version, games, end..until, depth);
        tell(&tail, "behind those of the index", info);
        salvage.found.extend(tail.games);
        let known = salvage.rows as usize + salvage.found.len();
        let missing = rows
            .announced
            .map_or(0, |announced| (announced as usize).saturating_sub(known));
        salvage.missing = missing as u32;
        salvage
    }

    /// Records beyond the rows.
    pub(crate) fn extra(&self) -> u32 {
        u32::try_from(self.found.len())
            .unwrap_or(u32::MAX)
            .saturating_add(self.missing)
    }

    /// What there is of a game, whose row is `row`.
    pub(crate) fn record(&self, game: u32, row: Option<Entry>) -> Option<Record> {
        let Some(row) = row else {
            let place = game.checked_sub(self.rows)? as usize;
            return self.found.get(place).map(Record::without_row);
        };
        let moved = self.moved.get(&game);
        if self.blank.contains(&game) {
            return moved.map(Record::without_row);
        }
        let place = moved.map_or((row.blob_at, row.blob_length), |found| {
            (found.at, found.length)
        });
        Some(Record {
            row: Entry {
                blob_at: place.0,
                blob_length: place.1,
                ..row
            },
            has_row: true,
            is_checked: false,
        })
    }
}

/// Says what a scan has come upon.
fn tell(finds: &Finds, place: &str, info: &mut DatabaseInfo) {
    if !finds.games.is_empty() {
        let count = finds.games.len();
        let text = format!("{count} games were found in the game file {place}");
        info.problems.push(text);
    }
    if finds.unread > 0 {
        let text = format!(
            "{} bytes of the game file {place} are no games",
            finds.unread
        );
        info.problems.push(text);
    }
    if finds.copies > 0 {
        let text = format!("{} copies of games {place} are left out", finds.copies);
        info.problems.push(text);
    }
}

/// Looks for games of rows.
struct Search<'a> {
    version: Version,
    rows: &'a Rows,
    file: &'a [u8],
    depth: u32,
}

impl Search<'_> {
    fn row(&self, game: u32) -> Option<Entry> {
        self.rows.get(self.version, game)
    }

    /// Where the games of the rows end, and how many rows lead to none.
    fn extent(&self, salvage: &mut Salvage) -> (usize, u32) {
        let mut end = 0;
        let mut broken = 0;
        for game in 0..self.rows.len {
            let bytes = self.rows.bytes(self.version, game).unwrap_or_default();
            if bytes.iter().all(|&byte| byte == 0) {
                salvage.blank.insert(game);
            }
            match self.row(game).and_then(|row| self.place(&row)) {
                Some((_, blob_end)) => end = end.max(blob_end),
                None => broken += 1,
            }
        }
        (end, broken)
    }

    /// The games that begin at `at` and in the next block, where no row leads to.
    fn games_behind(&self, at: usize, taken: &Taken<'_>) -> [Option<Found>; 2] {
        [at, block_end(self.version, at)].map(|at| {
            let end = taken.next_after(at)?.min(self.file.len());
            let end = end.min(block_end(self.version, at));
            game_at(self.file, at, end, self.depth)
        })
    }

    /// Where a game begins that the file is too short for, behind all that are whole.
    fn cut_at(&self, end: usize, broken: u32) -> Option<usize> {
        if broken == 0 {
            return None;
        }
        (0..self.rows.len)
            .filter_map(|game| usize::try_from(self.row(game)?.blob_at).ok())
            .filter(|&at| at >= end && at < self.file.len())
            .min()
    }

    /// Start and end of a row's blob, when it is in the file.
    fn place(&self, row: &Entry) -> Option<(usize, usize)> {
        let start = usize::try_from(row.blob_at).ok()?;
        let end = start.checked_add(row.blob_length as usize)?;
        (row.blob_length > 0 && end <= self.file.len()).then_some((start, end))
    }

    /// Looks for the games of rows that lead nowhere: first behind the game of the row before, as
    /// games mostly lie in the order of their rows, then anywhere between the other games.
    fn look_for_broken(&self, salvage: &mut Salvage, info: &mut DatabaseInfo) {
        let mut taken: Vec<(usize, usize)> = (0..self.rows.len)
            .filter_map(|game| self.place(&self.row(game)?))
            .collect();
        taken.sort_unstable();
        let mut last_end = 0;
        let mut lost = Vec::new();
        let is_taken = Taken(&taken);
        let mut behind = None;
        for game in 0..self.rows.len {
            let Some(row) = self.row(game) else { continue };
            if let Some((_, end)) = self.place(&row) {
                last_end = end;
                continue;
            }
            let is_blank = salvage.blank.contains(&game);
            let fits = |found: &Found| is_blank || is_end_of(&row, found.end);
            if behind.is_none_or(|(at, _)| at != last_end) {
                behind = Some((last_end, self.games_behind(last_end, &is_taken)));
            }
            let candidates = behind.map_or([None; 2], |(_, games)| games);
            let found = candidates.into_iter().flatten().find(fits);
            match found {
                Some(found) => {
                    last_end = found.at as usize + found.length as usize;
                    salvage.moved.insert(game, found);
                }
                None if is_blank => {}
                None => lost.push((game, row)),
            }
        }
        let by_order = salvage.moved.len();
        taken.extend(salvage.moved.values().map(|found| {
            let start = found.at as usize;
            (start, start + found.length as usize)
        }));
        taken.sort_unstable();
        let mut finds = Finds::default();
        let mut at = 0;
        for (start, end) in taken {
            if start > at {
                let gap = scan(self.version, self.file, at..start, self.depth);
                finds.games.extend(gap.games);
                finds.unread += gap.unread;
                finds.copies += gap.copies;
            }
            at = at.max(end);
        }
        let by_end = match_ends(&lost, &mut finds, salvage);
        let count = by_order + by_end;
        if count > 0 {
            info.problems.push(format!(
                "{count} games were found at other places than their index entries say"
            ));
        }
        tell(&finds, "between those of the index", info);
        salvage.found.append(&mut finds.games);
    }
}

/// Gives rows the games that end as they say, where only one does.
fn match_ends(lost: &[(u32, Entry)], finds: &mut Finds, salvage: &mut Salvage) -> usize {
    let key = |end: MainlineEnd| (end.plies.min(MAX_PLIES), end.material);
    let mut ends: HashMap<(u32, u32), (usize, u32)> = HashMap::new();
    for (place, found) in finds.games.iter().enumerate() {
        ends.entry(key(found.end)).or_insert((place, 0)).1 += 1;
    }
    let mut wanted: HashMap<(u32, u32), u32> = HashMap::new();
    for (_, row) in lost {
        *wanted
            .entry((u32::from(row.plies), row.material))
            .or_default() += 1;
    }
    let mut used = BTreeSet::new();
    for (game, row) in lost {
        let key = (u32::from(row.plies), row.material);
        if let (Some(&(place, 1)), Some(1)) = (ends.get(&key), wanted.get(&key))
            && let Some(found) = finds.games.get(place)
        {
            salvage.moved.insert(*game, *found);
            used.insert(place);
        }
    }
    let mut places = 0..;
    finds
        .games
        .retain(|_| places.next().is_none_or(|place| !used.contains(&place)));
    used.len()
}

fn is_end_of(row: &Entry, end: MainlineEnd) -> bool {
    u32::from(row.plies) == end.plies.min(MAX_PLIES) && row.material == end.material
}

/// The places in a file that rows lead to, sorted.
struct Taken<'a>(&'a [(usize, usize)]);

impl Taken<'_> {
    /// Where the next game of a row begins; `None` when one lies at `at`.
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
