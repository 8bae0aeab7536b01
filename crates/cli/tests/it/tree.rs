//! `tree`: the explorer, with and without a saved index.

use serde_json::Value;
use tabia_testkit::Scratch;

use crate::common::{many_games, tabia, with_sample};

/// Games with transpositions, a repetition, a game that ends early, and a setup position.
const GAMES: &str = r#"[White "Anna"]
[Black "Bert"]
[WhiteElo "2500"]
[BlackElo "2300"]
[Date "2020.05.01"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 1-0

[White "Carl"]
[Black "Dora"]
[WhiteElo "2400"]
[Date "2021.01.02"]
[Result "0-1"]

1. Nf3 Nc6 2. e4 e5 3. Bb5 0-1

[White "Emil"]
[Black "Anna"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nc6 1/2-1/2

[White "Fritz"]
[Black "Gerd"]
[Result "*"]

1. e4 *

[White "Hans"]
[Black "Ida"]
[Result "*"]

*

[White "Karl"]
[Black "Lea"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]
[Result "1-0"]

1. e4 Kd7 1-0
"#;

fn games(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("a.pgn"), GAMES).unwrap();
    folder
}

fn json(folder: &Scratch, args: &[&str]) -> Value {
    let mut all = vec!["tree"];
    all.extend(args);
    all.push("--json");
    let run = tabia(folder, &all);
    serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{args:?}: {}", run.err))
}

#[test]
fn a_game_counts_once_at_its_first_arrival() {
    let folder = games("tree-counts");
    for index in ["never", "require"] {
        let tree = json(&folder, &["a.pgn", "--index", index]);
        assert_eq!(tree["games"], 5, "{tree}");
        assert_eq!(tree["end"]["games"], 1);
        let moves = tree["moves"].as_array().unwrap();
        let summary: Vec<String> = moves
            .iter()
            .map(|m| {
                let keys = ["san", "games", "white", "draws", "black", "childGames"];
                keys.map(|key| m[key].to_string()).join(" ")
            })
            .collect();
        assert_eq!(summary, ["\"e4\" 3 1 1 0 3", "\"Nf3\" 1 0 0 1 1"]);
        assert_eq!(moves[0]["averageRating"], 2500);
        assert_eq!(moves[0]["performance"], 3100);
        assert_eq!(moves[0]["lastPlayed"], "2020.05.01");
        // The game that repeats the position went on with 2...Nf6 first; the other order is counted.
        let line = ["a.pgn", "--line", "1.e4 e5 2.Nf3", "--index", index];
        let tree = json(&folder, &line);
        let moves = tree["moves"].as_array().unwrap();
        let found: Vec<(&str, u64, u64)> = moves
            .iter()
            .map(|m| {
                let number = |key: &str| m[key].as_u64().unwrap();
                (
                    m["san"].as_str().unwrap(),
                    number("games"),
                    number("childGames"),
                )
            })
            .collect();
        assert_eq!(found, [("Nc6", 1, 3), ("Nf6", 1, 1)], "{tree}");
        assert_eq!(tree["topGames"][0]["white"]["name"], "Anna");
        assert_eq!(tree["opening"]["eco"], "C40");
    }
}

#[test]
fn trees_with_and_without_an_index_are_equal() {
    let folder = with_sample("tree-index");
    std::fs::write(folder.join("a.pgn"), GAMES).unwrap();
    for target in ["all.pgn", "all.si4", "all.pgn.zst"] {
        tabia(&folder, &["convert", "mega.cbh", "-o", target, "-q"]);
    }
    for paths in [
        &["mega.cbh"][..],
        &["a.pgn"],
        &["all.pgn"],
        &["all.si4"],
        &["all.pgn.zst"],
        &["a.pgn", "mega.cbh", "all.si4"],
    ] {
        for position in [
            &[][..],
            &["--line", "1.e4"],
            &["--line", "1.e4 e5", "--where", "-result:draw"],
            &["--line", "1.Nf3"],
            &["--line", "e4 e5 Nf3 Nc6", "--include-deleted"],
            &["--where", "date:1850..1899 (takes:Q)", "--moves", "1"],
            &["--fen", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"],
        ] {
            let args = [paths, position].concat();
            let expected = json(&folder, &[&args[..], &["--index", "never"]].concat());
            for options in [["--index", "require", "-j1"], ["--index", "auto", "-j3"]] {
                let found = json(&folder, &[&args[..], &options].concat());
                assert_eq!(found, expected, "{args:?} {options:?}");
            }
        }
    }
}

#[test]
fn rows_begin_with_all_games_and_end_with_those_that_ended() {
    let folder = games("tree-rows");
    let run = tabia(&folder, &["tree", "a.pgn"]).expect(0);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("uci\tsan\tgames\twhite\tdraws\tblack\tscore\taverageRating"));
    assert!(
        lines[1].starts_with("\tall\t5\t1\t1\t1\t50"),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with("e2e4\te4\t3\t"), "{}", lines[2]);
    assert!(lines[4].starts_with("\tend\t1\t0\t0\t0"), "{}", lines[4]);
    let run = tabia(&folder, &["tree", "a.pgn", "--table"]).expect(0);
    assert!(
        run.out.contains('█') && run.out.contains('░'),
        "{}",
        run.out
    );
    let run = tabia(&folder, &["tree", "a.pgn", "--moves", "1", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 3, "{}", run.out);
    tabia(&folder, &["tree", "a.pgn", "--line", "1.a4 a5 2.h4"]).expect(1);
    tabia(&folder, &["tree", "a.pgn", "--line", "1.e5"]).expect(2);
    tabia(
        &folder,
        &["tree", "a.pgn", "--fen", "8/8/8/8/8/8/8/8 w - -"],
    )
    .expect(2);
    tabia(&folder, &["tree", "missing.pgn"]).expect(4);
}

#[test]
fn games_that_ended_have_ratings_and_a_date() {
    let folder = games("tree-ended");
    let args = ["a.pgn", "--line", "e4 e5 Nf3 Nc6"];
    let end = &json(&folder, &args)["end"];
    assert_eq!(
        (&end["games"], &end["averageRating"]),
        (&2.into(), &2500.into())
    );
    assert_eq!(end["lastPlayed"], "2020.05.01");
    let run = tabia(&folder, &[&["tree"], &args[..], &["--ndjson"]].concat()).expect(0);
    let row: Value = serde_json::from_str(run.out.lines().last().unwrap()).unwrap();
    assert_eq!(row["san"], "end");
    for key in [
        "games",
        "white",
        "draws",
        "black",
        "averageRating",
        "performance",
        "lastPlayed",
    ] {
        assert_eq!(row[key], end[key], "{key}");
    }
}

#[test]
fn a_query_without_games_is_no_wrong_position() {
    let folder = games("tree-no-game-fits");
    let tree = |args: &[&str]| {
        tabia(&folder, &[&["tree", "a.pgn"], args].concat())
            .expect(1)
            .err
    };
    let messages = tree(&["--where", "white:nobodyhere"]);
    assert!(messages.contains("no game fits the query"), "{messages}");
    let messages = tree(&["--where", "white:nobodyhere", "--line", "e4"]);
    assert!(
        messages.contains("no game that fits the query reached"),
        "{messages}"
    );
}

/// A game whose moves are not known ended nowhere: one of other rules, of a bughouse match, or whose moves are lost.
#[test]
fn games_without_known_moves_are_at_no_position() {
    let folder = Scratch::new("tree-unknown-moves");
    let game = |tags: &str, moves: &str| {
        format!("{tags}[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    let atomic = game("[Variant \"Atomic\"]\n", "1. Nf3 f6 2. Nd4 c6 3. Nxc6");
    let games = [game("", "1. e4 e5"), atomic.clone(), game("", "")].concat();
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    std::fs::write(folder.join("atomic.pgn"), &atomic).unwrap();
    let matches = "[WhiteA \"A\"][BlackA \"B\"]\n[WhiteB \"C\"][BlackB \"D\"]\n[Result \"1-0\"]\n\n\
         1A. e4 {180} 1B. d4 {179} 1-0\n";
    std::fs::write(folder.join("match.bpgn"), matches).unwrap();
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    for extension in ["si4", "cbh"] {
        let name = format!("many.{extension}");
        tabia(&folder, &["convert", "many.pgn", "-o", &name, "-q"]).expect(0);
    }
    for file in ["many.sg4", "many.cbg"] {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let totals = |name: &str, index: &str| -> (u64, u64) {
        let args = ["tree", name, "--json", "--index", index];
        let tree = tabia(&folder, &args).json();
        (
            tree["games"].as_u64().unwrap(),
            tree["end"]["games"].as_u64().unwrap(),
        )
    };
    for name in ["games.pgn", "match.bpgn", "many.si4", "many.cbh"] {
        let scanned = totals(name, "never");
        match name {
            "games.pgn" => assert_eq!(scanned, (2, 1)),
            "match.bpgn" => assert_eq!(scanned, (0, 0)),
            _ => assert!(
                scanned.1 == 0 && (20..40).contains(&scanned.0),
                "{name}: {scanned:?}"
            ),
        }
        tabia(&folder, &["index", name]);
        assert_eq!(totals(name, "auto"), scanned, "{name} with an index");
    }
    for (name, extension) in [("atomic.pgn", "fen"), ("match.bpgn", "epd")] {
        let run = tabia(&folder, &["convert", name, "--to", extension]);
        assert!(run.out.trim().is_empty(), "{name}: {}", run.out);
        assert!(run.err.contains("moves"), "{name}: {}", run.err);
    }
    let run = tabia(&folder, &["convert", "games.pgn", "--to", "fen"]);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(run.err.contains("Result"), "{}", run.err);
}
