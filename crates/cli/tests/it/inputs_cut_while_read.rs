//! Inputs that are cut off while they are read.
#![cfg(unix)]

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use tabia_testkit::Scratch;

use crate::common::{command, many_games, names, tabia};

/// Starts a program whose output is not read at first, cuts a file off when the output has begun, and then
/// reads the output. Returns the exit code and standard error.
fn cut_off_while_read(folder: &Scratch, args: &[&str], file: &str) -> (Option<i32>, String) {
    let mut child = command(folder.path())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    let open = File::options().write(true).open(folder.join(file)).unwrap();
    open.set_len(4096).unwrap();
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), err)
}

#[test]
fn an_input_that_is_cut_off_while_it_is_read_ends_in_a_sentence() {
    let folder = Scratch::new("lost-input");
    std::fs::write(folder.join("many.pgn"), many_games(20_000)).unwrap();
    for (database, file) in [("b.si4", "b.si4"), ("b.si4", "b.sg4"), ("c.cbh", "c.cbh")] {
        tabia(&folder, &["convert", "many.pgn", "-o", database, "--force"]).expect(0);
        let before = names(&folder);
        let args = ["convert", database, "-o", "-", "--to", "pgn", "-j1"];
        let (code, err) = cut_off_while_read(&folder, &args, file);
        assert_eq!(code, Some(4), "{file}: {err}");
        let expected = format!("error: {file}: it was cut off, or its disk failed");
        assert!(
            err.starts_with(&expected) && err.lines().count() == 1,
            "{file}: {err}"
        );
        assert_eq!(names(&folder), before);
    }
}

#[test]
fn an_output_is_not_replaced_if_its_input_is_lost() {
    let folder = Scratch::new("lost-target");
    std::fs::write(folder.join("many.pgn"), many_games(20_000)).unwrap();
    std::fs::write(folder.join("few.pgn"), many_games(2)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "b.si4"]).expect(0);
    tabia(&folder, &["convert", "few.pgn", "-o", "out.si5"]).expect(0);
    let before = std::fs::read(folder.join("out.si5")).unwrap();
    let all = names(&folder);
    let mut child = command(folder.path())
        .args(["convert", "b.si4", "-o", "out.si5", "--force", "-j1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The moment differs from run to run: it has read everything, or the rest is lost.
    while !std::fs::read_to_string(format!("/proc/{}/maps", child.id()))
        .is_ok_and(|maps| maps.contains("b.si4"))
    {
        if !cfg!(target_os = "linux") || child.try_wait().unwrap().is_some() {
            break;
        }
    }
    let open = File::options()
        .write(true)
        .open(folder.join("b.si4"))
        .unwrap();
    open.set_len(4096).unwrap();
    let code = child.wait_with_output().unwrap().status.code();
    let is_old = std::fs::read(folder.join("out.si5")).unwrap() == before;
    assert_eq!(names(&folder), all);
    match code {
        Some(4) => assert!(is_old),
        // It was done before the file was cut off, or the file was cut off before it was opened.
        other => assert!(matches!(other, Some(0 | 3)), "{other:?}"),
    }
}
