//! Statistics of records with at most five games, packed into spare bits of an index slot, so that a
//! walk need not read them.

use super::record::{DATA, Record, Stats};
use crate::books::mirrored::record_index::{PAYLOAD_BITS, Slot};

/// Bits of a sum of ratings.
const RATING_BITS: u32 = (PAYLOAD_BITS - 6) / 2;
/// Where the number of the results in [`RESULTS`] begins, above both sums of ratings.
const RESULTS_SHIFT: u32 = 2 * RATING_BITS;
/// Instead of that number: the lower bits are the offset of the data in the record.
const NOT_INLINE: u64 = (1 << (PAYLOAD_BITS - RESULTS_SHIFT)) - 1;
/// Games of the largest record whose statistics fit into a slot.
const MAX_INLINE_GAMES: usize = 5;
/// Values of a count in [`RESULT_NUMBERS`].
const COUNTS: usize = MAX_INLINE_GAMES + 1;

/// Games won, drawn and lost: all combinations of one to [`MAX_INLINE_GAMES`] games.
static RESULTS: [[u8; 3]; 55] = {
    let mut results = [[0; 3]; 55];
    let mut number = 0;
    let mut i = 0;
    while i < COUNTS * COUNTS * COUNTS {
        let (won, drawn, lost) = (i / COUNTS / COUNTS, i / COUNTS % COUNTS, i % COUNTS);
        let games = won + drawn + lost;
        if games > 0 && games <= MAX_INLINE_GAMES {
            results[number] = [won as u8, drawn as u8, lost as u8];
            number += 1;
        }
        i += 1;
    }
    results
};

/// The number of a combination in [`RESULTS`], by games won, drawn and lost.
static RESULT_NUMBERS: [u8; COUNTS * COUNTS * COUNTS] = {
    let mut numbers = [NOT_INLINE as u8; COUNTS * COUNTS * COUNTS];
    let mut number = 0;
    while number < RESULTS.len() {
        let [won, drawn, lost] = RESULTS[number];
        let i = (won as usize * COUNTS + drawn as usize) * COUNTS + lost as usize;
        numbers[i] = number as u8;
        number += 1;
    }
    numbers
};

/// Statistics, not yet unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) enum PackedStats {
    /// The payload of a slot.
    Inline(u64),
    /// The data of a record.
    Record([u8; DATA]),
}

impl PackedStats {
    /// The statistics of a record that has been read.
    pub(super) fn of(record: &Record<'_>) -> Self {
        Self::Record(*record.data)
    }

    /// The statistics of the record of a slot; `read` is called with the offset of its data if they
    /// are not in the payload.
    #[inline]
    pub(super) fn of_slot<'b>(
        slot: Slot,
        read: impl FnOnce(u64) -> Option<&'b [u8; DATA]>,
    ) -> Option<Self> {
        let payload = slot.payload();
        if payload >> RESULTS_SHIFT != NOT_INLINE {
            return Some(Self::Inline(payload));
        }
        let data = slot.offset() + (payload & ((1 << RESULTS_SHIFT) - 1));
        read(data).copied().map(Self::Record)
    }

    pub(super) fn unpack(&self) -> Stats {
        match self {
            Self::Inline(payload) => unpack_inline(*payload),
            Self::Record(data) => Stats::read(data),
        }
    }
}

/// The payload for the slot of a record.
pub(super) fn payload(record: &Record<'_>) -> u64 {
    let data = (record.len() - DATA) as u64;
    pack_inline(&record.stats()).unwrap_or(NOT_INLINE << RESULTS_SHIFT | data)
}

/// `None` for statistics that do not fit into a payload.
fn pack_inline(stats: &Stats) -> Option<u64> {
    let count = |count: u32| usize::try_from(count).ok().filter(|count| *count < COUNTS);
    let (won, drawn) = (count(stats.won)?, count(stats.drawn)?);
    let i = (won * COUNTS + drawn) * COUNTS + count(stats.lost)?;
    let results = u64::from(*RESULT_NUMBERS.get(i)?);
    let [own, other] = [stats.own_ratings, stats.other_ratings].map(u64::from);
    let payload = results << RESULTS_SHIFT | other << RATING_BITS | own;
    let fits = results != NOT_INLINE && (own | other) >> RATING_BITS == 0;
    (fits && unpack_inline(payload) == *stats).then_some(payload)
}

/// Statistics of games that all have a result, and of which all or none have ratings.
fn unpack_inline(payload: u64) -> Stats {
    let results = RESULTS.get((payload >> RESULTS_SHIFT) as usize).copied();
    let [won, drawn, lost] = results.unwrap_or_default().map(u32::from);
    let games = won + drawn + lost;
    let ratings =
        |number: u32| (payload >> (number * RATING_BITS)) as u32 & ((1 << RATING_BITS) - 1);
    let (own, other) = (ratings(0), ratings(1));
    let rated = |sum: u32| if sum > 0 { games } else { 0 };
    Stats {
        games,
        won,
        lost,
        drawn,
        tenths: 10 * won + 5 * drawn,
        own_rated: rated(own),
        own_ratings: own,
        other_rated: rated(other),
        other_ratings: other,
        ..Stats::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::mirrored::record_index::MAX_BYTES;
    use tabia_core::io::Sink;

    /// A record with two moves.
    fn record(stats: &Stats) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.u8(22);
        sink.zeros(21);
        sink.bytes(&[5, 1, 2, 3, 4]);
        stats.write(&mut sink);
        sink.into_vec()
    }

    #[test]
    fn packed_stats_round_trip() {
        let one = Stats {
            games: 1,
            won: 1,
            tenths: 10,
            own_rated: 1,
            own_ratings: 4095,
            other_rated: 1,
            other_ratings: 2850,
            ..Stats::default()
        };
        let mut inline = Vec::new();
        for results in RESULTS {
            let [won, drawn, lost] = results.map(u32::from);
            let games = won + drawn + lost;
            inline.push(Stats {
                games,
                won,
                lost,
                drawn,
                tenths: 10 * won + 5 * drawn,
                other_rated: games,
                other_ratings: 2800 * games,
                ..Stats::default()
            });
        }
        inline.push(one);
        for stats in inline {
            let bytes = record(&stats);
            let payload = payload(&Record::read(&bytes).unwrap());
            let slot = Slot::new(MAX_BYTES - 1, payload);
            assert_eq!(slot.offset(), MAX_BYTES - 1);
            let packed = PackedStats::of_slot(slot, |_| None).unwrap();
            assert_eq!(packed.unpack(), stats);
        }
        let five = Stats {
            games: 5,
            won: 5,
            tenths: 50,
            own_rated: 5,
            own_ratings: 5 * 3300,
            ..Stats::default()
        };
        for stats in [
            Stats { games: 2, ..one },
            Stats { won: 0, ..one },
            Stats { tenths: 5, ..one },
            Stats { lost: 1, ..one },
            Stats {
                flags: Stats::MAIN,
                ..one
            },
            Stats { weight: -1, ..one },
            Stats {
                commentary: 14,
                ..one
            },
            Stats {
                own_ratings: 0,
                ..one
            },
            Stats {
                own_rated: 0,
                ..one
            },
            Stats {
                other_rated: 2,
                ..one
            },
            five,
            Stats {
                games: 6,
                won: 6,
                tenths: 60,
                ..Stats::default()
            },
            Stats::default(),
        ] {
            let bytes = record(&stats);
            let read = Record::read(&bytes).unwrap();
            let slot = Slot::new(0, payload(&read));
            assert!(PackedStats::of_slot(slot, |_| None).is_none(), "{stats:?}");
            let packed =
                PackedStats::of_slot(slot, |data| bytes.get(data as usize..)?.first_chunk());
            assert_eq!(packed.unwrap().unpack(), stats);
            assert_eq!(PackedStats::of(&read).unpack(), stats);
        }
    }
}
