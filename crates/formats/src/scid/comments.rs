//! What the text of a comment says besides words: marks, clocks, evaluations.

use tabia_core::game::{Annotation, Comment, Flow, Place, Visitor};

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
