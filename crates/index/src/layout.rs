//! The layout of the file: header, directory, sections, and the records in them. All numbers are little-endian.
//!
//! | offset | size | |
//! |---:|---:|---|
//! | 0 | 64 | a header; the valid one with the higher generation counts |
//! | 4096 | 64 | the other header |
//! | 8192 | | sections, each followed by the CRC-32 of each 4096 bytes of it, and directories |
//!
//! A change appends sections and a directory, syncs, and then overwrites the older header: a process that
//! is killed leaves the old state or the new one.

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Games of a segment at most.
pub(crate) const MAX_SEGMENT_GAMES: usize = 1 << POSTING_RANK_BITS;

/// Bits of the rank of the largest segment.
pub(crate) const POSTING_RANK_BITS: u32 = 19;

/// Lines that are stored one after the other without the bytes that they share.
pub(crate) const LINES_PER_BLOCK: usize = 16;

/// Bytes that have a checksum together.
pub(crate) const CHUNK: usize = 4096;

/// Segments of the whole database: not of one of its parts.
pub(crate) const WHOLE: u32 = u32::MAX;

/// The kind of a section.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned,
)]
#[repr(C)]
pub(crate) struct Kind([u8; 4]);

impl Kind {
    /// [`SegmentRecord`].
    pub(crate) const SEGMENT: Kind = Kind(*b"SEGM");
    /// [`Node`], sorted by key.
    pub(crate) const NODE: Kind = Kind(*b"NODE");
    /// Postings of positions in their buckets.
    pub(crate) const POSTINGS: Kind = Kind(*b"POST");
    /// Offset of each bucket, and of the end of the last one.
    pub(crate) const BUCKETS: Kind = Kind(*b"BUCK");
    /// Postings of classes of positions in their buckets.
    pub(crate) const CLASSES: Kind = Kind(*b"CLAS");
    /// Offset of each of these buckets, and of the end of the last one.
    pub(crate) const CLASS_BUCKETS: Kind = Kind(*b"CBUC");
    /// For each rank the number of positions shared with the rank before, 255 for more.
    pub(crate) const COMMON: Kind = Kind(*b"LCP ");
    /// [`LongPrefix`], sorted by rank.
    pub(crate) const LONG: Kind = Kind(*b"LONG");
    /// [`Row`](crate::Row) of each rank.
    pub(crate) const ROWS: Kind = Kind(*b"ROWS");
    /// Start positions: first rank, length of the FEN, FEN.
    pub(crate) const STARTS: Kind = Kind(*b"STRT");
    /// Lines without the bytes they share with the line before in their block.
    pub(crate) const LINES: Kind = Kind(*b"LINE");
    /// Offsets of the blocks of lines.
    pub(crate) const LINE_BLOCKS: Kind = Kind(*b"LBLK");
    /// [`MaterialClass`], sorted by material.
    pub(crate) const MATERIALS: Kind = Kind(*b"MATS");
    /// The ranks of the classes of material, a list for each: see [`rank_lists`](crate::rank_lists).
    pub(crate) const MATERIAL_RANKS: Kind = Kind(*b"MATR");
    /// Numbers of games that are not indexed.
    pub(crate) const IRREGULAR: Kind = Kind(*b"IRRG");
    /// What the index was made from.
    pub(crate) const STAMP: Kind = Kind(*b"STMP");
    /// [`ReadMark`](crate::ReadMark); absent if the games have to be compared one by one.
    pub(crate) const READ_MARK: Kind = Kind(*b"READ");

    /// What is in it, for users.
    pub(crate) fn holds(self) -> &'static str {
        match self {
            Self::SEGMENT => "facts about the segment",
            Self::NODE => "lines that many games share",
            Self::POSTINGS => "positions of rarer lines",
            Self::CLASSES => "pawns and material of rarer lines",
            Self::BUCKETS | Self::CLASS_BUCKETS => "where positions are",
            Self::COMMON | Self::LONG => "how far games share their moves",
            Self::ROWS => "number, ratings, date and result of each game",
            Self::STARTS => "start positions",
            Self::LINES => "moves",
            Self::LINE_BLOCKS => "where moves are",
            Self::MATERIALS => "kinds of material",
            Self::MATERIAL_RANKS => "games with each kind of material",
            Self::IRREGULAR => "games that are read at every question",
            Self::STAMP => "the files of the database",
            Self::READ_MARK => "how far the database was read",
            _ => "",
        }
    }

    pub(crate) fn name(self) -> String {
        String::from_utf8_lossy(&self.0).trim_end().to_owned()
    }
}

/// A section, complete: its kind, number of records and bytes.
pub(crate) type Section = (Kind, u64, Vec<u8>);

/// Facts about a segment.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct SegmentRecord {
    /// Games that are indexed.
    pub(crate) games: U32,
    /// Games that are only listed.
    pub(crate) irregular: U32,
    /// Bits of a hash that choose a bucket of positions.
    pub(crate) bucket_bits: U32,
    /// The same for classes.
    pub(crate) class_bits: U32,
    pub(crate) exact_plies: U32,
    pub(crate) reserved: U32,
    pub(crate) plies: U64,
    /// Digest of the games and their numbers.
    pub(crate) digest: U64,
}

/// A line that many games share.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct Node {
    pub(crate) key: U64,
    /// Rank of the first game.
    pub(crate) first: U32,
    pub(crate) count: U32,
    pub(crate) ply: U16,
}

impl Node {
    pub(crate) fn ply(&self) -> usize {
        self.ply.get().into()
    }
}

/// The lines on which a certain material is new: they have it at a position that they do not share with
/// the line before.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct MaterialClass {
    /// [`Material`](tabia_core::chess::Material).
    pub(crate) material: U32,
    /// Number of lines.
    pub(crate) count: U32,
    /// Where their ranks end; they begin where those of the class before end.
    pub(crate) end: U32,
}

/// A rank that shares 255 positions or more with the one before.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct LongPrefix {
    pub(crate) rank: U32,
    pub(crate) common: U32,
}
