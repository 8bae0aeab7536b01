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

use super::aggregate::{AggregateOptions, PositionTotals, WeightedMove};
use super::book_rules::Weighting;
use super::occurrence::{KINDS, Occurrence, StoredOccurrence};
use super::partitions::{MakeRows, for_each_partition};
use super::read_games::{CollectedGames, read_games};
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
    let make = || EntryMaker::new(options);
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

/// Makes the entries of positions.
struct EntryMaker<'a> {
    options: &'a BuildOptions,
    /// By what a weight depends on, [`Occurrence::kind`], the weight of a move of a position that occurs once; `None` if
    /// it is not in the book. Absent if weights depend on more.
    single_weights: Option<[Option<u16>; KINDS]>,
    kept: Vec<WeightedMove>,
}

impl<'a> EntryMaker<'a> {
    fn new(options: &'a BuildOptions) -> Self {
        let mut maker = Self {
            options,
            single_weights: None,
            kept: Vec::new(),
        };
        if !matches!(options.weighting, Weighting::Recency { .. }) {
            let weights = std::array::from_fn(|kind| maker.single_weight(kind));
            maker.single_weights = Some(weights);
        }
        maker
    }

    /// The weight of any move in a position that occurs once.
    fn single_weight(&mut self, kind: usize) -> Option<u16> {
        let (filter, weighting) = (&self.options.move_filter, self.options.weighting);
        let sums = AggregateOptions {
            weighting,
            newest_month: 0,
            facts: false,
        };
        let mut totals = PositionTotals::default();
        totals.add(Occurrence::of_kind(kind, Move::from_bits(0)?), sums);
        if totals.games() < filter.min_games {
            return None;
        }
        weigh(&totals, self.options, &mut self.kept);
        self.kept.first().map(|kept| kept.weight)
    }
}

impl MakeRows<Entry> for EntryMaker<'_> {
    fn append(&mut self, totals: &PositionTotals, entries: &mut Vec<Entry>) {
        weigh(totals, self.options, &mut self.kept);
        entries.extend(self.kept.iter().map(|kept| Entry {
            key: U64::new(totals.key),
            move_bits: U16::new(polyglot_bits_of(totals, *kept)),
            weight: U16::new(kept.weight),
            learn: [0; 4],
        }));
    }

    #[inline]
    fn append_single(&mut self, occurrence: Occurrence, entries: &mut Vec<Entry>) -> bool {
        let Some(weights) = &self.single_weights else {
            return false;
        };
        let weight = weights.get(occurrence.kind()).copied().flatten();
        // Games may end in the position.
        let m = Move::from_bits(occurrence.move_bits());
        if let (Some(weight), Some(m)) = (weight, m) {
            entries.push(Entry {
                key: U64::new(occurrence.key),
                move_bits: U16::new(encode_move(m)),
                weight: U16::new(weight),
                learn: [0; 4],
            });
        }
        true
    }
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

#[cfg(test)]
mod tests {
    use super::super::occurrence::GameFacts;
    use super::*;
    use tabia_core::chess::{Color, Square};

    /// The entries of a position that occurs once, made without its totals, are those that its totals give.
    #[test]
    fn single_occurrences_need_no_totals() {
        let key = 0x4212_3400_0000_0001;
        let all = BuildOptions::default();
        let mut filters = Vec::new();
        for (min_games, min_score, min_percent) in [
            (0, 0.0, 0.0),
            (1, 0.0, 0.0),
            (2, 0.0, 0.0),
            (1, 51.0, 0.0),
            (1, 0.0, 100.0),
            (1, 0.0, 101.0),
        ] {
            for (only, scoreless) in [
                (None, false),
                (None, true),
                (Some(Color::White), false),
                (Some(Color::Black), true),
            ] {
                let mut filter = all.move_filter;
                filter.min_games = min_games;
                filter.min_score = min_score;
                filter.min_percent = min_percent;
                (filter.only, filter.scoreless) = (only, scoreless);
                filters.push(filter);
            }
        }
        let mut entries = 0;
        for (weighting, stretch, uniform) in [
            (Weighting::Points, false, false),
            (Weighting::Points, true, false),
            (Weighting::Points, false, true),
            (Weighting::Polyglot, false, false),
        ] {
            for &move_filter in &filters {
                let options = BuildOptions {
                    move_filter,
                    weighting,
                    stretch,
                    uniform,
                    ..BuildOptions::default()
                };
                let mut maker = EntryMaker::new(&options);
                let sums = AggregateOptions {
                    weighting,
                    newest_month: 0,
                    facts: false,
                };
                for kind in 0..KINDS {
                    let m = Move::normal(Square::E2, Square::E4);
                    let mut occurrence = Occurrence::of_kind(kind, m);
                    occurrence.key = key;
                    let end = Occurrence::new(key, occurrence.turn(), None, GameFacts::default());
                    for occurrence in [occurrence, end] {
                        let (mut single, mut summed) = (Vec::new(), Vec::new());
                        assert!(maker.append_single(occurrence, &mut single));
                        let mut totals = PositionTotals::default();
                        totals.reset(key);
                        totals.add(occurrence, sums);
                        if totals.games() >= move_filter.min_games {
                            maker.append(&totals, &mut summed);
                        }
                        assert_eq!(single.as_bytes(), summed.as_bytes(), "{kind} {options:?}");
                        entries += single.len();
                    }
                }
            }
        }
        assert!(entries > 500, "{entries}");
        let options = BuildOptions {
            weighting: Weighting::Recency { half_life: 12.0 },
            ..BuildOptions::default()
        };
        let occurrence = Occurrence::of_kind(0, Move::normal(Square::E2, Square::E4));
        assert!(!EntryMaker::new(&options).append_single(occurrence, &mut Vec::new()));
    }
}
