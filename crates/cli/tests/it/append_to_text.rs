//! Games added to text files that are damaged, or of which something has no end.

use tabia_testkit::Scratch;

use crate::common::{many_games, tabia, with_games};

/// The commands that add `new.pgn` to a file.
const VERBS: [&[&str]; 2] = [&["convert", "--append"], &["append"]];

const NEW: &str =
    "[Event \"New\"]\n[White \"Newcomer\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n";

/// Looks at what was done, the exit code, the messages and the bytes of the file.
type Check<'c> = dyn Fn(&str, i32, &str, &[u8]) + 'c;

/// Adds `new.pgn` with every verb to a file with these bytes, and calls `check` with exit code, messages and the
/// bytes after it.
fn append(folder: &Scratch, name: &str, bytes: &[u8], check: &Check<'_>) {
    for verb in VERBS {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let run = tabia(folder, &[verb, &["new.pgn", "-o", name]].concat());
        let what = format!("{} to {name}: {}", verb[0], run.err);
        check(&what, run.code, &run.err, &std::fs::read(&path).unwrap());
    }
}

#[test]
fn a_damaged_compressed_file_is_left_alone() {
    let folder = Scratch::new("append-damaged-compressed");
    std::fs::write(folder.join("games.pgn"), many_games(300)).unwrap();
    std::fs::write(folder.join("new.pgn"), NEW).unwrap();
    for extension in ["gz", "zst", "xz", "bz2", "lz4"] {
        let name = format!("games.pgn.{extension}");
        let converted = tabia(&folder, &["convert", "games.pgn", "-o", &name]);
        if converted.code != 0 && !cfg!(feature = "zstd") {
            continue;
        }
        let whole = std::fs::read(folder.path().join(&name)).unwrap();
        let mut flipped = whole.clone();
        let middle = whole.len() * 2 / 3;
        flipped[middle] ^= 0x55;
        for damaged in [&whole[..middle], &flipped] {
            append(&folder, &name, damaged, &|what, code, message, after| {
                assert_eq!(code, 4, "{what}");
                // `append` reads the file for duplicates before.
                let is_refused = message.contains("cannot grow");
                assert!(is_refused || what.starts_with("append"), "{what}");
                assert_eq!(after, damaged, "{what}");
            });
        }
        append(&folder, &name, &whole, &|what, code, _, after| {
            assert_eq!(code, 0, "{what}");
            assert!(after.len() > whole.len(), "{what}");
            let found = tabia(&folder, &["ls", &name, "--where", "white:Newcomer"]);
            assert!(found.out.contains("Newcomer"), "{what}");
        });
    }
}

#[test]
fn a_compressed_file_grows_by_what_it_is_and_not_by_its_name() {
    let folder = Scratch::new("append-misnamed");
    std::fs::write(folder.join("games.pgn"), many_games(3)).unwrap();
    std::fs::write(folder.join("new.pgn"), NEW).unwrap();
    tabia(&folder, &["convert", "games.pgn", "-o", "games.pgn.gz"]).expect(0);
    let packed = std::fs::read(folder.path().join("games.pgn.gz")).unwrap();
    append(&folder, "misnamed.pgn", &packed, &|what, code, _, _| {
        assert_eq!(code, 0, "{what}");
        let listed = tabia(&folder, &["ls", "--ndjson", "misnamed.pgn"]).expect(0);
        assert_eq!(listed.out.lines().count(), 4, "{what}");
    });
}

#[test]
fn a_comment_without_end_does_not_swallow_what_is_added() {
    let folder = Scratch::new("append-open-comment");
    std::fs::write(folder.join("new.pgn"), NEW).unwrap();
    let game = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";
    let open = "[White \"B\"]\n\n1. d4 {a plan d5 1-0\n";
    for (text, line) in [
        (format!("{game}{open}"), "line 8"),
        (format!("{game}{{the end"), "line 6"),
        (format!("{game}{open}").replace('\n', "\r\n"), "line 8"),
    ] {
        append(
            &folder,
            "t.pgn",
            text.as_bytes(),
            &|what, code, message, after| {
                assert_eq!(code, 4, "{what}");
                assert!(message.contains(line), "{what}");
                assert!(message.contains("tabia repair"), "{what}");
                assert_eq!(after, text.as_bytes(), "{what}");
            },
        );
    }
    // The game after it ends the comment.
    let ended = format!(
        "{open}\n{}",
        game.replace("[White", "[Event \"E\"]\n[White")
    );
    append(&folder, "t.pgn", ended.as_bytes(), &|what, _, _, after| {
        assert!(
            after.starts_with(ended.as_bytes()) && after.len() > ended.len(),
            "{what}"
        );
    });
}

#[test]
fn added_lines_end_as_those_of_the_file() {
    let folder = Scratch::new("append-line-ends");
    std::fs::write(folder.join("new.pgn"), NEW).unwrap();
    let text = "[White \"A\"]\r\n\r\n1. e4 *\r\n";
    append(
        &folder,
        "t.pgn",
        text.as_bytes(),
        &|what, code, _, after| {
            assert_eq!(code, 0, "{what}");
            let after = std::str::from_utf8(after).unwrap();
            assert!(
                after.starts_with(&format!("{text}\r\n[Event")),
                "{what}: {after:?}"
            );
            assert!(
                !after.replace("\r\n", "").contains(['\r', '\n']),
                "{what}: {after:?}"
            );
        },
    );
}

/// The format of a database is that of its bytes, whatever its name.
#[test]
fn games_are_added_to_databases_with_the_extension_of_another_format() {
    let folder = with_games("append-other-extension");
    std::fs::write(folder.join("new.pgn"), "[White \"New\"]\n\n1. b3 *\n").unwrap();
    tabia(
        &folder,
        &["convert", "games.pgn", "-o", "a.dat", "--to", "cbh"],
    )
    .expect(0);
    std::fs::copy(folder.join("games.pgn"), folder.join("wrong.cbh")).unwrap();
    for database in ["a.dat", "wrong.cbh"] {
        let run = tabia(&folder, &["append", "new.pgn", "-o", database]).expect(0);
        assert!(run.err.contains("1 game"), "{database}: {}", run.err);
        let rows = tabia(&folder, &["ls", database, "--ndjson"]).expect(0).out;
        assert_eq!(rows.lines().count(), 4, "{database}: {rows}");
        assert!(rows.contains("\"New\""), "{database}: {rows}");
    }
}
