//! Every position of a book that can be reached.

use tabia_core::Result;
use tabia_core::books::{Book, BookKey, BookPosition};
use tabia_core::chess::Position;
use tabia_core::external::{DiskKeySet, DiskQueue};
use tabia_core::game::Flow;
use tabia_core::io::Progress;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::packed_position::Packed;

/// A position on the way, with its distance from the start.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Step {
    packed: Packed,
    depth: u32,
    _unused: u32,
}

impl Step {
    const fn new(packed: Packed, depth: u32) -> Self {
        Self {
            packed,
            depth,
            _unused: 0,
        }
    }
}

/// Positions still to be visited, and the keys of all that were ever among them.
#[derive(Debug, Default)]
struct Ahead {
    seen: DiskKeySet,
    queue: DiskQueue<Step>,
}

impl Ahead {
    /// Queues a position that was not met before.
    fn add(&mut self, position: &Position, depth: u32) -> Result<()> {
        if self.seen.insert(position.key())?
            && let Some(packed) = Packed::of(position)
        {
            self.queue.push(Step::new(packed, depth))?;
        }
        Ok(())
    }
}

/// What a walk met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
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
    visit: &mut dyn FnMut(&Position, u32, &BookPosition) -> Result<Flow>,
) -> Result<Walked> {
    let mut walked = Walked::default();
    let mut ahead = Ahead::default();
    for start in starts {
        ahead.add(start, 0)?;
    }
    let mut page = BookPosition::default();
    // Positions of the book, whose moves that are not in it are tried last.
    let mut met: DiskQueue<Step> = DiskQueue::default();
    let mut sieve = None;
    loop {
        let Some(step) = ahead.queue.pop()? else {
            // Nothing is left on the book's own ways.
            let Some(step) = met.pop()?.filter(|_| walked.positions < stored) else {
                break;
            };
            progress.check()?;
            enter(
                book,
                FilterVisitor::once(&mut sieve, book)?,
                step,
                &mut ahead,
            )?;
            continue;
        };
        let Some(position) = step.packed.position() else {
            continue;
        };
        progress.check()?;
        if !book.probe(&position, &mut page)? {
            enter(
                book,
                FilterVisitor::once(&mut sieve, book)?,
                step,
                &mut ahead,
            )?;
            continue;
        }
        walked.positions += 1;
        walked.depth = walked.depth.max(step.depth);
        met.push(step)?;
        progress.advance(1, 0);
        if visit(&position, step.depth, &page)? == Flow::Stop {
            break;
        }
        for m in page.entries.iter().filter_map(|entry| entry.m) {
            let mut after = position.clone();
            after.play(m);
            ahead.add(&after, step.depth + 1)?;
        }
    }
    Ok(walked)
}

/// Queues what every legal move leads to that is in the book.
fn enter(book: &dyn Book, sieve: &FilterVisitor, step: Step, ahead: &mut Ahead) -> Result<()> {
    let Some(position) = step.packed.position() else {
        return Ok(());
    };
    let mut page = BookPosition::default();
    for &m in &*position.legal_moves() {
        let mut after = position.clone();
        after.play(m);
        let may_be_new = sieve.may_have(after.key()) && !ahead.seen.contains(after.key());
        if may_be_new && book.moves(&after, &mut page)? {
            ahead.add(&after, step.depth + 1)?;
        }
    }
    Ok(())
}

/// What a book that knows only keys certainly lacks, told without a look into the book: most of the
/// legal moves of a position lead nowhere.
struct FilterVisitor {
    /// A bit for some of a key's bits, set when the book has such a key; none: it may have any.
    bits: Vec<u64>,
}

/// Bits for each key, so that few others fall on one.
const SPARSE: u64 = 16;
/// Most words of bits: 64 MiB.
const MOST_WORDS: usize = 8 << 20;

impl FilterVisitor {
    /// The sieve of the book, made when first asked for.
    fn once<'s>(made: &'s mut Option<Self>, book: &dyn Book) -> Result<&'s Self> {
        let sieve = match made.take() {
            Some(sieve) => sieve,
            None => Self::of(book)?,
        };
        Ok(made.insert(sieve))
    }

    fn of(book: &dyn Book) -> Result<Self> {
        let words = book.size()?.positions.saturating_mul(SPARSE) / 64 + 1;
        let words = usize::try_from(words).unwrap_or(MOST_WORDS);
        let mut sieve = Self {
            bits: vec![0; words.next_power_of_two().min(MOST_WORDS)],
        };
        let mut has_boards = false;
        book.for_each(&mut |position, _| {
            // One record may stand for several boards.
            let BookKey::Key(key) = position else {
                has_boards = true;
                return Flow::Stop;
            };
            let (word, bit) = sieve.place(key);
            if let Some(word) = sieve.bits.get_mut(word) {
                *word |= bit;
            }
            Flow::Go
        })?;
        if has_boards {
            sieve.bits.clear();
        }
        Ok(sieve)
    }

    fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.bits.get(word).is_none_or(|word| word & bit != 0)
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let word = (key >> 6) as usize & self.bits.len().wrapping_sub(1);
        (word, 1 << (key & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sieve_lets_pass_what_it_knows() {
        let mut sieve = FilterVisitor {
            bits: vec![0; 1 << 4],
        };
        let keys: Vec<u64> = (0..60u64)
            .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        for &key in &keys {
            let (word, bit) = sieve.place(key);
            sieve.bits[word] |= bit;
        }
        assert!(keys.iter().all(|&key| sieve.may_have(key)));
        let others =
            (1000..2000u64).filter(|n| sieve.may_have(n.wrapping_mul(0x1234_5678_9abc_def1)));
        assert!(others.count() < 200);
        assert!(FilterVisitor { bits: Vec::new() }.may_have(7));
    }
}
