//! The parts of a book: files, each with a range of its blocks.

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::io::{Blob, Source, SourceFile};
use tabia_core::plural::counted;

use super::header::Header;
use super::key::Key;
use super::read_element::{BLOCK, Elements, declared_bytes, key_of};

/// The blocks of all parts of a book.
#[derive(Debug)]
pub(super) struct Parts {
    parts: Vec<Part>,
    blocks: u32,
}

#[derive(Debug)]
struct Part {
    blob: Blob,
    /// Offset of the first block.
    offset: usize,
    /// Number of the first block.
    first: u32,
}

/// The base name of a book's files, and the number of the part; `None` without a number.
pub(super) fn split_name(name: &str) -> (&str, Option<u32>) {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let numbered = stem.rsplit_once('_').and_then(|(base, digits)| {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
        let number = digits
            .parse()
            .ok()
            .filter(|_| is_number && !has_leading_zero)?;
        Some((base, Some(number)))
    });
    numbered.unwrap_or((stem, None))
}

/// Whether a file contains all blocks of a book.
fn is_complete(file: &SourceFile) -> bool {
    let Ok(blob) = file.open() else {
        return false;
    };
    Header::read(&blob).is_ok_and(|header| {
        let blocks = (header.blocks as usize).saturating_mul(BLOCK);
        blob.len() == header.length.saturating_add(blocks)
    })
}

/// The file of a set with a name, ignoring case.
pub(super) fn file<'s>(source: &'s Source, name: &str) -> Option<&'s SourceFile> {
    let name = name.to_lowercase();
    [source.main()]
        .into_iter()
        .chain(source.siblings())
        .chain(source.parts())
        .find(|file| file.name.to_lowercase() == name)
}

impl Parts {
    /// Opens the parts of a book and adds contradictions to `problems`. Also returns the base name of
    /// its other files.
    pub(super) fn open(
        source: &Source,
        problems: &mut Vec<String>,
    ) -> Result<(String, Header, Self)> {
        source.require_listing()?;
        let (mut base, mut number) = split_name(source.name());
        let mut main = source.main();
        if number.is_some_and(|number| number > 0) {
            match file(source, &format!("{base}_0.kob")) {
                Some(first) => main = first,
                // The number may belong to the name.
                None if is_complete(main) => {
                    let name = source.name();
                    base = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                    number = None;
                }
                None => {
                    let missing = ErrorKind::MissingFile(format!("{base}_0.kob"));
                    return Err(Error::new(missing).in_file(source.label()));
                }
            }
        }
        let part = |number: u32| file(source, &format!("{base}_{number}.kob"));
        let blob = main.open()?;
        let header = Header::read(&blob).map_err(|why| {
            let expected = super::FORMAT.file.id;
            Error::new(ErrorKind::WrongFormat { expected, why }).in_file(source.label())
        })?;
        let mut parts = Self {
            parts: Vec::new(),
            blocks: 0,
        };
        let mut bytes = (blob.len() - header.length) as u64;
        parts.push(blob, header.length, 0, problems);
        if number.is_some() {
            let mut next = 1;
            while let Some(file) = part(next) {
                let blob = file.open()?;
                bytes += blob.len() as u64;
                parts.push(blob, 0, next, problems);
                next += 1;
            }
            let later = source.parts().iter().filter_map(|file| {
                let (other_base, number) = split_name(&file.name);
                let is_same = other_base.eq_ignore_ascii_case(base);
                let is_part = file.name.to_lowercase().ends_with(".kob");
                number.filter(|number| is_same && is_part && *number > next)
            });
            if let Some(later) = later.min() {
                problems.push(format!(
                    "part {next} is missing: part {later} and what follows is not read"
                ));
            }
        }
        let expected = u64::from(header.blocks) * BLOCK as u64;
        if bytes != expected {
            problems.push(format!(
                "the header states {}, the files have {} of blocks, which is {}",
                counted(header.blocks, "block", "blocks"),
                counted(bytes, "byte", "bytes"),
                bytes / BLOCK as u64,
            ));
            // Blocks beyond are left from an older book.
            parts.blocks = parts.blocks.min(header.blocks);
        }
        Ok((base.to_owned(), header, parts))
    }

    fn push(&mut self, blob: Blob, offset: usize, number: u32, problems: &mut Vec<String>) {
        let bytes = blob.len().saturating_sub(offset);
        if !bytes.is_multiple_of(BLOCK) {
            let rest = bytes % BLOCK;
            problems.push(format!(
                "{} at the end of part {number}, which is no complete block",
                counted(rest, "byte", "bytes")
            ));
        }
        let count = u32::try_from(bytes / BLOCK).unwrap_or(u32::MAX);
        self.parts.push(Part {
            blob,
            offset,
            first: self.blocks,
        });
        self.blocks = self.blocks.saturating_add(count);
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> u32 {
        self.blocks
    }

    /// Number of files.
    pub(super) fn files(&self) -> usize {
        self.parts.len()
    }

    /// The bytes of a block.
    pub(super) fn block(&self, number: u32) -> Option<&[u8]> {
        if number >= self.blocks {
            return None;
        }
        let next = self.parts.partition_point(|part| part.first <= number);
        let part = self.parts.get(next.checked_sub(1)?)?;
        let start = part.offset + (number - part.first) as usize * BLOCK;
        part.blob.get(start..start + BLOCK)
    }

    /// The bytes of a block up to its declared length; empty if this is impossible.
    fn used(&self, number: u32) -> &[u8] {
        self.block(number)
            .and_then(declared_bytes)
            .unwrap_or_default()
    }

    /// The elements of a block.
    pub(super) fn elements(&self, number: u32) -> Elements<'_> {
        Elements::of(self.used(number))
    }

    /// The element at an offset of a block. The declared length of the block is not checked again.
    pub(super) fn element(&self, number: u32, at: usize) -> Option<&[u8]> {
        Elements::from(self.block(number)?, at)?.next()
    }

    /// The key of the first element of a block.
    pub(super) fn first_key(&self, number: u32) -> Option<Key> {
        self.elements(number).next().and_then(key_of)
    }

    /// The last block whose first key is not greater, by binary search. `range` shrinks to keys with
    /// the same result.
    pub(super) fn search(&self, key: &Key, range: &mut KeyRange) -> Option<u32> {
        let (mut low, mut high) = (0, self.blocks);
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            // Blocks without elements are skipped.
            let next = (middle..high).find_map(|block| Some((block, self.first_key(block)?)));
            match next {
                Some((block, first)) if range.reaches(key, first) => {
                    found = Some(block);
                    low = block + 1;
                }
                _ => high = middle,
            }
        }
        found
    }
}

/// The keys that compare like one key with all bounds of its binary search.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyRange {
    first: Key,
    /// Exclusive; `None`: no upper bound.
    end: Option<Key>,
}

impl KeyRange {
    /// All keys.
    pub(super) const ALL: KeyRange = KeyRange {
        first: Key([0; Key::SIZE]),
        end: None,
    };

    pub(super) fn contains(&self, key: &Key) -> bool {
        self.first <= *key && self.end.is_none_or(|end| *key < end)
    }

    /// Whether a key is not less than a bound. The range shrinks to keys on the same side of it.
    pub(super) fn reaches(&mut self, key: &Key, bound: Key) -> bool {
        let reaches = bound <= *key;
        if reaches {
            self.first = self.first.max(bound);
        } else {
            self.end = Some(self.end.map_or(bound, |end| end.min(bound)));
        }
        reaches
    }
}
