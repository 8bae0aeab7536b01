//! The bytes of a record's texts. They are handed on with the game, as one annotation of this format, so
//! that a copy in the same format has the same bytes: the character set, the symbols and the line breaks of
//! a text do not follow from its characters.
//!
//! The annotation has the character set of the database, then the texts. Each is used only if it is read
//! as the text that is to be written, so that a text that was changed on the way is encoded anew.

use std::collections::HashMap;
use std::ops::Range;

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};
use tabia_core::game::{Annotation, Event, Foreign, Game};
use tabia_core::io::{Charset, Cursor};
use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use super::charset::Texts;
use super::field_codecs::{decode_language, encode_language};
use super::format_id::ID;

/// The kind of the annotation, above those of annotation items.
pub(crate) const STORED_TEXTS: u16 = 0x0800;

/// The text fields of a header.
pub(crate) mod field {
    /// The last and the first name of White and of Black.
    pub(crate) const WHITE: [u8; 2] = [0, 1];
    /// As [`WHITE`].
    pub(crate) const BLACK: [u8; 2] = [2, 3];
    /// Title of the tournament.
    pub(crate) const EVENT: u8 = 4;
    /// Site of the tournament.
    pub(crate) const SITE: u8 = 5;
    /// Name of the annotator.
    pub(crate) const ANNOTATOR: u8 = 6;
    /// Title of the source.
    pub(crate) const SOURCE: u8 = 7;
    /// Publisher of the source.
    pub(crate) const PUBLISHER: u8 = 8;
    /// Titles of both teams.
    pub(crate) const TEAMS: [u8; 2] = [9, 10];
    /// The first title of the game.
    pub(crate) const TITLES: u8 = 11;
}

/// What a stored part is.
mod part {
    /// A field of the header, by number.
    pub(super) const FIELD: u8 = 0;
    /// The text of a comment, by number of its language.
    pub(super) const COMMENT: u8 = 1;
    /// The data of another annotation item, by kind.
    pub(super) const ITEM: u8 = 2;
    /// The record of a guiding text.
    pub(super) const RECORD: u8 = 3;
}

/// Collects the texts of a record.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    bytes: Vec<u8>,
    has_parts: bool,
}

impl Collector {
    /// Begins a record of a database with these texts.
    pub(crate) fn begin(&mut self, texts: Texts) {
        self.bytes.clear();
        self.has_parts = false;
        let (charset, page) = texts.parts();
        let mode = match charset {
            Charset::Auto => 0,
            Charset::Utf8 | Charset::Dos(_) => 1,
            Charset::Single(_) => 2,
            Charset::Fallback(_) => 3,
        };
        self.bytes.push(mode);
        self.bytes.push(page.name().len() as u8);
        self.bytes.extend_from_slice(page.name().as_bytes());
    }

    /// Ends a record.
    pub(crate) fn clear(&mut self) {
        self.has_parts = false;
    }

    /// Adds a field of the header: the bytes before the first zero.
    pub(crate) fn field(&mut self, number: u8, text: &[u8]) {
        let is_plain = text.is_ascii() && !matches!(text, b"?" | b"-") && text.trim_ascii() == text;
        if !is_plain {
            self.push(part::FIELD, number, text);
        }
    }

    /// Adds the text of a comment.
    pub(crate) fn comment(&mut self, language: u8, text: &[u8]) {
        // Nothing that has a meaning of its own.
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'Z' | b'\\'..=b'~');
        if !text.iter().all(is_plain) {
            self.push(part::COMMENT, language, text);
        }
    }

    /// Adds the data of an annotation item with texts in it.
    pub(crate) fn item(&mut self, kind: u8, data: &[u8]) {
        self.push(part::ITEM, kind, data);
    }

    /// Adds the record of a guiding text.
    pub(crate) fn record(&mut self, bytes: &[u8]) {
        self.push(part::RECORD, 0, bytes);
    }

    fn push(&mut self, part: u8, number: u8, bytes: &[u8]) {
        let Ok(length) = u32::try_from(bytes.len()) else {
            return;
        };
        self.has_parts = true;
        self.bytes.extend_from_slice(&[part, number]);
        self.bytes.extend_from_slice(U32::new(length).as_bytes());
        self.bytes.extend_from_slice(bytes);
    }

    /// The annotation; `None` if all texts are as they would be written anyway.
    pub(crate) fn annotation(&self) -> Option<Annotation<'_>> {
        self.has_parts.then_some(Annotation::Foreign(Foreign {
            format: ID,
            kind: STORED_TEXTS,
            bytes: &self.bytes,
        }))
    }
}

/// Whether an annotation has stored texts. They are no content of their own.
pub(crate) fn is_stored_texts(annotation: &Annotation<'_>) -> bool {
    matches!(annotation, Annotation::Foreign(foreign)
        if foreign.format == ID && foreign.kind == STORED_TEXTS)
}

/// The stored texts of a game that is to be written.
#[derive(Debug, Default)]
pub(crate) struct StoredTexts {
    bytes: Vec<u8>,
    fields: HashMap<u8, (Texts, Range<usize>)>,
    /// By language number and text; several if they differ in their bytes.
    comments: HashMap<(u8, String), Copies>,
    /// In their order, each with its kind.
    items: Vec<StoredItem>,
    /// The item after the one that was used last.
    next_item: usize,
    record: Option<(Texts, Range<usize>)>,
    /// Texts that were used and are read differently if the set of the new database is taken for
    /// windows-1252, or windows-1251.
    differing: [u32; 2],
}

/// The language number and the bytes of equal texts, in their order.
#[derive(Debug, Default)]
struct Copies {
    copies: Vec<(u8, Range<usize>)>,
    next: usize,
}

#[derive(Debug, Clone)]
struct StoredItem {
    kind: u8,
    texts: Texts,
    data: Range<usize>,
}

/// Items that are compared with one that is written.
const MAX_COMPARED: usize = 64;

/// The sets that may be detected.
const PAGES: [&Encoding; 2] = [WINDOWS_1252, WINDOWS_1251];

impl StoredTexts {
    /// Those of a game; empty if it was read without them.
    pub(crate) fn of(game: &Game) -> Self {
        let mut stored = Self::default();
        if !game.has_annotations() {
            return stored;
        }
        for event in game.events() {
            match event {
                Event::Annotation(annotation) => {
                    if is_stored_texts(&annotation)
                        && let Annotation::Foreign(foreign) = annotation
                    {
                        let start = stored.bytes.len();
                        stored.bytes.extend_from_slice(foreign.bytes);
                        // What is cut off has no use.
                        let _ = stored.read(foreign.bytes, start);
                    }
                }
                _ => break,
            }
        }
        stored
    }

    /// The number of texts that are read differently if the set of the database is taken for
    /// windows-1252, and for windows-1251.
    pub(crate) fn differing(&self) -> [u32; 2] {
        self.differing
    }

    fn read(&mut self, bytes: &[u8], start: usize) -> Option<()> {
        let mut cursor = Cursor::new(bytes);
        let mode = cursor.u8("mode").ok()?;
        let length = cursor.u8("length").ok()?;
        let name = cursor.take(usize::from(length), "name").ok()?;
        let page = Encoding::for_label(name).filter(|page| page.is_single_byte())?;
        let charset = match mode {
            0 => Charset::Auto,
            1 => Charset::Utf8,
            2 => Charset::Single(page),
            3 => Charset::Fallback(page),
            _ => return None,
        };
        let texts = Texts::new(charset, page);
        while !cursor.is_empty() {
            let part = cursor.u8("part").ok()?;
            let number = cursor.u8("number").ok()?;
            let length = cursor.u32_le("length").ok()? as usize;
            let at = start + cursor.offset();
            let data = cursor.take(length, "data").ok()?;
            let range = at..at + length;
            match part {
                part::FIELD => {
                    self.fields.entry(number).or_insert((texts, range));
                }
                part::COMMENT => {
                    let mut text = String::new();
                    texts.text(data, number, &mut text);
                    let known = encode_language(decode_language(number)).unwrap_or(number);
                    let copies = self.comments.entry((known, text)).or_default();
                    copies.copies.push((number, range));
                }
                part::ITEM => self.items.push(StoredItem {
                    kind: number,
                    texts,
                    data: range,
                }),
                part::RECORD => self.record = Some((texts, range)),
                _ => return None,
            }
        }
        Some(())
    }

    /// The bytes of a field that contains `value`.
    pub(crate) fn field(&mut self, number: u8, value: &str) -> Option<Vec<u8>> {
        let (texts, range) = self.fields.get(&number)?;
        let bytes = self.bytes.get(range.clone())?.to_vec();
        let text = texts.field(&bytes);
        let is_unknown = |text: &str| matches!(text, "" | "?" | "-");
        let is_same = text.trim() == value.trim() || is_unknown(&text) && is_unknown(value);
        if !is_same {
            return None;
        }
        let is_read_so = |texts: Texts| texts.field(&bytes) == text;
        let differing = PAGES.map(|page| !is_read_so(Texts::new(Charset::Auto, page)));
        self.count(&bytes, differing);
        Some(bytes)
    }

    /// The language number and the bytes of a comment with this text.
    pub(crate) fn comment(&mut self, language: u8, text: &str) -> Option<(u8, Vec<u8>)> {
        if self.comments.is_empty() {
            return None;
        }
        let copies = self.comments.get_mut(&(language, text.to_owned()))?;
        let copy = copies.copies.get(copies.next).or(copies.copies.last());
        let (number, range) = copy?.clone();
        copies.next += 1;
        let bytes = self.bytes.get(range)?.to_vec();
        let is_read_so = |texts: Texts| texts.is_text(&bytes, number, text);
        let differing = PAGES.map(|page| !is_read_so(Texts::new(Charset::Auto, page)));
        self.count(&bytes, differing);
        Some((number, bytes))
    }

    /// The data of an item that `is_same` recognizes.
    pub(crate) fn item(
        &mut self,
        kind: u8,
        is_same: impl Fn(&[u8], Texts) -> bool,
    ) -> Option<Vec<u8>> {
        let after = self.items.get(self.next_item..).unwrap_or_default();
        let of_kind = after
            .iter()
            .enumerate()
            .filter(|(_, item)| item.kind == kind);
        let mut compared = of_kind.take(MAX_COMPARED);
        let (index, data, texts) = compared.find_map(|(index, item)| {
            let data = self.bytes.get(item.data.clone())?;
            is_same(data, item.texts).then(|| (index, data.to_vec(), item.texts))
        })?;
        self.next_item += index + 1;
        let differing = PAGES.map(|page| {
            let auto = Texts::new(Charset::Auto, page);
            auto != texts && !is_same(&data, auto)
        });
        self.count(&data, differing);
        Some(data)
    }

    /// The record of a guiding text that `is_same` recognizes.
    pub(crate) fn record(&mut self, is_same: impl Fn(&[u8], Texts) -> bool) -> Option<Vec<u8>> {
        let (texts, range) = self.record.clone()?;
        let record = self.bytes.get(range)?.to_vec();
        if !is_same(&record, texts) {
            return None;
        }
        let differing = PAGES.map(|page| !is_same(&record, Texts::new(Charset::Auto, page)));
        self.count(&record, differing);
        Some(record)
    }

    fn count(&mut self, bytes: &[u8], differing: [bool; 2]) {
        if !bytes.is_ascii() {
            for (count, differs) in self.differing.iter_mut().zip(differing) {
                *count += u32::from(differs);
            }
        }
    }
}

/// Of the counts of [`StoredTexts::differing`] the one for a detected set.
pub(crate) fn differing_in(counts: [u64; 2], page: &'static Encoding) -> u64 {
    let [western, cyrillic] = counts;
    if page == WINDOWS_1251 {
        cyrillic
    } else {
        western
    }
}
