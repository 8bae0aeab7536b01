//! Reading archives of ChessBase.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::Why;
use tabia_core::formats::OpenOptions;
use tabia_core::plural::counted;
use tabia_core::{Error, ErrorKind, FormatId, Malformed, Result};

use super::decrypted_bytes::DecryptedBytes;
use super::directory::{self, Entry};
use super::{BLOCK, DIRECTORY, RECORD, checksum, huffman_decoder, lz_decoder};
use crate::archives::extents::{Extent, bytes_after_end, mark_lost, refuse_shared_bytes};
use crate::archives::unpacked_limit_error::exceeds_limit;
use crate::archives::{Archive, ArchiveContents, ArchiveInfo, Member, OnError, Presence};

/// The most bytes that a block may unpack to. Blocks of ChessBase unpack to at most [`BLOCK`].
const MAX_BLOCK: usize = 1 << 20;

/// An open CBV or CBZ archive.
pub(super) struct CbvArchive {
    bytes: DecryptedBytes,
    contents: ArchiveContents,
    /// The directory record of each member.
    entries: Vec<Entry>,
}

impl fmt::Debug for CbvArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CbvArchive")
            .field("info", &self.contents.info)
            .finish()
    }
}

/// The bytes from `end` on and where they begin, unless they only fill up the last encrypted block.
fn rest_of(bytes: &DecryptedBytes, end: u64) -> Option<(Cow<'_, [u8]>, u64)> {
    let at = usize::try_from(end).ok()?;
    let length = bytes.len().checked_sub(at)?;
    (length > bytes.padding()).then_some((bytes.get(at, length)?, end))
}

impl CbvArchive {
    pub(super) fn open(
        bytes: DecryptedBytes,
        format: FormatId,
        label: &Arc<Path>,
        options: &OpenOptions,
    ) -> Result<Self> {
        let head = bytes.get(0, DIRECTORY).unwrap_or_default();
        if !directory::is_header(&head) {
            let why = "the header of a ChessBase archive is missing".to_owned();
            return Err(Error::new(ErrorKind::WrongFormat {
                expected: format,
                why,
            }));
        }
        let count = directory::count(&head)?;
        drop(head);
        let mut problems = Vec::new();
        let mut entries = Vec::new();
        let mut members = Vec::new();
        for number in 0..count {
            let at = directory::record_at(number);
            let Some(record) = bytes.get(at, RECORD) else {
                let left = bytes.len().saturating_sub(at);
                let why = Why::Truncated {
                    needed: (count - number) * RECORD,
                    left,
                };
                let malformed = Malformed {
                    field: "directory",
                    at: 0,
                    why,
                };
                problems.push(malformed.at_base(at as u64).in_file(label));
                break;
            };
            let entry = directory::entry(&record, options.charset)
                .map_err(|malformed| malformed.at_base(at as u64))?;
            members.push(Member {
                name: entry.name.clone(),
                size: Some(entry.size),
                packed_size: entry.packed,
                compression: compression(&bytes, &entry).to_owned(),
                has_checksum: true,
                modified: entry.modified,
                uri: None,
                facts: Vec::new(),
                presence: Presence::Stored,
            });
            entries.push(entry);
        }
        if let (true, Some(problem)) = (entries.is_empty(), problems.pop()) {
            return Err(problem);
        }
        let extents: Vec<Extent> = entries.iter().map(Entry::extent).collect();
        let length = bytes.len() as u64;
        let is_cut_off = |index: &usize| {
            let extent = extents.get(*index);
            extent.is_some_and(|(start, end)| start < end && *start >= length)
        };
        let missing: Vec<usize> = (0..extents.len()).filter(is_cut_off).collect();
        let what = [
            "is missing: the archive is cut off",
            "are missing: the archive is cut off",
        ];
        let shared = refuse_shared_bytes(&mut members, &extents);
        let directory_end = directory::record_at(count) as u64;
        let damaged: Vec<usize> = (0..entries.len())
            .filter(|index| {
                entries
                    .get(*index)
                    .is_some_and(|entry| entry.is_damaged(directory_end))
            })
            .collect();
        let damaged = mark_lost(
            &mut members,
            &damaged,
            [
                "has a damaged record in the directory",
                "have damaged records in the directory",
            ],
        );
        let unclaimed = unclaimed_bytes(&extents, directory_end, length);
        let found = shared
            .into_iter()
            .chain(damaged)
            .chain(unclaimed)
            .chain(nameless_members(&members))
            .chain(mark_lost(&mut members, &missing, what));
        let ends = extents.iter().map(|(_, end)| *end);
        let end = ends.chain([directory_end]).max();
        let rest = rest_of(&bytes, end.unwrap_or_default());
        let found = found.chain(rest.and_then(|(rest, end)| bytes_after_end(&rest, end)));
        problems.extend(found.map(|problem| problem.in_file(label)));
        let info = ArchiveInfo {
            format,
            label: Arc::clone(label),
            facts: Vec::new(),
            problems,
        };
        let contents = ArchiveContents {
            info,
            members,
            limits: options.limits,
        };
        Ok(Self {
            bytes,
            contents,
            entries,
        })
    }

    fn blocks(&self, index: usize, on_error: &OnError) -> Result<BlockReader> {
        let entry = self
            .entries
            .get(index)
            .ok_or_else(|| self.contents.missing_member(index))?;
        self.contents.refuse_lost(index)?;
        // If the file is cut off, the blocks up to its end can be read.
        let length = self.bytes.len();
        let at = usize::try_from(entry.at).unwrap_or(usize::MAX).min(length);
        let packed = usize::try_from(entry.packed).unwrap_or(usize::MAX);
        let end = at.saturating_add(packed).min(length);
        let limit = self.contents.limits.unpacked_from((end - at) as u64);
        Ok(BlockReader {
            bytes: self.bytes.clone(),
            label: Arc::clone(&self.contents.info.label),
            on_error: on_error.clone(),
            at,
            end,
            remaining: entry.size,
            limit,
            produced: 0,
            codes: huffman_decoder::CodeTable::default(),
            lz_codes: Vec::new(),
            ended: false,
        })
    }
}

/// Members without a name, of which no file can be made.
fn nameless_members(members: &[Member]) -> Option<Error> {
    let stored = |member: &&Member| member.presence == Presence::Stored;
    let count = members
        .iter()
        .filter(stored)
        .filter(|member| member.name.is_empty())
        .count();
    (count > 0).then(|| {
        let members = counted(count, "member has", "members have");
        Error::invalid(format!("{members} no name: the directory is damaged"))
    })
}

/// Bytes between the directory and the end of the last member that belong to no member: the entry of one is damaged.
fn unclaimed_bytes(extents: &[Extent], start: u64, length: u64) -> Option<Error> {
    let mut extents: Vec<Extent> = extents.to_vec();
    extents.retain(|(start, end)| start < end);
    extents.sort_unstable();
    let (mut at, mut unclaimed) = (start, 0);
    for (start, end) in extents {
        unclaimed += start.min(length).saturating_sub(at);
        at = at.max(end);
    }
    (unclaimed > 0).then(|| {
        let bytes = counted(unclaimed, "byte belongs", "bytes belong");
        Error::invalid(format!("{bytes} to no member: the directory is damaged"))
    })
}

/// The name of the compression of the first block, `unknown` if that is missing. Other blocks can differ.
fn compression(bytes: &DecryptedBytes, entry: &Entry) -> &'static str {
    let first = usize::try_from(entry.at)
        .ok()
        .and_then(|at| at.checked_add(4));
    let mode = first
        .filter(|_| entry.packed > 4)
        .and_then(|at| bytes.get(at, 1))
        .and_then(|mode| mode.first().copied());
    match mode {
        None if entry.size > 0 => "unknown",
        None | Some(0) => "stored",
        Some(1) => "lz",
        Some(2) => "huffman",
        Some(3) => "lz+huffman",
        Some(_) => "unknown",
    }
}

impl Archive for CbvArchive {
    fn contents(&self) -> &ArchiveContents {
        &self.contents
    }

    fn stream(&self, index: usize, on_error: &OnError) -> Result<Box<dyn Read + Send>> {
        let blocks = self.blocks(index, on_error)?;
        Ok(Box::new(MemberStream {
            blocks,
            window: Vec::new(),
            copied: 0,
        }))
    }
}

/// Reads the blocks of one member.
struct BlockReader {
    bytes: DecryptedBytes,
    label: Arc<Path>,
    on_error: OnError,
    /// Offset of the next block.
    at: usize,
    /// Offset of the end of the last block.
    end: usize,
    /// The number of unpacked bytes still to come.
    remaining: u64,
    /// The most bytes to unpack.
    limit: u64,
    /// The number of bytes unpacked so far.
    produced: u64,
    /// The Huffman codes of a block.
    codes: huffman_decoder::CodeTable,
    /// LZ codes that were Huffman-coded.
    lz_codes: Vec<u8>,
    ended: bool,
}

impl BlockReader {
    /// Unpacks the next block and appends it to `out`, which must end with the last
    /// [`lz_decoder::MAX_DISTANCE`] bytes before it; `false` at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.produced >= self.limit && self.at < self.end {
            self.ended = true;
            let error = exceeds_limit(self.limit).in_file(&self.label);
            self.on_error.report(error)?;
            return Ok(false);
        }
        let start = out.len();
        // A clone shares the bytes; the payload borrows from it while `self` changes.
        let bytes = self.bytes.clone();
        let found = match self.payload(&bytes) {
            Ok(found) => found,
            Err(error) => {
                self.ended = true;
                self.on_error.report(error)?;
                return Ok(false);
            }
        };
        let Some((at, payload)) = found else {
            self.ended = true;
            if self.remaining > 0 {
                let why = Why::Truncated {
                    needed: self.remaining as usize,
                    left: 0,
                };
                let malformed = Malformed {
                    field: "size",
                    at: 0,
                    why,
                };
                self.report(malformed, self.end)?;
            }
            return Ok(false);
        };
        let remaining = usize::try_from(self.remaining).unwrap_or(usize::MAX);
        if let Err(malformed) = self.unpack(&payload, out, remaining) {
            out.truncate(start);
            self.ended = !self.on_error.is_collecting();
            self.report(malformed, at)?;
            // Zeros keep the bytes after the block at their offsets.
            let zeros = remaining.min(BLOCK);
            out.resize(start + zeros, 0);
            self.on_error.add_zeros(zeros);
        }
        let unpacked = (out.len() - start) as u64;
        self.remaining = self.remaining.saturating_sub(unpacked);
        self.produced += unpacked;
        Ok(true)
    }

    /// The offset and the bytes of the next payload, with its checksum verified; `None` at the end.
    fn payload<'b>(&mut self, bytes: &'b DecryptedBytes) -> Result<Option<(usize, Cow<'b, [u8]>)>> {
        if self.at == self.end {
            return Ok(None);
        }
        let head = match self.inside(bytes, self.at, 4) {
            Some(head) => [0, 1, 2, 3].map(|i| head.get(i).copied().unwrap_or_default()),
            None => return Err(self.cut_off("block header", 4)),
        };
        let [l0, l1, c0, c1] = head.map(u16::from);
        let (length, stored) = (usize::from(l0 | l1 << 8), c0 | c1 << 8);
        let at = self.at + 4;
        let Some(payload) = self.inside(bytes, at, length) else {
            return Err(self.cut_off("block", 4 + length));
        };
        self.at = at + length;
        if checksum(&payload) != stored {
            let malformed = Malformed {
                field: "content",
                at: 2,
                why: Why::Checksum,
            };
            self.report(malformed, at - 4)?;
        }
        Ok(Some((at, payload)))
    }

    /// The `length` bytes at `at`; `None` if they exceed the blocks of the member.
    fn inside<'b>(
        &self,
        bytes: &'b DecryptedBytes,
        at: usize,
        length: usize,
    ) -> Option<Cow<'b, [u8]>> {
        if at.checked_add(length)? > self.end {
            return None;
        }
        bytes.get(at, length)
    }

    fn cut_off(&self, field: &'static str, needed: usize) -> Error {
        let why = Why::Truncated {
            needed,
            left: self.end - self.at,
        };
        let malformed = Malformed { field, at: 0, why };
        malformed.at_base(self.at as u64).in_file(&self.label)
    }

    fn report(&self, malformed: Malformed, base: usize) -> Result<()> {
        self.on_error
            .report(malformed.at_base(base as u64).in_file(&self.label))
    }

    /// Unpacks a payload, at most `remaining` bytes. Offsets of errors count from the start of the
    /// payload; those in Huffman-coded LZ count from the start of the LZ codes.
    fn unpack(
        &mut self,
        payload: &[u8],
        out: &mut Vec<u8>,
        remaining: usize,
    ) -> Result<(), Malformed> {
        let after_mode = |malformed: Malformed| Malformed {
            at: malformed.at + 1,
            ..malformed
        };
        match payload.split_first() {
            Some((0, stored)) if stored.len() <= remaining => {
                out.extend_from_slice(stored);
                Ok(())
            }
            Some((0, stored)) => {
                let why = Why::Value(stored.len() as u64);
                Err(Malformed {
                    field: "stored block",
                    at: 1,
                    why,
                })
            }
            Some((1, packed)) => expand(packed, out, remaining).map_err(after_mode),
            Some((2, packed)) => {
                huffman_decoder::decode(packed, &mut self.codes, out, remaining).map_err(after_mode)
            }
            Some((3, packed)) => {
                self.lz_codes.clear();
                huffman_decoder::decode(packed, &mut self.codes, &mut self.lz_codes, usize::MAX)
                    .map_err(after_mode)?;
                expand(&self.lz_codes, out, remaining)
            }
            Some((mode, _)) => Err(Malformed {
                field: "mode",
                at: 0,
                why: Why::Value(u64::from(*mode)),
            }),
            None => {
                let why = Why::Truncated { needed: 1, left: 0 };
                Err(Malformed {
                    field: "mode",
                    at: 0,
                    why,
                })
            }
        }
    }
}

/// Decodes LZ and appends the bytes to `out`.
fn expand(packed: &[u8], out: &mut Vec<u8>, remaining: usize) -> Result<(), Malformed> {
    let start = out.len();
    let mut capacity = remaining.min(BLOCK);
    loop {
        out.resize(start + capacity + lz_decoder::SLACK, 0);
        match lz_decoder::decode(packed, out, start, start + capacity) {
            Ok(end) => {
                out.truncate(end);
                return Ok(());
            }
            Err(_) if capacity < remaining.min(MAX_BLOCK) => capacity = remaining.min(MAX_BLOCK),
            Err(malformed) => return Err(malformed),
        }
    }
}

/// A member as a stream.
struct MemberStream {
    blocks: BlockReader,
    /// The last bytes delivered, then the bytes to be delivered.
    window: Vec<u8>,
    /// The number of delivered bytes in `window`.
    copied: usize,
}

impl Read for MemberStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.copied >= self.window.len() {
            let old = self.window.len().saturating_sub(lz_decoder::MAX_DISTANCE);
            self.window.drain(..old);
            self.copied = self.window.len();
            if !self.blocks.next(&mut self.window)? {
                return Ok(0);
            }
        }
        Ok(crate::archives::copy_next::copy_next(
            &self.window,
            &mut self.copied,
            out,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archives::ChecksumStatus;
    use tabia_core::io::{Blob, Sink, Source};

    /// An archive of one member of that size, from payloads.
    fn archive(size: u64, payloads: &[&[u8]]) -> Vec<u8> {
        let mut blocks = Sink::new();
        for payload in payloads {
            blocks.u16_le(payload.len() as u16);
            blocks.u16_le(checksum(payload));
            blocks.bytes(payload);
        }
        let mut file = Sink::new();
        file.bytes(&[8, 0, 1, 0, 173, 0, 3, 0]);
        file.fixed(b"a\\b.cbg", 128);
        for number in [181, blocks.len() as u64, size] {
            file.u32_le(number as u32);
        }
        file.zeros(9);
        for number in [181, blocks.len() as u64, size] {
            file.u64_le(number);
        }
        file.bytes(blocks.as_slice());
        file.into_vec()
    }

    fn open(bytes: Vec<u8>) -> Box<dyn Archive> {
        let files = vec![("a.cbv".to_owned(), Blob::from(bytes))];
        let source = Source::from_members("a.cbv", "a.cbv", files).unwrap();
        let options = OpenOptions::default();
        crate::archives::open_archive(&source, &options)
            .unwrap()
            .unwrap()
    }

    #[test]
    fn copies_reach_into_earlier_blocks() {
        // Three bytes stored; then a copy of them, and one that overlaps itself.
        let archive = open(archive(
            3 + 3 + 10,
            &[b"\0abc", &[1, 0, 0xc0, 0x30, 0, 0xa0, 0]],
        ));
        assert_eq!(archive.members()[0].name, "a/b.cbg");
        assert_eq!(&archive.read(0).unwrap()[..], b"abcabcabcabcabca");
        let mut streamed = Vec::new();
        let mut stream = archive.stream(0, &OnError::stop()).unwrap();
        stream.read_to_end(&mut streamed).unwrap();
        assert_eq!(streamed, b"abcabcabcabcabca");
    }

    #[test]
    fn wrong_sizes_are_reported() {
        let long = open(archive(2, &[b"\0abc"]));
        assert!(long.read(0).is_err());
        let short = open(archive(1 << 32, &[b"\0abc"]));
        let error = short.read(0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Malformed(_)), "{error}");
        let (saved, problems) = crate::archives::salvage(&*short, 0).unwrap();
        assert_eq!((&saved[..], problems.len()), (&b"abc"[..], 1));
        let huge = open(archive(u64::MAX, &[b"\0abc"]));
        let error = huge.read(0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Malformed(_)), "{error}");
        assert_eq!(long.checksum(0), ChecksumStatus::Bad);
        assert_eq!(short.checksum(0), ChecksumStatus::Bad);
    }

    #[test]
    fn members_unpack_to_a_limit_only() {
        // Each block of five bytes is 4,114 zeros.
        let run: &[u8] = &[1, 0, 0x80, 0x1f, 0xff, 0];
        let blocks = vec![run; 20_000];
        let archive = open(archive(20_000 * 4114, &blocks));
        let error = archive.read(0).unwrap_err();
        let limit = 64 << 20;
        assert!(
            matches!(error.kind(), ErrorKind::Limit { limit: found, .. } if *found == limit),
            "{error}"
        );
        let (saved, problems) = crate::archives::salvage(&*archive, 0).unwrap();
        assert!((limit..limit + 4114).contains(&(saved.len() as u64)));
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn a_block_that_cannot_be_unpacked_becomes_zeros() {
        let bad = [1, 0, 0x80, 0xf0, 0xff];
        let archive = open(archive(BLOCK as u64 + 3, &[&bad, b"\0abc"]));
        assert!(archive.read(0).is_err());
        let (saved, problems) = crate::archives::salvage(&*archive, 0).unwrap();
        assert_eq!((saved.len(), problems.len()), (BLOCK + 3, 1));
        assert_eq!(&saved[BLOCK..], b"abc");
        // The copy is malformed, which follows the mode and the control word of the block.
        assert_eq!(problems[0].location().offset, Some(181 + 4 + 3));
    }
}
