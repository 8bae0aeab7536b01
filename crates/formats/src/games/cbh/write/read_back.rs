//! Checks of a set that was read back before it gets its final name.

use std::collections::HashMap;
use std::ffi::OsStr;

use tabia_core::error::{Error, GameIndex, Result};

use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::verify::{Finding, Severity, structure};

/// Compares a set with the one that it was made from. `old_index` gives the index that a record had in
/// the old set; `None` for records that were written since.
///
/// # Errors
/// The first damage of the new set that the old one did not have.
pub(super) fn check_damage(
    old: &CbhDatabase,
    new: &CbhDatabase,
    old_index: impl Fn(GameIndex) -> Option<GameIndex>,
) -> Result<()> {
    let found = damage(new);
    if found.is_empty() {
        return Ok(());
    }
    let mut known: HashMap<FindingKey, u32> = HashMap::new();
    for finding in damage(old) {
        let game = finding.error.location().game;
        *known.entry(FindingKey::new(&finding, game)).or_default() += 1;
    }
    for finding in found {
        let game = finding.error.location().game;
        let mut records = game.into_iter().chain(finding.other);
        let is_of_old_records = records.all(|record| old_index(record).is_some());
        let key = FindingKey::new(&finding, game.and_then(&old_index));
        match known.get_mut(&key) {
            Some(count @ 1..) if is_of_old_records => *count -= 1,
            _ => return Err(finding.error),
        }
    }
    Ok(())
}

fn damage(db: &CbhDatabase) -> Vec<Finding> {
    let mut findings = structure(db);
    findings.retain(|finding| finding.severity == Severity::Damage);
    findings
}

/// What makes two findings the same damage.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FindingKey {
    /// The extension of the file.
    file: Option<Box<OsStr>>,
    /// The record in the old set.
    game: Option<GameIndex>,
    /// The message. In a record without its numbers: ids and offsets change when a set is packed, and
    /// a record may overlap several others, of which one is named.
    text: String,
}

impl FindingKey {
    fn new(finding: &Finding, game: Option<GameIndex>) -> Self {
        let at = finding.error.location();
        let file = at.file.as_deref().and_then(|file| file.extension());
        let mut text = finding.error.kind().to_string();
        if at.game.is_some() {
            text.retain(|c| !c.is_ascii_digit());
        }
        Self {
            file: file.map(Box::from),
            game,
            text,
        }
    }
}

/// The error for a difference between a set and what was written to it.
pub(super) fn difference(text: &str) -> Error {
    Error::invalid(format!(
        "read back, the files differ from what was written: {text}"
    ))
}
