//! Requests name inputs by id: whatever else they name, no file is read for it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fmt::Write as _;

use common::Running;
use tabia_testkit::{Random, Scratch};

/// Every byte as it may be in an address.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        // Writing to a string does not fail.
        let _ = write!(out, "%{byte:02X}");
    }
    out
}

#[test]
fn no_id_but_that_of_an_input_opens_a_file() {
    let folder = Scratch::new("serve-ids");
    let write = |name: &str, player: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("[White \"{player}\"]\n\n1. e4 *\n")).unwrap();
        path
    };
    let games = write("shown/games.pgn", "Shown");
    let secret = write("secret.pgn", "Secret");
    let other = write("shown/other.pgn", "Secret");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, folder.join("shown/link.pgn")).unwrap();
    let server = Running::start(&[&games], |_| {});
    assert_eq!(server.get("db/games.pgn").0, 200);
    let paths = [games, secret, other].map(|path| path.display().to_string());
    let mut pieces: Vec<&str> = vec![
        "games.pgn",
        "secret.pgn",
        "other.pgn",
        "link.pgn",
        "shown",
        "..",
        ".",
        "/",
        "//",
        "\\",
        "~",
        "~games.pgn",
        ":",
        "\0",
        "%2e%2e",
        "%2f",
        "file://",
        "é",
        " ",
        "",
    ];
    pieces.extend(paths.iter().map(String::as_str));
    let mut random = Random::new(0x1d);
    for _ in 0..1500 {
        let mut id = String::new();
        for _ in 0..=random.below(5) {
            id.push_str(random.pick(&pieces));
        }
        if id == "games.pgn" || id.is_empty() {
            continue;
        }
        let id = encoded(&id);
        let path = match random.below(5) {
            0 => format!("db/{id}"),
            1 => format!("games?db={id}"),
            2 => format!("db/{id}/games/1"),
            3 => format!("explorer?src={id}"),
            _ => format!("book/{id}"),
        };
        let (status, answer) = server.get(&path);
        assert_eq!(status, 404, "{path}: {answer}");
        assert!(!answer.to_string().contains("Secret\""), "{path}: {answer}");
    }
    server.stop();
}
