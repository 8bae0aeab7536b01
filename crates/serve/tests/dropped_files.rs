//! Files that are dropped on a server: who may, where they are, how many bytes they may have.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking, and report what they leave out"
)]

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use tabia_testkit::Scratch;

use common::{KEY, Running, all_below};

const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n";

fn start(folder: &Path, quota: u64) -> Running {
    Running::start(&[], |options| {
        options.drop_folder = folder.to_path_buf();
        options.drop_quota = quota;
    })
}

fn put(server: &Running, path: &str, body: &[u8]) -> (u16, Value) {
    let length = format!("Content-Length: {}", body.len());
    let key = format!("Authorization: Bearer {KEY}");
    let head = server.head(&format!("PUT /api/v1/drop/{path}"), &[&length, &key]);
    server.send(&head, body)
}

fn space(server: &Running) -> u64 {
    server.get("drop").1["space"].as_u64().unwrap()
}

fn games_below(folder: &Path) -> usize {
    let all = all_below(folder);
    let stored = all.iter().filter(|path| path.is_file());
    stored.filter(|path| !path.ends_with(".lock")).count()
}

/// The quota is smaller than what a disk has, unless it is full.
const QUOTA: u64 = 1000;

fn has_space(server: &Running) -> bool {
    let has_space = space(server) == QUOTA;
    if !has_space {
        eprintln!("the disk is full");
    }
    has_space
}

#[test]
fn a_dropped_file_is_opened_and_is_gone_with_the_server() {
    let folder = Scratch::new("serve-dropped");
    let server = start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    assert_eq!(games_below(folder.path()), 0);
    let (status, answer) = put(&server, "my%20games.pgn", GAME.as_bytes());
    assert_eq!(status, 201, "{answer}");
    let card = &answer["inputs"][0];
    assert_eq!(card["id"], "my games.pgn");
    assert_eq!(card["dropped"], true);
    assert_eq!(card["folder"], "");
    assert!(!answer.to_string().contains("tabia-dropped"), "{answer}");
    let (_, shelf) = server.get("shelf");
    assert_eq!(shelf["inputs"].as_array().unwrap().len(), 1);
    let (status, games) = server.get("games?db=my+games.pgn");
    assert_eq!((status, &games["rows"][0][2]), (200, &Value::from("A")));
    assert_eq!(space(&server), QUOTA - GAME.len() as u64);

    // A name is recognised by content, as on the command line, and given twice.
    let (_, second) = put(&server, "my%20games.pgn", GAME.as_bytes());
    assert_eq!(second["inputs"][0]["id"], "my games.pgn~ngqh8y-2");
    let (status, third) = put(&server, "notes.txt", GAME.as_bytes());
    assert_eq!(
        (status, &third["inputs"][0]["format"]),
        (201, &Value::from("pgn"))
    );
    assert_eq!(games_below(folder.path()), 3);
    server.stop();
    assert_eq!(all_below(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn files_that_are_not_recognised_are_removed_at_once() {
    let folder = Scratch::new("serve-dropped-unknown");
    let server = start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    for (name, bytes) in [
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0".as_slice()),
        ("empty", b"".as_slice()),
    ] {
        let (status, answer) = put(&server, name, bytes);
        assert_eq!(status, 422, "{name}: {answer}");
        let detail = answer["detail"].as_str().unwrap();
        let path = folder.path().to_string_lossy();
        assert!(!detail.contains(&*path), "{detail}");
    }
    assert_eq!(games_below(folder.path()), 0);
    assert_eq!(space(&server), QUOTA);
    let (_, shelf) = server.get("shelf");
    assert!(shelf["inputs"].as_array().unwrap().is_empty());
    server.stop();
}

#[test]
fn hostile_names_are_refused_and_nothing_is_stored() {
    let folder = Scratch::new("serve-dropped-names");
    let server = start(&folder.path().join("inner"), QUOTA);
    for name in [
        "..",
        "%2e%2e",
        "..%2f..%2fx.pgn",
        "a%2fb.pgn",
        "a%5cb.pgn",
        "C%3a%5cx.pgn",
        "a%3ab.pgn",
        "%00.pgn",
        "x%00.pgn",
        "x%0a.pgn",
        ".hidden.pgn",
        "-",
        "-o.pgn",
        "CON",
        "nul.pgn",
        "x.",
        "x%20",
        "%3cimg%20src=x%3e.pgn",
        "%ff%fe.pgn",
        "%2fetc%2fpasswd",
    ] {
        let (status, answer) = put(&server, name, GAME.as_bytes());
        assert!(
            [400, 404, 405].contains(&status),
            "{name}: {status} {answer}"
        );
    }
    let (status, _) = put(&server, &"x".repeat(300), GAME.as_bytes());
    assert_eq!(status, 400);
    for query in [
        "?set=../x",
        "?set=-1",
        "?set=a",
        "?set=99999999999999999999",
    ] {
        let (status, _) = put(&server, &format!("x.pgn{query}"), GAME.as_bytes());
        assert_eq!(status, 400, "{query}");
    }
    let inner = folder.path().join("inner");
    assert!(!inner.exists() || games_below(&inner) == 0);
    assert!(
        all_below(folder.path())
            .iter()
            .all(|path| path.starts_with(&inner))
    );
    server.stop();
}

#[test]
fn a_full_quota_is_413_before_the_bytes_arrive() {
    let folder = Scratch::new("serve-dropped-quota");
    let server = start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    let key = format!("Authorization: Bearer {KEY}");
    // The length alone is enough.
    for length in ["1001", "9000000000000000000"] {
        let length = format!("Content-Length: {length}");
        let head = server.head("PUT /api/v1/drop/large.pgn", &[&length, &key]);
        assert_eq!(server.send(&head, b"").0, 413, "{length}");
    }
    // Without a length the bytes are counted.
    let chunked = "Transfer-Encoding: chunked";
    let head = server.head("PUT /api/v1/drop/large.pgn", &[chunked, &key]);
    let mut body = b"7d0\r\n".to_vec();
    body.extend_from_slice(&[b' '; 2000]);
    body.extend_from_slice(b"\r\n0\r\n\r\n");
    assert_eq!(server.send(&head, &body).0, 413);
    assert_eq!(games_below(folder.path()), 0);
    assert_eq!(space(&server), QUOTA);

    let mut padded = GAME.as_bytes().to_vec();
    padded.resize(900, b'\n');
    assert_eq!(put(&server, "fits.pgn", &padded).0, 201);
    assert_eq!(put(&server, "more.pgn", &padded).0, 413);
    assert_eq!(put(&server, "small.pgn", GAME.as_bytes()).0, 201);
    server.stop();
}

#[test]
fn a_file_that_breaks_off_leaves_nothing() {
    let folder = Scratch::new("serve-dropped-broken");
    let server = start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    let key = format!("Authorization: Bearer {KEY}");
    let head = server.head("PUT /api/v1/drop/half.pgn", &["Content-Length: 500", &key]);
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(GAME.as_bytes()).unwrap();
    let end = Instant::now() + Duration::from_mins(1);
    while space(&server) == QUOTA && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(space(&server), QUOTA - 500);
    drop(stream);
    while space(&server) != QUOTA && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(space(&server), QUOTA);
    assert_eq!(games_below(folder.path()), 0);
    server.stop();
}

#[test]
fn the_files_of_a_set_are_opened_together() {
    let folder = Scratch::new("serve-dropped-set");
    let made = Scratch::new("serve-dropped-set-made");
    let pgn = made.path().join("games.pgn");
    std::fs::write(&pgn, GAME).unwrap();
    let database = made.path().join("games.si4");
    tabia::convert(&pgn, &database).unwrap();
    let mut files: Vec<PathBuf> = all_below(made.path());
    files.retain(|path| *path != pgn);
    files.sort();
    assert!(files.len() > 1, "{files:?}");
    let server = start(folder.path(), 1 << 20);
    let last = files.len() - 1;
    for (index, file) in files.iter().enumerate() {
        let name = file.file_name().unwrap().to_string_lossy();
        let more = if index < last { "&more=1" } else { "" };
        let bytes = std::fs::read(file).unwrap();
        let (status, answer) = put(&server, &format!("{name}?set=7{more}"), &bytes);
        assert_eq!(status, if index < last { 200 } else { 201 }, "{answer}");
        let inputs = answer["inputs"].as_array().unwrap();
        assert_eq!(inputs.len(), usize::from(index == last), "{answer}");
    }
    let (status, games) = server.get("games?db=games.si4");
    assert_eq!((status, &games["total"]), (200, &Value::from(1)), "{games}");
    // The set is complete.
    assert_eq!(put(&server, "more.pgn?set=7", GAME.as_bytes()).0, 409);
    assert_eq!(put(&server, "a.pgn?set=8&more=1", GAME.as_bytes()).0, 200);
    assert_eq!(put(&server, "a.pgn?set=8", GAME.as_bytes()).0, 409);
    server.stop();
}

#[test]
fn only_our_page_and_programs_with_the_key_drop_files() {
    let folder = Scratch::new("serve-dropped-guard");
    let server = start(folder.path(), QUOTA);
    let length = format!("Content-Length: {}", GAME.len());
    let key = format!("Authorization: Bearer {KEY}");
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    let put = "PUT /api/v1/drop/x.pgn";
    for (request, headers, expected) in [
        (put, vec![length.as_str()], 401),
        (put, vec![&length, "Authorization: Bearer 0"], 401),
        (put, vec![&length, &key, "Origin: http://evil.example"], 403),
        (put, vec![&length, &key, "Origin: null"], 403),
        (put, vec![&length, &key, "Sec-Fetch-Site: cross-site"], 403),
        (put, vec![&length, &key, "Sec-Fetch-Site: same-site"], 403),
        (put, vec![&length, &key, "Host: evil.example"], 421),
        ("POST /api/v1/drop/x.pgn", vec![&length, &key], 405),
        ("DELETE /api/v1/drop/x.pgn", vec![&key], 405),
        (
            "OPTIONS /api/v1/drop/x.pgn",
            vec![&key, "Origin: http://evil.example"],
            405,
        ),
        ("GET /api/v1/drop/x.pgn", vec![&key], 405),
        ("PUT /api/v1/drop", vec![&length, &key], 405),
        ("PUT /api/v1/shelf", vec![&length, &key], 405),
        ("PUT /games.pgn", vec![&length, &key], 405),
        ("GET /api/v1/drop", vec![], 401),
    ] {
        let head = server.head(request, &headers);
        assert_eq!(
            server.send(&head, GAME.as_bytes()).0,
            expected,
            "{request} {headers:?}"
        );
    }
    assert_eq!(games_below(folder.path()), 0);
    if has_space(&server) {
        let head = server.head(put, &[&length, &key, &own, "Sec-Fetch-Site: same-origin"]);
        assert_eq!(server.send(&head, GAME.as_bytes()).0, 201);
    }
    server.stop();
}
