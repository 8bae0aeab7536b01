//! The folder of real data next to the repository, which is not part of it.

use std::path::{Path, PathBuf};

use crate::repository;
use crate::skipped_tests::{Missing, report};

/// The folder of real data: the one that `TABIA_SHARED` names, else `shared` next to the
/// repository. `None` if absent; the caller then calls [`skip`] and returns.
///
/// # Panics
/// If the folder is absent and `TABIA_REQUIRE_SHARED` is `1`: then no test may be skipped for lack
/// of data.
pub fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("TABIA_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => repository().join("..").join("shared"),
    };
    if folder.join("data").is_dir() {
        return Some(folder);
    }
    let required = std::env::var_os("TABIA_REQUIRE_SHARED").is_some_and(|value| value == "1");
    assert!(
        !required,
        "TABIA_REQUIRE_SHARED=1, but {} has no folder `data`",
        folder.display()
    );
    None
}

/// Reports that a test, or a part of it, was skipped because the folder of real data is absent.
///
/// The message goes to standard error, also where the output of tests is captured, and the test is
/// counted in the [`summary`](crate::skipped_tests::summary()).
pub fn skip(test: &str) {
    report(test, Missing::SharedData, "no shared data");
}

/// A file or folder below `data` in the folder of real data; `None`, after [`skip`], if that folder
/// is absent.
///
/// # Panics
/// If the folder of real data exists and does not contain `path`.
pub fn shared_data(test: &str, path: &str) -> Option<PathBuf> {
    let Some(folder) = shared() else {
        skip(test);
        return None;
    };
    let path = folder.join("data").join(path);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}

/// All files below a folder, sorted by path.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let entries = std::fs::read_dir(&folder).expect("the folder can be listed");
        for entry in entries {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_contains_its_manifest() {
        assert!(repository().join("Cargo.toml").is_file());
        let files = files_below(&repository().join("crates/testkit"));
        assert!(
            files
                .iter()
                .any(|path| path.ends_with("src/shared_data_folder.rs"))
        );
    }
}
