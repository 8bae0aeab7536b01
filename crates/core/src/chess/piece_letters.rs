//! Letters of pieces in movetext of other languages than English.

use super::types::Role;

/// The letters of pieces in the movetext of a language: those of the table in the PGN
/// standard, and of some languages in Cyrillic script.
///
/// ```
/// use tabia_core::chess::{PieceLetters, Role};
///
/// let german = PieceLetters::of_language("de").ok_or("no such language")?;
/// assert_eq!(german.prefix("Sf3"), Some((Role::Knight, 1)));
/// assert_eq!(german.prefix("Nf3"), None);
/// let russian = PieceLetters::of_language("ru").ok_or("no such language")?;
/// assert_eq!(russian.prefix("Крe2"), Some((Role::King, 4)));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct PieceLetters {
    /// ISO 639-1 codes of the languages, and their names.
    languages: &'static [(&'static str, &'static str)],
    /// Of king, queen, rook, bishop, knight and pawn.
    letters: [&'static str; 6],
}

/// The roles in the order of [`PieceLetters::letters`].
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

impl PieceLetters {
    /// Every distinct list of letters, English first.
    pub const ALL: &'static [PieceLetters] = &[
        letters(&[("en", "English")], ["K", "Q", "R", "B", "N", "P"]),
        letters(
            &[
                ("de", "German"),
                ("da", "Danish"),
                ("no", "Norwegian"),
                ("nb", "Norwegian"),
                ("sv", "Swedish"),
            ],
            ["K", "D", "T", "L", "S", "B"],
        ),
        letters(&[("nl", "Dutch")], ["K", "D", "T", "L", "P", "O"]),
        letters(&[("fr", "French")], ["R", "D", "T", "F", "C", "P"]),
        letters(
            &[("es", "Spanish"), ("it", "Italian")],
            ["R", "D", "T", "A", "C", "P"],
        ),
        letters(&[("pt", "Portuguese")], ["R", "D", "T", "B", "C", "P"]),
        letters(&[("ro", "Romanian")], ["R", "D", "T", "N", "C", "P"]),
        letters(&[("pl", "Polish")], ["K", "H", "W", "G", "S", "P"]),
        letters(&[("cs", "Czech")], ["K", "D", "V", "S", "J", "P"]),
        letters(&[("hu", "Hungarian")], ["K", "V", "B", "F", "H", "G"]),
        letters(&[("fi", "Finnish")], ["K", "D", "T", "L", "R", "P"]),
        letters(&[("is", "Icelandic")], ["K", "D", "H", "B", "R", "P"]),
        letters(&[("et", "Estonian")], ["K", "L", "V", "O", "R", "P"]),
        letters(&[("ru", "Russian")], ["Кр", "Ф", "Л", "С", "К", "п"]),
    ];

    /// The letters of a language, by its ISO 639-1 code in lower case; `None` if they are not known.
    pub fn of_language(code: &str) -> Option<&'static Self> {
        Self::ALL
            .iter()
            .find(|letters| letters.languages.iter().any(|(other, _)| *other == code))
    }

    /// The codes of all languages.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        let languages = Self::ALL.iter().flat_map(|letters| letters.languages);
        languages.map(|(code, _)| *code)
    }

    /// The languages, by ISO 639-1 code and name. Several languages share letters.
    pub fn languages(&self) -> &'static [(&'static str, &'static str)] {
        self.languages
    }

    /// Whether these are the letters of SAN.
    pub fn is_english(&self) -> bool {
        self.languages
            .first()
            .is_some_and(|(code, _)| *code == "en")
    }

    /// The letter of a piece.
    ///
    /// ```
    /// use tabia_core::chess::{PieceLetters, Role};
    /// let hungarian = PieceLetters::of_language("hu").ok_or("no such language")?;
    /// assert_eq!(hungarian.letter(Role::Rook), "B");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn letter(&self, role: Role) -> &'static str {
        let mut found = ROLES.into_iter().zip(self.letters);
        let letter = found.find(|(other, _)| *other == role);
        letter.map_or("", |(_, letter)| letter)
    }

    /// The piece whose letter a text begins with, and the length of the letter in bytes.
    #[inline]
    pub fn prefix(&self, text: &str) -> Option<(Role, usize)> {
        let found = ROLES.into_iter().zip(self.letters);
        let found = found.filter(|(_, letter)| text.starts_with(letter));
        found
            .max_by_key(|(_, letter)| letter.len())
            .map(|(role, letter)| (role, letter.len()))
    }
}

const fn letters(
    languages: &'static [(&'static str, &'static str)],
    letters: [&'static str; 6],
) -> PieceLetters {
    PieceLetters { languages, letters }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_distinct_and_have_distinct_letters() {
        for (i, one) in PieceLetters::ALL.iter().enumerate() {
            for (j, letter) in one.letters.iter().enumerate() {
                assert!(!one.letters[..j].contains(letter), "{one:?}");
                assert_eq!(one.prefix(letter), Some((ROLES[j], letter.len())));
            }
            let others = &PieceLetters::ALL[..i];
            assert!(
                others
                    .iter()
                    .all(|other| other.letters[..5] != one.letters[..5])
            );
        }
        let mut codes: Vec<_> = PieceLetters::codes().collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert_eq!(
            PieceLetters::of_language("de").unwrap().languages()[0].1,
            "German"
        );
        assert!(PieceLetters::of_language("xx").is_none());
    }
}
