//! Polyglot books, written from the grouped occurrences, which are in the order of the file.

use std::cmp::Reverse;
use std::io::Write;
use std::sync::Arc;

use tabia_core::chess::Move;
use tabia_core::error::{Error, Result};
use tabia_core::io::{OutputSet, Progress};
use tabia_formats::books::polyglot::{Entry, encode_move};
use zerocopy::IntoBytes;
use zerocopy::byteorder::big_endian::{U16, U64};

use super::aggregate::PositionTotals;
use super::book_rules::Weighting;
use super::occurrence::StoredOccurrence;
use super::partitions::for_each_partition;
use super::read_games::{CollectedGames, read_games};
use super::weighting::WeightedMove;
use super::{BuildOptions, BuildTarget, Built, CompleteBuild};
use crate::input::InputItem;
use crate::observer::Observer;

/// Builds the book.
pub(super) fn build<S: StoredOccurrence>(
    items: &[InputItem],
    target: &BuildTarget,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<CompleteBuild> {
    let mut files = options.create.outputs();
    files.create(&target.path).map_err(Error::in_output)?;
    let mut games = CollectedGames::<S>::new(&target.path, options.memory / 8 * 5, 0);
    let mut built = read_games(items, &mut games, None, options, progress, observer)?;
    write_entries(&games, options, progress, &mut built, &mut files)?;
    // What is left of it in memory would be written to the disk together with the book.
    drop(games);
    built.written.records = u32::try_from(built.moves).unwrap_or(u32::MAX);
    Ok(CompleteBuild::new(built, files))
}

fn write_entries<S: StoredOccurrence>(
    games: &CollectedGames<S>,
    options: &BuildOptions,
    progress: &Progress,
    built: &mut Built,
    files: &mut OutputSet,
) -> Result<()> {
    let make = || {
        let mut kept = Vec::new();
        move |totals: &PositionTotals, entries: &mut Vec<Entry>| {
            weigh(totals, options, &mut kept);
            entries.extend(kept.iter().map(|kept| Entry {
                key: U64::new(totals.key),
                move_bits: U16::new(polyglot_bits_of(totals, *kept)),
                weight: U16::new(kept.weight),
                learn: [0; 4],
            }));
        }
    };
    for_each_partition(
        games,
        options,
        false,
        progress,
        &make,
        &mut |entries, positions| {
            built.positions += positions;
            built.moves += entries.len() as u64;
            let Some(out) = files.file(0) else {
                return Ok(());
            };
            let written = out.write_all(entries.as_bytes());
            written.map_err(|error| Error::from(error).in_path(out.target()).in_output())
        },
    )
}

/// Fills `kept` with the moves of a position in the order of the file.
fn weigh(totals: &PositionTotals, options: &BuildOptions, kept: &mut Vec<WeightedMove>) {
    let (filter, weighting) = (&options.move_filter, options.weighting);
    totals.weigh(filter, weighting, options.stretch, kept);
    if options.uniform {
        for kept in &mut *kept {
            kept.weight = 1;
        }
    }
    // Polyglot leaves moves of one weight in the order in which they first came.
    if weighting == Weighting::Polyglot {
        kept.sort_by_key(|kept| Reverse(kept.weight));
    } else {
        kept.sort_by_key(|kept| (Reverse(kept.weight), polyglot_bits_of(totals, *kept)));
    }
}

fn polyglot_bits_of(totals: &PositionTotals, kept: WeightedMove) -> u16 {
    let totals = totals.moves.get(kept.index);
    totals.map_or(0, |totals| polyglot_bits(totals.move_bits))
}

/// The bits of a move as Polyglot stores them.
pub(super) fn polyglot_bits(bits: u16) -> u16 {
    Move::from_bits(bits).map_or(0, encode_move)
}
