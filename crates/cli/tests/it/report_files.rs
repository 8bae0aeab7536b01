use crate::common::{tabia, with_games, with_sample};

fn report(folder: &tabia_testkit::Scratch) -> serde_json::Value {
    let text = std::fs::read_to_string(folder.join("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn problems_have_locations_and_rejects_have_bytes() {
    let folder = with_games("report");
    let bad = "[White \"A\"]\n\n1. e4 e5 2. Ke3 {and so on} Nc6 *\n\n[White \"B\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    let args = [
        "convert",
        "games.pgn",
        "bad.pgn",
        "-o",
        "out.pgn",
        "--report",
        "report.json",
        "--rejects",
        "rejects.txt",
    ];
    let run = tabia(&folder, &args).expect(3);
    let report = report(&folder);
    let problem = &report["problems"][0];
    assert_eq!(problem["file"], "bad.pgn");
    assert_eq!(problem["game"], 1, "numbers are those of the file");
    assert_eq!(problem["line"], 3);
    assert!(
        problem["reason"].as_str().unwrap().contains("Ke3"),
        "{problem}"
    );
    assert_eq!(report["command"], "convert");
    assert_eq!(report["summary"]["problems"], 1);
    assert_eq!(report["summary"]["inputs"][0]["games"], 3);
    let rejects = std::fs::read_to_string(folder.join("rejects.txt")).unwrap();
    assert!(rejects.contains("Ke3"), "{rejects} {}", run.err);
}

#[test]
fn losses_are_listed_per_game() {
    let folder = with_sample("losses");
    let args = [
        "convert",
        "mega.cbh",
        "-o",
        "out.pgn",
        "--profile",
        "seven",
        "--report",
        "report.json",
    ];
    tabia(&folder, &args).expect(0);
    let report = report(&folder);
    let losses = report["losses"].as_array().unwrap();
    assert!(!losses.is_empty());
    for loss in losses {
        assert!(loss["game"].as_u64().unwrap() > 0);
        assert!(loss["count"].as_u64().unwrap() > 0);
        assert!(loss["kind"].is_string() && loss["reason"].is_string());
        assert_eq!(loss["file"], "mega.cbh");
    }
    for row in report["summary"]["losses"].as_array().unwrap() {
        let sum: u64 = losses
            .iter()
            .filter(|loss| loss["kind"] == row["kind"])
            .map(|loss| {
                let first = loss["game"].as_u64().unwrap();
                let last = loss["lastGame"].as_u64().unwrap_or(first);
                loss["count"].as_u64().unwrap() * (last + 1 - first)
            })
            .sum();
        assert_eq!(row["count"], sum);
    }
}

/// A command that fails at its result leaves no report about it, and one whose report cannot get its name
/// leaves the old result.
#[test]
fn reports_appear_with_their_results_or_not_at_all() {
    let folder = with_games("report-together");
    std::fs::write(folder.join("old.pgn"), "old").unwrap();
    let before = crate::common::names(&folder);
    let reports = ["--report", "r.json", "--explain", "e.tsv"];
    let dedupe = |output: &str| {
        let args = ["dedupe", "games.pgn", "games.pgn", "-o", output];
        tabia(&folder, &[&args[..], &reports].concat())
    };
    dedupe("missing/out.pgn").expect(5);
    assert_eq!(crate::common::names(&folder), before);
    dedupe("out.pgn").expect(0);
    for name in ["out.pgn", "r.json", "e.tsv"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    // Appended games, too.
    let reports = ["--report", "r2.json", "--explain", "e2.tsv"];
    let args = ["append", "games.pgn", "-o", "out.pgn"];
    tabia(&folder, &[&args[..], &reports].concat()).expect(0);
    assert!(folder.join("r2.json").exists() && folder.join("e2.tsv").exists());
    let args = [
        "archive",
        "create",
        "a.zip",
        "games.pgn",
        "--report",
        "r3.json",
    ];
    tabia(&folder, &args).expect(0);
    assert!(folder.join("r3.json").exists() && folder.join("a.zip").exists());
    // In a folder of its own.
    std::fs::create_dir(folder.join("reports")).unwrap();
    let args = ["convert", "games.pgn", "-o", "out.pgn", "--force"];
    let report = [
        "--report",
        "reports/r.json",
        "--rejects",
        "reports/rejects.txt",
    ];
    tabia(&folder, &[&args[..], &report].concat()).expect(0);
    assert!(folder.join("reports/r.json").exists() && folder.join("reports/rejects.txt").exists());
    let hidden = crate::common::names(&folder)
        .into_iter()
        .filter(|name| name.starts_with('.'));
    assert_eq!(hidden.count(), 0);
}

#[test]
fn problems_of_info_have_their_file_and_a_reason_without_it() {
    let folder = with_sample("report-info");
    std::fs::remove_file(folder.join("mega.cbs")).unwrap();
    for verb in ["info", "check"] {
        let args = [verb, "mega.cbh", "--report", "report.json"];
        tabia(&folder, &args).expect(3);
        let report = report(&folder);
        let problems = report["problems"].as_array().unwrap();
        assert_eq!(report["summary"]["problems"], problems.len(), "{verb}");
        let problem = &problems[0];
        assert_eq!(problem["file"], "mega.cbs", "{verb}: {problem}");
        let reason = problem["reason"].as_str().unwrap();
        assert!(!reason.contains("mega"), "{verb}: {reason}");
        std::fs::remove_file(folder.join("report.json")).unwrap();
    }
}

#[test]
fn a_deep_check_reports_each_problem_once() {
    let folder = with_sample("report-once");
    let path = folder.join("mega.cbg");
    let whole = std::fs::read(&path).unwrap();
    let mut moves = 0;
    for at in (60..whole.len()).step_by(whole.len() / 12) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        std::fs::write(&path, bytes).unwrap();
        let run = tabia(&folder, &["check", "--deep", "-v", "mega.cbh"]);
        let mut lines: Vec<&str> = run.err.lines().collect();
        moves += lines.iter().filter(|line| line.contains(", ply ")).count();
        let count = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), count, "byte {at}: {}", run.err);
    }
    assert!(moves > 0);
}

#[test]
fn force_replaces_the_report_of_every_verb() {
    let folder = with_games("report-replaced");
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "book.bin",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    tabia(&folder, &["archive", "create", "games.zip", "games.pgn"]).expect(0);
    let verbs: [&[&str]; 18] = [
        &["ls", "games.pgn"],
        &["info", "games.pgn"],
        &["show", "games.pgn", "-g", "1"],
        &["check", "games.pgn"],
        &["stats", "games.pgn"],
        &["tree", "games.pgn"],
        &["eco", "games.pgn"],
        &["search", "games.pgn", "player:a"],
        &["search", "games.pgn", "player:a", "--explain"],
        &["names", "games.pgn"],
        &["novelty", "games.pgn", "--base", "games.pgn"],
        &["index", "games.pgn"],
        &["archive", "list", "games.zip"],
        &["archive", "test", "games.zip"],
        &["book", "info", "book.bin"],
        &["book", "find", "book.bin"],
        &["book", "line", "book.bin"],
        &["book", "diff", "book.bin", "book.bin"],
    ];
    let path = folder.join("report.json");
    for verb in verbs {
        std::fs::write(&path, "old").unwrap();
        let with_report = [verb, &["--report", "report.json"]].concat();
        let refused = tabia(&folder, &with_report).expect(5);
        assert!(
            refused.err.contains("hint: `--force` replaces it"),
            "{verb:?}: {}",
            refused.err
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old", "{verb:?}");
        let forced = [&with_report[..], &["--force"]].concat();
        let run = tabia(&folder, &forced);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("{\"command\":"),
            "{verb:?}: {text} {}",
            run.err
        );
    }
}
