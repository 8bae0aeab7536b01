//! Temporary folders of tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A temporary folder, which is removed with its files on drop.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates an empty folder whose name contains `name`.
    pub fn new(name: &str) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("tabia-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        Self(folder)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in the folder.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// The names of the files in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .expect("the folder can be listed")
            .map(|entry| {
                let name = entry.expect("the entry can be read").file_name();
                name.to_string_lossy().into_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// As [`files_in`].
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files_in(&self.0)
    }

    /// Replaces everything in the folder by these files.
    pub fn restore(&self, files: &BTreeMap<String, Vec<u8>>) {
        for name in self.names() {
            let path = self.join(name);
            let removed = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
            removed.expect("what is in the folder can be removed");
        }
        for (name, bytes) in files {
            std::fs::write(self.join(name), bytes).expect("the file can be written");
        }
    }
}

/// The bytes of the files in a folder by their names, hidden ones too. Folders in it are left out.
pub fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    paths
        .filter(|path| !path.is_dir())
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let bytes = std::fs::read(&path).expect("the file can be read");
            (name.into_owned(), bytes)
        })
        .collect()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failed removal is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_removed_on_drop() {
        let scratch = Scratch::new("scratch");
        std::fs::write(scratch.join("a"), "x").unwrap();
        assert_eq!(scratch.names(), ["a"]);
        let path = scratch.path().to_path_buf();
        drop(scratch);
        assert!(!path.exists());
    }
}
