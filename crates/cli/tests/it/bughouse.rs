use crate::common::{tabia, tabia_with_input, with_games};

const MATCHES: &str = "[Event \"made up\"]\n[Date \"2021.05.01\"]\n[WhiteA \"Abel\"][BlackA \"Brandt\"]\n\
    [WhiteB \"Caro\"][BlackB \"Dorn\"]\n[Result \"1-0\"]\n\n\
    1A. e4 {180} 1B. d4 {179} 1a. d5 {178} 2A. exd5 {177} 1b. P@e4 {176} {Brandt resigns} 1-0\n";

#[test]
fn matches_are_listed_and_shown() {
    let folder = with_games("bughouse");
    // The name does not matter.
    for name in ["m.bpgn", "m.pgn"] {
        std::fs::write(folder.join(name), MATCHES).unwrap();
        let info = tabia(&folder, &["info", name, "--json"]).expect(0).json();
        assert_eq!(info[0]["format"], "bpgn");
        assert_eq!(info[0]["games"], 1);
        let run = tabia(&folder, &["ls", name, "--ndjson"]).expect(0);
        for word in ["Abel + Dorn", "Brandt + Caro", "1-0", "2021.05.01"] {
            assert!(run.out.contains(word), "{word}: {}", run.out);
        }
        let run = tabia(&folder, &["show", name]).expect(0);
        assert!(run.out.contains("1b. P@e4"), "{}", run.out);
        tabia(&folder, &["check", name]).expect(0);
        let run = tabia(&folder, &["convert", name]).expect(0);
        assert!(run.out.contains("[WhiteA \"Abel\"]"), "{}", run.out);
        assert!(run.out.contains("[Variant \"Bughouse\"]"), "{}", run.out);
        assert!(run.out.contains("1b. P@e4"), "{}", run.out);
        assert!(!run.out.contains("1. e4"), "{}", run.out);
    }
    let piped = tabia_with_input(&folder, &["ls", "-", "--ndjson"], MATCHES.as_bytes()).expect(0);
    assert!(piped.out.contains("Abel + Dorn"), "{}", piped.out);
}

#[test]
fn matches_are_written_as_they_were() {
    let folder = with_games("bughouse-written");
    std::fs::write(folder.join("m.bpgn"), MATCHES).unwrap();
    tabia(&folder, &["convert", "m.bpgn", "-o", "a.bpgn"]).expect(0);
    tabia(&folder, &["convert", "a.bpgn", "-o", "b.bpgn"]).expect(0);
    let text = std::fs::read_to_string(folder.join("a.bpgn")).unwrap();
    assert_eq!(
        text,
        std::fs::read_to_string(folder.join("b.bpgn")).unwrap()
    );
    let words = |text: &str| -> Vec<String> {
        let text = text.replace("][", "]\n[");
        text.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(words(&text), words(MATCHES));
    // The same from an archive, from a compressed file, through a pipe, and into one.
    tabia(&folder, &["archive", "create", "m.scv", "m.bpgn"]).expect(0);
    tabia(&folder, &["convert", "m.bpgn", "-o", "m.bpgn.gz"]).expect(0);
    for from in ["m.scv:m.bpgn", "m.bpgn.gz"] {
        let run = tabia(&folder, &["convert", from, "--to", "bpgn"]).expect(0);
        assert_eq!(run.out, text, "{from}");
    }
    let input = MATCHES.as_bytes();
    let run = tabia_with_input(&folder, &["convert", "-", "--to", "bpgn"], input).expect(0);
    assert_eq!(run.out, text);
    // And back from PGN and a database, whose tags come in an order of their own.
    for detour in ["d.pgn", "d.cbh", "d.si5", "d.sci"] {
        tabia(&folder, &["convert", "m.bpgn", "-o", detour, "-q"]).expect(0);
        let run = tabia(&folder, &["convert", detour, "--to", "bpgn"]);
        let back = run.out;
        assert!(back.contains("1b. P@e4"), "{detour}: {back}");
        assert!(!back.contains("1. e4"), "{detour}: {back}");
    }
}

#[test]
fn games_of_chess_do_not_become_bughouse() {
    let folder = with_games("bughouse-chess");
    std::fs::write(folder.join("m.bpgn"), MATCHES).unwrap();
    let games = tabia(&folder, &["ls", "games.pgn", "--ndjson"]).expect(0);
    let games = games.out.lines().count().to_string();
    let run = tabia(
        &folder,
        &["convert", "games.pgn", "m.bpgn", "-o", "all.bpgn"],
    )
    .expect(0);
    let row = run
        .err
        .lines()
        .find(|line| line.contains("games of ordinary chess"));
    assert!(
        row.unwrap().contains(&format!("  {games}  ")),
        "{}",
        run.err
    );
    assert!(run.err.contains("\n1 game to all.bpgn"), "{}", run.err);
    let run = tabia(&folder, &["ls", "all.bpgn", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 1);
}

/// In PGN the moves of a match are a comment. A match at its start makes no bughouse file of it.
#[test]
fn matches_in_pgn_are_the_same_again() {
    let folder = with_games("bughouse-in-pgn");
    std::fs::write(folder.join("m.bpgn"), MATCHES).unwrap();
    let convert = |from: &[&str], to: &str, profile: &str| {
        let options = ["-o", to, "--profile", profile, "-q"];
        tabia(&folder, &[&["convert"], from, &options].concat()).expect(0);
        std::fs::read_to_string(folder.join(to)).unwrap()
    };
    for profile in ["full", "standard"] {
        let [one, two] = ["one.pgn", "two.pgn"].map(|name| format!("{profile}-{name}"));
        let text = convert(&["m.bpgn", "games.pgn"], &one, profile);
        assert_eq!(convert(&[&one], &two, profile), text);
        let games = tabia(&folder, &["ls", &two, "--ndjson"]).expect(0);
        let plies = games.out.lines().map(|row| {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            row["plies"].as_u64().unwrap()
        });
        assert!(plies.skip(1).all(|plies| plies > 0), "{}", games.out);
    }
    let direct = convert(&["m.bpgn"], "direct.bpgn", "full");
    convert(&["m.bpgn"], "m.pgn", "full");
    assert_eq!(convert(&["m.pgn"], "again.bpgn", "full"), direct);
}

#[test]
fn problems_of_a_match_are_reported() {
    let folder = with_games("bughouse-problems");
    std::fs::write(
        folder.join("m.bpgn"),
        MATCHES.replace("2A. exd5", "7A. foo"),
    )
    .unwrap();
    let run = tabia(&folder, &["check", "m.bpgn", "--verbose"]).expect(3);
    let all = run.out + &run.err;
    assert!(
        all.contains("move_number") && all.contains("`move`"),
        "{all}"
    );
}

#[test]
fn compressed_matches_are_read() {
    let test = "compressed_matches_are_read";
    let Some(data) = tabia_testkit::shared_data(test, "bpgn") else {
        return;
    };
    let folder = with_games("bughouse-sample");
    for name in ["sample.bpgn", "sample.bpgn.gz"] {
        let path = data.join(name);
        let path = path.to_str().unwrap();
        let run = tabia(&folder, &["ls", path, "--ndjson"]).expect(0);
        assert_eq!(run.out.lines().count(), 1, "{name}");
        assert!(run.out.contains("alpha + delta"), "{name}: {}", run.out);
        tabia(&folder, &["check", path]).expect(0);
    }
}

/// Ordinary games make no bughouse file, and replace none.
#[test]
fn a_file_of_matches_is_not_replaced_by_none() {
    let folder = with_games("bughouse-replaced");
    std::fs::write(folder.join("m.bpgn"), MATCHES).unwrap();
    let convert = ["convert", "games.pgn", "-o", "m.bpgn", "--force"];
    let run = tabia(&folder, &convert).expect(3);
    assert!(run.err.contains("m.bpgn is not replaced"), "{}", run.err);
    let text = std::fs::read_to_string(folder.join("m.bpgn")).unwrap();
    assert_eq!(text, MATCHES);
    let run = tabia(&folder, &["convert", "games.pgn", "-o", "new.bpgn"]).expect(3);
    assert!(run.err.contains("new.bpgn is not written"), "{}", run.err);
    assert!(!folder.join("new.bpgn").exists());
}
