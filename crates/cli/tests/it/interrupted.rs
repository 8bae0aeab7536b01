#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tabia_testkit::Scratch;

use crate::common::{command, wait_until_interrupts_are_handled};

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
