//! Names of files in a new folder: safe on every system, and distinct.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tabia_core::io::name_text;
use tabia_formats::archives::safe_name;

/// The most bytes of a name that had to be changed.
const MAX_CHANGED: usize = 120;

/// The names given so far, in lower case, as some systems compare them.
#[derive(Debug, Default)]
pub(super) struct TargetNames {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl TargetNames {
    /// A path that no other file has: that path, or the same with a number.
    pub(super) fn distinct(&mut self, path: &Path) -> PathBuf {
        let mut free = path.to_path_buf();
        if !self.is_free(&free) {
            // A file may have the name of one of its folders.
            let folders = |path: &Path| path.components().count() > 1;
            if folders(path)
                && path
                    .ancestors()
                    .skip(1)
                    .any(|folder| self.files.contains(&key(folder)))
            {
                let parts: Vec<_> = path.iter().collect();
                free = PathBuf::from(parts.join(OsStr::new("_")));
            }
            let base = free.clone();
            let mut number = 1_u32;
            while !self.is_free(&free) {
                number += 1;
                free = numbered(&base, number);
            }
        }
        self.files.insert(key(&free));
        for folder in free.ancestors().skip(1) {
            self.folders.insert(key(folder));
        }
        free
    }

    fn is_free(&self, path: &Path) -> bool {
        let name = key(path);
        !self.files.contains(&name)
            && !self.folders.contains(&name)
            && !path
                .ancestors()
                .skip(1)
                .any(|folder| self.files.contains(&key(folder)))
    }
}

/// The path of a member of an archive in the folder. Names that would lead elsewhere, or that some system
/// forbids, become a name without folders.
pub(super) fn safe_path(name: &str) -> PathBuf {
    safe_name(name).unwrap_or_else(|_| PathBuf::from(changed(name)))
}

fn key(path: &Path) -> String {
    name_text(path.as_os_str()).to_lowercase()
}

/// `games (2).pgn`
fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(" ({number})"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A safe name like one that is not, with the same extension.
fn changed(name: &str) -> String {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let plain = |text: &str, most: usize| {
        let letters = text
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' });
        let mut plain = String::new();
        for c in letters {
            if plain.len() + c.len_utf8() > most {
                break;
            }
            plain.push(c);
        }
        plain
    };
    // The names of devices too are others after `_`.
    let stem = plain(stem.trim_matches(['.', '/', '\\', ' ', '_']), MAX_CHANGED);
    format!("_{stem}.{}", plain(extension, 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_become_safe_ones() {
        for (name, safe) in [
            ("mega.cbh", "mega.cbh"),
            ("a/b\\mega.cbh", "a/b/mega.cbh"),
            ("../../etc/mega.cbh", "_etc_mega.cbh"),
            ("/mega.cbh", "_mega.cbh"),
            ("C:\\mega.cbh", "_C__mega.cbh"),
            ("con.pgn", "_con.pgn"),
            ("x\u{202e}y.pgn", "_x_y.pgn"),
            ("a/../../b.pgn", "_a_______b.pgn"),
        ] {
            assert_eq!(safe_path(name), Path::new(safe), "{name}");
            assert!(safe_name(safe).is_ok(), "{safe}");
        }
        let long = safe_path(&format!("{}.pgn", "é".repeat(4000)));
        assert!(long.as_os_str().len() < 140);
        assert_eq!(long.extension(), Some(OsStr::new("pgn")));
    }

    #[test]
    fn names_are_distinct_on_every_system() {
        let mut names = TargetNames::default();
        let mut add = |name: &str| names.distinct(Path::new(name)).display().to_string();
        assert_eq!(add("a/mega.cbh"), "a/mega.cbh");
        assert_eq!(add("A/MEGA.cbh"), "A/MEGA (2).cbh");
        assert_eq!(add("a/mega.cbh"), "a/mega (3).cbh");
        assert_eq!(add("a/mega.cbh/x.pgn"), "a_mega.cbh_x.pgn");
        assert_eq!(add("b.pgn/x.pgn"), "b.pgn/x.pgn");
        assert_eq!(add("b.pgn"), "b (2).pgn");
    }
}
