//! [`Losses`]: counts of what a conversion loses, by feature.

use std::collections::BTreeMap;
use std::fmt;

use super::Feature;
use crate::ids::GameIndex;

/// The losses of one feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LossCount {
    /// Number of lost items.
    pub count: u64,
    /// The first game that lost an item; `None` if unknown.
    pub first: Option<GameIndex>,
}

/// The items that a conversion lost, counted by feature.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Feature, GameIndex, Losses};
///
/// let mut losses = Losses::new();
/// losses.add(Feature::Nags, 2, Some(GameIndex(7)));
/// losses.add(Feature::Variations, 1, None);
/// assert_eq!(losses.to_string(), "1 variation, 2 NAGs");
/// assert_eq!(losses.count(Feature::Nags), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses(BTreeMap<Feature, LossCount>);

impl Losses {
    /// No losses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` lost items of a feature in `game`; `None` if no game is known.
    #[inline]
    pub fn add(&mut self, feature: Feature, count: u64, game: Option<GameIndex>) {
        if count > 0 {
            self.add_some(feature, count, game);
        }
    }

    /// Not inlined, because most callers add zero items most of the time.
    #[inline(never)]
    fn add_some(&mut self, feature: Feature, count: u64, game: Option<GameIndex>) {
        let entry = self.0.entry(feature).or_insert(LossCount {
            count: 0,
            first: None,
        });
        entry.count += count;
        entry.first = match (entry.first, game) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// Adds the losses of `other`.
    #[inline]
    pub fn merge(&mut self, other: &Losses) {
        if !other.is_empty() {
            self.merge_some(other);
        }
    }

    #[inline(never)]
    fn merge_some(&mut self, other: &Losses) {
        for (feature, loss) in &other.0 {
            self.add(*feature, loss.count, loss.first);
        }
    }

    /// Sets `game` as the first game of every loss without one.
    pub fn in_game(&mut self, game: GameIndex) {
        for loss in self.0.values_mut() {
            loss.first.get_or_insert(game);
        }
    }

    /// The losses in display order.
    pub fn iter(&self) -> impl Iterator<Item = (Feature, LossCount)> {
        self.0.iter().map(|(feature, loss)| (*feature, *loss))
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of lost items of a feature.
    pub fn count(&self, feature: Feature) -> u64 {
        self.0.get(&feature).map_or(0, |loss| loss.count)
    }

    /// Removes all losses.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (feature, loss)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{} {}", loss.count, feature.noun(loss.count))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_loss_has_a_singular_noun() {
        let mut losses = Losses::new();
        for feature in Feature::ALL {
            assert_ne!(feature.noun(1), feature.label(), "{feature:?}");
            assert_eq!(feature.noun(0), feature.label());
        }
        losses.add(Feature::Medals, 1, None);
        losses.add(Feature::Foreign, 2, None);
        assert_eq!(
            losses.to_string(),
            "1 medal, 2 data items of one format only"
        );
    }

    #[test]
    fn losses_without_a_game_get_the_given_one() {
        let mut losses = Losses::new();
        losses.add(Feature::Nags, 2, None);
        losses.add(Feature::Medals, 1, Some(GameIndex(3)));
        losses.in_game(GameIndex(7));
        let game = |feature| losses.iter().find(|(other, _)| *other == feature);
        assert_eq!(game(Feature::Nags).unwrap().1.first, Some(GameIndex(7)));
        assert_eq!(game(Feature::Medals).unwrap().1.first, Some(GameIndex(3)));
        assert_eq!(losses.count(Feature::Nags), 2);
    }

    #[test]
    fn losses_add_up() {
        let mut losses = Losses::new();
        losses.add(Feature::Nags, 2, Some(GameIndex(7)));
        losses.add(Feature::Nags, 1, Some(GameIndex(3)));
        losses.add(Feature::Medals, 0, None);
        assert_eq!(losses.to_string(), "3 NAGs");
        let counts: Vec<_> = losses.iter().map(|(_, loss)| loss.first).collect();
        assert_eq!(counts, [Some(GameIndex(3))]);
    }
}
