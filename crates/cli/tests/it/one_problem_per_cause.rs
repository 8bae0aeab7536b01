//! Sets with a file that is missing or cut off: what many records lack for one cause is one problem.

use std::fmt::Write as _;
use std::path::Path;

use tabia_testkit::Scratch;

use crate::common::{command, names, tabia};

const GAMES: u32 = 40;
/// Lines of messages: some for the set, one for the records, one for a record that is cut.
const MAX_LINES: usize = 5;
const MAX_REPORT: usize = 1500;
/// With the reasons of one record, and what the target cannot hold.
const MAX_REPAIR_REPORT: usize = 2500;

fn games() -> String {
    let mut text = String::new();
    for number in 0..GAMES {
        let _ = write!(
            text,
            "[Event \"Event {number}\"]\n[Site \"Site {number}\"]\n[Date \"2001.02.03\"]\n\
                 [Round \"{number}\"]\n[White \"White {number}\"]\n[Black \"Black {number}\"]\n\
                 [Result \"1-0\"]\n[Annotator \"Author {number}\"]\n[Source \"Book {number}\"]\n\
                 [WhiteTeam \"Club {number}\"]\n[CbGameTagEnglish \"Title {number}\"]\n\n\
                 1. e4 {{a comment}} e5 2. Nf3 (2. f4) Nc6 1-0\n\n"
        );
    }
    text
}

/// Exit code, lines of standard error, and bytes of the report.
fn run(folder: &Path, args: &[&str]) -> (i32, usize, usize) {
    let report = folder.join("report.json");
    let mut command = command(folder);
    command.args(args);
    if !["ls", "info"].contains(&args[0]) {
        command.args(["--report", "report.json"]);
        if args[0] != "check" {
            command.arg("--force");
        }
    }
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    let size = std::fs::read(&report).map_or(0, |bytes| bytes.len());
    let _ = std::fs::remove_file(report);
    (output.status.code().unwrap(), err.lines().count(), size)
}

#[test]
fn what_records_lack_for_one_cause_is_one_problem() {
    let folder = Scratch::new("causes");
    std::fs::write(folder.join("games.pgn"), games()).unwrap();
    let mut noticed = 0;
    for format in ["si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        let main = format!("db.{format}");
        tabia(&folder, &["convert", "games.pgn", "-o", &main]).expect(0);
        let files = names(&folder);
        for file in files.iter().filter(|name| name.starts_with("db.")) {
            // Without the index there are no records.
            if *file == main {
                continue;
            }
            let path = folder.join(file);
            let whole = std::fs::read(&path).unwrap();
            // What these contain can be computed; only a deep check reads them.
            let is_computed = ["db.2lcd", "db.2lgd"].contains(&file.as_str());
            let cuts = [None, Some(0), Some(whole.len() / 2), Some(whole.len() - 1)];
            for cut in cuts.into_iter().filter(|cut| cut.is_none() || !is_computed) {
                match cut {
                    Some(cut) => std::fs::write(&path, &whole[..cut]).unwrap(),
                    None => std::fs::remove_file(&path).unwrap(),
                }
                let what = format!("{file} cut at {cut:?}");
                let (code, lines, size) = run(folder.path(), &["convert", &main, "-o", "out.pgn"]);
                // With the counts, and what to do about a damaged set.
                assert!(lines <= MAX_LINES + 4, "{what}: {lines} lines");
                // Codes of comments of which Scid's text is left.
                assert!(size < MAX_REPORT || code == 0, "{what}: {size} bytes");
                // Lists of files are referred to by texts.
                assert!(cut.is_some() || code == 3 || file == "db.cbm", "{what}");
                if code == 3 {
                    noticed += 1;
                    let (code, lines, _) = run(folder.path(), &["ls", &main]);
                    assert_eq!(code, 3, "{what}");
                    // With what to do about it.
                    assert!(lines <= 3, "{what}: {lines} lines");
                    for verb in ["info", "check"] {
                        let (code, lines, _) = run(folder.path(), &[verb, &main]);
                        assert_eq!(code, 3, "{verb}: {what}");
                        assert!(lines <= 4, "{verb}: {what}: {lines} lines");
                    }
                    let (_, lines, size) = run(folder.path(), &["repair", &main, "-o", "out.pgn"]);
                    assert!(lines <= MAX_LINES + 8, "{what}: {lines} lines of a repair");
                    assert!(
                        size < MAX_REPAIR_REPORT || cut.is_some(),
                        "{what}: {size} bytes"
                    );
                }
            }
            std::fs::write(&path, &whole).unwrap();
        }
        for file in files.iter().filter(|name| name.starts_with("db.")) {
            std::fs::remove_file(folder.join(file)).unwrap();
        }
    }
    assert!(noticed > 60, "{noticed}");
}

/// A repair accounts for every record, and reports the cause once.
#[test]
fn a_repair_lists_every_record_that_lacks_something() {
    let folder = Scratch::new("causes-repair");
    std::fs::write(folder.join("games.pgn"), games()).unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", "db.cbh"]).expect(0);
    std::fs::remove_file(folder.join("db.cba")).unwrap();
    let args = ["repair", "db.cbh", "-o", "saved.si5", "--json"];
    let run = tabia(&folder, &args).expect(3);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found["damaged"], GAMES, "{}", run.out);
    let warnings = run.err.lines().filter(|line| line.starts_with("warning"));
    assert!(warnings.count() <= 2, "{}", run.err);
    let expected = format!("{} more records lack something", GAMES - 1);
    assert!(run.err.contains(&expected), "{}", run.err);
}

/// Sets of ChessBase 6 have none of these files, and those of later versions only some.
#[test]
fn sets_of_old_versions_lack_no_file() {
    let folder = Scratch::new("causes-old");
    std::fs::write(folder.join("games.pgn"), "1. e4 e5 *\n\n1. d4 *\n").unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", "db.cbh"]).expect(0);
    for extension in ["cbl", "cbtt", "cbm", "cbj", "cbe"] {
        std::fs::remove_file(folder.join("db.cbh").with_extension(extension)).unwrap();
        // The games have no titles; without `.cbl`, `.cbj` shows that there was a `.cbtt`.
        let has_problem = ["cbtt", "cbm"].contains(&extension);
        for verb in ["ls", "info", "check"] {
            let code = if has_problem { 3 } else { 0 };
            tabia(&folder, &[verb, "db.cbh"]).expect(code);
        }
    }
}

/// The report of a repair accounts for every record: those that follow each other and lack the same have
/// one row.
#[test]
fn records_that_lack_the_same_have_one_row() {
    let folder = Scratch::new("causes-rows");
    std::fs::write(folder.join("games.pgn"), games()).unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", "db.si4"]).expect(0);
    let names = folder.join("db.sn4");
    let whole = std::fs::read(&names).unwrap();
    for (cut, most) in [(0, 1), (whole.len() / 2, GAMES as usize)] {
        std::fs::write(&names, &whole[..cut]).unwrap();
        let args = ["repair", "db.si4", "-o", "saved.pgn", "--force", "--json"];
        let run = tabia(&folder, &[&args[..], &["--report", "report.json"]].concat()).expect(3);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let report = std::fs::read(folder.join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let rows = report["records"].as_array().unwrap();
        assert_eq!(found["recordList"].as_array(), Some(rows));
        assert!(rows.len() <= most, "{cut}: {}", rows.len());
        let mut next = 1;
        let mut count = 0;
        let mut with_reasons = Vec::new();
        for row in rows {
            let first = row["game"].as_u64().unwrap();
            let last = row["lastGame"].as_u64().unwrap_or(first);
            assert!(first >= next && row["savedAs"] == first, "{row}");
            next = last + 1;
            count += last + 1 - first;
            let reasons = row["reasons"].as_array().unwrap();
            if let Some(other) = row["like"].as_u64() {
                assert!(reasons.is_empty() && with_reasons.contains(&other));
            } else {
                assert!(!reasons.is_empty(), "{row}");
                with_reasons.push(first);
            }
        }
        assert_eq!(found["damaged"], count, "{cut}");
    }
}
