//! Two and more processes that write to one database at once.

use std::process::{Child, Command, Stdio};

#[cfg(unix)]
use tabia::core::io::{FolderLock, SetLock};
use tabia_testkit::Scratch;

use crate::common::{GAMES, many_games, names, tabia};

/// Rounds of a test; `TABIA_ROUNDS` overrides it.
fn rounds() -> u32 {
    let rounds = std::env::var_os("TABIA_ROUNDS");
    let rounds = rounds.and_then(|rounds| rounds.to_str()?.parse().ok());
    rounds.unwrap_or(8)
}

fn start(folder: &Scratch, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tabia"))
        .current_dir(folder.path())
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs all commands at once; all must succeed.
fn run_at_once(folder: &Scratch, commands: &[&[&str]]) {
    let running: Vec<Child> = commands.iter().map(|args| start(folder, args)).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {error}", output.status);
    }
}

fn games_of(folder: &Scratch, path: &str) -> u64 {
    let run = tabia(folder, &["check", "--deep", path, "--json"]).expect(0);
    run.json()[0]["games"].as_u64().unwrap()
}

#[test]
fn appends_at_once_lose_nothing() {
    let folder = Scratch::new("appends-at-once");
    for (name, count) in [("base.pgn", 5), ("six.pgn", 6), ("seven.pgn", 7)] {
        std::fs::write(folder.join(name), many_games(count)).unwrap();
    }
    for target in ["t.cbh", "t.pgn", "t.pgn.gz", "t.si5"] {
        for round in 0..rounds() {
            let args = ["convert", "base.pgn", "-o", target, "--force", "-q"];
            tabia(&folder, &args).expect(0);
            run_at_once(
                &folder,
                &[
                    &["convert", "six.pgn", "-o", target, "--append", "-q"],
                    &["convert", "seven.pgn", "-o", target, "--append", "-q"],
                ],
            );
            assert_eq!(games_of(&folder, target), 18, "{target}, round {round}");
        }
    }
    assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
}

/// While another process replaces a set, its main file has no name for a moment.
#[cfg(unix)]
#[test]
fn sets_grow_whose_main_file_has_no_name_for_a_moment() {
    let folder = Scratch::new("no-name");
    for (name, count) in [("five.pgn", 5), ("six.pgn", 6)] {
        std::fs::write(folder.join(name), many_games(count)).unwrap();
    }
    std::os::unix::fs::symlink("t.si4", folder.join("link.si4")).unwrap();
    let appended = [
        (
            "t.cbh",
            ["convert", "six.pgn", "--append", "-o", "t.cbh"].as_slice(),
        ),
        ("t.si4", &["convert", "six.pgn", "--append", "-o", "t.si4"]),
        (
            "t.si4",
            &["convert", "six.pgn", "--append", "-o", "link.si4"],
        ),
        ("t.si5", &["convert", "six.pgn", "--append", "-o", "t.si5"]),
        ("t.si5", &["append", "six.pgn", "-o", "t.si5"]),
    ];
    for (main, args) in appended {
        tabia(&folder, &["convert", "five.pgn", "-o", main, "--force"]).expect(0);
        let path = folder.join(main);
        let hidden = folder.join("hidden");
        let lock = FolderLock::acquire(&path).unwrap();
        std::fs::rename(&path, &hidden).unwrap();
        let child = start(&folder, args);
        // Long enough that it looks for the file; it waits for the lock however long this is.
        std::thread::sleep(std::time::Duration::from_millis(300));
        std::fs::rename(&hidden, &path).unwrap();
        drop(lock);
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {error}");
        // `append` leaves out the games that are there.
        let games = games_of(&folder, main);
        assert!(games == 11 || args[0] == "append", "{args:?}: {games}");
    }
}

#[test]
fn books_that_grow_at_once_lose_nothing() {
    let folder = Scratch::new("books-at-once");
    for (name, count) in [("base.pgn", 5), ("six.pgn", 6), ("seven.pgn", 7)] {
        std::fs::write(folder.join(name), many_games(count)).unwrap();
    }
    let build = |input, how| {
        [
            "book",
            "build",
            "--game-links",
            "-o",
            "t.kob",
            "-q",
            input,
            how,
        ]
    };
    for round in 0..rounds() {
        tabia(&folder, &build("base.pgn", "--force")).expect(0);
        let commands = [build("six.pgn", "--append"), build("seven.pgn", "--append")];
        run_at_once(&folder, &commands.each_ref().map(<[&str; 8]>::as_slice));
        let found = tabia(&folder, &["book", "find", "t_0.kob", "--json"]).expect(0);
        assert_eq!(found.json()["games"], 18, "round {round}");
    }
    assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn sets_replaced_at_once_are_never_mixed() {
    let folder = Scratch::new("replaced-at-once");
    let counts = [3, 5, 8, 13];
    for count in counts {
        std::fs::write(folder.join(format!("{count}.pgn")), many_games(count)).unwrap();
    }
    for target in ["t.cbh", "t.si4", "t.sci"] {
        for round in 0..rounds() {
            let convert = |input| ["convert", input, "-o", target, "--force", "-q"];
            let commands = ["3.pgn", "5.pgn", "8.pgn", "13.pgn"].map(convert);
            run_at_once(&folder, &commands.each_ref().map(<[&str; 6]>::as_slice));
            let games = games_of(&folder, target);
            let is_one = counts.iter().any(|&count| count as u64 == games);
            assert!(is_one, "{target}, round {round}: {games} games");
        }
    }
    assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
}

#[cfg(unix)]
#[test]
fn waiting_for_a_lock_is_stated() {
    let folder = Scratch::new("waiting");
    std::fs::write(folder.join("games.pgn"), GAMES).unwrap();
    std::fs::write(folder.join("new.pgn"), GAMES).unwrap();
    let path = folder.join("games.pgn");
    let lock = SetLock::acquire(&path).unwrap();
    let run = std::thread::scope(|scope| {
        let append = || {
            tabia(
                &folder,
                &["convert", "--append", "new.pgn", "-o", "games.pgn"],
            )
        };
        let run = scope.spawn(append);
        std::thread::sleep(std::time::Duration::from_secs(3));
        drop(lock);
        run.join().unwrap()
    });
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        run.err.matches("games.pgn: waiting for ").count(),
        1,
        "{}",
        run.err
    );
}
