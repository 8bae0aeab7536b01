//! The owned game: a flat tape of tokens, filled by a visitor and replayed to one.

use std::ops::{Deref, DerefMut, Range};

use crate::chess::{Move, Ply, Position};
use crate::error::GameIndex;
use crate::format::FormatId;
use crate::game::{
    Annotation, Clock, Comment, CriticalPosition, Eval, EvalProfile, Flow, Foreign, GameResult,
    Head, Language, Media, MediaKind, Nag, PiecePath, Place, Quotation, Shape, StartClock,
    TextKind, TextPart, TimeControl, Training, VariationColor, Visitor, Want, WebLink,
};

/// An owned game: head, result and a tape of 8-byte tokens in PGN order. Reused from game to game
/// without allocation once its buffers have grown.
///
/// Two games are equal when head, result and every move, variation and annotation are equal, in
/// order. Moves are not checked here: they are those that a reader handed on.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// Tags, start and kind.
    pub head: Head,
    /// How it ended.
    pub result: GameResult,
    tape: Vec<Token>,
    annotations: Vec<Stored>,
    text: String,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Move(Move),
    Null,
    /// Index into `annotations`.
    Annotation(u32),
    /// `end` is the place of the matching `EndVariation` on the tape.
    BeginVariation {
        end: u32,
    },
    EndVariation,
}
const _: () = assert!(size_of::<Token>() == 8);

#[derive(Debug, Clone)]
enum Stored {
    Nag(Nag),
    Comment {
        place: Place,
        language: Option<Language>,
        text: Range<u32>,
    },
    Shape(Shape),
    Clock(Clock),
    Eval(Eval),
    Medals(u32),
    Critical(CriticalPosition),
    VariationColor(VariationColor),
    PawnStructure(u8),
    PiecePath(PiecePath),
    VideoTime(i32),
    StartClock(StartClock),
    TimeControl(Box<TimeControl>),
    EvalProfile(Box<EvalProfile>),
    Training(Box<Training>),
    Quotation(Box<Quotation>),
    WebLink {
        url: Range<u32>,
        caption: Range<u32>,
    },
    Media {
        kind: MediaKind,
        language: Option<Language>,
        text: Range<u32>,
    },
    Text {
        kind: TextKind,
        language: u16,
        text: Range<u32>,
    },
    Foreign {
        format: FormatId,
        kind: u16,
        bytes: Range<u32>,
    },
}

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

    fn clear_moves(&mut self) {
        self.tape.clear();
        self.annotations.clear();
        self.text.clear();
        self.bytes.clear();
    }

    /// Empties the game and returns a visitor that fills it.
    pub fn recorder(&mut self) -> Recorder<'_> {
        self.clear();
        Recorder {
            game: Held::Borrowed(self),
            open: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The moves, variations and annotations in PGN order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.tape.iter().map(|token| match *token {
            Token::Move(m) => Event::Move(Ply::Move(m)),
            Token::Null => Event::Move(Ply::Null),
            Token::Annotation(place) => Event::Annotation(self.annotation(place)),
            Token::BeginVariation { .. } => Event::BeginVariation,
            Token::EndVariation => Event::EndVariation,
        })
    }

    /// The mainline's moves; variations are jumped over.
    pub fn mainline(&self) -> impl Iterator<Item = Ply> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let token = *self.tape.get(at)?;
                at += 1;
                match token {
                    Token::Move(m) => return Some(Ply::Move(m)),
                    Token::Null => return Some(Ply::Null),
                    Token::BeginVariation { end } => at = end as usize + 1,
                    Token::Annotation(_) | Token::EndVariation => {}
                }
            }
        })
    }

    /// Number of plies in the mainline.
    pub fn ply_count(&self) -> usize {
        self.mainline().count()
    }

    /// Whether the game has variations.
    pub fn has_variations(&self) -> bool {
        self.tape
            .iter()
            .any(|token| matches!(token, Token::BeginVariation { .. }))
    }

    /// Whether the game has annotations.
    pub fn has_annotations(&self) -> bool {
        !self.annotations.is_empty()
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
                    visitor.visit_annotation(self.annotation(place))
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

    fn annotation(&self, place: u32) -> Annotation<'_> {
        let Some(stored) = self.annotations.get(place as usize) else {
            // Places are only made by `Recorder`, one for each stored annotation.
            return Annotation::Medals(0);
        };
        match stored {
            Stored::Nag(nag) => Annotation::Nag(*nag),
            Stored::Comment {
                place,
                language,
                text,
            } => Annotation::Comment(Comment {
                place: *place,
                language: *language,
                text: self.slice(text),
            }),
            Stored::Shape(shape) => Annotation::Shape(*shape),
            Stored::Clock(clock) => Annotation::Clock(*clock),
            Stored::Eval(eval) => Annotation::Eval(*eval),
            Stored::Medals(bits) => Annotation::Medals(*bits),
            Stored::Critical(critical) => Annotation::Critical(*critical),
            Stored::VariationColor(color) => Annotation::VariationColor(*color),
            Stored::PawnStructure(value) => Annotation::PawnStructure(*value),
            Stored::PiecePath(path) => Annotation::PiecePath(*path),
            Stored::VideoTime(time) => Annotation::VideoTime(*time),
            Stored::StartClock(clock) => Annotation::StartClock(*clock),
            Stored::TimeControl(control) => Annotation::TimeControl(**control),
            Stored::EvalProfile(profile) => Annotation::EvalProfile(profile),
            Stored::Training(training) => Annotation::Training(training),
            Stored::Quotation(quotation) => Annotation::Quotation(quotation),
            Stored::WebLink { url, caption } => Annotation::WebLink(WebLink {
                url: self.slice(url),
                caption: self.slice(caption),
            }),
            Stored::Media {
                kind,
                language,
                text,
            } => Annotation::Media(Media {
                kind: *kind,
                language: *language,
                text: self.slice(text),
            }),
            Stored::Text {
                kind,
                language,
                text,
            } => Annotation::Text(TextPart {
                kind: *kind,
                language: *language,
                text: self.slice(text),
            }),
            Stored::Foreign {
                format,
                kind,
                bytes,
            } => Annotation::Foreign(Foreign {
                format: *format,
                kind: *kind,
                bytes: self
                    .bytes
                    .get(bytes.start as usize..bytes.end as usize)
                    .unwrap_or_default(),
            }),
        }
    }

    fn slice(&self, range: &Range<u32>) -> &str {
        self.text
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
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

/// The visitor that writes a [`Game`]. Call `begin_game` first; a game that was skipped or cut
/// short is closed properly by `end_game`.
#[derive(Debug)]
pub struct Recorder<'g> {
    game: Held<'g>,
    /// Places of the `BeginVariation` tokens that wait for their end.
    open: Vec<u32>,
    problems: Vec<crate::error::Problem>,
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

impl Recorder<'_> {
    /// Takes the recorded game and goes on with `next`, whose buffers are reused.
    pub fn replace(&mut self, next: Game) -> Game {
        let mut next = next;
        next.clear();
        std::mem::replace(&mut *self.game, next)
    }

    /// The problems reported while recording, in order.
    pub fn problems(&self) -> &[crate::error::Problem] {
        &self.problems
    }

    /// Takes the problems reported so far.
    pub fn take_problems(&mut self) -> Vec<crate::error::Problem> {
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

    fn store_text(&mut self, text: &str) -> Range<u32> {
        let start = self.game.text.len() as u32;
        self.game.text.push_str(text);
        start..self.game.text.len() as u32
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
        let stored = match annotation {
            Annotation::Nag(nag) => Stored::Nag(nag),
            Annotation::Comment(comment) => Stored::Comment {
                place: comment.place,
                language: comment.language,
                text: self.store_text(comment.text),
            },
            Annotation::Shape(shape) => Stored::Shape(shape),
            Annotation::Clock(clock) => Stored::Clock(clock),
            Annotation::Eval(eval) => Stored::Eval(eval),
            Annotation::Medals(bits) => Stored::Medals(bits),
            Annotation::Critical(critical) => Stored::Critical(critical),
            Annotation::VariationColor(color) => Stored::VariationColor(color),
            Annotation::PawnStructure(value) => Stored::PawnStructure(value),
            Annotation::PiecePath(path) => Stored::PiecePath(path),
            Annotation::VideoTime(time) => Stored::VideoTime(time),
            Annotation::StartClock(clock) => Stored::StartClock(clock),
            Annotation::TimeControl(control) => Stored::TimeControl(Box::new(control)),
            Annotation::EvalProfile(profile) => Stored::EvalProfile(Box::new(profile.clone())),
            Annotation::Training(training) => Stored::Training(Box::new(training.clone())),
            Annotation::Quotation(quotation) => Stored::Quotation(Box::new(quotation.clone())),
            Annotation::WebLink(link) => Stored::WebLink {
                url: self.store_text(link.url),
                caption: self.store_text(link.caption),
            },
            Annotation::Media(media) => Stored::Media {
                kind: media.kind,
                language: media.language,
                text: self.store_text(media.text),
            },
            Annotation::Text(part) => Stored::Text {
                kind: part.kind,
                language: part.language,
                text: self.store_text(part.text),
            },
            Annotation::Foreign(foreign) => {
                let start = self.game.bytes.len() as u32;
                self.game.bytes.extend_from_slice(foreign.bytes);
                let bytes = start..self.game.bytes.len() as u32;
                Stored::Foreign {
                    format: foreign.format,
                    kind: foreign.kind,
                    bytes,
                }
            }
        };
        let place = self.game.annotations.len() as u32;
        self.game.tape.push(Token::Annotation(place));
        self.game.annotations.push(stored);
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

    fn problem(&mut self, problem: crate::error::Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Setup, san};

    /// Records `1. e4 e5 (1... c5 2. Nf3 (2. c3) 2... d6) 2. Nf3` with a word on some moves.
    fn sicilian() -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let mut line = vec![(Position::standard(), Position::standard())];
        let _ = recorder.begin_game(GameIndex(0), &Head::default());
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
                "!said" => recorder.visit_annotation(Annotation::Comment(Comment {
                    place: Place::After,
                    language: None,
                    text: "said",
                })),
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
        other.text.replace_range(0..1, "S");
        assert_ne!(other, sicilian());
    }

    #[test]
    fn a_recorder_starts_clean_and_closes_what_is_open() {
        let mut game = sicilian();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &Head::default());
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
