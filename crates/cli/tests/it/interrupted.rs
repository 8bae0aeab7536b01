#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{command, many_games, names, tabia, with_sample};

#[test]
fn interrupts_end_a_program_that_waits_for_input() {
    let folder = Scratch::new("waits");
    let mut child = command(folder.path())
        .args(["ls", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // When the handler is installed cannot be seen from outside; half a second is more than enough.
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    for _ in 0..2 {
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(130));
    assert!(start.elapsed() < Duration::from_secs(10));
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert!(!err.contains("panicked"), "{err}");
}

/// As a process leaves it that was killed while it replaced a database: the old main file is away, of
/// the new files some have their names.
#[test]
fn interrupted_replacements_are_completed() {
    let folder = with_sample("replaced");
    let run = |args: &[&str]| tabia(&folder, args);
    let rows = |code: i32| run(&["ls", "mega.cbh", "--csv"]).expect(code).out;
    let before = rows(0);
    let mut journal = "tabia: files that replace others, version 1\n".to_owned();
    let files = names(&folder);
    let (main, others): (Vec<_>, Vec<_>) = files.iter().partition(|name| *name == "mega.cbh");
    for (number, name) in main.into_iter().chain(others).enumerate() {
        let (new, old) = (
            format!(".{name}.7-{number}.tmp"),
            format!(".{name}.8-{number}.tmp"),
        );
        if number % 2 == 0 {
            std::fs::rename(folder.join(name), folder.join(&new)).unwrap();
        }
        std::fs::write(folder.join(&old), b"the old file").unwrap();
        journal.push_str(&[new, old, name.clone()].join("\t"));
        journal.push('\n');
    }
    journal += "end\n";
    std::fs::write(folder.join(".mega.cbh.replaced"), journal).unwrap();
    assert!(!folder.join("mega.cbh").exists());
    let hidden = names(&folder);
    // It is read as it should be, and nothing is changed by that.
    assert_eq!(rows(3), before);
    let check = run(&["check", "mega.cbh", "--deep"]).expect(3);
    let output = format!("{}{}", check.out, check.err);
    assert!(output.contains("was stopped while it replaced"), "{output}");
    assert_eq!(names(&folder), hidden);
    // It is there, so it is not written over.
    std::fs::write(folder.join("many.pgn"), many_games(3)).unwrap();
    run(&["convert", "many.pgn", "-o", "mega.cbh"]).expect(5);
    let mut expected = files.clone();
    expected.push("many.pgn".to_owned());
    expected.sort();
    assert_eq!(names(&folder), expected, "what was to be done is done");
    assert_eq!(rows(0), before);
    run(&["check", "mega.cbh", "--deep"]).expect(0);
}
