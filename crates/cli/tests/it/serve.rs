//! `serve`: who is answered, and that the answers are those of the other verbs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tabia::{GameIndex, OpenInput, OpenOptions, Position, Recorder, Resolver, Want};
use tabia_testkit::Scratch;

use crate::common::{command, many_games, tabia};

const GAMES: &str = "[White \"<img src=x onerror=alert(1)>\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
    1. e4 {a <script>} e5 (1... c5 2. Nf3) 2. Nf3 1-0\n\n\
    [White \"C\"]\n[Black \"D\"]\n[Result \"0-1\"]\n[WhiteElo \"2500\"]\n\n1. d4 d5 0-1\n\n\
    [White \"A\"]\n[Black \"C\"]\n[Result \"1/2-1/2\"]\n[WhiteElo \"2600\"]\n\n1. e4 c5 1/2-1/2\n";

/// A running server.
struct Running {
    child: Child,
    port: u16,
    key: String,
}

impl Running {
    fn start(folder: &Scratch, paths: &[&str]) -> Self {
        let mut command = command(folder.path());
        command.env("XDG_STATE_HOME", folder.path().join("state"));
        Self::start_in(&mut command, paths)
    }

    /// With the environment of a command.
    fn start_in(command: &mut Command, paths: &[&str]) -> Self {
        let mut child = command
            .arg("serve")
            .args(paths)
            .args(["--port", "0", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address: Value = serde_json::from_str(&line).unwrap();
        let url = address["url"].as_str().unwrap();
        Self {
            key: url.split_once("#k=").unwrap().1.to_owned(),
            port: u16::try_from(address["port"].as_u64().unwrap()).unwrap(),
            child,
        }
    }

    fn connect(&self) -> TcpStream {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            match TcpStream::connect(address) {
                Ok(stream) => return stream,
                Err(error) => assert!(Instant::now() < end, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Status, head and body of a request with these header lines.
    fn ask(&self, request: &str, headers: &[String]) -> (u16, String, Vec<u8>) {
        let mut stream = self.connect();
        let mut text = format!("{request} HTTP/1.1\r\n");
        for header in headers {
            text.push_str(header);
            text.push_str("\r\n");
        }
        text.push_str("Connection: close\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A refused request may be cut off.
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let end = end.unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let body = answer.get(end + 4..).unwrap_or_default().to_vec();
        (status.unwrap_or(0), head, body)
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.key)
    }

    /// The JSON answer of the API, asked again while the server is busy.
    fn json(&self, path: &str) -> (u16, Value) {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let request = format!("GET /api/v1/{path}");
            let (status, _, body) = self.ask(&request, &[self.host(), self.bearer()]);
            if matches!(status, 503 | 0) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(100));
                continue;
            }
            return (status, serde_json::from_slice(&body).unwrap_or(Value::Null));
        }
    }

    /// The answer once it is complete.
    fn complete(&self, path: &str, key: &str) -> Value {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let (status, answer) = self.json(path);
            assert_eq!(status, 200, "{path}: {answer}");
            if answer[key] == true || Instant::now() > end {
                return answer;
            }
        }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(status.unwrap().success());
    }

    /// The exit code after ^C.
    fn stop(mut self) -> i32 {
        self.signal("-INT");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has usually ended by then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder_with_games() -> Scratch {
    let folder = Scratch::new("serve");
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    folder
}

#[test]
fn only_requests_of_this_page_and_of_programs_with_the_key_are_answered() {
    let folder = folder_with_games();
    let server = Running::start(&folder, &["games.pgn"]);
    let (host, key) = (server.host(), server.bearer());
    let foreign = |name: &str| format!("Host: {name}");
    let shelf = "GET /api/v1/shelf";
    let port = server.port;
    let cases: Vec<(&str, Vec<String>, u16)> = vec![
        ("GET /", vec![host.clone()], 200),
        ("HEAD /", vec![host.clone()], 200),
        ("GET /games?db=x", vec![host.clone()], 200),
        ("GET /", vec![format!("Host: localhost:{port}")], 200),
        ("GET /", vec![format!("Host: [::1]:{port}")], 200),
        ("GET /", vec![foreign("evil.example")], 421),
        ("GET /", vec![foreign(&format!("evil.example:{port}"))], 421),
        ("GET /", vec![foreign("127.0.0.1")], 421),
        ("GET /", vec![], 421),
        ("GET /", vec![host.clone(), foreign("evil.example")], 421),
        ("GET http://evil.example/", vec![host.clone()], 421),
        (shelf, vec![host.clone(), key.clone()], 200),
        (shelf, vec![host.clone()], 401),
        (
            shelf,
            vec![host.clone(), "Authorization: Bearer 0".into()],
            401,
        ),
        (
            shelf,
            vec![host.clone(), "Authorization: Basic x".into()],
            401,
        ),
        (shelf, vec![foreign("evil.example"), key.clone()], 421),
        (
            shelf,
            vec![host.clone(), key.clone(), "Origin: null".into()],
            403,
        ),
        (
            shelf,
            vec![
                host.clone(),
                key.clone(),
                "Origin: http://evil.example".into(),
            ],
            403,
        ),
        (
            shelf,
            vec![
                host.clone(),
                key.clone(),
                format!("Origin: http://127.0.0.1:{port}"),
            ],
            200,
        ),
        (
            shelf,
            vec![
                host.clone(),
                key.clone(),
                "Sec-Fetch-Site: cross-site".into(),
            ],
            403,
        ),
        (
            shelf,
            vec![
                host.clone(),
                key.clone(),
                "Sec-Fetch-Site: same-site".into(),
            ],
            403,
        ),
        (
            shelf,
            vec![
                host.clone(),
                key.clone(),
                "Sec-Fetch-Site: same-origin".into(),
            ],
            200,
        ),
        (
            shelf,
            vec![host.clone(), key.clone(), "Sec-Fetch-Site: none".into()],
            200,
        ),
        (
            "POST /api/v1/shelf",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            405,
        ),
        (
            "PUT /api/v1/drop/x",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            422,
        ),
        (
            "PUT /api/v1/drop/x",
            vec![host.clone(), "Content-Length: 0".into()],
            401,
        ),
        (
            "PUT /api/v1/drop/..%2f..%2fx",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            400,
        ),
        (
            "PUT /api/v1/shelf",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            405,
        ),
        ("GET /api/v1/drop/x", vec![host.clone(), key.clone()], 405),
        (
            "DELETE /api/v1/db/games.pgn",
            vec![host.clone(), key.clone()],
            405,
        ),
        (
            "PATCH /",
            vec![host.clone(), "Content-Length: 0".into()],
            405,
        ),
        (
            "POST /api/v1/jobs",
            vec![host.clone(), "Content-Length: 0".into()],
            401,
        ),
        (
            "POST /api/v1/jobs",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            415,
        ),
        (
            "DELETE /api/v1/jobs/1",
            vec![host.clone(), key.clone()],
            404,
        ),
        (
            "POST /api/v1/convert",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            405,
        ),
        (
            "PATCH /api/v1/book/x",
            vec![host.clone(), key.clone(), "Content-Length: 0".into()],
            405,
        ),
        (
            "OPTIONS /api/v1/shelf",
            vec![host.clone(), key.clone()],
            405,
        ),
        ("GET /api/v1/nothing", vec![host.clone(), key.clone()], 404),
        ("GET /api/v1/nothing", vec![host.clone()], 401),
        ("GET /etc/passwd", vec![host.clone()], 404),
        ("GET /../../etc/passwd", vec![host.clone()], 404),
        ("GET /%2e%2e/%2e%2e/etc/passwd", vec![host.clone()], 404),
        ("GET /assets/../index.html", vec![host.clone()], 404),
        (
            "GET /api/v1/db/..%2f..%2fetc%2fpasswd",
            vec![host.clone(), key.clone()],
            404,
        ),
        (
            "GET /api/v1/db/%2fetc%2fpasswd",
            vec![host.clone(), key.clone()],
            404,
        ),
        (
            "GET /api/v1/db/state/games/1",
            vec![host.clone(), key.clone()],
            404,
        ),
        (
            "GET /api/v1/db/games.pgn/games/0",
            vec![host.clone(), key.clone()],
            404,
        ),
        (
            "GET /api/v1/db/games.pgn/games/-1",
            vec![host.clone(), key.clone()],
            400,
        ),
        (
            "GET /api/v1/games?db=games.pgn&n=501",
            vec![host.clone(), key.clone()],
            400,
        ),
        (
            "GET /api/v1/games?db=games.pgn&where=colour:x",
            vec![host.clone(), key.clone()],
            400,
        ),
        (
            "GET /api/v1/games?db=games.pgn&sort=colour",
            vec![host.clone(), key.clone()],
            400,
        ),
        (
            "GET /api/v1/position?fen=nonsense",
            vec![host.clone(), key.clone()],
            400,
        ),
        (
            "GET /api/v1/position?play=e2e5",
            vec![host.clone(), key.clone()],
            400,
        ),
    ];
    for (request, headers, expected) in &cases {
        let (status, head, _) = server.ask(request, headers);
        assert_eq!(status, *expected, "{request} {headers:?}");
        let head = head.to_lowercase();
        for wanted in [
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(wanted), "{request}: {head}");
        }
        assert!(!head.contains("access-control-allow"), "{head}");
    }
    let long = format!("X: {}", "a".repeat(20_000));
    let (status, ..) = server.ask("GET /", &[host, long]);
    assert!([0, 431].contains(&status), "{status}");
    assert_eq!(server.stop(), 0);
}

#[test]
fn the_server_listens_on_loopback_only() {
    let folder = folder_with_games();
    let server = Running::start(&folder, &[]);
    server.json("shelf");
    let hexadecimal = format!(":{:04X} ", server.port);
    for (table, loopback) in [
        ("/proc/net/tcp", "0100007F"),
        ("/proc/net/tcp6", "00000000000000000000000001000000"),
    ] {
        let Ok(table) = std::fs::read_to_string(table) else {
            continue;
        };
        let listening = table.lines().filter(|line| line.contains(" 0A "));
        for line in listening.filter(|line| line.contains(&hexadecimal)) {
            assert!(line.contains(loopback), "{line}");
        }
    }
}

#[test]
fn the_key_is_private_and_survives_a_restart() {
    let folder = folder_with_games();
    let first = Running::start(&folder, &["games.pgn"]);
    let path = folder.path().join("state/tabia/serve-key");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = first.key.clone();
    assert_eq!(first.stop(), 0);
    let second = Running::start(&folder, &["games.pgn"]);
    assert_eq!(second.key, key);
    assert_eq!(second.stop(), 0);
    let third = Running::start(&folder, &["games.pgn", "--new-key"]);
    assert_ne!(third.key, key);
    assert_eq!(third.json("shelf").0, 200);
    assert_eq!(third.stop(), 0);
}

#[test]
fn lists_and_games_are_those_of_ls_and_show_in_every_format() {
    let folder = folder_with_games();
    let mut paths = vec!["games.pgn".to_owned()];
    for ending in ["cbh", "si3", "si4", "si5", "sci"] {
        let name = format!("made.{ending}");
        tabia(&folder, &["convert", "games.pgn", "-o", &name]).expect(0);
        paths.push(name);
    }
    tabia(&folder, &["convert", "games.pgn", "-o", "made.pgn.gz"]).expect(0);
    paths.push("made.pgn.gz".to_owned());
    tabia(&folder, &["archive", "create", "made.zip", "games.pgn"]).expect(0);
    paths.push("made.zip".to_owned());
    let names: Vec<&str> = paths.iter().map(String::as_str).collect();
    let server = Running::start(&folder, &names);
    let (_, shelf) = server.json("shelf");
    let inputs = shelf["inputs"].as_array().unwrap();
    let mut databases = 0;
    for input in inputs.iter().filter(|input| input["kind"] == "database") {
        databases += 1;
        let id = input["id"].as_str().unwrap();
        let path = match input["container"].as_str() {
            Some(container) => format!("{container}:{}", input["name"].as_str().unwrap()),
            None => id.to_owned(),
        };
        let list = server.complete(&format!("games?db={id}&from=0&n=10"), "isDone");
        let listed = tabia(&folder, &["ls", &path, "--json"]).expect(0).json();
        let listed = listed.as_array().unwrap();
        assert_eq!(list["count"], listed.len(), "{id}");
        let columns = list["columns"].as_array().unwrap();
        for (row, expected) in list["rows"].as_array().unwrap().iter().zip(listed) {
            for (column, value) in columns.iter().zip(row.as_array().unwrap()) {
                let column = column.as_str().unwrap();
                match column {
                    "db" | "moves" | "problem" => {}
                    _ => assert_eq!(*value, expected[column], "{id} {column}"),
                }
            }
        }
        let (_, mut game) = server.json(&format!("db/{id}/games/1"));
        let shown = tabia(&folder, &["show", &path, "--game", "1", "--json"])
            .expect(0)
            .json();
        for key in [
            "db",
            "total",
            "opening",
            "problems",
            "problemList",
            "fingerprint",
        ] {
            assert!(game.as_object_mut().unwrap().remove(key).is_some(), "{key}");
        }
        assert_eq!(game, shown, "{id}");
        let (_, _, pgn) = server.ask(
            &format!("GET /api/v1/db/{id}/games/1.pgn"),
            &[server.host(), server.bearer()],
        );
        assert!(String::from_utf8_lossy(&pgn).contains("1. e4"), "{id}");
    }
    assert_eq!(databases, 8);
}

#[test]
fn rows_are_filtered_and_sorted() {
    let folder = folder_with_games();
    std::fs::copy(
        folder.path().join("games.pgn"),
        folder.path().join("copy.pgn"),
    )
    .unwrap();
    let server = Running::start(&folder, &["games.pgn", "copy.pgn"]);
    let games = |query: &str| {
        let list = server.complete(&format!("games?n=10&{query}"), "isDone");
        let rows = list["rows"].as_array().unwrap().clone();
        let numbers: Vec<String> = rows
            .iter()
            .map(|row| format!("{}{}", &row[0].as_str().unwrap()[..1], row[1]))
            .collect();
        numbers.join(" ")
    };
    assert_eq!(games("db=games.pgn"), "g1 g2 g3");
    assert_eq!(games("db=games.pgn&where=elo:%3E=2500"), "");
    assert_eq!(games("db=games.pgn&where=anyelo:%3E=2500"), "g2 g3");
    assert_eq!(games("db=games.pgn&sort=white"), "g1 g3 g2");
    assert_eq!(games("db=games.pgn&sort=-whiteElo"), "g3 g2 g1");
    assert_eq!(games("db=games.pgn&sort=whiteElo"), "g2 g3 g1");
    assert_eq!(games("db=games.pgn&sort=-moves,white"), "g1 g3 g2");
    assert_eq!(
        games("db=games.pgn,copy.pgn&sort=-whiteElo,game"),
        "g3 c3 g2 c2 g1 c1"
    );
    assert_eq!(games("db=copy.pgn,games.pgn&where=result:draw"), "c3 g3");
    assert_eq!(games("db=games.pgn&from=1"), "g2 g3");
    let row = server
        .json("row?db=games.pgn&sort=-whiteElo&in=games.pgn&game=2")
        .1;
    assert_eq!(row["row"], 1);
    let no_such = server.json("row?db=games.pgn&in=games.pgn&game=4").0;
    assert_eq!(no_such, 404);
}

#[test]
fn databases_and_books_answer_for_the_same_position() {
    let folder = folder_with_games();
    for book in ["made.bin", "made.ctg", "made.abk", "made.kob"] {
        tabia(
            &folder,
            &["book", "build", "games.pgn", "-o", book, "--min-games", "1"],
        )
        .expect(0);
    }
    let server = Running::start(&folder, &["."]);
    let (_, shelf) = server.json("shelf");
    let inputs = shelf["inputs"].as_array().unwrap();
    for input in inputs.iter().filter(|input| input["kind"] == "book") {
        let id = input["id"].as_str().unwrap();
        let (status, answer) = server.json(&format!("explorer?src={id}"));
        assert_eq!(status, 200);
        let moves = answer["sources"][0]["moves"].as_array().unwrap();
        let found: Vec<&str> = moves.iter().map(|m| m["san"].as_str().unwrap()).collect();
        assert!(found.contains(&"e4"), "{id}: {answer}");
    }
    let path = "explorer?src=games.pgn&play=e2e4";
    let answer = loop {
        let (_, answer) = server.json(path);
        if answer["sources"][0]["isDone"] == true {
            break answer;
        }
    };
    let source = &answer["sources"][0];
    assert_eq!(source["games"], 2);
    assert_eq!(
        (&source["white"], &source["draws"]),
        (&Value::from(1), &Value::from(1))
    );
    let moves = source["moves"].as_array().unwrap();
    let mut found: Vec<&str> = moves.iter().map(|m| m["san"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, ["c5", "e5"]);
    assert_eq!(answer["opening"]["eco"], "B00");
    // The last position of a game counts, without a move.
    let last = server.json("explorer?src=games.pgn&play=d2d4,d7d5").1;
    assert_eq!(last["sources"][0]["games"], 1);
}

#[test]
fn a_check_states_its_problems() {
    let folder = Scratch::new("serve-check");
    let games = "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n";
    std::fs::write(folder.path().join("bad.pgn"), games).unwrap();
    let server = Running::start(&folder, &["."]);
    let health = server.complete("db/bad.pgn/health", "isDone");
    assert_eq!(health["problems"], 1, "{health}");
    assert_eq!(health["kinds"][0]["examples"][0]["game"], 1);
    let (_, game) = server.json("db/bad.pgn/games/1");
    assert_eq!(game["problems"].as_array().unwrap().len(), 1);
}

/// The id of the first game of an answer.
fn first_id(text: &str) -> String {
    let rest = text.split_once("\"id\":\"");
    let id = rest.and_then(|(_, rest)| rest.get(..8));
    id.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn every_documented_path_is_answered() {
    let folder = folder_with_games();
    let server = Running::start(&folder, &["games.pgn"]);
    let (_, document) = server.json("openapi.json");
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 20);
    drop(server);
    tabia(
        &folder,
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "made.bin",
            "--min-games",
            "1",
        ],
    )
    .expect(0);
    let server = Running::start(&folder, &["games.pgn", "made.bin"]);
    let (_, text) = plain(&server, "/masters");
    let game = first_id(&text);
    for (path, methods) in paths {
        // Without an end, or of a job that there is not.
        let is_of_jobs = path == "/api/v1/events" || path.starts_with("/api/v1/jobs/");
        if methods.get("get").is_none() || is_of_jobs {
            continue;
        }
        let id = match path.as_str() {
            "/api/v1/book/{id}" => "made.bin",
            "/game/export/{id}" => &game,
            _ => "games.pgn",
        };
        let path = path.replace("{id}", id).replace("{n}", "1");
        let Some(path) = path.strip_prefix("/api/v1/").map(str::to_owned) else {
            let query = if path == "/player" {
                "?player=A&color=white"
            } else {
                ""
            };
            let (status, ..) = server.ask(&format!("GET {path}{query}"), &[server.host()]);
            assert_eq!(status, 200, "{path}");
            continue;
        };
        let query = match path.as_str() {
            "suggest" => "?db=games.pgn&field=player&q=a",
            "player" | "player/unfaced" => "?db=games.pgn&name=A",
            "search" => "?db=games.pgn&where=move:c5",
            "duplicates" | "games" | "spellings" => "?db=games.pgn",
            "duplicates/merged" => "?db=games.pgn&game=1&duplicate=2",
            "convert" => "?db=games.pgn&to=si5",
            "convert/game" => "?db=games.pgn&to=si5&game=1",
            "row" => "?db=games.pgn&in=games.pgn&game=1",
            "explorer" => "?src=games.pgn",
            _ => "",
        };
        assert_eq!(server.json(&format!("{path}{query}")).0, 200, "{path}");
    }
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

#[test]
fn answers_that_the_client_has_are_not_sent_again() {
    let folder = folder_with_games();
    let path = folder.path().join("games.pgn");
    let server = Running::start(&folder, &["games.pgn"]);
    let (host, key) = (server.host(), server.bearer());
    let paths = [
        ("shelf", ""),
        ("db/games.pgn", "open"),
        ("games?db=games.pgn", "isDone"),
        ("games?db=games.pgn&where=white:c&sort=-white", "isDone"),
        ("row?db=games.pgn&in=games.pgn&game=1", ""),
        ("db/games.pgn/games/1", ""),
        ("position?play=e2e4", ""),
        ("fields", ""),
        ("formats", ""),
        ("suggest?db=games.pgn&field=white&q=a", ""),
        ("player?db=games.pgn&name=A", "isDone"),
        ("search?db=games.pgn&where=move:c5", "isDone"),
        ("duplicates?db=games.pgn", "isDone"),
        ("convert?db=games.pgn&to=si5", "isDone"),
        ("db/games.pgn/health", "isDone"),
        ("openapi.json", ""),
    ];
    let mut tags = Vec::new();
    for (path, complete) in paths {
        if !complete.is_empty() {
            assert_eq!(server.complete(path, complete)[complete], true, "{path}");
        }
        let request = format!("GET /api/v1/{path}");
        let (status, head, body) = server.ask(&request, &[host.clone(), key.clone()]);
        assert_eq!(status, 200, "{path}");
        let tag = header(&head, "etag").unwrap_or_else(|| panic!("{path}: {head}"));
        let cache = header(&head, "cache-control");
        assert_eq!(cache, Some("private, no-cache"), "{path}");
        let known = format!("If-None-Match: \"other\", W/{tag}");
        let again = [host.clone(), key.clone(), known.clone()];
        let (status, head, none) = server.ask(&request, &again);
        assert_eq!((status, none.len()), (304, 0), "{path}");
        assert_eq!(header(&head, "etag"), Some(tag), "{path}");
        assert!(!body.is_empty(), "{path}");
        // Without the key the tag opens nothing.
        let refused = server.ask(&request, &[host.clone(), known.clone()]).0;
        assert_eq!(refused, 401, "{path}");
        tags.push((request, known));
    }
    let request = "GET /api/v1/explorer?src=games.pgn";
    let end = Instant::now() + Duration::from_mins(1);
    let tag = loop {
        let (_, head, _) = server.ask(request, &[host.clone(), key.clone()]);
        match header(&head, "etag") {
            Some(tag) => break tag.to_owned(),
            None => assert!(Instant::now() < end, "{head}"),
        }
    };
    let known = format!("If-None-Match: {tag}");
    let headers = [host.clone(), key.clone(), known];
    assert_eq!(server.ask(request, &headers).0, 304);

    std::fs::write(&path, format!("{GAMES}\n[White \"New\"]\n\n1. c4 *\n")).unwrap();
    for (request, known) in tags {
        let is_of_games = request.contains("db=games.pgn") || request.contains("db/games.pgn");
        if !is_of_games {
            continue;
        }
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let headers = [host.clone(), key.clone(), known.clone()];
            match server.ask(&request, &headers).0 {
                200 => break,
                status => assert!(Instant::now() < end, "{request}: {status}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    assert_eq!(server.stop(), 0);
}

#[test]
fn both_loopback_addresses_answer() {
    if TcpListener::bind((std::net::Ipv6Addr::LOCALHOST, 0)).is_err() {
        eprintln!("this machine has no IPv6");
        return;
    }
    let folder = folder_with_games();
    let server = Running::start(&folder, &["games.pgn"]);
    server.json("shelf");
    let end = Instant::now() + Duration::from_mins(1);
    let mut stream = loop {
        match TcpStream::connect((std::net::Ipv6Addr::LOCALHOST, server.port)) {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let request = format!(
        "GET /api/v1/shelf HTTP/1.1\r\nHost: [::1]:{}\r\n{}\r\nConnection: close\r\n\r\n",
        server.port,
        server.bearer()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(server.stop(), 0);
}

#[test]
fn dropped_files_are_in_the_state_folder_and_go_with_the_server() {
    let folder = folder_with_games();
    let dropped = folder.path().join("state/tabia/dropped");
    // What a killed server left.
    let left = dropped.join("tabia-dropped-0-0");
    std::fs::create_dir_all(left.join("file-0")).unwrap();
    std::fs::write(left.join(".lock"), b"").unwrap();
    std::fs::write(left.join("file-0/games.pgn"), GAMES).unwrap();
    let server = Running::start(&folder, &["games.pgn"]);
    let request = "PUT /api/v1/drop/two.pgn";
    let length = format!("Content-Length: {}", GAMES.len());
    let mut stream = server.connect();
    let (host, key) = (server.host(), server.bearer());
    let head = format!("{request} HTTP/1.1\r\n{host}\r\n{key}\r\n{length}\r\n");
    let text = format!("{head}Connection: close\r\n\r\n{GAMES}");
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(!left.exists());
    let (_, games) = server.json("games?db=two.pgn");
    assert_eq!(games["total"], 3);
    let (_, list) = server.json("games?db=two.pgn&where=white:c");
    assert_eq!(list["count"], 1);
    let folders: Vec<_> = std::fs::read_dir(&dropped).unwrap().collect();
    let [Ok(private)] = folders.as_slice() else {
        panic!("{folders:?}");
    };
    let mode = private.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(server.stop(), 0);
    assert_eq!(std::fs::read_dir(&dropped).unwrap().count(), 0);
}

/// What a command prints that runs as a user without files; `None` if it fails.
fn as_another_user(arguments: &[&str]) -> Option<String> {
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut command = Command::new("setpriv");
    let found = command.args(user).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    found.status.success().then_some(text)
}

#[test]
fn another_user_reads_neither_the_key_nor_dropped_files() {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let setpriv = Command::new("setpriv").arg("--version").output();
    if !is_root || setpriv.is_err() {
        tabia_testkit::skip_without_peer("another user", "setpriv, used by root,");
        return;
    }
    let folder = folder_with_games();
    // The folder itself hides nothing.
    let everybody = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), everybody).unwrap();
    let server = Running::start(&folder, &["games.pgn"]);
    let games = folder.path().join("games.pgn");
    assert!(as_another_user(&["cat", games.to_str().unwrap()]).is_some());
    let (host, key) = (server.host(), server.bearer());
    let length = format!("Content-Length: {}", GAMES.len());
    let mut stream = server.connect();
    let head = format!("PUT /api/v1/drop/two.pgn HTTP/1.1\r\n{host}\r\n{key}\r\n{length}\r\n");
    let text = format!("{head}Connection: close\r\n\r\n{GAMES}");
    stream.write_all(text.as_bytes()).unwrap();
    stream.read_to_string(&mut String::new()).unwrap();
    assert_eq!(server.json("games?db=two.pgn").1["total"], 3);
    let state = folder.path().join("state/tabia");
    let state = state.to_str().unwrap();
    let read = |name: &str| as_another_user(&["cat", &format!("{state}/{name}")]);
    assert_eq!(read("serve-key"), None);
    let found = as_another_user(&["find", state, "-type", "f", "-readable"]).unwrap_or_default();
    assert_eq!(found, "");
    let found = as_another_user(&["grep", "-rl", "onerror", state]);
    assert_eq!(found, None);
    // Nor is the key among the arguments that everybody sees. Some processes end meanwhile.
    let arguments =
        as_another_user(&["sh", "-c", "cat /proc/[0-9]*/cmdline; true"]).unwrap_or_default();
    assert!(arguments.contains("games.pgn"), "{arguments}");
    assert!(!arguments.contains(&server.key));
    // The port answers everybody, and without the key there is no data.
    let url = format!("http://127.0.0.1:{}/api/v1/shelf", server.port);
    let status = ["-s", "-o", "/dev/null", "-w", "%{http_code}"];
    if Command::new("curl").arg("--version").output().is_ok() {
        let asked = as_another_user(&[&["curl"], &status[..], &[&url]].concat());
        assert_eq!(asked.as_deref(), Some("401"));
    }
    assert_eq!(server.stop(), 0);
}

/// A preview converts into a folder of temporary files; what a killed server left of one goes.
#[test]
fn previews_of_killed_servers_are_removed() {
    let folder = folder_with_games();
    let temporary = folder.path().join("temporary");
    let left = temporary.join("tabia-preview-0-0");
    std::fs::create_dir_all(&left).unwrap();
    std::fs::write(left.join(".lock"), b"").unwrap();
    std::fs::write(left.join("preview.pgn"), GAMES).unwrap();
    let start = || {
        let mut command = command(folder.path());
        command
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .env("TMPDIR", &temporary);
        Running::start_in(&mut command, &["games.pgn"])
    };
    let previews = || {
        let entries = std::fs::read_dir(&temporary).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.starts_with("tabia-preview-"))
            .count()
    };
    let server = start();
    let answer = server.complete("convert?db=games.pgn&to=cbh", "isDone");
    assert_eq!(answer["written"], 3, "{answer}");
    assert_eq!(previews(), 0);
    assert_eq!(server.stop(), 0);
}

#[test]
fn a_server_that_is_killed_while_it_writes_leaves_the_old_file_or_the_new_one() {
    let folder = folder_with_games();
    let many = folder.path().join("many.pgn");
    std::fs::write(&many, GAMES.repeat(2000)).unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let copy = out.join("copy.pgn");
    let old = b"[White \"Old\"]\n\n1. c4 *\n\n";
    for pause in [0, 20, 60] {
        std::fs::write(&copy, old).unwrap();
        let mut server = Running::start(&folder, &["many.pgn", "--write", "--out", "out"]);
        let body = r#"{"db":"many.pgn","to":"pgn","name":"copy.pgn","force":true}"#;
        let mut stream = server.connect();
        let head = format!(
            "POST /api/v1/convert HTTP/1.1\r\n{}\r\n{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            server.host(),
            server.bearer(),
            body.len(),
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
        std::thread::sleep(Duration::from_millis(pause));
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        let found = wait_for_same(&copy);
        let is_new = found.windows(3).filter(|part| part == b"\n1.").count() >= 2000;
        assert!(found == old || is_new, "{} bytes", found.len());
    }
}

/// The bytes of a file that a process may still replace, once they stay the same.
fn wait_for_same(path: &Path) -> Vec<u8> {
    let mut last = std::fs::read(path).unwrap();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = std::fs::read(path).unwrap();
        if now == last {
            return now;
        }
        last = now;
    }
}

#[test]
fn exit_codes_of_serve() {
    let folder = folder_with_games();
    let state = folder.path().join("state");
    let run = |args: &[&str]| {
        let mut command = command(folder.path());
        command
            .arg("serve")
            .args(args)
            .env("XDG_STATE_HOME", &state);
        command.output().unwrap()
    };
    let code = |args: &[&str]| run(args).status.code().unwrap();
    assert_eq!(code(&["absent.pgn", "--no-open"]), 4);
    assert_eq!(code(&["-", "--no-open"]), 2);
    assert_eq!(code(&["--port", "x"]), 2);
    assert_eq!(code(&["--write", "--no-open"]), 2);
    assert_eq!(code(&["--out", ".", "--no-open"]), 2);
    for folder in ["absent", "games.pgn"] {
        assert_eq!(code(&["--write", "--out", folder, "--no-open"]), 5);
    }
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert_eq!(code(&["--port", &port, "--no-open"]), 5);
}

#[test]
fn without_a_state_folder_the_printed_key_is_that_of_the_server() {
    let folder = folder_with_games();
    let mut command = command(folder.path());
    command.env_remove("XDG_STATE_HOME").env_remove("HOME");
    let server = Running::start_in(&mut command, &["games.pgn"]);
    assert_eq!(server.json("shelf").0, 200);
    assert_eq!(server.stop(), 0);
}

#[test]
fn files_that_cannot_be_read_are_named_at_the_start() {
    let folder = folder_with_games();
    for number in 1..=7 {
        let name = format!("junk{number}.cbv");
        std::fs::write(folder.path().join(name), "no archive").unwrap();
    }
    let start = |options: &[&str]| {
        let mut server = Running::start(&folder, options);
        let mut err = String::new();
        let mut lines = BufReader::new(server.child.stderr.take().unwrap());
        while !err.contains("Ctrl-C ends it") {
            assert!(lines.read_line(&mut err).unwrap() > 0, "{err}");
        }
        assert_eq!(server.stop(), 0);
        err
    };
    let err = start(&["."]);
    assert_eq!(err.matches("warning: ").count(), 5, "{err}");
    assert!(err.contains("warning: ./junk1.cbv: "), "{err}");
    assert!(
        err.contains("2 files more cannot be read; `-v` names all"),
        "{err}"
    );
    assert!(err.contains("7 files that cannot be read"), "{err}");
    let err = start(&[".", "-v"]);
    assert_eq!(err.matches("warning: ").count(), 7, "{err}");
}

#[test]
fn what_cannot_be_opened_is_not_counted_as_a_database_or_book() {
    let folder = folder_with_games();
    // They begin as files of their formats do.
    let files = [
        ("cut.si4", b"Scid.si\0 and no more".as_slice()),
        ("cut.abk", b"\x03ABK and no more"),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let mut server = Running::start(&folder, &["."]);
    let mut err = String::new();
    let mut lines = BufReader::new(server.child.stderr.take().unwrap());
    while !err.contains("Ctrl-C ends it") {
        assert!(lines.read_line(&mut err).unwrap() > 0, "{err}");
    }
    assert_eq!(server.stop(), 0);
    assert!(err.contains("1 database, 0 books, "), "{err}");
    assert!(err.contains("2 files that cannot be read"), "{err}");
    for (name, _) in files {
        assert!(err.contains(&format!("warning: ./{name}: ")), "{err}");
    }
}

#[test]
fn ctrl_c_ends_a_server_at_work_within_a_second() {
    let folder = Scratch::new("cli-serve-ended");
    let game = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *\n\n";
    // Opening the second takes longer than the test, and cannot be cancelled.
    for (name, games) in [("games.pgn", 60_000), ("long.pgn", 2_000_000)] {
        std::fs::write(folder.path().join(name), game.repeat(games)).unwrap();
    }
    let mut server = Running::start(&folder, &["games.pgn", "long.pgn"]);
    assert_eq!(server.json("games?db=games.pgn&n=1").0, 200);
    let silent = server.connect();
    let asked: Vec<TcpStream> = [
        "search?db=games.pgn&where=move:Qh5&wait=20000",
        "db/games.pgn/health?wait=20000",
        "games?db=long.pgn&n=1",
    ]
    .iter()
    .map(|path| {
        let mut stream = server.connect();
        let request = format!(
            "GET /api/v1/{path} HTTP/1.1\r\n{}\r\n{}\r\n\r\n",
            server.host(),
            server.bearer()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    })
    .collect();
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    server.signal("-INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let time = begin.elapsed();
    // The machine can be busy.
    assert!(time < Duration::from_millis(1800), "{time:?}");
    drop((silent, asked));
    // Without work a silent connection is no reason to wait.
    let mut server = Running::start(&folder, &["games.pgn"]);
    assert_eq!(server.json("games?db=games.pgn&n=1").0, 200);
    let silent = server.connect();
    std::thread::sleep(Duration::from_millis(100));
    let begin = Instant::now();
    server.signal("-INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let time = begin.elapsed();
    assert!(time < Duration::from_millis(700), "{time:?}");
    drop(silent);
}

#[test]
fn sigterm_ends_both_processes() {
    let folder = folder_with_games();
    let mut server = Running::start(&folder, &["games.pgn"]);
    server.json("shelf");
    server.signal("-TERM");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_changed_file_is_opened_again() {
    let folder = folder_with_games();
    let path = folder.path().join("games.pgn");
    let server = Running::start(&folder, &["games.pgn"]);
    let first = server.json("games?db=games.pgn").1;
    assert_eq!(first["count"], 3);
    let more = format!("{GAMES}\n[White \"E\"]\n\n1. c4 *\n");
    std::fs::write(&path, more).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let second = server.json("games?db=games.pgn").1;
    assert_eq!(second["count"], 4);
    assert_ne!(first["fingerprints"], second["fingerprints"]);
    std::fs::remove_file(&path).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(server.json("games?db=games.pgn").0, 404);
}

#[test]
fn a_file_that_is_cut_while_it_is_read_costs_only_the_request() {
    let folder = Scratch::new("serve-cut");
    let path = folder.path().join("large.pgn");
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n";
    std::fs::write(&path, game.repeat(60_000)).unwrap();
    let server = Running::start(&folder, &["large.pgn"]);
    assert_eq!(server.json("games?db=large.pgn&n=1").1["count"], 60_000);
    // The mapped bytes after the first page no longer exist.
    cut(&path, 100);
    let request = "GET /api/v1/db/large.pgn/games/59999";
    let _ = server.ask(request, &[server.host(), server.bearer()]);
    std::thread::sleep(Duration::from_millis(700));
    let (status, list) = server.json("games?db=large.pgn&n=1");
    assert_eq!((status, &list["count"]), (200, &Value::from(2)), "{list}");
    assert_eq!(server.stop(), 0);
}

/// A file that is cut ends the process that maps it; the first one, which starts the others, maps none.
#[cfg(target_os = "linux")]
#[test]
fn the_first_process_maps_no_input_once_the_address_is_printed() {
    let folder = Scratch::new("serve-maps");
    let path = folder.path().join("large.pgn");
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n";
    // Counting takes longer than looking, and is done at the start.
    std::fs::write(&path, game.repeat(100_000)).unwrap();
    let server = Running::start(&folder, &["large.pgn"]);
    let end = Instant::now() + Duration::from_millis(500);
    while Instant::now() < end {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", server.child.id())).unwrap();
        assert!(!maps.contains("large.pgn"), "{maps}");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(server.stop(), 0);
}

fn cut(path: &Path, len: u64) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(len).unwrap();
}

#[test]
fn a_connection_whose_request_does_not_come_is_closed() {
    let folder = folder_with_games();
    let server = Running::start(&folder, &["games.pgn"]);
    server.json("shelf");
    let mut half = server.connect();
    half.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    half.set_read_timeout(Some(Duration::from_secs(40)))
        .unwrap();
    let begin = Instant::now();
    let mut rest = Vec::new();
    half.read_to_end(&mut rest).unwrap();
    let time = begin.elapsed();
    assert!(time > Duration::from_secs(5), "{time:?}");
}

#[test]
fn silent_connections_do_not_stop_the_page() {
    let folder = folder_with_games();
    let server = Running::start(&folder, &["games.pgn"]);
    server.json("shelf");
    let silent: Vec<TcpStream> = (0..1000).map(|_| server.connect()).collect();
    // The quickest of some: other tests run meanwhile.
    let times = (0..20).map(|_| {
        let start = Instant::now();
        let (status, ..) = server.ask("GET /", &[server.host()]);
        assert_eq!(status, 200);
        start.elapsed()
    });
    let quickest = times.min().unwrap_or_default();
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
    drop(silent);
}

/// Games of several openings with ratings, dates and time controls.
fn league() -> String {
    let lines = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6",
        "1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6",
        "1. c4 Nf6 2. d4 g6 3. Nc3 Bg7",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6",
        "1. Nf3 d5 2. d4 Nf6 3. c4 e6",
    ];
    let results = ["1-0", "1/2-1/2", "0-1"];
    let names = ["Adams, M", "Carlsen, M", "Polgar, J", "Short, N"];
    let times = ["15+0", "60+0", "180+2", "600+5", "5400+30", "-"];
    let mut text = String::new();
    for number in 0..60_usize {
        let result = results[number * 7 % 3];
        let (white, black) = (names[number % 4], names[(number + 1 + number / 4 % 3) % 4]);
        let (year, month) = (2001 + number % 20, 1 + number % 12);
        let (a, b) = (1500 + number * 37 % 1200, 1500 + number * 53 % 1200);
        let (time, line) = (times[number % 6], lines[number % 6]);
        let _ = write!(
            text,
            "[Event \"League\"]\n[Site \"https://lichess.org/game{number:04}\"]\n\
             [Date \"{year}.{month:02}.11\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
             [Result \"{result}\"]\n[WhiteElo \"{a}\"]\n[BlackElo \"{b}\"]\n\
             [TimeControl \"{time}\"]\n\n{line} {result}\n\n"
        );
    }
    text
}

fn is_compressed(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "gz")
}

/// What of an answer has to agree with `tree`.
fn counts_of(answer: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for key in [
        "games",
        "white",
        "draws",
        "black",
        "averageRating",
        "performance",
    ] {
        all.push(answer[key].clone());
    }
    for m in answer["moves"].as_array().into_iter().flatten() {
        for key in [
            "uci",
            "san",
            "games",
            "white",
            "draws",
            "black",
            "averageRating",
            "performance",
            "childGames",
        ] {
            all.push(m[key].clone());
        }
    }
    all
}

#[test]
fn the_explorer_counts_as_tree_does_with_and_without_an_index() {
    let folder = Scratch::new("serve-tree");
    std::fs::write(folder.path().join("league.pgn"), league()).unwrap();
    let mut paths = vec!["league.pgn"];
    for name in [
        "made.cbh",
        "made.si4",
        "made.si5",
        "made.sci",
        "made.pgn.gz",
    ] {
        tabia(&folder, &["convert", "league.pgn", "-o", name]);
        paths.push(name);
    }
    let server = Running::start(&folder, &paths);
    let lines = [
        "",
        "e2e4",
        "e2e4,e7e5,g1f3",
        "d2d4,g8f6,c2c4,g7g6,b1c3,f8g7",
        "e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6",
        "h2h4",
    ];
    for is_indexed in [false, true] {
        if is_indexed {
            for path in paths.iter().filter(|path| !is_compressed(path)) {
                tabia(&folder, &["index", path]).expect(0);
            }
        }
        for path in &paths {
            let has_index = is_indexed && !is_compressed(path);
            for (number, line) in lines.iter().enumerate() {
                // `tree` counts the same everywhere; one format has every line, the others two each.
                if *path != "league.pgn" && number % 3 != usize::from(is_indexed) {
                    continue;
                }
                let request = format!("explorer?src={path}&play={line}");
                let answer = loop {
                    let (status, answer) = server.json(&request);
                    assert_eq!(status, 200, "{answer}");
                    if answer["sources"][0]["isDone"] == true {
                        break answer;
                    }
                };
                let source = &answer["sources"][0];
                assert_eq!(source["indexed"], has_index, "{path} {line}");
                let moves = line.replace(',', " ");
                let index = if has_index { "auto" } else { "never" };
                let args = ["tree", path, "--line", &moves, "--json", "--index", index];
                let tree = tabia(&folder, &args).json();
                assert_eq!(counts_of(source), counts_of(&tree), "{path} {line}");
            }
        }
    }
}

/// What the games of a database did in each position: by the move after their first arrival, or by `end`. Counted with
/// nothing but the moves of the games.
type Counted = BTreeMap<String, BTreeMap<String, u64>>;

/// A position without the numbers of its moves.
fn position_of(position: &Position) -> String {
    let fen = position.fen();
    fen.rsplitn(3, ' ').last().unwrap_or_default().to_owned()
}

fn count_by_hand(path: &Path) -> Counted {
    let mut items = Resolver::default().resolve(path.as_os_str()).unwrap();
    let item = items.pop().unwrap();
    let opened = item.open_indexed(&OpenOptions::default()).unwrap();
    let OpenInput::Database(database) = opened.input else {
        panic!("{} is no database", path.display());
    };
    let mut reader = database.reader();
    let mut counted = Counted::new();
    for number in 0..database.len() {
        let entry = database.entry(GameIndex(number)).unwrap();
        if entry.deleted || entry.is_text {
            continue;
        }
        let mut recorder = Recorder::new();
        let _ = reader.read(GameIndex(number), Want::ALL, &mut recorder);
        let game = recorder.game();
        let Some(mut position) = game.start_position() else {
            continue;
        };
        let mut seen = BTreeSet::new();
        for ply in game.mainline() {
            let at = position_of(&position);
            if seen.insert(at.clone()) {
                let san = position.san(ply).to_string();
                *counted.entry(at).or_default().entry(san).or_default() += 1;
            }
            position.play_ply(ply);
        }
        let at = position_of(&position);
        if !seen.contains(&at) {
            let moves = counted.entry(at).or_default();
            *moves.entry("end".to_owned()).or_default() += 1;
        }
    }
    counted
}

#[test]
fn the_explorer_counts_a_thousand_positions_of_every_format_as_a_walk_through_the_games_does() {
    let folder = Scratch::new("serve-counts");
    std::fs::write(folder.path().join("league.pgn"), league()).unwrap();
    let mut names = vec!["league.pgn".to_owned()];
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let sources = ["cbf", "epd", "fen", "pgn"].map(|format| fixtures.join(format));
    for source in sources.iter().chain([&crate::common::samples()]) {
        for file in std::fs::read_dir(source).unwrap() {
            let file = file.unwrap().path();
            if file.is_file() {
                let name = file.file_name().unwrap();
                std::fs::copy(&file, folder.path().join(name)).unwrap();
            }
        }
    }
    for name in [
        "tiny.cbf",
        "suite.epd",
        "list.fen",
        "annotated.pgn",
        "chess960.pgn",
        "tabia.cbh",
    ] {
        names.push(name.to_owned());
    }
    for ending in [
        "cbh", "2cbh", "si3", "si4", "si5", "sci", "pgn.gz", "pgn.zst",
    ] {
        let name = format!("made-{}.{ending}", ending.replace('.', "-"));
        tabia(&folder, &["convert", "league.pgn", "-o", &name]).expect(0);
        names.push(name);
    }
    // Every other one has an index, if it can have one.
    for name in names.iter().step_by(2) {
        let _ = tabia(&folder, &["index", name]);
    }
    let arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    let server = Running::start(&folder, &arguments);
    // The same numbers each time.
    let mut seed = 64_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let (mut asked, mut found, mut indexed) = (0, 0, 0);
    let counted: Vec<(&String, Counted)> = names
        .iter()
        .map(|name| (name, count_by_hand(&folder.path().join(name))))
        .collect();
    for number in 0..1000 {
        let (name, counted) = &counted[number % counted.len()];
        let positions: Vec<&String> = counted.keys().collect();
        let at = positions[random(positions.len())];
        let mut position = Position::parse_fen(format!("{at} 0 1").as_bytes()).unwrap();
        // Every fifth is one move away from the games.
        if number % 5 == 0 {
            let legal = position.legal_moves();
            if !legal.is_empty() {
                position.play(legal[random(legal.len())]);
            }
        }
        let wanted = counted
            .get(&position_of(&position))
            .cloned()
            .unwrap_or_default();
        let fen = position.fen().replace(' ', "%20");
        let answer = loop {
            let (status, answer) =
                server.json(&format!("explorer?src={name}&fen={fen}&wait=20000"));
            assert_eq!(status, 200, "{answer}");
            if answer["isDone"] == true {
                break answer;
            }
        };
        let source = &answer["sources"][0];
        assert_eq!(source["error"], Value::Null, "{name}");
        indexed += usize::from(source["indexed"] == true);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for m in source["moves"].as_array().unwrap() {
            counts.insert(
                m["san"].as_str().unwrap().to_owned(),
                m["games"].as_u64().unwrap(),
            );
        }
        let ended = source["ended"].as_u64().unwrap_or(0);
        if ended > 0 {
            counts.insert("end".to_owned(), ended);
        }
        assert_eq!(counts, wanted, "{name} {fen}");
        let all: u64 = wanted.values().sum();
        assert_eq!(source["games"].as_u64().unwrap(), all, "{name} {fen}");
        asked += 1;
        found += usize::from(all > 0);
    }
    assert_eq!(asked, 1000);
    assert!(found > 700 && indexed > 200, "{found} {indexed}");
}

#[test]
fn search_tree_and_stats_count_as_the_command_line_does() {
    let folder = Scratch::new("serve-questions");
    std::fs::write(folder.path().join("league.pgn"), league()).unwrap();
    tabia(&folder, &["convert", "league.pgn", "-o", "made.si5"]).expect(0);
    let files = ["league.pgn", "made.si5"];
    let server = Running::start(&folder, &files);
    let percent = |text: &str| {
        text.replace(' ', "%20")
            .replace('>', "%3E")
            .replace('"', "%22")
    };
    let rows = |args: &[&str]| -> Vec<Value> {
        let text = tabia(&folder, args).out;
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    };
    for query in [
        "result:1-0",
        "move:Nf3",
        "date:1990.. sub:8/8/8/1B6/8/8/8/8",
    ] {
        let wanted = rows(&["search", files[0], files[1], query, "--ndjson"]);
        assert!(wanted.len() > 3, "{query}");
        // All databases are asked, in pages of 7 games.
        let (mut hits, mut after) = (Vec::new(), 0);
        loop {
            let path = format!(
                "search?q={}&limit=7&after={after}&wait=20000",
                percent(query)
            );
            let answer = server.complete(&path, "isDone");
            hits.extend(answer["hits"].as_array().unwrap().clone());
            match answer["next"].as_u64() {
                Some(next) if hits.len() < 100 => after = next,
                _ => break,
            }
        }
        let keys = |row: &Value| {
            [
                row["game"].clone(),
                row["white"].clone(),
                row["ply"].clone(),
            ]
        };
        let found: Vec<_> = hits.iter().map(keys).collect();
        let wanted: Vec<_> = wanted.iter().map(keys).take(found.len()).collect();
        assert_eq!(found, wanted, "{query}");

        let tree = tabia(
            &folder,
            &[
                "tree", files[0], files[1], "--line", "e4", "--where", query, "--json",
            ],
        );
        let tree = tree.json();
        let path = format!("tree?play=e2e4&q={}&wait=20000", percent(query));
        let answer = server.complete(&path, "isDone");
        assert_eq!(counts_of(&answer), counts_of(&tree), "{query}");
        assert_eq!(answer["end"]["games"], tree["end"]["games"], "{query}");

        for by in ["result", "decade,result", "player"] {
            let wanted = rows(&[
                "stats", files[0], files[1], "--where", query, "--by", by, "--ndjson",
            ]);
            let path = format!("stats?q={}&by={by}&wait=20000", percent(query));
            let answer = server.complete(&path, "isDone");
            assert!(!wanted.is_empty());
            assert_eq!(
                answer["groups"].as_array().unwrap(),
                &wanted,
                "{query} {by}"
            );
        }
    }
    for wrong in [
        "search",
        "search?q=move:Nf3&limit=501",
        "stats?by=nothing",
        "tree?fen=x",
        "stats?order=x",
    ] {
        assert_eq!(server.json(wrong).0, 400, "{wrong}");
    }
}

/// The names of an object in their order.
fn names_in_order(text: &str, from: &str) -> Vec<String> {
    let start = text
        .find(from)
        .unwrap_or_else(|| panic!("{from} in {text}"))
        + from.len();
    let (mut depth, mut names, mut rest) = (0, Vec::new(), &text[start..]);
    while let Some(at) = rest.find(['{', '}', '[', ']', '"']) {
        let (c, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match c {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {
                let end = rest.find('"').unwrap();
                let (word, after) = (&rest[..end], &rest[end + 1..]);
                if depth == 1 && after.starts_with(':') {
                    names.push(word.to_owned());
                }
                rest = after;
            }
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn plain(server: &Running, path: &str) -> (u16, String) {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let (status, _, body) = server.ask(&format!("GET {path}"), &[server.host()]);
        if matches!(status, 503 | 0) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(100));
            continue;
        }
        return (status, String::from_utf8(body).unwrap());
    }
}

#[test]
fn answers_for_other_programs_have_the_names_of_the_original_in_their_order() {
    let folder = Scratch::new("serve-lichess");
    std::fs::write(folder.path().join("league.pgn"), league()).unwrap();
    let server = Running::start(&folder, &["league.pgn"]);
    let (status, text) = plain(
        &server,
        "/masters?play=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5a4,g8f6",
    );
    assert_eq!(status, 200, "{text}");
    let all = ["white", "draws", "black", "moves", "topGames", "opening"];
    assert_eq!(names_in_order(&text, ""), all);
    let of_move = [
        "uci",
        "san",
        "averageRating",
        "white",
        "draws",
        "black",
        "game",
        "opening",
    ];
    assert_eq!(names_in_order(&text, "\"moves\":["), of_move);
    let of_game = ["uci", "id", "winner", "black", "white", "year", "month"];
    assert_eq!(names_in_order(&text, "\"topGames\":["), of_game);
    let answer: Value = serde_json::from_str(&text).unwrap();
    // Castling is the king taking its rook.
    assert_eq!(answer["moves"][0]["uci"], "e1h1");
    assert_eq!(answer["moves"][0]["san"], "O-O");
    assert!(answer["opening"]["eco"].as_str().unwrap().starts_with("C7"));
    let (_, both) = plain(
        &server,
        "/masters?play=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5a4,g8f6,e1h1",
    );
    let (_, other) = plain(
        &server,
        "/master?play=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5a4,g8f6,e1g1",
    );
    assert_eq!(both, other);

    let (_, text) = plain(&server, "/lichess?history=true");
    let all = [
        "white",
        "draws",
        "black",
        "moves",
        "recentGames",
        "topGames",
        "opening",
        "history",
    ];
    assert_eq!(names_in_order(&text, ""), all);
    let of_game = [
        "uci", "id", "winner", "speed", "mode", "black", "white", "year", "month",
    ];
    assert_eq!(names_in_order(&text, "\"recentGames\":["), of_game);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["recentGames"].as_array().unwrap().len(), 4);
    let months = answer["history"].as_array().unwrap();
    let sum = |key: &str| {
        months
            .iter()
            .map(|month| month[key].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(sum("white"), answer["white"].as_u64().unwrap());
    assert_eq!(sum("black"), answer["black"].as_u64().unwrap());

    let path = "/player?player=Carlsen,%20M&color=white&recentGames=2";
    let (status, text) = plain(&server, path);
    assert_eq!(status, 200);
    // The lines of a stream are between the sizes of its parts.
    let mut documents = text.lines().filter(|line| line.starts_with('{'));
    let line = documents.next().unwrap();
    assert_eq!(documents.next(), None);
    let all = [
        "white",
        "draws",
        "black",
        "moves",
        "recentGames",
        "opening",
        "queuePosition",
    ];
    assert_eq!(names_in_order(line, ""), all);
    let of_move = [
        "uci",
        "san",
        "averageOpponentRating",
        "performance",
        "white",
        "draws",
        "black",
        "game",
        "opening",
    ];
    assert_eq!(names_in_order(line, "\"moves\":["), of_move);

    // An id leads to its game, whether it is that of Lichess or ours.
    let answer: Value = serde_json::from_str(line).unwrap();
    let id = answer["recentGames"][0]["id"].as_str().unwrap();
    let (status, pgn) = plain(&server, &format!("/game/export/{id}"));
    assert_eq!(status, 200);
    assert!(
        pgn.contains("[White \"Carlsen, M\"]") && pgn.contains(id),
        "{pgn}"
    );
    let own = Scratch::new("serve-own-ids");
    let game = "[White \"Own\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n";
    std::fs::write(own.path().join("own.pgn"), game).unwrap();
    let first = Running::start(&own, &["own.pgn"]);
    let (_, text) = plain(&first, "/masters");
    let id = first_id(&text);
    drop(first);
    // Also when there are other inputs before it.
    std::fs::write(own.path().join("another.pgn"), game.replace("Own", "X")).unwrap();
    let second = Running::start(&own, &["another.pgn", "own.pgn"]);
    let (status, pgn) = plain(&second, &format!("/masters/pgn/{id}"));
    assert!(status == 200 && pgn.contains("\"Own\""), "{pgn}");
    assert_eq!(plain(&server, "/masters/pgn/zzzzzzzz").0, 404);

    // Nothing there: empty lists.
    let (status, text) = plain(&server, "/lichess?play=h2h4,a7a5,h4h5,a5a4");
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["white"], 0);
    assert_eq!(answer["moves"], serde_json::json!([]));
    assert_eq!(answer["topGames"], serde_json::json!([]));
}

#[test]
fn requests_of_other_programs_choose_games() {
    let folder = Scratch::new("serve-lichess-query");
    std::fs::write(folder.path().join("league.pgn"), league()).unwrap();
    let server = Running::start(&folder, &["league.pgn"]);
    let count = |path: &str| {
        let (status, text) = plain(&server, path);
        assert_eq!(status, 200, "{path}: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        ["white", "draws", "black"]
            .iter()
            .map(|key| answer[key].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(count("/lichess"), 60);
    assert_eq!(count("/lichess?speeds=bullet"), 10);
    assert_eq!(count("/lichess?speeds=ultraBullet,blitz"), 20);
    assert_eq!(count("/lichess?speeds=classical"), 10);
    assert_eq!(count("/lichess?unknown=1&variant=standard"), 60);
    assert_eq!(count("/masters?since=2001&until=2001"), 3);
    assert_eq!(count("/lichess?since=2001-01&until=2001-12"), 3);
    let groups: u64 = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500]
        .iter()
        .map(|group| count(&format!("/lichess?ratings={group}")))
        .sum();
    assert_eq!(groups, 60);
    let wrong_rights =
        "/lichess?fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b%20KQkq%20e3%200%201";
    assert_eq!(count(wrong_rights), 30);
    for path in [
        "/lichess?fen=nonsense",
        "/lichess?play=e2e5",
        "/lichess?speeds=slow",
        "/lichess?ratings=1",
        "/lichess?since=x",
        "/lichess?moves=x",
        "/player?color=white",
        "/player?player=A",
        "/player?player=A&color=grey",
    ] {
        let (status, text) = plain(&server, path);
        assert_eq!(status, 400, "{path}");
        assert!(text.starts_with("bad request: "), "{path}: {text}");
    }
}

#[test]
fn masters_origins_and_keys_are_those_of_the_command_line() {
    let folder = Scratch::new("serve-options");
    std::fs::write(folder.path().join("league.pgn"), league()).unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let server = Running::start(
        &folder,
        &[
            "games.pgn",
            "--masters",
            "league.pgn",
            "--cors",
            "https://example.org",
            "--api-only",
        ],
    );
    let games = |path: &str| {
        let (status, text) = plain(&server, path);
        assert_eq!(status, 200, "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["white"].as_u64().unwrap()
            + answer["draws"].as_u64().unwrap()
            + answer["black"].as_u64().unwrap()
    };
    assert_eq!(games("/masters"), 60);
    assert_eq!(games("/lichess"), 63);
    let (host, origin) = (server.host(), "Origin: https://example.org".to_owned());
    let (status, head, _) = server.ask("GET /masters", &[host.clone(), origin.clone()]);
    let head = head.to_lowercase();
    assert_eq!(status, 200);
    assert!(
        head.contains("access-control-allow-origin: https://example.org"),
        "{head}"
    );
    let (status, head, _) = server.ask("OPTIONS /masters", &[host.clone(), origin.clone()]);
    assert_eq!(status, 204);
    assert!(
        head.to_lowercase()
            .contains("access-control-allow-headers: authorization")
    );
    let (status, head, _) = server.ask("GET /api/v1/shelf", &[host.clone(), origin]);
    assert_eq!(status, 403);
    assert!(!head.to_lowercase().contains("access-control"), "{head}");
    let other = "Origin: https://example.com".to_owned();
    assert_eq!(server.ask("GET /masters", &[host.clone(), other]).0, 403);
    // There is no page.
    assert_eq!(server.ask("GET /", &[host]).0, 404);
    assert_eq!(server.stop(), 0);

    let server = Running::start(&folder, &["league.pgn", "--private"]);
    let (host, key) = (server.host(), server.bearer());
    assert_eq!(
        server.ask("GET /masters", std::slice::from_ref(&host)).0,
        401
    );
    assert_eq!(server.ask("GET /masters", &[host, key]).0, 200);
}

#[test]
fn on_a_network_everything_needs_the_key() {
    let folder = folder_with_games();
    let server = Running::start(&folder, &["games.pgn", "--lan"]);
    let (host, key) = (server.host(), server.bearer());
    assert_eq!(server.ask("GET /", std::slice::from_ref(&host)).0, 200);
    assert_eq!(
        server.ask("GET /masters", std::slice::from_ref(&host)).0,
        401
    );
    assert_eq!(
        server.ask("GET /masters", &[host.clone(), key.clone()]).0,
        200
    );
    assert_eq!(server.ask("GET /api/v1/shelf", &[host, key.clone()]).0, 200);
    let foreign = format!("Host: evil.example:{}", server.port);
    assert_eq!(server.ask("GET /api/v1/shelf", &[foreign, key]).0, 421);
    let wanted = format!("00000000:{:04X} ", server.port);
    if let Ok(table) = std::fs::read_to_string("/proc/net/tcp") {
        let mut listening = table.lines().filter(|line| line.contains(" 0A "));
        assert!(listening.any(|line| line.contains(&wanted)), "{table}");
    }
    assert_eq!(server.stop(), 0);
}

#[test]
fn reports_are_those_of_the_other_verbs() {
    let folder = Scratch::new("serve-reports");
    let doubled = format!("{}{}", league(), league().replace("League", "Copy"));
    std::fs::write(folder.path().join("league.pgn"), doubled).unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let server = Running::start(&folder, &["league.pgn", "games.pgn"]);

    let names = server
        .json("suggest?db=league.pgn,games.pgn&field=player&q=carl")
        .1;
    assert_eq!(names["names"][0]["name"], "Carlsen, M");
    let player = server.complete("player?db=league.pgn&name=Carlsen,%20M", "isDone");
    assert_eq!(player["white"]["games"], 30, "{player}");
    let openings = player["white"]["openings"].as_array().unwrap();
    let sum: u64 = openings
        .iter()
        .map(|row| row["games"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, 30);

    let found = server.complete("search?db=league.pgn&where=move:Bb5", "isDone");
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 20);
    assert_eq!(
        (&hits[0]["ply"], &hits[0]["san"]),
        (&Value::from(4), &Value::from("Bb5"))
    );

    let same = server.complete("duplicates?db=league.pgn&n=500", "isDone");
    let args = ["dedupe", "league.pgn", "--dry-run", "--explain", "rows.tsv"];
    tabia(&folder, &args);
    let rows = std::fs::read_to_string(folder.path().join("rows.tsv")).unwrap();
    assert_eq!(same["count"], rows.lines().count() - 1, "{rows}");
    assert_eq!(
        same["pairs"].as_array().unwrap().len(),
        rows.lines().count() - 1
    );

    let lost = server.complete("convert?db=games.pgn&to=si3", "isDone");
    assert_eq!(lost["written"], 3, "{lost}");
    let formats = server.json("formats").1;
    assert!(formats["targets"].as_array().unwrap().len() >= 5);
    assert_eq!(server.json("convert?db=games.pgn&to=nothing").0, 400);
    assert_eq!(server.json("book/games.pgn").0, 400);
    assert_eq!(server.json("suggest?db=games.pgn&field=x").0, 400);
    assert_eq!(server.json("search?db=games.pgn").0, 400);
}

#[test]
fn lists_are_filtered_by_duplicates() {
    let folder = Scratch::new("serve-is-duplicate");
    let game = many_games(1);
    let other = "[White \"X\"]\n[Black \"Y\"]\n\n1. d4 d5 *\n\n";
    std::fs::write(folder.join("a.pgn"), format!("{game}{other}{game}")).unwrap();
    std::fs::write(folder.join("b.pgn"), format!("{game}{game}")).unwrap();
    let server = Running::start(&folder, &["a.pgn", "b.pgn"]);
    for _ in 0..2 {
        for (query, expected) in [
            ("db=a.pgn&where=is:duplicate", &[("a.pgn", 3)][..]),
            (
                "db=a.pgn&where=-is:duplicate",
                &[("a.pgn", 1), ("a.pgn", 2)],
            ),
            (
                "db=a.pgn,b.pgn&where=is:duplicate&sort=-white",
                &[("a.pgn", 3), ("b.pgn", 2)],
            ),
        ] {
            let list = server.complete(&format!("games?n=10&{query}"), "isDone");
            let rows = list["rows"].as_array().unwrap().iter();
            let found: Vec<(&str, u64)> = rows
                .map(|row| (row[0].as_str().unwrap(), row[1].as_u64().unwrap()))
                .collect();
            assert_eq!(found, expected, "{query}");
        }
    }
}
