//! Damaged sets opened for repair: what is left is restored, what is lost is reported.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, RecordKind, Want};
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_formats::games::cbh;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, arbitrary_game, shared_data, tiny};

fn open(path: &Path, salvage: bool) -> Box<dyn Database> {
    let mut options = OpenOptions::default();
    options.salvage = salvage;
    (cbh::FORMAT.open)(&Source::from_path(path).unwrap(), &options).unwrap()
}

/// The games with the messages of their problems.
fn games(database: &dyn Database) -> Vec<(Game, Vec<String>)> {
    let mut reader = database.reader();
    let read = |index| {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = reader.read(GameIndex(index), Want::ALL, &mut recorder);
        let problems = recorder.take_problems();
        let problems = problems.iter().map(|problem| problem.error.to_string());
        let problems = problems.collect();
        drop(recorder);
        (game, problems)
    };
    (0..database.len()).map(read).collect()
}

fn is_exhaustive() -> bool {
    std::env::var_os("TABIA_EXHAUSTIVE").is_some()
}

fn set(folder: &Scratch) -> PathBuf {
    let path = folder.join("set.cbh");
    let create = cbh::FORMAT.create.unwrap();
    let mut writer = create(&path, &CreateOptions::default()).unwrap();
    for _ in 0..4 {
        for game in tiny::games() {
            writer.write(&game).unwrap();
        }
    }
    for seed in 0..30 {
        let game = arbitrary_game::arbitrary_game(seed);
        if game.head.start.position().is_some() {
            writer.write(&game).unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

/// Asserts equal moves, annotations and texts; tags may be lost.
fn assert_contents(old: &[(Game, Vec<String>)], new: &[(Game, Vec<String>)], what: &str) {
    assert_eq!(old.len(), new.len(), "{what}");
    for (number, ((old, _), (new, _))) in old.iter().zip(new).enumerate() {
        assert_eq!(old.head.kind, new.head.kind, "{what}: game {}", number + 1);
        assert!(old.events().eq(new.events()), "{what}: game {}", number + 1);
    }
}

#[test]
fn lost_headers_are_rebuilt() {
    let folder = Scratch::new("salvage");
    let path = set(&folder);
    let before = games(&*open(&path, false));
    let bytes = std::fs::read(&path).unwrap();
    let body = path.with_extension("cbg");
    // An intact set has no problems.
    let sound = games(&*open(&path, true));
    assert!(sound.iter().zip(&before).all(|(a, b)| a == b));
    // Cut off: the games after the cut are found by `.cbj`.
    std::fs::write(&path, &bytes[..46 * 11 + 20]).unwrap();
    let cut = games(&*open(&path, true));
    assert_contents(&before, &cut, "cut");
    assert!(cut[..10].iter().zip(&before).all(|(a, b)| a == b));
    assert!(cut[10..].iter().all(|(_, problems)| problems.len() == 1));
    // Missing.
    std::fs::remove_file(&path).unwrap();
    let without_headers = games(&*open(&body, true));
    assert_contents(&before, &without_headers, "without .cbh");
    assert!(
        without_headers
            .iter()
            .all(|(_, problems)| problems[0].contains("the header is lost"))
    );
    // Without `.cbj` too, which contains the start numbers of Chess960 games.
    std::fs::remove_file(path.with_extension("cbj")).unwrap();
    let only_bodies = games(&*open(&body, true));
    assert_contents(&before, &only_bodies, "without .cbh and .cbj");
    // A record in the middle is overwritten; the following ones are found again.
    let mut moves = std::fs::read(&body).unwrap();
    let third = 26 + moves[29] as usize + moves[26 + moves[29] as usize + 3] as usize;
    moves[third..third + 12].fill(0xff);
    std::fs::write(&body, moves).unwrap();
    let with_gap = games(&*open(&body, true));
    assert_eq!(with_gap.len(), before.len() - 1);
    let ply_counts = |games: &[(Game, Vec<String>)]| -> Vec<usize> {
        games.iter().map(|(game, _)| game.ply_count()).collect()
    };
    let mut expected = ply_counts(&before);
    expected.remove(2);
    assert_eq!(ply_counts(&with_gap), expected);
}

/// Bytes inserted into `.cbh`, or lost from it, cost the header that had them.
#[test]
fn headers_after_inserted_bytes_are_read() {
    let folder = Scratch::new("salvage-headers-shifted");
    let path = set(&folder);
    let before = games(&*open(&path, false));
    let header = std::fs::read(&path).unwrap();
    for (at, inserted) in [(46 * 11 + 7, 3), (46 * 11, 1), (46 * 13 + 20, 0)] {
        let mut changed = header.clone();
        if inserted > 0 {
            changed.splice(at..at, vec![0x0d; inserted]);
        } else {
            changed.drain(at..at + 4);
        }
        std::fs::write(&path, changed).unwrap();
        let database = open(&path, true);
        let found = games(&*database);
        assert_eq!(found.len(), before.len());
        let whole = before.iter().zip(&found);
        let whole = whole.filter(|((old, _), (new, _))| old == new);
        assert!(
            whole.count() + 1 >= before.len(),
            "{inserted} bytes at {at}"
        );
        let problems = database.info().problems.join("; ");
        assert!(
            problems.contains("were inserted into the file"),
            "{problems}"
        );
    }
    // Zeros at the end are no records.
    let zeros = [header.as_slice(), &[0; 100]].concat();
    std::fs::write(&path, zeros).unwrap();
    assert_eq!(games(&*open(&path, true)), before);
}

/// Bytes inserted into `.cbg` and `.cba`, or lost from them, cost the game that had them, and none after it.
#[test]
fn records_that_are_elsewhere_are_found() {
    let folder = Scratch::new("salvage-shifted");
    let path = set(&folder);
    let before = games(&*open(&path, false));
    let header = std::fs::read(&path).unwrap();
    for extension in ["cbg", "cba"] {
        let body = path.with_extension(extension);
        let bytes = std::fs::read(&body).unwrap();
        for (change, at, count) in [
            ("inserted", bytes.len() / 2, 3),
            ("inserted", bytes.len() / 3, 512),
            ("inserted", bytes.len() / 4, 100_000),
            ("lost", bytes.len() / 2, 1),
            ("lost", bytes.len() / 3, 10),
        ] {
            let mut changed = bytes.clone();
            if change == "lost" {
                changed.drain(at..at + count);
            } else {
                changed.splice(at..at, std::iter::repeat_n(0xee, count));
            }
            std::fs::write(&body, changed).unwrap();
            for has_headers in [true, false] {
                let what =
                    format!("{count} bytes {change} in .{extension}, headers: {has_headers}");
                let open_from = if has_headers {
                    std::fs::write(&path, &header).unwrap();
                    &path
                } else {
                    std::fs::remove_file(&path).unwrap();
                    &path.with_extension("cbg")
                };
                let database = open(open_from, true);
                let found = games(&*database);
                assert_eq!(found.len(), before.len(), "{what}");
                let whole = before.iter().zip(&found);
                let whole = whole.filter(|((old, _), (new, _))| old.events().eq(new.events()));
                assert!(whole.count() + 2 >= before.len(), "{what}");
                let problems = &database.info().problems;
                assert!(!problems.is_empty(), "{what}");
            }
            std::fs::write(&path, &header).unwrap();
        }
        std::fs::write(&body, bytes).unwrap();
    }
}

/// Without headers, search boosters of real sets restore events, sources and annotators, and name the
/// players.
#[test]
fn boosters_restore_lost_names() {
    let test = "boosters_restore_lost_names";
    let folder = Scratch::new("salvage-boosters");
    for set in [
        "morphy-hedgehog/Hedgehog",
        "morphy-cbhlib_test/cbhlib_test",
        "morphy-cbmplayertest/cbmplayertest",
        "morphy-test-annotations/test-annotations",
        "morphy-text/text",
    ] {
        let Some(path) = shared_data(test, &format!("cbh/{set}.cbh")) else {
            return;
        };
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let before = games(&*open(&path, false));
        for file in files_below(path.parent().unwrap()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let is_main = file.extension().is_some_and(|extension| extension == "cbh");
            let is_of_set = name.starts_with(&format!("{stem}.")) && !is_main;
            if is_of_set {
                std::fs::write(folder.join(&name), std::fs::read(&file).unwrap()).unwrap();
            }
        }
        let body = folder.join(format!("{stem}.cbg"));
        let compare = |what: &str, is_complete: bool| {
            let after = games(&*open(&body, true));
            if is_complete {
                assert_contents(&before, &after, what);
            }
            let (mut named, mut total) = (0, 0);
            assert_eq!(before.len(), after.len(), "{what}");
            for (number, ((old, _), (new, problems))) in before.iter().zip(&after).enumerate() {
                assert!(old.mainline().eq(new.mainline()), "{what}: {}", number + 1);
                for tag in ["Event", "Site", "Annotator", "Source", "SourceTitle"] {
                    let [old, new] = [old, new].map(|game| game.head.tags.get(tag));
                    assert_eq!(old, new, "{what}: {tag} of {}", number + 1);
                }
                let [white, black] = ["White", "Black"].map(|tag| old.head.tags.text(tag));
                if old.head.kind == RecordKind::Game && white != black {
                    total += 1;
                    let problem = &problems[0];
                    named += usize::from(problem.contains(white) && problem.contains(black));
                    assert!(problem.contains("was White"), "{what}: {problem}");
                }
            }
            assert_eq!(named, total, "{what}");
        };
        compare(set, true);
        // The boosters also contain the offsets of games.
        let extended = folder.join(format!("{stem}.cbj"));
        if folder.join(format!("{stem}.cbgi")).exists() {
            std::fs::remove_file(extended).unwrap();
            // Not every annotation record contains the number of its game.
            compare(&format!("{set} without .cbj"), false);
        }
        // Boosters that are out of date are not used.
        let lists = folder.join(format!("{stem}.cib"));
        let mut blocks = std::fs::read(&lists).unwrap();
        for block in blocks[12..].chunks_exact_mut(64) {
            block[8] = block[8].wrapping_add(1);
        }
        std::fs::write(&lists, blocks).unwrap();
        let stale = games(&*open(&body, true));
        let is_named = |problem: &str| problem.contains("was White");
        assert!(
            !stale.iter().any(|(_, problems)| is_named(&problems[0])),
            "{set}"
        );
        for name in folder.names() {
            std::fs::remove_file(folder.join(&name)).unwrap();
        }
    }
}

#[test]
fn damaged_headers_and_names_are_reported() {
    let folder = Scratch::new("salvage-parts");
    let path = set(&folder);
    let before = games(&*open(&path, false));
    let bytes = std::fs::read(&path).unwrap();
    // One record of zeros, one that points outside.
    let mut broken = bytes.clone();
    broken[46 * 2..46 * 3].fill(0);
    broken[46 * 3 + 1..46 * 3 + 5].fill(0x7f);
    std::fs::write(&path, &broken).unwrap();
    let found = games(&*open(&path, true));
    assert_contents(&before, &found, "two headers");
    assert_eq!(found[1].1.len(), 1);
    assert_eq!(found[2], before[2]);
    std::fs::write(&path, &bytes).unwrap();
    // An entity file with a corrupt header.
    let players = path.with_extension("cbp");
    let intact = std::fs::read(&players).unwrap();
    let mut names = intact.clone();
    names[..28].fill(0x55);
    std::fs::write(&players, &names).unwrap();
    let database = open(&path, true);
    assert_eq!(database.info().problems.len(), 1);
    assert_eq!(games(&*database), before);
    // The file itself is missing.
    std::fs::remove_file(&players).unwrap();
    let found = games(&*open(&path, true));
    let is_reported = |(game, problems): &(Game, Vec<String>)| {
        game.head.kind == RecordKind::Text || problems[0].contains(".cbp")
    };
    assert!(found.iter().all(is_reported));
    assert_contents(&before, &found, "without .cbp");
    assert_same_players(&before, &found);
    assert!(
        found[0]
            .0
            .head
            .tags
            .text("White")
            .starts_with("(lost player ")
    );
    // Cut in the middle: the players before the cut keep their names.
    std::fs::write(&players, &intact[..32 + 67 * 3 + 20]).unwrap();
    let cut = games(&*open(&path, true));
    assert_same_players(&before, &cut);
    let has_problems = |(_, problems): &&(Game, Vec<String>)| !problems.is_empty();
    let lost = cut.iter().filter(has_problems).count();
    assert!(lost > 0 && lost < cut.len(), "{lost} of {}", cut.len());
    for ((old, _), (new, problems)) in before.iter().zip(&cut) {
        if problems.is_empty() {
            assert_eq!(old, new);
        }
    }
    // All names are missing.
    for extension in ["cbp", "cbt", "cbc", "cbs", "cbe"] {
        std::fs::remove_file(path.with_extension(extension)).unwrap();
    }
    let nameless = games(&*open(&path, true));
    assert_contents(&before, &nameless, "without names");
    assert_same_players(&before, &nameless);
}

/// Asserts that games shared a player before if and only if they do now.
fn assert_same_players(old: &[(Game, Vec<String>)], new: &[(Game, Vec<String>)]) {
    let mut new_names = HashMap::new();
    let mut old_names = HashMap::new();
    for ((old, _), (new, _)) in old.iter().zip(new) {
        for side in ["White", "Black"] {
            let names = [old, new].map(|game| game.head.tags.text(side).to_owned());
            let [old, new] = names;
            assert_eq!(*new_names.entry(old.clone()).or_insert(new.clone()), new);
            assert_eq!(*old_names.entry(new).or_insert(old.clone()), old);
        }
    }
}

#[test]
fn real_sets_are_restored_without_headers() {
    let test = "real_sets_are_restored_without_headers";
    let Some(folder) = shared_data(test, "cbh") else {
        return;
    };
    let scratch = Scratch::new("salvage-real");
    for main in files_below(&folder) {
        let is_main = main.extension().is_some_and(|extension| extension == "cbh");
        let name = main.to_string_lossy().into_owned();
        let is_set = is_main && main.with_extension("cbg").exists();
        if !is_set || name.contains("history") || name.contains("small") {
            continue;
        }
        // Large sets take long.
        if std::fs::metadata(&main).unwrap().len() > 1 << 16 && !is_exhaustive() {
            continue;
        }
        let before = games(&*open(&main, false));
        for extensions in [
            &["cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs"][..],
            &["cbg", "cba"],
        ] {
            for extension in extensions {
                let from = main.with_extension(extension);
                if from.exists() {
                    std::fs::copy(&from, scratch.join(format!("set.{extension}"))).unwrap();
                }
            }
            let found = games(&*open(&scratch.join("set.cbg"), true));
            let outline = |(game, _): &(Game, Vec<String>)| (game.head.kind, game.events().count());
            let pairs = before.iter().map(outline).zip(found.iter().map(outline));
            let same = pairs.filter(|(old, new)| old == new).count();
            println!(
                "{name}: {same} of {} records from {extensions:?}",
                before.len()
            );
            let texts = before
                .iter()
                .filter(|(game, _)| game.head.kind == RecordKind::Text);
            let is_bare = extensions.len() == 2;
            let has_gaps = name.contains("edgehog") && is_bare;
            // Another program wrote these annotations without the numbers of their games.
            let is_nameless = name.contains("test-annotations") && is_bare;
            if is_nameless {
                assert_eq!(found.len(), before.len(), "{name}");
            } else if has_gaps {
                // After a gap that ends in the middle of an old record, some records are skipped.
                assert!(
                    found.len() > before.len() * 9 / 10,
                    "{name}: {}",
                    found.len()
                );
            } else {
                assert!(same + texts.count() >= before.len(), "{name}: {same}");
            }
            for name in scratch.names() {
                std::fs::remove_file(scratch.join(&name)).unwrap();
            }
        }
    }
}
