//! What is said of one position, from records to an element.

use tabia_core::books::GameLink;
use tabia_core::error::Malformed;
use tabia_core::io::{Cursor, Sink};

use super::element::{
    HAS_COMMENT, HAS_LIST, HAS_SOURCE, LINK, ListForm, MAX_COMMENT_UNITS, MAX_ELEMENT, read_link,
};
use super::key::Key;
use super::varint::{compact_length, write_compact};

/// Links that an element can hold at most.
const MOST_LINKS: usize = (MAX_ELEMENT - 28) / LINK;
/// No move.
pub(super) const NO_MOVE: u8 = 0xff;

/// Won, drawn and lost games, from the side to move.
pub(super) type Counts = [u64; 3];

/// One thing said of a position. What is said of one position in several records adds up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Record<'a> {
    /// A game went through.
    Visit {
        /// Which of the counts it adds to.
        result: Option<u8>,
        /// The move it went on with.
        code: u8,
        /// Whether it ends here.
        ends: bool,
        link: Option<GameLink>,
    },
    /// All that another book says.
    Page {
        counts: Option<Counts>,
        /// Sum of what its moves say, for when nothing better is known.
        of_moves: Option<Counts>,
        codes: &'a [u8],
        source: Option<GameLink>,
        comment: &'a [u8],
        list: &'a [GameLink],
    },
    /// How games went that came here by a move.
    Reached(Counts),
    /// A comment.
    Comment(&'a [u8]),
}

impl Record<'_> {
    pub(super) fn write(&self, sink: &mut Sink) {
        match self {
            Self::Visit {
                result,
                code,
                ends,
                link,
            } => {
                sink.bytes(&[0, result.unwrap_or(u8::MAX), *code, u8::from(*ends)]);
                write_link_list(sink, link.as_slice());
            }
            Self::Page {
                counts,
                of_moves,
                codes,
                source,
                comment,
                list,
            } => {
                sink.u8(1);
                write_counts(sink, *counts);
                write_counts(sink, *of_moves);
                sink.u8(codes.len() as u8);
                sink.bytes(codes);
                write_link_list(sink, source.as_slice());
                write_link_list(sink, list.get(..MOST_LINKS).unwrap_or(list));
                sink.bytes(comment);
            }
            Self::Reached(counts) => {
                sink.u8(2);
                write_counts(sink, Some(*counts));
            }
            Self::Comment(comment) => {
                sink.u8(3);
                sink.bytes(comment);
            }
        }
    }
}

fn write_counts(sink: &mut Sink, counts: Option<Counts>) {
    sink.u8(u8::from(counts.is_some()));
    for count in counts.unwrap_or_default() {
        sink.u64_be(count);
    }
}

fn read_counts(cursor: &mut Cursor<'_>) -> Result<Option<Counts>, Malformed> {
    let is_known = cursor.u8("known")? != 0;
    let mut counts = [0; 3];
    for count in &mut counts {
        *count = cursor.u64_be("count")?;
    }
    Ok(is_known.then_some(counts))
}

fn write_link_list(sink: &mut Sink, links: &[GameLink]) {
    sink.u8(links.len() as u8);
    for link in links {
        write_link(sink, *link);
    }
}

fn write_link(sink: &mut Sink, link: GameLink) {
    sink.u16_be(link.source as u16);
    sink.u32_be(link.game);
}

fn read_link_list(cursor: &mut Cursor<'_>, out: &mut Vec<GameLink>) -> Result<(), Malformed> {
    for _ in 0..cursor.u8("links")? {
        out.extend(read_link(cursor));
    }
    Ok(())
}

/// All that is said of a position.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    pub(super) key: Option<Key>,
    counts: Option<Counts>,
    reached: Option<Counts>,
    of_moves: Option<Counts>,
    /// One bit a code.
    pub(super) moves: [u64; 4],
    source: Option<GameLink>,
    comment: Vec<u8>,
    list: Vec<GameLink>,
    /// Links for which there was no room.
    pub(super) cut_links: u64,
}

impl Gathered {
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

    /// Different moves.
    pub(super) fn move_count(&self) -> u64 {
        self.moves
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Adds what a record says; records are of our own making.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(bytes);
        match cursor.u8("kind")? {
            0 => {
                let [result, code, ends] = cursor.array("visit")?;
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
                add_counts(&mut self.of_moves, read_counts(&mut cursor)?);
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
            2 => add_counts(&mut self.reached, read_counts(&mut cursor)?),
            _ => self.add_comment(cursor.rest()),
        }
        Ok(())
    }

    fn add_links(&mut self, links: &[GameLink]) {
        let room = MOST_LINKS.saturating_sub(self.list.len());
        let (kept, cut) = links.split_at(links.len().min(room));
        self.list.extend_from_slice(kept);
        self.cut_links += cut.len() as u64;
    }

    fn add_comment(&mut self, comment: &[u8]) {
        if self.comment.is_empty() {
            self.comment.extend_from_slice(comment);
        }
    }

    /// Writes all that was gathered, to be read again with [`Gathered::load`].
    pub(super) fn save(&self, sink: &mut Sink) {
        sink.bytes(&self.key.unwrap_or(Key([0; Key::SIZE])).0);
        for counts in [self.counts, self.reached, self.of_moves] {
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
        let mut gathered = Self::new(Key(cursor.array("key")?));
        gathered.counts = read_counts(&mut cursor)?;
        gathered.reached = read_counts(&mut cursor)?;
        gathered.of_moves = read_counts(&mut cursor)?;
        for word in &mut gathered.moves {
            *word = cursor.u64_be("moves")?;
        }
        let mut source = Vec::new();
        read_link_list(&mut cursor, &mut source)?;
        gathered.source = source.first().copied();
        read_link_list(&mut cursor, &mut gathered.list)?;
        gathered.cut_links = cursor.u64_be("cut links")?;
        gathered.comment.extend_from_slice(cursor.rest());
        Ok(gathered)
    }

    /// Writes the element: what there is no room for is left out of the comment, then of the list.
    /// Says how many links and how many units of the comment were.
    pub(super) fn write(&self, linked: bool, form: ListForm, sink: &mut Sink) -> (u64, u64) {
        let counts = self.counts.or(self.reached).or(self.of_moves);
        let counts = counts.unwrap_or_default();
        let codes: Vec<u8> = (0..NO_MOVE)
            .filter(|code| {
                let word = self.moves.get(usize::from(code / 64));
                word.is_some_and(|word| word >> (code % 64) & 1 == 1)
            })
            .collect();
        let source = self.source.filter(|_| linked);
        let mut length = Key::SIZE + 2 + codes.len();
        length += counts
            .iter()
            .map(|count| compact_length(*count))
            .sum::<usize>();
        length += source.map_or(0, |_| LINK);
        // Two bytes are the most that a length takes.
        let most = MAX_ELEMENT - 2;
        let units = self.comment.len() / 2;
        let fits = units
            .min(MAX_COMMENT_UNITS)
            .min(most.saturating_sub(length + 4) / 2);
        if fits > 0 {
            length += 4 + 2 * fits;
        }
        let list: &[GameLink] = if linked { &self.list } else { &[] };
        let room = most.saturating_sub(length + form.head_length()) / LINK;
        let kept = list.get(..list.len().min(room)).unwrap_or_default();
        if !kept.is_empty() {
            length += form.head_length() + LINK * kept.len();
        }
        write_compact(sink, length as u64);
        sink.bytes(&self.key.unwrap_or(Key([0; Key::SIZE])).0);
        for count in counts {
            write_compact(sink, count);
        }
        sink.u8(codes.len() as u8);
        sink.bytes(&codes);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        sink.u8(flag(fits > 0, HAS_COMMENT)
            | flag(!kept.is_empty(), HAS_LIST)
            | flag(source.is_some(), HAS_SOURCE));
        if let Some(source) = source {
            write_link(sink, source);
        }
        if fits > 0 {
            sink.u32_be(fits as u32);
            sink.bytes(self.comment.get(..2 * fits).unwrap_or_default());
        }
        if !kept.is_empty() {
            match form {
                ListForm::Compact => sink.u8(kept.len() as u8),
                ListForm::Two => sink.u16_be(kept.len() as u16),
                ListForm::Four => sink.u32_be(kept.len() as u32),
                ListForm::Bare => {}
            }
            for link in kept {
                write_link(sink, *link);
            }
        }
        let cut = (list.len() - kept.len()) as u64 + if linked { self.cut_links } else { 0 };
        (cut, (units - fits) as u64)
    }
}

fn add_counts(sum: &mut Option<Counts>, more: Option<Counts>) {
    let Some(more) = more else {
        return;
    };
    for (sum, more) in sum.get_or_insert_default().iter_mut().zip(more) {
        *sum = sum.saturating_add(more);
    }
}
