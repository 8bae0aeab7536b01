//! Changes databases that can be changed: those of ChessBase.
//!
//! A copy is changed and read back before it takes its name, so that what was there is there until
//! the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::error::{Error, ErrorKind};
use tabia_core::formats::{CreateOptions, EditFunctions, OpenOptions};
use tabia_core::game::{Game, Want};
use tabia_core::games::{Database, DatabaseEditor, Written};
use tabia_core::io::Source;
use tabia_core::loss::Losses;

use crate::compare_with_repair::shared_record;
use crate::input::{InputItem, OpenInput};
use crate::media_copies::MediaCopies;
use crate::select::RecordRanges;
use crate::target::missing_feature;

/// What is changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// Marks records as deleted.
    Delete(RecordRanges),
    /// Takes the mark away.
    Restore(RecordRanges),
    /// Replaces a record by a game.
    Replace(GameIndex, Box<Game>),
}

/// How to change.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct EditOptions {
    /// How the database is opened.
    pub open: OpenOptions,
    /// How the copy is written; `force` lets it replace files, the input too.
    pub create: CreateOptions,
    /// A media file that the copy does not have is an error.
    pub strict: bool,
}

/// What was changed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Edited {
    /// Media files that were copied.
    pub media_copied: u64,
    /// Records that are not as they were.
    pub changed: u64,
    /// What of new games could not be kept.
    pub losses: Losses,
    /// The new files.
    pub written: Written,
}

fn editable(item: &InputItem) -> Result<(EditFunctions, &Source), Error> {
    let name = item.name();
    let Some(functions) = item.format().games().and_then(|format| format.edit) else {
        let format = item.format().name();
        let missing = missing_feature();
        let text = format!("{name}: records of this format ({format}) cannot be changed{missing}");
        return Err(Error::usage(text));
    };
    let text = format!("{name} is in an archive or compressed: it cannot be changed there");
    let source = item.source().ok_or(Error::usage(text))?;
    Ok((functions, source))
}

/// Refuses a database of which two records have the same moves: one of them has lost its own.
///
/// # Errors
/// That one; when it cannot be opened.
pub(crate) fn require_own_moves(item: &InputItem, open: &OpenOptions) -> Result<(), Error> {
    if let OpenInput::Database(database) = item.open(open, None)?.input
        && let Some(text) = shared_record(&*database)
    {
        return Err(Error::new(ErrorKind::Damaged(text)).in_file(item.label()));
    }
    Ok(())
}

/// Changes a copy of a database that will be called `path`.
///
/// # Errors
/// When the database cannot be opened or the copy cannot be written; a [usage error](Error::usage) for formats
/// that cannot be changed and for records that are not there.
pub fn edit(
    item: &InputItem,
    path: &Path,
    changes: &[Change],
    options: &EditOptions,
) -> Result<Edited, Error> {
    let (functions, source) = editable(item)?;
    require_own_moves(item, &options.open)?;
    let (media, create) = plan_media(item, path, options)?;
    let editor = (functions.open)(source, path, &create, &options.open);
    let mut editor = editor.map_err(|error| match error.kind() {
        ErrorKind::Damaged(_) => error.in_file(item.label()).in_output(),
        _ => error.in_output(),
    })?;
    let mut edited = Edited::default();
    // As the records were: one that is set to what it is does not change.
    let opened = item.open_indexed(&options.open)?;
    let OpenInput::Database(old) = &opened.input else {
        let text = format!("{} is no database", item.name());
        return Err(Error::unsupported(text));
    };
    let mut changed = BTreeSet::new();
    // Marks of records that are replaced; the editor marks those of the source only.
    let mut marks: BTreeMap<u32, bool> = BTreeMap::new();
    for change in changes {
        if let Change::Replace(index, _) = change {
            let was_deleted = old.entry(*index).is_ok_and(|entry| entry.deleted);
            marks.insert(index.0, was_deleted);
        }
    }
    for change in changes {
        let (numbers, deleted) = match change {
            Change::Delete(numbers) => (numbers, true),
            Change::Restore(numbers) => (numbers, false),
            Change::Replace(..) => continue,
        };
        for (number, mark) in &mut marks {
            if numbers.next_from(*number) == Some(*number) {
                *mark = deleted;
            }
        }
    }
    for change in changes {
        match change {
            Change::Delete(numbers) => mark(&mut *editor, &**old, numbers, true, &mut changed)?,
            Change::Restore(numbers) => mark(&mut *editor, &**old, numbers, false, &mut changed)?,
            Change::Replace(index, game) => {
                check(&*editor, *index)?;
                let mut game = game.with_current_tags();
                let deleted = game.head.deleted || marks.get(&index.0) == Some(&true);
                if game.head.deleted != deleted {
                    game.to_mut().head.deleted = deleted;
                }
                let mut losses = editor.replace(*index, &game).map_err(Error::in_output)?;
                losses.in_game(*index);
                edited.losses.merge(&losses);
                if !is_same_game(&**old, *index, &game) {
                    changed.insert(index.0);
                }
            }
        }
    }
    drop(opened);
    edited.changed = changed.len() as u64;
    edited.written = editor.finish().map_err(Error::in_output)?;
    edited.losses.merge(&edited.written.losses);
    copy_media(media, &create, options, &mut edited)?;
    Ok(edited)
}

/// Writes a copy of a database without its deleted records, holes and unused names.
///
/// # Errors
/// As [`edit`]; when `path` is the database itself.
pub fn pack_to(item: &InputItem, path: &Path, options: &EditOptions) -> Result<Edited, Error> {
    let (functions, source) = editable(item)?;
    let (media, create) = plan_media(item, path, options)?;
    let written = (functions.pack)(source, path, &create, &options.open);
    let mut edited = Edited {
        written: written.map_err(Error::in_output)?,
        ..Edited::default()
    };
    copy_media(media, &create, options, &mut edited)?;
    Ok(edited)
}

/// The media files that a copy with another name gets, and options with a transaction if it gets any.
///
/// # Errors
/// If any is lost and the options are strict.
fn plan_media(
    item: &InputItem,
    path: &Path,
    options: &EditOptions,
) -> Result<(MediaCopies, CreateOptions), Error> {
    let format = item.format().games();
    let target = format.map(|format| (format, path));
    let media = MediaCopies::plan(std::slice::from_ref(item), target, &mut |_, _| Ok(None))?;
    if options.strict {
        media.refuse()?;
    }
    let mut create = options.create.clone();
    if media.has_copies() {
        create.transaction.get_or_insert_default();
    }
    Ok((media, create))
}

fn copy_media(
    mut media: MediaCopies,
    create: &CreateOptions,
    options: &EditOptions,
    edited: &mut Edited,
) -> Result<(), Error> {
    if let Some(transaction) = &create.transaction {
        let (files, bytes) = media.write(transaction, &mut |error| Err(error))?;
        edited.written.files.extend(files);
        edited.written.bytes += bytes;
        if options.create.transaction.is_none() {
            transaction.commit().map_err(Error::in_output)?;
        }
    }
    let (copied, lost) = media.counts();
    edited.media_copied = copied;
    edited.losses.merge(&lost);
    Ok(())
}

fn check(editor: &dyn DatabaseEditor, index: GameIndex) -> Result<(), Error> {
    if index.0 < editor.len() {
        return Ok(());
    }
    let text = match editor.len() {
        0 => format!("there is no game {index}: it has no games"),
        last => format!("there is no game {index}; the last one is {last}"),
    };
    Err(Error::usage(text))
}

/// Whether a record is that game.
fn is_same_game(database: &dyn Database, index: GameIndex, game: &Game) -> bool {
    let mut old = Game::new();
    let read = database
        .reader()
        .read(index, Want::ALL, &mut old.recorder());
    read.is_ok() && old == *game
}

/// Marks records, or removes the marks; `changed` gets the numbers of those that are not as they were.
fn mark(
    editor: &mut dyn DatabaseEditor,
    old: &dyn Database,
    numbers: &RecordRanges,
    deleted: bool,
    changed: &mut BTreeSet<u32>,
) -> Result<(), Error> {
    // A range without an end runs to the last record, a number must be there.
    if let Some(last) = numbers.last().filter(|last| last.0 != u32::MAX - 1) {
        check(editor, last)?;
    }
    let mut from = 0;
    while let Some(index) = numbers
        .next_from(from)
        .filter(|&index| index < editor.len())
    {
        editor
            .set_deleted(GameIndex(index), deleted)
            .map_err(Error::in_output)?;
        let was_deleted = old.entry(GameIndex(index)).is_ok_and(|entry| entry.deleted);
        if was_deleted == deleted {
            changed.remove(&index);
        } else {
            changed.insert(index);
        }
        from = index + 1;
    }
    Ok(())
}
