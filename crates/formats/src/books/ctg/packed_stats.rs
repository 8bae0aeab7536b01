//! What the table of places says of a record, so that most need not be looked at for the sake of
//! the move that leads there.

use super::read::CtgBook;
use super::record::{DATA, Record, Stats};
use crate::books::mirrored::record_index::{SAID, Slot};

/// Bits of a sum of ratings.
const RATINGS: u32 = (SAID - 6) / 2;
/// Above both sums: how so many games ended, a number in [`ENDS`].
const END: u32 = 2 * RATINGS;
/// Instead of it: below stands how far behind the start of the record its data are.
const LOOK: u64 = (1 << (SAID - END)) - 1;
/// Most games of which a slot tells how they ended.
const FEW: usize = 5;

/// Games won, drawn and lost, one to five in all.
static ENDS: [[u8; 3]; 55] = {
    let mut ends = [[0; 3]; 55];
    let mut number = 0;
    let mut left = 0;
    while left < (FEW + 1) * (FEW + 1) * (FEW + 1) {
        let (won, drawn) = (left / (FEW + 1) / (FEW + 1), left / (FEW + 1) % (FEW + 1));
        let lost = left % (FEW + 1);
        let games = won + drawn + lost;
        if games > 0 && games <= FEW {
            ends[number] = [won as u8, drawn as u8, lost as u8];
            number += 1;
        }
        left += 1;
    }
    ends
};

/// The number of an end by games won, drawn and lost.
static NUMBERS: [u8; (FEW + 1) * (FEW + 1) * (FEW + 1)] = {
    let mut numbers = [LOOK as u8; (FEW + 1) * (FEW + 1) * (FEW + 1)];
    let mut number = 0;
    while number < ENDS.len() {
        let [won, drawn, lost] = ENDS[number];
        let place = (won as usize * (FEW + 1) + drawn as usize) * (FEW + 1) + lost as usize;
        numbers[place] = number as u8;
        number += 1;
    }
    numbers
};

/// Statistics, not yet unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Brief {
    /// What is said of a record of few games.
    Few(u64),
    Data([u8; DATA]),
}

impl Brief {
    /// Of a record that was looked at.
    pub(super) fn of(record: &Record<'_>) -> Self {
        Self::Data(*record.data)
    }

    /// Of the record that a slot tells of.
    #[inline]
    pub(super) fn at(book: &CtgBook, slot: Slot) -> Option<Self> {
        let said = slot.said();
        if said >> END != LOOK {
            return Some(Self::Few(said));
        }
        let data = slot.place() + (said & ((1 << END) - 1));
        book.bytes(data).copied().map(Self::Data)
    }

    pub(super) fn stats(&self) -> Stats {
        match self {
            Self::Few(said) => few(*said),
            Self::Data(data) => Stats::read(data),
        }
    }
}

/// What the slot of a record says of it.
pub(super) fn said_of(record: &Record<'_>) -> u64 {
    let stats = record.stats();
    said_of_few(&stats).unwrap_or_else(|| LOOK << END | (record.len() - DATA) as u64)
}

/// `None` for what a slot has no room for.
fn said_of_few(stats: &Stats) -> Option<u64> {
    let number = |count: u32| usize::try_from(count).ok().filter(|count| *count <= FEW);
    let (won, drawn) = (number(stats.won)?, number(stats.drawn)?);
    let place = (won * (FEW + 1) + drawn) * (FEW + 1) + number(stats.lost)?;
    let end = u64::from(*NUMBERS.get(place)?);
    let [own, other] = [stats.own_ratings, stats.other_ratings].map(u64::from);
    let said = end << END | other << RATINGS | own;
    let fits = end != LOOK && (own | other) >> RATINGS == 0;
    (fits && few(said) == *stats).then_some(said)
}

/// Of games of which all have a rating or none, and which were all counted by their results.
fn few(said: u64) -> Stats {
    let end = ENDS.get((said >> END) as usize).copied();
    let [won, drawn, lost] = end.unwrap_or_default().map(u32::from);
    let games = won + drawn + lost;
    let ratings = |number: u32| (said >> (number * RATINGS)) as u32 & ((1 << RATINGS) - 1);
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
    use crate::books::mirrored::record_index::MOST;
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
    fn what_is_said_is_what_is_stored_or_where_it_is() {
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
        let mut some = Vec::new();
        for end in ENDS {
            let [won, drawn, lost] = end.map(u32::from);
            let games = won + drawn + lost;
            some.push(Stats {
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
        some.push(one);
        for stats in some {
            let bytes = record(&stats);
            let said = said_of(&Record::read(&bytes).unwrap());
            assert_ne!(said >> END, LOOK, "{stats:?}");
            let slot = Slot::new(MOST - 1, said);
            assert_eq!(slot.place(), MOST - 1);
            assert_eq!(Brief::Few(slot.said()).stats(), stats);
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
            let said = said_of(&read);
            assert_eq!(said >> END, LOOK, "{stats:?}");
            let data = (said & ((1 << END) - 1)) as usize;
            assert_eq!(bytes.get(data..), Some(&read.data[..]));
            assert_eq!(Brief::of(&read).stats(), stats);
        }
    }
}
