//! The id of the format.

use tabia_core::formats::FormatId;

/// The id of the format.
pub(super) const ID: FormatId = FormatId::new("cbh");
