//! ZIP archives: members stored, deflated, or compressed as [`compressed`](super::compressed) streams.
//!
//! Layout: PKWARE's APPNOTE.TXT 6.3. Members are found by the central directory at the end of the
//! file; if that is missing or damaged, or belongs to an archive that is a member of this one, by their
//! own headers; so are members to which their offsets in the central directory do not lead. Sizes and offsets beyond 32 bits (ZIP64) and bytes before the archive (self-extracting
//! programs) are supported. Members that share bytes are refused.

mod directory;
mod local_headers;
mod relocate;
mod write;

use std::io::{self, Read};
use std::sync::Arc;

use tabia_core::error::Why;
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::io::{Blob, Charset, Source};
use tabia_core::plural::counted;
use tabia_core::{Error, FormatId, Malformed, Result};

use super::archive::file_format;
use super::compressed::decompress;
use super::extents::{Extent, bytes_after_end, mark_lost, refuse_shared_bytes};
use super::inflate_reader::InflateReader;
use super::verified_reader::{Expected, VerifiedReader};
use super::{
    Archive, ArchiveContents, ArchiveFormat, ArchiveInfo, Member, OnError, Packing, Presence,
};
use directory::Entry;
use local_headers::LocalHeader;

/// ZIP archives.
pub static ZIP: ArchiveFormat = ArchiveFormat {
    file: file_format("zip", "ZIP archive", &["zip"], score, ""),
    open,
    create: if cfg!(feature = "writers") {
        Some(write::create)
    } else {
        None
    },
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
        head if probe.extension() == "zip" && may_have_lost_its_start(head) => Confidence::ByName,
        _ => Confidence::No,
    }
}

/// Whether an archive may begin like this whose first bytes are lost, or that has other bytes before it.
fn may_have_lost_its_start(head: &[u8]) -> bool {
    let is_packed = |byte: &u8| matches!(byte, 1..=8 | 14..=26 | 28..=31);
    memchr::memmem::find(head, b"PK\x03\x04").is_some()
        || head.iter().filter(|byte| is_packed(byte)).count() > head.len() / 32
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
    charset: Charset,
}

fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Archive>> {
    let bytes = source.main().open()?;
    let label = Arc::clone(source.label());
    let (mut entries, mut problems) = entries(&bytes, options.charset)?;
    let (moved, missing) = relocate::relocate(&bytes, &mut entries);
    problems.extend(moved);
    let members = entries.iter().map(|entry| Member {
        name: entry.name.clone(),
        size: entry.size,
        packed_size: entry.packed,
        compression: method_name(entry.method),
        has_checksum: true,
        modified: entry.modified,
        uri: None,
        facts: Vec::new(),
        presence: Presence::Stored,
    });
    let mut members: Vec<Member> = members.collect();
    let what = [
        "has no header in the archive, so that nothing of it can be read",
        "have no header in the archive, so that nothing of them can be read",
    ];
    problems.extend(mark_lost(&mut members, &missing, what));
    let extents: Vec<Extent> = entries.iter().map(Entry::extent).collect();
    problems.extend(refuse_shared_bytes(&mut members, &extents));
    let problems = problems
        .into_iter()
        .map(|problem| problem.in_file(&label))
        .collect();
    let contents = ArchiveContents {
        members,
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
        charset: options.charset,
    }))
}

/// The entries of the central directory; if it cannot be read to its end, of all members that are found
/// by their local headers.
fn entries(bytes: &[u8], charset: Charset) -> Result<(Vec<Entry>, Vec<Error>)> {
    let (listed, problems, why) = match directory::read(bytes, charset) {
        Ok((listed, problems)) => match problems.first() {
            None => {
                let rest = directory::after_end(bytes);
                let rest = rest.and_then(|(rest, end)| bytes_after_end(rest, end));
                return Ok((listed, rest.into_iter().collect()));
            }
            Some(problem) => {
                let why = problem.clone();
                (listed, problems, why)
            }
        },
        Err(why) => (Vec::new(), Vec::new(), why),
    };
    let (found, others) = local_headers::scan(bytes, charset);
    if found.len() < listed.len() {
        return Ok((listed, problems));
    }
    if found.is_empty() {
        return Err(why);
    }
    let text = format!(
        "the list of members at the end cannot be used ({}); {} by their own headers",
        why.kind(),
        counted(found.len(), "member was found", "members were found")
    );
    let problem = Error::invalid(text);
    let problem = match why.location().offset {
        Some(offset) => problem.at_offset(offset),
        None => problem,
    };
    let problems = std::iter::once(problem).chain(others);
    Ok((found, problems.collect()))
}

impl ZipArchive {
    /// The packed bytes of a member and their offset. A local header with another name is reported.
    fn data(&self, entry: &Entry, on_error: &OnError) -> Result<(Blob, u64)> {
        let at = usize::try_from(entry.at).unwrap_or(usize::MAX);
        let header = LocalHeader::read(&self.bytes, at)?;
        if header.name != entry.stored_name {
            let name = directory::decode_name(header.name, header.fields.flags, self.charset);
            if name != entry.name {
                let text = format!(
                    "the header before its data names it `{}`",
                    name.escape_debug()
                );
                on_error.report(Error::invalid(text).at_offset(entry.at))?;
            }
        }
        // If the file is cut off, the bytes up to its end are returned.
        let left = self.bytes.len() - header.data;
        let length = usize::try_from(entry.packed)
            .unwrap_or(usize::MAX)
            .min(left);
        let part = self
            .bytes
            .part(header.data, length)
            .unwrap_or_else(|| Blob::from(Vec::new()));
        Ok((part, header.data as u64))
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
        self.contents.refuse_lost(index)?;
        let unsupported = |what: &str| {
            let text = format!("{what} is not supported");
            Err(Error::unsupported(text).in_file(label))
        };
        if entry.encrypted {
            return unsupported("encryption in ZIP archives");
        }
        let (data, at) = self
            .data(entry, on_error)
            .map_err(|error| error.in_file(label))?;
        if entry.size.is_none() {
            let malformed = Malformed {
                field: "descriptor",
                at: data.len(),
                why: Why::Truncated { needed: 1, left: 0 },
            };
            on_error.report(malformed.at_base(at).in_file(label))?;
        }
        let raw: Box<dyn Read + Send> = Box::new(io::Cursor::new(data));
        let inner: Box<dyn Read + Send> = match entry.method {
            STORED => raw,
            DEFLATE => Box::new(InflateReader::new(raw, false)),
            BZIP2 | ZSTD | XZ => decompress(raw).map_err(|error| error.in_file(label))?.0,
            method => return unsupported(&format!("compression {}", method_name(method))),
        };
        let expected = Expected {
            size: entry.size,
            limit: self.contents.limits.unpacked_from(entry.packed),
            label: Arc::clone(label),
            at,
        };
        // Without a size the checksum is missing too.
        let crc = entry.size.map(|_| entry.crc);
        let check = Box::new(move |unpacked| crc.is_none_or(|crc| unpacked == crc));
        Ok(Box::new(VerifiedReader::new(
            inner, expected, check, on_error,
        )))
    }
}
