//! The deep check finds every broken invariant, and nothing in intact databases.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, TextKind};
use tabia_core::io::Source;
use tabia_formats::games::cbh;
use tabia_formats::games::cbh::CbhDatabase;
use tabia_formats::games::cbh::verify::verify;
use tabia_testkit::Scratch;
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::tiny::GameBuilder;

/// A set with several records of every kind.
fn set(folder: &Scratch) {
    let mut options = CreateOptions::default();
    options.now = 1_700_000_000;
    let path = folder.join("a.cbh");
    let mut writer = cbh::FORMAT.create.unwrap()(&path, &options).unwrap();
    for number in 0..7 {
        let name = |what: &str| format!("{what} {}", number * 5 % 7);
        let game = GameBuilder::new()
            .tag("White", &name("White"))
            .tag("Black", &name("Black"))
            .tag("Event", &name("Event"))
            .tag("Annotator", &name("Annotator"))
            .tag("SourceTitle", &name("Source"))
            .tag("WhiteTeam", &name("Team"))
            .tag("CbGameTagEnglish", &name("Tag"))
            .tag("CbEventLatitude", "47.5")
            .tag("CbTopGame", "3")
            .moves("e4")
            .comment("text")
            .moves("e5")
            .begin()
            .moves("c5")
            .end()
            .moves("Nf3")
            .result(tabia_core::game::GameResult::Draw);
        writer.write(&game).unwrap();
    }
    writer.write(&text()).unwrap();
    writer.finish().unwrap();
}

/// A guiding text that uses a file.
fn text() -> Game {
    use tabia_core::GameIndex;
    use tabia_core::game::{Annotation, GameHead, GameResult, RecordKind, TextPart, Visitor};
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let mut head = GameHead::default();
    head.kind = RecordKind::Text;
    let _ = recorder.begin_game(GameIndex(0), &head);
    for (kind, text) in [
        (TextKind::Title, "Title"),
        (TextKind::Html, "<p>Text</p>"),
        (TextKind::File, "picture.jpg"),
    ] {
        let _ = recorder.visit_annotation(Annotation::Text(TextPart {
            kind,
            language: 0,
            text,
        }));
    }
    recorder.end_game(GameResult::Unknown);
    drop(recorder);
    game
}

fn findings(path: &Path) -> Vec<String> {
    let source = Source::from_path(path).unwrap();
    let database = CbhDatabase::open(&source, &OpenOptions::default()).unwrap();
    verify(&database).iter().map(ToString::to_string).collect()
}

/// A change of a file.
enum Patch {
    /// Overwrites bytes at an offset.
    Put(&'static str, usize, &'static [u8]),
    /// Adds to the byte at an offset.
    Add(&'static str, usize, u8),
    /// Appends bytes.
    Push(&'static str, &'static [u8]),
}

use Patch::{Add, Push, Put};

const MINUS_ONE: &[u8] = &[0xff; 4];
const DELETED: &[u8] = &[0x19, 0xfc, 0xff, 0xff];

/// Each damage, and a part of the finding that must report it.
const DAMAGE: &[(Patch, &str)] = &[
    // The main file: the header twice, then the first record.
    (
        Add("cbh", 9, 1),
        "a.cbh: the header states 10 as the next game, the file has 8 records",
    ),
    (
        Add("cbh", 43, 1),
        "a.cbh: the header states 9 as the next game, its second copy 10",
    ),
    (
        Push("cbh", b"x"),
        "a.cbh: 1 byte at the end is not a complete record",
    ),
    (Add("cbh", 46 + 4, 1), "`moves_at` is"),
    (Add("cbh", 46 + 8, 2), "`annotations_at` is"),
    (Put("cbh", 46 + 9, &[0, 0, 99]), "`white` is number 99"),
    (
        Put("cbh", 46 + 15, &[0, 0, 99]),
        "`tournament` is number 99",
    ),
    (Put("cbh", 46 + 18, &[0, 0, 99]), "`annotator` is number 99"),
    (Put("cbh", 46 + 21, &[0, 0, 99]), "`source` is number 99"),
    (Add("cbh", 46 + 38, 1), "`medals` is 0x1"),
    (Add("cbh", 46 + 42, 0x10), "`flags` is"),
    (Add("cbh", 46 + 44, 8), "`magnitudes` is 0x8"),
    (Add("cbh", 46 + 45, 1), "`move_count` is 0x3"),
    // Bodies: sizes and gaps in the header, overlapping records.
    (Add("cbg", 5, 1), "a.cbg: the header states"),
    (Add("cbg", 17, 1), "in its wide field"),
    (
        Add("cbg", 9, 1),
        "a.cbg: the header states 1 unused byte, the file has 0",
    ),
    (
        Add("cbg", 25, 1),
        "a.cbg: the header states 1 unused byte in its wide field",
    ),
    (Push("cbg", b"xyz"), "a.cbg: the header states"),
    (Add("cbg", 26 + 3, 3), "the record runs into that of game 1"),
    (Add("cba", 5, 1), "a.cba: the header states"),
    (
        Add("cba", 26 + 2, 1),
        "the annotations are marked as those of game 2",
    ),
    (Add("cba", 26 + 9, 1), "`count` is 3 for 1 annotation"),
    (
        Put("cba", 26 + 14, &[0, 0, 77]),
        "annotation belongs to moves past the last",
    ),
    // Entities: the header, the tree, counts, the chain of deleted ones. Players are numbered in
    // the order of their first game; 0 is `White 0`, 2 is `White 5`.
    (
        Add("cbp", 0, 1),
        "a.cbp: the header states 15 records, the file has 14",
    ),
    (
        Add("cbp", 20, 1),
        "a.cbp: the header states 15 entities, the file has 14",
    ),
    (
        Push("cbp", b"x"),
        "a.cbp: 1 byte at the end is not a complete record: the names before may be those of others",
    ),
    (Put("cbp", 4, &[99, 0, 0, 0]), "the tree contains number 99"),
    (Put("cbp", 4, MINUS_ONE), "number 0 is not in the tree"),
    (Put("cbp", 32, &[0, 0, 0, 0]), "is in the tree twice"),
    (Add("cbp", 32 + 8, 1), "number 0 states balance"),
    (Put("cbp", 32 + 9, b"Zz"), "a.cbp: the tree is not in order"),
    (
        Add("cbp", 32 + 9 + 50, 1),
        "a.cbp: number 0 states 2 references",
    ),
    (
        Add("cbp", 32 + 9 + 54, 1),
        "a.cbp: number 0 states 1 reference, the first from game 2",
    ),
    (
        Put("cbp", 32, DELETED),
        "number 0 is deleted, 1 record refers to it",
    ),
    (
        Put("cbp", 16, &[3, 0, 0, 0]),
        "number 3 is in the chain of deleted records and is not deleted",
    ),
    (
        Put("cbp", 16, &[99, 0, 0, 0]),
        "the chain of deleted records contains number 99",
    ),
    (
        Put("cbt", 32, DELETED),
        "number 0 is deleted and not in the chain",
    ),
    (
        Add("cbt", 32 + 9 + 82, 1),
        "a.cbt: number 0 states 2 references",
    ),
    (
        Add("cbc", 32 + 9 + 45, 1),
        "a.cbc: number 0 states 2 references",
    ),
    (
        Add("cbs", 32 + 9 + 51, 1),
        "a.cbs: number 0 states 2 references",
    ),
    (
        Add("cbe", 32 + 9 + 55, 1),
        "a.cbe: number 0 states 2 references",
    ),
    (
        Add("cbl", 32 + 9 + 1600, 1),
        "a.cbl: number 0 states 2 references",
    ),
    // Side files.
    (
        Add("cbj", 8, 1),
        "a.cbj: the header states 9 records, the file has 8",
    ),
    (
        Add("cbj", 0, 253),
        "a.cbj: version 8 has records of 78 bytes, not 120",
    ),
    (Put("cbj", 32, &[0, 0, 0, 99]), "`white_team` is number 99"),
    (
        Put("cbj", 32 + 116, &[0, 0, 0, 99]),
        "`game_tag` is number 99",
    ),
    (Add("cbj", 32 + 37, 1), "`moves_at` is 0x1a, in .cbj 0x1b"),
    (
        Add("cbj", 32 + 19, 1),
        "`annotations_at` is 0x1a, in .cbj 0x1b",
    ),
    (
        Add("cbj", 32 + 7 * 120 + 11, 1),
        "`media_at` is 0x29, where .cbm has no list of files",
    ),
    (
        Push("cbj", b"xx"),
        "a.cbj: 2 bytes at the end are not a complete record",
    ),
    (Add("cbtt", 8, 1), "a.cbtt: the header states"),
    (
        Add("cbtt", 0, 1),
        "a.cbtt: version 4 has records of 223 bytes, not 65",
    ),
    (
        Add("cbm", 8, 1),
        "a.cbm: the header states 2 records, the file has 1",
    ),
    (Add("flags", 7, 1), "a.flags: the header states"),
];

#[test]
fn every_broken_invariant_is_named() {
    let folder = Scratch::new("broken");
    set(&folder);
    let path = folder.join("a.cbh");
    assert_eq!(findings(&path), [""; 0]);
    let mut missed = Vec::new();
    for (patch, expected) in DAMAGE {
        let (Put(extension, ..) | Add(extension, ..) | Push(extension, _)) = patch;
        let file = path.with_extension(extension);
        let intact = std::fs::read(&file).unwrap();
        let mut bytes = intact.clone();
        match *patch {
            Put(_, at, put) => bytes[at..at + put.len()].copy_from_slice(put),
            Add(_, at, add) => bytes[at] = bytes[at].wrapping_add(add),
            Push(_, push) => bytes.extend_from_slice(push),
        }
        std::fs::write(&file, &bytes).unwrap();
        let found = findings(&path);
        if !found.iter().any(|finding| finding.contains(expected)) {
            missed.push(format!("not found: {expected}; found: {found:#?}"));
        }
        std::fs::write(&file, intact).unwrap();
    }
    assert_eq!(missed, [""; 0], "{}", missed.join("\n"));
    assert_eq!(findings(&path), [""; 0]);
}

#[test]
fn written_databases_have_no_findings() {
    let folder = Scratch::new("holds");
    let path = folder.join("many.cbh");
    let options = CreateOptions::default();
    let mut writer = cbh::FORMAT.create.unwrap()(&path, &options).unwrap();
    for seed in 0..300 {
        writer.write(&arbitrary_game(seed)).unwrap();
    }
    writer.finish().unwrap();
    let found = findings(&path);
    // Start positions that cannot be played from are reported on every read.
    let found: Vec<_> = found
        .iter()
        .filter(|finding| !finding.contains("start"))
        .collect();
    assert_eq!(found, [""; 0]);
}
