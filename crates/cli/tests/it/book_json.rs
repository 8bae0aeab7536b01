//! The keys that scripts read from the verbs of `tabia book`, and the codes they end with.

use serde_json::{Value, json};
use tabia_testkit::Scratch;

use crate::books::{entry, with_books, with_six, write_book};
use crate::common::tabia;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(|k| &**k).collect();
    keys.sort_unstable();
    keys
}

fn sorted<const N: usize>(mut keys: [&str; N]) -> Vec<&str> {
    keys.sort_unstable();
    keys.to_vec()
}

/// A report that a command wrote, its fixed parts checked.
fn report(folder: &Scratch, name: &str, command: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["command"], command);
    assert!(report["problems"].is_array() && report["losses"].is_array());
    let summary = &report["summary"];
    assert_eq!(
        summary["problems"].as_u64().unwrap(),
        report["problems"].as_array().unwrap().len() as u64
    );
    assert!(summary["losses"].is_array() && summary["inputs"].is_array());
    report
}

/// A book of the six games with results.
fn counted(folder: &Scratch, name: &str) {
    let build = ["book", "build", "six.pgn", "-o", name, "--min-games", "1"];
    tabia(folder, &build).expect(3);
}

#[test]
fn info_keys() {
    let folder = with_books("json-info");
    let args = [
        "book", "info", "one.bin", "two.bin", "--walk", "--json", "--report", "r.json",
    ];
    let all = tabia(&folder, &args).expect(0).json();
    assert_eq!(all.as_array().unwrap().len(), 2);
    let one = &all[0];
    let expected = [
        "path",
        "format",
        "kind",
        "positions",
        "moves",
        "boards",
        "toMove",
        "reachable",
        "depth",
        "castlings",
        "learn",
        "byWeight",
        "facts",
        "defects",
        "problems",
        "problemList",
    ];
    assert_eq!(keys(one), sorted(expected));
    assert_eq!(
        (&one["path"], &one["kind"]),
        (&json!("one.bin"), &json!("book"))
    );
    assert_eq!(one["toMove"], json!({"white": 2, "black": 1}));
    assert_eq!(
        one["castlings"],
        json!({"kingTakesRook": 0, "kingTwoSteps": 0})
    );
    assert_eq!(
        one["defects"],
        json!([{"name": "moves of weight 0", "count": 1}])
    );
    assert_eq!(
        (&one["problems"], &one["problemList"]),
        (&json!(0), &json!([]))
    );
    report(&folder, "r.json", "book info");
    let folder = with_six("json-info-ctg");
    counted(&folder, "six.ctg");
    let ctg = tabia(&folder, &["book", "info", "six.ctg", "--json"]).json();
    assert_eq!(
        (&ctg[0]["format"], &ctg[0]["games"]),
        (&json!("ctg"), &json!(5))
    );
}

#[test]
fn find_keys() {
    let folder = with_six("json-find");
    counted(&folder, "six.ctg");
    let args = ["book", "find", "six.ctg", "--json", "--report", "r.json"];
    let found = tabia(&folder, &args).expect(0).json();
    let expected = [
        "fen", "white", "draws", "black", "games", "moves", "opening",
    ];
    assert_eq!(keys(&found), sorted(expected));
    assert_eq!(found["fen"], START);
    let e4 = &found["moves"][0];
    let expected = [
        "uci",
        "san",
        "white",
        "draws",
        "black",
        "games",
        "probability",
        "averageRating",
        "performance",
        "annotation",
    ];
    assert_eq!(keys(e4), sorted(expected));
    let counts = ["white", "draws", "black", "games"].map(|key| e4[key].as_u64().unwrap());
    assert_eq!((&e4["uci"], counts), (&json!("e2e4"), [1, 0, 1, 3]));
    assert!(e4["probability"].as_f64().is_some_and(|share| share > 0.5));
    let args = ["book", "find", "six.ctg", "--json", "--moves", "1.e4 c5"];
    let found = tabia(&folder, &args).json();
    assert_eq!(
        found["opening"],
        json!({"eco": "B20", "name": "Sicilian Defense"})
    );
    report(&folder, "r.json", "book find");
    let args = ["book", "find", "six.ctg", "--json", "--moves", "1.h4"];
    let run = tabia(&folder, &args).expect(1);
    assert_eq!(run.json()["moves"], json!([]));
    assert!(run.err.contains("the book does not have the position"));
}

#[test]
fn build_keys() {
    let folder = with_six("json-build");
    let args = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.bin",
        "--min-games",
        "1",
        "--report",
        "r.json",
    ];
    tabia(&folder, &args).expect(3);
    let text = std::fs::read_to_string(folder.join("six.bin.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let expected = [
        "program",
        "format",
        "files",
        "positions",
        "moves",
        "games",
        "options",
        "sources",
        "losses",
    ];
    assert_eq!(keys(&record), sorted(expected));
    let games = json!({"used": 5, "filtered": 0, "bad": 1, "plies": 14});
    assert_eq!(record["games"], games);
    assert_eq!(record["files"][0]["path"], "six.bin");
    let expected = [
        "maxPly",
        "minGames",
        "minScore",
        "onlyWhite",
        "onlyBlack",
        "scoreless",
        "variations",
        "uniform",
        "recency",
        "stretch",
        "compat",
        "games",
        "includeDeleted",
        "where",
        "leastElo",
        "allMoves",
        "names",
        "gameLinks",
        "append",
    ];
    assert_eq!(keys(&record["options"]), sorted(expected));
    let report = report(&folder, "r.json", "book build");
    assert_eq!(report["problems"][0]["game"], 3);
    let summary = &report["summary"];
    for key in ["positions", "moves", "games"] {
        assert_eq!(summary[key], record[key], "{key}");
    }
    assert_eq!(summary["files"], json!(["six.bin"]));
}

#[test]
fn merge_and_convert_keys() {
    let folder = with_six("json-merge");
    counted(&folder, "six.ctg");
    write_book(&folder, "one.bin", &[("", "e4", 30), ("", "d4", 10)]);
    let args = [
        "book",
        "merge",
        "six.ctg",
        "one.bin",
        "-o",
        "both.bin",
        "--report",
        "merged.json",
    ];
    tabia(&folder, &args).expect(0);
    let info = tabia(&folder, &["book", "info", "both.bin", "--json"]).json();
    let merged = report(&folder, "merged.json", "book merge");
    for key in ["positions", "moves"] {
        assert_eq!(merged["summary"][key], info[0][key], "{key}");
    }
    assert_eq!(merged["summary"]["files"], json!(["both.bin"]));
    let size = std::fs::metadata(folder.join("both.bin")).unwrap().len();
    assert_eq!(merged["summary"]["bytes"], size);
    // Weights and results at once are more than a CTG book holds.
    let args = [
        "book",
        "convert",
        "both.bin",
        "-o",
        "both.ctg",
        "--report",
        "converted.json",
    ];
    tabia(&folder, &args).expect(0);
    let converted = report(&folder, "converted.json", "book convert");
    let losses = &converted["summary"]["losses"];
    assert_eq!(converted["losses"][0]["kind"], "bookWeights");
    assert_eq!(converted["losses"][0]["file"], "both.ctg");
    assert_eq!(losses[0]["count"], converted["losses"][0]["count"]);
    let args = [
        "book",
        "convert",
        "one.bin",
        "-o",
        "lines.pgn",
        "--report",
        "lines.json",
    ];
    tabia(&folder, &args).expect(0);
    let lines = report(&folder, "lines.json", "book convert");
    assert_eq!(lines["summary"]["lines"], 2);
    assert_eq!(lines["summary"]["positions"], 1);
}

/// An Arena book is a tree and cannot hold positions that its moves do not reach.
#[test]
fn unreachable_positions_are_not_counted_as_written() {
    let folder = with_six("json-tree");
    write_book(
        &folder,
        "far.ctg",
        &[("", "e4", 3), ("e4", "c5", 2), ("d4 d5 c4", "e6", 1)],
    );
    for verb in ["convert", "merge"] {
        let args = [
            "book", verb, "far.ctg", "-o", "far.abk", "--report", "r.json", "--force",
        ];
        let run = tabia(&folder, &args).expect(3);
        assert!(run.err.contains("2 positions, 2 moves"), "{}", run.err);
        let report = report(&folder, "r.json", &format!("book {verb}"));
        let info = tabia(&folder, &["book", "info", "far.abk", "--json"]).json();
        for key in ["positions", "moves"] {
            assert_eq!(report["summary"][key], info[0][key], "{key}");
        }
        assert_eq!(report["losses"][0]["kind"], "bookMoves");
    }
    let build = [
        "book",
        "build",
        "six.pgn",
        "-o",
        "six.abk",
        "--min-games",
        "1",
        "--only-black",
    ];
    // Nothing is written, although one of the games is bad.
    let run = tabia(&folder, &build).expect(1);
    assert!(run.err.contains("the book is empty"), "{}", run.err);
}

#[test]
fn diff_keys() {
    let folder = with_books("json-diff");
    let args = [
        "book", "diff", "one.bin", "two.bin", "--json", "--report", "r.json",
    ];
    let rows = tabia(&folder, &args).expect(0).json();
    let rows = rows.as_array().unwrap();
    let expected = [
        "change",
        "key",
        "fen",
        "move",
        "first",
        "second",
        "games",
        "gamesThen",
        "annotation",
        "annotationThen",
        "differs",
        "line",
        "san",
    ];
    for row in rows {
        assert_eq!(keys(row), sorted(expected));
    }
    let e4 = rows.iter().find(|row| row["move"] == "e2e4").unwrap();
    assert_eq!(
        (&e4["change"], &e4["differs"]),
        (&json!("changed"), &json!(["weight"]))
    );
    assert_eq!((&e4["first"], &e4["second"]), (&json!(30), &json!(1)));
    assert_eq!(e4["key"], "463b96181691fc9c");
    let c4 = rows.iter().find(|row| row["move"] == "c2c4").unwrap();
    assert_eq!(
        (&c4["change"], &c4["differs"]),
        (&json!("added"), &Value::Null)
    );
    let summary = &report(&folder, "r.json", "book diff")["summary"];
    let sums = ["same", "changed", "removed", "added"].map(|key| summary[key].as_u64().unwrap());
    assert_eq!(sums, [0, 1, 4, 1]);
}

#[test]
fn fix_keys() {
    let folder = Scratch::new("json-fix");
    let start = tabia::core::chess::Position::standard().key();
    let bytes = [
        entry(start, 0x031c, 2),
        entry(start, 0x031c, 1),
        entry(start, 0, 4),
    ];
    std::fs::write(folder.join("bad.bin"), bytes.concat()).unwrap();
    let args = [
        "book", "fix", "bad.bin", "-o", "good.bin", "--report", "r.json",
    ];
    tabia(&folder, &args).expect(3);
    let report = report(&folder, "r.json", "book fix");
    let expected = json!([
        {"file": "bad.bin", "reason": "1 repeat added up"},
        {"file": "bad.bin", "reason": "1 entry without a move dropped"},
    ]);
    assert_eq!(report["problems"], expected);
    assert_eq!(report["summary"]["moves"], 1);
    let again = ["book", "fix", "good.bin", "-o", "again.bin"];
    tabia(&folder, &again).expect(0);
}

#[test]
fn edit_keys() {
    let folder = with_six("json-edit");
    counted(&folder, "six.ctg");
    let rows = |book: &str| {
        let run = tabia(&folder, &["book", "edit", book, "--json"]).expect(0);
        run.json().as_array().unwrap().clone()
    };
    let expected = [
        "key",
        "fen",
        "move",
        "weight",
        "games",
        "white",
        "draws",
        "black",
        "averageRating",
        "performance",
        "annotation",
        "advice",
        "comment",
        "learn",
    ];
    let all = rows("six.ctg");
    assert!(all.len() > 8);
    for row in &all {
        assert_eq!(keys(row), sorted(expected));
    }
    let advice = |book: &str, m: &str| {
        let rows = rows(book);
        let row = rows
            .iter()
            .find(|row| row["fen"] == START && row["move"] == m);
        row.unwrap()["advice"].clone()
    };
    assert_eq!(advice("six.ctg", "e2e4"), Value::Null);
    let edit = |from: &str, to: &str, m: &str, advice: &str| {
        let args = [
            "book", "edit", from, "--move", m, "--advice", advice, "-o", to, "--report", "r.json",
            "--force",
        ];
        tabia(&folder, &args)
    };
    edit("six.ctg", "green.ctg", "e4", "play").expect(0);
    edit("green.ctg", "red.ctg", "d4", "avoid").expect(0);
    assert_eq!(
        report(&folder, "r.json", "book edit")["summary"]["files"][0],
        "red.ctg"
    );
    assert_eq!(advice("red.ctg", "e2e4"), "play");
    assert_eq!(advice("red.ctg", "d2d4"), "avoid");
    let found = tabia(&folder, &["book", "find", "red.ctg", "--json"]).json();
    let d4 = found["moves"].as_array().unwrap().iter();
    let d4 = d4.clone().find(|m| m["san"] == "d4").unwrap();
    assert_eq!(
        (&d4["recommended"], &d4["weight"]),
        (&json!(false), &json!(0))
    );
    edit("red.ctg", "plain.ctg", "d4", "none").expect(0);
    assert_eq!(advice("plain.ctg", "d2d4"), Value::Null);
    // Rows carry it over.
    let csv = tabia(&folder, &["book", "edit", "red.ctg", "--csv"]).expect(0);
    std::fs::write(folder.join("rows.csv"), csv.out).unwrap();
    let args = [
        "book", "edit", "six.ctg", "--import", "rows.csv", "-o", "rows.ctg",
    ];
    tabia(&folder, &args).expect(0);
    assert_eq!(advice("rows.ctg", "d2d4"), "avoid");
    write_book(&folder, "one.bin", &[("", "e4", 30)]);
    edit("one.bin", "x.bin", "e4", "play").expect(2);
    edit("six.ctg", "x.ctg", "e4", "perhaps").expect(2);
}

#[test]
fn explain_keys() {
    let folder = with_six("json-explain");
    counted(&folder, "six.bin");
    let args = [
        "book", "explain", "six.bin", "six.pgn", "--move", "e4", "--json", "--report", "r.json",
    ];
    let rows = tabia(&folder, &args).expect(3).json();
    let expected = [
        "source", "game", "ply", "move", "white", "whiteElo", "black", "blackElo", "result",
        "date", "points",
    ];
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_eq!(keys(row), sorted(expected));
        assert_eq!(
            (&row["source"], &row["move"]),
            (&json!("six.pgn"), &json!("e4"))
        );
    }
    assert_eq!((&rows[0]["game"], &rows[0]["ply"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&rows[0]["whiteElo"], &rows[0]["points"]),
        (&json!(2500), &json!(2))
    );
    assert_eq!(rows[2]["date"], Value::Null);
    let summary = &report(&folder, "r.json", "book explain")["summary"];
    assert_eq!(
        (&summary["games"], &summary["points"]),
        (&json!(4), &json!(4))
    );
}

#[test]
fn novelty_keys() {
    let folder = with_books("json-novelty");
    std::fs::write(folder.join("games.pgn"), "1. e4 c5 2. c3 *\n\n1. e4 *\n").unwrap();
    let args = [
        "book",
        "novelty",
        "games.pgn",
        "--book",
        "one.bin",
        "-o",
        "marked.pgn",
        "--report",
        "r.json",
    ];
    tabia(&folder, &args).expect(0);
    let summary = &report(&folder, "r.json", "book novelty")["summary"];
    let sums = ["games", "left", "inside"].map(|key| summary[key].as_u64().unwrap());
    assert_eq!(sums, [2, 1, 1]);
    let tree = ["show", "marked.pgn", "--game", "1", "--json"];
    let game = tabia(&folder, &tree).json();
    let marked = &game["moves"][2];
    assert_eq!(marked["san"], "c3");
    assert_eq!(marked["annotations"][0], json!({"type": "nag", "nag": 146}));
}

/// Values that one of the formats cannot hold are not compared.
#[test]
fn books_of_two_formats_are_compared_by_common_values() {
    let folder = with_six("json-formats");
    counted(&folder, "six.ctg");
    counted(&folder, "six.abk");
    counted(&folder, "six.bin");
    let rows = |first: &str, second: &str| {
        let run = tabia(&folder, &["book", "diff", first, second, "--json"]).expect(0);
        run.json().as_array().unwrap().clone()
    };
    let changed = |rows: Vec<Value>| rows.iter().filter(|row| row["change"] == "changed").count();
    // Arena takes the game without a result for a draw.
    let differing = rows("six.ctg", "six.abk");
    let differing = differing.iter().filter(|row| row["change"] == "changed");
    let differing: Vec<(&Value, &Value)> = differing
        .map(|row| (&row["move"], &row["differs"]))
        .collect();
    let results = json!(["results"]);
    assert_eq!(differing.len(), 2, "{differing:?}");
    for m in ["e2e4", "c7c5"] {
        assert!(differing.contains(&(&json!(m), &results)), "{differing:?}");
    }
    assert_eq!(changed(rows("six.ctg", "six.bin")), 0);
    let edit = [
        "book", "edit", "six.bin", "--move", "e4", "--weight", "9", "-o", "nine.bin",
    ];
    tabia(&folder, &edit).expect(0);
    assert_eq!(changed(rows("six.bin", "nine.bin")), 1);
}

#[test]
fn folders_and_other_files_are_no_books() {
    let folder = with_six("json-folder");
    counted(&folder, "six.bin");
    std::fs::create_dir(folder.join("all")).unwrap();
    for name in ["six.bin", "six.pgn"] {
        std::fs::copy(folder.join(name), folder.join("all").join(name)).unwrap();
    }
    let info = tabia(&folder, &["book", "info", "all", "--json"])
        .expect(0)
        .json();
    assert_eq!(info.as_array().unwrap().len(), 1);
    tabia(&folder, &["book", "find", "all"]).expect(0);
    let run = tabia(&folder, &["book", "info", "six.pgn"]).expect(2);
    assert!(run.err.contains("six.pgn is not a book"), "{}", run.err);
    let import = [
        "book", "edit", "six.bin", "--import", "six.pgn", "-o", "new.bin",
    ];
    let run = tabia(&folder, &import).expect(4);
    assert!(run.err.contains("names no columns"), "{}", run.err);
}

#[test]
fn line_keys() {
    let folder = with_books("json-line");
    let args = [
        "book", "line", "one.bin", "--best", "--json", "--report", "r.json",
    ];
    let lines = tabia(&folder, &args).expect(0).json();
    let expected = json!([{
        "moves": "1. e4 c5 2. Nf3",
        "plies": 3,
        "opening": "B27 Sicilian Defense",
        "uci": ["e2e4", "c7c5", "g1f3"],
    }]);
    assert_eq!(lines, expected);
    report(&folder, "r.json", "book line");
    let run = tabia(
        &folder,
        &["book", "line", "one.bin", "--moves", "h4", "--json"],
    )
    .expect(1);
    assert_eq!(run.json(), json!([]));
}

#[test]
fn contradictory_options_are_refused() {
    let folder = with_six("json-usage");
    write_book(&folder, "one.bin", &[("", "e4", 30)]);
    let build = |more: &[&str]| {
        let mut args = vec!["book", "build", "six.pgn", "-o", "x.bin"];
        args.extend_from_slice(more);
        tabia(&folder, &args)
    };
    for (option, value) in [
        ("--max-ply", "0"),
        ("--min-score", "101"),
        ("--min-score", "-1"),
        ("--min-score", "nan"),
        ("--recency", "0"),
        ("--memory", "1M"),
    ] {
        let run = build(&[&format!("{option}={value}")]).expect(2);
        assert!(run.err.contains(option), "{}", run.err);
    }
    for args in [
        vec!["line", "one.bin", "--plies", "0"],
        vec!["line", "one.bin", "--count", "0"],
        vec!["convert", "one.bin", "--plies", "0"],
        vec!["convert", "one.bin", "--to", "bin"],
        vec!["merge", "one.bin", "-o", "x.png"],
        vec!["fix", "one.bin", "-o", "x.ctg"],
        vec!["find", "one.bin", "--moves", "e5"],
        vec!["edit", "one.bin", "-o", "x.bin"],
    ] {
        let args = [vec!["book"], args].concat();
        tabia(&folder, &args).expect(2);
    }
    let run = build(&["--min-games=5"]).expect(1);
    assert!(
        run.err.contains("`--min-games 1` counts all"),
        "{}",
        run.err
    );
    assert!(run.err.contains("the book is empty"), "{}", run.err);
}

#[test]
fn failing_inputs_and_outputs_have_exit_codes() {
    let folder = with_books("json-codes");
    std::fs::write(folder.join("games.pgn"), "1. e4 *\n").unwrap();
    for verb in [
        vec!["info", "no.bin"],
        vec!["find", "no.bin"],
        vec!["line", "no.bin"],
        vec!["merge", "one.bin", "no.bin", "-o", "x.bin"],
        vec!["convert", "no.bin", "-o", "x.bin"],
        vec!["diff", "one.bin", "no.bin"],
        vec!["fix", "no.bin", "-o", "x.bin"],
        vec!["edit", "no.bin"],
        vec!["explain", "no.bin", "games.pgn"],
        vec!["explain", "one.bin", "no.pgn"],
        vec!["novelty", "games.pgn", "--book", "no.bin"],
        vec!["build", "no.pgn", "-o", "x.bin"],
    ] {
        let args = [vec!["book"], verb].concat();
        tabia(&folder, &args).expect(4);
    }
    for verb in [
        vec!["convert", "one.bin", "-o", "two.bin"],
        vec!["convert", "one.bin", "-o", "games.pgn"],
        vec!["fix", "one.bin", "-o", "two.bin"],
        vec![
            "edit", "one.bin", "--move", "e4", "--weight", "1", "-o", "two.bin",
        ],
        vec!["build", "games.pgn", "-o", "two.bin"],
        vec!["info", "one.bin", "--report", "two.bin"],
    ] {
        let args = [vec!["book"], verb].concat();
        tabia(&folder, &args).expect(5);
    }
    let own = ["book", "merge", "one.bin", "two.bin", "-o", "two.bin"];
    tabia(&folder, &own).expect(2);
    let exists = ["book", "novelty", "games.pgn", "--book", "one.bin", "-o"];
    tabia(&folder, &[exists.as_slice(), &["games.pgn"]].concat()).expect(5);
    assert_eq!(folder.names(), ["games.pgn", "one.bin", "two.bin"]);
}

/// Machines get the same number in every format, people percent.
#[test]
fn a_probability_is_a_share_in_every_format_for_scripts() {
    let folder = with_six("share-find");
    counted(&folder, "six.ctg");
    let find = |style: &str| tabia(&folder, &["book", "find", "six.ctg", style]).expect(0);
    let share = find("--json").json()["moves"][0]["probability"].to_string();
    assert!(share.starts_with("0."), "{share}");
    for (style, separator) in [("--csv", ','), ("--tsv", '\t')] {
        let rows = find(style).out;
        let mut rows = rows
            .lines()
            .map(|row| row.split(separator).collect::<Vec<_>>());
        let (names, first) = (rows.next().unwrap(), rows.next().unwrap());
        let at = names
            .iter()
            .position(|name| *name == "probability")
            .unwrap();
        assert_eq!(first[at], share, "{style}");
    }
    let table = find("--table").out;
    assert!(!table.contains(&share), "{table}");
}
