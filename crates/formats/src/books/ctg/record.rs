//! Records, and the pages that contain them.

use tabia_core::io::{Cursor, Sink};
use zerocopy::byteorder::big_endian::U32;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::key::SHORTEST;

/// Bytes of a page, and of the header before the first one.
pub const PAGE: usize = 4096;
/// Bytes before the records of a page: their number, and the bytes in use.
pub(super) const PAGE_HEAD: usize = 4;
/// Bytes of a record after its moves.
pub const DATA: usize = 33;
/// More records than fit on a page.
const MAX_RECORDS: usize = (PAGE - PAGE_HEAD) / (SHORTEST + DATA) + 1;

/// The moves and statistics of a position and its mirror images, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// The key, see [`Key`](super::Key).
    pub key: &'a [u8],
    /// Two bytes a move: its code, and its annotation.
    pub moves: &'a [[u8; 2]],
    /// The bytes of [`Record::stats`].
    pub data: &'a [u8; DATA],
    /// The record after its key: the length of the moves, the moves, the data.
    pub body: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at the start of `bytes`; `None` if its lengths are impossible.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let head = usize::from(bytes.first()? & 0x1f);
        let moves = usize::from(*bytes.get(head)?);
        if head < SHORTEST || moves % 2 == 0 {
            return None;
        }
        let end = head + moves + DATA;
        let body = bytes.get(head..end)?;
        let (pairs, data) = body.get(1..)?.split_last_chunk::<DATA>()?;
        Some(Self {
            key: bytes.get(..head)?,
            moves: pairs.as_chunks::<2>().0,
            data,
            body,
        })
    }

    /// From [`Record::body`]; the key is empty.
    pub(super) fn from_body(body: &'a [u8]) -> Option<Self> {
        let (&length, rest) = body.split_first()?;
        let (pairs, data) = rest.split_last_chunk::<DATA>()?;
        let fits = usize::from(length) == pairs.len() + 1 && pairs.len() % 2 == 0;
        fits.then_some(Self {
            key: &[],
            moves: pairs.as_chunks::<2>().0,
            data,
            body,
        })
    }

    /// Number of bytes, the key included.
    pub const fn len(&self) -> usize {
        self.key.len() + self.body.len()
    }

    /// Whether the record has no bytes: never.
    pub const fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// The statistics of the position.
    pub fn stats(&self) -> Stats {
        Stats::read(self.data)
    }
}

/// Statistics and flags of a position. *Own* is the side to move, *other* the opponent.
///
/// The statistics of a move are those of the position it leads to, where the side that made the move
/// is the opponent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Games that reached the position.
    pub games: u32,
    /// Games won by the side to move.
    pub won: u32,
    /// Games lost by the side to move.
    pub lost: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Points of the side to move, in tenths; a game without a result counts by the evaluation of
    /// its last position.
    pub tenths: u32,
    /// Games with a rating of the side to move.
    pub own_rated: u32,
    /// The sum of those ratings.
    pub own_ratings: u32,
    /// Games with a rating of the opponent.
    pub other_rated: u32,
    /// The sum of those ratings.
    pub other_ratings: u32,
    /// See [`Stats::MAIN`] and the others.
    pub flags: u8,
    /// The learned weight, from the view of the side to move; -125 to 125.
    pub weight: i8,
    /// A NAG as if the side to move were White, see [`commentary`](super::commentary).
    pub commentary: u8,
}

/// [`Stats`] as stored.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct Fields {
    games: U24,
    won: U24,
    lost: U24,
    drawn: U24,
    tenths: U32,
    own_rated: U24,
    own_ratings: U32,
    other_rated: U24,
    other_ratings: U32,
    flags: u8,
    weight: i8,
    commentary: u8,
}

/// A big-endian number of three bytes.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct U24([u8; 3]);

impl U24 {
    fn get(&self) -> u32 {
        let [high, middle, low] = self.0;
        U32::from_bytes([0, high, middle, low]).get()
    }
}

impl Stats {
    /// Flag: the move that leads to the position is recommended (green).
    pub const MAIN: u8 = 0x80;
    /// Flag: the move that leads to the position is not to be played (red).
    pub const AVOID: u8 = 0x40;
    /// Flag: the last game learned from was lost by the side to move.
    pub const LEARNED_LOSS: u8 = 0x20;
    /// Flag: the last game learned from was won by the side to move.
    pub const LEARNED_WIN: u8 = 0x10;
    /// Flag: `weight` is in use.
    pub const LEARNED: u8 = 0x04;

    /// The largest count that fits its field.
    pub(super) const MAX_COUNT: u32 = 0xff_ffff;

    #[inline]
    pub(super) fn read(data: &[u8; DATA]) -> Self {
        let fields: &Fields = zerocopy::transmute_ref!(data);
        Self {
            games: fields.games.get(),
            won: fields.won.get(),
            lost: fields.lost.get(),
            drawn: fields.drawn.get(),
            tenths: fields.tenths.get(),
            own_rated: fields.own_rated.get(),
            own_ratings: fields.own_ratings.get(),
            other_rated: fields.other_rated.get(),
            other_ratings: fields.other_ratings.get(),
            flags: fields.flags,
            weight: fields.weight,
            commentary: fields.commentary,
        }
    }

    pub(super) fn write(&self, sink: &mut Sink) {
        sink.u24_be(self.games.min(Self::MAX_COUNT));
        sink.u24_be(self.won.min(Self::MAX_COUNT));
        sink.u24_be(self.lost.min(Self::MAX_COUNT));
        sink.u24_be(self.drawn.min(Self::MAX_COUNT));
        sink.u32_be(self.tenths);
        sink.u24_be(self.own_rated.min(Self::MAX_COUNT));
        sink.u32_be(self.own_ratings);
        sink.u24_be(self.other_rated.min(Self::MAX_COUNT));
        sink.u32_be(self.other_ratings);
        sink.u8(self.flags);
        sink.i8(self.weight);
        sink.u8(self.commentary);
    }

    /// Share of the points won by the side to move, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        let max = f64::from(self.games) * 10.0;
        (self.games > 0).then(|| (f64::from(self.tenths) / max).clamp(0.0, 1.0))
    }

    /// Average Elo of the side to move.
    pub fn own_average(&self) -> Option<u16> {
        average(self.own_ratings, self.own_rated)
    }

    /// Average Elo of the opponent.
    pub fn other_average(&self) -> Option<u16> {
        average(self.other_ratings, self.other_rated)
    }

    /// Performance of the side to move.
    pub fn own_performance(&self) -> Option<u16> {
        performance(self.other_average()?, self.score()?)
    }

    /// Performance of the opponent.
    pub fn other_performance(&self) -> Option<u16> {
        performance(self.own_average()?, 1.0 - self.score()?)
    }
}

fn average(sum: u32, count: u32) -> Option<u16> {
    if count == 1 {
        return u16::try_from(sum).ok();
    }
    let rounded = u64::from(sum) + u64::from(count / 2);
    let average = rounded.checked_div(u64::from(count))?;
    u16::try_from(average).ok()
}

/// The Elo at which a score (0 to 1) against opponents of that average is expected; at most 800
/// points away from it, as in the tables of FIDE.
fn performance(opponents: u16, score: f64) -> Option<u16> {
    let difference = if score <= 0.0 {
        -800.0
    } else if score >= 1.0 {
        800.0
    } else {
        (400.0 * (score / (1.0 - score)).log10()).clamp(-800.0, 800.0)
    };
    let rating = (f64::from(opponents) + difference).round();
    (rating >= 0.0).then_some(rating as u16)
}

/// Intact records of a page; malformed ones are skipped by their length byte, as lookup does.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    /// The page up to the end of its records.
    page: &'a [u8],
    /// Offset of the record returned last.
    at: usize,
    /// Offset of the next record.
    next: usize,
    left: u16,
    has_malformed: bool,
}

impl<'a> Records<'a> {
    /// From the bytes of a page; a damaged page is read up to where its records end.
    pub fn of(page: &'a [u8]) -> Self {
        let (left, used) = page_head(page).unwrap_or_default();
        Self {
            page: page.get(..used).unwrap_or(page),
            at: PAGE_HEAD,
            next: PAGE_HEAD,
            left,
            has_malformed: false,
        }
    }

    /// Offset of the record returned last on the page.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Number of records according to the page, limited to what fits on it.
    pub(super) fn declared_count(&self) -> usize {
        usize::from(self.left).min(MAX_RECORDS)
    }

    /// After the last record: whether the page has as many intact records as it states, which end
    /// where it states.
    pub fn is_intact(&self) -> bool {
        self.left == 0 && self.next == self.page.len() && !self.has_malformed
    }

    /// The record with a key, and its offset on the page.
    #[inline]
    pub(super) fn find(self, key: &[u8]) -> Option<(usize, Record<'a>)> {
        let mut at = self.next;
        // Most keys differ in the first bytes, and eight bytes are compared without a call.
        let start = key.first_chunk::<8>();
        for _ in 0..self.left {
            let rest = self.page.get(at..)?;
            if rest.first_chunk::<8>() == start
                && rest.starts_with(key)
                && let Some(record) = Record::read(rest)
            {
                return Some((at, record));
            }
            at += step(rest)?;
        }
        None
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        while self.left > 0 {
            let rest = self.page.get(self.next..)?;
            let record = Record::read(rest);
            self.at = self.next;
            self.next += step(rest)?;
            self.left -= 1;
            if record.is_some() {
                return record;
            }
            self.has_malformed = true;
        }
        None
    }
}

/// Bytes from one record to the next.
#[inline]
fn step(rest: &[u8]) -> Option<usize> {
    let head = usize::from(rest.first()? & 0x1f);
    Some(head + usize::from(*rest.get(head)?) + DATA)
}

/// Number of records, and the offset of their end.
fn page_head(page: &[u8]) -> Option<(u16, usize)> {
    let mut head = Cursor::new(page);
    let count = head.u16_be("count").ok()?;
    let used = head.u16_be("used").ok()?;
    Some((count, usize::from(used)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(moves: &[[u8; 2]], games: u32) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.u8(SHORTEST as u8);
        sink.zeros(SHORTEST - 1);
        sink.u8(moves.len() as u8 * 2 + 1);
        sink.bytes(moves.as_flattened());
        let stats = Stats {
            games,
            won: 1,
            drawn: 2,
            tenths: 20,
            own_rated: 3,
            own_ratings: 7201,
            other_rated: 3,
            other_ratings: 7500,
            weight: -7,
            ..Stats::default()
        };
        stats.write(&mut sink);
        sink.into_vec()
    }

    #[test]
    fn fields_round_trip() {
        let bytes = record(&[[1, 2], [3, 4]], 4);
        let read = Record::read(&bytes).unwrap();
        assert_eq!(
            (read.moves, read.len()),
            (&[[1, 2], [3, 4]][..], bytes.len())
        );
        let stats = read.stats();
        assert_eq!((stats.games, stats.weight), (4, -7));
        assert_eq!(stats.own_average(), Some(2400));
        assert_eq!(stats.other_average(), Some(2500));
        assert_eq!(stats.score(), Some(0.5));
        assert_eq!(stats.own_performance(), Some(2500));
        assert_eq!(Record::from_body(read.body).map(|r| r.stats()), Some(stats));
        assert_eq!(Stats::default().score(), None);
        assert_eq!(performance(2500, 1.0), Some(3300));
        assert_eq!(performance(100, 0.0), None);
    }

    #[test]
    fn damaged_pages_are_read_as_far_as_possible() {
        let record = record(&[], 1);
        let page = |count: u16, used: u16, copies: usize| {
            let mut sink = Sink::new();
            sink.u16_be(count);
            sink.u16_be(used);
            sink.bytes(&record.repeat(copies));
            sink.into_vec()
        };
        let size = record.len() as u16;
        for (count, used, copies, expected, is_intact) in [
            (2, 4 + 2 * size, 2, 2, true),
            (3, 4 + 2 * size, 2, 2, false),
            (1, 4 + 2 * size, 2, 1, false),
            (9, u16::MAX, 2, 2, false),
            (0, 4, 0, 0, true),
            (2, 0, 2, 0, false),
        ] {
            let page = page(count, used, copies);
            let mut records = Records::of(&page);
            assert_eq!(records.by_ref().count(), expected, "{count} {used}");
            assert_eq!(records.is_intact(), is_intact, "{count} {used}");
        }
        assert_eq!(Records::of(&[]).count(), 0);
        let mut even = record.clone();
        even[SHORTEST] = 2;
        assert_eq!(Record::read(&even), None);
        // A malformed record hides neither those after it nor an intact one with the same key.
        let mut sink = Sink::new();
        sink.u16_be(3);
        sink.u16_be(4 + 3 * size + 1);
        sink.bytes(&record);
        sink.bytes(&even);
        sink.u8(0);
        sink.bytes(&record);
        let page = sink.into_vec();
        let mut records = Records::of(&page);
        let mut offsets = Vec::new();
        while records.next().is_some() {
            offsets.push(records.at());
        }
        let last = 4 + 2 * record.len() + 1;
        assert_eq!(offsets, [4, last]);
        assert!(!records.is_intact());
        assert_eq!(
            Records::of(&page)
                .find(&record[..SHORTEST])
                .map(|(at, _)| at),
            Some(4)
        );
        let mut malformed = page;
        malformed[4 + SHORTEST] = 2;
        malformed.insert(4 + SHORTEST + 1, 0);
        malformed[3] += 1;
        let found = Records::of(&malformed).find(&record[..SHORTEST]);
        assert_eq!(found.map(|(at, _)| at), Some(last + 1));
    }
}
