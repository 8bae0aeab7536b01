//! The owned game: a flat list of tokens, filled by a visitor and replayed to one.

use std::borrow::BorrowMut;

use super::annotation_store::AnnotationStore;
use crate::chess::{Move, Ply, Position};
use crate::error::Problem;
use crate::game::{Annotation, Flow, GameHead, GameResult, Start, Visitor, Want};
use crate::ids::GameIndex;

/// An owned game: head, result, and moves with variations and annotations.
///
/// The moves are 8-byte tokens in PGN order. A game is reused from game to game without allocation
/// once its buffers have grown.
///
/// Two games are equal when head, result and every move, variation and annotation are equal, in
/// order. Moves are not checked: they are those that a reader or a caller recorded.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Annotation, Flow, Game, GameHead, GameIndex, GameResult, Nag, Position, Visitor};
///
/// let mut head = GameHead::default();
/// head.tags.push("White", "Carlsen, Magnus");
///
/// let mut game = Game::new();
/// let mut recorder = game.recorder();
/// let _ = recorder.begin_game(GameIndex(0), &head);
/// let mut position = Position::standard();
/// for text in ["e4", "e5", "Nf3"] {
///     let ply = position.parse_san(text)?;
///     let _ = recorder.visit_move(&position, ply);
///     position.play_ply(ply);
/// }
/// let _ = recorder.visit_annotation(Annotation::Nag(Nag(1)));
/// recorder.end_game(GameResult::Draw);
///
/// assert_eq!(game.tag("White"), Some("Carlsen, Magnus"));
/// let moves: Vec<String> = game
///     .mainline()
///     .with_positions()
///     .map(|(before, ply)| before.san(ply).to_string())
///     .collect();
/// assert_eq!(moves, ["e4", "e5", "Nf3"]);
/// # Ok::<(), tabia_core::chess::san::SanError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// Tag pairs, start position, kind of record, deletion mark.
    ///
    /// The start position is that of [`head.start`](GameHead::start); the tags `FEN`, `SetUp` and `Variant` are what a
    /// file has of it. [`set_start`](Self::set_start) changes all of them. If `head.start` alone is changed, the tags
    /// that contradict it are not written.
    pub head: GameHead,
    /// The result of the game. The tag `Result` is what a file has of it, and may contradict it as in the file.
    /// [`set_result`](Self::set_result) changes both. If this field alone is changed, writers put it into the tag.
    pub result: GameResult,
    /// The result and start with which the game was recorded: what differs from them was changed since.
    pub(super) recorded: RecordedFacts,
    pub(super) tokens: Vec<Token>,
    pub(super) annotations: AnnotationStore,
    has_variations: bool,
    legality: Legality,
}

/// What a game was recorded with that its tags repeat.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedFacts {
    pub(super) result: GameResult,
    pub(super) start: Start,
}

/// What is known of the moves of a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Legality {
    /// Nothing.
    #[default]
    Unknown,
    /// There is no move yet.
    NoMoves,
    /// All moves were found legal before they were recorded, from the standard start position on.
    Known,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token {
    Move(Move),
    Null,
    /// Index of an annotation in the store.
    Annotation(u32),
    BeginVariation {
        /// Index of the matching `EndVariation`.
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
    /// An annotation of the last move, of the game before its first move, or of a variation before
    /// its first move.
    Annotation(Annotation<'g>),
    /// A variation begins: an alternative to the last move.
    BeginVariation,
    /// The innermost open variation ends.
    EndVariation,
}

impl Game {
    /// An empty game from the standard start position.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the game, keeping its buffers.
    pub fn clear(&mut self) {
        self.head.clear();
        self.result = GameResult::default();
        self.recorded = RecordedFacts::default();
        self.clear_moves();
    }

    fn clear_moves(&mut self) {
        self.tokens.clear();
        self.has_variations = false;
        self.legality = Legality::Unknown;
        self.annotations.clear();
    }

    /// Empties the game, tags included, and returns a visitor that fills it. Tags that are set by hand are set after
    /// that.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Game, GameResult, Position, Visitor};
    ///
    /// let mut game = Game::new();
    /// let mut recorder = game.recorder();
    /// let mut position = Position::standard();
    /// for san in ["e4", "e5", "Nf3"] {
    ///     let ply = position.parse_san(san)?;
    ///     let _ = recorder.visit_move(&position, ply);
    ///     position.play_ply(ply);
    /// }
    /// recorder.end_game(GameResult::WhiteWins);
    /// game.head.tags.set("White", "Anderssen, Adolf");
    /// assert_eq!((game.ply_count(), game.result), (3, GameResult::WhiteWins));
    /// # Ok::<(), tabia_core::chess::san::SanError>(())
    /// ```
    pub fn recorder(&mut self) -> Recorder<&mut Game> {
        self.clear();
        Recorder {
            game: self,
            open: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The value of the first tag pair of that name; `None` if absent.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.head.tags.get(name)
    }

    /// The position before the first move; `None` if the setup position cannot be played from.
    pub fn start_position(&self) -> Option<Position> {
        self.head.start.position()
    }

    /// The moves, variations and annotations in PGN order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.tokens.iter().filter_map(|token| match *token {
            Token::Move(m) => Some(Event::Move(Ply::Move(m))),
            Token::Null => Some(Event::Move(Ply::Null)),
            Token::Annotation(index) => self.annotations.get(index).map(Event::Annotation),
            Token::BeginVariation { .. } => Some(Event::BeginVariation),
            Token::EndVariation => Some(Event::EndVariation),
        })
    }

    /// The moves of the mainline.
    #[inline]
    pub const fn mainline(&self) -> Mainline<'_> {
        Mainline {
            game: self,
            next: 0,
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

    /// Whether the game begins in the standard start position and its recorder was handed every move
    /// with a position that [knows](Position::is_known_legal) it to be legal, so that an encoder need
    /// not test the moves again. `false` for most games that were not read from a file, for games
    /// with null moves, and for Chess960.
    pub fn has_known_moves(&self) -> bool {
        self.legality == Legality::Known
            && self.head.start.setup.is_none()
            && !self.head.start.chess960
    }

    /// Whether the game has annotations.
    pub fn has_annotations(&self) -> bool {
        !self.annotations.is_empty()
    }

    /// Visits this game as if it were read from a database.
    ///
    /// If the start position cannot be played from, only what precedes the first move is visited.
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
        let mut position = self.start_position();
        // The position before the last move, updated only where a variation needs it. The stack
        // holds it and the position after that move for every open variation.
        let mut before = position.clone();
        let mut open: Vec<(Option<Position>, Option<Position>)> = Vec::new();
        let mut next = 0;
        while let Some(token) = self.tokens.get(next) {
            next += 1;
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
                    if self.variation_follows(next) {
                        before = Some(current.clone());
                    }
                    let flow = visitor.visit_move(current, ply);
                    current.play_ply(ply);
                    flow
                }
                Token::Annotation(index) => {
                    if !want.has(Want::ANNOTATIONS) {
                        continue;
                    }
                    let Some(annotation) = self.annotations.get(index) else {
                        continue;
                    };
                    visitor.visit_annotation(annotation)
                }
                Token::BeginVariation { end } => {
                    let flow = if want.has(Want::VARIATIONS) {
                        visitor.begin_variation()
                    } else {
                        Flow::Skip
                    };
                    if flow == Flow::Skip {
                        next = end as usize + 1;
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

    #[inline]
    fn push_move(&mut self, ply: Ply) {
        self.tokens.push(Token::of(ply));
    }

    /// What was known of the moves holds no longer.
    pub(super) fn note_changed_moves(&mut self) {
        self.legality = Legality::Unknown;
        let is_variation = |token: &Token| matches!(token, Token::BeginVariation { .. });
        self.has_variations = self.tokens.iter().any(is_variation);
    }

    /// Notes whether the next move is known to be legal.
    #[inline]
    fn note_legality(&mut self, before: &Position, ply: Ply) {
        if self.legality == Legality::Unknown {
            return;
        }
        let is_known = matches!(ply, Ply::Move(m) if before.is_known_legal(m));
        if !is_known || self.legality == Legality::NoMoves {
            self.note_first_or_unknown_move(before, is_known);
        }
    }

    #[inline(never)]
    fn note_first_or_unknown_move(&mut self, before: &Position, is_known: bool) {
        let is_first = self.legality == Legality::NoMoves;
        self.legality = if is_known && is_first && *before == Position::standard() {
            Legality::Known
        } else {
            Legality::Unknown
        };
    }

    /// Whether a variation begins at token `next`, or after annotations there.
    fn variation_follows(&self, next: usize) -> bool {
        self.tokens
            .iter()
            .skip(next)
            .find(|token| !matches!(token, Token::Annotation(_)))
            .is_some_and(|token| matches!(token, Token::BeginVariation { .. }))
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head
            && self.result == other.result
            && self.tokens == other.tokens
            && self.events().eq(other.events())
    }
}

/// Iterates over the moves of a game's mainline; made by [`Game::mainline`].
#[derive(Debug, Clone)]
pub struct Mainline<'g> {
    game: &'g Game,
    /// Index of the next token.
    next: usize,
}

impl<'g> Mainline<'g> {
    /// Each move with the position before it. A position is 192 bytes and is copied for every move;
    /// to avoid that, play the moves of [`Game::mainline`] on a position of your own.
    ///
    /// Empty, as for [`Game::replay`], if the start position cannot be played from.
    pub fn with_positions(self) -> impl Iterator<Item = (Position, Ply)> + use<'g> {
        let mut position = self.game.start_position();
        let mut skipped = self.game.mainline();
        while skipped.next < self.next
            && let Some(ply) = skipped.next()
            && let Some(position) = &mut position
        {
            position.play_ply(ply);
        }
        self.map_while(move |ply| {
            let position = position.as_mut()?;
            let before = position.clone();
            position.play_ply(ply);
            Some((before, ply))
        })
    }

    /// The next ply from a token that is not a move.
    #[cold]
    fn next_after(&mut self, token: Token) -> Option<Ply> {
        let mut token = token;
        loop {
            match token {
                Token::Move(m) => return Some(Ply::Move(m)),
                Token::Null => return Some(Ply::Null),
                Token::BeginVariation { end } => self.next = end as usize + 1,
                Token::Annotation(_) | Token::EndVariation => {}
            }
            token = *self.game.tokens.get(self.next)?;
            self.next += 1;
        }
    }
}

impl Iterator for Mainline<'_> {
    type Item = Ply;

    #[inline]
    fn next(&mut self) -> Option<Ply> {
        let token = *self.game.tokens.get(self.next)?;
        self.next += 1;
        match token {
            Token::Move(m) => Some(Ply::Move(m)),
            other => self.next_after(other),
        }
    }
}

/// The visitor that writes a [`Game`]: its own with [`Recorder::new`], or a borrowed one with
/// [`Game::recorder`].
///
/// Call `begin_game` first. `end_game` closes variations that are still open, as those of a game
/// that was skipped or cut short.
#[derive(Debug, Default)]
pub struct Recorder<G = Game> {
    game: G,
    /// Indices of the `BeginVariation` tokens without their end.
    open: Vec<u32>,
    problems: Vec<Problem>,
}

impl Recorder {
    /// A recorder with a game of its own, for recording one after another.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<G: BorrowMut<Game>> Recorder<G> {
    /// Returns the recorded game; the next one is recorded into `next`, whose buffers are reused.
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

    /// Appends a move; for sources that have no position to pass to
    /// [`visit_move`](Visitor::visit_move).
    pub fn push_move(&mut self, ply: Ply) {
        let game = self.game.borrow_mut();
        game.legality = Legality::Unknown;
        game.push_move(ply);
    }
}

impl<G: BorrowMut<Game>> Visitor for Recorder<G> {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        self.open.clear();
        let game = self.game.borrow_mut();
        game.clear_moves();
        game.head.clone_from(head);
        game.result = GameResult::default();
        game.recorded.result = GameResult::default();
        game.recorded.start.clone_from(&head.start);
        game.legality = Legality::NoMoves;
        Flow::Go
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let game = self.game.borrow_mut();
        game.note_legality(before, ply);
        game.push_move(ply);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let game = self.game.borrow_mut();
        match game.annotations.push(annotation) {
            Ok(index) => game.tokens.push(Token::Annotation(index)),
            Err(error) => self.problems.push(Problem::from(error)),
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        let game = self.game.borrow_mut();
        self.open.push(game.tokens.len() as u32);
        game.tokens.push(Token::BeginVariation { end: u32::MAX });
        game.has_variations = true;
        Flow::Go
    }

    fn end_variation(&mut self) {
        let Some(begin) = self.open.pop() else { return };
        let tokens = &mut self.game.borrow_mut().tokens;
        let end = tokens.len() as u32;
        tokens.push(Token::EndVariation);
        if let Some(token) = tokens.get_mut(begin as usize) {
            *token = Token::BeginVariation { end };
        }
    }

    fn end_game(&mut self, result: GameResult) {
        while !self.open.is_empty() {
            self.end_variation();
        }
        let game = self.game.borrow_mut();
        game.result = result;
        game.recorded.result = result;
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
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

    /// Records `1. e4 {good} e5 (1... c5 $1 2. Nf3 (2. c3) 2... d6) 2. Nf3`.
    fn sicilian() -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let mut line = vec![(Position::standard(), Position::standard())];
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        for step in "e4 !good e5 ( c5 !$1 Nf3 ( c3 ) d6 ) Nf3".split(' ') {
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
                "!good" => recorder.visit_annotation(comment("good")),
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

    /// Writes the moves it visits, and checks that every one is legal where it is visited.
    #[derive(Default)]
    struct MoveText(String);

    impl Visitor for MoveText {
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

    /// Records `1. e4 e5`, with moves that the position has found legal or not.
    fn open_game(start: &Position, is_tested: bool) -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let mut position = start.clone();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        for text in ["e4", "e5"] {
            let ply = san::read(&position, text.as_bytes()).unwrap();
            if let Ply::Move(m) = ply
                && is_tested
            {
                assert!(position.is_legal_cached(m));
            }
            let _ = recorder.visit_move(&position, ply);
            position.play_ply(ply);
        }
        recorder.end_game(GameResult::Draw);
        game
    }

    #[test]
    fn moves_are_known_only_if_each_was_tested() {
        let standard = Position::standard();
        assert!(open_game(&standard, true).has_known_moves());
        assert!(!open_game(&standard, false).has_known_moves());
        assert!(!Game::new().has_known_moves());
        let other = Position::parse_fen(b"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert!(!open_game(&other, true).has_known_moves());
        let mut game = open_game(&standard, true);
        game.head.start.chess960 = true;
        assert!(!game.has_known_moves());
        let mut recorder = Recorder::new();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        let _ = open_game(&standard, true).replay(GameIndex(0), Want::ALL, &mut recorder);
        assert!(!recorder.game().has_known_moves());
        let mut recorder = Recorder::new();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        let mut position = standard.clone();
        let m = position.legal_moves()[0];
        assert!(position.is_legal_cached(m));
        let _ = recorder.visit_move(&position, Ply::Move(m));
        assert!(recorder.game().has_known_moves());
        recorder.push_move(Ply::Null);
        assert!(!recorder.game().has_known_moves());
    }

    #[test]
    fn replay_visits_the_recorded_game() {
        let game = sicilian();
        let mut copy = Game::new();
        assert_eq!(
            game.replay(GameIndex(0), Want::ALL, &mut copy.recorder()),
            Flow::Go
        );
        assert_eq!(copy, game);

        let mut text = MoveText::default();
        assert_eq!(game.replay(GameIndex(0), Want::ALL, &mut text), Flow::Go);
        assert_eq!(text.0, "e4 e5 ( c5 Nf3 ( c3 ) d6 ) Nf3 1/2-1/2");
        let mut mainline = MoveText::default();
        assert_eq!(
            game.replay(GameIndex(0), Want::MAINLINE, &mut mainline),
            Flow::Go
        );
        assert_eq!(mainline.0, "e4 e5 Nf3 1/2-1/2");
        assert_eq!(game.ply_count(), 3);
        assert!(game.has_variations() && game.has_annotations());
    }

    #[test]
    fn mainline_gives_the_position_before_each_move() {
        let game = sicilian();
        let text = |moves: Mainline<'_>| -> Vec<String> {
            let moves = moves.with_positions();
            moves
                .map(|(before, ply)| before.san(ply).to_string())
                .collect()
        };
        assert_eq!(text(game.mainline()), ["e4", "e5", "Nf3"]);
        let mut rest = game.mainline();
        rest.next();
        assert_eq!(text(rest), ["e5", "Nf3"]);
        let mut last = game.mainline();
        last.nth(2);
        assert!(text(last).is_empty());
    }

    #[test]
    fn equality_compares_annotations() {
        let mut other = sicilian();
        other.annotations.clear();
        other.annotations.push(comment("Good")).unwrap();
        other.annotations.push(Annotation::Nag(Nag(1))).unwrap();
        assert_ne!(other, sicilian());
    }

    #[test]
    fn a_recorder_starts_empty_and_closes_open_variations() {
        let mut game = sicilian();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        let _ = recorder.begin_variation();
        recorder.end_game(GameResult::Unknown);
        let events: Vec<_> = game.events().collect();
        assert_eq!(events, [Event::BeginVariation, Event::EndVariation]);
    }

    #[test]
    fn an_unplayable_start_shows_no_moves() {
        let mut game = sicilian();
        game.head.start.setup = Some(Box::new(Setup::empty()));
        let mut text = MoveText::default();
        assert_eq!(game.replay(GameIndex(0), Want::ALL, &mut text), Flow::Go);
        assert_eq!(text.0, "1/2-1/2");
        assert_eq!(game.mainline().with_positions().count(), 0);
    }
}
