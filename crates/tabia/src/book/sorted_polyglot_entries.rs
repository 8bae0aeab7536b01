//! Polyglot entries in the order of their keys, with repeats summed and castling in one form.

use std::cmp::Reverse;
use std::io::Write;
use std::path::Path;

use tabia_core::books::{BookEntry, Learn};
use tabia_core::chess::Position;
use tabia_core::error::{Error, Result};
use tabia_core::external::{DiskKeySet, interpolation_lower_bound};
use tabia_core::formats::CreateOptions;
use tabia_core::game::Flow;
use tabia_core::games::Written;
use tabia_core::io::{OutputSet, Progress};
use tabia_formats::books::polyglot::{Entry, Header, PolyglotBook, encode_move};
use zerocopy::IntoBytes;
use zerocopy::byteorder::big_endian::{U16, U64};

use super::walk::walk;

/// A move of the position with some key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyMove {
    pub(crate) bits: u16,
    pub(crate) weight: u32,
    pub(crate) learn: Learn,
}

impl KeyMove {
    /// Takes over the `learn` value of another entry of the move unless it has one. Returns whether a value is lost.
    pub(crate) fn take_learn(&mut self, learn: Learn) -> bool {
        if self.learn.is_zero() {
            self.learn = learn;
        }
        !learn.is_zero() && learn != self.learn
    }

    /// The move as an entry of a book.
    pub(crate) fn book_entry(&self) -> BookEntry {
        let mut entry = BookEntry::default().with_weight(self.weight);
        entry.learn = Some(self.learn);
        entry
    }
}

/// Defects of Polyglot entries that were corrected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixCounts {
    /// Entries that repeated a move.
    pub repeats: u64,
    /// Castlings written as the king's two steps.
    pub castlings: u64,
    /// Entries without a move.
    pub no_moves: u64,
    /// Entries from the first one that was out of order, which were put in order; without copies and zeros.
    pub out_of_order: u64,
    /// Entries out of order that were copies of others, to the last byte, and were left out.
    pub copies: u64,
    /// Entries out of order with zeros in place of a position, which were left out: their moves are lost.
    pub zeros: u64,
    /// Entries whose move is not legal in its position, of positions that a walk reaches: what the position
    /// of another key is, is not known.
    pub illegal: u64,
    /// `learn` values of repeats that are dropped, because another entry of the move has one.
    pub learn_values: u64,
}

impl FixCounts {
    pub(crate) fn add(&mut self, other: FixCounts) {
        self.repeats += other.repeats;
        self.castlings += other.castlings;
        self.no_moves += other.no_moves;
        self.out_of_order += other.out_of_order;
        self.copies += other.copies;
        self.zeros += other.zeros;
        self.illegal += other.illegal;
        self.learn_values += other.learn_values;
    }
}

/// The entries of a book, one key after the other.
#[derive(Debug)]
pub(crate) struct EntryRuns<'b> {
    entries: &'b [Entry],
    rest: &'b [Entry],
    /// Castlings written as the king's two steps, by [`move_key`].
    castlings: DiskKeySet,
    /// Moves to be left out because they are not legal, by [`move_key`].
    illegal: DiskKeySet,
    pub(crate) fixes: FixCounts,
}

/// King takes rook, and the king's two steps.
const CASTLINGS: [(u16, u16); 4] = [
    (0x0107, 0x0106),
    (0x0100, 0x0102),
    (0x0f3f, 0x0f3e),
    (0x0f38, 0x0f3a),
];

/// A move of the position with some key, as a key for a set.
const fn move_key(key: u64, bits: u16) -> u64 {
    key ^ (bits as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<'b> EntryRuns<'b> {
    /// If the book may contain castlings as the king's two steps, walks through it to find them.
    pub(crate) fn new(book: &'b PolyglotBook, progress: &Progress) -> Result<Self> {
        Self::with(book, false, progress)
    }

    /// Like [`new`](Self::new), without moves that are not legal in positions that a walk reaches.
    pub(crate) fn legal(book: &'b PolyglotBook, progress: &Progress) -> Result<Self> {
        Self::with(book, true, progress)
    }

    fn with(book: &'b PolyglotBook, only_legal: bool, progress: &Progress) -> Result<Self> {
        let rest = book.book_entries();
        let (mut rook, mut steps) = (0u64, 0u64);
        for entry in rest {
            let bits = entry.move_bits.get();
            rook += u64::from(CASTLINGS.iter().any(|(form, _)| *form == bits));
            steps += u64::from(CASTLINGS.iter().any(|(_, form)| *form == bits));
        }
        let mut castlings = DiskKeySet::default();
        let mut illegal = DiskKeySet::default();
        // A corrected copy has one form only; otherwise the walk is worth it only in a book of the other form.
        let has_two_forms = steps > rook || only_legal && steps > 0;
        if has_two_forms || only_legal {
            let stored = book.inspect().positions;
            walk(
                book,
                &[Position::standard()],
                stored,
                progress,
                &mut |position, _, page| {
                    for entry in &page.entries {
                        let [high, low, ..] = &*entry.raw else {
                            continue;
                        };
                        let stored = u16::from(*high) << 8 | u16::from(*low);
                        match entry.m {
                            Some(m) if has_two_forms && m.is_castling() => {
                                // A position that has both forms has one move.
                                let normal = encode_move(m);
                                let mut forms = CASTLINGS.iter();
                                if let Some((_, form)) = forms.find(|(known, _)| *known == normal) {
                                    castlings.insert(move_key(position.key(), *form))?;
                                }
                            }
                            None if only_legal => {
                                illegal.insert(move_key(position.key(), stored))?;
                            }
                            _ => {}
                        }
                    }
                    Ok(Flow::Go)
                },
            )?;
        }
        Ok(Self {
            entries: rest,
            rest,
            castlings,
            illegal,
            fixes: FixCounts {
                out_of_order: book.out_of_order() - book.copies() - book.zeros(),
                copies: book.copies(),
                zeros: book.zeros(),
                ..FixCounts::default()
            },
        })
    }

    /// The next key.
    pub(crate) fn key(&self) -> Option<u64> {
        self.rest.first().map(|entry| entry.key.get())
    }

    /// The moves of any key, and continues after it.
    pub(crate) fn run_of(&mut self, key: u64, run: &mut Vec<KeyMove>) {
        run.clear();
        let index = interpolation_lower_bound(self.entries, key, |entry| entry.key.get());
        self.rest = self.entries.get(index..).unwrap_or_default();
        if self.key() == Some(key) {
            self.take(run);
        }
    }

    /// Takes the moves of the next key.
    pub(crate) fn take(&mut self, run: &mut Vec<KeyMove>) {
        run.clear();
        let Some(key) = self.key() else { return };
        while let Some((entry, rest)) = self.rest.split_first() {
            if entry.key.get() != key {
                break;
            }
            self.rest = rest;
            let mut bits = entry.move_bits.get();
            if bits == 0 || entry.is_foreign() {
                self.fixes.no_moves += 1;
                continue;
            }
            if self.illegal.contains(move_key(key, bits)) {
                self.fixes.illegal += 1;
                continue;
            }
            if let Some((normal, _)) = CASTLINGS.iter().find(|(_, form)| *form == bits)
                && self.castlings.contains(move_key(key, bits))
            {
                self.fixes.castlings += 1;
                bits = *normal;
            }
            let weight = u32::from(entry.weight.get());
            match run.iter_mut().find(|known| known.bits == bits) {
                Some(known) => {
                    self.fixes.repeats += 1;
                    known.weight = known.weight.saturating_add(weight);
                    self.fixes.learn_values += u64::from(known.take_learn(entry.learn()));
                }
                None => run.push(KeyMove {
                    bits,
                    weight,
                    learn: entry.learn(),
                }),
            }
        }
    }
}

/// A weight that fits into 16 bits, scaled if the greatest weight of the position, `max`, does not.
pub(crate) fn fitting_weight(weight: u32, max: u32) -> u32 {
    let limit = u32::from(u16::MAX);
    if max <= limit {
        return weight;
    }
    let scaled = u64::from(weight) * u64::from(limit) / u64::from(max);
    (scaled as u32).max(u32::from(weight > 0))
}

/// The move of Polyglot's bits in UCI notation; castling is king takes rook.
pub(crate) fn uci_of_bits(bits: u16) -> String {
    let square = |number: u16| {
        let (file, rank) = ((number & 7) as u8, (number >> 3 & 7) as u8);
        [char::from(b'a' + file), char::from(b'1' + rank)]
    };
    let mut text: String = square(bits >> 6).into_iter().chain(square(bits)).collect();
    text.extend(match bits >> 12 {
        1 => Some('n'),
        2 => Some('b'),
        3 => Some('r'),
        4 => Some('q'),
        _ => None,
    });
    text
}

/// Writes a Polyglot book in the order of its keys.
#[derive(Debug)]
pub(crate) struct EntryWriter {
    set: OutputSet,
    has_header: bool,
    buffer: Vec<Entry>,
    pub(crate) positions: u64,
    pub(crate) moves: u64,
    /// Positions whose weights were scaled.
    pub(crate) scaled: u64,
}

impl EntryWriter {
    pub(crate) fn create(
        path: &Path,
        options: &CreateOptions,
        header: Option<&Header>,
    ) -> Result<Self> {
        let mut set = options.outputs();
        set.create(path)?;
        let mut out = Self {
            set,
            has_header: header.is_some(),
            buffer: Vec::new(),
            positions: 0,
            moves: 0,
            scaled: 0,
        };
        for record in header.iter().flat_map(|header| header.records()) {
            out.write(&record)?;
        }
        Ok(out)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self.set.file(0) {
            Some(file) => file
                .write_all(bytes)
                .map_err(|error| Error::from(error).in_path(file.target())),
            None => Ok(()),
        }
    }

    /// Writes the moves of a key, heaviest first; weights that 16 bits cannot hold are scaled with
    /// their siblings.
    pub(crate) fn put(&mut self, key: u64, run: &[KeyMove]) -> Result<()> {
        if run.is_empty() {
            return Ok(());
        }
        let max = run.iter().map(|entry| entry.weight).max().unwrap_or(0);
        self.buffer.clear();
        self.buffer.extend(run.iter().map(|entry| Entry {
            key: U64::new(key),
            move_bits: U16::new(entry.bits),
            weight: U16::new(fitting_weight(entry.weight, max) as u16),
            learn: entry.learn.to_bytes(),
        }));
        self.buffer
            .sort_by_key(|entry| (Reverse(entry.weight.get()), entry.move_bits.get()));
        self.positions += 1;
        self.scaled += u64::from(max > u32::from(u16::MAX));
        self.moves += self.buffer.len() as u64;
        let buffer = std::mem::take(&mut self.buffer);
        let written = self.write(buffer.as_bytes());
        self.buffer = buffer;
        written
    }

    pub(crate) fn finish(mut self) -> Result<Written> {
        if self.moves == 0 && !self.has_header {
            for record in Header::with_comment("").records() {
                self.write(&record)?;
            }
        }
        let records = u32::try_from(self.moves).unwrap_or(u32::MAX);
        let (files, bytes) = self.set.commit()?;
        Ok(Written::new(records, files, bytes))
    }
}
