//! Reads the name file: players, sites, events and annotators by number.

use std::ops::Range;

use tabia_core::error::{Malformed, Why};
use tabia_core::game::Date;
use tabia_core::io::Cursor;

use crate::games::common::record_context::has_zero_bytes;

use super::entry::{self, Entry};
use super::format_identity::WORDS_SINCE;

/// The first bytes of a name file.
pub(crate) const MAGIC: [u8; 8] = *b"Scidb.n\0";

/// The first bytes of the sections in order.
const SECTIONS: [&[u8; 8]; 4] = [
    b"player\0\0",
    b"site\0\0\0\0",
    b"event\0\0\0",
    b"annota\0\0",
];

/// Facts of a player: indexes into `code_tables`, 0 for unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PlayerFacts {
    pub(crate) species: u8,
    pub(crate) sex: u8,
    pub(crate) country: u16,
    pub(crate) title: u8,
    pub(crate) fide: u32,
}

/// Facts of an event: indexes into `code_tables`, 0 for unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EventFacts {
    pub(crate) date: Date,
    pub(crate) kind: u8,
    pub(crate) mode: u8,
    pub(crate) time_mode: u8,
    /// Number of the site.
    pub(crate) site: u32,
}

/// A name with its number and facts.
#[derive(Debug, Clone)]
struct NameRecord<T> {
    id: u32,
    name: Range<u32>,
    facts: T,
}

/// All names of a file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    text: Vec<u8>,
    players: Vec<NameRecord<PlayerFacts>>,
    /// Sites with their countries.
    sites: Vec<NameRecord<u16>>,
    events: Vec<NameRecord<EventFacts>>,
    annotators: Vec<NameRecord<()>>,
    /// Problems of the file.
    pub(crate) problems: Vec<Malformed>,
}

impl Names {
    /// Reads a file up to the first problem.
    pub(crate) fn read(bytes: &[u8], version: u16) -> Self {
        let mut names = Self::default();
        let mut cursor = Cursor::new(bytes);
        let read = names
            .read_header(&mut cursor, version)
            .and_then(|()| (0..4).try_for_each(|_| names.read_section(&mut cursor, version)));
        match read {
            Err(malformed) => names.problems.push(malformed),
            Ok(()) => names.report_after_names(&cursor, cursor.rest().len()),
        }
        names.sort();
        names
    }

    /// Reads a damaged file. After a problem the next section is read.
    pub(crate) fn salvage(bytes: &[u8], version: u16) -> Self {
        let mut names = Self::default();
        let mut cursor = Cursor::new(bytes);
        let header = names.read_header(&mut cursor, version);
        let mut is_read = header.is_ok();
        names.problems.extend(header.err());
        for section in SECTIONS {
            let from = cursor.offset().min(bytes.len());
            let found = memchr::memmem::find(bytes.get(from..).unwrap_or_default(), section);
            let read = match found {
                None => Err(cursor.malformed("section", Why::Text)),
                Some(offset) => {
                    // The section before ended too early, as its names were misread.
                    if is_read {
                        names.report_after_names(&cursor, offset);
                    }
                    cursor
                        .seek(from + offset, "section")
                        .and_then(|()| names.read_section(&mut cursor, version))
                }
            };
            is_read = read.is_ok();
            if let Err(malformed) = read {
                names.problems.push(malformed);
            }
        }
        if is_read {
            names.report_after_names(&cursor, cursor.rest().len());
        }
        names.sort();
        names
    }

    /// Reports bytes after the last name of a section, if there are any.
    fn report_after_names(&mut self, cursor: &Cursor<'_>, bytes: usize) {
        if bytes > 0 {
            let why = Why::Value(bytes as u64);
            self.problems
                .push(cursor.malformed("bytes_after_names", why));
        }
    }

    /// Whether names may be others than they were: a value is impossible, or the file ends elsewhere than its names and
    /// names have zero bytes.
    pub(crate) fn are_misread(&self) -> bool {
        let is_of_names = |problem: &Malformed| {
            !matches!(problem.field, "magic" | "version" | "section")
                && !matches!(problem.why, Why::Truncated { .. })
        };
        self.problems.iter().any(is_of_names)
            || !self.problems.is_empty() && has_zero_bytes(&self.text)
            || self.have_empty_names()
    }

    /// Names that zeros at the end of the file have changed: those with zero bytes, and those without a character after
    /// the first one of a kind. A file that ends in another byte has none.
    pub(crate) fn zeroed(&self, file: &[u8]) -> usize {
        fn of<T>(records: &[NameRecord<T>], text: &[u8]) -> usize {
            let is_empty = |record: &&NameRecord<T>| record.name.is_empty();
            let has_zeros = |record: &&NameRecord<T>| {
                let name = text.get(record.name.start as usize..record.name.end as usize);
                name.is_some_and(has_zero_bytes)
            };
            let empty = records.iter().filter(is_empty).count();
            records.iter().filter(has_zeros).count() + empty.saturating_sub(1)
        }
        if file.last() != Some(&0) {
            return 0;
        }
        of(&self.players, &self.text)
            + of(&self.sites, &self.text)
            + of(&self.events, &self.text)
            + of(&self.annotators, &self.text)
    }

    /// Whether several names of a kind have no character, as zeros inserted into the file look.
    fn have_empty_names(&self) -> bool {
        fn are<T>(records: &[NameRecord<T>]) -> bool {
            let empty = records.iter().filter(|record| record.name.is_empty());
            empty.count() > 1
        }
        are(&self.players) || are(&self.sites) || are(&self.events) || are(&self.annotators)
    }

    /// The names that an entry refers to, each with the field.
    pub(crate) fn of_entry(&self, entry: &Entry) -> [(&'static str, Option<&[u8]>); 5] {
        let event = self.event(entry.event);
        let site = event.and_then(|(_, facts)| self.site(facts.site));
        [
            ("event", event.map(|(name, _)| name)),
            ("site", site.map(|(name, _)| name)),
            ("white", self.player(entry.white).map(|(name, _)| name)),
            ("black", self.player(entry.black).map(|(name, _)| name)),
            ("annotator", self.annotator(entry.annotator)),
        ]
    }

    fn sort(&mut self) {
        let names = self;
        names.players.sort_by_key(|record| record.id);
        names.sites.sort_by_key(|record| record.id);
        names.events.sort_by_key(|record| record.id);
        names.annotators.sort_by_key(|record| record.id);
    }

    pub(crate) fn player(&self, id: u32) -> Option<(&[u8], PlayerFacts)> {
        self.find(&self.players, id)
    }

    pub(crate) fn site(&self, id: u32) -> Option<(&[u8], u16)> {
        self.find(&self.sites, id)
    }

    pub(crate) fn event(&self, id: u32) -> Option<(&[u8], EventFacts)> {
        self.find(&self.events, id)
    }

    pub(crate) fn annotator(&self, id: u32) -> Option<&[u8]> {
        self.find(&self.annotators, id).map(|(name, ())| name)
    }

    /// The numbers that players have.
    pub(crate) fn player_ids(&self) -> impl ExactSizeIterator<Item = u32> {
        self.players.iter().map(|record| record.id)
    }

    /// The numbers of players, events, sites and annotators.
    pub(crate) fn counts(&self) -> [u32; 4] {
        [
            self.players.len() as u32,
            self.events.len() as u32,
            self.sites.len() as u32,
            self.annotators.len() as u32,
        ]
    }

    fn find<T: Copy>(&self, records: &[NameRecord<T>], id: u32) -> Option<(&[u8], T)> {
        let index = records.binary_search_by_key(&id, |record| record.id).ok()?;
        let record = records.get(index)?;
        let name = self
            .text
            .get(record.name.start as usize..record.name.end as usize)?;
        Some((name, record.facts))
    }

    fn read_header(&mut self, cursor: &mut Cursor<'_>, version: u16) -> Result<(), Malformed> {
        if cursor.array("magic")? != MAGIC {
            return Err(cursor.malformed("magic", Why::Text));
        }
        let stored = cursor.u16_be("version")?;
        if stored != version {
            self.problems
                .push(cursor.malformed("version", Why::Value(stored.into())));
        }
        cursor.u32_be("total")?;
        Ok(())
    }

    fn read_section(&mut self, cursor: &mut Cursor<'_>, version: u16) -> Result<(), Malformed> {
        let tag: [u8; 8] = cursor.array("section")?;
        let used = cursor.u24_be("used")?;
        for field in ["max_frequency", "max_usage"] {
            cursor.u24_be(field)?;
        }
        if version >= WORDS_SINCE {
            cursor.u24_be("next_id")?;
        }
        let text = &mut self.text;
        match tag.first() {
            Some(b'p') => records(cursor, used, text, &mut self.players, player_facts),
            Some(b's') => records(cursor, used, text, &mut self.sites, |cursor| {
                cursor.u16_be("country")
            }),
            Some(b'e') => records(cursor, used, text, &mut self.events, event_facts),
            Some(b'a') => records(cursor, used, text, &mut self.annotators, |_| Ok(())),
            _ => Err(cursor.malformed("section", Why::Text)),
        }
    }
}

/// Reads the records of a section. Each shares its beginning with the one before.
fn records<T>(
    cursor: &mut Cursor<'_>,
    used: u32,
    text: &mut Vec<u8>,
    out: &mut Vec<NameRecord<T>>,
    facts: impl Fn(&mut Cursor<'_>) -> Result<T, Malformed>,
) -> Result<(), Malformed> {
    let mut last: Option<Range<u32>> = None;
    for _ in 0..used {
        let id = cursor.u24_be("id")?;
        let prefix = match &last {
            Some(_) => usize::from(cursor.u8("prefix")?),
            None => 0,
        };
        let length = usize::from(cursor.u8("length")?);
        let shared = last.clone().unwrap_or(0..0);
        let shared_length = (shared.end - shared.start) as usize;
        if prefix > length || prefix > shared_length {
            return Err(cursor.malformed("prefix", Why::Value(prefix as u64)));
        }
        let rest = cursor.take(length - prefix, "name")?;
        let name = if rest.is_empty() && prefix == shared_length && last.is_some() {
            shared
        } else {
            let start = text.len();
            let begin = shared.start as usize;
            text.extend_from_within(begin..begin + prefix);
            text.extend_from_slice(rest);
            match (u32::try_from(start), u32::try_from(text.len())) {
                (Ok(start), Ok(end)) => start..end,
                _ => return Err(cursor.malformed("name", Why::Text)),
            }
        };
        let facts = facts(cursor)?;
        out.push(NameRecord {
            id,
            name: name.clone(),
            facts,
        });
        last = Some(name);
    }
    Ok(())
}

fn player_facts(cursor: &mut Cursor<'_>) -> Result<PlayerFacts, Malformed> {
    let flags = cursor.u8("player_flags")?;
    let mut facts = PlayerFacts {
        species: flags & 7,
        sex: flags >> 3 & 7,
        ..PlayerFacts::default()
    };
    if flags & 0x40 != 0 {
        let word = cursor.u16_be("player_country")?;
        facts.country = word & 0x1ff;
        facts.title = (word >> 9 & 31) as u8;
    }
    if flags & 0x80 != 0 {
        facts.fide = cursor.u32_be("player_fide")?;
    }
    Ok(facts)
}

fn event_facts(cursor: &mut Cursor<'_>) -> Result<EventFacts, Malformed> {
    let site = cursor.u24_be("event_site")?;
    let flags = cursor.u16_be("event_flags")?;
    let mut facts = EventFacts {
        kind: (flags & 15) as u8,
        mode: (flags >> 4 & 7) as u8,
        time_mode: (flags >> 7 & 7) as u8,
        site,
        ..EventFacts::default()
    };
    if flags & 0x8000 != 0 {
        let word = cursor.u16_be("event_date")?;
        facts.date = entry::date(
            word & 0x3ff,
            (word >> 10 & 15) as u8,
            (flags >> 10 & 31) as u8,
        );
    }
    Ok(facts)
}
