//! The games that may fit a query, from the saved index of a database.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tabia_core::chess::Position;
use tabia_core::formats::GameFormat;
use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_index::{PositionIndex, SegmentRanks, Unusable};
use tabia_query::{Answer, Matcher, Query};

use super::game_set::GameSet;
use super::index_policy::{Index, usable_index};
use super::saved_index::IndexOptions;
use crate::input::InputItem;
use crate::observer::Observer;
use crate::scan::ScanOptions;

/// Ranks whose lines one thread takes at a time.
const RANKS: u32 = 2048;
/// Of all lines, this share is looked at for their material if terms about games may leave few games anyway.
const FEW: u64 = 50;
/// The same if there are no such terms; otherwise all lines are looked at.
const MANY: u64 = 3;
/// Of a text that several threads may read, only games fewer than this share are picked by their numbers.
const MOST: u64 = 4;

/// The games that may fit a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// No other games fit.
    pub(crate) games: Arc<GameSet>,
    /// Those of them that are marked as deleted.
    pub(crate) deleted: GameSet,
    /// All of them fit.
    pub(crate) is_decided: bool,
    /// Games of the index.
    total: u64,
}

impl Candidates {
    /// Has the plan of a scan read these games only, and all of them if nothing else is asked of them.
    /// Numbers of games in a text are counted on one thread, which pays only if most games are left out.
    pub(crate) fn restrict(self, plan: &mut ScanOptions, item: &InputItem) {
        let is_text = item.format().games().is_some_and(GameFormat::is_streamable);
        if is_text && plan.threads > 1 && self.games.count() * MOST > self.total {
            return;
        }
        // The moments of games are found by the query.
        if self.is_decided && !plan.needs_moments() {
            plan.filter = None;
        }
        plan.candidates = Some(self.games);
    }
}

/// What is asked of the index of an item.
pub(crate) struct IndexQuestion<'a> {
    pub(crate) item: &'a InputItem,
    pub(crate) query: &'a Query,
    /// Not all games that fit are wanted, so that looking at all lines is not worth it.
    pub(crate) is_limited: bool,
    /// The first problem of any game ends the job, so that all games have to be read.
    pub(crate) strict: bool,
    pub(crate) index: Index,
    pub(crate) options: &'a IndexOptions,
    /// Threads that look at lines.
    pub(crate) threads: usize,
}

/// Has a scan of an item read only the games that may fit its query, as far as a saved index knows them.
///
/// # Errors
/// As for [`usable_index`].
pub(crate) fn restrict_by_index(
    plan: &mut ScanOptions,
    item: &InputItem,
    index: Index,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<()> {
    let Some(query) = &plan.filter else {
        return Ok(());
    };
    let question = IndexQuestion {
        item,
        query,
        is_limited: false,
        strict: plan.strict,
        index,
        options,
        threads: plan.threads,
    };
    if let Some(found) = candidates(&question, progress, observer)? {
        found.restrict(plan, item);
    }
    Ok(())
}

/// The games of an item that may fit a query; `None` if its index does not decide that.
///
/// # Errors
/// As for [`usable_index`].
pub(crate) fn candidates(
    question: &IndexQuestion<'_>,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Candidates>> {
    let &IndexQuestion {
        item,
        query,
        is_limited,
        index,
        ..
    } = question;
    if index == Index::Never || question.strict {
        return Ok(None);
    }
    let threads = question.threads.max(1);
    let options = &IndexOptions {
        threads,
        ..question.options.clone()
    };
    let positions = query.required_positions();
    let moments = query.moment_terms();
    if positions.is_none() && moments.is_none() {
        return Ok(None);
    }
    let Some(index) = usable_index(item, index, options, progress, observer)? else {
        return Ok(None);
    };
    let search = IndexSearch {
        index: &index,
        query,
        is_limited,
        threads,
        progress,
    };
    let found = match (positions, moments) {
        (Some(positions), _) => search.positions(&positions).map(Some),
        (None, Some((moments, is_all))) => search.moments(&moments, is_all),
        (None, None) => Ok(None),
    };
    progress.check()?;
    match found.and_then(|found| index.check_file().map(|()| found)) {
        Ok(found) => Ok(found),
        Err(error) => {
            observer.index_unused(item, &format!("the index is {error}"))?;
            Ok(None)
        }
    }
}

/// What the saved index of a database does for a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum IndexUse {
    /// It is not asked, or there is none that can be used.
    Nothing,
    /// It leaves few games to be read.
    Narrows,
    /// It knows all games that fit.
    Decides,
}

/// What the saved index of an item does for a query, as a search with these options would use it.
///
/// # Errors
/// When the item cannot be read, and with [`Index::Require`] when the index cannot be made.
///
/// ```
/// use std::sync::Arc;
/// use tabia::base::{Index, IndexOptions, IndexUse, index_use};
/// use tabia::query::Query;
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let items = Resolver::default().resolve_games(path.as_ref())?;
/// let query = Query::parse("mat:KRPKR").unwrap();
/// for item in items {
///     let (options, progress) = (IndexOptions::default(), Arc::new(Progress::new()));
///     let found = index_use(&item?, &query, Index::Auto, &options, &progress, &mut NoObserver)?;
///     assert_eq!(found, IndexUse::Nothing);
/// }
/// # Ok(())
/// # }
/// ```
pub fn index_use(
    item: &InputItem,
    query: &Query,
    index: Index,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<IndexUse> {
    let question = IndexQuestion {
        item,
        query,
        is_limited: false,
        strict: false,
        index,
        options,
        threads: options.threads,
    };
    let found = candidates(&question, progress, observer)?;
    Ok(match found {
        None => IndexUse::Nothing,
        Some(found) if found.is_decided => IndexUse::Decides,
        Some(_) => IndexUse::Narrows,
    })
}

struct IndexSearch<'a> {
    index: &'a PositionIndex,
    query: &'a Query,
    is_limited: bool,
    threads: usize,
    progress: &'a Progress,
}

type Found<T> = std::result::Result<T, Unusable>;

impl IndexSearch<'_> {
    /// The games that reached one of some positions.
    fn positions(&self, positions: &[Position]) -> Found<Candidates> {
        let mut ranges = Vec::new();
        for position in positions {
            for arrival in self.index.find(position)? {
                ranges.push((arrival.segment, arrival.ranks()));
            }
        }
        self.games(&ranges, self.query.is_position())
    }

    /// The games at some moment of which the terms about moments hold; `is_all`: there are no other terms.
    fn moments(&self, moments: &Query, is_all: bool) -> Found<Option<Candidates>> {
        let is_few = self.is_limited || !is_all;
        let most = self.index.games() / if is_few { FEW } else { MANY };
        let material = moments.required_material();
        let is_decided = Cell::new(true);
        let ranges = match &material {
            Some(material) => {
                let fits = |other| {
                    let fits = material.fits(other);
                    if fits && !material.decides(other) {
                        is_decided.set(false);
                    }
                    fits
                };
                let listed = material.listed();
                let listed = listed.as_deref();
                self.index
                    .with_material(&fits, listed, most, self.progress)?
            }
            None => None,
        };
        if let Some(ranges) = ranges.as_ref().filter(|_| is_decided.get()) {
            return self.games(ranges, is_all).map(Some);
        }
        let ranges = match ranges {
            Some(ranges) => ranges,
            None if is_few => return Ok(None),
            None => (0..self.index.segments())
                .map(|segment| (segment, self.index.ranks(segment)))
                .collect(),
        };
        // The display shows the part of the lines; what is read after that counts as before.
        let progress = self.progress;
        let (done, total) = (progress.done(), progress.total());
        let lines = ranges
            .iter()
            .map(|(_, ranks)| u64::from(ranks.end - ranks.start));
        progress.begin(progress.unit(), lines.sum());
        let found = self.matching(&ranges, moments);
        progress.begin(progress.unit(), total);
        progress.advance(done, 0);
        self.games(&found?, is_all).map(Some)
    }

    /// The lines of some ranks that fit a query about moments.
    fn matching(&self, ranges: &[SegmentRanks], moments: &Query) -> Found<Vec<SegmentRanks>> {
        let mut parts: Vec<SegmentRanks> = Vec::new();
        for (segment, ranks) in ranges {
            let mut from = ranks.start;
            while from < ranks.end {
                let to = from.saturating_add(RANKS).min(ranks.end);
                parts.push((*segment, from..to));
                from = to;
            }
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut matcher = Matcher::new(moments);
            let mut found = Vec::new();
            while let Some((segment, ranks)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.progress.is_cancelled() {
                    break;
                }
                let mut lines = self.index.lines(*segment, ranks.clone())?;
                while let Some(ranks) = lines.next_line()? {
                    lines.visit(GameIndex(0), &mut matcher)?;
                    if matcher.answer() == Answer::Yes {
                        found.push((*segment, ranks));
                    }
                }
                self.progress.advance((ranks.end - ranks.start).into(), 0);
            }
            Ok(found)
        };
        let threads = self.threads.min(parts.len().max(1));
        if threads == 1 {
            return work();
        }
        let parts: Vec<Found<_>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let done = workers.into_iter();
            done.filter_map(|worker| worker.join().ok()).collect()
        });
        let mut all = Vec::new();
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    /// The games of some ranks, and those whose moves the index does not know.
    fn games(&self, ranges: &[SegmentRanks], is_decided: bool) -> Found<Candidates> {
        let (mut games, mut deleted) = (GameSet::default(), GameSet::default());
        let irregular = self.index.irregular()?;
        for game in &irregular {
            games.insert(GameIndex(*game));
        }
        for (segment, ranks) in ranges {
            for row in self.index.rows(*segment, ranks.clone())? {
                games.insert(row.game());
                if row.is_deleted() {
                    deleted.insert(row.game());
                }
            }
        }
        Ok(Candidates {
            games: Arc::new(games),
            deleted,
            is_decided: is_decided && irregular.is_empty(),
            total: self.index.games(),
        })
    }
}

/// The games that reached one of the positions, and those that the index does not know.
pub(super) fn games_with(
    index: &PositionIndex,
    positions: &[Position],
) -> std::result::Result<GameSet, Unusable> {
    let mut games = GameSet::default();
    for game in index.irregular()? {
        games.insert(GameIndex(game));
    }
    for position in positions {
        for arrival in index.find(position)? {
            for row in index.rows(arrival.segment, arrival.ranks())? {
                games.insert(row.game());
            }
        }
    }
    index.check_file()?;
    Ok(games)
}
