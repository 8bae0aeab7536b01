//! What a merge makes of statistics: the same as a book of all games, and no losses that are none.

use std::fmt::Write as _;

use tabia::core::chess::Position;
use tabia_testkit::Scratch;

use crate::books::{entry, write_book};
use crate::common::tabia;

/// Games of which many have no rating.
fn games(first: usize, count: usize) -> String {
    let mut text = String::new();
    for number in first..first + count {
        let line = ["e4 e5 Nf3", "e4 c5 Nf3", "d4 d5 c4", "e4 e5 Bc4"][number % 4];
        let result = ["1-0", "1/2-1/2", "0-1"][number % 3];
        if number % 5 != 0 {
            let _ = writeln!(text, "[WhiteElo \"{}\"]", 2000 + 37 * number % 700);
        }
        if number % 7 < 2 {
            let _ = writeln!(text, "[BlackElo \"{}\"]", 1900 + 53 * number % 800);
        }
        let _ = write!(text, "[Result \"{result}\"]\n\n{line} {result}\n\n");
    }
    text
}

/// A folder with books of the same games, in two parts and whole.
fn with_parts(name: &str, extension: &str) -> Scratch {
    let folder = Scratch::new(name);
    // The second part has many games, few of them rated.
    let (one, two) = (games(0, 40), games(40, 9) + &"e4 e5 Nf3 1-0\n\n".repeat(80));
    std::fs::write(folder.join("one.pgn"), &one).unwrap();
    std::fs::write(folder.join("two.pgn"), &two).unwrap();
    std::fs::write(folder.join("all.pgn"), one + &two).unwrap();
    for part in ["one", "two", "all"] {
        let (games, book) = (format!("{part}.pgn"), format!("{part}.{extension}"));
        let build = ["book", "build", &games, "-o", &book, "--min-games", "1"];
        tabia(&folder, &build).expect(0);
    }
    folder
}

#[test]
fn ratings_of_a_merge_are_those_of_all_games() {
    let folder = with_parts("merged-ratings", "ctg");
    let merge = ["book", "merge", "one.ctg", "two.ctg", "-o", "both.ctg"];
    tabia(&folder, &merge).expect(0);
    let find = |book: &str| {
        tabia(&folder, &["book", "find", book, "--json"])
            .expect(0)
            .json()
    };
    let (all, both, two) = (find("all.ctg"), find("both.ctg"), find("two.ctg"));
    let e4 = &all["moves"][0];
    assert_eq!(e4["san"], "e4");
    assert_ne!(e4["averageRating"], two["moves"][0]["averageRating"]);
    for key in ["moves", "games", "averageRating", "performance"] {
        assert_eq!(both[key], all[key], "{key}");
    }
    let run = tabia(&folder, &["book", "diff", "all.ctg", "both.ctg"]).expect(0);
    assert!(run.err.contains(" 0 changed, 0 only"), "{}", run.err);
    // Merged again, the numbers of rated games still count.
    let merge = ["book", "merge", "two.ctg", "one.ctg", "-o", "other.ctg"];
    tabia(&folder, &merge).expect(0);
    let merge = ["book", "merge", "other.ctg", "two.ctg", "-o", "more.ctg"];
    tabia(&folder, &merge).expect(0);
    std::fs::write(
        folder.join("more.pgn"),
        ["one", "two", "two"]
            .map(|part| std::fs::read_to_string(folder.join(format!("{part}.pgn"))).unwrap())
            .concat(),
    )
    .unwrap();
    let build = [
        "book",
        "build",
        "more.pgn",
        "-o",
        "whole.ctg",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "diff", "whole.ctg", "more.ctg"]).expect(0);
    assert!(run.err.contains(" 0 changed, 0 only"), "{}", run.err);
}

#[test]
fn weights_made_from_games_are_not_lost() {
    for (extension, [one, two, both]) in [
        ("ctg", ["one.ctg", "two.ctg", "both.ctg"]),
        ("kob", ["one_0.kob", "two_0.kob", "both.kob"]),
    ] {
        let folder = with_parts(&format!("merged-weights-{extension}"), extension);
        let run = tabia(&folder, &["book", "merge", one, two, "-o", both]).expect(0);
        assert!(!run.err.contains("weight"), "{extension}: {}", run.err);
        // Weights of a book are lost.
        let to_polyglot = ["book", "convert", one, "-o", "one.bin"];
        tabia(&folder, &to_polyglot);
        let merge = ["book", "merge", "one.bin", two, "-o", both, "--force"];
        let run = tabia(&folder, &merge);
        assert!(run.err.contains("weight"), "{extension}: {}", run.err);
    }
}

#[test]
fn advice_of_every_book_is_in_the_merged_one() {
    let folder = with_parts("merged-advice", "ctg");
    let edit = [
        "book",
        "edit",
        "two.ctg",
        "-o",
        "advised.ctg",
        "--moves",
        "",
        "--move",
        "e4",
        "--advice",
        "avoid",
    ];
    tabia(&folder, &edit).expect(0);
    let merge = ["book", "merge", "one.ctg", "advised.ctg", "-o", "both.ctg"];
    tabia(&folder, &merge).expect(0);
    let find = tabia(&folder, &["book", "find", "both.ctg", "--json"])
        .expect(0)
        .json();
    let moves = find["moves"].as_array().unwrap();
    let e4 = moves.iter().find(|m| m["san"] == "e4").unwrap();
    assert_eq!(e4["recommended"], false, "{e4}");
}

/// Moves of the standard position with their games.
fn games_of(folder: &Scratch, book: &str) -> Vec<(String, u64, serde_json::Value)> {
    let found = tabia(folder, &["book", "find", book, "--json"])
        .expect(0)
        .json();
    let moves = found["moves"].as_array().unwrap().iter();
    let mut moves: Vec<_> = moves
        .map(|m| {
            let count = |key: &str| m[key].as_u64().unwrap();
            let games = count("white") + count("draws") + count("black");
            let san = m["san"].as_str().unwrap().to_owned();
            (san, games, m["recommended"].clone())
        })
        .collect();
    moves.sort_by(|a, b| a.0.cmp(&b.0));
    moves
}

fn expected(moves: &[(&str, u64, serde_json::Value)]) -> Vec<(String, u64, serde_json::Value)> {
    let moves = moves.iter();
    moves
        .map(|(san, games, advice)| ((*san).to_owned(), *games, advice.clone()))
        .collect()
}

/// A folder with a book of weights and one that counts games.
fn with_weights_and_games(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let weights = [
        ("", "e4", 1000),
        ("", "d4", 3),
        ("", "a3", 0),
        ("", "h3", 0),
        ("e4", "e5", 40),
    ];
    write_book(&folder, "weights.bin", &weights);
    let games = "[Result \"1-0\"]\n\n1. e4 c5 1-0\n\n[Result \"1/2-1/2\"]\n\n1. a3 1/2-1/2\n\n";
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "games.ctg",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    folder
}

#[test]
fn weights_become_games_and_add_up_with_those_of_other_books() {
    use serde_json::Value::Null;
    let folder = with_weights_and_games("merged-both");
    let merge = |books: &[&str], more: &[&str]| {
        let args = [&["book", "merge"], books, &["-o", "both.ctg", "-f"], more].concat();
        tabia(&folder, &args)
    };
    for books in [["weights.bin", "games.ctg"], ["games.ctg", "weights.bin"]] {
        let run = merge(&books, &[]).expect(0);
        for text in [
            "those of 3 moves became numbers of games",
            "1 move of weight 0 marked as not to be played",
        ] {
            assert!(run.err.contains(text), "{text}: {}", run.err);
        }
        let moves = [
            ("a3", 1, Null),
            ("d4", 3, Null),
            ("e4", 1001, Null),
            ("h3", 1, false.into()),
        ];
        let mut found = games_of(&folder, "both.ctg");
        // The game of a record that has none is of no known result.
        found[3].1 += 1;
        assert_eq!(found, expected(&moves), "{books:?}");
    }
    // The same as books that are converted first.
    let convert = ["book", "convert", "weights.bin", "-o", "weights.ctg"];
    tabia(&folder, &convert).expect(0);
    let merge_converted = ["book", "merge", "weights.ctg", "games.ctg", "-o", "two.ctg"];
    tabia(&folder, &merge_converted).expect(0);
    merge(&["weights.bin", "games.ctg"], &["--zero-wins"]).expect(0);
    let found = games_of(&folder, "both.ctg");
    // The record of a move of weight 0 has a game there, to which that of the other book is added.
    assert_eq!(games_of(&folder, "two.ctg")[1..], found[1..]);
    let a3 = &found[0];
    assert_eq!((a3.1, &a3.2), (1, &false.into()));
    merge(&["weights.bin", "games.ctg"], &["--factors", "2,1"]).expect(0);
    assert_eq!(games_of(&folder, "both.ctg")[2].1, 2001);
    // Books of weights alone are merged as such.
    write_book(&folder, "more.bin", &[("", "e4", 200), ("", "d4", 60000)]);
    let books = ["weights.bin", "more.bin", "games.ctg"];
    merge(&books, &[]).expect(0);
    let found = games_of(&folder, "both.ctg");
    assert_eq!((found[1].1, found[2].1), (60003, 1201));
    merge(&books[..2], &["--mode", "max"]).expect(0);
    let found = games_of(&folder, "both.ctg");
    assert_eq!((found[1].1, found[2].1), (60000, 1000));
    // A format with weights has those of both.
    for (target, weights) in [("both.bin", [1002, 3]), ("both.abk", [9, 1])] {
        let args = ["book", "merge", "weights.bin", "games.ctg", "-o", target];
        tabia(&folder, &args);
        let find = tabia(&folder, &["book", "find", target, "--json"]).expect(0);
        let moves = find.json()["moves"].clone();
        let weight = |san: &str| {
            let mut moves = moves.as_array().unwrap().iter();
            moves.find(|m| m["san"] == san).unwrap()["weight"].clone()
        };
        assert_eq!([weight("e4"), weight("d4")], weights, "{target}");
    }
}

#[test]
fn options_for_weights_are_refused_where_games_add_up() {
    let folder = with_weights_and_games("merged-refused");
    let convert = |from: &str, to: &str| {
        tabia(&folder, &["book", "convert", from, "-o", to]);
    };
    convert("games.ctg", "games.kob");
    convert("weights.bin", "weights.ctg");
    let counted = ["games.ctg", "weights.ctg"];
    let mixed = ["games.ctg", "weights.bin"];
    for (books, target, options) in [
        (counted, "x.ctg", &["--mode", "max"][..]),
        (counted, "x.ctg", &["--mode", "average"]),
        (counted, "x.kob", &["--mode", "average"]),
        (counted, "x.ctg", &["--zero-wins"]),
        (mixed, "x.ctg", &["--mode", "max"]),
        (mixed, "x.ctg", &["--mode", "average"]),
        (mixed, "x.ctg", &["--mode", "priority"]),
        (mixed, "x.ctg", &["--normalize"]),
        (mixed, "x.ctg", &["--factors", "2,1"]),
        (mixed, "x.kob", &["--factors", "1,2"]),
        (["weights.bin", "weights.bin"], "x.kob", &["--mode", "max"]),
    ] {
        let args = [&["book", "merge"], &books[..], &["-o", target], options].concat();
        let run = tabia(&folder, &args).expect(2);
        let option = options.join(" ").replace(" 2,1", "").replace(" 1,2", "");
        let of_target = if books == mixed && target == "x.ctg" {
            "cannot be used here"
        } else {
            "is for weights"
        };
        let text = format!("error: `{option}` {of_target}");
        assert!(run.err.contains(&text), "{args:?}: {}", run.err);
        let args = [
            &["book", "merge"],
            &books[..],
            &["-o", "x.bin", "-f"],
            options,
        ]
        .concat();
        tabia(&folder, &args);
        assert!(folder.join("x.bin").exists(), "{args:?}");
    }
    let priority = ["--mode", "priority"];
    let args = [
        &["book", "merge"],
        &counted[..],
        &["-o", "p.ctg"],
        &priority,
    ]
    .concat();
    tabia(&folder, &args).expect(0);
    assert_eq!(games_of(&folder, "p.ctg")[0].0, "a3");
}

/// An entry of a Polyglot book with a `learn` value.
fn learned(bits: u16, weight: u16, learn: u8) -> Vec<u8> {
    let mut bytes = entry(Position::standard().key(), bits, weight);
    *bytes.last_mut().unwrap() = learn;
    bytes
}

const E4: u16 = 0x031c;
const D4: u16 = 0x02db;

#[test]
fn values_of_which_one_book_alone_can_be_kept_are_counted() {
    let folder = with_weights_and_games("merged-values");
    for (name, learn) in [("seven", 7), ("nine", 9), ("none", 0)] {
        let bytes = [learned(D4, 1, 5), learned(E4, 1, learn)].concat();
        std::fs::write(folder.join(format!("{name}.bin")), bytes).unwrap();
    }
    let line = "learn values of book moves  1";
    for (other, target, mode, is_lost) in [
        ("nine.bin", "x.bin", "sum", true),
        ("nine.bin", "x.bin", "max", true),
        ("nine.bin", "x.bin", "average", true),
        ("none.bin", "x.bin", "sum", false),
        ("seven.bin", "x.bin", "sum", false),
        // What the first book alone is asked for is not lost.
        ("nine.bin", "x.bin", "priority", false),
    ] {
        let merge = ["book", "merge", "seven.bin", other, "-o", target, "-f"];
        let run = tabia(&folder, &[&merge[..], &["--mode", mode]].concat()).expect(0);
        assert_eq!(run.err.contains(line), is_lost, "{mode}: {}", run.err);
    }
    // Among books of other formats, too.
    let merge = ["book", "merge", "seven.bin", "nine.bin", "games.ctg"];
    let run = tabia(&folder, &[&merge[..], &["-o", "x.bin", "-f"]].concat()).expect(0);
    assert!(run.err.contains(line), "{}", run.err);
    let report = ["-o", "x.bin", "-f", "--report", "r.json"];
    tabia(&folder, &[&merge[..2], &merge[2..4], &report].concat()).expect(0);
    let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
    assert!(report.contains("learn value"), "{report}");

    let repeated = [learned(E4, 1, 7), learned(E4, 2, 9)].concat();
    std::fs::write(folder.join("twice.bin"), repeated).unwrap();
    let run = tabia(&folder, &["book", "fix", "twice.bin", "-o", "y.bin"]).expect(3);
    for text in ["1 repeat added up", line] {
        assert!(run.err.contains(text), "{}", run.err);
    }

    for (name, annotation, advice) in [("good", "!", "play"), ("bad", "??", "avoid")] {
        let target = format!("{name}.ctg");
        let edit = ["book", "edit", "games.ctg", "--move", "e4", "-o", &target];
        let values = ["--annotation", annotation, "--advice", advice];
        tabia(&folder, &[&edit[..], &values].concat()).expect(0);
    }
    let merge = ["book", "merge", "good.ctg", "bad.ctg", "-o", "x.ctg"];
    let run = tabia(&folder, &merge).expect(0);
    for (text, count) in [("move symbols", "1"), ("book moves with advice", "1")] {
        let mut lines = run.err.lines();
        let row = lines.find(|line| line.trim_start().starts_with(text));
        assert!(row.is_some_and(|row| row.ends_with(count)), "{}", run.err);
    }
    let merge = ["book", "merge", "good.ctg", "games.ctg", "-o", "z.ctg"];
    let run = tabia(&folder, &merge).expect(0);
    assert!(!run.err.contains("not kept"), "{}", run.err);
}

#[test]
fn advice_against_a_move_is_a_weight_in_an_arena_book_of_several() {
    let folder = with_weights_and_games("merged-arena");
    let edit = ["book", "edit", "games.ctg", "--move", "e4", "-o", "bad.ctg"];
    tabia(&folder, &[&edit[..], &["--advice", "avoid"]].concat()).expect(0);
    let mut found = Vec::new();
    for books in [["bad.ctg", "weights.bin"], ["weights.bin", "bad.ctg"]] {
        let args = [&["book", "merge"], &books[..], &["-o", "x.abk", "-f"]].concat();
        tabia(&folder, &args);
        let find = tabia(&folder, &["book", "find", "x.abk", "--json"]).expect(0);
        let moves = find.json()["moves"].clone();
        let e4 = moves.as_array().unwrap().iter().find(|m| m["san"] == "e4");
        found.push(e4.unwrap()["weight"].as_u64());
    }
    assert_eq!(found, [Some(9), Some(9)]);
}

#[test]
fn moves_that_are_never_played_are_counted_when_they_become_games() {
    let folder = Scratch::new("converted-zeros");
    write_book(&folder, "zeros.bin", &[("", "e4", 0), ("", "d4", 0)]);
    let convert = ["book", "convert", "zeros.bin", "-o", "zeros.ctg"];
    let run = tabia(&folder, &convert).expect(0);
    let text =
        "2 moves of weight 0 marked as not to be played, with 1 game each where the book has none";
    assert!(run.err.contains(text), "{}", run.err);
}

#[test]
fn scaled_weights_are_counted() {
    let folder = Scratch::new("merged-scaled");
    let entries = [
        learned(E4, 65000, 0),
        learned(E4, 5000, 0),
        learned(D4, 49, 0),
    ]
    .concat();
    std::fs::write(folder.join("twice.bin"), entries).unwrap();
    let text = "; weights of 1 position scaled, because their greatest is above 65,535";
    let run = tabia(
        &folder,
        &[
            "book",
            "fix",
            "twice.bin",
            "-o",
            "x.bin",
            "--from",
            "polyglot",
        ],
    )
    .expect(3);
    assert!(run.err.contains(text), "{}", run.err);
    write_book(&folder, "a.bin", &[("", "e4", 60000), ("e4", "e5", 9)]);
    let run = tabia(&folder, &["book", "merge", "a.bin", "a.bin", "-o", "b.bin"]).expect(0);
    assert!(run.err.contains(text), "{}", run.err);
    let merge = [
        "book",
        "merge",
        "a.bin",
        "a.bin",
        "-o",
        "n.bin",
        "--normalize",
    ];
    assert!(!tabia(&folder, &merge).expect(0).err.contains("scaled"));
    // Of an Arena book too, whose positions are merged one by one.
    tabia(&folder, &["book", "convert", "a.bin", "-o", "a.abk"]);
    let merge = ["book", "merge", "a.bin", "a.bin", "a.abk", "-o", "c.bin"];
    let run = tabia(&folder, &merge).expect(0);
    assert!(run.err.contains(text), "{}", run.err);
    let run = tabia(&folder, &["book", "fix", "a.bin", "-o", "d.bin"]).expect(0);
    assert!(!run.err.contains("scaled"), "{}", run.err);
}
