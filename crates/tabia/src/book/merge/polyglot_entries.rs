//! Merges Polyglot books entry by entry, in the order of their keys.

use std::path::Path;

use tabia_core::books::{BookSize, Learn};
use tabia_core::chess::Position;
use tabia_core::error::{Error, Result};
use tabia_core::external::DiskKeySet;
use tabia_core::io::{Progress, ProgressUnit};
use tabia_core::loss::Feature;
use tabia_formats::books::polyglot::{Entry, Header, PolyglotBook, PolyglotWriter};
use zerocopy::byteorder::big_endian::{U16, U64};

use super::weights::CombinedWeight;
use super::{MergeMode, MergeOptions, Merged};
use crate::book::sorted_polyglot_entries::{EntryRuns, EntryWriter, KeyMove, fitting_weight};

/// Merges the books.
pub(super) fn merge(
    books: &[PolyglotBook],
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged> {
    let header = merged_header(books);
    let mut out =
        EntryWriter::create(path, &options.create, header.as_ref()).map_err(Error::in_output)?;
    let mut runs = Vec::new();
    for book in books {
        runs.push(if options.only_legal {
            EntryRuns::legal(book, progress)?
        } else {
            EntryRuns::new(book, progress)?
        });
    }
    let entries = books.iter().map(|book| book.book_entries().len() as u64);
    progress.begin(ProgressUnit::Moves, entries.sum());
    let mut merged = Merged::default();
    let mut run = Vec::new();
    let mut moves: Vec<BookMove> = Vec::new();
    let mut combined: Vec<KeyMove> = Vec::new();
    while let Some(key) = runs.iter().filter_map(EntryRuns::key).min() {
        moves.clear();
        // Number of books that contain the position.
        let mut containing = 0;
        for (book, runs) in runs.iter_mut().enumerate() {
            if runs.key() != Some(key) {
                continue;
            }
            runs.take(&mut run);
            progress.advance(run.len() as u64, 0);
            containing += add_run(
                key,
                &run,
                book,
                containing,
                options,
                &mut moves,
                &mut merged,
            );
        }
        let lost = combine(&moves, containing, options, &mut combined);
        merged.losses.add(Feature::BookLearn, lost, None);
        out.put(key, &combined).map_err(Error::in_output)?;
        progress.check()?;
    }
    for runs in &runs {
        merged.fixes.add(runs.fixes);
    }
    let repeated = merged.fixes.learn_values;
    merged.losses.add(Feature::BookLearn, repeated, None);
    if !options.normalize {
        merged.scaled_positions = out.scaled;
    }
    merged.set_size(BookSize::new(out.positions, out.moves));
    merged.written = out.finish().map_err(Error::in_output)?;
    Ok(merged)
}

/// Adds the moves of `key` in a book; returns whether it counts, as 0 or 1. `containing`: number of books
/// before that contain the key.
fn add_run(
    key: u64,
    run: &[KeyMove],
    book: usize,
    containing: usize,
    options: &MergeOptions,
    moves: &mut Vec<BookMove>,
    merged: &mut Merged,
) -> usize {
    if run.is_empty() || (options.mode == MergeMode::Priority && containing > 0) {
        return 0;
    }
    let max = run.iter().map(|entry| entry.weight).max();
    merged.add_max_weight(book, key == Position::standard().key(), max);
    let scale = options.scale(book, max);
    moves.extend(run.iter().map(|entry| BookMove {
        bits: entry.bits,
        weight: f64::from(entry.weight) * scale,
        learn: entry.learn,
    }));
    1
}

/// Merges the keys of books, each with its number, that `done` does not contain, among books of other
/// formats.
pub(super) fn merge_rest(
    books: &[(usize, PolyglotBook)],
    done: &DiskKeySet,
    options: &MergeOptions,
    writer: &mut PolyglotWriter,
    merged: &mut Merged,
    progress: &Progress,
) -> Result<()> {
    let mut runs = Vec::new();
    for (number, book) in books {
        runs.push((*number, EntryRuns::new(book, progress)?));
    }
    let (mut run, mut moves, mut combined) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(key) = runs.iter().filter_map(|(_, runs)| runs.key()).min() {
        moves.clear();
        let mut containing = 0;
        let is_done = done.contains(key);
        for (book, runs) in &mut runs {
            if runs.key() != Some(key) {
                continue;
            }
            runs.take(&mut run);
            if !is_done {
                containing += add_run(key, &run, *book, containing, options, &mut moves, merged);
            }
        }
        let lost = combine(&moves, containing, options, &mut combined);
        merged.losses.add(Feature::BookLearn, lost, None);
        let max = combined.iter().map(|entry| entry.weight).max().unwrap_or(0);
        let is_scaled = max > u32::from(u16::MAX) && !options.normalize;
        merged.scaled_positions += u64::from(is_scaled);
        for entry in &combined {
            let pushed = writer.push(Entry {
                key: U64::new(key),
                move_bits: U16::new(entry.bits),
                weight: U16::new(fitting_weight(entry.weight, max) as u16),
                learn: entry.learn.to_bytes(),
            });
            pushed.map_err(Error::in_output)?;
        }
        progress.check()?;
    }
    for (_, runs) in &runs {
        merged
            .losses
            .add(Feature::BookLearn, runs.fixes.learn_values, None);
    }
    Ok(())
}

/// A move of one book, with its scaled weight.
struct BookMove {
    bits: u16,
    weight: f64,
    learn: Learn,
}

/// Combines the moves of one key from `books` books. Returns the number of `learn` values that are lost, because
/// another book has one of the move.
fn combine(
    moves: &[BookMove],
    books: usize,
    options: &MergeOptions,
    out: &mut Vec<KeyMove>,
) -> u64 {
    out.clear();
    let mut lost = 0;
    let mut weights: Vec<CombinedWeight> = Vec::new();
    for m in moves {
        let index = out.iter().position(|entry| entry.bits == m.bits);
        if let Some(index) = index
            && let (Some(entry), Some(weight)) = (out.get_mut(index), weights.get_mut(index))
        {
            options.combine(weight, m.weight);
            lost += u64::from(entry.take_learn(m.learn));
            continue;
        }
        out.push(KeyMove {
            bits: m.bits,
            weight: 0,
            learn: m.learn,
        });
        weights.push(CombinedWeight::new(m.weight));
    }
    for (entry, weight) in out.iter_mut().zip(weights) {
        entry.weight = options.merged_weight(weight, books);
    }
    lost
}

/// One header for all books: every variant once, and all comments.
fn merged_header(books: &[PolyglotBook]) -> Option<Header> {
    let mut merged: Option<Header> = None;
    for header in books.iter().filter_map(PolyglotBook::header) {
        let Some(merged) = &mut merged else {
            merged = Some(header.clone());
            continue;
        };
        for variant in &header.variants {
            if !merged.variants.contains(variant) {
                merged.variants.push(variant.clone());
            }
        }
        if !merged.comment.contains(&header.comment) {
            merged.comment = format!("{}\n{}", merged.comment, header.comment);
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(mode: MergeMode, zero_wins: bool) -> Vec<(u16, u32)> {
        let book_move = |bits, weight| BookMove {
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
        let moves = [
            book_move(1, 10.0),
            book_move(2, 0.0),
            book_move(1, 30.0),
            book_move(2, 5.0),
            book_move(3, 0.2),
        ];
        assert_eq!(combine(&moves, 2, &options, &mut out), 0);
        out.iter().map(|entry| (entry.bits, entry.weight)).collect()
    }

    #[test]
    fn weights_are_combined_by_mode() {
        assert_eq!(combined(MergeMode::Sum, false), [(1, 40), (2, 5), (3, 1)]);
        assert_eq!(combined(MergeMode::Max, false), [(1, 30), (2, 5), (3, 1)]);
        assert_eq!(
            combined(MergeMode::Average, false),
            [(1, 20), (2, 3), (3, 1)]
        );
        assert_eq!(combined(MergeMode::Sum, true), [(1, 40), (2, 0), (3, 1)]);
    }
}
