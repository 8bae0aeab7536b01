//! The tags of the profile `full`: marks of records, the stored order of the tags, exact results, and tags that PGN
//! cannot represent.

use std::collections::{BTreeMap, BTreeSet};

use tabia_core::game::{SEVEN_TAG_ROSTER, Tags};

use super::percent_encoding::decode;

/// Marks records that are not ordinary games: words `deleted`, `text`, `classical`.
pub(in crate::games::pgn) const RECORD: &str = "TabiaRecord";
/// The stored order of the tags: numbers of written tags, from 1.
pub(in crate::games::pgn) const ORDER: &str = "TabiaTags";
/// The result, if `Result` and the termination marker do not state it exactly.
pub(in crate::games::pgn) const RESULT: &str = "TabiaResult";
/// A tag that PGN cannot represent: percent-encoded name and value.
pub(in crate::games::pgn) const ENCODED: &str = "TabiaTag";

/// The words of the tag [`RECORD`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::games::pgn) struct RecordMarks {
    pub(in crate::games::pgn) deleted: bool,
    pub(in crate::games::pgn) text: bool,
    /// Not Chess960, although the castling rights may look like it.
    pub(in crate::games::pgn) classical: bool,
}

/// Parses the tag [`RECORD`].
pub(in crate::games::pgn) fn record_marks(tags: &Tags) -> RecordMarks {
    let words = tags.text(RECORD);
    let has = |word: &str| words.split_ascii_whitespace().any(|marked| marked == word);
    RecordMarks {
        deleted: has("deleted"),
        text: has("text"),
        classical: has("classical"),
    }
}

/// A tag that is written.
struct Written {
    name: String,
    value: String,
    /// Whether it was percent-encoded.
    is_encoded: bool,
}

/// Removes the tags of the profile `full` and restores the stored order of the others.
///
/// Tags that the list does not name stay, if the writer did not add them for other readers: somebody has changed or
/// added them since. Then their numbers may be those of other tags, and only the order is lost.
pub(in crate::games::pgn) fn restore(tags: &mut Tags) {
    if !tags.iter().any(|(name, _)| name.starts_with("Tabia")) {
        return;
    }
    let mut written: Vec<Written> = Vec::new();
    for (name, value) in tags.iter() {
        match name {
            RECORD | ORDER | RESULT => {}
            ENCODED => {
                let (name, value) = value.split_once(' ').unwrap_or((value, ""));
                let name = if name == "%" { "" } else { name };
                written.push(Written {
                    name: decode(name),
                    value: decode(value),
                    is_encoded: true,
                });
            }
            _ => written.push(Written {
                name: name.to_owned(),
                value: value.to_owned(),
                is_encoded: false,
            }),
        }
    }
    let order: Option<Vec<usize>> = tags.get(ORDER).map(parse_order);
    tags.clear();
    let mut is_listed = vec![order.is_none(); written.len()];
    let mut listed: Vec<usize> = match order {
        None => (0..written.len()).collect(),
        Some(order) => {
            let numbers = order.into_iter().filter_map(|number| number.checked_sub(1));
            numbers
                .filter(|&index| {
                    let is_listed = is_listed.get_mut(index);
                    is_listed.is_some_and(|is_listed| !std::mem::replace(is_listed, true))
                })
                .collect()
        }
    };
    // Encoded tags are shown to other readers, too, which do not know them; if that form was changed, it counts.
    let mut shown: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut encoded: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, tag) in written.iter().enumerate().filter(|(_, tag)| tag.is_encoded) {
        shown.insert((&*tag.name, without_control(&tag.value)));
        encoded.entry(&*tag.name).or_default().push(index);
    }
    let mut is_replaced = vec![false; written.len()];
    for (index, tag) in written.iter().enumerate() {
        let is_known = is_listed.get(index) == Some(&true) || is_added(tag);
        let is_shown = || !tag.is_encoded && shown.contains(&(&*tag.name, tag.value.clone()));
        if is_known || is_shown() {
            continue;
        }
        if !tag.is_encoded
            && let Some([other]) = encoded.get(&*tag.name).map(Vec::as_slice)
            && let Some(is_replaced) = is_replaced.get_mut(*other)
        {
            *is_replaced = true;
        }
        listed.push(index);
    }
    for index in listed {
        if let Some(tag) = written.get(index)
            && is_replaced.get(index) == Some(&false)
        {
            tags.push(&tag.name, &tag.value);
        }
    }
}

/// Whether the writer adds this tag to those that are stored.
fn is_added(tag: &Written) -> bool {
    match &*tag.name {
        "SetUp" | "FEN" | "Result" => true,
        "Variant" => tag.value == "Chess960",
        name => SEVEN_TAG_ROSTER.contains(&name) && tag.value == unknown_value(name),
    }
}

/// The value of a tag of the roster that is not stored.
pub(in crate::games::pgn) fn unknown_value(name: &str) -> &'static str {
    if name == "Date" { "????.??.??" } else { "?" }
}

/// A value with blanks in place of its control characters.
pub(in crate::games::pgn) fn without_control(value: &str) -> String {
    let shown = |c: char| if c.is_ascii_control() { ' ' } else { c };
    value.chars().map(shown).collect()
}

/// Parses the value of the tag [`ORDER`].
fn parse_order(text: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        if let (Ok(first), Ok(last)) = (first.parse::<u16>(), last.parse::<u16>()) {
            numbers.extend(usize::from(first)..=usize::from(last));
        }
        if numbers.len() > 1 << 16 {
            break;
        }
    }
    numbers
}

/// Formats the value of the tag [`ORDER`]: `1-7,9`.
pub(in crate::games::pgn) fn write_order(numbers: &[usize]) -> String {
    let mut out = String::new();
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let length = rest
            .iter()
            .enumerate()
            .take_while(|&(i, &number)| number == first + i)
            .count();
        if !out.is_empty() {
            out.push(',');
        }
        out += &first.to_string();
        if length > 1 {
            out.push('-');
            out += &(first + length - 1).to_string();
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_round_trip() {
        for order in [vec![], vec![1], vec![1, 2, 3, 7, 5, 6], vec![3, 2, 1]] {
            assert_eq!(parse_order(&write_order(&order)), order);
        }
    }

    /// What is left of the tags, as `Name value` one after the other.
    fn restored(tags: &[(&str, &str)]) -> String {
        let mut tags: Tags = tags.iter().copied().collect();
        restore(&mut tags);
        let tags: Vec<String> = tags
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        tags.join(", ")
    }

    #[test]
    fn tags_that_were_changed_or_added_since_stay() {
        let written = [
            ("Event", "E"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "A"),
            ("Result", "1-0"),
            ("Annotator", "Coach"),
            ("SetUp", "1"),
            ("FEN", "x"),
            (ORDER, "4,1,6"),
        ];
        assert_eq!(restored(&written), "White A, Event E, Annotator Coach");
        let with = |index: usize, tag: (&'static str, &'static str), replaced: usize| {
            let mut tags = written.to_vec();
            tags.splice(index..index + replaced, [tag]);
            restored(&tags)
        };
        assert_eq!(
            with(2, ("Round", "5"), 1),
            "White A, Event E, Annotator Coach, Round 5"
        );
        // The numbers are those of other tags now.
        assert_eq!(
            with(0, ("WhiteElo", "2700"), 0),
            "Round ?, WhiteElo 2700, Result 1-0, Event E, White A, Annotator Coach"
        );
        assert_eq!(
            restored(&[("White", "A"), ("Black", "B"), (ORDER, "1,1,9,0")]),
            "White A, Black B"
        );
        // Of an encoded tag and the one that others are shown the changed one is right.
        let (encoded, order) = ((ENCODED, "Event a%01b"), (ORDER, "2"));
        assert_eq!(
            restored(&[("Event", "a b"), encoded, order]),
            "Event a\u{1}b"
        );
        assert_eq!(restored(&[("Event", "a c"), encoded, order]), "Event a c");
        assert_eq!(restored(&[encoded, (ORDER, "")]), "Event a\u{1}b");
    }
}
