//! Reads tag sections that have the names of a section before, as most do: with one comparison for
//! each name.

use std::ops::Range;

use tabia_core::game::Tags;
use zerocopy::byteorder::little_endian::U64;

use super::char_class::{SPECIALS, is_space, value_end};

/// The patterns of the sections before.
#[derive(Debug, Default)]
pub(super) struct TagPatterns {
    patterns: Vec<TagPattern>,
    /// The pattern of the last section, if it had one.
    last: Option<usize>,
    /// The pattern that the next new one replaces, once there are [`MAX_PATTERNS`].
    oldest: usize,
    /// The length of the last section that was read, in bytes.
    last_length: usize,
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

/// Blocks of 64 bytes of a section in which the ends of values are searched at once.
const MAX_BLOCKS: usize = 16;

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
        if self.patterns.is_empty() {
            return None;
        }
        let section = text.get(at..)?;
        let mut masks = [0; MAX_BLOCKS];
        // Enough for a section that is a little longer than the last one.
        let blocks = (self.last_length / 64 + 3).min(MAX_BLOCKS);
        let masks = masks.get_mut(..blocks).unwrap_or_default();
        let has_masks = SPECIALS.masks(section, masks);
        let masks = if has_masks { &*masks } else { &[] };
        let last = self.last;
        let others = (0..self.patterns.len()).filter(|&index| last != Some(index));
        let (index, length, next) = last.into_iter().chain(others).find_map(|index| {
            let length = self.patterns.get(index)?.read(section, masks, values)?;
            Some((index, length, next(at + length)?))
        })?;
        self.last = Some(index);
        self.last_length = length;
        let end = at + length;
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
    /// The first bytes, with zeros after them.
    words: [u64; WORDS],
    /// Which of their bits count.
    masks: [u64; WORDS],
    /// Where the bytes are in those of the pattern, if they are not all in `words`.
    range: Option<Range<usize>>,
    /// Where the name is in the bytes of the pattern.
    name: Range<usize>,
}

/// Groups of eight bytes that are compared at once.
const WORDS: usize = 3;

impl Lead {
    /// Whether a text begins with these bytes, and has a few others after them.
    #[inline(always)]
    fn begins(&self, text: &[u8], all: &[u8]) -> bool {
        let Some(bytes) = text.first_chunk::<{ 8 * WORDS }>() else {
            return false;
        };
        let (bytes, _) = bytes.as_chunks::<8>();
        let expected = self.words.iter().zip(&self.masks);
        let different = bytes.iter().zip(expected);
        let different = different.fold(0, |all, (bytes, (word, mask))| {
            all | (U64::from_bytes(*bytes).get() ^ word) & mask
        });
        different == 0
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
        let mut words = [0; WORDS];
        let mut masks = [0; WORDS];
        for (index, byte) in lead.iter().take(8 * WORDS).enumerate() {
            let shift = 8 * (index % 8);
            if let (Some(word), Some(mask)) = (words.get_mut(index / 8), masks.get_mut(index / 8)) {
                *word |= u64::from(*byte) << shift;
                *mask |= 0xff << shift;
            }
        }
        self.leads.push(Lead {
            length: lead.len(),
            words,
            masks,
            range: (lead.len() > 8 * WORDS).then_some(start..self.bytes.len()),
            name: start + name.start..start + name.end,
        });
        true
    }

    /// The length of the tags at the start of `text`, if they have these names, with the same between them
    /// and no escapes; `values` gets the offset and the length of each value. `masks` has the
    /// [`SPECIALS`] of the first blocks.
    fn read(&self, text: &[u8], masks: &[u64], values: &mut Vec<(usize, usize)>) -> Option<usize> {
        if values.len() != self.leads.len() {
            values.resize(self.leads.len(), (0, 0));
        }
        let mut end = 0;
        for (lead, value) in self.leads.iter().zip(values) {
            if !lead.begins(text.get(end..)?, &self.bytes) {
                return None;
            }
            let start = end + lead.length;
            end = first_mark(masks, start).unwrap_or_else(|| value_end(text, start));
            if text.get(end..).and_then(<[u8]>::first_chunk) != Some(b"\"]") {
                return None;
            }
            *value = (start, end - start);
            end += 2;
        }
        (end > 0).then_some(end)
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

/// The offset of the first bit from `at` on, among 64 bits; `None` if there is none, or not all of them are
/// in `masks`.
#[inline(always)]
fn first_mark(masks: &[u64], at: usize) -> Option<usize> {
    let (index, shift) = (at / 64, at % 64);
    let [first, second] = *masks.get(index..)?.first_chunk()?;
    let bits = first >> shift | (second << 1) << (63 - shift);
    (bits != 0).then(|| at + bits.trailing_zeros() as usize)
}

/// The longest pattern in bytes, about.
const MAX_BYTES: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use tabia_core::game::{Game, Want};

    use super::super::property_tests::{read, read_wanted};
    use super::*;

    #[test]
    fn only_sections_with_the_same_names_are_read() {
        let mut pattern = TagPattern::default();
        let section = "[A \"1\"]\r\n[WhiteFideIdOfAllPlayers \"22\"]\n[Result \"*\"]";
        let mut start = 0;
        for (value, name) in [
            ("1", "A"),
            ("22", "WhiteFideIdOfAllPlayers"),
            ("*", "Result"),
        ] {
            let at = section.find(&format!("\"{value}\"")).unwrap() + 1;
            let lead = &section[start..at];
            let name_at = lead.find(name).unwrap();
            assert!(pattern.push(lead.as_bytes(), name_at..name_at + name.len()));
            start = at + value.len() + 2;
        }
        assert_eq!(pattern.result, Some(2));
        let mut values = Vec::new();
        let mut read = |text: &str| {
            let text_bytes = &text.as_bytes()[1..];
            let end = pattern.read(text_bytes, &[], &mut values)?;
            let mut with_masks = Vec::new();
            let mut padded = text_bytes.to_vec();
            padded.resize(256, b' ');
            let mut masks = [0; 4];
            assert!(SPECIALS.masks(&padded, &mut masks));
            assert_eq!(pattern.read(text_bytes, &masks, &mut with_masks), Some(end));
            assert_eq!(with_masks, values);
            let end = end + 1;
            let mut lists = [false, true].map(|has_names| {
                let mut tags = Tags::new();
                for name in ["A", "WhiteFideIdOfAllPlayers", "Result"] {
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
        assert_eq!(tags, ["A=1", "WhiteFideIdOfAllPlayers=22", "Result=*"]);
        let longer = section
            .replace("22", "")
            .replace('1', "Anna and the others");
        let tags = read(&text(&longer)).unwrap().1;
        assert_eq!(
            tags,
            [
                "A=Anna and the others",
                "WhiteFideIdOfAllPlayers=",
                "Result=*"
            ]
        );
        for (from, to) in [
            ("[A", "[B"),
            ("\r\n", "\n"),
            ("OfAllPlayers", "OfAllPlayer"),
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

    /// Games whose moves are skipped, which mostly takes blocks of 64 bytes, have the tags and results of
    /// those that are read, also if their movetext contains the tags of other games.
    #[test]
    fn skipped_games_are_those_that_are_read() {
        const MOVES: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 ";
        let parts = [
            MOVES,
            "{a comment of some length, with a result 1-0 and (more} ",
            "{[%clk 0:01:00]} ",
            "(5. d3 b5 {1-0} 6. Bb3) ",
            "{not closed ",
            "{a {b} c} ",
            "{\n\n[Event \"inside\"]\n[Site \"s\"]\n[Result \"1-0\"]\n\n1. d4 } ",
            "(5. d3 1-0 ",
            "} ",
            "; 0-1\n",
            "\n% 0-1\n",
            "$1 e2-e4 ",
            "[White \"x\"] ",
            "gr\u{fc}n ",
        ];
        let ends = [
            "1-0\n\n",
            "1/2-1/2\n\n",
            "*\n\n",
            "0-1\n",
            "0-0\n\n",
            "1-0 {after}\n\n",
            "\n\n",
            "1-0\n\n\u{feff}",
            "1-0\r\n\r\n",
        ];
        let mut random = tabia_testkit::Random::new(13);
        for _ in 0..400 {
            let mut text = String::new();
            for number in 0..12 {
                let result = ["1-0", "0-1", "*"][random.below(3)];
                let _ = write!(
                    text,
                    "[Event \"{number}\"]\n[Site \"s\"]\n[Result \"{result}\"]\n\n"
                );
                text.push_str(MOVES);
                for _ in 0..random.below(4) {
                    let kinds = if random.below(3) == 0 { parts.len() } else { 4 };
                    text.push_str(parts[random.below(kinds)]);
                }
                let kinds = if random.below(3) == 0 { ends.len() } else { 3 };
                text.push_str(ends[random.below(kinds)]);
            }
            let (read, _) = read(text.as_bytes(), 1 << 20);
            for block_size in [1 << 10, 1 << 20] {
                let (skipped, _) = read_wanted(text.as_bytes(), block_size, Want::TAGS);
                let heads = |games: &[Game]| {
                    let head = |game: &Game| (game.head.clone(), game.result);
                    games.iter().map(head).collect::<Vec<_>>()
                };
                assert_eq!(heads(&skipped), heads(&read), "{text}");
            }
        }
    }
}
