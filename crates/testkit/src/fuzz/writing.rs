//! Targets for everything that writes: changes of databases, writers, archives, interrupted
//! replacements. They work in temporary folders.

use std::collections::BTreeMap;
use std::io::Write as _;

use tabia_core::books::{Book, BookPosition};
use tabia_core::chess::Position;
use tabia_core::error::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, Recorder, Want};
use tabia_core::games::{Database, DatabaseEditor};
use tabia_core::io::{Blob, OutputSet, Progress, Source};
use tabia_core::loss::Feature;
use tabia_core::{BookFormat, GameFormat, Result};
use tabia_formats::archives::{self, ExtractOptions, NewMember};
use tabia_formats::{ARCHIVES, BOOKS, GAMES};

use super::file_set;
use super::reading::{extensions, format, game_format, options};
use crate::{Scratch, dump, tiny};

/// The files of a folder by name.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Scratch) -> Files {
    let read = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).expect("a file can be read");
        (name, bytes)
    };
    folder.names().into_iter().map(read).collect()
}

fn force() -> CreateOptions {
    let mut options = CreateOptions::default();
    options.force = true;
    options
}

/// The text of a game, or of the error.
fn record(database: &dyn Database, index: u32) -> String {
    let mut recorder = Recorder::new();
    let index = GameIndex(index);
    match database.reader().read(index, Want::ALL, &mut recorder) {
        Ok(_) => dump::game(index, &recorder.replace(Game::new())),
        Err(error) => error.kind().to_string(),
    }
}

/// Records that are compared.
const MAX_COMPARED: u32 = 30;

/// Changes the set in the input, as the byte before it states. If that is refused, no file has
/// changed; if not, all records but the changed ones are the same.
pub(super) fn edit(data: &[u8]) {
    let Some((&job, data)) = data.split_first() else {
        return;
    };
    let folder = Scratch::new("fuzz-edit");
    for (name, blob) in file_set::unpack(data, &extensions(format("cbh"))) {
        std::fs::write(folder.join(name), &*blob).expect("a file in memory");
    }
    let path = folder.join("fuzz.cbh");
    let games = game_format("cbh");
    let functions = games.edit.expect("it is changed");
    let Ok(source) = Source::from_path(&path) else {
        return;
    };
    let texts = |database: &dyn Database| -> Vec<String> {
        let count = database.len().min(MAX_COMPARED);
        (0..count).map(|index| record(database, index)).collect()
    };
    let Ok(old) = (games.open)(&source, &options()) else {
        return;
    };
    let (count, old_texts) = (old.len(), texts(&*old));
    drop(old);
    let before = files(&folder);
    let change = |editor: &mut dyn DatabaseEditor| -> Result<()> {
        match job % 4 {
            1 => editor.set_deleted(GameIndex(0), true),
            2 => editor.replace(GameIndex(0), &tiny::games()[0]).map(|_| ()),
            _ => editor.replace(GameIndex(1), &tiny::annotated()).map(|_| ()),
        }
    };
    let done = match job % 4 {
        0 => (functions.append)(&path, &CreateOptions::default()).and_then(|mut writer| {
            writer.write(&tiny::annotated())?;
            writer.finish()
        }),
        _ => (functions.open)(&source, &path, &force(), &options()).and_then(|mut editor| {
            change(&mut *editor)?;
            editor.finish()
        }),
    };
    drop(source);
    if let Err(error) = done {
        let _ = error.to_string();
        assert!(files(&folder) == before, "a file has changed: {error}");
        return;
    }
    let source = Source::from_path(&path).expect("the set is there");
    let new = (games.open)(&source, &OpenOptions::default()).expect("the set opens");
    assert_eq!(new.len(), count + u32::from(job % 4 == 0));
    let changed = match job % 4 {
        0 => None,
        1 | 2 => Some(0),
        _ => Some(1),
    };
    for (index, (old, new)) in old_texts.iter().zip(texts(&*new)).enumerate() {
        if Some(index) != changed {
            assert_eq!(*old, new, "record {index}");
        }
    }
}

/// Reads a set of the format that the first byte chooses with all that can be saved, and writes its
/// games to a new database of that format, which must be valid.
pub(super) fn salvage(data: &[u8]) {
    let written: Vec<&GameFormat> = GAMES
        .iter()
        .copied()
        .filter(|format| format.create.is_some())
        .collect();
    let Some((&choice, data)) = data.split_first() else {
        return;
    };
    let games = written[usize::from(choice) % written.len()];
    let all = extensions(format(games.file.id.as_str()));
    let members = file_set::unpack(data, &all);
    let Some(name) = members.first().map(|(name, _)| name.clone()) else {
        return;
    };
    let source = Source::from_members(&name, &name, members).expect("the first file is there");
    let mut options = options();
    options.salvage = true;
    let Ok(database) = (games.open)(&source, &options) else {
        return;
    };
    let mut reader = database.reader();
    let mut found = Vec::new();
    for index in (0..database.len().min(MAX_COMPARED)).map(GameIndex) {
        let mut recorder = Recorder::new();
        if reader.read(index, Want::ALL, &mut recorder).is_ok() {
            found.push(recorder.replace(Game::new()));
        }
    }
    write_to(games, &found);
}

/// Writes games to a new database, which has all of them and no problem.
fn write_to(format: &GameFormat, games: &[Game]) {
    let folder = Scratch::new("fuzz-write");
    let extension = format.file.extensions.first().expect("an extension");
    let path = folder.join(format!("new.{extension}"));
    let create = format.create.expect("it is written");
    let mut writer = create(&path, &CreateOptions::default()).expect("a new database");
    let mut written = 0;
    for game in games {
        // A game that is too large for the format is an error of its own.
        if let Ok(losses) = writer.write(game) {
            let is_left_out = [Feature::GuidingTexts, Feature::ChessGames];
            let is_left_out = is_left_out.iter().any(|&feature| losses.count(feature) > 0);
            written += u32::from(!is_left_out);
        }
    }
    writer.finish().expect("the database is completed");
    let source = Source::from_path(&path).expect("the database is there");
    let database = (format.open)(&source, &OpenOptions::default()).expect("the database opens");
    assert_eq!(database.len(), written, "{extension}");
    assert_eq!(database.info().problems, [""; 0], "{extension}");
    database.verify(&mut |problem| panic!("{extension}: {}", problem.error));
}

/// The games of a PGN text are written to every database; all of them are valid.
pub(super) fn database_writers(data: &[u8]) {
    let pgn = game_format("pgn");
    let members = vec![("fuzz.pgn".to_owned(), Blob::from(data.to_vec()))];
    let source = Source::from_members("fuzz.pgn", "fuzz.pgn", members).expect("it is there");
    let Ok(database) = (pgn.open)(&source, &options()) else {
        return;
    };
    let mut reader = database.reader();
    let games: Vec<Game> = (0..database.len().min(10))
        .filter_map(|index| {
            let mut recorder = Recorder::new();
            let read = reader.read(GameIndex(index), Want::ALL, &mut recorder);
            read.is_ok().then(|| recorder.replace(Game::new()))
        })
        .collect();
    for format in GAMES {
        if format.create.is_some() && format.create_text.is_none() {
            write_to(format, &games);
        }
    }
}

/// Extracts an archive: nothing appears outside the folder, and no file that was there changes unless
/// that is allowed.
pub(super) fn extract(data: &[u8]) {
    let outer = Scratch::new("fuzz-extract");
    let folder = outer.join("inner");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("games.pgn"), "kept").expect("a file");
    let members = vec![("fuzz.zip".to_owned(), Blob::from(data.to_vec()))];
    let source = Source::from_members("fuzz.zip", "fuzz.zip", members).expect("it is there");
    let Ok(Some(archive)) = archives::open_archive(&source, &options()) else {
        return;
    };
    let all: Vec<usize> = (0..archive.members().len().min(50)).collect();
    let mut extract = ExtractOptions::default();
    extract.hidden = data.len().is_multiple_of(2);
    let done = archives::extract(&*archive, &all, &folder, &extract, &Progress::new());
    assert_eq!(outer.names(), ["inner"], "a file outside the folder");
    assert_eq!(
        std::fs::read(folder.join("games.pgn")).expect("it is there"),
        b"kept"
    );
    if let Ok(done) = done {
        for path in done.files {
            assert!(
                path.starts_with(&folder) && path.exists(),
                "{}",
                path.display()
            );
        }
    }
}

/// Packs the pieces of an input into every kind of archive, which contains them again.
pub(super) fn archive_pack(data: &[u8]) {
    let Some((&count, data)) = data.split_first() else {
        return;
    };
    if data.is_empty() {
        return;
    }
    let size = data.len() / (usize::from(count % 5) + 1) + 1;
    let pieces: Vec<&[u8]> = data.chunks(size).collect();
    let members: Vec<NewMember> = pieces
        .iter()
        .enumerate()
        .map(|(number, piece)| {
            let bytes = Blob::from(piece.to_vec());
            NewMember::from_bytes(format!("{number}.bin"), bytes, None)
        })
        .collect();
    let folder = Scratch::new("fuzz-pack");
    for format in ARCHIVES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().expect("an extension");
        let path = folder.join(format!("new.{extension}"));
        let mut create = archives::CreateOptions::default();
        create.password = Some("password".to_owned());
        archives::create(format, &path, &members, &create).expect("an archive");
        let source = Source::from_path(&path).expect("the archive is there");
        let mut options = options();
        options.password = Some("password".to_owned());
        let archive = (format.open)(&source, &options).expect("the archive opens");
        assert_eq!(archive.members().len(), pieces.len(), "{extension}");
        for (index, piece) in pieces.iter().enumerate() {
            let bytes = archive.read(index).expect("a member");
            assert_eq!(*bytes, **piece, "{extension}");
        }
    }
}

/// The input as the record of an interrupted replacement: reading and writing in its folder changes no
/// file of another name.
pub(super) fn journal(data: &[u8]) {
    let folder = Scratch::new("fuzz-journal");
    let kept = [
        ("b.pgn", "other"),
        (".a.pgn.1-1.tmp", "new"),
        (".b.pgn.1-2.tmp", "new"),
    ];
    for (name, text) in kept {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let path = folder.join("a.pgn");
    std::fs::write(&path, "old").expect("a file");
    for name in [".a.pgn.replaced", ".b.pgn.replaced"] {
        std::fs::write(folder.join(name), data).expect("a file");
    }
    if let Ok(source) = Source::from_path(&path) {
        assert_eq!(*source.main().open().expect("it is there"), b"old"[..]);
    }
    let mut set = OutputSet::new(true);
    let number = set.create(&path).expect("a new file");
    let file = set.file(number).expect("a new file");
    file.write_all(b"written").expect("a new file");
    set.commit().expect("a new file");
    let found = files(&folder);
    assert_eq!(found["a.pgn"], b"written");
    assert_eq!(found["b.pgn"], b"other");
}

/// Positions that are visited in a book.
const MAX_POSITIONS: usize = 50;

/// The positions that a Polyglot book leads to are written to every kind of book, which has them.
pub(super) fn book_writers(data: &[u8]) {
    let polyglot = format("polyglot").book().expect("a format of books");
    let members = vec![("fuzz.bin".to_owned(), Blob::from(data.to_vec()))];
    let source = Source::from_members("fuzz.bin", "fuzz.bin", members).expect("it is there");
    let Ok(book) = (polyglot.open)(&source, &options()) else {
        return;
    };
    let found = walk(&*book);
    if found.is_empty() {
        return;
    }
    for format in BOOKS {
        write_book(format, &found);
    }
}

fn walk(book: &dyn Book) -> Vec<(Position, BookPosition)> {
    let mut found: Vec<(Position, BookPosition)> = Vec::new();
    let mut waiting = vec![Position::standard()];
    while let Some(position) = waiting.pop() {
        let mut page = BookPosition::default();
        let is_known = found.iter().any(|(other, _)| other.key() == position.key());
        if is_known || found.len() == MAX_POSITIONS {
            continue;
        }
        if book.probe(&position, &mut page).is_ok_and(|found| found) {
            page.entries.retain(|entry| entry.m.is_some());
            for m in page.entries.iter().filter_map(|entry| entry.m) {
                let mut next = position.clone();
                next.play(m);
                waiting.push(next);
            }
            if !page.entries.is_empty() {
                found.push((position, page));
            }
        }
    }
    found
}

fn write_book(format: &BookFormat, positions: &[(Position, BookPosition)]) {
    let folder = Scratch::new("fuzz-book");
    let extension = format.file.extensions.first().expect("an extension");
    let path = folder.join(format!("new.{extension}"));
    let mut writer = (format.create)(&path, &CreateOptions::default()).expect("a new book");
    for (position, page) in positions {
        writer.put(position, page).expect("a position");
    }
    writer.finish().expect("the book is completed");
    let main = folder
        .names()
        .into_iter()
        .find(|name| name.ends_with(extension));
    let main = main.expect("the book is there");
    let source = Source::from_path(&folder.join(main)).expect("the book is there");
    let book = (format.open)(&source, &OpenOptions::default()).expect("the book opens");
    assert_eq!(book.info().problems, [""; 0], "{extension}");
    for (position, page) in positions {
        let mut found = BookPosition::default();
        let is_found = book.probe(position, &mut found).expect("the book is read");
        assert!(is_found, "{extension}: {}", position.fen());
        for m in page.entries.iter().map(|entry| entry.m) {
            assert!(
                found.entries.iter().any(|entry| entry.m == m),
                "{extension}: {m:?} in {}",
                position.fen()
            );
        }
    }
}
