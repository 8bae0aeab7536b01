//! The order of games: by which fields, and the keys that games are compared by.

use std::fmt;

use tabia_core::game::{Date, Eco, GameResult};

use crate::fold_case::fold_into;

/// Bytes of a folded text that are compared.
const MAX_TEXT: usize = 255;

/// The order of games: by one field, then by others. Games that are equal in all of them keep their
/// order. `Display` writes the form that a query has after `sort:`.
///
/// ```
/// use tabia_query::SortOrder;
///
/// let order = SortOrder::parse("white,-date")?;
/// assert_eq!(order.to_string(), "white-asc,date-desc");
/// assert!(SortOrder::parse("colour").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SortOrder(Vec<Key>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    field: SortField,
    descending: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortField {
    Number,
    White,
    Black,
    WhiteElo,
    BlackElo,
    Result,
    Moves,
    Plies,
    /// The ply of the first moment at which the game fits the query.
    Ply,
    Eco,
    Date,
    Event,
    Site,
    Round,
    Annotator,
}

const FIELDS: &[(&str, SortField)] = &[
    ("number", SortField::Number),
    ("white", SortField::White),
    ("black", SortField::Black),
    ("whiteElo", SortField::WhiteElo),
    ("blackElo", SortField::BlackElo),
    ("result", SortField::Result),
    ("moves", SortField::Moves),
    ("plies", SortField::Plies),
    ("eco", SortField::Eco),
    ("date", SortField::Date),
    ("pgndate", SortField::Date),
    ("event", SortField::Event),
    ("tournament", SortField::Event),
    ("site", SortField::Site),
    ("round", SortField::Round),
    ("annotator", SortField::Annotator),
    ("ply", SortField::Ply),
];

/// The values of a game that it may be sorted by. Texts are empty if unknown.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SortValues<'a> {
    /// Player with White.
    pub white: &'a str,
    /// Player with Black.
    pub black: &'a str,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// The result.
    pub result: GameResult,
    /// Plies of the mainline.
    pub plies: u32,
    /// The ply of the first moment at which the game fits the query.
    pub ply: Option<u32>,
    /// The opening code.
    pub eco: Option<Eco>,
    /// The date.
    pub date: Date,
    /// The event.
    pub event: &'a str,
    /// The site.
    pub site: &'a str,
    /// The round.
    pub round: &'a str,
    /// The annotator.
    pub annotator: &'a str,
}

impl SortOrder {
    /// Parses `white,-date`: fields with commas between them, descending with `-` before or `-desc`
    /// after them.
    ///
    /// # Errors
    /// Which word is no field, for users.
    pub fn parse(text: &str) -> Result<Self, String> {
        let keys = text.split(',').map(|word| {
            let word = word.trim();
            match word.strip_prefix('-') {
                Some(word) => Key::parse(word, true),
                None => Key::parse(word, false),
            }
            .ok_or_else(|| format!("`{word}` is not one of {}", Self::names().join(", ")))
        });
        keys.collect::<Result<_, _>>().map(Self)
    }

    /// Parses the values of `sort:`, where dates and numbers of moves are descending by default; the
    /// first that is none otherwise.
    pub(crate) fn of_values<'t>(texts: impl Iterator<Item = &'t str>) -> Result<Self, &'t str> {
        let keys = texts.map(|text| {
            let key = Key::parse(text, false).ok_or(text)?;
            let is_bare = name_of(text).1.is_none();
            let descends = matches!(key.field, SortField::Date | SortField::Moves);
            Ok(Key {
                descending: key.descending || (is_bare && descends),
                ..key
            })
        });
        keys.collect::<Result<_, _>>().map(Self)
    }

    /// The names of the fields.
    pub fn names() -> Vec<&'static str> {
        let mut known: Vec<SortField> = Vec::new();
        let mut names = Vec::new();
        for (name, field) in FIELDS {
            if !known.contains(field) {
                known.push(*field);
                names.push(*name);
            }
        }
        names
    }

    /// Whether games keep their order.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether games are ordered by the moments at which they fit the query, by `ply`.
    pub fn has_moments(&self) -> bool {
        self.0.iter().any(|key| key.field == SortField::Ply)
    }

    /// Whether games with equal keys come in reverse order.
    pub fn reverses_equal(&self) -> bool {
        let number = self.0.iter().find(|key| key.field == SortField::Number);
        number.is_some_and(|key| key.descending)
    }

    /// Appends the key of a game. Keys compare byte by byte as the games do: texts without case and
    /// accents in their first 255 bytes, unknown values before known ones. No key is the beginning of
    /// another. The number of a game is not in the key, as games with equal keys keep their order.
    pub fn key(&self, game: &SortValues<'_>, out: &mut Vec<u8>) {
        let mut folded = String::new();
        for key in &self.0 {
            let start = out.len();
            match key.field {
                // Fields after it decide nothing.
                SortField::Number => return,
                SortField::White => text(game.white, &mut folded, out),
                SortField::Black => text(game.black, &mut folded, out),
                SortField::WhiteElo => number(game.white_elo.unwrap_or(0).into(), out),
                SortField::BlackElo => number(game.black_elo.unwrap_or(0).into(), out),
                SortField::Result => text(&game.result.to_string(), &mut folded, out),
                SortField::Moves => number(game.plies.div_ceil(2), out),
                SortField::Plies => number(game.plies, out),
                SortField::Ply => number(game.ply.map_or(0, |ply| ply.saturating_add(1)), out),
                SortField::Eco => {
                    let code = game.eco.map_or(0, |eco| eco.code() + 1);
                    number(code.into(), out);
                }
                SortField::Date => {
                    number(game.date.year.into(), out);
                    out.extend([game.date.month, game.date.day]);
                }
                SortField::Event => text(game.event, &mut folded, out),
                SortField::Site => text(game.site, &mut folded, out),
                SortField::Round => round(game.round, &mut folded, out),
                SortField::Annotator => text(game.annotator, &mut folded, out),
            }
            if key.descending {
                for byte in out.get_mut(start..).unwrap_or_default() {
                    *byte = !*byte;
                }
            }
        }
    }
}

impl Key {
    /// Parses `white`, `white-asc` or `white-desc`; `descending`: without a direction.
    fn parse(text: &str, descending: bool) -> Option<Self> {
        let (name, direction) = name_of(text);
        let found = FIELDS
            .iter()
            .find(|(other, _)| name.eq_ignore_ascii_case(other));
        found.map(|(_, field)| Self {
            field: *field,
            descending: direction.unwrap_or(descending),
        })
    }
}

/// The name of `white-desc`, and whether it is descending, if stated.
fn name_of(text: &str) -> (&str, Option<bool>) {
    let ends = |end: &str| {
        let at = text.len().checked_sub(end.len())?;
        let (name, last) = (text.get(..at)?, text.get(at..)?);
        last.eq_ignore_ascii_case(end).then_some(name)
    };
    if let Some(name) = ends("-desc") {
        return (name, Some(true));
    }
    match ends("-asc") {
        Some(name) => (name, Some(false)),
        None => (text, None),
    }
}

impl fmt::Display for SortOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.pad(&names.join(","))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = FIELDS.iter().find(|(_, field)| *field == self.field);
        let name = found.map_or("", |(name, _)| name);
        let direction = if self.descending { "desc" } else { "asc" };
        write!(f, "{name}-{direction}")
    }
}

/// Appends a number in four bytes that compare as it does.
fn number(value: u32, out: &mut Vec<u8>) {
    out.extend([24, 16, 8, 0].map(|shift| (value >> shift) as u8));
}

/// Appends a folded text and a zero after it; an unknown one is empty.
fn text(value: &str, folded: &mut String, out: &mut Vec<u8>) {
    if value != "?" {
        fold_into(value, folded);
        let bytes = folded.bytes().filter(|byte| *byte != 0);
        out.extend(bytes.take(MAX_TEXT));
    }
    out.push(0);
}

/// Appends the numbers of a round, `1(2)` or `3.12`, then its text.
fn round(value: &str, folded: &mut String, out: &mut Vec<u8>) {
    let value = value.trim();
    if matches!(value, "" | "?" | "-") {
        return out.push(0);
    }
    let numbers = value.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
    let begins_with_number = value.starts_with(|c: char| c.is_ascii_digit());
    out.push(if begins_with_number { 1 } else { 2 });
    if begins_with_number {
        for index in 0..4 {
            number(numbers.get(index).copied().unwrap_or_default(), out);
        }
    }
    text(value, folded, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(order: &str, games: &[SortValues<'_>]) -> Vec<i64> {
        let order = SortOrder::parse(order).unwrap();
        let mut keys: Vec<(Vec<u8>, i64)> = games
            .iter()
            .zip(1..)
            .map(|(game, number)| {
                let mut key = Vec::new();
                order.key(game, &mut key);
                (key, number)
            })
            .collect();
        let sign = if order.reverses_equal() { -1 } else { 1 };
        keys.sort_by(|a, b| a.0.cmp(&b.0).then((sign * a.1).cmp(&(sign * b.1))));
        keys.into_iter().map(|(_, number)| number).collect()
    }

    #[test]
    fn keys_compare_as_games_do() {
        let game = |white, round, year| SortValues {
            white,
            round,
            date: Date::new(year, 0, 0),
            ..SortValues::default()
        };
        let games = [
            game("Tal, Mikhail", "10", 1960),
            game("tal", "2(3)", 0),
            game("?", "Final", 1959),
            game("Müller", "2.1", 1960),
            game("TÁL", "?", 1960),
        ];
        assert_eq!(sorted("white", &games), [3, 4, 2, 5, 1]);
        assert_eq!(sorted("-white", &games), [1, 2, 5, 4, 3]);
        assert_eq!(sorted("round", &games), [5, 4, 2, 1, 3]);
        assert_eq!(sorted("-date,white", &games), [4, 5, 1, 3, 2]);
        assert_eq!(sorted("date,number-desc", &games), [2, 3, 5, 4, 1]);
    }

    #[test]
    fn directions_are_written_in_two_ways() {
        for text in ["-white", "white-desc", "WHITE-Desc"] {
            assert_eq!(SortOrder::parse(text).unwrap().to_string(), "white-desc");
        }
        let error = SortOrder::parse("white,colour").unwrap_err();
        assert!(error.contains("`colour`") && error.contains("whiteElo"));
        let values = |text: &'static str| SortOrder::of_values(text.split(','));
        assert_eq!(
            values("date,white").unwrap().to_string(),
            "date-desc,white-asc"
        );
        assert_eq!(values("moves-asc").unwrap().to_string(), "moves-asc");
        assert_eq!(values("name"), Err("name"));
    }
}
