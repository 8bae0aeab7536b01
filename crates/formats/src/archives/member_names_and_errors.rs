//! Members by name, errors in them, and parts that readers of members share.

use std::path::Path;

use tabia_core::error::{Malformed, Why};
use tabia_core::{Error, ErrorKind};

use super::Archive;

/// The index of the member with that name; if no name matches exactly, of the first that matches
/// without regard to case.
pub fn find_member(archive: &dyn Archive, name: &str) -> Option<usize> {
    let members = archive.members();
    let lower = name.to_lowercase();
    members
        .iter()
        .position(|member| member.name == name)
        .or_else(|| {
            members
                .iter()
                .position(|member| member.name.to_lowercase() == lower)
        })
}

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

/// Copies the next bytes of `decoded`, from `copied` on, to `out`, advances `copied` and returns
/// the number of bytes.
pub(super) fn copy_next(decoded: &[u8], copied: &mut usize, out: &mut [u8]) -> usize {
    let rest = decoded.get(*copied..).unwrap_or_default();
    let length = rest.len().min(out.len());
    if let (Some(from), Some(to)) = (rest.get(..length), out.get_mut(..length)) {
        to.copy_from_slice(from);
    }
    *copied += length;
    length
}
