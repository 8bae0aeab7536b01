//! Weights for moves of books that store none.

use tabia_core::books::{BookPosition, Wdl};

/// Gives moves without a weight one: 0 if the author advises against the move, else two points for a
/// win of the side that plays it and one for a draw, else the number of games. Scales the weights if
/// one of them does not fit into 16 bits.
pub(super) fn give_weights(page: &mut BookPosition, white_to_move: bool) {
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
            .or(entry.games)
            .map(|weight| u32::try_from(weight).unwrap_or(u32::MAX));
    }
    let max = page.entries.iter().filter_map(|entry| entry.weight).max();
    if let Some(max) = max.filter(|max| *max > u32::from(u16::MAX)) {
        let weights = page
            .entries
            .iter_mut()
            .filter_map(|entry| entry.weight.as_mut());
        for weight in weights {
            let scaled = u64::from(*weight) * u64::from(u16::MAX) / u64::from(max);
            *weight = (scaled as u32).max(u32::from(*weight > 0));
        }
    }
}

/// Two points for a win of the side, one for a draw.
fn points(results: Wdl, white: bool) -> u64 {
    let wins = if white { results.white } else { results.black };
    wins.saturating_mul(2).saturating_add(results.draws)
}
