//! Merges statistics of one position from its own page, its parents' moves and its own moves into
//! one CTG record.

use tabia_core::error::Malformed;
use tabia_core::io::{Cursor, Sink};

use super::record::Stats;

/// Numbers of games by result, from the view of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) games: u64,
    pub(super) won: u64,
    pub(super) lost: u64,
    pub(super) drawn: u64,
    /// Points in tenths.
    pub(super) tenths: u64,
}

impl Counts {
    /// `games`: all of them, those without a result included, each of which adds half a point.
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

    /// From the view of the other side.
    pub(super) const fn reversed(self) -> Self {
        let all_points = self.games.saturating_mul(10);
        Self {
            won: self.lost,
            lost: self.won,
            tenths: all_points.saturating_sub(self.tenths),
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

    /// Scaled down in proportion, so that the games fit their field.
    fn fit(self) -> Self {
        let max = u128::from(Stats::MAX_COUNT);
        if self.games <= u64::from(Stats::MAX_COUNT) {
            return self;
        }
        let fit = |count: u64| (u128::from(count) * max / u128::from(self.games)) as u64;
        Self {
            games: u64::from(Stats::MAX_COUNT),
            won: fit(self.won),
            lost: fit(self.lost),
            drawn: fit(self.drawn),
            tenths: fit(self.tenths),
        }
    }
}

/// The number of games with a rating, and the sum of the ratings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ratings {
    pub(super) rated: u64,
    pub(super) sum: u64,
}

impl Ratings {
    /// The ratings of `games` games with that average.
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

    /// With the same average, so that both numbers fit their fields.
    const fn fit(mut self) -> Self {
        while self.rated > Stats::MAX_COUNT as u64 || self.sum > u32::MAX as u64 {
            self.rated /= 2;
            self.sum /= 2;
        }
        self
    }
}

/// Everything that was put for the positions of one record. Numbers of the same origin are summed;
/// the record gets those of the first origin that has any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MergedRecord {
    /// Of the position's page.
    pub(super) page_counts: Counts,
    /// Of a page that repeats the record for a mirrored position, and is not summed.
    pub(super) duplicate_counts: Counts,
    /// Of the moves that lead to the position.
    pub(super) incoming_counts: Counts,
    /// Of the position's moves.
    pub(super) outgoing_counts: Counts,
    /// Games made of the weights of moves that lead to the position, in books that count no games.
    pub(super) incoming_weights: Counts,
    /// The same of the position's moves.
    pub(super) outgoing_weights: Counts,
    /// Ratings of the side to move by origin; moves that lead to the position have none.
    pub(super) own_page: Ratings,
    pub(super) own_duplicate: Ratings,
    pub(super) own_outgoing: Ratings,
    /// Ratings of the opponent by origin; the position's moves have none.
    pub(super) other_page: Ratings,
    pub(super) other_duplicate: Ratings,
    pub(super) other_incoming: Ratings,
    /// The page has all ratings; if it has none, the record gets none.
    pub(super) has_all_ratings: bool,
    pub(super) flags: u8,
    pub(super) weight: i8,
    /// The commentary of the position's page.
    pub(super) commentary: u8,
    /// The commentary of moves that lead to the position.
    pub(super) incoming_commentary: u8,
    /// The source has a move that leads to the position, and no record of it.
    pub(super) is_lost: bool,
    /// Replaces the flags, if they were edited.
    pub(super) new_flags: Option<u8>,
    /// Replaces the commentary, if it was edited.
    pub(super) new_commentary: Option<u8>,
    /// Code and annotation of each move.
    pub(super) moves: Vec<[u8; 2]>,
}

impl MergedRecord {
    /// Adds what was put later.
    pub(super) fn add(&mut self, other: &Self) {
        self.page_counts.add(&other.page_counts);
        self.incoming_counts.add(&other.incoming_counts);
        self.outgoing_counts.add(&other.outgoing_counts);
        self.incoming_weights.add(&other.incoming_weights);
        self.outgoing_weights.add(&other.outgoing_weights);
        self.own_page.add(&other.own_page);
        self.own_outgoing.add(&other.own_outgoing);
        self.other_page.add(&other.other_page);
        self.other_incoming.add(&other.other_incoming);
        if self.duplicate_counts.games == 0 {
            self.duplicate_counts = other.duplicate_counts;
            self.own_duplicate = other.own_duplicate;
            self.other_duplicate = other.other_duplicate;
        }
        self.has_all_ratings |= other.has_all_ratings;
        self.is_lost |= other.is_lost;
        self.flags |= other.flags;
        set_if_default(&mut self.weight, other.weight);
        set_if_default(&mut self.commentary, other.commentary);
        set_if_default(&mut self.incoming_commentary, other.incoming_commentary);
        self.new_flags = self.new_flags.or(other.new_flags);
        self.new_commentary = self.new_commentary.or(other.new_commentary);
        for &[code, annotation] in &other.moves {
            if let Some(entry) = self.moves.iter_mut().find(|entry| entry[0] == code) {
                set_if_default(&mut entry[1], annotation);
            } else if self.moves.len() < MAX_MOVES {
                self.moves.push([code, annotation]);
            }
        }
    }

    /// Counts of the first origin that has any; games made of weights are those of other books, and add up with them.
    fn counts(&self) -> Counts {
        let first = |origins: &[Counts]| {
            let found = origins.iter().find(|counts| counts.games > 0);
            found.copied().unwrap_or_default()
        };
        let mut counts = first(&[
            self.page_counts,
            self.duplicate_counts,
            self.incoming_counts,
            self.outgoing_counts,
        ]);
        counts.add(&first(&[self.incoming_weights, self.outgoing_weights]));
        counts
    }

    /// Whether the record was lost, and states one game although nothing that was put counts any.
    pub(super) fn has_assumed_game(&self) -> bool {
        self.is_lost && self.counts().games == 0
    }

    /// Writes the record after its key; returns its number of games.
    pub(super) fn write_record(&self, sink: &mut Sink) -> u32 {
        let mut counts = self.counts();
        if counts.games == 0 {
            // No record is without games.
            counts = Counts::new(Some(1), 0, 0, 0);
        }
        let counts = counts.fit();
        let ratings = |ratings: [Ratings; 3]| {
            let origins = if self.has_all_ratings { 2 } else { 3 };
            let mut ratings = ratings.into_iter().take(origins);
            let first = ratings.find(|ratings| ratings.rated > 0);
            first.unwrap_or_default().fit()
        };
        let own = ratings([self.own_page, self.own_duplicate, self.own_outgoing]);
        let other = ratings([self.other_page, self.other_duplicate, self.other_incoming]);
        let mut commentary = self.commentary;
        set_if_default(&mut commentary, self.incoming_commentary);
        let stats = Stats {
            games: counts.games as u32,
            won: saturate(counts.won),
            lost: saturate(counts.lost),
            drawn: saturate(counts.drawn),
            tenths: saturate(counts.tenths),
            own_rated: saturate(own.rated),
            own_ratings: saturate(own.sum),
            other_rated: saturate(other.rated),
            other_ratings: saturate(other.sum),
            flags: self.new_flags.unwrap_or(self.flags),
            weight: self.weight,
            commentary: self.new_commentary.unwrap_or(commentary),
        };
        let moves = self.moves.get(..MAX_MOVES).unwrap_or(&self.moves);
        sink.u8(2 * moves.len() as u8 + 1);
        sink.bytes(moves.as_flattened());
        stats.write(sink);
        stats.games
    }

    /// Writes everything to a temporary file.
    pub(super) fn save(&self, sink: &mut Sink) {
        let counts = [
            &self.page_counts,
            &self.duplicate_counts,
            &self.incoming_counts,
            &self.outgoing_counts,
            &self.incoming_weights,
            &self.outgoing_weights,
        ];
        let ratings = [
            &self.own_page,
            &self.own_duplicate,
            &self.own_outgoing,
            &self.other_page,
            &self.other_duplicate,
            &self.other_incoming,
        ];
        let mut present = 0;
        for (bit, counts) in counts.iter().enumerate() {
            present |= u16::from(counts.games > 0) << bit;
        }
        for (bit, ratings) in ratings.iter().enumerate() {
            present |= u16::from(ratings.rated > 0) << (bit + 6);
        }
        present |= u16::from(self.new_flags.is_some()) << 12;
        present |= u16::from(self.new_commentary.is_some()) << 13;
        present |= u16::from(self.has_all_ratings) << 14;
        present |= u16::from(self.is_lost) << 15;
        sink.u16_be(present);
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
        sink.u8(self.incoming_commentary);
        self.new_flags.iter().for_each(|&byte| sink.u8(byte));
        self.new_commentary.iter().for_each(|&byte| sink.u8(byte));
        sink.u8(self.moves.len() as u8);
        sink.bytes(self.moves.as_flattened());
    }

    /// Reads what [`save`](Self::save) wrote.
    pub(super) fn load(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut bytes = Cursor::new(bytes);
        let present = bytes.u16_be("present")?;
        let mut merged = Self {
            has_all_ratings: present >> 14 & 1 == 1,
            is_lost: present >> 15 & 1 == 1,
            ..Self::default()
        };
        for (bit, counts) in [
            &mut merged.page_counts,
            &mut merged.duplicate_counts,
            &mut merged.incoming_counts,
            &mut merged.outgoing_counts,
            &mut merged.incoming_weights,
            &mut merged.outgoing_weights,
        ]
        .into_iter()
        .enumerate()
        {
            if present >> bit & 1 == 1 {
                counts.games = read_number(&mut bytes)?;
                counts.won = read_number(&mut bytes)?;
                counts.lost = read_number(&mut bytes)?;
                counts.drawn = read_number(&mut bytes)?;
                counts.tenths = read_number(&mut bytes)?;
            }
        }
        for (bit, ratings) in [
            &mut merged.own_page,
            &mut merged.own_duplicate,
            &mut merged.own_outgoing,
            &mut merged.other_page,
            &mut merged.other_duplicate,
            &mut merged.other_incoming,
        ]
        .into_iter()
        .enumerate()
        {
            if present >> (bit + 6) & 1 == 1 {
                ratings.rated = read_number(&mut bytes)?;
                ratings.sum = read_number(&mut bytes)?;
            }
        }
        merged.flags = bytes.u8("flags")?;
        merged.weight = bytes.i8("weight")?;
        merged.commentary = bytes.u8("commentary")?;
        merged.incoming_commentary = bytes.u8("incoming commentary")?;
        if present >> 12 & 1 == 1 {
            merged.new_flags = Some(bytes.u8("flags")?);
        }
        if present >> 13 & 1 == 1 {
            merged.new_commentary = Some(bytes.u8("commentary")?);
        }
        let count = usize::from(bytes.u8("count")?);
        let moves = bytes.take(2 * count, "moves")?;
        merged.moves = moves.as_chunks::<2>().0.to_vec();
        Ok(merged)
    }
}

/// Moves that the length byte of a record can count.
pub(super) const MAX_MOVES: usize = 127;

/// Sets a value that was not set before.
fn set_if_default<T: Copy + Default + PartialEq>(value: &mut T, new: T) {
    if *value == T::default() {
        *value = new;
    }
}

fn saturate(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Writes a number in LEB128: seven bits a byte, the lowest first, the high bit set in all but the
/// last.
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

    fn stats(merged: &MergedRecord) -> Stats {
        let mut sink = Sink::new();
        merged.write_record(&mut sink);
        Record::from_body(sink.as_slice()).unwrap().stats()
    }

    #[test]
    fn record_gets_the_counts_of_the_first_origin() {
        let counts = |games| Counts::new(Some(games), 1, 2, 0);
        let mut merged = MergedRecord {
            is_lost: true,
            ..MergedRecord::default()
        };
        assert!(merged.has_assumed_game());
        assert_eq!((stats(&merged).games, stats(&merged).tenths), (1, 5));
        merged.outgoing_counts = counts(5);
        assert_eq!((stats(&merged).games, stats(&merged).tenths), (5, 20));
        assert!(!merged.has_assumed_game());
        merged.incoming_counts = counts(7);
        assert_eq!(stats(&merged).games, 7);
        merged.add(&MergedRecord {
            page_counts: counts(9),
            flags: Stats::MAIN,
            moves: vec![[1, 0], [2, 3]],
            ..MergedRecord::default()
        });
        merged.add(&MergedRecord {
            page_counts: counts(4),
            duplicate_counts: counts(100),
            moves: vec![[1, 6], [7, 0]],
            ..MergedRecord::default()
        });
        assert_eq!(stats(&merged).games, 13);
        // Games made of weights are those of another book.
        merged.outgoing_weights = counts(1000);
        assert_eq!(stats(&merged).games, 1013);
        merged.incoming_weights = counts(20);
        assert_eq!(stats(&merged).games, 33);
        assert_eq!(merged.moves, [[1, 6], [2, 3], [7, 0]]);
        assert_eq!(stats(&merged).flags, Stats::MAIN);
        merged.new_flags = Some(0);
        assert_eq!(stats(&merged).flags, 0);
    }

    #[test]
    fn large_counts_are_scaled_down_in_proportion() {
        let merged = MergedRecord {
            page_counts: Counts::new(None, 30_000_000, 10_000_000, 0),
            own_page: Ratings::new(40_000_000, Some(2500)),
            ..MergedRecord::default()
        };
        let stats = stats(&merged);
        assert_eq!(stats.games, Stats::MAX_COUNT);
        assert_eq!(stats.won / 100_000, stats.games * 3 / 4 / 100_000);
        assert_eq!(stats.own_average(), Some(2500));
        assert!((stats.score().unwrap() - 0.75).abs() < 1e-6);
    }

    #[test]
    fn temporary_bytes_round_trip() {
        let merged = MergedRecord {
            page_counts: Counts::new(Some(u64::MAX), 1, 2, 3),
            incoming_counts: Counts::new(None, 300, 0, 0),
            incoming_weights: Counts::new(None, 0, 0, 9),
            outgoing_weights: Counts::new(None, 0, 0, 200),
            own_duplicate: Ratings::new(3, Some(2400)),
            other_incoming: Ratings::new(200, Some(1)),
            weight: -3,
            incoming_commentary: 9,
            has_all_ratings: true,
            is_lost: true,
            new_flags: Some(0x40),
            moves: vec![[1, 2]; MAX_MOVES],
            ..MergedRecord::default()
        };
        let mut sink = Sink::new();
        merged.save(&mut sink);
        assert_eq!(MergedRecord::load(sink.as_slice()), Ok(merged.clone()));
        assert!(MergedRecord::load(&sink.as_slice()[..9]).is_err());
        assert_eq!(merged.page_counts.reversed().reversed().won, 1);
    }
}
