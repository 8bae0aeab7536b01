use serde_json::Value;
use tabia::core::book::{BookEntry, BookPage};
use tabia::core::chess::{Ply, Position, san};
use tabia::core::format::CreateOptions;
use tabia::formats::FORMATS;
use tabia_testkit::Scratch;

use crate::common::tabia;

/// A book of these moves: line to the position, move, weight.
fn write_book(folder: &Scratch, name: &str, lines: &[(&str, &str, u32)]) {
    let extension = name.rsplit_once('.').unwrap().1;
    let format = FORMATS
        .iter()
        .find(|format| format.extensions.contains(&extension))
        .unwrap();
    let create = format.create_book.unwrap();
    let mut book = create(&folder.join(name), &CreateOptions::default()).unwrap();
    for (line, name, weight) in lines {
        let mut position = Position::standard();
        for word in line.split_whitespace() {
            san::read_and_play(&mut position, word.as_bytes()).unwrap();
        }
        let Ply::Move(m) = san::read(&position, name.as_bytes()).unwrap() else {
            panic!("{name}")
        };
        let page = BookPage {
            entries: vec![BookEntry {
                m: Some(m),
                weight: Some(*weight),
                ..BookEntry::default()
            }],
            ..BookPage::default()
        };
        let _ = book.put(&position, &page).unwrap();
    }
    book.finish().unwrap();
}

/// A folder with two books.
fn with_books(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let one = [
        ("", "e4", 30),
        ("", "d4", 10),
        ("", "a3", 0),
        ("e4", "c5", 5),
        ("e4 c5", "Nf3", 2),
    ];
    write_book(&folder, "one.bin", &one);
    write_book(&folder, "two.bin", &[("", "e4", 1), ("", "c4", 3)]);
    folder
}

fn san_of(moves: &Value) -> Vec<&str> {
    let moves = moves.as_array().unwrap();
    moves.iter().map(|m| m["san"].as_str().unwrap()).collect()
}

#[test]
fn find_has_the_keys_of_the_explorer() {
    let folder = with_books("book-find");
    let found = tabia(&folder, &["book", "find", "one.bin", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        found["fen"],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    assert_eq!(san_of(&found["moves"]), ["e4", "d4", "a3"]);
    let e4 = &found["moves"][0];
    assert_eq!((&e4["uci"], &e4["weight"]), (&"e2e4".into(), &30.into()));
    assert_eq!(e4["probability"], 0.75);
    for key in ["averageRating", "performance", "annotation"] {
        assert_eq!(e4[key], Value::Null, "{key}");
    }
    for key in ["white", "games"] {
        assert!(e4.get(key).is_none() && found.get(key).is_none(), "{key}");
    }
    assert_eq!(found["opening"], Value::Null);

    let args = ["book", "find", "one.bin", "--json", "--moves", "1.e4 c5"];
    let sicilian = tabia(&folder, &args).expect(0).json();
    assert_eq!(sicilian["opening"]["eco"], "B20");
    assert_eq!(san_of(&sicilian["moves"]), ["Nf3"]);
}

#[test]
fn several_books_stand_side_by_side() {
    let folder = with_books("book-side");
    let run = tabia(&folder, &["book", "find", "one.bin", "two.bin", "--tsv"]).expect(0);
    let rows: Vec<(&str, &str)> = run
        .out
        .lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split('\t');
            (cells.next().unwrap(), cells.next().unwrap())
        })
        .collect();
    let expected = [
        ("one.bin", "e4"),
        ("two.bin", "e4"),
        ("one.bin", "d4"),
        ("one.bin", "a3"),
        ("two.bin", "c4"),
    ];
    assert_eq!(rows, expected, "{}", run.out);
    let both = tabia(&folder, &["book", "find", "one.bin", "two.bin", "--json"]).json();
    assert_eq!(both[1]["book"], "two.bin");
}

#[test]
fn nothing_found_is_code_one() {
    let folder = with_books("book-nothing");
    tabia(&folder, &["book", "find", "one.bin", "--moves", "h4"]).expect(1);
    tabia(&folder, &["book", "line", "one.bin", "--moves", "h4"]).expect(1);
    tabia(&folder, &["book", "find", "one.bin", "--moves", "e5"]).expect(2);
    tabia(&folder, &["book", "find", "one.bin", "--fen", "8"]).expect(2);
    tabia(&folder, &["book", "find", "none.bin"]).expect(4);
    std::fs::write(folder.join("games.pgn"), crate::common::GAMES).unwrap();
    tabia(&folder, &["book", "find", "games.pgn"]).expect(2);
}

#[test]
fn lines_are_best_or_repeatable() {
    let folder = with_books("book-line");
    let best = tabia(&folder, &["book", "line", "one.bin", "--best"]).expect(0);
    assert_eq!(best.out, "1. e4 c5 2. Nf3\n");
    let random = ["book", "line", "one.bin", "--seed", "3", "--count", "20"];
    let first = tabia(&folder, &random).expect(0).out;
    assert_eq!(first, tabia(&folder, &random).out);
    assert!(
        first.contains("1. d4\n") && first.contains("1. e4 c5"),
        "{first}"
    );
    assert!(!first.contains("a3"), "{first}");
    let rows = tabia(&folder, &["book", "line", "one.bin", "--best", "--json"]).json();
    assert_eq!(rows[0]["plies"], 3);
    assert_eq!(rows[0]["uci"][2], "g1f3");
}

#[test]
fn info_names_defects_and_counts_them() {
    let folder = with_books("book-info");
    let info = tabia(&folder, &["book", "info", "one.bin", "--walk", "--json"])
        .expect(0)
        .json();
    assert_eq!(info[0]["positions"], 3);
    assert_eq!(info[0]["moves"], 5);
    assert_eq!(info[0]["reachable"], 3);
    assert_eq!(info[0]["depth"], 2);
    assert_eq!(info[0]["learn"], "none");
    assert_eq!(info[0]["defects"][0]["name"], "moves of weight 0");
    assert_eq!(info[0]["toMove"]["black"], 1);
}

/// Six games: 1. e4 four times, one of them unreadable and one without a result.
const SIX: &str = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2400\"]\n[Date \"2020.01.01\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 (2. f4 exf4) Nc6 1-0\n\n\
[White \"C\"]\n[Black \"D\"]\n[WhiteElo \"2600\"]\n[BlackElo \"2600\"]\n[Date \"2010.01.01\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 d6 0-1\n\n\
[White \"E\"]\n[Black \"F\"]\n[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Ke8 1/2-1/2\n\n\
[White \"G\"]\n[Black \"H\"]\n[Result \"*\"]\n\n1. e4 c5 *\n\n\
[White \"I\"]\n[Black \"J\"]\n[Date \"2020.01.01\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n\n\
[White \"K\"]\n[Black \"L\"]\n[Result \"0-1\"]\n\n1. g4 d5 0-1\n\n";

fn with_six(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("six.pgn"), SIX).unwrap();
    folder
}

/// SAN and weight of every move of a position.
fn weights(folder: &Scratch, book: &str, moves: &str) -> Vec<(String, u64)> {
    let run = tabia(folder, &["book", "find", book, "--json", "--moves", moves]);
    let moves = run.json()["moves"].clone();
    let moves = moves.as_array().unwrap().iter();
    moves
        .map(|m| {
            (
                m["san"].as_str().unwrap().to_owned(),
                m["weight"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn pairs(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected
        .iter()
        .map(|(san, weight)| ((*san).to_owned(), *weight))
        .collect()
}

#[test]
fn a_book_is_built_and_says_from_what() {
    let folder = with_six("book-build");
    let args = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.bin",
        "--min-games",
        "1",
        "--report",
        "report.json",
    ];
    // One game cannot be read.
    tabia(&folder, &args).expect(3);
    // e4: won, lost, unknown; g4 never scored.
    assert_eq!(
        weights(&folder, "six.bin", ""),
        pairs(&[("e4", 3), ("d4", 1)])
    );
    assert_eq!(
        weights(&folder, "six.bin", "e4"),
        pairs(&[("e5", 2), ("c5", 1)])
    );
    let text = std::fs::read_to_string(folder.join("six.bin.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["games"]["used"], 5);
    assert_eq!(record["games"]["bad"], 1);
    assert_eq!(record["sources"][0]["path"], "six.pgn");
    assert_eq!(record["sources"][0]["xxh64"].as_str().unwrap().len(), 16);
    assert_eq!(record["options"]["minGames"], 1);
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["problems"][0]["game"], 3);

    tabia(&folder, &args).expect(5);
    assert_eq!(
        folder.names(),
        ["report.json", "six.bin", "six.bin.json", "six.pgn"]
    );
}

#[test]
fn options_choose_games_moves_and_weights() {
    let folder = with_six("book-options");
    let build = |name: &str, more: &[&str]| {
        let mut args = vec!["book", "build", "six.pgn", "-o", name, "--no-record", "-q"];
        args.extend_from_slice(more);
        // The move that cannot be read is a problem unless nobody reads as far as that.
        let left_out = more.contains(&"--where") || more.contains(&"--max-ply");
        tabia(&folder, &args).expect(if left_out { 0 } else { 3 });
        let start = weights(&folder, name, "");
        (start, name.to_owned())
    };
    assert_eq!(build("3.bin", &[]).0, pairs(&[("e4", 3)]));
    assert_eq!(build("uniform.bin", &["--uniform"]).0, pairs(&[("e4", 1)]));
    let (start, name) = build("black.bin", &["--only-black", "--min-games", "2"]);
    assert_eq!(start, []);
    assert_eq!(weights(&folder, &name, "e4"), pairs(&[("e5", 2)]));
    let (_, name) = build("plies.bin", &["--max-ply", "1", "--min-games", "1"]);
    assert_eq!(weights(&folder, &name, "e4"), []);
    let (_, name) = build("var.bin", &["--variations", "--min-games", "1"]);
    assert_eq!(
        weights(&folder, &name, "e4 e5"),
        pairs(&[("Nf3", 2), ("f4", 2)])
    );
    assert_eq!(weights(&folder, &name, "e4 e5 f4"), []);
    let score = ["--min-score", "51", "--min-games", "1"];
    assert_eq!(build("score.bin", &score).0, []);
    let elo = ["--where", "elo:>=2450", "--min-games", "1", "--scoreless"];
    assert_eq!(build("elo.bin", &elo).0, pairs(&[("e4", 0)]));
    let stretched = ["--stretch", "--min-games", "1"];
    assert_eq!(
        build("full.bin", &stretched).0,
        pairs(&[("e4", 65535), ("d4", 21845)])
    );
    let recent = [
        "--recency",
        "10",
        "--min-games",
        "1",
        "--where",
        "date:1900..",
    ];
    assert_eq!(
        build("new.bin", &recent).0,
        pairs(&[("e4", 65535), ("d4", 32768)])
    );
}

#[test]
fn polyglots_own_options_work() {
    let folder = with_six("book-polyglot");
    let typed = "book make-book -pgn six.pgn -bin six.bin -min-game 2 -max-ply 2";
    let args: Vec<&str> = typed.split(' ').collect();
    tabia(&folder, &args).expect(3);
    assert_eq!(weights(&folder, "six.bin", ""), pairs(&[("e4", 3)]));
    assert_eq!(weights(&folder, "six.bin", "e4"), pairs(&[("e5", 2)]));
    assert_eq!(weights(&folder, "six.bin", "e4 e5"), []);
}

#[test]
fn a_book_is_the_same_whatever_threads_and_memory() {
    let folder = Scratch::new("book-same");
    std::fs::write(folder.join("many.pgn"), crate::common::many_games(4000)).unwrap();
    std::fs::write(folder.join("six.pgn"), SIX).unwrap();
    let mut books = Vec::new();
    for (name, threads, memory) in [
        ("a.bin", "1", "512M"),
        ("b.bin", "3", "512M"),
        ("c.bin", "2", "16M"),
    ] {
        let args = [
            "book",
            "build",
            "many.pgn",
            "six.pgn",
            "many.pgn",
            "-o",
            name,
            "-j",
            threads,
            "--memory",
            memory,
            "--min-games",
            "1",
            "--compat",
            "polyglot",
        ];
        tabia(&folder, &args).expect(3);
        books.push(std::fs::read(folder.join(name)).unwrap());
    }
    assert!(books[0] == books[1] && books[0] == books[2]);
    assert!(books[0].len() > 16 * 16);
}
