//! A cache of what a writer does with lists of tags. Neighbouring games of a database mostly have
//! tags with the same names, so that few plans serve all games.

use tabia_core::game::{TagNames, Tags};

/// The most recent plans, by the names of the tags.
#[derive(Debug)]
pub(crate) struct TagPlanCache<P> {
    /// The oldest one first.
    plans: Vec<(TagNames, P)>,
    /// Index of the plan that was used last.
    last: usize,
    /// The plan for tags that are too long for the cache.
    uncached: Option<P>,
}

/// Maximal number of plans.
const MAX_PLANS: usize = 16;
/// Maximal number of bytes in the names and values of tags that are cached.
const MAX_SIZE: usize = 1 << 12;

impl<P> Default for TagPlanCache<P> {
    fn default() -> Self {
        Self {
            plans: Vec::new(),
            last: 0,
            uncached: None,
        }
    }
}

impl<P> TagPlanCache<P> {
    /// The plan for tags with the names of `tags`; `None` if absent.
    #[inline]
    pub(crate) fn get(&mut self, tags: &Tags) -> Option<&P> {
        let index = self.find(tags)?;
        self.plans.get(index).map(|(_, plan)| plan)
    }

    /// The plan for tags with the names of `tags`, which is made if absent.
    #[inline]
    pub(crate) fn get_or_add(&mut self, tags: &Tags, make: impl FnOnce(&Tags) -> P) -> Option<&P> {
        let Some(index) = self.find(tags) else {
            return Some(self.add(tags, make(tags)));
        };
        self.plans.get(index).map(|(_, plan)| plan)
    }

    #[inline]
    fn find(&mut self, tags: &Tags) -> Option<usize> {
        let is_for = |(names, _): &(TagNames, P)| tags.have_names(names);
        if !is_for(self.plans.get(self.last)?) {
            self.last = self.plans.iter().position(is_for)?;
        }
        Some(self.last)
    }

    /// Adds the plan for tags with the names of `tags`, and drops the oldest plan if the cache is full.
    pub(crate) fn add(&mut self, tags: &Tags, plan: P) -> &P {
        if tags.size() > MAX_SIZE {
            return self.uncached.insert(plan);
        }
        if self.plans.len() >= MAX_PLANS {
            self.plans.remove(0);
        }
        self.last = self.plans.len();
        &self.plans.push_mut((tags.names(), plan)).1
    }
}
