#![cfg(unix)]

use std::io::{Read, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{GAMES, command, many_games, wait_until_interrupts_are_handled, with_pipes};

#[test]
fn interrupts_end_a_program_that_waits_for_input() {
    let folder = Scratch::new("waits");
    let mut child = with_pipes(command(folder.path()).args(["ls", "-"]));
    wait_until_interrupts_are_handled(&child);
    let start = Instant::now();
    for _ in 0..2 {
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(130));
    assert!(start.elapsed() < Duration::from_mins(1));
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert!(!err.contains("panicked"), "{err}");
}

/// The input never ends, so the program is at work when the signal comes, however slow or fast the machine is.
#[test]
fn interrupts_end_novelty_and_names_in_long_input() {
    for verb in [&["novelty", "--base", "base.pgn"][..], &["names"]] {
        let folder = Scratch::new("interrupted-input");
        std::fs::write(folder.join("base.pgn"), GAMES).unwrap();
        let temporary = folder.join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        let mut program = command(folder.path());
        let mut child = with_pipes(program.args(verb).env("TMPDIR", &temporary));
        let mut stdin = child.stdin.take().unwrap();
        let written = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&written);
        let writer = std::thread::spawn(move || {
            let games = many_games(100);
            while stdin.write_all(games.as_bytes()).is_ok() {
                counter.fetch_add(games.len(), Ordering::Relaxed);
            }
        });
        wait_until_interrupts_are_handled(&child);
        let end = Instant::now() + Duration::from_mins(1);
        while written.load(Ordering::Relaxed) < 4 << 20 {
            assert!(Instant::now() < end, "{verb:?} does not read its input");
            std::thread::sleep(Duration::from_millis(10));
        }
        let start = Instant::now();
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        let code = child.wait().unwrap().code();
        let elapsed = start.elapsed();
        writer.join().unwrap();
        assert_eq!(code, Some(130), "{verb:?}");
        assert!(elapsed < Duration::from_mins(1), "{verb:?}: {elapsed:?}");
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
