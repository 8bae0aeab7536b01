//! Tag pairs.

use std::fmt;

use crate::game::{Date, Eco};

/// The names of the seven tags that PGN requires, in its order.
pub const SEVEN_TAG_ROSTER: [&str; 7] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tag pairs exactly as read: names, order, duplicates and values. One buffer, reused from game to
/// game.
#[derive(Clone, Default)]
pub struct Tags {
    text: String,
    /// Start of the name, start of the value, end of the value, in `text`.
    pairs: Vec<(u32, u32, u32)>,
}

impl Tags {
    /// No tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the list, keeping its buffer.
    pub fn clear(&mut self) {
        self.text.clear();
        self.pairs.clear();
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Appends a pair, whether or not the name is there already. Pairs past 4 GiB of text are
    /// refused with `false`.
    pub fn push(&mut self, name: &str, value: &str) -> bool {
        let total = self.text.len() + name.len() + value.len();
        if u32::try_from(total).is_err() {
            return false;
        }
        let start = self.text.len() as u32;
        self.text.push_str(name);
        let middle = self.text.len() as u32;
        self.text.push_str(value);
        self.pairs.push((start, middle, self.text.len() as u32));
        true
    }

    /// Appends a pair whose value is what `write` appends to the text it is given, which it must
    /// not change otherwise. Pairs past 4 GiB of text are refused with `false`.
    pub fn push_with(&mut self, name: &str, write: impl FnOnce(&mut String)) -> bool {
        let start = self.text.len();
        self.text.push_str(name);
        let middle = self.text.len();
        write(&mut self.text);
        let end = self.text.len();
        if u32::try_from(end).is_err() {
            self.text.truncate(start);
            return false;
        }
        self.pairs.push((start as u32, middle as u32, end as u32));
        true
    }

    /// Appends all pairs of another list. Pairs past 4 GiB of text are refused, all or none, with
    /// `false`.
    pub fn append(&mut self, other: &Tags) -> bool {
        let start = self.text.len();
        if u32::try_from(start + other.text.len()).is_err() {
            return false;
        }
        let start = start as u32;
        self.text.push_str(&other.text);
        let moved = other.pairs.iter();
        self.pairs
            .extend(moved.map(|(name, value, end)| (start + name, start + value, start + end)));
        true
    }

    /// Bytes of all names and values.
    pub fn size(&self) -> usize {
        self.text.len()
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
        let text = &self.text;
        self.pairs.retain(|&pair| {
            let (name, value) = slices(text, pair);
            keep(name, value)
        });
    }

    /// The value of the first pair of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let text = self.text.as_bytes();
        let is_it = |&&(start, middle, _): &&(u32, u32, u32)| {
            (middle - start) as usize == name.len()
                && text.get(start as usize..middle as usize) == Some(name.as_bytes())
        };
        let &pair = self.pairs.iter().find(is_it)?;
        Some(slices(&self.text, pair).1)
    }

    /// The value of the first pair of that name, `""` when there is none.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// The pair at a place.
    pub fn pair(&self, place: usize) -> Option<(&str, &str)> {
        self.pairs.get(place).map(|&pair| slices(&self.text, pair))
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + Clone {
        self.pairs.iter().map(|&pair| slices(&self.text, pair))
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

fn slices(text: &str, (start, middle, end): (u32, u32, u32)) -> (&str, &str) {
    let name = text
        .get(start as usize..middle as usize)
        .unwrap_or_default();
    let value = text.get(middle as usize..end as usize).unwrap_or_default();
    (name, value)
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
    }
}
