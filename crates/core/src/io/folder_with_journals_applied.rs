//! The files of a folder as they are once interrupted replacements are complete.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::file_with_companions::unproven_error;
use super::journal::{FoundJournal, Journal, is_journal, set_name, set_of_journal};
use super::stale_files::parse_temporary_name;
use crate::error::Error;

/// The files of a folder as readers see them: those that an interrupted replacement has not renamed yet
/// have their names, and those that it removes are absent. Journals and temporary files of this program
/// (`.name.7-1.tmp`) are left out.
///
/// ```
/// use tabia_core::io::{JournaledFolder, list_folder};
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-settled-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("games.pgn"), "*")?;
/// let settled = JournaledFolder::new(&folder, list_folder(&folder)?);
/// assert_eq!(settled.files, [("games.pgn".into(), folder.join("games.pgn"))]);
/// assert!(settled.unproven.is_empty());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct JournaledFolder {
    /// The name of each file or folder, and the path of its bytes.
    pub files: Vec<(OsString, PathBuf)>,
    /// Hidden files that look like journals of replacements and are not followed.
    pub unproven: Vec<UnprovenJournal>,
}

/// A hidden file that looks like the journal of a replacement and is not followed; see
/// [`Source::unproven_journal`](super::Source::unproven_journal).
#[derive(Debug, Clone)]
pub struct UnprovenJournal {
    path: PathBuf,
    set: Option<String>,
}

impl UnprovenJournal {
    /// Whether it claims to replace the set of `file`.
    pub fn is_about(&self, file: &Path) -> bool {
        self.set.is_some() && set_name(file) == self.set
    }

    /// What it means, for users.
    pub fn error(&self) -> Error {
        unproven_error(&self.path).in_path(&self.path)
    }
}

impl JournaledFolder {
    /// The files of `folder`, in which files and folders with these names were listed.
    pub fn new(folder: &Path, names: Vec<OsString>) -> Self {
        let (journals, names): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| is_journal(name));
        let path = |name: OsString| {
            let path = folder.join(&name);
            (name, path)
        };
        let mut settled = Self {
            files: names
                .into_iter()
                .filter(|name| name.to_str().and_then(parse_temporary_name).is_none())
                .map(path)
                .collect(),
            unproven: Vec::new(),
        };
        for (path, found) in Journal::find(&folder.join("x"), journals.into_iter()) {
            match found {
                FoundJournal::Own(journal) => settled.follow(&journal),
                FoundJournal::Unproven => settled.unproven.push(UnprovenJournal {
                    set: path.file_name().and_then(set_of_journal),
                    path,
                }),
                FoundJournal::Gone => {}
            }
        }
        settled
    }

    fn follow(&mut self, journal: &Journal) {
        for step in journal.steps() {
            self.files.retain(|(_, path)| *path != step.target);
            let (Some(new), Some(name)) = (&step.new, step.target.file_name()) else {
                continue;
            };
            let path = if new.exists() { new } else { &step.target };
            self.files.push((name.to_owned(), path.clone()));
        }
    }
}
