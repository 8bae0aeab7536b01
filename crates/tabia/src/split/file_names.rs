//! The names of the files: safe on every system, and distinct.

use std::collections::HashSet;
use std::path::Path;

use tabia_core::Error;
use tabia_core::io::name_text;
use tabia_formats::archives::compressed::Compression;

use super::split_by::SplitBy;

/// The most bytes of a key in a name.
const MAX_KEY: usize = 80;
/// The most files that one job writes.
const MAX_FILES: usize = 1 << 20;

/// The names of the targets, by number.
#[derive(Debug)]
pub(super) struct FileNames {
    /// `games` of `games.pgn.gz`, and `.pgn.gz`.
    stem: String,
    extension: String,
    by: SplitBy,
    names: Vec<String>,
    /// Names in lower case, as some systems compare them.
    taken: HashSet<String>,
}

impl FileNames {
    pub(super) fn new(path: &Path, by: SplitBy) -> Result<Self, Error> {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| {
            let text = format!(
                "{}: the name of the output is not UTF-8",
                name_text(path.as_os_str())
            );
            Error::usage(text)
        })?;
        let (_, bare) = Compression::of_name(name);
        let (stem, _) = bare.rsplit_once('.').unwrap_or((bare, ""));
        Ok(Self {
            extension: name.get(stem.len()..).unwrap_or_default().to_owned(),
            stem: stem.to_owned(),
            by,
            names: Vec::new(),
            taken: HashSet::new(),
        })
    }

    /// The target of a record, if targets have a number of games each.
    pub(super) fn number_of_record(&mut self, record: u32) -> Option<u32> {
        let SplitBy::Count(count) = self.by else {
            return None;
        };
        let target = record / count;
        if target as usize == self.names.len() {
            let name = format!("{}-{:04}{}", self.stem, target + 1, self.extension);
            self.names.push(name);
        }
        Some(target)
    }

    /// Adds a target for the games with that key, `""` if it is unknown.
    pub(super) fn add(&mut self, key: &str) -> Result<u32, Error> {
        if self.names.len() >= MAX_FILES {
            let text = format!("the games would need more than {MAX_FILES} files");
            return Err(Error::usage(text));
        }
        let safe = match key {
            "" => "unknown".to_owned(),
            key => safe_name(key),
        };
        let mut name = format!("{}-{safe}{}", self.stem, self.extension);
        let mut number = 1_u32;
        while !self.taken.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{}-{safe} ({number}){}", self.stem, self.extension);
        }
        self.names.push(name);
        Ok(self.names.len() as u32 - 1)
    }

    /// Whether a file of that name could be one of the targets.
    pub(super) fn is_part(&self, name: &str) -> bool {
        let part = name.strip_prefix(self.stem.as_str());
        let part = part.and_then(|rest| rest.strip_suffix(self.extension.as_str()));
        let Some(part) = part.and_then(|part| part.strip_prefix('-')) else {
            return false;
        };
        let are_digits = part.bytes().all(|byte| byte.is_ascii_digit());
        match self.by {
            SplitBy::Count(_) => part.len() >= 4 && are_digits,
            _ => !part.is_empty(),
        }
    }

    pub(super) fn name(&self, target: u32) -> &str {
        self.names.get(target as usize).map_or("", String::as_str)
    }

    /// Number of targets.
    pub(super) fn len(&self) -> u32 {
        self.names.len() as u32
    }
}

/// A key as part of a file name: without characters that some system forbids or that change how a name
/// is shown, without blanks and dots at its ends, not too long.
fn safe_name(key: &str) -> String {
    let mut name = String::new();
    for c in key.chars() {
        let c = match c {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
            c if c.is_control() => '_',
            // Marks without a width, and those of writing direction.
            '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                continue;
            }
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if name.len() + c.len_utf8() > MAX_KEY {
            break;
        }
        if !(c == ' ' && name.ends_with(' ')) {
            name.push(c);
        }
    }
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() {
        "_".to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn names_are_safe_and_distinct() {
        let mut names = FileNames::new(Path::new("a/games.pgn.gz"), SplitBy::Event).unwrap();
        let mut add = |key: &str| {
            let number = names.add(key).unwrap();
            names.name(number).to_owned()
        };
        assert_eq!(add("Wijk aan Zee"), "games-Wijk aan Zee.pgn.gz");
        assert_eq!(add("WIJK AAN ZEE"), "games-WIJK AAN ZEE (2).pgn.gz");
        assert_eq!(add(""), "games-unknown.pgn.gz");
        assert_eq!(add("unknown"), "games-unknown (2).pgn.gz");
        assert_eq!(add("../a:b\u{202e}\n?"), "games-_a_b__.pgn.gz");
        assert_eq!(add(" . "), "games-_.pgn.gz");
        assert_eq!(add("Žižka  2"), "games-Žižka 2.pgn.gz");
        let long = add(&"é".repeat(300));
        assert_eq!(long.chars().count(), "games-.pgn.gz".len() + 40);
        let other = add(&"é".repeat(200));
        assert!(other.ends_with(" (2).pgn.gz"), "{other}");
    }

    #[test]
    fn files_with_a_number_of_games_are_numbered() {
        let by = SplitBy::Count(NonZeroU32::new(2).unwrap());
        let mut names = FileNames::new(Path::new("mega"), by).unwrap();
        let targets: Vec<_> = (0..5)
            .map(|record| names.number_of_record(record))
            .collect();
        assert_eq!(targets, [0, 0, 1, 1, 2].map(Some));
        assert_eq!((names.name(0), names.name(2)), ("mega-0001", "mega-0003"));
        assert_eq!(names.len(), 3);
    }
}
