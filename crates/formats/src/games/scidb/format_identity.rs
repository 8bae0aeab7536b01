//! What identifies a database: the format's id, the magic of the index, and the versions.

use tabia_core::FormatId;

pub(super) const ID: FormatId = FormatId::new("sci");

/// The first bytes of an index.
pub(super) const MAGIC: [u8; 8] = *b"Scidb.i\0";

/// The version that is written, and the newest that is read.
pub(super) const VERSION: u16 = 94;

/// The oldest version that is read.
pub(super) const OLDEST: u16 = 91;

/// Since this version the numbers of NAGs are in the side data. In older ones each follows its
/// token among the moves.
pub(super) const SEPARATE_NAGS_SINCE: u16 = 94;

/// Since this version a word announces the sections of a record, an index entry has all its
/// fields, and a header its variant.
pub(super) const SECTIONS_SINCE: u16 = 93;

/// The first version whose index entries do not depend on how a compiler lays out bits.
pub(super) const WORDS_SINCE: u16 = 92;
