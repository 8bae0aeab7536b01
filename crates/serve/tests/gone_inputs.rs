//! Inputs whose files are removed while they are open.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::Running;
use serde_json::Value;
use tabia_testkit::Scratch;

#[test]
fn the_state_of_an_input_is_that_of_its_files_and_not_of_what_was_read() {
    let folder = Scratch::new("serve-gone");
    let (games, other) = (folder.join("games.pgn"), folder.join("other.pgn"));
    let text = "[White \"A\"]\n\n1. e4 *\n\n";
    std::fs::write(&games, text).unwrap();
    std::fs::write(&other, text).unwrap();
    let server = Running::start(&[folder.path()], |_| {});
    let (status, list) = server.get("games?db=games.pgn,other.pgn");
    assert_eq!((status, &list["count"]), (200, &Value::from(2)));
    let state = || {
        let (status, answer) = server.get("state?db=games.pgn,absent,other.pgn");
        assert_eq!(status, 200, "{answer}");
        let inputs = answer["inputs"].as_array().unwrap().clone();
        assert_eq!(inputs.len(), 2, "{answer}");
        inputs
    };
    let before = state();
    assert_eq!(before[0]["fingerprint"], list["fingerprints"]["games.pgn"]);
    assert!(before.iter().all(|input| input["problem"].is_null()));

    std::fs::remove_file(&games).unwrap();
    let gone = state();
    assert_eq!(gone[0]["problem"]["code"], "fileIsMissing", "{gone:?}");
    let detail = gone[0]["problem"]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("games.pgn"),
        "without its folder: {detail}"
    );
    assert_ne!(gone[0]["fingerprint"], before[0]["fingerprint"]);
    assert_eq!(gone[1], before[1]);

    std::fs::write(&games, text.repeat(2)).unwrap();
    let back = state();
    assert!(back[0]["problem"].is_null());
    assert_ne!(back[0]["fingerprint"], before[0]["fingerprint"]);
    server.stop();
}

#[test]
fn a_database_that_is_gone_does_not_take_the_others_with_it() {
    let folder = Scratch::new("serve-gone-of-several");
    for (name, first) in [("a.pgn", "e4"), ("b.pgn", "d4")] {
        let text = format!("[Result \"1-0\"]\n\n1. {first} 1-0\n\n");
        std::fs::write(folder.join(name), text).unwrap();
    }
    let server = Running::start(&[folder.path()], |_| {});
    let moves = |path: &str, count: usize| {
        let (status, text) = server.text(path);
        assert_eq!(status, 200, "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["moves"].as_array().unwrap().len(), count, "{text}");
    };
    let tree = || {
        let (status, answer) = server.get("tree?wait=20000");
        assert_eq!(status, 200, "{answer}");
        answer
    };
    moves("/masters", 2);
    moves("/lichess", 2);
    assert_eq!(tree()["games"], 2);
    assert_eq!(tree()["leftOut"], Value::Array(Vec::new()));
    std::fs::remove_file(folder.join("b.pgn")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    moves("/masters", 1);
    moves("/lichess", 1);
    assert_eq!(tree()["games"], 1);
    assert_eq!(tree()["leftOut"][0]["id"], "b.pgn");
    server.stop();
}

#[test]
fn the_shelf_follows_its_folders() {
    let folder = Scratch::new("serve-folders");
    let text = "[White \"A\"]\n\n1. e4 *\n\n";
    std::fs::write(folder.join("first.pgn"), text).unwrap();
    std::fs::write(folder.join("broken.cbh"), "not yet").unwrap();
    let server = Running::start(&[folder.path()], |_| {});
    let cards = |wanted: &[(&str, bool)]| {
        let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
        loop {
            let (status, shelf) = server.get("shelf");
            assert_eq!(status, 200);
            let inputs = shelf["inputs"].as_array().unwrap();
            let mut found: Vec<(&str, bool)> = inputs
                .iter()
                .map(|card| (card["id"].as_str().unwrap(), card["problem"].is_null()))
                .collect();
            found.sort_unstable();
            if found == wanted {
                return;
            }
            assert!(std::time::Instant::now() < end, "{found:?}");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    };
    cards(&[("broken.cbh", true), ("first.pgn", true)]);
    // In a new folder.
    std::fs::create_dir(folder.join("more")).unwrap();
    std::fs::write(folder.join("more/second.pgn"), text.repeat(2)).unwrap();
    cards(&[
        ("broken.cbh", true),
        ("first.pgn", true),
        ("second.pgn", true),
    ]);
    assert_eq!(server.get("games?db=second.pgn").1["count"], 2);
    std::fs::remove_file(folder.join("first.pgn")).unwrap();
    cards(&[("broken.cbh", true), ("second.pgn", true)]);
    // It comes back under its id.
    std::fs::write(folder.join("first.pgn"), text.repeat(3)).unwrap();
    cards(&[
        ("broken.cbh", true),
        ("first.pgn", true),
        ("second.pgn", true),
    ]);
    assert_eq!(server.get("games?db=first.pgn").1["count"], 3);
    // What could not be read can be read later, with all its files.
    assert_ne!(server.get("games?db=broken.cbh").0, 200);
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    for entry in std::fs::read_dir(samples).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        if path.file_stem().is_some_and(|stem| stem == "tabia")
            && ending.starts_with("cb")
            && ending != "cbv"
        {
            std::fs::copy(&path, folder.join(format!("broken.{ending}"))).unwrap();
        }
    }
    let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while server.get("games?db=broken.cbh").1["texts"] != 1 {
        assert!(std::time::Instant::now() < end);
        server.get("shelf");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    server.stop();
}
