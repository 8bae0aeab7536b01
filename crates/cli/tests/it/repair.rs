use serde_json::Value;
use tabia_testkit::Scratch;

use crate::common::{many_games, names, tabia, with_sample};

/// A database of 200 games in Scid's format.
fn with_scid(name: &str, file: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("many.pgn"), many_games(200)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", file, "-q"]).expect(0);
    folder
}

fn cut(folder: &Scratch, file: &str, length: impl FnOnce(usize) -> usize) {
    let mut bytes = std::fs::read(folder.join(file)).unwrap();
    let length = length(bytes.len());
    bytes.truncate(length);
    std::fs::write(folder.join(file), bytes).unwrap();
}

fn counts(account: &Value) -> [u64; 4] {
    ["records", "whole", "damaged", "lost"].map(|key| account[key].as_u64().unwrap())
}

#[test]
fn intact_databases_are_recovered_completely() {
    let folder = with_scid("repair-sound", "base.si5");
    let run = tabia(&folder, &["repair", "base.si5", "-o", "new.si5", "--json"]).expect(0);
    let account = run.json();
    assert_eq!(counts(&account), [200, 200, 0, 0]);
    assert_eq!(account["format"], "si5");
    for extension in ["si5", "sn5", "sg5"] {
        let bytes = |name: &str| std::fs::read(folder.join(format!("{name}.{extension}"))).unwrap();
        assert!(bytes("base") == bytes("new"), "{extension}");
    }
}

#[test]
fn every_record_is_accounted_for() {
    let folder = with_sample("repair-account");
    let whole = tabia(&folder, &["check", "mega.cbh", "--json"]).expect(0);
    let records = |check: &Value| ["games", "texts"].map(|key| check[0][key].as_u64().unwrap());
    let records: u64 = records(&whole.json()).iter().sum();
    cut(&folder, "mega.cbg", |length| length * 3 / 4);
    let run = tabia(
        &folder,
        &[
            "repair", "mega", "-o", "new.pgn", "--json", "--report", "r.json",
        ],
    )
    .expect(3);
    let account = run.json();
    let [all, whole, damaged, lost] = counts(&account);
    assert_eq!((all, whole + damaged + lost), (records, records));
    assert!(whole > 0 && damaged + lost > 0, "{account}");
    let list = account["recordList"].as_array().unwrap();
    let number_of = |row: &Value, key: &str| row[key].as_u64();
    let of_row = |row: &Value| {
        let first = number_of(row, "game").unwrap();
        number_of(row, "lastGame").unwrap_or(first) + 1 - first
    };
    assert_eq!(list.iter().map(of_row).sum::<u64>(), damaged + lost);
    assert!(
        list.iter()
            .all(|row| row["reasons"][0]["reason"].is_string() || row["like"].is_u64())
    );
    assert!(
        list.iter()
            .all(|row| (row["fate"] == "lost") == row["savedAs"].is_null())
    );
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.join("r.json")).unwrap()).unwrap();
    assert_eq!(report["records"].as_array(), Some(list));
    assert_eq!(report["summary"]["lost"], account["lost"]);
}

#[test]
fn scidb_databases_are_repaired() {
    let folder = with_scid("repair-sci", "base.sci");
    let sound = comments(&folder, "base.sci");
    assert_eq!(sound.len(), 200);
    let run = tabia(&folder, &["repair", "base.sci", "-o", "new.sci", "--json"]).expect(0);
    assert_eq!(counts(&run.json()), [200, 200, 0, 0]);
    // An index without its end, then without anything; a name file without its end.
    cut(&folder, "base.sci", |_| 128 + 56 * 150 + 7);
    let run = tabia(&folder, &["repair", "base.sci", "-o", "cut.sci", "--json"]).expect(3);
    assert_eq!(counts(&run.json()), [200, 150, 50, 0]);
    assert_eq!(comments(&folder, "cut.sci"), sound);
    std::fs::remove_file(folder.join("base.sci")).unwrap();
    cut(&folder, "base.scn", |length| length / 2);
    for (name, target) in [
        ("base", "a.sci"),
        ("base.scg", "b.si5"),
        ("base.sci", "c.pgn"),
    ] {
        let run = tabia(&folder, &["repair", name, "-o", target, "--json"]).expect(3);
        let account = run.json();
        assert_eq!(account["format"], "sci");
        assert_eq!(counts(&account), [200, 0, 200, 0], "{account}");
        assert_eq!(comments(&folder, target), sound);
    }
    // Without the games, rows and names are left.
    std::fs::copy(folder.join("new.sci"), folder.join("other.sci")).unwrap();
    std::fs::copy(folder.join("new.scn"), folder.join("other.scn")).unwrap();
    let run = tabia(&folder, &["repair", "other", "-o", "tags.sci", "--json"]).expect(3);
    assert_eq!(counts(&run.json()), [200, 0, 200, 0]);
    let rows = tabia(&folder, &["ls", "tags.sci", "--ndjson"]).expect(0);
    assert_eq!(rows.out.lines().count(), 200);
}

#[test]
fn the_input_is_never_the_target() {
    let folder = with_scid("repair-same", "base.si4");
    let before = names(&folder);
    for target in ["base.si4", "base.sn4"] {
        let args = ["repair", "base.si4", "-o", target, "--to", "si4", "--force"];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("input and output at once"), "{}", run.err);
    }
    tabia(&folder, &["repair", "base.si4", "-o", "many.pgn"]).expect(5);
    assert_eq!(names(&folder), before);
}

#[test]
fn unreadable_databases_leave_no_output() {
    let folder = with_scid("repair-none", "base.si4");
    let run = tabia(&folder, &["repair", "other.si4", "-o", "new.si4"]).expect(4);
    assert!(run.err.contains("other.si4"), "{}", run.err);
    tabia(&folder, &["repair", ".", "-o", "new.si4"]).expect(2);
}

/// Games that a repair made, by their last comment.
fn comments(folder: &Scratch, file: &str) -> Vec<String> {
    let run = tabia(folder, &["convert", file, "--no-wrap"]).expect(0);
    let lines = run.out.lines().filter_map(|line| line.split_once("{Game "));
    let numbers = lines.filter_map(|(_, rest)| rest.split_once('}'));
    numbers.map(|(number, _)| number.to_owned()).collect()
}

#[test]
fn sets_without_index_are_found_by_any_file() {
    for version in ["4", "5"] {
        let main = format!("base.si{version}");
        let folder = with_scid("repair-no-index", &main);
        std::fs::remove_file(folder.join(&main)).unwrap();
        for (number, name) in [main.as_str(), &format!("base.sg{version}"), "base"]
            .into_iter()
            .enumerate()
        {
            let new = format!("new{number}.si5");
            let run = tabia(&folder, &["repair", name, "-o", &new, "--json"]).expect(3);
            let account = run.json();
            assert_eq!(counts(&account), [200, 0, 200, 0], "{name}");
            assert_eq!(account["format"], format!("si{version}"));
            let problem = account["faults"][0].as_str().unwrap();
            assert!(problem.contains("is missing"), "{problem}");
            let expected: Vec<String> = (0..200).map(|number: u32| number.to_string()).collect();
            assert_eq!(comments(&folder, &new), expected);
        }
    }
}

#[test]
fn every_kind_of_damage_is_reported() {
    type Damage = fn(&Scratch);
    let damages: [(&str, Damage, [u64; 4]); 4] = [
        (
            "cut names",
            |folder| cut(folder, "base.sn5", |length| length - 30),
            [200, 192, 8, 0],
        ),
        (
            "cut index",
            |folder| cut(folder, "base.si5", |length| length - 10 * 56 - 3),
            [200, 189, 11, 0],
        ),
        (
            "names gone",
            |folder| std::fs::remove_file(folder.join("base.sn5")).unwrap(),
            [200, 0, 200, 0],
        ),
        (
            "cut games",
            |folder| cut(folder, "base.sg5", |length| length - 1),
            [200, 199, 1, 0],
        ),
    ];
    for (name, damage, expected) in damages {
        let folder = with_scid("repair-damage", "base.si5");
        damage(&folder);
        let run = tabia(&folder, &["repair", "base.si5", "-o", "new.si5", "--json"]).expect(3);
        assert_eq!(counts(&run.json()), expected, "{name}: {}", run.out);
        assert!(run.err.contains("recovered completely"), "{}", run.err);
        tabia(&folder, &["check", "new.si5", "--deep"]).expect(0);
        assert_eq!(comments(&folder, "new.si5").len(), 200);
    }
}

#[test]
fn a_chessbase_database_is_repaired_without_its_headers() {
    let folder = with_sample("repair-cbh");
    let run = tabia(&folder, &["check", "mega.cbh", "--json"]).expect(0);
    let records = |run: &crate::common::Run| {
        let entry = &run.json()[0];
        entry["games"].as_u64().unwrap() + entry["texts"].as_u64().unwrap()
    };
    let before = records(&run);
    std::fs::remove_file(folder.join("mega.cbh")).unwrap();
    std::fs::write(folder.join("mega.cit"), b"derived").unwrap();
    let args = ["repair", "mega", "-o", "saved.cbh", "--json"];
    let run = tabia(&folder, &args).expect(3);
    let account = run.json();
    assert_eq!(account["records"], before);
    assert_eq!(account["damaged"], before);
    assert_eq!(account["lost"], 0);
    let run = tabia(&folder, &["check", "saved.cbh", "--deep", "--json"]).expect(0);
    assert_eq!(records(&run), before);
    assert!(!folder.join("saved.cit").exists());
}

/// Deletes or cuts one file of a set after another, repairs it each time, and checks the account and
/// the result.
fn repair_without_each(folder: &Scratch, base: &str, records: u64) -> u32 {
    let files: Vec<String> = names(folder)
        .into_iter()
        .filter(|name| name.contains('.') && !name.contains(".ini"))
        .collect();
    let mut repaired = 0;
    for file in &files {
        let whole = std::fs::read(folder.join(file)).unwrap();
        let ways = [None, Some(whole.len() / 2), Some(whole.len().min(40))];
        for length in ways {
            match length {
                None => std::fs::remove_file(folder.join(file)).unwrap(),
                Some(length) => std::fs::write(folder.join(file), &whole[..length]).unwrap(),
            }
            let what = format!("{base} with {file} cut to {length:?}");
            let args = ["repair", base, "-o", "new/saved.cbh", "--json", "--force"];
            let run = tabia(folder, &args);
            std::fs::write(folder.join(file), &whole).unwrap();
            assert!([0, 3].contains(&run.code), "{what}: {}", run.err);
            let account = run.json();
            let [all, whole, damaged, lost] = counts(&account);
            assert_eq!(all, whole + damaged + lost, "{what}: {account}");
            assert_eq!(
                run.code == 3,
                damaged + lost > 0 || !account["faults"].as_array().unwrap().is_empty(),
                "{what}: {account}"
            );
            // Only where the bodies or the headers are lost can records be lost without a trace.
            let is_bodies = file.contains(".cbg") || file.contains(".cbh");
            assert!(is_bodies || all == records, "{what}: {account}");
            let run = tabia(folder, &["check", "new/saved.cbh", "--deep", "--json"]);
            let entry = &run.json()[0];
            // The pictures of texts are missing: nothing else may be wrong.
            let problems = entry["problemList"].as_array();
            let other = problems.into_iter().flatten().find(|problem| {
                let reason = problem["reason"].as_str().unwrap();
                !reason.ends_with("is missing, which games or texts refer to")
            });
            assert_eq!(other, None, "{what}: {}{}", run.out, run.err);
            assert!([0, 3].contains(&run.code), "{what}: {}", run.err);
            let saved = entry["games"].as_u64().unwrap() + entry["texts"].as_u64().unwrap();
            assert_eq!(saved, whole + damaged, "{what}");
            repaired += 1;
        }
    }
    repaired
}

#[test]
fn repair_works_without_any_one_file() {
    let folder = with_sample("repair-each");
    std::fs::create_dir(folder.join("new")).unwrap();
    let run = tabia(&folder, &["check", "mega.cbh", "--json"]).expect(0);
    let entry = &run.json()[0];
    let records = entry["games"].as_u64().unwrap() + entry["texts"].as_u64().unwrap();
    let repaired = repair_without_each(&folder, "mega", records);
    assert!(repaired > 20, "{repaired}");
}

#[test]
fn repair_works_without_any_one_file_of_a_real_set() {
    let test = "repair_works_without_any_one_file_of_a_real_set";
    let Some(data) = tabia_testkit::shared_data(test, "cbh") else {
        return;
    };
    let mut repaired = 0;
    for set in [
        "morphy-hedgehog/Hedgehog",
        "chesscore-fob/fob",
        "morphy-cbhlib_test/cbhlib_test",
        "morphy-veryold/Mate2",
        "morphy-text/text",
    ] {
        let main = data.join(set);
        let base = main.file_name().unwrap().to_string_lossy().into_owned();
        let folder = Scratch::new("repair-real");
        std::fs::create_dir(folder.join("new")).unwrap();
        for extension in [
            "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe",
        ] {
            let from = main.with_extension(extension);
            if from.exists() {
                let bytes = std::fs::read(from).unwrap();
                std::fs::write(folder.join(format!("{base}.{extension}")), bytes).unwrap();
            }
        }
        let length = std::fs::metadata(main.with_extension("cbh")).unwrap().len();
        repaired += repair_without_each(&folder, &base, length / 46 - 1);
    }
    println!("{repaired} damaged sets repaired");
}

/// A header of 16 million games, of which the files hold none.
#[test]
fn reports_are_bounded_by_the_input() {
    let folder = crate::common::with_games("bounded-report");
    tabia(&folder, &["convert", "games.pgn", "-o", "a.si4"]).expect(0);
    let path = folder.join("a.si4");
    let mut index = std::fs::read(&path).unwrap();
    index[14..17].fill(0xff);
    std::fs::write(&path, index).unwrap();
    let args = ["repair", "a.si4", "-o", "b.si5", "--report", "report.json"];
    tabia(&folder, &args).expect(3);
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
    assert!(report.len() < 4096, "{} bytes", report.len());
    assert!(report.contains("\"lost\":16777212"), "{report}");
}

#[test]
fn records_without_their_entry_in_a_companion_are_not_whole() {
    for (extension, is_gone, expected) in [
        ("cbj", true, [9, 0, 9, 0]),
        ("cbj", false, [9, 4, 5, 0]),
        ("cbtt", true, [9, 0, 9, 0]),
        ("cbe", true, [9, 8, 1, 0]),
    ] {
        let folder = with_sample("repair-entries");
        let file = format!("mega.{extension}");
        if is_gone {
            std::fs::remove_file(folder.join(&file)).unwrap();
        } else {
            cut(&folder, &file, |length| length / 2);
        }
        let run = tabia(&folder, &["repair", "mega", "-o", "new.cbh", "--json"]).expect(3);
        assert_eq!(counts(&run.json()), expected, "{file}: {}", run.err);
    }
    // A set of an old version has no such file.
    let folder = with_scid("repair-old-set", "base.cbh");
    for extension in ["cbj", "cbtt", "cbe", "cbl", "cbm"] {
        let _ = std::fs::remove_file(folder.join(format!("base.{extension}")));
    }
    let run = tabia(&folder, &["repair", "base", "-o", "new.cbh", "--json"]).expect(0);
    assert_eq!(counts(&run.json()), [200, 200, 0, 0]);
}

#[test]
fn games_that_never_had_moves_have_not_lost_them() {
    let folder = Scratch::new("repair-no-moves");
    let text =
        "[White \"A\"]\n[Black \"B\"]\n\n1-0\n\n[White \"C\"]\n[Black \"D\"]\n\n1. e4 0-1\n\n";
    std::fs::write(folder.join("two.pgn"), text).unwrap();
    tabia(&folder, &["convert", "two.pgn", "-o", "base.si4", "-q"]).expect(0);
    std::fs::remove_file(folder.join("base.sn4")).unwrap();
    let run = tabia(&folder, &["repair", "base.si4", "-o", "new.si4", "--json"]).expect(3);
    let account = run.json();
    assert_eq!(counts(&account), [2, 0, 2, 0]);
    assert_eq!(account["withoutMoves"], 0, "{account}");
    assert_eq!(account["withoutNames"], 2, "{account}");
}

#[test]
fn an_index_of_zeros_is_a_lost_index() {
    let folder = with_scid("repair-zeros", "base.si4");
    let length = std::fs::metadata(folder.join("base.si4")).unwrap().len() as usize;
    std::fs::write(folder.join("base.si4"), vec![0; length]).unwrap();
    for (number, name) in ["base.sg4", "base.si4"].into_iter().enumerate() {
        let new = format!("new{number}.si4");
        let run = tabia(&folder, &["repair", name, "-o", &new, "--json"]).expect(3);
        assert_eq!(counts(&run.json()), [200, 0, 200, 0], "{name}");
        assert!(run.out.contains("whether it was deleted"), "{}", run.out);
    }
    std::fs::create_dir(folder.join("f")).unwrap();
    for extension in ["si4", "sg4", "sn4"] {
        let name = format!("base.{extension}");
        std::fs::rename(folder.join(&name), folder.join("f").join(&name)).unwrap();
    }
    let run = tabia(&folder, &["repair", "f", "-o", "saved", "--json"]).expect(3);
    assert_eq!(run.json()[0]["records"], 200, "{}", run.out);
    for name in ["zeros.pgn", "zeros.bin", "zeros.zip", "zeros.cbv"] {
        std::fs::write(folder.join(name), vec![0; 5000]).unwrap();
        let run = tabia(&folder, &["info", name]);
        assert!(!run.out.contains("Polyglot"), "{name}: {}", run.out);
    }
}

#[test]
fn headers_alone_are_saved() {
    let folder = with_scid("repair-headers", "base.cbh");
    for name in names(&folder) {
        if name.starts_with("base.") && name != "base.cbh" {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
    }
    let run = tabia(&folder, &["repair", "base.cbh", "-o", "new.cbh", "--json"]).expect(3);
    assert_eq!(counts(&run.json()), [200, 0, 200, 0]);
    let run = tabia(&folder, &["ls", "new.cbh", "--ndjson"]).expect(0);
    assert!(run.out.contains("2020.01.01"), "{}", run.out);
    // Zeros are no headers.
    let length = std::fs::metadata(folder.join("base.cbh")).unwrap().len() as usize;
    std::fs::write(folder.join("base.cbh"), vec![0; length]).unwrap();
    let run = tabia(&folder, &["repair", "base.cbh", "-o", "none/new.cbh"]);
    assert!(run.code >= 4, "{}", run.err);
    tabia(&folder, &["repair", "base.cbh", "-o", "none/"]).expect(4);
    assert!(!folder.join("none").exists());
}

/// What a repair writes of a cut set has no damage of its own.
#[test]
fn repaired_sets_are_sound_wherever_their_files_were_cut() {
    for (extension, files) in [
        ("2cbh", ["2cbh", "2cbg", "2cba", "2lid"]),
        ("cbh", ["cbh", "cbg", "cba", "cbp"]),
    ] {
        let folder = with_sample(&format!("repair-cut-{extension}"));
        let (set, target) = (format!("set.{extension}"), format!("new.{extension}"));
        tabia(&folder, &["convert", "mega.cbh", "-o", &set, "-q"]).expect(0);
        for file in files {
            let path = folder.join(format!("set.{file}"));
            let whole = std::fs::read(&path).unwrap();
            for part in 1..=12 {
                std::fs::write(&path, &whole[..whole.len() * part / 13]).unwrap();
                let run = tabia(&folder, &["repair", &set, "-o", &target, "--force"]);
                assert_eq!(run.code, 3, "{file} {part}: {}", run.err);
                let check = tabia(&folder, &["check", &target, "--deep"]);
                assert_eq!(check.code, 0, "{file} {part}: {}", check.err);
            }
            std::fs::write(&path, whole).unwrap();
        }
    }
}
