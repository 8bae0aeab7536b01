//! What is left of damaged Scidb databases: every game that survives is found, and of the others it
//! is told what is lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::big_endian_bytes,
    reason = "tests"
)]

#[path = "support/saved.rs"]
mod saved;

use tabia_core::game::Game;
use tabia_formats::games::scidb::FORMAT;
use tabia_testkit::corrupt;

use saved::{Files, many_games, moves, same_moves};

/// Bytes of the header and of a row of the index.
const HEADER: usize = 128;
const ROW: usize = 56;

/// Where the records of the rows lie.
fn places(files: &Files) -> Vec<usize> {
    let index = &files.files[0].1;
    let rows = index[HEADER..].chunks_exact(ROW);
    rows.map(|row| u32::from_be_bytes(row[24..28].try_into().unwrap()) as usize)
        .collect()
}

/// A database of games made here, with setup positions, variations, comments and a few blocks.
fn made(test: &str) -> Files {
    let words = format!(", {}", "word ".repeat(100));
    let games = many_games(150, 200, &words);
    Files::made(test, &FORMAT, games)
}

/// The database made here and, when they are at hand, those made by Scidb.
fn all(test: &str) -> Vec<Files> {
    let mut all = vec![made(test)];
    for name in ["features", "frc", "lichess_db_1000k", "twic1599_1000k"] {
        all.extend(Files::real(test, &FORMAT, name));
    }
    all
}

#[test]
fn a_sound_database_is_whole() {
    for files in all("sci-salvage-sound") {
        let saved = files.salvage();
        assert_eq!(saved.faults, Vec::<String>::new());
        assert!(!saved.whole().is_empty());
    }
}

#[test]
fn a_cut_name_file_costs_names_only() {
    for files in all("sci-salvage-names") {
        let whole = files.salvage().whole();
        let mut cut = files.clone();
        let names = cut.of("scn");
        names.truncate(names.len() * 3 / 5);
        for damaged in [cut, files.clone().without("scn")] {
            let saved = damaged.salvage();
            assert_eq!(saved.records.len(), whole.len());
            assert!(!saved.faults.is_empty());
            let (_, damaged, lost) = saved.counts();
            assert!(damaged > 0 && lost == 0);
            for (record, game) in saved.records.iter().zip(&whole) {
                let (found, told) = record.as_ref().unwrap();
                assert!(same_moves(found, game));
                assert!(!told.is_empty() || found == game);
                assert!(told.iter().all(|text| text.contains(".scn")), "{told:?}");
            }
        }
    }
}

#[test]
fn a_damaged_section_of_names_spares_the_others() {
    let files = made("sci-salvage-section");
    let whole = files.salvage().whole();
    let mut damaged = files.clone();
    // The lengths of the first players.
    damaged.of("scn")[40..80].fill(0xff);
    let saved = damaged.salvage();
    assert_eq!(saved.faults.len(), 1, "{:?}", saved.faults);
    for (record, game) in saved.records.iter().zip(&whole) {
        let (found, told) = record.as_ref().unwrap();
        assert!(same_moves(found, game));
        for tag in ["Event", "Site", "Annotator"] {
            assert_eq!(found.head.tags.get(tag), game.head.tags.get(tag), "{tag}");
        }
        assert!(!told.is_empty() || found == game);
    }
}

/// What looks like rows and leads nowhere is lost, and costs no game; players whose names are lost
/// are still different players.
#[test]
fn rows_that_lead_nowhere_are_lost_and_names_stay_apart() {
    for files in all("sci-salvage-junk") {
        let whole = files.salvage().whole();
        let mut long = files.clone();
        long.of("sci").extend(vec![0xfe; 3 * ROW]);
        let saved = long.salvage();
        assert_eq!(saved.counts(), (whole.len(), 0, 3), "{:?}", saved.faults);
        let saved = files.clone().without("scn").salvage();
        let players = |games: &mut dyn Iterator<Item = &Game>| {
            let all: Vec<String> = games
                .flat_map(|game| ["White", "Black"].map(|tag| game.head.tags.text(tag).to_owned()))
                .collect();
            let first = |name: &String| all.iter().position(|other| other == name).unwrap();
            all.iter().map(first).collect::<Vec<usize>>()
        };
        let mut found = saved
            .records
            .iter()
            .map(|record| &record.as_ref().unwrap().0);
        let (is, was) = (players(&mut found), players(&mut whole.iter()));
        // A name can stand for several players, who then have different facts.
        assert!(is.iter().zip(&was).all(|(is, was)| was <= is));
    }
}

#[test]
fn games_without_an_index_are_found() {
    for files in all("sci-salvage-index") {
        let whole = files.salvage().whole();
        let saved = files.clone().without("sci").salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, told) = record.as_ref().unwrap();
            assert!(same_moves(found, game), "{told:?}");
            assert_eq!(told.len(), 1, "{told:?}");
            let tags = &found.head.tags;
            assert_eq!(tags.get("White"), Some("?"));
            assert_eq!(found.result, tabia_core::game::GameResult::Unknown);
        }
    }
}

#[test]
fn the_rest_of_a_cut_index_is_found_in_the_game_file() {
    for files in all("sci-salvage-cut-index") {
        let whole = files.salvage().whole();
        let mut cut = files.clone();
        let index = cut.of("sci");
        let keep = HEADER + (index.len() - HEADER) / ROW * 3 / 4 * ROW + 5;
        index.truncate(keep);
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
fn an_index_that_is_too_long_has_rows_of_lost_games() {
    let files = made("sci-salvage-long-index");
    let whole = files.salvage().whole();
    let places = places(&files);
    let mut cut = files.clone();
    let half = places.len() / 2;
    cut.of("scg").truncate(places[half]);
    let saved = cut.salvage();
    assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
    assert_eq!(saved.counts(), (half, whole.len() - half, 0));
    for (record, game) in saved.records.iter().zip(&whole).skip(half) {
        let (found, told) = record.as_ref().unwrap();
        // The row and the names are left.
        assert_eq!(found.head.tags.get("White"), game.head.tags.get("White"));
        assert_eq!(found.mainline().count(), 0);
        assert!(told.iter().any(|text| text.contains(".scg")), "{told:?}");
    }
}

#[test]
fn a_cut_game_file_leaves_the_names() {
    for files in all("sci-salvage-cut-games") {
        let whole = files.salvage().whole();
        let mut cut = files.clone();
        let games = cut.of("scg");
        games.truncate(games.len() / 2);
        let saved = cut.salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        let (kept, damaged, lost) = saved.counts();
        assert!(kept > 0 && damaged > 0 && lost == 0);
        for (record, game) in saved.records.iter().zip(&whole) {
            let (found, told) = record.as_ref().unwrap();
            assert_eq!(found.head.tags.get("White"), game.head.tags.get("White"));
            // A game without moves loses nothing with its record, which is told all the same.
            assert!(!told.is_empty() || found == game);
            assert!(told.is_empty() || found.ply_count() <= game.ply_count());
        }
    }
}

#[test]
fn wiped_pages_cost_what_was_in_them() {
    const PAGE: usize = 4096;
    for files in all("sci-salvage-wiped") {
        let whole = files.salvage().whole();
        let places = places(&files);
        let mut wiped = files.clone();
        let games = wiped.of("scg");
        let from = games.len() / 2 / PAGE * PAGE;
        let until = games.len().min(from + PAGE);
        games[from..until].fill(0);
        let sound = files.clone().of("scg").clone();
        let saved = wiped.salvage();
        let (kept, damaged, lost) = saved.counts();
        assert!(damaged > 0 && lost == 0, "{damaged} {kept}");
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        for (number, (record, game)) in saved.records.iter().zip(&whole).enumerate() {
            let (found, told) = record.as_ref().unwrap();
            let at = places[number];
            let length = u32::from_be_bytes([0, sound[at], sound[at + 1], sound[at + 2]]) as usize;
            let is_hit = at < until && at + length > from;
            if !is_hit {
                assert_eq!(*told, Vec::<String>::new(), "game {}", number + 1);
            }
            if told.is_empty() {
                assert!(found == game, "game {} lost something untold", number + 1);
            } else {
                let moves = found.mainline().count();
                assert!(game.mainline().take(moves).eq(found.mainline()), "{told:?}");
            }
        }
        // With the index gone as well, the games outside the page are still found.
        let saved = wiped.without("sci").salvage();
        let found = saved.records.iter().flatten().count();
        assert!(found + damaged >= whole.len(), "{:?}", saved.faults);
        assert!(found <= whole.len());
    }
}

#[test]
fn games_of_wiped_rows_keep_their_numbers() {
    for files in all("sci-salvage-wiped-index") {
        let whole = files.salvage().whole();
        let (first, last) = if whole.len() > 40 { (10, 20) } else { (1, 3) };
        let mut wiped = files.clone();
        wiped.of("sci")[HEADER + first * ROW..HEADER + last * ROW].fill(0);
        let saved = wiped.salvage();
        assert_eq!(saved.records.len(), whole.len(), "{:?}", saved.faults);
        for (number, (record, game)) in (0..).zip(saved.records.iter().zip(&whole)) {
            let (found, told) = record.as_ref().unwrap();
            assert!(same_moves(found, game), "{told:?}");
            assert_eq!(
                told.is_empty(),
                !(first..last).contains(&number),
                "{told:?}"
            );
        }
        // Rows that lead past the end of the file or into another game: what they say of the end
        // of the game finds it.
        let places = places(&files);
        let other = places[places.len() - 1] as u32;
        for offset in [u32::MAX, other + 1, other, 0] {
            let mut astray = files.clone();
            let at = HEADER + first * ROW + 24;
            astray.of("sci")[at..at + 4].copy_from_slice(&offset.to_be_bytes());
            let saved = astray.salvage();
            assert_eq!(
                saved.faults,
                ["1 games were found at other places than their index entries say"],
                "{offset}"
            );
            assert!(saved.whole() == whole);
        }
    }
}

#[test]
fn a_row_that_contradicts_its_game_is_told() {
    let files = made("sci-salvage-contradiction");
    let whole = files.salvage().whole();
    let mut damaged = files.clone();
    // The half-moves of the last row.
    let at = damaged.of("sci").len() - ROW + 14;
    damaged.of("sci")[at] ^= 0x55;
    let saved = damaged.salvage();
    assert_eq!(
        saved.counts(),
        (whole.len() - 1, 1, 0),
        "{:?}",
        saved.faults
    );
    let (found, told) = saved.records.last().unwrap().as_ref().unwrap();
    assert!(same_moves(found, whole.last().unwrap()));
    assert!(told[0].contains("the index says"), "{told:?}");
}

#[test]
fn what_the_header_announces_is_missed() {
    let files = made("sci-salvage-announced");
    let whole = files.salvage().whole().len();
    let mut damaged = files.clone();
    let index = damaged.of("sci");
    index.truncate(index.len() - ROW * 10);
    damaged.of("scg").truncate(100);
    let saved = damaged.salvage();
    assert_eq!(saved.counts().2, 10);
    assert_eq!(saved.records.len(), whole);
}

#[test]
fn a_header_in_ruins_hides_nothing() {
    for files in all("sci-salvage-header") {
        let whole = files.salvage().whole();
        let mut ruined = files.clone();
        ruined.of("sci")[..100].fill(0);
        let saved = ruined.salvage();
        assert_eq!(saved.faults.len(), 1, "{:?}", saved.faults);
        assert!(saved.whole() == whole);
    }
}

#[test]
fn an_unfinished_compaction_is_finished() {
    let files = made("sci-salvage-compaction");
    let whole = files.salvage().whole();
    let bytes = |extension: &str| files.clone().of(extension).clone();
    for mark in [".partial-293t83873xx878", "__COMPACT__"] {
        let new = |extension: &str| format!("base{mark}.{extension}");
        let old = |extension: &str| format!("base.{extension}");
        // Stopped while the old files were removed, and while the new ones got their names.
        let of = |files| Files {
            format: &FORMAT,
            files,
        };
        let removing = of(vec![
            (old("scn"), b"of other games".to_vec()),
            (old("scg"), b"from before".to_vec()),
            (new("sci"), bytes("sci")),
            (new("scn"), bytes("scn")),
            (new("scg"), bytes("scg")),
        ]);
        let renaming = of(vec![
            (old("sci"), bytes("sci")),
            (new("scn"), bytes("scn")),
            (new("scg"), bytes("scg")),
        ]);
        for stopped in [removing, renaming] {
            let saved = stopped.salvage();
            assert_eq!(saved.faults.len(), 1, "{:?}", saved.faults);
            assert!(saved.faults[0].contains("compaction"));
            assert!(saved.whole() == whole);
        }
        // Stopped while the new files were made: the old ones are all there.
        let mut copying = files.clone();
        copying.files.push((new("scg"), vec![1, 2, 3]));
        assert!(copying.salvage().whole() == whole);
    }
}

#[test]
fn any_damage_leaves_an_account() {
    let files = made("sci-salvage-any");
    let whole: Vec<Vec<String>> = files.salvage().whole().iter().map(moves).collect();
    for (number, extension) in (0..).zip(["sci", "scn", "scg"]) {
        let sound = files.clone().of(extension).clone();
        for damaged in corrupt::random(&sound, 5, 7 + number) {
            let mut files = files.clone();
            *files.of(extension) = damaged.bytes;
            let saved = files.salvage();
            let (kept, _, _) = saved.counts();
            assert!(kept <= saved.records.len(), "{}", damaged.how);
            for (game, told) in saved.records.iter().flatten() {
                // Whatever happens to names, the games stay what they are.
                assert!(extension != "scn" || !told.is_empty() || whole.contains(&moves(game)));
            }
        }
    }
}
