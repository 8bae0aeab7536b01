//! Runs every command of the user guide.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

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

/// The page in parts: text that is not changed, and examples.
#[cfg(unix)]
fn parts(page: &str) -> Vec<Result<Example, String>> {
    let mut parts: Vec<Result<Example, String>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line == "```console" || inside && line == "```" {
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

/// What a command prints on a terminal of 100 columns without colours.
#[cfg(unix)]
fn printed(folder: &Scratch, command: &str) -> String {
    use std::fs::File;
    use std::io::Read;
    use std::process::Stdio;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};

    let program = Path::new(env!("CARGO_BIN_EXE_tabia")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![program.to_path_buf()];
    folders.extend(std::env::split_paths(&path));
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
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(folders).unwrap())
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

/// Pages show what the program prints. `TABIA_UPDATE=1` writes it into them.
#[test]
#[cfg(unix)]
fn examples_show_what_is_printed() {
    let guide = std::fs::read_dir(repository().join("docs/guide")).unwrap();
    let mut pages: Vec<_> = guide.map(|entry| entry.unwrap().path()).collect();
    pages.push(repository().join("README.md"));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    let mut count = 0;
    let mut wrong = Vec::new();
    for page in pages {
        let folder = Scratch::new("examples");
        copy_samples(&folder);
        let text = std::fs::read_to_string(&page).unwrap();
        let mut new = String::new();
        for part in parts(&text) {
            match part {
                Err(text) => new.push_str(&text),
                Ok(example) => {
                    count += 1;
                    let output = printed(&folder, &example.command);
                    let is_failure =
                        output.contains("error:") && !example.output.contains("error:");
                    assert!(!is_failure, "`{}`: {output}", example.command);
                    if without_times(&output) != without_times(&example.output) {
                        wrong.push(format!(
                            "{}:\n$ {}\n{output}",
                            page.display(),
                            example.command
                        ));
                    }
                    write!(new, "$ {}\n{output}", example.command).unwrap();
                }
            }
        }
        if std::env::var_os("TABIA_UPDATE").is_some() && new != text {
            std::fs::write(&page, new).unwrap();
        }
    }
    assert!(count > 100, "{count} examples found");
    assert!(wrong.is_empty(), "now printed:\n{}", wrong.join("\n"));
}

#[cfg(unix)]
fn copy_samples(folder: &Scratch) {
    std::fs::create_dir(folder.join("samples")).unwrap();
    for file in std::fs::read_dir(repository().join("samples")).unwrap() {
        let from = file.unwrap().path();
        let to = folder.join("samples").join(from.file_name().unwrap());
        std::fs::copy(from, to).unwrap();
    }
    let study = repository().join("docs/guide/study.pgn");
    std::fs::create_dir_all(folder.join("docs/guide")).unwrap();
    std::fs::copy(study, folder.join("docs/guide/study.pgn")).unwrap();
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
