//! What the index of a database decides.

use tabia_core::game::GameResult;
use tabia_core::games::{Database, IndexEntry, NameId, NameKind};
use tabia_core::{GameIndex, Result};

use super::answer::Answer;
use super::by_head::{has_code, rating_difference, ratings_fit};
use crate::fold_case::fold_into;
use crate::language::{Bounds, DateField, GameMark, NameField, Part, Test, begins_word};

/// Names with numbers below this are compared once and cached; others are compared each time.
const MAX_CACHED_NAMES: usize = 1 << 25;
/// The number of moves that ChessBase stores for that many or more.
const MOST_MOVES: u8 = 255;

/// A record of a database.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) database: &'a dyn Database,
    pub(super) game: GameIndex,
    pub(super) entry: &'a IndexEntry,
}

/// The answers of one term to the names of a database.
#[derive(Debug, Clone, Default)]
pub(super) struct NameCache {
    /// For each kind of name, by name number: 0 not compared yet, 1 no match, 2 match.
    answers: Vec<(NameKind, Vec<u8>)>,
    folded: String,
}

impl NameCache {
    /// Whether a name fits: from the cache, or by comparing it.
    pub(super) fn fits(
        &mut self,
        database: &dyn Database,
        kind: NameKind,
        id: NameId,
        compare: &dyn Fn(&str) -> bool,
    ) -> Result<bool> {
        let number = id.0 as usize;
        let known = self.answers.iter().position(|(other, _)| *other == kind);
        let index = known.unwrap_or(self.answers.len());
        if known.is_none() {
            self.answers.push((kind, Vec::new()));
        }
        let cached = self
            .answers
            .get(index)
            .and_then(|(_, cache)| cache.get(number));
        if let Some(answer @ (1 | 2)) = cached {
            return Ok(*answer == 2);
        }
        let name = database.name(kind, id)?;
        fold_into(&name, &mut self.folded);
        // As in tags: a sign for a value that is not known.
        let is_unknown = matches!(
            (kind, self.folded.as_str()),
            (_, "?") | (NameKind::Round, "-")
        );
        let fits = !is_unknown && compare(&self.folded);
        if number < MAX_CACHED_NAMES
            && let Some((_, cache)) = self.answers.get_mut(index)
        {
            if number >= cache.len() {
                cache.resize((number + 1).next_power_of_two(), 0);
            }
            if let Some(answer) = cache.get_mut(number) {
                *answer = 1 + u8::from(fits);
            }
        }
        Ok(fits)
    }

    /// Whether one of the names fits; unknown if none does and the index lacks one of them. `stored`:
    /// the kinds of names of which the index has all.
    fn any_fits(
        &mut self,
        row: Row<'_>,
        stored: &[NameKind],
        names: &[(NameKind, Option<NameId>)],
        compare: &dyn Fn(&str) -> bool,
    ) -> Result<Answer> {
        let mut answer = Answer::No;
        for &(kind, id) in names {
            match id {
                Some(id) => {
                    if self.fits(row.database, kind, id, compare)? {
                        return Ok(Answer::Yes);
                    }
                }
                None if stored.contains(&kind) => {}
                None => answer = Answer::Maybe,
            }
        }
        Ok(answer)
    }
}

/// What an index entry decides about a term. What the index does not know is never guessed.
pub(super) fn answer(
    test: &Test,
    row: Row<'_>,
    stored: &[NameKind],
    cache: &mut NameCache,
) -> Result<Answer> {
    let entry = row.entry;
    Ok(match test {
        Test::Word(texts) => {
            let names = [
                (NameKind::Player, entry.white),
                (NameKind::Player, entry.black),
                (NameKind::Event, entry.event),
                (NameKind::Site, entry.site),
                (NameKind::Annotator, entry.annotator),
            ];
            let compare = |name: &str| texts.iter().any(|text| begins_word(name, text));
            let names = if entry.is_text { &names[2..] } else { &names };
            let answer = cache.any_fits(row, stored, names, &compare)?;
            // The title of a guiding text is in its record.
            if entry.is_text {
                answer.max(Answer::Maybe)
            } else {
                answer
            }
        }
        Test::Name(field, tests) => {
            let Some((names, count)) = names(*field, entry) else {
                return Ok(Answer::Maybe);
            };
            let names = names.get(..count).unwrap_or(&names);
            let compare = |name: &str| tests.iter().any(|test| test.fits(name));
            let answer = cache.any_fits(row, stored, names, &compare)?;
            if entry.is_text {
                answer.max(Answer::Maybe)
            } else {
                answer
            }
        }
        Test::Elo(field, bounds) => Answer::from(ratings_fit(
            *field,
            bounds,
            [entry.white_elo, entry.black_elo],
        )),
        Test::EloDifference(bounds) => Answer::from(rating_difference(
            bounds,
            [entry.white_elo, entry.black_elo],
        )),
        Test::Date(DateField::Game, tests) => {
            Answer::from(tests.iter().any(|test| test.fits(entry.date)))
        }
        Test::Result(tests) => Answer::from(tests.iter().any(|test| test.fits(entry.result))),
        Test::Eco(ranges) => Answer::from(has_code(ranges, entry.eco)),
        Test::Moves(bounds) => moves(bounds, entry),
        Test::Plies(bounds) => plies(bounds, entry),
        Test::Text(_) if entry.has_comments == Some(false) && !entry.is_text => Answer::No,
        Test::Nag(_) if entry.has_nags == Some(false) => Answer::No,
        Test::Has(parts) => parts
            .iter()
            .map(|part| has_part(*part, row))
            .max()
            .unwrap_or_default(),
        Test::Is(marks) => marks
            .iter()
            .map(|mark| match mark {
                GameMark::Deleted => entry.deleted.into(),
                GameMark::Text => entry.is_text.into(),
                GameMark::Chess960 => Answer::Maybe,
                // The query knows them.
                GameMark::Duplicate => Answer::No,
            })
            .max()
            .unwrap_or_default(),
        Test::Game(bounds) => {
            let number = i64::from(row.game.0) + 1;
            Answer::from(bounds.iter().any(|range| range.has(number)))
        }
        _ => Answer::Maybe,
    })
}

/// A name of a record; its number is `None` if the index lacks it.
type EntryName = (NameKind, Option<NameId>);

/// The names that a field covers, and how many of the two they are; `None` if no index has them. No list is
/// allocated, since every record of a database is asked about.
fn names(field: NameField, entry: &IndexEntry) -> Option<([EntryName; 2], usize)> {
    let white = (NameKind::Player, entry.white);
    let black = (NameKind::Player, entry.black);
    let one = |name: EntryName| ([name; 2], 1);
    let result = entry.result.to_pgn();
    Some(match (field, result) {
        (NameField::Player, _) => ([white, black], 2),
        (NameField::White, _)
        | (NameField::Winner, GameResult::WhiteWins)
        | (NameField::Loser, GameResult::BlackWins) => one(white),
        (NameField::Black, _)
        | (NameField::Winner, GameResult::BlackWins)
        | (NameField::Loser, GameResult::WhiteWins) => one(black),
        (NameField::Winner | NameField::Loser, _) => ([white, black], 0),
        (NameField::Event, _) => one((NameKind::Event, entry.event)),
        (NameField::Site, _) => one((NameKind::Site, entry.site)),
        (NameField::Round, _) => one((NameKind::Round, entry.round)),
        (NameField::Annotator, _) => one((NameKind::Annotator, entry.annotator)),
        (NameField::Source | NameField::Team | NameField::Title, _) => return None,
    })
}

/// The answer to a number from the first number that it can be on.
fn from_first(bounds: &[Bounds], first: i64) -> Answer {
    let decided: Vec<Option<bool>> = bounds
        .iter()
        .map(|range| range.decides_from(first))
        .collect();
    if decided.contains(&Some(true)) {
        Answer::Yes
    } else if decided.contains(&None) {
        Answer::Maybe
    } else {
        Answer::No
    }
}

fn moves(bounds: &[Bounds], entry: &IndexEntry) -> Answer {
    match (entry.ply_count, entry.move_count) {
        (Some(plies), _) => has(bounds, i64::from(plies.div_ceil(2))),
        (None, Some(MOST_MOVES)) => from_first(bounds, i64::from(MOST_MOVES)),
        // With Black to move first, the first move has one ply.
        (None, Some(moves)) if !entry.has_setup => has(bounds, i64::from(moves)),
        _ => Answer::Maybe,
    }
}

fn plies(bounds: &[Bounds], entry: &IndexEntry) -> Answer {
    match (entry.ply_count, entry.move_count) {
        (Some(plies), _) => has(bounds, i64::from(plies)),
        (None, Some(MOST_MOVES)) => from_first(bounds, 2 * i64::from(MOST_MOVES) - 1),
        (None, Some(0)) => has(bounds, 0),
        (None, Some(moves)) if !entry.has_setup => {
            let even = 2 * i64::from(moves);
            let answer = has(bounds, even);
            if has(bounds, even - 1) == answer {
                answer
            } else {
                Answer::Maybe
            }
        }
        _ => Answer::Maybe,
    }
}

fn has(bounds: &[Bounds], value: i64) -> Answer {
    Answer::from(bounds.iter().any(|range| range.has(value)))
}

fn has_part(part: Part, row: Row<'_>) -> Answer {
    let entry = row.entry;
    let may_be_commands = row.database.counts_commands_as_comments();
    let stored = match part {
        Part::Variations => entry.has_variations,
        Part::Comments => entry.has_comments.filter(|has| !(*has && may_be_commands)),
        Part::Nags => entry.has_nags,
        Part::Setup => Some(entry.has_setup),
        Part::Elo => Some(entry.white_elo.is_some() && entry.black_elo.is_some()),
        Part::AnyElo => Some(entry.white_elo.is_some() || entry.black_elo.is_some()),
        Part::Clock | Part::Eval | Part::Arrows => None,
    };
    stored.map_or(Answer::Maybe, Answer::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_moves_that_means_that_many_or_more_is_not_guessed() {
        let entry = |moves| IndexEntry {
            move_count: Some(moves),
            ..IndexEntry::default()
        };
        let bounds = |text: &str| vec![Bounds::number(text).unwrap()];
        for (text, stored, expected) in [
            (">=200", 255, Answer::Yes),
            ("<200", 255, Answer::No),
            ("300", 255, Answer::Maybe),
            ("<=254", 254, Answer::Yes),
        ] {
            assert_eq!(moves(&bounds(text), &entry(stored)), expected, "{text}");
        }
        for (text, stored, expected) in [
            (">=200", 100, Answer::Maybe),
            (">=199", 100, Answer::Yes),
            (">=201", 100, Answer::No),
            (">=200", 255, Answer::Yes),
            ("0", 0, Answer::Yes),
        ] {
            assert_eq!(plies(&bounds(text), &entry(stored)), expected, "{text}");
        }
        let setup = IndexEntry {
            has_setup: true,
            ..entry(30)
        };
        assert_eq!(moves(&bounds("30"), &setup), Answer::Maybe);
    }
}
