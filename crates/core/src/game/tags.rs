//! Tag pairs.

use std::fmt;

use crate::game::{Date, Eco};

/// The names of the seven tags that PGN requires, in its order.
pub const SEVEN_TAG_ROSTER: [&str; 7] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tag pairs exactly as read: names, order, duplicates and values. Buffers are reused from game to
/// game.
#[derive(Default)]
pub struct Tags {
    /// All names, one behind the other, and all values.
    names: String,
    values: String,
    /// Where each of them ends.
    name_ends: Vec<u32>,
    value_ends: Vec<u32>,
}

/// The names of a list of tags, to know lists with the same names by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagNames {
    text: String,
    ends: Vec<u32>,
}

impl Tags {
    /// No tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the list, keeping its buffers.
    pub fn clear(&mut self) {
        self.names.clear();
        self.values.clear();
        self.name_ends.clear();
        self.value_ends.clear();
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.name_ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.name_ends.is_empty()
    }

    /// Appends a pair, whether or not the name is there already. Pairs past 4 GiB of text are
    /// refused with `false`.
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

    /// Appends a pair whose value is what `write` appends to the text it is given, which it must
    /// not change otherwise. Pairs past 4 GiB of text are refused with `false`.
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

    /// Appends all pairs of another list. Pairs past 4 GiB of text are refused, all or none, with
    /// `false`.
    pub fn append(&mut self, other: &Tags) -> bool {
        if u32::try_from(self.size() + other.size()).is_err() {
            return false;
        }
        let (names, values) = (self.names.len() as u32, self.values.len() as u32);
        self.names.push_str(&other.names);
        self.values.push_str(&other.values);
        let ends = other.name_ends.iter().map(|end| names + end);
        self.name_ends.extend(ends);
        let ends = other.value_ends.iter().map(|end| values + end);
        self.value_ends.extend(ends);
        true
    }

    /// Bytes of all names and values.
    pub fn size(&self) -> usize {
        self.names.len() + self.values.len()
    }

    /// Whether the names are those, in that order.
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

    /// All values, one behind the other, and where each of them ends.
    #[inline]
    pub fn values(&self) -> (&str, &[u32]) {
        (&self.values, &self.value_ends)
    }

    /// Replaces the value of the first pair of that name, or appends one.
    pub fn set(&mut self, name: &str, value: &str) {
        let Some(place) = self.iter().position(|(known, _)| known == name) else {
            self.push(name, value);
            return;
        };
        let mut changed = Self::new();
        for (i, (name, old)) in self.iter().enumerate() {
            changed.push(name, if i == place { value } else { old });
        }
        *self = changed;
    }

    /// Keeps the pairs for which `keep(name, value)` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        *self = self
            .iter()
            .filter(|&(name, value)| keep(name, value))
            .collect();
    }

    /// The value of the first pair of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let text = self.names.as_bytes();
        let mut start = 0;
        let place = self.name_ends.iter().position(|&end| {
            let begin = std::mem::replace(&mut start, end as usize);
            end as usize - begin == name.len()
                && text.get(begin..end as usize) == Some(name.as_bytes())
        })?;
        Some(slice(&self.values, &self.value_ends, place))
    }

    /// The value of the first pair of that name, `""` when there is none.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// The pair at a place.
    pub fn pair(&self, place: usize) -> Option<(&str, &str)> {
        (place < self.len()).then(|| {
            let name = slice(&self.names, &self.name_ends, place);
            (name, slice(&self.values, &self.value_ends, place))
        })
    }

    /// The value at a place.
    #[inline]
    pub fn value(&self, place: usize) -> Option<&str> {
        (place < self.len()).then(|| slice(&self.values, &self.value_ends, place))
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + Clone {
        (0..self.len()).map(|place| {
            let name = slice(&self.names, &self.name_ends, place);
            (name, slice(&self.values, &self.value_ends, place))
        })
    }

    /// The `Date` tag, when it is a date.
    pub fn date(&self) -> Option<Date> {
        self.get("Date").and_then(Date::parse)
    }

    /// The `ECO` tag, when it is a code.
    pub fn eco(&self) -> Option<Eco> {
        self.get("ECO").and_then(Eco::parse)
    }

    /// The `WhiteElo` tag, when it is a number above 0.
    pub fn white_elo(&self) -> Option<u16> {
        elo(self.text("WhiteElo"))
    }

    /// The `BlackElo` tag, when it is a number above 0.
    pub fn black_elo(&self) -> Option<u16> {
        elo(self.text("BlackElo"))
    }
}

fn elo(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|&elo| elo > 0)
}

/// The text at a place of those that end where `ends` says.
#[inline]
fn slice<'t>(text: &'t str, ends: &[u32], place: usize) -> &'t str {
    let start = place
        .checked_sub(1)
        .and_then(|last| ends.get(last))
        .map_or(0, |&end| end as usize);
    let end = ends.get(place).map_or(start, |&end| end as usize);
    text.get(start..end).unwrap_or_default()
}

impl Clone for Tags {
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            values: self.values.clone(),
            name_ends: self.name_ends.clone(),
            value_ends: self.value_ends.clone(),
        }
    }

    /// Keeps the buffers.
    fn clone_from(&mut self, source: &Self) {
        self.names.clone_from(&source.names);
        self.values.clone_from(&source.values);
        self.name_ends.clone_from(&source.name_ends);
        self.value_ends.clone_from(&source.value_ends);
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
    fn order_and_duplicates_are_kept() {
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
    fn lists_are_joined_and_values_written_in_place() {
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
    fn lists_are_known_by_their_names() {
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
