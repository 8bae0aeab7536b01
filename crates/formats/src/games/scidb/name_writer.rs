//! Numbers names with their facts, and writes the name file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::io::Sink;

use crate::games::common::interner::{Interner, Seed};

use super::entry;
use super::names::{EventFacts, MAGIC, PlayerFacts};

/// The greatest number of names of a kind.
const MAX_NAMES: u32 = (1 << 24) - 1;

/// The longest name in bytes.
pub(crate) const MAX_NAME: usize = 255;

/// Numbers names with their facts in the order in which they are added.
#[derive(Debug)]
pub(crate) struct NameWriter {
    players: NameTable<PlayerFacts>,
    sites: NameTable<u16>,
    events: NameTable<EventFacts>,
    annotators: NameTable<()>,
}

/// The names of a kind.
#[derive(Debug)]
struct NameTable<T> {
    /// The kind in messages.
    what: &'static str,
    texts: Interner,
    /// The number of a name by that of its text and its facts.
    ids: HashMap<(u32, T), u32, Seed>,
    /// By number.
    names: Vec<Name<T>>,
}

#[derive(Debug)]
struct Name<T> {
    text: u32,
    facts: T,
    uses: u32,
}

impl NameWriter {
    pub(crate) fn new() -> Self {
        let mut annotators = NameTable::new("annotators");
        // Number 0 means that there is no annotator.
        annotators.add("", ());
        Self {
            players: NameTable::new("players"),
            sites: NameTable::new("sites"),
            events: NameTable::new("events"),
            annotators,
        }
    }

    pub(crate) fn player(&mut self, name: &str, facts: PlayerFacts) -> Result<u32> {
        self.players.number(name, facts)
    }

    pub(crate) fn site(&mut self, name: &str, country: u16) -> Result<u32> {
        self.sites.number(name, country)
    }

    pub(crate) fn event(&mut self, name: &str, facts: EventFacts) -> Result<u32> {
        self.events.number(name, facts)
    }

    pub(crate) fn annotator(&mut self, name: &str) -> Result<u32> {
        self.annotators.number(name, ())
    }

    /// The content of the file.
    pub(crate) fn file(&self, version: u16) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.bytes(&MAGIC);
        sink.u16_be(version);
        let total = self.players.names.len()
            + self.sites.names.len()
            + self.events.names.len()
            + self.annotators.names.len();
        sink.u32_be(total as u32);
        self.players
            .section(*b"player\0\0", &mut sink, write_player);
        self.sites
            .section(*b"site\0\0\0\0", &mut sink, |country, sink| {
                sink.u16_be(*country);
            });
        self.events.section(*b"event\0\0\0", &mut sink, write_event);
        self.annotators
            .section(*b"annota\0\0", &mut sink, |(), _| {});
        sink.into_vec()
    }
}

impl<T: Copy + Eq + Ord + Hash> NameTable<T> {
    fn new(what: &'static str) -> Self {
        Self {
            what,
            texts: Interner::default(),
            ids: HashMap::with_hasher(Seed::new()),
            names: Vec::new(),
        }
    }

    /// The number of a name, whose uses are counted.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if no number is left.
    fn number(&mut self, name: &str, facts: T) -> Result<u32> {
        let id = self.add(name, facts).ok_or_else(|| {
            Error::new(ErrorKind::Limit {
                what: self.what,
                limit: MAX_NAMES.into(),
                size: u64::from(MAX_NAMES) + 1,
            })
        })?;
        if let Some(name) = self.names.get_mut(id as usize) {
            name.uses = name.uses.saturating_add(1);
        }
        Ok(id)
    }

    /// The number of a name, which is added if it is new; `None` if no number is left.
    fn add(&mut self, name: &str, facts: T) -> Option<u32> {
        let (text, _) = self.texts.number(name.as_bytes(), MAX_NAMES)?;
        let next = self.names.len() as u32;
        match self.ids.entry((text, facts)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(_) if next >= MAX_NAMES => None,
            Entry::Vacant(vacant) => {
                self.names.push(Name {
                    text,
                    facts,
                    uses: 0,
                });
                Some(*vacant.insert(next))
            }
        }
    }

    /// Appends a section: its names in order, each without the prefix shared with the one before.
    fn section(&self, tag: [u8; 8], sink: &mut Sink, write: impl Fn(&T, &mut Sink)) {
        let names = (0_u32..).zip(&self.names);
        let mut sorted: Vec<(&[u8], T, u32)> = names
            .map(|(id, name)| {
                let text = self.texts.get(name.text).unwrap_or_default();
                (text, name.facts, id)
            })
            .collect();
        sorted.sort_unstable();
        let uses = self.names.iter().map(|name| name.uses);
        let greatest = uses.max().unwrap_or(0).min(MAX_NAMES);
        sink.bytes(&tag);
        sink.u24_be(sorted.len() as u32);
        sink.u24_be(greatest);
        sink.u24_be(greatest);
        sink.u24_be(sorted.len() as u32);
        let mut previous: Option<&[u8]> = None;
        for (name, facts, id) in sorted {
            sink.u24_be(id);
            let mut prefix = 0;
            if let Some(previous) = previous {
                let pairs = previous.iter().zip(name);
                prefix = pairs.take_while(|(a, b)| a == b).count();
                sink.u8(prefix as u8);
            }
            sink.u8(name.len() as u8);
            sink.bytes(name.get(prefix..).unwrap_or_default());
            write(&facts, sink);
            previous = Some(name);
        }
    }
}

fn write_player(facts: &PlayerFacts, sink: &mut Sink) {
    let word = u16::from(facts.title & 31) << 9 | facts.country & 0x1ff;
    let mut flags = facts.species & 7 | (facts.sex & 7) << 3;
    if word != 0 {
        flags |= 0x40;
    }
    if facts.fide != 0 {
        flags |= 0x80;
    }
    sink.u8(flags);
    if word != 0 {
        sink.u16_be(word);
    }
    if facts.fide != 0 {
        sink.u32_be(facts.fide);
    }
}

fn write_event(facts: &EventFacts, sink: &mut Sink) {
    sink.u24_be(facts.site);
    let mut flags = u16::from(facts.kind & 15)
        | u16::from(facts.mode & 7) << 4
        | u16::from(facts.time_mode & 7) << 7;
    if facts.date.is_unknown() {
        sink.u16_be(flags);
        return;
    }
    flags |= u16::from(facts.date.day & 31) << 10 | 0x8000;
    sink.u16_be(flags);
    let year = entry::year_bits(facts.date.year).unwrap_or(entry::NO_YEAR);
    sink.u16_be(year | u16::from(facts.date.month & 15) << 10);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::scidb::names::Names;
    use tabia_core::game::Date;

    #[test]
    fn names_round_trip() {
        let mut writer = NameWriter::new();
        let karpov = PlayerFacts {
            species: 1,
            sex: 2,
            country: 89,
            title: 1,
            fide: 4_600_001,
        };
        let long = "x".repeat(MAX_NAME);
        let names = ["Kasparov, G", "", "Karpov, A", "Ka", &long];
        for (id, name) in (0..).zip(names) {
            assert_eq!(writer.player(name, PlayerFacts::default()).unwrap(), id);
        }
        assert_eq!(writer.player("Karpov, A", karpov).unwrap(), 5);
        assert_eq!(writer.player("Ka", PlayerFacts::default()).unwrap(), 3);
        let site = writer.site("Žižkov", 62).unwrap();
        let facts = EventFacts {
            date: Date::new(2012, 2, 0),
            kind: 4,
            mode: 1,
            time_mode: 2,
            site,
        };
        assert_eq!(writer.event("Open", facts).unwrap(), 0);
        assert_eq!(writer.event("Open", EventFacts::default()).unwrap(), 1);
        assert_eq!(writer.annotator("Me").unwrap(), 1);
        assert_eq!(writer.annotator("").unwrap(), 0);
        let read = Names::read(&writer.file(94), 94);
        assert_eq!(read.problems, []);
        assert_eq!(read.counts(), [6, 2, 1, 2]);
        for (id, name) in (0..).zip(names) {
            let player = read.player(id);
            assert_eq!(player, Some((name.as_bytes(), PlayerFacts::default())));
        }
        assert_eq!(read.player(5), Some((&b"Karpov, A"[..], karpov)));
        assert_eq!(read.site(0), Some(("Žižkov".as_bytes(), 62)));
        assert_eq!(read.event(0), Some((&b"Open"[..], facts)));
        assert_eq!(read.annotator(1), Some(&b"Me"[..]));
        assert_eq!(read.annotator(0), Some(&b""[..]));
        assert_eq!(read.player(6), None);
    }
}
