//! What can be saved of a damaged set: games whose row is lost or leads to another place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tabia_core::error::Error;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::Cursor;

use super::blob_scanner::{End, Found, Scanner};
use super::entry::{Entry, NO_YEAR, STANDARD};
use super::file_set::Rows;
use super::record_body::LENGTH;

/// What there is of a game.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The row, with the place where the game was found; only that, when the row is lost.
    pub(crate) row: Entry,
    pub(crate) has_row: bool,
    /// Whether the row must be held against the game.
    is_doubtful: bool,
}

impl Record {
    /// A game as its row says.
    pub(crate) const fn whole(row: Entry) -> Self {
        Self {
            row,
            has_row: true,
            is_doubtful: false,
        }
    }

    fn without_row(found: &Found) -> Self {
        let row = Entry {
            record_at: found.at as u32,
            year: NO_YEAR,
            start: STANDARD,
            // Names that nobody has.
            white: u32::MAX,
            black: u32::MAX,
            event: u32::MAX,
            annotator: u32::MAX,
            ..Entry::default()
        };
        Self {
            row,
            has_row: false,
            is_doubtful: false,
        }
    }

    /// Why what was read is not the game of this row.
    pub(crate) fn contradiction(&self, found: End) -> Option<Error> {
        if !self.is_doubtful {
            return None;
        }
        let said = End::of(&self.row);
        let text = if said.plies != found.plies {
            format!(
                "the index says {} plies, {} are there",
                said.plies, found.plies
            )
        } else if said.material != found.material {
            "the last position has other pieces than the index says".to_owned()
        } else {
            return None;
        };
        Some(Error::invalid(text))
    }
}

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
        rows: &Rows,
        announced: Option<u32>,
        scanner: Scanner<'_>,
        info: &mut DatabaseInfo,
    ) -> Self {
        let mut salvage = Self {
            rows: rows.len,
            ..Self::default()
        };
        let search = Search { rows, scanner };
        let (mut taken, broken) = search.sure(&mut salvage);
        taken.sort_unstable_by_key(|place| place.start);
        let is_short = announced.is_some_and(|announced| announced > rows.len);
        let mut finds = search.free(&taken, !broken.is_empty() || is_short, info);
        if !broken.is_empty() {
            search.assign(&broken, &taken, &mut finds, &mut salvage, info);
        }
        if !finds.is_empty() {
            let count = finds.len();
            info.problems.push(format!(
                "{count} games were found that no index entry leads to"
            ));
        }
        salvage.found = finds;
        let known = salvage.rows as usize + salvage.found.len();
        let missing = announced.map_or(0, |announced| (announced as usize).saturating_sub(known));
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
        Some(Record {
            row: Entry {
                record_at: moved.map_or(row.record_at, |found| found.at as u32),
                ..row
            },
            has_row: true,
            is_doubtful: true,
        })
    }
}

/// Looks for games of rows.
struct Search<'a> {
    rows: &'a Rows,
    scanner: Scanner<'a>,
}

impl Search<'_> {
    /// The places of the games that rows lead to for sure, and the rows that do not.
    fn sure(&self, salvage: &mut Salvage) -> (Vec<Range<usize>>, Vec<u32>) {
        let mut taken = Vec::new();
        let mut broken = Vec::new();
        for game in 0..self.rows.len {
            let is_blank = self.rows.bytes(game).iter().all(|&byte| byte == 0);
            if is_blank {
                salvage.blank.insert(game);
            }
            match self.own(game).filter(|_| !is_blank) {
                Some(found) => taken.push(found.range()),
                None => broken.push(game),
            }
        }
        (taken, broken)
    }

    /// The game at the place of a row, if it is the one that the row speaks of.
    fn own(&self, game: u32) -> Option<Found> {
        let row = self.rows.get(game)?;
        let found = self.scanner.game_at(row.record_at as usize)?;
        (found.at >= self.scanner.first() && found.fits(&row)).then_some(found)
    }

    /// The games that no row leads to: behind all others, and between them when some are missed.
    fn free(
        &self,
        taken: &[Range<usize>],
        is_everywhere: bool,
        info: &mut DatabaseInfo,
    ) -> Vec<Found> {
        let mut gaps = Vec::new();
        let mut at = self.scanner.first();
        for place in taken {
            if is_everywhere && place.start > at {
                gaps.push(at..place.start);
            }
            at = at.max(place.end);
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
            let text = format!("{unread} bytes of the game file are no games");
            info.problems.push(text);
        }
        games
    }

    /// Gives games to the rows that lead to none: the one behind the game of the row before, as
    /// games mostly lie in the order of their rows; the only one that ends as the row says; the one
    /// that lies where the row leads to.
    fn assign(
        &self,
        broken: &[u32],
        taken: &[Range<usize>],
        finds: &mut Vec<Found>,
        salvage: &mut Salvage,
        info: &mut DatabaseInfo,
    ) {
        let mut is_used = vec![false; finds.len()];
        let mut left = Vec::new();
        let mut last_end = self.scanner.first();
        let mut rest = broken.iter().copied().peekable();
        for game in 0..self.rows.len {
            let Some(row) = self.rows.get(game) else {
                continue;
            };
            if rest.next_if_eq(&game).is_none() {
                last_end = self.end_of(&row).unwrap_or(last_end);
                continue;
            }
            let is_blank = salvage.blank.contains(&game);
            let next = finds.partition_point(|found| found.at < last_end);
            let found = finds.get(next).copied().filter(|found| {
                let is_next = taken
                    .get(taken.partition_point(|place| place.start < last_end))
                    .is_none_or(|place| place.start >= found.at);
                let is_free = is_used.get(next) == Some(&false);
                is_next && is_free && (is_blank || found.fits(&row))
            });
            if let (Some(found), Some(is_used)) = (found, is_used.get_mut(next)) {
                *is_used = true;
                last_end = found.range().end;
                salvage.moved.insert(game, found);
            } else if !is_blank {
                left.push((game, row));
            }
        }
        let mut by_key: BTreeMap<(u16, Option<End>), (usize, u32)> = BTreeMap::new();
        for (place, found) in finds.iter().enumerate() {
            if is_used.get(place) == Some(&false) {
                by_key
                    .entry((found.start, found.end))
                    .or_insert((place, 0))
                    .1 += 1;
            }
        }
        let mut wanted: BTreeMap<(u16, Option<End>), u32> = BTreeMap::new();
        let key = |row: &Entry| (row.start, Some(End::of(row)));
        for (_, row) in &left {
            *wanted.entry(key(row)).or_default() += 1;
        }
        left.retain(|(game, row)| {
            let key = key(row);
            let (Some(&(place, 1)), Some(1)) = (by_key.get(&key), wanted.get(&key)) else {
                return true;
            };
            let (Some(found), Some(is_used)) = (finds.get(place), is_used.get_mut(place)) else {
                return true;
            };
            *is_used = true;
            salvage.moved.insert(*game, *found);
            false
        });
        let count = salvage.moved.len();
        for (game, row) in left {
            let place = finds.binary_search_by_key(&(row.record_at as usize), |found| found.at);
            if let Ok(place) = place
                && let (Some(found), Some(is_used @ false)) =
                    (finds.get(place), is_used.get_mut(place))
            {
                *is_used = true;
                salvage.moved.insert(game, *found);
            }
        }
        if count > 0 {
            info.problems.push(format!(
                "{count} games were found at other places than their index entries say"
            ));
        }
        let mut places = 0..;
        finds.retain(|_| {
            let place = places.next().unwrap_or_default();
            is_used.get(place) == Some(&false)
        });
    }

    /// Where the record of a row ends.
    fn end_of(&self, row: &Entry) -> Option<usize> {
        let at = row.record_at as usize;
        let mut cursor = Cursor::new(self.scanner.file.get(at..)?);
        let length = cursor.u24_be("length").ok()? as usize;
        Some(at + length.max(LENGTH))
    }
}
