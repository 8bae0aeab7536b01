//! Elements, each with the moves and statistics of a position, and the blocks that contain them.

use tabia_core::books::GameLink;
use tabia_core::io::Cursor;

use super::key::Key;
use super::varint::read_compact;

/// Bytes of a block.
pub(super) const BLOCK: usize = 2048;
/// Bytes of the longest element, its length included, so that three always fit into a block.
pub(super) const MAX_ELEMENT: usize = 682;
/// Bytes of the shortest element, its length not included.
pub(super) const MIN_BODY: usize = 27;
/// UTF-16 units of the longest comment.
pub(super) const MAX_COMMENT_UNITS: usize = 300;
/// Bytes of a link to a game.
pub(super) const LINK: usize = 6;

pub(super) const HAS_COMMENT: u8 = 1;
pub(super) const HAS_LIST: u8 = 2;
pub(super) const HAS_SOURCE: u8 = 4;
/// Flags that this version of the format knows.
pub(super) const KNOWN_FLAGS: u8 = 7;

/// The bytes of the elements of a block, without their lengths, up to the first impossible length.
#[derive(Debug, Clone)]
pub(super) struct Elements<'a> {
    cursor: Cursor<'a>,
    /// Bytes from the first impossible length to the end.
    pub(super) lost: usize,
}

impl<'a> Elements<'a> {
    /// `used` are the [`declared_bytes`] of the block.
    pub(super) fn of(used: &'a [u8]) -> Self {
        let mut cursor = Cursor::new(used);
        // `declared_bytes` refuses shorter blocks.
        let _ = cursor.u16_be("block length");
        Self { cursor, lost: 0 }
    }

    /// The elements from an offset on.
    pub(super) fn from(used: &'a [u8], at: usize) -> Option<Self> {
        let mut cursor = Cursor::new(used);
        cursor.take(at, "block").ok()?;
        Some(Self { cursor, lost: 0 })
    }

    /// Offset of the next element in the block.
    pub(super) fn at(&self) -> usize {
        self.cursor.offset()
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.cursor.is_empty() {
            return None;
        }
        let left = self.cursor.left();
        let length = read_compact(&mut self.cursor, "element length").ok();
        let body = length
            .and_then(|length| usize::try_from(length).ok())
            .filter(|length| *length >= MIN_BODY)
            .and_then(|length| self.cursor.take(length, "element").ok());
        if body.is_none() {
            self.lost = left;
            self.cursor = Cursor::new(&[]);
        }
        body
    }
}

/// The bytes of a block up to the length that it states; `None` if this is impossible.
pub(super) fn declared_bytes(block: &[u8]) -> Option<&[u8]> {
    let length = Cursor::new(block).u16_be("block length").ok()?;
    (length >= 2).then(|| block.get(..usize::from(length)))?
}

/// The key of an element.
pub(super) fn key_of(body: &[u8]) -> Option<Key> {
    body.first_chunk().copied().map(Key)
}

/// Games won, drawn and lost, from the side to move.
pub(super) type Counts = [u64; 3];

/// The moves and statistics of a position and its mirror images, as stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'a> {
    pub(super) key: Key,
    pub(super) counts: Counts,
    pub(super) moves: &'a [u8],
    pub(super) flags: u8,
    pub(super) source: Option<GameLink>,
    /// UTF-16 units, see [`TextOrder`](super::TextOrder).
    pub(super) comment: Option<&'a [u8]>,
    /// The list of games, and what later versions may add.
    pub(super) rest: &'a [u8],
    /// The comment is longer than the element, so that what follows it is unknown.
    pub(super) bad_comment: bool,
}

impl<'a> Element<'a> {
    /// From the bytes after the length; `None` if the fields do not fit into them. `has_links`:
    /// whether the book stores links to games.
    pub(super) fn read(body: &'a [u8], has_links: bool) -> Option<Self> {
        let mut cursor = Cursor::new(body);
        let key = Key(cursor.array("key").ok()?);
        let mut counts = [0; 3];
        for count in &mut counts {
            *count = read_compact(&mut cursor, "count").ok()?;
        }
        let moves = cursor.u8("number of moves").ok()?;
        let moves = cursor.take(usize::from(moves), "moves").ok()?;
        let flags = cursor.u8("flags").ok()?;
        let source = if has_links && flags & HAS_SOURCE != 0 {
            Some(read_link(&mut cursor)?)
        } else {
            None
        };
        let mut element = Self {
            key,
            counts,
            moves,
            flags,
            source,
            comment: None,
            rest: &[],
            bad_comment: false,
        };
        if flags & HAS_COMMENT != 0 {
            let units = cursor.u32_be("comment length").ok();
            let length = units.and_then(|units| usize::try_from(units).ok()?.checked_mul(2));
            element.comment = length.and_then(|length| cursor.take(length, "comment").ok());
            if element.comment.is_none() {
                element.bad_comment = true;
                return Some(element);
            }
        }
        element.rest = cursor.rest();
        Some(element)
    }

    /// The bytes of the list of games; `None` if absent.
    pub(super) fn list(&self, has_links: bool) -> Option<&'a [u8]> {
        (has_links && self.flags & HAS_LIST != 0 && !self.bad_comment).then_some(self.rest)
    }

    /// Whether the element ends in bytes that no flag announces.
    pub(super) fn has_leftover(&self, has_links: bool) -> bool {
        let announced = has_links && self.flags & HAS_LIST != 0;
        !self.rest.is_empty() && self.flags & !KNOWN_FLAGS == 0 && !announced
    }
}

/// Reads a link.
pub(super) fn read_link(cursor: &mut Cursor<'_>) -> Option<GameLink> {
    Some(GameLink {
        source: u32::from(cursor.u16_be("source").ok()?),
        game: cursor.u32_be("game").ok()?,
    })
}

/// How a list of games is stored, which the description leaves open (FORMAT.md § Open points).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListForm {
    /// The number of links as a compact number, then the links.
    #[default]
    Compact,
    /// The number of links in two bytes, then the links.
    Two,
    /// The number of links in four bytes, then the links.
    Four,
    /// The links without their number.
    Bare,
}

impl ListForm {
    /// All forms with their names.
    pub const ALL: [(ListForm, &'static str); 4] = [
        (Self::Compact, "compact"),
        (Self::Two, "u16"),
        (Self::Four, "u32"),
        (Self::Bare, "bare"),
    ];

    /// The form with a name.
    pub fn parse(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, form_name)| *form_name == name);
        found.map(|(form, _)| *form)
    }

    /// The name of the form.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(form, _)| *form == self);
        found.map_or("", |(_, name)| name)
    }

    /// Bytes before the links.
    pub(super) const fn head_length(self) -> usize {
        match self {
            Self::Compact => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Bare => 0,
        }
    }

    /// The form of a list; `None` if the bytes are more or less than a list. No bytes fit two forms.
    pub(super) fn of(list: &[u8]) -> Option<Self> {
        let count = list.len() / LINK;
        let form = match list.len() % LINK {
            1 => Self::Compact,
            2 => Self::Two,
            4 => Self::Four,
            0 if count > 0 => Self::Bare,
            _ => return None,
        };
        (form == Self::Bare || form.count(list) == Some(count)).then_some(form)
    }

    /// The number of links.
    fn count(self, list: &[u8]) -> Option<usize> {
        let mut cursor = Cursor::new(list);
        match self {
            Self::Compact => cursor.u8("games").ok().map(usize::from),
            Self::Two => cursor.u16_be("games").ok().map(usize::from),
            Self::Four => usize::try_from(cursor.u32_be("games").ok()?).ok(),
            Self::Bare => Some(list.len() / LINK),
        }
    }

    /// The links of a list in this form, which may be followed by other bytes; `None` if the bytes are
    /// too few.
    pub(super) fn links(self, list: &[u8]) -> Option<impl Iterator<Item = GameLink>> {
        let count = self.count(list)?;
        let end = count.checked_mul(LINK)?.checked_add(self.head_length())?;
        let links = list.get(self.head_length()..end)?;
        Some(
            links
                .chunks_exact(LINK)
                .filter_map(|bytes| read_link(&mut Cursor::new(bytes))),
        )
    }
}

/// Appends the links of an element's list to `out`; `false` if the list has none of the known forms.
/// `default` is the form of lists that flags of a later version may extend.
pub(super) fn read_links(
    element: &Element<'_>,
    has_links: bool,
    default: ListForm,
    out: &mut Vec<GameLink>,
) -> bool {
    let Some(list) = element.list(has_links) else {
        return true;
    };
    let form = if element.flags & !KNOWN_FLAGS == 0 {
        ListForm::of(list)
    } else {
        Some(default)
    };
    match form.and_then(|form| form.links(list)) {
        Some(links) => {
            out.extend(links);
            true
        }
        None => false,
    }
}
