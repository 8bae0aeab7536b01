//! What is left of damaged Scid databases: every game that survives is found, and of the others it
//! is told what is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

#[path = "support/saved.rs"]
mod saved;

use std::collections::HashSet;

use tabia_core::game::Game;
use tabia_formats::games::scid::{SI3, SI4, SI5};
use tabia_testkit::corrupt;

use saved::{Files, many_games, moves, same_moves};

/// Databases of random games in each version.
fn made(test: &str) -> Vec<Files> {
    let games = many_games(200, 300, "");
    [&SI3, &SI4, &SI5]
        .map(|format| Files::made(test, format, games.clone()))
        .to_vec()
}

/// The databases made here and, when they are at hand, those made by Scid.
fn all(test: &str) -> Vec<Files> {
    let real = [
        (&SI3, "twic1599_1000k"),
        (&SI4, "twic1599_1000k"),
        (&SI5, "twic1599_1000k"),
        (&SI4, "lichess_db_1000k"),
        (&SI5, "features"),
    ];
    let real = real.map(|(format, name)| Files::real(test, format, name));
    made(test)
        .into_iter()
        .chain(real.into_iter().flatten())
        .collect()
}

fn version(files: &Files) -> char {
    files.format.file.id.as_str().chars().last().unwrap()
}

#[test]
fn a_sound_database_is_whole() {
    for files in all("salvage-sound") {
        let saved = files.salvage();
        assert_eq!(saved.faults, Vec::<String>::new());
        assert!(!saved.whole().is_empty());
    }
}

#[test]
fn a_cut_name_file_costs_names_only() {
    for files in all("salvage-names") {
        let whole = files.salvage().whole();
        let mut cut = files.clone();
        let names = cut.of("sn");
        names.truncate(names.len() * 4 / 5);
        for damaged in [cut, files.clone().without("sn")] {
            let saved = damaged.salvage();
            assert_eq!(saved.records.len(), whole.len());
            let (_, damaged, lost) = saved.counts();
            assert!(damaged > 0 && lost == 0);
            for (record, game) in saved.records.iter().zip(&whole) {
                let (found, told) = record.as_ref().unwrap();
                assert!(same_moves(found, game));
                assert!(!told.is_empty() || found == game);
                assert!(
                    told.iter().all(|text| text.contains("name file")),
                    "{told:?}"
                );
            }
        }
    }
}

/// What looks like rows and leads nowhere is lost, and costs no game.
#[test]
fn rows_that_lead_nowhere_are_lost() {
    for files in all("salvage-junk") {
        let whole = files.salvage().whole();
        let mut long = files.clone();
        let length = match version(&files) {
            '3' => 46,
            '4' => 47,
            _ => 56,
        };
        // High numbers of names, and places far behind the end.
        long.of("si").extend(vec![0xfe; 3 * length]);
        let saved = long.salvage();
        assert_eq!(saved.counts(), (whole.len(), 0, 3), "{:?}", saved.faults);
        for (record, game) in saved.records.iter().zip(&whole) {
            assert_eq!(&record.as_ref().unwrap().0, game);
        }
    }
}

/// Players whose names are lost are still different players.
#[test]
fn lost_names_keep_apart_what_they_kept_apart() {
    for files in all("salvage-apart") {
        let whole = files.salvage().whole();
        let saved = files.clone().without("sn").salvage();
        let mut lost = std::collections::HashMap::new();
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, _) = record.as_ref().unwrap();
            for tag in ["White", "Black"] {
                let (is, was) = (found.head.tags.text(tag), game.head.tags.text(tag));
                assert!(is.starts_with("(lost player "), "{is}");
                assert_eq!(*lost.entry(is.to_owned()).or_insert(was.to_owned()), was);
            }
        }
        let names: HashSet<&String> = lost.values().collect();
        assert_eq!(names.len(), lost.len());
    }
}

#[test]
fn games_without_an_index_are_found() {
    for files in all("salvage-index") {
        let whole = files.salvage().whole();
        let saved = files.clone().without("si").salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, told) = record.as_ref().unwrap();
            assert!(same_moves(found, game), "{told:?}");
            assert_eq!(told.len(), 1, "{told:?}");
        }
    }
}

#[test]
fn the_rest_of_a_cut_index_is_found_in_the_game_file() {
    for files in all("salvage-cut-index") {
        let whole = files.salvage().whole();
        let mut cut = files.clone();
        let index = cut.of("si");
        index.truncate(index.len() * 3 / 4 + 5);
        let saved = cut.salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        let (kept, damaged, lost) = saved.counts();
        assert!(kept >= whole.len() * 7 / 10 && damaged > 0 && lost == 0);
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, told) = record.as_ref().unwrap();
            assert!(same_moves(found, game), "{told:?}");
            assert_eq!(told.is_empty(), found == game);
        }
    }
}

#[test]
fn wiped_pages_cost_what_was_in_them() {
    const PAGE: usize = 4096;
    for files in all("salvage-wiped") {
        let whole = files.salvage().whole();
        let mut wiped = files.clone();
        let games = wiped.of("sg");
        let from = games.len() / 2 / PAGE * PAGE;
        let until = games.len().min(from + PAGE);
        games[from..until].fill(0);
        let saved = wiped.salvage();
        assert_eq!(saved.faults, Vec::<String>::new());
        let (kept, damaged, lost) = saved.counts();
        assert!(damaged > 0 && lost == 0 && kept > 0, "{damaged} {kept}");
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, told) = record.as_ref().unwrap();
            if told.is_empty() {
                assert!(found == game);
            } else {
                let moves = found.mainline().count();
                assert!(game.mainline().take(moves).eq(found.mainline()), "{told:?}");
            }
        }
        // With the index gone as well, the games outside the page are still found.
        let saved = wiped.without("si").salvage();
        let found: Vec<&Game> = saved
            .records
            .iter()
            .flatten()
            .map(|(game, _)| game)
            .collect();
        assert!(
            found.len() + damaged + 2 >= whole.len(),
            "{:?}",
            saved.faults
        );
        assert!(found.len() <= whole.len());
    }
}

#[test]
fn games_of_wiped_index_entries_keep_their_numbers() {
    for files in all("salvage-wiped-index") {
        let whole = files.salvage().whole();
        let (header, row) = match version(&files) {
            '3' => (128, 46),
            '4' => (182, 47),
            _ => (0, 56),
        };
        let mut wiped = files.clone();
        wiped.of("si")[header + 10 * row..header + 20 * row].fill(0);
        let saved = wiped.salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        for (number, (record, game)) in (0..).zip(saved.records.iter().zip(&whole)) {
            let (found, told) = record.as_ref().unwrap();
            assert!(same_moves(found, game), "{told:?}");
            assert_eq!(told.is_empty(), !(10..20).contains(&number), "{told:?}");
        }
        // An entry that leads past the end of the file: the game is found by what else it says.
        let mut astray = files.clone();
        let at = header + 30 * row + if row == 56 { 36 } else { 0 };
        astray.of("si")[at..at + 4].fill(0xf7);
        let saved = astray.salvage();
        let (moved, fill) = saved.faults.split_first().unwrap();
        assert!(moved.starts_with("1 games were found at other places"));
        // What Scid 3.3 fills blocks with is seen where games are looked for.
        assert!(
            fill.iter().all(|fault| fault.contains("are no games")),
            "{fill:?}"
        );
        assert!(saved.whole() == whole);
    }
}

#[test]
fn a_cut_game_file_leaves_the_names() {
    for files in all("salvage-cut-games") {
        let whole = files.salvage().whole();
        let mut cut = files.clone();
        let games = cut.of("sg");
        games.truncate(games.len() / 2);
        let saved = cut.salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        let (kept, damaged, lost) = saved.counts();
        assert!(kept > 0 && damaged > 0 && lost == 0);
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, told) = record.as_ref().unwrap();
            let white = |game: &Game| game.head.tags.get("White").map(str::to_owned);
            assert_eq!(white(found), white(game));
            assert_eq!(told.is_empty(), found == game, "{told:?}");
        }
    }
}

#[test]
fn any_damage_leaves_an_account() {
    for files in made("salvage-any") {
        let whole: HashSet<Vec<String>> = files.salvage().whole().iter().map(moves).collect();
        for (number, kind) in (0..).zip(["si", "sn", "sg"]) {
            let sound = files.clone().of(kind).clone();
            for damaged in corrupt::random(&sound, 5, 7 + number) {
                let mut files = files.clone();
                *files.of(kind) = damaged.bytes;
                let saved = files.salvage();
                let (kept, _, _) = saved.counts();
                assert!(kept <= saved.records.len(), "{}", damaged.how);
                for (game, told) in saved.records.iter().flatten() {
                    // Whatever happens to names, the games stay what they are.
                    assert!(kind != "sn" || !told.is_empty() || whole.contains(&moves(game)));
                }
            }
        }
    }
}

#[test]
fn a_header_in_ruins_hides_nothing() {
    for files in made("salvage-header") {
        if version(&files) == '5' {
            continue;
        }
        let whole = files.salvage().whole();
        let mut ruined = files.clone();
        ruined.of("si")[..100].fill(0);
        let saved = ruined.salvage();
        assert_eq!(saved.faults.len(), 1);
        assert!(saved.whole() == whole);
    }
}

#[test]
fn what_the_header_announces_is_missed() {
    let mut files = made("salvage-announced").swap_remove(1);
    let whole = files.salvage().whole().len();
    let index = files.of("si");
    index.truncate(index.len() - 47 * 10);
    let games = files.of("sg");
    games.truncate(100);
    let (_, _, lost) = files.salvage().counts();
    assert_eq!(lost, 10);
    assert_eq!(files.salvage().records.len(), whole);
}

#[test]
fn an_unfinished_compaction_is_finished() {
    for files in made("salvage-compaction") {
        let whole = files.salvage().whole();
        let version = version(&files);
        let compacted = |kind: &str| format!("base__COMPACT__.{kind}{version}");
        let old = |kind: &str| format!("base.{kind}{version}");
        let bytes = |kind: &str| files.clone().of(kind).clone();
        // Stopped while the old files were removed: the old index is gone already.
        let removing = Files {
            format: files.format,
            files: vec![
                (old("sn"), b"of other games".to_vec()),
                (old("sg"), b"from before".to_vec()),
                (compacted("si"), bytes("si")),
                (compacted("sn"), bytes("sn")),
                (compacted("sg"), bytes("sg")),
            ],
        };
        // Stopped while the new files got their names.
        let renaming = Files {
            format: files.format,
            files: vec![
                (old("si"), bytes("si")),
                (compacted("sn"), bytes("sn")),
                (compacted("sg"), bytes("sg")),
            ],
        };
        for stopped in [removing, renaming] {
            let saved = stopped.salvage();
            assert_eq!(saved.faults.len(), 1, "{:?}", saved.faults);
            assert!(saved.faults[0].contains("compaction"));
            assert!(saved.whole() == whole);
        }
        // Stopped while the new files were made: the old ones are all there.
        let mut copying = files.clone();
        copying.files.push((compacted("sg"), vec![1, 2, 3]));
        assert!(copying.salvage().whole() == whole);
    }
}
