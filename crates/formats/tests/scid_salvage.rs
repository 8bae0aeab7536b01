//! Salvage of damaged Scid databases: every game that survives is found, and problems state what is
//! lost of the others.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

#[path = "support/salvage.rs"]
mod salvage;

use std::collections::{HashMap, HashSet};

use tabia_formats::games::scid::{SI3, SI4, SI5};

use salvage::{
    Part, SetFiles, check_announced_games, check_cut_games, check_cut_index, check_cut_names,
    check_impossible_count, check_intact, check_junk_entries, check_lost_index,
    check_random_damage, check_unfinished_compaction, check_wiped_entries, check_wiped_header,
    check_wiped_page, many_games,
};

/// Databases of random games in each version.
fn written(test: &str) -> Vec<SetFiles> {
    let games = many_games(200, 300, "");
    [&SI3, &SI4, &SI5]
        .map(|format| SetFiles::written(test, format, games.clone()))
        .to_vec()
}

/// The databases written here and those by Scid in the shared data.
fn all(test: &str) -> Vec<SetFiles> {
    let shared = [
        (&SI3, "twic1599_1000k"),
        (&SI4, "twic1599_1000k"),
        (&SI5, "twic1599_1000k"),
        (&SI4, "lichess_db_1000k"),
        (&SI5, "features"),
    ];
    let shared = shared.map(|(format, name)| SetFiles::shared(test, format, name));
    written(test)
        .into_iter()
        .chain(shared.into_iter().flatten())
        .collect()
}

/// Bytes of the header and of an entry of the index.
fn lengths(files: &SetFiles) -> (usize, usize) {
    match files.format.file.id.as_str() {
        "si3" => (128, 46),
        "si4" => (182, 47),
        _ => (0, 56),
    }
}

#[test]
fn intact_databases_have_no_problems() {
    for files in all("salvage-intact") {
        check_intact(&files);
    }
}

#[test]
fn cut_name_file_loses_only_names() {
    for files in all("salvage-names") {
        let length = files.bytes(Part::Names).len() * 4 / 5;
        check_cut_names(&files, length, "name file");
    }
}

#[test]
fn entries_that_refer_to_nothing_are_lost() {
    for files in all("salvage-junk") {
        let (_, entry) = lengths(&files);
        // High numbers of names, and offsets far after the end of the game file.
        check_junk_entries(&files, &vec![0xfe; 3 * entry]);
    }
}

#[test]
fn players_with_lost_names_stay_distinct() {
    for files in all("salvage-players") {
        let games = files.salvage().intact_games();
        let salvaged = files.without(Part::Names).salvage();
        let mut lost = HashMap::new();
        for (found, _, game) in salvaged.compared(&games) {
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
        check_lost_index(&files);
    }
}

#[test]
fn games_after_a_cut_index_are_found() {
    for files in all("salvage-cut-index") {
        check_cut_index(&files, files.bytes(Part::Index).len() * 3 / 4 + 5);
    }
}

#[test]
fn wiped_page_loses_only_its_games() {
    for files in all("salvage-wiped") {
        let (salvaged, ..) = check_wiped_page(&files, 2);
        assert_eq!(salvaged.problems, Vec::<String>::new());
        assert!(salvaged.counts().0 > 0);
    }
}

#[test]
fn games_of_wiped_entries_keep_their_index() {
    for files in all("salvage-wiped-index") {
        let (header, entry) = lengths(&files);
        let range = header + 10 * entry..header + 20 * entry;
        check_wiped_entries(&files, range, 10..20);
    }
}

#[test]
fn games_of_wrong_offsets_are_found() {
    for files in all("salvage-offsets") {
        let games = files.salvage().intact_games();
        let (header, entry) = lengths(&files);
        // An offset after the end of the file: the game is found by its other fields.
        let at = header + 30 * entry + if entry == 56 { 36 } else { 0 };
        let damaged = files.damaged(Part::Index, |index| index[at..at + 4].fill(0xf7));
        let salvaged = damaged.salvage();
        let (moved, fill) = salvaged.problems.split_first().unwrap();
        assert!(moved.starts_with("1 game was found at another offset"));
        // Scid 3.3 fills blocks with bytes that are found by the search.
        assert!(
            fill.iter()
                .all(|problem| problem.starts_with("no game in ")),
            "{fill:?}"
        );
        assert!(salvaged.intact_games() == games);
    }
}

#[test]
fn cut_game_file_loses_no_tags() {
    for files in all("salvage-cut-games") {
        let (salvaged, games) = check_cut_games(&files);
        for (found, problems, game) in salvaged.compared(&games) {
            assert_eq!(problems.is_empty(), found == game, "{problems:?}");
        }
    }
}

#[test]
fn random_damage_is_survived() {
    for files in written("salvage-random") {
        check_random_damage(&files);
    }
}

#[test]
fn wiped_header_loses_no_game() {
    for files in written("salvage-header") {
        if lengths(&files).0 > 0 {
            check_wiped_header(&files);
        }
    }
}

#[test]
fn impossible_counts_make_no_records() {
    for files in written("salvage-impossible") {
        // The header of si5 has no count.
        if files.bytes(Part::Index).starts_with(b"Scid.si") {
            check_impossible_count(&files, 14);
        }
    }
}

#[test]
fn announced_games_are_missed() {
    let files = written("salvage-announced").swap_remove(1);
    check_announced_games(&files, lengths(&files).1);
}

#[test]
fn unfinished_compaction_is_finished() {
    for files in written("salvage-compaction") {
        check_unfinished_compaction(&files, "__COMPACT__");
    }
}

type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);

/// Bytes that were inserted or lost shift all games after them.
#[test]
fn shifted_games_keep_their_entries() {
    for files in all("salvage-shifted") {
        let before = files.salvage().intact_games();
        let third = files.bytes(Part::Games).len() / 3;
        let damages: [Damage<'_>; 3] = [
            &|bytes| drop(bytes.splice(third..third, [1, 2, 3])),
            &|bytes| drop(bytes.drain(third..third + 5)),
            &|bytes| {
                bytes.insert(2 * third, 9);
                bytes.drain(third..third + 700);
            },
        ];
        for damage in damages {
            let set = files.damaged(Part::Games, damage).salvage();
            let compared = set.compared(&before);
            // A byte in a text changes the text and nothing else. Two games are hit, and those at their sides in doubt.
            let whole =
                compared.filter(|(found, problems, game)| problems.is_empty() && found == game);
            let lost = before.len() - whole.count();
            assert!(lost <= 14, "{lost} of {}", before.len());
            let texts = set.problems.join("; ");
            assert!(texts.contains("where the index has them"), "{texts}");
        }
    }
}

/// Bytes that were inserted into the index, or lost from it, cost the entry that had them; its neighbours are in doubt.
#[test]
fn entries_after_inserted_bytes_are_read() {
    for files in all("salvage-index-shifted") {
        let before = files.salvage().intact_games();
        let (header, entry) = lengths(&files);
        let third = header + entry * (before.len() / 3);
        for files in files.with_shifted_index(third) {
            let set = files.salvage();
            let texts = set.problems.join("; ");
            assert!(texts.contains("were inserted into the file"), "{texts}");
            let compared = set.compared(&before);
            let whole =
                compared.filter(|(found, problems, game)| problems.is_empty() && found == game);
            let lost = before.len() - whole.count();
            assert!(lost <= 3, "{lost} of {}: {texts}", before.len());
        }
    }
}
