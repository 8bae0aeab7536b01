//! The files of a set: opening them, the header of the index, and its entries.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Source, decode};
use zerocopy::FromBytes;

use crate::games::common::file_set::{self, SetFile, SetOpener, StoredEntry};

use super::disk_layout;
use super::entry::{Entry, Version};

/// What Scid adds to the name of a set while it compacts it.
const COMPACTED: &str = "__compact__";

pub(crate) type Entries = file_set::Entries<Entry>;

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

/// The entries of an index. What is wrong with their number is reported in `info`.
pub(crate) fn entries(version: Version, index: &Blob, info: &mut DatabaseInfo) -> Entries {
    let announced = announced(version, index);
    Entries::new(index, version.header_length(), version, announced, info)
}

/// The number of games in the header of si3 and si4. `None` if it is another header.
fn announced(version: Version, index: &[u8]) -> Option<u32> {
    if version == Version::V5 {
        return None;
    }
    let (header, _) = disk_layout::FileHeader::ref_from_prefix(index).ok()?;
    (header.magic == disk_layout::MAGIC).then(|| disk_layout::u24(header.games))
}

/// Reads the header of the index, which si5 does not have.
fn read_header(
    version: Version,
    file: &[u8],
    options: &OpenOptions,
    info: &mut DatabaseInfo,
) -> Result<()> {
    let number = match version {
        Version::V3 => 300,
        Version::V4 => 400,
        Version::V5 => return Ok(()),
    };
    let wrong = |why: String| {
        let expected = version.id();
        Error::new(ErrorKind::WrongFormat { expected, why })
    };
    let Ok((header, rest)) = disk_layout::FileHeader::ref_from_prefix(file) else {
        return Err(wrong("the file is shorter than its header".to_owned()));
    };
    if header.magic != disk_layout::MAGIC {
        return Err(wrong("it does not begin with \"Scid.si\"".to_owned()));
    }
    if header.version.get() != number {
        return Err(wrong(format!("its version is {}", header.version)));
    }
    let text = |bytes: &[u8]| {
        let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
        decode(bytes.get(..end).unwrap_or_default(), options.charset).into_owned()
    };
    info.title = Some(text(&header.description)).filter(|title| !title.is_empty());
    let mut fact = |key: &str, value: String| info.facts.push((key.to_owned(), value));
    if header.base_type.get() != 0 {
        fact("type", header.base_type.to_string());
    }
    fact("autoload", disk_layout::u24(header.autoload).to_string());
    if version == Version::V4 {
        let Ok((flags, _)) = disk_layout::FlagNames::ref_from_prefix(rest) else {
            return Err(wrong("the file is shorter than its header".to_owned()));
        };
        for (number, name) in (1..).zip(flags) {
            let name = text(name);
            if !name.is_empty() {
                fact(&format!("flag{number}"), name);
            }
        }
    }
    Ok(())
}
