//! The order in which databases that are not written like PGN have what is said of a move.

use tabia_core::game::Event;

/// What is said of a move stands before its variations; games may have some of it behind them.
pub(crate) fn remarks_first(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut open = Vec::new();
    // The first variation since the last move of the line.
    let mut variation: Option<usize> = None;
    let mut is_sorted = true;
    let mut keyed: Vec<(usize, Event<'_>)> = Vec::with_capacity(events.len());
    for (place, event) in events.into_iter().enumerate() {
        let mut key = 2 * place + 1;
        match event {
            Event::Move(_) => variation = None,
            Event::BeginVariation => {
                variation.get_or_insert(place);
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
