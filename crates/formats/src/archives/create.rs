//! Writing archives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tabia_core::io::{FolderLock, OutputSet};
use tabia_core::{Error, ErrorKind, Result};

use super::create_options::CreateOptions;
use super::new_member::NewMember;
use super::{ArchiveFormat, safe_name};
use crate::ARCHIVES;

/// The longest name of a member, in bytes: no operating system has longer paths.
const MAX_NAME: usize = 0x7fff;

/// The most names that an error names after the first one.
const MAX_NAMED: usize = 20;

/// How often an archive is written whose files are replaced meanwhile, before other processes are made to
/// wait.
const ATTEMPTS: u32 = 3;

/// The most files that are open at once. Systems map some 65,000 files.
const MAX_OPEN: usize = 10_000;

/// The archive format with the extension of a file name; `None` if absent.
pub fn format_of_name(name: &str) -> Option<&'static ArchiveFormat> {
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    ARCHIVES
        .iter()
        .copied()
        .find(|format| format.file.extensions.contains(&extension.as_str()))
}

/// Writes an archive of `members` and returns its size in bytes. The file appears complete or not at
/// all.
///
/// # Errors
/// [`ErrorKind::Exists`] if the file exists and is not to be replaced; names that [`safe_name`]
/// refuses or that occur twice (without regard to case); members that the format cannot hold.
pub fn create(
    format: &ArchiveFormat,
    target: &Path,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<u64> {
    write(format, target, members, options)?
        .commit()
        .map(|(_, bytes)| bytes)
}

/// Writes an archive of the files that `list` finds, and returns their number and the size of the archive in bytes.
/// They are listed again after they were read: while another process replaces a database of several files,
/// some would be old ones and others new ones. The archive is then written again.
///
/// # Errors
/// As [`create`]; those of `list`; [`ErrorKind::Replaced`] if the files are changed again and again.
pub fn create_listed(
    format: &ArchiveFormat,
    target: &Path,
    list: &mut dyn FnMut() -> Result<Vec<NewMember>>,
    options: &CreateOptions,
) -> Result<(usize, u64)> {
    for _ in 0..ATTEMPTS {
        let members = match list() {
            Ok(members) => members,
            // A file that is being replaced has no name for a moment.
            Err(error) if error.is_not_found() => continue,
            Err(error) => return Err(error),
        };
        let written = write(format, target, &members, options);
        let now = list();
        if now.is_ok_and(|now| first_change(&members, &now).is_none()) {
            let (_, bytes) = written?.commit()?;
            return Ok((members.len(), bytes));
        }
    }
    let members = open_in_locked_folders(list)?;
    let (_, bytes) = write(format, target, &members, options)?.commit()?;
    Ok((members.len(), bytes))
}

/// The files with their bytes, which stay as they are, and are those of one moment: no other process gives
/// files their names meanwhile.
fn open_in_locked_folders(
    list: &mut dyn FnMut() -> Result<Vec<NewMember>>,
) -> Result<Vec<NewMember>> {
    let mut folders = BTreeMap::new();
    for path in list()?.iter().filter_map(NewMember::path) {
        folders
            .entry(path.parent().map(Path::to_path_buf))
            .or_insert_with(|| path.to_path_buf());
    }
    let locks: Vec<_> = folders
        .values()
        .filter_map(|path| FolderLock::acquire(path).ok())
        .collect();
    let members = list()?;
    let opened = if members.len() <= MAX_OPEN {
        members
            .iter()
            .map(NewMember::opened)
            .collect::<Result<Vec<_>>>()?
    } else {
        Vec::new()
    };
    let change = first_change(&members, &list()?);
    drop(locks);
    let change = change.or_else(|| {
        members
            .get(MAX_OPEN)
            .and_then(NewMember::path)
            .map(Path::to_path_buf)
    });
    match change {
        Some(path) => Err(Error::new(ErrorKind::Replaced).in_path(&path).in_input()),
        None => Ok(opened),
    }
}

/// The first file that is another one in the second list; `None` if all are the same.
fn first_change(members: &[NewMember], now: &[NewMember]) -> Option<PathBuf> {
    let mut pairs = members.iter().zip(now);
    let changed = pairs
        .find(|(member, now)| !member.is_same(now))
        .map(|(member, _)| member);
    let (longer, length) = if members.len() > now.len() {
        (members, now.len())
    } else {
        (now, members.len())
    };
    let changed = changed.or_else(|| longer.get(length));
    changed.map(|member| {
        member
            .path()
            .map_or_else(|| PathBuf::from(&member.name), Path::to_path_buf)
    })
}

/// Writes an archive, which has no name yet.
fn write(
    format: &ArchiveFormat,
    target: &Path,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<OutputSet> {
    let Some(write) = format.create else {
        let name = format.file.name;
        return Err(Error::unsupported(format!("a {name} cannot be written")).in_path(target));
    };
    check_names(members).map_err(|error| error.in_path(target))?;
    let mut set = OutputSet::new(options.force);
    if let Some(transaction) = &options.transaction {
        transaction.join(&mut set);
    }
    let number = set.create(target)?;
    let missing = || Error::new(ErrorKind::MissingFile(target.display().to_string()));
    let output = set.file(number).ok_or_else(missing)?;
    write(output, members, options).map_err(|error| error.in_path(target))?;
    Ok(set)
}

/// Refuses names that archives cannot have: the first one with the reason, and the next ones.
fn check_names(members: &[NewMember]) -> Result<()> {
    let mut names = BTreeSet::new();
    let mut refused = Vec::new();
    for member in members {
        let error = match safe_name(&member.name) {
            Err(error) => error,
            Ok(_) if member.name.len() > MAX_NAME => {
                Error::invalid("the name of a member is too long")
            }
            Ok(path) if names.insert(path.to_string_lossy().to_lowercase()) => continue,
            Ok(_) => Error::invalid(format!("two members have the name {}", member.name)),
        };
        refused.push((error, member.name.as_str()));
    }
    let mut refused = refused.into_iter();
    let Some((error, _)) = refused.next() else {
        return Ok(());
    };
    let others: Vec<&str> = refused.map(|(_, name)| name).collect();
    let Some(named) = others
        .get(..others.len().min(MAX_NAMED))
        .filter(|_| !others.is_empty())
    else {
        return Err(error);
    };
    let list = named
        .iter()
        .map(|name| format!("`{}`", name.escape_debug()));
    let list = list.collect::<Vec<_>>().join(", ");
    let more = match others.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(Error::invalid(format!(
        "{error}; the same for {list}{more}"
    )))
}
