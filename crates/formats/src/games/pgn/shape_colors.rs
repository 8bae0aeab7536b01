//! The letters of colours in `[%csl]`, `[%cal]` and `[%cbshape]`.

use tabia_core::game::ShapeColor;

const LETTERS: [(u8, ShapeColor); 11] = [
    (b'G', ShapeColor::Green),
    (b'Y', ShapeColor::Yellow),
    (b'R', ShapeColor::Red),
    (b'B', ShapeColor::Blue),
    (b'O', ShapeColor::Orange),
    (b'C', ShapeColor::Cyan),
    (b'M', ShapeColor::Magenta),
    (b'P', ShapeColor::Purple),
    (b'D', ShapeColor::DarkBlue),
    (b'W', ShapeColor::White),
    (b'K', ShapeColor::Black),
];

/// The colour of a letter in either case; `None` if it is not the letter of a colour.
pub(super) fn color_of(letter: u8) -> Option<ShapeColor> {
    let letter = letter.to_ascii_uppercase();
    let found = LETTERS.iter().find(|(other, _)| *other == letter)?;
    Some(found.1)
}

/// The letter of a colour; `None` if it has no letter.
pub(crate) fn letter_of(color: ShapeColor) -> Option<u8> {
    let color = color.by_name();
    let found = LETTERS.iter().find(|(_, other)| *other == color)?;
    Some(found.0)
}

/// The colour with a letter that is nearest to `color`, for those that have none: one of green,
/// yellow, red and blue.
pub(super) fn nearest_letter(color: ShapeColor) -> u8 {
    let ShapeColor::Rgb(rgb) = color else {
        return b'G';
    };
    let [_, red, green, blue] = [rgb >> 24, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255];
    match (red > 127, green > 127, blue > 127) {
        (true, true, _) => b'Y',
        (true, false, _) => b'R',
        (false, _, true) if blue >= green => b'B',
        _ => b'G',
    }
}
