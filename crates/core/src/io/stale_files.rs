//! Hidden files of a process that was killed before it could say in a journal where they belong.

use std::path::Path;

use super::disk::{folder, remove};
use super::journal::{is_journal, set_name};

/// Removes the hidden files of the set of `target`, which has just been replaced, whose process runs
/// no more. Where a file is not in its place, or a journal is left, nothing is removed that may be its
/// only copy.
pub(super) fn clear(target: &Path) {
    let Some(set) = set_name(target) else {
        return;
    };
    let entries = std::fs::read_dir(folder(target)).into_iter().flatten();
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        if is_journal(&name) {
            return;
        }
        let Some((of, process)) = name.to_str().and_then(temporary) else {
            continue;
        };
        let of = target.with_file_name(of);
        if set_name(&of).as_ref() == Some(&set) && of.exists() && is_gone(process) {
            found.push(target.with_file_name(name));
        }
    }
    for path in found {
        // What does not go away is in nobody's way.
        let _ = remove(&path);
    }
}

/// The name that a temporary name stands for, and the number of the process that gave it.
fn temporary(name: &str) -> Option<(&str, u32)> {
    let name = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (of, numbers) = name.rsplit_once('.')?;
    let (process, count) = numbers.split_once('-')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = is_number(process) && is_number(count) && !count.is_empty();
    Some((of, process.parse().ok().filter(|_| fits)?))
}

/// Whether it is known that no process has the number.
#[cfg(target_os = "linux")]
fn is_gone(process: u32) -> bool {
    let is_there = |name: &str| Path::new("/proc").join(name).exists();
    is_there("self") && !is_there(&process.to_string())
}

#[cfg(not(target_os = "linux"))]
fn is_gone(_process: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_told_from_others() {
        assert_eq!(temporary(".a.b.cbh.7-12.tmp"), Some(("a.b.cbh", 7)));
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
            assert_eq!(temporary(other), None, "{other}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_files_of_the_set_and_of_processes_that_ended_go() {
        let folder = std::env::temp_dir().join(format!("tabia-leftovers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // No system gives that number to a process.
        let gone = u32::MAX;
        let stays = [
            format!(".a.cbh.{}-1.tmp", std::process::id()),
            format!(".b.cbh.{gone}-1.tmp"),
            format!(".a.cbh.{gone}.tmp"),
            // The only copy.
            format!(".a.cbt.{gone}-1.tmp"),
            "a.cbg".to_owned(),
            "a.cbh".to_owned(),
            "b.cbh".to_owned(),
        ];
        let goes = [".a.cbh", ".a.cbg"].map(|name| format!("{name}.{gone}-2.tmp"));
        for name in stays.iter().chain(&goes) {
            std::fs::write(folder.join(name), b"x").unwrap();
        }
        let journal = folder.join(".a.cbh.replaced");
        std::fs::write(&journal, b"?").unwrap();
        clear(&folder.join("a.cbh"));
        assert!(goes.iter().all(|name| folder.join(name).exists()));
        std::fs::remove_file(journal).unwrap();
        clear(&folder.join("a.cbh"));
        for name in &stays {
            assert!(folder.join(name).exists(), "{name}");
        }
        for name in &goes {
            assert!(!folder.join(name).exists(), "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
