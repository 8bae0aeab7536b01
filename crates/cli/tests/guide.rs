//! Runs every command of the user guide.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tabia_testkit::Scratch;
use tabia_testkit::repository;

/// The lines of `sh` blocks.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            command if inside => {
                let bare = command.split("    #").next().unwrap_or_default().trim_end();
                commands.push(bare.to_owned());
            }
            _ => {}
        }
    }
    commands
}

/// A command of a `console` block, after `$ `, and the lines that follow it.
#[cfg(unix)]
struct Example {
    command: String,
    output: String,
}

/// The page in parts: text that is not changed, and the examples of blocks that begin with `fence`.
#[cfg(unix)]
fn parts(page: &str, fence: &str) -> Vec<Result<Example, String>> {
    let mut parts: Vec<Result<Example, String>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line == fence || inside && line == "```" {
            inside = !inside;
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            let (command, output) = (command.to_owned(), String::new());
            parts.push(Ok(Example { command, output }));
            continue;
        } else if inside && let Some(Ok(example)) = parts.last_mut() {
            example.output.push_str(line);
            example.output.push('\n');
            continue;
        }
        match parts.last_mut() {
            Some(Err(text)) => writeln!(text, "{line}").unwrap(),
            _ => parts.push(Err(format!("{line}\n"))),
        }
    }
    parts
}

/// A command that finds the program.
#[cfg(unix)]
fn shell(folder: &Scratch, command: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_tabia")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![program.to_path_buf()];
    folders.extend(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(folders).unwrap());
    shell
}

/// What a command prints on a terminal of 100 columns without colours.
#[cfg(unix)]
fn printed(folder: &Scratch, command: &str) -> String {
    use std::fs::File;
    use std::io::Read;
    use std::process::Stdio;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};

    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options()
        .read(true)
        .write(true)
        .open(Path::new(name.to_str().unwrap()))
        .unwrap();
    let size = Winsize {
        ws_row: 50,
        ws_col: 100,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).unwrap();
    let mut child = shell(folder, command)
        // No colours, no progress, no pager.
        .env("TERM", "dumb")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .stdout(Stdio::from(terminal.try_clone().unwrap()))
        .stderr(Stdio::from(terminal))
        .spawn()
        .unwrap();
    let mut bytes = Vec::new();
    let mut master = File::from(master);
    let mut buffer = [0; 4096];
    // Linux reports the end of a terminal as an error.
    while let Ok(count) = master.read(&mut buffer) {
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
    child.wait().unwrap();
    let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    match text.trim_end() {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// The text without times and speeds, which differ between runs.
#[cfg(unix)]
fn without_times(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_time = |i: usize| matches!(words.get(i + 1), Some(&("games/s" | "s" | "s,")));
        let shown = (0..words.len()).map(|i| if is_time(i) { "0" } else { words[i] });
        shown.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// An output without what differs between runs: times and speeds, and of answers in JSON the progress of jobs, the time of
/// files and the ids of games.
#[cfg(unix)]
fn comparable(output: &str) -> String {
    match serde_json::from_str::<Value>(output) {
        Ok(mut answer) => {
            without_changes(&mut answer);
            answer.to_string()
        }
        Err(_) => without_times(output),
    }
}

#[cfg(unix)]
fn without_changes(answer: &mut Value) {
    match answer {
        Value::Object(fields) => {
            let is_job = fields.contains_key("state");
            let of_job = ["id", "kind", "inputs", "name"];
            for (name, value) in fields {
                let is_fixed = match name.as_str() {
                    "modified" | "fingerprints" => false,
                    // Those of games are letters without a meaning.
                    "id" => value.as_str().is_none_or(|id| id.contains('.')),
                    name => !is_job || of_job.contains(&name),
                };
                if is_fixed {
                    without_changes(value);
                } else {
                    *value = Value::Null;
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(without_changes),
        _ => {}
    }
}

/// The README and the pages of the guide.
fn pages() -> Vec<PathBuf> {
    let guide = std::fs::read_dir(repository().join("docs/guide")).unwrap();
    let mut pages: Vec<_> = guide.map(|entry| entry.unwrap().path()).collect();
    pages.push(repository().join("README.md"));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages
}

/// Compares the examples of a page, in blocks that begin with `fence`, with what `run` prints, and returns their
/// number. With `TABIA_UPDATE=1` what is printed is written into the page.
#[cfg(unix)]
fn compare_examples(
    page: &Path,
    fence: &str,
    wrong: &mut Vec<String>,
    run: &mut dyn FnMut(&str) -> String,
) -> usize {
    let mut count = 0;
    let text = std::fs::read_to_string(page).unwrap();
    let mut new = String::new();
    for part in parts(&text, fence) {
        match part {
            Err(text) => new.push_str(&text),
            Ok(example) => {
                count += 1;
                let output = run(&example.command);
                let is_failure = output.contains("error:") && !example.output.contains("error:");
                assert!(!is_failure, "`{}`: {output}", example.command);
                let is_right = comparable(&output) == comparable(&example.output);
                if !is_right {
                    let page = page.display();
                    wrong.push(format!("{page}:\n$ {}\n{output}", example.command));
                }
                // Other times are no reason to change the page.
                let shown = if is_right { &example.output } else { &output };
                write!(new, "$ {}\n{shown}", example.command).unwrap();
            }
        }
    }
    if std::env::var_os("TABIA_UPDATE").is_some() && new != text {
        std::fs::write(page, new).unwrap();
    }
    count
}

/// Pages show what the program prints. `TABIA_UPDATE=1` writes it into them.
#[test]
#[cfg(unix)]
fn examples_show_what_is_printed() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for page in pages() {
        let folder = Scratch::new("examples");
        copy_samples(&folder);
        count += compare_examples(&page, "```console", &mut wrong, &mut |command| {
            printed(&folder, command)
        });
    }
    assert!(count > 100, "{count} examples found");
    assert!(wrong.is_empty(), "now printed:\n{}", wrong.join("\n"));
}

/// A server that runs until it is dropped.
#[cfg(unix)]
struct Server {
    child: std::process::Child,
    /// Closed with it: a server whose messages cannot be written would end.
    _messages: std::io::BufReader<std::process::ChildStdout>,
    port: String,
    key: String,
    first_job: std::cell::Cell<Option<u64>>,
}

#[cfg(unix)]
impl Server {
    /// Starts a server on a free port, without a browser; with what it prints.
    fn start(folder: &Scratch, command: &str) -> (Self, String) {
        use std::io::{BufRead as _, BufReader};
        use std::process::Stdio;

        let command = format!("exec {command} --port 0 --no-open 2>&1");
        let mut child = shell(folder, &command)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut messages = BufReader::new(child.stdout.take().unwrap());
        let mut output = String::new();
        // The last line that a start prints.
        while !output.contains("Ctrl-C ends it") {
            let read = messages.read_line(&mut output).unwrap();
            assert!(read > 0, "{command}: {output}");
        }
        let address = output.lines().find(|line| line.starts_with("http://"));
        let (host, key) = address.unwrap().split_once("/#k=").unwrap();
        let (_, port) = host.rsplit_once(':').unwrap();
        let (port, key) = (port.to_owned(), key.to_owned());
        // The page has the usual port and no key.
        let shown = output.replace(&port, "6464").replace(&key, "0f3a…");
        let server = Self {
            child,
            _messages: messages,
            port,
            key,
            first_job: std::cell::Cell::new(None),
        };
        (server, shown)
    }

    /// What a command that asks the server prints.
    fn asked(&self, folder: &Scratch, command: &str) -> String {
        let command = command.replace("6464", &self.port);
        let mut shell = shell(folder, &format!("{command} 2>&1"));
        let done = shell.env("KEY", &self.key).output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "`{command}`: {text}");
        match text.trim_end() {
            "" => String::new(),
            text => {
                let text = text.replace(&self.port, "6464");
                format!("{}\n", self.with_numbers_from_one(text))
            }
        }
    }

    /// The answer about a job with the number that it has on the page, where the first job has 1: the numbers of a
    /// server begin anywhere.
    fn with_numbers_from_one(&self, text: String) -> String {
        let Some((before, after)) = text.split_once("\"id\":") else {
            return text;
        };
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let Ok(id) = after[..digits].parse::<u64>() else {
            return text;
        };
        let first = self.first_job.get().unwrap_or(id);
        self.first_job.set(Some(first));
        format!("{before}\"id\":{}{}", id - first + 1, &after[digits..])
    }
}

#[cfg(unix)]
impl Drop for Server {
    fn drop(&mut self) {
        // It ends the process that answers.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.child.wait();
    }
}

/// The page about `serve` shows what a server prints and answers.
#[test]
#[cfg(unix)]
fn answers_of_the_server_are_real() {
    if Command::new("curl").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "there is no curl");
        tabia_testkit::skip_without_peer("answers_of_the_server_are_real", "curl");
        return;
    }
    let folder = Scratch::new("served");
    copy_samples(&folder);
    let page = repository().join("docs/guide/page.md");
    let mut wrong = Vec::new();
    let mut server = None;
    let count = compare_examples(&page, "```console serve", &mut wrong, &mut |command| {
        if !command.starts_with("tabia serve") && !command.starts_with("curl ") {
            return printed(&folder, command);
        }
        if command.starts_with("tabia serve") {
            // The old one ends first.
            drop(server.take());
            let (started, output) = Server::start(&folder, command);
            server = Some(started);
            return output;
        }
        server.as_ref().unwrap().asked(&folder, command)
    });
    assert!(count > 8, "{count} examples found");
    assert!(wrong.is_empty(), "now printed:\n{}", wrong.join("\n"));
}

/// Each command of the program is in a block of a kind that some test runs: `console` and `console serve` are run here,
/// `console parquet` by the tests of tables, `console cluster` by `.ci/cluster`.
#[test]
fn each_command_is_run_by_a_test() {
    let run = [
        "```console",
        "```console serve",
        "```console parquet",
        "```console cluster",
    ];
    let mut wrong = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut fence = None;
        for line in text.lines() {
            match (line.starts_with("```"), fence) {
                (true, None) => fence = Some(line),
                (true, Some(_)) => fence = None,
                (false, Some(fence)) => {
                    let command = line.strip_prefix("$ ").unwrap_or(line);
                    let is_command = command.starts_with("tabia ") || command.starts_with("curl ");
                    if is_command && !(run.contains(&fence) && command != line) {
                        wrong.push(format!("{}: {line}", page.display()));
                    }
                }
                (false, None) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "not run:\n{}", wrong.join("\n"));
}

#[cfg(unix)]
fn copy_samples(folder: &Scratch) {
    std::fs::create_dir(folder.join("samples")).unwrap();
    for file in std::fs::read_dir(repository().join("samples")).unwrap() {
        let from = file.unwrap().path();
        let to = folder.join("samples").join(from.file_name().unwrap());
        std::fs::copy(from, to).unwrap();
    }
    std::fs::create_dir_all(folder.join("docs/guide")).unwrap();
    for name in ["docs/guide/study.pgn", "docs/guide/blitz.pgn"] {
        std::fs::copy(repository().join(name), folder.join(name)).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn readme_command_shows_games() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let prefix = "cargo run -- ";
    let found = commands(&readme);
    let mut shown = found.iter().filter_map(|line| line.strip_prefix(prefix));
    let arguments = shown.next().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tabia"))
        .args(arguments.split(' '))
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("[White "));
}
