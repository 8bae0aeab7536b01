//! One input: a file with its companions, from a folder, an archive or memory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::io::Blob;
use crate::io::journal::{Journal, is_journal};

/// A file that belongs to a [`Source`].
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Name without folder, as stored.
    pub name: String,
    bytes: Bytes,
}

#[derive(Debug, Clone)]
enum Bytes {
    Path(PathBuf),
    Memory(Blob),
}

impl SourceFile {
    /// The bytes of the file.
    pub fn open(&self) -> Result<Blob> {
        match &self.bytes {
            Bytes::Path(path) => Blob::open(path).or_else(|error| {
                // A hidden file may have got its name meanwhile.
                let named = path.with_file_name(&self.name);
                if named == *path {
                    return Err(error);
                }
                Blob::open(&named).map_err(|_| error)
            }),
            Bytes::Memory(blob) => Ok(blob.clone()),
        }
    }

    /// Its path, when it lies in a folder.
    pub fn path(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::Path(path) => Some(path),
            Bytes::Memory(_) => None,
        }
    }
}

/// A main file and every file whose name begins with the same base name, whatever the letter case.
#[derive(Debug, Clone)]
pub struct Source {
    label: Arc<Path>,
    main: SourceFile,
    base: String,
    siblings: Vec<SourceFile>,
    parts: Vec<SourceFile>,
    is_interrupted: bool,
}

impl Source {
    /// The file at `path` and its companions in the same folder.
    pub fn from_path(path: &Path) -> Result<Self> {
        let name = path.file_name().map_or_else(String::new, lossy);
        let base = base_name(&name).to_lowercase();
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let is_sibling = |name: &str| name.to_lowercase().starts_with(&base);
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        let mut is_interrupted = false;
        // A folder that cannot be listed only hides the companions.
        if let Ok(entries) = std::fs::read_dir(folder) {
            for entry in entries.flatten() {
                let stored = entry.file_name();
                let name = lossy(&stored);
                is_interrupted |= is_journal(&stored);
                if begins_otherwise(&name, &base) {
                    continue;
                }
                if is_sibling(&name) || is_part(&name, &base) {
                    files.push((name, path.with_file_name(stored)));
                }
            }
        }
        if is_interrupted {
            is_interrupted = follow_journals(path, &base, &mut files);
        }
        let place = files.iter().find(|(known, _)| *known == name);
        let place = place.map_or(path, |(_, place)| place);
        if let Err(error) = std::fs::metadata(place) {
            return Err(Error::from(error).in_path(path));
        }
        let main = SourceFile {
            name,
            bytes: Bytes::Path(place.to_path_buf()),
        };
        let mut siblings = Vec::new();
        let mut parts = Vec::new();
        for (name, place) in files {
            let of_set = if is_sibling(&name) {
                &mut siblings
            } else {
                &mut parts
            };
            of_set.push(SourceFile {
                name,
                bytes: Bytes::Path(place),
            });
        }
        siblings.sort_by(|a: &SourceFile, b| a.name.cmp(&b.name));
        parts.sort_by(|a: &SourceFile, b| a.name.cmp(&b.name));
        Ok(Self {
            label: Arc::from(path),
            main,
            base,
            siblings,
            parts,
            is_interrupted,
        })
    }

    /// A file of an archive or of memory: `label` names it in messages, `members` are the files
    /// beside it, `main` among them.
    pub fn from_members(
        label: impl Into<PathBuf>,
        main: &str,
        members: Vec<(String, Blob)>,
    ) -> Result<Self> {
        let label: PathBuf = label.into();
        let base = base_name(main).to_lowercase();
        let (mut siblings, mut parts) = (Vec::new(), Vec::new());
        for (name, blob) in members {
            let is_sibling = name.to_lowercase().starts_with(&base);
            let is_part = is_part(&name, &base);
            let file = SourceFile {
                name,
                bytes: Bytes::Memory(blob),
            };
            if is_sibling {
                siblings.push(file);
            } else if is_part {
                parts.push(file);
            }
        }
        let Some(main) = siblings.iter().find(|file| file.name == main).cloned() else {
            return Err(Error::new(ErrorKind::MissingFile(main.to_owned())).in_path(&label));
        };
        Ok(Self {
            label: Arc::from(label),
            main,
            base,
            siblings,
            parts,
            is_interrupted: false,
        })
    }

    /// Whether a program of this library was stopped while it replaced the set. The new files are
    /// found all the same; the next that writes in the folder puts them in their places.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// What names the input in messages: its path.
    pub fn label(&self) -> &Arc<Path> {
        &self.label
    }

    /// The label with another extension, as companions are named in messages.
    pub fn label_of(&self, extension: &str) -> Arc<Path> {
        match self.companion(extension).and_then(SourceFile::path) {
            Some(path) => Arc::from(path),
            None => Arc::from(self.label.with_extension(extension)),
        }
    }

    /// Name of the main file, without its folder.
    pub fn name(&self) -> &str {
        &self.main.name
    }

    /// Extension of the main file in lower case; `""` when there is none.
    pub fn extension(&self) -> String {
        extension(&self.main.name)
    }

    /// The main file.
    pub fn main(&self) -> &SourceFile {
        &self.main
    }

    /// The file of the set with that extension (lower case, without dot), whatever its letter case.
    pub fn companion(&self, wanted: &str) -> Option<&SourceFile> {
        self.siblings.iter().find(|file| {
            extension(&file.name) == wanted && base_name(&file.name).to_lowercase() == self.base
        })
    }

    /// The bytes of a companion; `None` when there is none.
    pub fn open_companion(&self, wanted: &str) -> Result<Option<Blob>> {
        self.companion(wanted).map(SourceFile::open).transpose()
    }

    /// The same set with another main file, named by extension, or with its part 0; `None` when
    /// there is none.
    pub fn with_main(&self, wanted: &str) -> Option<Self> {
        let first = format!("{}_0.{wanted}", self.base);
        let main = self.companion(wanted).or_else(|| {
            let all = &mut self.siblings.iter();
            all.find(|file| file.name.to_lowercase() == first)
        });
        let main = main?.clone();
        let label = match main.path() {
            Some(path) => Arc::from(path),
            None => Arc::from(self.label.with_extension(wanted)),
        };
        Some(Self {
            label,
            main,
            base: self.base.clone(),
            siblings: self.siblings.clone(),
            parts: self.parts.clone(),
            is_interrupted: self.is_interrupted,
        })
    }

    /// Every file whose name begins with the base name, sorted by name.
    pub fn siblings(&self) -> &[SourceFile] {
        &self.siblings
    }

    /// For a main file whose base name ends in `_` and a number, as those of sets in parts do: the
    /// files beside the siblings that are named so with another number or without, sorted by name.
    pub fn parts(&self) -> &[SourceFile] {
        &self.parts
    }
}

/// Puts the files of sets that are being replaced where journals say they are; whether any of those of
/// `base` (in lower case) is among them.
fn follow_journals(path: &Path, base: &str, files: &mut Vec<(String, PathBuf)>) -> bool {
    let mut is_ours = false;
    for journal in Journal::beside(path) {
        for step in journal.steps() {
            let name = step.target.file_name().map(lossy).unwrap_or_default();
            if !name.to_lowercase().starts_with(base) && !is_part(&name, base) {
                continue;
            }
            is_ours |= base_name(&name).to_lowercase() == base || is_part(&name, base);
            let place = step.new.as_ref().filter(|new| new.exists());
            if place.is_some() || step.new.is_none() {
                files.retain(|(known, _)| *known != name);
            }
            files.extend(place.map(|place| (name, place.clone())));
        }
    }
    is_ours
}

/// Whether a file belongs to the set of which `base` (in lower case) is a numbered part.
fn is_part(name: &str, base: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((set, _)) = base.rsplit_once('_').filter(|(_, number)| digits(number)) else {
        return false;
    };
    let other = base_name(name).to_lowercase();
    let rest = other.strip_prefix(set);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(digits))
}

/// Whether a name is seen at its first letter not to begin as `base` (in lower case) does, whatever
/// the letter case: most files of a large folder.
fn begins_otherwise(name: &str, base: &str) -> bool {
    match (name.as_bytes(), base.as_bytes()) {
        // A set whose name begins with `_` can have parts that do not.
        ([first, ..], [wanted, ..]) if *wanted != b'_' => {
            first.is_ascii() && first.to_ascii_lowercase() != *wanted
        }
        _ => false,
    }
}

fn lossy(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

fn base_name(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(base, _)| base)
}

fn extension(name: &str) -> String {
    name.rsplit_once('.')
        .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_are_found_whatever_their_letter_case() {
        let members = [
            "Capa.CBH",
            "capa.cbg",
            "CAPA.Cba",
            "Capablanca.cbg",
            "other.cbp",
        ]
        .map(|name| (name.to_owned(), Blob::from(name.as_bytes().to_vec())));
        let source = Source::from_members("x.cbv", "Capa.CBH", members.to_vec()).unwrap();
        assert_eq!(source.extension(), "cbh");
        assert_eq!(
            &*source.open_companion("cbg").unwrap().unwrap(),
            b"capa.cbg"
        );
        assert_eq!(source.companion("cba").unwrap().name, "CAPA.Cba");
        assert!(source.companion("cbp").is_none());
        assert_eq!(source.with_main("cbg").unwrap().name(), "capa.cbg");
    }

    #[test]
    fn parts_of_a_set_are_found() {
        let members = [
            "a_0.kob", "A_1.kob", "a.kin", "a_x.kin", "ab_1.kob", "a_12.kob",
        ]
        .map(|name| (name.to_owned(), Blob::from(Vec::new())));
        let source = Source::from_members("x", "a_0.kob", members.to_vec()).unwrap();
        let names = |files: &[SourceFile]| -> Vec<String> {
            files.iter().map(|file| file.name.clone()).collect()
        };
        assert_eq!(names(source.siblings()), ["a_0.kob"]);
        assert_eq!(names(source.parts()), ["A_1.kob", "a.kin", "a_12.kob"]);
        let index = Source::from_members("x", "a.kin", members.to_vec()).unwrap();
        assert_eq!(index.with_main("kob").unwrap().name(), "a_0.kob");
        assert_eq!(names(index.parts()), [""; 0]);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Source::from_path(Path::new("no/such.cbh")).unwrap_err();
        assert!(error.to_string().starts_with("no/such.cbh: "), "{error}");
    }
}
