//! The files of a set: which there are, and what the index has before its rows.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Source, SourceFile, decode};
use zerocopy::FromBytes;

use super::disk_layout;
use super::entry::{Entry, Version};

/// What Scid calls the set it compacts into, before it takes the place of the old one.
const COMPACTED: &str = "__compact__";

/// The open files of a database with the names that messages call them by. A missing file is
/// empty.
pub(crate) struct Set {
    pub(crate) index: Blob,
    pub(crate) names: Blob,
    pub(crate) games: Blob,
    pub(crate) index_file: Arc<Path>,
    pub(crate) names_file: Arc<Path>,
    pub(crate) games_file: Arc<Path>,
}

impl Set {
    /// Opens what there is and reads the header; what is missing is told in the info.
    pub(crate) fn open(
        version: Version,
        source: &Source,
        options: &OpenOptions,
        info: &mut DatabaseInfo,
    ) -> Result<Self> {
        let (names_extension, games_extension) = version.companions();
        let is_half_compacted = options.salvage && is_half_compacted(version, source);
        if is_half_compacted {
            info.problems.push(
                "compaction was not finished: the files it made stand for those that are missing"
                    .to_owned(),
            );
        }
        let mut open = |extension: &str, is_main: bool| -> Result<(Blob, Arc<Path>)> {
            let label = source.label_of(extension);
            let compacted = is_half_compacted
                .then(|| compacted(source, extension))
                .flatten();
            let file = compacted.or_else(|| source.companion(extension));
            let blob = match file {
                _ if is_main && !options.salvage => Some(source.main().open()?),
                Some(file) => Some(file.open()?),
                None if is_main => None,
                None => source.open_companion(extension)?,
            };
            if !is_main {
                info.companions.push((extension.to_owned(), blob.is_some()));
            }
            if blob.is_none() {
                info.problems
                    .push(format!("{} is missing", label.display()));
            }
            let path = compacted.and_then(SourceFile::path);
            let label = match path {
                Some(path) => Arc::from(path),
                None if is_main && !options.salvage => Arc::clone(source.label()),
                None => label,
            };
            Ok((blob.unwrap_or_else(|| Blob::from(Vec::new())), label))
        };
        let (index, index_file) = open(version.id().as_str(), true)?;
        let (games, games_file) = open(games_extension, false)?;
        let (names, names_file) = open(names_extension, false)?;
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
            names,
            games,
            index_file,
            names_file,
            games_file,
        })
    }

    /// The rows of the index; says what does not add up.
    pub(crate) fn rows(&self, version: Version, info: &mut DatabaseInfo) -> Rows {
        let header = version.header_length();
        let length = version.entry_length();
        let left = self.index.len().saturating_sub(header);
        let whole = u32::try_from(left / length).unwrap_or(u32::MAX);
        if !left.is_multiple_of(length) {
            info.problems.push(format!(
                "the index ends inside an entry: {} bytes are left over",
                left % length
            ));
        }
        let announced = announced(version, &self.index);
        if let Some(announced) = announced.filter(|&announced| announced != whole) {
            info.problems.push(format!(
                "the index announces {announced} games and has entries of {whole}"
            ));
        }
        let entries = self
            .index
            .part(header, whole as usize * length)
            .unwrap_or_else(|| Blob::from(Vec::new()));
        Rows {
            entries,
            len: whole,
            announced,
        }
    }
}

/// The rows of an index, whole ones only.
#[derive(Debug)]
pub(crate) struct Rows {
    entries: Blob,
    pub(crate) len: u32,
    /// How many there should be, where the header says it.
    pub(crate) announced: Option<u32>,
}

impl Rows {
    /// The row of a game; `None` when there is none.
    pub(crate) fn get(&self, version: Version, game: u32) -> Option<Entry> {
        disk_layout::decode(version, self.bytes(version, game)?)
    }

    /// The row of a game as stored.
    pub(crate) fn bytes(&self, version: Version, game: u32) -> Option<&[u8]> {
        let length = version.entry_length();
        let at = (game as usize).checked_mul(length)?;
        self.entries.get(at..at.checked_add(length)?)
    }
}

/// The number of games in the header of si3 and si4, if it is one.
fn announced(version: Version, index: &[u8]) -> Option<u32> {
    if version == Version::V5 {
        return None;
    }
    let (header, _) = disk_layout::FileHeader::ref_from_prefix(index).ok()?;
    (header.magic == disk_layout::MAGIC).then(|| disk_layout::u24(header.games))
}

/// Scid compacts into a set of another name, removes the old files, and gives the new ones their
/// names; when it is stopped between, files of both are there, and those of the new one are whole.
fn is_half_compacted(version: Version, source: &Source) -> bool {
    let (names, games) = version.companions();
    let id = version.id();
    let all = [id.as_str(), names, games];
    all.iter()
        .any(|extension| source.companion(extension).is_none())
        && all
            .iter()
            .any(|extension| compacted(source, extension).is_some())
}

fn compacted<'s>(source: &'s Source, extension: &str) -> Option<&'s SourceFile> {
    let base = source.name().rsplit_once('.').map_or("", |(base, _)| base);
    let wanted = format!("{}{COMPACTED}.{extension}", base.to_lowercase());
    let mut files = source.siblings().iter();
    files.find(|file| file.name.to_lowercase() == wanted)
}

/// Reads what stands before the entries.
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
