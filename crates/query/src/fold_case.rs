//! Case folding of names for searching: no case, no accents.

/// A text in lower case with Latin letters stripped of their accents, and the Cyrillic ё as е, since Russian texts
/// have either; other characters stay.
///
/// ```
/// use tabia_query::fold;
///
/// assert_eq!(fold("Müller"), fold("MULLER"));
/// assert_eq!(fold("Weiß, Sørensen, Æ"), "weiss, sorensen, ae");
/// ```
pub fn fold(text: &str) -> String {
    let mut out = String::new();
    fold_into(text, &mut out);
    out
}

/// As [`fold`], into a buffer that is emptied first.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    out.clear();
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character.to_ascii_lowercase());
            continue;
        }
        if is_combining(character) {
            continue;
        }
        match base_letters(character) {
            Some(letters) => out.push_str(letters),
            None => {
                for lower in character.to_lowercase().filter(|c| !is_combining(*c)) {
                    match base_letters(lower) {
                        Some(letters) => out.push_str(letters),
                        None => out.push(lower),
                    }
                }
            }
        }
    }
}

/// An accent that is a character of its own, after the letter.
pub(crate) fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// The letters without accents of a Latin letter (Latin-1 Supplement, Latin Extended-A and Latin
/// Extended Additional), and of the Cyrillic ё; `None` for other characters.
fn base_letters(character: char) -> Option<&'static str> {
    Some(match character {
        'À'..='Å' | 'à'..='å' | 'Ā'..='ą' => "a",
        'Æ' | 'æ' => "ae",
        'Ç' | 'ç' | 'Ć'..='č' => "c",
        'Ď'..='đ' | 'Ð' | 'ð' => "d",
        'È'..='Ë' | 'è'..='ë' | 'Ē'..='ě' => "e",
        'Ĝ'..='ģ' => "g",
        'Ĥ'..='ħ' => "h",
        'Ì'..='Ï' | 'ì'..='ï' | 'Ĩ'..='ı' => "i",
        'Ĳ' | 'ĳ' => "ij",
        'Ĵ' | 'ĵ' => "j",
        'Ķ'..='ĸ' => "k",
        'Ĺ'..='ł' => "l",
        'Ñ' | 'ñ' | 'Ń'..='ŋ' => "n",
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'Ō'..='ő' | 'Ơ' | 'ơ' => "o",
        'Œ' | 'œ' => "oe",
        'Ŕ'..='ř' => "r",
        'Ś'..='š' | 'Ș' | 'ș' => "s",
        'ß' => "ss",
        'Ţ'..='ŧ' | 'Ț' | 'ț' => "t",
        'Þ' | 'þ' => "th",
        'Ù'..='Ü' | 'ù'..='ü' | 'Ũ'..='ų' | 'Ư' | 'ư' => "u",
        'Ŵ' | 'ŵ' => "w",
        'Ý' | 'ý' | 'ÿ' | 'Ŷ'..='Ÿ' => "y",
        'Ź'..='ž' => "z",
        'Ё' | 'ё' => "е",
        '\u{1e00}'..='\u{1eff}' => return extended(character),
        _ => return None,
    })
}

/// As [`base_letters`], for Latin Extended Additional.
fn extended(character: char) -> Option<&'static str> {
    Some(match character {
        'Ḁ' | 'ḁ' | 'Ạ'..='ặ' => "a",
        'Ḃ'..='ḇ' => "b",
        'Ḉ' | 'ḉ' => "c",
        'Ḋ'..='ḓ' => "d",
        'Ḕ'..='ḝ' | 'Ẹ'..='ệ' => "e",
        'Ḟ' | 'ḟ' => "f",
        'Ḡ' | 'ḡ' => "g",
        'Ḣ'..='ḫ' => "h",
        'Ḭ'..='ḯ' | 'Ỉ'..='ị' => "i",
        'Ḱ'..='ḵ' => "k",
        'Ḷ'..='ḽ' => "l",
        'Ḿ'..='ṃ' => "m",
        'Ṅ'..='ṋ' => "n",
        'Ṍ'..='ṓ' | 'Ọ'..='ợ' => "o",
        'Ṕ'..='ṗ' => "p",
        'Ṙ'..='ṟ' => "r",
        'Ṡ'..='ṩ' => "s",
        'Ṫ'..='ṱ' => "t",
        'Ṳ'..='ṻ' | 'Ụ'..='ự' => "u",
        'Ṽ'..='ṿ' => "v",
        'Ẁ'..='ẉ' => "w",
        'Ẋ'..='ẍ' => "x",
        'Ẏ' | 'ẏ' | 'Ỳ'..='ỹ' => "y",
        'Ẑ'..='ẕ' => "z",
        'ẞ' => "ss",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_are_removed() {
        for (text, folded) in [
            ("Müller", "muller"),
            ("MÜLLER", "muller"),
            ("Łukasz Żółć", "lukasz zolc"),
            ("Sørensen", "sorensen"),
            ("Weiß", "weiss"),
            ("Пешка", "пешка"),
            ("Артём, ЁЛКА", "артем, елка"),
            ("Nguyễn Ngọc Trường Sơn", "nguyen ngoc truong son"),
            ("Mu\u{308}ller \u{212b}", "muller a"),
            ("Nepomniachtchi, Ian", "nepomniachtchi, ian"),
        ] {
            assert_eq!(fold(text), folded);
            assert_eq!(fold(folded), folded);
        }
    }
}
