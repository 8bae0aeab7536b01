//! Sets of squares: from text, and their mirror images.

use tabia_core::chess::Square;

/// The squares of the file `a`.
pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The squares of `f5`, `h1-8`, `a-c4`, `[c,e]2-7` or `[a1,b2]`.
pub(super) fn square_set(text: &str) -> Option<u64> {
    let all: Option<u64> = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .and_then(|list| {
            list.split(',').try_fold(0, |set, name| {
                Square::parse(name.as_bytes()).map(|square| set | square.bit())
            })
        });
    if all.is_some() {
        return all;
    }
    let (files, ranks) = if let Some(rest) = text.strip_prefix('[') {
        rest.split_once(']')?
    } else {
        let at = text.find(|c: char| c.is_ascii_digit() || c == '[')?;
        text.split_at(at)
    };
    let ranks = ranks.trim_start_matches('[').trim_end_matches(']');
    let numbers = |text: &str, first: u8| -> Option<Vec<u8>> {
        let mut found = Vec::new();
        for part in text.split(',') {
            let number = |text: &str| match text.as_bytes() {
                [letter] => letter.checked_sub(first).filter(|number| *number < 8),
                _ => None,
            };
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            found.extend(number(low)?..=number(high)?);
        }
        Some(found)
    };
    let (files, ranks) = (numbers(files, b'a')?, numbers(ranks, b'1')?);
    let mut set = 0;
    for &file in &files {
        for &rank in &ranks {
            set |= Square::from_coords(file, rank)?.bit();
        }
    }
    (set != 0).then_some(set)
}

/// Squares on the board with ranks or files exchanged.
pub(super) fn mirror_squares(squares: u64, ranks: bool, files: bool) -> u64 {
    let mut squares = squares;
    if ranks {
        squares = squares.swap_bytes();
    }
    if files {
        squares = squares.reverse_bits().swap_bytes();
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_mirrored() {
        let square = |name: &str| Square::parse(name.as_bytes()).unwrap().bit();
        assert_eq!(mirror_squares(square("c2"), true, false), square("c7"));
        assert_eq!(mirror_squares(square("c2"), false, true), square("f2"));
        assert_eq!(mirror_squares(square("c2"), true, true), square("f7"));
    }
}
