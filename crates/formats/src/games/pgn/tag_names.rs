//! Finds the name of a tag.

use std::ops::Range;

use super::char_class::{is_space, skip_spaces};

/// The range of the name after the `[` at `at`, which can have any characters, if a quote follows it,
/// and the offset after the quote.
pub(super) fn quoted_name(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let name = skip_spaces(text, at + 1);
    let mut i = name;
    while let Some(&byte) = text.get(i) {
        if is_space(byte) || matches!(byte, b'"' | b'[' | b']' | b'(' | b')' | b'{' | b'}') {
            break;
        }
        i += 1;
    }
    let quote = skip_spaces(text, i);
    let is_tag = i > name && text.get(name) != Some(&b'%') && text.get(quote) == Some(&b'"');
    is_tag.then_some((name..i, quote + 1))
}
