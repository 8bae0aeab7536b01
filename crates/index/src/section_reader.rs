//! Sections of an index that is read: every byte is checked before it is used for the first time.

use std::sync::atomic::{AtomicU64, Ordering};

use tabia_core::io::{Blob, LostFiles};
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use crate::directory::{Entry, Unusable, crc, damaged};
use crate::layout::CHUNK;

/// Whether all bytes of the file could be read so far.
pub(crate) fn check_file(file: &LostFiles) -> Result<(), Unusable> {
    file.check()
        .map_err(|_| damaged("it was cut off, or its disk failed, while it was read"))
}

/// A section and its checksums.
#[derive(Debug)]
pub(crate) struct SectionReader {
    name: String,
    bytes: Blob,
    checksums: Blob,
    /// One bit for each chunk whose checksum is right.
    checked: Box<[AtomicU64]>,
    count: u64,
    /// Who watches the file.
    file: LostFiles,
}

impl SectionReader {
    /// The section of an entry of the directory.
    pub(crate) fn open(file: &Blob, entry: &Entry, watching: &LostFiles) -> Result<Self, Unusable> {
        let name = entry.kind.name();
        let cut = || damaged(format!("section {name} is cut off"));
        let offset = usize::try_from(entry.offset.get()).map_err(|_| cut())?;
        let length = usize::try_from(entry.length.get()).map_err(|_| cut())?;
        let bytes = file.part(offset, length).ok_or_else(cut)?;
        let chunks = length.div_ceil(CHUNK);
        let end = offset.checked_add(length).ok_or_else(cut)?;
        let table = file.part(end, chunks * size_of::<U32>()).ok_or_else(cut)?;
        if crc(&table) != entry.crc.get() {
            let text = format!("the checksums of section {name} are wrong");
            return Err(damaged(text));
        }
        let words = (0..chunks.div_ceil(64)).map(|_| AtomicU64::new(0));
        Ok(Self {
            bytes,
            checksums: table,
            checked: words.collect(),
            count: entry.count.get(),
            name,
            file: watching.clone(),
        })
    }

    /// Number of records, as the directory states.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What is wrong with the section.
    pub(crate) fn damaged(&self, why: &str) -> Unusable {
        damaged(format!("section {}: {why}", self.name))
    }

    /// Some of its bytes, checked.
    pub(crate) fn bytes(&self, from: usize, length: usize) -> Result<&[u8], Unusable> {
        let end = from.checked_add(length);
        let found = end.and_then(|end| self.bytes.as_slice().get(from..end));
        let found = found.ok_or_else(|| self.damaged("an offset exceeds it"))?;
        if length > 0 {
            for chunk in from / CHUNK..=(from + length - 1) / CHUNK {
                if let Err(wrong) = self.check(chunk) {
                    // Zeros instead of lost bytes have other checksums.
                    check_file(&self.file)?;
                    return Err(wrong);
                }
            }
        }
        check_file(&self.file)?;
        Ok(found)
    }

    /// Bytes from an offset on, at most `length`, fewer at the end.
    pub(crate) fn bytes_up_to(&self, from: usize, length: usize) -> Result<&[u8], Unusable> {
        self.bytes(from, length.min(self.len().saturating_sub(from)))
    }

    /// Some of its records, checked.
    pub(crate) fn records<T>(&self, from: usize, count: usize) -> Result<&[T], Unusable>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        let size = size_of::<T>();
        let offsets = from.checked_mul(size).zip(count.checked_mul(size));
        let (from, length) = offsets.ok_or_else(|| self.damaged("an offset exceeds it"))?;
        let bytes = self.bytes(from, length)?;
        <[T]>::ref_from_bytes(bytes).map_err(|_| self.damaged("its length is wrong"))
    }

    /// A record, checked.
    pub(crate) fn record<T>(&self, index: usize) -> Result<&T, Unusable>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        let records = self.records(index, 1)?;
        records
            .first()
            .ok_or_else(|| self.damaged("an offset exceeds it"))
    }

    /// Checks every byte.
    pub(crate) fn check_all(&self) -> Result<(), Unusable> {
        self.bytes(0, self.len()).map(|_| ())
    }

    #[inline]
    fn check(&self, chunk: usize) -> Result<(), Unusable> {
        let bit = 1 << (chunk % 64);
        let word = self.checked.get(chunk / 64);
        if word.is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0) {
            return Ok(());
        }
        self.check_now(chunk)?;
        if let Some(word) = word {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(())
    }

    #[cold]
    fn check_now(&self, chunk: usize) -> Result<(), Unusable> {
        let bytes = self.bytes.as_slice();
        let end = (chunk * CHUNK + CHUNK).min(bytes.len());
        let bytes = bytes.get(chunk * CHUNK..end).unwrap_or_default();
        let table = <[U32]>::ref_from_bytes(&self.checksums).ok();
        let wanted = table.and_then(|table| table.get(chunk));
        if wanted.is_some_and(|wanted| wanted.get() == crc(bytes)) {
            return Ok(());
        }
        let text = format!(
            "section {}: the checksum of bytes {:#x} to {:#x} is wrong",
            self.name,
            chunk * CHUNK,
            end
        );
        Err(damaged(text))
    }
}

/// Reads a number of seven bits a byte, the lowest first, and moves `rest` to the byte after it.
#[inline]
pub(crate) fn read_number(rest: &mut &[u8]) -> Option<usize> {
    match rest {
        // Most are small.
        [byte @ ..0x80, after @ ..] => {
            let number = usize::from(*byte);
            *rest = after;
            Some(number)
        }
        _ => read_long_number(rest),
    }
}

fn read_long_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
