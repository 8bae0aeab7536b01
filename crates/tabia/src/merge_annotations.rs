//! Games of an input that become others on their way: with the annotations of their duplicates, or replaced.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::Ply;
use tabia_core::game::{Annotation, Event, Game, GameResult, Recorder, Training, Visitor};
use tabia_core::loss::Losses;

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

/// Variations in this many others are not merged with each other, but added unless they are the same.
const MAX_DEPTH: u32 = 32;

/// A move of a line and what follows it, up to the next one.
#[derive(Default)]
struct Slot<'g> {
    /// `None` before the first move.
    ply: Option<Ply>,
    /// In their order.
    items: Vec<Item<'g>>,
}

enum Item<'g> {
    Annotation(Annotation<'g>),
    /// The events of a variation, without its begin and end.
    Variation(Vec<Event<'g>>),
}

impl<'g> Slot<'g> {
    fn annotations(&self) -> impl Iterator<Item = Annotation<'g>> {
        self.items.iter().filter_map(|item| match item {
            Item::Annotation(annotation) => Some(*annotation),
            Item::Variation(_) => None,
        })
    }

    fn variations(&self) -> impl Iterator<Item = &[Event<'g>]> {
        self.items.iter().filter_map(|item| match item {
            Item::Annotation(_) => None,
            Item::Variation(events) => Some(&**events),
        })
    }

    /// Number of the items before the first variation.
    fn before_variations(&self) -> usize {
        let is_variation = |item: &Item<'_>| matches!(item, Item::Variation(_));
        let first = self.items.iter().position(is_variation);
        first.unwrap_or(self.items.len())
    }

    /// The annotations at the move, and the comments after its variations: everything else belongs to the move wherever
    /// it is.
    fn annotations_before_and_after(&self) -> (Vec<Annotation<'g>>, Vec<Annotation<'g>>) {
        let before = self.before_variations();
        let mut annotations = self.annotations();
        let mut at_move: Vec<Annotation<'g>> = annotations.by_ref().take(before).collect();
        let (comments, others): (Vec<_>, Vec<_>) =
            annotations.partition(|annotation| matches!(annotation, Annotation::Comment(_)));
        at_move.extend(others);
        (at_move, comments)
    }
}

fn slots<'g>(events: impl Iterator<Item = Event<'g>>) -> Vec<Slot<'g>> {
    let mut slots = vec![Slot::default()];
    let mut depth = 0_u32;
    for event in events {
        let is_inside = depth > 0;
        match event {
            Event::BeginVariation => depth += 1,
            Event::EndVariation => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !is_inside && let Event::Move(ply) = event {
            slots.push(Slot {
                ply: Some(ply),
                items: Vec::new(),
            });
            continue;
        }
        let Some(slot) = slots.last_mut() else {
            continue;
        };
        match (event, slot.items.last_mut()) {
            // Of the variation itself.
            (Event::EndVariation, _) if depth == 0 => {}
            (event, Some(Item::Variation(events))) if is_inside => events.push(event),
            (Event::BeginVariation, _) => slot.items.push(Item::Variation(Vec::new())),
            (Event::Annotation(annotation), _) => slot.items.push(Item::Annotation(annotation)),
            _ => {}
        }
    }
    slots
}

/// The moves of a line, without its variations.
fn plies(events: &[Event<'_>]) -> Vec<Ply> {
    let slots = slots(events.iter().copied());
    slots.iter().filter_map(|slot| slot.ply).collect()
}

/// For each of `others` the number of the variation among `own` that it is merged with: the one with the same moves,
/// or one that is longer or shorter.
fn partners(own: &[&[Event<'_>]], others: &[&[Event<'_>]]) -> Vec<Option<usize>> {
    let [own, others] = [own, others].map(|variations| {
        let lines = variations.iter().map(|variation| plies(variation));
        lines.collect::<Vec<_>>()
    });
    let mut found = vec![None; others.len()];
    let mut is_taken = vec![false; own.len()];
    let is_same: fn(&[Ply], &[Ply]) -> bool = |own, other| own == other;
    let begins: fn(&[Ply], &[Ply]) -> bool = |own, other| {
        let both = !own.is_empty() && !other.is_empty();
        both && (own.starts_with(other) || other.starts_with(own))
    };
    for fits in [is_same, begins] {
        for (found, other) in found.iter_mut().zip(&others) {
            let free = own.iter().zip(&mut is_taken).enumerate();
            let mut fitting = free.filter(|(_, (own, is_taken))| !**is_taken && fits(own, other));
            if found.is_none()
                && let Some((number, (_, is_taken))) = fitting.next()
            {
                *is_taken = true;
                *found = Some(number);
            }
        }
    }
    found
}

/// A text with one blank between words, and at both ends.
fn words(text: &str) -> String {
    let mut out = " ".to_owned();
    for word in text.split_whitespace() {
        out.push_str(word);
        out.push(' ');
    }
    out
}

/// Whether comments at a move have the text of another one, in whatever language: databases lose languages, and join
/// comments.
fn has_text(annotations: &[Annotation<'_>], text: &str) -> bool {
    let mut joined = String::new();
    let mut is_any_empty = false;
    for annotation in annotations {
        if let Annotation::Comment(comment) = annotation {
            is_any_empty |= comment.text.trim().is_empty();
            joined.push_str(comment.text);
            joined.push(' ');
        }
    }
    match &*words(text) {
        " " => is_any_empty,
        text => words(&joined).contains(text),
    }
}

/// Whether a move that has these annotations has no use for another one. One that contradicts them is counted in
/// `left_out`: the kept game is right.
fn has(annotations: &[Annotation<'_>], other: &Annotation<'_>, left_out: &mut Losses) -> bool {
    if let Annotation::Comment(comment) = other {
        return has_text(annotations, comment.text);
    }
    if annotations.contains(other) {
        return true;
    }
    let contradicts = |annotation: &Annotation<'_>| match (annotation, other) {
        (Annotation::Clock(a), Annotation::Clock(b)) => a.kind == b.kind,
        (Annotation::Eval(_), Annotation::Eval(_))
        | (Annotation::EvalProfile(_), Annotation::EvalProfile(_)) => true,
        (Annotation::Training(a), Annotation::Training(b)) => {
            let texts = |training: &Training| -> Vec<String> {
                let question = training.question.iter();
                question.map(|part| part.text.clone()).collect()
            };
            texts(a) == texts(b)
        }
        _ => false,
    };
    if annotations.iter().any(contradicts) {
        left_out.add(other.feature(), 1, None);
        return true;
    }
    false
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

fn record_variation(recorder: &mut Recorder, events: &[Event<'_>]) {
    let _ = recorder.begin_variation();
    for event in events {
        record(recorder, event);
    }
    recorder.end_variation();
}

/// The events of slots, with their moves.
fn events<'g>(slots: &[Slot<'g>]) -> Vec<Event<'g>> {
    let mut out = Vec::new();
    for slot in slots {
        out.extend(slot.ply.map(Event::Move));
        for item in &slot.items {
            match item {
                Item::Annotation(annotation) => out.push(Event::Annotation(*annotation)),
                Item::Variation(events) => {
                    out.push(Event::BeginVariation);
                    out.extend_from_slice(events);
                    out.push(Event::EndVariation);
                }
            }
        }
    }
    out
}

/// The kept game with the annotations and variations of another as far as their moves are the same. If that goes on
/// where the kept game ends, this does too; else its rest becomes a variation if it has annotations.
pub fn merged(kept: &Game, other: &Game) -> Game {
    merge(kept, other, &mut Losses::new())
}

/// As [`merged`]; annotations of the other game that contradict those of the kept one are counted in `left_out`.
fn merge(kept: &Game, other: &Game, left_out: &mut Losses) -> Game {
    let mut recorder = Recorder::new();
    let _ = recorder.begin_game(GameIndex(0), &kept.head);
    let lines = [kept, other].map(|game| slots(game.events()));
    merge_lines(&lines, 0, &mut recorder, left_out);
    recorder.end_game(kept.result);
    let mut game = recorder.replace(Game::new());
    let (before, now) = (kept.ply_count(), game.ply_count());
    if now != before && kept.head.tags.get("PlyCount") == Some(before.to_string().as_str()) {
        game.head.tags.set("PlyCount", &now.to_string());
    }
    game
}

/// Records the first line with the annotations and variations of the second one. In a variation, at a `depth` of 1 or
/// more, the second line differs from the first one in its length only.
fn merge_lines(
    [own, others]: &[Vec<Slot<'_>>; 2],
    depth: u32,
    recorder: &mut Recorder,
    left_out: &mut Losses,
) {
    let common = own
        .iter()
        .zip(others)
        .take_while(|(own, other)| own.ply == other.ply)
        .count();
    let rest = others.get(common..).unwrap_or_default();
    let goes_on = common == own.len();
    let has_items = rest.iter().any(|slot| !slot.items.is_empty());
    for (number, slot) in own.iter().enumerate() {
        if let Some(ply) = slot.ply {
            recorder.push_move(ply);
        }
        let other = others.get(number).filter(|_| number < common);
        let mut variations: Vec<&[Event<'_>]> =
            other.into_iter().flat_map(Slot::variations).collect();
        let mut rest_of_game = Vec::new();
        // It replaces the move where the games differ.
        if depth == 0 && has_items && number == common && number > 0 {
            rest_of_game.extend(events(rest));
            variations.push(&rest_of_game);
        }
        merge_slots(slot, other, variations, depth, recorder, left_out);
    }
    if depth > 0 || goes_on {
        for event in events(rest) {
            record(recorder, &event);
        }
    }
}

/// Records what follows a move in the kept game, and what is new in the other one, which has these variations.
fn merge_slots(
    slot: &Slot<'_>,
    other: Option<&Slot<'_>>,
    mut other_variations: Vec<&[Event<'_>]>,
    depth: u32,
    recorder: &mut Recorder,
    left_out: &mut Losses,
) {
    let (at_move, after_variations) = other
        .map(Slot::annotations_before_and_after)
        .unwrap_or_default();
    let own: Vec<Annotation<'_>> = slot.annotations().collect();
    let own_variations: Vec<_> = slot.variations().collect();
    let partners = if depth < MAX_DEPTH {
        partners(&own_variations, &other_variations)
    } else {
        other_variations.retain(|other| !own_variations.contains(other));
        vec![None; other_variations.len()]
    };
    let before = slot.before_variations();
    let mut variation = 0;
    for number in 0..=slot.items.len() {
        if number == before {
            for annotation in &at_move {
                if !has(&own, annotation, left_out) {
                    let _ = recorder.visit_annotation(*annotation);
                }
            }
        }
        match slot.items.get(number) {
            Some(Item::Annotation(annotation)) => {
                let _ = recorder.visit_annotation(*annotation);
            }
            Some(Item::Variation(events)) => {
                let is_partner = |(_, partner): &(_, &Option<usize>)| **partner == Some(variation);
                let mut pairs = other_variations.iter().zip(&partners);
                match pairs.find(is_partner) {
                    Some((other, _)) => {
                        let lines = [&**events, other].map(|line| slots(line.iter().copied()));
                        let _ = recorder.begin_variation();
                        merge_lines(&lines, depth + 1, recorder, left_out);
                        recorder.end_variation();
                    }
                    None => record_variation(recorder, events),
                }
                variation += 1;
            }
            None => {}
        }
    }
    for (events, partner) in other_variations.iter().zip(&partners) {
        if partner.is_none() {
            record_variation(recorder, events);
        }
    }
    for annotation in &after_variations {
        if !has(&own, annotation, left_out) {
            let _ = recorder.visit_annotation(*annotation);
        }
    }
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

    /// The game that was recorded, with its new annotations; those that contradict its own ones are counted in `left_out`.
    pub(crate) fn end(&mut self, result: GameResult, left_out: &mut Losses) -> Option<Game> {
        let change = self.merges.0.get(&self.current.take()?)?;
        self.recorder.end_game(result);
        let others = match change {
            Change::Merge(others) => others,
            Change::Replace(game) => return Some((**game).clone()),
        };
        let mut game = self.recorder.replace(Game::new());
        for other in others {
            game = merge(&game, other, left_out);
        }
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::loss::Feature;

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
            // Where it goes on, the kept game does too.
            (
                "1. e4 e5 2. Nf3",
                "1. e4 e5 2. Nf3 Nc6 {x}",
                "1. e4 e5 2. Nf3 Nc6 {x}",
            ),
            (
                "1. e4 e5 {y} 2. Nf3 (2. d4)",
                "1. e4 e5 2. Nf3 Nc6 3. Bb5",
                "1. e4 e5 {y} 2. Nf3 (2. d4) 2... Nc6 3. Bb5",
            ),
            (
                "1. e4 {[%clk 0:01:00]}",
                "1. e4 {[%clk 0:02:00]}",
                "1. e4 {[%clk 0:01:00]}",
            ),
            // Databases join comments, and lose languages.
            ("1. e4 {A B} e5", "1. e4 {A} {B} e5", "1. e4 {A B} e5"),
            (
                "1. e4 {A} {B} e5",
                "1. e4 {A B} {C} e5",
                "1. e4 {A} {B} {C} e5",
            ),
            ("1. e4 {A B} e5", "1. e4 {A BC} e5", "1. e4 {A B} {A BC} e5"),
            (
                "1. e4 {[%lang en] X} e5",
                "1. e4 {X} e5",
                "1. e4 {[%lang en] X} e5",
            ),
            // A variation with the same moves is the same one, and a longer one its continuation.
            (
                "1. e4 ({[%cbvariation flags=1 red=1 green=2 blue=3]} 1. d4 d5) e5",
                "1. e4 (1. d4 $1 {x} d5 (1... f5)) e5",
                "1. e4 ({[%cbvariation flags=1 red=1 green=2 blue=3]} 1. d4 $1 {x} d5 (1... f5)) e5",
            ),
            (
                "1. e4 (1. d4) (1. c4 c5) e5",
                "1. e4 (1. c4 {y}) (1. d4 d5 {x}) e5",
                "1. e4 (1. d4 d5 {x}) (1. c4 {y} c5) e5",
            ),
        ] {
            let (kept, other, expected) = (game(kept), game(other), game(expected));
            assert_eq!(merged(&kept, &other), expected);
            assert_eq!(merged(&expected, &other), expected);
        }
    }

    #[test]
    fn deep_variations_are_no_problem() {
        let nested = |comment: &str| {
            let depth = 3000;
            let text = "1. e4 (".repeat(depth) + "1. d4 " + comment + &")".repeat(depth);
            game(&text)
        };
        let (kept, other) = (nested("{x}"), nested("{y}"));
        assert_eq!(merged(&kept, &kept), kept);
        assert_eq!(
            merged(&merged(&kept, &other), &other),
            merged(&kept, &other)
        );
    }

    #[test]
    fn contradicting_values_are_counted() {
        let mut left_out = Losses::new();
        let kept = game("1. e4 {[%eval 0.3][%clk 1:00:00]} e5 {[%eval 0.1]}");
        let other = game("1. e4 {[%eval 0.9][%clk 0:59:00]} e5 {[%eval 0.1]}");
        assert_eq!(merge(&kept, &other, &mut left_out), kept);
        assert_eq!(left_out.count(Feature::Evals), 1);
        assert_eq!(left_out.count(Feature::Clocks), 1);
    }
}
