//! [`ReadMark`]: what the games of a database are recognised by without reading them again.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// How far a database was read, and what is there up to that mark: if that is unchanged, the games that an
/// index has are those of the database, and only later ones have to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadMark {
    /// Records before the mark.
    pub records: u32,
    /// Bytes and lines before the mark; 0 in a database with random access.
    pub bytes: u64,
    /// Lines before the mark.
    pub lines: u64,
    /// Digest of what is before the mark.
    pub digest: u64,
    /// Games of the index after the mark, which are read again and compared.
    pub games_after: u32,
    /// Digest of them.
    pub digest_after: u64,
}

/// A [`ReadMark`] as it is stored.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct StoredReadMark {
    bytes: U64,
    lines: U64,
    digest: U64,
    digest_after: U64,
    records: U32,
    games_after: U32,
}

impl From<ReadMark> for StoredReadMark {
    fn from(mark: ReadMark) -> Self {
        Self {
            bytes: mark.bytes.into(),
            lines: mark.lines.into(),
            digest: mark.digest.into(),
            digest_after: mark.digest_after.into(),
            records: mark.records.into(),
            games_after: mark.games_after.into(),
        }
    }
}

impl From<StoredReadMark> for ReadMark {
    fn from(mark: StoredReadMark) -> Self {
        Self {
            records: mark.records.get(),
            bytes: mark.bytes.get(),
            lines: mark.lines.get(),
            digest: mark.digest.get(),
            games_after: mark.games_after.get(),
            digest_after: mark.digest_after.get(),
        }
    }
}
