//! What must be true before a changed set replaces the old one, and which bytes of it may change.
#![allow(clippy::big_endian_bytes, reason = "tests change fields of files")]

use std::path::{Path, PathBuf};

use tabia_core::error::ErrorKind;
use tabia_core::game::GameResult;
use tabia_testkit::Scratch;
use tabia_testkit::tiny::GameBuilder;
use zerocopy::IntoBytes;

use super::*;
use crate::games::cbh::records::{FileHeader, GameRecord, U24};
use crate::games::cbh::write::create;
use tabia_core::io::Charset;

const SHORT: &str = "e4 e5";
const MEDIUM: &str = "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7";
const LONG: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8";

fn game(white: &str, moves: &str, comment: &str) -> Game {
    let game = GameBuilder::new().tag("White", white).moves(moves);
    let game = if comment.is_empty() {
        game
    } else {
        game.comment(comment)
    };
    game.result(GameResult::Draw)
}

fn write(path: &Path, games: &[Game], options: &CreateOptions) {
    let mut writer = create(path, options).unwrap();
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
}

/// Three games; the second has the longest record.
fn set(folder: &Scratch) -> PathBuf {
    let path = folder.join("a.cbh");
    let games = [
        game("First", MEDIUM, "a comment"),
        game("Second", LONG, "a comment that is the longest of all"),
        game("Third", MEDIUM, "a comment"),
    ];
    write(&path, &games, &CreateOptions::default());
    path
}

fn force() -> CreateOptions {
    let mut options = CreateOptions::default();
    options.force = true;
    options
}

fn editor(path: &Path) -> Editor {
    let source = Source::from_path(path).unwrap();
    Editor::new(&source, path, &force(), &OpenOptions::default()).unwrap()
}

fn open_set(path: &Path) -> CbhDatabase {
    CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap()
}

fn read(db: &CbhDatabase, index: u32) -> Game {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _: Flow = db
        .reader()
        .read(GameIndex(index), Want::ALL, &mut recorder)
        .unwrap();
    game
}

fn offsets(db: &CbhDatabase, index: u32) -> (u64, u64) {
    let index = GameIndex(index);
    let offsets = db.offsets(index, db.record(index).unwrap());
    (offsets.moves_at, offsets.annotations_at)
}

fn files(folder: &Scratch) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| (std::fs::read(folder.join(&name)).unwrap(), name);
    let names = folder.names().into_iter().map(read);
    names.map(|(bytes, name)| (name, bytes)).collect()
}

fn header_of(db: &CbhDatabase, index: u32) -> GameRecord {
    match db.record(GameIndex(index)) {
        Some(Record::Game(game)) => *game,
        other => panic!("{other:?}"),
    }
}

/// Changes bytes of a file.
fn patch(path: &Path, extension: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let path = path.with_extension(extension);
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(&path, bytes).unwrap();
}

/// Lets a game refer to other offsets of `.cbg` and `.cba`.
fn set_offsets(path: &Path, index: u32, moves_at: u64, annotations_at: u64) {
    let at = FileHeader::SIZE * (index as usize + 1);
    patch(path, "cbh", |bytes| {
        bytes[at + 1..at + 5].copy_from_slice(&(moves_at as u32).to_be_bytes());
        bytes[at + 5..at + 9].copy_from_slice(&(annotations_at as u32).to_be_bytes());
    });
    let at = 32 + 120 * index as usize;
    patch(path, "cbj", |bytes| {
        bytes[at + 12..at + 20].copy_from_slice(&annotations_at.to_be_bytes());
        bytes[at + 30..at + 38].copy_from_slice(&moves_at.to_be_bytes());
    });
}

/// Finishing fails, and no file has changed.
fn assert_refused(folder: &Scratch, before: &[(String, Vec<u8>)], editor: Editor, text: &str) {
    let error = editor.finish().unwrap_err().to_string();
    assert!(error.contains(text), "{error}");
    assert!(files(folder) == before, "a file has changed");
}

#[test]
fn a_copy_that_refers_to_missing_names_does_not_replace_the_set() {
    let folder = Scratch::new("edit-names");
    let path = set(&folder);
    let before = files(&folder);
    let mut editor = editor(&path);
    editor.append(&game("Fourth", SHORT, "")).unwrap();
    let mut wrong = header_of(&editor.db, 0);
    wrong.white = U24::new(5000);
    editor
        .writer
        .files()
        .put_header(1, wrong.as_bytes())
        .unwrap();
    assert_refused(&folder, &before, editor, "number 5000");
}

#[test]
fn old_damage_is_tolerated_and_new_damage_is_not() {
    let folder = Scratch::new("edit-damage");
    let path = set(&folder);
    // The annotations of the first game are marked as those of another.
    let (_, at) = offsets(&open_set(&path), 0);
    patch(&path, "cba", |bytes| bytes[at as usize + 2] = 3);
    let mut first = editor(&path);
    first.append(&game("Fourth", SHORT, "")).unwrap();
    first.finish().unwrap();
    assert_eq!(open_set(&path).len(), 4);
    let before = files(&folder);
    let mut second = editor(&path);
    let mut wrong = header_of(&second.db, 2);
    wrong.black = U24::new(5000);
    second
        .writer
        .files()
        .put_header(3, wrong.as_bytes())
        .unwrap();
    let error = second.finish().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotInFile(_)), "{error}");
    assert!(files(&folder) == before);
}

/// The change repairs more damage than the copy has.
#[test]
fn new_damage_is_found_where_old_damage_is_gone() {
    let folder = Scratch::new("edit-other-damage");
    let path = set(&folder);
    let (moves_at, annotations_at) = offsets(&open_set(&path), 0);
    set_offsets(&path, 2, moves_at, annotations_at);
    let before = files(&folder);
    // Another record than before has the offset of the first game, or the record that was written.
    for (number, annotations_at, text) in [
        (2, 0, "runs into that of game 1"),
        (3, annotations_at, "as those of game 1"),
    ] {
        let mut editor = editor(&path);
        let new = game("New", LONG, "");
        editor.replace(GameIndex(2), &new).unwrap();
        let mut wrong = header_of(&open_set(&path), number - 1);
        wrong.moves_at.set(moves_at as u32);
        wrong.annotations_at.set(annotations_at as u32);
        let files = editor.writer.files();
        files.put_header(number, wrong.as_bytes()).unwrap();
        assert_refused(&folder, &before, editor, text);
    }
}

/// The damage of an old record is now that of a record that was written.
#[test]
fn old_damage_with_a_new_record_is_found() {
    let folder = Scratch::new("edit-old-with-new");
    let path = set(&folder);
    let (moves_at, annotations_at) = offsets(&open_set(&path), 0);
    set_offsets(&path, 2, moves_at, annotations_at);
    let before = files(&folder);
    let mut editor = editor(&path);
    let new = game("First", MEDIUM, "a comment");
    editor.replace(GameIndex(0), &new).unwrap();
    let mut wrong = header_of(&open_set(&path), 0);
    wrong.moves_at.set(moves_at as u32);
    wrong.annotations_at.set(annotations_at as u32);
    let written = editor.writer.files();
    written.put_header(1, wrong.as_bytes()).unwrap();
    assert_refused(&folder, &before, editor, "runs into that of game 1");
}

/// A record that nothing wrote, in a set whose other damage the change repairs.
#[test]
fn the_number_of_records_is_compared() {
    let folder = Scratch::new("edit-count");
    let path = set(&folder);
    let (moves_at, annotations_at) = offsets(&open_set(&path), 0);
    set_offsets(&path, 2, moves_at, annotations_at);
    let before = files(&folder);
    let mut editor = editor(&path);
    editor
        .replace(GameIndex(2), &game("New", LONG, ""))
        .unwrap();
    editor.writer.files().records += 1;
    assert_refused(&folder, &before, editor, "instead of 4");
}

/// The moves at an offset of `.cbg` are overwritten by those of the first game.
fn overwrite_moves(editor: &mut Editor, at: u64) {
    let file = editor.db.companions().moves.clone().unwrap();
    let start = header_of(&editor.db, 0).moves_at.get() as usize;
    let size = MovesHead::read(&file[start..]).unwrap().size.get() as usize;
    let record = file[start..start + size].to_vec();
    let span = FreeSpan {
        at,
        size: size as u64,
    };
    let written = editor.writer.files().put_moves(&record, Some(span));
    assert_eq!(written.unwrap(), at);
}

#[test]
fn appended_and_replaced_games_are_read_back() {
    let folder = Scratch::new("edit-moves");
    let path = set(&folder);
    let before = files(&folder);
    let end = std::fs::metadata(path.with_extension("cbg")).unwrap().len();
    for is_appended in [true, false] {
        let mut editor = editor(&path);
        let long = format!("{LONG} d4 Nbd7");
        let new = game("New", &long, "");
        if is_appended {
            editor.append(&new).unwrap();
        } else {
            editor.replace(GameIndex(2), &new).unwrap();
        }
        overwrite_moves(&mut editor, end);
        assert_refused(&folder, &before, editor, "8 plies in a game");
    }
}

#[test]
fn smaller_records_keep_their_offsets_and_larger_ones_go_to_the_end() {
    let folder = Scratch::new("edit-offsets");
    let path = set(&folder);
    let old = open_set(&path);
    let sizes = |extension| {
        std::fs::metadata(path.with_extension(extension))
            .unwrap()
            .len()
    };
    let (moves_end, annotations_end) = (sizes("cbg"), sizes("cba"));
    let others = [read(&old, 0), read(&old, 2)];
    let (moves_at, annotations_at) = offsets(&old, 1);
    drop(old);

    let mut smaller = editor(&path);
    let small = game("Small", SHORT, "short");
    smaller.replace(GameIndex(1), &small).unwrap();
    smaller.finish().unwrap();
    let db = open_set(&path);
    assert_eq!(offsets(&db, 1), (moves_at, annotations_at));
    assert_eq!((sizes("cbg"), sizes("cba")), (moves_end, annotations_end));
    assert_eq!(read(&db, 1).head.tags.text("White"), "Small");
    assert!(read(&db, 0) == others[0] && read(&db, 2) == others[1]);
    drop(db);

    // The record that ends the file keeps its offset too.
    let last = offsets(&open_set(&path), 2);
    let mut ending = editor(&path);
    ending.replace(GameIndex(2), &others[1]).unwrap();
    ending.finish().unwrap();
    assert_eq!(offsets(&open_set(&path), 2), last);
    assert_eq!((sizes("cbg"), sizes("cba")), (moves_end, annotations_end));

    // Equal sizes: the offset stays too.
    let mut equal = editor(&path);
    equal
        .replace(GameIndex(1), &game("Equal", SHORT, "equal"))
        .unwrap();
    equal.finish().unwrap();
    assert_eq!(offsets(&open_set(&path), 1), (moves_at, annotations_at));

    let mut larger = editor(&path);
    let long = "the annotations and the moves are longer than all before";
    larger
        .replace(GameIndex(0), &game("Large", LONG, long))
        .unwrap();
    larger.finish().unwrap();
    let db = open_set(&path);
    assert_eq!(offsets(&db, 0), (moves_end, annotations_end));
    assert!(sizes("cbg") > moves_end && sizes("cba") > annotations_end);
    assert_eq!(read(&db, 0).head.tags.text("White"), "Large");
    assert_eq!(read(&db, 1).head.tags.text("White"), "Equal");
    assert!(read(&db, 2).events().eq(others[1].events()));
    drop(db);

    // A game without annotations leaves a gap in the file of annotations only.
    let last = offsets(&open_set(&path), 2);
    let mut bare = editor(&path);
    bare.replace(GameIndex(2), &game("Bare", SHORT, ""))
        .unwrap();
    bare.finish().unwrap();
    let db = open_set(&path);
    assert_eq!(offsets(&db, 2), (last.0, 0));
    let found: Vec<String> = crate::games::cbh::verify::verify(&db)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn records_that_two_games_share_are_not_overwritten() {
    let folder = Scratch::new("edit-shared");
    for replaced in [0, 2] {
        for extension in files(&folder) {
            std::fs::remove_file(folder.join(extension.0)).unwrap();
        }
        let path = set(&folder);
        let (moves_at, annotations_at) = offsets(&open_set(&path), 0);
        set_offsets(&path, 2, moves_at, annotations_at);
        let other = 2 - replaced;
        let kept = read(&open_set(&path), other);
        let mut editor = editor(&path);
        let small = game("Small", SHORT, "short");
        editor.replace(GameIndex(replaced), &small).unwrap();
        editor.finish().unwrap();
        let db = open_set(&path);
        assert!(read(&db, other) == kept, "the other game has changed");
        assert_eq!(read(&db, replaced).ply_count(), 2);
        assert_ne!(offsets(&db, replaced), (moves_at, annotations_at));
    }
}

/// A set whose second game refers to a record inside that of the first one.
fn nested_set(folder: &Scratch) -> PathBuf {
    let path = set(folder);
    let db = open_set(&path);
    let (outer, outer_annotations) = offsets(&db, 0);
    let (inner, inner_annotations) = offsets(&db, 1);
    drop(db);
    // The size of the first record is made that of both.
    let end = |path: &Path, extension: &str, at: u64, size_at: usize, width: usize| {
        let bytes = std::fs::read(path.with_extension(extension)).unwrap();
        let field = &bytes[at as usize + size_at..][..width];
        let size = field
            .iter()
            .fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        at + size
    };
    let moves_size = end(&path, "cbg", inner, 1, 3) - outer;
    let annotations_size = end(&path, "cba", inner_annotations, 10, 4) - outer_annotations;
    patch(&path, "cbg", |bytes| {
        let field = &mut bytes[outer as usize + 1..][..3];
        field.copy_from_slice(&moves_size.to_be_bytes()[5..]);
    });
    patch(&path, "cba", |bytes| {
        let field = &mut bytes[outer_annotations as usize + 10..][..4];
        field.copy_from_slice(&annotations_size.to_be_bytes()[4..]);
    });
    path
}

#[test]
fn records_that_overlap_others_are_not_overwritten() {
    let folder = Scratch::new("edit-nested");
    for replaced in [0, 1] {
        for (name, _) in files(&folder) {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
        let path = nested_set(&folder);
        let bytes = |extension| std::fs::read(path.with_extension(extension)).unwrap();
        let old = [bytes("cbg"), bytes("cba")];
        let before = offsets(&open_set(&path), replaced);
        let mut editor = editor(&path);
        editor
            .replace(GameIndex(replaced), &game("Small", SHORT, "short"))
            .unwrap();
        editor.finish().unwrap();
        let after = offsets(&open_set(&path), replaced);
        assert!(before.0 != after.0 && before.1 != after.1, "{after:?}");
        // Apart from the header, which states the size, the old bytes are unchanged.
        for (old, new) in old.iter().zip([bytes("cbg"), bytes("cba")]) {
            assert!(new.len() > old.len());
            assert!(new[26..old.len()] == old[26..], "game {replaced}");
        }
    }
}

#[test]
fn saves_keep_the_creation_time_and_count() {
    let folder = Scratch::new("edit-created");
    let path = folder.join("a.cbh");
    let mut options = CreateOptions::default();
    options.now = 1_700_000_000;
    write(&path, &[game("First", LONG, "")], &options);
    let extended = || open_set(&path).extended(GameIndex(0)).unwrap().0;
    let old = extended();
    assert!(old.created.get() > 0);
    assert_eq!(old.version.get(), 1);
    let mut editor = editor(&path);
    editor
        .replace(GameIndex(0), &game("First", SHORT, ""))
        .unwrap();
    editor.finish().unwrap();
    let new = extended();
    assert_eq!(new.created, old.created);
    assert_eq!(new.version.get(), 2);
}

#[test]
fn only_old_records_are_marked_and_replaced_in_their_spans() {
    let folder = Scratch::new("edit-new");
    let path = set(&folder);
    let mut editor = editor(&path);
    assert!(!editor.is_empty());
    assert_eq!(editor.len(), 3);
    assert!(editor.replace(GameIndex(3), &game("X", SHORT, "")).is_err());
    editor.append(&game("Fourth", MEDIUM, "a comment")).unwrap();
    assert_eq!(editor.len(), 4);
    assert!(editor.set_deleted(GameIndex(3), true).is_err());
    editor
        .replace(GameIndex(0), &game("First", LONG, ""))
        .unwrap();
    assert!(editor.set_deleted(GameIndex(0), true).is_err());
    // Records that were just written are replaced too.
    for moves in [MEDIUM, SHORT, LONG] {
        editor
            .replace(GameIndex(0), &game("Again", moves, "x"))
            .unwrap();
        editor
            .replace(GameIndex(3), &game("Fifth", moves, "x"))
            .unwrap();
    }
    editor.set_deleted(GameIndex(1), true).unwrap();
    editor.finish().unwrap();
    let db = open_set(&path);
    let names: Vec<String> = (0..db.len())
        .map(|index| read(&db, index).head.tags.text("White").to_owned())
        .collect();
    assert_eq!(names, ["Again", "Second", "Third", "Fifth"]);
    assert_eq!(read(&db, 0).ply_count(), 18);
    assert_eq!(read(&db, 3).ply_count(), 18);
    assert!(read(&db, 1).head.deleted && !read(&db, 0).head.deleted);

    let empty = folder.join("empty.cbh");
    write(&empty, &[], &CreateOptions::default());
    assert!(self::editor(&empty).is_empty());
}

/// A game with one text that is not ASCII.
fn named(tag: &str, value: &str) -> Game {
    GameBuilder::new()
        .tag("White", "Plain")
        .tag(tag, value)
        .moves(SHORT)
        .result(GameResult::Draw)
}

#[test]
fn new_names_have_the_character_set_of_the_old_ones() {
    let contains = |path: &Path, bytes: &[u8]| {
        let file = std::fs::read(path.with_extension("cbp")).unwrap();
        file.windows(bytes.len()).any(|window| window == bytes)
    };
    let (latin, utf8) = (&b"Schr\xf6der"[..], "Schröder".as_bytes());
    for (tag, value) in [
        ("Black", "Müller"),
        ("Black", "Muller, Jürgen"),
        ("Event", "Zürich"),
        ("Site", "Zürich"),
        ("Annotator", "Müller"),
    ] {
        for (old, given, is_latin) in [
            ("cp1252", "auto", true),
            ("utf-8", "auto", false),
            ("cp1252", "utf-8", false),
            ("utf-8", "cp1252", true),
        ] {
            let folder = Scratch::new("edit-charset");
            let path = folder.join("a.cbh");
            let mut options = CreateOptions::default();
            options.charset = Charset::parse(old).unwrap();
            write(&path, &[named(tag, value)], &options);
            let mut options = force();
            options.charset = Charset::parse(given).unwrap();
            let mut writer = append(&path, &options).unwrap();
            writer.write(&game("Schröder", SHORT, "")).unwrap();
            writer.finish().unwrap();
            let what = format!("{tag} {value} in {old}, added as {given}");
            assert_eq!(contains(&path, latin), is_latin, "{what}");
            assert_eq!(contains(&path, utf8), !is_latin, "{what}");
            assert_eq!(
                read(&open_set(&path), 0).head.tags.text(tag),
                value,
                "{what}"
            );
        }
    }
}

#[test]
fn sets_of_two_character_sets_are_continued_in_that_of_most_names() {
    let folder = Scratch::new("edit-charsets");
    let path = folder.join("a.cbh");
    let mut options = CreateOptions::default();
    options.charset = Charset::parse("cp1252").unwrap();
    write(&path, &[named("Black", "Müller")], &options);
    let add = |name: &str, charset: &str| {
        let mut options = force();
        options.charset = Charset::parse(charset).unwrap();
        let mut writer = append(&path, &options).unwrap();
        writer.write(&named("Black", name)).unwrap();
        writer.finish().unwrap();
        let file = std::fs::read(path.with_extension("cbp")).unwrap();
        file.windows(name.len())
            .any(|window| window == name.as_bytes())
    };
    // One in cp1252, one in UTF-8, then the undecided case: UTF-8.
    assert!(add("Jörg", "utf-8"));
    assert!(add("Gödel", "auto"));
}

/// Old and new files next to each other would be two sets in one.
#[cfg(target_os = "linux")]
#[test]
fn files_with_names_in_another_case_keep_their_names() {
    let folder = Scratch::new("edit-case");
    let path = set(&folder);
    let before = read(&open_set(&path), 1);
    std::fs::rename(path.with_extension("cbg"), path.with_extension("CBG")).unwrap();
    let names = |files: Vec<(String, Vec<u8>)>| -> Vec<String> {
        files.into_iter().map(|(name, _)| name).collect()
    };
    let old = names(files(&folder));
    editor(&path).finish().unwrap();
    append(&path, &force()).unwrap().finish().unwrap();
    assert_eq!(names(files(&folder)), old);
    assert!(read(&open_set(&path), 1) == before);
}

/// Whether a writer has the lock of the set.
#[cfg(unix)]
fn is_locked(path: &Path) -> bool {
    let file = std::fs::File::open(path).unwrap();
    matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

#[cfg(unix)]
#[test]
fn a_set_is_locked_while_it_is_edited() {
    let folder = Scratch::new("edit-lock");
    let path = set(&folder);
    assert!(!is_locked(&path));
    let open = editor(&path);
    assert!(is_locked(&path));
    drop(open);
    assert!(!is_locked(&path));
    let writer = append(&path, &force()).unwrap();
    assert!(is_locked(&path));
    drop(writer);
    // The same file under another name of its folder.
    std::fs::create_dir(folder.join("inner")).unwrap();
    let again = folder.join("inner/../a.cbh");
    let source = Source::from_path(&path).unwrap();
    let edit = |target: &Path| Editor::new(&source, target, &force(), &OpenOptions::default());
    let open = edit(&again).unwrap();
    assert!(is_locked(&path));
    drop(open);
    // A copy leaves the set as it is.
    let open = edit(&folder.join("b.cbh")).unwrap();
    assert!(!is_locked(&path));
    drop(open);
}

#[test]
fn a_set_that_was_replaced_meanwhile_is_read_again() {
    let folder = Scratch::new("edit-replaced");
    let path = set(&folder);
    let source = Source::from_path(&path).unwrap();
    let new = [game("Only", SHORT, "")];
    write(&path, &new, &force());
    let mut editor = Editor::new(&source, &path, &force(), &OpenOptions::default()).unwrap();
    assert_eq!(editor.len(), 1);
    editor.append(&game("Next", MEDIUM, "")).unwrap();
    editor.finish().unwrap();
    let db = open_set(&path);
    assert_eq!(db.len(), 2);
    assert_eq!(read(&db, 0).head.tags.get("White"), Some("Only"));
}

#[test]
fn members_of_archives_are_edited_into_new_sets() {
    let folder = Scratch::new("edit-member");
    let path = set(&folder);
    let members = files(&folder);
    let members = members
        .into_iter()
        .map(|(name, bytes)| (name, tabia_core::io::Blob::from(bytes)))
        .collect();
    // It is called as the target, which does not exist.
    let label = path.to_str().unwrap();
    let source = Source::from_members(label, "a.cbh", members).unwrap();
    std::fs::remove_file(&path).unwrap();
    let editor = Editor::new(&source, &path, &force(), &OpenOptions::default()).unwrap();
    assert_eq!(editor.len(), 3);
}
