//! How entities are ordered in their files' trees: byte by byte, no collation, shorter first.
//! Known from trees rebuilt byte for byte; whether bytes from 0x80 come last (unsigned) or first
//! (signed) differs by file and by age of ChessBase.

use std::cmp::Ordering;

use super::charset::until_zero;
use super::records::{
    AnnotatorRecord, GameTagRecord, PlayerRecord, SourceRecord, TeamRecord, TournamentRecord,
};

/// How bytes from 0x80 compare with ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    /// After it.
    Unsigned,
    /// Before it.
    Signed,
}

/// Entities that have an order.
pub trait Ordered {
    /// How current versions of ChessBase compare bytes in this file.
    const BYTES: Bytes;

    /// The order of two entities; equal when they are the same entity.
    fn order(&self, other: &Self, bytes: Bytes) -> Ordering;
}

fn text(a: &[u8], b: &[u8], bytes: Bytes) -> Ordering {
    let (a, b) = (until_zero(a), until_zero(b));
    match bytes {
        Bytes::Unsigned => a.cmp(b),
        Bytes::Signed => {
            let signed = |byte: &u8| *byte as i8;
            a.iter().map(signed).cmp(b.iter().map(signed))
        }
    }
}

impl Ordered for PlayerRecord {
    const BYTES: Bytes = Bytes::Unsigned;

    fn order(&self, other: &Self, bytes: Bytes) -> Ordering {
        text(&self.last_name, &other.last_name, bytes)
            .then_with(|| text(&self.first_name, &other.first_name, bytes))
    }
}

impl Ordered for TournamentRecord {
    const BYTES: Bytes = Bytes::Signed;

    fn order(&self, other: &Self, bytes: Bytes) -> Ordering {
        let (a, b) = (self.date.get(), other.date.get());
        // Later years, months and days first; month and day compare like the low nine bits.
        (b >> 9)
            .cmp(&(a >> 9))
            .then_with(|| text(&self.title, &other.title, bytes))
            .then_with(|| text(&self.place, &other.place, bytes))
            .then_with(|| (b & 0x1ff).cmp(&(a & 0x1ff)))
    }
}

impl Ordered for AnnotatorRecord {
    const BYTES: Bytes = Bytes::Signed;

    fn order(&self, other: &Self, bytes: Bytes) -> Ordering {
        text(&self.name, &other.name, bytes)
    }
}

impl Ordered for SourceRecord {
    const BYTES: Bytes = Bytes::Signed;

    fn order(&self, other: &Self, bytes: Bytes) -> Ordering {
        text(&self.title, &other.title, bytes)
            .then_with(|| text(&self.publisher, &other.publisher, bytes))
            .then_with(|| self.publication.get().cmp(&other.publication.get()))
            .then_with(|| self.date.get().cmp(&other.date.get()))
            .then_with(|| self.version.cmp(&other.version))
            .then_with(|| self.quality.cmp(&other.quality))
    }
}

impl Ordered for TeamRecord {
    const BYTES: Bytes = Bytes::Unsigned;

    fn order(&self, other: &Self, bytes: Bytes) -> Ordering {
        text(&self.title, &other.title, bytes)
            .then_with(|| self.number.get().cmp(&other.number.get()))
            // Seasons before years.
            .then_with(|| (other.season & 1).cmp(&(self.season & 1)))
            .then_with(|| self.year.get().cmp(&other.year.get()))
            .then_with(|| self.nation.cmp(&other.nation))
    }
}

impl Ordered for GameTagRecord {
    const BYTES: Bytes = Bytes::Unsigned;

    fn order(&self, other: &Self, bytes: Bytes) -> Ordering {
        self.titles
            .iter()
            .zip(&other.titles)
            .map(|(a, b)| text(a, b, bytes))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromZeros;

    use super::*;

    fn tournament(date: u32, title: &str) -> TournamentRecord {
        let mut record = TournamentRecord::new_zeroed();
        record.date.set(date);
        record.title[..title.len()].copy_from_slice(title.as_bytes());
        record
    }

    #[test]
    fn tournaments_are_ordered_by_year_then_title_then_day() {
        let newer = tournament(2016 << 9, "Z");
        let older = tournament(2015 << 9, "A");
        assert_eq!(newer.order(&older, Bytes::Signed), Ordering::Less);
        let may = tournament(2016 << 9 | 5 << 5, "A");
        let june = tournament(2016 << 9 | 6 << 5, "A");
        assert_eq!(june.order(&may, Bytes::Signed), Ordering::Less);
        assert_eq!(may.order(&newer, Bytes::Signed), Ordering::Less);
        assert_eq!(may.order(&may, Bytes::Signed), Ordering::Equal);
    }

    #[test]
    fn high_bytes_come_first_when_signed() {
        let mut umlaut = AnnotatorRecord::new_zeroed();
        umlaut.name[0] = 0xd6;
        let mut plain = AnnotatorRecord::new_zeroed();
        plain.name[0] = b'Z';
        // What stands behind the terminator does not count.
        plain.name[9] = b'x';
        assert_eq!(umlaut.order(&plain, Bytes::Signed), Ordering::Less);
        assert_eq!(umlaut.order(&plain, Bytes::Unsigned), Ordering::Greater);
        let empty = AnnotatorRecord::new_zeroed();
        assert_eq!(empty.order(&plain, Bytes::Unsigned), Ordering::Less);
    }
}
