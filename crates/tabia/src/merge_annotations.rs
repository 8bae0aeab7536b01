//! Games of an input that become others on their way: with the annotations of their duplicates, or replaced.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::Ply;
use tabia_core::game::{Annotation, Event, Game, GameResult, Recorder, Visitor};

/// For games of an input the games whose annotations they get.
#[derive(Debug, Clone, Default)]
pub struct Merges(BTreeMap<u32, Change>);

/// What becomes of a game.
#[derive(Debug, Clone)]
enum Change {
    /// It gets the annotations of these.
    Merge(Vec<Game>),
    /// It is replaced.
    Replace(Box<Game>),
}

impl Merges {
    /// Number of games that get annotations.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no game gets annotations.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the annotations of `from` to those that a game gets.
    pub(crate) fn add(&mut self, game: GameIndex, from: Game) {
        let change = self.0.entry(game.0);
        if let Change::Merge(others) = change.or_insert_with(|| Change::Merge(Vec::new())) {
            others.push(from);
        }
    }

    /// Replaces a game by another one.
    pub(crate) fn replace(&mut self, game: GameIndex, by: Game) {
        self.0.insert(game.0, Change::Replace(Box::new(by)));
    }
}

/// A move of the mainline and what follows it, up to the next one.
#[derive(Default)]
struct Slot<'g> {
    /// `None` before the first move.
    ply: Option<Ply>,
    /// Annotations and variations, in their order.
    events: Vec<Event<'g>>,
    /// Number of the annotations before the first variation.
    before_variations: usize,
    annotations: Vec<Annotation<'g>>,
    variations: Vec<Vec<Event<'g>>>,
}

fn slots(game: &Game) -> Vec<Slot<'_>> {
    let mut slots = vec![Slot::default()];
    let mut depth = 0_u32;
    for event in game.events() {
        if depth == 0
            && let Event::Move(ply) = event
        {
            slots.push(Slot {
                ply: Some(ply),
                ..Slot::default()
            });
            continue;
        }
        let Some(slot) = slots.last_mut() else {
            continue;
        };
        slot.events.push(event);
        match event {
            Event::Annotation(annotation) if depth == 0 => {
                slot.annotations.push(annotation);
                if slot.variations.is_empty() {
                    slot.before_variations = slot.annotations.len();
                }
                continue;
            }
            Event::BeginVariation if depth == 0 => slot.variations.push(Vec::new()),
            _ => {}
        }
        if let Some(variation) = slot.variations.last_mut() {
            variation.push(event);
        }
        match event {
            Event::BeginVariation => depth += 1,
            Event::EndVariation => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    slots
}

/// Whether a move that has these annotations has no use for another one.
fn has(annotations: &[Annotation<'_>], other: &Annotation<'_>) -> bool {
    annotations
        .iter()
        .any(|annotation| match (annotation, other) {
            (Annotation::Comment(a), Annotation::Comment(b)) => {
                a.language == b.language && a.text.trim() == b.text.trim()
            }
            // Of two readings that contradict each other, that of the kept game is right.
            (Annotation::Clock(a), Annotation::Clock(b)) => a.kind == b.kind,
            (Annotation::Eval(_), Annotation::Eval(_))
            | (Annotation::EvalProfile(_), Annotation::EvalProfile(_)) => true,
            (a, b) => a == b,
        })
}

impl<'g> Slot<'g> {
    /// The annotations at the move, and the comments after its variations: everything else belongs to the move wherever
    /// it is.
    fn annotations_before_and_after(&self) -> (Vec<Annotation<'g>>, Vec<Annotation<'g>>) {
        let (before, after) = self
            .annotations
            .split_at_checked(self.before_variations)
            .unwrap_or((&self.annotations, &[]));
        let (comments, others): (Vec<_>, Vec<_>) = after
            .iter()
            .copied()
            .partition(|annotation| matches!(annotation, Annotation::Comment(_)));
        (before.iter().copied().chain(others).collect(), comments)
    }
}

fn record(recorder: &mut Recorder, event: &Event<'_>) {
    match event {
        Event::Move(ply) => recorder.push_move(*ply),
        Event::Annotation(annotation) => {
            let _ = recorder.visit_annotation(*annotation);
        }
        Event::BeginVariation => {
            let _ = recorder.begin_variation();
        }
        Event::EndVariation => recorder.end_variation(),
    }
}

/// The kept game with the annotations and variations of another as far as their moves are the same, and
/// the rest of the other as a variation if that has some too.
pub fn merged(kept: &Game, other: &Game) -> Game {
    let (own, others) = (slots(kept), slots(other));
    let common = own
        .iter()
        .zip(&others)
        .take_while(|(own, other)| own.ply == other.ply)
        .count();
    let rest = others.get(common..).unwrap_or_default();
    let rest = Some(rest).filter(|rest| rest.iter().any(|slot| !slot.events.is_empty()));
    // The variation replaces the move where the games differ, or repeats the last one of the kept game.
    let ends = common == own.len();
    let at = if ends {
        common.saturating_sub(1)
    } else {
        common
    };
    let mut recorder = Recorder::new();
    let _ = recorder.begin_game(GameIndex(0), &kept.head);
    for (number, slot) in own.iter().enumerate() {
        if let Some(ply) = slot.ply {
            recorder.push_move(ply);
        }
        let other = others.get(number).filter(|_| number < common);
        let (at_move, after_variations) = other
            .map(Slot::annotations_before_and_after)
            .unwrap_or_default();
        let is_new = |annotation: &&Annotation<'_>| !has(&slot.annotations, annotation);
        let (own_at_move, own_rest) = slot
            .events
            .split_at_checked(slot.before_variations)
            .unwrap_or((&slot.events, &[]));
        for event in own_at_move {
            record(&mut recorder, event);
        }
        for annotation in at_move.iter().filter(is_new) {
            let _ = recorder.visit_annotation(*annotation);
        }
        for event in own_rest {
            record(&mut recorder, event);
        }
        for variation in other.iter().flat_map(|other| &other.variations) {
            if !slot.variations.contains(variation) {
                for event in variation {
                    record(&mut recorder, event);
                }
            }
        }
        for annotation in after_variations.iter().filter(is_new) {
            let _ = recorder.visit_annotation(*annotation);
        }
        if let Some(rest) = rest.filter(|_| number == at && number > 0) {
            let _ = recorder.begin_variation();
            if let Some(ply) = slot.ply.filter(|_| ends) {
                recorder.push_move(ply);
            }
            for slot in rest {
                if let Some(ply) = slot.ply {
                    recorder.push_move(ply);
                }
                for event in &slot.events {
                    record(&mut recorder, event);
                }
            }
            recorder.end_variation();
        }
    }
    recorder.end_game(kept.result);
    recorder.replace(Game::new())
}

/// Records the games that get annotations, while games are handed on.
pub(crate) struct Merger {
    merges: Arc<Merges>,
    recorder: Recorder,
    /// The game that is recorded.
    current: Option<u32>,
}

impl Merger {
    pub(crate) fn new(merges: Arc<Merges>) -> Self {
        Self {
            merges,
            recorder: Recorder::new(),
            current: None,
        }
    }

    /// Begins a game with its number in the whole input; whether it is to be recorded.
    pub(crate) fn begin(&mut self, game: u32) {
        self.current = Some(game).filter(|game| self.merges.0.contains_key(game));
    }

    /// Where the game that is recorded goes.
    pub(crate) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.current.map(|_| &mut self.recorder)
    }

    /// The game that was recorded, with its new annotations.
    pub(crate) fn end(&mut self, result: GameResult) -> Option<Game> {
        let change = self.merges.0.get(&self.current.take()?)?;
        self.recorder.end_game(result);
        let others = match change {
            Change::Merge(others) => others,
            Change::Replace(game) => return Some((**game).clone()),
        };
        let mut game = self.recorder.replace(Game::new());
        for other in others {
            game = merged(&game, other);
        }
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(text: &str) -> Game {
        let text = format!("[Event \"?\"]\n\n{text} *\n\n");
        let input = crate::open_reader(std::io::Cursor::new(text)).unwrap();
        input.games().next().unwrap().unwrap()
    }

    #[test]
    fn annotations_are_added_once() {
        for (kept, other, expected) in [
            ("1. e4 {a} e5", "1. e4 {a} {b} e5 $1", "1. e4 {a} {b} e5 $1"),
            (
                "1. e4 (1. d4 d5) e5",
                "1. e4 (1. d4 d5) (1. c4) e5",
                "1. e4 (1. d4 d5) (1. c4) 1... e5",
            ),
            // A symbol is at its move, before the variations.
            (
                "1. e4 e5 2. Nf3 $2 (2. d4)",
                "1. e4 e5 2. Nf3 $1 {x} (2. Nc3) {y}",
                "1. e4 e5 2. Nf3 $2 $1 {x} (2. d4) (2. Nc3) {y}",
            ),
            // The rest of a game that differs is added if it has annotations.
            ("1. e4 e5 2. Nf3", "1. e4 e5 2. Nc3 Nf6", "1. e4 e5 2. Nf3"),
            (
                "1. e4 e5 2. Nf3",
                "1. e4 e5 2. Nc3 {x} Nf6",
                "1. e4 e5 2. Nf3 (2. Nc3 {x} Nf6)",
            ),
            (
                "1. e4 e5 2. Nf3",
                "1. e4 e5 2. Nf3 Nc6 {x}",
                "1. e4 e5 2. Nf3 (2. Nf3 Nc6 {x})",
            ),
            (
                "1. e4 {[%clk 0:01:00]}",
                "1. e4 {[%clk 0:02:00]}",
                "1. e4 {[%clk 0:01:00]}",
            ),
        ] {
            assert_eq!(
                merged(&game(kept), &game(other)),
                game(expected),
                "{kept} {other}"
            );
        }
    }
}
