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
    // Only where they came from differs.
    let games = |text: &str| -> Vec<String> {
        let lines = text.lines();
        let games = lines.map(|line| line.split_once(",\"game\":").unwrap().0);
        games.map(str::to_owned).collect()
    };
    assert_eq!(games(&found), games(&text.repeat(500)));
    let last = found.lines().last().unwrap();
    assert!(
        last.ends_with(",\"game\":1500,\"source\":\"many.pgn\"}"),
        "{last}"
    );
    let args = ["convert", "-", "--to", "jsonl", "-q"];
    let piped = tabia_with_input(&folder, &args, many.as_bytes()).expect(0);
    assert_eq!(games(&piped.out), games(&found));
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

/// The rows of an export, as maps from the names of the columns.
fn rows(text: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut lines = text.lines();
    // No cell of these games has a comma or a quote but the last columns, which are asked for.
    let names: Vec<&str> = lines.next().unwrap().rsplit(',').collect();
    lines
        .map(|line| {
            let cells = line.rsplit(',').map(str::to_owned);
            let names = names.iter().map(|name| (*name).to_owned());
            names.zip(cells).take(4).collect()
        })
        .collect()
}

/// Rows lead back to their games, and those of damaged games are marked.
#[test]
fn rows_state_where_games_came_from_and_their_problems() {
    let folder = with_games("export-origins");
    let damaged = "[White \"A\"]\n[Date \"1998.??.??\"]\n\n1. e4 Qh9 2. d4 0-1\n\n\
                   [White \"B\"]\n\n1. d4 *\n\n[White \"C\"]\n\n1. d4 d5 *\n";
    std::fs::write(folder.join("bad.pgn"), damaged.repeat(400)).unwrap();
    tabia(&folder, &["convert", "bad.pgn", "-o", "bad.si4", "-q"]).expect(3);
    let run =
        |args: &[&str], code| tabia(&folder, &[&["convert", "-q"], args].concat()).expect(code);
    for input in ["bad.pgn", "bad.si4"] {
        let code = if input == "bad.pgn" { 3 } else { 0 };
        for threads in ["-j1", "-j3"] {
            let csv = run(&[input, "games.pgn", "--to", "csv", threads], code).out;
            let csv = rows(&csv);
            assert_eq!(csv.len(), 1203);
            let json = run(&[input, "games.pgn", "--to", "ndjson", threads], code).out;
            let json = objects(&json);
            for (at, (row, object)) in csv.iter().zip(&json).enumerate() {
                let (number, source) = if at < 1200 {
                    (at, input)
                } else {
                    (at - 1200, "games.pgn")
                };
                assert_eq!(row["game"], (number + 1).to_string());
                assert_eq!(object["game"], number + 1);
                assert_eq!(
                    (&*row["source"], &object["source"]),
                    (source, &source.into())
                );
                let problems = usize::from(at < 1200 && at % 3 == 0 && code == 3);
                assert_eq!(row["problems"], problems.to_string(), "{input} {at}");
                assert_eq!(object["problems"], problems);
                if at < 1200 {
                    let year = if at % 3 == 0 { "1998" } else { "" };
                    assert_eq!(row["year"], year);
                }
            }
        }
    }
    // Chosen, sorted and split games keep their numbers.
    let chosen = run(
        &[
            "bad.pgn", "--to", "csv", "--where", "white:C", "--games", "900-1200",
        ],
        0,
    );
    let numbers: Vec<_> = rows(&chosen.out)
        .iter()
        .map(|row| row["game"].clone())
        .collect();
    assert_eq!(
        (numbers.len(), &*numbers[0], &*numbers[1]),
        (101, "900", "903")
    );
    let sorted = run(&["bad.pgn", "--to", "csv", "--sort", "white"], 3);
    let sorted = rows(&sorted.out);
    assert_eq!((&*sorted[1]["game"], &*sorted[1199]["game"]), ("4", "1200"));
    assert_eq!(&*sorted[1]["problems"], "1");
    run(&["bad.pgn", "-o", "parts.csv", "--split", "700"], 3);
    let parts = folder.files().into_iter();
    let parts: Vec<_> = parts
        .filter(|(name, _)| name.starts_with("parts-"))
        .collect();
    assert_eq!(parts.len(), 2);
    let second = rows(std::str::from_utf8(&parts[1].1).unwrap());
    assert_eq!(&*second[0]["game"], "701");
    assert_eq!(&*second[2]["problems"], "1");
    assert_eq!(&*second[2]["source"], "bad.pgn");
}
