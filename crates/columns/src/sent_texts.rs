//! Texts of numbered values that a thread sends once: it notes the numbers, and who makes the batches keeps the texts.
//!
//! Pieces come in the order of the games, those of one thread also in the order in which it made them, so that a text
//! is always there before a row that has only its number.

use crate::tag_targets::TextField;

/// Number of variants of [`TextField`].
pub(crate) const TEXT_FIELDS: usize = TextField::Pgn as usize + 1;

/// Texts of higher numbers are not sent once.
const MAX_NUMBERS: u32 = 1 << 19;

/// Bytes of the texts of one tag that a thread sends once, about.
const MAX_BYTES: usize = 8 << 20;

/// A text that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SentText {
    /// Its length in bytes.
    pub(crate) length: usize,
    /// Whether it states nothing: it is empty or `?`.
    pub(crate) is_unknown: bool,
}

/// The numbers of one tag whose texts a thread has sent.
#[derive(Debug, Default)]
pub(crate) struct SentNumbers {
    /// By number: 0 if its text was not sent, otherwise 1, plus 1 if it is unknown, plus twice its length.
    states: Vec<u32>,
    bytes: usize,
}

impl SentNumbers {
    /// The text of a number, which `write` appends to the texts of `piece` if it was not sent; `None` if texts of this
    /// number are not sent once.
    pub(crate) fn find(
        &mut self,
        (field, number): (TextField, u32),
        piece: &mut PieceTexts,
        write: impl FnOnce(&mut String),
    ) -> Option<SentText> {
        let index = number as usize;
        match self.states.get(index) {
            Some(&state @ 1..) => {
                return Some(SentText {
                    length: (state as usize - 1) / 2,
                    is_unknown: state % 2 == 0,
                });
            }
            _ if number >= MAX_NUMBERS || self.bytes >= MAX_BYTES => return None,
            _ => {}
        }
        let start = piece.text.len();
        write(&mut piece.text);
        let text = piece.text.get(start..).unwrap_or_default();
        let sent = SentText {
            length: text.len(),
            is_unknown: matches!(text, "" | "?"),
        };
        let Some(state) = u32::try_from(sent.length)
            .ok()
            .and_then(|length| length.checked_mul(2)?.checked_add(2))
        else {
            piece.text.truncate(start);
            return None;
        };
        self.bytes += sent.length;
        if self.states.len() <= index {
            self.states.resize(index + 1, 0);
        }
        if let Some(slot) = self.states.get_mut(index) {
            *slot = state - u32::from(!sent.is_unknown);
        }
        piece.texts.push((field, number, sent.length));
        Some(sent)
    }
}

/// Texts that a piece sends.
#[derive(Debug, Default)]
pub(crate) struct PieceTexts {
    text: String,
    /// Their fields, numbers and lengths.
    texts: Vec<(TextField, u32, usize)>,
}

impl PieceTexts {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.texts.clear();
    }
}

/// The texts of an input that were sent.
#[derive(Debug, Default)]
pub(crate) struct InputTexts {
    text: String,
    /// Where they are, by field and number.
    spans: [Vec<(usize, usize)>; TEXT_FIELDS],
}

impl InputTexts {
    /// Another input begins.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.spans.iter_mut().for_each(Vec::clear);
    }

    /// Takes the texts of a piece.
    pub(crate) fn take(&mut self, piece: &PieceTexts) {
        let mut start = 0;
        for &(field, number, length) in &piece.texts {
            let text = piece.text.get(start..start + length).unwrap_or_default();
            start += length;
            let Some(spans) = self.spans.get_mut(field as usize) else {
                continue;
            };
            let index = number as usize;
            if spans.len() <= index {
                spans.resize(index + 1, (0, 0));
            }
            if let Some(span) = spans.get_mut(index)
                && *span == (0, 0)
            {
                let start = self.text.len();
                self.text.push_str(text);
                *span = (start, self.text.len());
            }
        }
    }

    /// The text of a number that was sent.
    pub(crate) fn text(&self, field: TextField, number: u32) -> &str {
        let spans = self.spans.get(field as usize);
        let span = spans.and_then(|spans| spans.get(number as usize));
        let (start, end) = span.copied().unwrap_or_default();
        self.text.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sent_once_by_each_thread() {
        let texts = ["Carlsen, M", "", "?", "Топалов"];
        let mut input = InputTexts::default();
        for _ in 0..2 {
            let mut sent = SentNumbers::default();
            for round in 0..2 {
                let mut piece = PieceTexts::default();
                for (number, text) in (5..).zip(texts) {
                    let found = sent.find((TextField::White, number), &mut piece, |out| {
                        assert_eq!(round, 0);
                        out.push_str(text);
                    });
                    let expected = SentText {
                        length: text.len(),
                        is_unknown: text.len() < 2,
                    };
                    assert_eq!(found, Some(expected));
                }
                input.take(&piece);
                for (number, text) in (5..).zip(texts) {
                    assert_eq!(input.text(TextField::White, number), text);
                    assert_eq!(input.text(TextField::Black, number), "");
                }
            }
        }
        assert_eq!(input.text.len(), texts.concat().len());
        input.clear();
        assert_eq!(input.text(TextField::White, 5), "");
    }

    #[test]
    fn high_numbers_and_many_texts_are_not_sent() {
        let (mut sent, mut piece) = (SentNumbers::default(), PieceTexts::default());
        let number = (TextField::Site, MAX_NUMBERS);
        assert_eq!(sent.find(number, &mut piece, |_| unreachable!()), None);
        let long = "x".repeat(MAX_BYTES);
        let text = sent.find((TextField::Site, 1), &mut piece, |out| out.push_str(&long));
        assert_eq!(text.map(|text| text.length), Some(MAX_BYTES));
        let next = sent.find((TextField::Site, 2), &mut piece, |_| unreachable!());
        assert_eq!(next, None);
        let again = sent.find((TextField::Site, 1), &mut piece, |_| unreachable!());
        assert_eq!(again, text);
    }
}
