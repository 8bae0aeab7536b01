//! `--salvage`: a damaged database is repaired before it is changed.

use tabia_testkit::Scratch;

use crate::common::{names, tabia};

const OLD: &str = "[White \"Adams\"]\n[Black \"Baker\"]\n\n1. e4 e5 *\n\n\
    [White \"Clark\"]\n[Black \"Davis\"]\n\n1. d4 d5 *\n\n\
    [White \"Evans\"]\n[Black \"Frank\"]\n\n1. c4 c5 *\n\n";
const NEW: &str = "[White \"Ghosh\"]\n[Black \"Hills\"]\n\n1. b3 e5 *\n\n";

/// A database whose last player is lost.
fn damaged(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("old.pgn"), OLD).unwrap();
    std::fs::write(folder.join("new.pgn"), NEW).unwrap();
    tabia(&folder, &["convert", "old.pgn", "-o", "mega.cbh"]).expect(0);
    let path = folder.join("mega.cbp");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() - 10]).unwrap();
    folder
}

fn whites(folder: &Scratch, main: &str) -> String {
    let args = ["ls", main, "--columns", "white", "--no-header"];
    let out = tabia(folder, &args).expect(0).out;
    out.replace('\n', " ").trim_end().to_owned()
}

const CHANGES: [&[&str]; 4] = [
    &["append", "new.pgn", "-o", "mega.cbh"],
    &["convert", "new.pgn", "-o", "mega.cbh", "--append"],
    &["edit", "mega.cbh", "-o", "copy.cbh", "--delete", "2"],
    &["edit", "mega.cbh", "-o", "copy.cbh", "--pack"],
];

#[test]
fn a_damaged_database_is_refused_with_both_ways() {
    let folder = damaged("salvage-refused");
    let before = names(&folder);
    for args in CHANGES {
        let run = tabia(&folder, args).expect(4);
        assert!(run.err.contains("`tabia repair"), "{}", run.err);
        assert!(run.err.contains("`--salvage`"), "{}", run.err);
        assert_eq!(names(&folder), before);
    }
    let args = ["convert", "new.pgn", "-o", "mega.cbh", "--salvage"];
    tabia(&folder, &args).expect(2);
}

#[test]
fn a_damaged_database_is_repaired_and_changed() {
    for args in CHANGES {
        let folder = damaged("salvage-changed");
        let report = folder.join("report.json");
        let with_report = ["--salvage", "--report", "report.json"];
        let run = tabia(&folder, &[args, &with_report].concat()).expect(3);
        assert!(run.err.contains("recovered with losses"), "{}", run.err);
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
        assert_eq!(report["records"][0]["game"], 3, "{report}");
        let (main, expected) = match (args[0], args.contains(&"--pack")) {
            ("edit", true) => ("copy.cbh", "Adams Clark Evans"),
            ("edit", false) => ("copy.cbh", "Adams Evans"),
            _ => ("mega.cbh", "Adams Clark Evans Ghosh"),
        };
        assert_eq!(whites(&folder, main), expected, "{args:?}");
        tabia(&folder, &["check", "--deep", main]).expect(0);
        assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
        // What is sound is changed as ever.
        if main == "mega.cbh" {
            let again = tabia(&folder, &[args, &["--salvage"]].concat()).expect(0);
            assert!(again.err.contains("not damaged"), "{}", again.err);
        }
    }
}
