use crate::common::{GAMES, tabia, tabia_with_input, with_games, with_sample};

/// The objects of a text in JSON lines.
fn objects(text: &str) -> Vec<serde_json::Value> {
    let objects = text.lines().map(serde_json::from_str);
    objects.collect::<Result<_, _>>().unwrap()
}

#[test]
fn games_become_json_lines() {
    let folder = with_games("ndjson");
    tabia(&folder, &["convert", "games.pgn", "-o", "out.ndjson", "-q"]).expect(0);
    let text = std::fs::read_to_string(folder.join("out.ndjson")).unwrap();
    let games = objects(&text);
    assert_eq!(games[0]["tags"]["White"], "Carlsen, Magnus");
    assert_eq!(games[0]["moves"][0]["san"], "e4");
    assert_eq!(games[0]["moves"][0]["uci"], "e2e4");
    assert_eq!(games[0]["plies"], 6);
    assert_eq!(games[1]["result"], "1/2-1/2");
    // The same on standard output, from a stream, compressed and on any number of threads.
    let args = ["convert", "games.pgn", "--to", "ndjson", "-q"];
    assert_eq!(tabia(&folder, &args).expect(0).out, text);
    let many = GAMES.repeat(500);
    std::fs::write(folder.join("many.pgn"), &many).unwrap();
    let args = ["convert", "many.pgn", "--to", "ndjson", "-q", "-j4"];
    let found = tabia(&folder, &args).expect(0).out;
    assert_eq!(found, text.repeat(500));
    let args = ["convert", "-", "--to", "jsonl", "-q"];
    let piped = tabia_with_input(&folder, &args, many.as_bytes()).expect(0);
    assert_eq!(piped.out, found);
    tabia(
        &folder,
        &["convert", "games.pgn", "-o", "out.jsonl.gz", "-q"],
    )
    .expect(0);
}

#[test]
fn games_become_rows_with_one_header() {
    let folder = with_games("csv");
    let args = ["convert", "games.pgn", "games.pgn", "-o", "out.csv", "-q"];
    tabia(&folder, &args).expect(0);
    let text = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    assert!(text.starts_with("white,whiteElo,black,"), "{text}");
    assert_eq!(text.matches("white,whiteElo").count(), 1);
    assert_eq!(text.matches("\n\"Carlsen, Magnus\",2861,").count(), 2);
}

#[test]
fn losses_of_exports_are_counted_and_exports_are_not_read() {
    let folder = with_sample("export-losses");
    let args = [
        "convert",
        "mega.cbh",
        "-o",
        "out.ndjson",
        "--profile",
        "full",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(run.err.contains("variations"), "{}", run.err);
    assert!(run.err.contains("guiding text"), "{}", run.err);
    let text = std::fs::read_to_string(folder.join("out.ndjson")).unwrap();
    assert!(!objects(&text).is_empty());
    // A file of rows is no database, neither by name nor in a folder.
    tabia(&folder, &["ls", "out.ndjson"]).expect(4);
    let forced = tabia(&folder, &["ls", "out.ndjson", "--from", "ndjson"]);
    assert!(forced.err.contains("only written"), "{}", forced.err);
    let rows = tabia(&folder, &["info", ".", "--json"]).json();
    let rows = rows.as_array().unwrap();
    assert!(
        rows.iter()
            .all(|row| !row["path"].as_str().unwrap().contains("ndjson"))
    );
    let formats = tabia(&folder, &["formats", "--json"]).expect(0).json();
    let formats = formats.as_array().unwrap();
    let csv = formats.iter().find(|format| format["format"] == "csv");
    assert_eq!(csv.unwrap()["read"], false);
    assert_eq!(csv.unwrap()["write"], true);
}
