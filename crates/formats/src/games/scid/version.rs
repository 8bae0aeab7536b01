//! The versions of Scid databases: extensions, lengths of records, and limits.

use tabia_core::FormatId;

/// The versions of Scid databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V3,
    V4,
    V5,
}

impl Version {
    pub(crate) const fn id(self) -> FormatId {
        FormatId::new(match self {
            Self::V3 => "si3",
            Self::V4 => "si4",
            Self::V5 => "si5",
        })
    }

    /// Extensions of the name file and the game file.
    pub(crate) const fn companions(self) -> (&'static str, &'static str) {
        match self {
            Self::V3 => ("sn3", "sg3"),
            Self::V4 => ("sn4", "sg4"),
            Self::V5 => ("sn5", "sg5"),
        }
    }

    pub(crate) const fn header_length(self) -> usize {
        match self {
            Self::V3 => 128,
            Self::V4 => 182,
            Self::V5 => 0,
        }
    }

    pub(crate) const fn entry_length(self) -> usize {
        match self {
            Self::V3 => 46,
            Self::V4 => 47,
            Self::V5 => 56,
        }
    }

    /// The longest blob in bytes. Scid before 3.6.15 reads no longer ones.
    pub(crate) const fn max_blob(self) -> usize {
        match self {
            Self::V3 => 0x7fff,
            Self::V4 | Self::V5 => 0x1_ffff,
        }
    }

    /// Bytes of a block. A blob is inside one block.
    pub(crate) const fn block(self) -> u64 {
        match self {
            Self::V3 => 0x8000,
            Self::V4 | Self::V5 => 0x2_0000,
        }
    }

    /// One more than the greatest offset of a blob.
    pub(crate) const fn max_offset(self) -> u64 {
        match self {
            Self::V3 | Self::V4 => 1 << 32,
            Self::V5 => 1 << 47,
        }
    }

    /// The greatest number of games.
    pub(crate) const fn max_games(self) -> u32 {
        match self {
            Self::V3 | Self::V4 => 16_777_214,
            Self::V5 => u32::MAX - 1,
        }
    }

    /// The greatest numbers of players, events, sites and rounds.
    pub(crate) const fn max_names(self) -> [u32; 4] {
        match self {
            Self::V3 | Self::V4 => [(1 << 20) - 1, (1 << 19) - 1, (1 << 19) - 1, (1 << 18) - 1],
            Self::V5 => [(1 << 28) - 1, (1 << 28) - 1, u32::MAX - 1, (1 << 31) - 1],
        }
    }

    /// The longest name in bytes.
    pub(crate) const fn max_name(self) -> usize {
        match self {
            Self::V3 | Self::V4 => 255,
            // A varint of 32 bits holds the length above three bits of kind.
            Self::V5 => (1 << 29) - 1,
        }
    }
}
