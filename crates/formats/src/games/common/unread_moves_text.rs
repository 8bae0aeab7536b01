//! Moves that could not be read, for formats that cannot store them.

use tabia_core::formats::FormatId;
use tabia_core::game::{Annotation, Comment, CommentPlacement, Foreign};
use tabia_core::io::{Charset, decode};
use tabia_core::loss::{Feature, Losses};

/// The text of moves of a PGN file that were not read. `None` if there is none: what other formats have are
/// no texts. Commands become text, so that no reader takes them for those of the last move that was read; blanks
/// at the ends and `\r`, which some formats cannot hold in a comment, are no part of moves.
pub(crate) fn unread_text(foreign: &Foreign<'_>) -> Option<String> {
    let is_text = foreign.is_unread_moves() && foreign.format == FormatId::new("pgn");
    if !is_text {
        return None;
    }
    let text = decode(foreign.bytes, Charset::Auto);
    let text = text.trim().replace("[%", "[ %").replace("\r\n", "\n");
    (!text.is_empty()).then_some(text)
}

/// A comment with the text of moves that were not read.
pub(crate) const fn comment_of(text: &str) -> Annotation<'_> {
    Annotation::Comment(Comment {
        placement: CommentPlacement::After,
        language: None,
        text,
    })
}

/// Counts moves that could not be read and writes their text as a comment. `write` returns what a comment loses.
pub(crate) fn write_as_comment(
    foreign: &Foreign<'_>,
    losses: &mut Losses,
    write: impl FnOnce(&Annotation<'_>) -> Option<Feature>,
) {
    losses.add(Feature::UnreadMoves, 1, None);
    let lost = unread_text(foreign).and_then(|text| write(&comment_of(&text)));
    if let Some(lost) = lost {
        losses.add(lost, 1, None);
    }
}
