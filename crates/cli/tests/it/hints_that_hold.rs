//! What a hint recommends can be done: none leads to an error, to the command that is running, or to a verb that finds
//! nothing.

use std::fs;

use tabia_testkit::Scratch;

use crate::common::{GAMES, many_games, tabia};
use crate::repair_all::zip;

/// Bytes that begin like no format.
fn noise() -> Vec<u8> {
    let mut state = 7u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8 | 0x81
    };
    (0..4000).map(next).collect()
}

fn hints(err: &str) -> Vec<&str> {
    let hints = err.lines().filter_map(|line| line.strip_prefix("hint: "));
    hints.collect()
}

#[test]
fn nothing_is_repaired_of_files_without_anything_to_save() {
    let folder = Scratch::new("hints-of-noise");
    for name in ["a.cbh", "b.2cbh", "c.si4", "d.zip", "f.abk"] {
        fs::write(folder.join(name), noise()).unwrap();
        for verb in ["info", "ls"] {
            let run = tabia(&folder, &[verb, name]).expect(4);
            let hints = hints(&run.err);
            assert_eq!(hints.len(), 1, "{name}: {}", run.err);
            let [hint] = hints.as_slice() else { continue };
            assert!(!hint.contains("tabia repair"), "{name}: {hint}");
            assert!(hint.contains("copy or download it again"), "{name}: {hint}");
        }
        fs::remove_file(folder.join(name)).unwrap();
    }
    // With another file of the database there may be games.
    fs::write(folder.join("a.cbh"), noise()).unwrap();
    fs::write(folder.join("a.cbg"), noise()).unwrap();
    let run = tabia(&folder, &["info", "a.cbh"]).expect(4);
    assert!(run.err.contains("`tabia repair a.cbh -o"), "{}", run.err);
}

#[test]
fn a_hint_is_given_once_for_all_inputs_of_a_folder() {
    let folder = Scratch::new("hints-of-a-folder");
    for name in ["a.abk", "b.abk", "c.ctg"] {
        fs::write(folder.join(name), noise()).unwrap();
    }
    fs::write(folder.join("games.pgn"), GAMES).unwrap();
    let run = tabia(&folder, &["info", "."]).expect(3);
    let hints = hints(&run.err);
    assert_eq!(
        hints,
        ["copy or download it again from where it came from; likewise 2 more inputs"]
    );
}

#[test]
fn a_character_set_that_was_asked_for_is_that_of_every_profile() {
    let folder = Scratch::new("hints-of-characters");
    fs::write(folder.join("a.pgn"), GAMES.replace("Carlsen", "卡爾森")).unwrap();
    let arguments = ["convert", "a.pgn", "-o", "b.pgn", "--to-encoding", "cp1252"];
    let run = tabia(&folder, &arguments).expect(0);
    assert!(run.err.contains("without `--to-encoding`"), "{}", run.err);
    assert!(!run.err.contains("all of this"), "{}", run.err);
}

/// Arguments, the exit code, and what the messages contain.
const CASES: &[(&[&str], i32, &str)] = &[
    (
        &["search", "games.pgn", "Bxh7+"],
        1,
        "did you mean `move:Bxh7+`?",
    ),
    (
        &["search", "games.pgn", "two.pgn"],
        2,
        "`tabia search games.pgn two.pgn player:carlsen`",
    ),
    (&["ls", "locked.zip"], 4, "`unzip locked.zip`"),
    (&["ls", "text.zip"], 4, "`tabia archive list text.zip`"),
    (&["ls", "games.pgn:foo"], 4, "`tabia ls games.pgn`"),
    (&["find", "book.bin"], 2, "`tabia book find book.bin`"),
    (&["-v"], 2, "a verb is missing"),
    (
        &["convert", "games.pgn", "--salvage", "-o", "two.pgn"],
        2,
        "`tabia convert games.pgn --salvage -o two.pgn --append`",
    ),
    (
        &["names", "games.pgn", "--apply", "/dev/null", "-o", "x.pgn"],
        4,
        "> names.tsv`",
    ),
    (
        &["convert", "https://example.org/a.pgn"],
        4,
        "`curl -L https://example.org/a.pgn | tabia convert -`",
    ),
    (&["ls", "*.xyz"], 4, "no file fits the pattern"),
    (
        &["book", "fix", "games.pgn", "-o", "x.bin"],
        2,
        "`tabia book build games.pgn -o x.bin`",
    ),
    (
        &["book", "fix", "book.bin", "-o", "x.kob"],
        2,
        "`tabia book convert book.bin -o x.kob`",
    ),
    (
        &["show", "pack.zip", "--game", "1"],
        2,
        "`tabia show pack.zip:games.pgn --game 1`",
    ),
    (
        &["convert", "games.pgn", "-o", "x.cbg"],
        2,
        "`-o x.cbh` writes",
    ),
    (
        &["archive", "create", "a.rar", "games.pgn"],
        2,
        "`tabia archive create a.zip games.pgn`",
    ),
    (
        &["convert", "games.pgn", "-o", "-", "--split", "2"],
        2,
        "`tabia convert games.pgn -o games.pgn --split 2`",
    ),
    (
        &["convert", "games.pgn", "-o", "no/x.pgn", "--split", "2"],
        5,
        "`mkdir -p no`",
    ),
    (
        &[
            "convert",
            "two.pgn",
            "-o",
            "x.si5",
            "--to-encoding",
            "cp1252",
        ],
        2,
        "without `--to-encoding`",
    ),
    (
        &["ls", "games.pgn", "-n", "5"],
        2,
        "did you mean `--limit N`?",
    ),
    (
        &["convert", "games.pgn", "--format", "pgn"],
        2,
        "did you mean `--to FORMAT`?",
    ),
    (
        &["book", "line", "book.bin", "--best", "--count", "3"],
        2,
        "`--best` is one line",
    ),
    (
        &["search", "games.pgn", "tal", "-o", "x.pgn", "--json"],
        2,
        "are for rows",
    ),
    (
        &[
            "convert",
            "games.pgn",
            "-o",
            "n.ndjson",
            "--profile",
            "full",
        ],
        0,
        "`--profile` is for PGN",
    ),
    (
        &["convert", "games.pgn", "-o", "p.si5", "--to", "pgn"],
        0,
        "p.si5 is named like another format",
    ),
    (
        &["convert", "empty.pgn"],
        0,
        "there are no games to convert",
    ),
    (
        &["convert", "games.pgn", "-o", "m.bpgn"],
        3,
        "none was written",
    ),
    (
        &["dedupe", "games.pgn", "-o", "d.bin"],
        2,
        "`tabia book build games.pgn -o d.bin`",
    ),
    (
        &["dedupe", "games.pgn", "-o", "no/d.pgn"],
        5,
        "`mkdir -p no`",
    ),
    (
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "e.bin",
            "--where",
            "player:zzz",
        ],
        1,
        "`tabia search games.pgn player:zzz`",
    ),
];

#[test]
fn hints_name_what_can_be_done() {
    let folder = Scratch::new("hints-that-hold");
    fs::write(folder.join("games.pgn"), GAMES).unwrap();
    fs::write(folder.join("two.pgn"), many_games(2)).unwrap();
    fs::write(folder.join("empty.pgn"), "").unwrap();
    let pack = zip(&[
        ("games.pgn", GAMES.as_bytes()),
        ("two.pgn", GAMES.as_bytes()),
    ]);
    fs::write(folder.join("pack.zip"), &pack).unwrap();
    fs::write(folder.join("text.zip"), zip(&[("a.md", b"words")])).unwrap();
    // The flag of an encrypted member, in its own header and in the list.
    let mut locked = zip(&[("games.pgn", GAMES.as_bytes())]);
    let list = locked.windows(4).position(|bytes| bytes == b"PK\x01\x02");
    locked[6] |= 1;
    locked[list.unwrap() + 8] |= 1;
    fs::write(folder.join("locked.zip"), locked).unwrap();
    let build = [
        "book",
        "build",
        "games.pgn",
        "--min-games",
        "1",
        "-o",
        "book.bin",
    ];
    tabia(&folder, &build).expect(0);
    for (arguments, code, contains) in CASES {
        let run = tabia(&folder, arguments).expect(*code);
        assert!(run.err.contains(contains), "{arguments:?}: {}", run.err);
    }
    // Nothing was read before the target was refused.
    let run = tabia(&folder, &["dedupe", "games.pgn", "-o", "d.bin"]).expect(2);
    assert!(!run.err.contains("left out"), "{}", run.err);
    let run = tabia(&folder, &["ls", "{games,two}.pgn", "--games", "1"]).expect(0);
    assert_eq!(run.out.lines().count(), 3, "{}", run.out);
    fs::create_dir_all(folder.join("years/old")).unwrap();
    fs::write(folder.join("years/old/deep.pgn"), GAMES).unwrap();
    let run = tabia(&folder, &["ls", "**/*.pgn", "--columns", "path"]).expect(0);
    assert!(run.out.contains("years/old/deep.pgn"), "{}", run.out);
    let run = tabia(&folder, &["show", "games.pgn", "-g", "1", "--board=99"]).expect(2);
    assert_eq!(run.out, "");
}

#[cfg(unix)]
#[test]
fn a_path_is_taken_as_rows_have_it() {
    let folder = Scratch::new("paths-of-rows");
    fs::write(folder.join(r"a\b.pgn"), GAMES).unwrap();
    let run = tabia(&folder, &["ls", ".", "--columns", "path", "--no-header"]).expect(0);
    let path = run.out.lines().next().unwrap();
    let path = path.strip_prefix("./").unwrap_or(path);
    assert_eq!(path, r"a\\b.pgn");
    tabia(&folder, &["ls", path]).expect(0);
}

#[test]
fn short_help_counts_the_options_that_it_leaves_out() {
    let folder = Scratch::new("short-help");
    let run = tabia(&folder, &["ls", "--help"]).expect(0);
    assert!(
        run.out.contains("`tabia help ls` explains more, and has "),
        "{}",
        run.out
    );
    // An example uses it.
    assert!(run.out.contains("--no-header  "), "{}", run.out);
    let run = tabia(&folder, &["archive", "list", "--help"]).expect(0);
    assert!(run.out.contains("--password <TEXT>"), "{}", run.out);
}
