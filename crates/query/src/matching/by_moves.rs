//! What the moves and annotations of a game decide.

use tabia_core::chess::{Ply, Position, Role, Setup};
use tabia_core::game::{Annotation, ClockKind, GameHead, GameResult, Score, ShapeKind, TextKind};

use super::answer::Answer;
use crate::fold_case::{fold, fold_into};
use crate::language::{Ends, NameField, NameTest, Part, Test, begins_word};
use crate::openings;

/// Plies after the last named position from which on no position has a name.
const UNNAMED_PLIES: u32 = 36;

/// What a game has shown so far, as far as terms that are not decided ask for it.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    pub(super) needs: Needs,
    needs_moves: bool,
    /// Plies of the mainline.
    pub(super) plies: u32,
    /// Variations that are open.
    depth: u32,
    first: Vec<Ply>,
    is_standard: bool,
    /// The position before the last ply of the mainline, and that ply; the start position before.
    last: Option<(Position, Option<Ply>)>,
    keys: Vec<u64>,
    opening: Option<(&'static str, u32)>,
    parts: Vec<Part>,
    termination: String,
    white: String,
    black: String,
    folded: String,
}

/// What terms that are not decided ask for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Needs {
    /// First plies, at most that many.
    pub(super) line: usize,
    pub(super) opening: bool,
    pub(super) last_position: bool,
    pub(super) keys: bool,
    pub(super) termination: bool,
    pub(super) players: bool,
    pub(super) parts: bool,
    /// The plies themselves may decide a term.
    pub(super) plies: bool,
}

impl Needs {
    /// Adds what a term asks for.
    pub(super) fn add(&mut self, test: &Test) {
        match test {
            Test::Line(lines) => {
                let longest = lines.iter().map(Vec::len).max().unwrap_or_default();
                self.line = self.line.max(longest);
                self.plies = true;
            }
            Test::Plies(_) | Test::Moves(_) => self.plies = true,
            Test::Opening(_) => {
                self.plies = true;
                self.opening = true;
                self.last_position = true;
            }
            Test::Ends(ends) => {
                self.last_position |= ends.iter().any(|end| end.is_position());
                self.keys |= ends.contains(&Ends::Repetition);
                self.termination |= ends.iter().any(|end| !end.is_position());
            }
            Test::Name(..) => self.players = true,
            Test::Has(_) => self.parts = true,
            _ => {}
        }
    }
}

impl Progress {
    /// A game begins.
    pub(super) fn begin(&mut self, head: &GameHead, needs: Needs) {
        self.needs = needs;
        self.needs_moves =
            needs.line > 0 || needs.opening || needs.last_position || needs.keys || needs.plies;
        self.plies = 0;
        self.depth = 0;
        self.first.clear();
        self.keys.clear();
        self.opening = None;
        self.parts.clear();
        self.is_standard = head
            .start
            .setup
            .as_ref()
            .is_none_or(|setup| **setup == Setup::standard());
        self.last = None;
        if needs.last_position {
            self.last = head.first_position().map(|position| (position, None));
        }
        if needs.termination {
            fold_into(head.tags.text("Termination"), &mut self.termination);
        }
        if needs.players {
            fold_into(head.tags.text("White"), &mut self.white);
            fold_into(head.tags.text("Black"), &mut self.black);
        }
    }

    /// Whether the last ply visited may have decided a term.
    pub(super) fn may_decide(&self) -> bool {
        self.depth == 0 && self.needs.plies
    }

    /// Whether a term that is not decided asks for moves.
    #[inline]
    pub(super) fn needs_moves(&self) -> bool {
        self.needs_moves
    }

    pub(super) fn visit_move(&mut self, before: &Position, ply: Ply) {
        if self.depth > 0 {
            return;
        }
        let needs = self.needs;
        if self.first.len() < needs.line {
            self.first.push(ply);
        }
        if needs.opening
            && let Some(opening) = openings::lookup(before)
        {
            self.opening = Some((opening.name, self.plies));
        }
        if needs.keys {
            self.keys.push(before.key());
        }
        if needs.last_position {
            match &mut self.last {
                Some((position, last)) => {
                    position.clone_from(before);
                    *last = Some(ply);
                }
                last => *last = Some((before.clone(), Some(ply))),
            }
        }
        self.plies += 1;
    }

    pub(super) fn begin_variation(&mut self) {
        self.note(Part::Variations);
        self.depth += 1;
    }

    pub(super) fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn note(&mut self, part: Part) {
        if self.needs.parts && !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// Notes the part of a game that an annotation is.
    pub(super) fn visit_annotation(&mut self, annotation: &Annotation<'_>) {
        match annotation {
            Annotation::Comment(_) => self.note(Part::Comments),
            Annotation::Nag(_) => self.note(Part::Nags),
            Annotation::Clock(_) => self.note(Part::Clock),
            Annotation::Eval(_) | Annotation::EvalProfile(_) => self.note(Part::Eval),
            Annotation::Shape(shape) if matches!(shape.kind, ShapeKind::Arrow(..)) => {
                self.note(Part::Arrows);
            }
            _ => {}
        }
    }

    /// What the plies so far decide about a term.
    pub(super) fn answer_to_plies(&self, test: &Test) -> Answer {
        match test {
            Test::Line(lines) => self.answer_to_lines(lines, false),
            Test::Plies(bounds) if exceeds(bounds, self.plies) => Answer::No,
            Test::Moves(bounds) if exceeds(bounds, self.plies.div_ceil(2)) => Answer::No,
            Test::Opening(texts) => {
                let last = self.opening.map_or(0, |(_, ply)| ply);
                if self.plies > last + UNNAMED_PLIES {
                    self.opening_fits(texts).into()
                } else {
                    Answer::Maybe
                }
            }
            _ => Answer::Maybe,
        }
    }

    fn answer_to_lines(&self, lines: &[Vec<Ply>], is_over: bool) -> Answer {
        if !self.is_standard {
            return Answer::No;
        }
        if lines.iter().any(|line| self.first.starts_with(line)) {
            return Answer::Yes;
        }
        let is_open = !is_over && lines.iter().any(|line| line.starts_with(&self.first));
        if is_open { Answer::Maybe } else { Answer::No }
    }

    fn opening_fits(&self, texts: &[String]) -> bool {
        self.opening.is_some_and(|(name, _)| {
            let name = fold(name);
            texts.iter().any(|text| match text.strip_prefix('=') {
                Some(whole) => name
                    .strip_prefix(whole)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(':')),
                None => begins_word(&name, text),
            })
        })
    }

    /// What an annotation decides about a term: `Yes`, or nothing.
    pub(super) fn answer_to_annotation(
        &mut self,
        test: &Test,
        annotation: &Annotation<'_>,
    ) -> Answer {
        let fits = match (test, annotation) {
            (Test::Text(texts), Annotation::Comment(comment)) => self.has_text(comment.text, texts),
            (Test::Text(texts), Annotation::Text(part)) => self.has_text(part.text, texts),
            (Test::Word(texts), Annotation::Text(part)) if part.kind == TextKind::Title => {
                self.has_text(part.text, texts)
            }
            (Test::Name(NameField::Event, tests), Annotation::Text(part))
                if part.kind == TextKind::Title =>
            {
                fold_into(part.text, &mut self.folded);
                tests.iter().any(|test| test.fits(&self.folded))
            }
            (Test::Nag(nags), Annotation::Nag(nag)) => nags.contains(&nag.0),
            (Test::Medal(medals), Annotation::Medals(bits)) => {
                medals.iter().any(|medal| bits >> medal.0 & 1 != 0)
            }
            (Test::Eval(tests), Annotation::Eval(eval)) => {
                tests.iter().any(|test| test.fits(eval.score))
            }
            (Test::Eval(tests), Annotation::EvalProfile(profile)) => {
                profile.points.iter().any(|point| {
                    let score = match point.flag {
                        0 => Score::Centipawns(i32::from(point.value)),
                        1 => Score::Mate(i32::from(point.value)),
                        _ => return false,
                    };
                    tests.iter().any(|test| test.fits(score))
                })
            }
            (Test::Clock(bounds), Annotation::Clock(clock))
                if clock.kind == ClockKind::Remaining =>
            {
                let time = i64::try_from(clock.time.as_millis()).unwrap_or(i64::MAX);
                bounds.iter().any(|range| range.has(time))
            }
            (Test::Has(parts), _) => self.parts.iter().any(|part| parts.contains(part)),
            _ => false,
        };
        if fits { Answer::Yes } else { Answer::Maybe }
    }

    fn has_text(&mut self, text: &str, wanted: &[String]) -> bool {
        fold_into(text, &mut self.folded);
        wanted.iter().any(|text| begins_word(&self.folded, text))
    }

    /// What a variation decides about a term.
    pub(super) fn answer_to_variation(test: &Test) -> Answer {
        match test {
            Test::Has(parts) if parts.contains(&Part::Variations) => Answer::Yes,
            _ => Answer::Maybe,
        }
    }

    /// Plays the last ply, after which the position is the last one.
    pub(super) fn end(&mut self) {
        let Some((position, ply)) = &mut self.last else {
            return;
        };
        if let Some(ply) = ply.take() {
            position.play_ply(ply);
        }
        let key = position.key();
        if self.needs.opening
            && let Some(opening) = openings::by_key(key)
        {
            self.opening = Some((opening.name, self.plies));
        }
        if self.needs.keys {
            self.keys.push(key);
        }
    }

    /// Whether a term holds that nothing has decided before the end of the game.
    pub(super) fn holds_at_end(&self, test: &Test, result: GameResult) -> bool {
        match test {
            Test::Result(tests) => tests.iter().any(|test| test.fits(result)),
            Test::Name(field @ (NameField::Winner | NameField::Loser), tests) => {
                let white_won = match result.to_pgn() {
                    GameResult::WhiteWins => true,
                    GameResult::BlackWins => false,
                    _ => return false,
                };
                let is_white = white_won == (*field == NameField::Winner);
                let name = if is_white { &self.white } else { &self.black };
                tests.iter().any(|test: &NameTest| test.fits(name))
            }
            Test::Plies(bounds) => {
                let plies = i64::from(self.plies);
                bounds.iter().any(|range| range.has(plies))
            }
            Test::Moves(bounds) => {
                let moves = i64::from(self.plies.div_ceil(2));
                bounds.iter().any(|range| range.has(moves))
            }
            Test::Line(lines) => self.answer_to_lines(lines, true) == Answer::Yes,
            Test::Opening(texts) => self.opening_fits(texts),
            Test::Ends(ends) => ends.iter().any(|end| self.ended_by(*end, result)),
            _ => false,
        }
    }

    fn ended_by(&self, end: Ends, result: GameResult) -> bool {
        let position = || self.last.as_ref().map(|(position, _)| position);
        let has_word = |word: &str| begins_word(&self.termination, word);
        match end {
            Ends::Mate => position().is_some_and(Position::is_checkmate),
            Ends::Stalemate => position().is_some_and(Position::is_stalemate),
            Ends::Material => position().is_some_and(has_insufficient_material),
            Ends::Fifty => position().is_some_and(|position| position.half_move_clock() >= 100),
            Ends::Repetition => self
                .keys
                .last()
                .is_some_and(|last| self.keys.iter().filter(|key| *key == last).count() >= 3),
            Ends::Time => has_word("time"),
            Ends::Resign => has_word("resign"),
            Ends::Forfeit => {
                let words = ["forfeit", "abandon", "rules infraction"];
                result.is_special() || (!has_word("time") && words.into_iter().any(has_word))
            }
        }
    }
}

/// Whether a number is above all ranges.
fn exceeds(bounds: &[crate::language::Bounds], number: u32) -> bool {
    bounds
        .iter()
        .all(|range| range.high.is_some_and(|high| high < i64::from(number)))
}

/// Whether no sequence of moves leads to mate: kings alone, with one minor piece, or with bishops on
/// squares of one colour only.
fn has_insufficient_material(position: &Position) -> bool {
    const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
    let of = |role: Role| position.by_role(role);
    let heavy = of(Role::Pawn).0 | of(Role::Rook).0 | of(Role::Queen).0;
    let (knights, bishops) = (of(Role::Knight), of(Role::Bishop));
    if heavy != 0 {
        return false;
    }
    if knights.is_empty() {
        return bishops.0 & LIGHT == 0 || bishops.0 & !LIGHT == 0;
    }
    knights.count() == 1 && bishops.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_that_cannot_mate() {
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
            ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", false),
            ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
            ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/2B1KN2 w - - 0 1", false),
        ] {
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            assert_eq!(has_insufficient_material(&position), expected, "{fen}");
        }
    }
}
