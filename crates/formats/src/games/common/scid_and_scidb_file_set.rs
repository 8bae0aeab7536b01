//! Sets of an index, a name file and a game file, as Scid and Scidb keep them: opening the files
//! and reading the entries of the index.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::Result;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Source, SourceFile, name_text};
use tabia_core::plural::counted;

/// A file of a set, empty if it is missing, and its path in messages.
pub(crate) struct SetFile {
    pub(crate) blob: Blob,
    pub(crate) path: Arc<Path>,
}

/// Opens the files of a set.
///
/// A program that compacts a database writes a set under another name, removes the old files and
/// renames the new ones. If it was stopped in between, files of both sets are there, and those of
/// the new set are complete: salvage reads them.
pub(crate) struct SetOpener<'s> {
    source: &'s Source,
    salvage: bool,
    markers: &'s [&'s str],
    /// The addition to the name of a set whose compaction was not finished.
    suffix: Option<String>,
}

impl<'s> SetOpener<'s> {
    /// An opener of files with these extensions, that of the index first. `markers` begin what
    /// programs add to the name of a set when they compact it. An unfinished compaction is reported
    /// in `info`.
    pub(crate) fn new(
        source: &'s Source,
        salvage: bool,
        extensions: [&str; 3],
        markers: &'s [&'s str],
        info: &mut DatabaseInfo,
    ) -> Self {
        let mut opener = Self {
            source,
            salvage,
            markers,
            suffix: None,
        };
        if salvage {
            opener.suffix = opener.unfinished(extensions);
        }
        if opener.suffix.is_some() {
            info.problems.push(
                "compaction was not finished: the files it made replace those that are missing"
                    .to_owned(),
            );
        }
        opener
    }

    /// Opens the index. It must exist unless the set is to be salvaged.
    pub(crate) fn index(&self, extension: &str, info: &mut DatabaseInfo) -> Result<SetFile> {
        if !self.salvage {
            return Ok(SetFile {
                blob: self.source.main().open()?,
                path: Arc::clone(self.source.label()),
            });
        }
        self.open(extension, info).map(|(file, _)| file)
    }

    /// Opens a companion of the index and lists it in `info`.
    pub(crate) fn companion(&self, extension: &str, info: &mut DatabaseInfo) -> Result<SetFile> {
        let (file, exists) = self.open(extension, info)?;
        info.companions.push((extension.to_owned(), exists));
        Ok(file)
    }

    /// Opens a file, and returns whether it exists. A missing one is reported in `info`.
    fn open(&self, extension: &str, info: &mut DatabaseInfo) -> Result<(SetFile, bool)> {
        let compacted = self
            .suffix
            .as_deref()
            .and_then(|suffix| self.compacted(suffix, extension));
        let blob = match compacted {
            Some(file) => Some(file.open()?),
            None => self.source.open_companion(extension)?,
        };
        let exists = blob.is_some();
        if !exists && !self.source.is_lost(extension) {
            let path = self.source.label_of(extension);
            info.problems
                .push(format!("{} is missing", name_text(path.as_os_str())));
        }
        let file = SetFile {
            blob: blob.unwrap_or_else(|| Blob::from(Vec::new())),
            path: match compacted.and_then(SourceFile::path) {
                Some(path) => Arc::from(path),
                None => self.source.label_of(extension),
            },
        };
        Ok((file, exists))
    }

    /// The suffix of a compacted set, if a file of the old set is gone.
    fn unfinished(&self, extensions: [&str; 3]) -> Option<String> {
        let is_there = |extension: &str| self.source.companion(extension).is_some();
        if extensions.into_iter().all(is_there) {
            return None;
        }
        let base = self.base();
        self.source.siblings().iter().find_map(|file| {
            let name = file.name.to_lowercase();
            let (stem, extension) = name.rsplit_once('.')?;
            let suffix = stem.strip_prefix(&base)?;
            let is_compacted = self.markers.iter().any(|marker| suffix.starts_with(marker));
            (is_compacted && extensions.contains(&extension)).then(|| suffix.to_owned())
        })
    }

    /// The file of a compacted set.
    fn compacted(&self, suffix: &str, extension: &str) -> Option<&'s SourceFile> {
        let wanted = format!("{}{suffix}.{extension}", self.base());
        let mut files = self.source.siblings().iter();
        files.find(|file| file.name.to_lowercase() == wanted)
    }

    /// The name of the set without its extension and without what a compaction adds, in lower case.
    fn base(&self) -> String {
        let name = self.source.name().to_lowercase();
        let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
        let end = self
            .markers
            .iter()
            .filter_map(|marker| stem.find(marker))
            .min()
            .unwrap_or(stem.len());
        stem.get(..end).unwrap_or_default().to_owned()
    }
}

/// An entry of an index file.
pub(crate) trait StoredEntry: Sized {
    /// The version of the database, which determines how entries are stored.
    type Version: Copy + Debug;

    /// Bytes of an entry.
    fn length(version: Self::Version) -> usize;

    /// Reads an entry. `None` if the bytes are too short.
    fn read(bytes: &[u8], version: Self::Version) -> Option<Self>;
}

/// The complete entries of an index file.
#[derive(Debug)]
pub(crate) struct Entries<E: StoredEntry> {
    bytes: Blob,
    /// Offset of the first entry in the file.
    first: usize,
    version: E::Version,
    len: u32,
    announced: Option<u32>,
    /// The entries into which bytes were inserted, or that lost some, in ascending order.
    changed: Vec<u32>,
    entry: PhantomData<fn() -> E>,
}

impl<E: StoredEntry> Entries<E> {
    /// The same entries, of which those with these numbers were hit by inserted or lost bytes.
    pub(crate) fn with_changed(self, changed: Vec<u32>) -> Self {
        Self { changed, ..self }
    }

    /// Whether bytes were inserted into an entry or lost from it.
    pub(crate) fn is_changed(&self, game: u32) -> bool {
        self.changed.binary_search(&game).is_ok()
    }

    /// The entries after a header of that length, which announces `announced` games. Entries that
    /// are cut or not announced are reported in `info`.
    pub(crate) fn new(
        index: &Blob,
        header_length: usize,
        version: E::Version,
        announced: Option<u32>,
        info: &mut DatabaseInfo,
    ) -> Self {
        let length = E::length(version);
        let left = index.len().saturating_sub(header_length);
        let len = u32::try_from(left / length).unwrap_or(u32::MAX);
        if !left.is_multiple_of(length) {
            info.problems.push(format!(
                "the index ends inside an entry: {}",
                counted(left % length, "byte is left over", "bytes are left over")
            ));
        }
        if let Some(announced) = announced.filter(|&announced| announced != len) {
            info.problems.push(format!(
                "the header states {}, the index has {}",
                counted(announced, "game", "games"),
                counted(len, "entry", "entries")
            ));
        }
        let bytes = index
            .part(header_length, len as usize * length)
            .unwrap_or_else(|| Blob::from(Vec::new()));
        Self {
            bytes,
            first: header_length,
            version,
            len,
            announced,
            changed: Vec::new(),
            entry: PhantomData,
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// The number of games that the header announces. `None` if it announces none or is lost.
    pub(crate) const fn announced(&self) -> Option<u32> {
        self.announced
    }

    /// The entry of a game. `None` from [`Self::len`] on.
    pub(crate) fn get(&self, game: u32) -> Option<E> {
        self.read(self.bytes(game)?)
    }

    /// The entry that bytes of the index are.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<E> {
        E::read(bytes, self.version)
    }

    /// Offset of the entry of a game in the file.
    pub(crate) fn offset(&self, game: u32) -> u64 {
        let length = E::length(self.version);
        (self.first as u64).saturating_add(u64::from(game).saturating_mul(length as u64))
    }

    /// The bytes of the entry of a game.
    pub(crate) fn bytes(&self, game: u32) -> Option<&[u8]> {
        let length = E::length(self.version);
        let at = (game as usize).checked_mul(length)?;
        self.bytes.get(at..at.checked_add(length)?)
    }
}
