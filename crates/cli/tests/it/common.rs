//! Runs the program, and makes the files it reads.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tabia_testkit::Scratch;

/// The exit code and output of a run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {}", self.out))
    }

    /// Fails with the complete output unless the exit code is `code`.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.out, self.err
        );
        self
    }
}

/// The program, in a folder.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabia"));
    command
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

/// Returns when SIGINT no longer ends the process at once but is handled by it; panics after 20 seconds.
///
/// On systems without `/proc` it waits for half a second.
#[cfg(unix)]
pub(crate) fn wait_until_interrupts_are_handled(child: &Child) {
    const SIGINT_BIT: u64 = 1 << 1;
    let pause = std::time::Duration::from_millis(10);
    let path = format!("/proc/{}/status", child.id());
    if !Path::new(&path).exists() {
        std::thread::sleep(50 * pause);
        return;
    }
    for _ in 0..2000 {
        let status = std::fs::read_to_string(&path).unwrap();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if mask.unwrap() & SIGINT_BIT != 0 {
            return;
        }
        std::thread::sleep(pause);
    }
    panic!("SIGINT is not handled after 20 seconds");
}

/// Runs the program to its end.
pub(crate) fn tabia<S: AsRef<OsStr>>(folder: &Scratch, args: &[S]) -> Run {
    finish(command(folder.path()).args(args))
}

/// Starts it with pipes as its three streams.
pub(crate) fn with_pipes(command: &mut Command) -> Child {
    let streams = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    streams.spawn().unwrap()
}

/// Runs it with something on standard input.
pub(crate) fn tabia_with_input(folder: &Scratch, args: &[&str], input: &[u8]) -> Run {
    let mut child = with_pipes(command(folder.path()).args(args));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The program may stop reading early.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    run_of(&output)
}

fn finish(command: &mut Command) -> Run {
    run_of(&command.output().unwrap())
}

fn run_of(output: &std::process::Output) -> Run {
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Three games, the second with a variation, comments and a symbol.
pub(crate) const GAMES: &str = r#"[Event "Tata Steel"]
[Site "Wijk aan Zee"]
[Date "2013.01.12"]
[Round "1"]
[White "Carlsen, Magnus"]
[Black "Aronian, Levon"]
[Result "1-0"]
[WhiteElo "2861"]
[BlackElo "2802"]
[ECO "C65"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 1-0

[Event "Study"]
[Site "?"]
[Date "1950.??.??"]
[Round "?"]
[White "Müller, Jörg"]
[Black "Žižka"]
[Result "1/2-1/2"]
[Annotator "Tal"]

1. e4 c5 $1 {The Sicilian} (1... e6 2. d4) 2. Nf3 1/2-1/2

[Event "Short"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "*"]

1. d4 *

"#;

/// Many games in one file.
pub(crate) fn many_games(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        let _ = write!(
            text,
            "[Event \"Open {}\"]\n[Site \"?\"]\n[Date \"2020.01.01\"]\n[Round \"{i}\"]\n\
             [White \"Player {}\"]\n[Black \"Player {}\"]\n[Result \"1-0\"]\n\n\
             1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 {{Game {i}}} 6. Re1 b5 7. Bb3 d6\n\
             8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 (10... exd4 11. cxd4) 11. Nbd2 Bb7 1-0\n\n",
            i % 9,
            i % 97,
            i % 89
        );
    }
    text
}

/// A folder with `games.pgn`.
pub(crate) fn with_games(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    std::fs::write(folder.join("games.pgn"), GAMES).unwrap();
    folder
}

/// The folder of the database that ships with the repository.
pub(crate) fn samples() -> PathBuf {
    tabia_testkit::repository().join("samples")
}

/// A folder with the sample database under a name of its own.
pub(crate) fn with_sample(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    for file in std::fs::read_dir(samples()).unwrap() {
        let path = file.unwrap().path();
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if extension.starts_with("cb") && extension != "cbv" {
            std::fs::copy(&path, folder.join(format!("mega.{extension}"))).unwrap();
        }
    }
    folder
}

/// Names in a folder, sorted, hidden ones too.
pub(crate) fn names(folder: &Scratch) -> Vec<String> {
    folder.names()
}
