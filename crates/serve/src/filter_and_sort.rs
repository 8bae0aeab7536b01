//! The rows of a list: which records of which databases, in which order.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tabia::base::Base;
use tabia::core::games::{IndexEntry, NameId, NameKind};
use tabia::dedupe::known_duplicates;
use tabia::query::{Answer, Matcher, Query, fold};
use tabia::{
    Database, Error, Flow, GameIndex, OpenOptions, Ply, Position, Progress, Visitor, Want,
};

use crate::inputs_by_id::{OpenedInput, Shelf};
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
            if source.parts.iter().any(|part| part.id == *id) {
                continue;
            }
            let opened = shelf.database(id)?;
            let len = opened.database().map_or(0, Database::len);
            source.parts.push(Part {
                id: (*id).to_owned(),
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
        })
    }

    /// Whether the query asks for duplicates.
    pub(crate) fn asks_for_duplicates(&self) -> bool {
        self.query.asks_for_duplicates()
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
    filter(source, view, progress, threads, &|rows| {
        if is_sorted {
            update(&mut |found| {
                found.rows.extend_from_slice(rows);
                found.found = found.rows.len() as u32;
            });
        } else {
            let mut all = sorted.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend_from_slice(rows);
            let count = all.len() as u32;
            update(&mut |found| found.found = count);
        }
    })?;
    if !is_sorted {
        let mut rows = sorted.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (column, descends) in view.sort.iter().rev() {
            progress.check()?;
            sort_by(source, &mut rows, *column, *descends, progress)?;
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
    waiting: BTreeMap<u32, Vec<u32>>,
}

/// Passes the rows that fit on to `emit`, in order.
fn filter(
    source: &RowSource,
    view: &ViewQuery,
    progress: &Progress,
    threads: usize,
    emit: &(dyn Fn(&[u32]) + Sync),
) -> Result<(), Error> {
    for (number, part) in source.parts.iter().enumerate() {
        let Some(database) = part.opened.database() else {
            continue;
        };
        let query = view.of_parts.get(number).unwrap_or(&view.query);
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
                        let mut rows = Vec::new();
                        for game in first..last {
                            if tester.fits(GameIndex(game)) {
                                rows.push(part.first + game);
                            }
                        }
                        progress.advance(u64::from(last - first), u64::from(last - first));
                        let mut order = order.lock().unwrap_or_else(PoisonError::into_inner);
                        order.waiting.insert(chunk, rows);
                        let mut wanted = order.next;
                        while let Some(rows) = order.waiting.remove(&wanted) {
                            emit(&rows);
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
        }
    }

    /// Whether the record is shown. A record that cannot be read fits only the empty query.
    pub(crate) fn fits(&mut self, game: GameIndex) -> bool {
        let Ok(entry) = self.database.entry(game) else {
            return self.matcher.is_none();
        };
        self.fits_entry(game, &entry)
    }

    pub(crate) fn fits_entry(&mut self, game: GameIndex, entry: &IndexEntry) -> bool {
        if entry.deleted && !self.deleted {
            return false;
        }
        let Some(matcher) = &mut self.matcher else {
            return true;
        };
        match matcher.entry(self.database, game, entry) {
            Ok(Answer::Yes) => true,
            Ok(Answer::Maybe) => matcher.read(&mut *self.reader, game).unwrap_or(false),
            Ok(Answer::No) | Err(_) => false,
        }
    }
}

/// Sorts rows by one column; equal ones keep their order, unknown values come last.
fn sort_by(
    source: &RowSource,
    rows: &mut Vec<u32>,
    column: Column,
    descends: bool,
    progress: &Progress,
) -> Result<(), Error> {
    let ranks = match column {
        Column::Name(kind, field) => name_ranks(source, rows, kind, field, progress)?,
        _ => value_ranks(source, rows, column, progress)?,
    };
    let mut keys: Vec<(u32, u32)> = Vec::with_capacity(rows.len());
    for (index, rank) in ranks.into_iter().enumerate() {
        let key = match rank {
            UNKNOWN => UNKNOWN,
            rank if descends => UNKNOWN - 1 - rank,
            rank => rank,
        };
        keys.push((key, index as u32));
    }
    progress.check()?;
    keys.sort_unstable();
    *rows = keys
        .into_iter()
        .filter_map(|(_, index)| rows.get(index as usize).copied())
        .collect();
    Ok(())
}

/// The rank of a value that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Calls `visit` with the index entry of every row.
fn for_each_entry(
    source: &RowSource,
    rows: &[u32],
    progress: &Progress,
    mut visit: impl FnMut(usize, GameIndex, &dyn Database, Option<IndexEntry>),
) -> Result<(), Error> {
    let mut part_index = 0;
    for (index, row) in rows.iter().enumerate() {
        if index % CHUNK as usize == 0 {
            progress.check()?;
        }
        let mut part = source.parts.get(part_index);
        if part.is_none_or(|part| *row < part.first || *row - part.first >= part.len) {
            part_index = source
                .parts
                .partition_point(|part| part.first + part.len <= *row);
            part = source.parts.get(part_index);
        }
        let Some((part, database)) = part.and_then(|part| Some((part, part.opened.database()?)))
        else {
            continue;
        };
        let game = GameIndex(row - part.first);
        visit(part_index, game, database, database.entry(game).ok());
    }
    Ok(())
}

fn value_ranks(
    source: &RowSource,
    rows: &[u32],
    column: Column,
    progress: &Progress,
) -> Result<Vec<u32>, Error> {
    let mut ranks = Vec::with_capacity(rows.len());
    for_each_entry(source, rows, progress, |_, game, database, entry| {
        let rank = entry.and_then(|entry| match column {
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
        });
        ranks.push(rank.unwrap_or(UNKNOWN));
    })?;
    Ok(ranks)
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
    progress: &Progress,
) -> Result<Vec<u32>, Error> {
    let mut numbers: HashMap<(usize, NameId), u32> = HashMap::new();
    let mut names: Vec<(usize, NameId)> = Vec::new();
    let mut of_rows: Vec<u32> = Vec::with_capacity(rows.len());
    for_each_entry(source, rows, progress, |part, _, _, entry| {
        let number = entry
            .and_then(|entry| field.id(&entry))
            .map_or(UNKNOWN, |id| {
                *numbers.entry((part, id)).or_insert_with(|| {
                    names.push((part, id));
                    names.len() as u32 - 1
                })
            });
        of_rows.push(number);
    })?;
    drop(numbers);
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
