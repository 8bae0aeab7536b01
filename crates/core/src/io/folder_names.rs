//! The names in a folder, listed once for all of its files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::disk;
use super::file_identity::FileIdentity;
use super::journal::is_journal;
use super::name_text::name_text;

/// The names in a folder, for [`Source::from_folder`](super::Source::from_folder): a folder of many files is
/// listed once and not once for each of them. It is listed again whenever it has changed, and for each file on
/// systems that do not state when it has.
///
/// ```
/// use tabia_core::io::{FolderNames, Source};
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-folder-names-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("games.cbh"), "*")?;
/// std::fs::write(folder.join("games.cbg"), "*")?;
/// let mut names = FolderNames::new(&folder);
/// let source = Source::from_folder(&folder.join("games.cbh"), &mut names, true)?;
/// assert_eq!(source.siblings().len(), 2);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct FolderNames {
    folder: PathBuf,
    /// The folder when it was listed.
    listed: Option<Listed>,
    /// The names by their text ([`name_text`]) in lower case.
    names: BTreeMap<String, Vec<OsString>>,
    journals: Vec<OsString>,
    #[cfg(test)]
    listings: u32,
}

/// The folder when it was listed.
#[derive(Debug, Clone, Copy)]
struct Listed {
    folder: FileIdentity,
    /// When it was first seen in this state.
    since: Instant,
    /// Every later change gives the folder another time.
    is_sure: bool,
}

impl FolderNames {
    /// Names of a folder, which is listed when the first of them is needed.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            listed: None,
            names: BTreeMap::new(),
            journals: Vec::new(),
            #[cfg(test)]
            listings: 0,
        }
    }

    /// Whether these are the names in the folder of `path`.
    pub(super) fn is_folder_of(&self, path: &Path) -> bool {
        self.folder == disk::folder(path)
    }

    /// The journals in the folder as it is now, and the names that begin with `start`, which is in lower case,
    /// in any letter case.
    pub(super) fn of_set(&mut self, start: &str) -> io::Result<Vec<OsString>> {
        let now = FileIdentity::at(&self.folder);
        let same = self.listed.filter(|listed| Some(listed.folder) == now);
        if !same.is_some_and(|listed| listed.is_sure) {
            let since = same.map_or_else(Instant::now, |listed| listed.since);
            self.listed = now.map(|folder| Listed {
                folder,
                since,
                // A change just after another one may have the same time.
                is_sure: since.elapsed() > folder.clock_step(),
            });
            self.list().inspect_err(|_| self.listed = None)?;
        }
        let mut found = self.journals.clone();
        let names = self.names.range(start.to_owned()..);
        let names = names.take_while(|(name, _)| name.starts_with(start));
        found.extend(names.flat_map(|(_, names)| names.iter().cloned()));
        Ok(found)
    }

    fn list(&mut self) -> io::Result<()> {
        let names = disk::list(&self.folder)?;
        self.names.clear();
        self.journals.clear();
        #[cfg(test)]
        {
            self.listings += 1;
        }
        for name in names {
            if is_journal(&name) {
                self.journals.push(name);
            } else {
                let lower = name_text(&name).to_lowercase();
                self.names.entry(lower).or_default().push(name);
            }
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::io::Source;
    use std::time::Duration;

    fn names_of(source: &Source) -> Vec<&str> {
        let files = source.siblings().iter();
        files.map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn a_folder_is_listed_once_and_again_after_a_change() {
        let folder = tabia_testkit::Scratch::new("folder-names");
        for number in 0..50 {
            for extension in ["CBH", "cbg"] {
                std::fs::write(folder.join(format!("Games{number}.{extension}")), b"x").unwrap();
            }
        }
        let mut names = FolderNames::new(folder.path());
        let _ = names.of_set("games").unwrap();
        std::thread::sleep(Duration::from_millis(2600));
        for number in 10..50 {
            let path = folder.join(format!("Games{number}.CBH"));
            let found = Source::from_folder(&path, &mut names, true).unwrap();
            let slow = Source::from_path(&path).unwrap();
            assert_eq!(names_of(&found), names_of(&slow));
            assert_eq!(found.siblings().len(), 2);
            assert!(found.is_current());
        }
        // Once more, because the first time it might have been changed just then.
        assert_eq!(names.listings, 2);
        let path = folder.join("Games20.CBH");
        std::fs::write(folder.join("games20.cba"), b"x").unwrap();
        let found = Source::from_folder(&path, &mut names, true).unwrap();
        assert_eq!(
            names_of(&found),
            ["Games20.CBH", "Games20.cbg", "games20.cba"]
        );
        std::fs::remove_file(folder.join("Games20.cbg")).unwrap();
        let found = Source::from_folder(&path, &mut names, true).unwrap();
        assert_eq!(names_of(&found), ["Games20.CBH", "games20.cba"]);
        assert_eq!(names.listings, 4);
    }

    #[test]
    fn the_parts_of_a_set_are_found_in_the_list() {
        let folder = tabia_testkit::Scratch::new("folder-names-parts");
        for name in ["a_0.kob", "A_1.kob", "a.kin", "ab_1.kob", "_1.kob", "b.kob"] {
            std::fs::write(folder.join(name), b"x").unwrap();
        }
        let mut names = FolderNames::new(folder.path());
        for name in ["a_0.kob", "_1.kob", "b.kob"] {
            let path = folder.join(name);
            let found = Source::from_folder(&path, &mut names, true).unwrap();
            let slow = Source::from_path(&path).unwrap();
            let parts = |source: &Source| -> Vec<String> {
                let files = source.parts().iter();
                files.map(|file| file.name.clone()).collect()
            };
            assert_eq!(parts(&found), parts(&slow), "{name}");
            assert_eq!(names_of(&found), names_of(&slow), "{name}");
            let without = Source::from_folder(&path, &mut names, false).unwrap();
            assert_eq!(names_of(&without), names_of(&slow), "{name}");
            assert!(without.parts().is_empty(), "{name}");
        }
    }
}
