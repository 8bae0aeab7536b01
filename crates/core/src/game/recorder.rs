//! The visitor that fills an owned game.

use std::borrow::BorrowMut;

use super::game::{Game, Token};
use crate::chess::{Ply, Position};
use crate::error::{GameIndex, Problem};
use crate::game::{Annotation, Flow, GameHead, GameResult, Visitor};

/// The visitor that writes a [`Game`]: its own, or that of someone else. Call `begin_game` first; a
/// game that was skipped or cut short is closed properly by `end_game`.
#[derive(Debug, Default)]
pub struct Recorder<G = Game> {
    game: G,
    /// Places of the `BeginVariation` tokens that wait for their end.
    open: Vec<u32>,
    problems: Vec<Problem>,
}

impl Recorder {
    /// A recorder with a game of its own, for recording one after another.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<'g> Recorder<&'g mut Game> {
    /// A recorder that fills an empty game.
    pub(super) const fn of(game: &'g mut Game) -> Self {
        Self {
            game,
            open: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl<G: BorrowMut<Game>> Recorder<G> {
    /// Takes the recorded game and goes on with `next`, whose buffers are reused.
    pub fn replace(&mut self, next: Game) -> Game {
        let mut next = next;
        next.clear();
        std::mem::replace(self.game.borrow_mut(), next)
    }

    /// The problems reported while recording, in order.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Takes the problems reported so far.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// The game as recorded so far.
    pub fn game(&self) -> &Game {
        self.game.borrow()
    }

    /// Appends a move without looking at it; for sources that have no position at hand.
    pub fn push_move(&mut self, ply: Ply) {
        self.game.borrow_mut().tape.push(match ply {
            Ply::Move(m) => Token::Move(m),
            Ply::Null => Token::Null,
        });
    }
}

impl<G: BorrowMut<Game>> Visitor for Recorder<G> {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        self.open.clear();
        let game = self.game.borrow_mut();
        game.clear_moves();
        game.head.clone_from(head);
        game.result = GameResult::default();
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, ply: Ply) -> Flow {
        self.push_move(ply);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let game = self.game.borrow_mut();
        let place = game.kept.add(annotation);
        game.tape.push(Token::Annotation(place));
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        let game = self.game.borrow_mut();
        self.open.push(game.tape.len() as u32);
        game.tape.push(Token::BeginVariation { end: u32::MAX });
        game.has_variations = true;
        Flow::Go
    }

    fn end_variation(&mut self) {
        let Some(begin) = self.open.pop() else { return };
        let tape = &mut self.game.borrow_mut().tape;
        let end = tape.len() as u32;
        tape.push(Token::EndVariation);
        if let Some(token) = tape.get_mut(begin as usize) {
            *token = Token::BeginVariation { end };
        }
    }

    fn end_game(&mut self, result: GameResult) {
        while !self.open.is_empty() {
            self.end_variation();
        }
        self.game.borrow_mut().result = result;
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
    }
}
