//! What databases change in the texts of games that are added to them: [`TextLimits`].

use std::borrow::Cow;

use crate::game::Tags;

/// What a database changes in the texts of a game that is added to it: names are cut to the size of their
/// fields, and characters that its character set lacks are replaced. New games can be compared with stored
/// ones if the same is done to them.
///
/// ```
/// use tabia_core::game::Tags;
/// use tabia_core::games::{NameLimit, TextLimits};
///
/// let limits = NameLimit { bytes: 6, tags: &["White", "Black"] };
/// let mut tags: Tags = [("Event", "Championship"), ("White", "Łukaszewski")].into_iter().collect();
/// limits.limit_tags(&mut tags);
/// assert_eq!((tags.text("White"), tags.text("Event")), ("Łukas", "Championship"));
/// assert_eq!(limits.limit_comment("Łódź"), "Łódź");
/// ```
pub trait TextLimits: Send + Sync {
    /// Gives the tags that games are compared by the values that the added game would be read with: players,
    /// event, site, round and date. Tags that are absent stay so.
    fn limit_tags(&self, tags: &mut Tags);

    /// The text of a comment, as the added game would be read.
    fn limit_comment<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}

/// The limit of formats that cut names to a number of bytes, before the character that would cross it, and
/// change nothing else but zeros, which they leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameLimit {
    /// Bytes of a name at most.
    pub bytes: usize,
    /// The tags whose values are names.
    pub tags: &'static [&'static str],
}

impl TextLimits for NameLimit {
    fn limit_tags(&self, tags: &mut Tags) {
        for name in self.tags {
            let value = tags.text(name);
            if value.len() > self.bytes || value.contains('\0') {
                let mut value = value.replace('\0', "");
                value.truncate(value.floor_char_boundary(self.bytes));
                tags.set(name, &value);
            }
        }
    }
}
