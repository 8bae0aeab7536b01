//! Runs every command of the user guide.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

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
        std::fs::create_dir(folder.join("samples")).unwrap();
        for file in std::fs::read_dir(repository().join("samples")).unwrap() {
            let from = file.unwrap().path();
            let to = folder.join("samples").join(from.file_name().unwrap());
            std::fs::copy(from, to).unwrap();
        }
        for command in commands(&std::fs::read_to_string(&page).unwrap()) {
            run(&folder, &command);
            count += 1;
        }
    }
    assert!(count > 20, "{count} commands found");
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
