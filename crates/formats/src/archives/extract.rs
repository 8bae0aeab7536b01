//! Taking files out of archives.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use tabia_core::io::{OutputSet, Progress};
use tabia_core::{Error, ErrorKind, Result};

use super::{Archive, Faults, safe_name};

/// Files that are made together at most: all of them are open until they get their names.
const TOGETHER: usize = 200;

/// What was taken out.
#[derive(Debug, Default)]
pub struct Extracted {
    /// The files, in the order of the members.
    pub files: Vec<PathBuf>,
    /// Their bytes in all.
    pub bytes: u64,
    /// What is wrong with members: damage (what survives is written), names that are refused and
    /// methods that are not known (nothing is written).
    pub problems: Vec<Error>,
}

/// Writes the members of these numbers below `folder`, which is made when it is not there. Files
/// appear complete or not at all; one bad member costs no other.
///
/// # Errors
/// [`ErrorKind::Exists`] before anything is written; files that cannot be written.
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
    for part in plan.chunks(TOGETHER) {
        let mut set = OutputSet::new(force);
        for (index, path) in part {
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

/// Members and the paths they go to. What may not be written is a problem.
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
        let Some(member) = archive.members().get(index) else {
            let missing = ErrorKind::MissingFile(format!("number {index}"));
            problems.push(Error::new(missing).in_file(label));
            continue;
        };
        if member.name.ends_with('/') && member.size.unwrap_or_default() == 0 {
            // A folder: it comes with its files.
            continue;
        }
        match safe_name(&member.name) {
            Err(error) => problems.push(error.in_file(label)),
            Ok(path) => {
                let parents = || path.ancestors().skip(1).map(folded);
                let own = folded(&path);
                let is_free = !folders.contains(&own) && !parents().any(|it| taken.contains(&it));
                if is_free && taken.insert(own) {
                    folders.extend(parents());
                    plan.push((index, folder.join(path)));
                } else {
                    let text = format!("another member has the name {} already", member.name);
                    problems.push(Error::invalid(text).in_file(label));
                }
            }
        }
    }
    plan
}

/// Writes one member. The inner error is the member's own: nothing of it is written.
fn write(
    archive: &dyn Archive,
    index: usize,
    path: &Path,
    set: &mut OutputSet,
    problems: &mut Vec<Error>,
) -> Result<Result<(), Error>> {
    let faults = Faults::note();
    let mut stream = match archive.stream(index, &faults) {
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
    let mut buffer = vec![0; super::PART];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let part = buffer.get(..read).unwrap_or_default();
                output
                    .write_all(part)
                    .map_err(|error| Error::from(error).in_path(path))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                problems.push(Error::from(error).in_file(&archive.info().label));
                break;
            }
        }
    }
    problems.extend(faults.take());
    Ok(Ok(()))
}
