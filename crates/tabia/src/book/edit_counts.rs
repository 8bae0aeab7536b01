//! [`EditCounts`]: how many moves the changes of a book concern.

use tabia_core::shell_argument::argument;
use tabia_core::{Error, Result};

use crate::input::InputItem;

/// What changes did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditCounts {
    /// Moves that have other values now.
    pub changed: u64,
    /// Moves that the book did not have.
    pub added: u64,
    /// Moves that were removed.
    pub removed: u64,
    /// Moves to be removed that the book does not have.
    pub missing: u64,
    /// Moves to be added that the format cannot hold, which are not in the new book.
    pub unfit: u64,
}

impl EditCounts {
    pub(super) fn count_set(&mut self, is_new: bool, is_changed: bool) {
        if is_new {
            self.added += 1;
        } else if is_changed {
            self.changed += 1;
        }
    }

    pub(super) fn count_removed(&mut self, removed: usize) {
        match removed {
            0 => self.missing += 1,
            removed => self.removed += removed as u64,
        }
    }

    /// That number of moves that were added is not in the new book.
    pub(super) fn count_unfit(&mut self, count: usize) {
        self.unfit = count as u64;
        self.added = self.added.saturating_sub(self.unfit);
    }

    /// Refuses changes that were all to remove moves that are not there.
    pub(super) fn refuse_no_effect(self, item: &InputItem) -> Result<()> {
        let Self {
            changed,
            added,
            removed,
            missing,
            ..
        } = self;
        if missing == 0 || changed + added + removed > 0 {
            return Ok(());
        }
        let name = item.name();
        let text = match missing {
            1 => format!("{name} has no such move in that position: there is nothing to remove"),
            count => format!("{name} has none of the {count} moves that are to be removed"),
        };
        let hint = format!(
            "`tabia book edit {} --csv` lists its moves",
            argument(&name)
        );
        Err(Error::usage(text).with_hint(hint))
    }
}
