//! Games into records; runs on several threads.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

use tabia_core::chess::{Ply, Position};
use tabia_core::external::Partitions;
use tabia_core::game::{Flow, GameHead, GameResult, RecordKind, Tags, Visitor};
use tabia_core::{GameIndex, Problem};
use tabia_formats::books::kvetka;

use super::record::{Board, GameFacts, Occurrence, Outcome, Stored};
use crate::book::packed_position::Packed;
use crate::scan::Task;

/// What one piece of work gives.
#[derive(Debug)]
pub(super) struct Batch<S> {
    pub(super) occurrences: Partitions<S>,
    pub(super) boards: Partitions<Board>,
    pub(super) counts: GameCounts,
    pub(super) newest: u16,
}

impl<S> Default for Batch<S> {
    fn default() -> Self {
        Self {
            occurrences: Partitions::default(),
            boards: Partitions::default(),
            counts: GameCounts::default(),
            newest: 0,
        }
    }
}

/// What became of the games that were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameCounts {
    /// Games whose moves count.
    pub used: u64,
    /// Games that the filter left out.
    pub filtered: u64,
    /// Games left out because not all of their moves can be read.
    pub bad: u64,
    /// Moves noted.
    pub moves: u64,
}

impl GameCounts {
    pub(super) fn add(&mut self, other: GameCounts) {
        self.used += other.used;
        self.filtered += other.filtered;
        self.bad += other.bad;
        self.moves += other.moves;
    }
}

/// Counts positions roughly, never too few: shared by all threads.
#[derive(Debug)]
pub(super) struct Sketch {
    counters: Vec<AtomicU8>,
    enough: u8,
}

impl Sketch {
    /// `bits`: the number of counters as a power of two. `enough`: where counting ends.
    pub(super) fn new(bits: u32, enough: u64) -> Self {
        Self {
            counters: (0..1usize << bits).map(|_| AtomicU8::new(0)).collect(),
            enough: u8::try_from(enough).unwrap_or(u8::MAX),
        }
    }

    /// Counts a position; whether it may have come often enough by now.
    fn count(&self, key: u64) -> bool {
        let Some(counter) = self.counters.get(key as usize & (self.counters.len() - 1)) else {
            return true;
        };
        let before = counter.load(Ordering::Relaxed);
        if before >= self.enough {
            return true;
        }
        // Two threads may both count the last one, which only makes it more.
        counter.store(before + 1, Ordering::Relaxed);
        before + 1 >= self.enough
    }
}

/// What is noted of games.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Plies of each line.
    pub(super) max_ply: u32,
    /// The result is that of the tag, and games begin from the usual position.
    pub(super) polyglot: bool,
    /// Least ratings, as Kvetka's header has them.
    pub(super) least_elo: [u16; 4],
}

/// Positions whose boards were handed on lately.
const RECENT: usize = 1 << 17;

/// Turns the games it visits into records.
pub(super) struct Gather<'a, S> {
    rules: Rules,
    sketch: Option<&'a Sketch>,
    recent: Vec<u64>,
    occurrences: Vec<Occurrence>,
    boards: Vec<Board>,
    counts: GameCounts,
    newest: u16,
    facts: GameFacts,
    /// Where the records of this game begin.
    first: usize,
    passing: bool,
    bad: bool,
    tag_result: GameResult,
    /// Plies before the next move, in each open line.
    plies: Vec<u32>,
    /// The last move of the mainline and the position before it, when boards are wanted.
    last: Option<(Position, Ply)>,
    last_used: bool,
    stored: PhantomData<fn() -> S>,
}

impl<'a, S: Stored> Gather<'a, S> {
    pub(super) fn new(rules: Rules, sketch: Option<&'a Sketch>) -> Self {
        Self {
            rules,
            sketch,
            recent: vec![0; if sketch.is_some() { RECENT } else { 0 }],
            occurrences: Vec::new(),
            boards: Vec::new(),
            counts: GameCounts::default(),
            newest: 0,
            facts: GameFacts::default(),
            first: 0,
            passing: false,
            bad: false,
            tag_result: GameResult::Unknown,
            plies: Vec::new(),
            last: None,
            last_used: false,
            stored: PhantomData,
        }
    }

    fn note(&mut self, position: &Position, ply: Option<Ply>) {
        let m = match ply {
            Some(Ply::Move(m)) => Some(m),
            Some(Ply::Null) => return,
            None => None,
        };
        let key = position.key();
        let record = Occurrence::new(key, position.turn(), m, self.facts);
        self.occurrences.push(record);
        if let Some(sketch) = self.sketch
            && sketch.count(key)
        {
            let place = key as usize & (RECENT - 1);
            if let Some(recent) = self.recent.get_mut(place)
                && *recent != key
            {
                *recent = key;
                let packed = Packed::of(position);
                let boards = &mut self.boards;
                boards.extend(packed.map(|packed| Board { key, packed }));
            }
        }
    }

    /// Notes where the game ends or is cut off.
    fn note_end(&mut self) {
        if !std::mem::take(&mut self.last_used) {
            return;
        }
        if let Some((mut position, ply)) = self.last.take() {
            position.play_ply(ply);
            self.note(&position, None);
            self.last = Some((position, ply));
        }
    }
}

/// What the tag says.
pub(super) fn tagged_result(tags: &Tags) -> GameResult {
    GameResult::parse(tags.text("Result").trim().as_bytes()).unwrap_or_default()
}

impl<S: Stored> Visitor for Gather<'_, S> {
    fn begin_game(&mut self, _: GameIndex, head: &GameHead) -> Flow {
        self.passing = false;
        self.bad = false;
        self.last_used = false;
        self.first = self.occurrences.len();
        self.plies.clear();
        self.plies.push(0);
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        let tags = &head.tags;
        self.tag_result = tagged_result(tags);
        let [white, black] = [tags.white_elo(), tags.black_elo()].map(Option::unwrap_or_default);
        if !kvetka::admits(self.rules.least_elo, white, black) {
            self.counts.filtered += 1;
            return Flow::Skip;
        }
        if self.rules.polyglot && head.start.setup.is_some() {
            self.counts.bad += 1;
            return Flow::Skip;
        }
        self.passing = true;
        self.facts = GameFacts::new(tags.white_elo(), tags.black_elo(), tags.date());
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let in_mainline = self.plies.len() == 1;
        let Some(plies) = self.plies.last_mut() else {
            return Flow::Go;
        };
        *plies += 1;
        if *plies > self.rules.max_ply {
            // In a variation the rest of the game still counts.
            return if in_mainline { Flow::Skip } else { Flow::Go };
        }
        self.note(before, Some(ply));
        if in_mainline && self.sketch.is_some() {
            match &mut self.last {
                Some((position, last)) => {
                    position.clone_from(before);
                    *last = ply;
                }
                empty => *empty = Some((before.clone(), ply)),
            }
            self.last_used = true;
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        let plies = self.plies.last().map_or(0, |plies| plies.saturating_sub(1));
        self.plies.push(plies);
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.plies.pop();
    }

    fn end_game(&mut self, result: GameResult) {
        if !std::mem::take(&mut self.passing) {
            return;
        }
        if self.bad {
            self.counts.bad += 1;
            self.occurrences.truncate(self.first);
            return;
        }
        self.note_end();
        let result = if self.rules.polyglot {
            self.tag_result
        } else {
            result
        };
        let outcome = Outcome::of(result);
        let own = self.occurrences.get_mut(self.first..);
        for record in own.unwrap_or_default() {
            record.set_outcome(outcome);
            self.newest = self.newest.max(record.month());
            self.counts.moves += 1;
        }
        self.counts.used += 1;
    }
}

impl<S: Stored> Task for Gather<'_, S> {
    type Out = Batch<S>;

    fn swap(&mut self, out: &mut Batch<S>) {
        out.occurrences.fill(&self.occurrences, S::of);
        out.boards.fill(&self.boards, |board| board);
        out.counts = std::mem::take(&mut self.counts);
        out.newest = std::mem::take(&mut self.newest);
        self.occurrences.clear();
        self.boards.clear();
        self.first = 0;
    }

    fn on_problem(&mut self, problem: &Problem) {
        // Faults of tags have no ply; whatever has one may have cost moves.
        self.bad |= problem.error.location().ply.is_some();
    }
}
