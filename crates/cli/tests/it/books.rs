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
