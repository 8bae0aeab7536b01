//! Real databases: every set opens, every game is legal, all counts are the known ones.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::chess::Position;
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, Eco, Event, Flow, Game, RecordKind, Want};
use tabia_core::games::{Database, NameKind};
use tabia_core::io::{Blob, Charset, Source};
use tabia_formats::games::cbh::charset::{TextForm, Texts};
use tabia_formats::games::cbh::entities::EntityTable;
use tabia_formats::games::cbh::files_of_newer_versions::{SideTable, TopGames};
use tabia_formats::games::cbh::records::{
    GameTagRecord, MovesHead, PlayerRecord, TYPE_TEXT, TextRecord,
};
use tabia_formats::games::cbh::verify::verify;
use tabia_formats::games::cbh::{CbhDatabase, guiding_texts};
use tabia_testkit::dump::Dump;
use tabia_testkit::shared_data;
use tabia_testkit::shared_data_folder::files_below;

/// Records, texts, deleted, players, tournaments, annotators, sources, teams; −1 if the file is
/// missing.
const SETS: &[(&str, [i32; 8])] = &[
    ("chesscore-fob/fob", [111, 0, 0, 79, 71, 1, 1, -1]),
    ("morphy-cb12/cb12", [1, 0, 0, 2, 1, 1, 1, 2]),
    ("morphy-cbh_cbj_test/cbh_cbj_test", [4, 0, 0, 6, 3, 2, 2, 4]),
    ("morphy-cbh_test/cbh_test", [4, 0, 0, 6, 3, 2, 2, 4]),
    ("morphy-cbhlib_test/cbhlib_test", [19, 1, 4, 18, 2, 2, 2, 2]),
    (
        "morphy-cbmplayertest/cbmplayertest",
        [8, 0, 0, 10, 2, 2, 2, 1],
    ),
    ("morphy-hedgehog/Hedgehog", [231, 27, 0, 244, 192, 1, 1, 27]),
    (
        "morphy-shorter_cbj_test/shorter_cbj_test",
        [4, 0, 0, 6, 3, 2, 2, 4],
    ),
    (
        "morphy-test-annotations/test-annotations",
        [6, 0, 0, 2, 6, 1, 1, 0],
    ),
    ("morphy-text/text", [10, 9, 0, 2, 2, 2, 1, 0]),
    ("morphy-veryold/Mate2", [7, 0, 0, 14, 7, 1, 1, -1]),
    ("morphy-world-ch/World-ch", [1038, 13, 0, 38, 52, 82, 24, 0]),
    ("uncbv-small/small", [0, 0, 0, 0, 0, 0, 0, 0]),
    ("uncbv-twic1134/twic1134", [6117, 0, 0, 2737, 48, 1, 1, 133]),
];

fn open(main: &Path) -> CbhDatabase {
    let source = Source::from_path(main).unwrap();
    CbhDatabase::open(&source, &OpenOptions::default()).unwrap()
}

fn read(db: &CbhDatabase, index: u32, want: Want) -> (Game, Vec<String>) {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = db
        .reader()
        .read(GameIndex(index), want, &mut recorder)
        .unwrap();
    let problems = recorder.take_problems();
    let problems = problems.iter().map(|problem| problem.error.to_string());
    let problems = problems.collect();
    (game, problems)
}

#[test]
fn every_set_opens_with_the_known_counts() {
    let Some(folder) = shared_data("cbh sets", "cbh") else {
        return;
    };
    for (set, counts) in SETS {
        let db = open(&folder.join(format!("{set}.cbh")));
        let info = db.info();
        let name = |kind| {
            let found = info.names.iter().find(|(other, _)| *other == kind);
            found.map_or(-1, |(_, count)| *count as i32)
        };
        let found = [
            info.records as i32,
            info.texts as i32,
            info.deleted as i32,
            name(NameKind::Player),
            name(NameKind::Event),
            name(NameKind::Annotator),
            name(NameKind::Source),
            name(NameKind::Team),
        ];
        assert_eq!(&found, counts, "{set}");
        // These lack `.cbg` and `.cbj`.
        let missing = usize::from(set.ends_with("World-ch") || set.ends_with("/cbh_test"));
        assert_eq!(info.problems.len(), missing, "{:?}", info.problems);
    }
}

#[test]
fn every_game_of_every_set_is_legal_and_in_order() {
    let Some(folder) = shared_data("cbh games", "cbh") else {
        return;
    };
    let (mut games, mut plies, mut texts) = (0, 0, 0);
    for main in files_below(&folder) {
        let text = main.to_string_lossy();
        if !text.ends_with(".cbh") || text.contains("fixtures-loose") {
            continue;
        }
        let db = open(&main);
        let mut reader = db.reader();
        let mut game = Game::new();
        for i in (0..db.len()).map(GameIndex) {
            let mut dump = Dump::new();
            let flow = reader.read(i, Want::ALL, &mut dump).unwrap();
            assert_eq!(flow, Flow::Go);
            assert_eq!(dump.violation(), None, "{} game {i}", main.display());
            let mut recorder = game.recorder();
            let _ = reader.read(i, Want::ALL, &mut recorder).unwrap();
            let problems = recorder.take_problems();
            if text.ends_with("World-ch.cbh") {
                // The set has no `.cbg`.
                assert_eq!(problems.len(), 1);
            } else {
                assert!(problems.is_empty(), "{problems:?}");
            }
            if text.contains("history") {
                continue;
            }
            match game.head.kind {
                RecordKind::Game => games += 1,
                RecordKind::Text => texts += 1,
            }
            plies += game
                .events()
                .filter(|e| matches!(e, Event::Move(_)))
                .count();
        }
    }
    println!("{games} games, {plies} plies, {texts} texts");
    assert_eq!((games, texts), (6485 + 1025, 37 + 13));
    assert!(plies > 540_000, "{plies}");
}

#[test]
fn wanted_parts_do_not_depend_on_other_wants() {
    let Some(folder) = shared_data("cbh wants", "cbh") else {
        return;
    };
    for (set, _) in SETS {
        let db = open(&folder.join(format!("{set}.cbh")));
        for i in (0..db.len()).step_by(if db.len() > 2000 { 7 } else { 1 }) {
            let (all, _) = read(&db, i, Want::ALL);
            let (tags, problems) = read(&db, i, Want::TAGS);
            assert_eq!(tags.head, all.head, "{set} {i}");
            assert_eq!(tags.events().count(), 0);
            assert!(problems.is_empty(), "{problems:?}");
            let (main, _) = read(&db, i, Want::TAGS.and(Want::MAINLINE));
            assert!(main.mainline().eq(all.mainline()), "{set} {i}");
            assert_eq!(main.events().count(), all.ply_count());
            let (bare, _) = read(&db, i, Want::TAGS.and(Want::MAINLINE).and(Want::VARIATIONS));
            let moves = all.events().filter(|e| !matches!(e, Event::Annotation(_)));
            assert!(bare.events().eq(moves), "{set} {i}");
            let entry = db.entry(GameIndex(i)).unwrap();
            assert_eq!(entry.is_text, all.head.kind == RecordKind::Text);
            assert_eq!(entry.deleted, all.head.deleted);
            assert_eq!(entry.has_setup, all.head.start.setup.is_some());
            if entry.is_text {
                continue;
            }
            let tags = &all.head.tags;
            assert_eq!(entry.result, all.result);
            assert_eq!(entry.white_elo, tags.white_elo());
            assert_eq!(entry.eco.map(Eco::code), tags.eco().map(Eco::code));
            assert_eq!(Some(entry.date), tags.date());
            let white = db.name(NameKind::Player, entry.white.unwrap()).unwrap();
            assert_eq!(
                if white.is_empty() { "?" } else { &*white },
                tags.text("White")
            );
        }
    }
}

#[test]
fn move_counts_of_headers_are_right() {
    let Some(folder) = shared_data("cbh move counts", "cbh") else {
        return;
    };
    for (set, _) in SETS.iter().filter(|(set, _)| !set.ends_with("World-ch")) {
        let db = open(&folder.join(format!("{set}.cbh")));
        for i in 0..db.len() {
            let (game, _) = read(&db, i, Want::TAGS.and(Want::MAINLINE));
            let entry = db.entry(GameIndex(i)).unwrap();
            if entry.is_text {
                continue;
            }
            let start = game
                .head
                .start
                .position()
                .unwrap_or_else(Position::standard);
            let black = usize::from(!start.turn().is_white());
            let plies = game.ply_count();
            let moves = if plies == 0 {
                0
            } else {
                (plies + black).div_ceil(2)
            };
            assert_eq!(entry.move_count, Some(moves.min(255) as u8), "{set} {i}");
        }
    }
}

#[test]
fn guiding_texts_round_trip() {
    let Some(folder) = shared_data("cbh texts", "cbh") else {
        return;
    };
    let mut versions: BTreeMap<u8, u32> = BTreeMap::new();
    for set in [
        "morphy-hedgehog/Hedgehog",
        "morphy-text/text",
        "morphy-cbhlib_test/cbhlib_test",
    ] {
        let headers = std::fs::read(folder.join(format!("{set}.cbh"))).unwrap();
        let bodies = std::fs::read(folder.join(format!("{set}.cbg"))).unwrap();
        let page = if set.ends_with("Hedgehog") {
            encoding_rs::WINDOWS_1251
        } else {
            encoding_rs::WINDOWS_1252
        };
        let texts = Texts::new(Charset::Auto, page);
        for header in headers.chunks_exact(46).skip(1) {
            let header = TextRecord::read(header).unwrap();
            if header.kind & TYPE_TEXT == 0 {
                continue;
            }
            let record = &bodies[header.body_at.get() as usize..];
            let size = MovesHead::read(record).unwrap().size.get() as usize;
            let record = &record[..size];
            let mut encoder = guiding_texts::Encoder::default();
            let mut last_body = 0;
            let flow = guiding_texts::decode(record, texts, &mut |annotation| {
                encoder.push(&annotation);
                match annotation {
                    Annotation::Text(part) => {
                        let (bytes, _) = tabia_core::io::encode(part.text, Charset::Single(page));
                        // Line breaks and diagram marks are one byte each in these bodies.
                        last_body = bytes.len() - 2 * part.text.matches("[#]").count();
                    }
                    Annotation::Foreign(block) => {
                        guiding_texts::formatting(block.bytes, last_body).unwrap();
                    }
                    _ => {}
                }
                Flow::Go
            });
            assert_eq!(flow, Ok(Flow::Go));
            let again = TextForm::all(page)
                .find(|form| encoder.finish(*form).is_some_and(|bytes| bytes == record));
            assert!(again.is_some(), "{set}: {:x?}", &record[..60]);
            *versions.entry(record[4]).or_default() += 1;
        }
    }
    println!("{versions:?}");
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), [(1, 27), (3, 10)]);
}

#[test]
fn databases_without_moves_have_headers_texts_and_annotations() {
    let Some(folder) = shared_data("cbh World-ch", "cbh/morphy-world-ch/World-ch.cbh") else {
        return;
    };
    let db = open(&folder);
    let (mut games, mut texts, mut items) = (0, 0, 0);
    for i in 0..db.len() {
        let (game, _) = read(&db, i, Want::ALL);
        match game.head.kind {
            RecordKind::Game => games += 1,
            RecordKind::Text => texts += 1,
        }
        items += game.events().count();
        assert_eq!(game.ply_count(), 0);
    }
    assert_eq!((games, texts), (1025, 13));
    assert!(items > 44_534, "{items}");
}

#[test]
fn real_sets_have_only_the_known_findings() {
    let Some(folder) = shared_data("cbh verify", "cbh") else {
        return;
    };
    let mut found = Vec::new();
    for (set, _) in SETS {
        let db = open(&folder.join(format!("{set}.cbh")));
        for finding in verify(&db) {
            let text = finding.to_string();
            let (file, text) = text.split_once(": ").unwrap();
            let (_, file) = file.rsplit_once('/').unwrap();
            found.push(format!("{:?} {file}: {text}", finding.severity));
        }
    }
    // A file that was never filled, gaps that ChessBase did not count, files that are missing here,
    // and a list of files that was cleared.
    assert_eq!(
        found,
        [
            "Stale fob.cba: the header states 10 bytes, the file has 24",
            "Damage cbh_test.cbj: the file is missing: teams, types of ratings and dates of changes are \
             unknown",
            "Stale Hedgehog.cbg: the header states 1428 unused bytes, the file has 5011",
            "Damage World-ch.cbg: the file is missing: games have no moves",
            "Stale World-ch.cbh: game 941: `media_at` is 0x1028, where .cbm has no list of files",
        ]
    );
}

#[test]
fn single_files_are_read() {
    let Some(folder) = shared_data("cbh single files", "cbh/morphy-fixtures-loose") else {
        return;
    };
    let db = open(&folder.join("many_headers.cbh"));
    assert_eq!(db.len(), 15_000);
    for i in 0..db.len() {
        let _ = db.entry(GameIndex(i)).unwrap();
        let (game, problems) = read(&db, i, Want::TAGS);
        assert_eq!(game.head.tags.text("White"), "?");
        assert!(problems.is_empty(), "{problems:?}");
    }
    let blob = |name| Blob::open(&folder.join(name)).unwrap();
    let extras = SideTable::new(blob("upgradable.cbtt")).unwrap();
    assert_eq!(extras.len(), 23);
    assert_eq!(extras.header().count.get(), 22);
    let (extra, rest) = extras.tournament(0);
    assert!(rest.is_empty());
    // Moscow.
    assert_eq!(
        (extra.latitude.to_string(), extra.longitude.to_string()),
        ("55.75247".into(), "37.63".into())
    );
    assert_eq!(extra.end_date.get(), 0);
    let players = EntityTable::<PlayerRecord>::new(blob("entity_test.cbp")).unwrap();
    assert_eq!((players.capacity(), players.live()), (265, 265));
    let old = EntityTable::<PlayerRecord>::new(blob("small_header.cbp")).unwrap();
    assert_eq!((old.capacity(), old.iter().count()), (169, 169));
    let tags = EntityTable::<GameTagRecord>::new(blob("entity_test.cbl")).unwrap();
    assert_eq!(
        (tags.capacity(), tags.live(), tags.iter().count()),
        (4, 3, 3)
    );
    let marks = TopGames::new(blob("topgames.flags")).unwrap();
    let top = (1..200).filter(|&game| marks.mark(game) == 3).count();
    let evaluated = (1..200).filter(|&game| marks.mark(game) >= 2).count();
    assert_eq!((top, evaluated), (127, 129));
}
