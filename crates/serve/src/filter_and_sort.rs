//! The rows of a list: which records of which databases, in which order.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tabia::base::{Base, GameSet};
use tabia::core::games::{IndexEntry, NameId, NameKind};
use tabia::dedupe::known_duplicates;
use tabia::query::{Answer, Matcher, Query, fold};
use tabia::{
    Database, Error, Flow, GameIndex, OpenOptions, Ply, Position, Progress, Visitor, Want,
};

use crate::inputs_by_id::Shelf;
use crate::opened_input::OpenedInput;
use crate::problem::Problem;

/// Records that a thread tests at a time.
const CHUNK: u32 = 4096;
/// Databases of one list at most.
const MAX_DATABASES: usize = 64;
/// Sort columns at most.
const MAX_KEYS: usize = 4;

/// Databases whose records are numbered one after the other.
#[derive(Debug, Clone)]
pub(crate) struct RowSource {
    pub(crate) parts: Vec<Part>,
    pub(crate) total: u32,
}

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) id: String,
    pub(crate) opened: Arc<OpenedInput>,
    pub(crate) first: u32,
    pub(crate) len: u32,
}

impl RowSource {
    /// The databases with these ids.
    pub(crate) fn new(shelf: &Shelf, ids: &[&str]) -> Result<Self, Problem> {
        if ids.is_empty() {
            return Err(Problem::bad_request("`db` names no database"));
        }
        if ids.len() > MAX_DATABASES {
            return Err(Problem::bad_request("`db` names more than 64 databases"));
        }
        let mut source = Self {
            parts: Vec::new(),
            total: 0,
        };
        for id in ids {
            // It may have been named by another of its ids.
            let id = shelf.find(id)?.id.clone();
            if source.parts.iter().any(|part| part.id == id) {
                continue;
            }
            let opened = shelf.database(&id)?;
            let len = opened.database().map_or(0, Database::len);
            source.parts.push(Part {
                id,
                opened,
                first: source.total,
                len,
            });
            source.total = source
                .total
                .checked_add(len)
                .ok_or_else(|| Problem::bad_request("more than 4,294,967,295 games"))?;
        }
        Ok(source)
    }

    /// How many of the records are guiding texts.
    pub(crate) fn texts(&self) -> u32 {
        let databases = self.parts.iter().filter_map(|part| part.opened.database());
        databases.map(|database| database.info().texts).sum()
    }

    /// The database of a row, and the record in it.
    pub(crate) fn locate(&self, row: u32) -> Option<(&Part, GameIndex)> {
        let index = self
            .parts
            .partition_point(|part| part.first + part.len <= row);
        let part = self.parts.get(index)?;
        Some((part, GameIndex(row - part.first)))
    }

    /// The fingerprints of all databases.
    pub(crate) fn fingerprint(&self) -> String {
        let parts: Vec<&str> = self
            .parts
            .iter()
            .map(|part| part.opened.fingerprint.as_str())
            .collect();
        parts.join("-")
    }

    /// The same for the same databases in the same state.
    pub(crate) fn key(&self) -> String {
        let ids: Vec<&str> = self.parts.iter().map(|part| part.id.as_str()).collect();
        format!("{}\n{}", ids.join(","), self.fingerprint())
    }

    /// Whether no record is marked as deleted.
    fn has_deleted(&self) -> bool {
        let databases = self.parts.iter().filter_map(|part| part.opened.database());
        databases
            .into_iter()
            .any(|database| database.info().deleted > 0)
    }
}

/// A column that rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Name(NameKind, NameField),
    WhiteElo,
    BlackElo,
    Result,
    Moves,
    Eco,
    Date,
    Game,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameField {
    White,
    Black,
    Event,
    Site,
    Annotator,
}

/// The names of the columns that rows can be sorted by.
pub(crate) const SORT_COLUMNS: [&str; 12] = [
    "game",
    "white",
    "whiteElo",
    "black",
    "blackElo",
    "result",
    "moves",
    "eco",
    "event",
    "site",
    "date",
    "annotator",
];

impl Column {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "game" => Self::Game,
            "white" => Self::Name(NameKind::Player, NameField::White),
            "black" => Self::Name(NameKind::Player, NameField::Black),
            "event" => Self::Name(NameKind::Event, NameField::Event),
            "site" => Self::Name(NameKind::Site, NameField::Site),
            "annotator" => Self::Name(NameKind::Annotator, NameField::Annotator),
            "whiteElo" => Self::WhiteElo,
            "blackElo" => Self::BlackElo,
            "result" => Self::Result,
            "moves" => Self::Moves,
            "eco" => Self::Eco,
            "date" => Self::Date,
            _ => return None,
        })
    }
}

impl NameField {
    fn id(self, entry: &IndexEntry) -> Option<NameId> {
        match self {
            Self::White => entry.white,
            Self::Black => entry.black,
            Self::Event => entry.event,
            Self::Site => entry.site,
            Self::Annotator => entry.annotator,
        }
    }
}

/// What a list shows.
#[derive(Debug, Clone)]
pub(crate) struct ViewQuery {
    query: Query,
    text: String,
    sort: Vec<(Column, bool)>,
    deleted: bool,
    /// The query for each part of the source, if it is not the same for all of them.
    of_parts: Vec<Query>,
    /// The records of each part that may fit, if its index states that.
    candidates: Vec<Option<GameSet>>,
}

impl ViewQuery {
    /// `sort`: columns separated by commas, with `-` before those that descend.
    pub(crate) fn parse(filter: &str, sort: &str, deleted: bool) -> Result<Self, Problem> {
        let mut keys = Vec::new();
        for key in sort.split(',').filter(|key| !key.is_empty()) {
            let (name, descends) = match key.strip_prefix('-') {
                Some(name) => (name, true),
                None => (key, false),
            };
            let column = Column::parse(name).ok_or_else(|| {
                Problem::bad_request(format!("rows cannot be sorted by `{name}`"))
                    .with_hint(format!("columns: {}", SORT_COLUMNS.join(", ")))
            })?;
            if keys.len() == MAX_KEYS {
                return Err(Problem::bad_request("at most 4 columns can be sorted by"));
            }
            keys.push((column, descends));
        }
        Ok(Self {
            query: Query::parse(filter)?,
            text: format!("{filter}\n{sort}\n{deleted}"),
            sort: keys,
            deleted,
            of_parts: Vec::new(),
            candidates: Vec::new(),
        })
    }

    /// Whether the query asks for duplicates.
    pub(crate) fn asks_for_duplicates(&self) -> bool {
        self.query.asks_for_duplicates()
    }

    /// Whether saved indexes know which records may fit.
    pub(crate) fn asks_for_positions(&self) -> bool {
        self.query.required_positions().is_some()
    }

    /// Looks up in the indexes of the parts of a source, whose databases these are, which records may fit.
    pub(crate) fn find_candidates(&mut self, bases: &[Arc<Base>]) {
        let found = bases.iter().map(|base| base.candidates(0, &self.query));
        self.candidates = found.collect();
    }

    /// Finds the duplicates of the parts of a source, whose databases these are.
    ///
    /// # Errors
    /// When one of them cannot be read, or `progress` is cancelled.
    pub(crate) fn find_duplicates(
        &mut self,
        bases: &[Arc<Base>],
        threads: usize,
        progress: &Arc<Progress>,
    ) -> Result<(), Error> {
        let items = bases.iter().flat_map(|base| base.items());
        let options = OpenOptions::default();
        let queries =
            items.map(|item| known_duplicates(item, &self.query, &options, threads, progress));
        self.of_parts = queries.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Whether every record is shown in the order of the databases.
    pub(crate) fn is_everything(&self, source: &RowSource) -> bool {
        let is_order = self.sort.is_empty() || self.sort.first() == Some(&(Column::Game, false));
        self.query.is_empty() && is_order && (self.deleted || !source.has_deleted())
    }

    /// The same for the same rows.
    pub(crate) fn key(&self, source: &RowSource) -> String {
        format!("{}\n{}", source.key(), self.text)
    }
}

/// The rows found so far.
#[derive(Debug, Default)]
pub(crate) struct ViewRows {
    pub(crate) rows: Vec<u32>,
    /// Number of rows found. They are in `rows` only when they are sorted.
    pub(crate) found: u32,
    pub(crate) unread: Unread,
}

/// Games that could not be read to their end while they were tested: they may be missing among the rows, or be one
/// because of the part that could be read.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    pub(crate) count: u32,
    /// The first ones, and what could not be read.
    pub(crate) first: Vec<(u32, String)>,
}

/// Games that cannot be read of which the text is kept.
const NAMED_UNREAD: usize = 20;

impl Unread {
    fn push(&mut self, row: u32, text: String) {
        self.count += 1;
        if self.first.len() < NAMED_UNREAD {
            self.first.push((row, text));
        }
    }

    /// Adds those of later rows.
    fn extend(&mut self, later: Self) {
        self.count += later.count;
        let space = NAMED_UNREAD - self.first.len();
        self.first.extend(later.first.into_iter().take(space));
    }
}

/// Runs a change on the rows found so far.
pub(crate) type Update<'a> = dyn Fn(&mut dyn FnMut(&mut ViewRows)) + Sync + 'a;

/// Finds the rows, and adds them in order while it searches. Sorted rows are added at the end.
pub(crate) fn build(
    source: &RowSource,
    view: &ViewQuery,
    progress: &Progress,
    threads: usize,
    update: &Update<'_>,
) -> Result<(), Error> {
    progress.set_total(source.total.into());
    let is_sorted = view.sort.is_empty();
    let sorted = Mutex::new(Vec::new());
    filter(source, view, progress, threads, &|mut chunk| {
        let mut unread = std::mem::take(&mut chunk.unread);
        if is_sorted {
            update(&mut |found| {
                found.rows.extend_from_slice(&chunk.rows);
                found.found = found.rows.len() as u32;
                found.unread.extend(std::mem::take(&mut unread));
            });
        } else {
            let mut all = sorted.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend_from_slice(&chunk.rows);
            let count = all.len() as u32;
            update(&mut |found| {
                found.found = count;
                found.unread.extend(std::mem::take(&mut unread));
            });
        }
    })?;
    if !is_sorted {
        let mut rows = sorted.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (column, descends) in view.sort.iter().rev() {
            progress.check()?;
            sort_by(source, &mut rows, (*column, *descends), threads, progress)?;
        }
        update(&mut |found| {
            found.found = rows.len() as u32;
            found.rows = std::mem::take(&mut rows);
        });
    }
    Ok(())
}

/// Chunks that are tested, as long as an earlier one is not.
#[derive(Debug, Default)]
struct Finished {
    next: u32,
    waiting: BTreeMap<u32, TestedChunk>,
}

/// What was found in a chunk.
#[derive(Debug, Default)]
struct TestedChunk {
    rows: Vec<u32>,
    unread: Unread,
}

/// Passes the rows that fit on to `emit`, in order.
fn filter(
    source: &RowSource,
    view: &ViewQuery,
    progress: &Progress,
    threads: usize,
    emit: &(dyn Fn(TestedChunk) + Sync),
) -> Result<(), Error> {
    for (number, part) in source.parts.iter().enumerate() {
        let Some(database) = part.opened.database() else {
            continue;
        };
        let query = view.of_parts.get(number).unwrap_or(&view.query);
        let candidates = view.candidates.get(number).and_then(Option::as_ref);
        let may_fit = |game| candidates.is_none_or(|games| games.has(game));
        let next = AtomicU32::new(0);
        let chunks = part.len.div_ceil(CHUNK);
        let order: Mutex<Finished> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, chunks.max(1) as usize) {
                scope.spawn(|| {
                    let mut tester = Tester::new(database, &part.id, query, view.deleted);
                    loop {
                        let chunk = next.fetch_add(1, Ordering::Relaxed);
                        if chunk >= chunks || progress.is_cancelled() {
                            return;
                        }
                        let first = chunk * CHUNK;
                        let last = part.len.min(first.saturating_add(CHUNK));
                        let mut found = TestedChunk::default();
                        let mut game = tester.next_candidate(first, last);
                        while game < last {
                            let index = GameIndex(game);
                            if may_fit(index) {
                                if tester.fits(index) {
                                    found.rows.push(part.first + game);
                                }
                                if let Some(text) = tester.take_unread() {
                                    found.unread.push(part.first + game, text);
                                }
                            }
                            game = tester.next_candidate(game + 1, last);
                        }
                        progress.advance(u64::from(last - first), u64::from(last - first));
                        let mut order = order.lock().unwrap_or_else(PoisonError::into_inner);
                        order.waiting.insert(chunk, found);
                        let mut wanted = order.next;
                        while let Some(found) = order.waiting.remove(&wanted) {
                            emit(found);
                            wanted += 1;
                        }
                        order.next = wanted;
                    }
                });
            }
        });
        progress.check()?;
    }
    Ok(())
}

/// Tests the records of a database.
pub(crate) struct Tester<'d> {
    database: &'d dyn Database,
    reader: Box<dyn tabia::core::games::GameReader + 'd>,
    matcher: Option<Matcher>,
    deleted: bool,
    /// What could not be read of the record that was tested last.
    unread: Option<String>,
}

impl<'d> Tester<'d> {
    pub(crate) fn new(
        database: &'d dyn Database,
        name: &str,
        query: &Query,
        deleted: bool,
    ) -> Self {
        let matcher = (!query.is_empty()).then(|| Matcher::new(query).for_database(name));
        Self {
            database,
            reader: database.reader(),
            matcher,
            deleted,
            unread: None,
        }
    }

    /// What could not be read of the record that was tested last, if that may have mattered.
    fn take_unread(&mut self) -> Option<String> {
        self.unread.take()
    }

    /// The first record in `game..end` that may be shown.
    fn next_candidate(&mut self, game: u32, end: u32) -> u32 {
        match &mut self.matcher {
            Some(matcher) => matcher.next_candidate(self.database, game, end),
            None => game,
        }
    }

    /// Whether the record is shown. A record that cannot be read fits only the empty query.
    pub(crate) fn fits(&mut self, game: GameIndex) -> bool {
        self.unread = None;
        match self.database.entry(game) {
            Ok(entry) => self.fits_entry(game, &entry),
            Err(error) => {
                if self.matcher.is_some() {
                    self.unread = Some(error.kind().to_string());
                }
                self.matcher.is_none()
            }
        }
    }

    fn fits_entry(&mut self, game: GameIndex, entry: &IndexEntry) -> bool {
        if entry.deleted && !self.deleted {
            return false;
        }
        let Some(matcher) = &mut self.matcher else {
            return true;
        };
        let fits = match matcher.entry(self.database, game, entry) {
            Ok(Answer::Yes) => return true,
            Ok(Answer::No) => return false,
            Ok(Answer::Maybe) => matcher.read(&mut *self.reader, game),
            Err(error) => Err(error),
        };
        let problem = matcher.take_problems().into_iter().next();
        let error = problem.map(|problem| problem.error);
        let error = error.as_ref().or(fits.as_ref().err());
        self.unread = error.map(|error| error.kind().to_string());
        fits.unwrap_or(false)
    }
}

/// Sorts rows by one column; equal ones keep their order, unknown values come last.
fn sort_by(
    source: &RowSource,
    rows: &mut Vec<u32>,
    (column, descends): (Column, bool),
    threads: usize,
    progress: &Progress,
) -> Result<(), Error> {
    let ranks = match column {
        Column::Name(kind, field) => name_ranks(source, rows, kind, field, threads, progress)?,
        _ => value_ranks(source, rows, column, threads, progress)?,
    };
    progress.check()?;
    let order = order_of(&ranks, descends);
    drop(ranks);
    *rows = order
        .into_iter()
        .filter_map(|index| rows.get(index as usize).copied())
        .collect();
    Ok(())
}

/// The indices of ranks in the order of the ranks.
fn order_of(ranks: &[u32], descends: bool) -> Vec<u32> {
    let known = ranks.iter().filter(|rank| **rank != UNKNOWN);
    let greatest = known.max().copied().unwrap_or(0);
    let key = |rank: u32| match rank {
        UNKNOWN => greatest as usize + 1,
        rank if descends => (greatest - rank) as usize,
        rank => rank as usize,
    };
    if greatest as usize > 4 * ranks.len() + (1 << 22) {
        let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
        order.sort_by_key(|index| ranks.get(*index as usize).map(|rank| key(*rank)));
        return order;
    }
    // Ratings, dates and numbers of names are so dense that they are counted.
    let mut next = vec![0_u32; greatest as usize + 3];
    for rank in ranks {
        if let Some(count) = next.get_mut(key(*rank) + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut next {
        sum += *count;
        *count = sum;
    }
    let mut order = vec![0_u32; ranks.len()];
    for (index, rank) in ranks.iter().enumerate() {
        if let Some(at) = next.get_mut(key(*rank)) {
            if let Some(slot) = order.get_mut(*at as usize) {
                *slot = index as u32;
            }
            *at += 1;
        }
    }
    order
}

/// The rank of a value that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Goes through the parts of a source in the order of rows.
#[derive(Clone, Copy, Default)]
struct PartFinder(usize);

impl PartFinder {
    /// The number of the part of a row, and the part.
    fn find<'s>(&mut self, source: &'s RowSource, row: u32) -> Option<(usize, &'s Part)> {
        let is_in = |part: &&Part| row >= part.first && row - part.first < part.len;
        if let Some(part) = source.parts.get(self.0).filter(is_in) {
            return Some((self.0, part));
        }
        self.0 = source
            .parts
            .partition_point(|part| part.first + part.len <= row);
        Some((self.0, source.parts.get(self.0)?))
    }
}

/// What `value` makes of the index entry of each row, in several threads.
fn values_of_entries(
    source: &RowSource,
    rows: &[u32],
    threads: usize,
    progress: &Progress,
    value: &(dyn Fn(GameIndex, &dyn Database, &IndexEntry) -> Option<u32> + Sync),
) -> Result<Vec<u32>, Error> {
    let mut values = vec![UNKNOWN; rows.len()];
    let chunk = CHUNK as usize;
    let work = Mutex::new(rows.chunks(chunk).zip(values.chunks_mut(chunk)));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, rows.len().div_ceil(chunk).max(1)) {
            scope.spawn(|| {
                let mut finder = PartFinder::default();
                loop {
                    let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((rows, values)) = next.filter(|_| !progress.is_cancelled()) else {
                        return;
                    };
                    for (row, slot) in rows.iter().zip(values) {
                        let part = finder.find(source, *row);
                        let Some((_, part)) = part else {
                            continue;
                        };
                        let Some(database) = part.opened.database() else {
                            continue;
                        };
                        let game = GameIndex(row - part.first);
                        if let Ok(entry) = database.entry(game) {
                            *slot = value(game, database, &entry).unwrap_or(UNKNOWN);
                        }
                    }
                }
            });
        }
    });
    progress.check()?;
    Ok(values)
}

fn value_ranks(
    source: &RowSource,
    rows: &[u32],
    column: Column,
    threads: usize,
    progress: &Progress,
) -> Result<Vec<u32>, Error> {
    values_of_entries(
        source,
        rows,
        threads,
        progress,
        &|game, database, entry| match column {
            Column::WhiteElo => entry.white_elo.map(u32::from),
            Column::BlackElo => entry.black_elo.map(u32::from),
            Column::Result => Some(entry.result as u32),
            Column::Eco => entry
                .eco
                .map(|eco| u32::from(eco.code()) << 8 | u32::from(eco.sub())),
            Column::Date => {
                let date = entry.date;
                (date.year > 0).then(|| {
                    u32::from(date.year) << 9 | u32::from(date.month) << 5 | u32::from(date.day)
                })
            }
            Column::Moves if entry.is_text => None,
            Column::Moves => match (entry.ply_count, entry.move_count) {
                (Some(plies), _) => Some(u32::from(plies)),
                (None, Some(moves)) => Some(u32::from(moves) * 2),
                (None, None) => Some(count_plies(database, game)),
            },
            Column::Game | Column::Name(..) => Some(game.0),
        },
    )
}

/// Reads the mainline of a game, in databases that do not store its length.
fn count_plies(database: &dyn Database, game: GameIndex) -> u32 {
    struct Plies(u32);
    impl Visitor for Plies {
        fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
            self.0 += 1;
            Flow::Go
        }
    }
    let mut plies = Plies(0);
    // As far as it can be read.
    let _ = database.reader().read(game, Want::MAINLINE, &mut plies);
    plies.0
}

/// The rank of each row's name among all names of the rows.
fn name_ranks(
    source: &RowSource,
    rows: &[u32],
    kind: NameKind,
    field: NameField,
    threads: usize,
    progress: &Progress,
) -> Result<Vec<u32>, Error> {
    let mut of_rows = values_of_entries(source, rows, threads, progress, &|_, _, entry| {
        field.id(entry).map(|id| id.0)
    })?;
    // Numbers from 0 for the names that occur: by id as far as ids are as dense as in a sound database.
    let dense = rows.len() + (1 << 16);
    let mut by_id: Vec<Vec<u32>> = vec![Vec::new(); source.parts.len()];
    let mut others: HashMap<(usize, u32), u32> = HashMap::new();
    let mut names: Vec<(usize, NameId)> = Vec::new();
    let mut finder = PartFinder::default();
    for (row, value) in rows.iter().zip(&mut of_rows) {
        let id = *value;
        let part = finder.find(source, *row).filter(|_| id != UNKNOWN);
        let Some((part, _)) = part else {
            continue;
        };
        let known = match by_id.get_mut(part) {
            Some(known) if (id as usize) < dense => {
                if known.len() <= id as usize {
                    known.resize(id as usize + 1, UNKNOWN);
                }
                known.get_mut(id as usize)
            }
            _ => Some(others.entry((part, id)).or_insert(UNKNOWN)),
        };
        if let Some(number) = known {
            if *number == UNKNOWN {
                *number = names.len() as u32;
                names.push((part, NameId(id)));
            }
            *value = *number;
        }
    }
    drop((by_id, others));
    let mut texts: Vec<(String, u32)> = Vec::with_capacity(names.len());
    for (number, (part, id)) in names.iter().enumerate() {
        let database = source
            .parts
            .get(*part)
            .and_then(|part| part.opened.database());
        let name = database.and_then(|database| database.name(kind, *id).ok());
        let name = name.filter(|name| !matches!(name.trim(), "" | "?" | "-"));
        if let Some(name) = name {
            texts.push((fold(&name), number as u32));
        }
    }
    progress.check()?;
    texts.sort_unstable();
    let mut ranks = vec![UNKNOWN; names.len()];
    let mut rank = 0;
    for (index, (text, number)) in texts.iter().enumerate() {
        let previous = index.checked_sub(1).and_then(|index| texts.get(index));
        if previous.is_some_and(|(previous, _)| previous != text) {
            rank += 1;
        }
        if let Some(slot) = ranks.get_mut(*number as usize) {
            *slot = rank;
        }
    }
    for number in &mut of_rows {
        *number = ranks.get(*number as usize).copied().unwrap_or(UNKNOWN);
    }
    Ok(of_rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_ordered_in_both_ways_with_unknown_ones_last() {
        for scale in [1, 1_000_000_000] {
            let ranks = [3, UNKNOWN, 1, 3, 0, UNKNOWN, 1].map(|rank: u32| match rank {
                UNKNOWN => UNKNOWN,
                rank => rank * scale,
            });
            assert_eq!(order_of(&ranks, false), [4, 2, 6, 0, 3, 1, 5]);
            assert_eq!(order_of(&ranks, true), [0, 3, 2, 6, 4, 1, 5]);
        }
        assert!(order_of(&[], false).is_empty());
        assert_eq!(order_of(&[UNKNOWN, UNKNOWN], true), [0, 1]);
    }
}
