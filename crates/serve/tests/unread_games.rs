//! A list names the games that it could not read to their end, and a card has the size of all files.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::Running;
use serde_json::{Value, json};
use tabia_testkit::Scratch;

fn list(server: &Running, db: &str, query: &str) -> Value {
    let path = format!("games?db={db}&where={query}&wait=20000");
    let (status, answer) = server.get(&path);
    assert_eq!((status, &answer["isDone"]), (200, &json!(true)), "{answer}");
    answer
}

#[test]
fn games_that_the_damage_may_have_excluded_are_named() {
    let folder = Scratch::new("serve-unread");
    let games = "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"B\"]\n\n1. d4 d5 *\n\n";
    std::fs::write(folder.join("g.pgn"), games).unwrap();
    let server = Running::start(&[folder.path()], |_| {});
    for (query, found, unread) in [
        ("", 2, false),
        // The tags exclude it, or moves before the illegal one.
        ("white%3AB", 1, false),
        ("plies%3A1", 0, false),
        // Decided on before the illegal move.
        ("move%3Ae5", 1, false),
        // It is found because of what is lost of it.
        ("plies%3A2", 2, true),
        ("plies%3A%3E%3D3", 0, true),
        ("plies%3A%3E%3D3&sort=-white", 0, true),
    ] {
        let answer = list(&server, "g.pgn", query);
        assert_eq!(answer["count"], json!(found), "{query}");
        if !unread {
            assert_eq!(answer["unread"], Value::Null, "{query}");
            continue;
        }
        assert_eq!(answer["unread"]["count"], json!(1), "{query}");
        let first = &answer["unread"]["first"][0];
        assert_eq!((&first["db"], &first["game"]), (&json!("g.pgn"), &json!(1)));
        let text = first["text"].as_str().unwrap();
        assert!(text.contains("illegal"), "{text}");
    }
    server.stop();
}

#[test]
fn the_first_of_many_are_named_in_order_and_all_are_counted() {
    let folder = Scratch::new("serve-unread-many");
    let games = "1. e4 e5 2. Ke3 *\n\n1. d4 *\n\n".repeat(9000);
    std::fs::write(folder.join("g.pgn"), games).unwrap();
    let server = Running::start(&[folder.path()], |options| options.threads = 4);
    let answer = list(&server, "g.pgn", "takes%3AK");
    assert_eq!(answer["count"], json!(0));
    assert_eq!(answer["unread"]["count"], json!(9000));
    let first = answer["unread"]["first"].as_array().unwrap();
    let numbers: Vec<u64> = first
        .iter()
        .map(|game| game["game"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (0..20).map(|n| 2 * n + 1).collect::<Vec<_>>());
    server.stop();
}

#[test]
fn damaged_moves_of_databases_are_named() {
    let folder = Scratch::new("serve-unread-sets");
    let pgn = folder.join("g.pgn");
    std::fs::write(&pgn, "1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 2. c4 e6 *\n\n").unwrap();
    for (extension, moves) in [("si4", "sg4"), ("si5", "sg5"), ("cbh", "cbg")] {
        let set = Scratch::new(&format!("serve-unread-{extension}"));
        let path = set.join(format!("g.{extension}"));
        tabia::convert(&pgn, &path).unwrap();
        let name = format!("g.{extension}");
        let sizes = std::fs::read_dir(set.path()).unwrap();
        let sum: u64 = sizes
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        // Books and indexes with the same name are none of its files.
        std::fs::write(set.join("g.bin"), [7; 16]).unwrap();
        std::fs::write(set.join(format!("{name}.tidx")), [0; 1000]).unwrap();
        let server = Running::start(&[set.path()], |_| {});
        assert_eq!(list(&server, &name, "takes%3AK")["unread"], Value::Null);
        let (_, shelf) = server.get("shelf");
        let inputs = shelf["inputs"].as_array().unwrap();
        for (id, bytes) in [(name.as_str(), sum), ("g.bin", 16)] {
            let card = inputs.iter().find(|card| card["id"] == id).unwrap();
            assert_eq!(card["bytes"], json!(bytes), "{id}");
        }
        server.stop();
        let moves = set.join(format!("g.{moves}"));
        let mut bytes = std::fs::read(&moves).unwrap();
        let middle = bytes.len() - 6;
        for byte in &mut bytes[middle..] {
            *byte ^= 0x5a;
        }
        std::fs::write(&moves, &bytes).unwrap();
        let server = Running::start(&[set.path()], |_| {});
        let unread = list(&server, &name, "takes%3AK")["unread"].clone();
        assert!(unread["count"].as_u64() >= Some(1), "{extension}: {unread}");
        server.stop();
    }
}

#[test]
fn games_of_other_variants_have_no_number_of_moves() {
    let folder = Scratch::new("serve-variants");
    let games = "[White \"A\"]\n[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
                 [White \"B\"]\n[Result \"*\"]\n\n*\n\n[White \"C\"]\n[Result \"*\"]\n\n1. e4 e5 *\n\n";
    std::fs::write(folder.join("g.pgn"), games).unwrap();
    let server = Running::start(&[folder.path()], |_| {});
    let answer = list(&server, "g.pgn", "");
    let columns = answer["columns"].as_array().unwrap();
    let moves = columns.iter().position(|name| name == "moves").unwrap();
    let rows = answer["rows"].as_array().unwrap().iter();
    let found: Vec<&Value> = rows.map(|row| &row[moves]).collect();
    assert_eq!(found, [&Value::Null, &json!(0), &json!(1)]);
    server.stop();
}

#[test]
fn parameters_that_a_request_does_not_have_are_refused() {
    let folder = Scratch::new("serve-params");
    std::fs::write(folder.join("g.pgn"), "1. e4 e5 *\n").unwrap();
    let server = Running::start(&[folder.path()], |_| {});
    for (path, wanted) in [
        ("games?db=g.pgn&xxx=1", "`xxx` is not"),
        ("games?db=g.pgn&db=h.pgn", "`db` is given twice"),
        ("shelf?db=g.pgn", "`db` is not"),
        ("explorer?src=g.pgn&where7=x", "`where7` is not"),
        ("db/g.pgn/games/1.pgn?profil=full", "`profil` is not"),
        ("player/unfaced?db=g.pgn&name=A&also=B", "`also` is not"),
    ] {
        let (status, answer) = server.get(path);
        let detail = answer["detail"].as_str().unwrap_or_default();
        assert!(
            status == 400 && detail.starts_with(wanted),
            "{path}: {answer}"
        );
    }
    for path in [
        "games?db=g.pgn&where=&wait=1",
        "explorer?src=g.pgn&where1=&where6=",
        "search?where=elo:%3E1",
        "search?q=elo:%3E1",
        "db/g.pgn/games/1.pgn?profile=full",
    ] {
        let (status, answer) = server.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
    }
    server.stop();
}
