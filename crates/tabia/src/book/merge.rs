//! Several books into one.

use std::path::Path;

use tabia_core::books::{Book, BookEntry, BookPosition, Learn, Wdl};
use tabia_core::chess::Position;
use tabia_core::external::DiskKeySet;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Flow;
use tabia_core::games::Written;
use tabia_core::io::Progress;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{BookFormat, Error, Result};
use tabia_formats::books::polyglot::{Header, PolyglotBook};

use super::for_each_board::{boards, give_weights, swept};
use super::polyglot_entries::{FixCounts, Plain, Runs, SortedOut};
use crate::input::InputItem;

/// What becomes of a move that several books have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeMode {
    /// The weights are added.
    #[default]
    Sum,
    /// The greatest weight counts.
    Max,
    /// Of each position the first book that has it counts, alone.
    Priority,
    /// The mean of the books that have the position; a move that a book lacks has 0 there.
    Average,
}

/// How to merge.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MergeOptions {
    /// How the books are opened.
    pub open: OpenOptions,
    /// How the target is created.
    pub create: CreateOptions,
    /// What becomes of moves that several books have.
    pub mode: MergeMode,
    /// What the weights of each book are multiplied by; 1 for those that are not given.
    pub factors: Vec<f64>,
    /// Brings the heaviest move of each position of each book to 65535 first.
    pub normalize: bool,
    /// Weight 0, *never play*, in one book wins over any weight in others.
    pub zero_wins: bool,
}

/// What was merged, converted or rewritten.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Merged {
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// What was put right on the way, of all inputs.
    pub mended: FixCounts,
    /// Positions that books know only by key and that no walk reaches.
    pub unreached: u64,
    /// What the target could not hold.
    pub losses: Losses,
    /// The files.
    pub written: Written,
}

/// Merges books into one. Polyglot books into a Polyglot book: a stream, whatever the sizes.
///
/// # Errors
/// The first book that cannot be read, or what the target's side says.
pub fn merge(
    items: &[InputItem],
    format: &'static BookFormat,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    if format.has_key_entries && items.iter().all(has_key_entries) {
        let mut books = Vec::new();
        for item in items {
            books.push(open_polyglot(item, &options.open)?);
        }
        return merge_entries(&books, path, options, progress);
    }
    let mut books = Vec::new();
    for item in items {
        books.push(super::open(item, &options.open)?);
    }
    merge_pages(&books, format, path, options, progress)
}

/// Whether the item is a book of entries sorted by key.
#[doc(hidden)]
pub fn has_key_entries(item: &InputItem) -> bool {
    let book = item.format().book();
    book.is_some_and(|format| format.has_key_entries)
}

/// Opens an item as a Polyglot book with all that the format has.
///
/// # Errors
/// When it cannot be read.
#[doc(hidden)]
pub fn open_polyglot(item: &InputItem, options: &OpenOptions) -> Result<PolyglotBook, Error> {
    let files = item.files(options)?;
    PolyglotBook::open(&files, options).map_err(|error| error.in_file(item.label()))
}

fn merge_entries(
    books: &[PolyglotBook],
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let header = header_of_all(books);
    let mut out =
        SortedOut::create(path, &options.create, header.as_ref()).map_err(Error::in_output)?;
    let mut runs = Vec::new();
    for book in books {
        runs.push(Runs::new(book, progress)?);
    }
    progress.set_total(
        books
            .iter()
            .map(|book| book.book_entries().len() as u64)
            .sum(),
    );
    let mut run = Vec::new();
    let mut voices: Vec<BookVote> = Vec::new();
    let mut joined: Vec<Plain> = Vec::new();
    while let Some(key) = runs.iter().filter_map(Runs::key).min() {
        voices.clear();
        let mut knowing = 0;
        for (book, runs) in runs.iter_mut().enumerate() {
            if runs.key() != Some(key) {
                continue;
            }
            runs.take(&mut run);
            progress.advance(run.len() as u64, 0);
            if run.is_empty() || (options.mode == MergeMode::Priority && knowing > 0) {
                continue;
            }
            knowing += 1;
            let scale = options.scale(book, run.iter().map(|entry| entry.weight).max());
            voices.extend(run.iter().map(|entry| BookVote {
                bits: entry.bits,
                weight: f64::from(entry.weight) * scale,
                learn: entry.learn,
            }));
        }
        join(&voices, knowing, options, &mut joined);
        out.put(key, &joined).map_err(Error::in_output)?;
        progress.check().map_err(Error::in_output)?;
    }
    let mut mended = FixCounts::default();
    for runs in &runs {
        mended.repeats += runs.mended.repeats;
        mended.castlings += runs.mended.castlings;
        mended.no_moves += runs.mended.no_moves;
        mended.out_of_order += runs.mended.out_of_order;
    }
    let (positions, moves) = (out.positions, out.moves);
    Ok(Merged {
        positions,
        moves,
        mended,
        written: out.finish().map_err(Error::in_output)?,
        ..Merged::default()
    })
}

/// A move of one book.
struct BookVote {
    bits: u16,
    weight: f64,
    learn: Learn,
}

/// The moves of one key from all books.
fn join(voices: &[BookVote], knowing: usize, options: &MergeOptions, out: &mut Vec<Plain>) {
    out.clear();
    let mut weights: Vec<(f64, bool)> = Vec::new();
    for voice in voices {
        let place = out.iter().position(|entry| entry.bits == voice.bits);
        let is_zero = voice.weight <= 0.0;
        if let Some(place) = place
            && let (Some(entry), Some(known)) = (out.get_mut(place), weights.get_mut(place))
        {
            known.0 = options.both(known.0, voice.weight);
            known.1 |= is_zero;
            if entry.learn.is_zero() {
                entry.learn = voice.learn;
            }
            continue;
        }
        out.push(Plain {
            bits: voice.bits,
            weight: 0,
            learn: voice.learn,
        });
        weights.push((voice.weight, is_zero));
    }
    for (entry, (weight, zero)) in out.iter_mut().zip(weights) {
        entry.weight = options.whole(weight, zero, knowing);
    }
}

impl MergeOptions {
    /// What the weights of a position of a book are multiplied by.
    fn scale(&self, book: usize, most: Option<u32>) -> f64 {
        let factor = self.factors.get(book).copied().unwrap_or(1.0);
        match most {
            Some(most) if self.normalize && most > 0 => {
                factor * f64::from(u16::MAX) / f64::from(most)
            }
            _ => factor,
        }
    }

    fn both(&self, a: f64, b: f64) -> f64 {
        match self.mode {
            MergeMode::Max => a.max(b),
            MergeMode::Sum | MergeMode::Average | MergeMode::Priority => a + b,
        }
    }

    fn whole(&self, weight: f64, zero: bool, knowing: usize) -> u32 {
        if self.zero_wins && zero {
            return 0;
        }
        let weight = match self.mode {
            MergeMode::Average => weight / knowing.max(1) as f64,
            _ => weight,
        };
        let least = if weight > 0.0 { 1.0 } else { 0.0 };
        weight.round().clamp(least, f64::from(u32::MAX)) as u32
    }
}

/// One header for all: every variant once, the comments of all.
fn header_of_all(books: &[PolyglotBook]) -> Option<Header> {
    let mut all: Option<Header> = None;
    for header in books.iter().filter_map(PolyglotBook::header) {
        let Some(known) = &mut all else {
            all = Some(header.clone());
            continue;
        };
        for variant in &header.variants {
            if !known.variants.contains(variant) {
                known.variants.push(variant.clone());
            }
        }
        if !known.comment.contains(&header.comment) {
            known.comment = format!("{}\n{}", known.comment, header.comment);
        }
    }
    all
}

fn merge_pages(
    books: &[Box<dyn Book>],
    format: &'static BookFormat,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let mut writer = (format.create)(path, &options.create).map_err(Error::in_output)?;
    let mut merged = Merged::default();
    let mut output_failed = None;
    let mut other = BookPosition::default();
    let mut others = Vec::new();
    let mut given = DiskKeySet::default();
    let total = books.iter().filter_map(|book| book.info().positions);
    progress.set_total(total.sum());
    // Polyglot entries are sorted anyway and hold nothing of another format's own.
    let is_swept = format.has_key_entries;
    let weighs = format.can.has(Feature::BookWeights);
    // One record of these stands for a position and its twins: what an earlier book knows through
    // a twin has been said. In other formats it has not, unless the position itself was met.
    let is_shared = format.is_mirrored;
    for (number, book) in books.iter().enumerate() {
        let mut visit = |position: &Position, page: &mut BookPosition| {
            let is_known = if is_shared {
                let mut earlier = books.iter().take(number);
                earlier.try_fold(false, |known, book| {
                    Ok::<_, Error>(known || book.moves(position, &mut other)?)
                })?
            } else {
                books.len() > 1 && !given.insert(position.key())?
            };
            if is_known {
                return Ok(Flow::Go);
            }
            others.clear();
            for (of, book) in books.iter().enumerate().filter(|(of, _)| *of != number) {
                // Of the books that have the position, the first alone counts or all of them do.
                let is_first_only = options.mode == MergeMode::Priority;
                if is_first_only && (of > number || !others.is_empty()) {
                    break;
                }
                if book.probe(position, &mut other)? {
                    others.push((of, std::mem::take(&mut other)));
                }
            }
            let mut first = number;
            if options.mode == MergeMode::Priority
                && let Some((earlier, theirs)) = others.pop()
            {
                *page = theirs;
                first = earlier;
            }
            join_pages(position, (first, page), &mut others, options, weighs);
            match writer.put(position, page) {
                Ok(losses) => merged.losses.merge(&losses),
                Err(error) => {
                    output_failed = Some(error);
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Go)
        };
        let reach = if is_swept {
            swept(&**book, progress, &mut visit)
        } else {
            boards(&**book, progress, &mut |position, page| {
                visit(position, &mut page.clone())
            })
        };
        if let Some(error) = output_failed.take() {
            return Err(error.in_output());
        }
        let reach = reach?;
        merged.unreached += reach.unreached;
    }
    let book = writer.finish().map_err(Error::in_output)?;
    (merged.positions, merged.moves) = (book.size.positions, book.size.moves);
    merged.losses.merge(&book.losses);
    merged.written = book.written;
    Ok(merged)
}

/// Joins the page of a position with those of other books that have it; statistics add up. Moves
/// without a weight get one where it is needed: among others, or when the target `weighs`.
fn join_pages(
    position: &Position,
    (first, all): (usize, &mut BookPosition),
    pages: &mut Vec<(usize, BookPosition)>,
    options: &MergeOptions,
    weighs: bool,
) {
    let knowing = 1 + pages.len();
    let is_white = position.turn().is_white();
    let is_alone = knowing == 1 && options.factors.is_empty() && !options.normalize;
    if weighs || !is_alone {
        give_weights(all, is_white);
    }
    if is_alone {
        return;
    }
    let scaled = |book: usize, page: &BookPosition| -> Vec<f64> {
        let most = page.entries.iter().filter_map(|entry| entry.weight).max();
        let scale = options.scale(book, most);
        let weights = page.entries.iter().map(|entry| entry.weight.unwrap_or(0));
        weights.map(|weight| f64::from(weight) * scale).collect()
    };
    let mut weights: Vec<(f64, bool)> = scaled(first, all)
        .into_iter()
        .map(|weight| (weight, weight <= 0.0))
        .collect();
    for (book, mut page) in pages.drain(..) {
        give_weights(&mut page, is_white);
        let own = scaled(book, &page);
        let games = (all.games, page.games);
        all.average_rating = mean(all.average_rating, page.average_rating, games);
        all.performance = mean(all.performance, page.performance, games);
        all.games = sum(all.games, page.games);
        all.results = sum_results(all.results, page.results);
        all.comment = all.comment.take().or(page.comment);
        if all.nags.is_empty() {
            all.nags = page.nags;
        }
        for (entry, weight) in page.entries.into_iter().zip(own) {
            let known = all
                .entries
                .iter()
                .position(|known| known.m.is_some() && known.m == entry.m);
            if let Some(place) = known
                && let (Some(known), Some(sum)) =
                    (all.entries.get_mut(place), weights.get_mut(place))
            {
                sum.0 = options.both(sum.0, weight);
                sum.1 |= weight <= 0.0;
                join_entries(known, entry);
                continue;
            }
            all.entries.push(entry);
            weights.push((weight, weight <= 0.0));
        }
    }
    for (entry, (weight, zero)) in all.entries.iter_mut().zip(weights) {
        entry.weight = Some(options.whole(weight, zero, knowing));
    }
    give_weights(all, is_white);
}

fn join_entries(known: &mut BookEntry, entry: BookEntry) {
    let games = (known.games, entry.games);
    known.average_rating = mean(known.average_rating, entry.average_rating, games);
    known.performance = mean(known.performance, entry.performance, games);
    known.games = sum(known.games, entry.games);
    known.results = sum_results(known.results, entry.results);
    known.comment = known.comment.take().or(entry.comment);
    if known.nags.is_empty() {
        known.nags = entry.nags;
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

fn sum_results(a: Option<Wdl>, b: Option<Wdl>) -> Option<Wdl> {
    match (a, b) {
        (Some(a), Some(b)) => Some(super::find::add(a, b)),
        (a, b) => a.or(b),
    }
}

/// The mean of two ratings by their games.
fn mean(a: Option<u16>, b: Option<u16>, games: (Option<u64>, Option<u64>)) -> Option<u16> {
    let (Some(first), Some(second)) = (a, b) else {
        return a.or(b);
    };
    let (m, n) = (
        games.0.unwrap_or(1).max(1) as f64,
        games.1.unwrap_or(1).max(1) as f64,
    );
    Some(((f64::from(first) * m + f64::from(second) * n) / (m + n)).round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(mode: MergeMode, zero_wins: bool) -> Vec<(u16, u32)> {
        let voice = |bits, weight| BookVote {
            bits,
            weight,
            learn: Learn::ZERO,
        };
        let options = MergeOptions {
            mode,
            zero_wins,
            ..MergeOptions::default()
        };
        let mut out = Vec::new();
        let voices = [
            voice(1, 10.0),
            voice(2, 0.0),
            voice(1, 30.0),
            voice(2, 5.0),
            voice(3, 0.2),
        ];
        join(&voices, 2, &options, &mut out);
        out.iter().map(|entry| (entry.bits, entry.weight)).collect()
    }

    #[test]
    fn modes() {
        assert_eq!(joined(MergeMode::Sum, false), [(1, 40), (2, 5), (3, 1)]);
        assert_eq!(joined(MergeMode::Max, false), [(1, 30), (2, 5), (3, 1)]);
        assert_eq!(joined(MergeMode::Average, false), [(1, 20), (2, 3), (3, 1)]);
        assert_eq!(joined(MergeMode::Sum, true), [(1, 40), (2, 0), (3, 1)]);
    }
}
