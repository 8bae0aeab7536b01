//! The owned game: a flat tape of tokens, filled by a visitor and replayed to one.

use super::annotation_store::Kept;
use super::recorder::Recorder;
use crate::chess::{Move, Ply, Position};
use crate::error::GameIndex;
use crate::game::{Annotation, Flow, GameHead, GameResult, Visitor, Want};

/// An owned game: head, result and a tape of 8-byte tokens in PGN order. Reused from game to game
/// without allocation once its buffers have grown.
///
/// Two games are equal when head, result and every move, variation and annotation are equal, in
/// order. Moves are not checked here: they are those that a reader handed on.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// Tags, start and kind.
    pub head: GameHead,
    /// How it ended.
    pub result: GameResult,
    pub(super) tape: Vec<Token>,
    pub(super) has_variations: bool,
    pub(super) kept: Kept,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token {
    Move(Move),
    Null,
    /// The place of an annotation.
    Annotation(u32),
    /// `end` is the place of the matching `EndVariation` on the tape.
    BeginVariation {
        end: u32,
    },
    EndVariation,
}
const _: () = assert!(size_of::<Token>() == 8);

/// One step of a [`Game`], in PGN order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'g> {
    /// A move.
    Move(Ply),
    /// Something about the last move.
    Annotation(Annotation<'g>),
    /// An alternative to the last move begins.
    BeginVariation,
    /// The innermost variation ends.
    EndVariation,
}

impl Game {
    /// An empty game from the usual start.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the game, keeping its buffers.
    pub fn clear(&mut self) {
        self.head.clear();
        self.result = GameResult::default();
        self.clear_moves();
    }

    pub(super) fn clear_moves(&mut self) {
        self.tape.clear();
        self.has_variations = false;
        self.kept.clear();
    }

    /// Empties the game and returns a visitor that fills it.
    pub fn recorder(&mut self) -> Recorder<&mut Game> {
        self.clear();
        Recorder::of(self)
    }

    /// The moves, variations and annotations in PGN order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.tape.iter().map(|token| match *token {
            Token::Move(m) => Event::Move(Ply::Move(m)),
            Token::Null => Event::Move(Ply::Null),
            Token::Annotation(place) => Event::Annotation(self.kept.get(place)),
            Token::BeginVariation { .. } => Event::BeginVariation,
            Token::EndVariation => Event::EndVariation,
        })
    }

    /// The mainline's moves; variations are jumped over.
    #[inline]
    pub fn mainline(&self) -> impl Iterator<Item = Ply> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let token = *self.tape.get(at)?;
            at += 1;
            match token {
                Token::Move(m) => Some(Ply::Move(m)),
                other => self.next_ply(other, &mut at),
            }
        })
    }

    /// The next ply of the mainline from a token that is no move; `at` is behind it.
    #[cold]
    fn next_ply(&self, token: Token, at: &mut usize) -> Option<Ply> {
        let mut token = token;
        loop {
            match token {
                Token::Move(m) => return Some(Ply::Move(m)),
                Token::Null => return Some(Ply::Null),
                Token::BeginVariation { end } => *at = end as usize + 1,
                Token::Annotation(_) | Token::EndVariation => {}
            }
            token = *self.tape.get(*at)?;
            *at += 1;
        }
    }

    /// Number of plies in the mainline.
    pub fn ply_count(&self) -> usize {
        self.mainline().count()
    }

    /// Whether the game has variations.
    pub const fn has_variations(&self) -> bool {
        self.has_variations
    }

    /// Whether the game has annotations.
    pub fn has_annotations(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Visits this game as if it were read from a database.
    ///
    /// A start that cannot be played from has no positions to hand on: then only what stands
    /// before the first move is visited.
    pub fn replay(&self, index: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Flow {
        match visitor.begin_game(index, &self.head) {
            Flow::Go => {}
            Flow::Skip => {
                visitor.end_game(self.result);
                return Flow::Go;
            }
            Flow::Stop => return Flow::Stop,
        }
        if self.replay_moves(want, visitor) == Flow::Stop {
            return Flow::Stop;
        }
        visitor.end_game(self.result);
        Flow::Go
    }

    fn replay_moves(&self, want: Want, visitor: &mut dyn Visitor) -> Flow {
        let mut position = self.head.start.position();
        // The position before the last move, kept only where a variation needs it; the stack
        // holds it and the position after that move for every open variation.
        let mut before = position.clone();
        let mut open: Vec<(Option<Position>, Option<Position>)> = Vec::new();
        let mut at = 0;
        while let Some(token) = self.tape.get(at) {
            at += 1;
            let flow = match *token {
                Token::Move(_) | Token::Null => {
                    let ply = if let Token::Move(m) = *token {
                        Ply::Move(m)
                    } else {
                        Ply::Null
                    };
                    if open.is_empty() && !want.has(Want::MAINLINE) {
                        continue;
                    }
                    let Some(current) = &mut position else {
                        return Flow::Skip;
                    };
                    if self.variation_follows(at) {
                        before = Some(current.clone());
                    }
                    let flow = visitor.visit_move(current, ply);
                    current.play_ply(ply);
                    flow
                }
                Token::Annotation(place) => {
                    if !want.has(Want::ANNOTATIONS) {
                        continue;
                    }
                    visitor.visit_annotation(self.kept.get(place))
                }
                Token::BeginVariation { end } => {
                    let flow = if want.has(Want::VARIATIONS) {
                        visitor.begin_variation()
                    } else {
                        Flow::Skip
                    };
                    if flow == Flow::Skip {
                        at = end as usize + 1;
                        continue;
                    }
                    open.push((before.clone(), position.clone()));
                    position.clone_from(&before);
                    flow
                }
                Token::EndVariation => {
                    visitor.end_variation();
                    if let Some((outer_before, outer)) = open.pop() {
                        before = outer_before;
                        position = outer;
                    }
                    Flow::Go
                }
            };
            match flow {
                Flow::Go => {}
                other => return other,
            }
        }
        Flow::Go
    }

    /// Whether a variation begins at `at`, behind annotations.
    fn variation_follows(&self, at: usize) -> bool {
        self.tape
            .iter()
            .skip(at)
            .find(|token| !matches!(token, Token::Annotation(_)))
            .is_some_and(|token| matches!(token, Token::BeginVariation { .. }))
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head
            && self.result == other.result
            && self.tape == other.tape
            && self.events().eq(other.events())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Setup, san};
    use crate::game::{Comment, CommentPlacement, Nag};

    fn comment(text: &str) -> Annotation<'_> {
        Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text,
        })
    }

    /// Records `1. e4 e5 (1... c5 2. Nf3 (2. c3) 2... d6) 2. Nf3` with a word on some moves.
    fn sicilian() -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let mut line = vec![(Position::standard(), Position::standard())];
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        for step in "e4 !said e5 ( c5 !$1 Nf3 ( c3 ) d6 ) Nf3".split(' ') {
            let (before, now) = line.last_mut().unwrap();
            let flow = match step {
                "(" => {
                    let start = before.clone();
                    line.push((start.clone(), start));
                    recorder.begin_variation()
                }
                ")" => {
                    line.pop();
                    recorder.end_variation();
                    Flow::Go
                }
                "!said" => recorder.visit_annotation(comment("said")),
                "!$1" => recorder.visit_annotation(Annotation::Nag(Nag(1))),
                text => {
                    let ply = san::read(now, text.as_bytes()).unwrap();
                    before.clone_from(now);
                    now.play_ply(ply);
                    recorder.visit_move(before, ply)
                }
            };
            assert_eq!(flow, Flow::Go);
        }
        recorder.end_game(GameResult::Draw);
        game
    }

    /// Writes what it is shown, and checks that every move is legal where it is shown.
    #[derive(Default)]
    struct Shown(String);

    impl Visitor for Shown {
        fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
            let Ply::Move(m) = ply else {
                panic!("no null moves here")
            };
            assert!(before.is_legal(m), "{m} in {before:?}");
            let mut text = Vec::new();
            san::write(before, ply, &mut text);
            self.0 += std::str::from_utf8(&text).unwrap();
            self.0.push(' ');
            Flow::Go
        }

        fn begin_variation(&mut self) -> Flow {
            self.0 += "( ";
            Flow::Go
        }

        fn end_variation(&mut self) {
            self.0 += ") ";
        }

        fn end_game(&mut self, result: GameResult) {
            self.0 += result.pgn();
        }
    }

    #[test]
    fn replay_shows_what_was_recorded() {
        let game = sicilian();
        let mut copy = Game::new();
        assert_eq!(
            game.replay(GameIndex(0), Want::ALL, &mut copy.recorder()),
            Flow::Go
        );
        assert_eq!(copy, game);

        let mut shown = Shown::default();
        assert_eq!(game.replay(GameIndex(0), Want::ALL, &mut shown), Flow::Go);
        assert_eq!(shown.0, "e4 e5 ( c5 Nf3 ( c3 ) d6 ) Nf3 1/2-1/2");
        let mut mainline = Shown::default();
        assert_eq!(
            game.replay(GameIndex(0), Want::MAINLINE, &mut mainline),
            Flow::Go
        );
        assert_eq!(mainline.0, "e4 e5 Nf3 1/2-1/2");
        assert_eq!(game.ply_count(), 3);
        assert!(game.has_variations() && game.has_annotations());
    }

    #[test]
    fn equality_sees_annotations() {
        let mut other = sicilian();
        other.kept.clear();
        other.kept.add(comment("Said"));
        other.kept.add(Annotation::Nag(Nag(1)));
        assert_ne!(other, sicilian());
    }

    #[test]
    fn a_recorder_starts_clean_and_closes_what_is_open() {
        let mut game = sicilian();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        let _ = recorder.begin_variation();
        recorder.end_game(GameResult::Unknown);
        let events: Vec<_> = game.events().collect();
        assert_eq!(events, [Event::BeginVariation, Event::EndVariation]);
    }

    #[test]
    fn a_start_that_cannot_be_played_shows_no_moves() {
        let mut game = sicilian();
        game.head.start.setup = Some(Box::new(Setup::empty()));
        let mut shown = Shown::default();
        assert_eq!(game.replay(GameIndex(0), Want::ALL, &mut shown), Flow::Go);
        assert_eq!(shown.0, "1/2-1/2");
    }
}
