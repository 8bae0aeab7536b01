//! What is in a folder: inputs, and files that are none.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::io::{FolderNames, JournaledFolder, list_folder};
use tabia_core::{Error, Result};

use crate::input::InputItem;
use crate::resolve::{DEPTH, Resolver, set_of};

/// Files of a folder by what their names promise.
#[derive(Debug, Default)]
struct FolderContents {
    /// Main files, and what is wrong with those that cannot be inputs.
    found: Vec<(PathBuf, Option<Error>)>,
    /// Files that no format has, and names of what is no file.
    others: Vec<PathBuf>,
}

/// What has a name in a folder; `None` if it was removed meanwhile.
fn kind_of(path: &Path) -> io::Result<Option<FileType>> {
    let kind = match std::fs::symlink_metadata(path) {
        Ok(data) => data.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if kind.is_symlink()
        && let Err(error) = std::fs::metadata(path)
        && error.kind() == io::ErrorKind::PermissionDenied
    {
        return Err(error);
    }
    Ok(Some(kind))
}

impl Resolver {
    /// The files in a folder and the folders in it that [`Resolver::resolve_each`] does not return and that belong
    /// to none of its inputs, sorted: their names are those of no format. Hidden files are left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    ///
    /// ```
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let folder = std::env::temp_dir().join(format!("tabia-doc-folder-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("games.pgn"), "1. e4 *")?;
    /// std::fs::write(folder.join("notes.txt"), "To do")?;
    /// let resolver = tabia::Resolver::default();
    /// assert_eq!(resolver.resolve(folder.as_os_str())?.len(), 1);
    /// assert_eq!(resolver.other_files(&folder)?, [folder.join("notes.txt")]);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn other_files(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let mut others = self.folder_contents(folder, DEPTH)?.others;
        others.sort();
        Ok(others)
    }

    /// Databases, books and archives in a folder and the folders in it, sorted by path. Companions whose
    /// main file is missing are an error for each set.
    pub(crate) fn folder(&self, path: &Path, max_depth: u32) -> Result<Vec<Result<InputItem>>> {
        let mut found = self.folder_contents(path, max_depth)?.found;
        if found.is_empty() {
            let text = "no database, book or archive in this folder";
            return Err(Error::unsupported(text).in_path(path));
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let mut items: Vec<Result<InputItem>> = Vec::new();
        let mut labels: HashSet<Arc<Path>> = HashSet::new();
        let mut folders: BTreeMap<PathBuf, FolderNames> = BTreeMap::new();
        for (file, error) in found {
            let item = match error {
                Some(error) => Err(error),
                None => self
                    .file_of_folder(&file, &mut folders)
                    .map_err(|error| error.in_path(&file)),
            };
            // The parts of a book are one input.
            let is_new = |item: &InputItem| labels.insert(Arc::clone(item.label()));
            if item.as_ref().map_or(true, is_new) {
                items.push(item);
            }
        }
        Ok(items)
    }

    fn folder_contents(&self, path: &Path, max_depth: u32) -> Result<FolderContents> {
        let mut contents = FolderContents::default();
        let mut folders = vec![(path.to_path_buf(), 0)];
        let root = LazyCell::new(|| std::fs::canonicalize(path).ok());
        while let Some((folder, depth)) = folders.pop() {
            let names = match list_folder(&folder) {
                Ok(names) => names,
                Err(error) if depth == 0 => return Err(error),
                Err(error) => {
                    contents.found.push((folder, Some(error)));
                    continue;
                }
            };
            let settled = JournaledFolder::new(&folder, names);
            let first = contents.found.len();
            let mut companions = Vec::new();
            let mut others = Vec::new();
            for (stored, bytes) in settled.files {
                let name = stored.to_string_lossy();
                if name.starts_with('.') {
                    continue;
                }
                let file = folder.join(&stored);
                let kind = match kind_of(&bytes) {
                    Ok(Some(kind)) => kind,
                    Ok(None) => continue,
                    Err(error) => {
                        let error = Error::from(error).in_path(&file);
                        contents.found.push((file, Some(error)));
                        continue;
                    }
                };
                let is_file = kind.is_file() || kind.is_symlink() && bytes.is_file();
                if kind.is_dir() && depth < max_depth {
                    folders.push((bytes, depth + 1));
                } else if max_depth == DEPTH
                    && !is_file
                    && let Some(error) = self.unread(&bytes, kind, &root)
                {
                    contents
                        .found
                        .push((file.clone(), Some(error.in_path(&file))));
                } else if !is_file {
                    // A pipe, a link to nothing or to what is read anyway.
                    others.push(file);
                } else if self.is_main_name(&name) {
                    contents.found.push((file, None));
                } else if self.is_companion_name(&name) {
                    companions.push(file);
                } else {
                    others.push(file);
                }
            }
            let mains = contents.found.get(first..).unwrap_or_default();
            let names = mains.iter().map(|(file, _)| file);
            let mut sets: BTreeSet<String> = names.map(|file| set_of(file)).collect();
            others.retain(|file| !(sets.contains(&set_of(file)) && self.has_companion_name(file)));
            // Of the companions of a missing main file the first one is enough.
            companions.sort();
            companions.retain(|file| sets.insert(set_of(file)));
            for journal in settled.unproven {
                let mains = contents.found.get(first..).unwrap_or_default();
                if !mains.iter().any(|(file, _)| journal.is_about(file)) {
                    let error = journal.error();
                    let path = error.location().file.as_deref().unwrap_or(&folder);
                    contents.found.push((path.to_path_buf(), Some(error)));
                }
            }
            let companions = companions.into_iter();
            contents.found.extend(companions.map(|file| (file, None)));
            contents.others.append(&mut others);
        }
        Ok(contents)
    }

    /// Why games may be missing that are below a name in a folder, which is no file: a folder that is nested too
    /// deeply, a link to a folder elsewhere, a link of a database, book or archive that leads to nothing.
    fn unread(
        &self,
        path: &Path,
        kind: FileType,
        root: &LazyCell<Option<PathBuf>, impl FnOnce() -> Option<PathBuf>>,
    ) -> Option<Error> {
        if kind.is_dir() {
            return Some(Error::unsupported("the folder is nested too deeply"));
        }
        if !kind.is_symlink() {
            return None;
        }
        let Ok(target) = std::fs::canonicalize(path) else {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let text = "the link leads to nothing";
            return self.is_main_name(&name).then(|| Error::unsupported(text));
        };
        // What is below the folder is found without the link.
        let is_below = root.as_ref().is_some_and(|root| target.starts_with(root));
        let text = "a link to another folder, which is not followed";
        (target.is_dir() && !is_below).then(|| Error::unsupported(text))
    }

    fn has_companion_name(&self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default();
        self.may_be_companion(&name.to_string_lossy())
    }
}
