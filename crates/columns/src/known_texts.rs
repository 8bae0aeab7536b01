//! Texts of numbered values that a piece has already, so that each is asked for and stored once.

use crate::span::Span;

/// Numbers of one tag that are remembered. A number has one slot, by its remainder.
const SLOTS: usize = 1024;

/// A text of the piece.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownText {
    pub(crate) span: Span,
    /// Whether it states nothing: it is empty or `?`.
    pub(crate) is_unknown: bool,
}

/// The texts of one tag.
#[derive(Debug)]
pub(crate) struct KnownTexts {
    slots: Vec<Slot>,
    /// The number of the piece, from 1.
    piece: u64,
}

/// A number and its text.
#[derive(Debug, Clone, Default)]
struct Slot {
    number: u32,
    /// The piece that has the text; 0: none had it yet.
    piece: u64,
    known: KnownText,
    text: String,
}

/// Texts with more bytes are asked for again in each piece.
const MAX_KEPT_BYTES: usize = 256;

impl Default for KnownTexts {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            piece: 1,
        }
    }
}

impl KnownTexts {
    /// The text of a number, which `write` appends to the texts of the piece if it is not among them.
    pub(crate) fn find(
        &mut self,
        number: u32,
        texts: &mut String,
        write: impl FnOnce(&mut String),
    ) -> KnownText {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Slot::default());
        }
        let piece = self.piece;
        let slot = self.slots.get_mut(number as usize % SLOTS);
        let start = texts.len();
        let mut slot = match slot {
            Some(slot) if slot.number == number && slot.piece == piece => return slot.known,
            // An earlier piece had it.
            Some(slot) if slot.number == number && !slot.text.is_empty() => {
                texts.push_str(&slot.text);
                Some(slot)
            }
            slot => {
                write(texts);
                slot
            }
        };
        let text = texts.get(start..).unwrap_or_default();
        let known = KnownText {
            is_unknown: matches!(text, "" | "?"),
            span: Span {
                start,
                end: texts.len(),
            },
        };
        if let Some(slot) = &mut slot {
            if slot.number != number || slot.text.is_empty() {
                slot.text.clear();
                if text.len() <= MAX_KEPT_BYTES {
                    slot.text.push_str(text);
                }
            }
            (slot.number, slot.piece, slot.known) = (number, piece, known);
        }
        known
    }

    /// Another piece begins.
    pub(crate) fn forget(&mut self) {
        self.piece += 1;
    }
}
