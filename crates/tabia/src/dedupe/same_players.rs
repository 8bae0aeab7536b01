//! Which of the games of the same players are kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::compared_game::{Entry, Facts, MIN_EMBEDDED, common_plies, compare};
use super::duplicate::{Duplicate, DuplicateKind};

/// Games in the order of moves that a game is compared with.
const WINDOW: usize = 32;

/// Games of the same players, in the order of their moves.
#[derive(Default)]
pub(super) struct Group {
    pub(super) players: [u8; 8],
    /// The games of the first inputs are all kept.
    pub(super) base: u32,
    pub(super) facts: Vec<Facts>,
    pub(super) window: VecDeque<(usize, Entry)>,
    /// Games without moves or players by their content.
    pub(super) same: BTreeMap<Vec<u8>, Vec<usize>>,
    pub(super) links: Vec<(usize, usize, DuplicateKind, u32)>,
}

impl Group {
    /// Compares a game with those before it.
    pub(super) fn push(&mut self, entry: Entry) {
        let number = self.facts.len();
        self.facts.push(entry.facts);
        if !entry.content.is_empty() {
            self.same.entry(entry.content).or_default().push(number);
            return;
        }
        // Moves of later games differ even earlier from those that differ here.
        self.window.retain(|(_, other)| {
            common_plies(&other.moves, &entry.moves) >= MIN_EMBEDDED || other.moves == entry.moves
        });
        for (other, earlier) in &self.window {
            let is_new = |facts: &Facts| facts.at.0 >= self.base;
            let (a, b) = (&earlier.facts, &entry.facts);
            if a.at == b.at || is_new(a) && is_new(b) && a.own_players != b.own_players {
                continue;
            }
            if let Some((kind, common)) = compare(earlier, &entry) {
                self.links.push((*other, number, kind, common));
            }
        }
        if self.window.len() >= WINDOW {
            self.window.pop_front();
        }
        self.window.push_back((number, entry));
    }

    /// Decides which games are kept.
    pub(super) fn resolve(&mut self, found: &mut Vec<Duplicate>) {
        self.resolve_same(found);
        if self.links.is_empty() {
            return;
        }
        let quality = |number: usize| {
            let facts = self.facts.get(number);
            facts.map(|facts| facts.quality(self.base))
        };
        let mut linked: Vec<(usize, usize, DuplicateKind, u32)> = Vec::new();
        for &(a, b, kind, common) in &self.links {
            linked.push((a, b, kind, common));
            linked.push((b, a, kind, common));
        }
        linked.sort_unstable();
        let mut order: Vec<usize> = linked.iter().map(|link| link.0).collect();
        order.dedup();
        order.sort_by_key(|number| Reverse(quality(*number)));
        let mut is_kept = vec![false; self.facts.len()];
        for number in order {
            let from = linked.partition_point(|link| link.0 < number);
            let others = linked.get(from..).unwrap_or_default().iter();
            let best = others
                .take_while(|link| link.0 == number)
                .filter(|link| is_kept.get(link.1) == Some(&true))
                .max_by_key(|link| (Reverse(link.2), quality(link.1)));
            let is_of_base = self.facts.get(number);
            let is_of_base = is_of_base.is_some_and(|facts| facts.at.0 < self.base);
            let Some(&(_, kept, kind, common)) = best.filter(|_| !is_of_base) else {
                if let Some(kept) = is_kept.get_mut(number) {
                    *kept = true;
                }
                continue;
            };
            if let (Some(kept), Some(dropped)) = (self.facts.get(kept), self.facts.get(number)) {
                found.push(Duplicate {
                    group: 0,
                    kind,
                    kept: kept.at,
                    dropped: dropped.at,
                    common,
                    plies: (kept.plies, dropped.plies),
                });
            }
        }
    }

    /// Of the games with the same content one is kept, and all of the first inputs.
    fn resolve_same(&self, found: &mut Vec<Duplicate>) {
        for numbers in self.same.values() {
            let games = numbers.iter().filter_map(|number| self.facts.get(*number));
            let mut best: BTreeMap<u64, &Facts> = BTreeMap::new();
            let mut best_of_base: Option<&Facts> = None;
            for game in games.clone() {
                let best = if game.at.0 < self.base {
                    best_of_base.get_or_insert(game)
                } else {
                    best.entry(game.own_players).or_insert(game)
                };
                if game.quality(self.base) > best.quality(self.base) {
                    *best = game;
                }
            }
            for dropped in games.filter(|game| game.at.0 >= self.base) {
                let kept = best_of_base.or_else(|| best.get(&dropped.own_players).copied());
                let Some(kept) = kept.filter(|kept| kept.at != dropped.at) else {
                    continue;
                };
                found.push(Duplicate {
                    group: 0,
                    kind: DuplicateKind::Exact,
                    kept: kept.at,
                    dropped: dropped.at,
                    common: kept.plies,
                    plies: (kept.plies, dropped.plies),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::game::Date;

    use super::super::compared_game::tests::entry;
    use super::*;

    #[test]
    fn a_game_is_dropped_only_for_one_that_is_kept() {
        // The short one begins both long ones, which have little more in common.
        let short: Vec<u8> = (1..=12).collect();
        let long = |from: u8| -> Vec<u8> { (1..=14).chain(from..from + 40).collect() };
        let mut group = Group::default();
        for (number, plies) in [short, long(20), long(100)].iter().enumerate() {
            group.push(entry(number as u32, 1, Date::UNKNOWN, plies));
        }
        let mut found = Vec::new();
        group.resolve(&mut found);
        let dropped: Vec<u32> = found.iter().map(|d| d.dropped.1.0).collect();
        assert_eq!(dropped, [0]);
    }
}
