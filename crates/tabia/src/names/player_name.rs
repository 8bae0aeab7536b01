//! Surnames and given names of players, for comparison.

use std::borrow::Cow;

/// A name in parts, folded, letters and digits only.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlayerName {
    pub(super) surname: String,
    /// Given names and initials, in their order.
    pub(super) given: Vec<String>,
}

impl PlayerName {
    /// Titles are no part of it. The surname is what precedes the comma, or an initial at the end, or else the last word.
    pub(super) fn parse(name: &str) -> Self {
        let folded = tabia_query::fold(&without_titles(name));
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

    /// What distinguishes a father and a son, if the name ends with it.
    fn generation(&self) -> Option<&str> {
        let last = self.given.last().map(String::as_str);
        last.filter(|word| GENERATIONS.contains(word))
    }

    /// Whether all given names of this name are those of another, or their initials, and the other has
    /// more of them or longer ones.
    pub(super) fn is_short_for(&self, other: &Self) -> bool {
        self.surname == other.surname
            && self.given != other.given
            && !self.given.is_empty()
            && self.given.len() <= other.given.len()
            && self.generation() == other.generation()
            && self.given.iter().zip(&other.given).all(|(own, other)| {
                own == other || own.chars().count() == 1 && other.starts_with(own.as_str())
            })
    }
}

const GENERATIONS: [&str; 7] = ["jr", "sr", "junior", "senior", "ii", "iii", "iv"];

const TITLES: [&str; 8] = ["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"];

/// A name without the titles in it. Two letters are initials if nothing else is known of the given names, as in
/// `Smith IM`, and the start of a name in capitals may be its surname.
pub(super) fn without_titles(name: &str) -> Cow<'_, str> {
    let title = |word: &str| {
        let word = word.trim_matches(['.', ',', '(', ')']);
        TITLES.contains(&word).then_some(word.len())
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let others = words.iter().filter(|word| title(word).is_none()).count();
    if others == 0 || others == words.len() {
        return Cow::Borrowed(name);
    }
    let is_shouted = !name.chars().any(char::is_lowercase);
    let mut kept = String::new();
    for (at, word) in words.iter().enumerate() {
        let is_title = match title(word) {
            None => false,
            Some(2) if at == 0 => !is_shouted,
            Some(2) => others > 1,
            Some(_) => true,
        };
        if is_title {
            // The comma after the surname stays.
            kept.push_str(if word.ends_with(',') { "," } else { "" });
        } else {
            kept.push(' ');
            kept.push_str(word);
        }
    }
    Cow::Owned(kept.trim_start().to_owned())
}

/// The folded surname of a name, and the first letter of the given names.
pub(crate) fn surname_and_initial(name: &str) -> (String, Option<char>) {
    let PlayerName { surname, given } = PlayerName::parse(name);
    let initial = given.first().and_then(|given| given.chars().next());
    (surname, initial)
}

/// As [`surname_and_initial`], if a name without a comma begins with its surname, as `Padevsky Nikola`; `None` if it
/// cannot.
pub(crate) fn leading_surname_and_initial(name: &str) -> Option<(String, Option<char>)> {
    let folded = tabia_query::fold(&without_titles(name));
    if folded.contains(',') {
        return None;
    }
    let words = words(&folded);
    let (given, surname) = words.split_last()?;
    let surname = surname.concat();
    let is_whole = |word: &str| word.chars().count() > 2;
    (is_whole(given) && is_whole(&surname)).then(|| (surname, given.chars().next()))
}

/// The folded words of a name without its titles, sorted; `None` for a single word.
pub(super) fn sorted_words(name: &str) -> Option<Vec<String>> {
    let mut words = words(&tabia_query::fold(&without_titles(name)));
    words.sort_unstable();
    (words.len() > 1).then_some(words)
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
            assert_eq!(surname_and_initial(name).0, expected, "{name}");
        }
    }

    #[test]
    fn names_without_a_comma_may_begin_with_the_surname() {
        for (name, expected) in [
            ("Padevsky Nikola", Some(("padevsky", 'n'))),
            ("GM Padevsky Nikola", Some(("padevsky", 'n'))),
            ("Garcia Martinez Silvino", Some(("garciamartinez", 's'))),
            ("Padevsky, Nikola", None),
            ("Padevsky N", None),
            ("N Padevsky", None),
            ("Padevsky", None),
            ("?", None),
        ] {
            let expected = expected.map(|(surname, initial)| (surname.to_owned(), Some(initial)));
            assert_eq!(leading_surname_and_initial(name), expected, "{name}");
        }
    }

    #[test]
    fn titles_are_no_initials() {
        let parsed = |name: &str| {
            let found = PlayerName::parse(name);
            (found.surname, found.given.join(" "))
        };
        for (name, surname, given) in [
            ("Mieses J GM", "mieses", "j"),
            ("GM Mieses J", "mieses", "j"),
            ("Mieses, J. (IM)", "mieses", "j"),
            ("Mieses IM, Jacques", "mieses", "jacques"),
            ("Polgar J WGM", "polgar", "j"),
            ("Polgar WGM", "polgar", ""),
            ("Judit Polgar WIM", "polgar", "judit"),
            // Initials, a surname, and nothing else than a title.
            ("Smith IM", "smith", "im"),
            ("IM DONG HYUK", "hyuk", "im dong"),
            ("GM", "gm", ""),
        ] {
            assert_eq!(parsed(name), (surname.into(), given.into()), "{name}");
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
