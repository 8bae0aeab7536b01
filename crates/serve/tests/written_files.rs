//! New files that requests write: into one folder, by jobs, and nothing else.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabia::book::build::{BuildOptions, BuildTarget, build};
use tabia::{NoObserver, Progress, Resolver};
use tabia_testkit::Scratch;

use common::{KEY, Running, all_below};

const CONVERT: &str = "POST /api/v1/convert";

fn write_games(folder: &Scratch) -> PathBuf {
    let path = folder.path().join("games.pgn");
    let text = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {a comment} e5 2. Nf3 *\n\n\
        [White \"C\"]\n[Black \"A\"]\n\n1. d4 d5 *\n\n[White \"C\"]\n[Black \"D\"]\n\n1. e4 c5 *\n\n";
    std::fs::write(&path, text).unwrap();
    path
}

/// A server that writes into the folder `out`.
fn start(inputs: &[&Path], folder: &Scratch) -> (Running, PathBuf) {
    let out = folder.path().join("out");
    std::fs::create_dir_all(&out).unwrap();
    let server = Running::start(inputs, |options| options.out = Some(out.clone()));
    (server, out)
}

fn to(format: &str, name: &str) -> Value {
    json!({"db": "games.pgn", "to": format, "name": name})
}

/// The bytes of a download, and the head of the answer.
fn download(server: &Running, path: &str) -> (String, Vec<u8>) {
    let key = format!("Authorization: Bearer {KEY}");
    let mut stream = server.connect();
    let head = server.head(&format!("GET /api/v1/{path}"), &[&key]);
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap();
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap(), body)
}

#[test]
fn a_database_is_written_opened_and_downloaded() {
    let folder = Scratch::new("serve-write");
    let games = write_games(&folder);
    let before = std::fs::read(&games).unwrap();
    let (server, out) = start(&[&games], &folder);
    assert_eq!(server.get("shelf").1["canWrite"], true);
    let (status, job) = server.json(CONVERT, &to("si4", "copy of games.si4"));
    assert_eq!(status, 202, "{job}");
    assert_eq!(job["name"], "copy of games.si4");
    let job = server.ended(&job["id"]);
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["records"], 3, "{job}");
    assert_eq!(
        job["result"]["inputs"],
        json!(["copy of games.si4"]),
        "{job}"
    );
    assert!(!job.to_string().contains(&*out.to_string_lossy()), "{job}");
    let files = job["result"]["files"].as_array().unwrap();
    assert_eq!(files.len(), all_below(&out).len());
    for (number, file) in files.iter().enumerate() {
        let path = format!("jobs/{}/files/{number}", job["id"]);
        let (head, bytes) = download(&server, &path);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(
            head.contains("filename*=UTF-8''copy%20of%20games."),
            "{head}"
        );
        assert_eq!(json!(bytes.len()), file["bytes"]);
        let stored = std::fs::read(out.join(file["name"].as_str().unwrap())).unwrap();
        assert_eq!(bytes, stored);
    }
    let beyond = format!("jobs/{}/files/{}", job["id"], files.len());
    assert_eq!(server.get(&beyond).0, 404);
    let (_, rows) = server.get("games?db=copy+of+games.si4");
    assert_eq!(rows["total"], 3, "{rows}");

    // Games that fit a query.
    let mut request = to("pgn", "white.pgn");
    request["where"] = json!("white:c");
    let (_, job) = server.json(CONVERT, &request);
    let job = server.ended(&job["id"]);
    assert_eq!(job["result"]["records"], 2, "{job}");
    let text = std::fs::read_to_string(out.join("white.pgn")).unwrap();
    assert!(
        text.contains("1. d4 d5") && !text.contains("a comment"),
        "{text}"
    );

    // A query that nothing fits writes no file and replaces none.
    for name in ["white.pgn", "none.si4"] {
        let format = name.rsplit_once('.').unwrap().1;
        let mut request = to(format, name);
        request["where"] = json!("white:nosuchplayer");
        request["force"] = json!(true);
        let (_, job) = server.json(CONVERT, &request);
        let job = server.ended(&job["id"]);
        assert_eq!(job["state"], "failed", "{job}");
        assert!(job.to_string().contains("nothing is written"), "{job}");
    }
    assert!(!out.join("none.si4").exists());
    assert_eq!(
        std::fs::read_to_string(out.join("white.pgn")).unwrap(),
        text
    );

    // Games by their numbers, which are those of one database.
    let mut request = to("pgn", "chosen.pgn");
    request["games"] = json!("1,3-3");
    let (_, job) = server.json(CONVERT, &request);
    let job = server.ended(&job["id"]);
    assert_eq!(job["result"]["records"], 2, "{job}");
    for (games, db) in [("0", "games.pgn"), ("1", "games.pgn,copy of games.si4")] {
        let mut request = to("pgn", "refused.pgn");
        request["games"] = json!(games);
        request["db"] = json!(db);
        let (status, problem) = server.json(CONVERT, &request);
        assert_eq!(status, 400, "{problem}");
    }
    assert!(!out.join("refused.pgn").exists());

    // Compressed text, and what a format cannot hold.
    let (_, job) = server.json(CONVERT, &to("pgn", "all.pgn.gz"));
    assert_eq!(server.ended(&job["id"])["state"], "done");
    assert_eq!(
        std::fs::read(out.join("all.pgn.gz")).unwrap()[..2],
        [0x1f, 0x8b]
    );
    let mut request = to("pgn", "seven.pgn");
    request["profile"] = json!("seven");
    let (_, job) = server.json(CONVERT, &request);
    let job = server.ended(&job["id"]);
    assert_eq!(job["result"]["losses"][0]["kind"], "comments", "{job}");
    assert_eq!(std::fs::read(&games).unwrap(), before);
    server.stop();
}

#[test]
fn existing_files_and_inputs_are_not_replaced() {
    let folder = Scratch::new("serve-write-existing");
    let games = write_games(&folder);
    let out = folder.path().join("out");
    std::fs::create_dir_all(&out).unwrap();
    let input = out.join("input.pgn");
    std::fs::copy(&games, &input).unwrap();
    let (server, out) = start(&[&games, &input], &folder);
    let old = out.join("old.pgn");
    std::fs::write(&old, "old").unwrap();
    let force = |name: &str| {
        let mut request = to("pgn", name);
        request["force"] = json!(true);
        request
    };
    assert_eq!(server.json(CONVERT, &to("pgn", "old.pgn")).0, 409);
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    let (status, job) = server.json(CONVERT, &force("old.pgn"));
    assert_eq!(status, 202, "{job}");
    assert_eq!(server.ended(&job["id"])["state"], "done");
    assert!(std::fs::read_to_string(&old).unwrap().contains("1. e4"));
    // What a job has written may be replaced, although it is an input now.
    let (status, again) = server.json(CONVERT, &force("old.pgn"));
    assert_eq!(status, 202, "{again}");
    assert_eq!(server.ended(&again["id"])["state"], "done");
    let (_, shelf) = server.get("shelf");
    assert_eq!(shelf["inputs"].as_array().unwrap().len(), 3, "{shelf}");
    for name in ["input.pgn", "INPUT.pgn"] {
        let (status, answer) = server.json(CONVERT, &force(name));
        assert_eq!(status, 409, "{name}: {answer}");
    }
    let bytes = std::fs::read(&input).unwrap();
    assert_eq!(bytes, std::fs::read(&games).unwrap());
    #[cfg(unix)]
    {
        let target = folder.path().join("target");
        std::fs::write(&target, "target").unwrap();
        std::os::unix::fs::symlink(&target, out.join("link.pgn")).unwrap();
        for request in [to("pgn", "link.pgn"), force("link.pgn")] {
            assert_eq!(server.json(CONVERT, &request).0, 409);
        }
        assert_eq!(std::fs::read(&target).unwrap(), b"target");
    }
    server.stop();
}

#[test]
fn wrong_requests_write_nothing() {
    let folder = Scratch::new("serve-write-wrong");
    let games = write_games(&folder);
    let (server, out) = start(&[&games], &folder);
    for (request, expected) in [
        (to("pgn", "../x.pgn"), 400),
        (to("pgn", "/tmp/x.pgn"), 400),
        (to("pgn", "a/b.pgn"), 400),
        (to("pgn", "..\\x.pgn"), 400),
        (to("pgn", ".x.pgn"), 400),
        (to("pgn", "x.si4"), 400),
        (to("si4", "x.pgn"), 400),
        (to("si4", "x.si4.gz"), 400),
        (to("pgn", ""), 400),
        (to("bin", "x.bin"), 400),
        (to("nothing", "x.pgn"), 400),
        (json!({"db": "", "to": "pgn", "name": "x.pgn"}), 400),
        (json!({"db": "nothing", "to": "pgn", "name": "x.pgn"}), 404),
        (
            json!({"db": "games.pgn", "to": "pgn", "name": "x.pgn", "where": "colour:x"}),
            400,
        ),
        (
            json!({"db": "games.pgn", "to": "pgn", "name": "x.pgn", "profile": "none"}),
            400,
        ),
        (
            json!({"db": "games.pgn", "to": "pgn", "name": "x.pgn", "out": "/tmp"}),
            400,
        ),
    ] {
        let (status, answer) = server.json(CONVERT, &request);
        assert_eq!(status, expected, "{request}: {answer}");
    }
    assert_eq!(all_below(&out), Vec::<PathBuf>::new());
    server.stop();

    let server = Running::start(&[&games], |_| {});
    assert_eq!(server.get("shelf").1["canWrite"], false);
    let (status, answer) = server.json(CONVERT, &to("pgn", "x.pgn"));
    assert_eq!(status, 405);
    assert!(
        answer["hint"].as_str().unwrap().contains("--write"),
        "{answer}"
    );
    let (status, _) = server.json("PATCH /api/v1/book/games.pgn", &json!({}));
    assert_eq!(status, 405);
    server.stop();
}

fn make_book(folder: &Scratch, games: &Path, extension: &str) -> PathBuf {
    let path = folder.path().join(format!("book.{extension}"));
    let format = tabia::format(extension).unwrap();
    let tabia::formats::Format::Book(format) = format else {
        panic!("{extension} is no book");
    };
    let items = Resolver::default().resolve(games.as_os_str()).unwrap();
    let target = BuildTarget::new(format, &path);
    let progress = std::sync::Arc::new(Progress::new());
    let mut options = BuildOptions::default();
    options.move_filter.min_games = 1;
    build(&items, &target, &options, &progress, &mut NoObserver).unwrap();
    path
}

#[test]
fn a_copy_of_a_book_has_the_changes() {
    let folder = Scratch::new("serve-write-book");
    let games = write_games(&folder);
    let book = make_book(&folder, &games, "bin");
    let before = std::fs::read(&book).unwrap();
    let (server, out) = start(&[&book], &folder);
    let (_, page) = server.get("book/book.bin");
    assert_eq!(page["can"]["weight"], true, "{page}");
    assert_eq!(page["can"]["comment"], false, "{page}");
    let request = json!({"name": "mine.bin", "changes": [
        {"move": "e2e4", "weight": 7},
        {"move": "d2d4", "remove": true},
        {"move": "g1f3", "weight": 3},
        {"play": "e2e4", "move": "g7g6", "weight": 5},
    ]});
    let (status, job) = server.json("PATCH /api/v1/book/book.bin", &request);
    assert_eq!(status, 202, "{job}");
    let job = server.ended(&job["id"]);
    assert_eq!(job["result"]["inputs"], json!(["mine.bin"]), "{job}");
    let (_, page) = server.get("book/mine.bin");
    let entries = page["entries"].as_array().unwrap();
    let entries = entries
        .iter()
        .map(|entry| json!([entry["uci"], entry["weight"]]));
    assert_eq!(
        json!(entries.collect::<Vec<_>>()),
        json!([["e2e4", 7], ["g1f3", 3]])
    );
    let (_, page) = server.get("book/mine.bin?play=e2e4");
    assert!(page.to_string().contains("g7g6"), "{page}");
    assert_eq!(std::fs::read(&book).unwrap(), before);

    for (request, expected) in [
        (
            json!({"name": "mine.bin", "changes": [{"move": "e2e4", "weight": 1}]}),
            409,
        ),
        (
            json!({"name": "b.ctg", "changes": [{"move": "e2e4", "weight": 1}]}),
            400,
        ),
        (
            json!({"name": "../b.bin", "changes": [{"move": "e2e4", "weight": 1}]}),
            400,
        ),
        (json!({"name": "b.bin", "changes": []}), 400),
        (
            json!({"name": "b.bin", "changes": [{"move": "e2e5", "weight": 1}]}),
            400,
        ),
        (json!({"name": "b.bin", "changes": [{"move": "e2e4"}]}), 400),
        (
            json!({"name": "b.bin", "changes": [{"move": "e2e4", "weight": 65536}]}),
            400,
        ),
        (
            json!({"name": "b.bin", "changes": [{"move": "e2e4", "comment": "x"}]}),
            400,
        ),
        (
            json!({"name": "b.bin", "changes": [{"move": "e2e4", "advice": "play"}]}),
            400,
        ),
        (
            json!({"name": "b.bin", "changes": [{"fen": "x", "move": "e2e4", "weight": 1}]}),
            400,
        ),
    ] {
        let (status, answer) = server.json("PATCH /api/v1/book/book.bin", &request);
        assert_eq!(status, expected, "{request}: {answer}");
    }
    let names: Vec<PathBuf> = all_below(&out);
    assert_eq!(names, [out.join("mine.bin")]);
    server.stop();
}

#[test]
fn annotations_and_advice_are_written_where_a_book_has_them() {
    let folder = Scratch::new("serve-write-marks");
    let games = write_games(&folder);
    let book = make_book(&folder, &games, "ctg");
    let (server, _) = start(&[&book], &folder);
    let (_, page) = server.get("book/book.ctg");
    assert_eq!(page["can"]["annotation"], true, "{page}");
    let request = json!({"name": "marked.ctg", "changes": [
        {"move": "e2e4", "annotation": "!", "advice": "play"},
        {"move": "d2d4", "advice": "avoid"},
    ]});
    let (status, job) = server.json("PATCH /api/v1/book/book.ctg", &request);
    assert_eq!(status, 202, "{job}");
    let job = server.ended(&job["id"]);
    assert_eq!(job["state"], "done", "{job}");
    let (_, page) = server.get("book/marked.ctg");
    let entries = page["entries"].as_array().unwrap();
    let of = |uci: &str| entries.iter().find(|entry| entry["uci"] == uci).unwrap();
    assert_eq!(of("e2e4")["annotation"], "!", "{page}");
    assert_eq!(of("e2e4")["recommended"], true, "{page}");
    assert_eq!(of("d2d4")["recommended"], false, "{page}");
    server.stop();
}
