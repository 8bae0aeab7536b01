//! Writing archives.

use std::path::Path;

use tabia_core::io::OutputSet;
use tabia_core::{Error, ErrorKind, Result};

use super::create_options::CreateOptions;
use super::new_member::NewMember;
use super::{ArchiveFormat, safe_name};
use crate::ARCHIVES;

/// The longest name of a member, in bytes: no operating system has longer paths.
const MAX_NAME: usize = 0x7fff;

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
    let Some(write) = format.create else {
        let name = format.file.name;
        return Err(Error::unsupported(format!("a {name} cannot be written")).in_path(target));
    };
    let mut names = std::collections::BTreeSet::new();
    for member in members {
        let path = safe_name(&member.name).map_err(|error| error.in_path(target))?;
        if member.name.len() > MAX_NAME {
            return Err(Error::invalid("the name of a member is too long").in_path(target));
        }
        if !names.insert(path.to_string_lossy().to_lowercase()) {
            let text = format!("two members have the name {}", member.name);
            return Err(Error::invalid(text).in_path(target));
        }
    }
    let mut set = OutputSet::new(options.force);
    if let Some(transaction) = &options.transaction {
        transaction.join(&mut set);
    }
    let number = set.create(target)?;
    let missing = || Error::new(ErrorKind::MissingFile(target.display().to_string()));
    let output = set.file(number).ok_or_else(missing)?;
    write(output, members, options).map_err(|error| error.in_path(target))?;
    let (_, bytes) = set.commit()?;
    Ok(bytes)
}
