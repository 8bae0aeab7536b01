//! [`EndMark`]: how far a database is read for its index, and whether it is unchanged up to where it was
//! read before.

use tabia_core::games::Database;
use tabia_core::io::Blob;
use tabia_index::{Batch, Crc32, ReadMark, digest_of_games};

use crate::input::{InputItem, OpenInput};
use crate::job_summary::Base;

/// How far an item is read.
pub(super) enum EndMark {
    /// All records of a database.
    Records(ReadMark),
    /// A text.
    Text(Text),
}

/// A text: up to its last block, in which the last game may go on when more is appended.
pub(super) struct Text {
    file: Blob,
    /// The checksum of the first bytes, and how many they are.
    crc: Crc32,
    checked: u64,
    /// Where the last block begins.
    last: Base,
    /// Its games, and the digest of them.
    games: u32,
    digest: u64,
}

impl EndMark {
    /// For an open item, and whether nothing was changed up to the mark `known`. `None` if that cannot be
    /// found out without reading the games.
    pub(super) fn new(
        item: &InputItem,
        input: &OpenInput,
        known: Option<&ReadMark>,
    ) -> (Option<Self>, bool) {
        match input {
            OpenInput::Database(database) => {
                let is_known = known.is_some_and(|known| is_prefix(&**database, known));
                let records = database.len();
                let mark = database.digest(records).map(|digest| {
                    let mut mark = ReadMark::default();
                    (mark.records, mark.digest) = (records, digest);
                    Self::Records(mark)
                });
                (mark, is_known)
            }
            OpenInput::Blocks(_) => {
                let Some(file) = text_file(item) else {
                    return (None, false);
                };
                let mut text = Text {
                    file,
                    crc: Crc32::default(),
                    checked: 0,
                    last: Base::default(),
                    games: 0,
                    digest: 0,
                };
                let is_known = known.is_some_and(|known| text.begins_with(known));
                (Some(Self::Text(text)), is_known)
            }
            _ => (None, false),
        }
    }

    /// Notes games that were read; those of a text in blocks.
    pub(super) fn read(&mut self, batch: &Batch, base: Base) {
        let Self::Text(text) = self else {
            return;
        };
        if text.last.bytes != base.bytes {
            (text.games, text.digest) = (0, 0);
        }
        text.last = base;
        text.games = text.games.saturating_add(batch.len() as u32);
        text.digest = digest_of_games(text.digest, batch, base.games);
    }

    /// The mark, and the checksum of the main file if it is known.
    pub(super) fn finish(self) -> (Option<ReadMark>, Option<u32>) {
        match self {
            Self::Records(mark) => (Some(mark), None),
            Self::Text(mut text) => {
                let mut mark = ReadMark::default();
                mark.records = text.last.games;
                mark.bytes = text.last.bytes;
                mark.lines = text.last.lines;
                mark.games_after = text.games;
                mark.digest_after = text.digest;
                let digest = text.checksum(mark.bytes);
                let whole = text.checksum(text.file.len() as u64);
                mark.digest = digest.unwrap_or_default().into();
                let is_useful = digest.is_some() && mark.bytes > 0 && mark.games_after > 0;
                (is_useful.then_some(mark), whole)
            }
        }
    }
}

impl Text {
    /// The checksum of the first bytes, which are not fewer than those asked for before.
    fn checksum(&mut self, end: u64) -> Option<u32> {
        let from = usize::try_from(self.checked).ok()?;
        let bytes = self.file.get(from..usize::try_from(end).ok()?)?;
        self.crc.update(bytes);
        self.checked = end;
        Some(self.crc.sum())
    }

    fn begins_with(&mut self, known: &ReadMark) -> bool {
        let found = self.checksum(known.bytes);
        found.is_some_and(|crc| u64::from(crc) == known.digest)
    }
}

/// Whether the first records of a database are those before the mark.
fn is_prefix(database: &dyn Database, known: &ReadMark) -> bool {
    known.bytes == 0 && database.digest(known.records) == Some(known.digest)
}

/// The file whose bytes a text has; `None` if they are decompressed or decoded from UTF-16.
fn text_file(item: &InputItem) -> Option<Blob> {
    let source = item.source().filter(|source| !source.is_interrupted())?;
    let file = Blob::open(source.main().path()?).ok()?;
    let head = file.get(..4.min(file.len())).unwrap_or_default();
    let is_utf16 = head.contains(&0) || matches!(head.first(), Some(0xfe | 0xff));
    (!is_utf16).then_some(file)
}
