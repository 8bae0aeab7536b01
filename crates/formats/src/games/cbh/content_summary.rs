//! The fields of a game header that follow from the game's contents, computed for writing and for
//! verification.

use tabia_core::games::IndexEntry;

use super::annotations::{Item, kind};

/// A summary of a game's moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MoveSummary {
    /// Plies of the mainline, null moves included.
    pub mainline: u32,
    /// Plies of all variations.
    pub variations: u32,
    /// The game has a setup position.
    pub has_start: bool,
    /// Black moves first.
    pub black_first: bool,
    /// Chess960 or another variant.
    pub unorthodox: bool,
}

/// The fields of a game header that follow from the game's contents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// The kinds of content that occur, one bit each.
    pub flags: u32,
    /// Amounts of some kinds of content, in classes.
    pub magnitudes: u16,
    /// All medals, one bit each.
    pub medals: u16,
    /// Full moves of the mainline.
    pub move_count: u32,
}

/// The parts of an annotation item that a header depends on.
#[derive(Debug, Clone, Copy)]
pub struct ItemSummary {
    /// Its kind, one of [`kind`].
    pub kind: u8,
    /// Bytes of its text, if it is a comment.
    pub text: usize,
    /// Its medals.
    pub medals: u16,
}

impl From<Item<'_>> for ItemSummary {
    fn from(item: Item<'_>) -> Self {
        let medals = match (item.kind, item.data) {
            (kind::MEDALS, [_, _, high, low]) => u16::from(*high) << 8 | u16::from(*low),
            _ => 0,
        };
        Self {
            kind: item.kind,
            text: item.data.len().saturating_sub(2),
            medals,
        }
    }
}

/// Flag: the game has a setup position.
pub const HAS_START: u32 = 1;
/// Flag: variations.
pub const HAS_VARIATIONS: u32 = 1 << 1;
/// Flag: comments.
pub const HAS_COMMENTS: u32 = 1 << 2;
/// Flag: symbols.
pub const HAS_SYMBOLS: u32 = 1 << 3;
/// Flag: training questions.
const HAS_TRAINING: u32 = 1 << 9;
/// Flag: Chess960 or another variant.
pub const IS_UNORTHODOX: u32 = 1 << 27;

/// The flag of each kind of annotation that has one.
const KIND_FLAGS: [(u8, u32); 20] = [
    (kind::TEXT_AFTER, HAS_COMMENTS),
    (kind::TEXT_BEFORE, HAS_COMMENTS),
    (kind::SYMBOLS, HAS_SYMBOLS),
    (kind::SQUARES, 1 << 4),
    (kind::ARROWS, 1 << 5),
    (kind::TIME_SPENT, 1 << 7),
    (0x08, 1 << 8),
    (kind::TRAINING, HAS_TRAINING),
    (kind::SOUND, 1 << 16),
    (kind::PICTURE, 1 << 17),
    (kind::VIDEO, 1 << 18),
    (kind::QUOTATION, 1 << 19),
    (kind::PAWN_STRUCTURE, 1 << 20),
    (kind::PIECE_PATH, 1 << 21),
    (kind::WHITE_CLOCK, 1 << 22),
    (kind::BLACK_CLOCK, 1 << 23),
    (kind::CRITICAL, 1 << 24),
    (kind::CORRESPONDENCE, 1 << 25),
    (0x1a, 1 << 26),
    (kind::WEB_LINK, 1 << 28),
];

/// An index entry with the fields that follow from a header's flags; all others are default.
pub(crate) fn entry(flags: u32) -> IndexEntry {
    IndexEntry {
        has_setup: flags & (HAS_START | IS_UNORTHODOX) != 0,
        has_variations: Some(flags & HAS_VARIATIONS != 0),
        has_comments: Some(flags & HAS_COMMENTS != 0),
        has_nags: Some(flags & HAS_SYMBOLS != 0),
        has_training: Some(flags & HAS_TRAINING != 0),
        ..IndexEntry::default()
    }
}

impl Contents {
    /// From a game's moves and its annotation items.
    pub fn of(moves: MoveSummary, items: impl Iterator<Item = ItemSummary>) -> Self {
        let mut contents = Self {
            move_count: move_count(moves),
            ..Self::default()
        };
        for (is_so, flag) in [
            (moves.has_start, HAS_START),
            (moves.variations > 0, HAS_VARIATIONS),
            (moves.unorthodox, IS_UNORTHODOX),
        ] {
            if is_so {
                contents.flags |= flag;
            }
        }
        let mut counts = KindCounts::default();
        for item in items {
            let flag = KIND_FLAGS.iter().find(|(kind, _)| *kind == item.kind);
            contents.flags |= flag.map_or(0, |(_, flag)| *flag);
            counts.add(item);
            contents.medals |= item.medals;
        }
        contents.magnitudes = counts.magnitudes(moves.variations);
        contents
    }

    /// The number of full moves in a byte: 255 for 255 or more.
    pub fn short_move_count(self) -> u8 {
        u8::try_from(self.move_count).unwrap_or(u8::MAX)
    }
}

/// Numbers of annotations by kind.
#[derive(Debug, Clone, Copy, Default)]
struct KindCounts {
    /// Bytes of text.
    text: usize,
    symbols: u32,
    squares: u32,
    arrows: u32,
    times: u32,
    training: u32,
}

impl KindCounts {
    fn add(&mut self, item: ItemSummary) {
        let count = match item.kind {
            kind::TEXT_AFTER | kind::TEXT_BEFORE => {
                self.text = self.text.saturating_add(item.text);
                return;
            }
            kind::SYMBOLS => &mut self.symbols,
            kind::SQUARES => &mut self.squares,
            kind::ARROWS => &mut self.arrows,
            kind::TIME_SPENT => &mut self.times,
            kind::TRAINING => &mut self.training,
            _ => return,
        };
        *count = count.saturating_add(1);
    }

    fn magnitudes(self, variations: u32) -> u16 {
        let plies = match variations {
            0..=50 => 0,
            51..=300 => 1,
            301..=1000 => 2,
            _ => 3,
        };
        let bit = |is_so: bool, bit: u16| u16::from(is_so) << bit;
        plies
            | bit(self.text > 200, 2)
            | bit(self.symbols >= 10, 3)
            | bit(self.squares >= 10, 4)
            | bit(self.arrows >= 6, 5)
            | bit(self.times >= 10, 7)
            | bit(self.training >= 6, 9)
    }
}

/// Full moves of the mainline.
fn move_count(moves: MoveSummary) -> u32 {
    if moves.mainline == 0 {
        return 0;
    }
    let plies = moves.mainline.saturating_add(u32::from(moves.black_first));
    plies.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: u8, data: &[u8]) -> Item<'_> {
        Item {
            position: 0,
            kind,
            at: 0,
            data,
        }
    }

    #[test]
    fn contents_have_flags_and_magnitudes() {
        let moves = MoveSummary {
            mainline: 3,
            variations: 51,
            has_start: true,
            black_first: true,
            unorthodox: false,
        };
        let text = [b'x'; 203];
        let mut items = vec![
            item(kind::TEXT_AFTER, &text),
            item(kind::MEDALS, &[0, 0, 1, 2]),
            item(kind::MEDALS, &[0, 0, 0x80, 0]),
            item(kind::EVAL_PROFILE, &[0, 0]),
        ];
        items.extend([item(kind::ARROWS, &[2, 1, 2]); 6]);
        items.extend([item(kind::SYMBOLS, &[1]); 9]);
        assert_eq!(
            Contents::of(moves, items.into_iter().map(ItemSummary::from)),
            Contents {
                flags: 0b10_1111,
                magnitudes: 0b10_0101,
                medals: 0x8102,
                move_count: 2,
            }
        );
    }

    #[test]
    fn move_count_depends_on_the_first_side() {
        let count = |mainline, black_first| {
            move_count(MoveSummary {
                mainline,
                black_first,
                ..MoveSummary::default()
            })
        };
        assert_eq!(
            [count(0, true), count(1, false), count(2, false)],
            [0, 1, 1]
        );
        assert_eq!(
            [count(2, true), count(509, false), count(600, false)],
            [2, 255, 300]
        );
    }
}
