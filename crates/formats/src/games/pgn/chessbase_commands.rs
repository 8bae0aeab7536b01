//! Commands of the profile `chessbase`: `[%evp]` and `[%tqu]`.

use std::io::Write as _;

use tabia_core::game::{EvalProfile, Training, TrainingText};

use super::command_parser::TEXT_LANGUAGES;

/// Writes `[%evp 0,<count - 1>,v0,…]`.
pub(super) fn write_eval_profile(profile: &EvalProfile, out: &mut Vec<u8>) {
    let _ = write!(out, "[%evp 0,{}", profile.points.len() as i64 - 1);
    for point in &profile.points {
        let value = i32::from(point.value);
        let value = match point.flag {
            0 => value,
            1 if value < 0 => -30_000 - value,
            1 => 30_000 - value,
            _ => 32_767,
        };
        let _ = write!(out, ",{value}");
    }
    out.push(b']');
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
