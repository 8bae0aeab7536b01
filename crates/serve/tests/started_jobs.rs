//! Jobs that requests start: their progress, their results, their end.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tabia_testkit::Scratch;

use common::{KEY, Running, all_below};

const START: &str = "POST /api/v1/jobs";

fn write_games(folder: &Scratch, games: usize) -> PathBuf {
    let path = folder.path().join("games.pgn");
    let game = |i: usize| format!("[White \"A {i}\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n");
    let text: String = (0..games).map(game).collect();
    std::fs::write(&path, text).unwrap();
    path
}

/// A server whose indexes are in the folder `cache`.
fn start(path: &Path, folder: &Scratch) -> Running {
    let cache = folder.path().join("cache");
    Running::start(&[path], |options| options.index.cache = Some(cache))
}

fn index(db: &str) -> Value {
    json!({"kind": "index", "db": db})
}

/// The bytes of an endless answer until they contain a text, or until its end.
fn read_until(stream: &mut TcpStream, text: &str) -> String {
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let mut found = String::new();
    let mut buffer = [0; 4096];
    while text.is_empty() || !found.contains(text) {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => found.push_str(&String::from_utf8_lossy(&buffer[..count])),
            Err(error) => panic!("{error}: {found}"),
        }
    }
    found
}

fn follow(server: &Running) -> TcpStream {
    let key = format!("Authorization: Bearer {KEY}");
    let mut stream = server.connect();
    let head = server.head("GET /api/v1/events", &[&key]);
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[test]
fn an_index_is_built_in_the_cache_and_used() {
    let folder = Scratch::new("serve-job-index");
    let server = start(&write_games(&folder, 300), &folder);
    let (_, before) = server.get("db/games.pgn");
    assert_eq!(before["index"], "absent");
    let (status, job) = server.json(START, &index("games.pgn"));
    assert_eq!(status, 202, "{job}");
    assert_eq!(
        (&job["kind"], &job["inputs"]),
        (&json!("index"), &json!(["games.pgn"]))
    );
    let job = server.ended(&job["id"]);
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["change"], "built", "{job}");
    assert_eq!(job["result"]["games"], 300, "{job}");
    assert_eq!(
        (&job["share"], &job["done"]),
        (&json!(1.0), &json!(300)),
        "{job}"
    );
    let files: Vec<PathBuf> = all_below(folder.path());
    let indexes: Vec<&PathBuf> = files
        .iter()
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "tidx")
        })
        .collect();
    assert_eq!(indexes.len(), 1, "{files:?}");
    assert!(indexes[0].starts_with(folder.path().join("cache")));

    assert_eq!(server.get("db/games.pgn").1["index"], "current");
    let (_, found) = server.get("explorer?src=games.pgn&play=e2e4");
    assert_eq!(found["sources"][0]["indexed"], true, "{found}");
    assert_eq!(found["sources"][0]["games"], 300, "{found}");
    let (_, again) = server.json(START, &index("games.pgn"));
    assert_eq!(server.ended(&again["id"])["result"]["change"], "current");
    let (_, all) = server.get("jobs");
    assert_eq!(all["jobs"].as_array().unwrap().len(), 2);

    // What has ended is forgotten, and only once.
    let forget = format!("DELETE /api/v1/jobs/{}", again["id"]);
    assert_eq!(server.json(&forget, &Value::Null).0, 200);
    assert_eq!(server.json(&forget, &Value::Null).0, 404);
    server.stop();
}

#[test]
fn a_cancelled_index_leaves_nothing() {
    let folder = Scratch::new("serve-job-cancel");
    let server = start(&write_games(&folder, 20_000), &folder);
    let (status, job) = server.json(START, &index("games.pgn"));
    assert_eq!(status, 202, "{job}");
    let (status, _) = server.json(&format!("DELETE /api/v1/jobs/{}", job["id"]), &Value::Null);
    assert_eq!(status, 200);
    let (status, job) = server.get(&format!("jobs/{}", job["id"]));
    // A fast machine may have ended it first: then it was forgotten.
    if status == 200 {
        let job = server.ended(&job["id"]);
        let is_built = job["state"] == "done";
        assert!(is_built || job["state"] == "cancelled", "{job}");
        let files = all_below(&folder.path().join("cache"));
        assert_eq!(
            files.iter().any(|path| path.is_file()),
            is_built,
            "{files:?}"
        );
    }
    server.stop();
}

#[test]
fn wrong_requests_start_nothing() {
    let folder = Scratch::new("serve-job-wrong");
    let server = start(&write_games(&folder, 1), &folder);
    for (body, expected) in [
        (index("nothing.pgn"), 404),
        (index("../games.pgn"), 404),
        (json!({"kind": "index"}), 400),
        (json!({"kind": "format", "db": "games.pgn"}), 400),
        (
            json!({"kind": "index", "db": "games.pgn", "out": "/tmp/x"}),
            400,
        ),
        (json!({"db": "games.pgn"}), 400),
        (json!([]), 400),
        (json!({"kind": "index", "db": "x".repeat(2 << 20)}), 413),
    ] {
        let (status, answer) = server.json(START, &body);
        assert_eq!(status, expected, "{answer}");
    }
    let key = format!("Authorization: Bearer {KEY}");
    let body = index("games.pgn").to_string();
    let length = format!("Content-Length: {}", body.len());
    let json = "Content-Type: application/json";
    for (headers, expected) in [
        (vec![length.as_str(), &key], 415),
        (vec![&length, &key, "Content-Type: text/plain"], 415),
        (vec![&length, json], 401),
        (
            vec![&length, json, &key, "Origin: http://evil.example"],
            403,
        ),
        (vec![&length, json, &key, "Sec-Fetch-Site: cross-site"], 403),
        (vec![&length, json, &key, "Host: evil.example"], 421),
    ] {
        let head = server.head(START, &headers);
        assert_eq!(
            server.send(&head, body.as_bytes()).0,
            expected,
            "{headers:?}"
        );
    }
    for path in ["jobs/1", "jobs/x", "jobs/99999999999999999999"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    assert_eq!(server.get("jobs").1, json!({"jobs": []}));
    server.stop();
}

#[test]
fn events_follow_a_job_to_its_end_and_end_with_the_server() {
    let folder = Scratch::new("serve-job-events");
    let server = start(&write_games(&folder, 300), &folder);
    let mut events = follow(&server);
    let head = read_until(&mut events, "{\"jobs\":[]}");
    assert!(head.contains("text/event-stream"), "{head}");
    let (_, job) = server.json(START, &index("games.pgn"));
    let text = read_until(&mut events, "\"state\":\"done\"");
    assert!(text.contains("event: job\n"), "{text}");
    server.json(&format!("DELETE /api/v1/jobs/{}", job["id"]), &Value::Null);
    read_until(&mut events, "event: forgotten");
    // Who comes later sees what there is.
    let (_, again) = server.json(START, &index("games.pgn"));
    server.ended(&again["id"]);
    read_until(&mut follow(&server), "\"change\":\"current\"");
    server.stop();
    // Until the end of the stream.
    read_until(&mut events, "");
}

#[test]
fn only_some_pages_follow_the_jobs_at_once() {
    let folder = Scratch::new("serve-job-listeners");
    let server = start(&write_games(&folder, 1), &folder);
    let mut pages: Vec<TcpStream> = (0..32).map(|_| follow(&server)).collect();
    for page in &mut pages {
        let head = read_until(page, "event: jobs");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    let refused = read_until(&mut follow(&server), "");
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    drop(pages);
    let end = Instant::now() + Duration::from_mins(1);
    while !read_until(&mut follow(&server), "\r\n\r\n").starts_with("HTTP/1.1 200") {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(20));
    }
    server.stop();
}
