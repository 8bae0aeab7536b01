//! Comments that precede their move in the text. The visitor gets them after it.

use tabia_core::game::Language;

/// Comments for the next move.
#[derive(Debug, Default)]
pub(super) struct DeferredComments {
    texts: String,
    /// The end of every text in `texts`, and its language.
    ends: Vec<(usize, Option<Language>)>,
}

impl DeferredComments {
    pub(super) fn clear(&mut self) {
        self.texts.clear();
        self.ends.clear();
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn push(&mut self, text: &str, language: Option<Language>) {
        self.texts.push_str(text);
        self.ends.push((self.texts.len(), language));
    }

    /// The texts and their languages, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Option<Language>)> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, language)| {
            let text = self.texts.get(start..end).unwrap_or_default();
            start = end;
            (text, language)
        })
    }
}
