//! Reduces a game to the features of a format.

use std::borrow::Cow;

use crate::chess::{Ply, Position};
use crate::game::{Annotation, Flow, Game, GameHead, GameResult, Recorder, Visitor, Want};
use crate::ids::GameIndex;
use crate::loss::{Feature, Features, Losses};

/// Reduces `game` to the features in `can`; returns the reduced game and the losses. Nothing is
/// written.
///
/// A format with further restrictions, such as field lengths, applies them to the result. A game
/// without losses is borrowed. The losses name no game; add it with [`Losses::in_game`].
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Annotation, Feature, Features, Flow, Game, GameHead, GameIndex, GameResult, Nag, Visitor, project};
///
/// let mut game = Game::new();
/// let mut recorder = game.recorder();
/// let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
/// let _ = recorder.visit_annotation(Annotation::Nag(Nag(1)));
/// recorder.end_game(GameResult::Draw);
///
/// let (reduced, losses) = project(Features::ALL.without(&[Feature::Nags]), &game);
/// assert!(!reduced.has_annotations());
/// assert_eq!(losses.count(Feature::Nags), 1);
/// ```
pub fn project(can: Features, game: &Game) -> (Cow<'_, Game>, Losses) {
    let mut check = Projector::new(can, None);
    let _ = game.replay(GameIndex(0), Want::ALL, &mut check);
    if check.losses.is_empty() {
        return (Cow::Borrowed(game), check.losses);
    }
    let mut reduced = Game::default();
    let mut projector = Projector::new(can, Some(reduced.recorder()));
    let _ = game.replay(GameIndex(0), Want::ALL, &mut projector);
    let losses = projector.losses;
    (Cow::Owned(reduced), losses)
}

/// Counts the losses and passes the rest on.
struct Projector<'g> {
    can: Features,
    losses: Losses,
    out: Option<Recorder<&'g mut Game>>,
    depth: u32,
    /// Depth of the line whose rest is left out because of a null move in it.
    muted: Option<u32>,
}

impl<'g> Projector<'g> {
    fn new(can: Features, out: Option<Recorder<&'g mut Game>>) -> Self {
        Self {
            can,
            losses: Losses::new(),
            out,
            depth: 0,
            muted: None,
        }
    }

    fn lose(&mut self, feature: Feature) -> bool {
        let lost = !self.can.has(feature);
        if lost {
            self.losses.add(feature, 1, None);
        }
        lost
    }
}

impl Visitor for Projector<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        let mut head = Cow::Borrowed(head);
        if head.deleted && self.lose(Feature::DeletionMarks) {
            head.to_mut().deleted = false;
        }
        match &mut self.out {
            Some(out) => out.begin_game(game, &head),
            None => Flow::Go,
        }
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.muted.is_some() {
            return Flow::Go;
        }
        if ply == Ply::Null && self.lose(Feature::NullMoves) {
            // The rest of the line would not be legal without the null move.
            self.muted = Some(self.depth);
            return Flow::Go;
        }
        match &mut self.out {
            Some(out) => out.visit_move(before, ply),
            None => Flow::Go,
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.muted.is_some() || self.lose(annotation.feature()) {
            return Flow::Go;
        }
        let reduced = annotation.reduce(self.can, &mut self.losses);
        match &mut self.out {
            Some(out) => out.visit_annotation(reduced),
            None => Flow::Go,
        }
    }

    fn begin_variation(&mut self) -> Flow {
        if self.muted.is_some() || self.lose(Feature::Variations) {
            return Flow::Skip;
        }
        self.depth += 1;
        match &mut self.out {
            Some(out) => out.begin_variation(),
            None => Flow::Go,
        }
    }

    fn end_variation(&mut self) {
        if self.muted == Some(self.depth) {
            self.muted = None;
        }
        self.depth -= 1;
        if let Some(out) = &mut self.out {
            out.end_variation();
        }
    }

    fn end_game(&mut self, result: GameResult) {
        let reduced = if result.is_special() && self.lose(Feature::SpecialResults) {
            result.to_pgn()
        } else {
            result
        };
        if let Some(out) = &mut self.out {
            out.end_game(reduced);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::san;
    use crate::game::{Comment, CommentPlacement, Eval, Language, Nag, Score};

    /// `1. e4 $1 {(de) before} (1. -- e5) 1... -- 2. d4`, deleted, won by forfeit.
    fn game() -> Game {
        let mut game = Game::new();
        let mut out = game.recorder();
        let start = Position::standard();
        let e4 = san::read(&start, b"e4").unwrap();
        let _ = out.begin_game(
            GameIndex(0),
            &GameHead {
                deleted: true,
                ..GameHead::default()
            },
        );
        let _ = out.visit_move(&start, e4);
        for annotation in [
            Annotation::Nag(Nag(1)),
            Annotation::Comment(Comment {
                placement: CommentPlacement::Before,
                language: Language::iso(*b"de"),
                text: "vor",
            }),
            Annotation::Eval(Eval {
                score: Score::Centipawns(31),
                depth: Some(20),
                engine: 0,
            }),
        ] {
            let _ = out.visit_annotation(annotation);
        }
        let _ = out.begin_variation();
        out.push_move(Ply::Null);
        let mut passed = start.clone();
        passed.play_null();
        out.push_move(san::read(&passed, b"e5").unwrap());
        out.end_variation();
        out.push_move(Ply::Null);
        out.end_game(GameResult::WhiteWinsByForfeit);
        game
    }

    #[test]
    fn a_game_without_losses_is_borrowed() {
        let game = game();
        let (reduced, losses) = project(Features::ALL, &game);
        assert!(matches!(reduced, Cow::Borrowed(_)) && losses.is_empty());
    }

    #[test]
    fn features_outside_the_set_are_dropped_and_counted() {
        let game = game();
        let can = Features::ALL.without(&[
            Feature::NullMoves,
            Feature::Languages,
            Feature::CommentPlacement,
            Feature::EvalDepths,
            Feature::DeletionMarks,
            Feature::SpecialResults,
        ]);
        let (reduced, losses) = project(can, &game);
        assert_eq!(reduced.result, GameResult::WhiteWins);
        assert!(!reduced.head.deleted);
        assert_eq!(reduced.ply_count(), 1);
        for (feature, count) in [
            (Feature::NullMoves, 2),
            (Feature::Languages, 1),
            (Feature::CommentPlacement, 1),
            (Feature::EvalDepths, 1),
            (Feature::DeletionMarks, 1),
            (Feature::SpecialResults, 1),
        ] {
            assert_eq!(losses.count(feature), count, "{feature:?}");
        }
        // Reducing the result again loses nothing.
        assert!(project(can, &reduced).1.is_empty());
    }
}
