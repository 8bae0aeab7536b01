//! The visitor that fills an owned game.

use std::ops::{Deref, DerefMut};

use super::tape::{Game, Token};
use crate::chess::{Ply, Position};
use crate::error::{GameIndex, Problem};
use crate::game::{Annotation, Flow, GameResult, Head, Visitor};

/// The visitor that writes a [`Game`]. Call `begin_game` first; a game that was skipped or cut
/// short is closed properly by `end_game`.
#[derive(Debug)]
pub struct Recorder<'g> {
    game: Held<'g>,
    /// Places of the `BeginVariation` tokens that wait for their end.
    open: Vec<u32>,
    problems: Vec<Problem>,
}

/// A game of someone else, or one's own.
#[derive(Debug)]
enum Held<'g> {
    Borrowed(&'g mut Game),
    Owned(Box<Game>),
}

impl Deref for Held<'_> {
    type Target = Game;

    fn deref(&self) -> &Game {
        match self {
            Self::Borrowed(game) => game,
            Self::Owned(game) => game,
        }
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Game {
        match self {
            Self::Borrowed(game) => game,
            Self::Owned(game) => game,
        }
    }
}

impl Recorder<'static> {
    /// A recorder with a game of its own, for recording one after another.
    pub fn new() -> Self {
        Self {
            game: Held::Owned(Box::default()),
            open: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl Default for Recorder<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'g> Recorder<'g> {
    /// A recorder that fills an empty game.
    pub(super) const fn of(game: &'g mut Game) -> Self {
        Self {
            game: Held::Borrowed(game),
            open: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Takes the recorded game and goes on with `next`, whose buffers are reused.
    pub fn replace(&mut self, next: Game) -> Game {
        let mut next = next;
        next.clear();
        std::mem::replace(&mut *self.game, next)
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
        &self.game
    }

    /// Appends a move without looking at it; for sources that have no position at hand.
    pub fn push_move(&mut self, ply: Ply) {
        self.game.tape.push(match ply {
            Ply::Move(m) => Token::Move(m),
            Ply::Null => Token::Null,
        });
    }
}

impl Visitor for Recorder<'_> {
    fn begin_game(&mut self, _game: GameIndex, head: &Head) -> Flow {
        self.open.clear();
        self.game.clear_moves();
        self.game.head.clone_from(head);
        self.game.result = GameResult::default();
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, ply: Ply) -> Flow {
        self.push_move(ply);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let place = self.game.kept.add(annotation);
        self.game.tape.push(Token::Annotation(place));
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.open.push(self.game.tape.len() as u32);
        self.game.tape.push(Token::BeginVariation { end: u32::MAX });
        Flow::Go
    }

    fn end_variation(&mut self) {
        let Some(begin) = self.open.pop() else { return };
        let end = self.game.tape.len() as u32;
        self.game.tape.push(Token::EndVariation);
        if let Some(token) = self.game.tape.get_mut(begin as usize) {
            *token = Token::BeginVariation { end };
        }
    }

    fn end_game(&mut self, result: GameResult) {
        while !self.open.is_empty() {
            self.end_variation();
        }
        self.game.result = result;
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
    }
}
