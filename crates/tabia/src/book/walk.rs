//! Every position of a book that can be reached.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use tabia_core::Result;
use tabia_core::book::{Book, BookPage};
use tabia_core::chess::Position;
use tabia_core::game::Flow;
use tabia_core::io::Progress;

use super::pack::Packed;

/// A set of keys of positions, which are random enough to be their own hashes.
pub type KeySet = HashSet<u64, BuildHasherDefault<KeyHasher>>;

/// Takes a key as its own hash.
#[derive(Debug, Default, Clone, Copy)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// What a walk met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Walked {
    /// Positions of the book that were reached.
    pub positions: u64,
    /// Plies to the farthest of them on the shortest way.
    pub depth: u32,
}

/// Hands on every position of a book that can be reached from the starts, once, those on short ways
/// first. A position that the book does not have is gone on from by every legal move that leads
/// back into the book: books for one side answer any move of the other. Where that reaches fewer
/// than the `stored` positions, so are all others: books may be made for each side on its own.
///
/// # Errors
/// Those of the book and of `visit`.
pub fn walk(
    book: &dyn Book,
    starts: &[Position],
    stored: u64,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, u32, &BookPage) -> Result<Flow>,
) -> Result<Walked> {
    let mut walked = Walked::default();
    let mut seen = KeySet::default();
    let mut queue: VecDeque<(Packed, u32)> = VecDeque::new();
    for start in starts {
        if seen.insert(start.key()) {
            queue.extend(Packed::of(start).map(|packed| (packed, 0)));
        }
    }
    let mut page = BookPage::default();
    let mut met: Vec<(Packed, u32)> = Vec::new();
    let mut tried = 0;
    loop {
        let Some((packed, depth)) = queue.pop_front() else {
            // Nothing is left on the book's own ways.
            let Some(&(packed, depth)) = met.get(tried) else {
                break;
            };
            if walked.positions >= stored {
                break;
            }
            tried += 1;
            progress.check()?;
            enter(book, packed, depth, &mut seen, &mut queue)?;
            continue;
        };
        let Some(position) = packed.position() else {
            continue;
        };
        progress.check()?;
        if !book.probe(&position, &mut page)? {
            enter(book, packed, depth, &mut seen, &mut queue)?;
            continue;
        }
        walked.positions += 1;
        walked.depth = walked.depth.max(depth);
        met.push((packed, depth));
        progress.advance(1, 0);
        if visit(&position, depth, &page)? == Flow::Stop {
            break;
        }
        for m in page.entries.iter().filter_map(|entry| entry.m) {
            let mut after = position.clone();
            after.play(m);
            if seen.insert(after.key()) {
                queue.extend(Packed::of(&after).map(|packed| (packed, depth + 1)));
            }
        }
    }
    Ok(walked)
}

/// Queues what every legal move leads to that is in the book.
fn enter(
    book: &dyn Book,
    packed: Packed,
    depth: u32,
    seen: &mut KeySet,
    queue: &mut VecDeque<(Packed, u32)>,
) -> Result<()> {
    let Some(position) = packed.position() else {
        return Ok(());
    };
    let mut page = BookPage::default();
    for &m in &*position.legal_moves() {
        let mut after = position.clone();
        after.play(m);
        if !seen.contains(&after.key()) && book.moves(&after, &mut page)? {
            seen.insert(after.key());
            queue.extend(Packed::of(&after).map(|packed| (packed, depth + 1)));
        }
    }
    Ok(())
}
