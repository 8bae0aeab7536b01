//! The file: header, directory, sections. All numbers are little-endian.
//!
//! | offset | size | |
//! |---:|---:|---|
//! | 0 | 64 | a header; the valid one with the higher generation counts |
//! | 4096 | 64 | the other header |
//! | 8192 | | sections, each followed by the CRC-32 of each 4096 bytes of it, and directories |
//!
//! A change appends sections and a directory, syncs, and then overwrites the older header: a process that
//! is killed leaves the old state or the new one.

use std::io::{self, Seek, SeekFrom, Write};

use tabia_core::{Error, Result};
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Games of a segment at most.
pub(crate) const MAX_SEGMENT_GAMES: usize = 1 << POSTING_RANK_BITS;
/// Bits of a posting that hold the rank.
pub(crate) const POSTING_RANK_BITS: u32 = 19;
/// Lines that are stored one after the other without the bytes that they share.
pub(crate) const LINES_PER_BLOCK: usize = 16;

const MAGIC: [u8; 8] = *b"TABIAIDX";
const VERSION: u32 = 1;
/// Reads as another number in a file of the other byte order.
const BYTE_ORDER: u32 = 0x0403_0201;
/// Offset of the second header.
const SECOND_HEADER: u64 = 4096;
/// Offset of the first section.
const FIRST_SECTION: u64 = 8192;
/// Bytes that have a checksum together.
pub(crate) const CHUNK: usize = 4096;
/// Segments of the whole database: not of one of its parts.
pub(crate) const WHOLE: u32 = u32::MAX;
/// Entries of a directory at most.
const MAX_SECTIONS: u64 = 1 << 20;

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
    /// Postings in their buckets.
    pub(crate) const POSTINGS: Kind = Kind(*b"POST");
    /// Number of the first posting of each bucket.
    pub(crate) const BUCKETS: Kind = Kind(*b"BUCK");
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
    /// Numbers of games that are not indexed.
    pub(crate) const IRREGULAR: Kind = Kind(*b"IRRG");
    /// What the index was made from.
    pub(crate) const STAMP: Kind = Kind(*b"STMP");

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
    /// Bits of a hash that choose a bucket.
    pub(crate) bucket_bits: U32,
    pub(crate) exact_plies: U32,
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

/// A rank that shares 255 positions or more with the one before.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct LongPrefix {
    pub(crate) rank: U32,
    pub(crate) common: U32,
}

/// Where a section is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned,
)]
#[repr(C)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) segment: U32,
    pub(crate) offset: U64,
    pub(crate) length: U64,
    /// Number of records.
    pub(crate) count: U64,
    /// CRC-32 of the checksums of its chunks, which follow it.
    pub(crate) crc: U32,
    reserved: U32,
}
const _: () = assert!(size_of::<Entry>() == 40);

#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: U32,
    byte_order: U32,
    generation: U64,
    directory: U64,
    directory_length: U64,
    directory_crc: U32,
    reserved: [u8; 16],
    /// CRC-32 of the bytes before.
    crc: U32,
}
const _: () = assert!(size_of::<Header>() == 64);

/// Why an index cannot be used; the text is for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It is not an index of positions, or damaged.
    Damaged(String),
    /// It was written by an older version and is to be built again.
    Older,
    /// It was written by a newer version.
    Newer(u32),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Damaged(why) => write!(f, "damaged: {why}"),
            Self::Older => f.write_str("written by an older version"),
            Self::Newer(version) => write!(
                f,
                "written by a newer version of tabia: its version is {version}, this program knows \
                 up to {VERSION}"
            ),
        }
    }
}

impl std::error::Error for Unusable {}

pub(crate) fn damaged(why: impl Into<String>) -> Unusable {
    Unusable::Damaged(why.into())
}

pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The state of a file: its generation, the end of its data, and the sections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    pub(crate) generation: u64,
    /// Whether the second header is the one that counts.
    pub(crate) is_second: bool,
    pub(crate) end: u64,
    pub(crate) entries: Vec<Entry>,
}

/// The bytes from `offset` on.
fn part(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let offset = usize::try_from(offset).ok()?;
    let end = offset.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(offset..end)
}

/// Reads one of the headers and its directory.
fn read_header(file: &[u8], offset: u64) -> std::result::Result<Directory, Unusable> {
    let bytes = part(file, offset, size_of::<Header>() as u64);
    let bytes = bytes.ok_or_else(|| damaged("the header is cut off"))?;
    let header = Header::ref_from_bytes(bytes).map_err(|_| damaged("the header is cut off"))?;
    if header.magic != MAGIC {
        return Err(damaged("the header is not that of an index of positions"));
    }
    let checked = bytes.get(..bytes.len() - 4).unwrap_or_default();
    if crc(checked) != header.crc.get() {
        return Err(damaged("the checksum of the header is wrong"));
    }
    if header.byte_order.get() != BYTE_ORDER {
        return Err(damaged("its byte order is not little-endian"));
    }
    match header.version.get() {
        VERSION => {}
        version if version > VERSION => return Err(Unusable::Newer(version)),
        _ => return Err(Unusable::Older),
    }
    let directory = part(file, header.directory.get(), header.directory_length.get());
    let directory = directory.ok_or_else(|| damaged("the directory is cut off"))?;
    if crc(directory) != header.directory_crc.get() {
        return Err(damaged("the checksum of the directory is wrong"));
    }
    let entries = <[Entry]>::ref_from_bytes(directory)
        .map_err(|_| damaged("the directory has no whole number of entries"))?;
    if entries.len() as u64 > MAX_SECTIONS {
        return Err(damaged("the directory has too many entries"));
    }
    Ok(Directory {
        generation: header.generation.get(),
        is_second: offset != 0,
        end: header.directory.get() + directory.len() as u64,
        entries: entries.to_vec(),
    })
}

/// The newest complete state of a file.
pub(crate) fn read_directory(file: &[u8]) -> std::result::Result<Directory, Unusable> {
    let first = read_header(file, 0);
    let second = read_header(file, SECOND_HEADER);
    match (first, second) {
        (Ok(first), Ok(second)) if second.generation > first.generation => Ok(second),
        (Ok(first), _) => Ok(first),
        (Err(newer @ Unusable::Newer(_)), _) | (_, Err(newer @ Unusable::Newer(_))) => Err(newer),
        (_, Ok(second)) => Ok(second),
        (Err(error), _) => Err(error),
    }
}

/// A file to which a new state is written.
pub(crate) trait Target: Write + Seek {
    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// Those of the file system.
    fn sync(&mut self) -> io::Result<()>;
}

/// Appends sections, and at last the directory and the header that makes them count.
pub(crate) struct Writer<T> {
    target: T,
    state: Directory,
    at: u64,
    is_new: bool,
}

impl<T: Target> Writer<T> {
    /// Writes a new file.
    pub(crate) fn create(mut target: T) -> Result<Self> {
        target.seek(SeekFrom::Start(0))?;
        zeros(&mut target, FIRST_SECTION)?;
        Ok(Self {
            target,
            state: Directory::default(),
            at: FIRST_SECTION,
            is_new: true,
        })
    }

    /// Adds to a file in this state.
    pub(crate) fn append(mut target: T, state: Directory) -> Result<Self> {
        let length = target.seek(SeekFrom::End(0))?;
        if length < state.end {
            return Err(Error::invalid("the index of positions has become shorter"));
        }
        let at = state.end;
        target.seek(SeekFrom::Start(at))?;
        Ok(Self {
            target,
            state,
            at,
            is_new: false,
        })
    }

    /// Number of segments so far.
    pub(crate) fn segments(&self) -> u32 {
        let entries = self.state.entries.iter();
        let segments = entries.filter(|entry| entry.kind == Kind::SEGMENT);
        segments.count() as u32
    }

    /// Writes a section, of the whole database or of a segment. One that is there already no longer
    /// counts.
    pub(crate) fn section(&mut self, segment: u32, section: &Section) -> Result<()> {
        let (kind, count, bytes) = section;
        self.align()?;
        let offset = self.at;
        self.target.write_all(bytes)?;
        let checksums: Vec<U32> = bytes.chunks(CHUNK).map(|chunk| crc(chunk).into()).collect();
        let table = checksums.as_bytes();
        self.target.write_all(table)?;
        self.at += (bytes.len() + table.len()) as u64;
        let entries = &mut self.state.entries;
        entries.retain(|entry| entry.kind != *kind || entry.segment.get() != segment);
        entries.push(Entry {
            kind: *kind,
            segment: segment.into(),
            offset: offset.into(),
            length: (bytes.len() as u64).into(),
            count: (*count).into(),
            crc: crc(table).into(),
            reserved: U32::ZERO,
        });
        Ok(())
    }

    /// Pads to a multiple of 64 bytes.
    fn align(&mut self) -> Result<()> {
        let aligned = self.at.next_multiple_of(64);
        zeros(&mut self.target, aligned - self.at)?;
        self.at = aligned;
        Ok(())
    }

    /// Makes the new state count.
    pub(crate) fn finish(mut self) -> Result<T> {
        self.align()?;
        self.target.flush()?;
        self.target.sync()?;
        let directory = self.state.entries.as_bytes().to_vec();
        self.target.write_all(&directory)?;
        self.target.flush()?;
        self.target.sync()?;
        let mut header = Header {
            magic: MAGIC,
            version: VERSION.into(),
            byte_order: BYTE_ORDER.into(),
            generation: (self.state.generation + 1).into(),
            directory: self.at.into(),
            directory_length: (directory.len() as u64).into(),
            directory_crc: crc(&directory).into(),
            reserved: [0; 16],
            crc: U32::ZERO,
        };
        let bytes = header.as_bytes();
        header.crc = crc(bytes.get(..bytes.len() - 4).unwrap_or_default()).into();
        let offsets: &[u64] = match (self.is_new, self.state.is_second) {
            (true, _) => &[0, SECOND_HEADER],
            (false, true) => &[0],
            (false, false) => &[SECOND_HEADER],
        };
        for offset in offsets {
            self.target.seek(SeekFrom::Start(*offset))?;
            self.target.write_all(header.as_bytes())?;
        }
        self.target.flush()?;
        self.target.sync()?;
        Ok(self.target)
    }
}

fn zeros(target: &mut impl Write, count: u64) -> Result<()> {
    let zeros = [0; 64];
    let mut left = count;
    while left > 0 {
        let some = left.min(zeros.len() as u64);
        target.write_all(zeros.get(..some as usize).unwrap_or_default())?;
        left -= some;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one section, whose first header was changed; its checksum is right again.
    fn file(change: impl Fn(&mut Header)) -> Vec<u8> {
        let mut writer = Writer::create(io::Cursor::new(Vec::new())).unwrap();
        writer
            .section(WHOLE, &(Kind::STAMP, 1, vec![7; 5000]))
            .unwrap();
        let mut bytes = writer.finish().unwrap().into_inner();
        for at in [0, SECOND_HEADER as usize] {
            let header = Header::mut_from_bytes(&mut bytes[at..at + 64]).unwrap();
            change(header);
            header.crc = crc(&header.as_bytes()[..60]).into();
        }
        bytes
    }

    #[test]
    fn other_versions_are_named() {
        assert!(read_directory(&file(|_| {})).is_ok());
        let newer = read_directory(&file(|header| header.version = 9.into()));
        assert_eq!(newer, Err(Unusable::Newer(9)));
        assert!(newer.unwrap_err().to_string().contains("newer version"));
        let older = read_directory(&file(|header| header.version = 0.into()));
        assert_eq!(older, Err(Unusable::Older));
        let swapped = read_directory(&file(|header| header.byte_order = 0x0102_0304.into()));
        assert!(matches!(swapped, Err(Unusable::Damaged(why)) if why.contains("byte order")));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for change in [
            (|header: &mut Header| header.directory = u64::MAX.into()) as fn(&mut Header),
            |header| header.directory_length = u64::MAX.into(),
            |header| header.directory_length = 41.into(),
            |header| header.directory_crc = 1.into(),
            |header| header.magic = *b"TABIAIDY",
        ] {
            let found = read_directory(&file(change));
            assert!(matches!(found, Err(Unusable::Damaged(_))), "{found:?}");
        }
    }

    #[test]
    fn the_newer_header_counts() {
        let bytes = file(|_| {});
        let state = read_directory(&bytes).unwrap();
        assert_eq!((state.generation, state.is_second), (1, false));
        let mut writer = Writer::append(io::Cursor::new(bytes), state).unwrap();
        writer
            .section(WHOLE, &(Kind::STAMP, 1, b"new".to_vec()))
            .unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        let state = read_directory(&bytes).unwrap();
        assert_eq!((state.generation, state.is_second), (2, true));
        assert_eq!(state.entries.len(), 1);
        let mut damaged = bytes.clone();
        damaged[4100] ^= 1;
        assert_eq!(read_directory(&damaged).unwrap().generation, 1);
    }
}
