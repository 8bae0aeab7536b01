//! What a merge makes of statistics: the same as a book of all games, and no losses that are none.

use std::fmt::Write as _;

use tabia_testkit::Scratch;

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
