//! Books from games.
//!
//! Every move of every game becomes a record of 10 or 16 bytes (`record`); records gather in a store
//! that goes to disk when memory is full (`store`), come back by key, and become the moves of
//! positions (`fold`). Books that need boards get them for the positions that came often enough,
//! told by a rough count while the games are read. What is written depends neither on the number of
//! threads nor on the memory allowed.

mod aggregate;
mod collect;
mod grouping;
mod kvetka;
mod polyglot;
mod record;

pub use aggregate::{MoveFilter, Weighing};
pub use collect::GameCounts;
pub use kvetka::KvetkaOptions;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::books::BookPosition;
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::external::{PARTITIONS, SpillStore};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Want;
use tabia_core::games::Written;
use tabia_core::io::{Progress, TemporaryFile};
use tabia_core::loss::{Feature, Losses};
use tabia_core::{BookFormat, Error};
use tabia_query::Query;

use crate::input::{InputItem, OpenInput};
use crate::parallel::ordered;
use crate::scan::{ScanOptions, ScanReporter, scan};
use crate::select::{LeaveOut, Selection};
use crate::summary::{Observer, Summary};
use collect::{Gather, Rules, Sketch};
use grouping::Folder;
use record::{Board, Occurrence, Short, Stored};

/// What kind of book to build.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuildOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// How the target is created.
    pub create: CreateOptions,
    /// Threads that read and fold.
    pub threads: usize,
    /// Which records of the inputs.
    pub selection: Selection,
    /// What a game must be to count.
    pub filter: Query,
    /// Plies of each game.
    pub max_ply: u32,
    /// Which moves are kept.
    pub keep: MoveFilter,
    /// How moves get their weight.
    pub weighing: Weighing,
    /// Weights are stretched so that the heaviest of each position has 65535.
    pub stretch: bool,
    /// Every weight is 1.
    pub uniform: bool,
    /// Moves of variations count too.
    pub variations: bool,
    /// Bytes of memory for the records.
    pub memory: u64,
    /// What only Kvetka books have.
    pub kvetka: KvetkaOptions,
    /// The first problem ends the job.
    pub strict: bool,
}

impl Default for BuildOptions {
    /// Moves of the mainlines of all games to ply 1024, each played at least three times, on one
    /// thread with 512 MiB for the records.
    fn default() -> Self {
        Self {
            open: OpenOptions::default(),
            create: CreateOptions::default(),
            threads: 1,
            selection: Selection {
                texts: false,
                ..Selection::default()
            },
            filter: Query::default(),
            max_ply: 1024,
            keep: MoveFilter::default(),
            weighing: Weighing::default(),
            stretch: false,
            uniform: false,
            variations: false,
            memory: 512 << 20,
            kvetka: KvetkaOptions::default(),
            strict: false,
        }
    }
}

/// What was built.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Built {
    /// What became of the games.
    pub games: GameCounts,
    /// The games used of each input.
    pub inputs: Vec<GameCounts>,
    /// Positions and moves in the book.
    pub positions: u64,
    /// Moves in the book.
    pub moves: u64,
    /// What the format could not hold.
    pub losses: Losses,
    /// Problems of the inputs.
    pub problems: u64,
    /// Bytes that went to scratch files.
    pub spilled: u64,
    /// The files.
    pub written: Written,
}

/// The target.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuildTarget {
    /// A format of books that can be written.
    pub format: &'static BookFormat,
    /// The main file.
    pub path: PathBuf,
}

impl BuildTarget {
    /// A book of `format` in the file `path`.
    pub fn new(format: &'static BookFormat, path: impl Into<PathBuf>) -> Self {
        Self {
            format,
            path: path.into(),
        }
    }
}

/// Builds a book from the games of all items. The target appears complete or not at all.
///
/// # Errors
/// The first input that cannot be read, or what the target's side says.
pub fn build(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    if options.kvetka.game_links {
        return kvetka::build(items, target, options, progress, observer);
    }
    let is_polyglot = target.format.has_key_entries;
    if is_polyglot {
        return if let Weighing::Recency { .. } = options.weighing {
            build_polyglot::<Occurrence>(items, target, options, progress, observer)
        } else {
            build_polyglot::<Short>(items, target, options, progress, observer)
        };
    }
    let writer = (target.format.create)(&target.path, &options.create).map_err(Error::in_output)?;
    let sketch_bits = (options.memory / 8).max(1 << 16).ilog2();
    let sketch = Sketch::new(sketch_bits, options.keep.min_games);
    let share = options.memory / 16;
    let mut gathered = Gathered::<Occurrence>::new(&target.path, share * 5, share * 3);
    let mut built = gather(
        items,
        &mut gathered,
        Some(&sketch),
        options,
        progress,
        observer,
    )?;
    drop(sketch);
    let mut writer = writer;
    // Weights that are points say nothing that results do not, so that no loss is told of them.
    let is_points = options.weighing == Weighing::Points && !options.uniform && !options.stretch;
    let weighs = target.format.can.has(Feature::BookWeights) || !is_points;
    pages(
        &gathered,
        options,
        weighs,
        progress,
        &mut built,
        &mut |position, page| writer.put(position, page),
    )?;
    // Its disk space and memory are of use to what follows.
    drop(gathered);
    let book = writer.finish().map_err(Error::in_output)?;
    (built.positions, built.moves) = (book.size.positions, book.size.moves);
    built.losses.merge(&book.losses);
    built.written = book.written;
    Ok(built)
}

fn build_polyglot<S: Stored>(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    let out = polyglot::Out::create(&target.path, &options.create).map_err(Error::in_output)?;
    let mut gathered = Gathered::<S>::new(&target.path, options.memory / 8 * 5, 0);
    let mut built = gather(items, &mut gathered, None, options, progress, observer)?;
    out.write(gathered, options, progress, &mut built)?;
    Ok(built)
}

/// All that was noted of the games.
struct Gathered<S> {
    occurrences: SpillStore<S>,
    boards: SpillStore<Board>,
    newest: u16,
}

impl<S: Stored> Gathered<S> {
    fn new(target: &Path, memory: u64, for_boards: u64) -> Self {
        let folder = TemporaryFile::folder_of(target);
        Self {
            occurrences: SpillStore::new(folder, memory),
            boards: SpillStore::new(folder, for_boards),
            newest: 0,
        }
    }
}

/// Reads all games.
fn gather<S: Stored>(
    items: &[InputItem],
    gathered: &mut Gathered<S>,
    sketch: Option<&Sketch>,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    let mut built = Built::default();
    let plan = plan(options);
    let rules = Rules {
        max_ply: options.max_ply,
        polyglot: options.weighing == Weighing::Polyglot,
        least_elo: options.kvetka.least_elo,
    };
    let mut ledger = Summary::default();
    for item in items {
        let tasks = (0..options.threads.max(1))
            .map(|_| Gather::new(rules, sketch))
            .collect();
        let mut own = GameCounts::default();
        let mut reporter = ScanReporter {
            item,
            summary: &mut ledger,
            observer: &mut *observer,
            progress,
        };
        let mut opened = item.open(&options.open, Some(progress))?;
        for error in std::mem::take(&mut opened.problems) {
            reporter.problem(error.into(), options.strict)?;
        }
        let (input, late) = opened.into_parts();
        if let OpenInput::Book(_) = input {
            return Err(Error::usage(format!(
                "{} is a book: `book merge` and `book convert` take books",
                item.name()
            )));
        }
        let before = reporter.summary.counts;
        scan(&mut reporter, input, &plan, tasks, &mut |_, batch| {
            own.add(batch.counts);
            gathered.newest = gathered.newest.max(batch.newest);
            gathered
                .occurrences
                .extend(&batch.occurrences)
                .and_then(|()| gathered.boards.extend(&batch.boards))
                .map_err(Error::in_output)?;
            progress.set_memory(gathered.occurrences.memory() + gathered.boards.memory());
            Ok(true)
        })?;
        for error in late.take() {
            reporter.problem(error.in_file(item.label()).into(), options.strict)?;
        }
        let counts = reporter.summary.counts.since(before);
        own.filtered += counts.filtered;
        reporter
            .observer
            .finished(reporter.item, &counts)
            .map_err(Error::in_output)?;
        built.games.add(own);
        built.inputs.push(own);
    }
    built.problems = ledger.problems;
    built.spilled = gathered.occurrences.spilled() + gathered.boards.spilled();
    Ok(built)
}

/// How the inputs are gone through.
fn plan(options: &BuildOptions) -> ScanOptions {
    let want = Want::TAGS.and(Want::MAINLINE);
    ScanOptions {
        threads: options.threads,
        selection: Selection {
            texts: false,
            ..options.selection.clone()
        },
        leave_out: LeaveOut {
            variations: !options.variations,
            ..LeaveOut::default()
        },
        want: if options.variations {
            want.and(Want::VARIATIONS)
        } else {
            want
        },
        strict: options.strict,
        filter: Some(options.filter.clone()).filter(|query| !query.is_empty()),
        count_filtered: true,
        ..ScanOptions::default()
    }
}

/// One part's pages.
#[derive(Default)]
struct PageJob {
    part: usize,
    pages: Vec<(Option<Position>, BookPosition)>,
    failure: Option<Error>,
}

/// Hands every page on, by key; `weighs`: with the weights of moves.
fn pages(
    gathered: &Gathered<Occurrence>,
    options: &BuildOptions,
    weighs: bool,
    progress: &Progress,
    built: &mut Built,
    put: &mut dyn FnMut(&Position, &BookPosition) -> Result<Losses>,
) -> Result<(), Error> {
    let mut next = 0;
    let fill = |job: &mut PageJob| {
        job.part = next;
        next += 1;
        job.part < PARTITIONS && !progress.is_cancelled()
    };
    let worker = || {
        let mut folder = Folder::new(gathered, options, true);
        move |job: &mut PageJob| {
            job.pages.clear();
            let pages = &mut job.pages;
            let done = folder.groups(job.part, &mut |group, boards| {
                let mut page = group.page(&options.keep, options.weighing, options.stretch);
                for entry in &mut page.entries {
                    let weight = entry
                        .weight
                        .map(|own| if options.uniform { 1 } else { own });
                    entry.weight = weight.filter(|_| weighs);
                }
                let own = boards.first().filter(|board| board.key == group.key);
                let position = own.and_then(|board| board.packed.position());
                if options.kvetka.names {
                    page.comment = position.as_ref().and_then(kvetka::name_of);
                }
                pages.push((position, page));
            });
            job.failure = done.err();
        }
    };
    ordered(options.threads, fill, worker, |job| {
        if let Some(error) = job.failure.take() {
            return Err(error.in_output());
        }
        for (position, page) in &job.pages {
            let Some(position) = position else {
                built
                    .losses
                    .add(Feature::BookMoves, page.entries.len() as u64, None);
                continue;
            };
            let losses = put(position, page).map_err(Error::in_output)?;
            built.losses.merge(&losses);
        }
        Ok::<_, Error>(true)
    })?;
    if progress.is_cancelled() {
        return Err(Error::cancelled());
    }
    Ok(())
}
