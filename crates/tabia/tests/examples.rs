//! Every program in `examples` runs over the sample database and prints what it promises.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tabia_testkit::Scratch;
use tabia_testkit::repository;

/// The folder of the compiled examples. `cargo test` builds them next to the tests unless single
/// tests are named on its command line; then they are built here.
fn folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let examples = folder.join("examples");
    if !examples
        .join("convert")
        .with_extension(std::env::consts::EXE_EXTENSION)
        .exists()
    {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "tabia", "--examples"]);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "the examples are built");
    }
    examples
}

fn run(name: &str, arguments: &[&Path]) -> String {
    run_with_errors(name, arguments).0
}

/// What a program writes to standard output and to standard error.
fn run_with_errors(name: &str, arguments: &[&Path]) -> (String, String) {
    let output = Command::new(
        folder()
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION),
    )
    .args(arguments)
    .output()
    .unwrap_or_else(|error| panic!("{name}: {error}"));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {errors}");
    (String::from_utf8(output.stdout).unwrap(), errors)
}

#[test]
fn games_read_in_part_are_reported() {
    let scratch = Scratch::new("examples-problems");
    let from = scratch.join("illegal.pgn");
    std::fs::write(&from, "1. e4 e5 2. Ke3 Nf6 1-0\n").unwrap();
    let database = scratch.join("out.pgn");
    let book = scratch.join("out.bin");
    let runs: [(&str, &[&Path]); 3] = [
        ("write_database", &[&from, &database]),
        ("build_book", &[&from, &book]),
        ("games_and_comments", &[&from]),
    ];
    for (name, arguments) in runs {
        let (_, errors) = run_with_errors(name, arguments);
        assert!(
            errors.contains("`Ke3` is an illegal move"),
            "{name}: {errors}"
        );
        assert_eq!(errors.lines().count(), 1, "{name}: {errors}");
    }
    let (text, errors) = run_with_errors("search_games", &[&from, Path::new("takes:Q")]);
    assert_eq!(text, "");
    assert!(errors.contains("`Ke3` is an illegal move"), "{errors}");
}

#[test]
fn examples_do_what_they_promise() {
    let sample = repository().join("samples/tabia.cbv");
    let games = tabia::open(&sample).unwrap().games().count();
    assert!(games > 0);
    let scratch = Scratch::new("examples");

    let pgn = scratch.join("out.pgn");
    let text = run("convert", &[&sample, &pgn]);
    assert!(
        text.starts_with(&format!("{games} games, 0 problems")),
        "{text}"
    );
    assert_eq!(tabia::open(&pgn).unwrap().games().count(), games);

    let text = run("list_headers", &[&sample]);
    assert_eq!(text.lines().count(), games, "{text}");
    assert!(
        text.lines().all(|line| line.split('\t').count() == 5),
        "{text}"
    );

    let text = run("games_and_comments", &[&sample]);
    assert!(
        text.lines()
            .any(|line| line.starts_with("  ") && line.contains(": ")),
        "{text}"
    );

    let book = scratch.join("book.bin");
    let text = run("build_book", &[&sample, &book]);
    assert!(
        text.contains(" positions") && !text.starts_with("0 "),
        "{text}"
    );

    let text = run("probe_book", &[&book]);
    assert!(text.lines().any(|line| line.contains("Some(")), "{text}");
    let fen = "8/8/8/8/8/5k2/6q1/7K w - - 0 1";
    assert_eq!(
        run("probe_book", &[&book, Path::new(fen)]),
        "not in the book\n"
    );

    let database = scratch.join("won.cbh");
    let text = run("write_database", &[&sample, &database]);
    let written = tabia::open(&database).unwrap().games().count();
    assert_eq!(text, format!("{written} games\n"));

    let text = run("read_archive", &[&sample]);
    assert!(text.contains("tabia.cbh\t"), "{text}");
    assert!(text.ends_with(&format!("{games} games\n")), "{text}");

    let text = run("one_game", &[Path::new("1. e4 e5 2. Nf3")]);
    assert!(
        text.starts_with("e4\te2e4\ne5\te7e5\nNf3\tg1f3\nrnbqkbnr/"),
        "{text}"
    );
    assert!(
        text.contains("[White \"?\"]\n") && text.ends_with("\n\n1. e4 e5 2. Nf3 *\n\n"),
        "{text}"
    );

    let text = run("search_games", &[&sample, Path::new("player:morphy")]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("2\tMorphy, Paul\t"), "{text}");

    let text = run("check_database", &[&sample]);
    assert!(text.ends_with(" problems\n"), "{text}");
    let text = run("check_database", &[&repository().join("samples/tabia.cbv")]);
    assert!(text.ends_with(": 8 games, 0 problems\n"), "{text}");
    let damaged = scratch.join("damaged.pgn");
    std::fs::write(&damaged, "[White \"A\"]\n\n1. e4 e5 2. Ke3 Nf6 1-0\n").unwrap();
    let text = run("check_database", &[&damaged]);
    assert!(text.contains("`Ke3` is an illegal move"), "{text}");
    assert!(text.ends_with(": 1 games, 1 problems\n"), "{text}");

    let text = run("repair_database", &[&damaged, &scratch.join("saved.si5")]);
    assert!(text.starts_with("game 1 is damaged: "), "{text}");
    assert!(text.ends_with("0 whole, 1 damaged, 0 lost\n"), "{text}");

    let edited = scratch.join("edited.pgn");
    std::fs::copy(&pgn, &edited).unwrap();
    let text = run(
        "edit_games",
        &[&edited, Path::new("2"), Path::new("Paris, opera")],
    );
    assert!(text.contains("[Event \"Paris, opera\"]\n"), "{text}");
    assert!(text.contains("{Edited.}"), "{text}");

    let lines = ["1. e4 e5 2. Nf3", "e4 c5", "e4 c5 c3"].map(Path::new);
    let text = run("variations", &lines);
    assert!(
        text.ends_with("\n1. e4 c5 (1... e5 2. Nf3) 2. c3 *\n\n"),
        "{text}"
    );

    let text = run("explore_position", &[&sample, Path::new("1. e4")]);
    assert!(text.contains(" games\ne5\t"), "{text}");

    let pgn = scratch.join("progress.pgn");
    let text = run("progress_and_cancel", &[&sample, &pgn, Path::new("60000")]);
    assert!(text.ends_with(&format!("{games} games\n")), "{text}");
    assert_eq!(tabia::open(&pgn).unwrap().games().count(), games);
    let many = scratch.join("many.pgn");
    std::fs::write(&many, "1. e4 e5 2. Nf3 Nc6 *\n\n".repeat(400_000)).unwrap();
    let none = scratch.join("none.si5");
    let text = run("progress_and_cancel", &[&many, &none, Path::new("0")]);
    assert!(text.ends_with("stopped: there is no new file\n"), "{text}");
    assert!(!none.exists());

    let text = run("report_losses", &[&sample, Path::new("epd")]);
    assert!(text.contains("variations"), "{text}");
}
