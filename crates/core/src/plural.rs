//! Numbers with their nouns, for messages.

use std::fmt;

/// A number with its noun, which can include a verb: `1 byte is left over`, `2 bytes are left over`.
///
/// ```
/// use tabia_core::plural::counted;
///
/// assert_eq!(counted(1, "entry", "entries"), "1 entry");
/// assert_eq!(counted(0, "entry", "entries"), "0 entries");
/// ```
pub fn counted<N>(count: N, one: &str, several: &str) -> String
where
    N: Copy + fmt::Display + PartialEq + From<u8>,
{
    let noun = if count == N::from(1) { one } else { several };
    format!("{count} {noun}")
}
