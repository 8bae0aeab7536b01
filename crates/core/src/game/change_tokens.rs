//! Finds, inserts and removes tokens of a game; the ends of variations stay right.

use super::game::{Game, Token};
use super::node::Tokens;
use crate::chess::Ply;
use crate::game::{Annotation, Comment, CommentPlacement};

impl Token {
    #[inline]
    pub(super) const fn of(ply: Ply) -> Self {
        match ply {
            Ply::Move(m) => Self::Move(m),
            Ply::Null => Self::Null,
        }
    }
}

impl Game {
    /// The move at an index; `None` if there is another token or none.
    pub(super) fn ply_at(&self, at: usize) -> Option<Ply> {
        match self.tokens.get(at)? {
            Token::Move(m) => Some(Ply::Move(*m)),
            Token::Null => Some(Ply::Null),
            Token::Annotation(_) | Token::BeginVariation { .. } | Token::EndVariation => None,
        }
    }

    /// The tokens from `from` up to the next move or the end of the line, with their indices; of a variation only its
    /// first token.
    pub(super) fn tokens_after_move(&self, from: usize) -> impl Iterator<Item = (usize, Token)> {
        let mut tokens = Tokens {
            game: self,
            next: from,
        };
        std::iter::from_fn(move || {
            let at = tokens.next;
            tokens.next().map(|token| (at, token))
        })
    }

    /// Index of the first token after those of [`tokens_after_move`](Self::tokens_after_move).
    pub(super) fn end_of_tokens_after_move(&self, from: usize) -> usize {
        let last = self.tokens_after_move(from).last();
        last.map_or(from, |(at, token)| match token {
            Token::BeginVariation { end } => end as usize + 1,
            _ => at + 1,
        })
    }

    /// Index of the first token from `from` on that is not an annotation.
    pub(super) fn end_of_annotations(&self, from: usize) -> usize {
        let tokens = self.tokens.iter().skip(from);
        let is_annotation = |token: &&Token| matches!(token, Token::Annotation(_));
        from + tokens.take_while(is_annotation).count()
    }

    /// Index of the `EndVariation` of the variation that begins at `begin`.
    pub(super) fn end_of_variation(&self, begin: usize) -> usize {
        match self.tokens.get(begin) {
            Some(Token::BeginVariation { end }) => *end as usize,
            _ => begin,
        }
    }

    /// Inserts tokens before the one at `at`. The ends of inserted variations are those after the insertion.
    pub(super) fn insert_tokens(&mut self, at: usize, tokens: &[Token]) {
        self.move_ends(at, |end| end + tokens.len() as u32);
        self.tokens.splice(at..at, tokens.iter().copied());
    }

    /// Removes the tokens from `begin` up to `end`: whole variations, moves and annotations.
    pub(super) fn remove_tokens(&mut self, begin: usize, end: usize) {
        self.tokens.drain(begin..end);
        self.move_ends(end, |moved| moved - (end - begin) as u32);
        let is_annotation = |token: &Token| matches!(token, Token::Annotation(_));
        if !self.tokens.iter().any(is_annotation) {
            self.annotations.clear();
        }
    }

    /// Sets the end of each variation after tokens were put into another order.
    pub(super) fn set_ends_of_variations(&mut self) {
        let mut open = Vec::new();
        for at in 0..self.tokens.len() {
            match self.tokens.get(at) {
                Some(Token::BeginVariation { .. }) => open.push(at),
                Some(Token::EndVariation) => {
                    if let Some(Token::BeginVariation { end }) =
                        open.pop().and_then(|begin| self.tokens.get_mut(begin))
                    {
                        *end = at as u32;
                    }
                }
                _ => {}
            }
        }
    }

    /// Makes the comment at an index one before its move; other tokens stay as they are.
    pub(super) fn put_comment_before_move(&mut self, at: usize) {
        let Some(Token::Annotation(index)) = self.tokens.get(at) else {
            return;
        };
        let Some(Annotation::Comment(comment)) = self.annotations.get(*index) else {
            return;
        };
        let text = comment.text.to_owned();
        let moved = self.annotations.push(Annotation::Comment(Comment {
            placement: CommentPlacement::Before,
            language: comment.language,
            text: &text,
        }));
        if let (Ok(moved), Some(token)) = (moved, self.tokens.get_mut(at)) {
            *token = Token::Annotation(moved);
        }
    }

    /// Corrects the ends of variations for tokens at `at` that come or go.
    fn move_ends(&mut self, at: usize, moved: impl Fn(u32) -> u32) {
        for token in &mut self.tokens {
            if let Token::BeginVariation { end } = token
                && *end as usize >= at
                && *end != u32::MAX
            {
                *end = moved(*end);
            }
        }
    }
}
