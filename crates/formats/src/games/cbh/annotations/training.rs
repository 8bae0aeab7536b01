//! Training questions (kind 09, variant 1). Little-endian, unlike the rest of `.cba`.

use tabia_core::error::Malformed;
use tabia_core::game::{Training, TrainingSolution, TrainingText};
use tabia_core::io::{Cursor, Sink};

use crate::games::cbh::charset::{TextForm, Texts, encode_text};
use crate::games::cbh::field_codecs::{decode_square, encode_square};

/// Decodes a training question; `None` if the data has another layout.
pub(super) fn decode(data: &[u8], texts: Texts) -> Option<Training> {
    let mut cursor = Cursor::new(data);
    let training = fields(&mut cursor, texts).ok()??;
    cursor.is_empty().then_some(training)
}

fn fields(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Option<Training>, Malformed> {
    if cursor.array("mark")? != [1, 0, 1] {
        return Ok(None);
    }
    let left = cursor.left();
    if usize::from(cursor.u16_le("size")?) != left {
        return Ok(None);
    }
    let mut training = Training {
        seconds: cursor.i32_le("seconds")?,
        points: cursor.i16_le("points")?,
        question: list(cursor, texts)?,
        wrong: list(cursor, texts)?,
        first_help: list(cursor, texts)?,
        second_help: list(cursor, texts)?,
        ..Training::default()
    };
    for _ in 0..cursor.u8("solutions")? {
        let [from, to, promotion, points] = cursor.array("solution")?;
        let (Some(from), Some(to)) = (decode_square(from), decode_square(to)) else {
            return Ok(None);
        };
        training.solutions.push(TrainingSolution {
            from,
            to,
            promotion,
            points,
            comments: list(cursor, texts)?,
        });
    }
    Ok(Some(training))
}

fn list(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Vec<TrainingText>, Malformed> {
    let mut list = Vec::new();
    for _ in 0..cursor.u16_le("texts")? {
        let language = cursor.u16_le("language")?;
        let length = cursor.u16_le("length")?;
        let bytes = cursor.take(usize::from(length), "text")?;
        let mut text = String::new();
        texts.text(bytes, 0, &mut text);
        list.push(TrainingText::new(language, text));
    }
    Ok(list)
}

/// Encodes a training question; `None` if a value does not fit its field.
pub(super) fn encode(training: &Training, form: TextForm, data: &mut Sink) -> Option<()> {
    data.bytes(&[1, 0, 1]);
    let size_at = data.len();
    data.u16_le(0);
    data.i32_le(training.seconds);
    data.i16_le(training.points);
    for list in [
        &training.question,
        &training.wrong,
        &training.first_help,
        &training.second_help,
    ] {
        put_list(list, form, data)?;
    }
    data.u8(u8::try_from(training.solutions.len()).ok()?);
    for solution in &training.solutions {
        data.bytes(&[
            encode_square(solution.from),
            encode_square(solution.to),
            solution.promotion,
            solution.points,
        ]);
        put_list(&solution.comments, form, data)?;
    }
    let size = u16::try_from(data.len() - size_at).ok()?;
    data.patch_u16_le(size_at, size);
    Some(())
}

fn put_list(list: &[TrainingText], form: TextForm, data: &mut Sink) -> Option<()> {
    data.u16_le(u16::try_from(list.len()).ok()?);
    for entry in list {
        let mut bytes = Vec::new();
        encode_text(&entry.text, 0, form, &mut bytes);
        data.u16_le(entry.language);
        data.u16_le(u16::try_from(bytes.len()).ok()?);
        data.bytes(&bytes);
    }
    Some(())
}
