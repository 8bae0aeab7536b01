//! Archives that need a password, which the page sends once; errors carry codes for texts in other languages.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use serde_json::json;
use tabia::core::io::Blob;
use tabia::formats::archives::{self, CreateOptions, NewMember};
use tabia_testkit::Scratch;

use common::Running;

const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n";
const PASSWORD: &str = "POST /api/v1/db/small.cbz/password";

#[test]
fn an_archive_is_opened_with_its_password() {
    let folder = Scratch::new("serve-password");
    let path = folder.join("small.cbz");
    let member = NewMember::from_bytes("games.pgn", Blob::from(GAME.as_bytes().to_vec()), None);
    let mut options = CreateOptions::default();
    options.password = Some("geheim".to_owned());
    let format = archives::format_of_name("small.cbz").unwrap();
    archives::create(format, &path, &[member], &options).unwrap();
    let server = Running::start(&[&path], |_| {});

    let (_, shelf) = server.get("shelf");
    let inputs = shelf["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 1, "{shelf}");
    assert_eq!(inputs[0]["kind"], "archive");
    assert_eq!(inputs[0]["problem"]["code"], "password");
    assert_eq!(inputs[0]["problem"]["values"]["file"], "small.cbz");

    for wrong in ["", "Geheim"] {
        let (status, answer) = server.json(PASSWORD, &json!({"password": wrong}));
        assert_eq!(
            (status, &answer["code"]),
            (422, &json!("password")),
            "{answer}"
        );
        let folder = folder.path().display().to_string();
        assert!(!answer.to_string().contains(&folder), "{answer}");
    }
    let (status, answer) = server.json(PASSWORD, &json!({"password": "geheim"}));
    assert_eq!(status, 200, "{answer}");
    assert!(!answer.to_string().contains("geheim"), "{answer}");
    let ids: Vec<_> = answer["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| &card["id"])
        .collect();
    assert_eq!(ids, ["small.cbz", "small.cbz~games.pgn"]);
    let (status, rows) = server.get("games?db=small.cbz~games.pgn");
    assert_eq!((status, &rows["total"]), (200, &json!(1)), "{rows}");
    assert_eq!(rows["rows"][0][2], "A");
    // An open archive stays open, whatever is sent.
    let (status, again) = server.json(PASSWORD, &json!({"password": "wrong"}));
    assert_eq!((status, &again["inputs"][0]), (200, &answer["inputs"][0]));
    assert_eq!(server.get("shelf").1["inputs"].as_array().unwrap().len(), 2);

    let (status, answer) = server.json("POST /api/v1/db/none/password", &json!({"password": ""}));
    assert_eq!(
        (status, &answer["code"]),
        (404, &json!("noInput")),
        "{answer}"
    );
    assert_eq!(answer["values"]["id"], "none");
    let of_book = "POST /api/v1/db/small.cbz~games.pgn/password";
    assert_eq!(server.json(of_book, &json!({"password": ""})).0, 400);
    let (status, answer) = server.get("db/small.cbz~games.pgn/games/2");
    assert_eq!(
        (status, &answer["code"]),
        (404, &json!("noGame")),
        "{answer}"
    );
    assert_eq!(
        (&answer["values"]["game"], &answer["values"]["last"]),
        (&json!("2"), &json!("1"))
    );
    server.stop();
}
