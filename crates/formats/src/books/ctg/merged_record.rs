//! What is said of one record, from several sides, and the record made of it.

use tabia_core::error::Malformed;
use tabia_core::io::{Cursor, Sink};

use super::record::Stats;

/// Games and how they ended, from the view of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) games: u64,
    pub(super) won: u64,
    pub(super) lost: u64,
    pub(super) drawn: u64,
    pub(super) tenths: u64,
}

impl Counts {
    /// Games without a result add half a point.
    pub(super) fn new(games: Option<u64>, won: u64, lost: u64, drawn: u64) -> Self {
        let ended = won.saturating_add(lost).saturating_add(drawn);
        let games = games.unwrap_or(ended).max(ended);
        let halves = drawn.saturating_add(games - ended);
        Self {
            games,
            won,
            lost,
            drawn,
            tenths: won
                .saturating_mul(10)
                .saturating_add(halves.saturating_mul(5)),
        }
    }

    /// From the other side's view.
    pub(super) const fn turned(self) -> Self {
        let most = self.games.saturating_mul(10);
        Self {
            won: self.lost,
            lost: self.won,
            tenths: most.saturating_sub(self.tenths),
            ..self
        }
    }

    pub(super) const fn add(&mut self, other: &Self) {
        self.games = self.games.saturating_add(other.games);
        self.won = self.won.saturating_add(other.won);
        self.lost = self.lost.saturating_add(other.lost);
        self.drawn = self.drawn.saturating_add(other.drawn);
        self.tenths = self.tenths.saturating_add(other.tenths);
    }

    /// In proportion, so that the games fit their field.
    fn fit(self) -> Self {
        let most = u128::from(Stats::MAX_COUNT);
        if self.games <= u64::from(Stats::MAX_COUNT) {
            return self;
        }
        let fit = |count: u64| (u128::from(count) * most / u128::from(self.games)) as u64;
        Self {
            games: u64::from(Stats::MAX_COUNT),
            won: fit(self.won),
            lost: fit(self.lost),
            drawn: fit(self.drawn),
            tenths: fit(self.tenths),
        }
    }
}

/// Games with a rating, and the sum of the ratings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ratings {
    pub(super) rated: u64,
    pub(super) sum: u64,
}

impl Ratings {
    /// So many games with that average.
    pub(super) fn new(games: u64, average: Option<u16>) -> Self {
        match average {
            Some(average) if games > 0 => Self {
                rated: games,
                sum: games.saturating_mul(u64::from(average)),
            },
            _ => Self::default(),
        }
    }

    pub(super) const fn add(&mut self, other: &Self) {
        self.rated = self.rated.saturating_add(other.rated);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// With the same average, in the fields there are.
    const fn fit(mut self) -> Self {
        while self.rated > Stats::MAX_COUNT as u64 || self.sum > u32::MAX as u64 {
            self.rated /= 2;
            self.sum /= 2;
        }
        self
    }
}

/// All that was said of a position. Numbers of the same origin add up; of several origins the
/// first that says anything counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// By the position's page.
    pub(super) counts: Counts,
    /// By the same record given for another position: not to be added to anything.
    pub(super) counts_again: Counts,
    /// By moves that lead here.
    pub(super) counts_leading: Counts,
    /// By the position's moves.
    pub(super) counts_moves: Counts,
    /// Of the side to move, in the same order; moves that lead here say nothing of it.
    pub(super) own: Ratings,
    pub(super) own_again: Ratings,
    pub(super) own_moves: Ratings,
    /// Of the side that has just moved; the position's moves say nothing of it.
    pub(super) other: Ratings,
    pub(super) other_again: Ratings,
    pub(super) other_leading: Ratings,
    /// The page says all there is: no ratings are no ratings.
    pub(super) is_whole: bool,
    pub(super) flags: u8,
    pub(super) weight: i8,
    pub(super) commentary: u8,
    /// A commentary by moves that lead here.
    pub(super) remark: u8,
    /// Instead of the flags, when someone has changed them.
    pub(super) new_flags: Option<u8>,
    /// Instead of the commentary.
    pub(super) new_commentary: Option<u8>,
    pub(super) moves: Vec<[u8; 2]>,
}

impl Said {
    /// Adds what was said after this.
    pub(super) fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.counts_leading.add(&other.counts_leading);
        self.counts_moves.add(&other.counts_moves);
        self.own.add(&other.own);
        self.own_moves.add(&other.own_moves);
        self.other.add(&other.other);
        self.other_leading.add(&other.other_leading);
        if self.counts_again.games == 0 {
            self.counts_again = other.counts_again;
            self.own_again = other.own_again;
            self.other_again = other.other_again;
        }
        self.is_whole |= other.is_whole;
        self.flags |= other.flags;
        first(&mut self.weight, other.weight);
        first(&mut self.commentary, other.commentary);
        first(&mut self.remark, other.remark);
        self.new_flags = self.new_flags.or(other.new_flags);
        self.new_commentary = self.new_commentary.or(other.new_commentary);
        for &[code, annotation] in &other.moves {
            if let Some(known) = self.moves.iter_mut().find(|known| known[0] == code) {
                first(&mut known[1], annotation);
            } else if self.moves.len() < MOST {
                self.moves.push([code, annotation]);
            }
        }
    }

    /// What becomes of it: games, and the record behind its key.
    pub(super) fn record(&self, sink: &mut Sink) -> u32 {
        let origins = [
            self.counts,
            self.counts_again,
            self.counts_leading,
            self.counts_moves,
        ];
        // No record is without games.
        let none = Counts::new(Some(1), 0, 0, 0);
        let counts = origins.into_iter().find(|counts| counts.games > 0);
        let counts = counts.unwrap_or(none).fit();
        let rated = |ratings: [Ratings; 3]| {
            let origins = if self.is_whole { 2 } else { 3 };
            let mut said = ratings.into_iter().take(origins);
            let said = said.find(|ratings| ratings.rated > 0);
            said.unwrap_or_default().fit()
        };
        let own = rated([self.own, self.own_again, self.own_moves]);
        let other = rated([self.other, self.other_again, self.other_leading]);
        let mut commentary = self.commentary;
        first(&mut commentary, self.remark);
        let stats = Stats {
            games: counts.games as u32,
            won: narrow(counts.won),
            lost: narrow(counts.lost),
            drawn: narrow(counts.drawn),
            tenths: narrow(counts.tenths),
            own_rated: narrow(own.rated),
            own_ratings: narrow(own.sum),
            other_rated: narrow(other.rated),
            other_ratings: narrow(other.sum),
            flags: self.new_flags.unwrap_or(self.flags),
            weight: self.weight,
            commentary: self.new_commentary.unwrap_or(commentary),
        };
        let moves = self.moves.get(..MOST).unwrap_or(&self.moves);
        sink.u8(2 * moves.len() as u8 + 1);
        sink.bytes(moves.as_flattened());
        stats.write(sink);
        stats.games
    }

    /// For a scratch file.
    pub(super) fn write(&self, sink: &mut Sink) {
        let counts = [
            &self.counts,
            &self.counts_again,
            &self.counts_leading,
            &self.counts_moves,
        ];
        let ratings = [
            &self.own,
            &self.own_again,
            &self.own_moves,
            &self.other,
            &self.other_again,
            &self.other_leading,
        ];
        let mut there = 0;
        for (place, counts) in counts.iter().enumerate() {
            there |= u16::from(counts.games > 0) << place;
        }
        for (place, ratings) in ratings.iter().enumerate() {
            there |= u16::from(ratings.rated > 0) << (place + 4);
        }
        there |= u16::from(self.new_flags.is_some()) << 10;
        there |= u16::from(self.new_commentary.is_some()) << 11;
        there |= u16::from(self.is_whole) << 12;
        sink.u16_be(there);
        for counts in counts.iter().filter(|counts| counts.games > 0) {
            for number in [counts.games, counts.won, counts.lost, counts.drawn] {
                write_number(sink, number);
            }
            write_number(sink, counts.tenths);
        }
        for ratings in ratings.iter().filter(|ratings| ratings.rated > 0) {
            write_number(sink, ratings.rated);
            write_number(sink, ratings.sum);
        }
        sink.u8(self.flags);
        sink.i8(self.weight);
        sink.u8(self.commentary);
        sink.u8(self.remark);
        self.new_flags.iter().for_each(|&byte| sink.u8(byte));
        self.new_commentary.iter().for_each(|&byte| sink.u8(byte));
        sink.u8(self.moves.len() as u8);
        sink.bytes(self.moves.as_flattened());
    }

    /// What [`Said::write`] wrote.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut bytes = Cursor::new(bytes);
        let there = bytes.u16_be("there")?;
        let mut said = Self {
            is_whole: there >> 12 & 1 == 1,
            ..Self::default()
        };
        for (place, counts) in [
            &mut said.counts,
            &mut said.counts_again,
            &mut said.counts_leading,
            &mut said.counts_moves,
        ]
        .into_iter()
        .enumerate()
        {
            if there >> place & 1 == 1 {
                counts.games = read_number(&mut bytes)?;
                counts.won = read_number(&mut bytes)?;
                counts.lost = read_number(&mut bytes)?;
                counts.drawn = read_number(&mut bytes)?;
                counts.tenths = read_number(&mut bytes)?;
            }
        }
        for (place, ratings) in [
            &mut said.own,
            &mut said.own_again,
            &mut said.own_moves,
            &mut said.other,
            &mut said.other_again,
            &mut said.other_leading,
        ]
        .into_iter()
        .enumerate()
        {
            if there >> (place + 4) & 1 == 1 {
                ratings.rated = read_number(&mut bytes)?;
                ratings.sum = read_number(&mut bytes)?;
            }
        }
        said.flags = bytes.u8("flags")?;
        said.weight = bytes.i8("weight")?;
        said.commentary = bytes.u8("commentary")?;
        said.remark = bytes.u8("remark")?;
        if there >> 10 & 1 == 1 {
            said.new_flags = Some(bytes.u8("flags")?);
        }
        if there >> 11 & 1 == 1 {
            said.new_commentary = Some(bytes.u8("commentary")?);
        }
        let count = usize::from(bytes.u8("count")?);
        let moves = bytes.take(2 * count, "moves")?;
        said.moves = moves.as_chunks::<2>().0.to_vec();
        Ok(said)
    }
}

/// The most moves a record has room for.
pub(super) const MOST: usize = 127;

fn first<T: Copy + Default + PartialEq>(known: &mut T, more: T) {
    if *known == T::default() {
        *known = more;
    }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Seven bits a byte, the lowest first; the high bit says that more follow.
fn write_number(sink: &mut Sink, mut number: u64) {
    while number > 0x7f {
        sink.u8(number as u8 | 0x80);
        number >>= 7;
    }
    sink.u8(number as u8);
}

fn read_number(bytes: &mut Cursor<'_>) -> Result<u64, Malformed> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.u8("number")?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::ctg::Record;

    fn stats(said: &Said) -> Stats {
        let mut sink = Sink::new();
        said.record(&mut sink);
        Record::from_body(sink.as_slice()).unwrap().stats()
    }

    #[test]
    fn the_first_origin_counts() {
        let counts = |games| Counts::new(Some(games), 1, 2, 0);
        let mut said = Said::default();
        assert_eq!((stats(&said).games, stats(&said).tenths), (1, 5));
        said.counts_moves = counts(5);
        assert_eq!((stats(&said).games, stats(&said).tenths), (5, 20));
        said.counts_leading = counts(7);
        assert_eq!(stats(&said).games, 7);
        said.add(&Said {
            counts: counts(9),
            flags: Stats::MAIN,
            moves: vec![[1, 0], [2, 3]],
            ..Said::default()
        });
        said.add(&Said {
            counts: counts(4),
            counts_again: counts(100),
            moves: vec![[1, 6], [7, 0]],
            ..Said::default()
        });
        assert_eq!(stats(&said).games, 13);
        assert_eq!(said.moves, [[1, 6], [2, 3], [7, 0]]);
        assert_eq!(stats(&said).flags, Stats::MAIN);
        said.new_flags = Some(0);
        assert_eq!(stats(&said).flags, 0);
    }

    #[test]
    fn what_is_too_large_keeps_its_proportions() {
        let said = Said {
            counts: Counts::new(None, 30_000_000, 10_000_000, 0),
            own: Ratings::new(40_000_000, Some(2500)),
            ..Said::default()
        };
        let stats = stats(&said);
        assert_eq!(stats.games, Stats::MAX_COUNT);
        assert_eq!(stats.won / 100_000, stats.games * 3 / 4 / 100_000);
        assert_eq!(stats.own_average(), Some(2500));
        assert!((stats.score().unwrap() - 0.75).abs() < 1e-6);
    }

    #[test]
    fn what_is_said_comes_back_from_a_file() {
        let said = Said {
            counts: Counts::new(Some(u64::MAX), 1, 2, 3),
            counts_leading: Counts::new(None, 300, 0, 0),
            own_again: Ratings::new(3, Some(2400)),
            other_leading: Ratings::new(200, Some(1)),
            weight: -3,
            remark: 9,
            is_whole: true,
            new_flags: Some(0x40),
            moves: vec![[1, 2]; MOST],
            ..Said::default()
        };
        let mut sink = Sink::new();
        said.write(&mut sink);
        assert_eq!(Said::read(sink.as_slice()), Ok(said.clone()));
        assert!(Said::read(&sink.as_slice()[..9]).is_err());
        assert_eq!(said.counts.turned().turned().won, 1);
    }
}
