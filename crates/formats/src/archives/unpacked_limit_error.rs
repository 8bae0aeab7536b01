//! The limit of what a member of an archive or a compressed file unpacks to.

use tabia_core::{Error, ErrorKind};

/// The noun of the [`ErrorKind::Limit`] of a member or a compressed file that unpacks to more bytes than
/// [`Limits::unpacked_from`](tabia_core::formats::Limits::unpacked_from) allows.
pub const UNPACKED_SIZE: &str = "unpacked size";

/// The error for a member that unpacks to more than `limit` bytes.
pub(super) fn exceeds_limit(limit: u64) -> Error {
    Error::new(ErrorKind::Limit {
        what: UNPACKED_SIZE,
        limit,
        size: limit.saturating_add(1),
    })
}
