//! What two games have in common.

use std::cmp::Reverse;

use tabia_core::GameIndex;
use tabia_core::game::Date;
use tabia_core::io::Cursor;

use super::duplicate::DuplicateKind;

/// Plies in common at least, of embedded and of near duplicates; shorter games are exact duplicates only
/// if event, round or day agree.
pub(super) const MIN_EMBEDDED: usize = 10;
const MIN_NEAR: usize = 20;
/// Percentage of plies in common, of the shorter game.
const NEAR: usize = 80;
/// With fewer plies in common, games are no duplicates of which two facts differ: the result, an initial.
pub(super) const MIN_CONTRADICTING: usize = 40;

/// What decides which of two games is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    pub(super) at: (u32, GameIndex),
    pub(super) annotations: u32,
    pub(super) plies: u32,
    pub(super) tags: u32,
    /// A hash of the players as the input has them. Different new games that the database would store alike
    /// are no duplicates of each other.
    pub(super) own_players: u64,
}

impl Facts {
    /// The game with the greatest one is kept. The games of the first `base` inputs come first.
    pub(super) fn quality(&self, base: u32) -> (bool, u32, u32, u32, Reverse<(u32, GameIndex)>) {
        let is_of_base = self.at.0 < base;
        let at = Reverse(self.at);
        (is_of_base, self.annotations, self.plies, self.tags, at)
    }
}

/// A game as far as it is compared.
pub(super) struct Entry {
    pub(super) facts: Facts,
    pub(super) date: Date,
    /// Hashes; 0 is unknown.
    pub(super) event: u64,
    pub(super) round: u64,
    /// 1 if White wins, 2 if Black does, 3 for a draw; 0 is unknown.
    pub(super) result: u8,
    /// Names without a comma begin with the surname. So they are compared only in long games with the same moves.
    pub(super) has_leading_surnames: bool,
    /// The first letters of the given names of White and Black; 0 is unknown.
    pub(super) initials: [u32; 2],
    /// Folded surnames.
    pub(super) players: Vec<u8>,
    /// All of a game without moves or players, which is compared as a whole; else empty.
    pub(super) content: Vec<u8>,
    /// Two bytes a ply.
    pub(super) moves: Vec<u8>,
}

impl Entry {
    /// Reads a record of the sorter and its key.
    pub(super) fn read(key: &[u8], record: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(record);
        let input = cursor.u32_be("input").ok()?;
        let game = cursor.u32_be("game").ok()?;
        let date = Date::new(
            cursor.u16_be("year").ok()?,
            cursor.u8("month").ok()?,
            cursor.u8("day").ok()?,
        );
        let event = cursor.u64_be("event").ok()?;
        let round = cursor.u64_be("round").ok()?;
        let annotations = cursor.u32_be("annotations").ok()?;
        let tags = cursor.u32_be("tags").ok()?;
        let own_players = cursor.u64_be("own players").ok()?;
        let result = cursor.u8("result").ok()?;
        let has_leading_surnames = cursor.u8("order of names").ok()? != 0;
        let initials = [
            cursor.u32_be("initial of White").ok()?,
            cursor.u32_be("initial of Black").ok()?,
        ];
        let length = cursor.u32_be("players").ok()? as usize;
        let players = cursor.take(length, "players").ok()?.to_vec();
        let length = cursor.u32_be("content").ok()? as usize;
        let content = cursor.take(length, "content").ok()?.to_vec();
        let in_key = cursor.u32_be("moves in the key").ok()? as usize;
        let in_key = key.get(size_of::<u64>()..)?.get(..in_key)?;
        let moves = [in_key, cursor.rest()].concat();
        let facts = Facts {
            at: (input, GameIndex(game)),
            annotations,
            plies: (moves.len() / 2) as u32,
            tags,
            own_players,
        };
        Some(Self {
            facts,
            date,
            event,
            round,
            result,
            has_leading_surnames,
            initials,
            players,
            content,
            moves,
        })
    }

    /// Whether event, round or day agree, or none of them can be compared.
    fn agrees(&self, other: &Self) -> bool {
        let mut is_comparable = false;
        let mut agrees = false;
        let mut compare = |is_known: bool, is_equal: bool| {
            is_comparable |= is_known;
            agrees |= is_known && is_equal;
        };
        compare(
            self.event != 0 && other.event != 0,
            self.event == other.event,
        );
        // Every event has a first round.
        let is_other_event = self.event != 0 && other.event != 0 && self.event != other.event;
        compare(
            self.round != 0 && other.round != 0,
            self.round == other.round && !is_other_event,
        );
        let has_day = self.date.is_complete() && other.date.is_complete();
        compare(has_day, self.date == other.date);
        agrees || !is_comparable
    }

    /// Whether at least two of the result and the initials of both players are known and differ.
    fn contradicts(&self, other: &Self) -> bool {
        let differ = |own: u32, other: u32| own != 0 && other != 0 && own != other;
        let facts = [
            differ(self.result.into(), other.result.into()),
            differ(self.initials[0], other.initials[0]),
            differ(self.initials[1], other.initials[1]),
        ];
        facts.into_iter().filter(|differ| *differ).count() > 1
    }

    /// Whether both are games of one event, of other rounds. Equal moves of a game that is not short are more telling than the
    /// numbers of rounds, unless the days differ, too; players repeat short draws.
    fn is_of_other_round(&self, other: &Self, is_long_and_equal: bool) -> bool {
        let is_one_event = self.event != 0 && self.event == other.event;
        let is_other_round = self.round != 0 && other.round != 0 && self.round != other.round;
        let has_days = self.date.is_complete() && other.date.is_complete();
        let is_other_day = has_days && self.date != other.date;
        is_one_event && is_other_round && (is_other_day || !is_long_and_equal)
    }
}

/// What two games have in common, and how many plies.
pub(super) fn compare(a: &Entry, b: &Entry) -> Option<(DuplicateKind, u32)> {
    let years = (a.date.year, b.date.year);
    if a.players != b.players || (years.0 != years.1 && years.0 != 0 && years.1 != 0) {
        return None;
    }
    let (first, second) = (a.moves.len() / 2, b.moves.len() / 2);
    let (shorter, longer) = (first.min(second), first.max(second));
    let common = common_plies(&a.moves, &b.moves);
    if a.is_of_other_round(b, common == longer && longer >= MIN_NEAR) {
        return None;
    }
    if common < MIN_CONTRADICTING && a.contradicts(b) {
        return None;
    }
    let is_long_and_equal = common == longer && longer >= MIN_CONTRADICTING;
    if (a.has_leading_surnames || b.has_leading_surnames) && !is_long_and_equal {
        return None;
    }
    let kind = if common == longer {
        (longer >= MIN_NEAR || a.agrees(b)).then_some(DuplicateKind::Exact)
    } else if common >= MIN_NEAR && common * 100 >= NEAR * shorter {
        (common * 100 >= NEAR * longer || a.agrees(b)).then_some(DuplicateKind::Near)
    } else if common == shorter && common >= MIN_EMBEDDED {
        a.agrees(b).then_some(DuplicateKind::Embedded)
    } else {
        None
    };
    kind.map(|kind| (kind, common as u32))
}

/// Plies in common from the start.
pub(super) fn common_plies(a: &[u8], b: &[u8]) -> usize {
    let ((a, _), (b, _)) = (a.as_chunks::<2>(), b.as_chunks::<2>());
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::dedupe) fn entry(number: u32, event: u64, date: Date, plies: &[u8]) -> Entry {
        Entry {
            facts: Facts {
                at: (0, GameIndex(number)),
                annotations: 0,
                plies: plies.len() as u32,
                tags: 0,
                own_players: 0,
            },
            date,
            event,
            round: 0,
            result: 0,
            has_leading_surnames: false,
            initials: [0; 2],
            players: b"a\nb".to_vec(),
            content: Vec::new(),
            moves: plies.iter().flat_map(|ply| [0, *ply]).collect(),
        }
    }

    #[test]
    fn kinds_of_duplicates() {
        let plies: Vec<u8> = (1..=60).collect();
        let year = Date::new(1990, 0, 0);
        let game = |event, count: usize| entry(0, event, year, &plies[..count]);
        let kind = |a: &Entry, b: &Entry| compare(a, b).map(|(kind, _)| kind);
        assert_eq!(kind(&game(1, 60), &game(2, 60)), Some(DuplicateKind::Exact));
        assert_eq!(kind(&game(1, 60), &game(2, 55)), Some(DuplicateKind::Near));
        // A short game that begins a long one may be another game.
        assert_eq!(kind(&game(1, 60), &game(2, 22)), None);
        assert_eq!(kind(&game(1, 60), &game(1, 22)), Some(DuplicateKind::Near));
        assert_eq!(
            kind(&game(1, 60), &game(1, 12)),
            Some(DuplicateKind::Embedded)
        );
        assert_eq!(
            kind(&game(1, 60), &game(0, 12)),
            Some(DuplicateKind::Embedded)
        );
        assert_eq!(kind(&game(1, 60), &game(2, 12)), None);
        assert_eq!(kind(&game(1, 9), &game(2, 9)), None);
        assert_eq!(kind(&game(1, 9), &game(1, 9)), Some(DuplicateKind::Exact));
        let other = entry(0, 1, Date::new(1991, 1, 1), &plies);
        assert_eq!(kind(&game(1, 60), &other), None);
        let unknown = entry(0, 2, Date::UNKNOWN, &plies);
        assert_eq!(kind(&game(1, 60), &unknown), Some(DuplicateKind::Exact));
    }

    #[test]
    fn games_that_contradict_each_other_are_different_if_they_are_short() {
        let plies: Vec<u8> = (1..=60).collect();
        let game = |count: usize, result, initials: [char; 2]| {
            let mut game = entry(0, 1, Date::new(1990, 3, 1), &plies[..count]);
            (game.result, game.initials) = (result, initials.map(u32::from));
            game
        };
        let is_duplicate = |a: &Entry, b: &Entry| compare(a, b).is_some();
        let first = game(25, 1, ['m', 'p']);
        assert!(is_duplicate(&first, &game(25, 1, ['m', 'p'])));
        assert!(is_duplicate(&first, &game(25, 2, ['m', 'p'])));
        assert!(is_duplicate(&first, &game(25, 0, ['g', '\0'])));
        assert!(!is_duplicate(&first, &game(25, 2, ['g', 'p'])));
        assert!(!is_duplicate(&first, &game(27, 1, ['g', 'n'])));
        assert!(is_duplicate(
            &game(50, 1, ['m', 'p']),
            &game(50, 2, ['g', 'n'])
        ));
    }

    #[test]
    fn rounds_of_one_event_are_different_games() {
        let plies: Vec<u8> = (1..=60).collect();
        let game = |round, day, count: usize| {
            let mut game = entry(0, 1, Date::new(1990, 3, day), &plies[..count]);
            game.round = round;
            game
        };
        let kind = |a: &Entry, b: &Entry| compare(a, b).map(|(kind, _)| kind);
        for (count, exact) in [(60, Some(DuplicateKind::Exact)), (12, None)] {
            let exact_if_long = kind(&game(3, 0, count), &game(5, 0, count));
            assert_eq!(exact_if_long, exact, "days unknown");
            assert_eq!(kind(&game(3, 1, count), &game(5, 4, count)), None);
            let same = Some(DuplicateKind::Exact);
            let same_if_long = kind(&game(3, 1, count), &game(5, 1, count));
            assert_eq!(same_if_long, exact, "the same day");
            assert_eq!(kind(&game(3, 1, count), &game(3, 4, count)), same);
            assert_eq!(kind(&game(3, 1, count), &game(0, 4, count)), same);
        }
        // A longer game of the match begins as the one before.
        assert_eq!(kind(&game(16, 0, 60), &game(18, 0, 25)), None);
        assert_eq!(
            kind(&game(16, 0, 60), &game(16, 0, 25)),
            Some(DuplicateKind::Near)
        );
        // Round 8 of two tournaments.
        let mut other = game(8, 4, 25);
        other.event = 2;
        assert_eq!(kind(&game(8, 1, 60), &other), None);
    }
}
