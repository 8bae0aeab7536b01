//! Checks of a set that was read back before it gets its final name.

use tabia_core::error::{Error, Result};

use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::verify::{Severity, structure};

/// Compares a set with the one that it was made from.
///
/// # Errors
/// If the new set has more damage than the old one.
pub(super) fn check_damage(old: &CbhDatabase, new: &CbhDatabase) -> Result<()> {
    let damage = |db: &CbhDatabase| -> Vec<Error> {
        let findings = structure(db).into_iter();
        let damage = findings.filter(|finding| finding.severity == Severity::Damage);
        damage.map(|finding| finding.error).collect()
    };
    let mut found = damage(new);
    if found.is_empty() || found.len() <= damage(old).len() {
        return Ok(());
    }
    Err(found.swap_remove(0))
}

/// The error for a difference between a set and what was written to it.
pub(super) fn difference(text: &str) -> Error {
    Error::invalid(format!(
        "read back, the files differ from what was written: {text}"
    ))
}
