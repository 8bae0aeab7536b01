//! Tests of a moment that are decided after it was passed: by the next plies, or by the annotations of
//! the move played from it.

use tabia_core::chess::Color;
use tabia_core::game::Score;

use super::values::{Bounds, EvalTest, Medal, begins_word};

/// Plies after the moment by which the material must have been given, and after which it must not have
/// been won back.
pub(crate) const GIVEN_WITHIN: u32 = 3;
pub(crate) const STILL_GIVEN: u32 = 6;

/// What is asked of the plies and annotations after a moment.
#[derive(Debug, Clone)]
pub(crate) enum Later {
    Sacrifice(Sacrifice),
    Note(Note),
}

/// The mover gives material.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sacrifice {
    by: Option<Color>,
    /// Pawns at least.
    least: i64,
}

impl Sacrifice {
    /// Parses `white`, `black`, `5` or `>=5`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let by = match text.to_ascii_lowercase().as_str() {
            "white" | "w" => Some(Color::White),
            "black" | "b" => Some(Color::Black),
            _ => None,
        };
        if by.is_some() {
            return Some(Self { by, least: 2 });
        }
        let number = text.strip_prefix(">=").unwrap_or(text);
        let least = number.parse::<i64>().ok().filter(|least| *least > 0)?;
        Some(Self { by: None, least })
    }

    /// Whether the side to move sacrifices. `balances`: White's material minus Black's in pawns at the
    /// moment and after each ply; `mates`: the mover mates at the last of them.
    pub(crate) fn fits(&self, mover: Color, balances: &[i32], mates: bool) -> bool {
        if self.by.is_some_and(|by| by != mover) {
            return false;
        }
        let sign = if mover.is_white() { 1 } else { -1 };
        let Some(now) = balances.first().map(|balance| sign * balance) else {
            return false;
        };
        let given = |balance: &i32| i64::from(now - sign * balance) >= self.least;
        let within = balances.get(1..).unwrap_or_default();
        let early = within.get(..GIVEN_WITHIN as usize).unwrap_or(within);
        if !early.iter().any(given) {
            return false;
        }
        let is_mate = mates && within.len() <= STILL_GIVEN as usize;
        let last = within.get(STILL_GIVEN as usize - 1).or(within.last());
        is_mate || last.is_some_and(given)
    }
}

/// An annotation at the moment: an evaluation of its position, or a comment, symbol, medal or clock of
/// the move played from it.
#[derive(Debug, Clone)]
pub(crate) enum Note {
    /// Folded text that begins a word.
    Text(String),
    Nag(u8),
    Medal(Medal),
    Eval(EvalTest),
    /// Milliseconds.
    Clock(Bounds),
}

/// An annotation as far as a [`Note`] asks for it.
#[derive(Debug, Clone)]
pub(crate) enum Fact {
    /// A folded comment.
    Text(String),
    Nag(u8),
    Medals(u32),
    Eval(Score),
    /// Milliseconds.
    Clock(i64),
}

impl Note {
    pub(crate) fn fits(&self, fact: &Fact) -> bool {
        match (self, fact) {
            (Self::Text(text), Fact::Text(comment)) => begins_word(comment, text),
            (Self::Nag(wanted), Fact::Nag(nag)) => wanted == nag,
            (Self::Medal(medal), Fact::Medals(bits)) => bits >> medal.0 & 1 != 0,
            (Self::Eval(test), Fact::Eval(score)) => test.fits(*score),
            (Self::Clock(bounds), Fact::Clock(time)) => bounds.has(*time),
            _ => false,
        }
    }

    /// Whether it is about the position of the moment, not about the move played from it.
    pub(crate) fn is_about_position(&self) -> bool {
        matches!(self, Self::Eval(_))
    }
}

impl Later {
    /// The same for the position with colours exchanged.
    pub(super) fn mirror(&self, color: bool) -> Self {
        match self {
            Self::Sacrifice(test) if color => Self::Sacrifice(Sacrifice {
                by: test.by.map(Color::other),
                ..*test
            }),
            Self::Note(Note::Eval(EvalTest::Centipawns(bounds))) if color => {
                Self::Note(Note::Eval(EvalTest::Centipawns(bounds.negated())))
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sacrifice_is_not_won_back_within_six_plies() {
        let fits = |text: &str, balances: &[i32], mates| {
            let test = Sacrifice::parse(text).unwrap();
            test.fits(Color::White, balances, mates)
        };
        let exchange = [0, 3, -2, -2, -2, -2, -2, 9];
        assert!(fits("2", &exchange, false) && fits("white", &exchange, false));
        assert!(!fits(">=3", &exchange, false) && !fits("black", &exchange, false));
        assert!(!fits("2", &[0, 0, -9, 0, 0, 0, 0], false));
        assert!(!fits("2", &[0, 0, 0, 0, -9, -9, -9], false));
        // The game ends before: the last position counts, or mate.
        assert!(fits("5", &[0, 0, -9, -8], false));
        assert!(fits("5", &[0, 0, -9, 0], true) && !fits("5", &[0, 0, -9, 0], false));
        for text in ["", "0", "-1", "red", "<3"] {
            assert!(Sacrifice::parse(text).is_none(), "{text}");
        }
    }
}
