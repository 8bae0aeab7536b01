//! The folder that results are written to. No other folder is: names are single parts, no link is followed, and no
//! file of an input is replaced.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use tabia::Error;
use tabia::formats::Format;

use crate::dropped_files::check_name;
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::shelf_input::ShelfInput;

/// Endings of compressed text.
const COMPRESSED: &[&str] = &["gz", "bz2", "xz", "zst"];

/// A folder.
#[derive(Debug)]
pub(crate) struct OutFolder {
    /// Without links.
    path: PathBuf,
}

/// A file that may be written.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// A file with this name is replaced.
    pub(crate) force: bool,
}

impl OutFolder {
    /// An existing folder.
    ///
    /// # Errors
    /// When it does not exist, or is none.
    pub(crate) fn new(path: &Path) -> Result<Self, Error> {
        let in_output = |error: Error| error.in_path(path).in_output();
        let found = path.canonicalize();
        let found = found.map_err(|error| in_output(Error::from(error)))?;
        if !found.is_dir() {
            return Err(in_output(Error::unsupported("is no folder")));
        }
        Ok(Self { path: found })
    }

    /// The path of a new file of a format, whose name has its extension.
    ///
    /// # Errors
    /// 400 for a name that no file may have; 409 if there is such a file and `force` is not set, or if a file of
    /// its set is a link or belongs to an input that was not written here.
    pub(crate) fn new_file(
        &self,
        name: &str,
        format: Format,
        force: bool,
        inputs: &[Arc<ShelfInput>],
    ) -> Result<NewFile, Problem> {
        check_name(name)?;
        let set = FileSet::new(name, format).ok_or_else(|| {
            let wanted = format.extensions().first().copied().unwrap_or_default();
            Problem::bad_request(format!("`{name}` does not end in `.{wanted}`"))
                .coded(Code::WrongEnding, &[("name", &name), ("wanted", &wanted)])
        })?;
        self.check_folder()?;
        let entries = fs::read_dir(&self.path).map_err(Error::from)?;
        for entry in entries.flatten() {
            let known = entry.file_name();
            let known = known.to_string_lossy();
            // What cannot be examined is not replaced either.
            let is_link = entry.file_type().map_or(true, |kind| kind.is_symlink());
            if is_link && set.has(&known) {
                return Err(conflict(format!("`{known}` is a link")));
            }
        }
        let is_input = |input: &&Arc<ShelfInput>| {
            !input.is_written.load(Ordering::Relaxed)
                && input.has_file_in(&self.path, &|name| set.has(name))
        };
        if let Some(input) = inputs.iter().find(is_input) {
            let text = format!("`{name}` would replace a file of the input `{}`", input.id);
            let values: [(_, &dyn std::fmt::Display); 2] = [("name", &name), ("id", &input.id)];
            let problem = conflict(text).coded(Code::ReplacesInput, &values);
            return Err(problem.with_hint("inputs are never changed; give another name"));
        }
        let path = self.path.join(name);
        if !force && fs::symlink_metadata(&path).is_ok() {
            let text = format!("`{name}` exists already");
            let hint = "give another name, or replace a file with this name";
            let problem = conflict(text).coded(Code::FileExists, &[("name", &name)]);
            return Err(problem.with_hint(hint));
        }
        Ok(NewFile {
            name: name.to_owned(),
            path,
            force,
        })
    }

    /// Opens a file that was written here, and returns its length and name.
    ///
    /// # Errors
    /// 404 if it is no longer there, or is something else.
    pub(crate) fn open(&self, path: &Path) -> Result<(File, u64, String), Problem> {
        self.check_folder()?;
        let missing = || Problem::not_found("the file is no longer there");
        let name = path.file_name().ok_or_else(missing)?;
        let path = self.path.join(name);
        let mut options = fs::OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            // A link is not followed, and a pipe not waited for.
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            let flags = i32::try_from(flags.bits()).unwrap_or_default();
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
        }
        let file = options.open(&path).map_err(|_| missing())?;
        let metadata = file.metadata().map_err(|_| missing())?;
        if !metadata.is_file() {
            return Err(missing());
        }
        Ok((file, metadata.len(), name.to_string_lossy().into_owned()))
    }

    /// `text` without the folder, which only its owner should see.
    pub(crate) fn without_folder(&self, text: &str) -> String {
        let prefix = format!("{}{}", self.path.display(), std::path::MAIN_SEPARATOR);
        text.replace(&prefix, "")
    }

    /// Nothing is written if another folder has taken its name.
    fn check_folder(&self) -> Result<(), Problem> {
        let is_same = self
            .path
            .canonicalize()
            .is_ok_and(|found| found == self.path);
        if is_same && self.path.is_dir() {
            return Ok(());
        }
        Err(conflict("the folder for outputs was moved".to_owned()))
    }
}

fn conflict(text: String) -> Problem {
    Problem::new(StatusCode::CONFLICT, text)
}

/// The names that a new file and its companions may have.
#[derive(Debug)]
struct FileSet {
    /// In lower case, as on disks that do not distinguish letter case.
    name: String,
    /// Without the extension; `None` for compressed text, which is one file.
    stem: Option<String>,
    format: Format,
}

impl FileSet {
    /// `None` if the name has no extension of the format.
    fn new(name: &str, format: Format) -> Option<Self> {
        let name = name.to_lowercase();
        let without = |name: &str, extensions: &[&str]| {
            let (stem, extension) = name.rsplit_once('.')?;
            let is_known = extensions.contains(&extension) && !stem.is_empty();
            is_known.then(|| stem.to_owned())
        };
        let stem = without(&name, format.extensions());
        if stem.is_none() {
            without(&without(&name, COMPRESSED)?, format.extensions())?;
        }
        Some(Self { name, stem, format })
    }

    /// Whether a file has the name, or belongs to the set: a companion, or a part with a number.
    fn has(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        if name == self.name {
            return true;
        }
        let rest = self.stem.as_ref().and_then(|stem| name.strip_prefix(stem));
        let Some(rest) = rest else {
            return false;
        };
        let part = rest.strip_prefix('_').and_then(|part| part.split_once('.'));
        let is_digit = |c: char| c.is_ascii_digit();
        let extension = match part {
            Some((number, extension)) if number.chars().all(is_digit) => extension,
            _ => rest.strip_prefix('.').unwrap_or_default(),
        };
        let mut companions = self.format.companions().iter();
        self.format.extensions().contains(&extension)
            || companions.any(|companion| companion.extension == extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tabia_testkit::Scratch;

    fn si4() -> Format {
        tabia::format("si4").unwrap()
    }

    fn status(folder: &OutFolder, name: &str, force: bool) -> u16 {
        let found = folder.new_file(name, si4(), force, &[]);
        found.map_or_else(|problem| problem.status.as_u16(), |_| 200)
    }

    #[test]
    fn only_plain_names_with_the_extension_are_written() {
        let scratch = Scratch::new("out-names");
        let folder = OutFolder::new(scratch.path()).unwrap();
        for (name, expected) in [
            ("games.si4", 200),
            ("Games.SI4", 200),
            ("a.b.si4", 200),
            ("games.pgn", 400),
            ("games", 400),
            (".si4", 400),
            ("../games.si4", 400),
            ("/tmp/games.si4", 400),
            ("a\\b.si4", 400),
            ("-o.si4", 400),
            ("con.si4", 400),
            ("", 400),
        ] {
            assert_eq!(status(&folder, name, true), expected, "{name}");
        }
    }

    #[test]
    fn a_set_has_parts_and_companions() {
        let set = FileSet::new("A.si4", si4()).unwrap();
        for name in ["a.si4", "A.SN4", "a.sg4", "a_12.si4"] {
            assert!(set.has(name), "{name}");
        }
        for name in ["a", "ab.si4", "a_old.si4", "a-1.si4", "b.a.si4", "a.pgn"] {
            assert!(!set.has(name), "{name}");
        }
        let pgn = tabia::format("pgn").unwrap();
        let compressed = FileSet::new("a.pgn.gz", pgn).unwrap();
        assert!(compressed.has("a.PGN.gz") && !compressed.has("a.pgn"));
        assert!(FileSet::new("a.gz", pgn).is_none());
    }

    #[test]
    fn existing_files_are_replaced_only_with_force() {
        let scratch = Scratch::new("out-exists");
        let folder = OutFolder::new(scratch.path()).unwrap();
        fs::write(scratch.path().join("a.si4"), b"").unwrap();
        assert_eq!(status(&folder, "a.si4", false), 409);
        assert_eq!(status(&folder, "a.si4", true), 200);
        assert_eq!(status(&folder, "b.si4", false), 200);
    }

    #[test]
    #[cfg(unix)]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("out-links");
        let inner = scratch.path().join("out");
        fs::create_dir(&inner).unwrap();
        let folder = OutFolder::new(&inner).unwrap();
        let target = scratch.path().join("target");
        fs::write(&target, b"kept").unwrap();
        symlink(&target, inner.join("a.si4")).unwrap();
        symlink(&target, inner.join("b.sg4")).unwrap();
        symlink(scratch.path().join("nothing"), inner.join("c.si4")).unwrap();
        for name in ["a.si4", "b.si4", "c.si4"] {
            assert_eq!(status(&folder, name, true), 409, "{name}");
            assert_eq!(status(&folder, name, false), 409, "{name}");
        }
        assert!(folder.open(&inner.join("a.si4")).is_err());
        fs::write(inner.join("d.si4"), b"data").unwrap();
        assert_eq!(folder.open(&inner.join("d.si4")).unwrap().1, 4);
        // The path of an output is in this folder, whatever a caller asks.
        assert!(folder.open(&target).is_err());
        assert!(folder.open(&inner.join("..")).is_err());

        // A folder that takes the name of this one.
        let moved = scratch.path().join("moved");
        fs::rename(&inner, &moved).unwrap();
        symlink(&moved, &inner).unwrap();
        assert_eq!(status(&folder, "e.si4", false), 409);
        assert!(folder.open(&inner.join("d.si4")).is_err());
    }
}
