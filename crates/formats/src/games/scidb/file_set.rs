//! The files of a set: opening them, and the entries of the index.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::Result;
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Cursor, Source};

use crate::games::common::realign_entries::next_to_zeros;
use crate::games::common::realign_entries::realigned_index;
use crate::games::common::salvage::is_for_repair;
use crate::games::common::scid_and_scidb_file_set::{self, SetFile, SetOpener, StoredEntry};

use super::entry::{ENTRY_LENGTH, Entry, HEADER_LENGTH};
use super::format_identity::{ID, VERSION};
use super::index_header::{Header, read_header, version_of};
use super::legacy_entries;

/// What programs add to the name of a set while they compact or replace it.
const MARKERS: [&str; 3] = ["__compact__", ".compact", ".partial-"];

pub(crate) type Entries = scid_and_scidb_file_set::Entries<Entry>;

impl StoredEntry for Entry {
    type Version = u16;

    fn length(_version: u16) -> usize {
        ENTRY_LENGTH
    }

    fn read(bytes: &[u8], version: u16) -> Option<Self> {
        legacy_entries::read(bytes, version).ok()
    }
}

/// The open files of a database with their paths in messages. A missing file is empty.
pub(crate) struct FileSet {
    pub(crate) header: Header,
    pub(crate) entries: Entries,
    pub(crate) names: Blob,
    pub(crate) games: Blob,
    pub(crate) index_file: Arc<Path>,
    pub(crate) names_file: Arc<Path>,
    pub(crate) games_file: Arc<Path>,
}

/// Whether an entry has a possible date and a record of the game file begins where it leads to.
fn leads_to_record(entry: &Entry, games: &[u8]) -> bool {
    let record = games.get(entry.record_at as usize..).unwrap_or_default();
    let length = Cursor::new(record).u24_be("length").unwrap_or(0) as usize;
    length > 3 && length <= record.len() && entry.month <= 12 && entry.day <= 31
}

impl FileSet {
    /// Opens the files and reads the header of the index. What is missing or damaged is reported in
    /// `info`.
    ///
    /// # Errors
    /// For an index that cannot be read or has another header, unless the set is to be salvaged.
    pub(crate) fn open(
        source: &Source,
        options: &OpenOptions,
        info: &mut DatabaseInfo,
    ) -> Result<Self> {
        let extensions = [ID.as_str(), "scn", "scg"];
        let opener = SetOpener::new(source, options.salvage, extensions, &MARKERS, info);
        let SetFile {
            blob: index,
            path: index_file,
        } = opener.index(ID.as_str(), info)?;
        let games = opener.companion("scg", info)?;
        let names = opener.companion("scn", info)?;
        let header = match read_header(&index, options) {
            Ok(header) => header,
            Err(error) => {
                let error = error.in_file(&index_file);
                if !options.salvage {
                    return Err(error);
                }
                if !index.is_empty() {
                    info.problems.push(error.to_string());
                }
                let version = version_of(&games.blob).or(version_of(&names.blob));
                Header {
                    version: version.unwrap_or(VERSION),
                    games: None,
                    variant: 0,
                    facts: Vec::new(),
                    title: None,
                }
            }
        };
        info.version = format!("Scidb, version {}", header.version);
        info.title.clone_from(&header.title);
        info.facts.clone_from(&header.facts);
        let realigned = if is_for_repair(options)? {
            let is_entry = |bytes: &[u8]| {
                let entry = <Entry as StoredEntry>::read(bytes, header.version);
                entry.is_some_and(|entry| leads_to_record(&entry, &games.blob))
            };
            let length = <Entry as StoredEntry>::length(header.version);
            realigned_index(&index, HEADER_LENGTH, length, is_entry, info)
        } else {
            None
        };
        let (index, mut changed) = realigned.unwrap_or((index, Vec::new()));
        if is_for_repair(options)? {
            let stored = index.get(HEADER_LENGTH..).unwrap_or_default();
            let length = <Entry as StoredEntry>::length(header.version);
            changed.extend(next_to_zeros(stored, length));
            changed.sort_unstable();
        }
        let entries = Entries::new(&index, HEADER_LENGTH, header.version, header.games, info);
        let entries = entries.with_changed(changed);
        Ok(Self {
            header,
            entries,
            names: names.blob,
            games: games.blob,
            index_file,
            names_file: names.path,
            games_file: games.path,
        })
    }
}
