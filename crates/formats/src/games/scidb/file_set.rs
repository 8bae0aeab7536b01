//! The files of a set: opening them, the header of the index, and its entries.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Cursor, Source, decode};

use crate::games::common::file_set::{self, SetFile, SetOpener, StoredEntry};

use super::code_tables;
use super::entry::{ENTRY_LENGTH, Entry, HEADER_LENGTH};
use super::format_identity::{ID, MAGIC, OLDEST, SECTIONS_SINCE, VERSION};
use super::legacy_entries;

/// What programs add to the name of a set while they compact or replace it.
const MARKERS: [&str; 3] = ["__compact__", ".compact", ".partial-"];

pub(crate) type Entries = file_set::Entries<Entry>;

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

/// The header of the index.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) version: u16,
    /// The number of games; `None` if the header is lost.
    games: Option<u32>,
    /// An index into `code_tables::VARIANTS`.
    pub(crate) variant: u8,
    facts: Vec<(String, String)>,
    title: Option<String>,
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
        let entries = Entries::new(&index, HEADER_LENGTH, header.version, header.games, info);
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

/// The version after the magic of a file of the set. `None` if it is not supported.
fn version_of(file: &[u8]) -> Option<u16> {
    let mut cursor = Cursor::new(file);
    let magic: [u8; 8] = cursor.array("magic").ok()?;
    let version = cursor.u16_be("version").ok()?;
    let is_known = magic.starts_with(b"Scidb.") && (OLDEST..=VERSION).contains(&version);
    is_known.then_some(version)
}

fn read_header(file: &[u8], options: &OpenOptions) -> Result<Header> {
    let wrong = |why: String| Error::new(ErrorKind::WrongFormat { expected: ID, why });
    let mut cursor = Cursor::new(file);
    if cursor.array("magic") != Ok(MAGIC) {
        return Err(wrong("it does not begin with \"Scidb.i\"".to_owned()));
    }
    let version = cursor.u16_be("version")?;
    if !(OLDEST..=VERSION).contains(&version) {
        return Err(Error::unsupported(format!(
            "version {version} of Scidb's databases is not read, only {OLDEST} to {VERSION}"
        )));
    }
    let games = cursor.u24_be("games")?;
    let has_all = version >= SECTIONS_SINCE;
    let variant = if has_all { cursor.u8("variant")? } else { 0 };
    let kind = cursor.u8("type")?;
    let flags = if has_all { cursor.u8("flags")? } else { 0 };
    let created = cursor.u32_be("created")?;
    let rest = file.get(cursor.offset()..HEADER_LENGTH).unwrap_or_default();
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    let title = decode(rest.get(..end).unwrap_or_default(), options.charset).into_owned();
    let mut facts = Vec::new();
    let mut fact = |key: &str, value: String| facts.push((key.to_owned(), value));
    if let Some(name) = code_tables::text(&code_tables::VARIANTS, variant) {
        fact("variant", name.to_owned());
    }
    if kind != 0 {
        fact("scidbType", kind.to_string());
    }
    if flags & 1 != 0 {
        fact("compact", "1".to_owned());
    }
    if created != 0 {
        fact("created", created.to_string());
    }
    Ok(Header {
        version,
        games: Some(games),
        variant,
        facts,
        title: Some(title).filter(|title| !title.is_empty()),
    })
}
