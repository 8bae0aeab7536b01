//! What a conversion of books loses or derives, and what a build counts, is reported.

use tabia_testkit::Scratch;

use crate::books::with_books;
use crate::common::tabia;

#[test]
fn moves_of_a_book_without_games_are_played_alike() {
    let folder = with_books("book-losses-kob");
    let run = tabia(&folder, &["book", "convert", "one.bin", "-o", "one.kob"]).expect(0);
    assert!(run.err.contains("weights of book moves"), "{}", run.err);
    let found = tabia(&folder, &["book", "find", "one_0.kob", "--json"])
        .expect(0)
        .json();
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3);
    for m in moves {
        assert_eq!(m["probability"], 0.333333, "{m}");
    }
    // Nor are they never played in a book with weights.
    tabia(&folder, &["book", "convert", "one_0.kob", "-o", "back.bin"]).expect(0);
    let found = tabia(&folder, &["book", "find", "back.bin", "--json"])
        .expect(0)
        .json();
    for m in found["moves"].as_array().unwrap() {
        assert_eq!(m["weight"], 1, "{m}");
    }
}

#[test]
fn games_made_of_weights_are_reported() {
    let folder = with_books("book-losses-ctg");
    let run = tabia(&folder, &["book", "convert", "one.bin", "-o", "one.ctg"]).expect(0);
    let text = "those of 4 moves became numbers of games, all drawn";
    assert!(run.err.contains(text), "{}", run.err);
    // From a book with games nothing is invented.
    let run = tabia(&folder, &["book", "convert", "one.ctg", "-o", "copy.ctg"]).expect(0);
    assert!(!run.err.contains("became numbers"), "{}", run.err);
    let run = tabia(&folder, &["book", "convert", "one.ctg", "-o", "back.bin"]).expect(0);
    for text in ["game counts of book moves", "results of book moves"] {
        assert!(run.err.contains(text), "{}", run.err);
    }
}

#[test]
fn games_without_a_result_are_reported() {
    let folder = Scratch::new("book-losses-results");
    let games =
        ["1-0", "*"].map(|result| format!("[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"));
    std::fs::write(folder.join("a.pgn"), games.concat()).unwrap();
    for (target, text) in [
        ("a.abk", "results of book moves"),
        ("a.kob", "game counts of book moves"),
    ] {
        let build = ["book", "build", "a.pgn", "-o", target, "--min-games", "1"];
        let run = tabia(&folder, &build).expect(0);
        assert!(run.err.contains(text), "{target}: {}", run.err);
    }
    // A ChessBase book counts them without a result.
    let build = ["book", "build", "a.pgn", "-o", "a.ctg", "--min-games", "1"];
    let run = tabia(&folder, &build).expect(0);
    assert!(!run.err.contains("not kept"), "{}", run.err);
}

#[test]
fn games_of_other_rules_do_not_count() {
    let folder = Scratch::new("book-losses-rules");
    let games = ["Standard", "Crazyhouse", "Atomic"]
        .map(|variant| format!("[Variant \"{variant}\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n"));
    std::fs::write(folder.join("a.pgn"), games.concat()).unwrap();
    for target in ["a.bin", "a.ctg"] {
        let build = ["book", "build", "a.pgn", "-o", target, "--min-games", "1"];
        let run = tabia(&folder, &build).expect(3);
        for text in ["from 1 game,", "2 bad games left out"] {
            assert!(run.err.contains(text), "{}", run.err);
        }
    }
}

#[test]
fn inputs_with_the_same_games_are_named() {
    let folder = Scratch::new("book-losses-same");
    let game = "[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";
    let games = game.repeat(25);
    std::fs::create_dir(folder.join("all")).unwrap();
    std::fs::write(folder.join("all/a.pgn"), &games).unwrap();
    tabia(&folder, &["convert", "all/a.pgn", "-o", "all/a.si4"]).expect(0);
    let run = tabia(&folder, &["book", "build", "all", "-o", "a.bin"]).expect(0);
    for text in [
        "2 of these inputs seem to have the same games, 25 games with 50 moves",
        "tabia book build all/a.",
    ] {
        assert!(run.err.contains(text), "{}", run.err);
    }
    let run = tabia(&folder, &["book", "build", "all/a.pgn", "-o", "b.bin"]).expect(0);
    assert!(!run.err.contains("same games"), "{}", run.err);
}

#[test]
fn options_without_effect_are_refused() {
    let folder = with_books("book-losses-options");
    std::fs::write(folder.join("a.pgn"), "[Result \"1-0\"]\n\n1. e4 1-0\n").unwrap();
    let build = [
        "book",
        "build",
        "a.pgn",
        "-o",
        "a.bin",
        "--uniform",
        "--recency",
        "3",
    ];
    tabia(&folder, &build).expect(2);
    for target in ["one.ctg", "two.ctg"] {
        let source = target.replace("ctg", "bin");
        tabia(&folder, &["book", "convert", &source, "-o", target]).expect(0);
    }
    let merge = [
        "book",
        "merge",
        "one.ctg",
        "two.ctg",
        "-o",
        "m.ctg",
        "--factors",
        "2,1",
    ];
    let run = tabia(&folder, &merge).expect(2);
    assert!(
        run.err.contains("`--factors` is for weights"),
        "{}",
        run.err
    );
    let line = ["book", "line", "one.bin", "--count", "5", "--limit", "2"];
    assert_eq!(tabia(&folder, &line).expect(0).out.lines().count(), 2);
    // The options that people try first.
    for option in ["--plies", "--max-ply", "--depth"] {
        let line = ["book", "line", "one.bin", "--best", option, "1"];
        assert_eq!(tabia(&folder, &line).expect(0).out, "1. e4\n");
        let build = [
            "book",
            "build",
            "a.pgn",
            "-o",
            "a.bin",
            "-f",
            "--min-games",
            "1",
            option,
            "1",
        ];
        tabia(&folder, &build).expect(0);
    }
}

#[test]
fn the_record_of_a_book_explains_its_weights() {
    let folder = Scratch::new("book-losses-record");
    let games = ["2600", "2000"].map(|elo| {
        format!("[WhiteElo \"{elo}\"]\n[BlackElo \"{elo}\"]\n[Date \"2020.01.01\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n")
    });
    std::fs::write(folder.join("a.pgn"), games.concat()).unwrap();
    let build = [
        "book",
        "build",
        "a.pgn",
        "-o",
        "a.bin",
        "--min-games",
        "1",
        "--where",
        "elo:>=2500",
        "--recency",
        "5",
    ];
    tabia(&folder, &build).expect(0);
    let run = tabia(&folder, &["book", "explain", "a.bin", "a.pgn"]).expect(0);
    assert!(run.err.contains("1 game: +1"), "{}", run.err);
    assert!(run.err.contains("--recency 5"), "{}", run.err);
    // Options come first.
    let args = ["book", "explain", "a.bin", "a.pgn", "--where", ""];
    let run = tabia(&folder, &args).expect(0);
    assert!(run.err.contains("2 games: +2"), "{}", run.err);
}
