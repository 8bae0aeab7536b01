//! Opening an archive and unpacking its members.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use tabia_core::error::Why;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::io::Blob;
use tabia_core::{Error, ErrorKind, FormatId, Malformed, Result};

use super::decrypted_bytes::Store;
use super::directory::{self, Entry};
use super::{BLOCK, DIRECTORY, RECORD, checksum, huffman, lz};
use crate::archives::{Archive, ArchiveInfo, Checksum, Faults, Member};

/// No block unpacks to more: ChessBase's hold at most [`BLOCK`] bytes.
const BIGGEST: usize = 1 << 20;

/// An open CBV or CBZ archive.
pub(super) struct CbvArchive {
    store: Store,
    info: ArchiveInfo,
    limits: Limits,
    entries: Vec<Entry>,
    members: Vec<Member>,
}

impl fmt::Debug for CbvArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CbvArchive")
            .field("info", &self.info)
            .finish()
    }
}

impl CbvArchive {
    pub(super) fn open(
        store: Store,
        format: FormatId,
        label: &Arc<Path>,
        options: &OpenOptions,
    ) -> Result<Self> {
        let head = store.get(0, DIRECTORY).unwrap_or_default();
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
            let Some(record) = store.get(at, RECORD) else {
                let left = store.len().saturating_sub(at);
                let why = Why::Truncated {
                    needed: (count - number) * RECORD,
                    left,
                };
                let fault = Malformed {
                    field: "directory",
                    at: 0,
                    why,
                };
                problems.push(fault.at_base(at as u64).in_file(label));
                break;
            };
            let entry = directory::entry(&record, options.charset)
                .map_err(|fault| fault.at_base(at as u64))?;
            members.push(Member {
                name: entry.name.clone(),
                size: Some(entry.size),
                stored: entry.packed,
                compression: compression(&store, &entry).to_owned(),
                checked: true,
                modified: entry.modified,
                uri: None,
                facts: Vec::new(),
            });
            entries.push(entry);
        }
        if let (true, Some(problem)) = (entries.is_empty(), problems.pop()) {
            return Err(problem);
        }
        let info = ArchiveInfo {
            format,
            label: Arc::clone(label),
            facts: Vec::new(),
            problems,
        };
        Ok(Self {
            store,
            info,
            limits: options.limits,
            entries,
            members,
        })
    }

    fn blocks(&self, index: usize, faults: &Faults) -> Result<Blocks> {
        let label = Arc::clone(&self.info.label);
        let Some(entry) = self.entries.get(index) else {
            let missing = ErrorKind::MissingFile(format!("number {index}"));
            return Err(Error::new(missing).in_file(&label));
        };
        // Where the file ends early, the blocks before that are still there.
        let length = self.store.len();
        let at = usize::try_from(entry.at).unwrap_or(usize::MAX).min(length);
        let packed = usize::try_from(entry.packed).unwrap_or(usize::MAX);
        Ok(Blocks {
            store: self.store.clone(),
            label,
            faults: faults.clone(),
            at,
            end: at.saturating_add(packed).min(length),
            remaining: entry.size,
            codes: huffman::Codes::default(),
            plain: Vec::new(),
            over: false,
        })
    }
}

/// How the first block is packed; the others may differ.
fn compression(store: &Store, entry: &Entry) -> &'static str {
    let first = usize::try_from(entry.at)
        .ok()
        .and_then(|at| at.checked_add(4));
    let mode = first
        .filter(|_| entry.packed > 4)
        .and_then(|at| store.get(at, 1))
        .and_then(|mode| mode.first().copied());
    match mode {
        None | Some(0) => "stored",
        Some(1) => "lz",
        Some(2) => "huffman",
        Some(3) => "lz+huffman",
        Some(_) => "unknown",
    }
}

impl Archive for CbvArchive {
    fn info(&self) -> &ArchiveInfo {
        &self.info
    }

    fn members(&self) -> &[Member] {
        &self.members
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn stream(&self, index: usize, faults: &Faults) -> Result<Box<dyn Read + Send>> {
        let blocks = self.blocks(index, faults)?;
        Ok(Box::new(MemberStream {
            blocks,
            window: Vec::new(),
            given: 0,
        }))
    }

    fn read(&self, index: usize) -> Result<Blob> {
        let mut blocks = self.blocks(index, &Faults::stop())?;
        let size = Limits::check("unpacked member", blocks.remaining, self.limits.member)
            .map_err(|error| error.in_file(&self.info.label))?;
        // A size that the packed bytes do not make likely is only believed as they come.
        let likely = (blocks.end - blocks.at).saturating_mul(64);
        let mut bytes = Vec::with_capacity(size.min(likely).saturating_add(lz::SLACK));
        while blocks.next(&mut bytes)? {}
        Ok(Blob::from(bytes))
    }

    fn checksum(&self, index: usize) -> Checksum {
        let Ok(mut blocks) = self.blocks(index, &Faults::stop()) else {
            return Checksum::Bad;
        };
        let store = self.store.clone();
        loop {
            match blocks.payload(&store) {
                Ok(Some(_)) => {}
                Ok(None) => return Checksum::Ok,
                Err(_) => return Checksum::Bad,
            }
        }
    }
}

/// The blocks of one member.
struct Blocks {
    store: Store,
    label: Arc<Path>,
    faults: Faults,
    /// The next block.
    at: usize,
    /// Where the blocks end.
    end: usize,
    /// Bytes of the member still to come.
    remaining: u64,
    /// The Huffman codes of a block.
    codes: huffman::Codes,
    /// What the Huffman decoder leaves for the LZ decoder.
    plain: Vec<u8>,
    over: bool,
}

impl Blocks {
    /// Unpacks the next block to the end of `out`, which holds at least the [`lz::FARTHEST`] last
    /// bytes before it; `false` at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let start = out.len();
        // Cloning shares the bytes; the payload is borrowed while the tables are filled.
        let store = self.store.clone();
        let found = match self.payload(&store) {
            Ok(found) => found,
            Err(error) => {
                self.over = true;
                self.faults.raise(error)?;
                return Ok(false);
            }
        };
        let Some((at, payload)) = found else {
            self.over = true;
            if self.remaining > 0 {
                let why = Why::Truncated {
                    needed: self.remaining as usize,
                    left: 0,
                };
                let fault = Malformed {
                    field: "size",
                    at: 0,
                    why,
                };
                self.raise(fault, self.end)?;
            }
            return Ok(false);
        };
        let remaining = usize::try_from(self.remaining).unwrap_or(usize::MAX);
        if let Err(fault) = self.unpack(&payload, out, remaining) {
            out.truncate(start);
            self.over = !self.faults.are_noted();
            self.raise(fault, at)?;
            // What follows keeps its place.
            out.resize(start + remaining.min(BLOCK), 0);
        }
        self.remaining = self.remaining.saturating_sub((out.len() - start) as u64);
        Ok(true)
    }

    /// Place and bytes of the next payload, with its checksum compared; `None` at the end.
    fn payload<'s>(&mut self, store: &'s Store) -> Result<Option<(usize, Cow<'s, [u8]>)>> {
        if self.at == self.end {
            return Ok(None);
        }
        let head = match self.inside(store, self.at, 4) {
            Some(head) => [0, 1, 2, 3].map(|i| head.get(i).copied().unwrap_or_default()),
            None => return Err(self.cut_off("block header", 4)),
        };
        let [l0, l1, c0, c1] = head.map(u16::from);
        let (length, stored) = (usize::from(l0 | l1 << 8), c0 | c1 << 8);
        let at = self.at + 4;
        let Some(payload) = self.inside(store, at, length) else {
            return Err(self.cut_off("block", 4 + length));
        };
        self.at = at + length;
        if checksum(&payload) != stored {
            let fault = Malformed {
                field: "content",
                at: 2,
                why: Why::Checksum,
            };
            self.raise(fault, at - 4)?;
        }
        Ok(Some((at, payload)))
    }

    fn inside<'s>(&self, store: &'s Store, at: usize, length: usize) -> Option<Cow<'s, [u8]>> {
        if at.checked_add(length)? > self.end {
            return None;
        }
        store.get(at, length)
    }

    fn cut_off(&self, field: &'static str, needed: usize) -> Error {
        let why = Why::Truncated {
            needed,
            left: self.end - self.at,
        };
        let fault = Malformed { field, at: 0, why };
        fault.at_base(self.at as u64).in_file(&self.label)
    }

    fn raise(&self, fault: Malformed, base: usize) -> Result<()> {
        self.faults
            .raise(fault.at_base(base as u64).in_file(&self.label))
    }

    /// Unpacks a payload, at most `remaining` bytes. Offsets of faults count from the payload,
    /// inside Huffman-coded LZ from the start of the decoded codes.
    fn unpack(
        &mut self,
        payload: &[u8],
        out: &mut Vec<u8>,
        remaining: usize,
    ) -> Result<(), Malformed> {
        let behind_mode = |fault: Malformed| Malformed {
            at: fault.at + 1,
            ..fault
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
            Some((1, packed)) => expand(packed, out, remaining).map_err(behind_mode),
            Some((2, packed)) => {
                huffman::decode(packed, &mut self.codes, out, remaining).map_err(behind_mode)
            }
            Some((3, packed)) => {
                self.plain.clear();
                huffman::decode(packed, &mut self.codes, &mut self.plain, usize::MAX)
                    .map_err(behind_mode)?;
                expand(&self.plain, out, remaining)
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

/// Decodes LZ to the end of `out`.
fn expand(packed: &[u8], out: &mut Vec<u8>, remaining: usize) -> Result<(), Malformed> {
    let start = out.len();
    let mut room = remaining.min(BLOCK);
    loop {
        out.resize(start + room + lz::SLACK, 0);
        match lz::decode(packed, out, start, start + room) {
            Ok(end) => {
                out.truncate(end);
                return Ok(());
            }
            Err(_) if room < remaining.min(BIGGEST) => room = remaining.min(BIGGEST),
            Err(fault) => return Err(fault),
        }
    }
}

struct MemberStream {
    blocks: Blocks,
    /// The last bytes given away, then those to be given.
    window: Vec<u8>,
    given: usize,
}

impl Read for MemberStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given >= self.window.len() {
            let old = self.window.len().saturating_sub(lz::FARTHEST);
            self.window.drain(..old);
            self.given = self.window.len();
            if !self.blocks.next(&mut self.window)? {
                return Ok(0);
            }
        }
        Ok(crate::archives::give(&self.window, &mut self.given, out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::io::{Sink, Source};

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
        let mut stream = archive.stream(0, &Faults::stop()).unwrap();
        stream.read_to_end(&mut streamed).unwrap();
        assert_eq!(streamed, b"abcabcabcabcabca");
    }

    #[test]
    fn sizes_that_lie_are_told() {
        let long = open(archive(2, &[b"\0abc"]));
        assert!(long.read(0).is_err());
        let short = open(archive(1 << 32, &[b"\0abc"]));
        let error = short.read(0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Malformed(_)), "{error}");
        let (kept, problems) = crate::archives::salvage(&*short, 0).unwrap();
        assert_eq!((&kept[..], problems.len()), (&b"abc"[..], 1));
        let huge = open(archive(u64::MAX, &[b"\0abc"]));
        let error = huge.read(0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
    }

    #[test]
    fn a_block_that_cannot_be_unpacked_becomes_zeros() {
        let bad = [1, 0, 0x80, 0xf0, 0xff];
        let archive = open(archive(BLOCK as u64 + 3, &[&bad, b"\0abc"]));
        assert!(archive.read(0).is_err());
        let (kept, problems) = crate::archives::salvage(&*archive, 0).unwrap();
        assert_eq!((kept.len(), problems.len()), (BLOCK + 3, 1));
        assert_eq!(&kept[BLOCK..], b"abc");
        // The fault is in the copy, behind mode and control word of the block.
        assert_eq!(problems[0].location().offset, Some(181 + 4 + 3));
    }
}
