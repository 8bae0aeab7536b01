//! Many requests for an input that is not yet open.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fmt::Write;

use common::Running;
use tabia_testkit::Scratch;

#[test]
fn requests_for_an_input_that_is_being_opened_wait_and_share_it() {
    let folder = Scratch::new("serve-opening");
    // Opening it reads it, which takes long enough for the other requests to come.
    let mut text = String::new();
    for number in 0..20_000 {
        let _ = write!(
            text,
            "[White \"A {number}\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n\n"
        );
    }
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, text).unwrap();
    let broken = folder.path().join("broken.pgn.gz");
    std::fs::write(&broken, b"\x1f\x8b\x08\x00no more").unwrap();
    let server = Running::start(&[folder.path()], |options| options.threads = 2);
    let key = format!("Authorization: Bearer {}", common::KEY);
    let once = |path: &str| {
        let head = server.head(&format!("GET {path}"), &[&key]);
        server.send(&head, b"")
    };
    let paths = [
        "/api/v1/db/games.pgn",
        "/api/v1/games?db=games.pgn&n=10",
        "/api/v1/db/games.pgn/games/7",
        "/api/v1/suggest?db=games.pgn&field=player&q=a",
        "/api/v1/games?db=games.pgn&sort=white&n=10",
        "/api/v1/row?db=games.pgn&in=games.pgn&game=3",
    ];
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..3)
            .flat_map(|_| paths)
            .map(|path| scope.spawn(move || (path, once(path))))
            .collect();
        for asked in asked {
            let (path, (status, answer)) = asked.join().unwrap();
            assert_eq!(status, 200, "{path}: {answer}");
        }
        let failed: Vec<_> = (0..4)
            .map(|_| scope.spawn(move || once("/api/v1/db/broken.pgn.gz")))
            .collect();
        for failed in failed {
            let (status, answer) = failed.join().unwrap();
            assert!(![200, 503].contains(&status), "{status} {answer}");
        }
    });
    server.stop();
}

#[test]
fn an_empty_folder_is_an_empty_shelf_and_a_missing_one_an_error() {
    let folder = Scratch::new("serve-empty");
    let server = Running::start(&[folder.path()], |_| {});
    let (status, shelf) = server.get("shelf");
    assert_eq!((status, &shelf["inputs"]), (200, &serde_json::json!([])));
    server.stop();
    let missing = [folder.path().join("missing")];
    assert!(tabia_serve::Shelf::new(&missing, &tabia::Resolver::default()).is_err());
}
