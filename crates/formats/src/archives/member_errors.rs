//! Errors in members of an archive, with the name of the member.

use std::path::{Path, PathBuf};

use tabia_core::error::{Malformed, Why};
use tabia_core::{Error, ErrorKind};

use super::Archive;

/// An error in a member with the name of the member, which only its text or, for a limit, its file can
/// hold.
#[must_use]
pub fn in_member(archive: &dyn Archive, index: usize, error: Error) -> Error {
    let Some(member) = archive.members().get(index) else {
        return error;
    };
    let label = &archive.info().label;
    if error.is_system() || matches!(error.kind(), ErrorKind::TemporaryFile(_)) {
        return error.in_file(label);
    }
    let offset = error.location().offset;
    if matches!(error.kind(), ErrorKind::Limit { .. }) {
        return Error::new(error.into_kind()).in_path(&member_label(label, &member.name));
    }
    let text = format!("{}: {}", member.name, error.kind());
    let error = Error::invalid(text).in_file(label);
    match offset {
        Some(offset) => error.at_offset(offset),
        None => error,
    }
}

/// The name of a member for messages, `archive:member`.
///
/// ```
/// use tabia_formats::archives::member_label;
///
/// let label = member_label("a.zip".as_ref(), "games.pgn");
/// assert_eq!(label, std::path::Path::new("a.zip:games.pgn"));
/// ```
pub fn member_label(archive: &Path, member: &str) -> PathBuf {
    let mut label = archive.as_os_str().to_owned();
    label.push(":");
    label.push(member);
    PathBuf::from(label)
}

/// The error for a member of `found` bytes where the archive states `claimed` bytes.
pub(super) fn size_mismatch(claimed: u64, found: u64) -> Malformed {
    let why = if found < claimed {
        Why::Truncated {
            needed: claimed as usize,
            left: found as usize,
        }
    } else {
        Why::Value(claimed)
    };
    Malformed {
        field: "size",
        at: 0,
        why,
    }
}
