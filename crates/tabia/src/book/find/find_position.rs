//! The moves and statistics of a position in a book, as they are shown to players.

use tabia_core::Result;
use tabia_core::books::{Book, BookPosition, LinkedGame, Wdl};
use tabia_core::chess::{Move, Ply, Position};
use tabia_query::openings::{self, Opening};

use super::nag_symbols::symbols;
use crate::book::{linked_games, share};

/// A position of a book. `None` means that the book does not store it, not zero.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct FoundPosition {
    /// Games that reached the position.
    pub games: Option<u64>,
    /// Results of those games.
    pub results: Option<Wdl>,
    /// The moves, heaviest first.
    pub moves: Vec<FoundMove>,
    /// Number of entries without a legal move.
    pub unreadable: usize,
    /// The comment on the position.
    pub comment: Option<String>,
    /// Games that the book links to: those that end here, and the sample game.
    pub linked: Vec<LinkedGame>,
}

/// A move of a position.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FoundMove {
    /// The move.
    pub m: Move,
    /// The move in SAN.
    pub san: String,
    /// The move in UCI notation.
    pub uci: String,
    /// Games in which the move was played.
    pub games: Option<u64>,
    /// Results of those games.
    pub results: Option<Wdl>,
    /// Score of the side that plays it, 0 to 1.
    pub score: Option<f64>,
    /// Average rating of the players who played the move.
    pub average_rating: Option<u16>,
    /// Their performance.
    pub performance: Option<u16>,
    /// The stored weight.
    pub weight: Option<u32>,
    /// Probability with which a program plays the move, 0 to 1: its share of the weights, else of the
    /// games.
    pub probability: f64,
    /// The author's recommendation: `true` to play the move before all others, `false` never to play
    /// it.
    pub recommended: Option<bool>,
    /// Symbols (`!`, `+/-`) or `$n`.
    pub annotation: Option<String>,
    /// A comment.
    pub comment: Option<String>,
    /// The opening after the move.
    pub opening: Option<Opening>,
}

/// Probes a book; `None` if it does not contain the position.
///
/// # Errors
/// Those of the book.
pub fn find(book: &dyn Book, position: &Position) -> Result<Option<FoundPosition>> {
    let mut page = BookPosition::default();
    if !book.probe(position, &mut page)? {
        return Ok(None);
    }
    let total: u64 = page.entries.iter().map(share).sum();
    let mut found = FoundPosition {
        games: page.games,
        results: page.results,
        comment: page.comment.clone(),
        linked: linked_games::games_of_position(book, &page)?,
        ..FoundPosition::default()
    };
    for entry in &page.entries {
        let Some(m) = entry.m else {
            found.unreadable += 1;
            continue;
        };
        let mut after = position.clone();
        after.play(m);
        found.moves.push(FoundMove {
            m,
            san: position.san(m).to_string(),
            uci: position.uci(m).to_string(),
            games: entry.games.or(entry.results.map(Wdl::games)),
            results: entry.results,
            score: entry
                .results
                .and_then(|results| score(results, position.turn().is_white())),
            average_rating: entry.average_rating,
            performance: entry.performance,
            weight: entry.weight,
            probability: share(entry) as f64 / total.max(1) as f64,
            recommended: entry.recommended,
            annotation: symbols(&entry.nags),
            comment: entry.comment.clone(),
            opening: openings::lookup(&after),
        });
    }
    // Stable: moves of one weight stay in the order of the book.
    found.moves.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then(b.games.cmp(&a.games))
    });
    if found.results.is_none() {
        found.results = sum(&found.moves);
    }
    Ok(Some(found))
}

/// The sum of the results of all moves; `None` if a move has none.
fn sum(moves: &[FoundMove]) -> Option<Wdl> {
    let mut total = Wdl::default();
    for m in moves {
        total = add(total, m.results?);
    }
    (!moves.is_empty()).then_some(total)
}

/// The sum of two results.
pub fn add(a: Wdl, b: Wdl) -> Wdl {
    Wdl {
        white: a.white.saturating_add(b.white),
        draws: a.draws.saturating_add(b.draws),
        black: a.black.saturating_add(b.black),
    }
}

/// Score of one side, 0 to 1; `None` without games.
pub fn score(results: Wdl, white: bool) -> Option<f64> {
    let games = results.games();
    let wins = if white { results.white } else { results.black };
    (games > 0).then(|| (wins as f64 + results.draws as f64 / 2.0) / games as f64)
}

/// The opening of a line: the name of its last position that has one.
pub fn opening_of(start: &Position, plies: &[Ply]) -> Option<Opening> {
    let mut position = start.clone();
    let mut last = openings::lookup(&position);
    for ply in plies {
        position.play_ply(*ply);
        last = openings::lookup(&position).or(last);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_is_that_of_the_side() {
        let results = Wdl {
            white: 3,
            draws: 2,
            black: 5,
        };
        assert_eq!(score(results, true), Some(0.4));
        assert_eq!(score(results, false), Some(0.6));
        assert_eq!(score(Wdl::default(), true), None);
    }
}
