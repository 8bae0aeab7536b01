//! The values of fields: numbers, dates, codes, and what they are compared with.

use std::borrow::Cow;
use std::fmt;

use tabia_core::game::{Date, Eco, GameResult, Nag, Score};

use crate::fold_case::fold;

/// A range from `low` to `high`, both included; `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) low: Option<i64>,
    pub(crate) high: Option<i64>,
}

impl Bounds {
    pub(crate) fn has(&self, value: i64) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }

    /// The range of the negated numbers.
    pub(crate) fn negated(&self) -> Self {
        Self {
            low: self.high.map(i64::saturating_neg),
            high: self.low.map(i64::saturating_neg),
        }
    }

    /// Whether all values from `first` on are in the range, or none is; `None` if some are.
    pub(crate) fn decides_from(&self, first: i64) -> Option<bool> {
        if self.high.is_some_and(|high| high < first) {
            return Some(false);
        }
        let has_all = self.high.is_none() && self.low.is_none_or(|low| low <= first);
        has_all.then_some(true)
    }

    /// Parses `5`, `>5`, `>=5`, `<5`, `<=5`, `=5`, `3..5`, `3..`, `..5`; `None` for anything else.
    /// `value` gives the first and the last number that a text covers.
    pub(crate) fn parse(text: &str, value: impl Fn(&str) -> Option<(i64, i64)>) -> Option<Self> {
        let bounds = |low, high| Some(Self { low, high });
        if let Some((low, high)) = text.split_once("..") {
            let low = range_end(low, None, |text| value(text).map(|(first, _)| Some(first)))?;
            let high = range_end(high, None, |text| value(text).map(|(_, last)| Some(last)))?;
            return bounds(low, high);
        }
        let (operator, rest) = split_operator(text);
        let (first, last) = value(rest)?;
        match operator {
            ">=" => bounds(Some(first), None),
            ">" => bounds(Some(last.saturating_add(1)), None),
            "<=" => bounds(None, Some(last)),
            "<" => bounds(None, Some(first.saturating_sub(1))),
            _ => bounds(Some(first), Some(last)),
        }
    }

    /// Whole numbers; those that are too large for any field count as the largest.
    pub(crate) fn number(text: &str) -> Option<Self> {
        Self::parse(text, |text| number(text).map(|number| (number, number)))
    }

    /// Seconds, also as `1:30` or `0:01:30.5`, in milliseconds. A value without a fraction covers the
    /// whole second.
    pub(crate) fn seconds(text: &str) -> Option<Self> {
        let exact = |text: &str| seconds(text).map(|first| (first, first));
        if split_operator(text).0.is_empty() && !text.contains("..") {
            let first = seconds(text)?;
            let last = if text.contains('.') {
                first
            } else {
                first.saturating_add(999)
            };
            return Some(Self {
                low: Some(first),
                high: Some(last),
            });
        }
        Self::parse(text, exact)
    }

    /// Writes the range; `value` writes one number.
    pub(super) fn print(&self, out: &mut String, value: impl Fn(i64, &mut String)) {
        match (self.low, self.high) {
            (Some(low), Some(high)) if low == high => value(low, out),
            (Some(low), None) => {
                out.push_str(">=");
                value(low, out);
            }
            (None, Some(high)) => {
                out.push_str("<=");
                value(high, out);
            }
            (low, high) => {
                if let Some(low) = low {
                    value(low, out);
                }
                out.push_str("..");
                if let Some(high) = high {
                    value(high, out);
                }
            }
        }
    }
}

/// The value at the end of a range, `open` if it is open; `None` if the text is no value.
fn range_end<T>(text: &str, open: T, value: impl Fn(&str) -> Option<T>) -> Option<T> {
    if text.is_empty() || text == "*" {
        return Some(open);
    }
    value(text)
}

/// The comparison at the start of a text and the rest.
fn split_operator(text: &str) -> (&str, &str) {
    for operator in [">=", "<=", ">", "<", "="] {
        if let Some(rest) = text.strip_prefix(operator) {
            return (operator, rest);
        }
    }
    ("", text)
}

/// A whole number, the nearest that fits for larger ones.
fn number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(sign * digits.parse::<i64>().unwrap_or(i64::MAX))
}

/// A number with up to `digits` digits after the point, as that many powers of ten of it.
fn decimal(text: &str, digits: usize) -> Option<i64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let scale = 10_i64.pow(digits as u32);
    let whole = whole
        .parse::<i64>()
        .unwrap_or(if whole.is_empty() { 0 } else { i64::MAX });
    let digits: String = fraction.chars().chain("000".chars()).take(digits).collect();
    let fraction = digits.parse::<i64>().unwrap_or_default();
    Some(sign * whole.saturating_mul(scale).saturating_add(fraction))
}

/// Writes a number that [`decimal`] reads.
pub(super) fn print_decimal(value: i64, digits: usize, out: &mut String) {
    let scale = 10_u64.pow(digits as u32);
    let size = value.unsigned_abs();
    if value < 0 {
        out.push('-');
    }
    out.push_str(&(size / scale).to_string());
    let fraction = format!("{:0digits$}", size % scale);
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
}

/// Milliseconds of `90`, `1:30` or `0:01:30.5`.
fn seconds(text: &str) -> Option<i64> {
    let mut total = 0_i64;
    let mut parts = text.split(':').peekable();
    let mut count = 0;
    while let Some(part) = parts.next() {
        count += 1;
        let value = if parts.peek().is_some() {
            number(part)
                .filter(|number| *number >= 0)?
                .saturating_mul(1000)
        } else {
            // `<0` is written as `<=-0.001`.
            decimal(part, 3).filter(|value| *value >= 0 || count == 1)?
        };
        total = total.saturating_mul(60).saturating_add(value);
    }
    (count <= 3).then_some(total)
}

/// A text that a name is compared with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NameTest {
    /// Begins a word of the name; folded.
    Prefix(String),
    /// Begins a word of a round, and no number of which it is a part; folded.
    Round(String),
    /// Is the name; folded.
    Whole(String),
    /// Is found in the folded name.
    Pattern(Pattern),
}

impl NameTest {
    /// Parses `text`, `=text` or `/expression/`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some(whole) = text.strip_prefix('=') {
            return Ok(Self::Whole(fold(whole)));
        }
        if let Some(source) = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'))
            .filter(|source| !source.is_empty())
        {
            return Pattern::new(source).map(Self::Pattern);
        }
        Ok(Self::Prefix(fold(text)))
    }

    /// The same for rounds, where `1` is the first round and its parts, not the tenth.
    pub(crate) fn parse_round(text: &str) -> Result<Self, String> {
        Ok(match Self::parse(text)? {
            Self::Prefix(text) => Self::Round(without_leading_zeros(&text).into_owned()),
            test => test,
        })
    }

    /// Whether a folded name fits.
    pub(crate) fn fits(&self, name: &str) -> bool {
        match self {
            Self::Prefix(text) => begins_word(name, text),
            Self::Round(text) => begins_round(name, text),
            Self::Whole(text) => is_same_name(name, text),
            Self::Pattern(pattern) => pattern.regex.is_match(name),
        }
    }
}

/// A regular expression for folded names; equal if their sources are.
#[derive(Clone)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    regex: regex_lite::Regex,
}

impl Pattern {
    fn new(source: &str) -> Result<Self, String> {
        let mut folded = String::new();
        let mut rest = source.chars();
        while let Some(c) = rest.next() {
            if c == '\\' {
                folded.push(c);
                folded.extend(rest.next());
            } else {
                folded.push_str(&fold(c.encode_utf8(&mut [0; 4])));
            }
        }
        let regex = regex_lite::Regex::new(&folded).map_err(|error| error.to_string())?;
        Ok(Self {
            source: folded,
            regex,
        })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.source)
    }
}

/// Whether a text begins a word of a name. Both are [folded](crate::fold). Blanks after commas do not count:
/// programs write `Short, Nigel` and `Short,Nigel`.
///
/// ```
/// assert!(tabia_query::begins_word("carlsen, magnus", "mag"));
/// assert!(!tabia_query::begins_word("carlsen, magnus", "gnus"));
/// assert!(tabia_query::begins_word("short,nigel", "short, n"));
/// ```
pub fn begins_word(name: &str, text: &str) -> bool {
    // Up to the first comma every name has the text as it is.
    let first = text.find(',').map_or(text.len(), |comma| comma + 1);
    let (first, rest) = text.split_at_checked(first).unwrap_or((text, ""));
    name.match_indices(first).any(|(at, _)| {
        let before = name.get(..at).and_then(|part| part.chars().next_back());
        let after = name.get(at + first.len()..).unwrap_or_default();
        before.is_none_or(|before| !before.is_alphanumeric())
            && (first.len() == text.len() && !first.ends_with(',')
                || after_commas(after, rest).is_some())
    })
}

/// What follows the text in the name, if the name begins with it and both follow a comma; blanks after commas do
/// not count.
fn after_commas<'n>(name: &'n str, text: &str) -> Option<&'n str> {
    let (mut name, mut text) = (name, text);
    loop {
        (name, text) = (name.trim_start_matches(' '), text.trim_start_matches(' '));
        let Some(comma) = text.find(',') else {
            return name.strip_prefix(text);
        };
        let (part, rest) = text.split_at_checked(comma + 1)?;
        (name, text) = (name.strip_prefix(part)?, rest);
    }
}

/// Whether two folded names are the same; blanks after commas do not count.
fn is_same_name(name: &str, text: &str) -> bool {
    let Some(comma) = text.find(',') else {
        return name == text;
    };
    let first = text.get(..=comma).unwrap_or(text);
    let rest = text.get(comma + 1..).unwrap_or_default();
    name.strip_prefix(first)
        .and_then(|name| after_commas(name, rest))
        .is_some_and(str::is_empty)
}

/// Whether a text begins a word of a round. Numbers are whole: `1` fits `1`, `1.3`, `1(2)` and `round 1`, neither
/// `10` nor the parts of other rounds, as `2.1`.
/// Leading zeros do not count, and `1.0` is `1`.
fn begins_round(round: &str, text: &str) -> bool {
    let round = &*without_leading_zeros(round);
    if text.strip_suffix(".0") == Some(round) {
        return true;
    }
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let begins_with_digit = is_digit(text.chars().next());
    let ends_with_digit = is_digit(text.chars().next_back());
    round.match_indices(text).any(|(at, _)| {
        let before = round.get(..at).and_then(|part| part.chars().next_back());
        let after = round.get(at + text.len()..).unwrap_or_default();
        let begins = if begins_with_digit {
            before.is_none_or(char::is_whitespace)
        } else {
            before.is_none_or(|before| !before.is_alphanumeric())
        };
        begins && !(ends_with_digit && is_digit(after.chars().next()))
    })
}

/// A text whose numbers have no zeros before them: `01.02` as `1.2`.
fn without_leading_zeros(text: &str) -> Cow<'_, str> {
    if !text.contains('0') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut is_in_number = false;
    while let Some(letter) = letters.next() {
        let is_zero = letter == '0' && letters.peek().is_some_and(char::is_ascii_digit);
        if is_in_number || !is_zero {
            out.push(letter);
            is_in_number = letter.is_ascii_digit();
        }
    }
    Cow::Owned(out)
}

/// What a date is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateTest {
    /// `??`: a part of the date is unknown.
    PartUnknown,
    /// `????`: the year is unknown.
    YearUnknown,
    /// The parts that are known, if one before them is not: `2011.??.11`, `????.05`.
    Parts(Date),
    /// The ends of a range, with unknown parts for all that fit, and whether they are included.
    Range {
        low: Option<(Date, bool)>,
        high: Option<(Date, bool)>,
    },
}

impl DateTest {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "?" | "??" => return Some(Self::PartUnknown),
            "????" | "????.??.??" => return Some(Self::YearUnknown),
            _ => {}
        }
        let value = |text: &str| Date::parse(text).filter(|date| !has_gap(*date));
        let range = |low, high| Some(Self::Range { low, high });
        if let Some((low, high)) = text.split_once("..") {
            let included = |text: &str| value(text).map(|date| Some((date, true)));
            let low = range_end(low, None, included)?;
            let high = range_end(high, None, included)?;
            return range(low, high);
        }
        let (operator, rest) = split_operator(text);
        if let Some(date) = Date::parse(rest).filter(|date| has_gap(*date)) {
            let is_equal = matches!(operator, "" | "=") && date != Date::UNKNOWN;
            return is_equal.then_some(Self::Parts(date));
        }
        let date = value(rest)?;
        match operator {
            ">=" => range(Some((date, true)), None),
            ">" => range(Some((date, false)), None),
            "<=" => range(None, Some((date, true))),
            "<" => range(None, Some((date, false))),
            _ => range(Some((date, true)), Some((date, true))),
        }
    }

    /// Whether a date fits. One with unknown parts fits a range if every date that it can be does.
    pub(crate) fn fits(&self, date: Date) -> bool {
        match *self {
            Self::PartUnknown => !date.is_complete(),
            Self::YearUnknown => date.year == 0,
            Self::Parts(known) => {
                (known.year == 0 || known.year == date.year)
                    && (known.month == 0 || known.month == date.month)
                    && (known.day == 0 || known.day == date.day)
            }
            Self::Range { low, high } => {
                let (first, last) = (first_day(date), last_day(date));
                date.year != 0
                    && low.is_none_or(|(low, included)| {
                        if included {
                            first_day(low) <= first
                        } else {
                            last_day(low) < first
                        }
                    })
                    && high.is_none_or(|(high, included)| {
                        if included {
                            last <= last_day(high)
                        } else {
                            last < first_day(high)
                        }
                    })
            }
        }
    }

    /// Whether all dates of a year fit, whatever is unknown of them, or none; `None` if some may.
    pub(crate) fn fits_all_of_year(&self, year: u16) -> Option<bool> {
        match *self {
            Self::PartUnknown => (year == 0).then_some(true),
            Self::YearUnknown => Some(year == 0),
            Self::Parts(known) => (known.year != 0 && known.year != year).then_some(false),
            Self::Range { low, high } => {
                let is_before = low.is_some_and(|(low, _)| year < low.year);
                let is_after = high.is_some_and(|(high, _)| year > high.year);
                if year == 0 || is_before || is_after {
                    return Some(false);
                }
                self.fits(Date::new(year, 0, 0)).then_some(true)
            }
        }
    }

    pub(super) fn print(&self, out: &mut String) {
        let (low, high) = match *self {
            Self::PartUnknown => return out.push_str("??"),
            Self::YearUnknown => return out.push_str("????"),
            Self::Parts(date) => return print_date(date, out),
            Self::Range { low, high } => (low, high),
        };
        match (low, high) {
            (Some(low), Some(high)) if low == high => print_date(low.0, out),
            (Some((low, included)), None) => {
                out.push_str(if included { ">=" } else { ">" });
                print_date(low, out);
            }
            (None, Some((high, included))) => {
                out.push_str(if included { "<=" } else { "<" });
                print_date(high, out);
            }
            (low, high) => {
                if let Some((low, _)) = low {
                    print_date(low, out);
                }
                out.push_str("..");
                if let Some((high, _)) = high {
                    print_date(high, out);
                }
            }
        }
    }
}

/// Whether a range such as `2017.05..2016` of a field ends before it begins.
pub(super) fn is_reversed(field: &str, from: &str, to: &str) -> bool {
    let are_reversed = |value: fn(&str) -> Option<i64>| {
        value(from)
            .zip(value(to))
            .is_some_and(|(first, last)| first > last)
    };
    match field {
        "date" | "eventdate" => {
            let date = |text| Date::parse(text).filter(|date| !has_gap(*date));
            let ends = date(from).zip(date(to));
            ends.is_some_and(|(first, last)| first_day(first) > last_day(last))
        }
        "eco" => {
            let ends = eco(from).zip(eco(to));
            ends.is_some_and(|((first, _), (_, last))| first > last)
        }
        "clock" => are_reversed(seconds),
        _ => are_reversed(|text| decimal(text, 3)),
    }
}

/// Why a date, a comparison or a range is none, if that is a month above 12 or a day above 31: `there is no month 13`.
pub(super) fn part_that_no_date_has(text: &str) -> Option<String> {
    let ends = text.split("..");
    let mut ends = ends.map(|end| end.trim_start_matches(['<', '>', '=']));
    ends.find_map(|end| {
        let mut parts = end.split(['.', '-', '/']);
        let year = parts.next().filter(|year| year.len() == 4)?;
        let numbers: Vec<u32> = parts.map(str::parse).collect::<Result<_, _>>().ok()?;
        // The second year of a range.
        let is_year = |number: u32| number >= 1000;
        match *numbers.as_slice() {
            _ if !is_unknown_or_number(year) => None,
            [month] | [month, _] if month > 12 && !is_year(month) => {
                Some(format!("there is no month {month}; months are 1 to 12"))
            }
            [_, day] if day > 31 => Some(format!("there is no day {day}; days are 1 to 31")),
            _ => None,
        }
    })
}

fn is_unknown_or_number(year: &str) -> bool {
    year == "????" || year.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a part of a date is unknown and one after it need not be: such dates are no days in a row.
pub(super) fn has_gap(date: Date) -> bool {
    date.year == 0 || (date.month == 0 && date.day != 0)
}

/// The first day that a date can be.
fn first_day(date: Date) -> Date {
    let month = date.month.max(1);
    let day = if date.month == 0 { 1 } else { date.day.max(1) };
    Date::new(date.year, month, day)
}

/// A day not before the last one that a date can be.
fn last_day(date: Date) -> Date {
    let known = |part: u8| if part == 0 { u8::MAX } else { part };
    let day = if date.month == 0 {
        u8::MAX
    } else {
        known(date.day)
    };
    Date::new(date.year, known(date.month), day)
}

/// Writes a date without the unknown parts at its end.
fn print_date(date: Date, out: &mut String) {
    let text = date.to_string();
    out.push_str(text.trim_end_matches(".??"));
}

/// A result, or several with something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultTest {
    Is(GameResult),
    /// One side won.
    Decisive,
    /// Not played out on the board.
    Forfeit,
}

/// The names of results that are no results themselves.
pub(super) const RESULTS: &[(&str, ResultTest)] = &[
    ("draw", ResultTest::Is(GameResult::Draw)),
    ("unknown", ResultTest::Is(GameResult::Unknown)),
    ("decisive", ResultTest::Decisive),
    ("forfeit", ResultTest::Forfeit),
];

impl ResultTest {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let named = choice(text, RESULTS);
        named.or_else(|| GameResult::parse(text.as_bytes()).map(Self::Is))
    }

    pub(crate) fn fits(self, result: GameResult) -> bool {
        match self {
            Self::Is(wanted) => wanted == result || wanted == result.to_pgn(),
            Self::Decisive => matches!(
                result.to_pgn(),
                GameResult::WhiteWins | GameResult::BlackWins
            ),
            Self::Forfeit => result.is_special(),
        }
    }
}

/// How fast a game was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speed {
    UltraBullet,
    Bullet,
    Blitz,
    Rapid,
    Classical,
    Correspondence,
}

pub(super) const SPEEDS: &[(&str, Speed)] = &[
    ("ultrabullet", Speed::UltraBullet),
    ("bullet", Speed::Bullet),
    ("blitz", Speed::Blitz),
    ("rapid", Speed::Rapid),
    ("classical", Speed::Classical),
    ("correspondence", Speed::Correspondence),
    ("normal", Speed::Classical),
    ("corr", Speed::Correspondence),
];

/// The speed that a tag `TimeControl` states, as `speed:` compares it: `blitz` for `180+2`. `None` if
/// the tag does not state it.
///
/// ```
/// assert_eq!(tabia_query::speed_of_time_control("180+2"), Some("blitz"));
/// assert_eq!(tabia_query::speed_of_time_control("-"), Some("correspondence"));
/// assert_eq!(tabia_query::speed_of_time_control("?"), None);
/// ```
pub fn speed_of_time_control(text: &str) -> Option<&'static str> {
    Speed::of_time_control(text).map(Speed::name)
}

/// The speed of a game as `speed:` compares it: that which ChessBase marks in the type of the tournament
/// (tag `EventType`), else that of the tag `TimeControl`; a tournament without a mark is a classical one.
///
/// ```
/// assert_eq!(tabia_query::speed(Some("swiss (rapid)"), ""), Some("rapid"));
/// assert_eq!(tabia_query::speed(None, "180+2"), Some("blitz"));
/// assert_eq!(tabia_query::speed(None, ""), None);
/// ```
pub fn speed(event_type: Option<&str>, time_control: &str) -> Option<&'static str> {
    Speed::of_tags(event_type, time_control).map(Speed::name)
}

impl Speed {
    /// As [`speed`].
    pub(crate) fn of_tags(event_type: Option<&str>, time_control: &str) -> Option<Self> {
        event_type
            .and_then(Self::of_event_type)
            .or_else(|| Self::of_time_control(time_control))
            // A tournament without a mark is a normal one.
            .or(event_type.map(|_| Self::Classical))
    }

    /// The speed of a tag `TimeControl`: the seconds of the first period and 40 increments, with the
    /// limits of Lichess. `None` if the tag does not state it.
    pub(crate) fn of_time_control(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "-" {
            return Some(Self::Correspondence);
        }
        let period = text.split(':').next().unwrap_or_default();
        let (moves, time) = match period.split_once('/') {
            Some((moves, time)) => (Some(number(moves)?), time),
            None => (None, period.trim_start_matches('*')),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let (base, increment) = (number(base)?, number(increment)?);
        if increment >= 3600 || moves.is_some_and(|moves| base / moves.max(1) >= 3600) {
            return Some(Self::Correspondence);
        }
        Some(match base.saturating_add(increment.saturating_mul(40)) {
            ..30 => Self::UltraBullet,
            30..180 => Self::Bullet,
            180..480 => Self::Blitz,
            480..1500 => Self::Rapid,
            _ => Self::Classical,
        })
    }

    /// Its usual name in queries.
    pub(crate) fn name(self) -> &'static str {
        let mut names = SPEEDS.iter();
        let found = names.find(|(_, speed)| *speed == self);
        found.map_or("", |(name, _)| *name)
    }

    /// The speed that ChessBase marks in the type of a tournament, as in `swiss (rapid)`.
    pub(crate) fn of_event_type(text: &str) -> Option<Self> {
        let (_, mark) = text.split_once('(')?;
        Some(match mark.trim_end().trim_end_matches(')') {
            "blitz" => Self::Blitz,
            "rapid" => Self::Rapid,
            "corr" => Self::Correspondence,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpeedTest {
    Class(Speed),
    /// The tag `TimeControl`.
    Exact(String),
}

impl SpeedTest {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(speed) = choice(text, SPEEDS) {
            return Some(Self::Class(speed));
        }
        let is_control = text.bytes().any(|byte| byte.is_ascii_digit());
        is_control.then(|| Self::Exact(text.to_owned()))
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Mate,
    Stalemate,
    /// Neither side can mate.
    Material,
    /// The last position occurred three times.
    Repetition,
    /// Fifty moves without a capture or a pawn move.
    Fifty,
    Time,
    Resign,
    Forfeit,
}

pub(super) const ENDS: &[(&str, Ends)] = &[
    ("mate", Ends::Mate),
    ("stalemate", Ends::Stalemate),
    ("material", Ends::Material),
    ("repetition", Ends::Repetition),
    ("fifty", Ends::Fifty),
    ("time", Ends::Time),
    ("resign", Ends::Resign),
    ("forfeit", Ends::Forfeit),
];

impl Ends {
    /// Whether the last position shows it, not the tag `Termination`.
    pub(crate) fn is_position(self) -> bool {
        !matches!(self, Self::Time | Self::Resign | Self::Forfeit)
    }
}

/// A medal of ChessBase: its bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Medal(pub(crate) u8);

pub(super) const MEDALS: &[(&str, Medal)] = &[
    ("best", Medal(0)),
    ("decided", Medal(1)),
    ("model", Medal(2)),
    ("novelty", Medal(3)),
    ("pawnstructure", Medal(4)),
    ("strategy", Medal(5)),
    ("tactics", Medal(6)),
    ("attack", Medal(7)),
    ("defence", Medal(8)),
    ("sacrifice", Medal(9)),
    ("material", Medal(10)),
    ("pieceplay", Medal(11)),
    ("endgame", Medal(12)),
    ("tacticalblunder", Medal(13)),
    ("strategicalblunder", Medal(14)),
    ("user", Medal(15)),
];

/// What an evaluation is compared with: hundredths of a pawn from White's side, or a mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvalTest {
    Mate,
    Centipawns(Bounds),
}

impl EvalTest {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("mate") {
            return Some(Self::Mate);
        }
        let value = |text: &str| decimal(text, 2).map(|value| (value, value));
        Bounds::parse(text, value).map(Self::Centipawns)
    }

    pub(crate) fn fits(self, score: Score) -> bool {
        match (self, score) {
            (Self::Mate, Score::Mate(_)) => true,
            (Self::Centipawns(bounds), Score::Centipawns(value)) => bounds.has(i64::from(value)),
            // A mate is more than any number of pawns.
            (Self::Centipawns(bounds), Score::Mate(moves)) if moves > 0 => bounds.high.is_none(),
            (Self::Centipawns(bounds), Score::Mate(_)) => bounds.low.is_none(),
            _ => false,
        }
    }
}

/// A part of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Variations,
    Comments,
    Nags,
    Setup,
    Clock,
    Eval,
    Arrows,
    Elo,
    AnyElo,
}

pub(super) const PARTS: &[(&str, Part)] = &[
    ("variations", Part::Variations),
    ("comments", Part::Comments),
    ("nags", Part::Nags),
    ("setup", Part::Setup),
    ("clock", Part::Clock),
    ("eval", Part::Eval),
    ("arrows", Part::Arrows),
    ("elo", Part::Elo),
    ("anyelo", Part::AnyElo),
    ("symbols", Part::Nags),
];

/// A mark of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GameMark {
    Deleted,
    Text,
    Chess960,
    /// A duplicate of another game of the database.
    Duplicate,
}

pub(super) const MARKS: &[(&str, GameMark)] = &[
    ("deleted", GameMark::Deleted),
    ("text", GameMark::Text),
    ("chess960", GameMark::Chess960),
    ("duplicate", GameMark::Duplicate),
];

/// The lines of a game whose moments count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    #[default]
    Mainline,
    Variations,
    All,
}

impl Scope {
    /// Whether the moments of a line count; 0 is the mainline.
    pub(crate) fn has(self, line: u32) -> bool {
        match self {
            Self::Mainline => line == 0,
            Self::Variations => line != 0,
            Self::All => true,
        }
    }
}

pub(super) const SCOPES: &[(&str, Scope)] = &[
    ("mainline", Scope::Mainline),
    ("variations", Scope::Variations),
    ("all", Scope::All),
];

/// A mirror image of the board that counts as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flip {
    /// Colours and ranks exchanged.
    Color,
    /// Files exchanged.
    Files,
}

pub(super) const FLIPS: &[(&str, Flip)] = &[
    ("color", Flip::Color),
    ("files", Flip::Files),
    ("colour", Flip::Color),
];

pub(super) const YES_NO: &[(&str, bool)] = &[
    ("yes", true),
    ("no", false),
    ("true", true),
    ("false", false),
];

/// The value with a name, in any case.
pub(super) fn choice<T: Copy>(text: &str, table: &[(&str, T)]) -> Option<T> {
    let found = table
        .iter()
        .find(|(name, _)| text.eq_ignore_ascii_case(name));
    found.map(|(_, value)| *value)
}

/// The first name of a value.
pub(super) fn name_of<T: PartialEq>(value: &T, table: &[(&'static str, T)]) -> &'static str {
    let found = table.iter().find(|(_, other)| other == value);
    found.map_or("", |(name, _)| name)
}

/// A NAG: `$14`, `14` or a symbol such as `!?`.
pub(super) fn nag(text: &str) -> Option<u8> {
    let number = || text.parse::<u8>().ok();
    text.parse::<Nag>().ok().map(|Nag(nag)| nag).or_else(number)
}

/// The codes of `B`, `B9`, `B90`, `B90..B99`, `>=B9` or `<C5`: first and last.
pub(super) fn eco(text: &str) -> Option<(u16, u16)> {
    let codes = |text: &str| {
        let mut bytes = text.bytes();
        let letter = bytes.next()?.to_ascii_uppercase();
        if !(b'A'..=b'E').contains(&letter) || text.len() > 3 {
            return None;
        }
        let mut low = i64::from(letter - b'A') * 100;
        let mut span = 100;
        for digit in bytes {
            if !digit.is_ascii_digit() {
                return None;
            }
            span /= 10;
            low += i64::from(digit - b'0') * span;
        }
        Some((low, low + span - 1))
    };
    let bounds = Bounds::parse(text, codes)?;
    let (low, high) = (bounds.low.unwrap_or(0), bounds.high.unwrap_or(499));
    Some(if low > high || low > 499 || high < 0 {
        NO_CODE
    } else {
        (low as u16, high as u16)
    })
}

/// A range without any ECO code.
const NO_CODE: (u16, u16) = (499, 0);

pub(super) fn print_eco((low, high): (u16, u16), out: &mut String) {
    if low > high {
        // A reversed range is an error.
        out.push_str(">E99");
        return;
    }
    let digits = |code: u16, out: &mut String| {
        if let Some(eco) = Eco::new(code, 0) {
            eco.push_to(out);
        }
    };
    digits(low, out);
    if low % 100 == 0 && high == low + 99 {
        out.truncate(out.len() - 2);
    } else if low % 10 == 0 && high == low + 9 {
        out.pop();
    } else if low != high {
        out.push_str("..");
        digits(high, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        let bounds = |low, high| Some(Bounds { low, high });
        for (text, expected) in [
            (">=2700", bounds(Some(2700), None)),
            ("<2700", bounds(None, Some(2699))),
            (">2700", bounds(Some(2701), None)),
            ("=5", bounds(Some(5), Some(5))),
            ("2600..2700", bounds(Some(2600), Some(2700))),
            ("2600..*", bounds(Some(2600), None)),
            ("-50..-10", bounds(Some(-50), Some(-10))),
            ("..", bounds(None, None)),
            (">=99999999999999999999", bounds(Some(i64::MAX), None)),
            ("x", None),
            (">=..", None),
            ("", None),
            ("5-7", None),
        ] {
            assert_eq!(Bounds::number(text), expected, "{text}");
        }
        assert_eq!(Bounds::seconds("1:30"), bounds(Some(90_000), Some(90_999)));
        assert_eq!(Bounds::seconds("<0:01:30"), bounds(None, Some(89_999)));
        assert_eq!(Bounds::seconds("1:2:3:4"), None);
        let more = Bounds::number(">=200").unwrap();
        assert_eq!(
            (more.decides_from(255), more.decides_from(100)),
            (Some(true), None)
        );
        let less = Bounds::number("<200").unwrap();
        assert_eq!(
            (less.decides_from(255), less.decides_from(100)),
            (Some(false), None)
        );
    }

    #[test]
    fn codes() {
        for (text, codes) in [
            ("B9", Some((190, 199))),
            ("c", Some((200, 299))),
            ("A00..B", Some((0, 199))),
            (">=D", Some((300, 499))),
            (">D63", Some((364, 499))),
            ("<C51", Some((0, 250))),
            ("..B99", Some((0, 199))),
            (">E", Some(NO_CODE)),
            ("<A", Some(NO_CODE)),
            ("B999", None),
            ("Б9", None),
            ("", None),
        ] {
            assert_eq!(eco(text), codes, "{text}");
        }
    }

    #[test]
    fn a_date_fits_if_every_date_that_it_can_be_does() {
        let fits = |test: &str, date: &str| {
            let date = Date::parse(date).unwrap();
            DateTest::parse(test).unwrap().fits(date)
        };
        for (test, date, expected) in [
            ("2020", "2020.12.31", true),
            ("2020", "2020.??.??", true),
            ("2020", "2019.12.31", false),
            ("2020.06", "2020.??.??", false),
            ("..2020.06", "2020.06.30", true),
            ("..2020.06", "2020.07.01", false),
            ("..2020.06", "????.??.??", false),
            ("..2020-06", "2020.??.??", false),
            ("<2020", "2019.12.31", true),
            ("<2020", "2020.??.??", false),
            (">2020.06", "2020.07.01", true),
            (">2020/06", "2020.06.30", false),
            (">1951", "1951.07.01", false),
            (">=1951-07", "1951.??.??", false),
            (">=1951-07", "1952.??.??", true),
            (">=1900", "1951.??.??", true),
            ("??", "1951.??.??", true),
            ("??", "1951.07.01", false),
            ("????", "1951.??.??", false),
            ("????", "????.??.??", true),
            ("..", "1951.??.??", true),
            ("..", "????.??.??", false),
            ("2011.??.11", "2011.??.11", true),
            ("2011.??.11", "2011.05.11", true),
            ("2011-??-11", "2011.12.16", false),
            ("2011.??.11", "2010.05.11", false),
            ("2011.??.??", "2011.05.11", true),
            ("????.05", "2011.05.11", true),
            ("????.05.??", "2011.05.??", true),
            ("=????.05.??", "2011.06.11", false),
            ("????.05", "2011.??.??", false),
            ("????.05.11", "1999.05.11", true),
            ("????.05.11", "1999.05.12", false),
            ("????.??.11", "????.??.11", true),
        ] {
            assert_eq!(fits(test, date), expected, "{test} {date}");
        }
        assert_eq!(DateTest::parse("soon"), None);
        assert_eq!(DateTest::parse(">=..1951"), None);
        for text in [">2011.??.11", "2011.??.11..", "..????.05", "<=????.05.??"] {
            assert_eq!(DateTest::parse(text), None, "{text}");
        }
    }

    #[test]
    fn words_begin_after_anything_but_letters_and_digits() {
        assert!(begins_word("carlsen, magnus", "magn") && begins_word("van't hof", "hof"));
        assert!(!begins_word("maroczy", "oczy") && begins_word("1(2)", "2"));
        let fits = |text: &str, name: &str| NameTest::parse(text).unwrap().fits(name);
        assert!(fits("=Carlsen, Magnus", "carlsen, magnus"));
        assert!(!fits("=Carlsen", "carlsen, magnus"));
        assert!(fits("/^MÜLL.*, k/", "muller, karsten") && fits(r"/\d/", "round 3"));
        assert!(!fits(r"/\D/", "3"));
        assert!(NameTest::parse("/(/").is_err());
    }

    #[test]
    fn blanks_after_commas_do_not_count() {
        for name in ["short,nigel", "short, nigel", "short,  nigel"] {
            for text in [
                "short", "short,", "short, ", "short,n", "short, n", "nigel", "",
            ] {
                assert!(begins_word(name, text), "{name} {text}");
            }
            for text in [
                "short,x",
                "short nigel",
                "short, igel",
                ",nigel d",
                "hort,nigel",
            ] {
                assert!(!begins_word(name, text), "{name} {text}");
            }
            for text in ["=short,nigel", "=Short, Nigel"] {
                assert!(NameTest::parse(text).unwrap().fits(name), "{name} {text}");
            }
            for text in ["=short, nige", "=short,nigel,", "=short", "=shortnigel"] {
                assert!(!NameTest::parse(text).unwrap().fits(name), "{name} {text}");
            }
        }
        assert!(begins_word("van short, a, b,c", "short,a, b, c"));
    }

    #[test]
    fn numbers_of_rounds_are_whole() {
        let fits = |text: &str, round: &str| NameTest::parse_round(text).unwrap().fits(round);
        for round in ["1", "1.3", "1(2)", "round 1"] {
            assert!(fits("1", round), "{round}");
        }
        for round in ["10", "19.1", "2.1", "21", "7(1)"] {
            assert!(!fits("1", round), "{round}");
        }
        assert!(fits("1.1", "1.1") && fits("1.1", "1.1.2") && !fits("1.1", "1.10"));
        assert!(fits("?.3", "?.3") && !fits("?.3", "?.31") && fits("", "5"));
        for (text, round) in [
            ("1", "01"),
            ("01", "1"),
            ("1", "1.0"),
            ("1.0", "1"),
            ("1.2", "01.02"),
            ("0", "0"),
            ("10", "010"),
        ] {
            assert!(fits(text, round), "{text} {round}");
        }
        for (text, round) in [
            ("1", "10"),
            ("1", "010"),
            ("1.0", "1.1"),
            ("1.0", "11"),
            ("0", "1.0"),
        ] {
            assert!(!fits(text, round), "{text} {round}");
        }
        assert!(fits("final", "semi final") && fits("fin", "final") && fits("=10", "10"));
    }

    #[test]
    fn speeds_are_those_of_lichess() {
        for (text, speed) in [
            ("15+0", Some(Speed::UltraBullet)),
            ("60+1", Some(Speed::Bullet)),
            ("180+0", Some(Speed::Blitz)),
            ("300+3", Some(Speed::Blitz)),
            ("300+5", Some(Speed::Rapid)),
            ("900+10", Some(Speed::Rapid)),
            ("5400+30", Some(Speed::Classical)),
            ("40/7200:3600", Some(Speed::Classical)),
            ("-", Some(Speed::Correspondence)),
            ("1/86400", Some(Speed::Correspondence)),
            ("*180", Some(Speed::Blitz)),
            ("?", None),
            ("", None),
        ] {
            assert_eq!(Speed::of_time_control(text), speed, "{text}");
        }
        assert_eq!(Speed::of_event_type("swiss (rapid)"), Some(Speed::Rapid));
        assert_eq!(Speed::of_event_type("swiss"), None);
    }

    #[test]
    fn decimals_round_trip() {
        for (text, value) in [("2", 200), ("-0.35", -35), ("+1.5", 150), ("0.255", 25)] {
            assert_eq!(decimal(text, 2), Some(value), "{text}");
            let mut printed = String::new();
            print_decimal(value, 2, &mut printed);
            assert_eq!(decimal(&printed, 2), Some(value), "{printed}");
        }
        assert_eq!((decimal(".", 2), decimal("1.x", 2)), (None, None));
    }
}
