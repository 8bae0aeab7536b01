//! The folders of the shelf, which are looked at again for files that came or went after the server started.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The least time between two looks.
const PAUSE: Duration = Duration::from_secs(1);
/// A look takes at most this part of the time.
const SHARE: u32 = 20;

/// Folders, and the names of what was in them when they were last looked at.
#[derive(Debug, Default)]
pub(crate) struct WatchedFolders {
    folders: Vec<PathBuf>,
    looked: Mutex<Looked>,
}

#[derive(Debug, Default)]
struct Looked {
    names: Option<u64>,
    next: Option<Instant>,
}

impl WatchedFolders {
    /// Those of the paths that are folders.
    pub(crate) fn new<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let folders = paths.filter(|path| path.is_dir());
        Self {
            folders: folders.map(Path::to_path_buf).collect(),
            looked: Mutex::default(),
        }
    }

    /// Calls `each` with every folder if names in them, or `other`, are not what they were at the last look. Does
    /// nothing if that was a moment ago, or while another thread looks.
    pub(crate) fn if_changed(&self, other: impl FnOnce() -> String, mut each: impl FnMut(&Path)) {
        let Ok(mut looked) = self.looked.try_lock() else {
            return;
        };
        let start = Instant::now();
        if self.folders.is_empty() || looked.next.is_some_and(|next| start < next) {
            return;
        }
        let mut hasher = DefaultHasher::new();
        other().hash(&mut hasher);
        for folder in &self.folders {
            hash_names(folder, &mut hasher);
        }
        let names = Some(hasher.finish());
        if looked.names != names {
            looked.names = names;
            for folder in &self.folders {
                each(folder);
            }
        }
        let end = Instant::now();
        looked.next = Some(end + PAUSE.max((end - start) * SHARE));
    }
}

/// The names in a folder and in those below it. What cannot be read has none; links are not followed.
fn hash_names(folder: &Path, hasher: &mut DefaultHasher) {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut names: Vec<(PathBuf, bool)> = entries
            .flatten()
            .map(|entry| {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                (entry.path(), is_folder)
            })
            .collect();
        names.sort();
        names.hash(hasher);
        let below = names.into_iter().filter(|(_, is_folder)| *is_folder);
        folders.extend(below.map(|(path, _)| path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tabia_testkit::Scratch;

    #[test]
    fn folders_are_looked_at_when_names_change_and_not_all_the_time() {
        let folder = Scratch::new("watched-folders");
        let file = folder.join("one.pgn");
        std::fs::create_dir_all(folder.join("below")).unwrap();
        std::fs::write(&file, "").unwrap();
        let watched = WatchedFolders::new([folder.path(), file.as_path()].into_iter());
        let looks = |other: &str| {
            let mut count = 0;
            watched.if_changed(|| other.to_owned(), |_| count += 1);
            count
        };
        let now = |other: &str| {
            watched.looked.lock().unwrap().next = None;
            looks(other)
        };
        assert_eq!(looks(""), 1, "the file is no folder");
        std::fs::write(folder.join("below/two.pgn"), "").unwrap();
        assert_eq!(looks(""), 0, "a moment ago");
        assert_eq!(now(""), 1);
        assert_eq!(now(""), 0);
        std::fs::write(&file, "1. e4 *").unwrap();
        assert_eq!(now(""), 0, "the names are the same");
        assert_eq!(now("other"), 1);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(now("other"), 1);
    }
}
