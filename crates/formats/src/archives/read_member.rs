//! Reading members: by name, into memory, and to the end for verification.

use std::io::{self, Read};

use tabia_core::Result;
use tabia_core::error::{Malformed, Why};
use tabia_core::formats::Limits;
use tabia_core::io::Blob;

use super::{Archive, ChecksumStatus, Member, OnError};

/// Bytes of a member that are unpacked at once. Smaller buffers make unpacking half as slow again.
pub(super) const CHUNK: usize = 1 << 18;

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

/// Reads a member to its end, which verifies its size and checksum.
///
/// # Errors
/// The first error in the member.
pub fn read_member<A: Archive + ?Sized>(archive: &A, index: usize) -> Result<()> {
    let mut stream = archive.stream(index, &OnError::stop())?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Compares a member with its checksum by unpacking it.
pub(super) fn verify_stream<A: Archive + ?Sized>(archive: &A, index: usize) -> ChecksumStatus {
    match read_member(archive, index) {
        Ok(()) => ChecksumStatus::Ok,
        Err(_) => ChecksumStatus::Bad,
    }
}

/// Reads a stream to its end and compares the number of bytes with the one that the archive
/// states. Memory is allocated as bytes arrive, never for a size that a file claims.
pub(super) fn read_stream(
    stream: Box<dyn Read + Send>,
    member: Option<&Member>,
    limits: &Limits,
) -> Result<Blob> {
    let claimed = member.and_then(|member| member.size);
    if let Some(size) = claimed {
        Limits::check("unpacked member", size, limits.member)?;
    }
    let mut bytes = Vec::new();
    stream
        .take(limits.member.saturating_add(1))
        .read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    Limits::check("unpacked member", size, limits.member)?;
    match claimed {
        Some(claimed) if claimed != size => Err(size_mismatch(claimed, size).into()),
        _ => Ok(Blob::from(bytes)),
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
