//! Words that the repository does not use: docs/forbidden-words.txt.

/// The list of forbidden words and of phrases in which they are right.
#[derive(Debug, Default)]
pub(crate) struct ForbiddenWords {
    /// Words of a forbidden term, with what to write instead.
    terms: Vec<(Vec<String>, String)>,
    /// Words of an allowed phrase.
    allowed: Vec<Vec<String>>,
    /// A file and the words of a term that is right in it.
    exceptions: Vec<(String, Vec<String>)>,
}

impl ForbiddenWords {
    /// Reads the list, one entry a line: `term: replacement`, `allow phrase` or `in FILE: term`; `#`
    /// begins a comment.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut list = Self::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(phrase) = line.strip_prefix("allow ") {
                list.allowed.push(words(phrase));
            } else if let Some((file, term)) = line
                .strip_prefix("in ")
                .and_then(|exception| exception.split_once(':'))
            {
                let file = file.trim().to_owned();
                list.exceptions.push((file, words(term)));
            } else if let Some((term, instead)) = line.split_once(':') {
                list.terms.push((words(term), instead.trim().to_owned()));
            } else {
                return Err(format!(
                    "line {}: neither `term: …` nor `allow …`",
                    number + 1
                ));
            }
        }
        Ok(list)
    }

    /// The forbidden terms in a line of a file, each with what to write instead.
    pub(crate) fn in_line(&self, file: &str, line: &str) -> Vec<(String, &str)> {
        let words = words(line);
        let mut is_allowed = vec![false; words.len()];
        for phrase in &self.allowed {
            for at in matches(&words, phrase) {
                is_allowed
                    .iter_mut()
                    .skip(at)
                    .take(phrase.len())
                    .for_each(|allowed| *allowed = true);
            }
        }
        let mut found = Vec::new();
        let is_exception = |term: &[String]| {
            let mut exceptions = self.exceptions.iter();
            exceptions.any(|(name, excepted)| name == file && excepted == term)
        };
        for (term, instead) in self.terms.iter().filter(|(term, _)| !is_exception(term)) {
            for at in matches(&words, term) {
                if !is_allowed.get(at).copied().unwrap_or_default() {
                    found.push((term.join(" "), instead.as_str()));
                }
            }
        }
        found
    }
}

/// Indexes at which `term` begins in `words`.
fn matches<'a>(words: &'a [String], term: &'a [String]) -> impl Iterator<Item = usize> + 'a {
    let windows = words.windows(term.len().max(1)).enumerate();
    windows
        .filter(move |(_, window)| *window == term)
        .map(|(at, _)| at)
}

/// Words of a line in lower case; identifiers in snake case and camel case are split.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    for c in line.chars() {
        let starts = c.is_uppercase() && (previous.is_lowercase() || previous.is_ascii_digit());
        if (!c.is_alphabetic() || starts) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        // The letter of an escape such as `\t` is no part of the word after it.
        let is_escape = previous == '\\' && matches!(c, 'n' | 'r' | 't');
        if c.is_alphabetic() && !is_escape {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let list = "# comment\n\nroom: buffer\nso many: n\nallow room temperature\nin b.md: room\n";
        let list = ForbiddenWords::parse(list).unwrap();
        assert!(list.in_line("b.md", "room").is_empty());
        list.in_line("a.md", line)
            .into_iter()
            .map(|(term, _)| term)
            .collect()
    }

    #[test]
    fn words_are_found_in_prose_and_identifiers() {
        assert_eq!(found("// Room for more"), ["room"]);
        assert_eq!(found("let room_left = 1;"), ["room"]);
        assert_eq!(found("struct RoomLeft;"), ["room"]);
        assert_eq!(found("struct HugeRoom2;"), ["room"]);
        assert_eq!(found("so  many games"), ["so many"]);
        assert_eq!(found(r"a\troom"), ["room"]);
        assert!(found(r"a\tbroom, \room").is_empty());
        assert!(found("broom, roomy, mushrooms").is_empty());
    }

    #[test]
    fn allowed_phrases_are_passed_over_once() {
        assert!(found("at room temperature").is_empty());
        assert_eq!(found("room at room temperature"), ["room"]);
    }

    #[test]
    fn a_line_that_is_neither_is_an_error() {
        assert!(ForbiddenWords::parse("room").is_err());
    }
}
