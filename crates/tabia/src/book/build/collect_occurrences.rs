//! Collects the occurrences of moves from games; runs on several threads.

use std::marker::PhantomData;

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::external::Partitions;
use tabia_core::game::{Flow, GameHead, GameResult, RecordKind, Tags, Visitor};
use tabia_core::{GameIndex, Problem};
use tabia_formats::books::kvetka;

use super::count_sketch::CountSketch;
use super::occurrence::{Board, GameFacts, Occurrence, Outcome, StoredOccurrence};
use crate::book::packed_position::Packed;
use crate::scan::Task;

/// What a thread collects before it hands it on.
#[derive(Debug)]
pub(super) struct Batch<S> {
    pub(super) occurrences: Partitions<S>,
    pub(super) boards: Partitions<Board>,
    pub(super) counts: GameCounts,
    pub(super) newest_month: u16,
}

impl<S> Default for Batch<S> {
    fn default() -> Self {
        Self {
            occurrences: Partitions::default(),
            boards: Partitions::default(),
            counts: GameCounts::default(),
            newest_month: 0,
        }
    }
}

/// Counts of the games that were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameCounts {
    /// Games whose moves count.
    pub used: u64,
    /// Games that the filter left out.
    pub filtered: u64,
    /// Games left out because not all of their moves can be read.
    pub bad: u64,
    /// Moves that count.
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

/// Plies after which a position can be the same as before.
const SHORTEST_REPEAT: usize = 4;
/// Plies that are looked at for each position, at most.
const LONGEST_SEARCH: usize = 500;

/// Which games and moves count.
#[derive(Debug, Clone, Copy)]
pub(super) struct CollectRules {
    /// Number of plies that count of each line.
    pub(super) max_ply: u32,
    /// As Polyglot does it: the result is that of the tag, and games with a setup position are bad.
    pub(super) polyglot: bool,
    /// Least ratings, as Kvetka's header has them.
    pub(super) least_elo: [u16; 4],
}

/// Turns the games it visits into occurrences.
pub(super) struct Collector<'a, S> {
    rules: CollectRules,
    occurrences: Vec<Occurrence>,
    boards: Option<BoardCollector<'a>>,
    counts: GameCounts,
    newest_month: u16,
    facts: GameFacts,
    /// Index of the first occurrence of the current game.
    first: usize,
    /// Whether the current game counts.
    counts_game: bool,
    /// Whether a move that counts cannot be read.
    is_bad: bool,
    /// Whether the current game has a problem of any kind.
    has_problem: bool,
    tag_result: GameResult,
    /// Number of plies visited in each open line.
    plies: Vec<u32>,
    /// Whether the occurrences of the current game are others than one for each ply of the mainline, or repeats are
    /// found at its end for another reason.
    has_gaps: bool,
    /// A buffer for the occurrences of a game by position.
    by_position: Vec<(u64, usize)>,
    stored: PhantomData<fn() -> S>,
}

impl<'a, S: StoredOccurrence> Collector<'a, S> {
    /// With a `sketch`, boards are collected too.
    pub(super) fn new(rules: CollectRules, sketch: Option<&'a CountSketch>) -> Self {
        Self {
            rules,
            occurrences: Vec::new(),
            boards: sketch.map(BoardCollector::new),
            counts: GameCounts::default(),
            newest_month: 0,
            facts: GameFacts::default(),
            first: 0,
            counts_game: false,
            is_bad: false,
            has_problem: false,
            tag_result: GameResult::Unknown,
            plies: Vec::new(),
            has_gaps: false,
            by_position: Vec::new(),
            stored: PhantomData,
        }
    }
}

impl<S> Collector<'_, S> {
    /// Marks the next position of the mainline if the mainline had it before; neither of the last `reversible` plies is a
    /// capture or moved a pawn, and a position before those is another.
    #[inline(always)]
    fn mark_if_repeated(&self, next: &mut Occurrence, reversible: usize) {
        if reversible >= SHORTEST_REPEAT && !self.has_gaps && !self.rules.polyglot {
            self.mark_if_found(next, reversible);
        }
    }

    /// [`mark_if_repeated`](Self::mark_if_repeated) if enough plies can be taken back. Not inlined, so that other moves
    /// save no registers for it.
    #[inline(never)]
    fn mark_if_found(&self, next: &mut Occurrence, reversible: usize) {
        let of_game = self.occurrences.get(self.first..).unwrap_or_default();
        let before = of_game.len().saturating_sub(reversible);
        let recent = of_game.get(before..).unwrap_or_default().iter().rev();
        // The same side is to move after an even number of plies, and two do not lead back.
        for known in recent.skip(SHORTEST_REPEAT - 1).step_by(2) {
            if known.key == next.key {
                next.set_repeat(known.move_bits() == next.move_bits());
            }
        }
    }

    /// Marks what the current game has again, so that it can be counted as one game; whatever the order of its moves.
    fn mark_repeats(&mut self) {
        let of_game = self.occurrences.get_mut(self.first..).unwrap_or_default();
        let numbered = of_game.iter().enumerate();
        self.by_position.clear();
        self.by_position
            .extend(numbered.map(|(number, occurrence)| (occurrence.key, number)));
        self.by_position.sort_unstable();
        let mut moves = Vec::new();
        for same in self.by_position.chunk_by(|a, b| a.0 == b.0) {
            if same.len() == 1 {
                continue;
            }
            moves.clear();
            for (_, number) in same {
                let Some(occurrence) = of_game.get_mut(*number) else {
                    continue;
                };
                let bits = occurrence.move_bits();
                let repeats_move = moves.contains(&bits);
                if !moves.is_empty() {
                    occurrence.set_repeat(repeats_move);
                }
                if !repeats_move {
                    moves.push(bits);
                }
            }
        }
    }
}

/// The result tag of a game.
pub(super) fn tagged_result(tags: &Tags) -> GameResult {
    GameResult::parse(tags.text("Result").trim().as_bytes()).unwrap_or_default()
}

impl<S: StoredOccurrence> Visitor for Collector<'_, S> {
    fn begin_game(&mut self, _: GameIndex, head: &GameHead) -> Flow {
        self.counts_game = false;
        self.is_bad = false;
        self.first = self.occurrences.len();
        self.plies.clear();
        self.plies.push(0);
        self.has_gaps = false;
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        let tags = &head.tags;
        // Finding and reading tags takes longer than reading a move: only those that are needed.
        if self.rules.polyglot {
            self.tag_result = tagged_result(tags);
        }
        if S::HAS_FACTS || self.rules.least_elo != [0; 4] {
            let (white, black) = (tags.white_elo(), tags.black_elo());
            let [known_white, known_black] = [white, black].map(Option::unwrap_or_default);
            if !kvetka::admits(self.rules.least_elo, known_white, known_black) {
                self.counts.filtered += 1;
                return Flow::Skip;
            }
            self.facts = GameFacts::new(white, black, tags.date());
        }
        if self.rules.polyglot && head.start.setup.is_some() {
            self.counts.bad += 1;
            return Flow::Skip;
        }
        self.counts_game = true;
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
        let played = match ply {
            Ply::Move(m) => Some(m),
            Ply::Null => None,
        };
        // Books that count the games of positions count the position before a null move as one in which a game ends.
        if played.is_some() || self.boards.is_some() && in_mainline {
            let mut occurrence = Occurrence::new(before.key(), before.turn(), played, self.facts);
            let reversible = usize::from(before.half_move_clock());
            // Longer searches are done once, by sorting.
            self.has_gaps |= reversible > LONGEST_SEARCH;
            self.mark_if_repeated(&mut occurrence, reversible);
            self.occurrences.push(occurrence);
        }
        // Occurrences are no longer one for each ply of the mainline.
        self.has_gaps |= played.is_none();
        if let Some(boards) = &mut self.boards {
            boards.visit(before, ply, in_mainline);
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        let plies = self.plies.last().map_or(0, |plies| plies.saturating_sub(1));
        self.plies.push(plies);
        self.has_gaps = true;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.plies.pop();
    }

    fn end_game(&mut self, result: GameResult) {
        let has_problem = std::mem::take(&mut self.has_problem);
        // Moves of other rules, or from a position that is none, are not even tried.
        self.is_bad |= has_problem && self.plies.first() == Some(&0);
        if !std::mem::take(&mut self.counts_game) {
            return;
        }
        if self.is_bad {
            self.counts.bad += 1;
            self.occurrences.truncate(self.first);
            if let Some(boards) = &mut self.boards {
                boards.discard_game();
            }
            return;
        }
        if let Some(boards) = &mut self.boards
            && let Some((key, turn)) = boards.end_game()
        {
            let mut end = Occurrence::new(key, turn, None, self.facts);
            self.mark_if_repeated(&mut end, usize::MAX);
            self.occurrences.push(end);
        }
        // Polyglot counts every one.
        if self.has_gaps && !self.rules.polyglot {
            self.mark_repeats();
        }
        let result = if self.rules.polyglot {
            self.tag_result
        } else {
            result
        };
        let outcome = Outcome::of(result);
        let of_game = self.occurrences.get_mut(self.first..).unwrap_or_default();
        // All have the date of the game.
        let month = of_game.first().map_or(0, |first| first.month());
        self.newest_month = self.newest_month.max(month);
        self.counts.moves += of_game.len() as u64;
        for occurrence in of_game {
            occurrence.set_outcome(outcome);
        }
        self.counts.used += 1;
    }
}

impl<S: StoredOccurrence> Task for Collector<'_, S> {
    type Out = Batch<S>;

    fn swap(&mut self, out: &mut Batch<S>) {
        out.occurrences.fill(&self.occurrences, S::of);
        out.counts = std::mem::take(&mut self.counts);
        out.newest_month = std::mem::take(&mut self.newest_month);
        self.occurrences.clear();
        if let Some(boards) = &mut self.boards {
            out.boards.fill(&boards.boards, |board| board);
            boards.boards.clear();
        }
        self.first = 0;
    }

    fn on_problem(&mut self, problem: &Problem) {
        // Problems of tags have no ply; those that have one may have cost moves. After the last ply
        // that counts they have not.
        self.has_problem = true;
        let counts_next = self.plies.last() < Some(&self.rules.max_ply);
        self.is_bad |= problem.error.location().ply.is_some() && counts_next;
    }
}

/// Number of positions that are counted together.
const BATCH: usize = 64;
/// Number of positions whose boards are remembered as handed on.
const RECENT: usize = 1 << 17;

/// Collects the boards of positions that may have come often enough.
struct BoardCollector<'a> {
    sketch: &'a CountSketch,
    boards: Vec<Board>,
    /// Positions of the current game.
    positions: Vec<Position>,
    /// How many of them, from the first, are counted.
    counted: usize,
    /// Index of the position before the last move of the mainline, and the move.
    last: Option<(usize, Ply)>,
    /// Keys of boards that were handed on recently.
    recent: Vec<u64>,
    keys: Vec<u64>,
    reached: Vec<bool>,
}

impl<'a> BoardCollector<'a> {
    fn new(sketch: &'a CountSketch) -> Self {
        Self {
            sketch,
            boards: Vec::new(),
            positions: Vec::with_capacity(BATCH),
            counted: 0,
            last: None,
            // No key belongs into the slot of which it is the complement.
            recent: (0..RECENT as u64).map(|slot| !slot).collect(),
            keys: Vec::with_capacity(BATCH),
            reached: Vec::with_capacity(BATCH),
        }
    }

    /// Not inlined: books without boards save no registers for it.
    #[inline(never)]
    fn visit(&mut self, before: &Position, ply: Ply, in_mainline: bool) {
        if self.positions.len() == BATCH {
            self.count();
            // Only the position before the last move is needed again.
            self.counted = 0;
            if let Some((index, _)) = &mut self.last {
                self.positions.swap(0, *index);
                (*index, self.counted) = (0, 1);
            }
            self.positions.truncate(self.counted);
        }
        if in_mainline {
            self.last = Some((self.positions.len(), ply));
        }
        // A null move is no move of the position, whose board is needed only for the end of the game.
        self.positions.push(before.clone());
    }

    /// Ends the game; key and side to move of the position in which it ends or is cut off. `None` if
    /// it has no moves.
    fn end_game(&mut self) -> Option<(u64, Color)> {
        let last = self.last.take();
        let end = last.and_then(|(index, ply)| {
            let mut position = self.positions.get(index)?.clone();
            position.play_ply(ply);
            let end = (position.key(), position.turn());
            self.positions.push(position);
            Some(end)
        });
        self.count();
        self.positions.clear();
        self.counted = 0;
        end
    }

    fn discard_game(&mut self) {
        self.positions.clear();
        self.counted = 0;
        self.last = None;
    }

    /// Counts the positions that are not counted yet, and collects the boards that may be needed.
    fn count(&mut self) {
        let positions = self.positions.get(self.counted..).unwrap_or_default();
        self.keys.clear();
        self.keys.extend(positions.iter().map(Position::key));
        self.sketch.count(&self.keys, &mut self.reached);
        for (position, reached) in positions.iter().zip(&self.reached) {
            let key = position.key();
            if *reached
                && let Some(recent) = self.recent.get_mut(key as usize & (RECENT - 1))
                && *recent != key
            {
                *recent = key;
                let packed = Packed::of(position);
                let board = packed.map(|packed| Board { key, packed });
                self.boards.extend(board);
            }
        }
    }
}
