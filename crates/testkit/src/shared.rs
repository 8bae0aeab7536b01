//! The folder of real data beside the repository, which is no part of it.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of real data: what `TABIA_SHARED` names, else `shared` beside the repository.
///
/// `None` when it is not there; the caller then returns after [`skip`].
///
/// # Panics
/// When it is not there and `CI` is `true`: there a test may not be skipped.
pub fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("TABIA_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => repository().join("..").join("shared"),
    };
    if folder.join("data").is_dir() {
        return Some(folder);
    }
    let ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(
        !ci,
        "CI=true and no shared data in {}: nothing may be skipped",
        folder.display()
    );
    None
}

/// Says that the test of that name was skipped. Shown even where output is captured.
pub fn skip(test: &str) {
    let line = format!("{test}: skipped: no shared data\n");
    // A closed standard error is no reason to fail.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A file or folder below `data` of the shared folder; says that `test` is skipped when there is
/// no shared folder.
///
/// # Panics
/// When the shared folder is there and the file is not.
pub fn shared_data(test: &str, path: &str) -> Option<PathBuf> {
    let Some(folder) = shared() else {
        skip(test);
        return None;
    };
    let path = folder.join("data").join(path);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below a folder, sorted by path.
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
    fn the_repository_is_found() {
        assert!(repository().join("Cargo.toml").is_file());
        let files = files_below(&repository().join("crates/testkit"));
        assert!(files.iter().any(|path| path.ends_with("src/shared.rs")));
    }
}
