//! Games that have a position more than once.

use tabia_testkit::Scratch;

use crate::common::tabia;

/// A game with 1. Nf3 three times, the second time answered by another move.
const SHUFFLE: &str =
    "[Result \"1-0\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nc6 4. Ng1 Nb8 5. Nf3 Nf6 1-0\n\n";

fn build(folder: &Scratch, book: &str, options: &[&str]) -> String {
    let args = ["book", "build", "games.pgn", "-f", "-o", book];
    tabia(folder, &[&args[..], options].concat()).err
}

#[test]
fn a_game_that_repeats_a_move_is_one_game() {
    let folder = Scratch::new("repeats-min-games");
    std::fs::write(folder.join("games.pgn"), SHUFFLE).unwrap();
    for book in ["a.bin", "a.ctg", "a.kob", "a.abk"] {
        let text = build(&folder, book, &["--min-games", "2", "--scoreless"]);
        assert!(
            text.contains("empty") || text.contains(" 0 moves"),
            "{text}"
        );
        assert!(
            !folder.join(book).exists() || text.contains("0 positions"),
            "{text}"
        );
        let text = build(&folder, book, &["--min-games", "1"]);
        assert!(text.contains("from 1 game"), "{text}");
    }
    // Polyglot counts every time.
    let text = build(
        &folder,
        "a.bin",
        &["--min-games", "3", "--compat", "polyglot"],
    );
    assert!(text.contains("1 position, 1 move from 1 game"), "{text}");
    // Two games have the first moves; the weight counts all times.
    let other = "[Result \"1-0\"]\n\n1. Nf3 Nf6 1-0\n\n";
    std::fs::write(folder.join("games.pgn"), [SHUFFLE, other].concat()).unwrap();
    let text = build(&folder, "a.bin", &["--min-games", "2", "--scoreless"]);
    assert!(text.contains("2 positions, 2 moves"), "{text}");
    let found = tabia(&folder, &["book", "find", "a.bin", "--json"]).expect(0);
    assert_eq!(found.json()["moves"][0]["weight"], 8);
    let text = build(&folder, "a.bin", &["--min-games", "3", "--scoreless"]);
    assert!(text.contains("empty"), "{text}");
    // A share is one of games, too: 2 of the 3 games with a move here.
    std::fs::write(
        folder.join("games.pgn"),
        [SHUFFLE, other, "[Result \"1-0\"]\n\n1. e4 1-0\n\n"].concat(),
    )
    .unwrap();
    let share = |percent: &str| {
        let options = [
            "--min-games",
            "1",
            "--max-ply",
            "1",
            "--min-percent",
            percent,
        ];
        build(&folder, "a.bin", &options)
    };
    assert!(share("66").contains("1 move "), "{}", share("66"));
    assert!(share("67").contains("empty"), "{}", share("67"));
}

#[test]
fn moves_of_variations_are_of_one_game() {
    let folder = Scratch::new("repeats-variations");
    let game = "[Result \"1-0\"]\n\n1. e4 e5 (1... c5 2. Nf3) (1... c5 2. Nc3) 2. Nf3 1-0\n\n";
    std::fs::write(folder.join("games.pgn"), game).unwrap();
    let options = ["--variations", "--scoreless", "--min-games"];
    let text = build(&folder, "a.bin", &[&options[..], &["2"]].concat());
    assert!(text.contains("empty"), "{text}");
    std::fs::write(folder.join("games.pgn"), game.repeat(2)).unwrap();
    let text = build(&folder, "a.bin", &[&options[..], &["2"]].concat());
    assert!(text.contains("4 positions, 6 moves"), "{text}");
}

#[test]
fn explain_counts_games_and_times() {
    let folder = Scratch::new("repeats-explain");
    let other = "[Result \"0-1\"]\n\n1. Nf3 Nf6 0-1\n\n";
    std::fs::write(folder.join("games.pgn"), [SHUFFLE, other].concat()).unwrap();
    build(&folder, "a.bin", &["--min-games", "1"]);
    let explain = [
        "book",
        "explain",
        "a.bin",
        "games.pgn",
        "--report",
        "r.json",
    ];
    let run = tabia(&folder, &explain).expect(0);
    let text = "2 games: +1 =0 -1 for White, 6 points; played 4 times, each of which gives points";
    assert!(run.err.contains(text), "{}", run.err);
    let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let summary = &report["summary"];
    assert_eq!(
        (&summary["games"], &summary["times"]),
        (&2.into(), &4.into())
    );
    assert_eq!(
        (&summary["white"], &summary["points"]),
        (&1.into(), &6.into())
    );
}
