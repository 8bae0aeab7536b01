//! Finds repeated tags.

use std::collections::HashSet;

/// Number of names up to which each is compared with those before it.
const FEW: usize = 32;

/// The names of the tags of a game so far.
#[derive(Debug, Default)]
pub(crate) struct SeenTags<'t> {
    few: Vec<&'t str>,
    many: HashSet<&'t str>,
}

impl<'t> SeenTags<'t> {
    /// Whether no tag of that name came before; it counts as seen from then on.
    pub(crate) fn is_first(&mut self, name: &'t str) -> bool {
        if self.few.len() < FEW {
            let is_first = !self.few.contains(&name);
            self.few.push(name);
            return is_first;
        }
        !self.few.contains(&name) && self.many.insert(name)
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
