//! The trait of open archives, and the types that describe an archive and its members.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use tabia_core::formats::{Confidence, FileFormat, Limits, OpenOptions, Probe};
use tabia_core::io::{Blob, Source};
use tabia_core::{Error, ErrorKind, FormatId, Result};

use super::create::{CreateOptions, NewMember, Packing, WriteSeek};
use super::read_member::{read_stream, verify_stream};
use super::{OnError, Timestamp};

/// An archive format.
#[derive(Debug)]
pub struct ArchiveFormat {
    /// Names and detection.
    pub file: FileFormat,
    /// Opens an archive.
    pub open: fn(&Source, &OpenOptions) -> Result<Box<dyn Archive>>,
    /// Writes an archive; `None` if the format is only read.
    pub create: Option<CreateArchive>,
    /// The ways to pack members in addition to [`Packing::Best`].
    pub packings: &'static [Packing],
}

/// Writes an archive of members whose names are safe and differ.
pub type CreateArchive = fn(&mut dyn WriteSeek, &[NewMember], &CreateOptions) -> Result<()>;

/// The names of an archive format and its detection. Archives have no companion files.
pub(super) const fn file_format(
    id: &str,
    name: &'static str,
    extensions: &'static [&'static str],
    score: fn(&Probe<'_>) -> Confidence,
    evidence: &'static str,
) -> FileFormat {
    FileFormat {
        id: FormatId::new(id),
        name,
        extensions,
        companions: &[],
        score,
        evidence,
    }
}

/// A description of an archive.
#[derive(Debug)]
pub struct ArchiveInfo {
    /// Its format.
    pub format: FormatId,
    /// Its name in messages.
    pub label: Arc<Path>,
    /// Further properties as stored: key and value.
    pub facts: Vec<(String, String)>,
    /// Problems in the list of members. Problems inside members are reported when these are read.
    pub problems: Vec<Error>,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Name as stored, folders separated by `/`. Never use it as a path to write to: see
    /// [`safe_name`](super::safe_name).
    pub name: String,
    /// Size when unpacked, in bytes; `None` if the archive does not state it.
    pub size: Option<u64>,
    /// Size in the archive, in bytes.
    pub packed_size: u64,
    /// Name of the compression for people: `stored`, `lz`, `deflate`, ….
    pub compression: String,
    /// Whether the archive holds a checksum of it.
    pub has_checksum: bool,
    /// When the file was last changed.
    pub modified: Option<Timestamp>,
    /// The address of the content, if the archive states one; the archive may then lack the
    /// content itself.
    pub uri: Option<String>,
    /// Further properties as stored: key and value.
    pub facts: Vec<(String, String)>,
}

/// The result of comparing a member with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumStatus {
    /// The bytes are those that were packed.
    Ok,
    /// The bytes differ from those that were packed, or cannot be read.
    Bad,
    /// The archive holds no checksum of the member.
    Absent,
}

impl ChecksumStatus {
    /// Its name in listings: `ok`, `bad` or `absent`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Bad => "bad",
            Self::Absent => "absent",
        }
    }
}

/// The parts that all open archives have in common.
#[derive(Debug)]
pub struct ArchiveContents {
    /// A description of the archive.
    pub info: ArchiveInfo,
    /// The members in the order stored.
    pub members: Vec<Member>,
    /// The limits that apply to reading.
    pub limits: Limits,
}

impl ArchiveContents {
    /// The member with that index.
    ///
    /// # Errors
    /// [`ErrorKind::MissingFile`] if the archive has no such member.
    pub fn member(&self, index: usize) -> Result<&Member> {
        self.members
            .get(index)
            .ok_or_else(|| self.missing_member(index))
    }

    /// The error for an index without a member.
    pub(super) fn missing_member(&self, index: usize) -> Error {
        let missing = ErrorKind::MissingFile(format!("number {index}"));
        Error::new(missing).in_file(&self.info.label)
    }
}

/// An open archive. Members can be read at the same time from any number of threads.
pub trait Archive: Send + Sync + fmt::Debug {
    /// The description and the members of the archive.
    fn contents(&self) -> &ArchiveContents;

    /// A description of the archive.
    fn info(&self) -> &ArchiveInfo {
        &self.contents().info
    }

    /// The members in the order stored.
    fn members(&self) -> &[Member] {
        &self.contents().members
    }

    /// The limits that apply to reading.
    fn limits(&self) -> &Limits {
        &self.contents().limits
    }

    /// A stream of the unpacked bytes of a member. Its memory does not depend on the size of the
    /// member. All bytes before an error are delivered; `on_error` decides whether an error ends
    /// the stream.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for compressions that cannot be read, [`ErrorKind::Limit`],
    /// [`ErrorKind::Malformed`]; errors of the stream carry an [`Error`].
    fn stream(&self, index: usize, on_error: &OnError) -> Result<Box<dyn Read + Send>>;

    /// The unpacked bytes of a member, with its size and checksum verified.
    ///
    /// # Errors
    /// As for [`Archive::stream`]; [`ErrorKind::Limit`] if it exceeds [`Limits::member`].
    fn read(&self, index: usize) -> Result<Blob> {
        read_stream(
            self.stream(index, &OnError::stop())?,
            self.members().get(index),
            self.limits(),
        )
        .map_err(|error| error.in_file(&self.info().label))
    }

    /// Whether the checksums are those of the packed bytes: then [`Archive::checksum`] can return
    /// [`ChecksumStatus::Ok`] for a member that cannot be unpacked.
    fn checksums_cover_packed_bytes(&self) -> bool {
        false
    }

    /// Compares a member with its checksum.
    fn checksum(&self, index: usize) -> ChecksumStatus {
        let member = self.members().get(index);
        if member.is_some_and(|member| !member.has_checksum) {
            return ChecksumStatus::Absent;
        }
        verify_stream(self, index)
    }
}
