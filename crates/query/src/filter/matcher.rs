//! Tests whether index entries and tags match a [`Filter`].

use tabia_core::game::{Date, Eco, GameResult, Tags};
use tabia_core::games::{Database, IndexEntry, NameId, NameKind};
use tabia_core::{GameIndex, Result};

use super::rating_filter::RatingTest;
use super::{EloField, Filter, NameField, Part, Term, Test};
use crate::fold_case::fold_into;

/// Names with numbers below this are compared once and cached; others are compared each time.
const MAX_CACHED_NAMES: usize = 1 << 25;
/// Number of records whose ratings are read at once when searching for the next candidate.
const RATINGS_PER_READ: u32 = 4096;
/// The same for single records, some of which the caller may skip.
const RATINGS_PER_SINGLE_READ: u32 = 256;

/// Tests games against a filter; one for each thread and each database. Each distinct name of a
/// database is compared once, then cached by its number.
#[derive(Debug)]
pub struct Matcher<'f> {
    terms: Vec<TermState<'f>>,
    /// The terms on ratings, in a form that tests many records at once.
    rating_tests: Vec<RatingTest>,
    /// Buffer for a folded name.
    folded: String,
    /// Ratings of consecutive records, White's and Black's, and the index of the first record.
    ratings: Vec<[u16; 2]>,
    ratings_from: u32,
}

#[derive(Debug)]
struct TermState<'f> {
    term: &'f Term,
    /// For each kind of name, by name number: 0 not compared yet, 1 no match, 2 match.
    cached: Vec<(NameKind, Vec<u8>)>,
}

impl<'f> Matcher<'f> {
    /// A matcher for one thread and one database.
    pub fn new(filter: &'f Filter) -> Self {
        let terms = filter
            .terms
            .iter()
            .map(|term| TermState {
                term,
                cached: Vec::new(),
            })
            .collect();
        Self {
            terms,
            rating_tests: filter
                .terms
                .iter()
                .filter_map(RatingTest::from_term)
                .collect(),
            folded: String::new(),
            ratings: Vec::new(),
            ratings_from: 0,
        }
    }

    /// The index of the first record in `game..end` that may match, as far as the terms on ratings
    /// decide; `end` if there is no such record. For reading a database in order; a candidate has to be
    /// tested with [`matches_game`](Self::matches_game).
    pub fn next_candidate(&mut self, db: &dyn Database, game: u32, end: u32) -> u32 {
        if self.rating_tests.is_empty() {
            return game;
        }
        let mut game = game;
        while game < end {
            if self.ratings(db, game, end).is_none() {
                return game;
            }
            let offset = (game - self.ratings_from) as usize;
            let rest = self.ratings.get(offset..).unwrap_or_default();
            let rest = rest.get(..(end - game) as usize).unwrap_or(rest);
            let Some((first, others)) = self.rating_tests.split_first() else {
                return game;
            };
            match first.first(rest) {
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

    /// The ratings of a record, read together with those of the next ones, up to `end`. `None` if no
    /// term tests ratings or the database has no fast way to read them.
    fn ratings(&mut self, db: &dyn Database, game: u32, end: u32) -> Option<[u16; 2]> {
        if self.rating_tests.is_empty() || game >= end {
            return None;
        }
        let offset = game.wrapping_sub(self.ratings_from) as usize;
        if game >= self.ratings_from
            && let Some(pair) = self.ratings.get(offset)
        {
            return Some(*pair);
        }
        let count = (end - game).min(RATINGS_PER_READ) as usize;
        self.ratings.resize(count, [0; 2]);
        if !db.ratings(GameIndex(game), &mut self.ratings) {
            self.ratings.clear();
            return None;
        }
        self.ratings_from = game;
        self.ratings.first().copied()
    }

    /// Whether an index entry matches. Reads only the names that a term tests.
    ///
    /// # Errors
    /// Those of [`Database::name`].
    pub fn matches_entry(&mut self, db: &dyn Database, entry: &IndexEntry) -> Result<bool> {
        for state in &mut self.terms {
            let holds = match &state.term.test {
                Test::Name(field, texts) => {
                    let mut found = false;
                    for (kind, id) in names(*field, entry) {
                        let Some(id) = id else { continue };
                        found = cached_answer(&mut state.cached, kind, id, || {
                            let name = db.name(kind, id)?;
                            fold_into(&name, &mut self.folded);
                            Ok(has_word_prefix(&self.folded, texts))
                        })?;
                        if found {
                            break;
                        }
                    }
                    found
                }
                Test::Elo(field, bounds) => {
                    let ratings = [entry.white_elo, entry.black_elo];
                    ratings_hold(*field, bounds, ratings.map(Option::unwrap_or_default))
                }
                test => holds(test, &EntryValues::from_entry(entry)),
            };
            if holds == state.term.negated {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a record of a database matches. Its index entry is not read if ratings alone decide.
    ///
    /// # Errors
    /// Those of [`Database::entry`] and [`Database::name`].
    pub fn matches_game(&mut self, db: &dyn Database, game: GameIndex) -> Result<bool> {
        if self.terms.is_empty() {
            return Ok(true);
        }
        let end = game.0.saturating_add(RATINGS_PER_SINGLE_READ).min(db.len());
        if let Some(ratings) = self.ratings(db, game.0, end) {
            if !self.rating_tests.iter().all(|test| test.has(ratings)) {
                return Ok(false);
            }
            if self.rating_tests.len() == self.terms.len() {
                return Ok(true);
            }
        }
        let entry = db.entry(game)?;
        self.matches_entry(db, &entry)
    }

    /// Whether a game of a stream matches, by its tags. Values that only an index has (`moves:`,
    /// `has:variations`) are taken from `entry`; pass the default if there is no index.
    pub fn matches_tags(&mut self, tags: &Tags, result: GameResult, entry: &IndexEntry) -> bool {
        for state in &self.terms {
            let holds = match &state.term.test {
                Test::Name(field, texts) => tag_names(*field).iter().any(|name| {
                    fold_into(tags.text(name), &mut self.folded);
                    has_word_prefix(&self.folded, texts)
                }),
                test => {
                    let values = EntryValues {
                        white_elo: tags.white_elo(),
                        black_elo: tags.black_elo(),
                        date: tags.date().unwrap_or_default(),
                        eco: tags.eco().map(Eco::code),
                        result,
                        ..EntryValues::from_entry(entry)
                    };
                    holds(test, &values)
                }
            };
            if holds == state.term.negated {
                return false;
            }
        }
        true
    }
}

impl Filter {
    /// Whether no game with these tags matches, whatever its moves, annotations and result are; `tag`
    /// returns the value of a tag, `""` if absent. A reader can then skip the moves of the game. If
    /// `false`, the game matches or not: [`Matcher::matches_tags`] decides.
    ///
    /// ```
    /// use tabia_query::Filter;
    ///
    /// let filter = Filter::parse("date:1972 moves:>40")?;
    /// let is_excluded = |date| filter.excludes(|name| if name == "Date" { date } else { "" });
    /// assert!(is_excluded("1971.10.03"));
    /// assert!(!is_excluded("1972.07.11"));
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn excludes<'t>(&self, tag: impl Fn(&str) -> &'t str) -> bool {
        let mut folded = String::new();
        let elo = |name: &str| tag(name).trim().parse::<u16>().unwrap_or_default();
        self.terms.iter().any(|term| {
            let holds = match &term.test {
                Test::Name(field, texts) => tag_names(*field).iter().any(|name| {
                    fold_into(tag(name), &mut folded);
                    has_word_prefix(&folded, texts)
                }),
                Test::Elo(field, bounds) => {
                    ratings_hold(*field, bounds, [elo("WhiteElo"), elo("BlackElo")])
                }
                Test::Date(bounds) => {
                    let date = Date::parse(tag("Date")).unwrap_or_default();
                    bounds.iter().any(|range| range.has(date))
                }
                Test::Eco(ranges) => {
                    Eco::parse(tag("ECO")).is_some_and(|eco| has_code(ranges, eco.code()))
                }
                // Only the end of the game decides.
                Test::Result(_) | Test::Moves(_) | Test::Has(_) => return false,
            };
            holds == term.negated
        })
    }
}

/// The values of an index entry that terms other than names test.
struct EntryValues {
    white_elo: Option<u16>,
    black_elo: Option<u16>,
    date: Date,
    result: GameResult,
    eco: Option<u16>,
    moves: Option<u16>,
    parts: [(Part, bool); 6],
}

impl EntryValues {
    fn from_entry(entry: &IndexEntry) -> Self {
        let moves = entry
            .ply_count
            .map(|plies| plies.div_ceil(2))
            .or(entry.move_count.map(u16::from));
        Self {
            white_elo: entry.white_elo,
            black_elo: entry.black_elo,
            date: entry.date,
            result: entry.result,
            eco: entry.eco.map(Eco::code),
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

/// Whether ratings, 0 if unknown, are within bounds.
#[inline]
fn ratings_hold(field: EloField, bounds: &[super::Bounds<u16>], [white, black]: [u16; 2]) -> bool {
    let fits = |elo: u16| elo != 0 && bounds.iter().any(|range| range.has(elo));
    match field {
        EloField::Both => fits(white) && fits(black),
        EloField::Either => fits(white) || fits(black),
        EloField::White => fits(white),
        EloField::Black => fits(black),
    }
}

fn holds(test: &Test, values: &EntryValues) -> bool {
    match test {
        // The caller compares names.
        Test::Name(..) => false,
        Test::Elo(field, bounds) => {
            let ratings = [values.white_elo, values.black_elo].map(Option::unwrap_or_default);
            ratings_hold(*field, bounds, ratings)
        }
        Test::Date(bounds) => bounds.iter().any(|range| range.has(values.date)),
        Test::Result(results) => results
            .iter()
            .any(|&result| result == values.result || result == values.result.to_pgn()),
        Test::Eco(ranges) => values.eco.is_some_and(|code| has_code(ranges, code)),
        Test::Moves(bounds) => values
            .moves
            .is_some_and(|moves| bounds.iter().any(|range| range.has(moves))),
        Test::Has(parts) => parts.iter().any(|wanted| {
            values
                .parts
                .iter()
                .any(|(part, has)| part == wanted && *has)
        }),
    }
}

/// Whether one of the ranges contains an ECO code.
fn has_code(ranges: &[(u16, u16)], code: u16) -> bool {
    ranges
        .iter()
        .any(|&(low, high)| (low..=high).contains(&code))
}

/// Whether a name matches: from the cache, or by comparing it.
fn cached_answer(
    cached: &mut Vec<(NameKind, Vec<u8>)>,
    kind: NameKind,
    id: NameId,
    compare: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    let number = id.0 as usize;
    if number >= MAX_CACHED_NAMES {
        return compare();
    }
    let found = cached.iter().position(|(other, _)| *other == kind);
    let index = found.unwrap_or(cached.len());
    if found.is_none() {
        cached.push((kind, Vec::new()));
    }
    let Some((_, answers)) = cached.get_mut(index) else {
        return compare();
    };
    if number >= answers.len() {
        answers.resize((number + 1).next_power_of_two(), 0);
    }
    let Some(answer) = answers.get_mut(number) else {
        return compare();
    };
    if *answer == 0 {
        *answer = 1 + u8::from(compare()?);
    }
    Ok(*answer == 2)
}

/// The names of an index entry that a field covers.
fn names(
    field: NameField,
    entry: &IndexEntry,
) -> impl Iterator<Item = (NameKind, Option<NameId>)> + use<> {
    let is_one_of = move |fields: &[NameField]| fields.contains(&field);
    [
        (
            is_one_of(&[NameField::Any, NameField::Player, NameField::White]),
            NameKind::Player,
            entry.white,
        ),
        (
            is_one_of(&[NameField::Any, NameField::Player, NameField::Black]),
            NameKind::Player,
            entry.black,
        ),
        (
            is_one_of(&[NameField::Any, NameField::Event]),
            NameKind::Event,
            entry.event,
        ),
        (
            is_one_of(&[NameField::Any, NameField::Site]),
            NameKind::Site,
            entry.site,
        ),
        (is_one_of(&[NameField::Round]), NameKind::Round, entry.round),
        (
            is_one_of(&[NameField::Annotator]),
            NameKind::Annotator,
            entry.annotator,
        ),
    ]
    .into_iter()
    .filter(|(is_covered, ..)| *is_covered)
    .map(|(_, kind, id)| (kind, id))
}

/// The tags that a field covers.
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

/// Whether a word of the name begins with one of the texts. Both are folded.
fn has_word_prefix(name: &str, texts: &[String]) -> bool {
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
        let entry = IndexEntry {
            has_comments: Some(true),
            ..IndexEntry::default()
        };
        Matcher::new(&filter).matches_tags(&tags(), GameResult::WhiteWins, &entry)
    }

    #[test]
    fn all_terms_must_hold() {
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
    fn excluded_games_match_with_no_moves_and_results() {
        let tags = tags();
        let excludes = |text: &str| {
            Filter::parse(text)
                .unwrap()
                .excludes(|name| tags.text(name))
        };
        for text in [
            "black:aljechin",
            "-maroczy",
            "elo:>=2600",
            "anyelo:<2000",
            "date:1932..",
            "-eco:B moves:>3",
            "has:comments site:paris",
        ] {
            assert!(excludes(text), "{text}");
            assert!(!matches(text), "{text}");
        }
        for text in [
            "",
            "maroczy",
            "-white:maroczy",
            "elo:2690..",
            "anyelo:2690",
            "date:1931 eco:B1",
            "result:0-1",
            "-result:1-0",
            "moves:>300",
            "has:variations",
        ] {
            assert_eq!(excludes(text), text == "elo:2690..", "{text}");
        }
    }

    #[test]
    fn rating_tests_agree_with_entries() {
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
            let test = RatingTest::from_term(term).unwrap();
            let mut at = 0;
            for (i, &pair) in ratings.iter().enumerate() {
                let expected = ratings_hold(*field, bounds, pair) != term.negated;
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
        let mut cached = Vec::new();
        let mut compared = 0;
        for id in [7, 3, 7, 7, 3] {
            let answer = cached_answer(&mut cached, NameKind::Player, NameId(id), || {
                compared += 1;
                Ok(id == 7)
            });
            assert_eq!(answer.unwrap(), id == 7);
        }
        assert_eq!(compared, 2);
    }

    #[test]
    fn a_game_without_a_year_is_in_no_date_range() {
        let filter = Filter::parse("date:..2000").unwrap();
        let entry = IndexEntry {
            date: Date::UNKNOWN,
            ..IndexEntry::default()
        };
        let mut matcher = Matcher::new(&filter);
        assert!(!matcher.matches_tags(&Tags::new(), GameResult::Unknown, &entry));
    }
}
