//! What the text of a comment says besides words: marks, clocks, evaluations.

use tabia_core::game::{Annotation, Comment, Flow, Place, Visitor};
use tabia_core::loss::{Feature, Losses};

/// Visits what a comment says. Its words go to `held` when there is one.
pub(crate) fn read(text: &str, held: Option<&mut Vec<String>>, visitor: &mut dyn Visitor) -> Flow {
    let text = text.replace("\r\n", "\n");
    match held {
        Some(held) => {
            held.push(text);
            Flow::Go
        }
        None => visitor.visit_annotation(plain(&text, Place::After)),
    }
}

/// A comment in no language.
pub(crate) fn plain(text: &str, place: Place) -> Annotation<'_> {
    Annotation::Comment(Comment {
        place,
        language: None,
        text,
    })
}

/// Puts what is said at one place into the one comment that Scid has there.
#[derive(Debug, Default)]
pub(crate) struct CommentWriter {
    text: String,
    comments: u32,
    is_used: bool,
}

impl CommentWriter {
    /// Adds an annotation that Scid can hold in a comment.
    pub(crate) fn add(&mut self, annotation: &Annotation<'_>, losses: &mut Losses) {
        self.is_used = true;
        let Annotation::Comment(comment) = annotation else {
            return;
        };
        self.comments += 1;
        if self.comments > 1 {
            losses.add(Feature::SeveralComments, 1, None);
            self.text.push('\n');
        }
        if comment.text.contains('\0') {
            losses.add(Feature::Characters, 1, None);
        }
        self.text
            .extend(comment.text.chars().filter(|&character| character != '\0'));
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_used
    }

    /// Appends the text with its final zero and forgets it; whether there was any text.
    pub(crate) fn take_into(&mut self, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(self.text.as_bytes());
        out.push(0);
        let has_text = !self.text.is_empty();
        self.text.clear();
        self.comments = 0;
        self.is_used = false;
        has_text
    }
}
