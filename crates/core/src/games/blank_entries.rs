//! Index entries over which zeros were written, as a file has them whose copy was interrupted.

use crate::error::{Error, ErrorKind};
use crate::ids::GameIndex;
use crate::plural::counted;

/// What is wrong with a record that has such an entry.
const BLANK_ENTRY: &str = "its index entry has only zeros, which no program writes";

/// The error of reading a record or an entry that has only zeros.
///
/// ```
/// use tabia_core::games::{blank_entry, is_blank_entry};
///
/// assert!(is_blank_entry(&blank_entry()));
/// assert!(!is_blank_entry(&tabia_core::Error::invalid("a game")));
/// ```
pub fn blank_entry() -> Error {
    Error::not_in_file(BLANK_ENTRY)
}

/// Whether an error is a [`blank_entry`].
pub fn is_blank_entry(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotInFile(text) if text == BLANK_ENTRY)
}

/// The entries of an index that have only zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlankEntries {
    count: u32,
    first: Option<GameIndex>,
}

impl BlankEntries {
    /// Whether an entry has only zeros.
    #[inline]
    pub fn is_blank(entry: &[u8]) -> bool {
        // Nearly all have another byte among the first ones.
        match entry.first_chunk::<16>() {
            Some(first) if *first != [0; 16] => false,
            _ => entry.iter().all(|byte| *byte == 0),
        }
    }

    /// Adds the entry of a game, which has only zeros.
    #[cold]
    pub fn add(&mut self, game: GameIndex) {
        self.count += 1;
        self.first = self.first.or(Some(game));
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first of them.
    pub fn first(&self) -> Option<GameIndex> {
        self.first
    }

    /// The problem of the database, for users; `None` if there is no such entry.
    pub fn problem(&self) -> Option<String> {
        let first = self.first?;
        let count = counted(self.count, "entry has", "entries have");
        // Zeros rarely begin where an entry begins.
        Some(format!(
            "{count} only zeros, which no program writes: these games are lost, and the entry before them may be \
             damaged; the first is that of game {first}"
        ))
    }
}
