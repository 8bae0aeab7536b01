//! The tags of the profile `full`: marks of records, the stored order of the tags, exact results, and tags that PGN
//! cannot represent.

use tabia_core::game::Tags;

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

/// Removes the tags of the profile `full` and restores the stored order of the others.
pub(in crate::games::pgn) fn restore(tags: &mut Tags) {
    if !tags.iter().any(|(name, _)| name.starts_with("Tabia")) {
        return;
    }
    let mut written: Vec<(String, String)> = Vec::new();
    for (name, value) in tags.iter() {
        match name {
            RECORD | ORDER | RESULT => {}
            ENCODED => {
                let (name, value) = value.split_once(' ').unwrap_or((value, ""));
                let name = if name == "%" { "" } else { name };
                written.push((decode(name), decode(value)));
            }
            _ => written.push((name.to_owned(), value.to_owned())),
        }
    }
    let order: Option<Vec<usize>> = tags.get(ORDER).map(parse_order);
    tags.clear();
    match order {
        None => {
            for (name, value) in &written {
                tags.push(name, value);
            }
        }
        Some(order) => {
            for number in order.into_iter().take(1 << 16) {
                if let Some((name, value)) = written.get(number.wrapping_sub(1)) {
                    tags.push(name, value);
                }
            }
        }
    }
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
}
