//! The games that a book links to: which are those of a position, and where they are found after a move.

use tabia_testkit::Scratch;

use crate::common::tabia;

/// The second game comes into the lines of the third by other moves.
const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. d4 d5 2. c4 1-0\n\n\
                     [White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n\n1. Nf3 d5 2. d4 Nf6 1-0\n\n\
                     [White \"E\"]\n[Black \"F\"]\n[Result \"0-1\"]\n\n1. d4 d5 2. Nf3 Nf6 0-1\n\n\
                     [White \"G\"]\n[Black \"H\"]\n[Result \"1/2-1/2\"]\n\n1. e4 e5 1/2-1/2\n\n";

/// A folder with `games/g.pgn`, and `books/l.kob` that links to it.
fn with_links(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    for inner in ["games", "books"] {
        std::fs::create_dir(folder.join(inner)).unwrap();
    }
    std::fs::write(folder.join("games/g.pgn"), GAMES).unwrap();
    let build = [
        "book",
        "build",
        "games/g.pgn",
        "-o",
        "books/l.kob",
        "--game-links",
    ];
    tabia(&folder, &build).expect(0);
    folder
}

#[test]
fn games_of_a_position_are_those_that_have_it() {
    let folder = with_links("links-position");
    let rows = |more: &[&str]| {
        let args = [
            &[
                "book",
                "explain",
                "books/l_0.kob",
                "--moves",
                "1.d4",
                "--ndjson",
            ],
            more,
        ];
        tabia(&folder, &args.concat())
    };
    let run = rows(&[]).expect(0);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(
        run.out.lines().all(|row| row.contains("\"move\":\"d5\"")),
        "{}",
        run.out
    );
    for text in [
        "2 games: +1 =0 -1 for White; 1 more comes into the lines after it by other moves: `--transpositions`",
        "the book: d5, 2 games, 100.0%",
    ] {
        assert!(run.err.contains(text), "{}", run.err);
    }
    assert_eq!(rows(&["--move", "d5"]).expect(0).out.lines().count(), 2);
    let all = rows(&["--transpositions"]).expect(0).out;
    assert_eq!(all.lines().count(), 3, "{all}");
    assert_eq!(rows(&["--limit", "1"]).expect(0).out.lines().count(), 1);
    // A position in which games end has those.
    let args = [
        "book",
        "explain",
        "books/l_0.kob",
        "--moves",
        "e4 e5",
        "--ndjson",
    ];
    assert_eq!(tabia(&folder, &args).expect(0).out.lines().count(), 1);
}

#[test]
fn linked_games_that_were_moved_are_found_by_name() {
    let folder = with_links("links-moved");
    let explain = |more: &[&str]| {
        let args = [
            &["book", "explain", "books/l_0.kob", "--moves", "1.d4"],
            more,
        ];
        tabia(&folder, &args.concat())
    };
    std::fs::rename(folder.join("games"), folder.join("other")).unwrap();
    let run = explain(&["--pgn"]).expect(3);
    let hint = "`tabia book explain books/l_0.kob FILE --moves 1.d4 --pgn` searches";
    assert!(run.err.contains(hint), "{}", run.err);
    // In the folder there are other games, too, and the same ones in another file.
    std::fs::write(folder.join("other/same.pgn"), GAMES).unwrap();
    for source in ["other", "other/g.pgn"] {
        let run = explain(&[source, "--ndjson"]).expect(0);
        assert_eq!(run.out.lines().count(), 2, "{source}: {}", run.out);
        assert!(
            run.out.lines().all(|row| row.contains("other/g.pgn")),
            "{}",
            run.out
        );
        let run = explain(&[source, "--pgn"]).expect(0);
        assert_eq!(
            run.out.matches("[White ").count(),
            2,
            "{source}: {}",
            run.out
        );
    }
    // Under another name a single file may be the one; then its games are those of the book, too.
    let run = explain(&["other/same.pgn", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    // Of other games all are listed, and that is noted.
    std::fs::write(
        folder.join("others.pgn"),
        "[White \"X\"]\n[Black \"Y\"]\n[Result \"1-0\"]\n\n1. d4 g6 1-0\n\n".repeat(9),
    )
    .unwrap();
    let run = explain(&["others.pgn", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 9, "{}", run.out);
    let text = "the games above are all those of the sources";
    assert!(run.err.contains(text), "{}", run.err);
    // Next to the book they are found without a source.
    std::fs::copy(folder.join("other/g.pgn"), folder.join("books/g.pgn")).unwrap();
    let run = explain(&["--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(
        run.out.lines().all(|row| row.contains("books/g.pgn")),
        "{}",
        run.out
    );
}

#[test]
fn a_missing_list_of_links_is_to_be_put_back() {
    let folder = with_links("links-check");
    std::fs::remove_file(folder.join("books/l.ksf")).unwrap();
    let run = tabia(&folder, &["check", "books/l_0.kob"]).expect(3);
    assert!(
        run.err.contains("put l.ksf next to the book"),
        "{}",
        run.err
    );
}

#[test]
fn games_that_a_book_has_are_added_once() {
    let folder = with_links("links-again");
    let append = |input: &str, more: &[&str]| {
        let args = [
            "book",
            "build",
            input,
            "-o",
            "books/l.kob",
            "--game-links",
            "--append",
        ];
        tabia(&folder, &[&args, more].concat())
    };
    std::fs::write(
        folder.join("more.pgn"),
        "[White \"X\"]\n[Black \"Y\"]\n[Result \"1-0\"]\n\n1. c4 1-0\n\n",
    )
    .unwrap();
    let run = append("more.pgn", &[]).expect(0);
    assert!(run.err.contains("; 1 game added, 5 in all;"), "{}", run.err);
    std::fs::copy(folder.join("games/g.pgn"), folder.join("copy.pgn")).unwrap();
    let before = std::fs::read(folder.join("books/l_0.kob")).unwrap();
    let run = append("copy.pgn", &[]).expect(2);
    assert!(
        run.err
            .contains("the book has the games of copy.pgn already"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("`--again` counts them once more"),
        "{}",
        run.err
    );
    assert_eq!(std::fs::read(folder.join("books/l_0.kob")).unwrap(), before);
    let run = append("copy.pgn", &["--again"]).expect(0);
    assert!(run.err.contains("4 games added, 9 in all"), "{}", run.err);
}
