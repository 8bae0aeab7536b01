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
fn a_sound_database_is_recovered_whole() {
    let folder = with_scid("repair-sound", "base.si5");
    let run = tabia(&folder, &["repair", "base.si5", "-o", "new.si5", "--json"]).expect(0);
    let account = run.json();
    assert_eq!(counts(&account), [200, 200, 0, 0]);
    assert_eq!(account["format"], "si5");
    for extension in ["si5", "sn5", "sg5"] {
        let bytes =
            |name: &str| std::fs::read(folder.join(&format!("{name}.{extension}"))).unwrap();
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
    assert_eq!(list.len() as u64, damaged + lost);
    assert!(
        list.iter()
            .all(|row| row["reasons"][0]["reason"].is_string())
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
fn the_input_is_never_the_target() {
    let folder = with_scid("repair-same", "base.si4");
    let before = names(&folder);
    for target in ["base.si4", "base.sn4"] {
        let args = ["repair", "base.si4", "-o", target, "--to", "si4", "--force"];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("part of the input"), "{}", run.err);
    }
    tabia(&folder, &["repair", "base.si4", "-o", "many.pgn"]).expect(5);
    assert_eq!(names(&folder), before);
}

#[test]
fn nothing_is_left_of_what_never_was() {
    let folder = with_scid("repair-none", "base.si4");
    let run = tabia(&folder, &["repair", "other.si4", "-o", "new.si4"]).expect(4);
    assert!(run.err.contains("other.si4"), "{}", run.err);
    tabia(&folder, &["repair", ".", "-o", "new.si4"]).expect(2);
}
