//! [`Contribution`]: what is put for one position at once, as bytes that are sorted and merged.

use tabia_core::books::GameLink;
use tabia_core::error::Malformed;
use tabia_core::io::{Cursor, Sink};

use super::read_element::{Counts, LINK, MAX_ELEMENT, read_link};

/// Links that an element can hold at most.
pub(super) const MAX_LINKS: usize = (MAX_ELEMENT - 28) / LINK;

/// The code of a [`Contribution::Game`] without a next move.
pub(super) const NO_MOVE: u8 = 0xff;

/// What is put for a position at once. The contributions to a position are merged into its element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Contribution<'a> {
    /// A game reached the position.
    Game {
        /// Index of the count that the game increases; `None` without a result.
        result: Option<u8>,
        /// The code of the next move; [`NO_MOVE`] if absent.
        code: u8,
        /// Whether it is the last position of the game in the book.
        ends: bool,
        link: Option<GameLink>,
    },
    /// A position of another book.
    Page {
        counts: Option<Counts>,
        /// Sum of the counts of its moves, used if there are no others.
        move_counts: Option<Counts>,
        codes: &'a [u8],
        source: Option<GameLink>,
        comment: &'a [u8],
        list: &'a [GameLink],
    },
    /// The counts of a move that leads to the position.
    IncomingMove(Counts),
    /// A comment.
    Comment(&'a [u8]),
}

impl Contribution<'_> {
    pub(super) fn write(&self, sink: &mut Sink) {
        match self {
            Self::Game {
                result,
                code,
                ends,
                link,
            } => {
                sink.bytes(&[0, result.unwrap_or(u8::MAX), *code, u8::from(*ends)]);
                write_link_list(sink, link.as_slice());
            }
            Self::Page {
                counts,
                move_counts,
                codes,
                source,
                comment,
                list,
            } => {
                sink.u8(1);
                write_counts(sink, *counts);
                write_counts(sink, *move_counts);
                sink.u8(codes.len() as u8);
                sink.bytes(codes);
                write_link_list(sink, source.as_slice());
                write_link_list(sink, list.get(..MAX_LINKS).unwrap_or(list));
                sink.bytes(comment);
            }
            Self::IncomingMove(counts) => {
                sink.u8(2);
                write_counts(sink, Some(*counts));
            }
            Self::Comment(comment) => {
                sink.u8(3);
                sink.bytes(comment);
            }
        }
    }
}

pub(super) fn write_counts(sink: &mut Sink, counts: Option<Counts>) {
    sink.u8(u8::from(counts.is_some()));
    for count in counts.unwrap_or_default() {
        sink.u64_be(count);
    }
}

pub(super) fn read_counts(cursor: &mut Cursor<'_>) -> Result<Option<Counts>, Malformed> {
    let is_present = cursor.u8("has counts")? != 0;
    let mut counts = [0; 3];
    for count in &mut counts {
        *count = cursor.u64_be("count")?;
    }
    Ok(is_present.then_some(counts))
}

pub(super) fn write_link_list(sink: &mut Sink, links: &[GameLink]) {
    sink.u8(links.len() as u8);
    for link in links {
        write_link(sink, *link);
    }
}

pub(super) fn write_link(sink: &mut Sink, link: GameLink) {
    sink.u16_be(link.source as u16);
    sink.u32_be(link.game);
}

pub(super) fn read_link_list(
    cursor: &mut Cursor<'_>,
    out: &mut Vec<GameLink>,
) -> Result<(), Malformed> {
    for _ in 0..cursor.u8("links")? {
        out.extend(read_link(cursor));
    }
    Ok(())
}
