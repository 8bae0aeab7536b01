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
