//! Changes of single moves; whole books as rows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, CompleteBook, Learn};
use tabia_core::chess::{Move, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, Nag};
use tabia_core::io::{Progress, Source, name_text};
use tabia_core::loss::{Feature, Losses};
use tabia_core::shell_argument::file_argument;
use tabia_core::{BookFormat, Error, Result};
use tabia_formats::books::MoveValues;
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
use super::walk::walk;
use crate::input::{InputItem, with_article};

/// Where a change is made.
#[derive(Debug, Clone)]
pub enum EditTarget {
    /// In a position.
    Board(Box<Position>, Move),
    /// In the position of a Polyglot key; the move as Polyglot's bits.
    Key(u64, u16),
}

/// The moves of a Polyglot book by their codes, which need not be legal; none of a book of another format.
#[doc(hidden)]
#[derive(Debug)]
pub struct StoredMoves(Option<PolyglotBook>);

impl StoredMoves {
    /// Those of an item.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn of(item: &InputItem, options: &OpenOptions) -> Result<Self> {
        let book = has_key_entries(item).then(|| open_polyglot(item, options));
        book.transpose().map(Self)
    }

    /// The positions of these keys: of the standard one, and of those that moves of the book reach. `None` of a book of
    /// another format.
    ///
    /// # Errors
    /// Those of the walk.
    pub fn positions(
        &self,
        keys: &HashSet<u64>,
        progress: &Progress,
    ) -> Result<Option<HashMap<u64, Position>>> {
        let Some(book) = &self.0 else {
            return Ok(None);
        };
        let start = Position::standard();
        let mut found = HashMap::new();
        let mut add = |position: &Position| {
            if keys.contains(&position.key()) {
                found.insert(position.key(), position.clone());
            }
            found.len()
        };
        if add(&start) < keys.len() {
            let stored = book.inspect().positions;
            walk(
                book,
                &[start],
                stored,
                progress,
                &mut |position, _, page| {
                    let mut count = add(position);
                    for m in page.entries.iter().filter_map(|entry| entry.m) {
                        let mut after = position.clone();
                        after.play(m);
                        count = add(&after);
                    }
                    Ok(if count < keys.len() {
                        Flow::Go
                    } else {
                        Flow::Stop
                    })
                },
            )?;
        }
        Ok(Some(found))
    }

    /// Whether the position of a key has an entry with this move.
    pub fn has(&self, key: u64, move_bits: u16) -> bool {
        let mut entries = self.0.iter().flat_map(|book| book.find(key));
        entries.any(|entry| entry.move_bits.get() == move_bits)
    }
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
/// the format cannot make, and for those that would only remove moves which the book does not have, or add moves
/// that it cannot hold: nothing is written then.
pub fn edit(
    item: &InputItem,
    changes: Vec<(EditTarget, Change)>,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let format = book_format(item)?;
    let mut changes = changes;
    let values = MoveValues::of(format);
    for (_, change) in &mut changes {
        if values.max_weight.is_none() && values.advice && change.advice == Some(Some(false)) {
            // Advice against a move is a weight of 0, which listings show next to it.
            change.weight = change.weight.filter(|weight| *weight > 0);
        }
        refuse_unheld(item, format, change)?;
    }
    if has_key_entries(item) {
        let book = open_polyglot(item, &options.open)?;
        return edit_entries(item, &book, changes, path, options, progress);
    }
    edit_pages(item, format, changes, path, options, progress)
}

/// Refuses a change that sets what the format does not hold of a move.
fn refuse_unheld(item: &InputItem, format: &BookFormat, change: &Change) -> Result<()> {
    if change.remove {
        return Ok(());
    }
    let values = MoveValues::of(format);
    match (change.weight, values.max_weight) {
        (Some(weight), Some(max)) if weight > max => {
            let text = format!(
                "weights of {} are from 0 to {max}, not {weight}",
                with_article(format.file.name)
            );
            return Err(Error::usage(text).with_hint(format!("`--weight {max}` is the most")));
        }
        (Some(weight), None) => {
            let name = item.name();
            let text = format!(
                "{name}: {} has no weights of moves",
                with_article(format.file.name)
            );
            let hint = if weight == 0 && values.advice {
                "`--advice avoid` marks a move that is not to be played".to_owned()
            } else {
                let bin = Path::new(&name).with_extension("bin");
                format!(
                    "`tabia book convert {} -o {}` makes a book that has weights",
                    file_argument(&name),
                    file_argument(&name_text(bin.as_os_str()))
                )
            };
            return Err(Error::usage(text).with_hint(hint));
        }
        _ => {}
    }
    if holds(values, change) {
        return Ok(());
    }
    let values = [
        (values.nags, "annotations"),
        (values.advice, "advice"),
        (values.comments, "comments"),
        (values.learn, "learn values"),
    ];
    let names = |is_held: bool| {
        let names = values.iter().filter(move |(held, _)| *held == is_held);
        names.map(|(_, name)| *name).collect::<Vec<_>>()
    };
    let mut held = names(true);
    if format.can.has(Feature::BookWeights) {
        held.insert(0, "weights");
    }
    let mut text = format!(
        "{}s hold no {} of moves",
        format.file.name,
        listed(&names(false), "or")
    );
    if !held.is_empty() {
        text = format!("{text}, only {}", listed(&held, "and"));
    }
    let error = Error::usage(text);
    Err(match holder_hint(item, change) {
        Some(hint) => error.with_hint(hint),
        None => error,
    })
}

/// Whether a format with these values holds what a change sets.
fn holds(values: MoveValues, change: &Change) -> bool {
    let holds_weight = |weight| values.max_weight.is_some_and(|max| weight <= max);
    change.weight.is_none_or(holds_weight)
        && (values.nags || change.nags.is_none())
        && (values.advice || change.advice.is_none())
        && (values.comments || change.comment.is_none())
        && (values.learn || change.learn.is_none())
}

/// `a, b and c`.
fn listed(names: &[&str], last: &str) -> String {
    match names {
        [rest @ .., end] if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        names => names.concat(),
    }
}

/// The command that makes a book of a format that holds what a change sets; `None` if there is no such format.
fn holder_hint(item: &InputItem, change: &Change) -> Option<String> {
    let holds = |format: &&BookFormat| holds(MoveValues::of(format), change);
    let format = tabia_formats::BOOKS.iter().copied().find(holds)?;
    let name = item.name();
    let target = Path::new(&name).with_extension(format.file.extensions.first()?);
    Some(format!(
        "`tabia book convert {} -o {}` makes a book that holds them",
        file_argument(&name),
        file_argument(&name_text(target.as_os_str()))
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
    let (positions, moves, scaled_positions) = (out.positions, out.moves, out.scaled);
    let mut losses = Losses::new();
    losses.add(Feature::BookLearn, runs.fixes.learn_values, None);
    Ok(Merged {
        edits,
        positions,
        moves,
        scaled_positions,
        fixes: runs.fixes,
        losses,
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
    let mut added = Vec::new();
    let mut put = |position: &Position, page: &BookPosition, merged: &mut Merged| {
        let mut known = page.clone();
        if keeps_links {
            let lost = drop_unknown_links(&**book, &mut known)?;
            merged.losses.add(Feature::GameLinks, lost, None);
        }
        let losses = writer.put(position, &known).map_err(Error::in_output)?;
        merged.losses.merge(&losses);
        Ok::<_, Error>(losses)
    };
    let counts = for_each_board(&**book, progress, &mut |position, page| {
        match by_key.remove(&position.key()) {
            Some(changes) => {
                let mut page = page.clone();
                for (_, m, change) in &changes {
                    if apply_to_page(&mut page, *m, change, &mut merged.edits) {
                        added.push((position.clone(), *m));
                    }
                }
                let losses = put(position, &page, &mut merged)?;
                refuse_lost_nags(format, &changes, &losses)?;
            }
            None => {
                put(position, page, &mut merged)?;
            }
        }
        Ok(Flow::Go)
    })?;
    // Positions that the book does not contain.
    for changes in by_key.into_values() {
        let mut page = BookPosition::default();
        let Some(position) = changes.first().map(|(position, ..)| position.clone()) else {
            continue;
        };
        for (_, m, change) in &changes {
            if apply_to_page(&mut page, *m, change, &mut merged.edits) {
                added.push((position.clone(), *m));
            }
        }
        if !page.entries.is_empty() {
            let losses = put(&position, &page, &mut merged)?;
            refuse_lost_nags(format, &changes, &losses)?;
        }
    }
    merged.edits.refuse_no_effect(item)?;
    merged.unreached = counts.unreached;
    let mut damage = book.damage()?;
    damage.extend(counts.problem());
    merged.damage.push(damage);
    let is_lost_at_once = merged.losses.count(Feature::BookMoves) > 0;
    let mut book = writer.complete().map_err(Error::in_output)?;
    let is_lost = is_lost_at_once || book.losses.count(Feature::BookMoves) > 0;
    if is_lost && !added.is_empty() {
        let unfit = moves_not_in(&mut book, format, &added, options)?;
        merged.edits.count_unfit(unfit.len());
        refuse_only_unfit(item, format, &unfit, merged.edits)?;
    }
    let book = book.commit().map_err(Error::in_output)?;
    merged.set_written(book);
    Ok(merged)
}

/// Which of the moves a new book does not have, as its files are read back.
fn moves_not_in<'m>(
    book: &mut CompleteBook,
    format: &BookFormat,
    moves: &'m [(Position, Move)],
    options: &MergeOptions,
) -> Result<Vec<&'m (Position, Move)>> {
    let mut files = Vec::new();
    while let Some(file) = book.files.file(files.len()) {
        let name = file.target().file_name().unwrap_or_default();
        files.push((name_text(name).into_owned(), file.read_back()?));
    }
    let main = files.first().map(|(name, _)| name.clone());
    let main = main.unwrap_or_default();
    let source = Source::from_members(&*main, &main, files)?;
    let book = (format.open)(&source, &options.open)?;
    let mut page = BookPosition::default();
    let mut missing = Vec::new();
    for added in moves {
        let (position, m) = added;
        let is_there = book.moves(position, &mut page)?
            && page.entries.iter().any(|entry| entry.m == Some(*m));
        if !is_there {
            missing.push(added);
        }
    }
    Ok(missing)
}

/// Refuses changes of which nothing is left without the moves that the format cannot hold.
fn refuse_only_unfit(
    item: &InputItem,
    format: &BookFormat,
    unfit: &[&(Position, Move)],
    edits: EditCounts,
) -> Result<()> {
    let Some((position, m)) = unfit.first() else {
        return Ok(());
    };
    if edits.changed + edits.added + edits.removed > 0 {
        return Ok(());
    }
    let name = item.name();
    let mut text = format!(
        "{name}: {} in {} cannot be added: {} has no code for such a move, or no line of it from the usual start leads \
         to the position",
        position.san(*m),
        position.fen(),
        with_article(format.file.name)
    );
    if let Some(others @ 1..) = unfit.len().checked_sub(1) {
        text = format!("{text}; nor can {others} more");
    }
    let holder = tabia_formats::BOOKS
        .iter()
        .find(|book| book.has_key_entries);
    let target = holder.and_then(|book| book.file.extensions.first());
    let target = Path::new(&name).with_extension(target.unwrap_or(&""));
    Err(Error::usage(text).with_hint(format!(
        "`tabia book convert {} -o {}` makes a book that holds any move of any position",
        file_argument(&name),
        file_argument(&name_text(target.as_os_str()))
    )))
}

/// Refuses NAGs that the format has no code for.
fn refuse_lost_nags(
    format: &BookFormat,
    changes: &[(Position, Move, Change)],
    losses: &Losses,
) -> Result<()> {
    let sets_nags = changes.iter().any(|(_, _, change)| change.nags.is_some());
    let is_lost = losses.iter().any(|(feature, _)| feature == Feature::Nags);
    if !sets_nags || !is_lost {
        return Ok(());
    }
    let text = format!(
        "{} cannot hold all these annotations: of a move it holds one on the move and one on the position after it",
        with_article(format.file.name)
    );
    Err(Error::usage(text))
}

/// Changes a move of a position; returns whether that adds it.
fn apply_to_page(
    page: &mut BookPosition,
    m: Move,
    change: &Change,
    edits: &mut EditCounts,
) -> bool {
    if change.remove {
        let before = page.entries.len();
        page.entries.retain(|entry| entry.m != Some(m));
        edits.count_removed(before - page.entries.len());
        return false;
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
    is_new
}
