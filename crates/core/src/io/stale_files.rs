//! Removes hidden files of a process that was killed before it wrote their journal.

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::disk::{folder, remove};
use super::journal::{is_joint, is_journal, set_name, set_of_journal};

/// Removes the hidden files of the sets of `targets`, which have just been written, if their process has
/// ended. A hidden file whose target is missing stays, as it may be the only copy; so do all of a set
/// while the folder has a journal of it, whoever wrote it. To be called while the folders are locked.
pub(super) fn clear(targets: &[PathBuf]) {
    let mut sets_of_folders: BTreeMap<&Path, HashSet<String>> = BTreeMap::new();
    for target in targets {
        let sets = sets_of_folders.entry(folder(target)).or_default();
        sets.extend(set_name(target));
    }
    for (folder, sets) in sets_of_folders {
        clear_folder(folder, sets);
    }
}

/// As [`clear`], for the sets with these names in one folder.
fn clear_folder(folder: &Path, mut sets: HashSet<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        if is_journal(&name) {
            match set_of_journal(&name) {
                Some(set) if !is_joint(&folder.join(&name)) => {
                    sets.remove(&set);
                }
                _ => return,
            }
            continue;
        }
        let Some((file, process)) = name.to_str().and_then(parse_temporary_name) else {
            continue;
        };
        if let Some(set) = set_name(Path::new(file)) {
            found.push((set, folder.join(file), folder.join(&name), process));
        }
    }
    for (set, file, hidden, process) in found {
        if sets.contains(&set) && file.exists() && is_abandoned(&hidden, process) {
            // A failed delete is harmless.
            let _ = remove(&hidden);
        }
    }
}

/// The target of a temporary name and the number of the process that created it; `None` for other
/// names.
pub(super) fn parse_temporary_name(name: &str) -> Option<(&str, u32)> {
    let name = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (file, numbers) = name.rsplit_once('.')?;
    let (process, count) = numbers.split_once('-')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = is_number(process) && is_number(count) && !count.is_empty();
    Some((file, process.parse().ok().filter(|_| fits)?))
}

/// Whether no process writes a hidden file any more. Its process may run on another machine.
fn is_abandoned(path: &Path, process: u32) -> bool {
    if !cfg!(unix) || !std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file()) {
        return false;
    }
    let Ok(file) = File::open(path) else {
        return false;
    };
    match file.try_lock() {
        Ok(()) => may_have_ended(process),
        Err(TryLockError::WouldBlock) => false,
        // The file system has no locks.
        Err(TryLockError::Error(_)) => cfg!(target_os = "linux") && may_have_ended(process),
    }
}

/// Whether this system does not know the process, if it states that.
fn may_have_ended(process: u32) -> bool {
    let is_there = |name: &str| Path::new("/proc").join(name).exists();
    !cfg!(target_os = "linux") || is_there("self") && !is_there(&process.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_recognized() {
        assert_eq!(
            parse_temporary_name(".a.b.cbh.7-12.tmp"),
            Some(("a.b.cbh", 7))
        );
        for other in [
            "a.cbh.7-12.tmp",
            ".a.cbh.7-12",
            ".a.cbh.tmp",
            ".a.cbh.7.tmp",
            ".a.cbh.-1.tmp",
            ".a.cbh.7-.tmp",
            ".a.cbh.7-x.tmp",
            ".tmp",
        ] {
            assert_eq!(parse_temporary_name(other), None, "{other}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_files_of_the_set_and_of_ended_processes_are_removed() {
        let folder = tabia_testkit::Scratch::new("stale-files");
        // No process has this number.
        let ended = u32::MAX;
        let stays = [
            format!(".a.cbh.{}-1.tmp", std::process::id()),
            format!(".b.cbh.{ended}-1.tmp"),
            format!(".a.cbh.{ended}.tmp"),
            // Its target is missing: it may be the only copy.
            format!(".a.cbt.{ended}-1.tmp"),
            "a.cbg".to_owned(),
            "a.cbh".to_owned(),
            "b.cbh".to_owned(),
        ];
        let goes = [".a.cbh", ".a.cbg"].map(|name| format!("{name}.{ended}-2.tmp"));
        for name in stays.iter().chain(&goes) {
            std::fs::write(folder.join(name), b"x").unwrap();
        }
        let journal = folder.join(".a.cbh.replaced");
        std::fs::write(&journal, b"?").unwrap();
        clear(&[folder.join("a.cbh")]);
        assert!(goes.iter().all(|name| folder.join(name).exists()));
        std::fs::remove_file(journal).unwrap();
        // Also if another set was written first.
        clear(&["d.pgn", "a.cbh", "a.cbg"].map(|name| folder.join(name)));
        for name in &stays {
            assert!(folder.join(name).exists(), "{name}");
        }
        for name in &goes {
            assert!(!folder.join(name).exists(), "{name}");
        }
    }
}
