//! Books whose writers take positions with boards.

use std::sync::Arc;

use tabia_core::Error;
use tabia_core::books::{BookPosition, BookWriter};
use tabia_core::chess::Position;
use tabia_core::external::PARTITIONS;
use tabia_core::games::Written;
use tabia_core::io::{Progress, ProgressPhase};
use tabia_core::loss::Feature;

use super::aggregate::PositionTotals;
use super::book_rules::Weighting;
use super::count_sketch::CountSketch;
use super::grouping::Grouper;
use super::kvetka_with_game_links::opening_comment;
use super::occurrence::{Board, Occurrence};
use super::read_games::{CollectedGames, read_games};
use super::{BuildOptions, BuildTarget, Built, CompleteBuild};
use crate::input::InputItem;
use crate::observer::Observer;
use crate::parallel::ordered;

/// Builds the book.
pub(super) fn build(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<CompleteBuild, Error> {
    let create = target.format.create;
    let mut writer = create(&target.path, &options.create).map_err(Error::in_output)?;
    let sketch_bits = (options.memory / 8).max(1 << 16).ilog2();
    let sketch = CountSketch::new(sketch_bits, options.move_filter.min_games);
    let share = options.memory / 16;
    let mut games = CollectedGames::<Occurrence>::new(&target.path, share * 5, share * 3);
    let mut built = read_games(
        items,
        &mut games,
        Some(&sketch),
        options,
        progress,
        observer,
    )?;
    drop(sketch);
    // Points can be computed from results: a format without weights does not lose them.
    let is_points = options.weighting == Weighting::Points && !options.uniform && !options.stretch;
    let with_weights = target.format.can.has(Feature::BookWeights) || !is_points;
    put_all(
        &games,
        options,
        with_weights,
        progress,
        &mut built,
        &mut *writer,
    )?;
    // Its memory and disk space are needed for what follows.
    drop(games);
    let book = writer.complete().map_err(Error::in_output)?;
    (built.positions, built.moves) = (book.size.positions, book.size.moves);
    built.losses.merge(&book.losses);
    built.written = Written::new(book.records, Vec::new(), 0);
    Ok(CompleteBuild::new(built, book.files))
}

/// The positions of a partition; `None` for a position whose board is not known.
#[derive(Default)]
struct PartitionJob {
    partition: usize,
    positions: Vec<(Option<Position>, BookPosition)>,
    error: Option<Error>,
}

/// Hands all positions to the writer, by key.
fn put_all(
    games: &CollectedGames<Occurrence>,
    options: &BuildOptions,
    with_weights: bool,
    progress: &Progress,
    built: &mut Built,
    writer: &mut dyn BookWriter,
) -> Result<(), Error> {
    progress.begin_phase(ProgressPhase::Writing, PARTITIONS as u64);
    let mut next = 0;
    let fill = |job: &mut PartitionJob| {
        job.partition = next;
        next += 1;
        job.partition < PARTITIONS && !progress.is_cancelled()
    };
    let worker = || {
        let mut grouper = Grouper::new(games, options, true);
        move |job: &mut PartitionJob| job.run(&mut grouper, options, with_weights)
    };
    ordered(options.threads, fill, worker, |job| {
        if let Some(error) = job.error.take() {
            return Err(error.in_output());
        }
        for (position, page) in &job.positions {
            let Some(position) = position else {
                let moves = page.entries.len() as u64;
                built.losses.add(Feature::BookMoves, moves, None);
                continue;
            };
            let losses = writer.put(position, page).map_err(Error::in_output)?;
            built.losses.merge(&losses);
        }
        progress.advance(1, 0);
        Ok::<_, Error>(true)
    })?;
    if progress.is_cancelled() {
        return Err(Error::cancelled());
    }
    Ok(())
}

impl PartitionJob {
    fn run(
        &mut self,
        grouper: &mut Grouper<'_, Occurrence>,
        options: &BuildOptions,
        with_weights: bool,
    ) {
        self.positions.clear();
        let positions = &mut self.positions;
        let done = grouper.for_each_position(
            self.partition,
            &mut |totals: &PositionTotals, boards: &[Board]| {
                let (filter, weighting) = (&options.move_filter, options.weighting);
                let mut page = totals.book_position(filter, weighting, options.stretch);
                for entry in &mut page.entries {
                    if !with_weights {
                        entry.weight = None;
                    } else if options.uniform {
                        entry.weight = Some(1);
                    }
                }
                let board = boards.first().filter(|board| board.key == totals.key);
                let position = board.and_then(|board| board.packed.position());
                if options.kvetka.names {
                    page.comment = position.as_ref().and_then(opening_comment);
                }
                positions.push((position, page));
            },
        );
        self.error = done.err();
    }
}
