//! What a page shows of single records, names, repairs and conversions, and databases without decided duplicates.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabia_testkit::Scratch;

use common::Running;

/// Two spellings of one player, and a game that is there twice, the second time with a comment.
fn write_games(folder: &Scratch) -> PathBuf {
    let game = |white: &str, date: &str, moves: &str| {
        format!(
            "[Event \"Open\"]\n[Site \"London\"]\n[Date \"{date}\"]\n[Round \"1\"]\n[White \"{white}\"]\n\
             [Black \"Müller, Jürgen\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    let long = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7";
    let noted = long.replace("6. Re1", "6. Re1 {the main line} (6. d4 exd4)");
    let text = [
        game("Carlsen, Magnus", "2001.02.03", long),
        game("Carlsen, Magnus", "2001.02.03", &noted),
        game("Carlsen,M", "2019.05.06", "1. d4 d5 2. c4 e6"),
    ];
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, text.concat()).unwrap();
    path
}

/// The answer once it is complete.
fn complete(server: &Running, path: &str) -> Value {
    loop {
        let (status, answer) = server.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        if answer["isDone"] == true {
            return answer;
        }
    }
}

#[test]
fn a_record_is_shown_as_it_is_stored() {
    let folder = Scratch::new("serve-stored");
    let games = write_games(&folder);
    let server = Running::start(&[&games], |_| ());
    let (status, stored) = server.get("db/games.pgn/games/3/stored");
    assert_eq!(status, 200, "{stored}");
    let text = std::fs::read(&games).unwrap();
    let part = &stored["parts"][0];
    let offset = usize::try_from(part["offset"].as_u64().unwrap()).unwrap();
    let length = usize::try_from(part["length"].as_u64().unwrap()).unwrap();
    let digits = tabia::core::hexadecimal::digits(&text[offset..offset + length]);
    assert_eq!(part["bytes"], json!(digits));
    assert_eq!(
        (&part["file"], &part["kind"]),
        (&json!("games.pgn"), &json!("game"))
    );
    let fields = stored["fields"].to_string();
    assert!(
        fields.contains("Carlsen,M") && fields.contains("2019.05.06"),
        "{fields}"
    );
    for number in ["0", "4", "x"] {
        let (status, _) = server.get(&format!("db/games.pgn/games/{number}/stored"));
        assert!(matches!(status, 400 | 404), "{number}: {status}");
    }
    server.stop();
}

#[test]
fn sources_have_filters_of_their_own_and_moves_their_first_year() {
    let folder = Scratch::new("serve-own-filter");
    let games = write_games(&folder);
    let copy = folder.path().join("copy.pgn");
    std::fs::copy(&games, &copy).unwrap();
    let server = Running::start(&[&games, &copy], |_| ());
    let query = "explorer?src=games.pgn,copy.pgn&where=player:carlsen&where2=date:2010..";
    let found = loop {
        let (status, found) = server.get(query);
        assert_eq!(status, 200, "{found}");
        let sources = found["sources"].as_array().unwrap().clone();
        if sources.iter().all(|source| source["isDone"] == true) {
            break sources;
        }
    };
    assert_eq!(
        (&found[0]["games"], &found[1]["games"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(found[0]["moves"][0]["firstYear"], 2001);
    assert_eq!(found[1]["moves"][0]["firstYear"], 2019);
    let (status, _) = server.get("explorer?src=games.pgn&where1=nonsense:x");
    assert_eq!(status, 400);
    server.stop();
}

#[test]
fn spellings_are_found_and_counted_together_when_asked() {
    let folder = Scratch::new("serve-spellings");
    let games = write_games(&folder);
    let server = Running::start(&[&games], |_| ());
    let found = complete(&server, "spellings?db=games.pgn&of=player");
    assert_eq!(found["count"], 1, "{found}");
    let names = found["clusters"][0]["spellings"].to_string();
    assert!(
        names.contains("Carlsen, Magnus") && names.contains("Carlsen,M"),
        "{names}"
    );
    assert_eq!(server.get("spellings?db=games.pgn&of=towns").0, 400);
    let name = "player?db=games.pgn&name=Carlsen,%20Magnus";
    assert_eq!(complete(&server, name)["white"]["games"], 2);
    let together = format!("{name}&also=Carlsen,M%0ASomebody");
    assert_eq!(complete(&server, &together)["white"]["games"], 3);

    let found = complete(&server, "db/games.pgn/charsets");
    assert_eq!(found["names"], json!(["Müller, Jürgen"]), "{found}");
    let western = found["charsets"].as_array().unwrap();
    let western = western.iter().find(|set| set["name"] == "windows-1252");
    assert_eq!(western.unwrap()["names"], json!(["MÃ¼ller, JÃ¼rgen"]));
    server.stop();
}

#[test]
fn a_repair_and_a_conversion_are_tried_without_a_trace() {
    let folder = Scratch::new("serve-tried");
    let games = write_games(&folder);
    let server = Running::start(&[&games], |_| ());
    let found = complete(&server, "db/games.pgn/repair");
    assert_eq!(
        (&found["whole"], &found["damaged"], &found["lost"]),
        (&json!(3), &json!(0), &json!(0)),
        "{found}"
    );
    let (status, game) = server.get("convert/game?db=games.pgn&game=2&to=si4");
    assert_eq!((status, game), (200, json!({})));
    for wrong in ["game=9&to=si4", "game=1&to=docx", "game=1&to=si4&profile=x"] {
        let (status, _) = server.get(&format!("convert/game?db=games.pgn&{wrong}"));
        assert!(matches!(status, 400 | 404), "{wrong}: {status}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    server.stop();
}

fn decided(kept: u32, dropped: u32, choice: &str) -> Value {
    let game = |number: u32| json!({"db": "games.pgn", "game": number});
    json!({"kept": game(kept), "dropped": game(dropped), "choice": choice})
}

/// The PGN that is written after a decision about the only pair.
fn written(server: &Running, out: &Path, choice: &str) -> (Value, String) {
    let pairs = complete(server, "duplicates?db=games.pgn");
    let number = |side: &str| {
        let number = pairs["pairs"][0][side]["game"].as_u64().unwrap();
        u32::try_from(number).unwrap()
    };
    let name = format!("{choice}.pgn");
    let request = json!({
        "db": "games.pgn", "to": "pgn", "profile": "full", "name": name,
        "decisions": [decided(number("kept"), number("dropped"), choice)],
    });
    let (status, job) = server.json("POST /api/v1/dedupe", &request);
    assert_eq!(status, 202, "{job}");
    let job = server.ended(&job["id"]);
    let text = std::fs::read_to_string(out.join(name)).unwrap_or_default();
    (job, text)
}

#[test]
fn a_database_is_written_as_it_was_decided() {
    let folder = Scratch::new("serve-decided");
    let games = write_games(&folder);
    let before = std::fs::read(&games).unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let server = Running::start(&[&games], |options| options.out = Some(out.clone()));
    // The game with the comment is kept.
    for (choice, records, has_comment) in [
        ("left", 2, true),
        ("right", 2, false),
        ("merge", 2, true),
        ("both", 3, true),
    ] {
        let (job, text) = written(&server, &out, choice);
        assert_eq!(job["result"]["records"], records, "{choice}: {job}");
        assert_eq!(
            text.contains("the main line"),
            has_comment,
            "{choice}: {text}"
        );
    }
    for wrong in [
        json!([]),
        json!([decided(1, 4, "left")]),
        json!([decided(0, 1, "left")]),
        json!([decided(1, 2, "neither")]),
    ] {
        let request = json!({"db": "games.pgn", "to": "pgn", "name": "no.pgn", "decisions": wrong});
        let (status, _) = server.json("POST /api/v1/dedupe", &request);
        assert_eq!(status, 400, "{request}");
    }
    assert!(!out.join("no.pgn").exists());
    assert_eq!(std::fs::read(&games).unwrap(), before);
    let (status, merged) = server.get("duplicates/merged?db=games.pgn&game=1&duplicate=2");
    assert_eq!((status, merged), (200, json!({})));
    server.stop();

    let reading = Running::start(&[&games], |_| ());
    let request = json!({"db": "games.pgn", "to": "pgn", "name": "no.pgn", "decisions": [decided(1, 2, "left")]});
    assert_eq!(reading.json("POST /api/v1/dedupe", &request).0, 405);
    reading.stop();
}
