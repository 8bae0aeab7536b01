//! [`CompanionNames`]: the names of the other files of a set that is written.

use std::path::{Path, PathBuf};

use super::file_with_companions::Source;
use crate::error::{Error, Result};

/// The names that the companions of a main file get when a set is written.
///
/// Where the set exists and is replaced, a companion keeps its name, also if that is in another letter case than the
/// one of the main file: on file systems that distinguish them, old and new files would be next to each other, and
/// readers would find the old ones. New ones have extensions in capital letters if the main file has, as sets from
/// Windows do.
///
/// ```
/// use tabia_core::io::CompanionNames;
///
/// let names = CompanionNames::of("new/GAMES.SI4".as_ref())?;
/// assert_eq!(names.path("sg4").to_str(), Some("new/GAMES.SG4"));
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct CompanionNames {
    main: PathBuf,
    /// The set that is replaced.
    old: Option<Source>,
}

impl CompanionNames {
    /// Those of the main file at `main`, which need not exist.
    ///
    /// # Errors
    /// When the files of a set that exists cannot be listed.
    pub fn of(main: &Path) -> Result<Self> {
        // Without a main file there is no set, and the folder is not listed.
        let exists = std::fs::symlink_metadata(main).is_ok();
        let old = match exists.then(|| Source::next_to(main)).transpose() {
            Err(error) if error.is_not_found() => None,
            old => old.map_err(Error::in_output)?,
        };
        Ok(Self {
            main: main.to_path_buf(),
            old,
        })
    }

    /// The path of the companion with an extension, given in lower case without dot.
    pub fn path(&self, extension: &str) -> PathBuf {
        let old = self.old.as_ref();
        old.and_then(|old| old.companion_target(extension))
            .unwrap_or_else(|| self.main.with_extension(cased_as(&self.main, extension)))
    }
}

/// An extension, given in lower case, in the letter case of that of a main file.
///
/// ```
/// use tabia_core::io::cased_as;
///
/// assert_eq!(cased_as("BOOK.KOB".as_ref(), "kin"), "KIN");
/// assert_eq!(cased_as("Book.kob".as_ref(), "kin"), "kin");
/// ```
pub fn cased_as(main: &Path, extension: &str) -> String {
    let of_main = main.extension().unwrap_or_default().to_string_lossy();
    let is_upper =
        of_main.chars().any(char::is_uppercase) && !of_main.chars().any(char::is_lowercase);
    if is_upper {
        extension.to_uppercase()
    } else {
        extension.to_owned()
    }
}
