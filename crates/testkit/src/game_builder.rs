//! [`GameBuilder`]: games from moves in SAN, comments, NAGs and other annotations.

use tabia_core::GameIndex;
use tabia_core::chess::{Position, Setup, san};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Game, GameHead, GameResult, Language, Nag, Recorder,
    Start, Visitor,
};

/// Builds a game from moves in SAN, comments and NAGs.
#[derive(Debug)]
pub struct GameBuilder {
    /// The head of the game; may be changed until the end.
    pub(crate) head: GameHead,
    recorder: Recorder,
    /// The position before the last move and the current one, for each open line.
    lines: Vec<(Position, Position)>,
}

impl GameBuilder {
    /// A game from the standard position.
    pub fn new() -> Self {
        Self::from_head(GameHead::default(), Position::standard())
    }

    /// A game from a setup position.
    ///
    /// # Panics
    /// If `fen` is not a legal position.
    pub fn from_fen(fen: &str) -> Self {
        let setup = Setup::parse_fen(fen.as_bytes()).expect("a FEN");
        let position = Position::from_setup(&setup).expect("a legal position");
        let start = Start {
            setup: Some(Box::new(setup)),
            chess960: false,
        };
        let mut head = GameHead::default();
        head.start = start;
        Self::from_head(head, position)
    }

    fn from_head(head: GameHead, position: Position) -> Self {
        let mut recorder = Recorder::new();
        let _ = recorder.begin_game(GameIndex(0), &head);
        Self {
            head,
            recorder,
            lines: vec![(position.clone(), position)],
        }
    }

    /// Adds a tag pair.
    pub fn tag(mut self, name: &str, value: &str) -> Self {
        self.head.tags.push(name, value);
        self
    }

    /// Adds moves in SAN, separated by blanks.
    ///
    /// # Panics
    /// If one of them is illegal.
    pub fn moves(mut self, text: &str) -> Self {
        for token in text.split_whitespace() {
            let (before, now) = self.lines.last_mut().expect("the mainline is open");
            let ply = san::read(now, token.as_bytes())
                .unwrap_or_else(|error| panic!("{token} in {}: {error:?}", now.fen()));
            before.clone_from(now);
            now.play_ply(ply);
            let _ = self.recorder.visit_move(before, ply);
        }
        self
    }

    /// Adds a comment after the last move.
    pub fn comment(self, text: &str) -> Self {
        self.text(CommentPlacement::After, None, text)
    }

    /// Adds a comment before the last move.
    pub fn comment_before(self, text: &str) -> Self {
        self.text(CommentPlacement::Before, None, text)
    }

    /// Adds a comment, in a language if one is given.
    pub fn text(self, placement: CommentPlacement, language: Option<Language>, text: &str) -> Self {
        self.annotation(Annotation::Comment(Comment {
            placement,
            language,
            text,
        }))
    }

    /// Adds a NAG to the last move.
    pub fn nag(self, number: u8) -> Self {
        self.annotation(Annotation::Nag(Nag(number)))
    }

    /// Adds an annotation to the last move.
    pub fn annotation(mut self, annotation: Annotation<'_>) -> Self {
        let _ = self.recorder.visit_annotation(annotation);
        self
    }

    /// Begins a variation with an alternative to the last move.
    pub fn begin(mut self) -> Self {
        let (before, _) = self.lines.last().expect("the mainline is open");
        let before = before.clone();
        self.lines.push((before.clone(), before));
        let _ = self.recorder.begin_variation();
        self
    }

    /// Ends a variation.
    ///
    /// # Panics
    /// If no variation is open.
    pub fn end(mut self) -> Self {
        assert!(self.lines.len() > 1, "no variation is open");
        self.lines.pop();
        self.recorder.end_variation();
        self
    }

    /// Ends the game and returns it.
    pub fn result(mut self, result: GameResult) -> Game {
        self.recorder.end_game(result);
        let mut game = self.recorder.replace(Game::new());
        game.head = self.head;
        game
    }
}

impl Default for GameBuilder {
    fn default() -> Self {
        Self::new()
    }
}
