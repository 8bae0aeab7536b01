//! Errors in members of an archive, with the name of the member.

use std::path::Path;

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
        let file = format!("{}:{}", label.display(), member.name);
        return Error::new(error.into_kind()).in_path(Path::new(&file));
    }
    let error = Error::invalid(format!("{}: {}", member.name, error.kind())).in_file(label);
    match offset {
        Some(offset) => error.at_offset(offset),
        None => error,
    }
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
