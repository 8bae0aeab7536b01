//! What is odd about a book, by name and count.

use tabia_core::books::GameLink;

use super::element::{COMMENT, Element, KNOWN, LONGEST, links, used};
use super::key::Key;
use super::moves::decode_move;
use super::read::KvetkaBook;
use super::varint::compact_length;
use crate::books::mirrored::orientation::Frame;

/// Everything a look at all blocks tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// Elements.
    pub elements: u64,
    /// Moves of them.
    pub moves: u64,
    /// Elements with a comment.
    pub comments: u64,
    /// Blocks without elements.
    pub empty_blocks: u64,
    /// Blocks with an impossible length.
    pub bad_blocks: u64,
    /// Bytes in blocks behind which no element could be made out.
    pub lost_bytes: u64,
    /// Elements whose fields do not fit into them.
    pub opaque: u64,
    /// Elements whose key is no position.
    pub bad_keys: u64,
    /// Elements that are not behind the one before.
    pub out_of_order: u64,
    /// Elements that repeat the key of the one before.
    pub repeated: u64,
    /// Elements longer than 682 bytes.
    pub long_elements: u64,
    /// Comments longer than 300 characters.
    pub long_comments: u64,
    /// Comments longer than their element.
    pub bad_comments: u64,
    /// Lists of games that have none of the known forms.
    pub bad_lists: u64,
    /// Elements with bytes that no flag announces.
    pub leftovers: u64,
    /// Elements with flags of a later version.
    pub later_flags: u64,
    /// Move codes that name no legal move.
    pub bad_moves: u64,
    /// Moves said twice in one element.
    pub repeated_moves: u64,
    /// Links to games that no source has.
    pub bad_links: u64,
    /// Fields of the index file that are not what their block begins with.
    pub bad_index: u64,
}

pub(super) fn inspect(book: &KvetkaBook) -> Findings {
    let mut findings = Findings::default();
    let linked = book.header().has_game_links();
    let mut before: Option<Key> = None;
    let mut games = Vec::new();
    for number in 0..book.parts().len() {
        if book.parts().block(number).and_then(used).is_none() {
            findings.bad_blocks += 1;
        }
        let mut elements = book.parts().elements(number);
        let mut count = 0u64;
        for body in elements.by_ref() {
            count += 1;
            findings.elements += 1;
            let Some(element) = Element::read(body, linked) else {
                findings.opaque += 1;
                continue;
            };
            if let Some(before) = before {
                findings.repeated += u64::from(before == element.key);
                findings.out_of_order += u64::from(before > element.key);
            }
            before = Some(element.key);
            look_at(&element, &mut findings);
            let whole = body.len() + compact_length(body.len() as u64);
            findings.long_elements += u64::from(whole > LONGEST);
            findings.leftovers += u64::from(element.has_leftover(linked));
            games.clear();
            let read = links(&element, linked, book.list_form(), &mut games);
            findings.bad_lists += u64::from(!read);
            games.extend(element.source);
            findings.bad_links += games.iter().filter(|link| !exists(book, **link)).count() as u64;
        }
        findings.lost_bytes += elements.lost as u64;
        findings.empty_blocks += u64::from(count == 0);
    }
    findings.bad_index = bad_index(book);
    findings
}

fn look_at(element: &Element<'_>, findings: &mut Findings) {
    findings.moves += element.moves.len() as u64;
    findings.later_flags += u64::from(element.flags & !KNOWN != 0);
    findings.bad_comments += u64::from(element.bad_comment);
    if let Some(comment) = element.comment {
        findings.comments += 1;
        findings.long_comments += u64::from(comment.len() / 2 > COMMENT);
    }
    let mut codes = element.moves.to_vec();
    codes.sort_unstable();
    let all = codes.len();
    codes.dedup();
    findings.repeated_moves += (all - codes.len()) as u64;
    match element.key.position(Frame::PLAIN) {
        Some(position) => {
            let bad = codes
                .iter()
                .filter(|code| decode_move(&position, Frame::PLAIN, **code).is_none());
            findings.bad_moves += bad.count() as u64;
        }
        None => findings.bad_keys += 1,
    }
}

/// Whether a link names a game of a source. Without a list of sources none does.
fn exists(book: &KvetkaBook, link: GameLink) -> bool {
    let source = book.sources().and_then(|it| it.source(link.source));
    source.is_some_and(|source| link.game < source.games)
}

/// Fields of the index that are not the first key of their block; those of empty blocks repeat
/// what follows.
fn bad_index(book: &KvetkaBook) -> u64 {
    let Some(kin) = book.kin() else {
        return 0;
    };
    let mut next = [0xff; Key::SIZE];
    let mut bad = 0;
    for number in (0..book.parts().len()).rev() {
        if let Some(first) = book.parts().first_key(number) {
            next = first.0;
        }
        let start = number as usize * Key::SIZE;
        bad += u64::from(kin.get(start..start + Key::SIZE) != Some(next.as_slice()));
    }
    bad
}

impl Findings {
    /// What is wrong, one line each.
    pub fn problems(&self) -> Vec<String> {
        [
            (self.bad_blocks, "blocks have an impossible length"),
            (self.lost_bytes, "bytes in blocks are no elements"),
            (
                self.opaque,
                "elements are longer or shorter than their fields",
            ),
            (self.bad_keys, "elements have a key that is no position"),
            (
                self.out_of_order,
                "elements are out of order and may not be found",
            ),
            (self.repeated, "elements repeat a position"),
            (self.long_elements, "elements are longer than 682 bytes"),
            (
                self.long_comments,
                "comments are longer than 300 characters",
            ),
            (self.bad_comments, "comments are longer than their element"),
            (self.bad_lists, "lists of games cannot be read"),
            (self.leftovers, "elements have bytes that no flag announces"),
            (self.later_flags, "elements have flags that are not known"),
            (self.bad_moves, "move codes name no legal move"),
            (self.repeated_moves, "moves are said twice"),
            (self.bad_links, "links lead to no known game"),
            (self.bad_index, "fields of the index do not fit their block"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }
}
