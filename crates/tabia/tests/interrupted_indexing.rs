//! Indexing that is interrupted at every step: the old index stays, or the new one is complete.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use tabia::base::{Base, IndexChange, IndexOptions, SavedIndex, build_index, open_index};
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::{ErrorSide, Index, InputItem, NoObserver, Progress, Query, Resolver};
use tabia_testkit::Scratch;

fn games(count: usize) -> String {
    let lines = ["1. e4 e5 2. Nf3", "1. d4 d5", "1. e4 c5 2. Nf3 d6 3. d4"];
    let game = |i: usize| {
        let moves = lines[i % lines.len()];
        format!("[Event \"{i}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n{moves} *\n\n")
    };
    (0..count).map(game).collect()
}

fn item(path: &Path) -> InputItem {
    Resolver::default()
        .resolve(path.as_os_str())
        .unwrap()
        .remove(0)
}

/// The games after 1.e4, counted with the index if it can be used.
fn count(path: &Path) -> usize {
    let base = Base::open(&[path], Index::Auto).unwrap();
    let query = Query::parse("pos:\"1.e4\"").unwrap();
    base.search(&query, &tabia::base::SearchOptions::default())
        .count()
}

/// How an index comes to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// There was none.
    First,
    /// The database grew.
    Grows,
    /// The database was changed otherwise.
    Replaced,
}

/// Games with as many moves that no two are equal.
fn long_games(count: usize) -> String {
    let game = |i: usize| {
        let moves: String = (0..10)
            .map(|bit| {
                let number = 2 * bit + 1;
                if i >> bit & 1 == 0 {
                    format!("{number}. Nf3 Nf6 {}. Ng1 Ng8 ", number + 1)
                } else {
                    format!("{number}. Nc3 Nf6 {}. Nb1 Ng8 ", number + 1)
                }
            })
            .collect();
        format!("[Event \"{i}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n{moves}*\n\n")
    };
    (0..count).map(game).collect()
}

#[test]
fn only_new_games_of_a_grown_text_are_read() {
    let folder = Scratch::new("index-grown-text");
    let path = folder.join("g.pgn");
    let options = IndexOptions::default();
    let build = || {
        let progress = Arc::new(Progress::new());
        build_index(&item(&path), &options, &progress, &mut NoObserver).unwrap()
    };
    let query = "pos:\"1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3\"";
    let count = |index| {
        let base = Base::open(&[&path], index).unwrap();
        let query = Query::parse(query).unwrap();
        base.search(&query, &tabia::base::SearchOptions::default())
            .count()
    };
    // More than one block.
    let old = long_games(6000);
    assert!(old.len() > 1 << 20);
    for (text, change) in [
        (old.clone(), IndexChange::Built),
        (format!("{old}{}", games(3)), IndexChange::Grown),
        (
            format!("{old}{}{}", games(3), long_games(5000)),
            IndexChange::Grown,
        ),
        // The games before the last block are others.
        (
            format!("{}{}", old.replacen("Nc3", "Na3", 1), long_games(6000)),
            IndexChange::Built,
        ),
        // The last game goes on.
        (
            format!("{} 1. e4 e5 *\n", old.trim_end().trim_end_matches('*')),
            IndexChange::Built,
        ),
        (
            format!("{}{}", old.trim_end().trim_end_matches('*'), games(1)),
            IndexChange::Built,
        ),
    ] {
        let _ = std::fs::remove_file(folder.join("g.pgn.tidx"));
        if change == IndexChange::Grown || text.len() > old.len() {
            std::fs::write(&path, &old).unwrap();
            build();
        }
        std::fs::write(&path, &text).unwrap();
        let built = build();
        if text.starts_with(&old) {
            assert_eq!(built.change, change);
        }
        assert_eq!(count(Index::Auto), count(Index::Never), "{change:?}");
        let wrong = tabia::base::check_index(&item(&path), &options, &Arc::new(Progress::new()));
        assert_eq!(wrong.unwrap(), None);
    }
}

#[test]
fn an_index_that_cannot_be_written_leaves_the_old_one() {
    let folder = Scratch::new("index-failures");
    let path = folder.join("g.pgn");
    let saved = folder.join("g.pgn.tidx");
    let options = IndexOptions::default();
    let build = || {
        let progress = Arc::new(Progress::new());
        build_index(&item(&path), &options, &progress, &mut NoObserver)
    };
    for change in [Change::First, Change::Grows, Change::Replaced] {
        for mode in [FailureMode::Fails, FailureMode::Stops] {
            let mut failed = 0;
            for at in 0.. {
                let _ = std::fs::remove_file(&saved);
                std::fs::write(&path, games(30)).unwrap();
                if change != Change::First {
                    build().unwrap();
                }
                let old = std::fs::read(&saved).ok();
                let new = match change {
                    Change::First => games(30),
                    Change::Grows => games(40),
                    Change::Replaced => games(40).replace("1. d4 d5", "1. c4 c5"),
                };
                std::fs::write(&path, &new).unwrap();
                let injection = FailureInjection::start(mode, at);
                let built = build();
                let steps = injection.steps();
                drop(injection);
                let expected = if change == Change::First { 20 } else { 27 };
                assert_eq!(count(&path), expected, "{change:?} {mode:?} {at}");
                match &built {
                    Ok(built) => assert_ne!(built.change, IndexChange::None),
                    Err(error) => {
                        failed += 1;
                        assert_eq!(error.side(), ErrorSide::Output, "{error}");
                        match open_index(&item(&path), &options).unwrap() {
                            SavedIndex::Current(_) => {}
                            SavedIndex::Stale => assert_ne!(change, Change::First),
                            SavedIndex::Absent => assert_eq!(change, Change::First),
                            other => panic!("{change:?} {mode:?} {at}: {other:?}"),
                        }
                        if change == Change::Replaced {
                            let now = std::fs::read(&saved).ok();
                            let is_old = now == old;
                            let is_new = open_index(&item(&path), &options);
                            let is_new = matches!(is_new, Ok(SavedIndex::Current(_)));
                            assert!(is_old || is_new, "{mode:?} {at}");
                        }
                    }
                }
                // The next run makes it current.
                build().unwrap();
                let now = open_index(&item(&path), &options).unwrap();
                assert!(
                    matches!(now, SavedIndex::Current(_)),
                    "{change:?} {mode:?} {at}"
                );
                assert_eq!(count(&path), expected, "{change:?} {mode:?} {at}");
                // A step that failed may have been the removal of a temporary file.
                let names = folder.names().into_iter();
                let names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
                assert_eq!(names, ["g.pgn", "g.pgn.tidx"]);
                if steps <= at {
                    assert!(built.is_ok());
                    break;
                }
            }
            assert!(failed > 3, "{change:?}: {failed}");
        }
    }
}
