//! Making archives.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use tabia_core::io::{Blob, OutputSet, Progress};
use tabia_core::{Error, ErrorKind, Result};

use super::{ARCHIVES, ArchiveFormat, Stamp, safe_name};

/// Bytes of the longest name; no system has longer paths.
const LONGEST_NAME: usize = 0x7fff;

/// A file that goes into an archive.
#[derive(Debug, Clone)]
pub struct NewMember {
    /// Name in the archive, folders separated by `/`.
    pub name: String,
    /// When it was last changed (UTC).
    pub modified: Option<Stamp>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Path(PathBuf),
    Memory(Blob),
}

impl NewMember {
    /// A file on disk, under its own name. It is opened when its turn comes.
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
            modified: changed.and_then(|since| Stamp::from_unix(since.as_secs() as i64)),
            content: Content::Path(path.to_path_buf()),
        })
    }

    /// Every file below a folder, sorted by path, named with the folder's own name before.
    pub fn from_folder(folder: &Path) -> Result<Vec<Self>> {
        let top = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut members = Vec::new();
        let mut waiting = vec![(folder.to_path_buf(), top)];
        while let Some((folder, prefix)) = waiting.pop() {
            let in_folder = |error| Error::from(error).in_path(&folder);
            for entry in std::fs::read_dir(&folder).map_err(in_folder)? {
                let entry = entry.map_err(in_folder)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let name = if prefix.is_empty() {
                    name
                } else {
                    format!("{prefix}/{name}")
                };
                // Links are left out: they may lead anywhere, also back.
                let kind = entry.file_type().map_err(in_folder)?;
                if kind.is_dir() {
                    waiting.push((entry.path(), name));
                } else if kind.is_file() {
                    members.push(Self {
                        name,
                        ..Self::from_path(&entry.path())?
                    });
                }
            }
        }
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(members)
    }

    /// Bytes in memory.
    pub fn from_bytes(name: impl Into<String>, bytes: Blob, modified: Option<Stamp>) -> Self {
        Self {
            name: name.into(),
            modified,
            content: Content::Memory(bytes),
        }
    }

    /// Its bytes.
    pub fn open(&self) -> Result<Blob> {
        match &self.content {
            Content::Path(path) => Blob::open(path),
            Content::Memory(blob) => Ok(blob.clone()),
        }
    }
}

/// How members are packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Packing {
    /// What the format does best.
    #[default]
    Best,
    /// Not at all.
    Stored,
    /// Deflate, where the format has it.
    Zlib,
    /// LZO, where the format has it.
    Lzo,
}

/// How to make an archive.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CreateOptions {
    /// An existing archive is replaced.
    pub force: bool,
    /// How members are packed.
    pub packing: Packing,
    /// Password of the formats that have one.
    pub password: Option<String>,
    /// Number of games inside, where the format states it.
    pub games: Option<u64>,
    /// Where the work can be stopped.
    pub progress: Option<Arc<Progress>>,
}

impl CreateOptions {
    /// An error of kind [`ErrorKind::Cancelled`] when the work should stop.
    pub fn check(&self) -> Result<()> {
        self.progress
            .as_ref()
            .map_or(Ok(()), |progress| progress.check())
    }
}

/// Where an archive is written to.
pub trait WriteSeek: Write + Seek {}

impl<T: Write + Seek> WriteSeek for T {}

/// The archive format that a file name asks for.
pub fn format_of_name(name: &str) -> Option<&'static ArchiveFormat> {
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    ARCHIVES
        .iter()
        .copied()
        .find(|format| format.file.extensions.contains(&extension.as_str()))
}

/// Makes an archive of `members`; it appears complete or not at all. Returns its size in bytes.
///
/// # Errors
/// [`ErrorKind::Exists`]; names that [`safe_name`] refuses or that are there twice (whatever their
/// letter case); what the format cannot hold.
pub fn create(
    format: &ArchiveFormat,
    target: &Path,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<u64> {
    let Some(write) = format.create else {
        let name = format.file.name;
        return Err(Error::unsupported(format!("a {name} cannot be made")).in_path(target));
    };
    let mut names = std::collections::BTreeSet::new();
    for member in members {
        let path = safe_name(&member.name).map_err(|error| error.in_path(target))?;
        if member.name.len() > LONGEST_NAME {
            return Err(Error::invalid("a member has too long a name").in_path(target));
        }
        if !names.insert(path.to_string_lossy().to_lowercase()) {
            let text = format!("two members have the name {}", member.name);
            return Err(Error::invalid(text).in_path(target));
        }
    }
    let mut set = OutputSet::new(options.force);
    let number = set.create(target)?;
    let missing = || Error::new(ErrorKind::MissingFile(target.display().to_string()));
    let output = set.file(number).ok_or_else(missing)?;
    write(output, members, options).map_err(|error| error.in_path(target))?;
    let (_, bytes) = set.commit()?;
    Ok(bytes)
}
