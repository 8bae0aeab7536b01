//! Reads tag sections that have the names of a section before, as most do: with one comparison for
//! each name.

use std::ops::Range;

use tabia_core::game::Tags;
use zerocopy::byteorder::little_endian::U64;

use super::char_class::{is_space, value_end};

/// The patterns of the sections before.
#[derive(Debug, Default)]
pub(super) struct TagPatterns {
    patterns: Vec<TagPattern>,
    /// The pattern of the last section, if it had one.
    last: Option<usize>,
    /// The pattern that the next new one replaces, once there are [`MAX_PATTERNS`].
    oldest: usize,
}

/// A section with a known pattern.
#[derive(Debug)]
pub(super) struct RepeatedTags<'p> {
    pub(super) pattern: &'p TagPattern,
    /// Whether the section before has the same names.
    pub(super) has_last_names: bool,
    /// The end of the last tag.
    pub(super) end: usize,
    /// The offset of the token after the section.
    pub(super) next: usize,
}

/// Patterns that are compared: games of different sources alternate in some files.
const MAX_PATTERNS: usize = 4;

impl TagPatterns {
    /// The section at `at`, if a section before had these names, with the same between them and no
    /// escapes; `values` gets the offset from `at` and the length of each value. `next` returns the offset
    /// of the token after a section; `None` if the section does not end at its argument.
    pub(super) fn read(
        &mut self,
        text: &[u8],
        at: usize,
        values: &mut Vec<(usize, usize)>,
        next: impl Fn(usize) -> Option<usize>,
    ) -> Option<RepeatedTags<'_>> {
        let last = self.last;
        let others = (0..self.patterns.len()).filter(|&index| last != Some(index));
        let (index, end, next) = last.into_iter().chain(others).find_map(|index| {
            let end = self.patterns.get(index)?.read(text, at, values)?;
            Some((index, end, next(end)?))
        })?;
        self.last = Some(index);
        Some(RepeatedTags {
            pattern: self.patterns.get(index)?,
            has_last_names: last == Some(index),
            end,
            next,
        })
    }

    /// Adds the pattern of a section that [`read`](Self::read) did not find; `None` if it has none.
    pub(super) fn add(&mut self, pattern: Option<TagPattern>) {
        let Some(pattern) = pattern.filter(|pattern| !pattern.leads.is_empty()) else {
            self.last = None;
            return;
        };
        if self.patterns.len() < MAX_PATTERNS {
            self.last = Some(self.patterns.len());
            self.patterns.push(pattern);
            return;
        }
        self.last = Some(self.oldest);
        if let Some(oldest) = self.patterns.get_mut(self.oldest) {
            *oldest = pattern;
        }
        self.oldest = (self.oldest + 1) % MAX_PATTERNS;
    }
}

/// The names of a tag section without anything irregular, with what is between the values.
#[derive(Debug, Default)]
pub(super) struct TagPattern {
    /// What precedes each value: blanks, the bracket, the name, and the quote.
    leads: Vec<Lead>,
    /// The bytes of all leads, one after another.
    bytes: Vec<u8>,
    /// The index of the first tag `Result`.
    pub(super) result: Option<usize>,
    /// Whether there is a tag on which the start position depends.
    pub(super) has_start_tags: bool,
}

/// The bytes before a value.
#[derive(Debug)]
struct Lead {
    length: usize,
    /// The first eight bytes, or all with zeros after them, and which of these bits count.
    first: u64,
    mask: u64,
    /// The last eight bytes, or the same as `first`, and their offset.
    last: u64,
    last_at: usize,
    /// Where the bytes are in those of the pattern, if they are not all in `first` and `last`.
    range: Option<Range<usize>>,
    /// Where the name is in the bytes of the pattern.
    name: Range<usize>,
}

impl Lead {
    /// Whether a text begins with these bytes, and has a few others after them.
    #[inline(always)]
    fn begins(&self, text: &[u8], all: &[u8]) -> bool {
        let word = |at: usize| {
            let bytes = text.get(at..).and_then(<[u8]>::first_chunk)?;
            Some(U64::from_bytes(*bytes).get() & self.mask)
        };
        word(0) == Some(self.first)
            && word(self.last_at) == Some(self.last)
            && self.range.as_ref().is_none_or(|range| {
                all.get(range.clone())
                    .is_some_and(|lead| text.starts_with(lead))
            })
    }
}

impl TagPattern {
    /// Adds the next tag: what precedes its value in the text, and where its name is in that. `false` if
    /// it is more than blanks, the bracket, the name and the quote, so that it can mean something else
    /// elsewhere.
    pub(super) fn push(&mut self, lead: &[u8], name: Range<usize>) -> bool {
        let Some(bracket) = lead.iter().position(|&byte| !is_space(byte)) else {
            return false;
        };
        if lead.get(bracket) != Some(&b'[') || self.bytes.len() > MAX_BYTES {
            return false;
        }
        match lead.get(name.clone()) {
            Some(b"Result") => {
                self.result.get_or_insert(self.leads.len());
            }
            Some(b"FEN" | b"Variant") => self.has_start_tags = true,
            _ => {}
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(lead);
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(bytes) {
                *to = *from;
            }
            U64::from_bytes(word).get()
        };
        let mask = match lead.len() {
            length @ 0..8 => (1 << (8 * length)) - 1,
            _ => u64::MAX,
        };
        let last_at = lead.len().saturating_sub(8);
        self.leads.push(Lead {
            length: lead.len(),
            first: word(lead),
            mask,
            last: word(lead.get(last_at..).unwrap_or_default()),
            last_at,
            range: (lead.len() > 16).then_some(start..self.bytes.len()),
            name: start + name.start..start + name.end,
        });
        true
    }

    /// The end of the tags at `at`, if they begin with these names, with the same between them and no
    /// escapes; `values` gets the offset from `at` and the length of each value.
    fn read(&self, text: &[u8], at: usize, values: &mut Vec<(usize, usize)>) -> Option<usize> {
        values.clear();
        let mut end = at;
        for lead in &self.leads {
            if !lead.begins(text.get(end..)?, &self.bytes) {
                return None;
            }
            let start = end + lead.length;
            end = value_end(text, start);
            if text.get(end..end + 2) != Some(b"\"]") {
                return None;
            }
            values.push((start - at, end - start));
            end += 2;
        }
        (end > at).then_some(end)
    }

    /// Replaces the tags by those of a section, whose offsets `values` counts; the tags have these names
    /// already if `has_names`. `false` if the tags would be too long.
    pub(super) fn set_tags(
        &self,
        section: &str,
        values: &[(usize, usize)],
        has_names: bool,
        tags: &mut Tags,
    ) -> bool {
        if has_names {
            return tags.set_values(section, values);
        }
        tags.clear();
        self.leads
            .iter()
            .zip(values)
            .all(|(lead, &(start, length))| {
                let name = self.bytes.get(lead.name.clone()).unwrap_or_default();
                let name = std::str::from_utf8(name).unwrap_or_default();
                let value = section.get(start..start + length);
                value.is_some_and(|value| tags.push(name, value))
            })
    }
}

/// The longest pattern in bytes, about.
const MAX_BYTES: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::property_tests::read;
    use super::*;

    #[test]
    fn only_sections_with_the_same_names_are_read() {
        let mut pattern = TagPattern::default();
        let section = "[A \"1\"]\r\n[WhiteFideIdOfAll \"22\"]\n[Result \"*\"]";
        let mut start = 0;
        for (value, name) in [("1", "A"), ("22", "WhiteFideIdOfAll"), ("*", "Result")] {
            let at = section.find(&format!("\"{value}\"")).unwrap() + 1;
            let lead = &section[start..at];
            let name_at = lead.find(name).unwrap();
            assert!(pattern.push(lead.as_bytes(), name_at..name_at + name.len()));
            start = at + value.len() + 2;
        }
        assert_eq!(pattern.result, Some(2));
        let mut values = Vec::new();
        let mut read = |text: &str| {
            let end = pattern.read(text.as_bytes(), 1, &mut values)?;
            let mut lists = [false, true].map(|has_names| {
                let mut tags = Tags::new();
                for name in ["A", "WhiteFideIdOfAll", "Result"] {
                    tags.push(name, "");
                }
                assert!(pattern.set_tags(&text[1..end], &values, has_names, &mut tags));
                tags.iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect::<Vec<_>>()
            });
            assert_eq!(lists[0], lists[1]);
            Some((end, std::mem::take(&mut lists[0])))
        };
        let text = |section: &str| format!(" {section}\n\n1. e4 e5 1-0\n");
        let (end, tags) = read(&text(section)).unwrap();
        assert_eq!(end, 1 + section.len());
        assert_eq!(tags, ["A=1", "WhiteFideIdOfAll=22", "Result=*"]);
        let longer = section
            .replace("22", "")
            .replace('1', "Anna and the others");
        let tags = read(&text(&longer)).unwrap().1;
        assert_eq!(
            tags,
            ["A=Anna and the others", "WhiteFideIdOfAll=", "Result=*"]
        );
        for (from, to) in [
            ("[A", "[B"),
            ("\r\n", "\n"),
            ("OfAll", "OfAl"),
            ("Fide", "Fixe"),
            ("22", "2\\\""),
            ("22", "2\n2"),
            ("22\"]", "22\" ]"),
            ("[Result", "[Resulx"),
            ("*\"]", "*\""),
        ] {
            assert_eq!(read(&text(&section.replace(from, to))), None, "{from}");
        }
        assert_eq!(read(" "), None);
        assert!(!pattern.push(b"\n% a\n[B \"", 6..7));
    }

    /// Sections with names and values of few kinds, in files of many games: each game is what it is in a
    /// file of its own.
    #[test]
    fn games_do_not_depend_on_the_games_before() {
        const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let names = [
            "Site",
            "Date",
            "White",
            "Black",
            "Result",
            "WhiteElo",
            "ECO",
            "FEN",
            "Variant",
            "WhiteTeamCountry",
            "TabiaRecord",
            "TabiaResult",
            "Result",
        ];
        let values = [
            "",
            "?",
            "1-0",
            "0-1",
            "1/2-1/2",
            "2013.11.??",
            "Gr\u{fc}nfeld",
            "A \\\"B\\\"",
            "C:\\",
            "a \"b\" c",
            "two\nlines",
            "Chess960",
            "crazyhouse",
            FEN,
            "deleted",
            "a value that is longer than thirty-two bytes, as some are",
        ];
        let moves = [
            "1. e4 e5 1-0",
            "1. Kd2 *",
            "",
            "{a} 1. d4 (1. c4) d5 1/2-1/2",
            "*",
            "e4 0-1",
        ];
        let lists = [&names[..6], &names[..4], &names[1..8], &names];
        let mut random = tabia_testkit::Random::new(11);
        for _ in 0..300 {
            let line = ["\n", "\r\n"][random.below(2)];
            let mut games = Vec::new();
            for _ in 0..12 {
                let mut game = format!("[Event \"{}\"]", values[random.below(3)]);
                for name in lists[random.below(lists.len())] {
                    if random.below(40) == 0 {
                        continue;
                    }
                    let between = match random.below(60) {
                        0 => "\n% escape\n",
                        1 => " {comment} ",
                        2 => "\nno tag\n",
                        3 => "  ",
                        _ => line,
                    };
                    let kinds = if random.below(4) == 0 {
                        values.len()
                    } else {
                        7
                    };
                    let value = values[random.below(kinds)];
                    let end = ["\"]", "\"", "\" ]", "]"][random.below(120).saturating_sub(116)];
                    let _ = write!(game, "{between}[{name} \"{value}{end}");
                }
                let moves = moves[random.below(moves.len())];
                let _ = write!(game, "{line}{line}{moves}{line}{line}");
                games.push(game);
            }
            let (together, problems) = read(games.concat().as_bytes(), 1 << 20);
            let alone = games.iter().map(|game| read(game.as_bytes(), 1 << 20));
            let alone: Vec<_> = alone.collect();
            let count: usize = alone.iter().map(|(_, problems)| problems.len()).sum();
            assert_eq!(problems.len(), count, "{games:#?}");
            let alone: Vec<_> = alone.into_iter().flat_map(|(games, _)| games).collect();
            assert_eq!(together, alone, "{games:#?}");
        }
    }
}
