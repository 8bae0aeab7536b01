//! Databases inside archives that are too large for memory.

use std::io;

use tabia_core::io::{Blob, Source, TemporaryFile};
use tabia_core::{Error, ErrorKind, Result};
use tabia_formats::archives::{Archive, OnError, database_members};

/// A member and the other members of its set, unpacked into files that have no name where the system
/// allows it, so that they are gone when the process ends, however that happens.
pub(crate) fn source(archive: &dyn Archive, index: usize) -> Result<(Source, Vec<Error>)> {
    let member = &archive.contents().member(index)?.name;
    let mut main = "";
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for (i, name) in database_members(archive, index)? {
        if i == index {
            main = name;
        }
        let on_error = OnError::collect();
        match unpacked(archive, i, &on_error) {
            Ok(blob) => files.push((name.to_owned(), blob)),
            Err(error) if i == index || is_temporary_file(&error) => return Err(error),
            Err(error) => problems.push(error),
        }
        problems.extend(on_error.take());
    }
    let label = format!("{}:{member}", archive.info().label.display());
    Ok((Source::from_members(label, main, files)?, problems))
}

fn unpacked(archive: &dyn Archive, index: usize, on_error: &OnError) -> Result<Blob> {
    let mut stream = archive.stream(index, on_error)?;
    let mut file = TemporaryFile::new()?;
    io::copy(&mut stream, &mut file)?;
    file.map()
}

/// Whether the temporary file failed, not the archive.
fn is_temporary_file(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::TemporaryFile(_))
}
