//! `index`, and `search` with saved indexes: the same answers as without.

use std::path::Path;

use tabia_testkit::Scratch;

use crate::common::{tabia, with_games, with_sample};

const QUERIES: &[&str] = &[
    "fen:rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "pos:\"1.e4 e5\"",
    "pos:\"1.e4 e5\" -> is:check",
    "pos:\"1.e4 e5\",\"1.d4\" -result:draw",
    "(pos:\"1.e4 e5 2.Nf3\") takes:Q",
    "pos:\"1.e4\" OR pos:\"1.d4 d5\"",
    "pos:\"1.a4 a5 2.h4 h5\"",
    "ends:mate",
];

/// What a search prints.
fn search(folder: &Scratch, path: &str, query: &str, options: &[&str]) -> String {
    let mut args = vec!["search", path, query, "--ndjson"];
    args.extend(options);
    let run = tabia(folder, &args);
    assert!(run.err.is_empty(), "{args:?}: {}", run.err);
    run.out
}

/// Compares searches with and without an index.
fn compare(folder: &Scratch, path: &str) {
    let some = ["--limit", "2", "--offset", "1"];
    for query in QUERIES {
        let expected = search(folder, path, query, &["--index", "never"]);
        for options in [&["-j1"][..], &["-j3"], &["--index", "require"]] {
            let found = search(folder, path, query, options);
            assert_eq!(found, expected, "{path} {query} {options:?}");
        }
        let never = [&some[..], &["--index", "never"]].concat();
        let expected = search(folder, path, query, &never);
        assert_eq!(
            search(folder, path, query, &some),
            expected,
            "{path} {query}"
        );
    }
}

fn state(folder: &Scratch, args: &[&str]) -> (String, u64) {
    let mut all = vec!["index", "--ndjson"];
    all.extend(args);
    let run = tabia(folder, &all);
    let row: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let state = row["state"].as_str().unwrap().to_owned();
    (state, row["added"].as_u64().unwrap_or_default())
}

#[test]
fn searches_with_an_index_have_the_same_rows() {
    let folder = with_sample("index-search");
    for target in ["all.pgn", "all.si4", "all.si5", "all.pgn.zst"] {
        tabia(&folder, &["convert", "mega.cbh", "-o", target, "-q"]);
    }
    for path in ["mega.cbh", "all.pgn", "all.pgn.zst", "all.si4", "all.si5"] {
        assert_eq!(state(&folder, &[path]).0, "built", "{path}");
        assert_eq!(state(&folder, &[path, "-j2"]).0, "current", "{path}");
        assert_eq!(state(&folder, &[path, "--check"]).0, "current", "{path}");
        assert!(folder.join(format!("{path}.tidx")).is_file());
        compare(&folder, path);
        assert_eq!(state(&folder, &[path, "--drop"]).0, "dropped", "{path}");
        assert_eq!(state(&folder, &[path, "--drop"]).0, "absent", "{path}");
        tabia(&folder, &["index", path, "--check"]).expect(3);
    }
}

#[test]
fn a_changed_database_is_not_searched_with_its_old_index() {
    let folder = with_sample("index-stale");
    tabia(&folder, &["convert", "mega.cbh", "-o", "all.pgn", "-q"]);
    let games = std::fs::read_to_string(folder.join("all.pgn")).unwrap();
    let query = "pos:\"1.e4 e5\"";
    let count = |folder: &Scratch| {
        let run = tabia(folder, &["search", "all.pgn", query, "--count"]).expect(0);
        (run.out.trim().parse::<u32>().unwrap(), run.err)
    };
    assert_eq!(state(&folder, &["all.pgn"]).0, "built");
    let (before, err) = count(&folder);
    assert_eq!(err, "");
    // Games are appended.
    let grown = format!("{games}\n[Event \"New\"]\n\n1. e4 e5 2. Nf3 *\n");
    std::fs::write(folder.join("all.pgn"), &grown).unwrap();
    let (found, err) = count(&folder);
    assert_eq!(found, before + 1);
    assert!(
        err.contains("was changed since its index was made"),
        "{err}"
    );
    let run = tabia(&folder, &["index", "all.pgn", "--check"]).expect(3);
    assert!(run.err.contains("was changed"), "{}", run.err);
    assert_eq!(state(&folder, &["all.pgn"]), ("grown".to_owned(), 1));
    assert_eq!(count(&folder), (before + 1, String::new()));
    compare(&folder, "all.pgn");
    assert_eq!(state(&folder, &["all.pgn", "--check"]).0, "current");
    // A game is changed, the length is the same.
    let changed = grown.replace("1. e4 e5 2. Nf3 *", "1. d4 d5 2. Nf3 *");
    std::fs::write(folder.join("all.pgn"), &changed).unwrap();
    assert_eq!(count(&folder).0, before);
    assert_eq!(state(&folder, &["all.pgn"]).0, "built");
    assert_eq!(count(&folder), (before, String::new()));
    // Another time alone changes nothing.
    std::fs::write(folder.join("all.pgn"), &changed).unwrap();
    assert_eq!(count(&folder), (before, String::new()));
    // `--index require` makes it current.
    std::fs::write(folder.join("all.pgn"), &games).unwrap();
    let args = ["search", "all.pgn", query, "--index", "require"];
    assert_eq!(tabia(&folder, &args).expect(0).err, "");
    assert_eq!(state(&folder, &["all.pgn"]).0, "current");
}

#[test]
fn a_damaged_index_is_named_and_not_used() {
    let folder = with_sample("index-damaged");
    tabia(&folder, &["index", "mega.cbh"]);
    let path = folder.join("mega.cbh.tidx");
    let bytes = std::fs::read(&path).unwrap();
    let query = "pos:\"1.e4 e5\" -> is:check";
    let expected = search(&folder, "mega.cbh", query, &["--index", "never"]);
    let mut named = 0;
    for at in (8192..bytes.len()).step_by(331) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        std::fs::write(&path, &damaged).unwrap();
        let run = tabia(&folder, &["search", "mega.cbh", query, "--ndjson"]).expect(0);
        assert_eq!(run.out, expected, "byte {at}");
        named += u32::from(run.err.contains("the index is damaged"));
    }
    assert!(named > 5, "{named}");
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let run = tabia(&folder, &["search", "mega.cbh", query, "--ndjson"]).expect(0);
    assert_eq!(run.out, expected);
    assert!(run.err.contains("the index is damaged"), "{}", run.err);
    assert_eq!(state(&folder, &["mega.cbh"]).0, "built");
    assert_eq!(search(&folder, "mega.cbh", query, &[]), expected);
}

#[test]
#[cfg(unix)]
fn an_index_that_cannot_be_written_next_to_its_database_is_in_the_cache() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_sample("index-cache");
    let inner = folder.join("locked");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("a.pgn"), "1. e4 e5 *\n").unwrap();
    let lock = |mode| std::fs::set_permissions(&inner, PermissionsExt::from_mode(mode)).unwrap();
    lock(0o555);
    let is_locked = std::fs::write(inner.join("b"), "").is_err();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tabia"))
        .args(["index", "locked/a.pgn"])
        .current_dir(folder.path())
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap();
    lock(0o755);
    assert!(output.status.success(), "{output:?}");
    let is_near = Path::new(&inner).join("a.pgn.tidx").exists();
    assert_eq!(is_near, !is_locked);
    let cached = std::fs::read_dir(folder.join("cache/tabia")).map_or(0, Iterator::count);
    assert_eq!(cached, usize::from(is_locked));
}

/// The problems that the making of an index finds are those of the search.
#[test]
fn a_search_that_makes_an_index_ends_as_one_without() {
    let folder = Scratch::new("index-require-problems");
    let bad = "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n";
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    let search = |index: &str| {
        let query = "fen:rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        tabia(
            &folder,
            &["search", "bad.pgn", query, "--count", "--index", index],
        )
    };
    let run = search("require").expect(3);
    assert_eq!(run.out, "1\n");
    assert!(run.err.contains("Ke3"), "{}", run.err);
    // Now the index answers, and nothing is read.
    search("auto").expect(0);
}

/// What is given by mistake is called what it is.
#[test]
fn an_index_is_no_unknown_file() {
    let folder = with_games("index-as-input");
    tabia(&folder, &["index", "games.pgn"]).expect(0);
    for verb in ["ls", "info", "check", "convert", "stats"] {
        let run = tabia(&folder, &[verb, "games.pgn.tidx"]).expect(4);
        assert!(run.err.contains("a saved index"), "{verb}: {}", run.err);
        let hint = "hint: `tabia search games.pgn QUERY` uses it";
        assert!(run.err.contains(hint), "{verb}: {}", run.err);
    }
    for verb in ["info", "check"] {
        let run = tabia(&folder, &[verb, "."]).expect(0);
        assert!(!run.err.contains("tidx"), "{verb}: {}", run.err);
    }
    std::fs::create_dir(folder.join("cache")).unwrap();
    std::fs::rename(folder.join("games.pgn.tidx"), folder.join("cache/g.tidx")).unwrap();
    let run = tabia(&folder, &["ls", "cache"]).expect(4);
    assert!(
        run.err.contains("hint: there are saved indexes in it"),
        "{}",
        run.err
    );
}

/// A copy can have the length and the time of the file that it replaces.
#[test]
#[cfg(unix)]
fn another_file_with_the_time_of_the_old_one_is_noticed() {
    use std::time::{Duration, UNIX_EPOCH};

    let folder = Scratch::new("index-same-time");
    let then = UNIX_EPOCH + Duration::from_hours(420_000);
    let write = |name: &str, text: &str| {
        let file = std::fs::File::create(folder.join(name)).unwrap();
        std::io::Write::write_all(&mut &file, text.as_bytes()).unwrap();
        file.set_modified(then).unwrap();
    };
    write("s.pgn", "[Event \"c\"]\n\n1. Nf3 *\n");
    write("new.pgn", "[Event \"c\"]\n\n1. Nc3 *\n");
    tabia(&folder, &["index", "s.pgn", "-q"]).expect(0);
    let count = |query: &str| {
        let run = tabia(&folder, &["search", "s.pgn", query, "--count"]);
        run.out.trim().to_owned()
    };
    assert_eq!(count("move:Nf3"), "1");
    std::fs::rename(folder.join("new.pgn"), folder.join("s.pgn")).unwrap();
    assert_eq!(count("move:Nf3"), "0");
    assert_eq!(count("move:Nc3"), "1");
}
