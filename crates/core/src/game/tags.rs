//! Tag pairs of a game.

use std::fmt;

use crate::game::{Date, Eco};

/// The names of the seven tags that PGN requires, in the order of the standard.
pub const SEVEN_TAG_ROSTER: [&str; 7] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tag pairs as stored: names, order, duplicates and values. The texts are at most 4 GiB. Buffers are
/// reused from game to game.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Tags;
///
/// let mut tags: Tags = [("White", "Carlsen, Magnus"), ("WhiteElo", "2850")]
///     .into_iter()
///     .collect();
/// tags.push("Date", "2013.11.??");
/// tags.set("White", "Carlsen, M");
/// assert_eq!(tags.get("White"), Some("Carlsen, M"));
/// assert_eq!(tags.get("Black"), None);
/// assert_eq!(tags.white_elo(), Some(2850));
/// assert_eq!(tags.date().map(|date| date.year), Some(2013));
/// assert_eq!(tags.iter().next(), Some(("White", "Carlsen, M")));
/// ```
#[derive(Default)]
pub struct Tags {
    /// All names, one after another, and all values.
    names: String,
    values: String,
    /// End offset of each name and of each value.
    name_ends: Vec<u32>,
    value_ends: Vec<u32>,
    /// Indices of pairs whose values have a number, with these numbers; in order.
    numbers: Vec<(u32, u32)>,
}

/// The names of a list of tags, to recognize lists with the same names; see [`Tags::have_names`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagNames {
    text: String,
    ends: Vec<u32>,
}

/// Whether a value of a tag states nothing: it has only `?`, `.`, `-` and blanks.
///
/// ```
/// use tabia_core::game::is_blank_value;
///
/// assert!(["", "?", "-", "????.??.??", " "].into_iter().all(is_blank_value));
/// assert!(!is_blank_value("2020.??.??"));
/// ```
pub fn is_blank_value(value: &str) -> bool {
    value.bytes().all(|byte| b"?.- ".contains(&byte))
}

impl Tags {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the list, keeping its buffers.
    pub fn clear(&mut self) {
        self.names.clear();
        self.values.clear();
        self.name_ends.clear();
        self.value_ends.clear();
        self.numbers.clear();
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.name_ends.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.name_ends.is_empty()
    }

    /// Appends a pair, also if the list has the name already. Returns `false`, without appending, if
    /// the texts would exceed 4 GiB.
    #[inline]
    pub fn push(&mut self, name: &str, value: &str) -> bool {
        if u32::try_from(self.size() + name.len() + value.len()).is_err() {
            return false;
        }
        self.names.push_str(name);
        self.values.push_str(value);
        self.end_pair();
        true
    }

    /// States that the last pair of the list has the value with that number: among the tags of one database, the
    /// values of all pairs with this name and number are the same, so that whoever collects them need not compare
    /// them. A copy of the list has no numbers, nor has a list in which a value was replaced. Without effect on an
    /// empty list.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Tags;
    ///
    /// let mut tags = Tags::new();
    /// tags.push("Event", "Hastings");
    /// tags.push("White", "Carlsen, Magnus");
    /// tags.number_last(48_213);
    /// assert_eq!(tags.numbers(), [(1, 48_213)]);
    /// tags.set("White", "Carlsen, M");
    /// assert!(tags.numbers().is_empty());
    /// ```
    #[inline]
    pub fn number_last(&mut self, number: u32) {
        if let Some(last) = self.len().checked_sub(1) {
            self.numbers.push((last as u32, number));
        }
    }

    /// The indices of the pairs whose values have a number, ascending, with these numbers; see
    /// [`number_last`](Self::number_last).
    #[inline]
    pub fn numbers(&self) -> &[(u32, u32)] {
        &self.numbers
    }

    /// Appends a pair whose value `write` appends to the text it gets; it must not change that text
    /// otherwise. Returns `false`, without appending, if the texts would exceed 4 GiB.
    #[inline]
    pub fn push_with(&mut self, name: &str, write: impl FnOnce(&mut String)) -> bool {
        let start = self.values.len();
        write(&mut self.values);
        if u32::try_from(self.size() + name.len()).is_err() {
            self.values.truncate(start);
            return false;
        }
        self.names.push_str(name);
        self.end_pair();
        true
    }

    #[inline]
    fn end_pair(&mut self) {
        self.name_ends.push(self.names.len() as u32);
        self.value_ends.push(self.values.len() as u32);
    }

    /// Appends all pairs of another list. Returns `false`, without appending any, if the texts would
    /// exceed 4 GiB.
    pub fn append(&mut self, other: &Tags) -> bool {
        if other.is_empty() {
            return true;
        }
        if u32::try_from(self.size() + other.size()).is_err() {
            return false;
        }
        let (names, values) = (self.names.len() as u32, self.values.len() as u32);
        let pairs = self.len() as u32;
        let numbers = other.numbers.iter();
        self.numbers
            .extend(numbers.map(|(index, number)| (pairs + index, *number)));
        self.names.push_str(&other.names);
        self.values.push_str(&other.values);
        let ends = other.name_ends.iter().map(|end| names + end);
        self.name_ends.extend(ends);
        let ends = other.value_ends.iter().map(|end| values + end);
        self.value_ends.extend(ends);
        true
    }

    /// Length of all names and values in bytes.
    pub fn size(&self) -> usize {
        self.names.len() + self.values.len()
    }

    /// Whether the list has exactly these names, in this order.
    #[inline]
    pub fn have_names(&self, names: &TagNames) -> bool {
        self.name_ends == names.ends && self.names == names.text
    }

    /// The names in order.
    pub fn names(&self) -> TagNames {
        TagNames {
            text: self.names.clone(),
            ends: self.name_ends.clone(),
        }
    }

    /// All values, one after another, and the end offset of each.
    #[inline]
    pub fn values(&self) -> (&str, &[u32]) {
        (&self.values, &self.value_ends)
    }

    /// Replaces the value of the first pair with a name, or appends a pair.
    pub fn set(&mut self, name: &str, value: &str) {
        let Some(index) = self.iter().position(|(other, _)| other == name) else {
            self.push(name, value);
            return;
        };
        let mut changed = Self::new();
        for (i, (name, old)) in self.iter().enumerate() {
            changed.push(name, if i == index { value } else { old });
        }
        *self = changed;
    }

    /// Replaces all values and keeps the names: each value is the part of `text` with that offset and
    /// length in bytes. Returns `false`, with an empty list, if there are not as many parts as names, a
    /// part is not in the text or cuts a character, or the texts would exceed 4 GiB.
    pub fn set_values(&mut self, text: &str, parts: &[(usize, usize)]) -> bool {
        self.values.clear();
        self.numbers.clear();
        let mut is_set = parts.len() == self.len();
        for (&(start, length), end) in parts.iter().zip(&mut self.value_ends) {
            let values = &mut self.values;
            is_set &= push_short::<16>(values, text, start, length)
                || push_short::<32>(values, text, start, length)
                || push_part(values, text, start, length);
            *end = values.len() as u32;
        }
        is_set &= u32::try_from(self.size()).is_ok();
        if !is_set {
            self.clear();
        }
        is_set
    }

    /// As [`set_values`](Self::set_values), for values that are ASCII, at less cost. Returns `false` also
    /// if a value is not ASCII; the values are then arbitrary, and the names are kept.
    pub fn set_ascii_values(&mut self, text: &[u8], parts: &[(usize, usize)]) -> bool {
        if parts.len() != self.len() || u32::try_from(self.names.len() + text.len()).is_err() {
            return false;
        }
        self.numbers.clear();
        let mut values = std::mem::take(&mut self.values).into_bytes();
        // Parts that overlap can be longer than the text.
        let limit = text.len() + SHORT;
        if values.len() < limit {
            values.resize(limit, 0);
        }
        let mut length = 0;
        let mut is_set = true;
        for (&part, end) in parts.iter().zip(&mut self.value_ends) {
            if !copy_part(&mut values, length, text, part) {
                is_set = false;
                break;
            }
            length += part.1;
            *end = length as u32;
        }
        values.truncate(length);
        is_set &= values.is_ascii();
        if !is_set {
            values.clear();
        }
        self.values = String::from_utf8(values).unwrap_or_default();
        is_set
    }

    /// Keeps the pairs for which `keep(name, value)` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        *self = self
            .iter()
            .filter(|&(name, value)| keep(name, value))
            .collect();
    }

    /// The value of the first pair with a name; `None` if absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        let text = self.names.as_bytes();
        let mut start = 0;
        let index = self.name_ends.iter().position(|&end| {
            let begin = std::mem::replace(&mut start, end as usize);
            end as usize - begin == name.len()
                && text.get(begin..end as usize) == Some(name.as_bytes())
        })?;
        Some(slice(&self.values, &self.value_ends, index))
    }

    /// The value of the first pair with a name; `""` if absent.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// The name and value of the pair at an index, from 0; `None` from [`len`](Self::len) on.
    #[inline]
    pub fn pair(&self, index: usize) -> Option<(&str, &str)> {
        (index < self.len()).then(|| {
            let name = slice(&self.names, &self.name_ends, index);
            (name, slice(&self.values, &self.value_ends, index))
        })
    }

    /// The value of the pair at an index, from 0; `None` from [`len`](Self::len) on.
    #[inline]
    pub fn value(&self, index: usize) -> Option<&str> {
        (index < self.len()).then(|| slice(&self.values, &self.value_ends, index))
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + Clone {
        (0..self.len()).map(|index| {
            let name = slice(&self.names, &self.name_ends, index);
            (name, slice(&self.values, &self.value_ends, index))
        })
    }

    /// The value of the tag `Date`, of an impossible date its possible parts; `None` if absent or not a date.
    pub fn date(&self) -> Option<Date> {
        let text = self.get("Date")?;
        Date::parse(text)
            .or_else(|| Some(Date::parse_possible(text)).filter(|date| !date.is_unknown()))
    }

    /// The value of the tag `ECO`; `None` if absent or not a code.
    pub fn eco(&self) -> Option<Eco> {
        self.get("ECO").and_then(Eco::parse)
    }

    /// The value of the tag `WhiteElo`; `None` if absent or not a number from 1 to 65,535.
    pub fn white_elo(&self) -> Option<u16> {
        elo(self.text("WhiteElo"))
    }

    /// The value of the tag `BlackElo`; `None` if absent or not a number from 1 to 65,535.
    pub fn black_elo(&self) -> Option<u16> {
        elo(self.text("BlackElo"))
    }
}

/// Bytes that are copied at once, and of which the surplus is overwritten by the next part.
const SHORT: usize = 32;

/// Copies a part of a text to `at`; `false` if the text does not have it or there is no space for it.
#[inline(always)]
fn copy_part(to: &mut [u8], at: usize, text: &[u8], (start, length): (usize, usize)) -> bool {
    let from = text.get(start..).unwrap_or_default();
    let to = to.get_mut(at..).unwrap_or_default();
    if length <= SHORT
        && let Some(from) = from.first_chunk::<SHORT>()
        && let Some(to) = to.first_chunk_mut::<SHORT>()
    {
        *to = *from;
        return true;
    }
    let (Some(from), Some(to)) = (from.get(..length), to.get_mut(..length)) else {
        return false;
    };
    to.copy_from_slice(from);
    true
}

/// Appends a part of a text, of at most `N` bytes, without a call for the copy: `N` bytes are appended and
/// the surplus is removed. `false` if the text does not have them.
#[inline(always)]
fn push_short<const N: usize>(
    values: &mut String,
    text: &str,
    start: usize,
    length: usize,
) -> bool {
    let Some(bytes) = text.get(start..).and_then(|rest| rest.get(..N)) else {
        return false;
    };
    if length > N || !bytes.is_char_boundary(length) {
        return false;
    }
    let before = values.len();
    values.push_str(bytes);
    values.truncate(before + length);
    true
}

/// Appends a part of a text; `false` if it is not in the text or cuts a character.
fn push_part(values: &mut String, text: &str, start: usize, length: usize) -> bool {
    let end = start.checked_add(length);
    let part = end.and_then(|end| text.get(start..end));
    part.inspect(|part| values.push_str(part)).is_some()
}

fn elo(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|&elo| elo > 0)
}

/// The text at an index, of texts one after another with the end offsets `ends`.
#[inline]
fn slice<'t>(text: &'t str, ends: &[u32], index: usize) -> &'t str {
    let start = index
        .checked_sub(1)
        .and_then(|last| ends.get(last))
        .map_or(0, |&end| end as usize);
    let end = ends.get(index).map_or(start, |&end| end as usize);
    text.get(start..end).unwrap_or_default()
}

impl Clone for Tags {
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            values: self.values.clone(),
            name_ends: self.name_ends.clone(),
            value_ends: self.value_ends.clone(),
            numbers: Vec::new(),
        }
    }

    /// Keeps the buffers.
    fn clone_from(&mut self, source: &Self) {
        self.names.clone_from(&source.names);
        self.values.clone_from(&source.values);
        self.name_ends.clone_from(&source.name_ends);
        self.value_ends.clone_from(&source.value_ends);
        self.numbers.clear();
    }
}

impl PartialEq for Tags {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Tags {}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Tags {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        let mut tags = Self::new();
        for (name, value) in pairs {
            tags.push(name, value);
        }
        tags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_duplicates_are_preserved() {
        let mut tags: Tags = [("White", "A"), ("X", "1"), ("X", "2")]
            .into_iter()
            .collect();
        assert_eq!(tags.get("X"), Some("1"));
        tags.set("X", "3");
        tags.set("Y", "");
        let pairs: Vec<_> = tags.iter().collect();
        assert_eq!(pairs, [("White", "A"), ("X", "3"), ("X", "2"), ("Y", "")]);
        tags.retain(|name, _| name != "X");
        assert_eq!(tags, [("White", "A"), ("Y", "")].into_iter().collect());
    }

    #[test]
    fn values_are_replaced_by_parts_of_a_text() {
        let text = "Žižkov, a town with a long name, and some text after it";
        let long = text.find(',').unwrap();
        for parts in [
            [(0, long), (long, 0), (5, 3)],
            [(0, 40), (3, 16), (10, 32)],
            [(text.len() - 3, 3), (text.len(), 0), (0, text.len())],
        ] {
            let mut tags: Tags = [("A", "x"), ("B", "y"), ("C", "")].into_iter().collect();
            assert!(tags.set_values(text, &parts));
            let expected = parts.map(|(start, length)| &text[start..start + length]);
            let expected = ["A", "B", "C"].into_iter().zip(expected).collect();
            assert_eq!(tags, expected);
            let ascii = text.replace('Ž', "Zi").replace('ž', "zi");
            assert!(tags.set_ascii_values(ascii.as_bytes(), &parts));
            let expected = parts.map(|(start, length)| &ascii[start..start + length]);
            let expected = ["A", "B", "C"].into_iter().zip(expected).collect();
            assert_eq!(tags, expected);
            let is_ascii = parts
                .iter()
                .all(|&(start, length)| text[start..start + length].is_ascii());
            assert_eq!(tags.set_ascii_values(text.as_bytes(), &parts), is_ascii);
            assert!(tags.have_names(&tags.names()) && tags.len() == 3);
        }
        for parts in [
            &[(0, 1)][..],
            &[(0, 2), (1, 2)],
            &[(0, 2), (text.len(), 1)],
            &[(usize::MAX, 2), (0, 2)],
            &[(0, 2)],
            &[(0, 2); 3],
        ] {
            let mut tags: Tags = [("A", "x"), ("B", "y")].into_iter().collect();
            assert!(!tags.set_ascii_values(text.as_bytes(), parts), "{parts:?}");
            assert!(!tags.set_values(text, parts), "{parts:?}");
            assert_eq!(tags, Tags::new());
        }
    }

    #[test]
    fn lists_are_joined_and_values_appended() {
        let mut tags = Tags::new();
        assert!(tags.push_with("Round", |text| text.push_str("5.2")));
        assert!(tags.push_with("Site", |_| {}));
        let more: Tags = [("White", "A"), ("Black", "")].into_iter().collect();
        assert!(tags.append(&more) && tags.append(&Tags::new()));
        assert!(tags.push("Result", "*"));
        let pairs: Vec<_> = tags.iter().collect();
        assert_eq!(
            pairs,
            [
                ("Round", "5.2"),
                ("Site", ""),
                ("White", "A"),
                ("Black", ""),
                ("Result", "*")
            ]
        );
        assert_eq!(tags.size(), "Round5.2SiteWhiteABlackResult*".len());
        assert_eq!(tags.values(), ("5.2A*", &[3, 3, 4, 4, 5][..]));
    }

    #[test]
    fn numbers_are_those_of_the_pairs() {
        let mut tags = Tags::new();
        tags.number_last(1);
        assert!(tags.numbers().is_empty());
        tags.push("Event", "A");
        tags.number_last(7);
        let mut more = Tags::new();
        more.push("Site", "");
        more.push("White", "B");
        more.number_last(0);
        assert!(tags.append(&more));
        assert_eq!(tags.numbers(), [(0, 7), (2, 0)]);
        // Copies have none, nor do lists with other values.
        assert!(tags.clone().numbers().is_empty());
        let changes: [fn(&mut Tags); 6] = [
            |tags| tags.clone_from(&Tags::new()),
            |tags| assert!(tags.set_values("xyz", &[(0, 1), (1, 1), (2, 1)])),
            |tags| assert!(tags.set_ascii_values(b"xyz", &[(0, 1), (1, 1), (2, 1)])),
            |tags| tags.retain(|name, _| name != "Site"),
            |tags| tags.set("Site", "x"),
            Tags::clear,
        ];
        for change in changes {
            let mut changed = Tags::new();
            assert!(changed.append(&tags));
            assert_eq!(changed.numbers().len(), 2);
            change(&mut changed);
            assert!(changed.numbers().is_empty());
        }
    }

    #[test]
    fn lists_are_compared_by_their_names() {
        let list =
            |pairs: &[(&'static str, &'static str)]| -> Tags { pairs.iter().copied().collect() };
        let names = list(&[("White", "A"), ("Black", "B")]).names();
        assert!(list(&[("White", ""), ("Black", "long")]).have_names(&names));
        for other in [
            list(&[("White", "A")]),
            list(&[("Black", "B"), ("White", "A")]),
            list(&[("WhiteB", "A"), ("lack", "B")]),
            list(&[("White", "A"), ("Black", "B"), ("", "")]),
        ] {
            assert!(!other.have_names(&names), "{other:?}");
        }
    }
}
