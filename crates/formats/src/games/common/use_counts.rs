//! Compares how often an index refers to each name with what the file of names states, so that a
//! file of names from another database is noticed although all its numbers exist.

use tabia_core::plural::counted;

/// How often a name is used, and the number (from 1) of the first record that uses it. 0 for a first
/// record that is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) count: u32,
    pub(crate) first: u32,
}

impl Uses {
    /// Counts a use by that record.
    pub(crate) const fn add(&mut self, record: u32) {
        self.count = self.count.saturating_add(1);
        if self.first == 0 {
            self.first = record;
        }
    }

    /// Whether the lost records of a database cannot explain the difference: damage only takes uses
    /// away.
    const fn exceed(self, stated: Self) -> bool {
        self.count > stated.count || self.first < stated.first
    }
}

/// Why the names are those of other games, by the stated and found uses of each name: more than a
/// quarter of the names in use are used more often than their file states, or by an earlier
/// record. `None` if they fit, or if the file counts no uses at all.
pub(crate) fn foreign_names(uses: impl Iterator<Item = (Uses, Uses)>) -> Option<String> {
    let (mut used, mut exceeding, mut is_counted) = (0_u32, 0_u32, false);
    for (stated, found) in uses {
        is_counted |= stated.count > 0;
        if found.count > 0 {
            used += 1;
            exceeding += u32::from(found.exceed(stated));
        }
    }
    if !is_counted || u64::from(exceeding) * 4 <= u64::from(used) {
        return None;
    }
    let names = counted(used, "name in use", "names in use");
    Some(format!(
        "the file may be that of another database: the games use {exceeding} of {names} more often, or \
         earlier, than it states"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(count: u32, first: u32) -> Uses {
        Uses { count, first }
    }

    #[test]
    fn names_with_fewer_uses_than_stated_fit() {
        let lost = [
            (uses(5, 1), uses(3, 1)),
            (uses(2, 4), uses(1, 9)),
            (uses(7, 2), uses(0, 0)),
        ];
        assert_eq!(foreign_names(lost.into_iter()), None);
        assert_eq!(foreign_names(std::iter::empty()), None);
    }

    #[test]
    fn a_quarter_of_the_names_may_be_out_of_date() {
        let exact = (uses(2, 2), uses(2, 2));
        let more = (uses(2, 2), uses(3, 2));
        let earlier = (uses(9, 2), uses(3, 1));
        assert_eq!(foreign_names([exact, exact, exact, more].into_iter()), None);
        let text = foreign_names([exact, exact, earlier, more].into_iter()).unwrap();
        assert!(
            text.contains("use 2 of 4 names in use more often"),
            "{text}"
        );
        let uncounted = (uses(0, 0), uses(3, 1));
        assert_eq!(foreign_names([uncounted; 4].into_iter()), None);
    }
}
