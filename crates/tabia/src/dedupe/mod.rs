//! Duplicate games: exact, near and embedded ones, with bounded memory.
//!
//! Games are compared only with games of the same surnames and the same start, in the order of their
//! moves, so that the work grows with the number of games times its logarithm. A game counts as a
//! duplicate only of one that is kept.

mod collect_games;
mod compared_game;
mod duplicate;
mod same_players;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use tabia_core::external::VariableSorter;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Want;
use tabia_core::games::TextLimits;
use tabia_core::io::{Progress, Sink, temporary_folder};
use tabia_core::loss::Features;
use tabia_core::{Error, GameIndex};

use tabia_query::Query;

pub use self::duplicate::{DamagedRecord, Duplicate, DuplicateKind, Known};
pub use crate::merge_annotations::{Merges, merged};

use self::collect_games::{GameTask, KEY, Kept, PlayersTask, SourceState};
use self::compared_game::Entry;
use self::same_players::Group;
use crate::annotated_games::AnnotatedTask;
use crate::base::{GameSet, Stamp};
use crate::input::{InputItem, KnownDuplicates, OpenInput};
use crate::job_summary::Summary;
use crate::observer::{NoObserver, Observer};
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;

/// Bytes of records in memory.
const MEMORY: usize = 64 << 20;

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
/// Surnames must be equal, whatever case, accents and initials are, and years equal or unknown. The surname of a name
/// without a comma is its last word, or, in games with the same moves of at least 40 plies, all words but the last. *Exact*: the same
/// moves; under 20 plies event, round or day must agree too. *Near*: at least 20 plies and 80 % of the shorter game in
/// common; if that is less than 80 % of the longer game, event, round or day must agree too. *Embedded*: one begins
/// the other, with at least 10 plies, and event, round or day agree. If none of these can be compared because they are
/// unknown, they count as agreeing. Of rounds the first number is compared, without those of boards. Rounds of events
/// with different names do not agree, and games of one event in different rounds are no duplicates, unless at least 20
/// plies are all the same and the days are equal or unknown. With less than 40 plies in common, games are no duplicates
/// of which two of result and initials of the players are known and differ. Games without moves or of unknown players are exact
/// duplicates if all of them is the same, as far as all formats keep it: event, site, date, round, result, ratings,
/// moves, variations, comments, NAGs and shapes. Guiding texts are no duplicates, nor are records without players of
/// which nothing but tags is known, and records of a damaged database whose moves or names are lost.
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
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let known = find(items, &Base::default(), options, progress, observer)?;
    Ok((known.summary, known.duplicates))
}

/// As [`find_duplicates`], but the games of the first `base` items are all kept, and only those of players of
/// the other games are compared: what of new games a database has already. New games are compared with those
/// of the first item as it would store them: with names cut, characters replaced, and without moves that it cannot
/// have. Guiding texts that a database has already are found too.
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
    let kept = match old.first() {
        Some(item) => kept_by(item, options, progress)?,
        None => Kept::default(),
    };
    let limits = &kept.limits;
    // Everything is read twice: for its players, and to be compared.
    let bytes: u64 = items.iter().filter_map(InputItem::bytes).sum();
    progress.set_total(progress.done() + 2 * bytes);
    for item in new {
        progress.without_games(|| {
            players_of(item, limits.as_ref(), options, progress, &mut |_, hash| {
                players.insert(hash);
            })
        })?;
    }
    let mut compared = Vec::new();
    for item in old {
        let mut games = GameSet::default();
        let mut take = |game, hash| {
            if players.contains(&hash) {
                games.insert(game);
            }
        };
        progress
            .without_games(|| players_of(item, limits.as_ref(), options, progress, &mut take))?;
        compared.push(Arc::new(games));
    }
    let base = Base { compared, kept };
    find(items, &base, options, progress, observer)
}

/// The inputs whose games are all kept, and the database among them that new games are added to.
#[derive(Default)]
struct Base {
    /// The games of each that are compared.
    compared: Vec<Arc<GameSet>>,
    kept: Kept,
}

/// What the database keeps of games that are added to it.
fn kept_by(
    item: &InputItem,
    options: &DedupeOptions,
    progress: &Arc<Progress>,
) -> Result<Kept, Error> {
    let opened = item.open(&options.open, Some(progress))?;
    let format = item.format().games();
    Ok(Kept {
        features: format.map_or(Features::ALL, |format| {
            format.features(&CreateOptions::default())
        }),
        limits: match &opened.input {
            OpenInput::Database(database) => database.text_limits(),
            _ => None,
        },
        has_quotations_as_text: format.is_some_and(|format| format.create_text.is_some()),
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
    let task = || PlayersTask::new(limits.cloned());
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
    // Records of texts whose stream is damaged, which may be made of what the damage left.
    let mut not_compared: HashSet<(u32, GameIndex)> = HashSet::new();
    let mut known_texts: HashSet<(u64, u64)> = HashSet::new();
    let mut new_texts = Vec::new();
    let mut changeable = Vec::new();
    let mut summary = Summary::default();
    let mut sorter = VariableSorter::<KEY>::new(&temporary_folder(), MEMORY);
    let mut record = Sink::new();
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
        let mut suspects = Vec::new();
        let read = |reporter: &mut ScanReporter<'_>, input| {
            let source = SourceState::of(&input);
            let tasks = (0..plan.threads.max(1))
                .map(|_| GameTask::new(source, base.kept.clone(), is_base))
                .collect();
            scan(reporter, input, &plan, tasks, &mut |base, batch| {
                let mut start = 0;
                for (game, key, end) in batch.games.drain(..) {
                    let facts = batch.facts.as_slice().get(start..end);
                    start = end;
                    record.clear();
                    record.u32_be(number as u32);
                    record.u32_be(base.game(game).0);
                    record.bytes(facts.unwrap_or_default());
                    sorter.push(&key, record.as_slice())?;
                }
                let damaged_record = |(game, moves, names)| DamagedRecord {
                    at: (number as u32, base.game(game)),
                    moves,
                    names,
                };
                for (game, hash) in batch.texts.drain(..) {
                    if is_base {
                        known_texts.insert(hash);
                    } else {
                        new_texts.push(((number as u32, base.game(game)), hash));
                    }
                }
                let of_batch = batch.changeable.drain(..);
                changeable.extend(of_batch.map(|game| (number as u32, base.game(game))));
                if !is_base {
                    damaged.extend(batch.damaged.drain(..).map(damaged_record));
                    suspects.extend(batch.suspects.drain(..).map(damaged_record));
                }
                Ok(true)
            })
        };
        let ((), is_container_damaged) =
            reporter.read_container(&options.open, progress, plan.strict, read)?;
        if is_container_damaged {
            not_compared.extend(suspects.iter().map(|record| record.at));
            damaged.append(&mut suspects);
        }
        if !is_base {
            reporter.finish_item(before)?;
        }
    }
    let (mut texts, mut unknown_texts) = (Vec::new(), Vec::new());
    for (at, hash) in new_texts {
        let is_known = known_texts.contains(&hash);
        let found = if is_known {
            &mut texts
        } else {
            &mut unknown_texts
        };
        found.push(at);
    }
    let mut found = Vec::new();
    let base = base.compared.len() as u32;
    let mut group = Group {
        base,
        ..Group::default()
    };
    sorter.finish(|key, record| {
        let Some(entry) = Entry::read(key, record) else {
            return Ok(());
        };
        if not_compared.contains(&entry.facts.at) {
            return Ok(());
        }
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
    one_for_each(&mut found);
    number_groups(&mut found);
    Ok(Known {
        summary,
        duplicates: found,
        damaged,
        texts,
        changeable,
        unknown_texts,
    })
}

/// Leaves one duplicate for each game that is dropped, for a game that is kept. A game that is compared under several
/// surnames can be found several times, and be kept under one and dropped under another.
fn one_for_each(found: &mut Vec<Duplicate>) {
    let mut kept_by: HashMap<(u32, GameIndex), usize> = HashMap::new();
    found.sort_by_key(|duplicate| (duplicate.dropped, duplicate.kind, duplicate.kept));
    found.dedup_by_key(|duplicate| duplicate.dropped);
    for (number, duplicate) in found.iter().enumerate() {
        kept_by.insert(duplicate.dropped, number);
    }
    for number in 0..found.len() {
        // Each kept game is better than the one that is dropped for it: no chain leads back to its begin.
        for _ in 0..found.len() {
            let duplicate = found.get(number);
            let next = duplicate.and_then(|duplicate| kept_by.get(&duplicate.kept));
            let Some(next) = next.and_then(|next| found.get(*next)) else {
                break;
            };
            let (kept, plies, common) = (next.kept, next.plies.0, next.common);
            if let Some(duplicate) = found.get_mut(number) {
                duplicate.kept = kept;
                duplicate.plies.0 = plies;
                duplicate.common = duplicate.common.min(common);
            }
        }
    }
}

/// Sorts duplicates by the games that are kept, and numbers these.
pub(crate) fn number_groups(found: &mut [Duplicate]) {
    found.sort_by_key(|duplicate| (duplicate.kept, duplicate.dropped));
    let (mut number, mut last) = (0, None);
    for duplicate in found {
        if last != Some(duplicate.kept) {
            number += 1;
            last = Some(duplicate.kept);
        }
        duplicate.group = number;
    }
}

/// For each input the kept games that get annotations of their duplicates, and the moves of those that go on where they
/// end, those of `items` in the same order. Memory: the annotated and the longer duplicates.
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
        let (mut dropped, mut longer) = (GameSet::default(), GameSet::default());
        for duplicate in duplicates.iter().filter(|other| other.dropped.0 == number) {
            dropped.insert(duplicate.dropped.1);
            // The kept game gets the moves that it lacks, too.
            let (kept, plies) = duplicate.plies;
            if duplicate.common == kept && plies > kept {
                longer.insert(duplicate.dropped.1);
            }
        }
        let longer = Arc::new(longer);
        let plan = ScanOptions {
            threads: options.threads,
            selection: options.selection.clone(),
            candidates: Some(Arc::new(dropped)),
            ..ScanOptions::default()
        };
        let task = || AnnotatedTask::new(Arc::clone(&longer));
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
