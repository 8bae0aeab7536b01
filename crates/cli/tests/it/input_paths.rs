use tabia_testkit::Scratch;

use crate::common::{GAMES, tabia, tabia_with_input, with_games, with_sample};

#[test]
fn any_file_or_the_base_name_opens_a_set() {
    let folder = with_sample("member");
    let main = tabia(&folder, &["ls", "mega.cbh"]).expect(0);
    assert!(main.out.lines().count() > 5);
    for name in ["mega.cbg", "mega.cba", "mega.cbp", "mega", "./mega", "MEGA"] {
        let run = tabia(&folder, &["ls", name]).expect(0);
        assert_eq!(run.out, main.out, "{name}");
    }
    let info = tabia(&folder, &["info", "mega.cbp", "--json"])
        .expect(0)
        .json();
    assert_eq!(info[0]["path"], "mega.cbh");
}

#[test]
fn globs_over_a_set_open_it_once() {
    let folder = with_sample("glob");
    let mut args = vec!["info".to_owned(), "--json".to_owned()];
    args.extend(folder.names());
    let info = tabia(&folder, &args).expect(0).json();
    assert_eq!(info.as_array().unwrap().len(), 1);
}

#[test]
fn lone_companions_name_the_missing_file() {
    let folder = with_sample("lone");
    std::fs::remove_file(folder.join("mega.cbh")).unwrap();
    let run = tabia(&folder, &["ls", "mega.cbp"]).expect(4);
    assert!(
        run.err.contains("the file mega.cbh is missing"),
        "{}",
        run.err
    );
}

#[test]
fn ambiguous_base_names_are_refused() {
    let folder = with_sample("two");
    std::fs::write(folder.join("mega.pgn"), GAMES).unwrap();
    let run = tabia(&folder, &["ls", "mega"]).expect(4);
    assert!(run.err.contains("mega.cbh or mega.pgn"), "{}", run.err);
}

#[test]
fn folders_contain_all_their_inputs() {
    let folder = with_sample("folder");
    std::fs::create_dir(folder.join("more")).unwrap();
    std::fs::write(folder.join("more/games.pgn"), GAMES).unwrap();
    std::fs::write(folder.join("notes.txt"), "not chess").unwrap();
    let info = tabia(&folder, &["info", ".", "--json"]).expect(0).json();
    let paths: Vec<&str> = info
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["./mega.cbh", "./more/games.pgn"]);
    let empty = Scratch::new("empty");
    let run = tabia(&empty, &["info", "."]).expect(4);
    assert!(
        run.err.contains("no database, book or archive"),
        "{}",
        run.err
    );
}

#[test]
fn names_may_have_spaces_and_any_letters() {
    let folder = Scratch::new("names");
    let name = "Мои партии – Žižka & co.pgn";
    std::fs::write(folder.join(name), GAMES).unwrap();
    let run = tabia(&folder, &["ls", name, "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 3);
    tabia(&folder, &["convert", name, "-o", "ö ü.pgn"]).expect(0);
    assert!(folder.join("ö ü.pgn").exists());
}

#[test]
fn dash_is_standard_input() {
    let folder = with_games("stdin");
    let file = tabia(&folder, &["ls", "games.pgn"]).expect(0);
    let stdin = tabia_with_input(&folder, &["ls", "-"], GAMES.as_bytes()).expect(0);
    assert_eq!(stdin.out, file.out);
    let info = tabia_with_input(&folder, &["info", "-", "--json"], GAMES.as_bytes()).expect(0);
    assert_eq!(info.json()[0]["kind"], "stream");
    assert_eq!(info.json()[0]["games"], 3);
}

#[test]
fn content_decides_the_format_before_the_name() {
    let folder = Scratch::new("content");
    std::fs::write(folder.join("games.dat"), GAMES).unwrap();
    std::fs::write(folder.join("games.cbh.txt"), GAMES).unwrap();
    for name in ["games.dat", "games.cbh.txt"] {
        let info = tabia(&folder, &["info", name, "--json"]).expect(0).json();
        assert_eq!(info[0]["format"], "pgn", "{name}");
    }
}

#[test]
fn a_missing_path_is_standard_input_if_that_is_a_pipe() {
    let folder = with_games("piped");
    for args in [
        &["ls", "--no-header"][..],
        &["search", "carlsen OR tal OR white:A", "--no-header"],
        &["info", "--no-header"],
        &["check", "--no-header"],
        &["eco", "--no-header"],
        &["show", "--game", "2"],
        &["convert"],
    ] {
        let run = tabia_with_input(&folder, args, GAMES.as_bytes()).expect(0);
        assert!(!run.out.is_empty(), "{args:?}");
        // Nothing is read from a terminal, or from nothing.
        let run = tabia(&folder, args).expect(2);
        assert!(run.err.contains("name a"), "{args:?}: {}", run.err);
    }
}

#[test]
fn globs_are_expanded() {
    let folder = with_games("globs");
    for name in ["b.pgn", "c.txt", "[x].pgn"] {
        std::fs::copy(folder.join("games.pgn"), folder.join(name)).unwrap();
    }
    std::fs::create_dir(folder.join("sub")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("sub/d.pgn")).unwrap();
    let files = |pattern: &str| -> Vec<String> {
        let run = tabia(&folder, &["info", pattern, "--no-header"]).expect(0);
        let name = |line: &str| {
            line.split('\t')
                .next()
                .unwrap_or_default()
                .replace('\\', "/")
        };
        run.out.lines().map(name).collect()
    };
    assert_eq!(files("*.pgn"), ["[x].pgn", "b.pgn", "games.pgn"]);
    assert_eq!(files("s*/?.pgn"), ["sub/d.pgn"]);
    assert_eq!(files("[a-c].pgn"), ["b.pgn"]);
    // The file of that name, not what it would fit as a glob.
    assert_eq!(files("[x].pgn"), ["[x].pgn"]);
    tabia(&folder, &["info", "*.cbv"]).expect(4);
    // An output that a glob names too is left out of the inputs.
    tabia(&folder, &["convert", "*.pgn", "-o", "all.pgn"]).expect(0);
    let run = tabia(&folder, &["convert", "*.pgn", "-o", "all.pgn", "--force"]).expect(0);
    assert!(
        run.err.contains("all.pgn is the output and left out"),
        "{}",
        run.err
    );
}

/// Names of folders need not be UTF-8; those of members are.
#[test]
#[cfg(target_os = "linux")]
fn members_of_archives_in_folders_of_any_name() {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

    let folder = with_games("members-any-name");
    let name = std::ffi::OsStr::from_bytes(b"f\xe9\xff");
    std::fs::create_dir(folder.join(name)).unwrap();
    std::fs::create_dir(folder.join("sub")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("sub/a.pgn")).unwrap();
    tabia(&folder, &["archive", "create", "a.zip", "games.pgn", "sub"]).expect(0);
    std::fs::rename(folder.join("a.zip"), folder.join(name).join("a.zip")).unwrap();
    for (member, code) in [("games.pgn", 0), ("sub/a.pgn", 0), ("none.pgn", 4)] {
        let path = [b"f\xe9\xff/a.zip:", member.as_bytes()].concat();
        let path = std::ffi::OsString::from_vec(path);
        let run = tabia(&folder, &["ls".into(), path, "--no-header".into()]).expect(code);
        let games = if code == 0 { 3 } else { 0 };
        assert_eq!(run.out.lines().count(), games, "{member}: {}", run.err);
    }
}
