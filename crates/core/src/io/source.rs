//! One input: a file with its companions, from a folder, an archive or memory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::io::Blob;

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
            Bytes::Path(path) => Blob::open(path),
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
}

impl Source {
    /// The file at `path` and its companions in the same folder.
    pub fn from_path(path: &Path) -> Result<Self> {
        let name = path.file_name().map_or_else(String::new, lossy);
        let main = SourceFile {
            name: name.clone(),
            bytes: Bytes::Path(path.to_path_buf()),
        };
        if let Err(error) = std::fs::metadata(path) {
            return Err(Error::from(error).in_path(path));
        }
        let base = base_name(&name).to_lowercase();
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut siblings = Vec::new();
        let mut parts = Vec::new();
        // A folder that cannot be listed only hides the companions.
        if let Ok(entries) = std::fs::read_dir(folder) {
            for entry in entries.flatten() {
                let name = lossy(&entry.file_name());
                if begins_otherwise(&name, &base) {
                    continue;
                }
                let file = |name| SourceFile {
                    name,
                    bytes: Bytes::Path(path.with_file_name(entry.file_name())),
                };
                if name.to_lowercase().starts_with(&base) {
                    siblings.push(file(name));
                } else if is_part(&name, &base) {
                    parts.push(file(name));
                }
            }
        }
        siblings.sort_by(|a, b| a.name.cmp(&b.name));
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            label: Arc::from(path),
            main,
            base,
            siblings,
            parts,
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
        })
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
