//! `--strict`: the first problem ends a command, and what was found until then is a complete document.

use serde_json::Value;
use tabia_testkit::Scratch;

use crate::common::{tabia, with_games};

/// `games.pgn`, which is sound, and two files with an illegal move each.
fn with_damage(name: &str) -> Scratch {
    let folder = with_games(name);
    let bad = "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"C\"]\n\n1. d4 *\n";
    for file in ["bad.pgn", "worse.pgn"] {
        std::fs::write(folder.join(file), bad).unwrap();
    }
    folder
}

#[test]
fn rows_until_the_first_problem_are_a_document() {
    let folder = with_damage("strict-rows");
    for (verb, code, rows) in [
        (&["check"][..], 3, 2),
        (&["info"], 4, 2),
        (&["index"], 4, 1),
        (&["ls"], 4, 3),
        (&["eco"], 4, 3),
    ] {
        let files = ["games.pgn", "bad.pgn", "worse.pgn", "--json", "--strict"];
        let run = tabia(&folder, &[verb, &files].concat()).expect(code);
        let list = run.json();
        let list = list.as_array().unwrap();
        assert_eq!(list.len(), rows, "{verb:?}: {}", run.out);
        // It is stated once, as what ended the command.
        assert_eq!(run.err.matches("error: ").count(), 1, "{}", run.err);
        assert_eq!(run.err.matches("warning: ").count(), 0, "{}", run.err);
        assert!(run.err.contains("without `--strict`"), "{}", run.err);
        assert!(!run.err.contains("worse.pgn"), "{}", run.err);
        assert!(!folder.join("bad.pgn.tidx").exists());
    }
    let checked = [
        "check", "bad.pgn", "--json", "--strict", "--report", "r.json",
    ];
    let row = &tabia(&folder, &checked).expect(3).json()[0];
    assert_eq!(
        (&row["path"], &row["problems"]),
        (&"bad.pgn".into(), &1.into())
    );
    assert_eq!(row["problemList"][0]["game"], 1);
    let report = std::fs::read(folder.join("r.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn an_input_that_cannot_be_read_is_the_first_problem() {
    let folder = with_games("strict-absent");
    for verb in ["ls", "info", "check", "eco", "stats", "tree"] {
        let files = [verb, "none.pgn", "games.pgn"];
        let run = tabia(&folder, &[&files[..], &["--strict"]].concat()).expect(4);
        assert!(
            !run.out.contains("games.pgn") && !run.out.contains("Carlsen"),
            "{}",
            run.out
        );
        let others = tabia(&folder, &files).expect(4);
        assert!(others.out.lines().count() > 1, "{verb}: {}", others.out);
    }
}

#[test]
fn sums_and_files_are_not_written() {
    let folder = with_damage("strict-sums");
    for args in [
        &["stats", "bad.pgn"][..],
        &["names", "bad.pgn"],
        &["dedupe", "bad.pgn", "--dry-run"],
        &["convert", "bad.pgn"],
        &["convert", "bad.pgn", "-o", "x.pgn"],
        &["book", "build", "bad.pgn", "-o", "x.bin"],
    ] {
        let run = tabia(&folder, &[args, &["--strict"]].concat()).expect(4);
        assert_eq!(run.err.matches("Ke3").count(), 1, "{args:?}: {}", run.err);
        assert!(!folder.join("x.pgn").exists() && !folder.join("x.bin").exists());
        if args[0] != "convert" {
            assert_eq!(run.out, "", "{args:?}");
        }
    }
    let show = ["show", "bad.pgn", "--game", "1-2", "--json", "--strict"];
    tabia(&folder, &show).expect(4);
    std::fs::write(
        folder.join("second.pgn"),
        "[White \"C\"]\n\n1. d4 *\n\n[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n",
    )
    .unwrap();
    let show = ["show", "second.pgn", "--game", "1-2", "--json", "--strict"];
    let shown = tabia(&folder, &show).expect(4).json();
    assert_eq!(shown.as_array().unwrap().len(), 1);
}
