//! Encodes the data of annotations.

use tabia_core::game::{Annotation, Eval, Language, MediaKind, Score, TimeControl};
use tabia_core::io::Sink;
use tabia_core::loss::Feature;

use super::data_lengths::kind;
use super::{ANY_LANGUAGE, FORM, LANGUAGES, quotation, training};
use crate::games::cbh::annotations::{symbol_slots, time_spent_bytes};
use crate::games::cbh::charset::encode_text;

/// The data of a symbols item with these NAGs in their usual slots; `None` if one item cannot store them in
/// this order.
pub(super) fn usual_symbols(nags: impl Iterator<Item = u8>) -> Option<[u8; 3]> {
    symbol_slots(nags).map(|(slots, _)| slots)
}

/// The number of a language, and that of its nation; `None` if it has no number.
pub(super) fn language_numbers(language: Option<Language>) -> (Option<u16>, u8) {
    let Some(language) = language else {
        return (Some(ANY_LANGUAGE), 0);
    };
    let letters = language.letters();
    let found = LANGUAGES.iter().find(|(_, code, _)| Some(*code) == letters);
    found.map_or((None, 0), |(number, _, nation)| (Some(*number), *nation))
}

/// Encodes the data of an annotation that is always stored alone, and returns its kind.
///
/// # Errors
/// The feature that is lost if the annotation cannot be stored.
pub(super) fn encode(annotation: &Annotation<'_>, data: &mut Sink) -> Result<u16, Feature> {
    let kind = match annotation {
        Annotation::Clock(clock) => {
            let [hours, minutes, seconds, hundredths] =
                time_spent_bytes(*clock).ok_or(Feature::Clocks)?;
            data.bytes(&[hundredths, seconds, minutes, hours]);
            kind::TIME_SPENT
        }
        Annotation::Eval(eval) => {
            encode_eval(*eval, data).ok_or(Feature::Evals)?;
            kind::EVAL
        }
        Annotation::Medals(bits) => {
            data.u32_le(*bits);
            kind::MEDALS
        }
        Annotation::Critical(critical) => {
            data.u8(critical.0);
            kind::CRITICAL
        }
        Annotation::VariationColor(color) => {
            data.bytes(&[color.red, color.green, color.blue, color.flags]);
            kind::VARIATION_COLOR
        }
        Annotation::PawnStructure(value) => {
            data.u8(*value);
            kind::PAWN_STRUCTURE
        }
        Annotation::PiecePath(path) => {
            data.u32_le(2);
            data.bytes(&[path.kind, path.square]);
            kind::PIECE_PATH
        }
        Annotation::VideoTime(time) => {
            data.i32_le(*time);
            kind::VIDEO_TIME
        }
        Annotation::TimeControl(control) => {
            encode_time_control(control, data);
            kind::TIME_CONTROL
        }
        Annotation::EvalProfile(profile) => {
            let count = u16::try_from(profile.points.len()).map_err(|_| Feature::EvalProfiles)?;
            data.u8(1);
            data.u32_le(2 + 4 * u32::from(count));
            data.u16_le(count);
            for point in &profile.points {
                data.i16_le(point.value);
                data.bytes(&[point.depth, point.flag]);
            }
            kind::EVAL_PROFILE
        }
        Annotation::Training(training) => {
            training::encode(training, data).ok_or(Feature::Training)?;
            kind::TRAINING
        }
        Annotation::Quotation(quotation) => {
            quotation::encode(quotation, data).ok_or(Feature::Quotations)?;
            kind::QUOTATION
        }
        Annotation::WebLink(link) => {
            data.u8(1);
            put_text(link.url, data).ok_or(Feature::WebLinks)?;
            put_text(link.caption, data).ok_or(Feature::WebLinks)?;
            kind::WEB_LINK
        }
        // The layouts of sounds and pictures are unknown.
        Annotation::Media(media) if media.kind == MediaKind::Video => {
            let (language, _) = language_numbers(media.language);
            data.u16_le(1);
            data.u16_le(language.unwrap_or(ANY_LANGUAGE));
            put_text(media.text, data).ok_or(Feature::Media)?;
            kind::VIDEO
        }
        other => return Err(other.feature()),
    };
    Ok(kind.into())
}

fn put_text(text: &str, data: &mut Sink) -> Option<()> {
    let mut bytes = Vec::new();
    encode_text(text, 0, FORM, &mut bytes);
    data.u32_le(u32::try_from(bytes.len()).ok()?);
    data.bytes(&bytes);
    Some(())
}

fn encode_time_control(control: &TimeControl, data: &mut Sink) {
    data.u8(1);
    for stage in &control.stages {
        data.i32_le(stage.start);
        data.i32_le(stage.increment);
        data.u16_le(stage.moves);
        data.u8(stage.kind);
    }
    data.u32_le(0);
}

/// Appends an evaluation; `None` if a number does not fit.
fn encode_eval(eval: Eval, data: &mut Sink) -> Option<()> {
    let (value, kind) = match eval.score {
        Score::Centipawns(value) => (value, 0),
        Score::Mate(moves) => (moves, 1),
    };
    data.i16_le(i16::try_from(value).ok()?);
    data.i16_le(kind);
    data.i16_le(i16::try_from(eval.depth.unwrap_or(0)).ok()?);
    Some(())
}
