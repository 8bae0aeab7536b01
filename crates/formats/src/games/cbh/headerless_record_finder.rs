//! Finds records without their headers: move records and texts by the sizes in their heads,
//! annotation records by the bytes that all of their heads have.

use std::collections::HashMap;

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::game::{Flow, Visitor, Want};

use super::annotations::Items;
use super::moves::{Decoder, NoAnnotations};
use super::records::{ANNOTATIONS_MARK, AnnotationsHead, BodyHeader, MovesHead};

/// The first byte of a guiding text.
pub(super) const TEXT_MODE: u8 = 0x80;
/// The highest encoding mode of games that are read: Chess960.
const LAST_MODE: u8 = 11;
/// Bytes of the header of old `.cbg` files.
const OLD_HEADER: u16 = 10;
/// At most this many offsets are tried after a corrupt record.
const MAX_TRIES: u32 = 1 << 20;

/// The head of the record at an offset of `.cbg`; `None` if it cannot be one.
pub(super) fn head(moves: &[u8], at: u64) -> Option<&MovesHead> {
    let bytes = moves.get(usize::try_from(at).ok()?..).filter(|_| at != 0)?;
    let head = MovesHead::read(bytes)?;
    let size = head.size.get() as usize;
    let is_text = head.mode == TEXT_MODE;
    let mode = head.mode & 0x3f;
    (size > MovesHead::SIZE && size <= bytes.len() && (is_text || mode <= LAST_MODE))
        .then_some(head)
}

/// The offset of the first record of `.cbg`.
pub(super) fn start(moves: &[u8]) -> u64 {
    let header = BodyHeader::read(moves).map(|header| header.header_size.get());
    let old = header.filter(|&size| size == OLD_HEADER);
    old.map_or(BodyHeader::SIZE as u64, u64::from)
}

/// The end offset of the record at an offset; `None` if there cannot be one.
pub(super) fn end(moves: &[u8], at: u64) -> Option<u64> {
    Some(at + u64::from(head(moves, at)?.size.get()))
}

/// The records found by [`scan`].
pub(super) struct Scanned {
    /// Their offsets.
    pub(super) offsets: Vec<u64>,
    /// The number of records before the first gap.
    pub(super) before_gap: usize,
}

/// Finds the records of `.cbg` from offset `from` on, one after another by their sizes. After a
/// corrupt record, every offset is tried up to the next record that can be read completely.
pub(super) fn scan(moves: &[u8], from: Option<u64>) -> Scanned {
    let mut offsets = Vec::new();
    let mut before_gap = None;
    let start = start(moves);
    let mut at = from.unwrap_or(start).max(start);
    let mut readability = Readability::default();
    while at < moves.len() as u64 {
        if let Some(next) = end(moves, at) {
            // If no record follows at its end, this one must be readable.
            if continues(moves, next) || readability.is_readable(moves, at) {
                offsets.push(at);
                at = next;
                continue;
            }
        }
        before_gap = before_gap.or(Some(offsets.len()));
        at = match resume(moves, at + 1, &mut readability) {
            Some(at) => at,
            None => break,
        };
    }
    Scanned {
        before_gap: before_gap.unwrap_or(offsets.len()),
        offsets,
    }
}

/// Whether a record begins at an offset, or the file ends there.
fn continues(moves: &[u8], at: u64) -> bool {
    at == moves.len() as u64 || head(moves, at).is_some()
}

/// The next offset of a record that can be read completely.
pub(super) fn resume(moves: &[u8], from: u64, readability: &mut Readability) -> Option<u64> {
    let has_next = |at| end(moves, at).is_some_and(|next| continues(moves, next));
    (from..moves.len() as u64).find(|&at| has_next(at) && readability.is_readable(moves, at))
}

/// Whether records can be read completely. What is tried is bounded.
pub(super) struct Readability {
    decoder: Decoder,
    tries: u32,
}

impl Default for Readability {
    fn default() -> Self {
        Self {
            decoder: Decoder::new(1 << 10),
            tries: 0,
        }
    }
}

impl Readability {
    /// Whether all moves of a game can be read; for a text, whether its version is known.
    pub(super) fn is_readable(&mut self, moves: &[u8], at: u64) -> bool {
        self.read(moves, at).is_some()
    }

    /// Full moves of the mainline of a game that can be read, 255 for 255 or more, as headers state them; `None` for texts.
    pub(super) fn move_count(&mut self, moves: &[u8], at: u64) -> Option<u8> {
        match self.read(moves, at)? {
            Readable::Game(count) => Some(count),
            Readable::Text => None,
        }
    }

    /// What can be read at an offset.
    fn read(&mut self, moves: &[u8], at: u64) -> Option<Readable> {
        let head = head(moves, at).filter(|_| self.tries < MAX_TRIES)?;
        // Large records count for more, so that the work is bounded.
        self.tries += 1 + head.size.get() / 1024;
        let bytes = usize::try_from(at).ok().and_then(|at| {
            let end = at.checked_add(head.size.get() as usize)?;
            moves.get(at..end)
        });
        let bytes = bytes.unwrap_or_default();
        if head.mode == TEXT_MODE {
            return matches!(bytes.get(4..6), Some([1..=3, 0])).then_some(Readable::Text);
        }
        let record = self.decoder.open(bytes, at, None).ok()?;
        let mut moves = MoveCounter::default();
        let visited = self
            .decoder
            .visit(&record, Want::MAINLINE, &mut moves, &mut NoAnnotations);
        visited
            .error
            .is_none()
            .then(|| Readable::Game(moves.full_moves()))
    }
}

/// A record that can be read.
enum Readable {
    /// A game with its full moves.
    Game(u8),
    Text,
}

/// Counts the plies of a mainline.
#[derive(Default)]
struct MoveCounter {
    plies: u32,
    black_first: bool,
}

impl MoveCounter {
    fn full_moves(&self) -> u8 {
        let plies = self.plies.saturating_add(u32::from(self.black_first));
        u8::try_from(plies.div_ceil(2)).unwrap_or(u8::MAX)
    }
}

impl Visitor for MoveCounter {
    fn visit_move(&mut self, before: &Position, _ply: Ply) -> Flow {
        if self.plies == 0 {
            self.black_first = before.turn() == Color::Black;
        }
        self.plies = self.plies.saturating_add(1);
        Flow::Go
    }
}

/// Whether an annotation record begins at an offset of `.cba`.
pub(super) fn is_annotations(file: &[u8], at: u64) -> bool {
    let bytes = usize::try_from(at).ok().and_then(|at| file.get(at..));
    bytes.is_some_and(|bytes| {
        bytes
            .get(3..)
            .unwrap_or_default()
            .starts_with(&ANNOTATIONS_MARK)
    })
}

/// The offsets of the annotation records in a `.cba` file, by the game numbers in their heads.
pub(super) fn scan_annotations(file: &[u8]) -> HashMap<u32, u64> {
    let mut offsets = HashMap::new();
    for mark in memchr::memmem::find_iter(file, &ANNOTATIONS_MARK) {
        let Some(at) = mark.checked_sub(3) else {
            continue;
        };
        let bytes = file.get(at..).unwrap_or_default();
        let Some(head) = AnnotationsHead::read(bytes) else {
            continue;
        };
        let fits = Items::size(bytes).is_ok_and(|size| size <= bytes.len());
        let game = head.game.get();
        if fits && game != 0 {
            offsets.entry(game).or_insert(at as u64);
        }
    }
    offsets
}
