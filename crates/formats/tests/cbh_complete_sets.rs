//! Sets with every file and every kind of name: appending keeps all of it, packing keeps all that the
//! remaining records use.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::little_endian_bytes,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use tabia_core::GameIndex;
use tabia_core::error::ErrorKind;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{
    Annotation, Game, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor as _, Want,
};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_formats::games::cbh::edit::{self, Editor};
use tabia_formats::games::cbh::verify::verify;
use tabia_formats::games::cbh::{self, CbhDatabase};
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Scratch, dump};

/// Every extension of the set, the main file first.
const EXTENSIONS: [&str; 14] = [
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cbm", "flags",
    "ini",
];

/// A game in which every tag contains its number.
fn game(number: u32, moves: &str) -> Game {
    let text = |what: &str| format!("{what} {number}");
    GameBuilder::new()
        .tag("Event", &text("Event"))
        .tag("Site", &text("Site"))
        .tag("Date", "2021.05.01")
        .tag("Round", "1")
        .tag("White", &text("White"))
        .tag("Black", &text("Black"))
        .tag("Annotator", &text("Annotator"))
        .tag("SourceTitle", &text("Source"))
        .tag("WhiteTeam", &text("Home"))
        .tag("BlackTeam", &text("Guests"))
        .tag("CbEventLatitude", &format!("{number}.5"))
        .tag("CbGameTagEnglish", &text("Tag"))
        .tag("CbTopGame", &(number % 3).to_string())
        .moves(moves)
        .comment(&text("Comment"))
        .result(GameResult::Draw)
}

/// A guiding text that refers to a file.
fn text(number: u32) -> Game {
    let mut head = GameHead::default();
    head.kind = RecordKind::Text;
    head.tags.push("Event", &format!("Text event {number}"));
    head.tags.push("Annotator", &format!("Author {number}"));
    head.tags.push("SourceTitle", &format!("Book {number}"));
    let mut game = Game::new();
    let mut out = game.recorder();
    let _ = out.begin_game(GameIndex(0), &head);
    for (kind, text) in [
        (TextKind::Title, "Title"),
        (TextKind::Plain, "A text"),
        (TextKind::File, "picture"),
    ] {
        // Lists of files are those of all languages.
        let (text, language) = match kind {
            TextKind::File => (format!("{text}{number}.jpg"), 7),
            _ => (format!("{text} {number}"), 0),
        };
        let _ = out.visit_annotation(Annotation::Text(TextPart {
            kind,
            language,
            text: &text,
        }));
    }
    out.end_game(GameResult::Unknown);
    drop(out);
    game
}

fn open(path: &Path) -> CbhDatabase {
    CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap()
}

/// The text of every record, numbered as in the first set.
fn records(db: &CbhDatabase) -> Vec<String> {
    let mut reader = db.reader();
    (0..db.len())
        .map(|index| {
            let mut game = Game::new();
            let mut recorder = game.recorder();
            let _ = reader
                .read(GameIndex(index), Want::ALL, &mut recorder)
                .unwrap();
            drop(recorder);
            dump::game(GameIndex(0), &game)
        })
        .collect()
}

fn findings(path: &Path) -> Vec<String> {
    verify(&open(path))
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn bytes(path: &Path, extension: &str) -> Vec<u8> {
    std::fs::read(path.with_extension(extension)).unwrap()
}

fn write(path: &Path, extension: &str, bytes: &[u8]) {
    std::fs::write(path.with_extension(extension), bytes).unwrap();
}

/// Text, game, text, game, text, game: the first of each kind will be deleted.
fn set(folder: &Scratch) -> PathBuf {
    let path = folder.join("a.cbh");
    let mut writer = cbh::FORMAT.create.unwrap()(&path, &CreateOptions::default()).unwrap();
    for number in 1..=3 {
        let losses = writer.write(&text(number)).unwrap();
        assert!(losses.is_empty(), "{losses}");
        let moves = ["e4 e5 Nf3", "d4 d5", "c4 c5 g3 g6"][number as usize - 1];
        let losses = writer.write(&game(number, moves)).unwrap();
        assert!(losses.is_empty(), "{losses}");
    }
    writer.finish().unwrap();
    write(&path, "ini", b"[DescrCBG]\r\nTitle=Kept\r\n");
    // A version of the main file that is not that of new sets.
    let mut headers = bytes(&path, "cbh");
    headers[5] = 3;
    write(&path, "cbh", &headers);
    // Longer records of games, with bytes of unknown meaning.
    let extended = bytes(&path, "cbj");
    let mut longer = extended[..32].to_vec();
    longer[0] = 12;
    longer[4] = 122;
    for (number, record) in extended[32..].chunks_exact(120).enumerate() {
        longer.extend_from_slice(record);
        longer.extend_from_slice(&[0xab, number as u8]);
    }
    write(&path, "cbj", &longer);
    for extension in EXTENSIONS {
        assert!(path.with_extension(extension).exists(), "{extension}");
    }
    path
}

/// Whether a record has this text.
fn contains(record: &str, text: &str) {
    assert!(record.contains(text), "{text} is not in {record}");
}

#[test]
fn the_set_is_complete() {
    let folder = Scratch::new("complete");
    let found = records(&open(&set(&folder)));
    for (number, pair) in (1..).zip(found.chunks(2)) {
        contains(&pair[0], &format!("picture{number}.jpg"));
        for text in ["Tag", "Home", "Guests", "Annotator", "Source", "Comment"] {
            contains(&pair[1], &format!("{text} {number}"));
        }
        contains(&pair[1], &format!("CbEventLatitude \"{number}.5\""));
        contains(&pair[1], "[CbExtra \"");
    }
    contains(&found[1], "[CbTopGame \"1\"]");
    contains(&found[3], "[CbTopGame \"2\"]");
}

#[test]
fn appending_keeps_every_file() {
    let folder = Scratch::new("complete-append");
    let path = set(&folder);
    let before = records(&open(&path));
    let old: Vec<Vec<u8>> = EXTENSIONS.map(|extension| bytes(&path, extension)).to_vec();
    let mut writer = edit::append(&path, &CreateOptions::default()).unwrap();
    writer.write(&game(4, "e4")).unwrap();
    writer.write(&text(4)).unwrap();
    writer.finish().unwrap();
    let after = records(&open(&path));
    assert_eq!(after.len(), 8);
    for (old, new) in before.iter().zip(&after) {
        dump::assert_same("an old record", old, new);
    }
    contains(&after[6], "[CbTopGame \"1\"]");
    contains(&after[6], "Tag 4");
    contains(&after[7], "picture4.jpg");
    assert_eq!(findings(&path), [""; 0]);
    assert_eq!(bytes(&path, "cbh")[5], 3);
    assert_eq!(bytes(&path, "cbj")[..8], [12, 0, 0, 0, 122, 0, 0, 0]);
    assert_eq!(bytes(&path, "ini"), old[13]);
    // Records that are only appended to begin with the old ones, after the header.
    for (extension, header) in [("cbg", 26), ("cba", 26), ("cbj", 32), ("cbm", 32)] {
        let at = EXTENSIONS.iter().position(|other| *other == extension);
        let old = &old[at.unwrap()];
        let new = bytes(&path, extension);
        assert!(new[header..].starts_with(&old[header..]), "{extension}");
        assert!(new.len() > old.len(), "{extension}");
    }
    // Names are found, and not added a second time.
    for extension in ["cbp", "cbt", "cbc", "cbs", "cbe", "cbl"] {
        let sizes = |bytes: &[u8]| (bytes.len() - 32) as f64 / f64::from(bytes[0]);
        let (old, new) = (
            &old[EXTENSIONS.iter().position(|e| *e == extension).unwrap()],
            bytes(&path, extension),
        );
        assert!(
            (sizes(old) - sizes(&new)).abs() < f64::EPSILON,
            "{extension}"
        );
    }
}

#[test]
fn packing_keeps_all_that_remaining_records_use() {
    let folder = Scratch::new("complete-pack");
    let path = set(&folder);
    let source = Source::from_path(&path).unwrap();
    let mut options = CreateOptions::default();
    options.force = true;
    let open_options = OpenOptions::default();
    let mut editor = Editor::new(&source, &path, &options, &open_options).unwrap();
    editor.set_deleted(GameIndex(0), true).unwrap();
    editor.set_deleted(GameIndex(1), true).unwrap();
    editor.finish().unwrap();
    // The annotations of the last game are those of no game, as other programs leave them.
    let mut annotations = bytes(&path, "cba");
    let last = annotations
        .windows(9)
        .rposition(|bytes| bytes == b"Comment 3");
    let head = annotations[..last.unwrap()]
        .windows(7)
        .rposition(|bytes| bytes[..2] == [0, 0] && bytes[3..] == [1, 0, 14, 14]);
    annotations[head.unwrap() + 2] = 0;
    write(&path, "cba", &annotations);

    let before = records(&open(&path));
    let target = folder.join("packed.cbh");
    let source = Source::from_path(&path).unwrap();
    let written = edit::pack(&source, &target, &options, &open_options).unwrap();
    assert_eq!(written.records, 4);
    let after = records(&open(&target));
    assert_eq!(after.len(), 4);
    for (old, new) in before[2..].iter().zip(&after) {
        dump::assert_same("a kept record", old, new);
    }
    assert_eq!(findings(&target), [""; 0]);
    assert_eq!(bytes(&target, "cbh")[5], 3);
    assert_eq!(bytes(&target, "cbj")[..8], [12, 0, 0, 0, 122, 0, 0, 0]);
    assert_eq!(bytes(&target, "ini"), bytes(&path, "ini"));
    // Games have their new numbers in the annotations, unless they had none.
    let annotations = bytes(&target, "cba");
    let numbers: Vec<u8> = annotations
        .windows(7)
        .filter(|bytes| bytes[3..] == [1, 0, 14, 14])
        .map(|bytes| bytes[2])
        .collect();
    assert_eq!(numbers, [2, 0]);
    // Names, media and offsets of the deleted records are gone.
    for (extension, count) in [
        ("cbp", 4),
        ("cbt", 4),
        ("cbc", 4),
        ("cbs", 4),
        ("cbe", 4),
        ("cbl", 2),
    ] {
        assert_eq!(bytes(&target, extension)[0], count, "{extension}");
    }
    for extension in ["cbg", "cba", "cbm", "cbtt"] {
        let sizes = [&path, &target].map(|path| bytes(path, extension).len());
        assert!(sizes[1] < sizes[0], "{extension}: {sizes:?}");
    }
    for gone in ["White 1", "Home 1", "Tag 1", "picture1", "Event 1"] {
        for extension in EXTENSIONS {
            let bytes = bytes(&target, extension);
            let is_found = bytes
                .windows(gone.len())
                .any(|part| part == gone.as_bytes());
            assert!(!is_found, "{gone} is in .{extension}");
        }
    }
    assert_eq!(open(&target).info().title.as_deref(), Some("Kept"));
}

/// Moves that cannot be copied are an error, and no file is written.
#[test]
fn packing_writes_nothing_if_a_record_cannot_be_copied() {
    let folder = Scratch::new("complete-unpacked");
    let path = set(&folder);
    let mut moves = bytes(&path, "cbg");
    // The size of the first record is made larger than the file.
    moves[27..30].copy_from_slice(&[0x7f, 0, 0]);
    write(&path, "cbg", &moves);
    let names = folder.names();
    let source = Source::from_path(&path).unwrap();
    let target = folder.join("packed.cbh");
    let refused = edit::pack(
        &source,
        &target,
        &CreateOptions::default(),
        &OpenOptions::default(),
    );
    assert!(matches!(refused.unwrap_err().kind(), ErrorKind::Damaged(_)));
    assert_eq!(folder.names(), names);
}

/// Records larger than those of any version are not believed: copies would be as large as they state.
#[test]
fn record_sizes_of_unknown_versions_are_refused() {
    let folder = Scratch::new("complete-sizes");
    for extension in ["cbj", "cbtt"] {
        let path = set(&folder);
        // Six records of 5000 bytes.
        let mut file = bytes(&path, extension);
        file[4..8].copy_from_slice(&5000_u32.to_le_bytes());
        file.resize(32 + 6 * 5000, 0xff);
        write(&path, extension, &file);
        let refused = edit::append(&path, &CreateOptions::default());
        let error = refused.map(|_| ()).unwrap_err();
        let is_refused =
            matches!(error.kind(), ErrorKind::Unsupported(text) if text.contains("5000"));
        assert!(is_refused, "{extension}: {error}");
        for name in folder.names() {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
    }
}

/// A wrong record size is reported, and records are read with that of the version.
#[test]
fn record_sizes_that_the_file_does_not_justify_are_damage() {
    let folder = Scratch::new("complete-small-sizes");
    let path = set(&folder);
    // The version that is written, without the bytes of unknown meaning.
    let longer = bytes(&path, "cbj");
    let mut extended = longer[..32].to_vec();
    (extended[0], extended[4]) = (11, 120);
    for record in longer[32..].chunks_exact(122) {
        extended.extend_from_slice(&record[..120]);
    }
    write(&path, "cbj", &extended);
    let complete = records(&open(&path));
    for extension in ["cbj", "cbtt", "cbm"] {
        let intact = bytes(&path, extension);
        let right = u32::from_le_bytes(intact[4..8].try_into().unwrap());
        for size in [1, 8, 61, right - 1, right + 1, 2 * right, u32::MAX] {
            let mut file = intact.clone();
            file[4..8].copy_from_slice(&size.to_le_bytes());
            let what = format!("{extension}: {size}");
            assert!(!open_with(&path, extension, &file).is_empty(), "{what}");
            assert!(records(&open(&path)) == complete, "{what}");
            let refused = edit::append(&path, &CreateOptions::default());
            let error = refused.map(|_| ()).unwrap_err();
            let is_damage = matches!(error.kind(), ErrorKind::Damaged(_));
            assert!(is_damage, "{what}: {error}");
        }
        // A file that no size fills is not read.
        let unknown = [&intact[..4], &[1, 0, 0, 0], &intact[8..], &[0; 7]].concat();
        let problems = open_with(&path, extension, &unknown);
        let is_left_out = |text: &String| text.contains("they are not read");
        assert!(
            problems.iter().any(is_left_out),
            "{extension}: {problems:?}"
        );
        write(&path, extension, &intact);
    }
}

/// The problems of the set with another file.
fn open_with(path: &Path, extension: &str, file: &[u8]) -> Vec<String> {
    write(path, extension, file);
    open(path).info().problems.clone()
}

/// A name that does not exist would be that of the next new name.
#[test]
fn records_that_refer_to_missing_names_are_refused() {
    let folder = Scratch::new("complete-references");
    let path = set(&folder);
    let complete = bytes(&path, "cbh");
    // The tournament of each text; White, Black, the tournament, annotator and source of a game.
    let texts = [0, 2, 4].map(|record| (record, 7));
    let games = [9, 12, 15, 18, 21].map(|field| (5, field));
    for (record, field) in texts.into_iter().chain(games) {
        let mut headers = complete.clone();
        headers[46 * (record + 1) + field + 1] = 0x13;
        write(&path, "cbh", &headers);
        let refused = edit::append(&path, &CreateOptions::default());
        let error = refused.map(|_| ()).unwrap_err();
        let is_damage = matches!(error.kind(), ErrorKind::Damaged(_));
        assert!(is_damage, "record {record}, field {field}: {error}");
        let location = error.location();
        assert_eq!(location.game, Some(GameIndex(record as u32)), "{error}");
    }
}

/// Names of other programs can be longer than the known ones.
#[test]
fn records_of_names_of_an_unknown_size_are_refused() {
    let folder = Scratch::new("complete-names");
    let path = set(&folder);
    let old = bytes(&path, "cbs");
    let mut longer = old[..32].to_vec();
    longer[12] += 1;
    for record in old[32..].chunks_exact(9 + 59) {
        longer.extend_from_slice(record);
        longer.push(0);
    }
    write(&path, "cbs", &longer);
    let refused = edit::append(&path, &CreateOptions::default());
    let error = refused.map(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
}
