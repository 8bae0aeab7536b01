//! The files of a set: which there are, and what the index has before its rows.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::{Blob, Cursor, Source, SourceFile, decode};

use super::code_tables;
use super::entry::{Entry, HEADER, ROW};
use super::version::{ID, MAGIC, OLDEST, SECTIONS_SINCE, VERSION};

/// The open files of a database with the names that messages call them by. A missing file is
/// empty.
pub(crate) struct Set {
    pub(crate) header: Header,
    pub(crate) names: Blob,
    pub(crate) games: Blob,
    pub(crate) rows: Rows,
    pub(crate) index_file: Arc<Path>,
    pub(crate) names_file: Arc<Path>,
    pub(crate) games_file: Arc<Path>,
}

/// What stands before the rows.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) version: u16,
    /// How many games there should be; `None` when the header is lost.
    pub(crate) games: Option<u32>,
    /// An index into `code_tables::VARIANTS`.
    pub(crate) variant: u8,
    facts: Vec<(String, String)>,
    title: Option<String>,
}

/// The rows of an index, whole ones only.
#[derive(Debug)]
pub(crate) struct Rows {
    entries: Blob,
    version: u16,
    pub(crate) len: u32,
}

impl Rows {
    /// The row of a game; `None` when there is none.
    pub(crate) fn get(&self, game: u32) -> Option<Entry> {
        Entry::read(self.bytes(game), self.version).ok()
    }

    /// The row of a game as stored; nothing when there is none.
    pub(crate) fn bytes(&self, game: u32) -> &[u8] {
        let at = (game as usize).saturating_mul(ROW);
        let end = at.saturating_add(ROW);
        self.entries.get(at..end).unwrap_or_default()
    }
}

impl Set {
    /// Opens what there is and reads the header; what is missing is told in the info. Only an index
    /// that is none is an error, and not even that when the rest is to be saved.
    pub(crate) fn open(
        source: &Source,
        options: &OpenOptions,
        info: &mut DatabaseInfo,
    ) -> Result<Self> {
        let suffix = if options.salvage {
            unfinished(source)
        } else {
            None
        };
        if suffix.is_some() {
            info.problems.push(
                "compaction was not finished: the files it made stand for those that are missing"
                    .to_owned(),
            );
        }
        let mut open = |extension: &str, is_main: bool| -> Result<(Blob, Arc<Path>)> {
            let label = source.label_of(extension);
            let new = suffix
                .as_deref()
                .and_then(|suffix| file_of(source, suffix, extension));
            let blob = match new.or_else(|| source.companion(extension)) {
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
            let label = match new.and_then(SourceFile::path) {
                Some(path) => Arc::from(path),
                None if is_main && !options.salvage => Arc::clone(source.label()),
                None => label,
            };
            Ok((blob.unwrap_or_else(|| Blob::from(Vec::new())), label))
        };
        let (index, index_file) = open(ID.as_str(), true)?;
        let (games, games_file) = open("scg", false)?;
        let (names, names_file) = open("scn", false)?;
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
                Header {
                    version: version_of(&games).or(version_of(&names)).unwrap_or(VERSION),
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
        let rows = rows(&index, &header, info);
        Ok(Self {
            header,
            names,
            games,
            rows,
            index_file,
            names_file,
            games_file,
        })
    }
}

/// The rows of the index; says what does not add up.
fn rows(index: &Blob, header: &Header, info: &mut DatabaseInfo) -> Rows {
    let left = index.len().saturating_sub(HEADER);
    let whole = u32::try_from(left / ROW).unwrap_or(u32::MAX);
    if !left.is_multiple_of(ROW) {
        info.problems.push(format!(
            "the index ends inside a row: {} bytes are left over",
            left % ROW
        ));
    }
    if let Some(announced) = header.games.filter(|&announced| announced != whole) {
        info.problems.push(format!(
            "the index announces {announced} games and has rows of {whole}"
        ));
    }
    let entries = index
        .part(HEADER, whole as usize * ROW)
        .unwrap_or_else(|| Blob::from(Vec::new()));
    Rows {
        entries,
        version: header.version,
        len: whole,
    }
}

/// The version that a file of the set states behind its magic, if it is one that is read.
fn version_of(file: &[u8]) -> Option<u16> {
    let mut cursor = Cursor::new(file);
    let magic: [u8; 8] = cursor.array("magic").ok()?;
    let version = cursor.u16_be("version").ok()?;
    let is_known = magic.starts_with(b"Scidb.") && (OLDEST..=VERSION).contains(&version);
    is_known.then_some(version)
}

/// What programs add to the name of a set that is to take the place of another one.
const MARKS: [&str; 3] = ["__compact__", ".compact", ".partial-"];

/// The rest of the name of a new set beside the old one, when one of the old files is gone: the new
/// one was whole before the old was touched.
fn unfinished(source: &Source) -> Option<String> {
    let all = [ID.as_str(), "scn", "scg"];
    if all
        .iter()
        .all(|extension| source.companion(extension).is_some())
    {
        return None;
    }
    let base = base(source);
    source.siblings().iter().find_map(|file| {
        let name = file.name.to_lowercase();
        let (stem, extension) = name.rsplit_once('.')?;
        let suffix = stem.strip_prefix(&base)?;
        let is_new = MARKS.iter().any(|mark| suffix.starts_with(mark));
        (is_new && all.contains(&extension)).then(|| suffix.to_owned())
    })
}

fn file_of<'s>(source: &'s Source, suffix: &str, extension: &str) -> Option<&'s SourceFile> {
    let wanted = format!("{}{suffix}.{extension}", base(source));
    let mut files = source.siblings().iter();
    files.find(|file| file.name.to_lowercase() == wanted)
}

fn base(source: &Source) -> String {
    let name = source.name().to_lowercase();
    let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
    let end = MARKS
        .iter()
        .filter_map(|mark| stem.find(mark))
        .min()
        .unwrap_or(stem.len());
    stem.get(..end).unwrap_or_default().to_owned()
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
    let rest = file.get(cursor.offset()..HEADER).unwrap_or_default();
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
