//! The items of annotation records, and their kinds.

use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Foreign};
use tabia_core::io::Cursor;

use crate::games::cbh::format_id::ID;
use crate::games::cbh::records::{AnnotationsHead, ItemHead};

/// The stored numbers of item kinds.
pub mod kind {
    /// Text after the move.
    pub const TEXT_AFTER: u8 = 0x02;
    /// Text before the move.
    pub const TEXT_BEFORE: u8 = 0x82;
    /// NAGs.
    pub const SYMBOLS: u8 = 0x03;
    /// Coloured squares.
    pub const SQUARES: u8 = 0x04;
    /// Coloured arrows.
    pub const ARROWS: u8 = 0x05;
    /// Time spent on the move.
    pub const TIME_SPENT: u8 = 0x07;
    /// Training question.
    pub const TRAINING: u8 = 0x09;
    /// Sound.
    pub const SOUND: u8 = 0x10;
    /// Picture.
    pub const PICTURE: u8 = 0x11;
    /// Quoted game.
    pub const QUOTATION: u8 = 0x13;
    /// Pawn structure.
    pub const PAWN_STRUCTURE: u8 = 0x14;
    /// Piece path.
    pub const PIECE_PATH: u8 = 0x15;
    /// White's clock at the end of the game.
    pub const WHITE_CLOCK: u8 = 0x16;
    /// Black's clock at the end of the game.
    pub const BLACK_CLOCK: u8 = 0x17;
    /// Critical position.
    pub const CRITICAL: u8 = 0x18;
    /// Correspondence move, of unknown layout.
    pub const CORRESPONDENCE: u8 = 0x19;
    /// Web link.
    pub const WEB_LINK: u8 = 0x1c;
    /// Video.
    pub const VIDEO: u8 = 0x20;
    /// Evaluation.
    pub const EVAL: u8 = 0x21;
    /// Medals.
    pub const MEDALS: u8 = 0x22;
    /// Colour of the variation.
    pub const VARIATION_COLOR: u8 = 0x23;
    /// Time control.
    pub const TIME_CONTROL: u8 = 0x24;
    /// Time in the video.
    pub const VIDEO_TIME: u8 = 0x25;
    /// Evaluations of the mainline.
    pub const EVAL_PROFILE: u8 = 0x26;
}

/// Kinds of [`Foreign`] data of this format that are not the type byte of an annotation item.
pub mod foreign {
    /// The bytes of a symbols item whose NAGs are not in their usual slots; follows the NAGs.
    pub const SYMBOL_SLOTS: u16 = 0x0103;
    /// The bytes from the first zero byte of a comment on; follows the comment.
    pub const TEXT_REST: u16 = 0x0102;
    /// The header's medals if they differ from those of the annotations: two bytes, big-endian.
    pub const HEADER_MEDALS: u16 = 0x0122;
    /// A guiding-text record that could not be read completely.
    pub const TEXT_BODY: u16 = 0x0700;
    /// The formatting block of a version 1 text body; follows the body.
    pub const TEXT_FORMAT_1: u16 = 0x0701;
    /// The formatting block of a version 2 text body; follows the body.
    pub const TEXT_FORMAT_2: u16 = 0x0702;
    /// The four bytes after an HTML body if they are not zero.
    pub const TEXT_TAIL: u16 = 0x0703;
}

/// The address and the caption in the data of a web link; `None` if it has another layout.
pub(super) fn web_link_texts(data: &[u8]) -> Option<[&[u8]; 2]> {
    let mut cursor = Cursor::new(data);
    if usize::from(cursor.u16_le("size").ok()?) != data.len() {
        return None;
    }
    let mut texts: [&[u8]; 2] = [&[]; 2];
    for text in &mut texts {
        let length = cursor.u8("length").ok()?;
        *text = cursor.take(usize::from(length), "text").ok()?;
    }
    cursor.is_empty().then_some(texts)
}

/// One item of an annotation record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// −1 for the game, else the number of the move in stored order, from 0.
    pub position: i32,
    /// Its kind, one of [`kind`].
    pub kind: u8,
    /// Offset of its data in the record.
    pub at: usize,
    /// Its data.
    pub data: &'a [u8],
}

impl<'a> Item<'a> {
    /// The item as [`Foreign`] data, for kinds and values of unknown layout.
    pub fn foreign(&self) -> Annotation<'a> {
        Annotation::Foreign(Foreign {
            format: ID,
            kind: u16::from(self.kind),
            bytes: self.data,
        })
    }
}

/// The items of one annotation record, in stored order.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    cursor: Cursor<'a>,
    failed: bool,
}

impl<'a> Items<'a> {
    /// The size of the record at the start of `bytes`, its head included.
    ///
    /// # Errors
    /// If the head is cut off or states less than its own size.
    pub fn size(bytes: &[u8]) -> Result<usize, Malformed> {
        let Some(head) = AnnotationsHead::read(bytes) else {
            return Err(Malformed {
                field: "annotations_head",
                at: 0,
                why: Why::Truncated {
                    needed: AnnotationsHead::SIZE,
                    left: bytes.len(),
                },
            });
        };
        let size = head.size.get();
        if (size as usize) < AnnotationsHead::SIZE {
            return Err(Malformed {
                field: "annotations_size",
                at: 10,
                why: Why::Value(u64::from(size)),
            });
        }
        Ok(size as usize)
    }

    /// The items of a complete record.
    ///
    /// # Errors
    /// If the head is cut off.
    pub fn new(record: &'a [u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(record);
        cursor.take(AnnotationsHead::SIZE, "annotations_head")?;
        Ok(Self {
            cursor,
            failed: false,
        })
    }

    fn item(&mut self) -> Result<Item<'a>, Malformed> {
        let position = self.cursor.i24_be("annotation_position")?;
        let kind = self.cursor.u8("annotation_type")?;
        let at = self.cursor.offset();
        let size = usize::from(self.cursor.u16_be("annotation_size")?);
        let Some(length) = size.checked_sub(ItemHead::SIZE) else {
            let why = Why::Value(size as u64);
            return Err(Malformed {
                field: "annotation_size",
                at,
                why,
            });
        };
        let at = self.cursor.offset();
        let data = self.cursor.take(length, "annotation_data")?;
        Ok(Item {
            position,
            kind,
            at,
            data,
        })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Item<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.cursor.is_empty() {
            return None;
        }
        let item = self.item();
        self.failed = item.is_err();
        Some(item)
    }
}
