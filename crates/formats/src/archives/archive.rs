//! The trait of open archives, and the types that describe an archive and its members.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use tabia_core::formats::{Confidence, FileFormat, Limits, OpenOptions, Probe};
use tabia_core::io::{Blob, Progress, Source};
use tabia_core::{Error, ErrorKind, FormatId, Result};

use super::create_options::{CreateOptions, Packing, WriteSeek};
use super::memory_or_temporary_file::{CHUNK, read_unpacked};
use super::new_member::NewMember;
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
        by_products: &[],
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
    /// Whether the archive holds its bytes.
    pub presence: Presence,
}

/// Whether an archive holds the bytes of a member.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Presence {
    /// It does, perhaps not all of them: reading the member shows that.
    #[default]
    Stored,
    /// It states only an address of them; see [`Member::uri`].
    Elsewhere,
    /// Nothing of the member can be read. The reason is among [`ArchiveInfo::problems`], once for all
    /// such members.
    Lost,
}

/// The result of comparing a member with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumStatus {
    /// Every byte was read, and size and checksum agree.
    Ok,
    /// The bytes differ from those that were packed, or cannot be read.
    Bad,
    /// Every byte was read and the size agrees, but the archive holds no checksum of the member; or the
    /// archive holds only its address.
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

    /// An error for a member that is [`Presence::Lost`].
    pub(super) fn refuse_lost(&self, index: usize) -> Result<()> {
        match self.members.get(index) {
            Some(member) if member.presence == Presence::Lost => {
                let text = "nothing of it can be read; see the problems of the archive";
                Err(Error::invalid(text).in_file(&self.info.label))
            }
            _ => Ok(()),
        }
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
    /// [`ErrorKind::Unsupported`] for compressions that cannot be read, [`ErrorKind::Malformed`]; errors
    /// of the stream carry an [`Error`]. A member that unpacks to more bytes than
    /// [`Limits::unpacked_from`] allows ends there with [`ErrorKind::Limit`].
    fn stream(&self, index: usize, on_error: &OnError) -> Result<Box<dyn Read + Send>>;

    /// The unpacked bytes of a member, with its size and checksum verified: in memory, or mapped if they
    /// exceed [`Limits::member`].
    ///
    /// # Errors
    /// As for [`Archive::stream`]; [`ErrorKind::TemporaryFile`].
    fn read(&self, index: usize) -> Result<Blob> {
        let mut stream = self.stream(index, &OnError::stop())?;
        read_unpacked(&mut *stream, self.limits().member)
            .map_err(|error| error.in_file(&self.info().label))
    }

    /// Reads a member to its end and compares its size and its checksum: [`ChecksumStatus::Ok`], or
    /// [`ChecksumStatus::Absent`] if the archive holds no checksum of it.
    ///
    /// # Errors
    /// The first error in the member, or why it cannot be read.
    fn verify(&self, index: usize) -> Result<ChecksumStatus> {
        self.verify_with_progress(index, &Progress::new())
    }

    /// As [`Archive::verify`]; `progress` counts the bytes as they are unpacked, and can cancel the work.
    ///
    /// # Errors
    /// As for [`Archive::verify`]; [`ErrorKind::Cancelled`].
    fn verify_with_progress(&self, index: usize, progress: &Progress) -> Result<ChecksumStatus> {
        read_member(self, index, progress)?;
        let has_checksum = self.members().get(index).is_some_and(|m| m.has_checksum);
        Ok(if has_checksum {
            ChecksumStatus::Ok
        } else {
            ChecksumStatus::Absent
        })
    }

    /// As [`Archive::verify`], with [`ChecksumStatus::Bad`] for an error. A member of which the archive
    /// holds only the address is [`ChecksumStatus::Absent`].
    fn checksum(&self, index: usize) -> ChecksumStatus {
        let member = self.members().get(index);
        if member.is_some_and(|member| member.presence == Presence::Elsewhere) {
            return ChecksumStatus::Absent;
        }
        self.verify(index).unwrap_or(ChecksumStatus::Bad)
    }
}

/// Reads a member to its end, which verifies its size and checksum. `progress` counts its bytes.
///
/// # Errors
/// The first error in the member; [`ErrorKind::Cancelled`].
pub fn read_member<A: Archive + ?Sized>(
    archive: &A,
    index: usize,
    progress: &Progress,
) -> Result<()> {
    let mut stream = archive.stream(index, &OnError::stop())?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                progress.advance(length as u64, 0);
                progress.check()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}
