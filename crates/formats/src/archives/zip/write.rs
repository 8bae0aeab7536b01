//! Writing ZIP archives: members deflated or stored, names in UTF-8, ZIP64 only where needed.

use std::io::{self, SeekFrom, Write};

use flate2::Crc;
use flate2::write::DeflateEncoder;
use tabia_core::Result;
use tabia_core::io::Sink;

use super::{DEFLATE, STORED};
use crate::archives::create::{CreateOptions, NewMember, Packing, WriteSeek};

/// Files below this size fit the 32-bit fields, even if deflate makes them larger.
const ZIP64_FROM: u64 = 0xf000_0000;
/// Bytes packed between two checks for cancellation.
const STEP: usize = 1 << 22;

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
}

pub(super) fn create(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<()> {
    let mut all = Vec::with_capacity(members.len());
    let mut at = 0;
    for member in members {
        let written = write_member(out, member, options, at)?;
        at = out.stream_position()?;
        all.push(written);
    }
    let mut list = Sink::new();
    for member in &all {
        central(&mut list, member);
    }
    let length = list.len() as u64;
    if all.len() >= 0xffff || at + length >= ZIP64_FROM {
        wide_end(&mut list, all.len() as u64, length, at);
    }
    list.bytes(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(all.len()).unwrap_or(u16::MAX);
    list.u16_le(count);
    list.u16_le(count);
    list.u32_le(narrow(length));
    list.u32_le(narrow(at));
    list.u16_le(0);
    out.write_all(list.as_slice())?;
    Ok(())
}

/// A value for a 32-bit field; all bits are set if it is stored in a ZIP64 field.
fn narrow(value: u64) -> u32 {
    if value >= ZIP64_FROM {
        u32::MAX
    } else {
        value as u32
    }
}

fn write_member(
    out: &mut dyn WriteSeek,
    member: &NewMember,
    options: &CreateOptions,
    at: u64,
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
    };
    // The packed size is not yet known: the header is written again after the data.
    let header = local(&written);
    out.write_all(header.as_slice())?;
    let start = at + header.len() as u64;
    if stored {
        out.write_all(&bytes)?;
    } else {
        let mut encoder = DeflateEncoder::new(BorrowedWriter(out), flate2::Compression::default());
        for part in bytes.chunks(STEP) {
            options.check()?;
            encoder.write_all(part)?;
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
fn common(sink: &mut Sink, member: &WrittenMember, wide: bool) {
    sink.u16_le(if wide { 45 } else { 20 });
    sink.u16_le(1 << 11);
    sink.u16_le(member.method);
    sink.u16_le(member.time);
    sink.u16_le(member.date);
    sink.u32_le(member.crc);
    for size in [member.packed, member.size] {
        sink.u32_le(if wide { u32::MAX } else { size as u32 });
    }
    sink.u16_le(member.name.len() as u16);
}

/// The local header of a member.
fn local(member: &WrittenMember) -> Sink {
    let wide = member.size >= ZIP64_FROM;
    let mut sink = Sink::new();
    sink.bytes(b"PK\x03\x04");
    common(&mut sink, member, wide);
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
    let (wide, far) = (member.size >= ZIP64_FROM, member.at >= ZIP64_FROM);
    sink.bytes(b"PK\x01\x02");
    sink.u16_le(45);
    common(sink, member, wide);
    let length = u16::from(wide) * 16 + u16::from(far) * 8;
    sink.u16_le(if length > 0 { length + 4 } else { 0 });
    sink.zeros(10);
    sink.u32_le(narrow(member.at));
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
