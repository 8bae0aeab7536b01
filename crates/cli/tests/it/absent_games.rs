//! Numbers that are none of games: one rule for all commands that take them.

use crate::common::{tabia, tabia_with_input, with_games, with_sample};

const WARNING: &str = "warning: there is no game 900000; the last one is ";

#[test]
fn numbers_without_a_game_are_named_by_every_command() {
    let folder = with_sample("absent-everywhere");
    let build = [
        "book",
        "build",
        "mega.cbh",
        "--min-games",
        "1",
        "-o",
        "b.bin",
    ];
    tabia(&folder, &build).expect(0);
    for args in [
        &["ls", "mega.cbh", "--games"][..],
        &["search", "mega.cbh", "", "--games"],
        &["search", "mega.cbh", "player:morphy", "--count", "--games"],
        &[
            "search",
            "mega.cbh",
            "player:morphy",
            "--explain",
            "--games",
        ],
        &[
            "search",
            "mega.cbh",
            "player:morphy",
            "-fo",
            "o.pgn",
            "--games",
        ],
        &["convert", "mega.cbh", "-fo", "o.pgn", "--games"],
        &[
            "convert", "mega.cbh", "--where", "morphy", "-fo", "o.pgn", "--games",
        ],
        &["eco", "mega.cbh", "--games"],
        &["eco", "mega.cbh", "-fo", "o.pgn", "--games"],
        &["stats", "mega.cbh", "--games"],
        &["names", "mega.cbh", "--games"],
        &["novelty", "mega.cbh", "--base", "mega.cbh", "--games"],
        &["show", "mega.cbh", "--game"],
        &[
            "book",
            "build",
            "mega.cbh",
            "--min-games",
            "1",
            "-fo",
            "o.bin",
            "--games",
        ],
        &[
            "book", "novelty", "mega.cbh", "--book", "b.bin", "-fo", "o.pgn", "--games",
        ],
    ] {
        // Whatever a book keeps: its option is `--force`, too.
        let run = tabia(&folder, &[args, &["2,900000"]].concat()).expect(3);
        assert_eq!(run.err.matches(WARNING).count(), 1, "{args:?}: {}", run.err);
        let run = tabia(&folder, &[args, &["2-900000"]].concat());
        assert!(!run.err.contains("no game"), "{args:?}: {}", run.err);
    }
}

#[test]
fn none_of_the_numbers_is_no_match() {
    let folder = with_games("absent-all");
    let none = "there are no games 7,900000; the last one is 3";
    for args in [
        &["ls", "games.pgn", "--games", "7,900000"][..],
        &["search", "games.pgn", "", "--games", "7,900000"],
        &["convert", "games.pgn", "-o", "o.pgn", "--games", "7,900000"],
        &["eco", "games.pgn", "--games", "7,900000"],
    ] {
        let run = tabia(&folder, args).expect(1);
        let expected = none.replace("7,900000", "7, 900000");
        assert!(run.err.contains(&expected), "{args:?}: {}", run.err);
    }
    assert!(!folder.join("o.pgn").exists());
    let show = ["show", "games.pgn", "--game", "7,900000"];
    let run = tabia(&folder, &show).expect(4);
    assert!(run.err.contains(none), "{}", run.err);
    tabia(&folder, &["convert", "games.pgn", "-o", "g.cbh"]).expect(0);
    let edit = ["edit", "g.cbh", "--delete", "900000", "-o", "n.cbh"];
    let run = tabia(&folder, &edit).expect(2);
    let expected = "there is no game 900000; the last one is 3";
    assert!(run.err.contains(expected), "{}", run.err);
}

/// Each input has numbers of its own: one that another has is no mistake.
#[test]
fn a_number_of_one_of_several_inputs_is_none_without_a_game() {
    let folder = with_games("absent-several");
    let one = "[White \"A\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("one.pgn"), one).unwrap();
    for files in [["one.pgn", "games.pgn"], ["games.pgn", "one.pgn"]] {
        for verb in [&["ls"][..], &["convert"]] {
            let run = tabia(&folder, &[verb, &files, &["--games", "3"]].concat()).expect(0);
            assert!(!run.err.contains("there is no"), "{}", run.err);
            let run = tabia(&folder, &[verb, &files, &["--games", "3,9"]].concat()).expect(3);
            let expected = "there is no game 9; the last one is 3";
            assert!(run.err.contains(expected), "{}", run.err);
        }
    }
    let run = tabia_with_input(&folder, &["ls", "-", "--games", "1,9"], one.as_bytes());
    let run = run.expect(3);
    assert!(run.err.contains("there is no game 9\n"), "{}", run.err);
}
