//! Inputs and outputs that fail are reported in one line, with the documented exit code.
#![cfg(unix)]

use std::process::Command;

use tabia_testkit::Scratch;

use crate::common::{Run, many_games, names, tabia, with_games, with_sample};

/// Runs a line of shell in the folder, the program called `tabia`.
fn shell(folder: &Scratch, line: &str) -> Run {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tabia"));
    let line = line.replace("tabia", &program.display().to_string());
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder.path())
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Exactly one line with an error; hints may follow.
fn assert_one_line(run: &Run) {
    let errors = run.err.lines().filter(|line| line.starts_with("error:"));
    assert_eq!(errors.count(), 1, "{}", run.err);
    assert!(!run.err.contains("panicked"), "{}", run.err);
    let others = run.err.lines().filter(|line| !line.starts_with("error:"));
    for line in others {
        assert!(line.starts_with("hint:"), "{}", run.err);
    }
}

#[test]
fn full_disks_leave_no_file_and_exit_with_5() {
    let folder = Scratch::new("full");
    std::fs::write(folder.join("many.pgn"), many_games(3_000)).unwrap();
    for target in ["out.cbh", "out.si5", "out.si4", "out.pgn"] {
        // Files of at most 16 kB, and a signal that is not waited for.
        let line = format!("trap '' XFSZ; ulimit -f 32; exec tabia convert many.pgn -o {target}");
        let run = shell(&folder, &line).expect(5);
        assert_one_line(&run);
        assert!(run.err.contains("out."), "{target}: {}", run.err);
        assert_eq!(names(&folder), ["many.pgn"], "{target}");
    }
    let run = shell(
        &folder,
        "trap '' XFSZ; ulimit -f 1; exec tabia archive create a.zip many.pgn",
    );
    assert_one_line(&run.expect(5));
    assert_eq!(names(&folder), ["many.pgn"]);
}

#[test]
fn full_disks_leave_the_old_database_unchanged() {
    let folder = with_sample("full-old");
    std::fs::write(folder.join("many.pgn"), many_games(3_000)).unwrap();
    let files = |folder: &Scratch| {
        let read = |name: String| (std::fs::read(folder.join(&name)).unwrap(), name);
        names(folder).into_iter().map(read).collect::<Vec<_>>()
    };
    let before = files(&folder);
    for how in ["--append", "--force"] {
        let line =
            format!("trap '' XFSZ; ulimit -f 64; exec tabia convert many.pgn -o mega.cbh {how}");
        assert_one_line(&shell(&folder, &line).expect(5));
        assert!(files(&folder) == before, "{how}");
    }
}

#[test]
fn errors_of_temporary_files_name_their_folder() {
    let folder = with_sample("no-tmpdir");
    let line = "TMPDIR=absent exec tabia check mega.cbh --report report.json";
    let run = shell(&folder, line).expect(5);
    assert_one_line(&run);
    assert!(run.err.contains("/absent: temporary file"), "{}", run.err);
    assert!(run.err.contains("TMPDIR"), "{}", run.err);
}

#[test]
#[cfg(target_os = "linux")]
fn full_standard_output_exits_with_5() {
    let folder = with_games("dev-full");
    let run = shell(&folder, "exec tabia convert games.pgn > /dev/full");
    assert_one_line(&run.expect(5));
    let run = shell(&folder, "exec tabia ls games.pgn --csv > /dev/full");
    assert_one_line(&run.expect(5));
}

/// Without a standard output nothing that is printed arrives; a file does.
#[test]
#[cfg(target_os = "linux")]
fn closed_standard_output_exits_with_5() {
    let folder = with_games("closed-stdout");
    for line in [
        "ls games.pgn",
        "info games.pgn --json",
        "show games.pgn -g 1",
        "convert games.pgn",
        "stats games.pgn",
        "check games.pgn",
        "formats",
        "man",
        "completions bash",
        "help ls",
        "--version",
    ] {
        let run = shell(&folder, &format!("exec tabia {line} >&-")).expect(5);
        assert_one_line(&run);
        assert!(run.err.contains("standard output"), "{line}: {}", run.err);
    }
    shell(&folder, "exec tabia convert games.pgn -o new.pgn >&-").expect(0);
    assert!(folder.join("new.pgn").exists());
    shell(&folder, "exec tabia ls games.pgn > /dev/null").expect(0);
}

#[test]
fn read_only_folders_exit_with_5() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_games("read-only");
    let inner = folder.join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Those who may do anything can write there all the same.
    if std::fs::write(inner.join("probe"), b"").is_err() {
        let run = tabia(&folder, &["convert", "games.pgn", "-o", "inner/out.cbh"]);
        assert_one_line(&run.expect(5));
    }
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o755)).unwrap();
    for target in ["none/out.cbh", "none/out.pgn", "games.pgn/out.si5", "inner"] {
        let run = tabia(
            &folder,
            &[
                "convert",
                "games.pgn",
                "-o",
                target,
                "--to",
                "pgn",
                "--force",
            ],
        );
        assert_one_line(&run.expect(5));
    }
    if cfg!(target_os = "linux") {
        let run = tabia(&folder, &["convert", "games.pgn", "-o", "/proc/out.cbh"]);
        assert_one_line(&run.expect(5));
    }
}

#[test]
fn vanished_sources_exit_with_4() {
    let folder = with_games("vanished");
    for args in [
        &["convert", "gone.pgn", "-o", "out.cbh"][..],
        &["convert", "games.pgn", "gone.cbh", "-o", "out.cbh"],
        &["check", "gone.cbh"],
        &["edit", "gone.cbh", "-o", "out.cbh", "--pack"],
        &["repair", "gone.cbh", "-o", "out.cbh"],
        &["book", "build", "gone.pgn", "-o", "out.bin"],
        &["archive", "create", "out.zip", "gone.pgn"],
    ] {
        let run = tabia(&folder, args).expect(4);
        assert_one_line(&run);
        assert!(run.err.contains("gone."), "{}", run.err);
    }
    // A file that is there when names are looked up and cannot be read after.
    std::os::unix::fs::symlink("nowhere.pgn", folder.join("link.pgn")).unwrap();
    let run = tabia(&folder, &["convert", "link.pgn", "-o", "out.cbh"]);
    assert_one_line(&run.expect(4));
    // A pipe that ends in the middle is an input that is shorter, not an error of ours.
    let half = shell(
        &folder,
        "head -c 150 games.pgn | tabia convert - -o half.cbh",
    );
    assert!([0, 3].contains(&half.code), "{}", half.err);
    assert!(!folder.join("out.cbh").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn standard_error_that_cannot_be_written_changes_no_result() {
    let folder = with_games("full-stderr");
    let code = |args: &[&str]| {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = crate::common::command(folder.path());
        command.args(args).stdout(std::process::Stdio::null());
        command.stderr(full.unwrap());
        command.status().unwrap().code()
    };
    assert_eq!(code(&["convert", "games.pgn", "-o", "a.cbh"]), Some(0));
    assert!(folder.join("a.cbh").exists());
    assert_eq!(code(&["check", "absent"]), Some(4));
    assert_eq!(code(&["check", "games.pgn", "-v"]), Some(0));
    assert_eq!(code(&["convert", "games.pgn", "-o", "a.cbh"]), Some(5));
    assert_eq!(code(&["convert", "--no-such-option"]), Some(2));
    let progress = ["convert", "games.pgn", "-o", "b.cbh", "--progress", "json"];
    assert_eq!(code(&progress), Some(0));
    let build = [
        "book",
        "build",
        "games.pgn",
        "-o",
        "a.bin",
        "--min-games",
        "1",
    ];
    assert_eq!(code(&build), Some(0));
    let closed = Command::new("sh")
        .args(["-c", "exec \"$0\" check absent 2>&-"])
        .arg(env!("CARGO_BIN_EXE_tabia"))
        .current_dir(folder.path())
        .status();
    assert_eq!(closed.unwrap().code(), Some(4));
}

#[test]
fn the_limit_of_file_sizes_is_an_error_of_the_output() {
    let folder = Scratch::new("file-size");
    std::fs::write(folder.join("many.pgn"), many_games(2000)).unwrap();
    let before = names(&folder);
    for arguments in [
        "convert many.pgn -o out.pgn",
        "convert many.pgn -o out.cbh",
        "convert many.pgn -o out.si5",
        "book build many.pgn -o out.bin --min-games 1",
        "archive create out.zip many.pgn",
        "convert many.pgn -o - --to pgn > out.txt",
        "ls many.pgn --json > out.txt",
    ] {
        let script = format!("ulimit -f 1; \"$0\" {arguments}");
        let output = Command::new("sh")
            .args(["-c", &script])
            .arg(env!("CARGO_BIN_EXE_tabia"))
            .current_dir(folder.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        if arguments.contains("out.bin") && output.status.success() {
            // A small book fits.
            std::fs::remove_file(folder.join("out.bin")).unwrap();
            let _ = std::fs::remove_file(folder.join("out.bin.json"));
            continue;
        }
        assert_eq!(output.status.code(), Some(5), "{arguments}: {err}");
        assert!(err.contains("ulimit -f"), "{arguments}: {err}");
        let _ = std::fs::remove_file(folder.join("out.txt"));
        assert_eq!(names(&folder), before, "{arguments}");
    }
}

#[test]
fn a_disk_that_is_full_at_the_record_of_a_book_is_named() {
    let folder = with_games("full-record");
    let line = "trap '' XFSZ; ulimit -f 0; exec tabia book build games.pgn -o a.bin --min-games 1";
    let run = shell(&folder, line).expect(5);
    assert_one_line(&run);
    assert!(run.err.contains("error: a.bin"), "{}", run.err);
    assert_eq!(names(&folder), ["games.pgn"]);
}
