//! Finds repeated tags.

use std::collections::HashSet;

/// Number of names up to which each is compared with those before it.
const FEW: usize = 32;

/// The names of the tags of a game so far.
#[derive(Debug, Default)]
pub(crate) struct SeenTags<'t> {
    few: [&'t str; FEW],
    /// The number of names in `few`.
    count: usize,
    many: HashSet<&'t str>,
}

impl<'t> SeenTags<'t> {
    /// Whether no tag of that name came before; it counts as seen from then on.
    pub(crate) fn is_first(&mut self, name: &'t str) -> bool {
        let few = self.few.get(..self.count).unwrap_or_default();
        let is_in_few = few.contains(&name);
        if let Some(free) = self.few.get_mut(self.count) {
            *free = name;
            self.count += 1;
            return !is_in_few;
        }
        !is_in_few && self.many.insert(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_found_among_many() {
        let names: Vec<String> = (0..200).map(|number| format!("T{number}")).collect();
        let mut seen = SeenTags::default();
        assert!(names.iter().all(|name| seen.is_first(name)));
        assert!(!names.iter().any(|name| seen.is_first(name)));
    }
}
