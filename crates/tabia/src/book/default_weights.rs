//! Weights for moves of books that store none.

use tabia_core::BookFormat;
use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_formats::books::MoveValues;

/// Gives moves without a weight one: 0 if the author advises against the move, else two points for a
/// win of the side that plays it and one for a draw, else the number of games, which is left out if it
/// is 0: that is a move of unknown weight, not one that is never to be played. Scales the weights if one
/// of them does not fit into 16 bits; returns whether it does so.
pub(super) fn give_weights(page: &mut BookPosition, white_to_move: bool) -> bool {
    for entry in &mut page.entries {
        if entry.weight.is_some() {
            continue;
        }
        if entry.recommended == Some(false) {
            entry.weight = Some(0);
            continue;
        }
        let results = entry.results.filter(|results| results.games() > 0);
        let points = results.map(|results| points(results, white_to_move));
        entry.weight = points
            .or(entry.games.filter(|games| *games > 0))
            .map(|weight| u32::try_from(weight).unwrap_or(u32::MAX));
    }
    let max = page.entries.iter().filter_map(|entry| entry.weight).max();
    let Some(max) = max.filter(|max| *max > u32::from(u16::MAX)) else {
        return false;
    };
    let weights = page
        .entries
        .iter_mut()
        .filter_map(|entry| entry.weight.as_mut());
    for weight in weights {
        let scaled = u64::from(*weight) * u64::from(u16::MAX) / u64::from(max);
        *weight = (scaled as u32).max(u32::from(*weight > 0));
    }
    true
}

/// Whether a format keeps weights as they are, unless they do not fit into 16 bits.
pub(super) fn has_16_bit_weights(format: &BookFormat) -> bool {
    MoveValues::of(format).max_weight == Some(u32::from(u16::MAX))
}

/// Whether a move has a weight and its games are not counted.
pub(super) fn has_weight_alone(entry: &BookEntry) -> bool {
    entry.weight.is_some() && entry.games.is_none() && entry.results.is_none()
}

/// Moves with a weight and no games, in a format that writes weights as games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WeightsAsGames {
    /// Those with another weight than 0.
    pub(super) weighted: u64,
    /// Those of weight 0.
    pub(super) unplayed: u64,
}

impl WeightsAsGames {
    /// Counts those of a position; none if the format does not write weights as games.
    pub(super) fn count(format: &BookFormat, page: &BookPosition) -> Self {
        let mut counts = Self::default();
        if !MoveValues::of(format).weights_become_games {
            return counts;
        }
        for entry in page.entries.iter().filter(|entry| has_weight_alone(entry)) {
            match entry.weight {
                Some(0) => counts.unplayed += 1,
                _ => counts.weighted += 1,
            }
        }
        counts
    }
}

/// Two points for a win of the side, one for a draw.
fn points(results: Wdl, white: bool) -> u64 {
    let wins = if white { results.white } else { results.black };
    wins.saturating_mul(2).saturating_add(results.draws)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_without_games_are_not_never_played() {
        let mut page = BookPosition::default();
        let none = BookEntry::default().with_games(0);
        let none = none.with_results(Wdl::default());
        let mut red = none.clone();
        red.recommended = Some(false);
        let lost = Wdl {
            black: 2,
            ..Wdl::default()
        };
        page.entries = vec![
            none,
            red,
            BookEntry::default().with_games(2).with_results(lost),
            BookEntry::default().with_games(3),
        ];
        assert!(!give_weights(&mut page, true));
        let weights: Vec<_> = page.entries.iter().map(|entry| entry.weight).collect();
        assert_eq!(weights, [None, Some(0), Some(0), Some(3)]);
    }
}
