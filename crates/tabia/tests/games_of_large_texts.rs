//! A few games of a large text are listed as when all of it is read.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tabia::base::IndexOptions;
use tabia::list::{ListOptions, list};
use tabia::select::RecordRanges;
use tabia::{GameIndex, Index, NoObserver, Query, Resolver};
use tabia_testkit::Scratch;

/// Games, of which two have moves of their own.
const GAMES: u32 = 9000;

fn text() -> String {
    let comment = "as all of them did before ".repeat(20);
    let mut text = String::new();
    for number in 1..=GAMES {
        let moves = match number {
            7777 => "1. a3 h5 2. Ra2 Rh6",
            8888 => "1. a4 h6 2. Ra3 Rh7",
            _ => "1. e4 e5 2. Nf3 Nc6",
        };
        let _ = write!(
            text,
            "[White \"P{number}\"]\n[Result \"1-0\"]\n\n{{{comment}}} {moves} 1-0\n\n"
        );
    }
    text
}

/// Number, White and plies of the games that are listed.
fn listed(path: &Path, options: &ListOptions) -> Vec<(GameIndex, String, Option<u32>)> {
    let items = Resolver::default().resolve(path.as_os_str()).unwrap();
    let mut rows = Vec::new();
    list(
        &items[0],
        options,
        &|row, out: &mut Vec<_>| out.push((row.game, row.white.to_string(), row.plies)),
        &Arc::default(),
        &mut NoObserver,
        &mut |more| {
            rows.append(more);
            Ok(())
        },
    )
    .unwrap();
    rows
}

#[test]
fn a_few_games_of_a_large_text_are_those_of_all() {
    let folder = Scratch::new("games-of-large-texts");
    let (path, cache) = (folder.join("games.pgn"), folder.join("cache"));
    fs::write(&path, text()).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 4 << 20);
    // What is saved of a file that was changed just now is not used.
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_001);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(long_ago).unwrap();
    let mut index_options = IndexOptions::default();
    index_options.cache = Some(cache.clone());
    for (numbers, query, expected) in [
        (Some("5000,8000-8002"), "", &[5000, 8000, 8001, 8002][..]),
        (Some("3,8999"), "", &[3, 8999]),
        (Some("9001"), "", &[]),
        (
            None,
            "pos:\"1.a3 h5 2.Ra2\" OR (moved:R ply:3)",
            &[7777, 8888],
        ),
        (None, "on:Ra3", &[8888]),
        (None, "mat:KRKR", &[]),
    ] {
        for (threads, index, has_cache) in [
            (1, Index::Never, false),
            (2, Index::Never, true),
            (1, Index::Require, false),
            (2, Index::Require, true),
        ] {
            let mut options = ListOptions::default();
            options.threads = threads;
            options.filter = Query::parse(query).unwrap();
            options.selection.numbers = numbers.map(|text| RecordRanges::parse(text).unwrap());
            options.index = index;
            if has_cache {
                options.index_options = index_options.clone();
            }
            let rows = listed(&path, &options);
            let expected: Vec<_> = expected
                .iter()
                .map(|number| (GameIndex(number - 1), format!("P{number}"), Some(4)))
                .collect();
            assert_eq!(rows, expected, "{numbers:?} {query} {index:?} {has_cache}");
        }
    }
    let saved = fs::read_dir(&cache).unwrap().flatten();
    let is_map = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".blocks");
    assert!(saved.into_iter().any(|file| is_map(&file.file_name())));
}
