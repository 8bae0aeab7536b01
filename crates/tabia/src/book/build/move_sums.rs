//! The moves that games played, summed by position: what is added up over several machines before a book is made.

use std::path::Path;
use std::sync::Arc;

use tabia_core::books::Wdl;
use tabia_core::chess::Move;
use tabia_core::error::{Error, Result};
use tabia_core::io::Progress;

use super::aggregate::{MoveTotals, PositionTotals};
use super::book_rules::Weighting;
use super::occurrence::Occurrence;
use super::partitions::for_each_partition;
use super::polyglot::polyglot_bits;
use super::read_games::{CollectedGames, read_games};
use super::{BuildOptions, Built};
use crate::input::InputItem;
use crate::observer::Observer;

/// A move of a position, with the games that played it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveSum {
    /// Polyglot key of the position.
    pub key: u64,
    /// The move in Polyglot's code.
    pub code: u16,
    /// Results of the games; one that repeats the move counts each time, as in the points.
    pub results: Wdl,
    /// Number of games that have the move, those without a result too.
    pub games: u64,
    /// Points of the side that plays the move, twice: 2 for a win, 1 for a draw or an unknown result.
    pub points: u64,
    /// Sum of the ratings of those who played the move, where they are known.
    pub elo_sum: u64,
    /// Number of these ratings.
    pub elo_count: u64,
    /// Year of the newest game; `None` if no game has a date.
    pub last_year: Option<u16>,
}

/// Visits the moves of all games, sorted by key and code, some positions at a time. Of the rules for moves only
/// [`MoveFilter::min_games`](super::MoveFilter::min_games) counts, and moves have no weights yet. Temporary files are in the
/// folder of `target`.
///
/// # Errors
/// Of the first input that cannot be read, of temporary files, and those of `visit`; a
/// [usage error](Error::usage) for other weights than [`Weighting::Points`].
pub fn for_each_move_sum(
    items: &[InputItem],
    target: &Path,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    visit: &mut dyn FnMut(&[MoveSum]) -> Result<()>,
) -> Result<Built, Error> {
    if options.weighting != Weighting::Points {
        let text = "sums of moves count points; other weights cannot be added up";
        return Err(Error::usage(text));
    }
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let memory = options.memory / 8 * 5;
    let mut games = CollectedGames::<Occurrence>::new(target, memory, 0);
    let mut built = read_games(items, &mut games, None, options, progress, observer)?;
    let min_games = options.move_filter.min_games;
    let make = || {
        move |totals: &PositionTotals, sums: &mut Vec<MoveSum>| {
            let first = sums.len();
            let is_move = |one: &&MoveTotals| Move::from_bits(one.move_bits).is_some();
            let moves = totals.moves.iter().filter(is_move);
            let moves = moves.filter(|one| one.distinct_games >= min_games);
            sums.extend(moves.map(|one| MoveSum {
                key: totals.key,
                code: polyglot_bits(one.move_bits),
                results: one.results(),
                games: one.distinct_games,
                points: one.points(totals.white_to_move),
                elo_sum: one.own_ratings().0,
                elo_count: one.own_ratings().1,
                last_year: one.last_year(),
            }));
            if let Some(own) = sums.get_mut(first..) {
                own.sort_unstable_by_key(|sum| sum.code);
            }
        }
    };
    for_each_partition(
        &games,
        options,
        true,
        progress,
        &make,
        &mut |sums, positions| {
            built.positions += positions;
            built.moves += sums.len() as u64;
            visit(sums)
        },
    )?;
    Ok(built)
}
