//! Side files that newer versions added: `.cbj` (games), `.cbtt` (tournaments), `.cbm` (media),
//! `.flags` (top games). None is required; missing records and fields are read as unset.

use std::borrow::Cow;

use tabia_core::error::{Malformed, Why};
use tabia_core::io::{Blob, Sink};
use tabia_core::plural::counted;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::charset::until_zero;
use super::records::{
    EXTENDED_DEFAULT, ExtendedRecord, FLAGS_MAGIC, FlagsHeader, MediaRecord, SideHeader,
    TOURNAMENT_EXTRA_DEFAULT, TournamentExtraRecord,
};

/// A new side file that contains only its header; `count` is that of [`SideHeader`].
pub(super) fn side_header(version: u32, record_size: u32, count: u32) -> Sink {
    let mut sink = Sink::new();
    sink.u32_le(version);
    sink.u32_le(record_size);
    sink.u32_le(count);
    sink.zeros(20);
    sink
}

/// Sizes of the records of a side file in the known versions, in bytes.
pub(super) type RecordSizes = &'static [(u32, u32)];

/// Sizes of the records of `.cbj`, by version.
pub(super) const EXTENDED_SIZES: RecordSizes = &[
    (1, 8),
    (3, 20),
    (5, 30),
    (6, 38),
    (7, 74),
    (8, 78),
    (11, 120),
];
/// Sizes of the records of `.cbtt`, by version.
pub(super) const EXTRA_SIZES: RecordSizes = &[(2, 61), (3, 65), (4, 223), (5, 405)];
/// Sizes of the records of `.cbm`, by version.
pub(super) const MEDIA_SIZES: RecordSizes = &[(1, 1024)];

/// A file of records of one size after a 32-byte header.
#[derive(Debug, Clone)]
pub struct SideTable {
    blob: Blob,
    header: SideHeader,
    record_size: usize,
    records: u32,
}

impl SideTable {
    /// The table in the bytes of a file. The number of records follows from the file's size, not
    /// from the header.
    ///
    /// # Errors
    /// If the header is cut off or states a record size of 0.
    pub fn new(blob: Blob) -> Result<Self, Malformed> {
        let Some(header) = SideHeader::read(blob.prefix(SideHeader::SIZE)).copied() else {
            return Err(Malformed {
                field: "side_header",
                at: 0,
                why: Why::Truncated {
                    needed: SideHeader::SIZE,
                    left: blob.len(),
                },
            });
        };
        let size = header.record_size.get();
        if size == 0 {
            return Err(Malformed {
                field: "record_size",
                at: 4,
                why: Why::Value(0),
            });
        }
        let record_size = size as usize;
        let records = (blob.len() - SideHeader::SIZE) / record_size;
        Ok(Self {
            blob,
            header,
            record_size,
            records: records.min(u32::MAX as usize) as u32,
        })
    }

    /// Checks the record size that the header states: it must be that of the version, or make the number of
    /// records that the header states fill the file. If it is wrong and the size of the version is right,
    /// the table is changed to that; `None` if no size is right. Also returns the message for a wrong size.
    pub(super) fn with_checked_size(
        mut self,
        sizes: RecordSizes,
    ) -> (Option<Self>, Option<String>) {
        let (version, stated) = (self.header.version.get(), self.header.record_size.get());
        let of_version = sizes.iter().find(|(other, _)| *other == version);
        let of_version = of_version.map(|(_, size)| *size);
        if of_version == Some(stated) || self.is_filled_by(stated) {
            return (Some(self), None);
        }
        let Some(size) = of_version else {
            let count = counted(self.header.count.get(), "record", "records");
            let text = format!("{count} of {stated} bytes do not fill the file; they are not read");
            return (None, Some(text));
        };
        let text = format!("version {version} has records of {size} bytes, not {stated}");
        if !self.is_filled_by(size) {
            return (None, Some(text + "; they are not read"));
        }
        self.header.record_size.set(size);
        self.record_size = size as usize;
        let records = (self.blob.len() - SideHeader::SIZE) / self.record_size;
        self.records = records.min(u32::MAX as usize) as u32;
        (Some(self), Some(text))
    }

    /// Whether the file has the stated number of records of `size` bytes, or one more: in some files the
    /// header states the last index.
    fn is_filled_by(&self, size: u32) -> bool {
        let bytes = (self.blob.len() - SideHeader::SIZE) as u64;
        let (count, size) = (u64::from(self.header.count.get()), u64::from(size));
        bytes == count * size || bytes == (count + 1) * size
    }

    /// The file's header.
    pub fn header(&self) -> &SideHeader {
        &self.header
    }

    /// The number of complete records.
    pub fn len(&self) -> u32 {
        self.records
    }

    /// Whether the table has no complete record.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Bytes after the last complete record.
    pub fn rest(&self) -> usize {
        (self.blob.len() - SideHeader::SIZE) % self.record_size
    }

    /// The bytes of the record at an index (from 0); `None` if absent.
    pub fn record(&self, index: u32) -> Option<&[u8]> {
        self.stored_record(index).map(|(_, bytes)| bytes)
    }

    /// The offset in the file and the bytes of the record at an index (from 0); `None` if absent.
    pub fn stored_record(&self, index: u32) -> Option<(u64, &[u8])> {
        if index >= self.records {
            return None;
        }
        let at = SideHeader::SIZE.checked_add(self.record_size.checked_mul(index as usize)?)?;
        let end = at.checked_add(self.record_size)?;
        Some((at as u64, self.blob.get(at..end)?))
    }

    /// The `.cbj` record of the game at an index (from 0), and the stored bytes after its known
    /// fields.
    pub fn extended(&self, game: u32) -> (ExtendedRecord, &[u8]) {
        let (mut record, rest) = self.filled(game, EXTENDED_DEFAULT);
        // The first list of files is not at 0, and no list is -1: zeros were written over the start of the record, which
        // are not the first team.
        if record.media_at.get() == 0 {
            if record.as_bytes().iter().all(|byte| *byte == 0) {
                record = EXTENDED_DEFAULT;
            }
            for id in [
                &mut record.white_team,
                &mut record.black_team,
                &mut record.media_at,
            ] {
                if id.get() == 0 {
                    id.set(-1);
                }
            }
        }
        (record, rest)
    }

    /// Whether zeros were written over the start of the `.cbj` record of a game.
    pub fn is_zeroed(&self, game: u32) -> bool {
        let media_at = self.record(game).and_then(|record| record.get(8..12));
        media_at.is_some_and(|bytes| bytes == [0; 4])
    }

    /// The `.cbtt` record of a tournament, and the stored bytes after its known fields.
    pub fn tournament(&self, id: u32) -> (TournamentExtraRecord, &[u8]) {
        self.filled(id, TOURNAMENT_EXTRA_DEFAULT)
    }

    /// A stored record over the fields of `record`, which are kept where the stored one is too
    /// short. Also the stored bytes after it.
    fn filled<R>(&self, index: u32, mut record: R) -> (R, &[u8])
    where
        R: FromBytes + IntoBytes + Immutable,
    {
        let stored = self.record(index).unwrap_or_default();
        let length = stored.len().min(size_of::<R>());
        let (stored, rest) = stored.split_at_checked(length).unwrap_or_default();
        if let Some(bytes) = record.as_mut_bytes().get_mut(..length) {
            bytes.copy_from_slice(stored);
        }
        (record, rest)
    }

    /// The names of the files in a list of `.cbm`; `media_at` is the field of `.cbj`, the offset of its first
    /// record plus 8. `None` if there is no such list.
    pub fn media(&self, media_at: u64) -> Option<Vec<Cow<'_, [u8]>>> {
        let offset = media_at.checked_sub((SideHeader::SIZE + MediaRecord::SIZE) as u64)?;
        let size = self.record_size as u64;
        if offset % size != 0 {
            return None;
        }
        let first = u32::try_from(offset / size).ok()?;
        let record = self.record(first)?;
        let text = record.get(MediaRecord::SIZE..)?;
        // A long list takes several records, of which only the first has a head.
        let chained = MediaRecord::read(record)?.chained.get();
        let others = u32::try_from(chained).unwrap_or(1).saturating_sub(1);
        let others = (1..=others).map_while(|number| self.record(first.checked_add(number)?));
        let others: Vec<&[u8]> = others.collect();
        if others.is_empty() {
            let names = file_names(until_zero(text))?;
            return Some(names.map(Cow::Borrowed).collect());
        }
        let mut joined = text.to_vec();
        joined.extend(others.concat());
        let names = file_names(until_zero(&joined))?;
        Some(names.map(|name| Cow::Owned(name.to_vec())).collect())
    }
}

/// The lines of a list of files after its first two.
fn file_names(text: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let is_list = lines.next() == Some(b"FilesUsed");
    let count = lines.next().filter(|_| is_list)?;
    let count: usize = std::str::from_utf8(count).ok()?.trim().parse().ok()?;
    Some(lines.take(count).map(<[u8]>::trim_ascii_end))
}

/// The marks of top games.
#[derive(Debug, Clone)]
pub struct TopGames(Blob);

impl TopGames {
    /// The marks in the bytes of a file.
    ///
    /// # Errors
    /// If the header is cut off or has another magic number.
    pub fn new(blob: Blob) -> Result<Self, Malformed> {
        match FlagsHeader::read(&blob) {
            Some(header) if header.magic.get() == FLAGS_MAGIC => Ok(Self(blob)),
            Some(header) => Err(Malformed {
                field: "magic",
                at: 0,
                why: Why::Value(u64::from(header.magic.get())),
            }),
            None => Err(Malformed {
                field: "flags_header",
                at: 0,
                why: Why::Truncated {
                    needed: FlagsHeader::SIZE,
                    left: blob.len(),
                },
            }),
        }
    }

    /// The complete file, its header included.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The mark of a game, by its number from 1: 0 not evaluated, 2 evaluated, 3 top game.
    pub fn mark(&self, number: u32) -> u8 {
        // ChessBase 12 has three, of which the third is not used.
        let header = FlagsHeader::read(&self.0);
        let bits = match header.map(|header| header.bits_per_game.get()) {
            Some(3) => 3,
            _ => 2,
        };
        let first = u64::from(number) * bits;
        let byte = |index: u64| {
            let at = usize::try_from(index)
                .ok()?
                .checked_add(FlagsHeader::SIZE)?;
            self.0.as_slice().get(at).copied()
        };
        let low = byte(first / 8).unwrap_or(0);
        let high = byte(first / 8 + 1).unwrap_or(0);
        ((u16::from(high) << 8 | u16::from(low)) >> (first % 8) & 3) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(record_size: u32, records: &[u8]) -> SideTable {
        let mut sink = side_header(11, record_size, 77);
        sink.bytes(records);
        SideTable::new(Blob::from(sink.into_vec())).unwrap()
    }

    #[test]
    fn short_and_missing_records_have_default_fields() {
        let old = table(8, &[0, 0, 0, 5, 0, 0, 0, 6, 1, 2, 3]);
        assert_eq!(old.len(), 1);
        let (record, rest) = old.extended(0);
        assert_eq!((record.white_team.get(), record.black_team.get()), (5, 6));
        assert_eq!(record.version.get(), 1);
        assert!(rest.is_empty());
        assert_eq!(old.extended(1).0, EXTENDED_DEFAULT);
        let newer = table(123, &[7; 123]);
        assert_eq!(newer.extended(0).1, [7; 3]);
        assert!(SideTable::new(Blob::from(vec![0; 32])).is_err());
        assert!(SideTable::new(Blob::from(vec![1; 31])).is_err());
    }

    #[test]
    fn media_lists_are_read() {
        let mut record = vec![0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0];
        record.extend_from_slice(b"FilesUsed\n2\na.jpg\nb c.png\n");
        record.resize(64, 0);
        let table = table(64, &record);
        let names = table.media(40).unwrap();
        assert_eq!(names, [&b"a.jpg"[..], b"b c.png"]);
        for at in [0, 39, 41, 40 + 64, u64::MAX] {
            assert!(table.media(at).is_none());
        }
    }

    #[test]
    fn media_lists_may_take_several_records() {
        let mut records = vec![0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0];
        records.extend_from_slice(b"FilesUsed\n3\n");
        for number in 0..3 {
            records.extend_from_slice(format!("a file with a long name {number}.jpg\n").as_bytes());
        }
        records.resize(3 * 64, 0);
        let table = table(64, &records);
        let names = table.media(40).unwrap();
        assert_eq!(names.len(), 3);
        assert_eq!(&*names[2], b"a file with a long name 2.jpg");
        // A record of the list is no list.
        assert!(table.media(40 + 64).is_none());
    }

    #[test]
    fn top_game_marks_may_have_three_bits() {
        let mut sink = Sink::new();
        sink.u32_be(FLAGS_MAGIC);
        sink.u32_be(16);
        sink.u32_be(3);
        // Games 1 to 4: 3, 2, 0, 3; the third bits are not used.
        sink.bytes(&[0b1001_1000, 0b0011_0000]);
        let marks = TopGames::new(Blob::from(sink.into_vec())).unwrap();
        let all: Vec<_> = (1..5).map(|game| marks.mark(game)).collect();
        assert_eq!(all, [3, 2, 0, 3]);
    }

    #[test]
    fn top_game_marks_have_two_bits() {
        let mut sink = Sink::new();
        sink.u32_be(FLAGS_MAGIC);
        sink.u32_be(16);
        sink.u32_be(2);
        sink.bytes(&[0b1110_0000, 0b0000_0010]);
        let marks = TopGames::new(Blob::from(sink.into_vec())).unwrap();
        let all: Vec<_> = (1..6).map(|game| marks.mark(game)).collect();
        assert_eq!(all, [0, 2, 3, 2, 0]);
        assert_eq!(marks.mark(u32::MAX), 0);
    }
}
