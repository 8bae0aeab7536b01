//! [`Index`]: whether saved indexes are used, and the index of an item that may be used.

use std::sync::Arc;

use tabia_core::Result;
use tabia_core::io::Progress;
use tabia_index::PositionIndex;

use super::saved_index::{IndexOptions, SavedIndex, build_index, open_index};
use crate::input::InputItem;
use crate::observer::Observer;

/// Whether saved indexes are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Index {
    /// Those that are current.
    Auto,
    /// None.
    #[default]
    Never,
    /// Those that are missing or not current are made first.
    Require,
}

impl Index {
    /// What the command line calls `auto`, `never` or `require`; `None` for other words.
    ///
    /// ```
    /// use tabia::Index;
    ///
    /// assert_eq!(Index::parse("auto"), Some(Index::Auto));
    /// assert_eq!(Index::parse("always"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "never" => Self::Never,
            "require" => Self::Require,
            _ => return None,
        })
    }
}

/// The index of an item that may be used; the observer gets the reason if there is one that may not.
///
/// # Errors
/// When the files cannot be read, or an index that is required cannot be made.
pub(crate) fn usable_index(
    item: &InputItem,
    index: Index,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Box<PositionIndex>>> {
    match index {
        Index::Never => Ok(None),
        Index::Require => {
            build_index(item, options, progress, observer).map(|built| Some(built.index))
        }
        Index::Auto => match open_index(item, options)? {
            SavedIndex::Current(index) => Ok(Some(index)),
            other => {
                if let Some(why) = other.why_not() {
                    observer.index_unused(item, &why)?;
                }
                Ok(None)
            }
        },
    }
}
