//! The parts of records are where they are stated to be, and players are known without index entries.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use tabia_core::GameIndex;
use tabia_core::formats::OpenOptions;
use tabia_core::games::PartKind;

use support::{fixtures, game_formats, open};

#[test]
fn parts_of_records_are_bytes_of_their_files() {
    for format in game_formats() {
        let id = format.file.id;
        for path in fixtures(format) {
            let database = open(format, &path, &OpenOptions::default());
            let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
            let main = std::fs::read(&path).unwrap();
            let is_recoded = main.starts_with(b"\xff\xfe") || main.starts_with(b"\xfe\xff");
            let mut first_parts = Vec::new();
            for game in (0..database.len()).map(GameIndex) {
                let parts = database.stored_parts(game);
                assert_eq!(parts.is_empty(), is_recoded, "{id} {}", path.display());
                for part in &parts {
                    let file = files
                        .entry(part.file.to_path_buf())
                        .or_insert_with(|| std::fs::read(&part.file).unwrap());
                    let start = usize::try_from(part.offset).unwrap();
                    let stored = &file[start..start + part.bytes.len()];
                    assert_eq!(stored, part.bytes, "{id} {}", path.display());
                }
                first_parts.extend(parts.first().map(|part| part.offset));
                // The main file has the index entry, or the game if there is none.
                if let (Some((offset, length)), Some(part)) = (database.span(game), parts.first()) {
                    assert_eq!((part.offset, part.bytes.len() as u64), (offset, length));
                }
            }
            let count = first_parts.len();
            first_parts.sort_unstable();
            first_parts.dedup();
            assert_eq!(count, first_parts.len(), "{id} {}", path.display());
            assert!(database.stored_parts(GameIndex(database.len())).is_empty());
            assert!(database.stored_parts(GameIndex(u32::MAX)).is_empty());
        }
    }
}

#[test]
fn formats_with_an_index_show_entry_and_moves() {
    for format in game_formats() {
        let id = format.file.id.as_str();
        let expected: &[PartKind] = match id {
            "cbh" => &[
                PartKind::IndexEntry,
                PartKind::ExtendedEntry,
                PartKind::Moves,
                PartKind::Annotations,
            ],
            "2cbh" | "cbh2" => &[PartKind::IndexEntry, PartKind::Moves, PartKind::Annotations],
            "si3" | "si4" | "si5" | "sci" => &[PartKind::IndexEntry, PartKind::Game],
            _ => &[PartKind::Game],
        };
        let mut kinds = Vec::new();
        for path in fixtures(format) {
            let database = open(format, &path, &OpenOptions::default());
            for game in (0..database.len()).map(GameIndex) {
                for part in database.stored_parts(game) {
                    if !kinds.contains(&part.kind) {
                        kinds.push(part.kind);
                    }
                }
            }
        }
        if !kinds.is_empty() {
            kinds.sort_by_key(|kind| expected.iter().position(|other| other == kind));
            assert_eq!(kinds, expected, "{id}");
        }
    }
}

#[test]
fn ratings_are_those_of_the_index_entries() {
    let mut formats = 0;
    for format in game_formats() {
        let id = format.file.id;
        let mut is_fast = false;
        for path in fixtures(format) {
            let database = open(format, &path, &OpenOptions::default());
            let mut ratings = vec![[0; 2]; database.len() as usize];
            if ratings.is_empty() || !database.ratings(GameIndex(0), &mut ratings) {
                continue;
            }
            is_fast = true;
            for (game, found) in (0..).zip(ratings) {
                let entry = database.entry(GameIndex(game)).unwrap();
                let expected = [entry.white_elo, entry.black_elo].map(Option::unwrap_or_default);
                assert_eq!(found, expected, "{id} {game}");
            }
        }
        formats += u32::from(is_fast);
    }
    assert!(formats >= 4, "{formats}");
}

#[test]
fn players_are_those_of_the_index_entries() {
    for format in game_formats() {
        let id = format.file.id;
        for path in fixtures(format) {
            let database = open(format, &path, &OpenOptions::default());
            let len = database.len();
            for first in [0, len / 2] {
                let mut players = vec![[None; 2]; (len - first) as usize];
                if !database.players(GameIndex(first), &mut players) {
                    continue;
                }
                for (game, found) in (first..len).zip(players) {
                    let entry = database.entry(GameIndex(game)).unwrap();
                    if entry.is_text {
                        assert_eq!(found, [None; 2], "{id} {game}");
                    } else {
                        assert_eq!(found, [entry.white, entry.black], "{id} {game}");
                    }
                }
                let mut more = vec![[None; 2]; (len - first) as usize + 1];
                assert!(!database.players(GameIndex(first), &mut more), "{id}");
            }
        }
    }
}
