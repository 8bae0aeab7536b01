//! The header of the index: version, number of games, variant, and the description of a database.

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::io::{Cursor, decode};

use super::code_tables;
use super::entry::HEADER_LENGTH;
use super::format_identity::{ID, MAGIC, OLDEST, SECTIONS_SINCE, VERSION};

/// The header of the index.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) version: u16,
    /// The number of games; `None` if the header is lost.
    pub(super) games: Option<u32>,
    /// An index into `code_tables::VARIANTS`.
    pub(crate) variant: u8,
    pub(super) facts: Vec<(String, String)>,
    pub(super) title: Option<String>,
}

/// The version after the magic of a file of the set. `None` if it is not supported.
pub(super) fn version_of(file: &[u8]) -> Option<u16> {
    let mut cursor = Cursor::new(file);
    let magic: [u8; 8] = cursor.array("magic").ok()?;
    let version = cursor.u16_be("version").ok()?;
    let is_known = magic.starts_with(b"Scidb.") && (OLDEST..=VERSION).contains(&version);
    is_known.then_some(version)
}

/// Reads the header of an index.
///
/// # Errors
/// For a header of another format or version, and one that is cut off.
pub(super) fn read_header(file: &[u8], options: &OpenOptions) -> Result<Header> {
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
