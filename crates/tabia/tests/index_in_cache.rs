//! Indexes that are made in the cache only: nothing is written next to a database.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use tabia::base::{
    IndexChange, IndexOptions, SavedIndex, build_index, index_path, index_paths, open_index,
};
use tabia::{InputItem, NoObserver, Progress, Resolver};
use tabia_testkit::Scratch;

fn item(path: &Path) -> InputItem {
    let mut items = Resolver::default().resolve(path.as_os_str()).unwrap();
    items.remove(0)
}

fn change(item: &InputItem, options: &IndexOptions) -> IndexChange {
    let built = build_index(item, options, &Arc::new(Progress::new()), &mut NoObserver);
    built.unwrap().change
}

#[test]
fn an_index_in_the_cache_is_used_although_an_old_one_is_next_to_its_database() {
    let folder = Scratch::new("index-in-cache");
    let path = folder.path().join("a.pgn");
    std::fs::write(&path, "1. e4 e5 *\n").unwrap();
    let mut near = IndexOptions::default();
    near.cache = Some(folder.path().join("cache"));
    let mut cached = near.clone();
    cached.cache_only = true;

    let names = index_paths(&item(&path), &near);
    assert_eq!(names.len(), 2);
    assert_eq!(change(&item(&path), &cached), IndexChange::Built);
    assert!(!names[0].exists() && names[1].exists());
    assert_eq!(change(&item(&path), &cached), IndexChange::None);
    // Whoever writes next to databases uses it as well.
    assert_eq!(change(&item(&path), &near), IndexChange::None);

    std::fs::remove_file(&names[1]).unwrap();
    assert_eq!(change(&item(&path), &near), IndexChange::Built);
    let old = std::fs::read(&names[0]).unwrap();
    std::fs::write(&path, "1. d4 d5 *\n\n1. c4 *\n").unwrap();
    assert!(matches!(
        open_index(&item(&path), &cached).unwrap(),
        SavedIndex::Stale
    ));
    assert_eq!(change(&item(&path), &cached), IndexChange::Built);
    assert_eq!(std::fs::read(&names[0]).unwrap(), old);
    assert!(matches!(
        open_index(&item(&path), &cached).unwrap(),
        SavedIndex::Current(index) if index.games() == 2
    ));
    assert_eq!(index_path(&item(&path), &cached), Some(names[1].clone()));
}

#[test]
fn without_a_cache_there_is_no_folder_for_an_index() {
    let folder = Scratch::new("index-no-cache");
    let path = folder.path().join("a.pgn");
    std::fs::write(&path, "1. e4 e5 *\n").unwrap();
    let mut options = IndexOptions::default();
    options.cache_only = true;
    let progress = Arc::new(Progress::new());
    let built = build_index(&item(&path), &options, &progress, &mut NoObserver);
    let text = built.unwrap_err().to_string();
    assert!(text.contains("no folder for indexes"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
