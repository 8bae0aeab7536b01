//! Probing and walking a book.

use std::path::Path;
use std::sync::Arc;

use tabia_core::books::{Book, BookEntry, BookInfo, BookKey, BookPosition, BookSize, Learn};
use tabia_core::chess::Position;
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::external::interpolation_lower_bound;
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Blob, Source};
use tabia_core::plural::counted;
use zerocopy::FromBytes;

use super::count_defects;
use super::entry::{Entry, decode_move};
use super::header::{self, Header};
use super::illegal_moves;
use super::put_in_order::OrderedEntries;
use super::shifted_entries::{self, Realigned};

/// Number of entries at the end whose order is checked on opening, of a book of more than [`CHECKED`].
const TAIL: usize = 1 << 16;
/// Number of entries up to which the order of all is checked on opening: 64 MiB of them.
const CHECKED: usize = 4 << 20;
/// Number of neighbouring entries that are checked to recognise a book. Each may be on another page of
/// the file, so that more of them would slow down opening.
const SAMPLE: usize = 256;
/// The same for small books.
const SMALL_SAMPLE: usize = 4096;

/// A Polyglot book, mapped into memory.
#[derive(Debug)]
pub struct PolyglotBook {
    label: Arc<Path>,
    blob: Blob,
    /// Records with key 0 at the start.
    null_records: usize,
    /// The entries in order, where the file does not have them so.
    ordered: Option<OrderedEntries>,
    header: Option<Header>,
    info: BookInfo,
}

impl PolyglotBook {
    /// Opens a book. Checks the order of the entries; of a book of more than 64 MiB only at the end, and a sample of
    /// the others. Entries out of order are put in order, in memory or in a temporary file.
    ///
    /// # Errors
    /// [`ErrorKind::WrongFormat`] for files that are not a book (FORMAT.md § Damage); those of a temporary file.
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        Self::with(source, options, CHECKED)
    }

    /// Like [`open`](Self::open), with a check of the order of all entries, whatever the size: for what reads all of
    /// them anyway.
    ///
    /// # Errors
    /// As with [`open`](Self::open).
    pub fn open_completely(source: &Source, options: &OpenOptions) -> Result<Self> {
        Self::with(source, options, usize::MAX)
    }

    /// `checked`: the number of entries up to which the order of all is checked.
    fn with(source: &Source, _options: &OpenOptions, checked: usize) -> Result<Self> {
        let label = Arc::clone(source.label());
        let mut blob = source.main().open()?;
        let mut problems = Vec::new();
        let is_uneven = blob.len() % Entry::SIZE != 0;
        if let Some(found) = is_uneven.then(|| Realigned::find(&blob)).flatten() {
            problems.push(found.problem());
            blob = found.blob(&blob)?;
        }
        let count = blob.len() / Entry::SIZE;
        if blob.is_empty() {
            problems.push("the file is empty: a book without entries".to_owned());
        } else if blob.len() % Entry::SIZE != 0 {
            let bytes = blob.len() % Entry::SIZE;
            problems.push(match bytes {
                1 => "the last byte is no entry and is ignored".to_owned(),
                _ => format!("{bytes} trailing bytes are no entry and are ignored"),
            });
        }
        let entries = entries(&blob);
        // A file that has no order at all is recognised by name and on request only, but may be a book.
        if let Some(why) = foreign_moves(entries) {
            let expected = super::FORMAT.file.id;
            return Err(Error::new(ErrorKind::WrongFormat { expected, why }).in_file(&label));
        }
        let (null_records, header) = header::read(entries);
        if null_records > 0 && header.is_none() {
            let count = counted(null_records, "record", "records");
            problems.push(format!("{count} with key 0, but no header"));
        }
        let sorted = sorted_prefix(entries, checked);
        let mut moves = count.saturating_sub(null_records) as u64;
        let mut ordered = None;
        if sorted < count {
            let entries = OrderedEntries::of(entries, null_records, sorted)?;
            moves -= entries.copies + entries.zeros;
            problems.push(entries.problem(sorted));
            ordered = Some(entries);
        }
        let mut facts = Vec::new();
        if let Some(header) = &header {
            facts.push(("header version".to_owned(), header.version.clone()));
            facts.push(("variants".to_owned(), header.variants.join(", ")));
            facts.push(("header comment".to_owned(), header.comment.clone()));
        }
        let mut info = BookInfo::default();
        info.format = super::FORMAT.file.id;
        info.moves = Some(moves);
        info.problems = problems;
        info.facts = facts;
        Ok(Self {
            label,
            blob,
            null_records,
            ordered,
            header,
            info,
        })
    }

    /// Every entry as the file has it, the header's records and copies out of order included.
    pub fn entries(&self) -> &[Entry] {
        entries(&self.blob)
    }

    /// The entries in the order of their keys, without the header's records and without copies out of order.
    pub fn book_entries(&self) -> &[Entry] {
        let blob = self.ordered.as_ref().map_or(&self.blob, |all| &all.blob);
        entries(blob).get(self.null_records..).unwrap_or_default()
    }

    /// Number of entries from the first that is out of order; copies of others among them are left out.
    pub fn out_of_order(&self) -> u64 {
        self.ordered.as_ref().map_or(0, |all| all.out_of_order)
    }

    /// Number of entries out of order that are copies of others, to the last byte.
    pub fn copies(&self) -> u64 {
        self.ordered.as_ref().map_or(0, |all| all.copies)
    }

    /// Number of entries out of order with zeros in place of a position, whose moves are lost.
    pub fn zeros(&self) -> u64 {
        self.ordered.as_ref().map_or(0, |all| all.zeros)
    }

    /// The header; `None` if absent.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The name of the file, for messages.
    pub fn label(&self) -> &Arc<Path> {
        &self.label
    }

    /// Checks every entry: order, repetitions, weights, and the convention of `learn`.
    pub fn inspect(&self) -> count_defects::Findings {
        count_defects::inspect(self.book_entries(), self.null_records, self.out_of_order())
    }

    /// The entries of a key, in file order.
    pub fn find(&self, key: u64) -> &[Entry] {
        let entries = self.book_entries();
        let start = interpolation_lower_bound(entries, key, |entry| entry.key.get());
        let rest = entries.get(start..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|entry| entry.key.get() == key)
            .count();
        rest.get(..length).unwrap_or_default()
    }
}

/// The complete entries at the start of a file.
pub(super) fn entries(bytes: &[u8]) -> &[Entry] {
    let complete = bytes.len() / Entry::SIZE * Entry::SIZE;
    let bytes = bytes.get(..complete).unwrap_or_default();
    <[Entry]>::ref_from_bytes(bytes).unwrap_or_default()
}

/// Whether the beginning of a file has the entries of a book, shifted by inserted or lost bytes: whole, or
/// [`SURE`] of them before such bytes.
pub(super) fn is_shifted(head: &[u8]) -> bool {
    let is_in_order = || Sample::of(entries(head)).order_problem().is_none();
    shifted_entries::sound_at_start(head) >= SURE && is_in_order()
        || Realigned::find(head).is_some_and(|found| 2 * found.len() * Entry::SIZE > head.len())
}

/// Sound entries at the start of a file that only a book has.
const SURE: usize = 64;

/// Why these entries are not a Polyglot book, by a sample of them (FORMAT.md § Damage); `None` if they
/// are. Real books have almost no neighbours out of order and no foreign move bits.
pub(super) fn foreign(entries: &[Entry]) -> Option<String> {
    let sample = Sample::of(entries);
    sample.order_problem().or_else(|| sample.move_problem())
}

/// The same by the bits of the moves alone.
fn foreign_moves(entries: &[Entry]) -> Option<String> {
    Sample::of(entries).move_problem()
}

/// What a sample of neighbouring entries shows.
struct Sample {
    pairs: usize,
    descents: usize,
    foreign: usize,
}

impl Sample {
    fn of(entries: &[Entry]) -> Self {
        // The tail of a large book may be out of order; it is checked separately.
        let (body, sample) = match entries.len() {
            large if large > 2 * TAIL => (entries.get(..large - TAIL).unwrap_or_default(), SAMPLE),
            _ => (entries, SMALL_SAMPLE),
        };
        let step = (body.len() / sample).max(1);
        let (mut pairs, mut descents, mut foreign) = (0usize, 0usize, 0usize);
        for (a, b) in body.iter().zip(body.iter().skip(1)).step_by(step) {
            pairs += 1;
            descents += usize::from(a.key.get() > b.key.get());
            foreign += usize::from(a.key.get() != 0 && a.is_foreign());
        }
        Self {
            pairs,
            descents,
            foreign,
        }
    }

    fn order_problem(&self) -> Option<String> {
        let (pairs, descents) = (self.pairs, self.descents);
        (descents > 2 && descents * 100 > pairs)
            .then(|| format!("{descents} of {pairs} neighbouring keys are out of order"))
    }

    fn move_problem(&self) -> Option<String> {
        let (pairs, foreign) = (self.pairs, self.foreign);
        (foreign > 2 && foreign * 1000 > pairs)
            .then(|| format!("{foreign} of {pairs} moves have bits that no book uses"))
    }
}

/// Number of entries from the start that are in order; of a book of more than `checked` entries, those before the
/// last [`TAIL`] are taken for it.
fn sorted_prefix(entries: &[Entry], checked: usize) -> usize {
    let first = if entries.len() <= checked {
        0
    } else {
        entries.len().saturating_sub(TAIL)
    };
    let tail = entries.get(first..).unwrap_or_default();
    tail.iter()
        .zip(tail.iter().skip(1))
        .position(|(a, b)| a.key.get() > b.key.get())
        .map_or(entries.len(), |number| first + number + 1)
}

/// Appends the moves of one position: weights of a repeated move are summed, and its first `learn`
/// value that is not zero is used.
fn push_moves(position: &Position, found: &[Entry], out: &mut Vec<BookEntry>) {
    for entry in found {
        let m = decode_move(position, entry.move_bits.get());
        let weight = u32::from(entry.weight.get());
        let same = out.iter_mut().find(|other| m.is_some() && other.m == m);
        if let Some(same) = same {
            same.weight = same.weight.map(|sum| sum.saturating_add(weight));
            if same.learn.is_none_or(Learn::is_zero) {
                same.learn = Some(entry.learn());
                same.raw = entry.move_bits.to_bytes().into();
            }
            continue;
        }
        let mut new = book_entry(entry);
        new.m = m;
        out.push(new);
    }
}

/// An entry without its move, whose two bytes go into `raw`.
fn book_entry(entry: &Entry) -> BookEntry {
    let mut new = BookEntry::default();
    new.weight = Some(u32::from(entry.weight.get()));
    new.learn = Some(entry.learn());
    new.raw = entry.move_bits.to_bytes().into();
    new
}

impl Book for PolyglotBook {
    fn info(&self) -> &BookInfo {
        &self.info
    }

    fn size(&self) -> Result<BookSize> {
        let entries = self.book_entries();
        let pairs = entries.iter().zip(entries.iter().skip(1));
        let changes = pairs.filter(|(a, b)| a.key != b.key).count();
        Ok(BookSize::new(
            (changes + usize::from(!entries.is_empty())) as u64,
            entries.len() as u64,
        ))
    }

    fn problems(&self) -> Result<Vec<String>> {
        let walked = illegal_moves::walk(self, |key| self.find(key))?;
        let mut problems = self.inspect().problems(walked.castlings_twice);
        problems.extend(walked.problem);
        Ok(problems)
    }

    fn probe(&self, position: &Position, page: &mut BookPosition) -> Result<bool> {
        page.clear();
        let found = self.find(position.key());
        push_moves(position, found, &mut page.entries);
        Ok(!found.is_empty())
    }

    fn for_each(&self, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) -> Result<u64> {
        let mut page = BookPosition::default();
        for run in self.book_entries().chunk_by(|a, b| a.key == b.key) {
            let Some(first) = run.first() else { continue };
            page.clear();
            page.entries.extend(run.iter().map(book_entry));
            if visit(BookKey::Key(first.key.get()), &page) == Flow::Stop {
                break;
            }
        }
        Ok(0)
    }
}
