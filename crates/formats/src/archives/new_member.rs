//! [`NewMember`]: a file that is written to an archive.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tabia_core::io::{Blob, FileIdentity, JournaledFolder, list_folder};
use tabia_core::{Error, Result};

use super::Timestamp;

/// A file to be written to an archive.
#[derive(Debug, Clone)]
pub struct NewMember {
    /// Name in the archive, folders separated by `/`.
    pub name: String,
    /// When it was last changed (UTC).
    pub modified: Option<Timestamp>,
    content: Content,
}

/// What [`NewMember::from_folder`] finds.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FolderMembers {
    /// The files to be packed, sorted by name.
    pub members: Vec<NewMember>,
    /// Paths of what cannot be packed, sorted: links to folders and to nothing, links that are not followed,
    /// pipes and devices.
    pub left_out: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
enum Content {
    /// A file, and which one it was when it was listed.
    Path(PathBuf, Option<FileIdentity>),
    Memory(Blob),
}

impl NewMember {
    /// A file on disk, with its file name as the name in the archive. The file is opened when it is
    /// written.
    pub fn from_path(path: &Path) -> Result<Self> {
        let metadata = std::fs::metadata(path).map_err(|error| Error::from(error).in_path(path))?;
        if metadata.is_dir() {
            let error = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(Error::from(error).in_path(path));
        }
        let changed = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self {
            name,
            modified: changed.and_then(|since| Timestamp::from_unix(since.as_secs() as i64)),
            content: Content::Path(path.to_path_buf(), FileIdentity::of(&metadata)),
        })
    }

    /// All files below a folder, sorted by path. Their names begin with the name of the folder. A link to a file is
    /// packed as the file it leads to if `follows` the path of the link; of a set whose replacement was interrupted,
    /// the new files are packed. Hidden files that replacements of this program leave ([`JournaledFolder`]) are left
    /// out without being named.
    ///
    /// # Errors
    /// When a folder cannot be listed, or a file is gone.
    pub fn from_folder(folder: &Path, follows: &dyn Fn(&Path) -> bool) -> Result<FolderMembers> {
        let top = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut found = FolderMembers::default();
        let mut pending = vec![(folder.to_path_buf(), top)];
        while let Some((folder, prefix)) = pending.pop() {
            let in_folder = |error| Error::from(error).in_path(&folder);
            let settled = JournaledFolder::new(&folder, list_folder(&folder)?);
            for (name, path) in settled.files {
                let name = name.to_string_lossy().into_owned();
                let name = if prefix.is_empty() {
                    name
                } else {
                    format!("{prefix}/{name}")
                };
                // Links can lead outside of the folder, or to a folder above.
                let kind = std::fs::symlink_metadata(&path).map_err(in_folder)?;
                let is_linked = || kind.is_symlink() && path.is_file() && follows(&path);
                if kind.is_dir() {
                    pending.push((path, name));
                } else if kind.is_file() || is_linked() {
                    found.members.push(Self {
                        name,
                        ..Self::from_path(&path)?
                    });
                } else {
                    found.left_out.push(path);
                }
            }
        }
        found.members.sort_by(|a, b| a.name.cmp(&b.name));
        found.left_out.sort();
        Ok(found)
    }

    /// A member whose bytes are in memory.
    pub fn from_bytes(name: impl Into<String>, bytes: Blob, modified: Option<Timestamp>) -> Self {
        Self {
            name: name.into(),
            modified,
            content: Content::Memory(bytes),
        }
    }

    /// The path of the file; `None` for one in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::Path(path, _) => Some(path),
            Content::Memory(_) => None,
        }
    }

    /// The size in bytes; 0 if the file is no longer there.
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Path(path, _) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Content::Memory(blob) => blob.len() as u64,
        }
    }

    /// The bytes of the file. What cannot be read is an error of the input.
    pub fn open(&self) -> Result<Blob> {
        match &self.content {
            Content::Path(path, _) => Blob::open(path).map_err(Error::in_input),
            Content::Memory(blob) => Ok(blob.clone()),
        }
    }

    /// The same member with its file opened, which stays as it is when it is replaced.
    pub(super) fn opened(&self) -> Result<Self> {
        Ok(Self {
            name: self.name.clone(),
            modified: self.modified,
            content: Content::Memory(self.open()?),
        })
    }

    /// Whether both have the same name and are the same unchanged file; always so in memory.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.content, &other.content) {
                (Content::Path(path, identity), Content::Path(other, now)) => {
                    path == other && identity == now
                }
                (Content::Memory(_), Content::Memory(_)) => true,
                _ => false,
            }
    }
}
