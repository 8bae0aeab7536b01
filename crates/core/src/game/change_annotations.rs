//! Changes the annotations of a move of the mainline.

use std::ops::Range;

use super::game::{Game, Token};
use crate::error::{Error, Result};
use crate::game::{Annotation, Comment, CommentPlacement};

impl Game {
    /// Gives the move after which `plies` plies of the mainline are played a comment instead of all that it
    /// has; an empty text only removes them. 0 is the start of the game.
    ///
    /// # Errors
    /// If the mainline is shorter.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Game;
    ///
    /// let mut game = Game::new();
    /// game.set_comment(0, "A game of 1858.")?;
    /// let comments: Vec<_> = game.root().comments().map(|comment| comment.text).collect();
    /// assert_eq!(comments, ["A game of 1858."]);
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn set_comment(&mut self, plies: usize, text: &str) -> Result<()> {
        self.retain_annotations(plies, |annotation| {
            !matches!(annotation, Annotation::Comment(_))
        })?;
        if text.is_empty() {
            return Ok(());
        }
        self.annotate(
            plies,
            Annotation::Comment(Comment {
                placement: CommentPlacement::After,
                language: None,
                text,
            }),
        )
    }

    /// Adds an annotation to the move after which `plies` plies of the mainline are played; to the game if that
    /// is 0.
    ///
    /// # Errors
    /// If the mainline is shorter, or the annotations of the game would exceed 4 GiB.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Annotation, Game, Nag};
    ///
    /// let mut game = Game::new();
    /// assert!(game.annotate(1, Annotation::Nag(Nag(1))).is_err());
    /// ```
    pub fn annotate(&mut self, plies: usize, annotation: Annotation<'_>) -> Result<()> {
        let Range { start, .. } = self.tokens_after(plies)?;
        let index = self.annotations.push(annotation)?;
        let at = self.end_of_annotations(start);
        self.insert_tokens(at, &[Token::Annotation(index)]);
        Ok(())
    }

    /// Removes the annotations for which `keep` is false from the move after which `plies` plies of the mainline
    /// are played; from the game if that is 0. Those in variations stay.
    ///
    /// # Errors
    /// If the mainline is shorter.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Annotation, Game};
    ///
    /// let mut game = Game::new();
    /// game.set_comment(0, "A game of 1858.")?;
    /// game.retain_annotations(0, |annotation| !matches!(annotation, Annotation::Comment(_)))?;
    /// assert_eq!(game, Game::new());
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn retain_annotations(
        &mut self,
        plies: usize,
        mut keep: impl FnMut(&Annotation<'_>) -> bool,
    ) -> Result<()> {
        let Range { start, mut end } = self.tokens_after(plies)?;
        let mut at = start;
        while at < end {
            match self.tokens.get(at) {
                Some(Token::BeginVariation { end }) => at = *end as usize + 1,
                Some(Token::Annotation(index))
                    if let Some(annotation) = self.annotations.get(*index)
                        && !keep(&annotation) =>
                {
                    self.remove_tokens(at, at + 1);
                    end -= 1;
                }
                _ => at += 1,
            }
        }
        Ok(())
    }

    /// The tokens between a move of the mainline, or the start, and the next move.
    fn tokens_after(&self, plies: usize) -> Result<Range<usize>> {
        let (mut at, mut played, mut start) = (0, 0, 0);
        while let Some(token) = self.tokens.get(at) {
            match token {
                Token::Move(_) | Token::Null if played == plies => break,
                Token::Move(_) | Token::Null => {
                    played += 1;
                    start = at + 1;
                }
                Token::BeginVariation { end } => at = *end as usize,
                Token::Annotation(_) | Token::EndVariation => {}
            }
            at += 1;
        }
        if played < plies {
            let text = format!("the game has {played} plies, not {plies}");
            return Err(Error::usage(text));
        }
        Ok(start..at)
    }
}

#[cfg(test)]
mod tests {
    use crate::chess::{Ply, Position};
    use crate::game::{Annotation, Event, Flow, Game, Nag, Visitor};

    /// `e4 $1 {a} (d4 {b}) {c} (c4 {d}) e5 {e}`
    fn annotated() -> Game {
        let mut game = Game::new();
        let start = Position::standard();
        let [e4, d4, c4] = ["e4", "d4", "c4"].map(|san| start.parse_san(san).unwrap());
        let mut recorder = game.recorder();
        let comment = |text| {
            Annotation::Comment(crate::game::Comment {
                placement: crate::game::CommentPlacement::After,
                language: None,
                text,
            })
        };
        recorder.push_move(e4);
        assert_eq!(recorder.visit_annotation(Annotation::Nag(Nag(1))), Flow::Go);
        assert_eq!(recorder.visit_annotation(comment("a")), Flow::Go);
        for (ply, inner, outer) in [(d4, "b", Some("c")), (c4, "d", None)] {
            assert_eq!(recorder.begin_variation(), Flow::Go);
            recorder.push_move(ply);
            assert_eq!(recorder.visit_annotation(comment(inner)), Flow::Go);
            recorder.end_variation();
            if let Some(text) = outer {
                assert_eq!(recorder.visit_annotation(comment(text)), Flow::Go);
            }
        }
        recorder.push_move(start.after(e4).parse_san("e5").unwrap());
        assert_eq!(recorder.visit_annotation(comment("e")), Flow::Go);
        recorder.end_game(crate::game::GameResult::Unknown);
        game
    }

    /// The events, moves of the mainline as `m`.
    fn text(game: &Game) -> String {
        let event = |event| match event {
            Event::Move(Ply::Move(m)) => format!("{m}"),
            Event::Move(Ply::Null) => "--".to_owned(),
            Event::BeginVariation => "(".to_owned(),
            Event::EndVariation => ")".to_owned(),
            Event::Annotation(Annotation::Comment(comment)) => format!("{{{}}}", comment.text),
            Event::Annotation(Annotation::Nag(nag)) => format!("${}", nag.0),
            Event::Annotation(_) => "?".to_owned(),
        };
        let events: Vec<_> = game.events().map(event).collect();
        events.join(" ")
    }

    #[test]
    fn a_comment_replaces_those_of_its_move_only() {
        for (plies, new, expected) in [
            (
                0,
                "x",
                "{x} e2e4 $1 {a} ( d2d4 {b} ) {c} ( c2c4 {d} ) e7e5 {e}",
            ),
            (1, "x", "e2e4 $1 {x} ( d2d4 {b} ) ( c2c4 {d} ) e7e5 {e}"),
            (1, "", "e2e4 $1 ( d2d4 {b} ) ( c2c4 {d} ) e7e5 {e}"),
            (2, "x", "e2e4 $1 {a} ( d2d4 {b} ) {c} ( c2c4 {d} ) e7e5 {x}"),
        ] {
            let mut game = annotated();
            game.set_comment(plies, new).unwrap();
            assert_eq!(text(&game), expected);
            // The ends of variations are right: the mainline is found past them.
            assert_eq!(game.ply_count(), 2);
            let node = game.root().moves().next().unwrap();
            assert_eq!(node.variations().count(), 2);
        }
    }

    #[test]
    fn plies_that_are_not_there_are_refused() {
        let mut game = annotated();
        assert!(game.set_comment(3, "x").is_err());
        assert_eq!(game, annotated());
    }

    #[test]
    fn annotations_of_a_move_are_added_and_removed() {
        let mut game = annotated();
        game.annotate(2, Annotation::Nag(Nag(2))).unwrap();
        game.retain_annotations(1, |annotation| *annotation != Annotation::Nag(Nag(1)))
            .unwrap();
        let expected = "e2e4 {a} ( d2d4 {b} ) {c} ( c2c4 {d} ) e7e5 {e} $2";
        assert_eq!(text(&game), expected);
    }
}
