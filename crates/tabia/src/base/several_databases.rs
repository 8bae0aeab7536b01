//! [`Base`]: one or several databases that are asked together.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{thread, vec};

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Result};
use tabia_index::{Arrival, PositionIndex, Row, Unusable};
use tabia_query::{FoundMoment, Query};

use super::candidates::{Index, usable_index};
use super::explore_scan::{Arrived, ExploreTask, Targets};
use super::game_set::GameSet;
use super::saved_index::IndexOptions;
use super::tree::{Tree, TreeOptions};
use super::tree_counts::{Reached, Tally, Totals};
use crate::input::InputItem;
use crate::list::{ListOptions, ListRow, list};
use crate::resolve::Resolver;
use crate::scan::{ScanOptions, ScanReporter, scan};
use crate::select::{RecordRanges, Selection};
use crate::summary::{NoObserver, Observer, Summary};

/// Bytes of selections that are kept.
const CACHED_BYTES: u64 = 256 << 20;
/// Batches of hits that wait for the consumer.
const WAITING: usize = 2;
/// How often what was counted so far is handed on.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// How databases are opened and asked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct BaseOptions {
    /// How the databases are opened.
    pub open: OpenOptions,
    /// Whether saved indexes are used.
    pub index: Index,
    /// Where they are.
    pub index_options: IndexOptions,
    /// Threads that read; 0 counts as 1. Results do not depend on it.
    pub threads: usize,
    /// Games marked as deleted count too.
    pub deleted: bool,
}

/// One or several databases that are asked together, with their saved indexes.
///
/// ```
/// use tabia::{Base, Index, Position, Progress, Query};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
/// # let progress = Progress::new();
/// let query = Query::parse("date:1800.. (move:castling)")?;
/// let base = Base::open(&[path], Index::Auto)?;
/// let selected = base.select(&query.game_terms(), &progress)?;
/// for hit in base.search(&query, &Default::default()) {
///     println!("{}", hit?.game);
/// }
/// let tree = base.tree(&Position::standard(), &selected, &Default::default())?;
/// # assert!(tree.games > 0 && tree.moves[0].games > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Base {
    parts: Arc<Vec<Part>>,
    options: BaseOptions,
    /// Sets of games by database and normal form of the query, the last one used last.
    selections: Mutex<Vec<(usize, String, Arc<GameSet>)>>,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) item: InputItem,
    pub(super) index: Option<Box<PositionIndex>>,
}

/// Games that fit a query.
#[derive(Debug, Clone, Default)]
pub struct SelectedGames {
    query: Query,
    /// For each database with an index the games that fit; all if `None`.
    sets: Vec<Option<Arc<GameSet>>>,
}

impl SelectedGames {
    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The games of a database that has an index, if they are not all.
    pub fn games(&self, database: usize) -> Option<&GameSet> {
        self.sets.get(database)?.as_deref()
    }
}

/// A game that fits a query.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// Number of the database among those that were opened, from 0.
    pub database: usize,
    /// Number of the record in it.
    pub game: GameIndex,
    /// Players, ratings, result and so on.
    pub header: ListRow<'static>,
    /// The first moments at which it fits, one for each step of the query.
    pub moments: Vec<FoundMoment>,
}

/// How a search ends.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SearchOptions {
    /// Hits at most.
    pub limit: Option<u64>,
    /// When the search ends; [`Hits::is_complete`] is then `false`.
    pub deadline: Option<Instant>,
    /// Counts the work done, and cancels it.
    pub progress: Arc<Progress>,
}

impl Base {
    /// Opens the databases that paths name: files, sets, folders, archives, as [`open`](crate::open)
    /// does.
    ///
    /// # Errors
    /// When nothing is there, or an index that is required cannot be made.
    pub fn open<P: AsRef<Path>>(paths: &[P], index: Index) -> Result<Self> {
        let options = BaseOptions {
            index,
            ..BaseOptions::default()
        };
        let mut items = Vec::new();
        for path in paths {
            for item in Resolver::default().resolve_games(path.as_ref().as_os_str())? {
                items.push(item?);
            }
        }
        Self::of_items(items, options, &Arc::default(), &mut NoObserver)
    }

    /// The databases of items that were found before. The observer gets the reasons why indexes are not
    /// used.
    ///
    /// # Errors
    /// When files cannot be read, or an index that is required cannot be made.
    pub fn of_items(
        items: Vec<InputItem>,
        options: BaseOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        for item in items {
            let mut how = options.index_options.clone();
            how.open.clone_from(&options.open);
            how.threads = options.threads;
            let index = usable_index(&item, options.index, &how, progress, observer)?;
            parts.push(Part { item, index });
        }
        Ok(Self {
            parts: Arc::new(parts),
            options,
            selections: Mutex::default(),
        })
    }

    /// The databases, in the order of their numbers.
    pub fn items(&self) -> impl Iterator<Item = &InputItem> {
        self.parts.iter().map(|part| &part.item)
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(super) fn base_options(&self) -> &BaseOptions {
        &self.options
    }

    /// Whether a database has an index that is used.
    pub fn has_index(&self, database: usize) -> bool {
        let part = self.parts.get(database);
        part.is_some_and(|part| part.index.is_some())
    }

    /// The games that fit a query, for [`tree`](Self::tree). They are looked up now in databases with an
    /// index, and kept for the next time; without an index the games are asked when they are read.
    ///
    /// # Errors
    /// When a database cannot be read, or `progress` is cancelled.
    pub fn select(&self, query: &Query, progress: &Progress) -> Result<SelectedGames> {
        let mut sets = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            progress.check()?;
            sets.push(match &part.index {
                Some(_) if !query.is_empty() => Some(self.selection(number, part, query)?),
                _ => None,
            });
        }
        Ok(SelectedGames {
            query: query.clone(),
            sets,
        })
    }

    fn selection(&self, number: usize, part: &Part, query: &Query) -> Result<Arc<GameSet>> {
        let name = query.to_string();
        let mut kept = self
            .selections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let found = kept
            .iter()
            .position(|(part, other, _)| *part == number && *other == name);
        if let Some(index) = found {
            let entry = kept.remove(index);
            let set = Arc::clone(&entry.2);
            kept.push(entry);
            return Ok(set);
        }
        drop(kept);
        let mut options = self.list_options();
        options.filter = query.clone();
        options.numbers_only = true;
        let mut set = GameSet::default();
        list(
            &part.item,
            &options,
            &|row, out: &mut Vec<GameIndex>| out.push(row.game),
            &Arc::default(),
            &mut NoObserver,
            &mut |games| {
                for game in games.drain(..) {
                    set.insert(game);
                }
                Ok(())
            },
        )?;
        let set = Arc::new(set);
        kept = self
            .selections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.push((number, name, Arc::clone(&set)));
        let size = |entry: &(usize, String, Arc<GameSet>)| entry.2.bytes() + entry.1.len() as u64;
        while kept.iter().map(size).sum::<u64>() > CACHED_BYTES && kept.len() > 1 {
            kept.remove(0);
        }
        Ok(set)
    }

    fn list_options(&self) -> ListOptions {
        let mut options = ListOptions::default();
        options.open.clone_from(&self.options.open);
        options.threads = self.options.threads.max(1);
        options.selection.deleted = self.options.deleted;
        options.selection.texts = false;
        // Whether an index is used was decided when the databases were opened.
        options.index = match self.options.index {
            Index::Never => Index::Never,
            Index::Auto | Index::Require => Index::Auto,
        };
        options
            .index_options
            .clone_from(&self.options.index_options);
        options
    }

    /// The games that fit a query, in order. They are searched on a thread of its own while the iterator
    /// is used.
    pub fn search(&self, query: &Query, options: &SearchOptions) -> Hits {
        let (sender, receiver) = sync_channel(WAITING);
        let job = SearchJob {
            parts: Arc::clone(&self.parts),
            list: ListOptions {
                filter: query.clone(),
                moments: true,
                limit: options.limit,
                ..self.list_options()
            },
            options: options.clone(),
        };
        thread::spawn(move || job.run(&sender));
        Hits {
            receiver,
            batch: Vec::new().into_iter(),
            is_complete: true,
        }
    }

    /// The games that reached a position, by the moves that they went on with.
    ///
    /// # Errors
    /// When a database cannot be read.
    pub fn tree(
        &self,
        position: &Position,
        selected: &SelectedGames,
        options: &TreeOptions,
    ) -> Result<Tree> {
        self.tree_with(
            position,
            selected,
            options,
            &Arc::default(),
            &mut NoObserver,
        )
    }

    /// As [`tree`](Self::tree), with progress and cancellation; the observer gets the problems of the
    /// databases that are read.
    ///
    /// # Errors
    /// As [`tree`](Self::tree), and when `progress` is cancelled.
    pub fn tree_with(
        &self,
        position: &Position,
        selected: &SelectedGames,
        options: &TreeOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Tree> {
        self.tree_updates(position, selected, options, progress, observer, &mut |_| {})
    }

    /// As [`tree_with`](Self::tree_with). While databases are read, `update` gets what was counted so far, about
    /// ten times a second.
    ///
    /// # Errors
    /// As [`tree_with`](Self::tree_with).
    pub fn tree_updates(
        &self,
        position: &Position,
        selected: &SelectedGames,
        options: &TreeOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
        update: &mut dyn FnMut(Tree),
    ) -> Result<Tree> {
        let targets = Arc::new(Targets::new(position));
        let mut tally = Tally::new(position.turn(), options.games);
        let mut is_complete = true;
        for (number, part) in self.parts.iter().enumerate() {
            let before = tally.clone();
            let mut update = |partial: &Tally| {
                let mut sum = before.clone();
                sum.merge(partial);
                update(Tree::new(position, &sum, options, false));
            };
            let mut explorer = Explorer {
                number,
                part,
                options: &self.options,
                tree: options,
                targets: &targets,
                position,
                is_only: self.parts.len() == 1,
                query: selected.query(),
                games: selected.sets.get(number).cloned().flatten(),
                is_complete: true,
                update: &mut update,
            };
            let found = match &part.index {
                Some(index) => explorer.ask(index, progress, observer)?,
                None => explorer.read(None, progress, observer)?,
            };
            tally.merge(&found);
            is_complete &= explorer.is_complete;
        }
        self.read_names(&mut tally)?;
        Ok(Tree::new(position, &tally, options, is_complete))
    }

    /// Reads the names of the games that an index found.
    fn read_names(&self, tally: &mut Tally) -> Result<()> {
        for (number, part) in self.parts.iter().enumerate() {
            let games = || tally.top.games.iter().chain(&tally.recent.games);
            let nameless = games().filter(|game| game.database == number && game.names.is_none());
            let numbers: Vec<String> = nameless.map(|game| game.row.game().to_string()).collect();
            if numbers.is_empty() {
                continue;
            }
            let mut options = self.list_options();
            options.index = Index::Never;
            options.selection.deleted = true;
            options.selection.numbers =
                Some(RecordRanges::parse(&numbers.join(",")).map_err(Error::invalid)?);
            let mut rows: Vec<(GameIndex, [String; 3])> = Vec::new();
            list(
                &part.item,
                &options,
                &|row, out| {
                    let names = [&row.white, &row.black, &row.event];
                    out.push((row.game, names.map(|name| name.clone().into_owned())));
                },
                &Arc::default(),
                &mut NoObserver,
                &mut |more| {
                    rows.append(more);
                    Ok(())
                },
            )?;
            let games = tally.top.games.iter_mut().chain(&mut tally.recent.games);
            for game in games.filter(|game| game.database == number) {
                let row = rows.iter().find(|(index, _)| *index == game.row.game());
                if let Some((_, names)) = row {
                    game.names = Some(Box::new(names.clone()));
                }
            }
        }
        Ok(())
    }
}

/// Counts the games of one database.
struct Explorer<'a> {
    number: usize,
    part: &'a Part,
    options: &'a BaseOptions,
    tree: &'a TreeOptions,
    targets: &'a Arc<Targets>,
    position: &'a Position,
    /// There is no other database.
    is_only: bool,
    query: &'a Query,
    games: Option<Arc<GameSet>>,
    is_complete: bool,
    /// Gets what was counted so far.
    update: &'a mut dyn FnMut(&Tally),
}

impl Explorer<'_> {
    /// Asks the index, and reads the games that it does not know; all of them if it is damaged.
    fn ask(
        &mut self,
        index: &PositionIndex,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Tally> {
        let found = self.look_up(index).and_then(|tally| {
            let irregular = index.irregular()?;
            Ok((tally, irregular))
        });
        match found {
            Ok((tally, irregular)) if irregular.is_empty() => Ok(tally),
            Ok((mut tally, irregular)) => {
                let mut games = GameSet::default();
                for game in irregular {
                    games.insert(GameIndex(game));
                }
                tally.merge(&self.read(Some(Arc::new(games)), progress, observer)?);
                Ok(tally)
            }
            Err(error) => {
                observer.index_unused(&self.part.item, &format!("the index is {error}"))?;
                self.read(None, progress, observer)
            }
        }
    }

    fn look_up(&self, index: &PositionIndex) -> std::result::Result<Tally, Unusable> {
        let mut tally = Tally::new(self.position.turn(), self.tree.games);
        let mut continuations = Vec::new();
        for arrival in index.find(self.position)? {
            index.continuations(self.position, &arrival, &mut continuations)?;
        }
        for (played, arrival) in &continuations {
            let mut totals = Totals::default();
            for row in rows(index, arrival)?.iter().filter(|row| self.counts(row)) {
                totals.add(self.number, row, self.position.turn());
                if tally.keeps_games() {
                    tally.keep(&Reached {
                        database: self.number,
                        row: *row,
                        played: *played,
                        names: None,
                    });
                }
            }
            if totals.games > 0 {
                tally.add_totals(*played, &totals);
            }
        }
        let children: Vec<Ply> = if self.is_only {
            tally.moves.keys().copied().flatten().collect()
        } else {
            let moves = self.position.legal_moves();
            let moves = moves.iter().map(|&m| Ply::Move(m));
            moves.chain([Ply::Null]).collect()
        };
        for ply in children {
            let mut games = 0;
            for arrival in index.find(&self.position.after(ply))? {
                let rows = rows(index, &arrival)?.iter();
                games += rows.filter(|row| self.counts(row)).count() as u64;
            }
            if games > 0 {
                tally.children.insert(ply, games);
            }
        }
        Ok(tally)
    }

    #[inline]
    fn counts(&self, row: &Row) -> bool {
        (self.options.deleted || !row.is_deleted())
            && self
                .games
                .as_ref()
                .is_none_or(|games| games.has(row.game()))
    }

    /// Reads the games, or some of them.
    fn read(
        &mut self,
        candidates: Option<Arc<GameSet>>,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Tally> {
        let threads = self.options.threads.max(1);
        let plan = ScanOptions {
            threads,
            selection: Selection {
                deleted: self.options.deleted,
                texts: false,
                ..Selection::default()
            },
            filter: Some(self.query.clone()).filter(|query| !query.is_empty()),
            want: tabia_index::Collector::WANT,
            candidates,
            ..ScanOptions::default()
        };
        let mut tally = Tally::new(self.position.turn(), self.tree.games);
        let mut summary = Summary::default();
        let item = &self.part.item;
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer,
            progress,
        };
        let mut is_complete = true;
        let (number, deadline) = (self.number, self.tree.deadline);
        let mut updated = Instant::now();
        let update = &mut *self.update;
        reporter.read_item(&self.options.open, progress, false, |reporter, input| {
            let tasks = (0..threads)
                .map(|_| ExploreTask::new(self.targets, self.tree.games > 0))
                .collect();
            scan(reporter, input, &plan, tasks, &mut |base, visits| {
                for visit in visits.drain(..) {
                    if let Arrived::Then(played) = visit.arrived {
                        tally.add(&Reached {
                            database: number,
                            row: visit.row.with_game(base.game(visit.row.game())),
                            played,
                            names: visit.names,
                        });
                    }
                    for ply in visit.children {
                        *tally.children.entry(ply).or_default() += 1;
                    }
                }
                let now = Instant::now();
                if now.duration_since(updated) >= UPDATE_INTERVAL {
                    updated = now;
                    update(&tally);
                }
                is_complete = deadline.is_none_or(|deadline| now < deadline);
                Ok(is_complete)
            })
        })?;
        self.is_complete &= is_complete;
        Ok(tally)
    }
}

fn rows<'i>(
    index: &'i PositionIndex,
    arrival: &Arrival,
) -> std::result::Result<&'i [Row], Unusable> {
    index.rows(arrival.segment, arrival.ranks())
}

/// What the searching thread sends.
enum Message {
    Hits(Vec<Hit>),
    Failed(Error),
    /// The deadline has passed.
    Incomplete,
}

struct SearchJob {
    parts: Arc<Vec<Part>>,
    list: ListOptions,
    options: SearchOptions,
}

impl SearchJob {
    fn run(mut self, sender: &SyncSender<Message>) {
        for number in 0..self.parts.len() {
            match self.part(number, sender) {
                Ok(found) => {
                    self.list.limit = self.list.limit.map(|limit| limit.saturating_sub(found));
                }
                Err(Some(error)) => {
                    if sender.send(Message::Failed(error)).is_err() {
                        return;
                    }
                }
                Err(None) => return,
            }
        }
    }

    /// The number of hits of a database; `Err(None)` ends the search.
    fn part(&self, number: usize, sender: &SyncSender<Message>) -> Result<u64, Option<Error>> {
        let Some(part) = self.parts.get(number) else {
            return Ok(0);
        };
        let mut is_over = false;
        let listed = list(
            &part.item,
            &self.list,
            &|row, out: &mut Vec<ListRow<'static>>| out.push(row.clone().into_owned()),
            &self.options.progress,
            &mut NoObserver,
            &mut |rows| {
                let hits = rows.drain(..).map(|mut header| Hit {
                    database: number,
                    game: header.game,
                    moments: std::mem::take(&mut header.moments),
                    header,
                });
                let hits: Vec<Hit> = hits.collect();
                is_over = !hits.is_empty() && sender.send(Message::Hits(hits)).is_err();
                let deadline = self.options.deadline;
                if !is_over && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    is_over = true;
                    let _ = sender.send(Message::Incomplete);
                }
                if is_over {
                    Err(Error::cancelled())
                } else {
                    Ok(())
                }
            },
        );
        match listed {
            Ok((_, found)) => Ok(found),
            Err(_) if is_over => Err(None),
            Err(error) => Err(Some(error)),
        }
    }
}

/// The games that fit a query, made by [`Base::search`].
#[derive(Debug)]
pub struct Hits {
    receiver: Receiver<Message>,
    batch: vec::IntoIter<Hit>,
    is_complete: bool,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Hits(_) => "Hits",
            Self::Failed(_) => "Failed",
            Self::Incomplete => "Incomplete",
        })
    }
}

impl Hits {
    /// Whether the search did not end at its deadline; known at the end of the iterator.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Iterator for Hits {
    type Item = Result<Hit>;

    fn next(&mut self) -> Option<Result<Hit>> {
        loop {
            if let Some(hit) = self.batch.next() {
                return Some(Ok(hit));
            }
            match self.receiver.recv().ok()? {
                Message::Hits(hits) => self.batch = hits.into_iter(),
                Message::Failed(error) => return Some(Err(error)),
                Message::Incomplete => self.is_complete = false,
            }
        }
    }
}
