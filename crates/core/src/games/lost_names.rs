//! Names that replace those which a damaged database has lost.

use std::fmt::Display;

/// How such a name begins.
const PREFIX: &str = "(lost ";

/// The name that replaces a lost one, so that names that were different stay so.
///
/// ```
/// use tabia_core::games::{is_lost_name, lost_name};
///
/// assert_eq!(lost_name("player", 12), "(lost player 12)");
/// assert!(is_lost_name("(lost player 12)") && is_lost_name(b"(lost team 1)\0"));
/// assert!(!is_lost_name("Lost, John"));
/// ```
pub fn lost_name(kind: &str, id: impl Display) -> String {
    format!("{PREFIX}{kind} {id})")
}

/// Whether a name, as text or as bytes of a file, replaces a lost one.
pub fn is_lost_name(name: impl AsRef<[u8]>) -> bool {
    name.as_ref().starts_with(PREFIX.as_bytes())
}
