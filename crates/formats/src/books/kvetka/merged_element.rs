//! Merges what is put for one position into an element.

use tabia_core::books::GameLink;
use tabia_core::error::Malformed;
use tabia_core::io::{Cursor, Sink};

use super::contribution::{
    MAX_LINKS, NO_MOVE, read_counts, read_link_list, write_counts, write_link, write_link_list,
};
use super::key::Key;
use super::read_element::{
    Counts, HAS_COMMENT, HAS_LIST, HAS_SOURCE, LINK, ListForm, MAX_COMMENT_UNITS, MAX_ELEMENT,
};
use super::varint::{compact_length, write_compact};

/// The merged contributions to a position.
#[derive(Debug, Clone, Default)]
pub(super) struct MergedElement {
    pub(super) key: Option<Key>,
    counts: Option<Counts>,
    /// Used if `counts` is absent.
    incoming_counts: Option<Counts>,
    /// Used if the others are absent.
    move_counts: Option<Counts>,
    /// A bit for each code.
    pub(super) moves: [u64; 4],
    source: Option<GameLink>,
    comment: Vec<u8>,
    list: Vec<GameLink>,
    /// Links that did not fit into `list`.
    pub(super) cut_links: u64,
}

impl MergedElement {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key: Some(key),
            ..Self::default()
        }
    }

    pub(super) fn add_move(&mut self, code: u8) {
        if let Some(word) = self.moves.get_mut(usize::from(code / 64)) {
            *word |= 1 << (code % 64);
        }
    }

    /// Number of distinct moves.
    pub(super) fn move_count(&self) -> u64 {
        self.moves
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Adds a contribution from the bytes that [`Contribution::write`] wrote.
    pub(super) fn add(&mut self, contribution: &[u8]) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(contribution);
        match cursor.u8("kind")? {
            0 => {
                let [result, code, ends] = cursor.array("game")?;
                let counts = self.counts.get_or_insert_default();
                if let Some(count) = counts.get_mut(usize::from(result)) {
                    *count = count.saturating_add(1);
                }
                if code != NO_MOVE {
                    self.add_move(code);
                }
                let mut links = Vec::new();
                read_link_list(&mut cursor, &mut links)?;
                self.source = self.source.or(links.first().copied());
                if ends != 0 {
                    self.add_links(&links);
                }
            }
            1 => {
                add_counts(&mut self.counts, read_counts(&mut cursor)?);
                add_counts(&mut self.move_counts, read_counts(&mut cursor)?);
                let codes = cursor.u8("moves")?;
                for &code in cursor.take(usize::from(codes), "moves")? {
                    self.add_move(code);
                }
                let (mut source, mut list) = (Vec::new(), Vec::new());
                read_link_list(&mut cursor, &mut source)?;
                read_link_list(&mut cursor, &mut list)?;
                self.source = self.source.or(source.first().copied());
                self.add_links(&list);
                self.add_comment(cursor.rest());
            }
            2 => add_counts(&mut self.incoming_counts, read_counts(&mut cursor)?),
            _ => self.add_comment(cursor.rest()),
        }
        Ok(())
    }

    fn add_links(&mut self, links: &[GameLink]) {
        let free = MAX_LINKS.saturating_sub(self.list.len());
        let (added, cut) = links.split_at(links.len().min(free));
        self.list.extend_from_slice(added);
        self.cut_links += cut.len() as u64;
    }

    fn add_comment(&mut self, comment: &[u8]) {
        if self.comment.is_empty() {
            self.comment.extend_from_slice(comment);
        }
    }

    /// Writes everything to a temporary file, to be read with [`load`](Self::load).
    pub(super) fn save(&self, sink: &mut Sink) {
        sink.bytes(&self.key.unwrap_or(Key([0; Key::SIZE])).0);
        for counts in [self.counts, self.incoming_counts, self.move_counts] {
            write_counts(sink, counts);
        }
        for word in self.moves {
            sink.u64_be(word);
        }
        write_link_list(sink, self.source.as_slice());
        write_link_list(sink, &self.list);
        sink.u64_be(self.cut_links);
        sink.bytes(&self.comment);
    }

    pub(super) fn load(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let mut merged = Self::new(Key(cursor.array("key")?));
        merged.counts = read_counts(&mut cursor)?;
        merged.incoming_counts = read_counts(&mut cursor)?;
        merged.move_counts = read_counts(&mut cursor)?;
        for word in &mut merged.moves {
            *word = cursor.u64_be("moves")?;
        }
        let mut source = Vec::new();
        read_link_list(&mut cursor, &mut source)?;
        merged.source = source.first().copied();
        read_link_list(&mut cursor, &mut merged.list)?;
        merged.cut_links = cursor.u64_be("cut links")?;
        merged.comment.extend_from_slice(cursor.rest());
        Ok(merged)
    }

    /// Writes the element. If it is too long, the comment is cut first, then the list. Returns how
    /// many links and how many UTF-16 units of the comment were cut.
    pub(super) fn write(&self, has_links: bool, form: ListForm, sink: &mut Sink) -> (u64, u64) {
        let counts = self.counts.or(self.incoming_counts).or(self.move_counts);
        let counts = counts.unwrap_or_default();
        let codes: Vec<u8> = (0..NO_MOVE)
            .filter(|code| {
                let word = self.moves.get(usize::from(code / 64));
                word.is_some_and(|word| word >> (code % 64) & 1 == 1)
            })
            .collect();
        let source = self.source.filter(|_| has_links);
        let mut length = Key::SIZE + 2 + codes.len();
        length += counts
            .iter()
            .map(|count| compact_length(*count))
            .sum::<usize>();
        length += source.map_or(0, |_| LINK);
        // The length itself takes at most two bytes.
        let max_length = MAX_ELEMENT - 2;
        let units = self.comment.len() / 2;
        let written_units = units
            .min(MAX_COMMENT_UNITS)
            .min(max_length.saturating_sub(length + 4) / 2);
        if written_units > 0 {
            length += 4 + 2 * written_units;
        }
        let list: &[GameLink] = if has_links { &self.list } else { &[] };
        let max_links = max_length.saturating_sub(length + form.head_length()) / LINK;
        let written_list = list.get(..list.len().min(max_links)).unwrap_or_default();
        if !written_list.is_empty() {
            length += form.head_length() + LINK * written_list.len();
        }
        write_compact(sink, length as u64);
        sink.bytes(&self.key.unwrap_or(Key([0; Key::SIZE])).0);
        for count in counts {
            write_compact(sink, count);
        }
        sink.u8(codes.len() as u8);
        sink.bytes(&codes);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        sink.u8(flag(written_units > 0, HAS_COMMENT)
            | flag(!written_list.is_empty(), HAS_LIST)
            | flag(source.is_some(), HAS_SOURCE));
        if let Some(source) = source {
            write_link(sink, source);
        }
        if written_units > 0 {
            sink.u32_be(written_units as u32);
            sink.bytes(self.comment.get(..2 * written_units).unwrap_or_default());
        }
        if !written_list.is_empty() {
            match form {
                ListForm::Compact => sink.u8(written_list.len() as u8),
                ListForm::Two => sink.u16_be(written_list.len() as u16),
                ListForm::Four => sink.u32_be(written_list.len() as u32),
                ListForm::Bare => {}
            }
            for link in written_list {
                write_link(sink, *link);
            }
        }
        let cut_links = (list.len() - written_list.len()) as u64;
        let cut_before = if has_links { self.cut_links } else { 0 };
        (cut_links + cut_before, (units - written_units) as u64)
    }
}

fn add_counts(sum: &mut Option<Counts>, counts: Option<Counts>) {
    let Some(counts) = counts else {
        return;
    };
    for (sum, count) in sum.get_or_insert_default().iter_mut().zip(counts) {
        *sum = sum.saturating_add(count);
    }
}
