use crate::common::{tabia, with_games, with_sample};

#[test]
fn databases_have_their_keys() {
    let folder = with_sample("info");
    let info = tabia(&folder, &["info", "mega.cbh", "--json"])
        .expect(0)
        .json();
    let entry = &info[0];
    assert_eq!(entry["path"], "mega.cbh");
    assert_eq!(entry["format"], "cbh");
    assert_eq!(entry["kind"], "database");
    assert!(entry["games"].as_u64().unwrap() > 5);
    assert!(entry["texts"].is_u64() && entry["deleted"].is_u64());
    assert!(entry["encoding"].is_string());
    assert_eq!(entry["problems"], 0);
    assert!(
        entry.get("positions").is_none(),
        "what does not apply is absent"
    );
    let moves = entry["companions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["file"].as_str().unwrap().ends_with("cbg"))
        .unwrap();
    assert_eq!(moves["present"], true);
}

#[test]
fn missing_companions_are_problems() {
    let folder = with_sample("info-missing");
    std::fs::remove_file(folder.join("mega.cbg")).unwrap();
    let run = tabia(&folder, &["info", "mega.cbh", "--json"]).expect(3);
    assert!(run.json()[0]["problems"].as_u64().unwrap() > 0);
    assert!(run.err.contains("mega.cbg"), "{}", run.err);
}

#[test]
fn failed_inputs_do_not_hide_other_rows() {
    let folder = with_games("info-rows");
    let run = tabia(&folder, &["info", "games.pgn", "missing.pgn", "games.pgn"]).expect(4);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.out);
    assert!(lines[0].starts_with("path\tformat\tkind\tgames\t"));
    assert!(lines[1].starts_with("games.pgn\tpgn\tdatabase\t3\t"));
}

#[test]
fn games_with_training_questions_are_annotated() {
    let folder = with_games("info-training");
    let text = "[White \"A\"]\n\n1. e4 {[%cbtraining seconds=120 points=10 question=0:Why]} e5 *\n\n\
                [White \"B\"]\n\n1. d4 *\n";
    std::fs::write(folder.join("t.pgn"), text).unwrap();
    for file in ["t.pgn", "t.cbh", "t.2cbh"] {
        if file != "t.pgn" {
            tabia(&folder, &["convert", "t.pgn", "-o", file]).expect(0);
        }
        let info = tabia(&folder, &["info", file, "--json"]).expect(0).json();
        assert_eq!(info[0]["annotated"], 1, "{file}: {info}");
    }
}

/// Files that programs make of the others are files of the set, too.
#[test]
fn all_files_of_a_set_are_counted() {
    let folder = with_sample("info-all-files");
    let sizes = |folder: &tabia_testkit::Scratch| {
        let run = tabia(folder, &["info", "mega.cbh", "--json"]).expect(0);
        run.json()[0]["totalBytes"].as_u64().unwrap()
    };
    let before = sizes(&folder);
    for made in ["mega.cit", "mega.cib", "mega.cbb"] {
        std::fs::write(folder.join(made), [0; 100]).unwrap();
    }
    assert_eq!(sizes(&folder), before + 300);
}
