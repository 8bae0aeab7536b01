//! Chooses among comments in several languages.

use std::collections::BTreeMap;

use tabia_core::GameIndex;
use tabia_core::game::{
    Annotation, CommentPlacement, Event, Flow, GameHead, Language, Recorder, TextKind, Training,
    Visitor,
};

/// Hands annotations on, and of the comments on one move only those in one language: the first of the
/// list that is among them. Comments without a language are for all readers and always pass. Of the texts of training
/// questions and of guiding texts pass those in the first language of the list that is among them, and all if none is.
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

    /// The training question with the texts that are chosen; `None` for other annotations.
    pub(crate) fn reduced_training(&self, annotation: &Annotation<'_>) -> Option<Training> {
        let Annotation::Training(training) = annotation else {
            return None;
        };
        if self.passes_all() {
            return None;
        }
        let mut training = (*training).clone();
        reduce_training(&self.languages, &mut training);
        Some(training)
    }

    /// Whether the annotation waits for the others of its move.
    pub(crate) fn holds(&mut self, annotation: &Annotation<'_>) -> bool {
        if self.passes_all() {
            return false;
        }
        if !self.has_waiting {
            let is_text = matches!(annotation, Annotation::Text(_));
            if !is_text && language(annotation).is_none() {
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
        let texts = annotations().filter_map(|other| match other {
            Annotation::Text(part) if part.kind != TextKind::File => Some(part.language),
            _ => None,
        });
        let text = first_of(&self.languages, &texts.collect::<Vec<_>>());
        for annotation in annotations() {
            let chosen = match &annotation {
                Annotation::Comment(comment) if comment.placement == CommentPlacement::Before => {
                    before
                }
                _ => after,
            };
            if let Annotation::Text(part) = &annotation
                && part.kind != TextKind::File
                && text.is_some_and(|text| part.language != text && part.language != ANY)
            {
                continue;
            }
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

/// ChessBase's number of a text for readers of all languages.
const ANY: u16 = 7;

/// The languages that have a number in training questions and guiding texts, from 0.
const NUMBERED: [[u8; 2]; 7] = [*b"en", *b"de", *b"fr", *b"es", *b"it", *b"nl", *b"pt"];

/// The first of the languages that is among the numbers.
fn first_of(languages: &[Language], numbers: &[u16]) -> Option<u16> {
    let number = |language: &Language| {
        let letters = language.letters()?;
        let number = NUMBERED.iter().position(|other| *other == letters)?;
        u16::try_from(number).ok()
    };
    let mut wanted = languages.iter().filter_map(number);
    wanted.find(|number| numbers.contains(number))
}

/// Leaves out the texts of a training question in other languages than the first that it has.
fn reduce_training(languages: &[Language], training: &mut Training) {
    // All fields are named, so that a new one is decided on here.
    let Training {
        question,
        wrong,
        first_help,
        second_help,
        solutions,
        choices,
        ..
    } = training;
    let own = [question, wrong, first_help, second_help].into_iter();
    let comments = solutions.iter_mut().map(|solution| &mut solution.comments);
    let choices = choices
        .iter_mut()
        .flat_map(|choice| [&mut choice.answer, &mut choice.reply]);
    for texts in own.chain(comments).chain(choices) {
        let numbers: Vec<u16> = texts.iter().map(|text| text.language).collect();
        if let Some(chosen) = first_of(languages, &numbers) {
            texts.retain(|text| text.language == chosen || text.language == ANY);
        }
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
