//! The order of entities in the trees of their files: byte by byte, without collation, shorter
//! first. Derived from trees that were rebuilt byte for byte. Whether bytes from 0x80 come last
//! (unsigned) or first (signed) depends on the file and on the age of ChessBase.

use std::cmp::Ordering;

use super::charset::until_zero;
use super::records::{
    AnnotatorRecord, GameTagRecord, PlayerRecord, SourceRecord, TeamRecord, TournamentRecord,
};

/// The order of bytes from 0x80 relative to ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// After ASCII.
    Unsigned,
    /// Before ASCII.
    Signed,
}

/// Entities with an order.
pub trait Ordered {
    /// The byte order of current versions of ChessBase in this file.
    const BYTES: ByteOrder;

    /// Compares two entities; equal if they are the same entity.
    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering;
}

fn text(a: &[u8], b: &[u8], bytes: ByteOrder) -> Ordering {
    let (a, b) = (until_zero(a), until_zero(b));
    match bytes {
        ByteOrder::Unsigned => a.cmp(b),
        ByteOrder::Signed => {
            let signed = |byte: &u8| *byte as i8;
            a.iter().map(signed).cmp(b.iter().map(signed))
        }
    }
}

impl Ordered for PlayerRecord {
    const BYTES: ByteOrder = ByteOrder::Unsigned;

    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering {
        text(&self.last_name, &other.last_name, bytes)
            .then_with(|| text(&self.first_name, &other.first_name, bytes))
    }
}

impl Ordered for TournamentRecord {
    const BYTES: ByteOrder = ByteOrder::Signed;

    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering {
        let (a, b) = (self.date.get(), other.date.get());
        // Later years, months and days first; month and day compare like the low nine bits.
        (b >> 9)
            .cmp(&(a >> 9))
            .then_with(|| text(&self.title, &other.title, bytes))
            .then_with(|| text(&self.site, &other.site, bytes))
            .then_with(|| (b & 0x1ff).cmp(&(a & 0x1ff)))
    }
}

impl Ordered for AnnotatorRecord {
    const BYTES: ByteOrder = ByteOrder::Signed;

    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering {
        text(&self.name, &other.name, bytes)
    }
}

impl Ordered for SourceRecord {
    const BYTES: ByteOrder = ByteOrder::Signed;

    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering {
        text(&self.title, &other.title, bytes)
            .then_with(|| text(&self.publisher, &other.publisher, bytes))
            .then_with(|| self.publication.get().cmp(&other.publication.get()))
            .then_with(|| self.date.get().cmp(&other.date.get()))
            .then_with(|| self.version.cmp(&other.version))
            .then_with(|| self.quality.cmp(&other.quality))
    }
}

impl Ordered for TeamRecord {
    const BYTES: ByteOrder = ByteOrder::Unsigned;

    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering {
        text(&self.title, &other.title, bytes)
            .then_with(|| self.number.get().cmp(&other.number.get()))
            // Seasons before years.
            .then_with(|| (other.season & 1).cmp(&(self.season & 1)))
            .then_with(|| self.year.get().cmp(&other.year.get()))
            .then_with(|| self.nation.cmp(&other.nation))
    }
}

impl Ordered for GameTagRecord {
    const BYTES: ByteOrder = ByteOrder::Unsigned;

    fn order(&self, other: &Self, bytes: ByteOrder) -> Ordering {
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
        assert_eq!(newer.order(&older, ByteOrder::Signed), Ordering::Less);
        let may = tournament(2016 << 9 | 5 << 5, "A");
        let june = tournament(2016 << 9 | 6 << 5, "A");
        assert_eq!(june.order(&may, ByteOrder::Signed), Ordering::Less);
        assert_eq!(may.order(&newer, ByteOrder::Signed), Ordering::Less);
        assert_eq!(may.order(&may, ByteOrder::Signed), Ordering::Equal);
    }

    #[test]
    fn high_bytes_come_first_when_signed() {
        let mut umlaut = AnnotatorRecord::new_zeroed();
        umlaut.name[0] = 0xd6;
        let mut plain = AnnotatorRecord::new_zeroed();
        plain.name[0] = b'Z';
        // ByteOrder after the terminator do not count.
        plain.name[9] = b'x';
        assert_eq!(umlaut.order(&plain, ByteOrder::Signed), Ordering::Less);
        assert_eq!(umlaut.order(&plain, ByteOrder::Unsigned), Ordering::Greater);
        let empty = AnnotatorRecord::new_zeroed();
        assert_eq!(empty.order(&plain, ByteOrder::Unsigned), Ordering::Less);
    }
}
