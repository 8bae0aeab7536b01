//! Asking a [`Filter`] about rows and tags.

use tabia_core::game::{GameResult, Tags};
use tabia_core::games::{Database, IndexEntry, NameId, NameKind};
use tabia_core::{GameIndex, Result};

use super::rating_filter::Rated;
use super::{EloField, Filter, NameField, Part, Term, Test};
use crate::fold_case::fold_into;

/// Numbers of names above this are compared each time instead of being remembered.
const REMEMBERED: usize = 1 << 25;
/// How many records' ratings are looked at in one go.
const RATINGS: u32 = 4096;
/// The same where somebody asks about one record after the other and may leave some out.
const FEW: u32 = 256;

/// A filter with the memory of one thread: each distinct name of a database is compared once,
/// then remembered by its number.
#[derive(Debug)]
pub struct Matcher<'f> {
    terms: Vec<Asked<'f>>,
    /// The terms about ratings once more.
    rated: Vec<Rated>,
    folded: String,
    /// Ratings of records one after the other, and the number of the first.
    ratings: Vec<[u16; 2]>,
    ratings_from: u32,
}

#[derive(Debug)]
struct Asked<'f> {
    term: &'f Term,
    /// For each kind of name: 0 not asked, 1 no, 2 yes.
    seen: Vec<(NameKind, Vec<u8>)>,
}

impl<'f> Matcher<'f> {
    /// For one thread and one database.
    pub fn new(filter: &'f Filter) -> Self {
        let terms = filter
            .terms
            .iter()
            .map(|term| Asked {
                term,
                seen: Vec::new(),
            })
            .collect();
        Self {
            terms,
            rated: filter.terms.iter().filter_map(Rated::of).collect(),
            folded: String::new(),
            ratings: Vec::new(),
            ratings_from: 0,
        }
    }

    /// The first record from `game` on, or `end`, that the terms about ratings do not rule out.
    /// For going over a database in order: each thread and each database has its own matcher.
    pub fn next_candidate(&mut self, db: &dyn Database, game: u32, end: u32) -> u32 {
        if self.rated.is_empty() {
            return game;
        }
        let mut game = game;
        while game < end {
            if self.ratings(db, game, end).is_none() {
                return game;
            }
            let place = (game - self.ratings_from) as usize;
            let rest = self.ratings.get(place..).unwrap_or_default();
            let rest = rest.get(..(end - game) as usize).unwrap_or(rest);
            let Some((one, others)) = self.rated.split_first() else {
                return game;
            };
            match one.first(rest) {
                Some(found) => {
                    game += found as u32;
                    let pair = rest.get(found).copied().unwrap_or_default();
                    if others.iter().all(|test| test.has(pair)) {
                        return game;
                    }
                    game += 1;
                }
                None => game += rest.len() as u32,
            }
        }
        end
    }

    /// The ratings of a record, read with those of the next ones, up to `end`; `None` when nothing
    /// is asked about ratings or the database does not tell them.
    fn ratings(&mut self, db: &dyn Database, game: u32, end: u32) -> Option<[u16; 2]> {
        if self.rated.is_empty() || game >= end {
            return None;
        }
        let place = game.wrapping_sub(self.ratings_from) as usize;
        if game >= self.ratings_from
            && let Some(pair) = self.ratings.get(place)
        {
            return Some(*pair);
        }
        let many = (end - game).min(RATINGS) as usize;
        self.ratings.resize(many, [0; 2]);
        if !db.ratings(GameIndex(game), &mut self.ratings) {
            self.ratings.clear();
            return None;
        }
        self.ratings_from = game;
        self.ratings.first().copied()
    }

    /// Whether a row of a database matches. Reads only the names that a term asks for.
    ///
    /// # Errors
    /// Those of [`Database::name`].
    pub fn matches_entry(&mut self, db: &dyn Database, entry: &IndexEntry) -> Result<bool> {
        for asked in &mut self.terms {
            let holds = match &asked.term.test {
                Test::Name(field, texts) => {
                    let mut found = false;
                    for (kind, id) in names(*field, entry) {
                        let Some(id) = id else { continue };
                        found = remembered(&mut asked.seen, kind, id, || {
                            let name = db.name(kind, id)?;
                            fold_into(&name, &mut self.folded);
                            Ok(contains(&self.folded, texts))
                        })?;
                        if found {
                            break;
                        }
                    }
                    found
                }
                Test::Elo(field, bounds) => {
                    let ratings = [entry.white_elo, entry.black_elo];
                    rated(*field, bounds, ratings.map(Option::unwrap_or_default))
                }
                test => holds(test, &Row::of(entry)),
            };
            if holds == asked.term.negated {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a record of a database matches. Where only ratings are asked for, its row is not
    /// read.
    ///
    /// # Errors
    /// Those of [`Database::entry`] and [`Database::name`].
    pub fn matches_game(&mut self, db: &dyn Database, game: GameIndex) -> Result<bool> {
        if self.terms.is_empty() {
            return Ok(true);
        }
        let end = game.0.saturating_add(FEW).min(db.len());
        if let Some(ratings) = self.ratings(db, game.0, end) {
            if !self.rated.iter().all(|test| test.has(ratings)) {
                return Ok(false);
            }
            if self.rated.len() == self.terms.len() {
                return Ok(true);
            }
        }
        let entry = db.entry(game)?;
        self.matches_entry(db, &entry)
    }

    /// Whether a game of a stream matches, by its tags. What only an index knows (`moves:`,
    /// `has:variations`) is taken from `row` where the caller has it.
    pub fn matches_tags(&mut self, tags: &Tags, result: GameResult, row: &IndexEntry) -> bool {
        for asked in &self.terms {
            let holds = match &asked.term.test {
                Test::Name(field, texts) => tag_names(*field).iter().any(|name| {
                    fold_into(tags.text(name), &mut self.folded);
                    contains(&self.folded, texts)
                }),
                test => {
                    let row = Row {
                        white_elo: tags.white_elo(),
                        black_elo: tags.black_elo(),
                        date: tags.date().unwrap_or_default(),
                        eco: tags.eco().map(tabia_core::game::Eco::code),
                        result,
                        ..Row::of(row)
                    };
                    holds(test, &row)
                }
            };
            if holds == asked.term.negated {
                return false;
            }
        }
        true
    }
}

/// The plain values of a row.
struct Row {
    white_elo: Option<u16>,
    black_elo: Option<u16>,
    date: tabia_core::game::Date,
    result: GameResult,
    eco: Option<u16>,
    moves: Option<u16>,
    parts: [(Part, bool); 6],
}

impl Row {
    fn of(entry: &IndexEntry) -> Self {
        let moves = entry
            .ply_count
            .map(|plies| plies.div_ceil(2))
            .or(entry.move_count.map(u16::from));
        Self {
            white_elo: entry.white_elo,
            black_elo: entry.black_elo,
            date: entry.date,
            result: entry.result,
            eco: entry.eco.map(tabia_core::game::Eco::code),
            moves,
            parts: [
                (Part::Variations, entry.has_variations == Some(true)),
                (Part::Comments, entry.has_comments == Some(true)),
                (Part::Nags, entry.has_nags == Some(true)),
                (Part::Setup, entry.has_setup),
                (Part::Deleted, entry.deleted),
                (Part::Text, entry.is_text),
            ],
        }
    }
}

/// Whether ratings, 0 for none, are within bounds.
#[inline]
fn rated(field: EloField, bounds: &[super::Bounds<u16>], [white, black]: [u16; 2]) -> bool {
    let fits = |elo: u16| elo != 0 && bounds.iter().any(|range| range.has(elo));
    match field {
        EloField::Both => fits(white) && fits(black),
        EloField::Either => fits(white) || fits(black),
        EloField::White => fits(white),
        EloField::Black => fits(black),
    }
}

fn holds(test: &Test, row: &Row) -> bool {
    match test {
        // Names are compared by the caller, who knows where they are.
        Test::Name(..) => false,
        Test::Elo(field, bounds) => {
            let ratings = [row.white_elo, row.black_elo].map(Option::unwrap_or_default);
            rated(*field, bounds, ratings)
        }
        Test::Date(bounds) => bounds.iter().any(|range| range.has(row.date)),
        Test::Result(results) => results
            .iter()
            .any(|&asked| asked == row.result || asked == row.result.to_pgn()),
        Test::Eco(ranges) => row.eco.is_some_and(|code| {
            ranges
                .iter()
                .any(|&(low, high)| (low..=high).contains(&code))
        }),
        Test::Moves(bounds) => row
            .moves
            .is_some_and(|moves| bounds.iter().any(|range| range.has(moves))),
        Test::Has(parts) => parts
            .iter()
            .any(|asked| row.parts.iter().any(|(part, has)| part == asked && *has)),
    }
}

fn remembered(
    seen: &mut Vec<(NameKind, Vec<u8>)>,
    kind: NameKind,
    id: NameId,
    compare: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    let place = id.0 as usize;
    if place >= REMEMBERED {
        return compare();
    }
    let known = seen.iter().position(|(known, _)| *known == kind);
    let index = known.unwrap_or(seen.len());
    if known.is_none() {
        seen.push((kind, Vec::new()));
    }
    let Some((_, answers)) = seen.get_mut(index) else {
        return compare();
    };
    if place >= answers.len() {
        answers.resize((place + 1).next_power_of_two(), 0);
    }
    let Some(answer) = answers.get_mut(place) else {
        return compare();
    };
    if *answer == 0 {
        *answer = 1 + u8::from(compare()?);
    }
    Ok(*answer == 2)
}

fn names(
    field: NameField,
    entry: &IndexEntry,
) -> impl Iterator<Item = (NameKind, Option<NameId>)> + use<> {
    let asks = move |fields: &[NameField]| fields.contains(&field);
    [
        (
            asks(&[NameField::Any, NameField::Player, NameField::White]),
            NameKind::Player,
            entry.white,
        ),
        (
            asks(&[NameField::Any, NameField::Player, NameField::Black]),
            NameKind::Player,
            entry.black,
        ),
        (
            asks(&[NameField::Any, NameField::Event]),
            NameKind::Event,
            entry.event,
        ),
        (
            asks(&[NameField::Any, NameField::Site]),
            NameKind::Site,
            entry.site,
        ),
        (asks(&[NameField::Round]), NameKind::Round, entry.round),
        (
            asks(&[NameField::Annotator]),
            NameKind::Annotator,
            entry.annotator,
        ),
    ]
    .into_iter()
    .filter(|(asked, ..)| *asked)
    .map(|(_, kind, id)| (kind, id))
}

fn tag_names(field: NameField) -> &'static [&'static str] {
    match field {
        NameField::Any => &["White", "Black", "Event", "Site"],
        NameField::Player => &["White", "Black"],
        NameField::White => &["White"],
        NameField::Black => &["Black"],
        NameField::Event => &["Event"],
        NameField::Site => &["Site"],
        NameField::Round => &["Round"],
        NameField::Annotator => &["Annotator"],
    }
}

/// Whether one of the texts begins a word of the name. Both sides are folded.
fn contains(name: &str, texts: &[String]) -> bool {
    texts.iter().any(|text| {
        name.match_indices(text.as_str()).any(|(at, _)| {
            name.get(..at)
                .and_then(|before| before.chars().next_back())
                .is_none_or(|before| !before.is_alphanumeric())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::game::Date;

    fn tags() -> Tags {
        [
            ("Event", "Bled 1931"),
            ("Site", "Bled"),
            ("Date", "1931.08.23"),
            ("White", "Aljechin, Alexander"),
            ("Black", "Maróczy, Géza"),
            ("WhiteElo", "2690"),
            ("ECO", "B13"),
        ]
        .into_iter()
        .collect()
    }

    fn matches(text: &str) -> bool {
        let filter = Filter::parse(text).unwrap();
        let row = IndexEntry {
            has_comments: Some(true),
            ..IndexEntry::default()
        };
        Matcher::new(&filter).matches_tags(&tags(), GameResult::WhiteWins, &row)
    }

    #[test]
    fn every_term_must_hold() {
        for text in [
            "",
            "maroczy",
            "player:geza",
            "white:aljechin -black:aljechin",
            "whiteelo:>=2600",
            "anyelo:2690",
            "date:1931",
            "date:1930..1931.08 eco:B1",
            "result:1-0,0-1",
            "\"bled 1931\"",
            "has:comments",
            "-has:variations",
        ] {
            assert!(matches(text), "{text}");
        }
        for text in [
            "black:aljechin",
            "player:oczy",
            "elo:>=2600",
            "date:1932..",
            "eco:C",
            "-maroczy",
            "result:1/2-1/2",
            "maroczy capablanca",
        ] {
            assert!(!matches(text), "{text}");
        }
    }

    #[test]
    fn ratings_are_compared_as_rows_are() {
        let ratings: Vec<[u16; 2]> = (0..500_u32)
            .map(|i| [(i * 7919 % 3000) as u16, (i * 104 % 2900) as u16])
            .chain([[0, 0], [0, 2600], [2600, 0], [u16::MAX; 2], [1, 1]])
            .collect();
        for text in [
            "elo:>=2500",
            "anyelo:>=2800",
            "whiteelo:..1200",
            "blackelo:2000..2100",
            "-elo:>=1000",
            "elo:1000..1500,2500..",
            "-anyelo:2000..,100..200",
            "whiteelo:2600",
        ] {
            let filter = Filter::parse(text).unwrap();
            let term = &filter.terms[0];
            let Test::Elo(field, bounds) = &term.test else {
                panic!("{text}");
            };
            let test = Rated::of(term).unwrap();
            let mut at = 0;
            for (i, &pair) in ratings.iter().enumerate() {
                let expected = rated(*field, bounds, pair) != term.negated;
                assert_eq!(test.has(pair), expected, "{text} {pair:?}");
                if expected {
                    assert_eq!(test.first(&ratings[at..]), Some(i - at), "{text} {i}");
                    at = i + 1;
                }
            }
            assert_eq!(test.first(&ratings[at..]), None, "{text}");
        }
    }

    #[test]
    fn each_name_is_compared_once() {
        let mut seen = Vec::new();
        let mut compared = 0;
        for id in [7, 3, 7, 7, 3] {
            let answer = remembered(&mut seen, NameKind::Player, NameId(id), || {
                compared += 1;
                Ok(id == 7)
            });
            assert_eq!(answer.unwrap(), id == 7);
        }
        assert_eq!(compared, 2);
    }

    #[test]
    fn a_game_without_a_year_is_in_no_range() {
        let filter = Filter::parse("date:..2000").unwrap();
        let row = IndexEntry {
            date: Date::UNKNOWN,
            ..IndexEntry::default()
        };
        let mut matcher = Matcher::new(&filter);
        assert!(!matcher.matches_tags(&Tags::new(), GameResult::Unknown, &row));
    }
}
