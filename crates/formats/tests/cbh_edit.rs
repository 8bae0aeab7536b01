//! Edited databases: untouched records stay the same bytes, and the files stay consistent.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use tabia_core::GameIndex;
use tabia_core::error::{Error, ErrorKind};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{
    Annotation, Game, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor as _, Want,
};
use tabia_core::games::{Database, GameWriter};
use tabia_core::io::{Charset, Source};
use tabia_core::loss::Feature;
use tabia_formats::games::cbh;
use tabia_formats::games::cbh::edit;
use tabia_formats::games::cbh::edit::Editor;
use tabia_formats::games::cbh::verify::verify;
use tabia_formats::games::cbh::{CbhDatabase, Record};
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::tiny::{self, GameBuilder};
use tabia_testkit::{Scratch, dump, shared_data};

fn open(path: &Path) -> CbhDatabase {
    CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap()
}

fn read(database: &CbhDatabase, index: u32) -> Game {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = database
        .reader()
        .read(GameIndex(index), Want::ALL, &mut recorder)
        .unwrap();
    game
}

fn assert_equal(what: &str, old: &Game, new: &Game) {
    if old != new {
        let index = GameIndex(0);
        dump::assert_same(what, &dump::game(index, old), &dump::game(index, new));
        panic!("{what} differs");
    }
}

/// The findings of the deep check, without folders.
fn findings(path: &Path) -> Vec<String> {
    let findings = verify(&open(path));
    let text = findings.iter().map(ToString::to_string);
    text.filter_map(|text| Some(text.split_once(": ")?.1.to_owned()))
        .collect()
}

fn editor(source: &Path, target: &Path, force: bool) -> tabia_core::Result<Editor> {
    let mut options = CreateOptions::default();
    options.force = force;
    let source = Source::from_path(source).unwrap();
    Editor::new(&source, target, &options, &OpenOptions::default())
}

/// The offsets of the moves and annotations of a record.
fn offsets(record: Record<'_>) -> (u32, u32) {
    match record {
        Record::Game(game) => (game.moves_at.get(), game.annotations_at.get()),
        Record::Text(text) => (text.body_at.get(), 0),
    }
}

/// A set without its `.cbj`, to which its `.cbtt` belongs.
const INCOMPLETE: &str = "morphy-cbh_test";

/// The main files of complete real sets, all versions of a set included.
fn sets(test: &str) -> Vec<PathBuf> {
    let Some(folder) = shared_data(test, "cbh") else {
        return Vec::new();
    };
    let is_set = |path: &PathBuf| {
        let is_main = path.extension().is_some_and(|extension| extension == "cbh");
        is_main
            && path.with_extension("cbg").exists()
            && !path.to_string_lossy().contains(INCOMPLETE)
    };
    files_below(&folder).into_iter().filter(is_set).collect()
}

fn game(name: &str, moves: &str) -> Game {
    GameBuilder::new()
        .tag("White", name)
        .tag("Event", "Somewhere else")
        .tag("WhiteTeam", "A team")
        .tag("CbEventLatitude", "47.5")
        .moves(moves)
        .comment("a comment of some length, so that there is something to move")
        .begin()
        .moves("--")
        .end()
        .result(GameResult::WhiteWins)
}

/// A set in a single-byte character set of games with a player and a comment.
fn set_in(folder: &Scratch, charset: &str, texts: &[(&str, &str)]) -> PathBuf {
    let path = folder.join(format!("{charset}.cbh"));
    let create = cbh::FORMAT.create.unwrap();
    let mut options = CreateOptions::default();
    options.charset = Charset::parse(charset).unwrap();
    let mut writer = create(&path, &options).unwrap();
    for (player, comment) in texts {
        let game = GameBuilder::new().tag("White", player).moves("e4");
        let game = game.comment(comment).result(GameResult::Draw);
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn copied_texts_that_are_read_differently_in_the_edited_set_are_losses() {
    let scratch = Scratch::new("edit-copied-texts");
    let russian = ("Сильнов", "Хорошая позиция, но Лd1 и Кf3 сильнее");
    // Alone, these texts could be in any set.
    let cyrillic = set_in(&scratch, "cp1251", &[russian, ("Юдин", "Лd1")]);
    let german = ("Müller", "gut für Weiß, öffnet die Linie");
    let western = set_in(&scratch, "cp1252", &[german, german]);
    let mut copied = Game::new();
    let want = Want::ALL.and(Want::STORED_TEXTS);
    let mut recorder = copied.recorder();
    let database = open(&cyrillic);
    let _ = database
        .reader()
        .read(GameIndex(1), want, &mut recorder)
        .unwrap();
    let add_to = |path: &Path, target: &str| {
        let target = scratch.join(target);
        let mut editor = editor(path, &target, false).unwrap();
        assert!(editor.append(&copied).unwrap().is_empty());
        let written = editor.finish().unwrap();
        let game = read(&open(&target), 2);
        assert_eq!(game.head.tags.text("White"), "Юдин");
        written.losses.count(Feature::Characters)
    };
    assert_eq!(add_to(&cyrillic, "to-cyrillic.cbh"), 0);
    // The comment; the name is Russian in any set.
    assert_eq!(add_to(&western, "to-western.cbh"), 1);
}

#[test]
fn a_real_set_without_a_companion_is_neither_edited_nor_packed() {
    let test = "a_real_set_without_a_companion_is_neither_edited_nor_packed";
    let Some(folder) = shared_data(test, "cbh") else {
        return;
    };
    let path = folder.join(INCOMPLETE).join("cbh_test.cbh");
    let scratch = Scratch::new("incomplete");
    let refused = |error: Error| {
        assert!(matches!(error.kind(), ErrorKind::Damaged(_)), "{error}");
        assert!(error.to_string().contains("cbh_test.cbj"), "{error}");
    };
    refused(
        editor(&path, &scratch.join("edited.cbh"), true)
            .err()
            .unwrap(),
    );
    let source = Source::from_path(&path).unwrap();
    let target = scratch.join("packed.cbh");
    let packed = edit::pack(
        &source,
        &target,
        &CreateOptions::default(),
        &OpenOptions::default(),
    );
    refused(packed.err().unwrap());
    assert_eq!(scratch.names(), Vec::<String>::new());
}

#[test]
fn real_sets_are_edited() {
    let scratch = Scratch::new("edit");
    for path in sets("real_sets_are_edited") {
        let what = path.to_string_lossy().into_owned();
        let before = open(&path);
        let old_findings = findings(&path);
        let target = scratch.join("edited.cbh");
        let mut editor = editor(&path, &target, true).unwrap();
        let len = before.len();
        let (replaced, deleted) = (len / 2, len.saturating_sub(1));
        let has_records = len > 2;
        if has_records {
            assert!(editor.set_deleted(GameIndex(deleted), true).is_ok());
            let losses = editor.replace(GameIndex(0), &game("Small", "e4")).unwrap();
            assert!(losses.is_empty(), "{losses}");
            let moves = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 ".to_owned() + &"-- ".repeat(900);
            editor
                .replace(GameIndex(replaced), &game("Large", moves.trim()))
                .unwrap();
        }
        for number in 0..3 {
            let added = game(&format!("Added {number}"), "d4 d5");
            assert!(editor.append(&added).unwrap().is_empty());
        }
        assert!(editor.replace(GameIndex(len + 3), &Game::new()).is_err());
        editor.finish().unwrap();
        let after = open(&target);
        assert_eq!(after.len(), len + 3);
        for index in 0..len {
            let what = format!("{what}, game {}", index + 1);
            let old = read(&before, index);
            let new = read(&after, index);
            if has_records && (index == 0 || index == replaced) {
                let name = if index == 0 { "Small" } else { "Large" };
                assert_eq!(new.head.tags.text("White"), name, "{what}");
                continue;
            }
            if has_records && index == deleted {
                assert!(new.head.deleted, "{what}");
                assert!(old.events().eq(new.events()), "{what}");
                continue;
            }
            assert_equal(&what, &old, &new);
            let record = |db: &CbhDatabase| offsets(db.record(GameIndex(index)).unwrap());
            assert_eq!(record(&before), record(&after), "{what}");
        }
        let last = read(&after, len + 2);
        assert_eq!(last.head.tags.text("White"), "Added 2");
        assert_eq!(last.head.tags.text("CbEventLatitude"), "47.5");
        // Old findings may remain; there must be no new ones.
        let found = findings(&target);
        for finding in found {
            let is_known = old_findings.contains(&finding) || finding.contains("unused bytes");
            assert!(is_known, "{what}: {finding}");
        }
    }
}

#[test]
fn real_sets_are_packed() {
    let scratch = Scratch::new("pack");
    for path in sets("real_sets_are_packed") {
        let what = path.to_string_lossy().into_owned();
        let before = open(&path);
        let target = scratch.join("packed.cbh");
        let mut options = CreateOptions::default();
        options.force = true;
        let source = Source::from_path(&path).unwrap();
        edit::pack(&source, &target, &options, &OpenOptions::default()).unwrap();
        let after = open(&target);
        let kept: Vec<Game> = (0..before.len())
            .map(|index| read(&before, index))
            .filter(|game| !game.head.deleted)
            .collect();
        assert_eq!(after.len() as usize, kept.len());
        for (index, old) in (0..).zip(&kept) {
            let what = format!("{what}, game {}", index + 1);
            assert_equal(&what, old, &read(&after, index));
        }
        assert_eq!(findings(&target), [""; 0], "{what}");
        assert!(edit::pack(&source, &path, &options, &OpenOptions::default()).is_err());
    }
}

fn small_set(folder: &Scratch) -> PathBuf {
    let path = folder.join("small.cbh");
    let create = cbh::FORMAT.create.unwrap();
    let mut writer = create(&path, &CreateOptions::default()).unwrap();
    for game in tiny::games() {
        writer.write(&game).unwrap();
    }
    for seed in 0..40 {
        writer.write(&arbitrary_game(seed)).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn appending_replaces_the_database() {
    let folder = Scratch::new("append");
    let path = small_set(&folder);
    std::fs::write(folder.join("small.cit"), b"derived").unwrap();
    std::fs::write(folder.join("small.ini"), b"[DescrCBG]\r\nTitle=Kept\r\n").unwrap();
    let before: Vec<Game> = (0..43).map(|index| read(&open(&path), index)).collect();
    let mut writer = edit::append(&path, &CreateOptions::default()).unwrap();
    let added = game("Somebody", "e4 e5");
    assert!(writer.write(&added).unwrap().is_empty());
    // Until the writer finishes, the database is unchanged.
    assert_eq!(open(&path).len(), 43);
    let written = writer.finish().unwrap();
    assert_eq!(written.records, 44);
    let database = open(&path);
    assert_eq!(database.info().title.as_deref(), Some("Kept"));
    assert_eq!(findings(&path), [""; 0]);
    for (index, old) in (0..).zip(&before) {
        assert_equal("an old game", old, &read(&database, index));
    }
    assert_eq!(read(&database, 43).head.tags.text("White"), "Somebody");
    assert!(!folder.names().contains(&"small.cit".to_owned()));
    // The same name is the same player.
    let mut writer = edit::append(&path, &CreateOptions::default()).unwrap();
    let players = open(&path).tables().players.as_ref().unwrap().capacity();
    writer.write(&added).unwrap();
    writer.finish().unwrap();
    let table = open(&path);
    assert_eq!(table.tables().players.as_ref().unwrap().capacity(), players);
    assert_eq!(findings(&path), [""; 0]);
}

#[test]
fn dropped_editors_change_nothing() {
    let folder = Scratch::new("dropped");
    let path = small_set(&folder);
    let names = folder.names();
    let bytes: Vec<Vec<u8>> = names
        .iter()
        .map(|name| std::fs::read(folder.join(name)).unwrap())
        .collect();
    let mut editor = editor(&path, &path, true).unwrap();
    editor.append(&game("Dropped", "e4")).unwrap();
    drop(editor);
    assert_eq!(folder.names(), names);
    for (name, bytes) in names.iter().zip(bytes) {
        assert!(std::fs::read(folder.join(name)).unwrap() == bytes, "{name}");
    }
    let refused = self::editor(&path, &path, false).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Exists));
}

#[test]
fn deletion_marks_are_set_and_removed() {
    let folder = Scratch::new("marks");
    let path = small_set(&folder);
    let mut editor = editor(&path, &path, true).unwrap();
    editor.set_deleted(GameIndex(1), true).unwrap();
    assert!(editor.set_deleted(GameIndex(99), true).is_err());
    editor.finish().unwrap();
    assert!(read(&open(&path), 1).head.deleted);
    let mut editor = self::editor(&path, &path, true).unwrap();
    editor.set_deleted(GameIndex(1), false).unwrap();
    Box::new(editor).finish().unwrap();
    assert!(!read(&open(&path), 1).head.deleted);
    assert_eq!(findings(&path), [""; 0]);
}

#[test]
fn sets_without_moves_or_names_are_refused() {
    for extension in ["cbg", "cbp", "cbt", "cbc", "cbs"] {
        let folder = Scratch::new("no-names");
        let path = small_set(&folder);
        std::fs::remove_file(path.with_extension(extension)).unwrap();
        let names = folder.names();
        let file = format!("small.{extension}");
        let refused = |error: Error| {
            assert!(
                matches!(error.kind(), ErrorKind::Damaged(text) if text.contains(&file)),
                "{error}"
            );
        };
        refused(editor(&path, &folder.join("new.cbh"), false).unwrap_err());
        let (source, target) = (Source::from_path(&path).unwrap(), folder.join("new.cbh"));
        let options = CreateOptions::default();
        let packed = edit::pack(&source, &target, &options, &OpenOptions::default());
        refused(packed.unwrap_err());
        assert_eq!(folder.names(), names);
    }
}

#[test]
fn sets_with_the_names_of_another_are_refused() {
    let folder = Scratch::new("foreign-names");
    let set = |name: &str, players: u32| {
        let path = folder.join(name);
        let create = cbh::FORMAT.create.unwrap();
        let mut writer = create(&path, &CreateOptions::default()).unwrap();
        for number in 0..60 {
            let player = format!("{name} {}", number % players);
            writer.write(&game(&player, "e4 e5")).unwrap();
        }
        writer.finish().unwrap();
        path
    };
    let (path, other) = (set("one.cbh", 7), set("other.cbh", 23));
    drop(editor(&path, &folder.join("new.cbh"), false).unwrap());
    std::fs::copy(other.with_extension("cbp"), path.with_extension("cbp")).unwrap();
    let names = folder.names();
    let error = editor(&path, &folder.join("new.cbh"), false).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Damaged(text) if text.contains("another database")),
        "{error}"
    );
    assert!(error.to_string().contains("one.cbp"), "{error}");
    assert_eq!(folder.names(), names);
}

/// A guiding text with a list of files.
fn text_with_files() -> Game {
    let mut text = Game::new();
    let mut recorder = text.recorder();
    let mut head = GameHead::default();
    head.kind = RecordKind::Text;
    let _ = recorder.begin_game(GameIndex(0), &head);
    let _ = recorder.visit_annotation(Annotation::Text(TextPart {
        kind: TextKind::File,
        language: 0,
        text: "picture.jpg",
    }));
    recorder.end_game(GameResult::Unknown);
    drop(recorder);
    text
}

#[test]
fn texts_with_one_list_of_files_have_one_when_packed() {
    let folder = Scratch::new("shared-media");
    let path = folder.join("texts.cbh");
    let mut writer = cbh::FORMAT.create.unwrap()(&path, &CreateOptions::default()).unwrap();
    for _ in 0..3 {
        writer.write(&text_with_files()).unwrap();
    }
    writer.finish().unwrap();
    let list_of = |bytes: &[u8], record: usize| {
        let at = 32 + record * 120 + 8;
        bytes[at..at + 4].to_vec()
    };
    // The second text has the list of the first.
    let side_table = path.with_extension("cbj");
    let mut bytes = std::fs::read(&side_table).unwrap();
    let first = list_of(&bytes, 0);
    assert_ne!(first, list_of(&bytes, 1));
    bytes[32 + 120 + 8..][..4].copy_from_slice(&first);
    std::fs::write(&side_table, &bytes).unwrap();
    let before: Vec<Game> = (0..3).map(|index| read(&open(&path), index)).collect();

    let (source, target) = (Source::from_path(&path).unwrap(), folder.join("new.cbh"));
    let options = CreateOptions::default();
    edit::pack(&source, &target, &options, &OpenOptions::default()).unwrap();
    for (index, old) in (0..).zip(&before) {
        assert_equal("a text", old, &read(&open(&target), index));
    }
    let bytes = std::fs::read(target.with_extension("cbj")).unwrap();
    assert_eq!(list_of(&bytes, 0), list_of(&bytes, 1));
    assert_ne!(list_of(&bytes, 0), list_of(&bytes, 2));
    let size = |path: &Path| std::fs::metadata(path.with_extension("cbm")).unwrap().len();
    assert_eq!((size(&path) - 32) / 3 * 2, size(&target) - 32);
}
