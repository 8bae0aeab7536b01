//! What to do with tags, found out once for all lists of tags with the same names, as those of most
//! neighbours in a database are.

use tabia_core::game::{TagNames, Tags};

/// Plans made of late.
#[derive(Debug)]
pub(crate) struct Plans<P> {
    /// The oldest one first.
    made: Vec<(TagNames, P)>,
    /// The one that served last.
    last: usize,
    /// For tags that are too long to be kept.
    long: Option<P>,
}

/// How many plans there are.
const PLANS: usize = 16;
/// Tags with more bytes of names and values are not kept.
const LONGEST: usize = 1 << 12;

impl<P> Default for Plans<P> {
    fn default() -> Self {
        Self {
            made: Vec::new(),
            last: 0,
            long: None,
        }
    }
}

impl<P> Plans<P> {
    /// The plan for tags of these names.
    #[inline]
    pub(crate) fn get(&mut self, tags: &Tags) -> Option<&P> {
        let place = self.find(tags)?;
        self.made.get(place).map(|(_, plan)| plan)
    }

    /// The same, which is made where there is none.
    #[inline]
    pub(crate) fn get_or_add(&mut self, tags: &Tags, make: impl FnOnce(&Tags) -> P) -> Option<&P> {
        let Some(place) = self.find(tags) else {
            return Some(self.add(tags, make(tags)));
        };
        self.made.get(place).map(|(_, plan)| plan)
    }

    #[inline]
    fn find(&mut self, tags: &Tags) -> Option<usize> {
        let is_for = |(names, _): &(TagNames, P)| tags.have_names(names);
        if !is_for(self.made.get(self.last)?) {
            self.last = self.made.iter().position(is_for)?;
        }
        Some(self.last)
    }

    /// Keeps a plan for tags of these names, in place of the oldest one.
    pub(crate) fn add(&mut self, tags: &Tags, plan: P) -> &P {
        if tags.size() > LONGEST {
            return self.long.insert(plan);
        }
        if self.made.len() >= PLANS {
            self.made.remove(0);
        }
        self.last = self.made.len();
        &self.made.push_mut((tags.names(), plan)).1
    }
}
