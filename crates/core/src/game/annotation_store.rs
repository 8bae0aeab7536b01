//! Annotations of a game, kept: their texts and bytes lie in one buffer each.

use std::ops::Range;

use crate::formats::FormatId;
use crate::game::{
    Annotation, Clock, Comment, CommentPlacement, CriticalPosition, Eval, EvalProfile, Foreign,
    Language, Media, MediaKind, Nag, PiecePath, Quotation, Shape, StartClock, TextKind, TextPart,
    TimeControl, Training, VariationColor, WebLink,
};

/// Annotations by their places, from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    annotations: Vec<Stored>,
    text: String,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Stored {
    Nag(Nag),
    Comment {
        placement: CommentPlacement,
        language: Option<Language>,
        text: Range<u32>,
    },
    Shape(Shape),
    Clock(Clock),
    Eval(Eval),
    Medals(u32),
    Critical(CriticalPosition),
    VariationColor(VariationColor),
    PawnStructure(u8),
    PiecePath(PiecePath),
    VideoTime(i32),
    StartClock(StartClock),
    TimeControl(Box<TimeControl>),
    EvalProfile(Box<EvalProfile>),
    Training(Box<Training>),
    Quotation(Box<Quotation>),
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

impl Kept {
    /// Empties the list, keeping its buffers.
    pub(super) fn clear(&mut self) {
        self.annotations.clear();
        self.text.clear();
        self.bytes.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.annotations.is_empty()
    }

    /// Keeps an annotation; its place.
    pub(super) fn add(&mut self, annotation: Annotation<'_>) -> u32 {
        let stored = match annotation {
            Annotation::Nag(nag) => Stored::Nag(nag),
            Annotation::Comment(comment) => Stored::Comment {
                placement: comment.placement,
                language: comment.language,
                text: self.add_text(comment.text),
            },
            Annotation::Shape(shape) => Stored::Shape(shape),
            Annotation::Clock(clock) => Stored::Clock(clock),
            Annotation::Eval(eval) => Stored::Eval(eval),
            Annotation::Medals(bits) => Stored::Medals(bits),
            Annotation::Critical(critical) => Stored::Critical(critical),
            Annotation::VariationColor(color) => Stored::VariationColor(color),
            Annotation::PawnStructure(value) => Stored::PawnStructure(value),
            Annotation::PiecePath(path) => Stored::PiecePath(path),
            Annotation::VideoTime(time) => Stored::VideoTime(time),
            Annotation::StartClock(clock) => Stored::StartClock(clock),
            Annotation::TimeControl(control) => Stored::TimeControl(Box::new(control)),
            Annotation::EvalProfile(profile) => Stored::EvalProfile(Box::new(profile.clone())),
            Annotation::Training(training) => Stored::Training(Box::new(training.clone())),
            Annotation::Quotation(quotation) => Stored::Quotation(Box::new(quotation.clone())),
            Annotation::WebLink(link) => Stored::WebLink {
                url: self.add_text(link.url),
                caption: self.add_text(link.caption),
            },
            Annotation::Media(media) => Stored::Media {
                kind: media.kind,
                language: media.language,
                text: self.add_text(media.text),
            },
            Annotation::Text(part) => Stored::Text {
                kind: part.kind,
                language: part.language,
                text: self.add_text(part.text),
            },
            Annotation::Foreign(foreign) => {
                let start = self.bytes.len() as u32;
                self.bytes.extend_from_slice(foreign.bytes);
                let bytes = start..self.bytes.len() as u32;
                Stored::Foreign {
                    format: foreign.format,
                    kind: foreign.kind,
                    bytes,
                }
            }
        };
        let place = self.annotations.len() as u32;
        self.annotations.push(stored);
        place
    }

    fn add_text(&mut self, text: &str) -> Range<u32> {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        start..self.text.len() as u32
    }

    /// The annotation at a place that [`Kept::add`] gave.
    pub(super) fn get(&self, place: u32) -> Annotation<'_> {
        let Some(stored) = self.annotations.get(place as usize) else {
            // Places are only made by `add`.
            return Annotation::Medals(0);
        };
        match stored {
            Stored::Nag(nag) => Annotation::Nag(*nag),
            Stored::Comment {
                placement,
                language,
                text,
            } => Annotation::Comment(Comment {
                placement: *placement,
                language: *language,
                text: self.slice(text),
            }),
            Stored::Shape(shape) => Annotation::Shape(*shape),
            Stored::Clock(clock) => Annotation::Clock(*clock),
            Stored::Eval(eval) => Annotation::Eval(*eval),
            Stored::Medals(bits) => Annotation::Medals(*bits),
            Stored::Critical(critical) => Annotation::Critical(*critical),
            Stored::VariationColor(color) => Annotation::VariationColor(*color),
            Stored::PawnStructure(value) => Annotation::PawnStructure(*value),
            Stored::PiecePath(path) => Annotation::PiecePath(*path),
            Stored::VideoTime(time) => Annotation::VideoTime(*time),
            Stored::StartClock(clock) => Annotation::StartClock(*clock),
            Stored::TimeControl(control) => Annotation::TimeControl(**control),
            Stored::EvalProfile(profile) => Annotation::EvalProfile(profile),
            Stored::Training(training) => Annotation::Training(training),
            Stored::Quotation(quotation) => Annotation::Quotation(quotation),
            Stored::WebLink { url, caption } => Annotation::WebLink(WebLink {
                url: self.slice(url),
                caption: self.slice(caption),
            }),
            Stored::Media {
                kind,
                language,
                text,
            } => Annotation::Media(Media {
                kind: *kind,
                language: *language,
                text: self.slice(text),
            }),
            Stored::Text {
                kind,
                language,
                text,
            } => Annotation::Text(TextPart {
                kind: *kind,
                language: *language,
                text: self.slice(text),
            }),
            Stored::Foreign {
                format,
                kind,
                bytes,
            } => Annotation::Foreign(Foreign {
                format: *format,
                kind: *kind,
                bytes: self
                    .bytes
                    .get(bytes.start as usize..bytes.end as usize)
                    .unwrap_or_default(),
            }),
        }
    }

    fn slice(&self, range: &Range<u32>) -> &str {
        self.text
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }
}
