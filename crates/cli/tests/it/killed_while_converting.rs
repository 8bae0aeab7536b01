use std::process::Stdio;
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{command, many_games, names};

/// The program while it reads from a pipe that never ends; the target is under construction.
fn converting(folder: &Scratch) -> (std::process::Child, std::thread::JoinHandle<()>) {
    let mut child = command(folder.path())
        .args(["convert", "-", "-o", "out.pgn", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = many_games(2_000);
    let (sent, is_sent) = std::sync::mpsc::channel();
    let feeder = std::thread::spawn(move || {
        use std::io::Write;
        let start = Instant::now();
        let mut rounds = 0;
        // Ends when the program does, and in any case after a minute.
        while start.elapsed() < Duration::from_mins(1) {
            if stdin.write_all(text.as_bytes()).is_err() {
                return;
            }
            rounds += 1;
            if rounds == 5 {
                let _ = sent.send(());
            }
        }
    });
    is_sent.recv_timeout(Duration::from_mins(1)).unwrap();
    (child, feeder)
}

#[test]
fn killed_conversions_leave_no_file() {
    let folder = Scratch::new("kill");
    let (mut child, feeder) = converting(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    feeder.join().unwrap();
    if cfg!(target_os = "linux") {
        assert_eq!(names(&folder), Vec::<String>::new());
    } else {
        assert!(!folder.join("out.pgn").exists());
    }
}

#[test]
#[cfg(unix)]
fn interrupted_conversions_leave_no_file_and_exit_with_130() {
    let folder = Scratch::new("interrupt");
    let (child, feeder) = converting(&folder);
    crate::common::wait_until_interrupts_are_handled(&child);
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(names(&folder), Vec::<String>::new());
}
