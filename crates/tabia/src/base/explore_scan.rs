//! Counting the games that reached a position by reading them.

use std::sync::Arc;

use tabia_core::chess::{HomePawns, Ply, Position};
use tabia_core::game::{Date, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::{GameIndex, Problem};
use tabia_index::{Row, is_same};

use crate::scan::Task;

/// The position that is asked about, and those after its moves.
#[derive(Debug)]
pub(super) struct Targets {
    position: Position,
    need: Need,
    /// Positions after a move, sorted by key.
    children: Vec<(u64, Position, Ply)>,
    /// What a game must have to reach one of them. A game that has what one of these needs is kept, so only those
    /// that need least are here.
    child_needs: Vec<Need>,
}

/// What a position has that no game gets back: men, and pawns on their start squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Need {
    men: u32,
    home_pawns: HomePawns,
}

impl Need {
    fn of(position: &Position) -> Self {
        Self {
            men: position.occupied().count(),
            home_pawns: HomePawns::of(position),
        }
    }

    /// Whether a game that has this may reach a position that needs `later`; `false` is certain.
    fn can_become(self, later: Self) -> bool {
        later.men <= self.men && self.home_pawns.can_become(later.home_pawns)
    }
}

impl Targets {
    /// All legal moves and the null move.
    pub(super) fn new(position: &Position) -> Self {
        let moves = position.legal_moves();
        let plies = moves.iter().map(|&m| Ply::Move(m)).chain([Ply::Null]);
        let mut children: Vec<_> = plies
            .map(|ply| {
                let after = position.after(ply);
                (after.key(), after, ply)
            })
            .collect();
        children.sort_by_key(|(key, ..)| *key);
        let mut child_needs: Vec<Need> = Vec::new();
        for (_, child, _) in &children {
            let need = Need::of(child);
            if !child_needs.iter().any(|known| need.can_become(*known)) {
                child_needs.retain(|known| !known.can_become(need));
                child_needs.push(need);
            }
        }
        Self {
            position: position.clone(),
            need: Need::of(position),
            children,
            child_needs,
        }
    }

    /// Whether a game may reach one of the positions from here on.
    fn are_in_reach(&self, from: &Position, arrived: Arrived) -> bool {
        let now = Need::of(from);
        (arrived == Arrived::Never && now.can_become(self.need))
            || self.child_needs.iter().any(|need| now.can_become(*need))
    }

    fn child(&self, position: &Position) -> Option<Ply> {
        let key = position.key();
        let first = self.children.partition_point(|(other, ..)| *other < key);
        let same = self.children.get(first..).unwrap_or_default();
        same.iter()
            .take_while(|(other, ..)| *other == key)
            .find(|(_, child, _)| is_same(child, position))
            .map(|(.., ply)| *ply)
    }
}

/// Whether a game reached the position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Arrived {
    /// It did not.
    #[default]
    Never,
    /// It did, and went on with this move first; `None` if it ended there.
    Then(Option<Ply>),
}

/// A game that reached the position or one after a move from it.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) row: Row,
    /// How it went on from the position.
    pub(super) arrived: Arrived,
    /// The moves of which it reached the position after.
    pub(super) children: Vec<Ply>,
    pub(super) names: Option<Box<[String; 3]>>,
}

/// Finds the position in the games that one thread reads.
#[derive(Debug)]
pub(super) struct ExploreTask {
    targets: Arc<Targets>,
    has_names: bool,
    game: GameIndex,
    ratings: [u16; 2],
    date: Date,
    deleted: bool,
    names: [String; 3],
    is_text: bool,
    /// Something of the game could not be read.
    has_problem: bool,
    last: Option<(Position, Option<Ply>)>,
    arrived: Arrived,
    children: Vec<Ply>,
    visits: Vec<Visit>,
}

impl ExploreTask {
    /// `has_names`: names are kept of games that arrive.
    pub(super) fn new(targets: &Arc<Targets>, has_names: bool) -> Self {
        Self {
            targets: Arc::clone(targets),
            has_names,
            game: GameIndex(0),
            ratings: [0; 2],
            date: Date::UNKNOWN,
            deleted: false,
            names: Default::default(),
            is_text: false,
            has_problem: false,
            last: None,
            arrived: Arrived::Never,
            children: Vec::new(),
            visits: Vec::new(),
        }
    }

    fn look(&mut self, position: &Position, played: Option<Ply>) {
        let targets = &self.targets;
        if self.arrived == Arrived::Never
            && position.key() == targets.position.key()
            && is_same(position, &targets.position)
        {
            self.arrived = Arrived::Then(played);
        }
        if let Some(child) = targets.child(position)
            && !self.children.contains(&child)
        {
            self.children.push(child);
        }
    }
}

impl Visitor for ExploreTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.is_text = head.kind == RecordKind::Text;
        if self.is_text {
            return Flow::Skip;
        }
        let tags = &head.tags;
        self.game = game;
        self.ratings = [tags.white_elo(), tags.black_elo()].map(Option::unwrap_or_default);
        self.date = tags.date().unwrap_or_default();
        self.deleted = head.deleted;
        if self.has_names {
            for (name, tag) in self.names.iter_mut().zip(["White", "Black", "Event"]) {
                let value = tags.text(tag);
                let known = if value == "?" { "" } else { value };
                known.clone_into(name);
            }
        }
        self.last = head.first_position().map(|position| (position, None));
        self.arrived = Arrived::Never;
        self.children.clear();
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        match &mut self.last {
            Some((position, last)) => {
                position.clone_from(before);
                *last = Some(ply);
            }
            last => *last = Some((before.clone(), Some(ply))),
        }
        self.look(before, Some(ply));
        if !self.targets.are_in_reach(before, self.arrived) {
            // What was taken does not come back, and no pawn returns.
            self.last = None;
            return Flow::Skip;
        }
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        if self.is_text {
            return;
        }
        let has_problem = std::mem::take(&mut self.has_problem);
        if let Some((mut position, ply)) = self.last.take() {
            if let Some(ply) = ply {
                position.play_ply(ply);
            }
            // Where a game ended whose moves could not be read is not known.
            if ply.is_some() || !has_problem {
                self.look(&position, None);
            }
        }
        if self.arrived == Arrived::Never && self.children.is_empty() {
            return;
        }
        let has_names = self.has_names && self.arrived != Arrived::Never;
        self.visits.push(Visit {
            row: Row::new(self.game, self.ratings, self.date, result, self.deleted),
            arrived: std::mem::take(&mut self.arrived),
            children: std::mem::take(&mut self.children),
            names: has_names.then(|| Box::new(self.names.clone())),
        });
    }
}

impl Task for ExploreTask {
    type Out = Vec<Visit>;

    fn swap(&mut self, out: &mut Vec<Visit>) {
        out.clear();
        std::mem::swap(&mut self.visits, out);
    }

    fn on_problem(&mut self, problem: &Problem) {
        // A game that cannot be read at all has one, too, and is not visited.
        let game = problem.error.location().game;
        self.has_problem |= game.is_none_or(|game| game == self.game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &[&str]) -> Position {
        let mut position = Position::standard();
        for text in line {
            let ply = tabia_core::chess::uci::read(&position, text.as_bytes()).unwrap();
            position.play_ply(ply);
        }
        position
    }

    #[test]
    fn a_game_is_left_when_it_can_reach_none_of_the_positions() {
        let targets = Targets::new(&after(&["e2e4"]));
        let reaches = |line: &[&str], arrived| targets.are_in_reach(&after(line), arrived);
        assert!(reaches(&[], Arrived::Never));
        // Another order of moves may lead there.
        assert!(reaches(&["e2e3"], Arrived::Never));
        assert!(!reaches(&["d2d4"], Arrived::Never));
        // The positions after the moves of the position are wanted as well.
        let there = Arrived::Then(None);
        assert!(reaches(&["e2e4", "c7c5"], there));
        assert!(reaches(&["e2e4", "g8f6", "g1f3", "f6g8"], there));
        assert!(!reaches(&["e2e4", "c7c5", "d2d4"], there));
        assert!(!reaches(&["e2e4", "c7c5", "g1f3", "d7d6"], there));
        // A capture is a move, too, but only one man goes with it.
        let targets = Targets::new(&after(&["e2e4", "d7d5"]));
        let taken = after(&["e2e4", "d7d5", "e4d5"]);
        assert!(targets.are_in_reach(&taken, there));
        let mut both = taken;
        both.play_ply(tabia_core::chess::uci::read(&both, b"d8d5").unwrap());
        assert!(!targets.are_in_reach(&both, there));
    }
}
