//! Files that are dropped on a server: who may, where they are, how many bytes they may have.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking, and report what they leave out"
)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tabia::Resolver;
use tabia_serve::{Key, Server, ServerOptions, Shelf, StopHandle};
use tabia_testkit::Scratch;

const KEY: &str = "00112233445566778899aabbccddeeff";
const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n";

struct Running {
    port: u16,
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(folder: &Path, quota: u64) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut options = ServerOptions::new(Key::parse(KEY).unwrap(), |_, _| b"{}".to_vec());
        options.drop_folder = folder.to_path_buf();
        options.drop_quota = quota;
        let shelf = Shelf::new(&[] as &[&str], &Resolver::default()).unwrap();
        let server = Server::new(listener, shelf, options).unwrap();
        let stop = StopHandle::new();
        let handle = stop.clone();
        let thread = std::thread::spawn(move || server.run(&handle).unwrap());
        Self {
            port,
            stop,
            thread: Some(thread),
        }
    }

    fn head(&self, request: &str, headers: &[&str]) -> String {
        let mut head = format!("{request} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", self.port);
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        head.push_str("Connection: close\r\n\r\n");
        head
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap()
    }

    /// Status and JSON of the answer to a request with these bytes.
    fn send(&self, head: &str, body: &[u8]) -> (u16, Value) {
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        // The server may answer, and close, before it has read everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
        (
            status.unwrap_or(0),
            serde_json::from_str(body).unwrap_or(Value::Null),
        )
    }

    fn put(&self, path: &str, body: &[u8]) -> (u16, Value) {
        let length = format!("Content-Length: {}", body.len());
        let key = format!("Authorization: Bearer {KEY}");
        let head = self.head(&format!("PUT /api/v1/drop/{path}"), &[&length, &key]);
        self.send(&head, body)
    }

    fn get(&self, path: &str) -> (u16, Value) {
        let key = format!("Authorization: Bearer {KEY}");
        let head = self.head(&format!("GET /api/v1/{path}"), &[&key]);
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let found = self.send(&head, b"");
            if found.0 != 503 || Instant::now() > end {
                return found;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn space(&self) -> u64 {
        self.get("drop").1["space"].as_u64().unwrap()
    }

    fn stop(mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Every file and folder below a folder.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

fn games_below(folder: &Path) -> usize {
    let all = all_below(folder);
    let stored = all.iter().filter(|path| path.is_file());
    stored.filter(|path| !path.ends_with(".lock")).count()
}

/// The quota is smaller than what a disk has, unless it is full.
const QUOTA: u64 = 1000;

fn has_space(server: &Running) -> bool {
    let has_space = server.space() == QUOTA;
    if !has_space {
        eprintln!("the disk is full");
    }
    has_space
}

#[test]
fn a_dropped_file_is_opened_and_is_gone_with_the_server() {
    let folder = Scratch::new("serve-dropped");
    let server = Running::start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    assert_eq!(games_below(folder.path()), 0);
    let (status, answer) = server.put("my%20games.pgn", GAME.as_bytes());
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
    assert_eq!(server.space(), QUOTA - GAME.len() as u64);

    // A name is recognised by content, as on the command line, and given twice.
    let (_, second) = server.put("my%20games.pgn", GAME.as_bytes());
    assert_eq!(second["inputs"][0]["id"], "my games.pgn-2");
    let (status, third) = server.put("notes.txt", GAME.as_bytes());
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
    let server = Running::start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    for (name, bytes) in [
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0".as_slice()),
        ("empty", b"".as_slice()),
    ] {
        let (status, answer) = server.put(name, bytes);
        assert_eq!(status, 422, "{name}: {answer}");
        let detail = answer["detail"].as_str().unwrap();
        let path = folder.path().to_string_lossy();
        assert!(!detail.contains(&*path), "{detail}");
    }
    assert_eq!(games_below(folder.path()), 0);
    assert_eq!(server.space(), QUOTA);
    let (_, shelf) = server.get("shelf");
    assert!(shelf["inputs"].as_array().unwrap().is_empty());
    server.stop();
}

#[test]
fn hostile_names_are_refused_and_nothing_is_stored() {
    let folder = Scratch::new("serve-dropped-names");
    let server = Running::start(&folder.path().join("inner"), QUOTA);
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
        let (status, answer) = server.put(name, GAME.as_bytes());
        assert!(
            [400, 404, 405].contains(&status),
            "{name}: {status} {answer}"
        );
    }
    let (status, _) = server.put(&"x".repeat(300), GAME.as_bytes());
    assert_eq!(status, 400);
    for query in [
        "?set=../x",
        "?set=-1",
        "?set=a",
        "?set=99999999999999999999",
    ] {
        let (status, _) = server.put(&format!("x.pgn{query}"), GAME.as_bytes());
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
    let server = Running::start(folder.path(), QUOTA);
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
    assert_eq!(server.space(), QUOTA);

    let mut padded = GAME.as_bytes().to_vec();
    padded.resize(900, b'\n');
    assert_eq!(server.put("fits.pgn", &padded).0, 201);
    assert_eq!(server.put("more.pgn", &padded).0, 413);
    assert_eq!(server.put("small.pgn", GAME.as_bytes()).0, 201);
    server.stop();
}

#[test]
fn a_file_that_breaks_off_leaves_nothing() {
    let folder = Scratch::new("serve-dropped-broken");
    let server = Running::start(folder.path(), QUOTA);
    if !has_space(&server) {
        return server.stop();
    }
    let key = format!("Authorization: Bearer {KEY}");
    let head = server.head("PUT /api/v1/drop/half.pgn", &["Content-Length: 500", &key]);
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(GAME.as_bytes()).unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while server.space() == QUOTA && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(server.space(), QUOTA - 500);
    drop(stream);
    while server.space() != QUOTA && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(server.space(), QUOTA);
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
    let server = Running::start(folder.path(), 1 << 20);
    let last = files.len() - 1;
    for (index, file) in files.iter().enumerate() {
        let name = file.file_name().unwrap().to_string_lossy();
        let more = if index < last { "&more=1" } else { "" };
        let bytes = std::fs::read(file).unwrap();
        let (status, answer) = server.put(&format!("{name}?set=7{more}"), &bytes);
        assert_eq!(status, if index < last { 200 } else { 201 }, "{answer}");
        let inputs = answer["inputs"].as_array().unwrap();
        assert_eq!(inputs.len(), usize::from(index == last), "{answer}");
    }
    let (status, games) = server.get("games?db=games.si4");
    assert_eq!((status, &games["total"]), (200, &Value::from(1)), "{games}");
    // The set is complete.
    assert_eq!(server.put("more.pgn?set=7", GAME.as_bytes()).0, 409);
    assert_eq!(server.put("a.pgn?set=8&more=1", GAME.as_bytes()).0, 200);
    assert_eq!(server.put("a.pgn?set=8", GAME.as_bytes()).0, 409);
    server.stop();
}

#[test]
fn only_our_page_and_programs_with_the_key_drop_files() {
    let folder = Scratch::new("serve-dropped-guard");
    let server = Running::start(folder.path(), QUOTA);
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
