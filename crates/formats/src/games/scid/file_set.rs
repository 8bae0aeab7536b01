//! The files of a set: opening them, and the entries of the index.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Source};

use crate::games::common::realign_entries::next_to_zeros;
use crate::games::common::realign_entries::realigned_index;
use crate::games::common::scid_and_scidb_file_set::{self, SetFile, SetOpener, StoredEntry};

use super::disk_layout;
use super::entry::Entry;
use super::names::Names;
use super::read_index_header::{announced, read_header};
use super::version::Version;

/// What Scid adds to the name of a set while it compacts it.
const COMPACTED: &str = "__compact__";

pub(crate) type Entries = scid_and_scidb_file_set::Entries<Entry>;

impl StoredEntry for Entry {
    type Version = Version;

    fn length(version: Version) -> usize {
        version.entry_length()
    }

    fn read(bytes: &[u8], version: Version) -> Option<Self> {
        disk_layout::decode(version, bytes)
    }
}

/// The open files of a database with their paths in messages. A missing file is empty.
pub(crate) struct FileSet {
    pub(crate) index: Blob,
    pub(crate) names: Blob,
    pub(crate) games: Blob,
    pub(crate) index_file: Arc<Path>,
    pub(crate) names_file: Arc<Path>,
    pub(crate) games_file: Arc<Path>,
}

impl FileSet {
    /// Opens the files and reads the header of the index. What is missing or damaged is reported in
    /// `info`.
    ///
    /// # Errors
    /// For an index that cannot be read or has another header, unless the set is to be salvaged.
    pub(crate) fn open(
        version: Version,
        source: &Source,
        options: &OpenOptions,
        info: &mut DatabaseInfo,
    ) -> Result<Self> {
        let id = version.id();
        let (names, games) = version.companions();
        let extensions = [id.as_str(), names, games];
        let opener = SetOpener::new(source, options.salvage, extensions, &[COMPACTED], info);
        let SetFile {
            blob: index,
            path: index_file,
        } = opener.index(id.as_str(), info)?;
        let games = opener.companion(games, info)?;
        let names = opener.companion(names, info)?;
        if let Err(error) = read_header(version, &index, options, info) {
            let error = error.in_file(&index_file);
            if !options.salvage {
                return Err(error);
            }
            if !index.is_empty() {
                info.problems.push(error.to_string());
            }
        }
        Ok(Self {
            index,
            names: names.blob,
            games: games.blob,
            index_file,
            names_file: names.path,
            games_file: games.path,
        })
    }
}

/// As [`entries`], of an index that may have lost bytes, or got more.
pub(crate) fn entries_for_repair(
    version: Version,
    index: &Blob,
    names: &Names,
    games: &Blob,
    info: &mut DatabaseInfo,
) -> Entries {
    let is_entry = |bytes: &[u8]| {
        let Some(entry) = disk_layout::decode(version, bytes) else {
            return false;
        };
        let end = entry.blob_at.saturating_add(entry.blob_length.into());
        let ids = [entry.white, entry.event, entry.site, entry.round];
        let mut ids = (0..).zip(ids).chain([(0, entry.black)]);
        entry.blob_length > 0
            && end <= games.len() as u64
            && ids.all(|(kind, id)| id < names.count(kind) || names.count(kind) == 0)
    };
    let lengths = (version.header_length(), version.entry_length());
    let realigned = realigned_index(index, lengths.0, lengths.1, is_entry, info);
    let (index, mut changed) = realigned.unwrap_or_else(|| (index.clone(), Vec::new()));
    let stored = index.get(lengths.0..).unwrap_or_default();
    changed.extend(next_to_zeros(stored, lengths.1));
    changed.sort_unstable();
    entries(version, &index, info).with_changed(changed)
}

/// The entries of an index. What is wrong with their number is reported in `info`.
pub(crate) fn entries(version: Version, index: &Blob, info: &mut DatabaseInfo) -> Entries {
    let announced = announced(version, index);
    Entries::new(index, version.header_length(), version, announced, info)
}
