//! [`Writer`]: appends sections to the file, and at last the directory and the header that makes them count.

use std::io::{self, Seek, SeekFrom, Write};

use tabia_core::{Error, Result};
use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use super::directory::{BYTE_ORDER, Directory, Entry, Header, MAGIC, SECOND_HEADER, VERSION, crc};
use super::layout::{CHUNK, Kind, Section};

/// Offset of the first section.
const FIRST_SECTION: u64 = 8192;

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

    /// The number of the next segment.
    pub(crate) fn next_segment(&self) -> u32 {
        let entries = self.state.entries.iter();
        let segments = entries.filter(|entry| entry.kind == Kind::SEGMENT);
        let last = segments.map(|entry| entry.segment.get()).max();
        last.map_or(0, |last| last.saturating_add(1))
    }

    /// A section of that kind, of the whole database, no longer counts.
    pub(crate) fn drop_section(&mut self, kind: Kind) {
        let entries = &mut self.state.entries;
        entries.retain(|entry| entry.kind != kind);
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
    use crate::directory::{Unusable, read_directory};
    use crate::layout::WHOLE;
    use zerocopy::FromBytes;

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
