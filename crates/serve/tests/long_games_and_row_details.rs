//! Positions of games whose moves no address can hold, and columns that are read from the moves.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::Running;
use serde_json::{Value, json};
use tabia_testkit::Scratch;

#[test]
fn a_position_is_named_by_a_game_and_the_number_of_its_plies() {
    let folder = Scratch::new("serve-long");
    let path = folder.join("long.pgn");
    let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(1500);
    std::fs::write(
        &path,
        format!("{knights}*\n\n[White \"B\"]\n\n1. e4 e5 *\n\n"),
    )
    .unwrap();
    let server = Running::start(&[&path], |_| {});
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(1500).join(",");
    // A line of its own is refused.
    assert!([0, 400, 431].contains(&server.get(&format!("position?play={moves}")).0));
    let (status, found) = server.get("position?db=long.pgn&game=1&plies=6000");
    assert_eq!(status, 200, "{found}");
    assert_eq!(
        found["fen"],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 6000 3001"
    );
    assert_eq!(found["line"].as_array().unwrap().len(), 6000);
    let (_, found) = server.get("position?db=long.pgn&game=1&plies=5998&play=f3d4,f6d5");
    assert_eq!(found["line"][5998], "Nd4", "{found}");
    assert_eq!(found["legal"].as_array().unwrap().len(), 24);
    let (status, found) =
        server.get("explorer?src=long.pgn&db=long.pgn&game=1&plies=6000&wait=9000");
    assert_eq!(
        (status, &found["sources"][0]["games"]),
        (200, &json!(2)),
        "{found}"
    );
    let (status, found) = server.get("explorer?src=long.pgn&db=long.pgn&game=2&plies=1&wait=9000");
    assert_eq!(
        (status, &found["sources"][0]["games"]),
        (200, &json!(1)),
        "{found}"
    );
    for (path, expected) in [
        ("position?db=long.pgn&game=1&plies=6001", 400),
        ("position?db=long.pgn&game=1&plies=x", 400),
        ("position?db=long.pgn&game=2&plies=1&play=e2e4", 400),
        ("position?db=long.pgn&game=3", 404),
        ("position?db=other.pgn&game=1", 404),
    ] {
        assert_eq!(server.get(path).0, expected, "{path}");
    }
    server.stop();
}

#[test]
fn openings_and_medals_of_rows_are_read_on_request() {
    let folder = Scratch::new("serve-details");
    let path = folder.join("a.pgn");
    std::fs::write(&path, "1. e4 c5 {[%mdl 5]} *\n\n1. d4 *\n\n").unwrap();
    let server = Running::start(&[&path], |_| {});
    let value = |list: &Value, row: usize, column: &str| {
        let columns = list["columns"].as_array().unwrap();
        let index = columns.iter().position(|name| name == column).unwrap();
        list["rows"][row][index].clone()
    };
    let (_, list) = server.get("games?db=a.pgn");
    assert_eq!(value(&list, 0, "opening"), Value::Null);
    assert_eq!(value(&list, 0, "medals"), Value::Null);
    let (_, list) = server.get("games?db=a.pgn&details=opening,medals");
    assert_eq!(value(&list, 0, "opening"), "Sicilian Defense");
    assert_eq!(value(&list, 0, "medals"), 5);
    assert_eq!(value(&list, 1, "medals"), 0);
    let (_, list) = server.get("games?db=a.pgn&details=opening");
    assert_eq!(value(&list, 0, "medals"), Value::Null);
    assert_eq!(server.get("games?db=a.pgn&details=tags").0, 400);
    server.stop();
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let folder = Scratch::new("serve-body");
    let path = folder.join("a.pgn");
    std::fs::write(&path, "1. e4 *\n").unwrap();
    let server = Running::start(&[&path], |_| {});
    let body = json!({"kind": "index", "db": "a".repeat((1 << 20) + 1)});
    let (status, answer) = server.json("POST /api/v1/jobs", &body);
    // The connection may be closed before all of it is sent.
    assert!([0, 413].contains(&status), "{status}: {answer}");
    assert_eq!(server.get("shelf").0, 200);
    server.stop();
}
