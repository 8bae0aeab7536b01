use std::io::Read;
use std::process::Stdio;

use tabia_testkit::Scratch;

use crate::common::{command, many_games};

#[test]
fn closed_pipes_are_no_error() {
    let folder = Scratch::new("pipe");
    std::fs::write(folder.join("many.pgn"), many_games(20_000)).unwrap();
    for args in [
        &["ls", "many.pgn"][..],
        &["ls", "many.pgn", "--json"],
        &["convert", "many.pgn"],
        &["convert", "many.pgn", "-j4"],
        &["show", "many.pgn", "--json"],
    ] {
        let mut child = command(folder.path())
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut head = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut head).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}
