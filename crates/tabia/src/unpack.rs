//! Databases inside archives that are too large for memory.

use std::io;
use std::path::Path;

use tabia_core::io::{Blob, Source};
use tabia_core::{Error, ErrorKind, Result};
use tabia_formats::archives::{Archive, Faults};

use crate::temporary_files;

/// A member and the other members of its set, unpacked into files that have no name where the system
/// allows it, so that they are gone when the process ends, however that happens.
pub(crate) fn source(archive: &dyn Archive, index: usize) -> Result<(Source, Vec<Error>)> {
    let missing = || Error::new(ErrorKind::MissingFile(format!("number {index}")));
    let member = archive.members().get(index).ok_or_else(missing)?;
    let (folder, main) = split(&member.name);
    let base = base_name(main).to_lowercase();
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for (i, other) in archive.members().iter().enumerate() {
        let (its_folder, name) = split(&other.name);
        if its_folder != folder || !name.to_lowercase().starts_with(&base) {
            continue;
        }
        let policy = Faults::note();
        match unpacked(archive, i, &policy) {
            Ok(blob) => files.push((name.to_owned(), blob)),
            Err(error) if i == index => return Err(error),
            Err(error) => problems.push(error),
        }
        problems.extend(policy.take());
    }
    let label = format!("{}:{}", archive.info().label.display(), member.name);
    Ok((Source::from_members(label, main, files)?, problems))
}

fn unpacked(archive: &dyn Archive, index: usize, policy: &Faults) -> Result<Blob> {
    let mut stream = archive.stream(index, policy)?;
    let mut file = temporary_files::file()?;
    io::copy(&mut stream, &mut file)?;
    Blob::of_file(&file)
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

fn base_name(name: &str) -> &str {
    Path::new(name)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or(name)
}
