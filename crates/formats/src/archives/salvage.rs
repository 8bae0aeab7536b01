//! Reading damaged members.

use std::io::Read;

use tabia_core::io::Blob;
use tabia_core::{Error, Result};

use super::{Archive, OnError};

/// The readable bytes of a member, and the errors in it. At most [`Limits::member`] bytes are
/// read.
///
/// # Errors
/// If nothing can be read at all.
///
/// [`Limits::member`]: tabia_core::formats::Limits::member
pub fn salvage(archive: &dyn Archive, index: usize) -> Result<(Blob, Vec<Error>)> {
    let on_error = OnError::collect();
    let mut stream = archive.stream(index, &on_error)?;
    let mut bytes = Vec::new();
    let copied = stream
        .by_ref()
        .take(archive.limits().member)
        .read_to_end(&mut bytes);
    let mut errors = on_error.take();
    if let Err(error) = copied {
        errors.push(Error::from(error).in_file(&archive.info().label));
    }
    Ok((Blob::from(bytes), errors))
}
