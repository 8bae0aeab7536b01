//! The order of annotations in databases that store those of a move together.

use tabia_core::game::{Annotation, CommentPlacement, Event, Game};

/// Moves annotations that follow a move's variations to directly after the move; Scid and Scidb can
/// store them only there.
pub(crate) fn move_annotations_before_variations(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut open = Vec::new();
    // The index of the first variation since the last move of the line.
    let mut variation: Option<usize> = None;
    let mut is_sorted = true;
    let mut keyed: Vec<(usize, Event<'_>)> = Vec::with_capacity(events.len());
    for (index, event) in events.into_iter().enumerate() {
        let mut key = 2 * index + 1;
        match event {
            Event::Move(_) => variation = None,
            Event::BeginVariation => {
                variation.get_or_insert(index);
                open.push(variation.take());
            }
            Event::EndVariation => variation = open.pop().flatten(),
            Event::Annotation(_) => {
                if let Some(variation) = variation {
                    key = 2 * variation;
                    is_sorted = false;
                }
            }
        }
        keyed.push((key, event));
    }
    if !is_sorted {
        keyed.sort_by_key(|(key, _)| *key);
    }
    keyed.into_iter().map(|(_, event)| event).collect()
}

/// Whether an annotation follows a variation of its move.
pub(crate) fn has_annotations_after_variations(game: &Game) -> bool {
    let mut after_variation = false;
    game.events().any(|event| {
        let is_late = after_variation && matches!(event, Event::Annotation(_));
        after_variation = event == Event::EndVariation;
        is_late
    })
}

/// The number of comments that follow a variation of their move. Databases that store the annotations of a
/// move together have them before its variations.
pub(crate) fn comments_after_variations(game: &Game) -> u64 {
    let mut count = 0;
    // For each open line whether its last move has a variation with moves.
    let mut lines = vec![false];
    let mut is_empty = true;
    for event in game.events() {
        match event {
            Event::Move(_) => {
                is_empty = false;
                if let Some(has_variation) = lines.last_mut() {
                    *has_variation = false;
                }
            }
            Event::BeginVariation => {
                is_empty = true;
                lines.push(false);
            }
            Event::EndVariation => {
                lines.pop();
                if let Some(has_variation) = lines.last_mut() {
                    *has_variation |= !is_empty;
                }
                is_empty = false;
            }
            Event::Annotation(Annotation::Comment(comment)) => {
                let is_late = comment.placement == CommentPlacement::After
                    && !comment.text.is_empty()
                    && lines.last() == Some(&true);
                count += u64::from(is_late);
            }
            Event::Annotation(_) => {}
        }
    }
    count
}
