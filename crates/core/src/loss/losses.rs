//! [`Losses`]: counts of what a conversion loses, by feature.

use std::collections::{BTreeMap, BTreeSet};
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
/// assert_eq!(losses.to_string(), "1 variation, 2 move symbols");
/// assert_eq!(losses.count(Feature::Nags), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    counts: BTreeMap<Feature, LossCount>,
    /// The first names in alphabetical order, at most [`Losses::MAX_NAMES`], so that the order of games does not matter.
    names: BTreeMap<Feature, BTreeSet<Box<str>>>,
}

impl Losses {
    /// Names that are kept of each feature.
    pub const MAX_NAMES: usize = 6;

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
        let entry = self.counts.entry(feature).or_insert(LossCount {
            count: 0,
            first: None,
        });
        entry.count += count;
        entry.first = match (entry.first, game) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// Adds the name of a lost item, as that of a tag, to what [`add`](Self::add) counts.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Feature, Losses};
    ///
    /// let mut losses = Losses::new();
    /// losses.add(Feature::Tags, 2, None);
    /// losses.add_name(Feature::Tags, "Opening");
    /// losses.add_name(Feature::Tags, "Board");
    /// let names: Vec<&str> = losses.names(Feature::Tags).collect();
    /// assert_eq!(names, ["Board", "Opening"]);
    /// ```
    pub fn add_name(&mut self, feature: Feature, name: &str) {
        let names = self.names.entry(feature).or_default();
        if names.contains(name) {
            return;
        }
        names.insert(name.into());
        if names.len() > Self::MAX_NAMES {
            names.pop_last();
        }
    }

    /// Counts one lost item that has a name, as a tag.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Feature, Losses};
    ///
    /// let mut losses = Losses::new();
    /// losses.add_named(Feature::Tags, "Opening", None);
    /// assert_eq!(losses.count(Feature::Tags), 1);
    /// assert_eq!(losses.names(Feature::Tags).next(), Some("Opening"));
    /// ```
    pub fn add_named(&mut self, feature: Feature, name: &str, game: Option<GameIndex>) {
        self.add(feature, 1, game);
        self.add_name(feature, name);
    }

    /// Names of lost items of a feature, as those of tags: the first [`MAX_NAMES`](Self::MAX_NAMES) in alphabetical
    /// order. Most features have items without names.
    pub fn names(&self, feature: Feature) -> impl Iterator<Item = &str> {
        let names = self.names.get(&feature).into_iter().flatten();
        names.map(|name| &**name)
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
        for (feature, loss) in &other.counts {
            self.add(*feature, loss.count, loss.first);
        }
        for (feature, names) in &other.names {
            for name in names {
                self.add_name(*feature, name);
            }
        }
    }

    /// Sets `game` as the first game of every loss without one.
    pub fn in_game(&mut self, game: GameIndex) {
        for loss in self.counts.values_mut() {
            loss.first.get_or_insert(game);
        }
    }

    /// The losses in display order.
    pub fn iter(&self) -> impl Iterator<Item = (Feature, LossCount)> {
        self.counts.iter().map(|(feature, loss)| (*feature, *loss))
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Number of lost items of a feature.
    pub fn count(&self, feature: Feature) -> u64 {
        self.counts.get(&feature).map_or(0, |loss| loss.count)
    }

    /// Removes all losses.
    pub fn clear(&mut self) {
        self.counts.clear();
        self.names.clear();
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
        assert_eq!(losses.to_string(), "1 medal, 2 details of one program only");
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
    fn the_first_names_are_kept() {
        let names = ["g", "b", "f", "a", "e", "d", "c", "b"];
        let mut all = Losses::new();
        for name in names {
            let mut losses = Losses::new();
            losses.add(Feature::Tags, 1, None);
            losses.add_name(Feature::Tags, name);
            all.merge(&losses);
        }
        assert_eq!(all.count(Feature::Tags), 8);
        let kept: Vec<&str> = all.names(Feature::Tags).collect();
        assert_eq!(kept, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(all.names(Feature::Nags).count(), 0);
        all.clear();
        assert_eq!(all, Losses::new());
    }

    #[test]
    fn losses_add_up() {
        let mut losses = Losses::new();
        losses.add(Feature::Nags, 2, Some(GameIndex(7)));
        losses.add(Feature::Nags, 1, Some(GameIndex(3)));
        losses.add(Feature::Medals, 0, None);
        assert_eq!(losses.to_string(), "3 move symbols");
        let counts: Vec<_> = losses.iter().map(|(_, loss)| loss.first).collect();
        assert_eq!(counts, [Some(GameIndex(3))]);
    }
}
