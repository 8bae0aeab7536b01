//! Commands of the profile `chessbase`: `[%eval]`, `[%evp]` and `[%tqu]`.

use std::io::Write as _;

use tabia_core::game::{Eval, EvalPoint, EvalProfile, Score, Training, TrainingText};

/// ChessBase's names of the languages of texts, by number.
pub(super) const TEXT_LANGUAGES: [&str; 8] = ["En", "De", "Fr", "Es", "It", "Nl", "Pt", ""];

/// Writes `[%evp <first>,<last>,v,…]`: the evaluations from the first position with one on.
pub(super) fn write_eval_profile(profile: &EvalProfile, out: &mut Vec<u8>) {
    let points = &profile.points;
    let first = points.iter().position(|point| point.flag != NO_VALUE);
    let first = first.filter(|first| *first <= MAX_FIRST).unwrap_or(0);
    let _ = write!(out, "[%evp {first},{}", points.len() as i64 - 1);
    for (ply, point) in points.iter().enumerate().skip(first) {
        let value = i32::from(point.value);
        let value = match point.flag {
            // Who has mated has just moved: Black before White's moves.
            1 if value == 0 && ply % 2 == 1 => 30_000,
            1 if value <= 0 => -30_000 - value,
            1 => 30_000 - value,
            NO_VALUE => 32_767,
            _ => value,
        };
        let _ = write!(out, ",{value}");
    }
    out.push(b']');
}

/// The flag of a position without an evaluation.
const NO_VALUE: u8 = 0xff;
/// Positions without an evaluation that a reader accepts before the first value.
pub(super) const MAX_FIRST: usize = 500;

/// Whether the command states less of a point: depths, other flags, and values that are read as mates.
pub(super) fn point_is_reduced(point: EvalPoint) -> bool {
    let is_value = match point.flag {
        0 => (-28_999..=28_999).contains(&point.value),
        1 => (-1000..=1000).contains(&point.value),
        NO_VALUE => point.value == 0,
        _ => false,
    };
    point.depth != 0 || !is_value
}

/// An evaluation as ChessBase writes it: hundredths, or 32767 less the moves to mate, and the depth, 0 if
/// unknown. `None` if it would be read as another one.
pub(super) fn eval_numbers(eval: &Eval) -> Option<(i32, u16)> {
    let value = match eval.score {
        Score::Centipawns(value) => Some(value).filter(|value| value.abs() < FIRST_MATE)?,
        Score::Mate(moves @ 1..=1000) => 32_767 - moves,
        Score::Mate(moves @ -1000..=0) => -32_767 - moves,
        Score::Mate(_) => return None,
    };
    Some((value, eval.depth.unwrap_or(0)))
}

/// The least number for a mate.
const FIRST_MATE: i32 = 31_767;

/// The score of a number with a depth, the reverse of [`eval_numbers`].
pub(super) fn score_of_number(value: i32) -> Score {
    match value {
        FIRST_MATE..=32_767 => Score::Mate(32_767 - value),
        -32_767..=-31_767 => Score::Mate(-32_767 - value),
        _ => Score::Centipawns(value),
    }
}

/// Whether [`write_training`] leaves something out: other languages, seconds, answers to wrong moves.
pub(super) fn training_is_reduced(training: &Training) -> bool {
    let language = question_language(training);
    let has_other_text = |texts: &[TrainingText]| {
        let is_other = |text: &TrainingText| text.language != language || !text.shapes.is_empty();
        texts.len() > 1 || texts.iter().any(is_other)
    };
    training.seconds != 0
        || !training.choices.is_empty()
        || training.points != 0
        || !training.wrong.is_empty()
        || has_other_text(&training.question)
        || has_other_text(&training.first_help)
        || has_other_text(&training.second_help)
        || training
            .solutions
            .iter()
            .any(|solution| solution.promotion != 0 || has_other_text(&solution.comments))
}

/// Writes `[%tqu "En","question","help","help","h6f8","comment",6]` in the language of the question.
pub(super) fn write_training(training: &Training, out: &mut Vec<u8>) {
    let language = question_language(training);
    let text = |texts: &[TrainingText]| -> String {
        texts
            .iter()
            .find(|text| text.language == language)
            .map_or_else(String::new, |found| {
                found
                    .text
                    .chars()
                    .map(|c| match c {
                        '"' => '\'',
                        '{' | '[' => '(',
                        '}' | ']' => ')',
                        c if c.is_ascii_control() => ' ',
                        c => c,
                    })
                    .collect()
            })
    };
    let name = TEXT_LANGUAGES.get(usize::from(language)).unwrap_or(&"");
    let _ = write!(
        out,
        "[%tqu \"{name}\",\"{}\",\"{}\",\"{}\"",
        text(&training.question),
        text(&training.first_help),
        text(&training.second_help)
    );
    for solution in &training.solutions {
        let (from, to) = (solution.from, solution.to);
        let comment = text(&solution.comments);
        let _ = write!(out, ",\"{from}{to}\",\"{comment}\",{}", solution.points);
    }
    out.push(b']');
}

/// The number of the first language of the question, at most 7; 0 (English) if there is no question.
fn question_language(training: &Training) -> u16 {
    training
        .question
        .first()
        .map_or(0, |text| text.language)
        .min(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_those_of_chessbase() {
        let eval = |score, depth| {
            let eval = Eval {
                score,
                depth,
                engine: 0,
            };
            eval_numbers(&eval)
        };
        assert_eq!(eval(Score::Mate(0), None), Some((-32_767, 0)));
        assert_eq!(eval(Score::Mate(3), Some(7)), Some((32_764, 7)));
        assert_eq!(eval(Score::Mate(-2), None), Some((-32_765, 0)));
        assert_eq!(eval(Score::Centipawns(-21), Some(16)), Some((-21, 16)));
        assert_eq!(eval(Score::Centipawns(32_000), None), None);
        for score in [
            Score::Mate(0),
            Score::Mate(5),
            Score::Mate(-5),
            Score::Centipawns(-7),
        ] {
            let (value, _) = eval(score, None).unwrap();
            assert_eq!(score_of_number(value), score);
        }
    }

    #[test]
    fn profiles_begin_with_their_first_value() {
        let point = |flag, value| EvalPoint {
            flag,
            depth: 0,
            value,
        };
        let points = vec![point(0xff, 0), point(0, 20), point(1, 0), point(0x20, 34)];
        let mut out = Vec::new();
        write_eval_profile(&EvalProfile { points }, &mut out);
        assert_eq!(out, b"[%evp 1,3,20,-30000,34]");
    }
}
