//! Salvage of damaged databases whose index has an entry for every game: which game of the game
//! file belongs to which entry. Searching the game file is up to the format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::{Material, Position};
use tabia_core::error::{Error, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, Visitor};
use tabia_core::games::{BlankEntries, DatabaseInfo, PartKind, StoredPart, blank_entry};
use tabia_core::plural::counted;

use super::realign_entries::CHANGED_ENTRY;
use super::record_context::Origin;
use super::scid_and_scidb_file_set::{Entries, StoredEntry};

/// Whether a database is opened for repair.
///
/// # Errors
/// When it is, in a build without writers, which has nothing to repair it with.
#[inline(always)]
pub(crate) fn is_for_repair(options: &OpenOptions) -> Result<bool> {
    if cfg!(feature = "writers") {
        return Ok(options.salvage);
    }
    refuse_repair(options)?;
    // What repairs is not compiled then: the answer is known.
    Ok(false)
}

fn refuse_repair(options: &OpenOptions) -> Result<()> {
    if options.salvage {
        return Err(Error::unsupported("this build repairs no databases"));
    }
    Ok(())
}

/// Where the mainline of a game ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MainlineEnd {
    pub(crate) plies: u32,
    /// Material signature of the last position.
    pub(crate) material: u32,
}

impl MainlineEnd {
    pub(crate) fn new(plies: u32, last: &Position) -> Self {
        Self {
            plies,
            material: Material::of(last).to_bits(),
        }
    }

    /// The end as an index entry that counts at most `max_plies` states it.
    pub(crate) fn clamped(self, max_plies: u32) -> Self {
        Self {
            plies: self.plies.min(max_plies),
            ..self
        }
    }
}

/// An entry of an index.
pub(crate) trait IndexedGame: StoredEntry + Copy {
    /// A game that a search of the game file found.
    type Found: Copy + Debug;

    /// The most plies that an entry counts.
    const MAX_PLIES: u32;

    /// An entry that states only where its game is.
    fn of_found(found: &Self::Found) -> Self;

    /// The same entry for a game at another offset.
    fn moved_to(self, found: &Self::Found) -> Self;

    /// Where the mainline ends according to the entry, at most [`Self::MAX_PLIES`] plies.
    fn end(&self) -> MainlineEnd;
}

/// An index entry with the offset where its game really is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SalvagedEntry<E> {
    pub(crate) entry: E,
    /// False if the entry is lost: `entry` states only where the game is.
    pub(crate) has_entry: bool,
    /// The entry must be compared with the game.
    is_doubtful: bool,
    /// The index of the game whose entry leads to the same bytes.
    shared_with: Option<u32>,
    /// What was changed of it, as a problem.
    changed: Option<&'static str>,
}

impl<E: IndexedGame> SalvagedEntry<E> {
    /// An entry of an intact database.
    pub(crate) const fn intact(entry: E) -> Self {
        Self {
            entry,
            has_entry: true,
            is_doubtful: false,
            shared_with: None,
            changed: None,
        }
    }

    fn without_entry(found: &E::Found) -> Self {
        Self {
            entry: E::of_found(found),
            has_entry: false,
            is_doubtful: false,
            shared_with: None,
            changed: None,
        }
    }

    /// The problem of a game without an index entry, or with one that leads to the record of another game; `None` if
    /// it has its own.
    pub(crate) fn entry_problem(
        &self,
        origin: &Origin<'_>,
        index_file: &Arc<Path>,
    ) -> Option<Error> {
        let error = if let Some(other) = self.shared_with {
            let other = GameIndex(other);
            Error::invalid(format!(
                "its entry leads to the record of game {other}: which of the two it belongs to is unknown"
            ))
        } else if !self.has_entry {
            Error::not_in_file(
                "its index entry is lost: names, date, ratings, result and whether it was deleted",
            )
        } else {
            Error::invalid(self.changed?)
        };
        Some(error.in_game(origin.game).in_file(index_file))
    }

    /// Reports a game that is not the one of its entry. `end`: the end of its mainline, `None` if it was
    /// not read to its end; `flow`: the result of reading it.
    pub(crate) fn check_end(
        &self,
        flow: Flow,
        end: Option<MainlineEnd>,
        origin: &Origin<'_>,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        match end.and_then(|end| self.contradiction(end)) {
            Some(error) if flow == Flow::Go => {
                let error = error.in_game(origin.game).in_file(origin.file);
                origin.report(error, None, visitor)
            }
            _ => Ok(flow),
        }
    }

    /// Why a game that ends so is not the game of this entry. `None` if it may be.
    fn contradiction(&self, found: MainlineEnd) -> Option<Error> {
        if !self.is_doubtful {
            return None;
        }
        let stated = self.entry.end();
        let text = if stated.plies != found.plies.min(E::MAX_PLIES) {
            let stated = counted(stated.plies, "ply", "plies");
            format!("the index states {stated}, the game has {}", found.plies)
        } else if stated.material != found.material {
            "the last position has other pieces than the index states".to_owned()
        } else {
            return None;
        };
        Some(Error::invalid(text))
    }
}

/// The problem of a game that [`changed_records`] names.
pub(crate) const CHANGED_RECORD: &str = "bytes were inserted or lost in its record or at its end: what follows them there may be other than it was";

/// The problem of a game whose record is not among those that lie before and after it according to the index.
pub(crate) const OUT_OF_ORDER: &str =
    "its record is elsewhere than the index states, and may be that of another game";

/// A record that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LocatedRecord {
    /// The offset where it is.
    pub(crate) at: u64,
    /// Where the index has it.
    pub(crate) stated_at: u64,
    /// Where it ends according to the index.
    pub(crate) stated_end: u64,
    pub(crate) game: u32,
}

/// The games in or after whose records bytes were inserted or lost: those of the next record are as far from where the
/// index has them as those of the ones after it, but not as far as this one.
pub(crate) fn changed_records(mut records: Vec<LocatedRecord>) -> BTreeSet<u32> {
    records.sort_unstable();
    let distance = |record: &LocatedRecord| record.at.wrapping_sub(record.stated_at);
    // One record between others whose distance is another one has a wrong offset in the index.
    let is_misled = |index: usize| {
        let at = |index: usize| records.get(index).map(distance);
        let (before, after) = (index.checked_sub(1).and_then(at), at(index + 1));
        before == after && before != at(index)
    };
    let changes = (1..records.len()).filter_map(|index| {
        let [before, next] = [records.get(index - 1)?, records.get(index)?];
        let follows = before.stated_end == next.stated_at;
        // Several entries with wrong offsets are at a distance each.
        let goes_on = records
            .get(index + 1)
            .is_some_and(|after| distance(after) == distance(next));
        let is_change = distance(before) != distance(next)
            && (follows || goes_on && !(is_misled(index - 1) || is_misled(index)));
        is_change.then_some(before.game)
    });
    changes.collect()
}

/// The games whose records overlap that of another one, which begins before it or has the smaller index, with the index
/// of that game.
pub(crate) fn shared_records(mut records: Vec<(Range<usize>, u32)>) -> BTreeMap<u32, u32> {
    records.sort_unstable_by_key(|(range, game)| (range.start, *game));
    let mut shared = BTreeMap::new();
    let mut last: Option<(usize, u32)> = None;
    for (range, game) in records {
        match last {
            Some((end, other)) if range.start < end => {
                shared.insert(game, other);
                if range.end > end {
                    last = Some((range.end, game));
                }
            }
            _ => last = Some((range.end, game)),
        }
    }
    shared
}

/// The games of a damaged database.
#[derive(Debug)]
pub(crate) struct Salvage<E: IndexedGame> {
    /// Games that their entries do not lead to, by game index.
    pub(crate) moved: BTreeMap<u32, E::Found>,
    /// Entries that are nothing but zeros.
    pub(crate) blank: BTreeSet<u32>,
    /// Entries that lead to the record of another entry, and the index of that game.
    pub(crate) shared: BTreeMap<u32, u32>,
    /// Why games whose records were found may be other than they were.
    pub(crate) changed: BTreeMap<u32, &'static str>,
    /// Games without an entry, in the order of the game file.
    pub(crate) unindexed: Vec<E::Found>,
    /// Entries of the index.
    entries: u32,
}

impl<E: IndexedGame> Salvage<E> {
    pub(crate) const fn new(entries: u32) -> Self {
        Self {
            moved: BTreeMap::new(),
            blank: BTreeSet::new(),
            shared: BTreeMap::new(),
            changed: BTreeMap::new(),
            unindexed: Vec::new(),
            entries,
        }
    }

    /// Reports the games that the header of the index announces and that were not found. As nothing
    /// but the header states their number, they are no records.
    pub(crate) fn report_missing(&self, announced: Option<u32>, info: &mut DatabaseInfo) {
        let found = self.entries.saturating_add(self.extra());
        info.missing = announced.map_or(0, |announced| announced.saturating_sub(found));
        if info.missing > 0 {
            let count = counted(info.missing, "game", "games");
            info.problems.push(format!(
                "{count} of those that the index announces left neither an entry nor moves"
            ));
        }
    }

    /// Games beyond the entries of the index.
    pub(crate) fn extra(&self) -> u32 {
        u32::try_from(self.unindexed.len()).unwrap_or(u32::MAX)
    }

    /// What is left of a game. `None` if nothing is.
    fn entry(&self, game: u32, entries: &Entries<E>) -> Option<SalvagedEntry<E>> {
        let Some(entry) = entries.get(game) else {
            let index = game.checked_sub(self.entries)? as usize;
            return self.unindexed.get(index).map(SalvagedEntry::without_entry);
        };
        let moved = self.moved.get(&game);
        if self.blank.contains(&game) {
            return moved.map(SalvagedEntry::without_entry);
        }
        Some(SalvagedEntry {
            entry: moved.map_or(entry, |found| entry.moved_to(found)),
            has_entry: true,
            is_doubtful: true,
            shared_with: match moved {
                Some(_) => None,
                None => self.shared.get(&game).copied(),
            },
            changed: match self.changed.get(&game) {
                Some(text) => Some(text),
                None => entries.is_changed(game).then_some(CHANGED_ENTRY),
            },
        })
    }
}

/// The games of a database: the entries of its index, and those found by salvage.
#[derive(Debug)]
pub(crate) struct Index<E: IndexedGame> {
    entries: Entries<E>,
    salvage: Option<Salvage<E>>,
    len: u32,
    file: Arc<Path>,
}

impl<E: IndexedGame> Index<E> {
    /// An index of entries from `file`.
    pub(crate) fn new(entries: Entries<E>, salvage: Option<Salvage<E>>, file: Arc<Path>) -> Self {
        let extra = salvage.as_ref().map_or(0, Salvage::extra);
        Self {
            len: entries.len().saturating_add(extra),
            entries,
            salvage,
            file,
        }
    }

    /// The number of games, those without an entry included.
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// Whether the database is being salvaged.
    pub(crate) const fn is_salvaged(&self) -> bool {
        self.salvage.is_some()
    }

    /// The file of the index, as messages name it.
    pub(crate) const fn file(&self) -> &Arc<Path> {
        &self.file
    }

    /// The bytes of the entry of a game of an intact database.
    pub(crate) fn intact_bytes(&self, game: u32) -> Option<&[u8]> {
        let entries = self.salvage.is_none().then_some(&self.entries);
        entries?.bytes(game)
    }

    /// Where the index file has the entry of a game. `None` for a game that salvage found without one.
    pub(crate) fn stored_entry(&self, game: u32) -> Option<StoredPart<'_>> {
        let bytes = self.entries.bytes(game)?;
        let offset = self.entries.offset(game);
        let kind = PartKind::IndexEntry;
        Some(StoredPart::new(kind, &self.file, offset, bytes))
    }

    /// The entries of an intact database that have only zeros.
    pub(crate) fn blank_entries(&self) -> BlankEntries {
        let mut blank = BlankEntries::default();
        for game in 0..self.entries.len() {
            if self.intact_bytes(game).is_some_and(BlankEntries::is_blank) {
                blank.add(GameIndex(game));
            }
        }
        blank
    }

    /// Hands out every entry of the index file.
    pub(crate) fn for_each(&self, visit: impl FnMut(E)) {
        let entries = (0..self.entries.len()).filter_map(|game| self.entries.get(game));
        entries.for_each(visit);
    }

    /// Hands out every entry of the index file but those that lead to the record of another entry, which may be copies of
    /// it.
    pub(crate) fn for_each_own(&self, mut visit: impl FnMut(E)) {
        let shared = self.salvage.as_ref().map(|salvage| &salvage.shared);
        for game in 0..self.entries.len() {
            let is_shared = shared.is_some_and(|shared| shared.contains_key(&game));
            if let Some(entry) = self.entries.get(game).filter(|_| !is_shared) {
                visit(entry);
            }
        }
    }

    /// What is left of a game. In a salvaged database `refers` decides whether bytes that can be
    /// read as an entry are one: whether any game or name that they refer to exists.
    ///
    /// # Errors
    /// If there is no such game or nothing is left of it.
    pub(crate) fn entry(
        &self,
        game: GameIndex,
        refers: impl Fn(&E) -> bool,
    ) -> Result<SalvagedEntry<E>> {
        let found = if let Some(salvage) = &self.salvage {
            let found = salvage.entry(game.0, &self.entries);
            found.filter(|found| !found.has_entry || refers(&found.entry))
        } else {
            let bytes = self.entries.bytes(game.0);
            if bytes.is_some_and(BlankEntries::is_blank) {
                return Err(blank_entry().in_game(game).in_file(&self.file));
            }
            let entry = bytes.and_then(|bytes| self.entries.read(bytes));
            entry.map(SalvagedEntry::intact)
        };
        found.ok_or_else(|| {
            let error = if game.0 < self.len {
                Error::not_in_file("neither its index entry nor its moves are left")
            } else {
                let last = self.len;
                Error::invalid(format!("there is no such game, the last one is {last}"))
            };
            error.in_game(game).in_file(&self.file)
        })
    }
}
