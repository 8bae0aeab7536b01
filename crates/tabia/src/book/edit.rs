//! Changes of single moves; whole books as rows.

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, Learn};
use tabia_core::chess::{Move, Position};
use tabia_core::game::{Flow, Nag};
use tabia_core::io::Progress;
use tabia_core::loss::Feature;
use tabia_core::shell_argument::argument;
use tabia_core::{BookFormat, Error, Result};
use tabia_formats::books::polyglot::{PolyglotBook, encode_move};

use super::book_format;
pub use super::edit_counts::EditCounts;
use super::for_each_position::for_each_board;
pub use super::list_rows::{BookRow, rows};
use super::merge::{
    MergeOptions, Merged, create_options, drop_unknown_links, has_key_entries, keep_links,
    open_polyglot,
};
use super::sorted_polyglot_entries::{EntryRuns, EntryWriter, KeyMove};
use crate::input::InputItem;

/// Where a change is made.
#[derive(Debug, Clone)]
pub enum EditTarget {
    /// In a position.
    Board(Box<Position>, Move),
    /// In the position of a Polyglot key; the move as Polyglot's bits.
    Key(u64, u16),
}

/// What is changed of a move. `None` leaves it as it is; a move that the book does not have is
/// added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Whether the move is removed.
    pub remove: bool,
    /// The weight, at most 65535.
    pub weight: Option<u32>,
    /// The NAGs.
    pub nags: Option<Vec<Nag>>,
    /// The author's recommendation: to play the move (`true`), not to play it (`false`), or none.
    pub advice: Option<Option<bool>>,
    /// The comment; empty for none.
    pub comment: Option<String>,
    /// The `learn` value, in formats that have one.
    pub learn: Option<Learn>,
}

/// Copies a book with changes. The book is read to its end first, so it may be replaced.
///
/// # Errors
/// If the book cannot be read or the target not be written; a [usage error](Error::usage) for changes that
/// the format cannot make, and for those that would only remove moves which the book does not have: nothing
/// is written then.
pub fn edit(
    item: &InputItem,
    changes: Vec<(EditTarget, Change)>,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let weights = changes.iter().filter_map(|(_, change)| change.weight);
    if let Some(weight) = weights.max().filter(|max| *max > u32::from(u16::MAX)) {
        let text = format!("weights are from 0 to {}, not {weight}", u16::MAX);
        let hint = format!("`--weight {}` is the most", u16::MAX);
        return Err(Error::usage(text).with_hint(hint));
    }
    if has_key_entries(item) {
        let book = open_polyglot(item, &options.open)?;
        return edit_entries(item, &book, changes, path, options, progress);
    }
    let format = book_format(item)?;
    // Advice against a move is a weight of 0 in formats without weights.
    let sets_weight = |(_, change): &(_, Change)| change.weight.is_some_and(|weight| weight > 0);
    if !format.can.has(Feature::BookWeights) && changes.iter().any(sets_weight) {
        let text = format!(
            "{}: a {} has no weights of moves",
            item.name(),
            format.file.name
        );
        let bin = Path::new(&item.name()).with_extension("bin");
        return Err(Error::usage(text).with_hint(format!(
            "`tabia book convert {} -o {}` makes a book that has weights",
            argument(&item.name()),
            argument(&bin.display().to_string())
        )));
    }
    edit_pages(item, format, changes, path, options, progress)
}

/// The command that makes a book of a format that holds what a change sets; `None` if there is no such format.
fn holder_hint(item: &InputItem, change: &Change) -> Option<String> {
    let wanted = [
        (change.nags.is_some() || change.advice.is_some()).then_some(Feature::Nags),
        change.comment.is_some().then_some(Feature::Comments),
    ];
    let holds = |format: &&BookFormat| {
        let mut wanted = wanted.iter().flatten();
        wanted.all(|feature| format.can.has(*feature))
    };
    let format = tabia_formats::BOOKS.iter().copied().find(holds)?;
    let name = item.name();
    let target = Path::new(&name).with_extension(format.file.extensions.first()?);
    Some(format!(
        "`tabia book convert {} -o {}` makes a book that holds them",
        argument(&name),
        argument(&target.display().to_string())
    ))
}

fn edit_entries(
    item: &InputItem,
    book: &PolyglotBook,
    changes: Vec<(EditTarget, Change)>,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let mut by_key: BTreeMap<u64, Vec<(u16, Change)>> = BTreeMap::new();
    for (at, change) in changes {
        if change.nags.is_some() || change.comment.is_some() || change.advice.is_some() {
            let text = "Polyglot books hold no annotations, advice or comments";
            let error = Error::usage(text);
            return Err(match holder_hint(item, &change) {
                Some(hint) => error.with_hint(hint),
                None => error,
            });
        }
        let (key, bits) = match at {
            EditTarget::Board(position, m) => (position.key(), encode_move(m)),
            EditTarget::Key(key, bits) => (key, bits),
        };
        by_key.entry(key).or_default().push((bits, change));
    }
    let mut out =
        EntryWriter::create(path, &options.create, book.header()).map_err(Error::in_output)?;
    let mut runs = EntryRuns::new(book, progress)?;
    let mut run = Vec::new();
    let mut edits = EditCounts::default();
    loop {
        let next = [runs.key(), by_key.first_key_value().map(|(key, _)| *key)];
        let Some(key) = next.into_iter().flatten().min() else {
            break;
        };
        progress.check().map_err(Error::in_output)?;
        run.clear();
        if runs.key() == Some(key) {
            runs.take(&mut run);
        }
        for (bits, change) in by_key.remove(&key).unwrap_or_default() {
            apply(&mut run, bits, &change, &mut edits);
        }
        out.put(key, &run).map_err(Error::in_output)?;
    }
    edits.refuse_no_effect(item)?;
    let (positions, moves) = (out.positions, out.moves);
    Ok(Merged {
        edits,
        positions,
        moves,
        fixes: runs.fixes,
        written: out.finish().map_err(Error::in_output)?,
        ..Merged::default()
    })
}

fn apply(run: &mut Vec<KeyMove>, bits: u16, change: &Change, edits: &mut EditCounts) {
    if change.remove {
        let before = run.len();
        run.retain(|entry| entry.bits != bits);
        edits.count_removed(before - run.len());
        return;
    }
    let is_new = !run.iter().any(|entry| entry.bits == bits);
    if is_new {
        run.push(KeyMove {
            bits,
            weight: 1,
            learn: Learn::ZERO,
        });
    }
    for entry in run.iter_mut().filter(|entry| entry.bits == bits) {
        let before = (entry.weight, entry.learn);
        entry.weight = change.weight.unwrap_or(entry.weight);
        entry.learn = change.learn.unwrap_or(entry.learn);
        edits.count_set(is_new, before != (entry.weight, entry.learn));
    }
}

fn edit_pages(
    item: &InputItem,
    format: &'static BookFormat,
    changes: Vec<(EditTarget, Change)>,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let mut by_key: BTreeMap<u64, Vec<(Position, Move, Change)>> = BTreeMap::new();
    for (at, change) in changes {
        let EditTarget::Board(position, m) = at else {
            let text = format!("{} needs the FEN of each position", format.file.name);
            return Err(Error::usage(text));
        };
        let list = by_key.entry(position.key()).or_default();
        list.push((*position, m, change));
    }
    let books = [super::open(item, &options.open)?];
    let create = create_options(&books, format, &options.create);
    let [book] = &books;
    let mut writer = (format.create)(path, &create).map_err(Error::in_output)?;
    let keeps_links = keep_links(&books, &mut *writer)?;
    let mut merged = Merged::default();
    let mut put = |position: &Position, page: &BookPosition, merged: &mut Merged| {
        let mut known = page.clone();
        if keeps_links {
            let lost = drop_unknown_links(&**book, &mut known)?;
            merged.losses.add(Feature::GameLinks, lost, None);
        }
        let page = &known;
        let losses = writer.put(position, page).map_err(Error::in_output)?;
        merged.losses.merge(&losses);
        Ok::<_, Error>(())
    };
    let counts = for_each_board(&**book, progress, &mut |position, page| {
        match by_key.remove(&position.key()) {
            Some(changes) => {
                let mut page = page.clone();
                for (_, m, change) in changes {
                    apply_to_page(&mut page, m, &change, &mut merged.edits);
                }
                put(position, &page, &mut merged)?;
            }
            None => put(position, page, &mut merged)?,
        }
        Ok(Flow::Go)
    })?;
    // Positions that the book does not contain.
    for changes in by_key.into_values() {
        let mut page = BookPosition::default();
        let Some(position) = changes.first().map(|(position, ..)| position.clone()) else {
            continue;
        };
        for (_, m, change) in changes {
            apply_to_page(&mut page, m, &change, &mut merged.edits);
        }
        if !page.entries.is_empty() {
            put(&position, &page, &mut merged)?;
        }
    }
    merged.edits.refuse_no_effect(item)?;
    merged.unreached = counts.unreached;
    let mut damage = book.damage()?;
    damage.extend(counts.problem());
    merged.damage.push(damage);
    let book = writer.finish().map_err(Error::in_output)?;
    (merged.positions, merged.moves) = (book.size.positions, book.size.moves);
    merged.losses.merge(&book.losses);
    merged.written = book.written;
    Ok(merged)
}

fn apply_to_page(page: &mut BookPosition, m: Move, change: &Change, edits: &mut EditCounts) {
    if change.remove {
        let before = page.entries.len();
        page.entries.retain(|entry| entry.m != Some(m));
        edits.count_removed(before - page.entries.len());
        return;
    }
    let is_new = !page.entries.iter().any(|entry| entry.m == Some(m));
    if is_new {
        page.entries.push(BookEntry::new(m));
    }
    for entry in page.entries.iter_mut().filter(|entry| entry.m == Some(m)) {
        let before = entry.clone();
        if let Some(advice) = change.advice {
            // Weight 0 comes from advice against the move.
            let was_against = std::mem::replace(&mut entry.recommended, advice) == Some(false);
            if was_against && advice != Some(false) && entry.weight == Some(0) {
                entry.weight = None;
            }
        }
        entry.weight = change.weight.or(entry.weight);
        entry.learn = change.learn.or(entry.learn);
        if let Some(nags) = &change.nags {
            entry.nags.clone_from(nags);
        }
        if let Some(comment) = &change.comment {
            entry.comment = Some(comment.clone()).filter(|comment| !comment.is_empty());
        }
        edits.count_set(is_new, before != *entry);
    }
}
