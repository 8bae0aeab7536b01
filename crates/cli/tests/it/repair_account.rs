//! What `repair` states of a record is true: nothing is lost or in doubt without a word.

use serde_json::Value;
use tabia_testkit::Scratch;

use crate::common::{many_games, tabia};

fn with_set(name: &str, file: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("many.pgn"), many_games(60)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", file, "-q"]).expect(0);
    folder
}

/// The names of both players of each game.
fn players(folder: &Scratch, file: &str) -> Vec<(String, String)> {
    let run = tabia(folder, &["ls", file, "--ndjson"]);
    let rows = run.out.lines();
    let rows = rows.map(|row| serde_json::from_str::<Value>(row).unwrap());
    let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| (name(&row["white"]), name(&row["black"])))
        .collect()
}

/// Other systems have one file for both names.
#[cfg(target_os = "linux")]
#[test]
fn sets_whose_names_differ_in_letter_case_are_distinguished() {
    for (extension, main) in [("si4", "BASE.si4"), ("cbh", "BASE.CBH")] {
        let lower = format!("base.{extension}");
        let folder = with_set(&format!("repair-case-{extension}"), &lower);
        let few = many_games(3).replace("[White \"", "[White \"Other ");
        std::fs::create_dir(folder.join("other")).unwrap();
        std::fs::write(folder.join("other/few.pgn"), few).unwrap();
        let other = format!("other/x.{extension}");
        tabia(&folder, &["convert", "other/few.pgn", "-o", &other, "-q"]).expect(0);
        std::fs::create_dir(folder.join("both")).unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            if path.file_stem().unwrap() == "base" {
                std::fs::copy(&path, folder.join("both").join(path.file_name().unwrap())).unwrap();
            }
        }
        for file in std::fs::read_dir(folder.join("other")).unwrap() {
            let path = file.unwrap().path();
            if path.file_stem().unwrap() != "x" {
                continue;
            }
            let own = path.extension().unwrap().to_str().unwrap();
            let own = match extension {
                "cbh" => own.to_uppercase(),
                _ => own.to_owned(),
            };
            std::fs::copy(&path, folder.join(format!("both/BASE.{own}"))).unwrap();
        }
        let original = [players(&folder, &lower), players(&folder, &other)];
        let both = [format!("both/{lower}"), format!("both/{main}")];
        assert_eq!(both.clone().map(|set| players(&folder, &set)), original);
        let run = tabia(&folder, &["repair", "both", "-o", "saved", "--ndjson"]).expect(0);
        for row in run.out.lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            let upper = row["path"].as_str().unwrap().contains("BASE");
            let expected = &original[usize::from(upper)];
            assert_eq!(players(&folder, row["output"].as_str().unwrap()), *expected);
        }
        assert_eq!(run.out.lines().count(), 2);
        // Without its main file, too.
        std::fs::remove_file(folder.join(format!("both/{lower}"))).unwrap();
        assert_eq!(players(&folder, &both[1]), original[1]);
    }
}
