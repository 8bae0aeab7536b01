//! The parts of a game's blob: tags, start, moves, comments.

use tabia_core::error::{Malformed, Why};
use tabia_core::io::Cursor;

use super::board::token;

/// Names of tags that are stored as a number, from 241 on.
pub(crate) const COMMON_TAGS: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];

/// The number of the first common tag; smaller ones are lengths of names.
pub(crate) const FIRST_COMMON_TAG: u8 = 241;

/// The number of a date in three bytes without name and length, from versions before Scid 3.
const EVENT_DATE_BYTES: u8 = 255;

/// Bits of the byte before the moves.
pub(crate) mod start_flag {
    pub(crate) const SETUP: u8 = 1;
    pub(crate) const PROMOTION: u8 = 2;
    pub(crate) const UNDER_PROMOTION: u8 = 4;
}

/// A tag of the blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag<'a> {
    Text {
        name: &'a [u8],
        value: &'a [u8],
    },
    /// An event date in 20 bits.
    EventDate(u32),
    /// A number whose name is unknown.
    Unknown {
        number: u8,
        value: &'a [u8],
    },
}

/// Reads the next tag. `None` at the end of the tags.
pub(crate) fn read_tag<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Tag<'a>>, Malformed> {
    let number = cursor.u8("tag")?;
    let name = match number {
        0 => return Ok(None),
        EVENT_DATE_BYTES => return Ok(Some(Tag::EventDate(cursor.u24_be("tag_value")?))),
        1..FIRST_COMMON_TAG => cursor.take(usize::from(number), "tag_name")?,
        _ => {
            let index = usize::from(number - FIRST_COMMON_TAG);
            COMMON_TAGS
                .get(index)
                .map_or(b"".as_slice(), |name| name.as_bytes())
        }
    };
    let length = usize::from(cursor.u8("tag_length")?);
    let value = cursor.take(length, "tag_value")?;
    Ok(Some(if name.is_empty() {
        Tag::Unknown { number, value }
    } else {
        Tag::Text { name, value }
    }))
}

/// Reads the start, between tags and moves: the FEN of a setup position, or `None`.
pub(crate) fn read_start<'a>(cursor: &mut Cursor<'a>) -> Result<Option<&'a [u8]>, Malformed> {
    if cursor.u8("start")? & start_flag::SETUP == 0 {
        return Ok(None);
    }
    let end = memchr::memchr(0, cursor.rest()).unwrap_or(cursor.left());
    let fen = cursor.take(end, "fen")?;
    cursor.u8("fen")?;
    Ok(Some(fen))
}

/// A part of the moves that was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Offset of the byte after the part, or the end of the bytes.
    pub(crate) end: usize,
    /// Comment marks in the part.
    pub(crate) marks: usize,
}

/// Skips the rest of a line from `at` on, without the token that ends it. Works without a position,
/// since tokens differ from moves.
pub(crate) fn skip_line(bytes: &[u8], mut at: usize) -> Skipped {
    let mut marks = 0;
    let mut depth = 0u32;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            token::NAG => at += 1,
            token::COMMENT => marks += 1,
            token::BEGIN_VARIATION => depth += 1,
            token::END_VARIATION if depth == 0 => break,
            token::END_VARIATION => depth -= 1,
            token::END_GAME => break,
            _ => {}
        }
        at += 1;
    }
    Skipped {
        end: at.min(bytes.len()),
        marks,
    }
}

/// Skips all moves of the game from `at` on, without the token that ends them.
pub(crate) fn skip_game(bytes: &[u8], mut at: usize) -> Skipped {
    let mut marks = 0;
    // Most games have neither NAGs nor comments.
    let moves = bytes.get(at..).unwrap_or_default();
    if let Some(end) = memchr::memchr(token::END_GAME, moves)
        && let Some(moves) = moves.get(..end)
        && memchr::memchr2(token::NAG, token::COMMENT, moves).is_none()
    {
        return Skipped {
            end: at + end,
            marks,
        };
    }
    while let Some(&byte) = bytes.get(at) {
        match byte {
            token::NAG => at += 1,
            token::COMMENT => marks += 1,
            token::END_GAME => break,
            _ => {}
        }
        at += 1;
    }
    Skipped {
        end: at.min(bytes.len()),
        marks,
    }
}

/// Whether a variation begins at `at`, after any NAGs and comment marks.
pub(crate) fn variation_follows(bytes: &[u8], mut at: usize) -> bool {
    loop {
        match bytes.get(at) {
            Some(&token::NAG) => at += 2,
            Some(&token::COMMENT) => at += 1,
            Some(&token::BEGIN_VARIATION) => return true,
            _ => return false,
        }
    }
}

/// The comments of a game in order.
#[derive(Debug, Clone)]
pub(crate) struct Comments<'a> {
    rest: &'a [u8],
    /// Marks of the game whose comments were not taken yet.
    marks: usize,
    /// Of the next marks the comments are lost.
    lost: usize,
}

impl<'a> Comments<'a> {
    /// The comments after the moves, which end at `moves.end`.
    pub(crate) fn new(bytes: &'a [u8], moves: Skipped) -> Self {
        Self {
            rest: bytes.get(moves.end + 1..).unwrap_or_default(),
            marks: moves.marks,
            lost: 0,
        }
    }

    /// The comment of the next mark. `None` if no comment is left.
    pub(crate) fn marked(&mut self) -> Option<&'a [u8]> {
        self.marks = self.marks.saturating_sub(1);
        self.next()
    }

    /// A comment without a mark, for a move after the last mark. Scid 5 reserves such comments for
    /// moves without marks.
    pub(crate) fn unmarked(&mut self) -> Option<&'a [u8]> {
        if self.marks == 0 { self.next() } else { None }
    }

    /// Whether there are more comments than marks.
    pub(crate) fn has_unmarked(&self) -> bool {
        memchr::memchr_iter(0, self.rest).count() > self.marks
    }

    /// Whether zeros replace the next comments.
    pub(crate) fn are_wiped(&self) -> bool {
        self.lost == 0 && is_wiped(self.rest, WIPED_COMMENTS)
    }

    /// Passes over zeros in place of comments. Those after them belong to the last marks.
    pub(crate) fn skip_wiped(&mut self) {
        let zeros = self.rest.iter().take_while(|&&byte| byte == 0).count();
        self.rest = self.rest.get(zeros..).unwrap_or_default();
        let ends = memchr::memchr_iter(0, self.rest).count();
        let last_has_no_end = self.rest.last().is_some_and(|&byte| byte != 0);
        let comments = ends + usize::from(last_has_no_end);
        self.lost = self.marks.saturating_sub(comments);
    }

    /// Passes over the next mark if its comment is lost.
    pub(crate) fn skip_lost(&mut self) -> bool {
        if self.lost == 0 {
            return false;
        }
        self.lost -= 1;
        self.marks = self.marks.saturating_sub(1);
        true
    }

    /// The next comment. The last one may lack its final zero.
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(0, self.rest).unwrap_or(self.rest.len());
        let comment = self.rest.get(..end)?;
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Some(comment)
    }
}

/// More consecutive null moves than any game has.
const WIPED_MOVES: usize = 4;

/// More consecutive empty comments than any game has.
const WIPED_COMMENTS: usize = 8;

/// Number of consecutive empty comments that are written: more, up to the end of the record, would be read as
/// zeros in place of comments.
pub(crate) const MAX_EMPTY_COMMENTS: u32 = 2;

/// Whether zeros replace the moves: a longer run than any game has, or nothing else.
pub(crate) fn are_moves_wiped(bytes: &[u8]) -> bool {
    is_wiped(bytes, WIPED_MOVES)
}

fn is_wiped(bytes: &[u8], run: usize) -> bool {
    let zeros = bytes.iter().take(run).take_while(|&&byte| byte == 0);
    let zeros = zeros.count();
    zeros == run || zeros == bytes.len() && zeros > 2
}

/// A problem at an offset of the blob.
pub(crate) const fn malformed(field: &'static str, at: usize, why: Why) -> Malformed {
    Malformed { field, at, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_names_and_numbers_are_read() {
        let mut bytes = vec![4, b'M', b'o', b'd', b'e', 3, b'O', b'T', b'B'];
        bytes.extend([243, 2, b'M', b'e']);
        bytes.extend([253, 1, b'?']);
        bytes.extend([255, 0x0f, 0xc8, 0x2f, 0]);
        let mut cursor = Cursor::new(&bytes);
        let text = |name, value| Ok(Some(Tag::Text { name, value }));
        assert_eq!(read_tag(&mut cursor), text(b"Mode", b"OTB"));
        assert_eq!(read_tag(&mut cursor), text(b"Annotator", b"Me"));
        let unknown = Tag::Unknown {
            number: 253,
            value: b"?",
        };
        assert_eq!(read_tag(&mut cursor), Ok(Some(unknown)));
        assert_eq!(read_tag(&mut cursor), Ok(Some(Tag::EventDate(0xf_c82f))));
        assert_eq!(read_tag(&mut cursor), Ok(None));
        assert!(read_tag(&mut cursor).is_err());
    }

    #[test]
    fn lines_are_skipped_with_their_variations() {
        // A NAG of number 15 is no end; a variation with its own end is inside the line.
        let bytes = [0xcf, 0x0b, 0x0f, 0x0c, 0x0d, 0x0c, 0x0e, 0xcf, 0x0e, 0x0f];
        assert_eq!(skip_line(&bytes, 0), Skipped { end: 8, marks: 2 });
        assert_eq!(skip_line(&bytes, 5), Skipped { end: 6, marks: 1 });
        assert_eq!(skip_game(&bytes, 0), Skipped { end: 9, marks: 2 });
        assert_eq!(skip_game(&bytes[..2], 0), Skipped { end: 2, marks: 0 });
        assert!(variation_follows(&bytes, 1) && !variation_follows(&bytes, 0));
    }

    #[test]
    fn comments_without_marks_come_last() {
        let bytes = b"\x0c\x0fone\0two\0three";
        let mut comments = Comments::new(bytes, skip_game(bytes, 0));
        assert!(comments.has_unmarked());
        assert_eq!(comments.unmarked(), None);
        assert_eq!(comments.marked(), Some(b"one".as_slice()));
        assert_eq!(comments.unmarked(), Some(b"two".as_slice()));
        assert_eq!(comments.unmarked(), Some(b"three".as_slice()));
        assert_eq!(comments.unmarked(), None);
    }
}
