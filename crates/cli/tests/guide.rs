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

/// Where a command of a page runs: a folder with the samples, the program first on the path.
fn run(folder: &Scratch, command: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_tabia")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![program.to_path_buf()];
    folders.extend(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{command}`: {err}");
    assert!(
        !err.contains("error:") && !err.contains("warning:"),
        "`{command}`: {err}"
    );
}

#[test]
#[cfg(unix)]
fn guide_commands_run() {
    let guide = repository().join("docs/guide");
    let mut pages: Vec<_> = std::fs::read_dir(&guide)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.sort();
    let mut count = 0;
    for page in pages {
        let folder = Scratch::new("guide");
        copy_samples(&folder);
        for command in commands(&std::fs::read_to_string(&page).unwrap()) {
            run(&folder, &command);
            count += 1;
        }
    }
    assert!(count > 20, "{count} commands found");
}

/// A command of a `console` block, after `$ `, and the lines that follow it.
struct Example {
    command: String,
    output: String,
}

/// The page in parts: text that is not changed, and examples.
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

/// What a command prints, standard error after standard output.
fn printed(folder: &Scratch, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_tabia")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![program.to_path_buf()];
    folders.extend(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(folders).unwrap())
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&String::from_utf8(output.stderr).unwrap());
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    match text.trim_end() {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// The text without times and speeds, which differ between runs.
fn without_times(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_time = |i: usize| {
        let unit = words.get(i + 1).map_or("", |word| word.trim());
        unit == "games/s" || unit == "s" || unit == "s,"
    };
    let shown: Vec<&str> = (0..words.len())
        .map(|i| if is_time(i) { "0" } else { words[i] })
        .collect();
    shown.join(" ")
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
    assert!(count > 0);
    assert!(wrong.is_empty(), "now printed:\n{}", wrong.join("\n"));
}

fn copy_samples(folder: &Scratch) {
    std::fs::create_dir(folder.join("samples")).unwrap();
    for file in std::fs::read_dir(repository().join("samples")).unwrap() {
        let from = file.unwrap().path();
        let to = folder.join("samples").join(from.file_name().unwrap());
        std::fs::copy(from, to).unwrap();
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
