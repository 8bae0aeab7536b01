//! The headers and the directory of the file: reading its newest complete state.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::layout::Kind;

pub(super) const MAGIC: [u8; 8] = *b"TABIAIDX";

pub(super) const VERSION: u32 = 3;

/// Reads as another number in a file of the other byte order.
pub(super) const BYTE_ORDER: u32 = 0x0403_0201;

/// Offset of the second header.
pub(super) const SECOND_HEADER: u64 = 4096;

/// Entries of a directory at most.
const MAX_SECTIONS: u64 = 1 << 20;

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
    pub(super) reserved: U32,
}

const _: () = assert!(size_of::<Entry>() == 40);

#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct Header {
    pub(super) magic: [u8; 8],
    pub(super) version: U32,
    pub(super) byte_order: U32,
    pub(super) generation: U64,
    pub(super) directory: U64,
    pub(super) directory_length: U64,
    pub(super) directory_crc: U32,
    pub(super) reserved: [u8; 16],
    /// CRC-32 of the bytes before.
    pub(super) crc: U32,
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
fn read_header(file: &[u8], offset: u64) -> Result<Directory, Unusable> {
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
pub(crate) fn read_directory(file: &[u8]) -> Result<Directory, Unusable> {
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
