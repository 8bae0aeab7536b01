//! The explorer for other programs answers as that of Lichess does, name by name.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use common::Running;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// JSON with the order of its names.
#[derive(Debug, Clone, PartialEq)]
enum Json {
    Object(Vec<(String, Json)>),
    List(Vec<Json>),
    Text(String),
    Number(i64),
    Bool(bool),
    Null,
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON without fractions")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Json::Object(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Json, E> {
        i64::try_from(number).map(Json::Number).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

impl Json {
    fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Without the values of ids.
    fn without_ids(mut self) -> Self {
        self.remove_ids();
        self
    }

    fn remove_ids(&mut self) {
        match self {
            Self::Object(pairs) => {
                for (name, value) in pairs {
                    match value {
                        Self::Text(id) if name == "id" => id.clear(),
                        value => value.remove_ids(),
                    }
                }
            }
            Self::List(items) => items.iter_mut().for_each(Self::remove_ids),
            _ => {}
        }
    }

    fn get(&self, name: &str) -> &Self {
        let Self::Object(pairs) = self else {
            panic!("no object: {self:?}");
        };
        let found = pairs.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("no {name}: {self:?}")).1
    }

    fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            other => panic!("no list: {other:?}"),
        }
    }

    fn games(&self) -> i64 {
        ["white", "draws", "black"]
            .into_iter()
            .map(|name| match self.get(name) {
                Self::Number(number) => *number,
                other => panic!("no number: {other:?}"),
            })
            .sum()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lichess")
}

fn start() -> Running {
    Running::start(&[&folder().join("games.pgn")], |_| {})
}

fn ask(server: &Running, path: &str) -> Json {
    let (status, text) = server.text(path);
    assert_eq!(status, 200, "{path}: {text}");
    // The parts of a stream have their sizes around them.
    let mut lines = text.lines().filter(|line| line.starts_with('{'));
    let found = Json::parse(lines.next().unwrap_or_else(|| panic!("{path}: {text}")));
    assert_eq!(lines.next(), None, "{path}");
    found
}

#[test]
fn answers_are_those_of_the_original_but_for_the_ids() {
    let server = start();
    for (name, path) in [
        ("masters.json", "/masters?play=d2d4,d7d5,c2c4,c7c6,c4d5"),
        (
            "lichess.json",
            "/lichess?variant=standard&play=d2d4,d7d5&topGames=2&recentGames=2&source=analysis",
        ),
        (
            "history.json",
            "/lichess?since=2020-06&moves=0&topGames=0&recentGames=0&history=true",
        ),
        (
            "player.json",
            "/player?player=rowan&color=white&play=d2d4,d7d5&recentGames=1",
        ),
        ("nothing.json", "/masters?play=a2a4,h7h5"),
    ] {
        let wanted = std::fs::read_to_string(folder().join(name)).unwrap();
        let found = ask(&server, path).without_ids();
        assert_eq!(found, Json::parse(&wanted).without_ids(), "{name}: {path}");
    }
    server.stop();
}

#[test]
fn parameters_choose_games_as_those_of_the_original_do() {
    let server = start();
    let games = |path: &str| ask(&server, path).games();
    for (path, expected) in [
        ("/lichess", 8),
        ("/lichess?speeds=blitz", 2),
        ("/lichess?speeds=bullet,rapid", 2),
        ("/lichess?speeds=classical", 4),
        ("/lichess?speeds=ultraBullet", 0),
        ("/lichess?ratings=1600", 4),
        ("/lichess?ratings=2200,2500", 3),
        ("/lichess?since=2020-07", 3),
        ("/lichess?since=2014-06&until=2020-06", 2),
        ("/lichess?variant=chess960", 0),
        ("/lichess?unknown=1&source=analysis", 8),
        ("/masters?since=2006&until=2014", 3),
        ("/masters?until=2006", 1),
        ("/player?player=rowan&color=white", 4),
        ("/player?player=rowan&color=black", 0),
        ("/player?player=willow&color=black", 3),
        ("/player?player=rowan&color=white&modes=casual", 1),
        ("/player?player=rowan&color=white&modes=rated", 3),
        ("/player?player=rowan&color=white&modes=casual,rated", 4),
        (
            "/player?player=rowan&color=white&speeds=blitz&modes=rated",
            2,
        ),
        ("/personal?player=rowan&color=white&since=2020-08", 3),
        // Positions without counters of moves, and with rights that there are not.
        (
            "/lichess?fen=rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR_w_KQkq_-",
            7,
        ),
        // No game goes on there.
        ("/lichess?play=d2d4,d7d5,h2h4,e7e5", 0),
        // What no event calls casual is rated, as in the answers.
        ("/player?player=Elm%2C%20Sam&color=white&modes=rated", 1),
        ("/player?player=Elm%2C%20Sam&color=white&modes=casual", 0),
        (
            "/masters?fen=rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR%20w%20KQkq%20d6%200%202&play=c2c4",
            6,
        ),
    ] {
        assert_eq!(games(path), expected, "{path}");
    }
    let count = |path: &str, list: &str| ask(&server, path).get(list).list().len();
    assert_eq!(count("/lichess?topGames=0", "topGames"), 0);
    assert_eq!(count("/lichess?topGames=3", "topGames"), 3);
    assert_eq!(count("/lichess?recentGames=100", "recentGames"), 7);
    assert_eq!(count("/masters?topGames=1&play=d2d4", "topGames"), 1);
    assert_eq!(count("/lichess?moves=1&play=d2d4,d7d5", "moves"), 1);
    server.stop();
}

#[test]
fn games_are_exported_by_their_ids() {
    let server = start();
    // No answer had it yet: it is in the address of the game.
    let (status, pgn) = server.text("/game/export/aaaaBBB1");
    assert!(status == 200 && pgn.contains("2. h4 e5"), "{pgn}");
    assert_eq!(server.text("/game/export/aaaaBBB9").0, 404);
    let answer = ask(&server, "/lichess?play=d2d4,d7d5,h2h4");
    let Json::Text(id) = answer.get("recentGames").list()[0].get("id").clone() else {
        panic!("{answer:?}");
    };
    assert_eq!(id, "aaaaBBB1");
    let (status, pgn) = server.text(&format!("/game/export/{id}"));
    assert!(status == 200 && pgn.contains("2. h4 e5"), "{pgn}");
    let answer = ask(&server, "/masters?play=d2d4,d7d5,c2c4,c7c6,c4d5,g8f6");
    let Json::Text(id) = answer.get("topGames").list()[0].get("id").clone() else {
        panic!("{answer:?}");
    };
    for path in ["/masters/pgn", "/master/pgn", "/game/export"] {
        let (status, pgn) = server.text(&format!("{path}/{id}"));
        assert!(status == 200 && pgn.contains("Birch, Kim"), "{path}: {pgn}");
    }
    server.stop();
}

/// Games that ended in the position, and those of other rules, are in neither the sums nor the history.
#[test]
fn the_history_counts_the_games_of_the_sums() {
    let folder = tabia_testkit::Scratch::new("lichess-history");
    let path = folder.join("games.pgn");
    let game = |tags: &str, moves: &str| {
        format!("{tags}[Date \"2020.05.01\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    let atomic = "[Variant \"Atomic\"]\n";
    let games = [
        ("", "1. e4 e5"),
        ("", "1. e4"),
        ("", ""),
        (atomic, "1. Nf3 f6 2. Nd4"),
    ];
    let text: String = games
        .iter()
        .map(|(tags, moves)| game(tags, moves))
        .collect();
    std::fs::write(&path, text).unwrap();
    let server = Running::start(&[&path], |_| {});
    for (play, expected) in [("", 2), ("&play=e2e4", 1)] {
        let answer = ask(&server, &format!("/lichess?history=1{play}"));
        assert_eq!(answer.games(), expected, "{answer:?}");
        let months = answer.get("history").list();
        let sum: i64 = months.iter().map(Json::games).sum();
        assert_eq!(sum, expected, "{answer:?}");
    }
    server.stop();
}

/// Games that take longer to count than a request may wait.
fn many_games(count: u32) -> PathBuf {
    let name = format!("tabia-many-{count}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("many.pgn");
    let mut text = String::new();
    for number in 0..count {
        let result = ["1-0", "1/2-1/2", "0-1"][(number % 3) as usize];
        write!(
            text,
            "[White \"W{number}\"]\n[Black \"B\"]\n[Date \"2020.0{}.01\"]\n[Result \"{result}\"]\n\n\
             1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 {result}\n\n",
            number % 9 + 1
        )
        .unwrap();
    }
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn after_the_deadline_comes_what_was_found_marked_as_such() {
    const GAMES: i64 = 40_000;
    let path = many_games(40_000);
    let server = Running::start(&[&path], |_| {});
    for path in [
        "/masters?play=d2d4&wait=0",
        "/lichess?play=d2d4&history=1&wait=0",
        "/lichess?play=d2d4,d7d5&wait=0",
    ] {
        let (mut early, mut before) = (0, 0);
        let last = loop {
            let (status, text) = server.text(path);
            // Nothing was counted yet.
            if status == 503 {
                early += 1;
                continue;
            }
            assert_eq!(status, 200, "{path}: {text}");
            let answer = Json::parse(&text);
            let Json::Object(pairs) = &answer else {
                panic!("{path}: {text}");
            };
            let games = answer.games();
            assert!((before..=GAMES).contains(&games), "{path}: {games}");
            before = games;
            match pairs.iter().find(|(name, _)| name == "complete") {
                Some((_, value)) => assert_eq!(*value, Json::Bool(false), "{path}"),
                None => break answer,
            }
            early += 1;
        };
        assert_eq!(last.games(), GAMES, "{path}");
        assert!(early > 0, "{path}: the first answer has everything");
        if path.contains("history") {
            let months = last.get("history").list();
            assert_eq!(months.iter().map(Json::games).sum::<i64>(), GAMES);
        }
    }
    // Who waits gets everything at once, and a stream is never cut short.
    let answer = ask(&server, "/masters?play=d2d4,d7d5,c2c4&wait=20000");
    assert_eq!(answer.games(), GAMES);
    let answer = ask(&server, "/player?player=b&color=black&wait=0");
    assert_eq!(answer.games(), GAMES);
    let (status, text) = server.text("/masters?wait=20001");
    assert!(status == 400 && text.starts_with("bad request"), "{text}");
    server.stop();
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn the_opponents_of_a_player_are_those_of_the_other_colour_whoever_is_to_move() {
    let folder = std::env::temp_dir().join(format!("tabia-opponents-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("one.pgn");
    let game = "[White \"Strong, S\"]\n[Black \"Weak, W\"]\n[WhiteElo \"2000\"]\n[BlackElo \"1500\"]\n\
                [Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n";
    std::fs::write(&path, game).unwrap();
    let server = Running::start(&[&path], |_| {});
    for (player, opponent, performance) in [
        ("player=Weak,%20W&color=black", 2000, 1200),
        ("player=Strong,%20S&color=white", 1500, 2300),
    ] {
        for play in ["", "e2e4", "e2e4,e7e5"] {
            let path = format!("/player?{player}&play={play}");
            let answer = ask(&server, &path);
            let found = &answer.get("moves").list()[0];
            let numbers = ["averageOpponentRating", "performance"].map(|name| found.get(name));
            let wanted = [opponent, performance].map(Json::Number);
            assert_eq!(numbers, [&wanted[0], &wanted[1]], "{path}");
        }
    }
    // Elsewhere the rating of a move is that of the players who made it.
    for (play, rating) in [("", 2000), ("e2e4", 1500)] {
        let answer = ask(&server, &format!("/lichess?play={play}"));
        let found = answer.get("moves").list()[0].get("averageRating").clone();
        assert_eq!(found, Json::Number(rating), "{play}");
    }
    server.stop();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn values_that_the_original_does_not_have_are_refused() {
    let server = start();
    for path in [
        "/lichess?variant=foo",
        "/lichess?variant=Standard",
        "/lichess?history=maybe",
        "/lichess/history?variant=foo",
        "/player?player=rowan&color=white&variant=foo",
    ] {
        let (status, text) = server.text(path);
        assert!(
            status == 400 && text.starts_with("bad request: "),
            "{path}: {text}"
        );
    }
    for variant in [
        "antichess",
        "atomic",
        "crazyhouse",
        "horde",
        "kingOfTheHill",
        "racingKings",
        "threeCheck",
    ] {
        let answer = ask(
            &server,
            &format!("/lichess?variant={variant}&history=false"),
        );
        assert_eq!(answer.games(), 0, "{variant}");
    }
    server.stop();
}

#[test]
fn requests_wait_for_their_turn_and_leave_the_queue_with_their_clients() {
    const GAMES: i64 = 60_000;
    const LINE: &str = "d2d4,d7d5,c2c4,e7e6,b1c3,g8f6,c1g5,f8e7,e2e3,e8g8";
    let path = many_games(60_000);
    let server = Running::start(&[&path], |_| {});
    // More clients than searches that run at the same time, each with a question of its own.
    std::thread::scope(|scope| {
        for client in 0..12 {
            let server = &server;
            scope.spawn(move || {
                let path = format!("/lichess?play={LINE}&since={}&wait=20000", 1900 + client);
                assert_eq!(ask(server, &path).games(), GAMES, "{path}");
            });
        }
    });
    let known = format!("/lichess?play={LINE}&since=1900");
    // Those of players wait as long as it takes.
    let waiting: Vec<TcpStream> = (0..60)
        .map(|client| {
            let mut stream = server.connect();
            let year = 1900 + client;
            let path = format!("/player?player=b&color=black&play={LINE}&since={year}");
            let head = server.head(&format!("GET {path}"), &[]);
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    // What was answered before needs no turn.
    assert_eq!(ask(&server, &known).games(), GAMES);
    // Those who are gone leave theirs to others.
    drop(waiting);
    let (status, text) = server.text("/lichess?play=d2d4,g7g5&wait=3000");
    assert_eq!(status, 200, "{text}");
    server.stop();
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}
