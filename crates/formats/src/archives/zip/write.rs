//! Writing ZIP archives: members deflated or stored, names in UTF-8, ZIP64 only where needed.

use std::io::{self, SeekFrom, Write};

use flate2::Crc;
use flate2::write::DeflateEncoder;
use tabia_core::Result;
use tabia_core::io::Sink;

use super::{DEFLATE, STORED};
use crate::archives::create_options::{CreateOptions, Packing, STEP, WriteSeek};
use crate::archives::new_member::NewMember;

/// Sizes and offsets from this one on are written to 64-bit fields. Files below this size fit the 32-bit
/// fields even if deflate makes them larger.
const WIDE_FROM: u64 = 0xf000_0000;

/// The fields of the headers of a member.
struct WrittenMember {
    name: String,
    time: u16,
    date: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    at: u64,
    /// Whether the sizes are in 64-bit fields.
    is_wide: bool,
    /// Whether the offset is in a 64-bit field.
    is_far: bool,
}

pub(super) fn create(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<()> {
    write(out, members, options, WIDE_FROM)
}

/// As [`create`], with 64-bit fields from another size on.
fn write(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
    wide_from: u64,
) -> Result<()> {
    let mut all = Vec::with_capacity(members.len());
    let mut at = 0;
    for member in members {
        let written = write_member(out, member, options, at, wide_from)?;
        at = out.stream_position()?;
        all.push(written);
    }
    let mut list = Sink::new();
    for member in &all {
        central(&mut list, member);
    }
    let length = list.len() as u64;
    if all.len() >= 0xffff || at + length >= wide_from {
        wide_end(&mut list, all.len() as u64, length, at);
    }
    list.bytes(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(all.len()).unwrap_or(u16::MAX);
    list.u16_le(count);
    list.u16_le(count);
    for value in [length, at] {
        list.u32_le(narrow(value, value >= wide_from));
    }
    list.u16_le(0);
    out.write_all(list.as_slice())?;
    Ok(())
}

/// A value for a 32-bit field; all bits are set if it is stored in a 64-bit field.
fn narrow(value: u64, is_wide: bool) -> u32 {
    if is_wide { u32::MAX } else { value as u32 }
}

fn write_member(
    out: &mut dyn WriteSeek,
    member: &NewMember,
    options: &CreateOptions,
    at: u64,
    wide_from: u64,
) -> Result<WrittenMember> {
    let bytes = member.open()?;
    let stored = options.packing == Packing::Stored || bytes.is_empty();
    let modified = member
        .modified
        .filter(|modified| (1980..=2107).contains(&modified.year));
    let (time, date) = modified.map_or((0, 0x21), |modified| {
        let time = u16::from(modified.hour) << 11 | u16::from(modified.minute) << 5;
        let date =
            (modified.year - 1980) << 9 | u16::from(modified.month) << 5 | u16::from(modified.day);
        (time | (u16::from(modified.second) / 2), date)
    });
    let mut crc = Crc::new();
    crc.update(&bytes);
    let mut written = WrittenMember {
        name: member.name.clone(),
        time,
        date,
        method: if stored { STORED } else { DEFLATE },
        crc: crc.sum(),
        packed: 0,
        size: bytes.len() as u64,
        at,
        is_wide: bytes.len() as u64 >= wide_from,
        is_far: at >= wide_from,
    };
    // The packed size is not yet known: the header is written again after the data.
    let header = local(&written);
    out.write_all(header.as_slice())?;
    let start = at + header.len() as u64;
    if stored {
        for part in bytes.chunks(STEP) {
            out.write_all(part)?;
            options.advance(part.len())?;
        }
    } else {
        let mut encoder = DeflateEncoder::new(BorrowedWriter(out), flate2::Compression::default());
        for part in bytes.chunks(STEP) {
            encoder.write_all(part)?;
            options.advance(part.len())?;
        }
        encoder.finish()?;
    }
    let end = out.stream_position()?;
    written.packed = end - start;
    out.seek(SeekFrom::Start(at))?;
    out.write_all(local(&written).as_slice())?;
    out.seek(SeekFrom::Start(end))?;
    Ok(written)
}

/// Implements `Write` for the borrowed target.
struct BorrowedWriter<'a>(&'a mut dyn WriteSeek);

impl Write for BorrowedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes the fields that both headers share, from the version needed to the size of the name.
fn common(sink: &mut Sink, member: &WrittenMember) {
    sink.u16_le(if member.is_wide { 45 } else { 20 });
    sink.u16_le(1 << 11);
    sink.u16_le(member.method);
    sink.u16_le(member.time);
    sink.u16_le(member.date);
    sink.u32_le(member.crc);
    for size in [member.packed, member.size] {
        sink.u32_le(narrow(size, member.is_wide));
    }
    sink.u16_le(member.name.len() as u16);
}

/// The local header of a member.
fn local(member: &WrittenMember) -> Sink {
    let wide = member.is_wide;
    let mut sink = Sink::new();
    sink.bytes(b"PK\x03\x04");
    common(&mut sink, member);
    sink.u16_le(if wide { 20 } else { 0 });
    sink.bytes(member.name.as_bytes());
    if wide {
        sink.u16_le(1);
        sink.u16_le(16);
        sink.u64_le(member.size);
        sink.u64_le(member.packed);
    }
    sink
}

/// Writes the entry of a member in the central directory.
fn central(sink: &mut Sink, member: &WrittenMember) {
    let (wide, far) = (member.is_wide, member.is_far);
    sink.bytes(b"PK\x01\x02");
    sink.u16_le(45);
    common(sink, member);
    let length = u16::from(wide) * 16 + u16::from(far) * 8;
    sink.u16_le(if length > 0 { length + 4 } else { 0 });
    sink.zeros(10);
    sink.u32_le(narrow(member.at, far));
    sink.bytes(member.name.as_bytes());
    if length > 0 {
        sink.u16_le(1);
        sink.u16_le(length);
        if wide {
            sink.u64_le(member.size);
            sink.u64_le(member.packed);
        }
        if far {
            sink.u64_le(member.at);
        }
    }
}

/// Writes the ZIP64 end record and its locator.
fn wide_end(list: &mut Sink, count: u64, length: u64, at: u64) {
    list.bytes(b"PK\x06\x06");
    list.u64_le(44);
    list.u16_le(45);
    list.u16_le(45);
    list.zeros(8);
    list.u64_le(count);
    list.u64_le(count);
    list.u64_le(length);
    list.u64_le(at);
    list.bytes(b"PK\x06\x07\0\0\0\0");
    list.u64_le(at + length);
    list.bytes(&[1, 0, 0, 0]);
}

#[cfg(test)]
mod tests {
    use super::super::{directory, local_headers};
    use super::*;
    use std::io::Cursor;
    use tabia_core::formats::OpenOptions;
    use tabia_core::io::{Blob, Charset, Source};

    fn members() -> Vec<(String, Vec<u8>)> {
        let sizes = [0, 1, 100, 101, 5_000];
        let members = sizes.iter().enumerate();
        let member = |(i, size): (usize, &usize)| (format!("{i}.pgn"), vec![b'a' + i as u8; *size]);
        members.map(member).collect()
    }

    /// An archive of [`members`] with 64-bit fields from a size on.
    fn archive(wide_from: u64) -> Vec<u8> {
        let new =
            |(name, bytes): (String, Vec<u8>)| NewMember::from_bytes(name, Blob::from(bytes), None);
        let members: Vec<NewMember> = members().into_iter().map(new).collect();
        let options = CreateOptions {
            packing: Packing::Stored,
            ..CreateOptions::default()
        };
        let mut out = Cursor::new(Vec::new());
        write(&mut out, &members, &options, wide_from).unwrap();
        out.into_inner()
    }

    fn read_back(bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
        let files = vec![("a.zip".to_owned(), Blob::from(bytes))];
        let source = Source::from_members("a.zip", "a.zip", files).unwrap();
        let archive = super::super::open(&source, &OpenOptions::default()).unwrap();
        assert!(
            archive.info().problems.is_empty(),
            "{:?}",
            archive.info().problems
        );
        let members = archive.members().iter().enumerate();
        let read =
            members.map(|(i, member)| (member.name.clone(), archive.read(i).unwrap().to_vec()));
        read.collect()
    }

    #[test]
    fn sizes_and_offsets_of_64_bits_round_trip() {
        // 101: from the second of two offsets and sizes on, and exactly at one.
        for wide_from in [0, 1, 100, 101, 200, 5_000, WIDE_FROM] {
            let bytes = archive(wide_from);
            assert!(read_back(bytes.clone()) == members(), "{wide_from}");
            // The same by the local headers.
            let (found, problems) = local_headers::scan(&bytes, Charset::Auto);
            assert!(problems.is_empty(), "{wide_from}: {problems:?}");
            let sizes: Vec<_> = found
                .iter()
                .map(|entry| (entry.packed, entry.size))
                .collect();
            let expected = members();
            let expected: Vec<_> = expected
                .iter()
                .map(|(_, bytes)| (bytes.len() as u64, Some(bytes.len() as u64)))
                .collect();
            assert_eq!(sizes, expected, "{wide_from}");
        }
    }

    /// The 64-bit fields are where APPNOTE.TXT puts them.
    #[test]
    fn the_64_bit_layout_is_that_of_the_specification() {
        let member = WrittenMember {
            name: "a".to_owned(),
            time: 0,
            date: 0,
            method: STORED,
            crc: 7,
            packed: 0x1_0000_0002,
            size: 0x1_0000_0003,
            at: 0x1_0000_0004,
            is_wide: true,
            is_far: true,
        };
        let header = local(&member);
        let extra = b"a\x01\0\x10\0\x03\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0";
        assert_eq!(header.as_slice()[4..6], [45, 0]);
        assert_eq!(header.as_slice()[18..26], [0xff; 8]);
        assert_eq!(header.as_slice()[28..], [b"\x14\0", &extra[..]].concat());
        let mut list = Sink::new();
        central(&mut list, &member);
        let far = b"\x04\0\0\0\x01\0\0\0";
        assert_eq!(list.as_slice()[4..8], [45, 0, 45, 0]);
        assert_eq!(list.as_slice()[30..32], [28, 0]);
        assert_eq!(list.as_slice()[42..46], [0xff; 4]);
        let mut expected = [&extra[..], far].concat();
        expected[3] = 24;
        assert_eq!(list.as_slice()[46..], expected);
        let mut end = Sink::new();
        wide_end(&mut end, 5, 6, 0x1_0000_0007);
        let expected = b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0\
            \x05\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0\x07\0\0\0\x01\0\0\0\
            PK\x06\x07\0\0\0\0\x0d\0\0\0\x01\0\0\0\x01\0\0\0";
        assert_eq!(end.as_slice(), expected);
    }

    #[test]
    fn more_members_than_16_bits_can_count_round_trip() {
        for count in [0xfffe, 0xffff, 0x1_0000] {
            let member =
                |i: usize| NewMember::from_bytes(format!("{i}"), Blob::from(Vec::new()), None);
            let members: Vec<NewMember> = (0..count).map(member).collect();
            let mut out = Cursor::new(Vec::new());
            create(&mut out, &members, &CreateOptions::default()).unwrap();
            let bytes = out.into_inner();
            let is_wide = bytes.windows(4).any(|window| window == b"PK\x06\x06");
            assert_eq!(is_wide, count >= 0xffff);
            let (entries, problems) = directory::read(&bytes, Charset::Auto).unwrap();
            assert_eq!((entries.len(), problems.len()), (count, 0));
            assert_eq!(entries[count - 1].name, format!("{}", count - 1));
        }
    }
}
