//! Sets with a file that is missing or cut off: what many records lack for one cause is one problem.

use std::fmt::Write as _;
use std::path::Path;

use tabia_testkit::Scratch;

use crate::common::{command, names, tabia};

const GAMES: u32 = 40;
/// Lines of messages: some for the set, one for the records, one for a record that is cut.
const MAX_LINES: usize = 5;
const MAX_REPORT: usize = 1500;

fn games() -> String {
    let mut text = String::new();
    for number in 0..GAMES {
        let _ = write!(
            text,
            "[Event \"Event {number}\"]\n[Site \"Site {number}\"]\n[Date \"2001.02.03\"]\n\
                 [Round \"{number}\"]\n[White \"White {number}\"]\n[Black \"Black {number}\"]\n\
                 [Result \"1-0\"]\n[Annotator \"Author {number}\"]\n[Source \"Book {number}\"]\n\n\
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
    if args[0] != "ls" {
        command.args(["--report", "report.json", "--force"]);
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
            // Without the index there are no records; the others can be made again.
            if [main.as_str(), "db.2lcd", "db.2lgd"].contains(&file.as_str()) {
                continue;
            }
            let path = folder.join(file);
            let whole = std::fs::read(&path).unwrap();
            for cut in [None, Some(0), Some(whole.len() / 2), Some(whole.len() - 1)] {
                match cut {
                    Some(cut) => std::fs::write(&path, &whole[..cut]).unwrap(),
                    None => std::fs::remove_file(&path).unwrap(),
                }
                let what = format!("{file} cut at {cut:?}");
                let (code, lines, size) = run(folder.path(), &["convert", &main, "-o", "out.pgn"]);
                assert!(lines <= MAX_LINES + 3, "{what}: {lines} lines");
                // Codes of comments of which Scid's text is left.
                assert!(
                    size < MAX_REPORT || code == 0 || cut.is_none(),
                    "{what}: {size} bytes"
                );
                if code == 3 {
                    noticed += 1;
                    let (code, lines, _) = run(folder.path(), &["ls", &main]);
                    assert_eq!(code, 3, "{what}");
                    assert!(lines <= 2, "{what}: {lines} lines");
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
