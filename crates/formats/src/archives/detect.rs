//! Detection of archive formats.

#[cfg(doc)]
use tabia_core::ErrorKind;
use tabia_core::Result;
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::io::Source;

use super::{Archive, ArchiveFormat};
use crate::ARCHIVES;

/// Opens `source` as an archive; `None` if it is not an archive.
///
/// # Errors
/// [`ErrorKind::Password`] if it needs a password or another password; otherwise the reason why it
/// cannot be read.
pub fn open_archive(source: &Source, options: &OpenOptions) -> Result<Option<Box<dyn Archive>>> {
    let bytes = source.main().open()?;
    let probe = Probe {
        name: Some(source.name()),
        head: bytes.get(..Probe::HEAD).unwrap_or(&bytes),
        len: Some(bytes.len() as u64),
    };
    match detect(&probe) {
        Some(format) => (format.open)(source, options)
            .map(Some)
            .map_err(|error| error.in_file(source.label())),
        None => Ok(None),
    }
}

/// The archive format with the highest score; `None` if no format matches.
pub fn detect(probe: &Probe<'_>) -> Option<&'static ArchiveFormat> {
    let scored = ARCHIVES
        .iter()
        .map(|format| ((format.file.score)(probe), *format))
        .filter(|(score, _)| *score > Confidence::No);
    scored
        .max_by_key(|(score, _)| *score)
        .map(|(_, format)| format)
}
