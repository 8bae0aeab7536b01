use tabia_testkit::Scratch;

use crate::common::{command, many_games, tabia, with_games, with_sample};

#[test]
fn games_are_shown_as_pgn() {
    let folder = with_games("show");
    let run = tabia(&folder, &["show", "games.pgn", "--game", "3"]).expect(0);
    assert!(run.out.starts_with("[Event \"Short\"]"));
    assert!(run.out.trim_end().ends_with("1. d4 *"), "{}", run.out);
    let whole = tabia(&folder, &["convert", "games.pgn", "--games", "2"]).expect(0);
    let shown = tabia(&folder, &["show", "games.pgn", "--game", "2"]).expect(0);
    assert_eq!(whole.out.trim_end(), shown.out.trim_end());
}

/// Several games are one document, or an object a line.
#[test]
fn several_games_are_one_document() {
    let folder = with_games("show-several");
    let show = |args: &[&str]| tabia(&folder, &[&["show", "games.pgn", "--game"], args].concat());
    let one = show(&["2", "--json"]).expect(0).json();
    let list = show(&["1-3", "--json"]).expect(0).json();
    let list = list.as_array().unwrap();
    assert_eq!((list.len(), &list[1]), (3, &one));
    let list = show(&["2,9", "--json"]).expect(3).json();
    assert_eq!(list, serde_json::json!([one]));
    let lines = show(&["1-3", "--ndjson"]).expect(0).out;
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((lines.len(), &lines[1]), (3, &one));
    assert_eq!(show(&["8-9", "--json"]).expect(4).out, "");
}

#[test]
fn games_are_shown_as_json() {
    let folder = with_games("tree");
    let tree = tabia(&folder, &["show", "games.pgn", "--game", "2", "--json"])
        .expect(0)
        .json();
    assert_eq!(tree["game"], 2);
    assert_eq!(tree["kind"], "game");
    assert_eq!(tree["result"], "1/2-1/2");
    let reply = &tree["moves"][1];
    assert_eq!(
        (reply["san"].as_str(), reply["uci"].as_str()),
        (Some("c5"), Some("c7c5"))
    );
    assert_eq!(reply["annotations"][0]["type"], "nag");
    assert_eq!(reply["annotations"][1]["text"], "The Sicilian");
    assert_eq!(reply["variations"][0]["moves"][1]["san"], "d4");
}

#[test]
fn database_games_are_shown() {
    let folder = with_sample("show-cbh");
    let run = tabia(&folder, &["show", "mega", "--game", "2"]).expect(0);
    assert!(run.out.contains("[White "), "{}", run.out);
    tabia(&folder, &["show", "mega", "--game", "9999"]).expect(4);
}

#[test]
fn guiding_texts_are_shown_as_text() {
    let folder = with_sample("show-text");
    let run = tabia(&folder, &["show", "mega", "--game", "1"]).expect(0);
    assert!(run.out.starts_with("# "), "{}", run.out);
    assert!(!run.out.contains('<'), "{}", run.out);
}

/// A game far into a large file is read with a map of the file, which changes no answer.
#[test]
fn games_of_large_files_are_found_with_a_map() {
    let folder = Scratch::new("show-map");
    let count = 17_000;
    std::fs::write(folder.join("large.pgn"), many_games(count)).unwrap();
    // A map of a file that was just written is not trusted.
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_hours(400_000);
    let set_time = |name: &str| {
        let file = std::fs::File::options()
            .write(true)
            .open(folder.join(name))
            .unwrap();
        file.set_modified(old).unwrap();
    };
    set_time("large.pgn");
    let cache = folder.join("cache");
    let show = |game: &str| {
        let output = command(folder.path())
            .args(["show", "large.pgn", "--game", game])
            .env("XDG_CACHE_HOME", &cache)
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            text(&output.stdout),
            text(&output.stderr),
            output.status.code(),
        )
    };
    let maps = || {
        let entries = std::fs::read_dir(cache.join("tabia")).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    };
    // Games near the start need none.
    let first = show("7");
    assert!(
        first.0.contains("{Game 6}") && maps().is_empty(),
        "{first:?}"
    );
    let built = show("11000");
    assert!(built.0.contains("{Game 10999}"), "{built:?}");
    let [map] = maps().try_into().unwrap();
    let text = std::fs::read_to_string(&map).unwrap();
    assert_eq!(show("11000"), built);
    assert_eq!(show("7"), first);
    assert_eq!(show("17001").2, Some(4));
    let range = show("4999-5002,17000");
    let comments = ["{Game 4998}", "{Game 5001}", "{Game 16999}"];
    assert!(
        comments.iter().all(|comment| range.0.contains(comment)),
        "{}",
        range.0
    );
    // A damaged map is not used, and made again.
    std::fs::write(&map, text.replace("\n0 ", "\n1 ")).unwrap();
    assert_eq!(show("11000"), built);
    assert_eq!(std::fs::read_to_string(&map).unwrap(), text);
    // Nor is that of another file, also if its length and time are the same.
    let mut changed = many_games(count)
        .replace("{Game 10999}", "{other game}")
        .into_bytes();
    let last = changed.len() - 1;
    changed[last] = b' ';
    std::fs::write(folder.join("large.pgn"), changed).unwrap();
    set_time("large.pgn");
    let other = show("11000");
    assert!(other.0.contains("{other game}"), "{}", other.0);
    assert_ne!(std::fs::read_to_string(&map).unwrap(), text);
    // Without a cache the answer is the same.
    std::fs::remove_dir_all(&cache).unwrap();
    std::fs::write(&cache, "no folder").unwrap();
    assert_eq!(show("11000"), other);
}

/// The character set of a late game is the same whichever way it is read: the second time the saved offsets
/// of blocks lead to it.
#[test]
fn late_games_have_the_character_set_of_the_file() {
    let folder = Scratch::new("late-charset");
    let mut text = many_games(17_000).into_bytes();
    // Петросян in windows-1251.
    let name = b"\xcf\xe5\xf2\xf0\xee\xf1\xff\xed";
    text.extend_from_slice(
        &[
            b"[Event \"?\"]\n[White \"",
            &name[..],
            b"\"]\n\n1. e4 *\n\n",
        ]
        .concat(),
    );
    let path = folder.join("late.pgn");
    std::fs::write(&path, &text).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_hours(400_000);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(old).unwrap();
    let cache = folder.join("cache");
    for _ in 0..2 {
        let output = command(folder.path())
            .args(["show", "late.pgn", "--game", "17001"])
            .env("XDG_CACHE_HOME", &cache)
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.contains("Петросян"), "{out}");
        assert!(cache.join("tabia").exists());
    }
    let rows = tabia(&folder, &["ls", "late.pgn", "--offset", "17000"]).expect(0);
    assert!(rows.out.contains("Петросян"), "{}", rows.out);
}
