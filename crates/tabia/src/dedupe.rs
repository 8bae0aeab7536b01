//! Duplicate games: exact, near and embedded ones, with bounded memory.
//!
//! Games are compared only with games of the same surnames and the same start, in the order of their
//! moves, so that the work grows with the number of games times its logarithm. A game counts as a
//! duplicate only of one that is kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, PoisonError};

use tabia_core::chess::{Ply, Position};
use tabia_core::external::VariableSorter;
use tabia_core::formats::OpenOptions;
use tabia_core::game::{
    Annotation, Comment, Date, Flow, GameHead, GameResult, RecordKind, Tags, Visitor, Want,
};
use tabia_core::games::{TextLimits, is_lost_name};
use tabia_core::io::{Cursor, Progress, Sink};
use tabia_core::{Error, GameIndex, Problem};

use tabia_query::Query;

pub use crate::merge_annotations::{Merges, merged};

use crate::annotated_games::AnnotatedTask;
use crate::base::{GameSet, Stamp};
use crate::game_content::GameContent;
use crate::input::{InputItem, KnownDuplicates, OpenInput};
use crate::job_summary::Summary;
use crate::names::player_name::surname;
use crate::observer::{NoObserver, Observer};
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;

/// Bytes of records in memory.
const MEMORY: usize = 64 << 20;
/// Bytes of a key: which games are compared, and their first 60 plies.
const KEY: usize = 128;
/// Games in the order of moves that a game is compared with.
const WINDOW: usize = 32;
/// Plies in common at least, of embedded and of near duplicates; shorter games are exact duplicates only
/// if event, round or day agree.
const MIN_EMBEDDED: usize = 10;
const MIN_NEAR: usize = 20;
/// Percentage of plies in common, of the shorter game.
const NEAR: usize = 80;

/// What two games have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DuplicateKind {
    /// All moves.
    Exact,
    /// Most of the moves.
    Near,
    /// The moves of the one begin the other.
    Embedded,
}

impl DuplicateKind {
    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
            Self::Embedded => "embedded",
        }
    }
}

/// A game and another that is kept instead of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// Number of the kept game among those with duplicates, from 1.
    pub group: u32,
    /// What they have in common.
    pub kind: DuplicateKind,
    /// Index of the input and of the game in it.
    pub kept: (u32, GameIndex),
    /// The same of the duplicate.
    pub dropped: (u32, GameIndex),
    /// Plies in common from the start.
    pub common: u32,
    /// Plies of the kept game and of the duplicate.
    pub plies: (u32, u32),
}

impl Duplicate {
    /// Plies in common as a percentage of those of the longer game; 100 for games without moves, all of which
    /// is the same.
    pub fn score(&self) -> u32 {
        if self.plies == (0, 0) {
            return 100;
        }
        let longer = self.plies.0.max(self.plies.1).max(1);
        (u64::from(self.common) * 100 / u64::from(longer)) as u32
    }
}

/// A record of a damaged database that is not the game that it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedRecord {
    /// Index of the input and of the record in it.
    pub at: (u32, GameIndex),
    /// Some or all of its moves could not be read.
    pub moves: bool,
    /// The name of a player is lost.
    pub names: bool,
}

/// What [`find_known`] has found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Known {
    /// Records read and problems.
    pub summary: Summary,
    /// The new games that the database has, or that are twice among them.
    pub duplicates: Vec<Duplicate>,
    /// The damaged records of the new inputs, in their order.
    pub damaged: Vec<DamagedRecord>,
}

/// Which games, and how they are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DedupeOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Threads that read.
    pub threads: usize,
    /// Which records.
    pub selection: Selection,
    /// The first problem ends the job.
    pub strict: bool,
}

/// Finds the duplicates among the games of all items, sorted by the kept game.
///
/// Surnames must be equal, whatever case, accents and initials are, and years equal or unknown. *Exact*:
/// the same moves; under 20 plies event, round or day must agree too. *Near*: at least 20 plies and 80 % of
/// the shorter game in common; if that is less than 80 % of the longer game, event, round or day must agree
/// too. *Embedded*: one begins the other, with at least 10 plies, and event, round or day agree. If none of
/// these can be compared because they are unknown, they count as agreeing. Games without moves or of unknown
/// players are exact duplicates if all of them is the same, as far as all formats keep it: event, site, date,
/// round, result, ratings, moves, variations, comments, NAGs and shapes. Guiding texts are no duplicates, nor
/// are records without players of which nothing but tags is known, and records of a damaged database whose moves
/// or names are lost.
///
/// Of several games the one with most annotations is kept, then the longest, then the one with most known
/// tags, then the first. Memory: 64 MiB, and some bytes for each game of two players and each duplicate.
///
/// # Errors
/// When an item cannot be read, or the temporary file cannot be written.
pub fn find_duplicates(
    items: &[InputItem],
    options: &DedupeOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Vec<Duplicate>), Error> {
    let known = find(items, &Base::default(), options, progress, observer)?;
    Ok((known.summary, known.duplicates))
}

/// As [`find_duplicates`], but the games of the first `base` items are all kept, and only those of players of
/// the other games are compared: what of new games a database has already. New games are compared with those
/// of the first item as it would store them: with names cut and characters replaced.
///
/// # Errors
/// As [`find_duplicates`].
///
/// ```
/// use std::sync::Arc;
/// use tabia::dedupe::{DedupeOptions, find_known};
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let find = || Resolver::default().resolve_games(path.as_ref());
/// let items = find()?.into_iter().chain(find()?);
/// let items = items.collect::<Result<Vec<_>, _>>()?;
/// let (progress, options) = (Arc::new(Progress::new()), DedupeOptions::default());
/// let known = find_known(&items, 1, &options, &progress, &mut NoObserver)?;
/// let mut found = known.duplicates.iter();
/// assert!(found.all(|duplicate| duplicate.kept.0 == 0 && duplicate.dropped.0 == 1));
/// assert!(known.damaged.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn find_known(
    items: &[InputItem],
    base: usize,
    options: &DedupeOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Known, Error> {
    let mut players = HashSet::new();
    let (old, new) = items.split_at(base.min(items.len()));
    let limits = match old.first() {
        Some(item) => text_limits(item, options, progress)?,
        None => None,
    };
    for item in new {
        players_of(item, limits.as_ref(), options, progress, &mut |_, hash| {
            players.insert(hash);
        })?;
    }
    let mut compared = Vec::new();
    for item in old {
        let mut games = GameSet::default();
        players_of(
            item,
            limits.as_ref(),
            options,
            progress,
            &mut |game, hash| {
                if players.contains(&hash) {
                    games.insert(game);
                }
            },
        )?;
        compared.push(Arc::new(games));
    }
    let base = Base { compared, limits };
    find(items, &base, options, progress, observer)
}

/// The inputs whose games are all kept, and the database among them that new games are added to.
#[derive(Default)]
struct Base {
    /// The games of each that are compared.
    compared: Vec<Arc<GameSet>>,
    limits: Option<Arc<dyn TextLimits>>,
}

/// What the database changes in texts of games that are added to it.
fn text_limits(
    item: &InputItem,
    options: &DedupeOptions,
    progress: &Arc<Progress>,
) -> Result<Option<Arc<dyn TextLimits>>, Error> {
    let opened = item.open(&options.open, Some(progress))?;
    Ok(match &opened.input {
        OpenInput::Database(database) => database.text_limits(),
        _ => None,
    })
}

/// Passes on a hash of the players of each game. Problems are reported when the games are compared.
fn players_of(
    item: &InputItem,
    limits: Option<&Arc<dyn TextLimits>>,
    options: &DedupeOptions,
    progress: &Arc<Progress>,
    take: &mut dyn FnMut(GameIndex, u64),
) -> Result<(), Error> {
    let plan = ScanOptions {
        threads: options.threads,
        selection: options.selection.clone(),
        want: Want::TAGS,
        ..ScanOptions::default()
    };
    let task = || PlayersTask {
        limits: limits.cloned(),
        games: Vec::new(),
    };
    scan_again(item, &plan, task, options, progress, take)
}

/// Scans an item whose problems are reported by another scan.
fn scan_again<T: Task<Out = Vec<(GameIndex, G)>>, G>(
    item: &InputItem,
    plan: &ScanOptions,
    task: impl Fn() -> T,
    options: &DedupeOptions,
    progress: &Arc<Progress>,
    take: &mut dyn FnMut(GameIndex, G),
) -> Result<(), Error> {
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer: &mut NoObserver,
        progress,
    };
    reporter.read_item(&options.open, progress, false, |reporter, input| {
        let tasks = (0..plan.threads.max(1)).map(|_| task()).collect();
        scan(
            reporter,
            input,
            plan,
            tasks,
            &mut |base, games: &mut T::Out| {
                for (game, found) in games.drain(..) {
                    take(base.game(game), found);
                }
                Ok(true)
            },
        )
    })
}

/// Finds duplicates; the first inputs are a base of which only some games are compared, and all are kept.
fn find(
    items: &[InputItem],
    base: &Base,
    options: &DedupeOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Known, Error> {
    let mut damaged = Vec::new();
    let mut summary = Summary::default();
    let mut sorter = VariableSorter::<KEY>::new(&std::env::temp_dir(), MEMORY);
    for (number, item) in items.iter().enumerate() {
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        let plan = ScanOptions {
            threads: options.threads,
            selection: options.selection.clone(),
            strict: options.strict,
            candidates: base.compared.get(number).cloned(),
            ..ScanOptions::default()
        };
        let is_base = number < base.compared.len();
        let before = reporter.summary.counts;
        reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
            let source = SourceState::of(&input);
            let tasks = (0..plan.threads.max(1))
                .map(|_| GameTask::new(source, base.limits.clone(), is_base))
                .collect();
            scan(reporter, input, &plan, tasks, &mut |base, batch| {
                for (game, key, facts) in batch.games.drain(..) {
                    let mut record = Sink::new();
                    record.u32_be(number as u32);
                    record.u32_be(base.game(game).0);
                    record.bytes(&facts);
                    sorter.push(&key, record.as_slice())?;
                }
                damaged.extend(batch.damaged.drain(..).filter(|_| !is_base).map(
                    |(game, moves, names)| DamagedRecord {
                        at: (number as u32, base.game(game)),
                        moves,
                        names,
                    },
                ));
                Ok(true)
            })
        })?;
        if !is_base {
            reporter.finish_item(before)?;
        }
    }
    let mut found = Vec::new();
    let base = base.compared.len() as u32;
    let mut group = Group {
        base,
        ..Group::default()
    };
    sorter.finish(|key, record| {
        let Some(entry) = Entry::read(record) else {
            return Ok(());
        };
        let players = key.first_chunk().copied().unwrap_or_default();
        if players != group.players {
            group.resolve(&mut found);
            group = Group {
                players,
                base,
                ..Group::default()
            };
        }
        group.push(entry);
        Ok(())
    })?;
    group.resolve(&mut found);
    found.sort_by_key(|duplicate| (duplicate.kept, duplicate.dropped));
    let (mut number, mut last) = (0, None);
    for duplicate in &mut found {
        if last != Some(duplicate.kept) {
            number += 1;
            last = Some(duplicate.kept);
        }
        duplicate.group = number;
    }
    Ok(Known {
        summary,
        duplicates: found,
        damaged,
    })
}

/// For each input the kept games that get annotations of their duplicates, those of `items` in the same
/// order. Memory: the annotated duplicates.
///
/// # Errors
/// When an item cannot be read.
pub fn merges(
    items: &[InputItem],
    duplicates: &[Duplicate],
    options: &DedupeOptions,
    progress: &Arc<Progress>,
) -> Result<Vec<Arc<Merges>>, Error> {
    let mut kept_by: HashMap<(u32, GameIndex), (u32, GameIndex)> = HashMap::new();
    for duplicate in duplicates {
        kept_by.insert(duplicate.dropped, duplicate.kept);
    }
    let mut merges = vec![Merges::default(); items.len()];
    for (number, item) in (0_u32..).zip(items) {
        let mut dropped = GameSet::default();
        for duplicate in duplicates.iter().filter(|other| other.dropped.0 == number) {
            dropped.insert(duplicate.dropped.1);
        }
        let plan = ScanOptions {
            threads: options.threads,
            selection: options.selection.clone(),
            candidates: Some(Arc::new(dropped)),
            ..ScanOptions::default()
        };
        let task = AnnotatedTask::default;
        scan_again(
            item,
            &plan,
            task,
            options,
            progress,
            &mut |game, annotated| {
                let kept = kept_by.get(&(number, game));
                if let Some((merges, game)) =
                    kept.and_then(|(input, game)| Some((merges.get_mut(*input as usize)?, game)))
                {
                    merges.add(*game, annotated);
                }
            },
        )?;
    }
    Ok(merges.into_iter().map(Arc::new).collect())
}

/// A query that knows the duplicates among the games of an item, if it asks for them. They are found at the
/// first call, and again when a file of the item was changed. Their problems are reported when the games are
/// read for the query.
///
/// # Errors
/// When the item cannot be read, or only once, or `progress` is cancelled.
pub fn known_duplicates(
    item: &InputItem,
    query: &Query,
    open: &OpenOptions,
    threads: usize,
    progress: &Arc<Progress>,
) -> Result<Query, Error> {
    if !query.lacks_duplicates() {
        return Ok(query.clone());
    }
    if item.is_once() {
        let text = "`is:duplicate` reads the games twice; save standard input to a file";
        return Err(Error::usage(text));
    }
    let known = || {
        item.duplicates
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let state = format!("{:?}", Stamp::of(item)?);
    let found = known().clone().filter(|found| found.state == state);
    if let Some(found) = found {
        return Ok(query.with_duplicates(found.games));
    }
    let options = DedupeOptions {
        open: open.clone(),
        threads,
        ..DedupeOptions::default()
    };
    let items = std::slice::from_ref(item);
    let (_, duplicates) = find_duplicates(items, &options, progress, &mut NoObserver)?;
    let games = dropped_games(1, &duplicates).pop().unwrap_or_default();
    *known() = Some(KnownDuplicates {
        state,
        games: Arc::clone(&games),
    });
    Ok(query.with_duplicates(games))
}

impl ScanOptions {
    /// The options for an item, whose duplicates are found now if the query asks for them.
    ///
    /// # Errors
    /// When the query asks for duplicates and the item cannot be read, or only once.
    pub(crate) fn for_item(
        &self,
        item: &InputItem,
        open: &OpenOptions,
        progress: &Arc<Progress>,
    ) -> Result<Self, Error> {
        let query = self.filter.as_ref();
        let filter = query
            .map(|query| known_duplicates(item, query, open, self.threads, progress))
            .transpose()?;
        Ok(Self {
            filter,
            ..self.clone()
        })
    }
}

/// The games of each input that are dropped, ascending.
pub fn dropped_games(inputs: usize, duplicates: &[Duplicate]) -> Vec<Arc<Vec<u32>>> {
    let mut dropped = vec![Vec::new(); inputs];
    for duplicate in duplicates {
        let (input, game) = duplicate.dropped;
        if let Some(games) = dropped.get_mut(input as usize) {
            games.push(game.0);
        }
    }
    for games in &mut dropped {
        games.sort_unstable();
    }
    dropped.into_iter().map(Arc::new).collect()
}

/// Games of the same players, in the order of their moves.
#[derive(Default)]
struct Group {
    players: [u8; 8],
    /// The games of the first inputs are all kept.
    base: u32,
    facts: Vec<Facts>,
    window: VecDeque<(usize, Entry)>,
    /// Games without moves or players by their content.
    same: BTreeMap<Vec<u8>, Vec<usize>>,
    links: Vec<(usize, usize, DuplicateKind, u32)>,
}

/// What decides which of two games is kept.
#[derive(Debug, Clone, Copy)]
struct Facts {
    at: (u32, GameIndex),
    annotations: u32,
    plies: u32,
    tags: u32,
    /// A hash of the players as the input has them. Different new games that the database would store alike
    /// are no duplicates of each other.
    own_players: u64,
}

impl Group {
    /// Compares a game with those before it.
    fn push(&mut self, entry: Entry) {
        let number = self.facts.len();
        self.facts.push(entry.facts);
        if !entry.content.is_empty() {
            self.same.entry(entry.content).or_default().push(number);
            return;
        }
        // Moves of later games differ even earlier from those that differ here.
        self.window.retain(|(_, other)| {
            common_plies(&other.moves, &entry.moves) >= MIN_EMBEDDED || other.moves == entry.moves
        });
        for (other, earlier) in &self.window {
            let is_new = |facts: &Facts| facts.at.0 >= self.base;
            let (a, b) = (&earlier.facts, &entry.facts);
            if is_new(a) && is_new(b) && a.own_players != b.own_players {
                continue;
            }
            if let Some((kind, common)) = compare(earlier, &entry) {
                self.links.push((*other, number, kind, common));
            }
        }
        if self.window.len() >= WINDOW {
            self.window.pop_front();
        }
        self.window.push_back((number, entry));
    }

    /// Decides which games are kept.
    fn resolve(&mut self, found: &mut Vec<Duplicate>) {
        self.resolve_same(found);
        if self.links.is_empty() {
            return;
        }
        let quality = |number: usize| {
            let facts = self.facts.get(number);
            facts.map(|facts| facts.quality(self.base))
        };
        let mut linked: Vec<(usize, usize, DuplicateKind, u32)> = Vec::new();
        for &(a, b, kind, common) in &self.links {
            linked.push((a, b, kind, common));
            linked.push((b, a, kind, common));
        }
        linked.sort_unstable();
        let mut order: Vec<usize> = linked.iter().map(|link| link.0).collect();
        order.dedup();
        order.sort_by_key(|number| Reverse(quality(*number)));
        let mut is_kept = vec![false; self.facts.len()];
        for number in order {
            let from = linked.partition_point(|link| link.0 < number);
            let others = linked.get(from..).unwrap_or_default().iter();
            let best = others
                .take_while(|link| link.0 == number)
                .filter(|link| is_kept.get(link.1) == Some(&true))
                .max_by_key(|link| (Reverse(link.2), quality(link.1)));
            let is_of_base = self.facts.get(number);
            let is_of_base = is_of_base.is_some_and(|facts| facts.at.0 < self.base);
            let Some(&(_, kept, kind, common)) = best.filter(|_| !is_of_base) else {
                if let Some(kept) = is_kept.get_mut(number) {
                    *kept = true;
                }
                continue;
            };
            if let (Some(kept), Some(dropped)) = (self.facts.get(kept), self.facts.get(number)) {
                found.push(Duplicate {
                    group: 0,
                    kind,
                    kept: kept.at,
                    dropped: dropped.at,
                    common,
                    plies: (kept.plies, dropped.plies),
                });
            }
        }
    }

    /// Of the games with the same content one is kept, and all of the first inputs.
    fn resolve_same(&self, found: &mut Vec<Duplicate>) {
        for numbers in self.same.values() {
            let games = numbers.iter().filter_map(|number| self.facts.get(*number));
            let mut best: BTreeMap<u64, &Facts> = BTreeMap::new();
            let mut best_of_base: Option<&Facts> = None;
            for game in games.clone() {
                let best = if game.at.0 < self.base {
                    best_of_base.get_or_insert(game)
                } else {
                    best.entry(game.own_players).or_insert(game)
                };
                if game.quality(self.base) > best.quality(self.base) {
                    *best = game;
                }
            }
            for dropped in games.filter(|game| game.at.0 >= self.base) {
                let kept = best_of_base.or_else(|| best.get(&dropped.own_players).copied());
                let Some(kept) = kept.filter(|kept| kept.at != dropped.at) else {
                    continue;
                };
                found.push(Duplicate {
                    group: 0,
                    kind: DuplicateKind::Exact,
                    kept: kept.at,
                    dropped: dropped.at,
                    common: kept.plies,
                    plies: (kept.plies, dropped.plies),
                });
            }
        }
    }
}

impl Facts {
    /// The game with the greatest one is kept. The games of the first `base` inputs come first.
    fn quality(&self, base: u32) -> (bool, u32, u32, u32, Reverse<(u32, GameIndex)>) {
        let is_of_base = self.at.0 < base;
        let at = Reverse(self.at);
        (is_of_base, self.annotations, self.plies, self.tags, at)
    }
}

/// A game as far as it is compared.
struct Entry {
    facts: Facts,
    date: Date,
    /// Hashes; 0 is unknown.
    event: u64,
    round: u64,
    /// Folded surnames.
    players: Vec<u8>,
    /// All of a game without moves or players, which is compared as a whole; else empty.
    content: Vec<u8>,
    /// Two bytes a ply.
    moves: Vec<u8>,
}

impl Entry {
    fn read(record: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(record);
        let input = cursor.u32_be("input").ok()?;
        let game = cursor.u32_be("game").ok()?;
        let date = Date::new(
            cursor.u16_be("year").ok()?,
            cursor.u8("month").ok()?,
            cursor.u8("day").ok()?,
        );
        let event = cursor.u64_be("event").ok()?;
        let round = cursor.u64_be("round").ok()?;
        let annotations = cursor.u32_be("annotations").ok()?;
        let tags = cursor.u32_be("tags").ok()?;
        let own_players = cursor.u64_be("own players").ok()?;
        let length = cursor.u32_be("players").ok()? as usize;
        let players = cursor.take(length, "players").ok()?.to_vec();
        let length = cursor.u32_be("content").ok()? as usize;
        let content = cursor.take(length, "content").ok()?.to_vec();
        let moves = cursor.rest().to_vec();
        let facts = Facts {
            at: (input, GameIndex(game)),
            annotations,
            plies: (moves.len() / 2) as u32,
            tags,
            own_players,
        };
        Some(Self {
            facts,
            date,
            event,
            round,
            players,
            content,
            moves,
        })
    }

    /// Whether event, round or day agree, or none of them can be compared.
    fn agrees(&self, other: &Self) -> bool {
        let mut is_comparable = false;
        let mut agrees = false;
        let mut compare = |is_known: bool, is_equal: bool| {
            is_comparable |= is_known;
            agrees |= is_known && is_equal;
        };
        compare(
            self.event != 0 && other.event != 0,
            self.event == other.event,
        );
        compare(
            self.round != 0 && other.round != 0,
            self.round == other.round,
        );
        let has_day = self.date.is_complete() && other.date.is_complete();
        compare(has_day, self.date == other.date);
        agrees || !is_comparable
    }
}

/// What two games have in common, and how many plies.
fn compare(a: &Entry, b: &Entry) -> Option<(DuplicateKind, u32)> {
    let years = (a.date.year, b.date.year);
    if a.players != b.players || (years.0 != years.1 && years.0 != 0 && years.1 != 0) {
        return None;
    }
    let (first, second) = (a.moves.len() / 2, b.moves.len() / 2);
    let (shorter, longer) = (first.min(second), first.max(second));
    let common = common_plies(&a.moves, &b.moves);
    let kind = if common == longer {
        (longer >= MIN_NEAR || a.agrees(b)).then_some(DuplicateKind::Exact)
    } else if common >= MIN_NEAR && common * 100 >= NEAR * shorter {
        (common * 100 >= NEAR * longer || a.agrees(b)).then_some(DuplicateKind::Near)
    } else if common == shorter && common >= MIN_EMBEDDED {
        a.agrees(b).then_some(DuplicateKind::Embedded)
    } else {
        None
    };
    kind.map(|kind| (kind, common as u32))
}

/// Plies in common from the start.
fn common_plies(a: &[u8], b: &[u8]) -> usize {
    let plies = a.chunks_exact(2).zip(b.chunks_exact(2));
    plies.take_while(|(a, b)| a == b).count()
}

/// A number for a text, never 0; the same in every run.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step).max(1)
}

/// The hash of a known text, 0 for an unknown one.
fn text_hash(text: &str) -> u64 {
    match text.trim() {
        "" | "?" | "-" => 0,
        text => hash(tabia_query::fold(text).as_bytes()),
    }
}

/// Collects hashes of players.
struct PlayersTask {
    limits: Option<Arc<dyn TextLimits>>,
    games: Vec<(GameIndex, u64)>,
}

impl Visitor for PlayersTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if head.kind == RecordKind::Game {
            let mut tags = Tags::new();
            let tags = match &self.limits {
                Some(limits) => {
                    tags.clone_from(&head.tags);
                    limits.limit_tags(&mut tags);
                    &tags
                }
                None => &head.tags,
            };
            self.games.push((game, hash(players(tags).as_bytes())));
        }
        Flow::Skip
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Skip
    }
}

impl Task for PlayersTask {
    type Out = Vec<(GameIndex, u64)>;

    fn swap(&mut self, out: &mut Self::Out) {
        out.clear();
        std::mem::swap(&mut self.games, out);
    }
}

/// The surnames of both players.
fn players(tags: &Tags) -> String {
    let known = |tag: &str| {
        let name = tags.text(tag);
        // A repaired database has such names instead of those that it has lost.
        if is_lost_name(name) {
            String::new()
        } else {
            surname(name)
        }
    };
    format!("{}\n{}", known("White"), known("Black"))
}

/// The surnames of both players, or what is left of names whose letters a database has replaced.
fn players_or_rest(tags: &Tags) -> String {
    let surnames = players(tags);
    let (white, black) = surnames.split_once('\n').unwrap_or_default();
    let rest = |surname: &str, tag: &str| match (surname, tags.text(tag).trim()) {
        ("", rest) if rest.starts_with("??") => rest.to_owned(),
        (surname, _) => surname.to_owned(),
    };
    format!("{}\n{}", rest(white, "White"), rest(black, "Black"))
}

/// Whether both surnames are known.
fn has_both(players: &str) -> bool {
    !players.starts_with('\n') && !players.ends_with('\n')
}

/// What can be missing from the records of an input without a trace in them. A text keeps what cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceState {
    Text,
    Database,
    /// A database whose files are damaged.
    DamagedDatabase,
}

impl SourceState {
    fn of(input: &OpenInput) -> Self {
        match input {
            OpenInput::Database(database) if database.info().problems.is_empty() => Self::Database,
            OpenInput::Database(_) => Self::DamagedDatabase,
            _ => Self::Text,
        }
    }
}

/// The games of a piece of work, and the damaged records: whether moves and names are lost.
#[derive(Default)]
struct GameBatch {
    games: Vec<(GameIndex, [u8; KEY], Vec<u8>)>,
    damaged: Vec<(GameIndex, bool, bool)>,
}

/// Collects what games are compared by.
struct GameTask {
    source: SourceState,
    /// What the database that new games are added to changes in texts.
    limits: Option<Arc<dyn TextLimits>>,
    /// The input is one of those whose games are all kept.
    is_base: bool,
    /// Something of the game could not be read.
    has_problem: bool,
    /// Moves could not be read from some ply on.
    is_cut: bool,
    is_game: bool,
    depth: u32,
    annotations: u32,
    game: GameIndex,
    head: GameHead,
    start: u64,
    moves: Vec<u8>,
    /// The surnames of both players.
    players: String,
    has_players: bool,
    /// The surnames as the input has them.
    own_players: String,
    /// Of a game without players, or before its first move.
    content: GameContent,
    batch: GameBatch,
}

impl GameTask {
    fn new(source: SourceState, limits: Option<Arc<dyn TextLimits>>, is_base: bool) -> Self {
        Self {
            source,
            limits,
            is_base,
            has_problem: false,
            is_cut: false,
            is_game: false,
            depth: 0,
            annotations: 0,
            game: GameIndex(0),
            head: GameHead::default(),
            start: 0,
            moves: Vec::new(),
            players: String::new(),
            has_players: false,
            own_players: String::new(),
            content: GameContent::default(),
            batch: GameBatch::default(),
        }
    }

    /// Whether moves of the game are lost, and the name of a player.
    fn lost_parts(&self) -> (bool, bool) {
        if self.source == SourceState::Text {
            return (false, false);
        }
        let moves = self.has_problem && (self.is_cut || self.moves.is_empty());
        let names = self.has_problem && !has_both(&self.own_players)
            || self.source == SourceState::DamagedDatabase && self.own_players == "\n";
        (moves, names)
    }
}

impl Visitor for GameTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.is_game = head.kind == RecordKind::Game;
        if !self.is_game {
            return Flow::Skip;
        }
        (self.depth, self.annotations, self.game) = (0, 0, game);
        (self.has_problem, self.is_cut) = (false, false);
        self.head.clone_from(head);
        self.moves.clear();
        self.content.clear();
        self.own_players = players(&head.tags);
        if let Some(limits) = &self.limits {
            limits.limit_tags(&mut self.head.tags);
            self.players = players(&self.head.tags);
        } else {
            self.players.clone_from(&self.own_players);
        }
        self.has_players = has_both(&self.players);
        let start = head.start.position();
        self.start = start.map_or(0, |position| position.key());
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, ply: Ply) -> Flow {
        if !self.has_players {
            self.content.push_move(ply);
        }
        if self.depth > 0 {
            self.annotations = self.annotations.saturating_add(1);
            return Flow::Go;
        }
        let bits = ply
            .to_move()
            .map_or(u16::MAX, tabia_core::chess::Move::to_bits);
        self.moves.extend([(bits >> 8) as u8, bits as u8]);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if !self.has_players || self.moves.is_empty() {
            match (annotation, &self.limits) {
                (Annotation::Comment(comment), Some(limits)) => {
                    let text = &limits.limit_comment(comment.text);
                    let comment = Comment { text, ..comment };
                    self.content.push_annotation(Annotation::Comment(comment));
                }
                (annotation, _) => self.content.push_annotation(annotation),
            }
        }
        self.annotations = self.annotations.saturating_add(1);
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.content.begin_variation();
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.content.end_variation();
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_game(&mut self, result: GameResult) {
        if !self.is_game {
            return;
        }
        let tags = &self.head.tags;
        let players = &self.players;
        let (lost_moves, lost_names) = self.lost_parts();
        if lost_moves || lost_names {
            self.batch.damaged.push((self.game, lost_moves, lost_names));
        }
        // What is lost of two records need not have been the same.
        if lost_names || lost_moves && self.moves.is_empty() {
            return;
        }
        // Of games of the database the letters of names may be replaced.
        let may_have_players = self.is_base && self.limits.is_some();
        let is_bare = self.own_players == "\n"
            && !may_have_players
            && self.moves.is_empty()
            && self.content.is_empty()
            && self.head.start.setup.is_none();
        if is_bare {
            return;
        }
        let is_compared_by_moves = self.has_players && !self.moves.is_empty();
        let content = if is_compared_by_moves {
            ""
        } else {
            let players = match self.limits {
                Some(_) => &players_or_rest(tags),
                None => players,
            };
            self.content.finish(&self.head, players, result)
        };
        let mut key = Sink::new();
        if is_compared_by_moves {
            key.u64_be(hash(players.as_bytes()) ^ self.start);
            key.bytes(self.moves.get(..KEY - 8).unwrap_or(&self.moves));
        } else {
            key.u64_be(hash(content.as_bytes()));
        }
        let mut bytes = [0; KEY];
        for (to, from) in bytes.iter_mut().zip(key.as_slice()) {
            *to = *from;
        }
        let is_known = |value: &str| !matches!(value, "" | "?" | "-" | "*" | "????.??.??");
        let known = tags.iter().filter(|(_, value)| is_known(value)).count();
        let date = tags.date().unwrap_or_default();
        let mut facts = Sink::new();
        facts.u16_be(date.year);
        facts.u8(date.month);
        facts.u8(date.day);
        facts.u64_be(text_hash(tags.text("Event")));
        facts.u64_be(text_hash(tags.text("Round")));
        facts.u32_be(self.annotations);
        facts.u32_be(known as u32 + u32::from(result != GameResult::Unknown));
        facts.u64_be(hash(self.own_players.as_bytes()));
        facts.u32_be(players.len() as u32);
        facts.bytes(players.as_bytes());
        facts.u32_be(content.len() as u32);
        facts.bytes(content.as_bytes());
        facts.bytes(&self.moves);
        self.batch.games.push((self.game, bytes, facts.into_vec()));
    }
}

impl Task for GameTask {
    type Out = GameBatch;

    fn swap(&mut self, out: &mut Self::Out) {
        out.games.clear();
        out.damaged.clear();
        std::mem::swap(&mut self.batch, out);
    }

    fn on_problem(&mut self, problem: &Problem) {
        self.has_problem = true;
        self.is_cut |= problem.error.location().ply.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32, event: u64, date: Date, plies: &[u8]) -> Entry {
        Entry {
            facts: Facts {
                at: (0, GameIndex(number)),
                annotations: 0,
                plies: plies.len() as u32,
                tags: 0,
                own_players: 0,
            },
            date,
            event,
            round: 0,
            players: b"a\nb".to_vec(),
            content: Vec::new(),
            moves: plies.iter().flat_map(|ply| [0, *ply]).collect(),
        }
    }

    #[test]
    fn kinds_of_duplicates() {
        let plies: Vec<u8> = (1..=60).collect();
        let year = Date::new(1990, 0, 0);
        let game = |event, count: usize| entry(0, event, year, &plies[..count]);
        let kind = |a: &Entry, b: &Entry| compare(a, b).map(|(kind, _)| kind);
        assert_eq!(kind(&game(1, 60), &game(2, 60)), Some(DuplicateKind::Exact));
        assert_eq!(kind(&game(1, 60), &game(2, 55)), Some(DuplicateKind::Near));
        // A short game that begins a long one may be another game.
        assert_eq!(kind(&game(1, 60), &game(2, 22)), None);
        assert_eq!(kind(&game(1, 60), &game(1, 22)), Some(DuplicateKind::Near));
        assert_eq!(
            kind(&game(1, 60), &game(1, 12)),
            Some(DuplicateKind::Embedded)
        );
        assert_eq!(
            kind(&game(1, 60), &game(0, 12)),
            Some(DuplicateKind::Embedded)
        );
        assert_eq!(kind(&game(1, 60), &game(2, 12)), None);
        assert_eq!(kind(&game(1, 9), &game(2, 9)), None);
        assert_eq!(kind(&game(1, 9), &game(1, 9)), Some(DuplicateKind::Exact));
        let other = entry(0, 1, Date::new(1991, 1, 1), &plies);
        assert_eq!(kind(&game(1, 60), &other), None);
        let unknown = entry(0, 2, Date::UNKNOWN, &plies);
        assert_eq!(kind(&game(1, 60), &unknown), Some(DuplicateKind::Exact));
    }

    #[test]
    fn a_game_is_dropped_only_for_one_that_is_kept() {
        // The short one begins both long ones, which have little more in common.
        let short: Vec<u8> = (1..=12).collect();
        let long = |from: u8| -> Vec<u8> { (1..=14).chain(from..from + 40).collect() };
        let mut group = Group::default();
        for (number, plies) in [short, long(20), long(100)].iter().enumerate() {
            group.push(entry(number as u32, 1, Date::UNKNOWN, plies));
        }
        let mut found = Vec::new();
        group.resolve(&mut found);
        let dropped: Vec<u32> = found.iter().map(|d| d.dropped.1.0).collect();
        assert_eq!(dropped, [0]);
    }
}
