//! One move of one game, in 10 or 16 bytes.

use tabia_core::chess::{Color, Move};
use tabia_core::external::FixedRecord;
use tabia_core::game::{Date, GameResult};
use zerocopy::byteorder::little_endian::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::book::packed_position::Packed;

/// A move played in a position, with facts of the game, in 16 bytes.
///
/// | bits | contents |
/// |-----:|-------|
/// | 0-15 | the move; all ones where a game ends |
/// | 16-17 | the result: 0 none, 1 White won, 2 draw, 3 Black won |
/// | 18-29 | White's rating, 0 if absent |
/// | 30-41 | Black's rating |
/// | 42-57 | month of the game, counted from the year 1000; 0 if absent |
/// | 58 | White is to move |
/// | 59 | the game had the position before |
/// | 60 | the game had the move in it before |
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub(super) struct Occurrence {
    pub(super) key: u64,
    facts: u64,
}

/// The bits of the move where a game ends.
const END: u64 = 0xffff;
const RATING: u64 = 0xfff;
const WHITE_TO_MOVE: u64 = 1 << 58;
const REPEATS_POSITION: u64 = 1 << 59;
const REPEATS_MOVE: u64 = 1 << 60;

/// The number of values of [`Occurrence::kind`].
pub(super) const KINDS: usize = 32;

/// The result of a game as statistics count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    None,
    White,
    Draw,
    Black,
}

impl Outcome {
    pub(super) fn of(result: GameResult) -> Self {
        match result.to_pgn() {
            GameResult::WhiteWins => Self::White,
            GameResult::BlackWins => Self::Black,
            GameResult::Draw => Self::Draw,
            _ => Self::None,
        }
    }
}

/// The facts of a game that all its moves share.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GameFacts(u64);

impl GameFacts {
    pub(super) fn new(white_elo: Option<u16>, black_elo: Option<u16>, date: Option<Date>) -> Self {
        let rating = |elo: Option<u16>| {
            let elo = u64::from(elo.unwrap_or(0));
            if elo > RATING { 0 } else { elo }
        };
        Self(rating(white_elo) << 18 | rating(black_elo) << 30 | month(date) << 42)
    }
}

/// The year of a month of [`Occurrence::month`].
pub(super) fn year_of(month: u16) -> Option<u16> {
    Some(month.checked_sub(1)? / 12 + 1000)
}

fn month(date: Option<Date>) -> u64 {
    match date {
        Some(date) if date.year >= 1000 => {
            let months = u64::from(date.year - 1000) * 12 + u64::from(date.month.max(1));
            months.min(0xffff)
        }
        _ => 0,
    }
}

impl Occurrence {
    /// `m` is `None` where a game ends.
    pub(super) fn new(key: u64, turn: Color, m: Option<Move>, facts: GameFacts) -> Self {
        let bits = m.map_or(END, |m| u64::from(m.to_bits()));
        let turn = if turn.is_white() { WHITE_TO_MOVE } else { 0 };
        Self {
            key,
            facts: bits | facts.0 | turn,
        }
    }

    pub(super) fn set_outcome(&mut self, outcome: Outcome) {
        self.facts |= (outcome as u64) << 16;
    }

    /// The game had the position before; `repeats_move`: with the same move.
    pub(super) fn set_repeat(&mut self, repeats_move: bool) {
        self.facts |= REPEATS_POSITION;
        self.facts |= if repeats_move { REPEATS_MOVE } else { 0 };
    }

    /// Whether the game had the position before.
    pub(super) fn repeats_position(self) -> bool {
        self.facts & REPEATS_POSITION != 0
    }

    /// Whether the game had the move in the position before.
    pub(super) fn repeats_move(self) -> bool {
        self.facts & REPEATS_MOVE != 0
    }

    /// The bits of the move; those of [`END`] are not the bits of any move.
    pub(super) fn move_bits(self) -> u16 {
        self.facts as u16
    }

    pub(super) fn outcome(self) -> Outcome {
        match self.facts >> 16 & 3 {
            1 => Outcome::White,
            2 => Outcome::Draw,
            3 => Outcome::Black,
            _ => Outcome::None,
        }
    }

    pub(super) fn turn(self) -> Color {
        if self.facts & WHITE_TO_MOVE == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Side to move, result and repeats in five bits.
    #[inline]
    pub(super) fn kind(self) -> usize {
        (self.facts >> 58 << 2 & 0b11100 | self.facts >> 16 & 0b11) as usize
    }

    /// An occurrence of that [`kind`](Self::kind).
    pub(super) fn of_kind(kind: usize, m: Move) -> Self {
        let (flags, outcome) = ((kind >> 2 & 0b111) as u64, (kind & 0b11) as u64);
        Self {
            key: 0,
            facts: u64::from(m.to_bits()) | flags << 58 | outcome << 16,
        }
    }

    /// The ratings of White and Black, 0 if absent.
    pub(super) fn ratings(self) -> (u16, u16) {
        (
            (self.facts >> 18 & RATING) as u16,
            (self.facts >> 30 & RATING) as u16,
        )
    }

    /// The month of the game, 0 if absent.
    pub(super) fn month(self) -> u16 {
        (self.facts >> 42) as u16
    }
}

impl FixedRecord for Occurrence {
    type Order = u64;

    #[inline]
    fn order(&self) -> u64 {
        self.key
    }

    #[inline]
    fn lead(&self) -> u64 {
        self.key
    }
}

/// An occurrence as it is stored.
pub(super) trait StoredOccurrence:
    FixedRecord<Order = u64> + Send + Sync + std::fmt::Debug
{
    /// Whether it has ratings and the date.
    const HAS_FACTS: bool;

    fn of(occurrence: Occurrence) -> Self;

    /// The occurrence; `partition` is the first byte of its key.
    fn occurrence(self, partition: usize) -> Occurrence;
}

impl StoredOccurrence for Occurrence {
    const HAS_FACTS: bool = true;

    fn of(occurrence: Occurrence) -> Self {
        occurrence
    }

    fn occurrence(self, _: usize) -> Occurrence {
        self
    }
}

/// An occurrence without ratings and date, in 10 bytes: all that a Polyglot book needs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub(super) struct CompactOccurrence {
    /// The key without its first byte, then a byte with repeats, the result and the side to move.
    rest: U64,
    move_bits: U16,
}

impl FixedRecord for CompactOccurrence {
    type Order = u64;

    #[inline]
    fn order(&self) -> u64 {
        self.rest.get() >> 8
    }

    #[inline]
    fn lead(&self) -> u64 {
        self.rest.get() >> 8
    }
}

impl StoredOccurrence for CompactOccurrence {
    const HAS_FACTS: bool = false;

    #[inline]
    fn of(occurrence: Occurrence) -> Self {
        let facts = occurrence.facts;
        let turn = u64::from(facts & WHITE_TO_MOVE != 0);
        let repeats = facts >> 59 & 3;
        Self {
            rest: U64::new(occurrence.key << 8 | repeats << 3 | (facts >> 16 & 3) << 1 | turn),
            move_bits: U16::new(facts as u16),
        }
    }

    #[inline]
    fn occurrence(self, partition: usize) -> Occurrence {
        let rest = self.rest.get();
        let turn = if rest & 1 == 0 { 0 } else { WHITE_TO_MOVE };
        let repeats = (rest >> 3 & 3) << 59;
        Occurrence {
            key: (partition as u64) << 56 | rest >> 8,
            facts: u64::from(self.move_bits.get()) | (rest >> 1 & 3) << 16 | turn | repeats,
        }
    }
}

/// A position with its key.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub(super) struct Board {
    pub(super) key: u64,
    pub(super) packed: Packed,
}

impl FixedRecord for Board {
    type Order = u64;

    #[inline]
    fn order(&self) -> u64 {
        self.key
    }

    #[inline]
    fn lead(&self) -> u64 {
        self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Square;

    #[test]
    fn compact_occurrences_lack_only_ratings_and_date() {
        let facts = GameFacts::new(Some(2851), None, Some(Date::new(2013, 9, 0)));
        let m = Move::normal(Square::E2, Square::E4);
        for (turn, outcome) in [
            (Color::White, Outcome::Black),
            (Color::Black, Outcome::None),
            (Color::Black, Outcome::White),
        ] {
            let mut long = Occurrence::new(0xfedc_ba98_7654_3210, turn, Some(m), facts);
            let mut bare = Occurrence::new(long.key, turn, Some(m), GameFacts::default());
            for occurrence in [&mut long, &mut bare] {
                occurrence.set_outcome(outcome);
                if turn == Color::Black {
                    occurrence.set_repeat(outcome == Outcome::White);
                }
            }
            assert_eq!(CompactOccurrence::of(long).occurrence(0xfe), bare);
            assert_eq!(
                CompactOccurrence::of(long).order(),
                long.key & u64::MAX >> 8
            );
        }
        assert_eq!(size_of::<CompactOccurrence>(), 10);
    }

    #[test]
    fn kinds_round_trip() {
        let m = Move::normal(Square::E2, Square::E4);
        let facts = GameFacts::new(Some(2851), Some(2700), Some(Date::new(2013, 9, 0)));
        let mut kinds = std::collections::BTreeSet::new();
        for turn in [Color::White, Color::Black] {
            for outcome in [Outcome::None, Outcome::White, Outcome::Draw, Outcome::Black] {
                for repeat in [None, Some(false), Some(true)] {
                    let mut occurrence = Occurrence::new(9, turn, Some(m), facts);
                    occurrence.set_outcome(outcome);
                    if let Some(repeats_move) = repeat {
                        occurrence.set_repeat(repeats_move);
                    }
                    let kind = occurrence.kind();
                    assert!(kind < KINDS && kinds.insert(kind));
                    let bare = Occurrence::of_kind(kind, m);
                    assert_eq!(bare.kind(), kind);
                    assert_eq!((bare.turn(), bare.outcome()), (turn, outcome));
                    assert_eq!(bare.move_bits(), m.to_bits());
                    assert_eq!(bare.repeats_position(), repeat.is_some());
                    assert_eq!(bare.repeats_move(), repeat == Some(true));
                }
            }
        }
    }

    #[test]
    fn facts_round_trip() {
        let facts = GameFacts::new(Some(2851), Some(5000), Some(Date::new(2013, 9, 0)));
        let m = Move::normal(Square::E2, Square::E4);
        let mut record = Occurrence::new(7, Color::White, Some(m), facts);
        record.set_outcome(Outcome::Black);
        assert_eq!(Move::from_bits(record.move_bits()), Some(m));
        assert_eq!(record.outcome(), Outcome::Black);
        assert_eq!(record.ratings(), (2851, 0));
        assert_eq!(record.month(), 1013 * 12 + 9);
        for date in [Date::new(2012, 12, 31), Date::new(1000, 0, 0)] {
            let facts = GameFacts::new(None, None, Some(date));
            let record = Occurrence::new(7, Color::White, Some(m), facts);
            assert_eq!(year_of(record.month()), Some(date.year));
        }
        assert_eq!(year_of(0), None);
        assert_eq!(record.turn(), Color::White);
        let end = Occurrence::new(7, Color::Black, None, GameFacts::default());
        assert_eq!(Move::from_bits(end.move_bits()), None);
        assert_eq!((end.outcome(), end.turn()), (Outcome::None, Color::Black));
    }
}
