//! ZIP archives: members stored, deflated, or compressed as [`compressed`](super::compressed) streams.
//!
//! Layout: PKWARE's APPNOTE.TXT 6.3. Members are found by the central directory at the end of the
//! file. Sizes and offsets beyond 32 bits (ZIP64) and bytes before the archive (self-extracting
//! programs) are supported.

mod directory;
mod write;

use std::io::{self, Read};
use std::sync::Arc;

use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::io::{Blob, Cursor, Source};
use tabia_core::{Error, FormatId, Malformed, Result};

use super::archive::file_format;
use super::compressed::decompress;
use super::verified_reader::{Expected, InflateReader, VerifiedReader};
use super::{
    Archive, ArchiveContents, ArchiveFormat, ArchiveInfo, Member, OnError, Packing, Presence,
};
use directory::Entry;

/// ZIP archives.
pub static ZIP: ArchiveFormat = ArchiveFormat {
    file: file_format("zip", "ZIP archive", &["zip"], score, ""),
    open,
    create: Some(write::create),
    packings: &[Packing::Stored, Packing::Zlib],
};

const STORED: u16 = 0;
const DEFLATE: u16 = 8;
const BZIP2: u16 = 12;
const ZSTD: u16 = 93;
const XZ: u16 = 95;

fn score(probe: &Probe<'_>) -> Confidence {
    match probe.head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Confidence::Certain,
        _ => Confidence::No,
    }
}

fn method_name(method: u16) -> String {
    match method {
        STORED => "stored".to_owned(),
        DEFLATE => "deflate".to_owned(),
        BZIP2 => "bzip2".to_owned(),
        ZSTD => "zstd".to_owned(),
        XZ => "xz".to_owned(),
        other => format!("method {other}"),
    }
}

#[derive(Debug)]
struct ZipArchive {
    bytes: Blob,
    contents: ArchiveContents,
    /// The entry of each member.
    entries: Vec<Entry>,
}

fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Archive>> {
    let bytes = source.main().open()?;
    let label = Arc::clone(source.label());
    let (entries, problems) = directory::read(&bytes, options.charset)?;
    let members = entries.iter().map(|entry| Member {
        name: entry.name.clone(),
        size: Some(entry.size),
        packed_size: entry.packed,
        compression: method_name(entry.method),
        has_checksum: true,
        modified: entry.modified,
        uri: None,
        facts: Vec::new(),
        presence: Presence::Stored,
    });
    let problems = problems
        .into_iter()
        .map(|problem| problem.in_file(&label))
        .collect();
    let contents = ArchiveContents {
        members: members.collect(),
        info: ArchiveInfo {
            format: FormatId::new("zip"),
            label,
            facts: Vec::new(),
            problems,
        },
        limits: options.limits,
    };
    Ok(Box::new(ZipArchive {
        bytes,
        contents,
        entries,
    }))
}

impl ZipArchive {
    /// The packed bytes of a member and their offset.
    fn data(&self, entry: &Entry) -> Result<(Blob, u64)> {
        let base = usize::try_from(entry.at).unwrap_or(usize::MAX);
        let header = || -> Result<usize, Malformed> {
            let mut cursor = Cursor::new(&self.bytes);
            cursor.seek(base, "local header")?;
            directory::signature(&mut cursor, 4, "local header")?;
            cursor.take(22, "local header")?;
            let name = cursor.u16_le("name length")?;
            let extra = cursor.u16_le("extra length")?;
            cursor.take(usize::from(name) + usize::from(extra), "local header")?;
            Ok(cursor.offset())
        };
        let start = header()?;
        // If the file is cut off, the bytes up to its end are returned.
        let left = self.bytes.len() - start;
        let length = usize::try_from(entry.packed)
            .unwrap_or(usize::MAX)
            .min(left);
        let part = self
            .bytes
            .part(start, length)
            .unwrap_or_else(|| Blob::from(Vec::new()));
        Ok((part, start as u64))
    }
}

impl Archive for ZipArchive {
    fn contents(&self) -> &ArchiveContents {
        &self.contents
    }

    fn stream(&self, index: usize, on_error: &OnError) -> Result<Box<dyn Read + Send>> {
        let label = &self.contents.info.label;
        let entry = self
            .entries
            .get(index)
            .ok_or_else(|| self.contents.missing_member(index))?;
        let unsupported = |what: &str| {
            let text = format!("{}: {what} is not supported", entry.name);
            Err(Error::unsupported(text).in_file(label))
        };
        if entry.encrypted {
            return unsupported("encryption in ZIP archives");
        }
        let (data, at) = self.data(entry).map_err(|error| error.in_file(label))?;
        let raw: Box<dyn Read + Send> = Box::new(io::Cursor::new(data));
        let inner: Box<dyn Read + Send> = match entry.method {
            STORED => raw,
            DEFLATE => Box::new(InflateReader::new(raw, false)),
            BZIP2 | ZSTD | XZ => decompress(raw).map_err(|error| error.in_file(label))?.0,
            method => return unsupported(&format!("compression {}", method_name(method))),
        };
        let expected = Expected {
            size: Some(entry.size),
            limit: self.contents.limits.unpacked_from(entry.packed),
            label: Arc::clone(label),
            at,
        };
        let crc = entry.crc;
        let check = Box::new(move |unpacked| unpacked == crc);
        Ok(Box::new(VerifiedReader::new(
            inner, expected, check, on_error,
        )))
    }
}
