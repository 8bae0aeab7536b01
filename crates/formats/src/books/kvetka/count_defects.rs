//! Counts the defects of a book by kind.

use tabia_core::books::{BookKey, BookPosition, GameLink};
use tabia_core::game::Flow;
use tabia_core::plural::counted;

use super::block_store::{BlockStore, offset};
use super::element_to_book_position::CodeSet;
use super::key::Key;
use super::move_code::decode_move;
use super::read_element::{
    Element, KNOWN_FLAGS, MAX_COMMENT_UNITS, MAX_ELEMENT, declared_bytes, read_links,
};
use super::sources::Sources;
use super::varint::compact_length;
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::probe_and_walk::scan;

/// What a check of all blocks found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// Number of elements.
    pub elements: u64,
    /// Number of moves in all elements.
    pub moves: u64,
    /// Elements with a comment.
    pub comments: u64,
    /// Blocks without elements.
    pub empty_blocks: u64,
    /// Blocks with an impossible length.
    pub bad_blocks: u64,
    /// Bytes at the end of blocks that are not an element.
    pub lost_bytes: u64,
    /// Elements whose fields do not fit into them.
    pub opaque: u64,
    /// Elements whose key is not that of a position.
    pub bad_keys: u64,
    /// Elements whose key is less than the one before.
    pub out_of_order: u64,
    /// Elements that repeat the key of the one before.
    pub repeated: u64,
    /// Elements longer than 682 bytes.
    pub long_elements: u64,
    /// Comments longer than 300 characters.
    pub long_comments: u64,
    /// Comments longer than their element.
    pub bad_comments: u64,
    /// Lists of games in none of the known forms.
    pub bad_lists: u64,
    /// Elements with bytes that no flag announces.
    pub leftovers: u64,
    /// Elements with flags of a later version.
    pub later_flags: u64,
    /// Move codes that are not those of a legal move.
    pub bad_moves: u64,
    /// Moves that an element repeats.
    pub repeated_moves: u64,
    /// Links to games that no source has.
    pub bad_links: u64,
    /// Games in the list of sources that cannot be read.
    pub lost_games: u64,
    /// Fields of the index file that differ from the first key of their block.
    pub bad_index: u64,
}

/// Checks that the fields of all elements can be read, and counts elements and moves.
pub(super) fn inspect_structure(store: &BlockStore) -> Findings {
    let mut findings = Findings::default();
    for_each_element(store, &mut findings, |element, _, _, findings| {
        check_structure(store, element, findings);
    });
    findings
}

fn check_structure(store: &BlockStore, element: &Element<'_>, findings: &mut Findings) {
    findings.moves += element.moves.len() as u64;
    findings.later_flags += u64::from(element.flags & !KNOWN_FLAGS != 0);
    findings.bad_comments += u64::from(element.bad_comment);
    findings.leftovers += u64::from(element.has_leftover(store.has_links));
}

/// Checks everything and visits the positions.
pub(super) fn inspect(
    store: &BlockStore,
    sources: Option<&Sources>,
    visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
) -> Findings {
    let mut findings = Findings::default();
    // A reachable element was found by the key of its position, so that only its moves are checked.
    let visited = scan(store, false, visit, |_, moves| {
        findings.repeated_moves += repeated(moves.iter().map(|child| child.code));
        if moves.iter().any(|child| child.m.is_none()) {
            let bad = moves.iter().filter(|child| child.m.is_none());
            let codes = bad.map(|child| child.code);
            findings.bad_moves += codes.clone().count() as u64 - repeated(codes);
        }
    })
    .visited;
    let mut before: Option<Key> = None;
    let mut games = Vec::new();
    for_each_element(store, &mut findings, |element, body, at, findings| {
        check_structure(store, element, findings);
        if let Some(before) = before {
            findings.repeated += u64::from(before == element.key);
            findings.out_of_order += u64::from(before > element.key);
        }
        before = Some(element.key);
        check_comment(element, findings);
        if visited.orientations(at) == 0 {
            check_moves(element, findings);
        }
        let length = body.len() + compact_length(body.len() as u64);
        findings.long_elements += u64::from(length > MAX_ELEMENT);
        games.clear();
        let is_read = read_links(element, store.has_links, store.list_form, &mut games);
        findings.bad_lists += u64::from(!is_read);
        games.extend(element.source);
        let bad_links = games.iter().filter(|link| !exists(sources, **link));
        findings.bad_links += bad_links.count() as u64;
    });
    findings.bad_index = bad_index(store);
    findings.lost_games = sources.map_or(0, Sources::lost_games);
    findings
}

/// Calls `visit` with every element, its bytes and its offset; counts elements and damaged blocks.
fn for_each_element(
    store: &BlockStore,
    findings: &mut Findings,
    mut visit: impl FnMut(&Element<'_>, &[u8], u64, &mut Findings),
) {
    for number in 0..store.parts.len() {
        let block = store.parts.block(number);
        if block.and_then(declared_bytes).is_none() {
            findings.bad_blocks += 1;
        }
        let mut elements = store.parts.elements(number);
        let mut count = 0u64;
        loop {
            let at = offset(number, elements.at());
            let Some(body) = elements.next() else { break };
            count += 1;
            findings.elements += 1;
            let Some(element) = Element::read(body, store.has_links) else {
                findings.opaque += 1;
                continue;
            };
            visit(&element, body, at, findings);
        }
        findings.lost_bytes += elements.lost as u64;
        findings.empty_blocks += u64::from(count == 0);
    }
}

fn check_comment(element: &Element<'_>, findings: &mut Findings) {
    if let Some(comment) = element.comment {
        findings.comments += 1;
        findings.long_comments += u64::from(comment.len() / 2 > MAX_COMMENT_UNITS);
    }
}

/// Checks key and moves of an element.
fn check_moves(element: &Element<'_>, findings: &mut Findings) {
    let codes = element.moves.iter().copied();
    findings.repeated_moves += repeated(codes.clone());
    match element.key.position(Orientation::IDENTITY) {
        Some(position) => {
            let is_bad = |code: &u8| decode_move(&position, Orientation::IDENTITY, *code).is_none();
            let bad = codes.filter(is_bad);
            findings.bad_moves += bad.clone().count() as u64 - repeated(bad);
        }
        None => findings.bad_keys += 1,
    }
}

/// How many codes repeat an earlier one.
fn repeated(codes: impl Iterator<Item = u8>) -> u64 {
    let mut known = CodeSet::default();
    codes.filter(|code| !known.insert(*code)).count() as u64
}

/// Whether a link names a game of a source; `false` without a list of sources.
fn exists(sources: Option<&Sources>, link: GameLink) -> bool {
    sources.is_some_and(|sources| link.game < sources.readable_games(link.source))
}

/// Fields of the index file that differ from the first key of their block. The field of an empty
/// block repeats that of the next one.
fn bad_index(store: &BlockStore) -> u64 {
    let Some(kin) = &store.kin else {
        return 0;
    };
    let mut next = [0xff; Key::SIZE];
    let mut bad = 0;
    for number in (0..store.parts.len()).rev() {
        if let Some(first) = store.parts.first_key(number) {
            next = first.0;
        }
        let start = number as usize * Key::SIZE;
        bad += u64::from(kin.get(start..start + Key::SIZE) != Some(next.as_slice()));
    }
    bad
}

impl Findings {
    /// The defects, one line for each kind.
    pub fn problems(&self) -> Vec<String> {
        [
            (
                self.bad_blocks,
                "block has",
                "blocks have",
                "an impossible length",
            ),
            (
                self.lost_bytes,
                "byte in blocks is",
                "bytes in blocks are",
                "no element",
            ),
            (
                self.opaque,
                "element is",
                "elements are",
                "longer or shorter than its fields",
            ),
            (
                self.bad_keys,
                "element has",
                "elements have",
                "a key that is no position",
            ),
            (
                self.out_of_order,
                "element is",
                "elements are",
                "out of order and may not be found",
            ),
            (
                self.repeated,
                "element repeats",
                "elements repeat",
                "a position",
            ),
            (
                self.long_elements,
                "element is",
                "elements are",
                "longer than 682 bytes",
            ),
            (
                self.long_comments,
                "comment is",
                "comments are",
                "longer than 300 characters",
            ),
            (
                self.bad_comments,
                "comment is",
                "comments are",
                "longer than the element",
            ),
            (
                self.bad_lists,
                "list of games",
                "lists of games",
                "cannot be read",
            ),
            (
                self.leftovers,
                "element has",
                "elements have",
                "bytes that no flag announces",
            ),
            (
                self.later_flags,
                "element has",
                "elements have",
                "flags that are not known",
            ),
            (
                self.bad_moves,
                "move code names",
                "move codes name",
                "no legal move",
            ),
            (self.repeated_moves, "move is", "moves are", "repeated"),
            (
                self.bad_links,
                "link leads",
                "links lead",
                "to no known game",
            ),
            (
                self.lost_games,
                "game in the list of sources (.ksf) is",
                "games in the list of sources (.ksf) are",
                "cut off or damaged",
            ),
            (
                self.bad_index,
                "field of the index does",
                "fields of the index do",
                "not fit the block",
            ),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several, text)| format!("{} {text}", counted(count, one, several)))
        .collect()
    }
}
