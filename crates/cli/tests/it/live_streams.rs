//! Games are handed on as they come through a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::common::{GAMES, command, with_games};

/// Much longer than any machine needs.
const LIMIT: Duration = Duration::from_mins(2);

/// Runs the program with a pipe as its standard input and writes one game after another, each only after
/// the program has written the line with the event of the one before.
fn feed(args: &[&str]) {
    let folder = with_games("live");
    let mut child = command(folder.path())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in stdout.lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    let games: Vec<String> = GAMES
        .split("[Event ")
        .skip(1)
        .map(|game| format!("[Event {game}"))
        .collect();
    assert_eq!(games.len(), 3);
    let events = ["Tata Steel", "Study", "Short"];
    // Several times, so that buffers are used again for games of the same size.
    let again = (0..8).map(|_| (&games[2], events[2]));
    for (game, event) in games.iter().zip(events).chain(again) {
        assert!(game.contains(event));
        stdin.write_all(game.as_bytes()).unwrap();
        stdin.flush().unwrap();
        loop {
            let line = lines.recv_timeout(LIMIT).unwrap_or_else(|_| {
                let _ = child.kill();
                panic!("{args:?} wrote nothing for {event}")
            });
            if line.contains(event) {
                break;
            }
        }
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    reader.join().unwrap();
}

#[test]
fn a_row_is_written_before_the_next_game_is_there() {
    feed(&["ls", "-"]);
    feed(&["ls", "--ndjson", "-j1", "-"]);
}

#[test]
fn a_converted_game_is_written_before_the_next_one_is_there() {
    feed(&["convert", "-", "-o", "-"]);
    feed(&["convert", "-", "-o", "-", "-j1", "--to", "pgn"]);
}

#[test]
fn a_found_game_is_written_before_the_next_one_is_there() {
    feed(&["search", "-", "moves:>0"]);
    feed(&["search", "-j1", "--ndjson", "-", "moves:<100"]);
}
