//! Spellings of names that the reader has chosen.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use serde_json::{Value, json};
use tabia_testkit::Scratch;

use common::Running;

const GAMES: &str = r#"[Event "Open"]
[Site "Riga"]
[Date "1999.01.01"]
[White "Shirov,A"]
[Black "Tal, Mikhail"]
[Result "1-0"]

1. e4 {first} e5 1-0

[Event "Open"]
[Site "Riga"]
[Date "1999.01.02"]
[White "Tal, Mikhail"]
[Black "Shirov, Alexei"]
[Result "0-1"]

1. d4 d5 0-1

[Event "Shirov,A"]
[Site "Riga"]
[Date "1999.01.03"]
[White "Tal, Mikhail"]
[Black "Shirov,A"]
[Result "*"]

1. c4 c5 *
"#;

fn rename(kind: &str, name: &str, proposal: &str) -> Value {
    json!({"kind": kind, "name": name, "proposal": proposal})
}

#[test]
fn chosen_spellings_are_shown_and_written() {
    let folder = Scratch::new("serve-names");
    let games = folder.path().join("games.pgn");
    std::fs::write(&games, GAMES).unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let server = Running::start(&[&games], |options| options.out = Some(out.clone()));
    let renames = json!([rename("player", "Shirov,A", "Shirov, Alexei")]);

    let request = json!({"db": "games.pgn", "renames": renames});
    let preview = loop {
        let (status, found) = server.json("POST /api/v1/names/preview", &request);
        assert_eq!(status, 200, "{found}");
        if found["isDone"] == true {
            break found;
        }
    };
    assert_eq!(preview["games"], 2, "{preview}");
    let change = |game: u32, tag: &str| json!({"db": "games.pgn", "game": game, "changes": [{"tag": tag, "old": "Shirov,A", "new": "Shirov, Alexei"}]});
    let expected = json!([change(1, "White"), change(3, "Black")]);
    assert_eq!(preview["first"], expected);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);

    let request = json!({"db": "games.pgn", "to": "pgn", "profile": "full", "name": "one.pgn", "renames": renames});
    let (status, job) = server.json("POST /api/v1/names", &request);
    assert_eq!(status, 202, "{job}");
    let job = server.ended(&job["id"]);
    assert_eq!(job["result"]["records"], 3, "{job}");
    let text = std::fs::read_to_string(out.join("one.pgn")).unwrap();
    assert_eq!(text.matches("\"Shirov, Alexei\"").count(), 3, "{text}");
    // The event of the same name is another kind of name.
    assert!(
        text.contains("[Event \"Shirov,A\"]") && text.contains("first"),
        "{text}"
    );
    assert_eq!(std::fs::read_to_string(&games).unwrap(), GAMES);

    for wrong in [
        json!([]),
        json!([rename("horse", "A", "B")]),
        json!([rename("player", "A", " ")]),
        json!([rename("player", "A", "A")]),
        json!([rename("player", "A", "B"), rename("player", "A", "C")]),
        json!([rename("player", "A", "B\u{7}")]),
        json!([{"kind": "player", "name": "A"}]),
    ] {
        let request = json!({"db": "games.pgn", "to": "pgn", "name": "no.pgn", "renames": wrong});
        assert_eq!(
            server.json("POST /api/v1/names", &request).0,
            400,
            "{request}"
        );
        let request = json!({"db": "games.pgn", "renames": wrong});
        assert_eq!(
            server.json("POST /api/v1/names/preview", &request).0,
            400,
            "{request}"
        );
    }
    assert!(!out.join("no.pgn").exists());
    server.stop();

    let reading = Running::start(&[&games], |_| ());
    for path in ["POST /api/v1/names", "POST /api/v1/names/preview"] {
        let request = json!({"db": "games.pgn", "to": "pgn", "name": "no.pgn", "renames": renames});
        assert_eq!(reading.json(path, &request).0, 405, "{path}");
    }
    reading.stop();
}
