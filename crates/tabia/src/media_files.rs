//! The files that games and texts of a database refer to, in folders next to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::Error;
use tabia_core::formats::MediaFolder;
use tabia_core::io::list_folder;
use tabia_formats::archives::Archive;

use crate::input::{InputItem, Origin};

/// Folders in folders that are looked into.
const MAX_DEPTH: u32 = 8;

/// A folder next to a database with files that its games and texts refer to.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-media-{}", std::process::id()));
/// # std::fs::create_dir_all(folder.join("mega.html")).unwrap();
/// # std::fs::write(folder.join("mega.html/board.jpg"), "a picture").unwrap();
/// # let path = folder.join("mega.cbh");
/// # std::fs::write(folder.join("games.pgn"), "1. e4 *\n").unwrap();
/// # tabia::convert(folder.join("games.pgn"), &path)?;
/// let input = tabia::open(&path)?;
/// let media = input.items()[0].media_files();
/// # let _ = std::fs::remove_dir_all(&folder);
/// assert_eq!(media[0].folder.extension, "html");
/// assert_eq!(media[0].files, ["board.jpg"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MediaFiles {
    /// Which of the folders of its format it is.
    pub folder: &'static MediaFolder,
    /// The folder as messages name it; `archive:folder` in an archive.
    pub label: PathBuf,
    /// The folder on disk; `None` in an archive.
    pub path: Option<PathBuf>,
    /// The files in it, in order; those in folders with their folder, separated by `/`.
    pub files: Vec<String>,
}

impl InputItem {
    /// The folders with the files that games and texts refer to, those that exist. Folders that cannot be read
    /// are as empty.
    pub fn media_files(&self) -> Vec<MediaFiles> {
        let found = self.media_in_folders().into_iter();
        let public = found.map(|found| MediaFiles {
            folder: found.folder,
            label: found.label,
            path: found.path,
            files: found.files.into_iter().map(|file| file.name).collect(),
        });
        public.collect()
    }

    /// As [`media_files`](Self::media_files), with where the bytes of the files are.
    pub(crate) fn media_in_folders(&self) -> Vec<FoundFolder> {
        let format = self.format.games();
        let folders = format.map_or(&[][..], |format| format.media_folders);
        let found = folders.iter().filter_map(|folder| match &self.origin {
            Origin::Files(source) => {
                let found = source.companion(folder.extension)?;
                let path = found.path().filter(|path| path.is_dir())?.to_path_buf();
                let (files, error) = files_in(&path);
                Some(FoundFolder {
                    folder,
                    label: path.clone(),
                    files,
                    path: Some(path),
                    error,
                })
            }
            Origin::Member { archive, index, .. } => {
                let main = &archive.members().get(*index)?.name;
                let name = Path::new(main).with_extension(folder.extension);
                let name = name.to_str()?.replace('\\', "/");
                let members = archive.members().iter().enumerate();
                let files = members.filter_map(|(index, member)| {
                    Some(FoundFile {
                        name: below(&member.name, &name)?.to_owned(),
                        contents: FileContents::Member(Arc::clone(archive), index),
                    })
                });
                let mut files: Vec<FoundFile> = files.collect();
                files.sort_by(|one, other| one.name.cmp(&other.name));
                let label = self.label.with_extension(folder.extension);
                (!files.is_empty()).then_some(FoundFolder {
                    folder,
                    label,
                    path: None,
                    files,
                    error: None,
                })
            }
            Origin::Packed(_) | Origin::PackedInMemory(_) | Origin::Once(_) => None,
        });
        found.collect()
    }
}

/// A folder next to a database, and what is in it.
#[derive(Debug)]
pub(crate) struct FoundFolder {
    pub(crate) folder: &'static MediaFolder,
    /// The folder as messages name it.
    pub(crate) label: PathBuf,
    /// The folder on disk.
    pub(crate) path: Option<PathBuf>,
    /// In order.
    pub(crate) files: Vec<FoundFile>,
    /// Why not all files are known.
    pub(crate) error: Option<Error>,
}

/// A file in such a folder.
#[derive(Debug)]
pub(crate) struct FoundFile {
    /// With the folders that it is in, separated by `/`.
    pub(crate) name: String,
    pub(crate) contents: FileContents,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone)]
pub(crate) enum FileContents {
    /// A regular file.
    OnDisk(PathBuf),
    Member(Arc<dyn Archive>, usize),
    /// A link, a pipe, a folder that is too deep: nothing that is copied.
    Irregular,
}

/// The name of a file in a folder, both in an archive; in any letter case.
fn below<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    let (head, rest) = name.split_at_checked(folder.len())?;
    let is_in = head.to_lowercase() == folder.to_lowercase();
    rest.strip_prefix('/')
        .filter(|rest| is_in && !rest.is_empty())
}

/// The files in a folder and in the folders in it, and why a folder could not be read. Links are not followed,
/// also where the folder itself is one.
fn files_in(folder: &Path) -> (Vec<FoundFile>, Option<Error>) {
    let (mut files, mut failed) = (Vec::new(), None);
    let is_link = folder.is_symlink();
    let mut open = vec![(folder.to_path_buf(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = open.pop() {
        let names = match list_folder(&folder) {
            Ok(names) => names,
            Err(error) => {
                failed.get_or_insert(error);
                continue;
            }
        };
        for file_name in names {
            let path = folder.join(&file_name);
            let name = format!("{prefix}{}", file_name.to_string_lossy());
            let kind = fs::symlink_metadata(&path).map(|data| data.file_type());
            let contents = match kind {
                Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => {
                    open.push((path, format!("{name}/"), depth + 1));
                    continue;
                }
                Ok(kind) if kind.is_file() && !is_link && file_name.to_str().is_some() => {
                    FileContents::OnDisk(path)
                }
                Ok(_) => FileContents::Irregular,
                Err(error) => {
                    failed.get_or_insert(Error::from(error).in_path(&path));
                    continue;
                }
            };
            files.push(FoundFile { name, contents });
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    (files, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_folder_in_an_archive() {
        assert_eq!(below("Set/mega.HTML/a.jpg", "Set/mega.html"), Some("a.jpg"));
        assert_eq!(below("mega.html/b/a.jpg", "mega.html"), Some("b/a.jpg"));
        for name in [
            "mega.html",
            "mega.html/",
            "mega.htmlx/a.jpg",
            "x/mega.html/a.jpg",
            "é",
        ] {
            assert_eq!(below(name, "mega.html"), None, "{name}");
        }
    }
}
