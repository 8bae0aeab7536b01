//! Extracting files from archives.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use tabia_core::io::{OutputSet, Progress};
use tabia_core::{Error, ErrorKind, Result};

use super::{Archive, OnError, read_member, safe_name};

/// The most files that are written before they are renamed to their names: all of these are open.
const BATCH: usize = 200;

/// The result of [`extract`].
#[derive(Debug, Default)]
pub struct Extracted {
    /// The files written, in the order of the members.
    pub files: Vec<PathBuf>,
    /// The total size of the files, in bytes.
    pub bytes: u64,
    /// Problems of members: damage (the readable bytes are written), unsafe names and unsupported
    /// compressions (nothing is written).
    pub problems: Vec<Error>,
}

/// Writes the members with the indices `wanted` below `folder`, which is created if absent. Files
/// appear complete or not at all; a damaged member does not affect others.
///
/// # Errors
/// [`ErrorKind::Exists`], before anything is written, if a file exists and `force` is not set;
/// files that cannot be written.
pub fn extract(
    archive: &dyn Archive,
    wanted: &[usize],
    folder: &Path,
    force: bool,
    progress: &Progress,
) -> Result<Extracted> {
    let mut done = Extracted::default();
    let plan = plan(archive, wanted, folder, &mut done.problems);
    if !force {
        for (_, path) in &plan {
            if std::fs::symlink_metadata(path).is_ok() {
                return Err(Error::new(ErrorKind::Exists).in_path(path));
            }
        }
    }
    for batch in plan.chunks(BATCH) {
        let mut set = OutputSet::new(force);
        for (index, path) in batch {
            progress.check()?;
            if let Err(error) = write(archive, *index, path, &mut set, &mut done.problems)? {
                done.problems.push(error);
            }
        }
        let (files, bytes) = set.commit()?;
        progress.advance(bytes, 0);
        done.files.extend(files);
        done.bytes += bytes;
    }
    Ok(done)
}

/// The indices of members and the paths that they are written to. Members that may not be written
/// are reported in `problems`.
fn plan(
    archive: &dyn Archive,
    wanted: &[usize],
    folder: &Path,
    problems: &mut Vec<Error>,
) -> Vec<(usize, PathBuf)> {
    let label = &archive.info().label;
    let mut taken = BTreeSet::new();
    let mut folders = BTreeSet::new();
    let folded = |path: &Path| path.to_string_lossy().to_lowercase();
    let mut plan = Vec::new();
    for &index in wanted {
        let member = match archive.contents().member(index) {
            Ok(member) => member,
            Err(error) => {
                problems.push(error);
                continue;
            }
        };
        if member.name.ends_with('/') && member.size.unwrap_or_default() == 0 {
            // A folder: it is created together with its files.
            continue;
        }
        match safe_name(&member.name) {
            Err(error) => problems.push(error.in_file(label)),
            Ok(path) => {
                let parents = || path.ancestors().skip(1).map(folded);
                let name = folded(&path);
                let is_free =
                    !folders.contains(&name) && !parents().any(|parent| taken.contains(&parent));
                if is_free && taken.insert(name) {
                    folders.extend(parents());
                    plan.push((index, folder.join(path)));
                } else {
                    let text = format!("another member already has the name {}", member.name);
                    problems.push(Error::invalid(text).in_file(label));
                }
            }
        }
    }
    plan
}

/// Writes one member. The inner error concerns only this member, of which nothing is written.
fn write(
    archive: &dyn Archive,
    index: usize,
    path: &Path,
    set: &mut OutputSet,
    problems: &mut Vec<Error>,
) -> Result<Result<(), Error>> {
    let on_error = OnError::collect();
    let mut stream = match archive.stream(index, &on_error) {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error)),
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::from(error).in_path(folder))?;
    }
    let number = set.create(path)?;
    let Some(output) = set.file(number) else {
        return Ok(Ok(()));
    };
    let mut buffer = vec![0; read_member::CHUNK];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let bytes = buffer.get(..read).unwrap_or_default();
                output
                    .write_all(bytes)
                    .map_err(|error| Error::from(error).in_path(path))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                problems.push(Error::from(error).in_file(&archive.info().label));
                break;
            }
        }
    }
    problems.extend(on_error.take());
    Ok(Ok(()))
}
