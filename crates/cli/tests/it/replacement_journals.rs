//! Sets whose replacement was interrupted, and hidden files that only claim that.

use std::collections::BTreeMap;
use std::path::Path;

use tabia::core::io::OutputSet;
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia_testkit::{Scratch, files_in};

use crate::common::{command, many_games, tabia, with_sample};

type Files = BTreeMap<String, Vec<u8>>;

fn restore(folder: &Path, before: &Files) {
    for name in files_in(folder).keys() {
        std::fs::remove_file(folder.join(name)).unwrap();
    }
    for (name, bytes) in before {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}

/// Replaces the set `main` in a folder, as a process does that is killed at a step. Returns the number of
/// steps.
fn replace_until(folder: &Path, main: &str, new: &Files, step: u64) -> u64 {
    let (mains, others): (Vec<_>, Vec<_>) = new.iter().partition(|(name, _)| *name == main);
    let mut set = OutputSet::new(true);
    for (name, bytes) in mains.into_iter().chain(others) {
        let number = set.create(&folder.join(name)).unwrap();
        std::io::Write::write_all(set.file(number).unwrap(), bytes).unwrap();
    }
    let injection = FailureInjection::start(FailureMode::Stops, step);
    let _ = set.commit();
    injection.steps()
}

/// A folder `f` with the old set `mega.cbh`, and the files of a new one.
fn old_and_new(name: &str) -> (Scratch, Files, Files) {
    let folder = with_sample(name);
    std::fs::create_dir(folder.join("f")).unwrap();
    let old = files_in(folder.path());
    restore(folder.path(), &Files::new());
    std::fs::create_dir(folder.join("new")).unwrap();
    std::fs::write(folder.join("many.pgn"), many_games(3)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "new/mega.cbh"]).expect(0);
    let new = files_in(&folder.join("new"));
    std::fs::remove_dir_all(folder.join("new")).unwrap();
    restore(&folder.join("f"), &old);
    (folder, old, new)
}

/// The rows of all games without their paths.
fn rows(folder: &Scratch, path: &str) -> Vec<String> {
    let run = tabia(folder, &["ls", path, "--ndjson"]);
    assert!([0, 3].contains(&run.code), "{path}: {}", run.err);
    let row = |line: &str| {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        row.as_object_mut().unwrap().remove("path");
        row.to_string()
    };
    run.out.lines().map(row).collect()
}

#[test]
fn every_reader_finds_the_old_or_the_new_set_after_a_kill() {
    let (folder, old, new) = old_and_new("journal-readers");
    let set = folder.join("f");
    let before = rows(&folder, "f/mega.cbh");
    let steps = replace_until(&set, "mega.cbh", &new, u64::MAX);
    let after = rows(&folder, "f/mega.cbh");
    assert!(before != after && after.len() == 3);
    let (mut olds, mut news, mut journals) = (0, 0, 0);
    for step in 0..steps {
        restore(&set, &old);
        replace_until(&set, "mega.cbh", &new, step);
        let has_journal = set.join(".mega.cbh.replaced").exists();
        journals += u32::from(has_journal);
        let expected = rows(&folder, "f/mega.cbh");
        assert!(expected == before || expected == after, "step {step}");
        if expected == after {
            news += 1;
        } else {
            olds += 1;
        }
        // The others see the same; every few steps, as each is a process.
        if step % 4 != 0 && !has_journal || step % 3 != 0 {
            continue;
        }
        for spelling in ["f", "f/mega", "f/mega.cbg", "f/mega.cbp"] {
            assert_eq!(rows(&folder, spelling), expected, "step {step}, {spelling}");
        }
        let archive = ["archive", "create", "set.zip", "f/mega.cbh", "--force"];
        tabia(&folder, &archive).expect(0);
        assert_eq!(rows(&folder, "set.zip"), expected, "step {step}");
        let archive = ["archive", "create", "folder.zip", "f", "--force"];
        tabia(&folder, &archive).expect(0);
        assert_eq!(rows(&folder, "folder.zip"), expected, "step {step}");
        let info = tabia(&folder, &["info", "f", "--json"]).json();
        assert_eq!(info.as_array().unwrap().len(), 1, "step {step}: {info}");
    }
    assert!(
        olds > 10 && news > 10 && journals > 10,
        "{olds} {news} {journals}"
    );
}

#[test]
fn the_next_writer_completes_an_interrupted_replacement() {
    let (folder, old, new) = old_and_new("journal-completed");
    let set = folder.join("f");
    std::fs::write(folder.join("one.pgn"), "1. e4 *\n").unwrap();
    let steps = replace_until(&set, "mega.cbh", &new, u64::MAX);
    let expected = files_in(&set);
    let mut interrupted = 0;
    for step in 0..steps {
        restore(&set, &old);
        replace_until(&set, "mega.cbh", &new, step);
        if !set.join(".mega.cbh.replaced").exists() {
            continue;
        }
        interrupted += 1;
        if interrupted == 1 {
            let check = tabia(&folder, &["check", "f/mega.cbh", "--deep"]).expect(3);
            let output = format!("{}{}", check.out, check.err);
            assert!(output.contains("was stopped while it replaced"), "{output}");
        }
        // It is there, so it is not replaced without `--force`.
        tabia(&folder, &["convert", "one.pgn", "-o", "f/mega.cbh"]).expect(5);
        tabia(&folder, &["convert", "one.pgn", "-o", "f/other.pgn"]).expect(0);
        std::fs::remove_file(set.join("other.pgn")).unwrap();
        assert!(files_in(&set) == expected, "step {step} of {steps}");
        tabia(&folder, &["check", "f/mega.cbh", "--deep"]).expect(0);
    }
    assert!(interrupted > 10, "{interrupted}");
}

/// The databases of every format grow while the replacement of their files is not complete.
#[test]
fn interrupted_replacements_are_completed_before_games_are_added() {
    let folder = Scratch::new("journal-grown");
    for (name, count) in [("five.pgn", 5), ("six.pgn", 6), ("seven.pgn", 7)] {
        std::fs::write(folder.join(name), many_games(count)).unwrap();
    }
    for main in ["t.cbh", "t.si4", "t.si5"] {
        let set = folder.join(main.rsplit_once('.').unwrap().1);
        let path = format!("{}/{main}", set.file_name().unwrap().to_str().unwrap());
        std::fs::create_dir(&set).unwrap();
        let made = ["seven.pgn", "five.pgn"].map(|games| {
            tabia(&folder, &["convert", games, "-o", &path, "--force"]).expect(0);
            files_in(&set)
        });
        let [new, old] = &made;
        let journal = set.join(format!(".{main}.replaced"));
        let steps = replace_until(&set, main, new, u64::MAX);
        let mut interrupted = 0;
        for step in 0..steps {
            restore(&set, old);
            replace_until(&set, main, new, step);
            if !journal.exists() {
                continue;
            }
            interrupted += 1;
            let what = format!("{main}, step {step} of {steps}");
            let run = tabia(&folder, &["convert", "six.pgn", "-o", &path, "--append"]);
            assert_eq!(run.code, 0, "{what}: {}", run.err);
            assert_eq!(rows(&folder, &path).len(), 13, "{what}");
            assert!(
                files_in(&set).keys().all(|name| !name.starts_with('.')),
                "{what}"
            );
        }
        assert!(interrupted > 5, "{main}: {interrupted}");
    }
}

#[test]
fn hidden_files_of_strangers_are_reported_and_do_nothing() {
    let folder = with_sample("journal-stranger");
    let pgn = many_games(2);
    std::fs::write(folder.join("mine.pgn"), &pgn).unwrap();
    for (name, text) in [
        (".mine.pgn.1-1.tmp", "[White \"Evil\"]\n\n1. a3 *\n"),
        (
            ".mine.pgn.replaced",
            "tabia: files that replace others, version 1\n\
             .mine.pgn.1-1.tmp\t.mine.pgn.1-2.tmp\tmine.pgn\nend\n",
        ),
        (
            ".mega.cbh.replaced",
            "tabia: files that replace others, version 1\n-\t.mega.cbh.1-2.tmp\tmega.cbh\nend\n",
        ),
        (".gone.si5.replaced", "?"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let before = files_in(folder.path());
    for path in ["mine.pgn", "mega.cbh", "mega"] {
        let run = tabia(&folder, &["ls", path, "--csv"]).expect(3);
        assert_eq!(run.err.matches(".replaced").count(), 1, "{}", run.err);
        assert!(!run.out.contains("Evil"), "{}", run.out);
    }
    // A set of which nothing is there is named by its journal.
    let check = tabia(&folder, &["check", ".", "--json"]).expect(3).json();
    let rows = check.as_array().unwrap();
    assert_eq!(rows.len(), 3, "{check}");
    let gone = tabia(&folder, &["ls", "gone.si5"]).expect(4);
    assert!(gone.err.contains(".gone.si5.replaced"), "{}", gone.err);
    // Writers leave them alone, too.
    tabia(&folder, &["convert", "mine.pgn", "-o", "other.pgn", "-q"]).expect(3);
    std::fs::remove_file(folder.join("other.pgn")).unwrap();
    assert!(files_in(folder.path()) == before);
    std::fs::write(folder.join("more.pgn"), many_games(1)).unwrap();
    tabia(
        &folder,
        &["convert", "more.pgn", "-o", "mega.cbh", "--force"],
    )
    .expect(0);
    for (name, bytes) in &before {
        if name.starts_with('.') || name == "mine.pgn" {
            assert_eq!(std::fs::read(folder.join(name)).unwrap(), *bytes, "{name}");
        }
    }
}

/// The key of the user decides: without it, or with that of another user, nothing is followed.
#[cfg(unix)]
#[test]
fn journals_of_another_user_are_not_followed() {
    let (folder, old, new) = old_and_new("journal-user");
    let set = folder.join("f");
    let steps = replace_until(&set, "mega.cbh", &new, u64::MAX);
    // In the middle of the renaming, the main file has no name.
    let step = (0..steps)
        .find(|step| {
            restore(&set, &old);
            replace_until(&set, "mega.cbh", &new, *step);
            !set.join("mega.cbh").exists()
        })
        .unwrap();
    let before = files_in(&set);
    let run = |state: &Path, args: &[&str]| {
        let mut command = command(folder.path());
        let output = command.args(args).env("XDG_STATE_HOME", state).output();
        let output = output.unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), err)
    };
    let absent = folder.join("absent");
    let other = folder.join("other");
    std::fs::create_dir_all(other.join("tabia")).unwrap();
    let key = other.join("tabia/journal.key");
    std::fs::write(&key, [7; 32]).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&key, private).unwrap();
    for state in [&absent, &other] {
        for args in [["ls", "f/mega.cbh"], ["check", "f"], ["info", "f/mega.cbh"]] {
            let (code, err) = run(state, &args);
            assert!([Some(3), Some(4)].contains(&code), "{args:?}: {err}");
            assert!(err.contains("did not write it"), "{args:?}: {err}");
        }
        std::fs::write(folder.join("one.pgn"), "1. e4 *\n").unwrap();
        let (code, err) = run(state, &["convert", "one.pgn", "-o", "f/other.pgn"]);
        assert_eq!(code, Some(0), "{err}");
        std::fs::remove_file(set.join("other.pgn")).unwrap();
        assert!(files_in(&set) == before, "step {step}");
    }
    assert!(!absent.exists(), "readers and single files need no key");
    // Its own user still can.
    assert_eq!(rows(&folder, "f/mega.cbh").len(), 3);
}
