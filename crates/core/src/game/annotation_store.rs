//! The annotations of one game. Their texts and bytes are stored in one buffer each.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::game::{
    Annotation, Comment, CommentPlacement, EvalProfile, Foreign, Language, Media, MediaKind,
    Quotation, TextKind, TextPart, Training, WebLink,
};
use crate::ids::FormatId;

/// Annotations by index, from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct AnnotationStore {
    annotations: Vec<StoredAnnotation>,
    text: String,
    bytes: Vec<u8>,
}

/// An [`Annotation`] with ranges of the store's buffers instead of borrowed texts and bytes.
#[derive(Debug, Clone)]
enum StoredAnnotation {
    /// One that borrows nothing.
    Copied(Annotation<'static>),
    EvalProfile(Box<EvalProfile>),
    Training(Box<Training>),
    Quotation(Box<Quotation>),
    Comment {
        placement: CommentPlacement,
        language: Option<Language>,
        text: Range<u32>,
    },
    WebLink {
        url: Range<u32>,
        caption: Range<u32>,
    },
    Media {
        kind: MediaKind,
        language: Option<Language>,
        text: Range<u32>,
    },
    Text {
        kind: TextKind,
        language: u16,
        text: Range<u32>,
    },
    Foreign {
        format: FormatId,
        kind: u16,
        bytes: Range<u32>,
    },
}

impl AnnotationStore {
    /// Empties the store, keeping its buffers.
    pub(super) fn clear(&mut self) {
        self.annotations.clear();
        self.text.clear();
        self.bytes.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.annotations.is_empty()
    }

    /// Stores an annotation and returns its index.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when all texts or all bytes of the game would exceed 4 GiB; the
    /// annotation is not stored then.
    pub(super) fn push(&mut self, annotation: Annotation<'_>) -> Result<u32> {
        let stored = match annotation {
            Annotation::Nag(nag) => StoredAnnotation::Copied(Annotation::Nag(nag)),
            Annotation::Shape(shape) => StoredAnnotation::Copied(Annotation::Shape(shape)),
            Annotation::Clock(clock) => StoredAnnotation::Copied(Annotation::Clock(clock)),
            Annotation::Eval(eval) => StoredAnnotation::Copied(Annotation::Eval(eval)),
            Annotation::Medals(bits) => StoredAnnotation::Copied(Annotation::Medals(bits)),
            Annotation::Critical(phase) => StoredAnnotation::Copied(Annotation::Critical(phase)),
            Annotation::VariationColor(color) => {
                StoredAnnotation::Copied(Annotation::VariationColor(color))
            }
            Annotation::PawnStructure(value) => {
                StoredAnnotation::Copied(Annotation::PawnStructure(value))
            }
            Annotation::PiecePath(path) => StoredAnnotation::Copied(Annotation::PiecePath(path)),
            Annotation::VideoTime(time) => StoredAnnotation::Copied(Annotation::VideoTime(time)),
            Annotation::TimeControl(control) => {
                StoredAnnotation::Copied(Annotation::TimeControl(control))
            }
            Annotation::EvalProfile(profile) => {
                StoredAnnotation::EvalProfile(Box::new(profile.clone()))
            }
            Annotation::Training(training) => {
                StoredAnnotation::Training(Box::new(training.clone()))
            }
            Annotation::Quotation(quotation) => {
                StoredAnnotation::Quotation(Box::new(quotation.clone()))
            }
            Annotation::Comment(comment) => StoredAnnotation::Comment {
                placement: comment.placement,
                language: comment.language,
                text: self.push_text(comment.text)?,
            },
            Annotation::WebLink(link) => {
                let url = self.push_text(link.url)?;
                StoredAnnotation::WebLink {
                    caption: self.push_text(link.caption)?,
                    url,
                }
            }
            Annotation::Media(media) => StoredAnnotation::Media {
                kind: media.kind,
                language: media.language,
                text: self.push_text(media.text)?,
            },
            Annotation::Text(part) => StoredAnnotation::Text {
                kind: part.kind,
                language: part.language,
                text: self.push_text(part.text)?,
            },
            Annotation::Foreign(foreign) => {
                let bytes = next_range(self.bytes.len(), foreign.bytes.len())?;
                self.bytes.extend_from_slice(foreign.bytes);
                StoredAnnotation::Foreign {
                    format: foreign.format,
                    kind: foreign.kind,
                    bytes,
                }
            }
        };
        let index = self.annotations.len() as u32;
        self.annotations.push(stored);
        Ok(index)
    }

    fn push_text(&mut self, text: &str) -> Result<Range<u32>> {
        let range = next_range(self.text.len(), text.len())?;
        self.text.push_str(text);
        Ok(range)
    }

    /// The annotation at an index; `None` for an index that [`push`](Self::push) did not return.
    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<Annotation<'_>> {
        Some(match self.annotations.get(index as usize)? {
            StoredAnnotation::Copied(annotation) => *annotation,
            StoredAnnotation::EvalProfile(profile) => Annotation::EvalProfile(profile),
            StoredAnnotation::Training(training) => Annotation::Training(training),
            StoredAnnotation::Quotation(quotation) => Annotation::Quotation(quotation),
            StoredAnnotation::Comment {
                placement,
                language,
                text,
            } => Annotation::Comment(Comment {
                placement: *placement,
                language: *language,
                text: self.text_at(text)?,
            }),
            StoredAnnotation::WebLink { url, caption } => Annotation::WebLink(WebLink {
                url: self.text_at(url)?,
                caption: self.text_at(caption)?,
            }),
            StoredAnnotation::Media {
                kind,
                language,
                text,
            } => Annotation::Media(Media {
                kind: *kind,
                language: *language,
                text: self.text_at(text)?,
            }),
            StoredAnnotation::Text {
                kind,
                language,
                text,
            } => Annotation::Text(TextPart {
                kind: *kind,
                language: *language,
                text: self.text_at(text)?,
            }),
            StoredAnnotation::Foreign {
                format,
                kind,
                bytes,
            } => Annotation::Foreign(Foreign {
                format: *format,
                kind: *kind,
                bytes: self.bytes.get(bytes.start as usize..bytes.end as usize)?,
            }),
        })
    }

    fn text_at(&self, range: &Range<u32>) -> Option<&str> {
        self.text.get(range.start as usize..range.end as usize)
    }
}

/// The range of `length` more bytes in a buffer that has `start`.
fn next_range(start: usize, length: usize) -> Result<Range<u32>> {
    match u32::try_from(start.saturating_add(length)) {
        Ok(end) => Ok(start as u32..end),
        Err(_) => Err(Error::new(ErrorKind::Limit {
            what: "annotations of one game",
            limit: u32::MAX.into(),
            size: start as u64 + length as u64,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_above_4_gib_are_refused() {
        let limit = u32::MAX as usize;
        assert_eq!(next_range(limit - 5, 5).unwrap(), u32::MAX - 5..u32::MAX);
        let error = next_range(limit - 5, 6).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
    }

    #[test]
    fn an_unknown_index_has_no_annotation() {
        let mut store = AnnotationStore::default();
        assert_eq!(store.get(0), None);
        let index = store.push(Annotation::Medals(3)).unwrap();
        assert_eq!(store.get(index), Some(Annotation::Medals(3)));
        assert_eq!(store.get(index + 1), None);
    }
}
