//! Every error of use and of inputs names what to do next: a command, an option or a file.

use std::fs;

use tabia_testkit::Scratch;

use crate::common::{GAMES, tabia};

/// `games.pgn`, `games.cbh` with its companions, `book.bin`, `noise.cbh` and `pack.zip`.
fn folder(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::write(scratch.join("games.pgn"), GAMES).unwrap();
    fs::write(scratch.join("noise.cbh"), "?").unwrap();
    tabia(&scratch, &["convert", "games.pgn", "-o", "games.cbh"]).expect(0);
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "book.bin",
        "--min-games",
        "1",
    ];
    tabia(&scratch, &build).expect(0);
    tabia(&scratch, &["archive", "create", "pack.zip", "games.pgn"]).expect(0);
    scratch
}

/// Arguments, the exit code, and what the hint contains.
const CASES: &[(&[&str], i32, &str)] = &[
    (
        &["convert", "games.pgn", "-o", "new.bin"],
        2,
        "`tabia book build games.pgn -o new.bin`",
    ),
    (
        &["convert", "book.bin", "-o", "new.ctg"],
        2,
        "`tabia book convert BOOK -o new.ctg`",
    ),
    (
        &["convert", "games.pgn", "-o", "new.cbv"],
        2,
        "`tabia archive create new.cbv FILES`",
    ),
    (
        &["convert", "games.pgn", "-o", "new.xyz"],
        2,
        "`tabia formats`",
    ),
    (
        &["convert", "games.pgn", "--to", "xyz", "-o", "new"],
        2,
        "`tabia formats`",
    ),
    (
        &["convert", "games.pgn", "-o", "games.pgn", "--force"],
        2,
        "another name with `-o`",
    ),
    (&["convert", "games.pgn", "-o", "games.cbh"], 5, "`--force`"),
    (&["ls", "book.bin"], 2, "`tabia book info book.bin`"),
    (
        &["book", "find", "games.pgn"],
        2,
        "`tabia book build games.pgn -o BOOK`",
    ),
    (
        &["info", "noise.cbh"],
        4,
        "`tabia repair noise.cbh -o saved-noise.cbh`",
    ),
    (
        &["info", "--from", "cbh", "games.pgn"],
        4,
        "without `--from`",
    ),
    (&["info", "gamez.pgn"], 4, "games.pgn"),
    (
        &["ls", "games.pgn", "--where", "elo>2700"],
        1,
        "`elo:>2700`",
    ),
    (
        &["convert", "games.pgn", "-o", "new.cbh", "--append"],
        5,
        "without `--append`",
    ),
    (&["ls", "games.pgn", "--games", "x"], 2, "`tabia help ls`"),
    (
        &["show", "games.pgn", "--game", "0"],
        2,
        "`tabia help show`",
    ),
    (
        &["book", "find", "book.bin", "--fen", "x"],
        2,
        "`tabia help book find`",
    ),
    (
        &["archive", "list", "games.pgn"],
        2,
        "`tabia info games.pgn`",
    ),
];

#[test]
fn every_error_names_the_next_step() {
    let scratch = folder("hints");
    for (arguments, code, expected) in CASES {
        let run = tabia(&scratch, arguments).expect(*code);
        let hint = run.err.lines().find_map(|line| line.strip_prefix("hint: "));
        let hint = hint.unwrap_or_else(|| panic!("{arguments:?} has no hint:\n{}", run.err));
        assert!(hint.contains(expected), "{arguments:?}:\n{}", run.err);
    }
}

/// What a hint recommends works in the situation in which it is given.
#[test]
fn recommended_commands_exist() {
    let scratch = folder("hints-verbs");
    for (arguments, ..) in CASES {
        let err = tabia(&scratch, arguments).err;
        for command in err
            .split('`')
            .filter_map(|part| part.strip_prefix("tabia "))
        {
            let words: Vec<&str> = command.split(' ').collect();
            let verb = match words.as_slice() {
                ["help", rest @ ..] => rest,
                ["book" | "archive", ..] => &words[..2],
                _ => &words[..1],
            };
            let help = [&["help"], verb].concat();
            tabia(&scratch, &help).expect(0);
        }
    }
}

/// A recommended command can be copied into a shell whatever the name of the file.
#[test]
#[cfg(unix)]
fn file_names_in_hints_are_quoted() {
    let scratch = folder("hints-quoted");
    fs::write(scratch.join("my games.cbh"), "?").unwrap();
    fs::write(scratch.join("Tal's.pgn"), "[White \"A\"]\n\n1. e4 *\n").unwrap();
    for (args, expected) in [
        (
            &["info", "my games.cbh"][..],
            "`tabia repair 'my games.cbh' -o 'saved-my games.cbh'`",
        ),
        (
            &["book", "find", "Tal's.pgn"],
            "`tabia book build 'Tal'\\''s.pgn' -o BOOK`",
        ),
        (
            &["convert", "Tal's.pgn", "-o", "my book.bin"],
            "`tabia book build 'Tal'\\''s.pgn' -o 'my book.bin'`",
        ),
    ] {
        let run = tabia(&scratch, args);
        assert!(run.err.contains(expected), "{args:?}: {}", run.err);
    }
}

/// Only a command that adds to a file is asked to do without.
#[test]
fn append_is_mentioned_where_it_is_given() {
    let scratch = folder("hints-append");
    let append = ["convert", "games.pgn", "-o", "new.cbh", "--append"];
    let run = tabia(&scratch, &append).expect(5);
    assert!(run.err.contains("without `--append`"), "{}", run.err);
    let run = tabia(&scratch, &["convert", "games.pgn", "-o", "no/new.pgn"]).expect(5);
    assert!(run.err.contains("create the folder first"), "{}", run.err);
}
