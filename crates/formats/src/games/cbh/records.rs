//! Fixed-size records. Each struct is the documentation of its bytes; every byte has a field.
//! `FORMAT.md` describes their meaning in games and how certain it is.

#![allow(
    missing_debug_implementations,
    reason = "zerocopy's derives make hidden helper types without it"
)]

use std::mem::offset_of;

use tabia_core::error::GameIndex;
use zerocopy::byteorder::{BigEndian, LittleEndian};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

type U16 = zerocopy::byteorder::U16<BigEndian>;
type U32 = zerocopy::byteorder::U32<BigEndian>;
type I32 = zerocopy::byteorder::I32<BigEndian>;
type U64 = zerocopy::byteorder::U64<BigEndian>;
type F64 = zerocopy::byteorder::F64<BigEndian>;
type U32Le = zerocopy::byteorder::U32<LittleEndian>;
type I32Le = zerocopy::byteorder::I32<LittleEndian>;

/// Three bytes, most significant first.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    IntoBytes,
    KnownLayout,
    Immutable,
    Unaligned,
)]
#[repr(C)]
pub struct U24([u8; 3]);

impl U24 {
    /// The low three bytes of a number.
    pub const fn new(value: u32) -> Self {
        Self([(value >> 16) as u8, (value >> 8) as u8, value as u8])
    }

    /// The number.
    pub const fn get(self) -> u32 {
        let [a, b, c] = self.0;
        (a as u32) << 16 | (b as u32) << 8 | c as u32
    }
}

macro_rules! record {
    ($(#[$doc:meta])* $name:ident, $size:literal {
        $($(#[$field_doc:meta])* $at:literal $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable,
            Unaligned)]
        #[repr(C)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(offset_of!($name, $field) == $at);)*
        };

        impl $name {
            /// Its size in bytes.
            pub const SIZE: usize = $size;

            /// The record at the start of `bytes`; `None` if they are too short.
            #[inline]
            pub fn read(bytes: &[u8]) -> Option<&Self> {
                Self::ref_from_prefix(bytes).ok().map(|(record, _)| record)
            }
        }
    };
}

record! {
    /// The start of a `.cbh` file, big-endian. The first 44 bytes are in use, 36 in old files.
    FileHeader, 46 {
        /// 0.
        0 zero: u8,
        /// Bytes of this header in use: 44, or 36 in databases of ChessBase 6.
        1 header_size: U16,
        /// 46.
        3 record_size: U16,
        /// 1 in classic databases, 3 and 5 in those converted from 2CBH.
        5 version: u8,
        /// Number of the next record: the number of records plus one.
        6 next_game: U32,
        /// 0.
        10 unknown_10: U16,
        /// Number of the next embedded sound.
        12 next_sound: U32,
        /// Number of the next embedded picture.
        16 next_picture: U32,
        /// Number of the next embedded video.
        20 next_video: U32,
        /// 0.
        24 unknown_24: [u8; 16],
        /// `next_game` again; 0 in 36-byte headers.
        40 next_game_again: U32,
        /// 0.
        44 unknown_44: U16,
    }
}

impl FileHeader {
    /// Whether this is the header of a ChessBase database, of any known age.
    pub fn is_cbh(&self) -> bool {
        self.zero == 0
            && (30..=46).contains(&self.header_size.get())
            && usize::from(self.record_size.get()) == Self::SIZE
    }
}

record! {
    /// One game in the `.cbh` file, big-endian; game *n* (from 1) starts at byte 46 · *n*.
    GameRecord, 46 {
        /// Bits [`TYPE_TEXT`], [`TYPE_DELETED`], [`TYPE_ALWAYS`].
        0 kind: u8,
        /// Start of the moves in `.cbg`.
        1 moves_at: U32,
        /// Start of the annotations in `.cba`; 0 if absent.
        5 annotations_at: U32,
        /// Player in `.cbp`.
        9 white: U24,
        /// Player in `.cbp`.
        12 black: U24,
        /// Tournament in `.cbt`.
        15 tournament: U24,
        /// Annotator in `.cbc`.
        18 annotator: U24,
        /// Source in `.cbs`.
        21 source: U24,
        /// Day, month << 5, year << 9; each 0 if unknown.
        24 date: U24,
        /// 0 to 7; FORMAT.md lists them.
        27 result: u8,
        /// A NAG, used only when the result is 3.
        28 line_evaluation: u8,
        /// 0 if absent.
        29 round: u8,
        /// 0 if absent.
        30 sub_round: u8,
        /// 0 if absent.
        31 white_elo: U16,
        /// 0 if absent.
        33 black_elo: U16,
        /// (code + 1) · 128 + sub-code; from 64,576 the number of a Chess960 start.
        35 eco: U16,
        /// All medals of the game, one bit each.
        37 medals: U16,
        /// Kinds of content that occur in the game, one bit each.
        39 flags: U32,
        /// Amounts of some kinds of content, in classes.
        43 magnitudes: U16,
        /// Full moves of the mainline, 255 for 255 or more.
        45 move_count: u8,
    }
}

record! {
    /// One guiding text in the `.cbh` file, big-endian, among the games.
    TextRecord, 46 {
        /// As in [`GameRecord`], with [`TYPE_TEXT`].
        0 kind: u8,
        /// Start of the body in `.cbg`.
        1 body_at: U32,
        /// 0.
        5 unknown_5: [u8; 2],
        /// Tournament in `.cbt`.
        7 tournament: U24,
        /// Source in `.cbs`.
        10 source: U24,
        /// Author in `.cbc`.
        13 annotator: U24,
        /// 0 if absent.
        16 round: u8,
        /// 0 if absent.
        17 sub_round: u8,
        /// As in [`GameRecord`]; only the bits of sounds, pictures and videos occur.
        18 flags: U32,
        /// 0.
        22 unknown_22: [u8; 24],
    }
}

/// A record of the `.cbh` file.
#[derive(Debug, Clone, Copy)]
pub enum Record<'a> {
    /// A game.
    Game(&'a GameRecord),
    /// A guiding text.
    Text(&'a TextRecord),
}

impl<'a> Record<'a> {
    /// The record at the start of `bytes`, by its type byte; `None` if they are too short.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let game = GameRecord::read(bytes)?;
        Some(if game.kind & TYPE_TEXT == 0 {
            Self::Game(game)
        } else {
            Self::Text(TextRecord::read(bytes)?)
        })
    }

    /// The type byte.
    pub fn kind(self) -> u8 {
        match self {
            Self::Game(game) => game.kind,
            Self::Text(text) => text.kind,
        }
    }
}

/// Bit of the type byte that is always set.
pub const TYPE_ALWAYS: u8 = 0b0000_0001;
/// Bit of the type byte of guiding texts.
pub const TYPE_TEXT: u8 = 0b0000_0010;
/// Bit of the type byte of records marked as deleted.
pub const TYPE_DELETED: u8 = 0b1000_0000;

record! {
    /// The start of `.cbg` and `.cba` files, big-endian; old ones have only the first 10 bytes.
    BodyHeader, 26 {
        /// 26, or 10 in files of ChessBase 6 to 9.
        0 header_size: U16,
        /// Size of the file, its low 32 bits.
        2 file_size: U32,
        /// Bytes of the file that belong to no record.
        6 unused: U32,
        /// Size of the file.
        10 file_size_wide: U64,
        /// Bytes of the file that belong to no record.
        18 unused_wide: U64,
    }
}

/// Bytes in use of the headers of `.cbg` and `.cba` in ChessBase 6 to 9.
pub(super) const OLD_BODY_HEADER: u16 = 10;

/// The header of `.cbg` or `.cba`; fields that old headers lack are zero. `None` if it is cut off.
pub(super) fn body_header(file: &[u8]) -> Option<BodyHeader> {
    let (size, _) = U16::read_from_prefix(file).ok()?;
    let used = size.get().clamp(OLD_BODY_HEADER, BodyHeader::SIZE as u16);
    let mut bytes = [0; BodyHeader::SIZE];
    let stored = file.get(..usize::from(used))?;
    bytes.get_mut(..stored.len())?.copy_from_slice(stored);
    BodyHeader::read(&bytes).copied()
}

record! {
    /// The start of an entity file (`.cbp .cbt .cbc .cbs .cbe .cbl`), little-endian, followed by
    /// `extra` bytes without meaning (0 or 4).
    EntityHeader, 28 {
        /// Records in the file, including deleted ones.
        0 capacity: I32Le,
        /// Id of the tree's root; 0 or −1 if the tree is empty.
        4 root: I32Le,
        /// [`ENTITY_MAGIC`].
        8 magic: U32Le,
        /// Bytes of an entity, without the node before it.
        12 data_size: U32Le,
        /// Id of the first deleted record; −1 if absent.
        16 first_deleted: I32Le,
        /// Entities that are not deleted.
        20 count: I32Le,
        /// Further header bytes after these.
        24 extra: U32Le,
    }
}

/// The number in every entity file's header.
pub const ENTITY_MAGIC: u32 = 1_234_567_890;

record! {
    /// The bytes before every entity: its node of a balanced tree.
    EntityNode, 9 {
        /// Left child, −1 if absent; [`NODE_DELETED`] for a deleted record.
        0 left: I32Le,
        /// Right child, −1 if absent; of a deleted record the next deleted one.
        4 right: I32Le,
        /// Height of the right subtree less that of the left one.
        8 balance: i8,
    }
}

/// The left child of a deleted entity.
pub const NODE_DELETED: i32 = -999;

record! {
    /// A player in `.cbp`.
    PlayerRecord, 58 {
        0 last_name: [u8; 30],
        30 first_name: [u8; 20],
        50 references: I32Le,
        54 first_game: I32Le,
    }
}

record! {
    /// A tournament in `.cbt`.
    TournamentRecord, 90 {
        0 title: [u8; 40],
        40 site: [u8; 30],
        /// As dates in [`GameRecord`], in four bytes.
        70 date: U32Le,
        /// Bits 0-4 type, bit 5 blitz, bit 6 rapid, bit 7 correspondence.
        74 kind: u8,
        /// Bit 0 team tournament.
        75 team: u8,
        76 nation: u8,
        /// 0.
        77 unknown_77: u8,
        78 category: u8,
        /// Bit 0 complete (old), bit 1 complete, bit 2 board points, bit 3 three points a win.
        79 flags: u8,
        80 rounds: u8,
        /// 0.
        81 unknown_81: u8,
        82 references: I32Le,
        86 first_game: I32Le,
    }
}

record! {
    /// An annotator in `.cbc`.
    AnnotatorRecord, 53 {
        0 name: [u8; 45],
        45 references: I32Le,
        49 first_game: I32Le,
    }
}

record! {
    /// A source in `.cbs`.
    SourceRecord, 59 {
        0 title: [u8; 25],
        25 publisher: [u8; 16],
        /// When it was published.
        41 publication: U32Le,
        /// When this version was made.
        45 date: U32Le,
        49 version: u8,
        /// 0 unset, 1 high, 2 medium, 3 low.
        50 quality: u8,
        51 references: I32Le,
        55 first_game: I32Le,
    }
}

record! {
    /// A team in `.cbe`.
    TeamRecord, 63 {
        0 title: [u8; 45],
        45 number: I32Le,
        /// Bit 0: the year is that of a season, 2015 for 2015/16.
        49 season: u8,
        50 year: I32Le,
        54 nation: u8,
        55 references: I32Le,
        59 first_game: I32Le,
    }
}

record! {
    /// A game tag in `.cbl`: titles in English, German, French, Spanish, Italian, Dutch, and two
    /// more (Portuguese and another).
    GameTagRecord, 1608 {
        0 titles: [[u8; 200]; 8],
        1600 references: I32Le,
        1604 first_game: I32Le,
    }
}

record! {
    /// The start of `.cbj`, `.cbtt` and `.cbm` files, little-endian.
    SideHeader, 32 {
        0 version: U32Le,
        4 record_size: U32Le,
        /// `.cbj`, `.cbm`: number of records; `.cbtt`: index of the last record, 0 if empty.
        8 count: U32Le,
        /// `.cbm`: −1 and zeros; elsewhere without meaning.
        12 unknown_12: [u8; 20],
    }
}

record! {
    /// The extended header of a game in `.cbj`, big-endian. Shorter records end at a field's end.
    ExtendedRecord, 120 {
        /// In `.cbe`; −1 if absent.
        0 white_team: I32,
        /// In `.cbe`; −1 if absent.
        4 black_team: I32,
        /// Offset of the record in `.cbm` plus 8; −1 if absent.
        8 media_at: I32,
        /// Start of the annotations in `.cba`; 0 if absent.
        12 annotations_at: U64,
        /// Final material of the stronger side.
        20 material_strong: U32,
        /// Final material of the weaker side.
        24 material_weak: U32,
        /// Their sum less 2; 0xfffe if unset.
        28 material_total: U16,
        /// Start of the moves in `.cbg`; 0 if only `.cbh` has it.
        30 moves_at: U64,
        38 white_rating: [u8; 16],
        54 black_rating: [u8; 16],
        70 unknown_70: [u8; 4],
        74 unknown_74: [u8; 4],
        /// 1 at first, plus 1 with every save.
        78 version: U16,
        /// 1/1024 s since 2008-12-01.
        80 created: U64,
        /// Endgames that occurred: u16 filled, u16 longest, 4 × {u16 type, u16 ply}.
        88 endgames: [u8; 20],
        /// 100 ns since 1582-10-15 UTC; 0 if never saved.
        108 saved: U64,
        /// In `.cbl`; −1 if absent.
        116 game_tag: I32,
    }
}

/// The complete offset of which a header has the low 32 bits, and `.cbj` a copy of 64 bits: that is valid if its low
/// bits agree.
pub(super) fn agreeing_offset(short: u32, long: u64) -> u64 {
    if long & 0xffff_ffff == u64::from(short) {
        long
    } else {
        short.into()
    }
}

/// The extended header of a game without a record in `.cbj`: every field unset.
pub const EXTENDED_DEFAULT: ExtendedRecord = ExtendedRecord {
    white_team: I32::new(-1),
    black_team: I32::new(-1),
    media_at: I32::new(-1),
    annotations_at: U64::new(0),
    material_strong: U32::new(0),
    material_weak: U32::new(0),
    material_total: U16::new(0xfffe),
    moves_at: U64::new(0),
    white_rating: RATING_DEFAULT,
    black_rating: RATING_DEFAULT,
    unknown_70: [0; 4],
    unknown_74: [0; 4],
    version: U16::new(1),
    created: U64::new(0),
    endgames: [0; 20],
    saved: U64::new(0),
    game_tag: I32::new(-1),
};

/// The rating type that is written for every ordinary game: FIDE, international, normal.
pub const RATING_DEFAULT: [u8; 16] = *b"\x00\x01\x00\x01\x00FIDE\0\0\0\0\0\0\0";

record! {
    /// The extended record of a tournament in `.cbtt`. Shorter records end at a field's end.
    TournamentExtraRecord, 65 {
        0 latitude: F64,
        8 longitude: F64,
        /// Zeros but for a 7 at 26, 37 and 48 of the record.
        16 unknown_16: [u8; 34],
        /// Rule numbers in order; unused ones are 1.
        50 tie_breaks: [u8; 10],
        60 tie_break_count: u8,
        /// Big-endian, from version 3 on.
        61 end_date: U32,
    }
}

/// The extended record of a tournament without one in `.cbtt`: every field unset.
pub const TOURNAMENT_EXTRA_DEFAULT: TournamentExtraRecord = TournamentExtraRecord {
    latitude: F64::new(0.0),
    longitude: F64::new(0.0),
    unknown_16: {
        let mut bytes = [0; 34];
        bytes[10] = 7;
        bytes[21] = 7;
        bytes[32] = 7;
        bytes
    },
    tie_breaks: [1; 10],
    tie_break_count: 0,
    end_date: U32::new(0),
};

record! {
    /// The start of `.flags`, big-endian.
    FlagsHeader, 12 {
        /// [`FLAGS_MAGIC`].
        0 magic: U32,
        /// Capacity in words of 32 bits.
        4 capacity: U32,
        /// 2.
        8 bits_per_game: U32,
    }
}

/// The first four bytes of a `.flags` file.
pub const FLAGS_MAGIC: u32 = 0x0f01_0b09;

record! {
    /// The start of a record in `.cbm`, little-endian; text follows up to 1024 bytes.
    MediaRecord, 8 {
        /// −1.
        0 next: I32Le,
        /// Number of chained records, 1.
        4 chained: I32Le,
    }
}

record! {
    /// The start of an annotation record in `.cba`, big-endian.
    AnnotationsHead, 14 {
        /// The game, 0 in files of other programs.
        0 game: U24,
        /// `01 00 0e 0e`.
        3 unknown_3: [u8; 4],
        /// Number of annotations plus one.
        7 count: U24,
        /// Bytes of the record, this head included.
        10 size: U32,
    }
}

impl AnnotationsHead {
    /// The number (from 1) of the game for which the record is marked, if that is not this one.
    pub(super) fn marked_for_other(&self, index: GameIndex) -> Option<u32> {
        let marked = self.game.get();
        (marked != 0 && marked != (index.0 + 1) & 0x00ff_ffff).then_some(marked)
    }
}

/// The four bytes in every annotation record's head.
pub const ANNOTATIONS_MARK: [u8; 4] = [1, 0, 14, 14];

record! {
    /// The start of one annotation in `.cba`, big-endian.
    ItemHead, 6 {
        /// Signed: −1 for the game, else the number of the move in stored order, from 0.
        0 position: U24,
        3 kind: u8,
        /// Bytes of the item, this head included.
        4 size: U16,
    }
}

record! {
    /// The start of a record in `.cbg`, big-endian.
    MovesHead, 4 {
        /// Bit 7 guiding text, bit 6 a start position follows, bits 0-5 how moves are coded.
        0 mode: u8,
        /// Bytes of the record, this head included.
        1 size: U24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_record_fields_are_at_their_offsets() {
        let mut bytes = [0_u8; 46];
        bytes[0] = TYPE_ALWAYS | TYPE_DELETED;
        bytes[9..12].copy_from_slice(&[0x01, 0x02, 0x03]);
        bytes[24..27].copy_from_slice(&[0x0f, 0xbb, 0x3d]); // 2013-09-29
        bytes[31..33].copy_from_slice(&[0x0a, 0xf0]);
        bytes[45] = 255;
        let record = GameRecord::read(&bytes).unwrap();
        assert_eq!(record.white.get(), 0x01_0203);
        assert_eq!(record.date.get(), 0x1d | 9 << 5 | 2013 << 9);
        assert_eq!(record.white_elo.get(), 2800);
        assert_eq!(record.move_count, 255);
        assert_eq!(record.as_bytes(), bytes);
        assert!(GameRecord::read(&bytes[..45]).is_none());
    }
}
