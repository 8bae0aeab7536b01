//! What has the name of an output and is no file is never replaced: pipes, sockets, devices, folders. Games as
//! text go to a pipe or a device as they come.
#![cfg(unix)]

use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use tabia_testkit::Scratch;

use crate::books::with_books;
use crate::common::{GAMES, names, tabia, with_games};

/// Makes a pipe with a name.
fn pipe(folder: &Scratch, name: &str) {
    let made = Command::new("mkfifo").arg(folder.join(name)).status();
    assert!(made.unwrap().success());
}

/// Makes the node of a device of which nothing can be read or written; `false` without the right to do so.
fn device(folder: &Scratch, name: &str, kind: &str) -> bool {
    let path = folder.join(name);
    // Numbers that no driver has.
    let made = Command::new("mknod")
        .arg(path)
        .args([kind, "241", "77"])
        .output();
    made.is_ok_and(|output| output.status.success())
}

fn is_special(path: &Path) -> bool {
    let kind = std::fs::symlink_metadata(path).unwrap().file_type();
    kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device()
}

/// Makes what an output must not replace; `false` if it cannot be made here.
type Make<'m> = &'m dyn Fn(&str) -> bool;

#[test]
fn pipes_sockets_devices_and_folders_are_not_replaced() {
    let folder = with_games("special-outputs");
    tabia(&folder, &["convert", "games.pgn", "-o", "base.cbh", "-q"]).expect(0);
    tabia(
        &folder,
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "base.bin",
            "--min-games",
            "1",
            "-q",
        ],
    )
    .expect(0);
    let before = names(&folder);
    let writes: &[&[&str]] = &[
        &[
            "convert",
            "games.pgn",
            "-o",
            "node",
            "--to",
            "cbh",
            "--force",
        ],
        &["convert", "games.pgn", "-o", "node", "--to", "si5"],
        &[
            "convert",
            "games.pgn",
            "-o",
            "out.pgn",
            "--report",
            "node",
            "--force",
        ],
        &["convert", "games.pgn", "-o", "out.pgn", "--rejects", "node"],
        &[
            "append",
            "games.pgn",
            "-o",
            "base.cbh",
            "--explain",
            "node",
            "--force",
        ],
        &["append", "games.pgn", "-o", "node"],
        &[
            "dedupe",
            "games.pgn",
            "-o",
            "out.pgn",
            "--explain",
            "node",
            "--force",
        ],
        &["edit", "base.cbh", "-o", "node", "--delete", "1", "--force"],
        &["repair", "base.cbh", "-o", "node.cbh", "--force"],
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "node.bin",
            "--min-games",
            "1",
            "--force",
        ],
        &["book", "convert", "base.bin", "-o", "node.abk", "--force"],
        &["archive", "create", "node.zip", "games.pgn", "--force"],
        &["convert", "games.pgn", "-o", "node.pgn.gz", "--force"],
    ];
    let kinds: [(&str, Make<'_>); 5] = [
        ("a pipe", &|name| {
            pipe(&folder, name);
            true
        }),
        ("a socket", &|name| {
            UnixListener::bind(folder.join(name)).is_ok()
        }),
        ("a device", &|name| device(&folder, name, "c")),
        ("a device", &|name| device(&folder, name, "b")),
        ("directory", &|name| {
            std::fs::create_dir(folder.join(name)).is_ok()
        }),
    ];
    for (noun, make) in kinds {
        for write in writes {
            let name = write
                .iter()
                .copied()
                .find(|word| word.starts_with("node"))
                .unwrap();
            if !make(name) {
                continue;
            }
            for is_link in [false, true] {
                let path = folder.join(name);
                if is_link {
                    std::fs::rename(&path, folder.join("real")).unwrap();
                    symlink("real", &path).unwrap();
                }
                let run = tabia(&folder, write);
                let what = format!("{noun} {write:?} link {is_link}: {} {}", run.code, run.err);
                if noun == "directory" {
                    assert!([2, 4, 5].contains(&run.code), "{what}");
                } else {
                    assert_eq!(run.code, 5, "{what}");
                    assert!(
                        run.err.contains(noun) && run.err.contains("hint:"),
                        "{what}"
                    );
                }
                let real = if is_link { folder.join("real") } else { path };
                assert!(real.is_dir() || is_special(&real), "{what}");
                assert!(!folder.join("out.pgn").exists(), "{what}");
            }
            std::fs::remove_file(folder.join(name)).unwrap();
            let real = folder.join("real");
            let _ = std::fs::remove_file(&real).or_else(|_| std::fs::remove_dir(&real));
            assert_eq!(names(&folder), before);
        }
    }
}

/// A companion of the old set that is no file is not removed with it.
#[test]
fn a_companion_that_is_no_file_is_not_removed() {
    let folder = with_games("special-companions");
    tabia(&folder, &["convert", "games.pgn", "-o", "base.cbh", "-q"]).expect(0);
    let before = std::fs::read(folder.join("base.cbh")).unwrap();
    let _ = std::fs::remove_file(folder.join("base.cba"));
    pipe(&folder, "base.cba");
    let run = tabia(
        &folder,
        &["convert", "games.pgn", "-o", "base.cbh", "--force"],
    )
    .expect(5);
    assert!(run.err.contains("a pipe"), "{}", run.err);
    assert!(is_special(&folder.join("base.cba")));
    assert_eq!(std::fs::read(folder.join("base.cbh")).unwrap(), before);
    let run = tabia(&folder, &["archive", "create", "a.zip", "base.cba"]).expect(4);
    assert!(run.err.contains("a pipe"), "{}", run.err);
    assert!(!folder.join("a.zip").exists());
    // And reading does not wait for another process.
    let run = tabia(&folder, &["check", "base.cbh"]);
    assert!([3, 4].contains(&run.code), "{} {}", run.code, run.err);
    assert!(run.err.contains("a pipe"), "{}", run.err);
}

#[test]
fn text_goes_to_a_pipe_as_it_comes() {
    let folder = with_games("output-pipe");
    for (name, more) in [
        ("pipe", &[][..]),
        ("p.pgn", &[]),
        ("p", &["--to", "pgn", "--force"]),
    ] {
        pipe(&folder, name);
        let path = folder.join(name);
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            std::fs::File::open(path)
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            text
        });
        tabia(
            &folder,
            &[&["convert", "games.pgn", "-o", name], more].concat(),
        )
        .expect(0);
        let text = reader.join().unwrap();
        let expected = tabia(&folder, &["convert", "games.pgn"]).expect(0).out;
        assert_eq!(text, expected);
        assert!(text.matches("[Event").count() == GAMES.matches("[Event").count());
        assert!(is_special(&folder.join(name)));
    }
}

/// A set that would be written among the companions of another one is refused as an output.
#[test]
fn a_link_to_another_set_is_an_output_that_cannot_be_written() {
    let folder = with_games("linked-outputs");
    for (extension, companion) in [
        ("cbh", "cbg"),
        ("2cbh", "2cbg"),
        ("si4", "sg4"),
        ("si5", "sg5"),
        ("sci", "scg"),
    ] {
        let target = format!("b.{extension}");
        tabia(&folder, &["convert", "games.pgn", "-o", &target, "-q"]).expect(0);
        let before = std::fs::read(folder.join(&target)).unwrap();
        for (name, leads_to) in [
            (extension, target.clone()),
            (companion, format!("b.{companion}")),
            (extension, "lost".into()),
        ] {
            let link = folder.join(format!("c.{name}"));
            symlink(&leads_to, &link).unwrap();
            let output = format!("c.{extension}");
            let run = tabia(&folder, &["convert", "games.pgn", "-o", &output, "--force"]);
            let what = format!("{output} {leads_to}: {} {}", run.code, run.err);
            assert_eq!(run.code, 5, "{what}");
            let is_named = run.err.contains("another set") || run.err.contains("does not exist");
            assert!(
                is_named && run.err.contains("hint: nothing was written"),
                "{what}"
            );
            assert_eq!(
                std::fs::read(folder.join(&target)).unwrap(),
                before,
                "{what}"
            );
            std::fs::remove_file(link).unwrap();
        }
    }
}

/// A link to a main file is the set that it leads to, also in another folder and under another name.
#[test]
fn a_link_to_a_main_file_is_its_set() {
    let folder = with_games("linked-inputs");
    std::fs::create_dir(folder.join("set")).unwrap();
    for extension in ["cbh", "2cbh", "si4", "si5", "sci"] {
        let target = format!("set/b.{extension}");
        tabia(&folder, &["convert", "games.pgn", "-o", &target, "-q"]).expect(0);
        let link = format!("link.{extension}");
        symlink(&target, folder.join(&link)).unwrap();
        let rows = |name: &str| tabia(&folder, &["ls", name, "--tsv"]).expect(0).out;
        assert_eq!(rows(&link), rows(&target));
        tabia(&folder, &["check", "--deep", &link]).expect(0);
        let run = tabia(&folder, &["convert", &link, "-o", "new.pgn", "--force"]).expect(0);
        assert!(!run.err.contains("missing"), "{}", run.err);
        let before = rows(&target).lines().count();
        std::fs::write(
            folder.join("one.pgn"),
            "[White \"New\"]\n[Black \"Newer\"]\n\n1. h4 *\n",
        )
        .unwrap();
        tabia(&folder, &["append", "one.pgn", "-o", &link]).expect(0);
        assert_eq!(rows(&link), rows(&target));
        assert_eq!(rows(&target).lines().count(), before + 1);
        assert!(folder.join(&link).is_symlink());
        let left = std::fs::read_dir(folder.join("set")).unwrap();
        let is_hidden = |name: std::ffi::OsString| name.to_string_lossy().starts_with('.');
        assert!(!left.flatten().any(|entry| is_hidden(entry.file_name())));
    }
}

/// What comes through a pipe is there once.
#[test]
fn pipes_are_read_to_their_end_once() {
    let folder = with_games("input-pipes");
    let many = GAMES.repeat(200);
    std::fs::write(folder.join("many.pgn"), &many).unwrap();
    let fed = |args: &[&str]| {
        pipe(&folder, "in.pgn");
        let mut writer = Command::new("sh");
        writer.args(["-c", "exec cat many.pgn > in.pgn"]);
        let mut writer = writer.current_dir(folder.path()).spawn().unwrap();
        let run = tabia(&folder, args);
        // It waits for a reader of a pipe that was refused.
        let _ = writer.kill();
        let _ = writer.wait();
        std::fs::remove_file(folder.join("in.pgn")).unwrap();
        run
    };
    fed(&["repair", "in.pgn", "-o", "saved.pgn"]).expect(0);
    let saved = std::fs::read_to_string(folder.join("saved.pgn")).unwrap();
    assert_eq!(
        saved.matches("[Event ").count(),
        many.matches("[Event ").count()
    );
    for args in [
        &["dedupe", "in.pgn", "-o", "d.pgn"][..],
        &["append", "in.pgn", "-o", "games.pgn"],
    ] {
        let run = fed(args).expect(2);
        assert!(run.err.contains("read twice"), "{}", run.err);
    }
}

/// The file that standard output goes to stays the one that it is.
#[test]
#[cfg(target_os = "linux")]
fn open_files_are_not_replaced() {
    use std::io::Write as _;

    let folder = with_games("open-outputs");
    for args in [
        &[
            "convert",
            "games.pgn",
            "-o",
            "/dev/stdout",
            "--to",
            "pgn",
            "-f",
        ][..],
        &[
            "convert",
            "games.pgn",
            "-o",
            "x.pgn",
            "-f",
            "--report",
            "/dev/stdout",
        ],
        &[
            "convert",
            "games.pgn",
            "-o",
            "x.pgn",
            "-f",
            "--report",
            "/dev/fd/1",
        ],
        &[
            "convert",
            "games.pgn",
            "-o",
            "x.pgn",
            "-f",
            "--rejects",
            "/proc/self/fd/1",
        ],
        &[
            "search",
            "games.pgn",
            "move:e4",
            "-o",
            "/dev/stdout",
            "--to",
            "pgn",
            "-f",
        ],
    ] {
        let mut log = std::fs::File::create(folder.join("log")).unwrap();
        log.write_all(b"before\n").unwrap();
        let mut command = crate::common::command(folder.path());
        let output = command.args(args).stdout(log.try_clone().unwrap()).output();
        let output = output.unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{args:?}: {error}");
        assert!(
            error.contains("`-` writes to standard output"),
            "{args:?}: {error}"
        );
        log.write_all(b"after\n").unwrap();
        let text = std::fs::read_to_string(folder.join("log")).unwrap();
        assert_eq!(text, "before\nafter\n", "{args:?}");
    }
}

#[test]
fn a_book_for_a_device_gets_a_name_that_can_be_written() {
    let folder = with_books("special-book");
    let fix = ["book", "fix", "one.bin", "-o", "/dev/null"];
    let run = tabia(&folder, &fix).expect(2);
    assert!(
        run.err.contains("`-o book.bin`, for example"),
        "{}",
        run.err
    );
}
