use crate::common::{tabia, with_games, with_sample};

#[test]
fn a_sound_database_passes() {
    let folder = with_sample("sound");
    for args in [
        &["check", "mega.cbh", "--json"][..],
        &["check", "mega.cbh", "--json", "--deep"],
    ] {
        let run = tabia(&folder, args).expect(0);
        let entry = &run.json()[0];
        assert_eq!(entry["problems"], 0);
        assert!(entry["games"].as_u64().unwrap() > 5);
        assert!(entry["plies"].as_u64().unwrap() > 20);
        assert!(!entry["annotations"].as_array().unwrap().is_empty());
    }
}

#[test]
fn damage_is_told_with_its_place() {
    let folder = with_sample("damage");
    let path = folder.join("mega.cbg");
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes.truncate(half);
    std::fs::write(&path, bytes).unwrap();
    let run = tabia(
        &folder,
        &["check", "mega.cbh", "--json", "--report", "r.json"],
    )
    .expect(3);
    let problems = run.json()[0]["problems"].as_u64().unwrap();
    assert!(problems > 0);
    let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        report["problems"].as_array().unwrap().len() as u64,
        problems
    );
    let placed = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .find(|problem| problem.get("game").is_some())
        .unwrap();
    assert!(placed["file"].as_str().unwrap().contains("mega.cb"));
    assert!(placed["reason"].is_string());
}

#[test]
fn more_than_ten_problems_are_counted_not_listed() {
    let folder = with_games("many-problems");
    let bad = "[White \"A\"]\n\n1. Ke3 *\n\n".repeat(25);
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    let run = tabia(&folder, &["check", "bad.pgn"]).expect(3);
    let listed = |run: &str| {
        run.lines()
            .filter(|line| line.contains("bad.pgn: game"))
            .count()
    };
    assert_eq!(listed(&run.err), 10);
    assert!(run.err.contains("15 more problems"), "{}", run.err);
    let run = tabia(&folder, &["check", "bad.pgn", "-v"]).expect(3);
    assert_eq!(listed(&run.err), 25);
}
