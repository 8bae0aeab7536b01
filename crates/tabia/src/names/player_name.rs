//! Surnames and given names of players, for comparison.

/// A name in parts, folded, letters and digits only.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlayerName {
    pub(super) surname: String,
    /// Given names and initials, in their order.
    pub(super) given: Vec<String>,
}

impl PlayerName {
    /// The surname is what precedes the comma, or an initial at the end, or else the last word.
    pub(super) fn parse(name: &str) -> Self {
        let folded = tabia_query::fold(name);
        if let Some((surname, given)) = folded.split_once(',') {
            return Self {
                surname: letters(surname),
                given: words(given),
            };
        }
        let words = words(&folded);
        let is_initial = |word: &String| word.chars().count() <= 2;
        let (surname, given) = match words.as_slice() {
            [] => (String::new(), Vec::new()),
            [word] => (word.clone(), Vec::new()),
            [.., last] if is_initial(last) => {
                // Several initials.
                let single = |word: &&String| word.chars().count() == 1;
                let others = words.len() - 1;
                let initials = words.iter().take(others).rev().take_while(single).count();
                let length = others.saturating_sub(initials).max(1);
                let (surname, given) = words.split_at(length);
                (surname.concat(), given.to_vec())
            }
            [given @ .., surname] => (surname.clone(), given.to_vec()),
        };
        Self { surname, given }
    }

    /// Whether one of the given names is more than an initial.
    pub(super) fn has_given_name(&self) -> bool {
        self.given.iter().any(|word| word.chars().count() > 1)
    }

    /// Whether all given names of this name are those of another, or their initials, and the other has
    /// more of them or longer ones.
    pub(super) fn is_short_for(&self, other: &Self) -> bool {
        self.surname == other.surname
            && self.given != other.given
            && !self.given.is_empty()
            && self.given.len() <= other.given.len()
            && self.given.iter().zip(&other.given).all(|(own, other)| {
                own == other || own.chars().count() == 1 && other.starts_with(own.as_str())
            })
    }
}

/// The folded surname.
pub(crate) fn surname(name: &str) -> String {
    PlayerName::parse(name).surname
}

/// The letters and digits of a folded text.
pub(super) fn letters(folded: &str) -> String {
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn words(folded: &str) -> Vec<String> {
    let words = folded.split(|c: char| c.is_whitespace() || c == '.' || c == ',');
    words.map(letters).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surnames_are_compared_without_initials() {
        for (name, expected) in [
            ("Carlsen, Magnus", "carlsen"),
            ("CARLSEN,M", "carlsen"),
            ("Carlsen M", "carlsen"),
            ("Carlsen M.", "carlsen"),
            ("Magnus Carlsen", "carlsen"),
            ("Müller, K.", "muller"),
            ("Van Wely, L", "vanwely"),
            ("Van Wely L", "vanwely"),
            ("?", ""),
            ("DrNykterstein", "drnykterstein"),
        ] {
            assert_eq!(surname(name), expected, "{name}");
        }
    }

    #[test]
    fn short_forms_fit_longer_ones() {
        let is_short = |a: &str, b: &str| PlayerName::parse(a).is_short_for(&PlayerName::parse(b));
        assert!(is_short("Carlsen,M", "Carlsen, Magnus"));
        assert!(is_short("Carlsen, Magnus", "Carlsen, Magnus Oen"));
        assert!(is_short("Carlsen M.", "Magnus Carlsen"));
        assert!(!is_short("Carlsen, Magnus", "Carlsen, M"));
        assert!(!is_short("Carlsen", "Carlsen, M"));
        assert!(!is_short("Carlsen, H", "Carlsen, Magnus"));
        assert!(!is_short("Polgar, Z", "Polgar, Judit"));
    }
}
