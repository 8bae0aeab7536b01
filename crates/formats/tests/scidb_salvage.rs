//! Salvage of damaged Scidb databases: every game that survives is found, and problems state what
//! is lost of the others.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::big_endian_bytes,
    reason = "tests"
)]

#[path = "support/salvage.rs"]
mod salvage;

use tabia_core::game::{Game, GameResult};
use tabia_formats::games::scidb::FORMAT;

use salvage::{
    Part, SetFiles, check_announced_games, check_cut_games, check_cut_index, check_cut_names,
    check_impossible_count, check_intact, check_junk_entries, check_lost_index,
    check_random_damage, check_unfinished_compaction, check_wiped_entries, check_wiped_header,
    check_wiped_page, many_games, same_moves,
};

/// Bytes of the header and of an entry of the index.
const HEADER: usize = 128;
const ENTRY: usize = 56;

/// The offsets of the records by their entries.
fn offsets(files: &SetFiles) -> Vec<usize> {
    let index = files.bytes(Part::Index);
    let entries = index[HEADER..].chunks_exact(ENTRY);
    entries
        .map(|entry| u32::from_be_bytes(entry[24..28].try_into().unwrap()) as usize)
        .collect()
}

/// A new database with setup positions, variations, comments and a few blocks.
fn written(test: &str) -> SetFiles {
    let words = format!(", {}", "word ".repeat(100));
    SetFiles::written(test, &FORMAT, many_games(150, 200, &words))
}

/// The database written here and those by Scidb in the shared data.
fn all(test: &str) -> Vec<SetFiles> {
    let mut all = vec![written(test)];
    for name in ["features", "frc", "lichess_db_1000k", "twic1599_1000k"] {
        all.extend(SetFiles::shared(test, &FORMAT, name));
    }
    all
}

#[test]
fn intact_databases_have_no_problems() {
    for files in all("sci-salvage-intact") {
        check_intact(&files);
    }
}

#[test]
fn cut_name_file_loses_only_names() {
    for files in all("sci-salvage-names") {
        let length = files.bytes(Part::Names).len() * 3 / 5;
        for salvaged in check_cut_names(&files, length, ".scn") {
            assert!(!salvaged.problems.is_empty());
        }
    }
}

#[test]
fn damaged_start_of_names_casts_no_doubt_on_them() {
    let files = written("sci-salvage-names-start");
    let games = files.salvage().intact_games();
    let salvaged = files.damaged(Part::Names, |names| names[0] ^= 1).salvage();
    assert_eq!(salvaged.problems.len(), 1, "{:?}", salvaged.problems);
    for (found, problems, game) in salvaged.compared(&games) {
        assert!(problems.is_empty() && found == game, "{problems:?}");
    }
}

#[test]
fn damaged_section_of_names_loses_no_other_section() {
    let files = written("sci-salvage-section");
    let games = files.salvage().intact_games();
    // The lengths of the first players.
    let damaged = files.damaged(Part::Names, |names| names[40..80].fill(0xff));
    let salvaged = damaged.salvage();
    assert_eq!(salvaged.problems.len(), 1, "{:?}", salvaged.problems);
    for (found, problems, game) in salvaged.compared(&games) {
        assert!(same_moves(found, game));
        for tag in ["Event", "Site", "Annotator"] {
            assert_eq!(found.head.tags.get(tag), game.head.tags.get(tag), "{tag}");
        }
        assert!(!problems.is_empty() || found == game);
    }
}

#[test]
fn entries_that_refer_to_nothing_are_lost() {
    for files in all("sci-salvage-junk") {
        check_junk_entries(&files, &[0xfe; 3 * ENTRY]);
    }
}

#[test]
fn players_with_lost_names_stay_distinct() {
    for files in all("sci-salvage-players") {
        let games = files.salvage().intact_games();
        let salvaged = files.without(Part::Names).salvage();
        let players = |games: &mut dyn Iterator<Item = &Game>| {
            let all: Vec<String> = games
                .flat_map(|game| ["White", "Black"].map(|tag| game.head.tags.text(tag).to_owned()))
                .collect();
            let first = |name: &String| all.iter().position(|other| other == name).unwrap();
            all.iter().map(first).collect::<Vec<usize>>()
        };
        let mut found = salvaged.compared(&games).map(|(found, _, _)| found);
        let (is, was) = (players(&mut found), players(&mut games.iter()));
        // A name can belong to several players, who then have different facts.
        assert!(is.iter().zip(&was).all(|(is, was)| was <= is));
    }
}

#[test]
fn games_without_an_index_are_found() {
    for files in all("sci-salvage-index") {
        for (game, _) in check_lost_index(&files).found() {
            assert_eq!(game.head.tags.get("White"), Some("?"));
            assert_eq!(game.result, GameResult::Unknown);
        }
    }
}

#[test]
fn games_after_a_cut_index_are_found() {
    for files in all("sci-salvage-cut-index") {
        let entries = (files.bytes(Part::Index).len() - HEADER) / ENTRY;
        check_cut_index(&files, HEADER + entries * 3 / 4 * ENTRY + 5);
    }
}

#[test]
fn entries_of_lost_games_keep_their_names() {
    let files = written("sci-salvage-long-index");
    let games = files.salvage().intact_games();
    let offsets = offsets(&files);
    let half = offsets.len() / 2;
    let cut = files.damaged(Part::Games, |bytes| bytes.truncate(offsets[half]));
    let salvaged = cut.salvage();
    assert_eq!(salvaged.counts(), (half, games.len() - half, 0));
    for (found, problems, game) in salvaged.compared(&games).skip(half) {
        assert_eq!(found.head.tags.get("White"), game.head.tags.get("White"));
        assert_eq!(found.mainline().count(), 0);
        let is_of_games = |problem: &String| problem.contains(".scg");
        assert!(problems.iter().any(is_of_games), "{problems:?}");
    }
}

#[test]
fn cut_game_file_loses_no_tags() {
    for files in all("sci-salvage-cut-games") {
        let (salvaged, games) = check_cut_games(&files);
        for (found, problems, game) in salvaged.compared(&games) {
            assert!(problems.is_empty() || found.ply_count() <= game.ply_count());
        }
    }
}

#[test]
fn wiped_page_loses_only_its_games() {
    for files in all("sci-salvage-wiped") {
        let (salvaged, games, page) = check_wiped_page(&files, 0);
        let bytes = files.bytes(Part::Games);
        let compared = salvaged.compared(&games);
        for (at, (_, problems, _)) in offsets(&files).into_iter().zip(compared) {
            let length = u32::from_be_bytes([0, bytes[at], bytes[at + 1], bytes[at + 2]]) as usize;
            if at >= page.end || at + length <= page.start {
                assert!(problems.is_empty(), "{at:#x}: {problems:?}");
            }
        }
    }
}

#[test]
fn games_of_wiped_entries_keep_their_index() {
    for files in all("sci-salvage-wiped-index") {
        let wiped = if offsets(&files).len() > 40 {
            10..20
        } else {
            1..3
        };
        let range = HEADER + wiped.start * ENTRY..HEADER + wiped.end * ENTRY;
        check_wiped_entries(&files, range, wiped);
    }
}

#[test]
fn games_of_wrong_offsets_are_found() {
    for files in all("sci-salvage-offsets") {
        let games = files.salvage().intact_games();
        let offsets = offsets(&files);
        let damaged_entry = if games.len() > 40 { 10 } else { 1 };
        // Offsets after the end of the file or in another game: the game is found by its start and
        // end.
        let other = offsets[offsets.len() - 1] as u32;
        for offset in [u32::MAX, other + 1, other, 0] {
            let at = HEADER + damaged_entry * ENTRY + 24;
            let damaged = files.damaged(Part::Index, |index| {
                index[at..at + 4].copy_from_slice(&offset.to_be_bytes());
            });
            let salvaged = damaged.salvage();
            assert_eq!(
                salvaged.problems,
                ["1 game was found at another offset than the index states"],
                "{offset}"
            );
            assert!(salvaged.intact_games() == games);
        }
    }
}

#[test]
fn entry_that_contradicts_its_game_is_reported() {
    let files = written("sci-salvage-contradiction");
    let games = files.salvage().intact_games();
    // The plies of the last entry.
    let damaged = files.damaged(Part::Index, |index| {
        let at = index.len() - ENTRY + 14;
        index[at] ^= 0x55;
    });
    let salvaged = damaged.salvage();
    let expected = (games.len() - 1, 1, 0);
    assert_eq!(salvaged.counts(), expected, "{:?}", salvaged.problems);
    let (found, problems, game) = salvaged.compared(&games).last().unwrap();
    assert!(same_moves(found, game));
    assert!(problems[0].contains("the index states"), "{problems:?}");
}

#[test]
fn impossible_counts_make_no_records() {
    check_impossible_count(&written("sci-salvage-impossible"), 10);
}

#[test]
fn announced_games_are_missed() {
    check_announced_games(&written("sci-salvage-announced"), ENTRY);
}

#[test]
fn wiped_header_loses_no_game() {
    for files in all("sci-salvage-header") {
        check_wiped_header(&files);
    }
}

#[test]
fn unfinished_compaction_is_finished() {
    let files = written("sci-salvage-compaction");
    for marker in [".partial-293t83873xx878", "__COMPACT__"] {
        check_unfinished_compaction(&files, marker);
    }
}

#[test]
fn random_damage_is_survived() {
    check_random_damage(&written("sci-salvage-random"));
}

/// Bytes that were inserted into the index, or lost from it, cost the entry that had them; its neighbours are in doubt.
#[test]
fn entries_after_inserted_bytes_are_read() {
    for files in all("sci-salvage-index-shifted") {
        let before = files.salvage().intact_games();
        let third = HEADER + ENTRY * (before.len() / 3);
        for files in files.with_shifted_index(third) {
            let set = files.salvage();
            let texts = set.problems.join("; ");
            assert!(texts.contains("were inserted into the file"), "{texts}");
            // The game of the entry that was hit may be found after all others.
            let found: Vec<&Game> = set.found().map(|(game, _)| game).collect();
            assert!(found.len() <= before.len() + 1, "{texts}");
            let whole = before.iter().filter(|game| found.contains(game));
            let lost = before.len() - whole.count();
            assert!(lost <= 3, "{lost} of {}: {texts}", before.len());
        }
    }
}
