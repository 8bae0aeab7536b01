//! What the table of places says of a record, so that most need not be looked at for the sake of
//! the move that leads there.

use super::read::CtgBook;
use super::record::{DATA, Record, Stats};
use crate::places::{SAID, Slot};

/// Bits of a rating, and of a result.
const RATING: u32 = 12;
const RESULT: u32 = 2;
/// Set for a position of one game: its result and the ratings follow. Else: how far behind the start
/// of the record its data are.
const ONE_GAME: u64 = 1 << (SAID - 1);

/// Statistics, not yet unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Brief {
    /// What is said of a record of one game.
    OneGame(u64),
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
        if said & ONE_GAME != 0 {
            return Some(Self::OneGame(said));
        }
        book.bytes(slot.place() + said).copied().map(Self::Data)
    }

    pub(super) fn stats(&self) -> Stats {
        match self {
            Self::OneGame(said) => one_game(*said),
            Self::Data(data) => Stats::read(data),
        }
    }
}

/// What the slot of a record says of it.
pub(super) fn said_of(record: &Record<'_>) -> u64 {
    let stats = record.stats();
    let result = match (stats.lost, stats.drawn, stats.won) {
        (0, 1, 0) => 1,
        (0, 0, 1) => 2,
        _ => 0,
    };
    let [own, other] = [stats.own_ratings, stats.other_ratings].map(u64::from);
    let said = ONE_GAME | (other << RATING | own) << RESULT | result;
    let fits = own >> RATING == 0 && other >> RATING == 0;
    if fits && one_game(said) == stats {
        return said;
    }
    (record.len() - DATA) as u64
}

fn one_game(said: u64) -> Stats {
    let result = said & ((1 << RESULT) - 1);
    let rating = |number: u32| (said >> (RESULT + number * RATING)) as u32 & ((1 << RATING) - 1);
    let (own, other) = (rating(0), rating(1));
    Stats {
        games: 1,
        won: u32::from(result == 2),
        lost: u32::from(result == 0),
        drawn: u32::from(result == 1),
        tenths: 5 * result as u32,
        own_rated: u32::from(own > 0),
        own_ratings: own,
        other_rated: u32::from(other > 0),
        other_ratings: other,
        ..Stats::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::MOST;
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
        let lost = Stats {
            games: 1,
            lost: 1,
            ..Stats::default()
        };
        let drawn = Stats {
            games: 1,
            drawn: 1,
            tenths: 5,
            other_rated: 1,
            other_ratings: 1,
            ..Stats::default()
        };
        for stats in [one, lost, drawn] {
            let bytes = record(&stats);
            let said = said_of(&Record::read(&bytes).unwrap());
            assert!(said & ONE_GAME != 0);
            let slot = Slot::new(MOST - 1, said);
            assert_eq!(slot.place(), MOST - 1);
            assert_eq!(Brief::OneGame(slot.said()).stats(), stats);
        }
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
                own_ratings: 4096,
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
        ] {
            let bytes = record(&stats);
            let read = Record::read(&bytes).unwrap();
            assert_eq!(said_of(&read), (bytes.len() - DATA) as u64);
            assert_eq!(Brief::of(&read).stats(), stats);
        }
    }
}
