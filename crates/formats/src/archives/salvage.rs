//! Reading damaged members.

use tabia_core::io::Blob;
use tabia_core::{Error, Result};

use super::memory_or_temporary_file::{MemoryBudget, collect};
use super::{Archive, OnError};

/// The readable bytes of a member, and the errors in it: in memory, or mapped if they exceed
/// [`Limits::member`].
///
/// # Errors
/// If nothing can be read at all; [`ErrorKind::TemporaryFile`].
///
/// [`ErrorKind::TemporaryFile`]: tabia_core::ErrorKind::TemporaryFile
/// [`Limits::member`]: tabia_core::formats::Limits::member
pub fn salvage(archive: &dyn Archive, index: usize) -> Result<(Blob, Vec<Error>)> {
    salvage_within(archive, index, &MemoryBudget::new(archive.limits().member))
}

/// As [`salvage`]; several members share the budget of memory.
pub(super) fn salvage_within(
    archive: &dyn Archive,
    index: usize,
    budget: &MemoryBudget,
) -> Result<(Blob, Vec<Error>)> {
    let on_error = OnError::collect();
    let mut stream = archive.stream(index, &on_error)?;
    let (blob, error) = collect(&mut *stream, budget)?;
    let mut errors = on_error.take();
    errors.extend(error.map(|error| Error::from(error).in_file(&archive.info().label)));
    Ok((blob, errors))
}
