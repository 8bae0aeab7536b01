//! The records of `.2cbh`, little-endian (FORMAT.md § Headers).
#![allow(
    missing_debug_implementations,
    reason = "zerocopy's derives make hidden helper types without it"
)]

use zerocopy::byteorder::LittleEndian;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

type U16 = zerocopy::byteorder::U16<LittleEndian>;
type U32 = zerocopy::byteorder::U32<LittleEndian>;
type I32 = zerocopy::byteorder::I32<LittleEndian>;
type I64 = zerocopy::byteorder::I64<LittleEndian>;

macro_rules! record {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $at:literal $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable,
            Unaligned)]
        #[repr(C)]
        pub(super) struct $name { $($(#[$field_doc])* pub(super) $field: $type,)* }

        const _: () = {
            assert!(size_of::<$name>() == SIZE);
            $(assert!(std::mem::offset_of!($name, $field) == $at);)*
        };

        impl $name {
            /// The record at the start of `bytes`; `None` if they are too short.
            pub(super) fn read(bytes: &[u8]) -> Option<&Self> {
                Self::ref_from_prefix(bytes).ok().map(|(record, _)| record)
            }
        }
    };
}

/// Bytes of the file header and of every record.
pub(super) const SIZE: usize = 192;

record! {
    /// The start of a `.2cbh` file.
    FileHeader {
        0 unknown_0: [u8; 8],
        /// Bytes of this header in use: 38, 34 in older files.
        8 header_size: U16,
        /// 192.
        10 record_size: U16,
        12 unknown_12: u8,
        /// 3, later 5.
        13 version: u8,
        14 unknown_14: [u8; 2],
        /// Number of the next record.
        16 next_id: I32,
        20 unknown_20: [u8; 172],
    }
}

impl FileHeader {
    /// Whether the header has the known sizes.
    pub(super) fn is_ours(&self) -> bool {
        usize::from(self.record_size.get()) == SIZE && (20..=192).contains(&self.header_size.get())
    }
}

record! {
    /// A game; record *n* (from 1) starts at byte 192 · *n*.
    GameRecord {
        /// [`TYPE_TEXT`], [`TYPE_DELETED`], and bit 0, which is always set.
        0 kind: u8,
        1 unknown_1: u8,
        /// 1 for games and texts, [`ANALYSIS`].
        2 content: u8,
        /// The first byte without [`TYPE_DELETED`].
        3 kind_again: u8,
        4 unknown_4: [u8; 4],
        /// Offset of its record in `.2cbg`.
        8 moves_at: I64,
        /// Offset of its record in `.2cba`.
        16 annotations_at: I64,
        24 white: I64,
        32 black: I64,
        40 tournament: I64,
        /// Number of a player.
        48 annotator: I64,
        56 source: I64,
        64 white_team: I64,
        72 black_team: I64,
        /// Number of its title, a game tag.
        80 tag: I64,
        /// As in `.cbh`.
        88 result: u8,
        /// A NAG, used only if the result is 3.
        89 line_evaluation: u8,
        90 round: U16,
        92 sub_round: U16,
        94 board: U16,
        96 white_elo: U16,
        98 white_rating: [u8; 14],
        112 black_elo: U16,
        114 black_rating: [u8; 14],
        /// As in `.cbh`.
        128 eco: U16,
        /// As in `.cbh`.
        130 medals: U16,
        /// As in `.cbh`.
        132 flags: U32,
        136 magnitudes: U16,
        /// Full moves.
        138 move_count: U16,
        140 material_strong: U32,
        144 material_weak: U32,
        148 unknown_148: [u8; 4],
        /// 1/2^22 s since 2008-12-01, local time; below 2^40 in 1/2^10 s.
        152 created: I64,
        160 changed: I64,
        /// A bit for each endgame that occurred.
        168 endgames: [u8; 6],
        174 unknown_174: [u8; 2],
        176 scores: [u8; 6],
        182 unknown_182: [u8; 2],
        184 version: I32,
        188 date: U32,
    }
}

record! {
    /// A guiding text, among the games.
    TextRecord {
        0 kind: u8,
        1 unknown_1: [u8; 7],
        /// Offset of its record in `.2cbg`.
        8 body_at: I64,
        16 tournament: I64,
        24 source: I64,
        /// Number of a player.
        32 annotator: I64,
        /// Number of its title, a game tag.
        40 title: I64,
        48 created: I64,
        56 media: I64,
        64 version: I32,
        68 unknown_68: [u8; 124],
    }
}

record! {
    /// An analysis, among the games: moves with annotations that were not played.
    AnalysisRecord {
        0 kind: u8,
        1 unknown_1: [u8; 7],
        /// Offset of its record in `.2cbg`.
        8 moves_at: I64,
        /// Offset of its record in `.2cba`.
        16 annotations_at: I64,
        /// Number of its title, a game tag.
        24 title: I64,
        32 source: I64,
        /// Number of a player.
        40 author: I64,
        48 unknown_48: [u8; 144],
    }
}

/// Bit of the type byte that is always set.
pub(super) const TYPE_ALWAYS: u8 = 0b0000_0001;
/// Bit of the type byte of guiding texts.
pub(super) const TYPE_TEXT: u8 = 0b0000_0010;
/// Bit of the type byte of records marked as deleted.
pub(super) const TYPE_DELETED: u8 = 0b1000_0000;
/// The content of games and texts.
pub(super) const GAME_OR_TEXT: u8 = 1;
/// The content of analyses.
pub(super) const ANALYSIS: u8 = 2;

/// A record of the `.2cbh` file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Record<'a> {
    Game(&'a GameRecord),
    Text(&'a TextRecord),
    Analysis(&'a AnalysisRecord),
}

impl<'a> Record<'a> {
    /// The record at the start of `bytes`, by its type; `None` if they are too short.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let game = GameRecord::read(bytes)?;
        Some(if game.content == ANALYSIS {
            Self::Analysis(AnalysisRecord::read(bytes)?)
        } else if game.kind & TYPE_TEXT != 0 {
            Self::Text(TextRecord::read(bytes)?)
        } else {
            Self::Game(game)
        })
    }

    /// The type byte.
    pub(super) fn kind(self) -> u8 {
        match self {
            Self::Game(game) => game.kind,
            Self::Text(text) => text.kind,
            Self::Analysis(analysis) => analysis.kind,
        }
    }

    /// The bytes 0, 2 and 3 of a record, without [`TYPE_DELETED`].
    pub(super) fn kind_bytes(self) -> [u8; 3] {
        let (content, again) = match self {
            Self::Game(game) => (game.content, game.kind_again),
            Self::Text(TextRecord { unknown_1, .. })
            | Self::Analysis(AnalysisRecord { unknown_1, .. }) => {
                let [_, content, again, ..] = *unknown_1;
                (content, again)
            }
        };
        [self.kind() & !TYPE_DELETED, content, again]
    }

    /// Those that nearly all records of its type have.
    pub(super) fn usual_kind_bytes(self) -> [u8; 3] {
        match self {
            Self::Game(_) => [TYPE_ALWAYS, GAME_OR_TEXT, TYPE_ALWAYS],
            Self::Text(_) => [
                TYPE_ALWAYS | TYPE_TEXT,
                GAME_OR_TEXT,
                TYPE_ALWAYS | TYPE_TEXT,
            ],
            Self::Analysis(_) => [TYPE_ALWAYS, ANALYSIS, TYPE_ALWAYS],
        }
    }

    /// The offsets of its moves or body, and of its annotations.
    pub(super) fn offsets(self) -> (i64, Option<i64>) {
        match self {
            Self::Game(game) => (game.moves_at.get(), Some(game.annotations_at.get())),
            Self::Text(text) => (text.body_at.get(), None),
            Self::Analysis(analysis) => {
                (analysis.moves_at.get(), Some(analysis.annotations_at.get()))
            }
        }
    }
}

/// The number of a name; `None` for −1 and other impossible numbers.
pub(super) fn id(stored: I64) -> Option<u32> {
    u32::try_from(stored.get()).ok()
}
