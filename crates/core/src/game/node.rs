//! A read-only view of a game as a tree: lines of moves, each move with its annotations and
//! variations. Borrows the game and allocates nothing.

use std::time::Duration;

use super::game::{Game, Token};
use crate::chess::{Ply, Position};
use crate::game::{Annotation, ClockKind, Comment, Eval, Nag, Shape};

/// A line of moves: the mainline ([`Game::root`]) or a variation ([`Node::variations`]).
///
/// Annotations of a line are those before its first move: in the mainline they belong to the game.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::annotation::{Comment, CommentPlacement};
/// use tabia::{Annotation, Flow, Game, GameHead, GameIndex, GameResult, Line, Position, Visitor};
///
/// // Records 1. e4 {best} (1. d4 d5) 1... e5
/// let mut game = Game::new();
/// let mut recorder = game.recorder();
/// let start = Position::standard();
/// let e4 = start.parse_san("e4")?;
/// let d4 = start.parse_san("d4")?;
/// let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
/// let _ = recorder.visit_move(&start, e4);
/// let _ = recorder.visit_annotation(Annotation::Comment(Comment {
///     placement: CommentPlacement::After,
///     language: None,
///     text: "best",
/// }));
/// let _ = recorder.begin_variation();
/// recorder.push_move(d4);
/// recorder.push_move(start.after(d4).parse_san("d5")?);
/// recorder.end_variation();
/// recorder.push_move(start.after(e4).parse_san("e5")?);
/// recorder.end_game(GameResult::Unknown);
///
/// fn movetext(line: Line<'_>, start: Position) -> String {
///     let mut text = String::new();
///     for (before, node) in line.with_positions(start) {
///         text += &format!("{} ", before.san(node.ply()));
///         for comment in node.comments() {
///             text += &format!("{{{}}} ", comment.text);
///         }
///         for variation in node.variations() {
///             text += &format!("( {}) ", movetext(variation, before.clone()));
///         }
///     }
///     text
/// }
/// assert_eq!(movetext(game.root(), start), "e4 {best} ( d4 d5 ) e5 ");
/// # Ok::<(), tabia_core::chess::san::SanError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Line<'g> {
    game: &'g Game,
    /// Index of the first token of the line.
    start: usize,
}

/// A move of a game, with its annotations and the variations that replace it.
///
/// See [`Line`] for an example.
#[derive(Debug, Clone, Copy)]
pub struct Node<'g> {
    game: &'g Game,
    ply: Ply,
    /// Index of the token after the move.
    after: usize,
}

/// Defines the accessors of annotations, which lines and moves have in common.
macro_rules! annotation_accessors {
    () => {
        /// All annotations, in stored order.
        pub fn annotations(self) -> impl Iterator<Item = Annotation<'g>> + use<'g> {
            self.tokens().filter_map(move |token| match token {
                Token::Annotation(index) => self.game.annotations.get(index),
                _ => None,
            })
        }

        /// The comments, in stored order. A comment before the move is among them, see
        /// [`Comment::placement`].
        pub fn comments(self) -> impl Iterator<Item = Comment<'g>> + use<'g> {
            self.annotations()
                .filter_map(|annotation| match annotation {
                    Annotation::Comment(comment) => Some(comment),
                    _ => None,
                })
        }

        /// The numeric annotation glyphs, in stored order.
        pub fn nags(self) -> impl Iterator<Item = Nag> + use<'g> {
            self.annotations()
                .filter_map(|annotation| match annotation {
                    Annotation::Nag(nag) => Some(nag),
                    _ => None,
                })
        }

        /// The coloured squares, arrows and other marks on the board, in stored order.
        pub fn shapes(self) -> impl Iterator<Item = Shape> + use<'g> {
            self.annotations()
                .filter_map(|annotation| match annotation {
                    Annotation::Shape(shape) => Some(shape),
                    _ => None,
                })
        }
    };
}

impl Game {
    /// The mainline with its annotations and variations.
    pub const fn root(&self) -> Line<'_> {
        Line {
            game: self,
            start: 0,
        }
    }
}

impl<'g> Line<'g> {
    annotation_accessors!();

    /// The moves of the line, without those of variations in it.
    pub fn moves(self) -> impl Iterator<Item = Node<'g>> + use<'g> {
        let Self { game, start } = self;
        let mut next = start;
        std::iter::from_fn(move || {
            loop {
                let token = *game.tokens.get(next)?;
                next += 1;
                let ply = match token {
                    Token::Move(m) => Ply::Move(m),
                    Token::Null => Ply::Null,
                    Token::Annotation(_) => continue,
                    Token::BeginVariation { end } => {
                        next = end as usize + 1;
                        continue;
                    }
                    Token::EndVariation => {
                        // Ends the iterator for good.
                        next = usize::MAX;
                        return None;
                    }
                };
                let after = next;
                return Some(Node { game, ply, after });
            }
        })
    }

    /// Each move of the line with the position before it, when the line begins in `start`: for a
    /// variation, the position before the move it replaces.
    pub fn with_positions(
        self,
        start: Position,
    ) -> impl Iterator<Item = (Position, Node<'g>)> + use<'g> {
        let mut position = start;
        self.moves().map(move |node| {
            let before = position.clone();
            position.play_ply(node.ply);
            (before, node)
        })
    }

    /// The tokens before the first move, without variations.
    fn tokens(self) -> Tokens<'g> {
        Tokens {
            game: self.game,
            next: self.start,
        }
    }
}

impl<'g> Node<'g> {
    /// The move; [`Ply::Null`] for a null move.
    pub const fn ply(self) -> Ply {
        self.ply
    }

    annotation_accessors!();

    /// Time left on the mover's clock after the move; `None` if not recorded.
    pub fn clock(self) -> Option<Duration> {
        self.time(ClockKind::Remaining)
    }

    /// Time spent on the move; `None` if not recorded.
    pub fn elapsed(self) -> Option<Duration> {
        self.time(ClockKind::ElapsedMove)
    }

    fn time(self, kind: ClockKind) -> Option<Duration> {
        self.annotations().find_map(|annotation| match annotation {
            Annotation::Clock(clock) if clock.kind == kind => Some(clock.time),
            _ => None,
        })
    }

    /// The evaluation of the position after the move; `None` if not recorded.
    pub fn eval(self) -> Option<Eval> {
        self.annotations().find_map(|annotation| match annotation {
            Annotation::Eval(eval) => Some(eval),
            _ => None,
        })
    }

    /// The alternatives to this move, in stored order. Each begins in the position before this
    /// move.
    pub fn variations(self) -> impl Iterator<Item = Line<'g>> + use<'g> {
        let Self { game, after, .. } = self;
        let mut tokens = Tokens { game, next: after };
        std::iter::from_fn(move || {
            loop {
                let start = tokens.next + 1;
                if let Token::BeginVariation { .. } = tokens.next()? {
                    return Some(Line { game, start });
                }
            }
        })
    }

    /// The tokens between this move and the next one, without those inside variations.
    fn tokens(self) -> Tokens<'g> {
        Tokens {
            game: self.game,
            next: self.after,
        }
    }
}

/// Tokens up to the next move or the end of the line; of a variation only its first token.
pub(super) struct Tokens<'g> {
    pub(super) game: &'g Game,
    /// Index of the next one.
    pub(super) next: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let token = *self.game.tokens.get(self.next)?;
        self.next = match token {
            Token::Annotation(_) => self.next + 1,
            Token::BeginVariation { end } => end as usize + 1,
            Token::Move(_) | Token::Null | Token::EndVariation => return None,
        };
        Some(token)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chess::Square;
    use crate::game::{
        Clock, CommentPlacement, Flow, GameHead, GameResult, Score, ShapeColor, ShapeKind, Visitor,
    };
    use crate::ids::GameIndex;

    fn comment(text: &str) -> Annotation<'_> {
        Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text,
        })
    }

    /// Records tokens: moves in SAN, `{text` for comments, `$n` for NAGs, `(` and `)`.
    pub(in crate::game) fn record(movetext: &str) -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        let start = Position::standard();
        let mut lines = vec![(start.clone(), start)];
        for token in movetext.split_whitespace() {
            let (before, now) = lines.last_mut().unwrap();
            match token.as_bytes() {
                b"(" => {
                    let start = before.clone();
                    lines.push((start.clone(), start));
                    assert_eq!(recorder.begin_variation(), Flow::Go);
                }
                b")" => {
                    lines.pop();
                    recorder.end_variation();
                }
                [b'{', ..] => {
                    let _ = recorder.visit_annotation(comment(&token[1..]));
                }
                [b'$', ..] => {
                    let nag = Nag(token[1..].parse().unwrap());
                    let _ = recorder.visit_annotation(Annotation::Nag(nag));
                }
                _ => {
                    let ply = now.parse_san(token).unwrap();
                    before.clone_from(now);
                    now.play_ply(ply);
                    recorder.push_move(ply);
                }
            }
        }
        recorder.end_game(GameResult::Unknown);
        game
    }

    /// Writes a line as [`record`] reads it: of a move first NAGs, then comments, then variations.
    fn movetext(line: Line<'_>, start: Position) -> String {
        let mut out = Vec::new();
        out.extend(line.nags().map(|nag| format!("${}", nag.0)));
        out.extend(line.comments().map(|comment| format!("{{{}", comment.text)));
        for (before, node) in line.with_positions(start) {
            out.push(before.san(node.ply()).to_string());
            out.extend(node.nags().map(|nag| format!("${}", nag.0)));
            out.extend(node.comments().map(|comment| format!("{{{}", comment.text)));
            for variation in node.variations() {
                out.push("(".to_owned());
                let text = movetext(variation, before.clone());
                out.extend(Some(text).filter(|text| !text.is_empty()));
                out.push(")".to_owned());
            }
        }
        out.join(" ")
    }

    #[test]
    fn variations_are_walked_with_their_annotations() {
        for text in [
            "e4 e5",
            "{game e4 $1 {good ( d4 d5 ( Nf6 c4 ) c4 ) ( c4 ) e5 Nf3",
            "e4 ( {variation d4 {move ) ( ) e5 ( c5 ( e6 ( c6 ) ) ) -- d5",
        ] {
            let game = record(text);
            assert_eq!(movetext(game.root(), Position::standard()), text);
        }
        assert_eq!(Game::new().root().moves().count(), 0);
    }

    #[test]
    fn annotations_after_variations_belong_to_the_move() {
        let game = record("e4 {one ( d4 ) {two ( c4 ) $1 e5 {three");
        let node = game.root().moves().next().unwrap();
        let comments: Vec<_> = node.comments().map(|comment| comment.text).collect();
        assert_eq!(comments, ["one", "two"]);
        assert_eq!(node.nags().collect::<Vec<_>>(), [Nag(1)]);
        assert_eq!(node.variations().count(), 2);
    }

    #[test]
    fn a_line_ends_with_its_variation() {
        let game = record("e4 ( d4 ) e5 Nf3");
        let node = game.root().moves().next().unwrap();
        let mut moves = node.variations().next().unwrap().moves();
        assert!(moves.next().is_some());
        assert!(moves.next().is_none() && moves.next().is_none());
    }

    #[test]
    fn shapes_clocks_and_evaluations_are_found() {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
        recorder.push_move(Ply::Null);
        let seconds = |kind, seconds| {
            let time = Duration::from_secs(seconds);
            Annotation::Clock(Clock { kind, time })
        };
        let shape = Shape {
            kind: ShapeKind::Arrow(Square::E2, Square::E4),
            color: ShapeColor::Green,
        };
        let eval = Eval {
            score: Score::Centipawns(20),
            depth: None,
            engine: 0,
        };
        for annotation in [
            seconds(ClockKind::ElapsedMove, 3),
            seconds(ClockKind::Remaining, 90),
            Annotation::Shape(shape),
            Annotation::Eval(eval),
        ] {
            let _ = recorder.visit_annotation(annotation);
        }
        recorder.push_move(Ply::Null);
        recorder.end_game(GameResult::Unknown);
        let nodes: Vec<_> = game.root().moves().collect();
        assert_eq!(nodes[0].clock(), Some(Duration::from_secs(90)));
        assert_eq!(nodes[0].elapsed(), Some(Duration::from_secs(3)));
        assert_eq!(nodes[0].shapes().collect::<Vec<_>>(), [shape]);
        assert_eq!(nodes[0].eval(), Some(eval));
        assert_eq!(nodes[0].annotations().count(), 4);
        assert_eq!((nodes[1].clock(), nodes[1].eval()), (None, None));
    }
}
