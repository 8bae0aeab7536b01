//! The header of the index: the description of a database, and the number of its games.

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::DatabaseInfo;
use tabia_core::io::decode;
use zerocopy::FromBytes;

use super::disk_layout;
use super::version::Version;

/// Reads the header of the index, which si5 does not have, into `info`.
///
/// # Errors
/// For a header of another format or version.
pub(super) fn read_header(
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

/// The number of games in the header of si3 and si4. `None` if it is another header.
pub(super) fn announced(version: Version, index: &[u8]) -> Option<u32> {
    if version == Version::V5 {
        return None;
    }
    let (header, _) = disk_layout::FileHeader::ref_from_prefix(index).ok()?;
    (header.magic == disk_layout::MAGIC).then(|| disk_layout::u24(header.games))
}
