//! Texts of numbered values that a piece has already, so that each is asked for and stored once.

use crate::game_rows::Span;

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
    /// Which piece and number, and the text.
    slots: Vec<(u64, KnownText)>,
    /// The number of the piece, from 1, above the 32 bits of numbers.
    piece: u64,
}

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
            self.slots.resize(SLOTS, Default::default());
        }
        let key = self.piece << 32 | u64::from(number);
        let slot = self.slots.get_mut(number as usize % SLOTS);
        if let Some((known, text)) = &slot
            && *known == key
        {
            return *text;
        }
        let start = texts.len();
        write(texts);
        let text = texts.get(start..).unwrap_or_default();
        let text = KnownText {
            is_unknown: matches!(text, "" | "?"),
            span: Span {
                start,
                end: texts.len(),
            },
        };
        if let Some(slot) = slot {
            *slot = (key, text);
        }
        text
    }

    /// Another piece begins.
    pub(crate) fn forget(&mut self) {
        self.piece += 1;
    }
}
