//! Chooses among comments in several languages.

use std::collections::BTreeMap;

use tabia_core::GameIndex;
use tabia_core::game::{
    Annotation, CommentPlacement, Event, Flow, GameHead, Language, Recorder, Visitor,
};

/// Hands annotations on, and of the comments on one move only those in one language: the first of the
/// list that is among them. Comments without a language are for all readers and always pass.
#[derive(Debug, Default)]
pub(crate) struct LanguageChoice {
    languages: Vec<Language>,
    /// The annotations of one move, from the first comment with a language on.
    waiting: Recorder,
    has_waiting: bool,
    /// Comments that were left out, by language.
    pub(crate) left_out: BTreeMap<Language, u64>,
    /// Comments that were chosen, by language.
    pub(crate) chosen: BTreeMap<Language, u64>,
}

impl LanguageChoice {
    /// Whether every comment passes at once.
    pub(crate) fn passes_all(&self) -> bool {
        self.languages.is_empty()
    }

    pub(crate) fn new(languages: &[Language]) -> Self {
        Self {
            languages: languages.to_vec(),
            ..Self::default()
        }
    }

    /// Whether the annotation waits for the others of its move.
    pub(crate) fn holds(&mut self, annotation: &Annotation<'_>) -> bool {
        if self.passes_all() {
            return false;
        }
        if !self.has_waiting {
            if language(annotation).is_none() {
                return false;
            }
            self.has_waiting = true;
            let _ = self.waiting.begin_game(GameIndex(0), &GameHead::default());
        }
        let _ = self.waiting.visit_annotation(*annotation);
        true
    }

    /// Hands on what waits and is chosen.
    #[inline]
    pub(crate) fn release(&mut self, visitor: &mut impl Visitor) -> Flow {
        if self.has_waiting {
            self.release_waiting(visitor)
        } else {
            Flow::Go
        }
    }

    #[cold]
    fn release_waiting(&mut self, visitor: &mut impl Visitor) -> Flow {
        self.has_waiting = false;
        let annotations = || {
            let events = self.waiting.game().events();
            events.filter_map(|event| match event {
                Event::Annotation(annotation) => Some(annotation),
                _ => None,
            })
        };
        let best = |placement: CommentPlacement| {
            let has = |language: &&Language| {
                annotations().any(|other| comment_in(&other, **language, placement))
            };
            self.languages.iter().find(has).copied()
        };
        let before = best(CommentPlacement::Before);
        let after = best(CommentPlacement::After);
        for annotation in annotations() {
            let chosen = match &annotation {
                Annotation::Comment(comment) if comment.placement == CommentPlacement::Before => {
                    before
                }
                _ => after,
            };
            let own = language(&annotation);
            if own.is_none() || own == chosen {
                if let Some(language) = own {
                    *self.chosen.entry(language).or_default() += 1;
                }
                let flow = visitor.visit_annotation(annotation);
                if flow != Flow::Go {
                    return flow;
                }
            } else if let Some(language) = own {
                *self.left_out.entry(language).or_default() += 1;
            }
        }
        Flow::Go
    }
}

/// The language of a comment.
fn language(annotation: &Annotation<'_>) -> Option<Language> {
    match annotation {
        Annotation::Comment(comment) => comment.language,
        _ => None,
    }
}

fn comment_in(
    annotation: &Annotation<'_>,
    language: Language,
    placement: CommentPlacement,
) -> bool {
    matches!(
        annotation,
        Annotation::Comment(comment)
            if comment.language == Some(language) && comment.placement == placement
    )
}
