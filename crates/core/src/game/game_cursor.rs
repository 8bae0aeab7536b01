//! A cursor in the moves of a game: goes forward and back as on a board, and adds, removes and promotes lines.

use super::game::{Game, Token};
use crate::chess::{Ply, Position};
use crate::error::{Error, Result};
use crate::game::{Annotation, Comment, CommentPlacement};

/// A cursor in the moves of a game, after one of them or before the first, and the changes that a board window offers.
///
/// It stays at its move when moves are added, promoted or removed elsewhere. Each change takes time in proportion to
/// the size of the game.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Annotation, Game, Nag};
///
/// let mut game = Game::new();
/// let mut cursor = game.cursor()?;
/// for san in ["e4", "e5", "Nf3"] {
///     cursor.play_san(san)?;
/// }
/// // Another answer to 1. e4 becomes a variation.
/// cursor.to_start();
/// cursor.forward();
/// cursor.play_san("c5")?;
/// cursor.annotate(Annotation::Nag(Nag(5)))?;
/// assert_eq!((cursor.depth(), cursor.plies()), (1, 2));
/// // The variation becomes the mainline.
/// cursor.promote();
/// assert_eq!(cursor.depth(), 0);
/// let mainline: Vec<String> = game
///     .mainline()
///     .with_positions()
///     .map(|(before, ply)| before.san(ply).to_string())
///     .collect();
/// assert_eq!(mainline, ["e4", "c5"]);
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct GameCursor<'g> {
    game: &'g mut Game,
    start: Position,
    /// The moves from the start of the game to the cursor.
    path: Vec<Step>,
}

/// A move on the path to the cursor.
#[derive(Debug, Clone)]
struct Step {
    /// Index of its token.
    at: usize,
    /// Index of the token `BeginVariation` of its line; `None` in the mainline.
    variation: Option<usize>,
    ply: Ply,
    /// The position after it.
    after: Position,
}

/// A move that follows the cursor.
struct Continuation {
    at: usize,
    variation: Option<usize>,
    ply: Ply,
}

impl Game {
    /// A cursor before the first move.
    ///
    /// # Errors
    /// If the setup position cannot be played from.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Game, Position};
    ///
    /// let mut game = Game::new();
    /// let mut cursor = game.cursor()?;
    /// assert_eq!(*cursor.position(), Position::standard());
    /// cursor.play_san("d4")?;
    /// assert_eq!(game.ply_count(), 1);
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn cursor(&mut self) -> Result<GameCursor<'_>> {
        let Some(start) = self.start_position() else {
            let text = "the setup position of the game cannot be played from";
            return Err(Error::invalid(text));
        };
        Ok(GameCursor {
            game: self,
            start,
            path: Vec::new(),
        })
    }
}

impl GameCursor<'_> {
    /// The game as it is now.
    pub const fn game(&self) -> &Game {
        self.game
    }

    /// The position at the cursor.
    pub fn position(&self) -> &Position {
        self.path.last().map_or(&self.start, |step| &step.after)
    }

    /// The move before the cursor; `None` at the start of the game.
    pub fn ply(&self) -> Option<Ply> {
        self.path.last().map(|step| step.ply)
    }

    /// Number of plies from the start of the game to the cursor.
    pub fn plies(&self) -> usize {
        self.path.len()
    }

    /// The number of variations that the cursor is in, one inside the other: 0 in the mainline.
    pub fn depth(&self) -> usize {
        let mut depth = 0;
        let mut line = None;
        for step in &self.path {
            if step.variation != line {
                depth += 1;
                line = step.variation;
            }
        }
        depth
    }

    /// The moves that follow the cursor: that of its line first, then those of the variations that replace it.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let mut game = tabia::Game::new();
    /// let mut cursor = game.cursor()?;
    /// for san in ["e4", "d4", "c4"] {
    ///     cursor.play_san(san)?;
    ///     cursor.back();
    /// }
    /// let start = cursor.position().clone();
    /// let moves: Vec<String> = cursor.next_moves().map(|ply| start.san(ply).to_string()).collect();
    /// assert_eq!(moves, ["e4", "d4", "c4"]);
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn next_moves(&self) -> impl Iterator<Item = Ply> + use<> {
        self.continuations().into_iter().map(|next| next.ply)
    }

    /// Goes to the start of the game.
    pub fn to_start(&mut self) {
        self.path.clear();
    }

    /// Goes to the last move of the line in which the cursor is.
    pub fn to_end(&mut self) {
        while self.forward() {}
    }

    /// Goes back by one move, out of a variation before its first one; `false` at the start of the game.
    pub fn back(&mut self) -> bool {
        self.path.pop().is_some()
    }

    /// Goes forward by one move of the line; `false` at its end.
    pub fn forward(&mut self) -> bool {
        let next = self.continuations().into_iter().next();
        next.map(|next| self.step(&next)).is_some()
    }

    /// Goes to the move `ply` if it follows the cursor, in its line or as the first move of a variation; `false` if
    /// none does.
    pub fn follow(&mut self, ply: Ply) -> bool {
        let mut next = self.continuations().into_iter();
        let found = next.find(|next| next.ply == ply);
        found.map(|next| self.step(&next)).is_some()
    }

    /// Plays a move as on a board. The cursor goes to it if it [follows](Self::follow). If not, it is added: at the
    /// end of a line as its next move, else as a new variation, after those that are there.
    ///
    /// # Errors
    /// If the move is not legal; a null move is not, if its side is in check.
    pub fn play(&mut self, ply: Ply) -> Result<()> {
        let position = self.position();
        let is_legal = match ply {
            Ply::Move(m) => position.is_legal(m),
            Ply::Null => !position.is_check(),
        };
        if !is_legal {
            let m = position.uci(ply);
            let text = format!("{m} is not a legal move in {}", position.fen());
            return Err(Error::usage(text));
        }
        if !self.follow(ply) {
            self.add(ply);
            self.follow(ply);
        }
        Ok(())
    }

    /// [`play`](Self::play) with a move in SAN.
    ///
    /// # Errors
    /// If the text is not that of one legal move.
    pub fn play_san(&mut self, san: &str) -> Result<()> {
        let ply = self.position().parse_san(san);
        let ply = ply.map_err(|error| {
            let position = self.position().fen();
            Error::usage(format!("`{san}` in {position}: {error}"))
        })?;
        self.play(ply)
    }

    /// The annotations of the move before the cursor; at the start those of the game.
    pub fn annotations(&self) -> impl Iterator<Item = Annotation<'_>> {
        self.own_tokens().filter_map(|(_, token)| match token {
            Token::Annotation(index) => self.game.annotations.get(index),
            _ => None,
        })
    }

    /// Adds an annotation to the move before the cursor, at the start to the game, after those that it has.
    ///
    /// # Errors
    /// If the texts of the game exceed 4 GiB.
    pub fn annotate(&mut self, annotation: Annotation<'_>) -> Result<()> {
        let index = self.game.annotations.push(annotation)?;
        let at = self.game.end_of_annotations(self.first_own_token());
        self.game.insert_tokens(at, &[Token::Annotation(index)]);
        Ok(())
    }

    /// Removes the annotations of the move before the cursor, at the start those of the game, for which `keep` is
    /// false.
    pub fn retain_annotations(&mut self, mut keep: impl FnMut(&Annotation<'_>) -> bool) {
        let dropped: Vec<usize> = self
            .own_tokens()
            .filter(|(_, token)| match token {
                Token::Annotation(index) => {
                    let annotation = self.game.annotations.get(*index);
                    annotation.is_some_and(|annotation| !keep(&annotation))
                }
                _ => false,
            })
            .map(|(at, _)| at)
            .collect();
        for at in dropped.into_iter().rev() {
            self.game.remove_tokens(at, at + 1);
        }
    }

    /// Gives the move before the cursor, at the start the game, a comment instead of those that it has; an empty text
    /// only removes them.
    ///
    /// # Errors
    /// If the texts of the game exceed 4 GiB.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let mut game = tabia::Game::new();
    /// let mut cursor = game.cursor()?;
    /// cursor.play_san("e4")?;
    /// cursor.back();
    /// cursor.play_san("d4")?;
    /// cursor.set_comment("quieter")?;
    /// let text = "quieter";
    /// let variation = game.root().moves().next().and_then(|first| first.variations().next());
    /// let d4 = variation.and_then(|line| line.moves().next()).ok_or("no variation")?;
    /// assert_eq!(d4.comments().next().map(|comment| comment.text), Some(text));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_comment(&mut self, text: &str) -> Result<()> {
        self.retain_annotations(|annotation| !matches!(annotation, Annotation::Comment(_)));
        if text.is_empty() {
            return Ok(());
        }
        self.annotate(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text,
        }))
    }

    /// Removes all that follows the cursor: the rest of its line, and the variations that replace moves of it.
    pub fn truncate(&mut self) {
        let begin = self.end_of_own_tokens();
        let end = self.line_end(self.variation(), begin);
        self.game.remove_tokens(begin, end);
        self.game.note_changed_moves();
    }

    /// Removes the move before the cursor with all that follows it; the cursor goes back by one move. In a variation,
    /// the first move is the whole variation. If others replace the move of a line, the first of them takes
    /// its part. `false`, and nothing is removed, at the start of the game.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let mut game = tabia::Game::new();
    /// let mut cursor = game.cursor()?;
    /// for san in ["e4", "d4", "c4"] {
    ///     cursor.play_san(san)?;
    ///     cursor.back();
    /// }
    /// cursor.forward();
    /// assert!(cursor.remove());
    /// let moves: Vec<_> = cursor.next_moves().map(|ply| cursor.position().san(ply).to_string()).collect();
    /// assert_eq!(moves, ["d4", "c4"]);
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn remove(&mut self) -> bool {
        let Some(step) = self.path.pop() else {
            return false;
        };
        let variation = self.variation();
        if step.variation == variation {
            let replacing = self.continuations().into_iter().nth(1);
            if let Some(next) = replacing
                && let Some(begin) = next.variation
            {
                self.swap_lines(step.at, begin, next.at);
                // What was the line is the first variation now.
                let old = self.continuations().into_iter().nth(1);
                if let Some(begin) = old.and_then(|old| old.variation) {
                    let end = self.game.end_of_variation(begin);
                    self.game.remove_tokens(begin, end + 1);
                }
            } else {
                let end = self.line_end(variation, step.at);
                self.game.remove_tokens(step.at, end);
            }
        } else {
            let begin = step.variation.unwrap_or_default();
            let end = self.game.end_of_variation(begin);
            self.game.remove_tokens(begin, end + 1);
        }
        self.game.note_changed_moves();
        true
    }

    /// Makes the variation in which the cursor is the line that it replaces, which becomes the first variation.
    /// `false` in the mainline.
    pub fn promote(&mut self) -> bool {
        let Some(variation) = self.variation() else {
            return false;
        };
        // The first move of the variation.
        let is_of_it = |step: &Step| step.variation == Some(variation);
        let Some(first) = self.path.iter().position(is_of_it) else {
            return false;
        };
        let plies: Vec<Ply> = self.path.iter().map(|step| step.ply).collect();
        let Some(at) = self.path.get(first).map(|step| step.at) else {
            return false;
        };
        self.path.truncate(first);
        let Some(replaced) = self.continuations().into_iter().next() else {
            return false;
        };
        self.swap_lines(replaced.at, variation, at);
        self.game.note_changed_moves();
        for ply in plies.into_iter().skip(first) {
            self.forward_in_line(ply);
        }
        true
    }

    /// [Promotes](Self::promote) until the line of the cursor is the mainline; `false` if it is.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let mut game = tabia::Game::new();
    /// let mut cursor = game.cursor()?;
    /// for san in ["e4", "e5"] {
    ///     cursor.play_san(san)?;
    /// }
    /// cursor.to_start();
    /// for san in ["d4", "d5"] {
    ///     cursor.play_san(san)?;
    /// }
    /// assert!(cursor.promote_to_mainline());
    /// cursor.to_start();
    /// cursor.to_end();
    /// assert_eq!(cursor.position().fen(), "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2");
    /// # Ok::<(), tabia_core::Error>(())
    /// ```
    pub fn promote_to_mainline(&mut self) -> bool {
        let mut is_changed = false;
        while self.promote() {
            is_changed = true;
        }
        is_changed
    }

    /// The `BeginVariation` of the line of the cursor; `None` in the mainline.
    fn variation(&self) -> Option<usize> {
        self.path.last().and_then(|step| step.variation)
    }

    fn step(&mut self, next: &Continuation) {
        let after = self.position().after(next.ply);
        self.path.push(Step {
            at: next.at,
            variation: next.variation,
            ply: next.ply,
            after,
        });
    }

    /// Goes to the next move of the line, which is `ply`.
    fn forward_in_line(&mut self, ply: Ply) {
        let is_there = self.forward();
        debug_assert!(is_there && self.ply() == Some(ply));
    }

    /// Index of the first token after the move before the cursor.
    fn first_own_token(&self) -> usize {
        self.path.last().map_or(0, |step| step.at + 1)
    }

    /// The tokens after the move before the cursor, up to the next move or the end of its line; of a variation only
    /// its first token.
    fn own_tokens(&self) -> impl Iterator<Item = (usize, Token)> {
        self.game.tokens_after_move(self.first_own_token())
    }

    /// Index of the token after those: the next move, the end of the line or of the game.
    fn end_of_own_tokens(&self) -> usize {
        let first = self.first_own_token();
        self.game.end_of_tokens_after_move(first)
    }

    /// Index of the token that ends a line, which `from` is in or at the end of.
    fn line_end(&self, variation: Option<usize>, from: usize) -> usize {
        let end = variation.map(|begin| self.game.end_of_variation(begin));
        end.unwrap_or(self.game.tokens.len()).max(from)
    }

    /// The next move of the line and the first moves of the variations that replace it.
    fn continuations(&self) -> Vec<Continuation> {
        let at = self.end_of_own_tokens();
        let Some(ply) = self.game.ply_at(at) else {
            return Vec::new();
        };
        let mut all = vec![Continuation {
            at,
            variation: self.variation(),
            ply,
        }];
        for (begin, token) in self.game.tokens_after_move(at + 1) {
            if !matches!(token, Token::BeginVariation { .. }) {
                continue;
            }
            // A variation may have annotations only.
            let first = self.game.end_of_tokens_after_move(begin + 1);
            if let Some(ply) = self.game.ply_at(first) {
                all.push(Continuation {
                    at: first,
                    variation: Some(begin),
                    ply,
                });
            }
        }
        all
    }

    /// Adds a move that does not follow the cursor yet.
    fn add(&mut self, ply: Ply) {
        let token = Token::of(ply);
        let at = self.end_of_own_tokens();
        if self.game.ply_at(at).is_none() {
            self.game.insert_tokens(at, &[token]);
        } else {
            let at = self.game.end_of_tokens_after_move(at + 1);
            let begin = Token::BeginVariation { end: at as u32 + 2 };
            self.game
                .insert_tokens(at, &[begin, token, Token::EndVariation]);
        }
        self.game.note_changed_moves();
    }

    /// Exchanges a line from its move at `replaced` on with the variation at `begin` that replaces this move, whose
    /// first move is at `first`: the old rest of the line is the first variation of the new move. The path must end
    /// before the move.
    fn swap_lines(&mut self, replaced: usize, begin: usize, first: usize) {
        let line_end = self.line_end(self.variation(), replaced);
        let end = self.game.end_of_variation(begin);
        // A comment before the first move of a variation is one before this move.
        for at in begin + 1..first {
            self.game.put_comment_before_move(at);
        }
        let game = &*self.game;
        let tokens = |range: std::ops::Range<usize>| game.tokens.get(range).unwrap_or_default();
        let rest = game.end_of_tokens_after_move(replaced + 1);
        let inner_rest = game.end_of_tokens_after_move(first + 1);
        let inner_annotations = game.end_of_annotations(first + 1);
        let mut line = Vec::with_capacity(line_end - replaced);
        line.extend_from_slice(tokens(first..first + 1));
        line.extend_from_slice(tokens(begin + 1..first));
        line.extend_from_slice(tokens(first + 1..inner_annotations));
        // Its end is set below, as those of all.
        line.push(Token::BeginVariation { end: u32::MAX });
        line.extend_from_slice(tokens(replaced..replaced + 1));
        let mut others = Vec::new();
        for (at, token) in game.tokens_after_move(replaced + 1) {
            match token {
                Token::BeginVariation { end } if at != begin => {
                    others.extend_from_slice(tokens(at..end as usize + 1));
                }
                Token::BeginVariation { .. } => {}
                _ => line.push(token),
            }
        }
        line.extend_from_slice(tokens(rest..line_end));
        line.push(Token::EndVariation);
        line.extend_from_slice(&others);
        line.extend_from_slice(tokens(inner_annotations..inner_rest));
        line.extend_from_slice(tokens(inner_rest..end));
        debug_assert_eq!(line.len(), line_end - replaced);
        self.game.tokens.splice(replaced..line_end, line);
        self.game.set_ends_of_variations();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::node::tests::record;
    use crate::game::{Event, Nag};

    /// The tokens of a game as [`record`] reads them; `}text` is a comment before its move.
    fn text_of(game: &Game) -> String {
        let mut lines = vec![(Position::standard(), Position::standard())];
        let mut out = Vec::new();
        for event in game.events() {
            let (before, now) = lines.last_mut().unwrap();
            match event {
                Event::Move(ply) => {
                    out.push(now.san(ply).to_string());
                    before.clone_from(now);
                    now.play_ply(ply);
                }
                Event::BeginVariation => {
                    let start = before.clone();
                    lines.push((start.clone(), start));
                    out.push("(".to_owned());
                }
                Event::EndVariation => {
                    lines.pop();
                    out.push(")".to_owned());
                }
                Event::Annotation(Annotation::Comment(comment)) => {
                    let brace = match comment.placement {
                        CommentPlacement::Before => '}',
                        CommentPlacement::After => '{',
                    };
                    out.push(format!("{brace}{}", comment.text));
                }
                Event::Annotation(Annotation::Nag(nag)) => out.push(format!("${}", nag.0)),
                Event::Annotation(other) => out.push(format!("{other:?}")),
            }
        }
        // The ends of variations are right, and all moves are legal.
        game.check_moves().unwrap();
        for (at, token) in game.tokens.iter().enumerate() {
            if let Token::BeginVariation { end } = token {
                assert!(*end as usize > at);
                assert_eq!(game.tokens[*end as usize], Token::EndVariation);
            }
        }
        out.join(" ")
    }

    fn go<'g>(game: &'g mut Game, moves: &str) -> GameCursor<'g> {
        let mut cursor = game.cursor().unwrap();
        for san in moves.split_whitespace() {
            let ply = cursor.position().parse_san(san).unwrap();
            assert!(cursor.follow(ply), "{san}");
        }
        cursor
    }

    const GAME: &str = "{start e4 $1 {good ( {instead d4 {queen d5 ( Nf6 c4 ) c4 ) ( c4 e5 ) e5 {open ( c5 Nf3 ( c3 ) d6 ) Nf3 Nc6";

    #[test]
    fn moves_are_added_where_the_cursor_is() {
        for (at, played, expected) in [
            ("", "e4", "e4 e5 ( c5 )"),
            ("", "d4", "e4 ( d4 ) e5 ( c5 )"),
            ("e4", "e6", "e4 e5 ( c5 ) ( e6 )"),
            ("e4 e5", "Nf3", "e4 e5 ( c5 ) Nf3"),
            ("e4 c5", "Nf3", "e4 e5 ( c5 Nf3 )"),
        ] {
            let mut game = record("e4 e5 ( c5 )");
            let mut cursor = go(&mut game, at);
            cursor.play_san(played).unwrap();
            let plies = at.split_whitespace().count() + 1;
            assert_eq!(cursor.plies(), plies);
            assert_eq!(cursor.path.last().unwrap().after, *cursor.position());
            assert_eq!(text_of(&game), expected, "{at} {played}");
            assert!(!game.has_known_moves());
        }
    }

    #[test]
    fn illegal_moves_change_nothing() {
        let mut game = record("e4 e5");
        let mut cursor = go(&mut game, "e4 e5");
        for san in ["e5", "Kf3", "x", ""] {
            assert!(cursor.play_san(san).is_err(), "{san}");
        }
        assert!(cursor.play(Ply::Null).is_ok());
        assert_eq!(text_of(&game), "e4 e5 --");
        let mut game = record("e4 f6 d4 g5 Qh5");
        let mut cursor = go(&mut game, "e4 f6 d4 g5 Qh5");
        assert!(cursor.play(Ply::Null).is_err());
    }

    #[test]
    fn a_promoted_variation_and_its_line_are_exchanged() {
        for (at, expected) in [
            (
                "d4",
                "{start d4 }instead {queen ( e4 $1 {good e5 {open ( c5 Nf3 ( c3 ) d6 ) Nf3 Nc6 ) ( c4 e5 ) d5 ( Nf6 c4 ) c4",
            ),
            (
                "d4 Nf6 c4",
                "{start e4 $1 {good ( {instead d4 {queen Nf6 ( d5 c4 ) c4 ) ( c4 e5 ) e5 {open ( c5 Nf3 ( c3 ) d6 ) Nf3 Nc6",
            ),
            (
                "c4",
                "{start c4 ( e4 $1 {good e5 {open ( c5 Nf3 ( c3 ) d6 ) Nf3 Nc6 ) ( {instead d4 {queen d5 ( Nf6 c4 ) c4 ) e5",
            ),
            (
                "e4 c5 c3",
                "{start e4 $1 {good ( {instead d4 {queen d5 ( Nf6 c4 ) c4 ) ( c4 e5 ) e5 {open ( c5 c3 ( Nf3 d6 ) ) Nf3 Nc6",
            ),
        ] {
            let mut game = record(GAME);
            let mut cursor = go(&mut game, at);
            let (position, depth) = (cursor.position().clone(), cursor.depth());
            assert!(cursor.promote());
            assert_eq!((cursor.position(), cursor.depth()), (&position, depth - 1));
            // The cursor goes on in its line.
            let path = format!("{:?}", cursor.path);
            let again = go(cursor.game, at);
            assert_eq!(format!("{:?}", again.path), path);
            assert_eq!(text_of(&game), expected, "{at}");
        }
        let mut game = record(GAME);
        assert!(!go(&mut game, "e4 e5").promote());
        assert!(go(&mut game, "d4 Nf6 c4").promote_to_mainline());
        let moves: Vec<String> = game
            .mainline()
            .with_positions()
            .map(|(before, ply)| before.san(ply).to_string())
            .collect();
        assert_eq!(moves, ["d4", "Nf6", "c4"]);
    }

    #[test]
    fn two_promotions_restore_the_order_of_lines() {
        let mut game = record("e4 ( d4 d5 ) e5 Nf3");
        assert!(go(&mut game, "d4").promote());
        assert!(go(&mut game, "e4").promote());
        assert_eq!(text_of(&game), "e4 ( d4 d5 ) e5 Nf3");
    }

    #[test]
    fn moves_are_removed_with_all_that_follows() {
        for (at, removed, truncated) in [
            (
                "e4 e5 Nf3 Nc6",
                "e4 ( d4 ( c4 ) d5 ) e5 ( c5 Nf3 ) Nf3",
                None,
            ),
            (
                "e4 c5",
                "e4 ( d4 ( c4 ) d5 ) e5 Nf3 Nc6",
                Some("e4 ( d4 ( c4 ) d5 ) e5 ( c5 ) Nf3 Nc6"),
            ),
            ("e4 c5 Nf3", "e4 ( d4 ( c4 ) d5 ) e5 ( c5 ) Nf3 Nc6", None),
            (
                "e4 e5",
                "e4 ( d4 ( c4 ) d5 ) c5 Nf3",
                Some("e4 ( d4 ( c4 ) d5 ) e5 ( c5 Nf3 )"),
            ),
            ("e4", "d4 ( c4 ) d5", Some("e4 ( d4 ( c4 ) d5 )")),
            ("d4", "e4 e5 ( c5 Nf3 ) Nf3 Nc6", None),
        ] {
            let text = "e4 ( d4 ( c4 ) d5 ) e5 ( c5 Nf3 ) Nf3 Nc6";
            let mut game = record(text);
            let mut cursor = go(&mut game, at);
            let plies = cursor.plies();
            assert!(cursor.remove());
            assert_eq!(cursor.plies(), plies - 1);
            assert_eq!(text_of(&game), removed, "{at}");
            let mut game = record(text);
            go(&mut game, at).truncate();
            if let Some(truncated) = truncated {
                assert_eq!(text_of(&game), truncated, "{at}");
            }
        }
        let mut game = record("e4 ( d4 ) e5");
        let mut cursor = game.cursor().unwrap();
        assert!(!cursor.remove());
        cursor.truncate();
        assert_eq!(text_of(&game), "");
        assert!(!game.has_variations());
    }

    #[test]
    fn annotations_belong_to_the_move_of_the_cursor() {
        let mut game = record(GAME);
        let mut cursor = go(&mut game, "d4");
        cursor.set_comment("better").unwrap();
        cursor.annotate(Annotation::Nag(Nag(3))).unwrap();
        assert_eq!(cursor.annotations().count(), 2);
        cursor.to_start();
        cursor.set_comment("").unwrap();
        cursor.forward();
        cursor.retain_annotations(|annotation| *annotation != Annotation::Nag(Nag(1)));
        assert_eq!(cursor.annotations().count(), 1);
        let expected = "e4 {good ( {instead d4 {better $3 d5 ( Nf6 c4 ) c4 ) ( c4 e5 ) e5 {open ( c5 Nf3 ( c3 ) d6 ) Nf3 Nc6";
        assert_eq!(text_of(&game), expected);
        let mut game = record("e4 {only");
        go(&mut game, "e4").set_comment("").unwrap();
        assert!(!game.has_annotations());
    }

    /// Random changes keep the tree well formed, and the cursor at a move of it.
    #[test]
    fn random_changes_leave_legal_games() {
        let mut random = 7_u64;
        let mut next = move |count: usize| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 33) as usize % count.max(1)
        };
        for _ in 0..60 {
            let mut game = Game::new();
            let mut cursor = game.cursor().unwrap();
            for _ in 0..200 {
                match next(12) {
                    0..=5 => {
                        let moves = cursor.position().legal_moves();
                        if !moves.is_empty() {
                            let m = moves[next(moves.len().min(4))];
                            cursor.play(Ply::Move(m)).unwrap();
                        }
                    }
                    6 => {
                        cursor.back();
                    }
                    7 => {
                        let all: Vec<Ply> = cursor.next_moves().collect();
                        if let Some(ply) = all.get(next(all.len())) {
                            assert!(cursor.follow(*ply));
                        }
                    }
                    8 => {
                        let position = cursor.position().clone();
                        cursor.promote();
                        assert_eq!(*cursor.position(), position);
                    }
                    9 => cursor.annotate(Annotation::Nag(Nag(1))).unwrap(),
                    10 => cursor.to_start(),
                    _ if next(8) == 0 => {
                        cursor.remove();
                    }
                    _ if next(8) == 0 => cursor.truncate(),
                    _ => cursor.to_end(),
                }
                let moves: Vec<Ply> = cursor.path.iter().map(|step| step.ply).collect();
                let path = format!("{:?}", cursor.path);
                cursor.to_start();
                for ply in moves {
                    assert!(cursor.follow(ply));
                }
                assert_eq!(format!("{:?}", cursor.path), path);
            }
            let text = text_of(&game);
            assert_eq!(text_of(&record(&text)), text);
        }
    }
}
