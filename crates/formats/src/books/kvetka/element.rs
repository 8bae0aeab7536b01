//! Blocks and what is in them: one element for each position.

use tabia_core::books::GameLink;
use tabia_core::io::Cursor;

use super::key::Key;
use super::varint::read_compact;

/// Bytes of a block.
pub(super) const BLOCK: usize = 2048;
/// Bytes of the longest element, its length included, so that three always fit into a block.
pub(super) const LONGEST: usize = 682;
/// Bytes of the shortest element behind its length.
pub(super) const SHORTEST: usize = 27;
/// Units of the longest comment.
pub(super) const COMMENT: usize = 300;
/// Bytes of a link to a game.
pub(super) const LINK: usize = 6;

pub(super) const HAS_COMMENT: u8 = 1;
pub(super) const HAS_LIST: u8 = 2;
pub(super) const HAS_SOURCE: u8 = 4;
/// Flags that this version of the format knows.
pub(super) const KNOWN: u8 = 7;

/// The elements of a block, as far as they can be told apart.
#[derive(Debug, Clone)]
pub(super) struct Elements<'a> {
    cursor: Cursor<'a>,
    /// Bytes that no element could be made of.
    pub(super) lost: usize,
}

impl<'a> Elements<'a> {
    /// `used` are the bytes of the block that count, from its start.
    pub(super) fn of(used: &'a [u8]) -> Self {
        let mut cursor = Cursor::new(used);
        // Shorter ones are refused before.
        let _ = cursor.u16_be("block length");
        Self { cursor, lost: 0 }
    }

    /// Those from an offset on.
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

    /// The bytes of the next element behind its length.
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.cursor.is_empty() {
            return None;
        }
        let left = self.cursor.left();
        let length = read_compact(&mut self.cursor, "element length").ok();
        let body = length
            .and_then(|length| usize::try_from(length).ok())
            .filter(|length| *length >= SHORTEST)
            .and_then(|length| self.cursor.take(length, "element").ok());
        if body.is_none() {
            self.lost = left;
            self.cursor = Cursor::new(&[]);
        }
        body
    }
}

/// The bytes of a block that count; `None` when their number is impossible.
pub(super) fn used(block: &[u8]) -> Option<&[u8]> {
    let length = Cursor::new(block).u16_be("block length").ok()?;
    (length >= 2).then(|| block.get(..usize::from(length)))?
}

/// The key of an element.
pub(super) fn key_of(body: &[u8]) -> Option<Key> {
    body.first_chunk().copied().map(Key)
}

/// One position and what is said of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'a> {
    pub(super) key: Key,
    /// Won, drawn and lost, from the side to move.
    pub(super) counts: [u64; 3],
    pub(super) moves: &'a [u8],
    pub(super) flags: u8,
    pub(super) source: Option<GameLink>,
    /// 16-bit units.
    pub(super) comment: Option<&'a [u8]>,
    /// The list of games and what later versions may add.
    pub(super) rest: &'a [u8],
    /// The comment does not fit, and what follows it is not known.
    pub(super) bad_comment: bool,
}

impl<'a> Element<'a> {
    /// From the bytes behind the length; `None` when the fields do not fit into them. `linked`
    /// says whether the book stores links to games.
    pub(super) fn read(body: &'a [u8], linked: bool) -> Option<Self> {
        let mut cursor = Cursor::new(body);
        let key = Key(cursor.array("key").ok()?);
        let mut counts = [0; 3];
        for count in &mut counts {
            *count = read_compact(&mut cursor, "count").ok()?;
        }
        let moves = cursor.u8("number of moves").ok()?;
        let moves = cursor.take(usize::from(moves), "moves").ok()?;
        let flags = cursor.u8("flags").ok()?;
        let source = if linked && flags & HAS_SOURCE != 0 {
            Some(link(&mut cursor)?)
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

    /// The bytes of the list of games; `None` when there is none.
    pub(super) fn list(&self, linked: bool) -> Option<&'a [u8]> {
        (linked && self.flags & HAS_LIST != 0 && !self.bad_comment).then_some(self.rest)
    }

    /// Whether it ends in bytes that no flag announces.
    pub(super) fn has_leftover(&self, linked: bool) -> bool {
        let announced = linked && self.flags & HAS_LIST != 0;
        !self.rest.is_empty() && self.flags & !KNOWN == 0 && !announced
    }
}

pub(super) fn link(cursor: &mut Cursor<'_>) -> Option<GameLink> {
    Some(GameLink {
        source: u32::from(cursor.u16_be("source").ok()?),
        game: cursor.u32_be("game").ok()?,
    })
}

/// How a list of games is stored, which the description does not say (FORMAT.md § Open points).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListForm {
    /// A compact number, then the links.
    #[default]
    Compact,
    /// Two bytes of number, then the links.
    Two,
    /// Four bytes of number, then the links.
    Four,
    /// The links alone.
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

    /// By name.
    pub fn parse(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(form, _)| *form)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(form, _)| *form == self);
        found.map_or("", |(_, name)| name)
    }

    /// Bytes before the links.
    pub(super) const fn head(self) -> usize {
        match self {
            Self::Compact => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Bare => 0,
        }
    }

    /// The form of these bytes, if they are a list and nothing else. No bytes fit two forms.
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

    /// The number that stands before the links.
    fn count(self, list: &[u8]) -> Option<usize> {
        let mut cursor = Cursor::new(list);
        match self {
            Self::Compact => cursor.u8("games").ok().map(usize::from),
            Self::Two => cursor.u16_be("games").ok().map(usize::from),
            Self::Four => usize::try_from(cursor.u32_be("games").ok()?).ok(),
            Self::Bare => Some(list.len() / LINK),
        }
    }

    /// The links of a list in this form, with more behind them or not; `None` when it is none.
    pub(super) fn links(self, list: &[u8]) -> Option<impl Iterator<Item = GameLink>> {
        let count = self.count(list)?;
        let end = count.checked_mul(LINK)?.checked_add(self.head())?;
        let links = list.get(self.head()..end)?;
        Some(
            links
                .chunks_exact(LINK)
                .filter_map(|bytes| link(&mut Cursor::new(bytes))),
        )
    }
}

/// The links of a list, whatever its form; `usual` is the form of the book, asked when more than a
/// list may be there.
pub(super) fn links(
    element: &Element<'_>,
    linked: bool,
    usual: ListForm,
    out: &mut Vec<GameLink>,
) -> bool {
    let Some(list) = element.list(linked) else {
        return true;
    };
    let form = if element.flags & !KNOWN == 0 {
        ListForm::of(list)
    } else {
        Some(usual)
    };
    match form.and_then(|form| form.links(list)) {
        Some(links) => {
            out.extend(links);
            true
        }
        None => false,
    }
}
