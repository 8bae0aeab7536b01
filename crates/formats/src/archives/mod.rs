//! Containers: archives of several files, and compressed streams.
//!
//! [`open_archive`] finds the format by content and gives an [`Archive`]: a list of [`Member`]s,
//! each read whole ([`Archive::read`]) or as a stream ([`Archive::stream`]). [`source`] makes a
//! database inside an archive readable like one in a folder; [`extract`](extract()) and
//! [`create`](create()) move files out and in. [`compressed`] inflates and deflates single streams.

use std::fmt;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tabia_core::error::{Malformed, Why};
use tabia_core::formats::{Confidence, FileFormat, Limits, OpenOptions, Probe};
use tabia_core::io::{Blob, Source};
use tabia_core::{Error, ErrorKind, FormatId, Result};

use crate::ARCHIVES;

pub mod cbv;
pub mod compressed;
pub mod create;
mod extract;
mod on_error;
mod safe_names;
pub mod scv;
mod timestamp;
mod verified_reader;
pub mod zip;

pub use create::{CreateOptions, NewMember, Packing, create, format_of_name};
pub use extract::{Extracted, extract};
pub use on_error::Faults;
pub use safe_names::safe_name;
pub use timestamp::Stamp;

/// An archive format.
#[derive(Debug)]
pub struct ArchiveFormat {
    /// Names and detection.
    pub file: FileFormat,
    /// Opens an archive.
    pub open: fn(&Source, &OpenOptions) -> Result<Box<dyn Archive>>,
    /// Writes an archive.
    pub create: Option<CreateArchive>,
    /// How members can be packed, beside [`Packing::Best`].
    pub packings: &'static [Packing],
}

/// Writes an archive of members whose names are safe and differ.
pub type CreateArchive = fn(&mut dyn create::WriteSeek, &[NewMember], &CreateOptions) -> Result<()>;

/// The names of an archive format and how it is recognised: an archive has no companions.
const fn file_format(
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

/// What an archive says of itself.
#[derive(Debug)]
pub struct ArchiveInfo {
    /// Its format.
    pub format: FormatId,
    /// What names it in messages.
    pub label: Arc<Path>,
    /// Further facts, as stored: key and value.
    pub facts: Vec<(String, String)>,
    /// What is wrong with the list of members. Faults inside members show when those are read.
    pub problems: Vec<Error>,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Name as stored, folders separated by `/`. Never a path to write to: see [`safe_name`].
    pub name: String,
    /// Unpacked bytes, when the archive says so.
    pub size: Option<u64>,
    /// Bytes in the archive.
    pub stored: u64,
    /// How it is packed, for people: `stored`, `lz`, `deflate`, ….
    pub compression: String,
    /// Whether the archive holds a checksum of it.
    pub checked: bool,
    /// When the file was last changed.
    pub modified: Option<Stamp>,
    /// Where the content is to be found when not, or not only, in the archive.
    pub uri: Option<String>,
    /// Further facts, as stored: key and value.
    pub facts: Vec<(String, String)>,
}

/// What a checksum says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// The bytes are those that were packed.
    Ok,
    /// They are not, or cannot be read.
    Bad,
    /// The archive holds no checksum.
    Absent,
}

impl Checksum {
    /// As listings show it: `ok`, `bad` or `absent`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Bad => "bad",
            Self::Absent => "absent",
        }
    }
}

/// An open archive. Members can be read at the same time from any number of threads.
pub trait Archive: Send + Sync + fmt::Debug {
    /// What the archive says of itself.
    fn info(&self) -> &ArchiveInfo;

    /// The members in the order stored.
    fn members(&self) -> &[Member];

    /// The bounds in force.
    fn limits(&self) -> &Limits;

    /// The unpacked bytes of a member, bit by bit; memory does not depend on their number.
    /// Everything before a fault is delivered. `faults` says whether one ends the stream.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for packing methods that are not read, [`ErrorKind::Limit`],
    /// [`ErrorKind::Malformed`]; errors of the stream carry an [`Error`].
    fn stream(&self, index: usize, faults: &Faults) -> Result<Box<dyn Read + Send>>;

    /// A whole member, with its size and checksum verified.
    ///
    /// # Errors
    /// As for [`Archive::stream`]; [`ErrorKind::Limit`] when it exceeds [`Limits::member`].
    fn read(&self, index: usize) -> Result<Blob> {
        read_stream(
            self.stream(index, &Faults::stop())?,
            self.members().get(index),
            self.limits(),
        )
        .map_err(|error| error.in_file(&self.info().label))
    }

    /// Whether a checksum may be right without the member being unpacked: what is stored is summed.
    fn sums_what_is_stored(&self) -> bool {
        false
    }

    /// Compares a member with its checksum.
    fn checksum(&self, index: usize) -> Checksum {
        if self
            .members()
            .get(index)
            .is_some_and(|member| !member.checked)
        {
            return Checksum::Absent;
        }
        checksum_of_stream(self, index)
    }
}

/// Reads a member to its end, which compares it with its size and checksum.
///
/// # Errors
/// What is wrong with it.
pub fn read_member<A: Archive + ?Sized>(archive: &A, index: usize) -> Result<()> {
    let mut stream = archive.stream(index, &Faults::stop())?;
    // Large parts: what is unpacked into small ones takes half as long again.
    let mut part = vec![0; PART];
    loop {
        match stream.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Bytes of a member that are unpacked at once.
const PART: usize = 1 << 18;

fn checksum_of_stream<A: Archive + ?Sized>(archive: &A, index: usize) -> Checksum {
    match read_member(archive, index) {
        Ok(()) => Checksum::Ok,
        Err(_) => Checksum::Bad,
    }
}

/// The archive that `source` is; `None` when it is none.
///
/// # Errors
/// [`ErrorKind::Password`] when it needs one, or another one; otherwise what makes it unreadable.
pub fn open_archive(source: &Source, options: &OpenOptions) -> Result<Option<Box<dyn Archive>>> {
    let bytes = source.main().open()?;
    let probe = Probe {
        name: Some(source.name()),
        head: bytes.get(..Probe::HEAD).unwrap_or(&bytes),
        len: Some(bytes.len() as u64),
    };
    match detect(&probe) {
        Some(format) => (format.open)(source, options)
            .map(Some)
            .map_err(|error| error.in_file(source.label())),
        None => Ok(None),
    }
}

/// The archive format that fits best.
pub fn detect(probe: &Probe<'_>) -> Option<&'static ArchiveFormat> {
    let scored = ARCHIVES
        .iter()
        .map(|format| ((format.file.score)(probe), *format))
        .filter(|(score, _)| *score > Confidence::No);
    scored
        .max_by_key(|(score, _)| *score)
        .map(|(_, format)| format)
}

/// The member of that name: exactly, else whatever the letter case.
pub fn find(archive: &dyn Archive, name: &str) -> Option<usize> {
    let members = archive.members();
    let lower = name.to_lowercase();
    members
        .iter()
        .position(|member| member.name == name)
        .or_else(|| {
            members
                .iter()
                .position(|member| member.name.to_lowercase() == lower)
        })
}

/// What survives of a member, and what is wrong with it.
///
/// # Errors
/// When nothing can be read at all.
pub fn salvage(archive: &dyn Archive, index: usize) -> Result<(Blob, Vec<Error>)> {
    let faults = Faults::note();
    let mut stream = archive.stream(index, &faults)?;
    let mut bytes = Vec::new();
    let copied = stream
        .by_ref()
        .take(archive.limits().member)
        .read_to_end(&mut bytes);
    let mut errors = faults.take();
    if let Err(error) = copied {
        errors.push(Error::from(error).in_file(&archive.info().label));
    }
    Ok((Blob::from(bytes), errors))
}

/// A member as an input, with the members beside it that belong to the same database. They are
/// unpacked into memory; faults that were survived are returned as well.
///
/// # Errors
/// When the member itself cannot be read, or all of them exceed [`Limits::member`].
pub fn source(archive: &dyn Archive, index: usize) -> Result<(Source, Vec<Error>)> {
    let label = &archive.info().label;
    let member = member(archive, index)?;
    let (folder, main) = split(&member.name);
    let base = base_name(main).to_lowercase();
    let mut wanted = Vec::new();
    let mut total = 0_u64;
    for (i, other) in archive.members().iter().enumerate() {
        let (its_folder, name) = split(&other.name);
        if its_folder == folder && name.to_lowercase().starts_with(&base) {
            total = total.saturating_add(other.size.unwrap_or_default());
            wanted.push((i, name));
        }
    }
    Limits::check("unpacked database", total, archive.limits().member)
        .map_err(|error| error.in_file(label))?;
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for ((i, name), unpacked) in wanted.iter().zip(read_all(archive, &wanted)) {
        match unpacked {
            Ok((bytes, faults)) => {
                files.push(((*name).to_owned(), bytes));
                problems.extend(faults);
            }
            Err(error) if *i == index => return Err(error),
            Err(error) => problems.push(error),
        }
    }
    let name = format!("{}:{}", label.display(), member.name);
    Ok((Source::from_members(name, main, files)?, problems))
}

/// What a member unpacks to, with faults that were survived.
type Unpacked = Result<(Blob, Vec<Error>)>;

/// Unpacks members on all processors; the results are in the order of `wanted`.
fn read_all(archive: &dyn Archive, wanted: &[(usize, &str)]) -> Vec<Unpacked> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, _)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Only what is damaged is read a second time.
            let whole = archive.read(*index).map(|bytes| (bytes, Vec::new()));
            done.push((*index, whole.or_else(|_| salvage(archive, *index))));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut done: Vec<(usize, Unpacked)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(wanted.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut done = work();
        // A thread that died has left members out; they are read below.
        done.extend(
            others
                .into_iter()
                .filter_map(|other| other.join().ok())
                .flatten(),
        );
        done
    });
    done.sort_by_key(|(index, _)| *index);
    let mut done = done.into_iter().peekable();
    let mut all = Vec::with_capacity(wanted.len());
    for (index, _) in wanted {
        let found = done.next_if(|(its_index, _)| its_index == index);
        all.push(found.map_or_else(|| salvage(archive, *index), |(_, unpacked)| unpacked));
    }
    all
}

/// The member of that number.
fn member(archive: &dyn Archive, index: usize) -> Result<&Member> {
    let missing = || Error::new(ErrorKind::MissingFile(format!("number {index}")));
    archive
        .members()
        .get(index)
        .ok_or_else(|| missing().in_file(&archive.info().label))
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

fn base_name(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(base, _)| base)
}

/// Reads a stream to its end and compares the number of bytes with what the archive says. Memory
/// is taken as bytes arrive, never by a size that a file claims.
fn read_stream(
    stream: Box<dyn Read + Send>,
    member: Option<&Member>,
    limits: &Limits,
) -> Result<Blob> {
    let claimed = member.and_then(|member| member.size);
    if let Some(size) = claimed {
        Limits::check("unpacked member", size, limits.member)?;
    }
    let mut bytes = Vec::new();
    stream
        .take(limits.member.saturating_add(1))
        .read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    Limits::check("unpacked member", size, limits.member)?;
    match claimed {
        Some(claimed) if claimed != size => Err(size_fault(claimed, size).into()),
        _ => Ok(Blob::from(bytes)),
    }
}

/// More or fewer bytes than the archive says.
fn size_fault(claimed: u64, found: u64) -> Malformed {
    let why = if found < claimed {
        Why::Truncated {
            needed: claimed as usize,
            left: found as usize,
        }
    } else {
        Why::Value(claimed)
    };
    Malformed {
        field: "size",
        at: 0,
        why,
    }
}
/// Copies as much of `plain` as fits, from what was given before on; how much that is.
fn give(plain: &[u8], given: &mut usize, out: &mut [u8]) -> usize {
    let rest = plain.get(*given..).unwrap_or_default();
    let length = rest.len().min(out.len());
    if let (Some(from), Some(to)) = (rest.get(..length), out.get_mut(..length)) {
        to.copy_from_slice(from);
    }
    *given += length;
    length
}
