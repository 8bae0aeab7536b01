//! The moments of a game: at which positions the terms of each list hold together, and what that makes
//! of steps and groups.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::game::{Annotation, ClockKind, GameHead};

use super::answer::Answer;
use super::worth_looking_at::{Bounds, WorthLookingAt};
use crate::fold_case::fold;
use crate::language::{
    AnyOf, Check, Fact, Flip, Inputs, Item, Later, List, Moment, MomentTerm, Note, PlayedMoves,
};
use crate::language::{Query, STILL_GIVEN, Scope, Term, Test, What, balance};

/// With more sets of occupied squares than this, all positions are looked at.
const MOST_OCCUPIED: usize = 8;

/// A position of a game that fits a query, and the move played from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMoment {
    /// The line: 0 for the mainline, or the number of the variation, from 1 in PGN order.
    pub line: u32,
    /// Plies before it.
    pub ply: u32,
    /// The position.
    pub position: Position,
    /// The move played from it; `None` at the end of the line.
    pub played: Option<Ply>,
}

/// The terms that hold together at one position.
#[derive(Debug, Clone)]
struct Segment {
    /// The number of its first term.
    first: usize,
    scope: Scope,
    /// The position itself, and mirror images that count as well.
    images: Vec<Image>,
    /// Where the terms hold, as far as known at the position itself.
    hits: Vec<Hit>,
}

/// The terms of a segment as they are asked of a position or of its mirror image.
#[derive(Debug, Clone)]
struct Image {
    /// Terms that material, pawns or the pieces on some squares decide.
    steady: Vec<(bool, MomentTerm)>,
    /// All other terms.
    tests: Vec<(bool, MomentTerm)>,
    /// Terms that are decided at the end of the game.
    later: Vec<(bool, MomentTerm)>,
    /// Whether a term is about the move that is played.
    is_of_move: bool,
    bounds: Bounds,
    /// What decides whether a later position may fit; with what decides the steady terms.
    limits: Inputs,
    inputs: Inputs,
    /// The answers to these two for the position that was looked at last.
    steady_hold: bool,
    is_possible: bool,
}

#[derive(Debug, Clone, Copy)]
struct Hit {
    line: u32,
    ply: u32,
    turn: Color,
    /// A bit for each image that holds.
    images: u8,
}

/// The mainline or a variation.
#[derive(Debug, Clone, Default)]
struct LineState {
    parent: u32,
    /// Plies before its first position.
    start: u32,
    /// Moves visited, those before the line included.
    ply: u32,
    last: Option<(Position, Option<Ply>)>,
    /// The value of `ply` when `last` was noted.
    noted_at: u32,
    /// What may have changed since the last position that was looked at.
    changed: Inputs,
    /// What the last ply may have changed.
    last_change: Inputs,
    /// White's material minus Black's at each position.
    balances: Vec<i32>,
    keys: Vec<u64>,
    is_mate: bool,
    has_hits: bool,
    /// Its first position was counted as one of its parent.
    shares_first: bool,
}

impl LineState {
    /// Notes the last ply and the position before it.
    #[inline]
    fn note_last(&mut self, before: &Position, ply: Ply) {
        self.noted_at = self.ply;
        match &mut self.last {
            Some((position, last)) => {
                position.clone_from(before);
                *last = Some(ply);
            }
            last => *last = Some((before.clone(), Some(ply))),
        }
    }
}

/// What the terms ask for beyond positions.
#[derive(Debug, Clone, Copy, Default)]
struct Wanted {
    balances: bool,
    keys: bool,
    texts: bool,
    notes: bool,
    variations: bool,
}

/// The moments of the game being visited.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    segments: Vec<Segment>,
    wanted: Wanted,
    /// One position that fits decides.
    is_simple: bool,
    /// The positions that are looked at; `None` if something is noted of each.
    worth: Option<WorthLookingAt>,
    /// Whether positions that fit are kept.
    keep: bool,
    kept: Vec<FoundMoment>,
    lines: Vec<LineState>,
    /// The lines that are open, the mainline first.
    open: Vec<u32>,
    /// Line and ply of annotations.
    facts: Vec<(u32, u32, Fact)>,
    occurrences: HashMap<u64, u32>,
    /// The groups that must not hold and do, by their address in the query.
    held: Vec<usize>,
}

/// What the positions so far decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// The only position asked for.
    Moment,
    /// No later position can fit.
    Never,
}

impl Moments {
    pub(super) fn new(query: &Query) -> Self {
        let mut segments = Vec::new();
        collect(query.any_of(), Scope::Mainline, &mut segments);
        let mut wanted = Wanted::default();
        for segment in &segments {
            wanted.variations |= segment.scope != Scope::Mainline;
            let images = segment.images.iter();
            let terms = images.flat_map(|image| image.tests.iter().chain(&image.later));
            for (_, term) in terms {
                for (_, check) in &term.values {
                    match check {
                        Check::Repeats(_) => wanted.keys = true,
                        Check::Later(Later::Sacrifice(_)) => wanted.balances = true,
                        Check::Later(Later::Note(note)) => {
                            wanted.notes = true;
                            wanted.texts |= matches!(note, Note::Text(_));
                        }
                        _ => {}
                    }
                }
            }
        }
        let is_simple = match query.any_of().0.as_slice() {
            [list] => list.0.iter().all(|item| match &item.what {
                What::Term(term) => match &term.test {
                    Test::For(_) | Test::Within(_) => false,
                    Test::Moment(term) => !term.is_later(),
                    _ => true,
                },
                What::Group(group) => !group.has_moment(),
                What::Step { .. } => false,
            }),
            _ => false,
        };
        let images = segments.iter().flat_map(|segment| &segment.images);
        let inputs = images.clone().map(|image| {
            let tests = image.tests.iter().flat_map(|(_, term)| &term.values);
            let inputs = tests.map(|(_, check)| check.inputs());
            inputs.fold(image.inputs, Inputs::and)
        });
        let inputs = inputs.fold(Inputs::default(), Inputs::and);
        let limits = images.clone().map(|image| image.limits);
        let limits = limits.fold(Inputs::default(), Inputs::and);
        let bounds = images.clone().map(|image| image.bounds).collect();
        let played_moves = images.clone().map(Image::played_moves);
        let played_moves = played_moves.fold(PlayedMoves::NEVER, PlayedMoves::or);
        let occupied: Option<Vec<_>> = images.clone().map(Image::occupied).collect();
        let occupied: Vec<u64> = occupied.unwrap_or_default().concat();
        let mut needs_move = images.map(|image| {
            let mut tests = image.tests.iter().filter(|(negated, _)| !negated);
            tests.any(|(_, term)| term.values.iter().all(|(_, check)| check.asks_for_move()))
        });
        let looks_at_last = !needs_move.all(|needs_move| needs_move);
        let is_simple = is_simple && !wanted.variations;
        let is_empty = segments.is_empty();
        let is_noted = wanted.balances || wanted.keys || wanted.notes;
        Self {
            segments,
            worth: (is_simple && !is_noted && !is_empty).then_some(WorthLookingAt {
                inputs,
                limits,
                any_of: bounds,
                played_moves: if looks_at_last {
                    PlayedMoves::ANY
                } else {
                    played_moves
                },
                occupied: if occupied.len() > MOST_OCCUPIED {
                    Vec::new()
                } else {
                    occupied
                },
                last: looks_at_last,
            }),
            is_simple,
            wanted,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) fn keep_positions(&mut self) {
        self.keep = true;
        self.worth = None;
    }

    pub(super) fn begin(&mut self, head: &GameHead) {
        for segment in &mut self.segments {
            segment.hits.clear();
        }
        self.kept.clear();
        self.facts.clear();
        self.occurrences.clear();
        self.open.clear();
        self.open.push(0);
        self.lines.truncate(1);
        let last = head.first_position().map(|position| (position, None));
        match self.lines.first_mut() {
            Some(line) => {
                (line.ply, line.noted_at) = (0, 0);
                line.last = last;
                (line.changed, line.last_change) = (Inputs::ALL, Inputs::ALL);
                line.balances.clear();
                line.keys.clear();
                (line.is_mate, line.has_hits) = (false, false);
            }
            None => self.lines.push(LineState {
                last,
                changed: Inputs::ALL,
                last_change: Inputs::ALL,
                ..LineState::default()
            }),
        }
    }

    /// Passes over a position and the move played from it, if it does not fit and this is certain without
    /// looking at it.
    #[inline]
    pub(super) fn passes_over(&mut self, before: &Position, ply: Ply) -> bool {
        let Some(worth) = &self.worth else {
            return false;
        };
        let Some(line) = self.lines.first_mut() else {
            return false;
        };
        if self.open.len() != 1 || worth.has([line.changed, line.last_change], before, ply) {
            return false;
        }
        line.ply += 1;
        let next = Inputs::changed_by(before, ply);
        if worth.has_after(next, before, ply) {
            line.note_last(before, ply);
        }
        // What was not looked at has to be when the next position is.
        line.changed = line.changed.and(next);
        line.last_change = next;
        true
    }

    /// Looks at a position and the move played from it.
    #[inline(never)]
    pub(super) fn visit_move(&mut self, before: &Position, ply: Ply) -> Seen {
        if self.worth.is_none() {
            return self.visit_tracked(before, ply);
        }
        if self.open.len() != 1 {
            return Seen::Nothing;
        }
        let seen = self.look(0, before, Some(ply));
        let next = Inputs::changed_by(before, ply);
        if let (Some(line), Some(worth)) = (self.lines.first_mut(), &self.worth) {
            (line.changed, line.last_change) = (next, next);
            if worth.has_after(next, before, ply) {
                line.note_last(before, ply);
            }
        }
        seen
    }

    fn visit_tracked(&mut self, before: &Position, ply: Ply) -> Seen {
        let Some(number) = self
            .open
            .last()
            .copied()
            .filter(|line| self.is_tracked(*line))
        else {
            return Seen::Nothing;
        };
        if let Some(line) = self.lines.get_mut(number as usize) {
            line.note_last(before, ply);
        }
        let seen = self.look(number, before, Some(ply));
        if let Some(line) = self.lines.get_mut(number as usize)
            && !self.wanted.variations
        {
            line.changed = Inputs::changed_by(before, ply);
        }
        seen
    }

    fn is_tracked(&self, line: u32) -> bool {
        line == 0 || self.wanted.variations
    }

    pub(super) fn begin_variation(&mut self) {
        if !self.wanted.variations {
            self.open.push(u32::MAX);
            return;
        }
        let parent = self.open.last().copied().unwrap_or_default();
        let before = self.lines.get(parent as usize);
        // It replaces the last move of its parent.
        let start = before.map_or(0, |line| line.ply.saturating_sub(1).max(line.start));
        let position = before.and_then(|line| line.last.as_ref());
        let last = position.map(|(position, _)| (position.clone(), None));
        let shares_first = before.is_some_and(|line| line.ply > line.start);
        if let Some((position, _)) = &last
            && self.wanted.keys
            && shares_first
            && let Some(count) = self.occurrences.get_mut(&position.key())
        {
            // It is counted again when a move is played from it.
            *count = count.saturating_sub(1);
        }
        self.open.push(self.lines.len() as u32);
        self.lines.push(LineState {
            parent,
            start,
            ply: start,
            last,
            changed: Inputs::ALL,
            last_change: Inputs::ALL,
            shares_first,
            ..LineState::default()
        });
    }

    pub(super) fn end_variation(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let Some(number) = self.open.pop().filter(|line| self.is_tracked(*line)) else {
            return;
        };
        self.end_line(number);
        let Some(line) = self.lines.get_mut(number as usize) else {
            return;
        };
        let first = line.keys.first().copied().filter(|_| line.shares_first);
        for key in line.keys.drain(..) {
            if let Some(count) = self.occurrences.get_mut(&key) {
                *count = count.saturating_sub(1);
            }
        }
        if let Some(key) = first
            && let Some(count) = self.occurrences.get_mut(&key)
        {
            *count += 1;
        }
    }

    /// Looks at the last position of a line.
    fn end_line(&mut self, number: u32) {
        if let Some(worth) = &self.worth {
            let line = self.lines.get(number as usize);
            // The last position that was noted may be an earlier one.
            let is_noted = line.is_some_and(|line| line.noted_at == line.ply);
            if !worth.last || !is_noted {
                return;
            }
        }
        let line = self.lines.get_mut(number as usize);
        if let Some((mut position, ply)) = line.and_then(|line| line.last.take()) {
            if let Some(ply) = ply {
                position.play_ply(ply);
            }
            if self.wanted.balances
                && let Some(line) = self.lines.get_mut(number as usize)
            {
                line.is_mate = position.is_checkmate();
            }
            let _ = self.look(number, &position, None);
        }
    }

    /// Notes an annotation of the last move, or of the line before its first.
    pub(super) fn visit_annotation(&mut self, annotation: &Annotation<'_>) {
        if !self.wanted.notes {
            return;
        }
        let Some(number) = self
            .open
            .last()
            .copied()
            .filter(|line| self.is_tracked(*line))
        else {
            return;
        };
        let fact = match annotation {
            Annotation::Comment(comment) if self.wanted.texts => Fact::Text(fold(comment.text)),
            Annotation::Nag(nag) => Fact::Nag(nag.0),
            Annotation::Medals(bits) => Fact::Medals(*bits),
            Annotation::Eval(eval) => Fact::Eval(eval.score),
            Annotation::Clock(clock) if clock.kind == ClockKind::Remaining => {
                Fact::Clock(i64::try_from(clock.time.as_millis()).unwrap_or(i64::MAX))
            }
            _ => return,
        };
        let Some(line) = self.lines.get(number as usize) else {
            return;
        };
        let ply = match fact {
            Fact::Eval(_) => line.ply,
            _ => line.ply.saturating_sub(1).max(line.start),
        };
        self.facts.push((number, ply, fact));
    }

    /// Whether the game is decided on by positions, and none was found.
    pub(super) fn has_none(&self) -> bool {
        self.is_simple && self.segments.iter().any(|segment| segment.hits.is_empty())
    }

    fn look(&mut self, number: u32, position: &Position, played: Option<Ply>) -> Seen {
        let Some(line) = self.lines.get_mut(number as usize) else {
            return Seen::Nothing;
        };
        let mut moment = Moment {
            ply: line.ply,
            position,
            played,
            occurrences: 1,
        };
        if self.wanted.balances {
            line.balances.push(balance(position));
        }
        if self.wanted.keys {
            let key = position.key();
            line.keys.push(key);
            let count = self.occurrences.entry(key).or_default();
            *count += 1;
            moment.occurrences = *count;
        }
        if played.is_some() {
            line.ply += 1;
        }
        let changed = line.changed;
        // The position where a variation branches off is one of its parent; only the move is its own.
        let is_shared = line.shares_first && moment.ply == line.start;
        let (mut found, mut possible) = (false, !self.is_simple);
        for segment in &mut self.segments {
            if !segment.scope.has(number) {
                continue;
            }
            let asks_move_only = is_shared && segment.scope == Scope::Variations;
            let mut images = 0;
            let mut is_possible = false;
            for (index, image) in segment.images.iter_mut().enumerate() {
                if changed.overlap(image.inputs) {
                    image.look(moment);
                }
                is_possible |= image.is_possible;
                let is_asked = !asks_move_only || image.is_of_move;
                let holds = is_asked && image.steady_hold && hold(&image.tests, moment);
                images |= u8::from(holds) << index;
            }
            possible |= is_possible || !segment.hits.is_empty();
            if images != 0 {
                segment.hits.push(Hit {
                    line: number,
                    ply: moment.ply,
                    turn: position.turn(),
                    images,
                });
                found = true;
            }
        }
        if found {
            line.has_hits = true;
        }
        if found && self.keep {
            self.kept.push(FoundMoment {
                line: number,
                ply: moment.ply,
                position: position.clone(),
                played,
            });
        }
        match (found, possible) {
            (true, _) if self.is_simple => Seen::Moment,
            (false, false) => Seen::Never,
            _ => Seen::Nothing,
        }
    }

    /// Looks at the last positions of the lines that are open, and decides what was left open.
    pub(super) fn end(&mut self) {
        while self.open.len() > 1 {
            self.end_variation();
        }
        self.end_line(0);
        self.facts.sort_by_key(|(line, ply, _)| (*line, *ply));
        let (lines, facts) = (&self.lines, &self.facts);
        for segment in &mut self.segments {
            if segment.images.iter().any(|image| !image.later.is_empty()) {
                let images = &segment.images;
                segment.hits.retain(|hit| {
                    images.iter().enumerate().any(|(index, image)| {
                        let is_hit = hit.images >> index & 1 != 0;
                        is_hit
                            && image
                                .later
                                .iter()
                                .all(|test| holds_later(test, hit, lines, facts))
                    })
                });
            }
            segment.hits.sort_by_key(|hit| (hit.line, hit.ply));
        }
    }

    /// Whether the game fits, from the answers to the terms about the game, and line and ply of the first
    /// moments, one for each step.
    pub(super) fn conclude(
        &mut self,
        any_of: &AnyOf,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Vec<(u32, u32)>> {
        if self.wanted.variations {
            self.held.clear();
            self.note_held_groups(any_of, answer);
        }
        self.first_line(any_of, answer)
    }

    /// The first line on which the alternatives hold.
    fn first_line(
        &self,
        any_of: &AnyOf,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Vec<(u32, u32)>> {
        for (number, line) in self.lines.iter().enumerate() {
            // Without moments of its own a line fits no more than the one that it leaves.
            if number > 0 && !line.has_hits {
                continue;
            }
            let path = Path::to(self, number as u32);
            if let Some(plies) = path.conclude(any_of, answer) {
                return Some(
                    plies
                        .into_iter()
                        .map(|ply| (path.line_at(ply), ply))
                        .collect(),
                );
            }
        }
        None
    }

    /// Notes the negated groups that hold on some line, inner ones first.
    fn note_held_groups(&mut self, any_of: &AnyOf, answer: &dyn Fn(&Term) -> Answer) {
        for item in any_of.0.iter().flat_map(|list| &list.0) {
            if let What::Group(group) = &item.what {
                self.note_held_groups(group, answer);
                if item.negated && self.first_line(group, answer).is_some() {
                    self.held.push(address(group));
                }
            }
        }
    }

    /// The kept positions at some lines and plies.
    pub(super) fn found(&self, moments: &[(u32, u32)]) -> Vec<FoundMoment> {
        let at = |&(line, ply): &(u32, u32)| {
            let mut kept = self.kept.iter();
            kept.find(|moment| (moment.line, moment.ply) == (line, ply))
        };
        moments.iter().filter_map(at).cloned().collect()
    }
}

/// Which group it is.
fn address(group: &AnyOf) -> usize {
    std::ptr::from_ref(group).addr()
}

/// Whether a term that is decided at the end holds at a moment.
fn holds_later(
    (negated, term): &(bool, MomentTerm),
    hit: &Hit,
    lines: &[LineState],
    facts: &[(u32, u32, Fact)],
) -> bool {
    let fits = |check: &Check| match check {
        Check::Later(Later::Sacrifice(test)) => {
            let Some(line) = lines.get(hit.line as usize) else {
                return false;
            };
            let from = hit.ply.saturating_sub(line.start) as usize;
            let balances = line.balances.get(from..).unwrap_or_default();
            let last = balances.len().saturating_sub(1);
            // After an odd number of plies the mover made the last move.
            let mates = line.is_mate && last % 2 == 1;
            let end = (STILL_GIVEN as usize + 1).min(balances.len());
            let is_over = end == balances.len();
            let balances = balances.get(..end).unwrap_or_default();
            test.fits(hit.turn, balances, mates && is_over)
        }
        Check::Later(Later::Note(note)) => {
            let (mut line, ply) = (hit.line, hit.ply);
            // The first position of a variation is one of the line that it leaves.
            while note.is_about_position()
                && let Some(state) = lines.get(line as usize)
                && line != 0
                && ply == state.start
            {
                line = state.parent;
            }
            let from = facts.partition_point(|(l, p, _)| (*l, *p) < (line, ply));
            let facts = facts.get(from..).unwrap_or_default().iter();
            facts
                .take_while(|(l, p, _)| (*l, *p) == (line, ply))
                .any(|(_, _, fact)| note.fits(fact))
        }
        _ => false,
    };
    term.values.iter().any(|(_, check)| fits(check)) != *negated
}

/// The positions from the start of the game to the end of a line.
struct Path<'m> {
    moments: &'m Moments,
    /// Lines and the plies that belong to them, the last line first.
    parts: Vec<(u32, Range<u32>)>,
    /// The chains of groups that were asked for on their own, by their addresses.
    known: RefCell<HashMap<usize, Option<Chains>>>,
}

/// Plies of moments, those of each step after those of the step before; sorted by the last, which differs.
type Chains = Vec<Vec<u32>>;

/// What the first moment of items has to follow.
#[derive(Clone, Copy)]
struct Before<'c> {
    chains: &'c [Vec<u32>],
    /// The most plies between.
    most: u32,
}

impl<'m> Path<'m> {
    fn to(moments: &'m Moments, line: u32) -> Self {
        let mut parts = Vec::new();
        let (mut line, mut end) = (line, u32::MAX);
        loop {
            let state = moments.lines.get(line as usize);
            let start = state.map_or(0, |state| state.start);
            parts.push((line, start.min(end)..end));
            if line == 0 {
                return Self {
                    moments,
                    parts,
                    known: RefCell::default(),
                };
            }
            end = start.min(end);
            line = state.map_or(0, |state| state.parent);
        }
    }

    /// The line that a ply belongs to.
    fn line_at(&self, ply: u32) -> u32 {
        let part = self.parts.iter().find(|(_, plies)| plies.contains(&ply));
        part.map_or(0, |(line, _)| *line)
    }

    /// The plies at which the terms of a segment hold.
    fn hits(&self, segment: &Segment) -> Vec<u32> {
        if let [(0, _)] = self.parts.as_slice() {
            let mainline = segment.hits.iter().take_while(|hit| hit.line == 0);
            return mainline.map(|hit| hit.ply).collect();
        }
        let mut plies = Vec::new();
        for (line, range) in self.parts.iter().rev() {
            let at = |hit: &Hit, ply| (hit.line, hit.ply) < (*line, ply);
            let from = segment.hits.partition_point(|hit| at(hit, range.start));
            let to = segment.hits.partition_point(|hit| at(hit, range.end));
            let hits = segment.hits.get(from..to).unwrap_or_default();
            plies.extend(hits.iter().map(|hit| hit.ply));
        }
        plies
    }

    /// Whether alternatives hold, and the plies of the first moments.
    fn conclude(&self, any_of: &AnyOf, answer: &dyn Fn(&Term) -> Answer) -> Option<Vec<u32>> {
        let mut best: Option<Vec<u32>> = None;
        for list in &any_of.0 {
            if let Some(chains) = self.list(list, None, answer) {
                let first = chains.into_iter().next().unwrap_or_default();
                let is_better = best.as_ref().is_none_or(|best| {
                    !first.is_empty() && (best.is_empty() || first.last() < best.last())
                });
                if is_better {
                    best = Some(first);
                }
            }
        }
        any_of.0.is_empty().then(Vec::new).or(best)
    }

    /// The chains of moments of a list, which continue those of `before`; a list without moments has none. `None`
    /// if the list does not hold, or not after `before`.
    fn list(
        &self,
        list: &List,
        before: Option<Before<'_>>,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Chains> {
        let mut chains: Option<Chains> = None;
        let mut next = None;
        let mut parts = list.0.split(|item| matches!(item.what, What::Step { .. }));
        let mut steps = list.0.iter().filter_map(|item| match item.what {
            What::Step { next } => Some(next),
            _ => None,
        });
        loop {
            let Some(part) = parts.next() else {
                return Some(chains.unwrap_or_default());
            };
            let within = part.iter().find_map(|item| match &item.what {
                What::Term(term) => match term.test {
                    Test::Within(count) => Some(count),
                    _ => None,
                },
                _ => None,
            });
            let before = if let (Some(chains), Some(is_next)) = (&chains, next) {
                let most = if is_next {
                    1
                } else {
                    within.unwrap_or(u32::MAX)
                };
                Some(Before { chains, most })
            } else {
                before
            };
            chains = Some(self.part(part, before, answer)?);
            next = steps.next();
        }
    }

    /// The chains of moments of the items between two steps. `None` if they do not hold, or at no moment after
    /// `before`.
    fn part(
        &self,
        items: &[Item],
        before: Option<Before<'_>>,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Chains> {
        let mut own = None;
        let mut groups: Vec<&AnyOf> = Vec::new();
        for item in items {
            match &item.what {
                What::Term(term) if matches!(term.test, Test::Moment(_)) => {
                    let mut segments = self.moments.segments.iter();
                    own = own.or_else(|| segments.find(|other| other.first == term.number));
                }
                What::Term(term) if term.test.is_about_moment() => {}
                What::Term(term) => {
                    if answer(term).negate_if(item.negated) != Answer::Yes {
                        return None;
                    }
                }
                What::Group(group) if item.negated => {
                    let holds = if self.moments.wanted.variations {
                        self.moments.held.contains(&address(group))
                    } else {
                        self.conclude(group, answer).is_some()
                    };
                    if holds {
                        return None;
                    }
                }
                What::Group(group) => groups.push(group),
                What::Step { .. } => {}
            }
        }
        let Some(segment) = own else {
            let chains = match groups.as_slice() {
                [] => Vec::new(),
                [group] => self.group(group, before, answer)?,
                groups => self.several_groups(groups, before, answer)?,
            };
            return (before.is_none() || !chains.is_empty()).then_some(chains);
        };
        for group in groups {
            let _ = self.group_alone(group, answer)?;
        }
        let length = items.iter().find_map(|item| match &item.what {
            What::Term(term) => match term.test {
                Test::For(length) => Some(length),
                _ => None,
            },
            _ => None,
        });
        let length = length.unwrap_or(1) as usize;
        let hits = self.hits(segment);
        let starts = hits.iter().enumerate().filter(|(index, ply)| {
            let last = hits.get(index + length - 1);
            last.is_some_and(|last| (*last - **ply) as usize == length - 1)
        });
        let starts = starts.map(|(_, ply)| *ply);
        let found: Chains = match before {
            Some(before) => join(before, starts),
            None => starts.map(|ply| vec![ply]).collect(),
        };
        (!found.is_empty()).then_some(found)
    }

    /// The chains of moments of groups that hold together: the moment is that of the last of them.
    fn several_groups(
        &self,
        groups: &[&AnyOf],
        before: Option<Before<'_>>,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Chains> {
        let alone = groups.iter().map(|group| self.group_alone(group, answer));
        let alone: Vec<Chains> = alone.collect::<Option<_>>()?;
        let first = |chains: &Chains| last_of(chains.first());
        let least = alone.iter().map(first).max().unwrap_or_default();
        let mut all: Chains = if before.is_none() {
            alone.into_iter().flatten().collect()
        } else {
            let after = groups
                .iter()
                .filter_map(|group| self.group(group, before, answer));
            after.flatten().collect()
        };
        all.retain(|chain| last_of(Some(chain)) >= least);
        Some(sorted(all))
    }

    /// The chains of moments of a group, whatever comes before; found once.
    fn group_alone(&self, group: &AnyOf, answer: &dyn Fn(&Term) -> Answer) -> Option<Chains> {
        let known = self.known.borrow().get(&address(group)).cloned();
        known.unwrap_or_else(|| {
            let chains = self.group(group, None, answer);
            let mut known = self.known.borrow_mut();
            known.insert(address(group), chains.clone());
            chains
        })
    }

    /// The chains of moments of a group.
    fn group(
        &self,
        group: &AnyOf,
        before: Option<Before<'_>>,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Chains> {
        let mut all: Option<Chains> = None;
        for list in &group.0 {
            if let Some(chains) = self.list(list, before, answer) {
                all.get_or_insert_default().extend(chains);
            }
        }
        all.map(sorted)
    }
}

/// Of several chains that lead to the same moment the first is taken.
fn sorted(mut chains: Chains) -> Chains {
    chains.sort_by_key(|chain| last_of(Some(chain)));
    chains.dedup_by_key(|chain| last_of(Some(chain)));
    chains
}

fn last_of(chain: Option<&Vec<u32>>) -> u32 {
    chain
        .and_then(|chain| chain.last())
        .copied()
        .unwrap_or_default()
}

/// The chains continued by the moments that follow one of them; each by the first that it follows.
fn join(before: Before<'_>, moments: impl Iterator<Item = u32>) -> Chains {
    let mut joined = Vec::new();
    let mut from = 0;
    for ply in moments {
        let skipped = before.chains.get(from..).unwrap_or_default();
        from +=
            skipped.partition_point(|chain| last_of(Some(chain)).saturating_add(before.most) < ply);
        if let Some(start) = before.chains.get(from)
            && last_of(Some(start)) < ply
        {
            let mut whole = start.clone();
            whole.push(ply);
            joined.push(whole);
        }
    }
    joined
}

/// Collects the segments of a query: for each list, the terms about moments between two steps.
fn collect(any_of: &AnyOf, outer: Scope, segments: &mut Vec<Segment>) {
    for list in &any_of.0 {
        let mut scopes = list.0.iter().filter_map(|item| match &item.what {
            What::Term(term) => match term.test {
                Test::In(scope) => Some(scope),
                _ => None,
            },
            _ => None,
        });
        let scope = scopes.next_back().unwrap_or(outer);
        for part in list.0.split(|item| matches!(item.what, What::Step { .. })) {
            let mut tests: Vec<(bool, MomentTerm)> = Vec::new();
            let (mut first, mut flips) = (None, (false, false));
            for item in part {
                match &item.what {
                    What::Term(term) => match &term.test {
                        Test::Moment(test) => {
                            first = first.or(Some(term.number));
                            tests.push((item.negated, test.clone()));
                        }
                        Test::Flip(kinds) => {
                            flips.0 |= kinds.contains(&Flip::Color);
                            flips.1 |= kinds.contains(&Flip::Files);
                        }
                        _ => {}
                    },
                    What::Group(group) => collect(group, scope, segments),
                    What::Step { .. } => {}
                }
            }
            let Some(first) = first else {
                continue;
            };
            let images = [(false, false), (true, false), (false, true), (true, true)];
            let images = images
                .into_iter()
                .filter(|(color, files)| (flips.0 || !color) && (flips.1 || !files))
                .map(|(color, files)| Image::new(&tests, color, files));
            segments.push(Segment {
                first,
                scope,
                images: images.collect(),
                hits: Vec::new(),
            });
        }
    }
}

impl Image {
    fn new(tests: &[(bool, MomentTerm)], color: bool, files: bool) -> Self {
        let mirrored = tests
            .iter()
            .map(|(negated, term)| (*negated, term.mirror(color, files)));
        let (later, tests): (Vec<_>, Vec<_>) = mirrored.partition(|(_, term)| term.is_later());
        // A term with one value limits the positions that fit.
        let only = tests
            .iter()
            .filter_map(|(negated, term)| match term.values.as_slice() {
                [(_, check)] if !negated => Some(check),
                _ => None,
            });
        let mut bounds = Bounds {
            least_men: 0,
            most_men: u32::MAX - 1,
            home_pawns: [0; 2],
        };
        for check in only {
            bounds.least_men = bounds.least_men.max(check.least_men());
            bounds.most_men = bounds.most_men.min(check.most_men());
            let [white, black] = check.home_pawns();
            bounds.home_pawns[0] |= white;
            bounds.home_pawns[1] |= black;
        }
        let inputs = |(_, term): &(bool, MomentTerm)| {
            let checks = term.values.iter().map(|(_, check)| check.inputs());
            checks.fold(Inputs::default(), Inputs::and)
        };
        let (mut tests, mut steady): (Vec<_>, Vec<_>) = tests
            .into_iter()
            .partition(|test| inputs(test) == Inputs::ALL);
        let cost = |(_, term): &(bool, MomentTerm)| {
            let checks = term.values.iter();
            checks.map(|(_, check)| check.cost()).max()
        };
        tests.sort_by_key(cost);
        steady.sort_by_key(cost);
        let mut limits = Inputs::default();
        if bounds.least_men > 2 {
            limits = limits.and(Inputs::MATERIAL);
        }
        if bounds.home_pawns != [0; 2] {
            limits = limits.and(Inputs::PAWNS);
        }
        let is_of_move = !later.is_empty()
            || tests
                .iter()
                .flat_map(|(_, term)| &term.values)
                .any(|(_, check)| check.asks_for_move());
        let decided_by = limits.and(Inputs::ONCE);
        let decided_by = steady.iter().map(inputs).fold(decided_by, Inputs::and);
        Self {
            steady,
            tests,
            later,
            is_of_move,
            bounds,
            limits,
            inputs: decided_by,
            steady_hold: false,
            is_possible: false,
        }
    }

    /// The moves with which a position may fit.
    fn played_moves(&self) -> PlayedMoves {
        let tests = self.tests.iter().filter(|(negated, _)| !negated);
        let of_tests = tests.map(|(_, term)| {
            let moves = term.values.iter().map(|(_, check)| check.played_moves());
            moves.fold(PlayedMoves::NEVER, PlayedMoves::or)
        });
        of_tests.fold(PlayedMoves::ANY, PlayedMoves::and)
    }

    /// The occupied squares of the positions that may fit, if they are known.
    fn occupied(&self) -> Option<Vec<u64>> {
        let mut tests = self.tests.iter().filter(|(negated, _)| !negated);
        tests.find_map(|(_, term)| {
            let values = term.values.iter();
            values.map(|(_, check)| check.occupied()).collect()
        })
    }

    /// Asks the steady terms again.
    #[inline(never)]
    fn look(&mut self, moment: Moment<'_>) {
        let position = moment.position;
        self.is_possible = self.bounds.may_come(position);
        self.steady_hold = self.is_possible && hold(&self.steady, moment);
    }
}

/// Whether terms hold at a moment.
fn hold(tests: &[(bool, MomentTerm)], moment: Moment<'_>) -> bool {
    tests
        .iter()
        .all(|(negated, term)| term.values.iter().any(|(_, check)| check.fits(moment)) != *negated)
}
