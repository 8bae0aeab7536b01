//! Training questions (kind 09).

use tabia_core::error::Malformed;
use tabia_core::game::{
    Shape, ShapeKind, Training, TrainingChoice, TrainingSolution, TrainingText,
};
use tabia_core::io::{Cursor, Sink};

use super::{ANY_LANGUAGE, FORM};
use crate::games::cbh::annotations::{color_number, shape};
use crate::games::cbh::charset::{Texts, encode_text};
use crate::games::cbh::field_codecs::{decode_square, encode_square};

/// Contents of an entry of a list: a text, arrows, squares.
mod content {
    pub(super) const TEXT: u16 = 0;
    pub(super) const ARROWS: u16 = 7;
    pub(super) const SQUARES: u16 = 8;
}

/// The variant with moves as answers, and that with texts to choose from.
const MOVES: u8 = 1;
const CHOICES: u8 = 2;

/// Skips a training question; `None` if its layout is unknown.
pub(super) fn skip(cursor: &mut Cursor<'_>) -> Result<Option<()>, Malformed> {
    let [first, second, variant] = cursor.array("mark")?;
    if (first, second) != (1, 1) || !matches!(variant, MOVES | CHOICES) {
        return Ok(None);
    }
    cursor.take(3 + 4 + 2, "training")?;
    for _ in 0..4 {
        skip_list(cursor)?;
    }
    for _ in 0..cursor.u8("solutions")? {
        if variant == MOVES {
            cursor.take(4, "solution")?;
        } else {
            cursor.take(1, "points")?;
            skip_list(cursor)?;
        }
        skip_list(cursor)?;
    }
    Ok(Some(()))
}

fn skip_list(cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
    for _ in 0..cursor.u16_le("texts")? {
        cursor.take(2, "content")?;
        let length = cursor.u32_le("length")? as usize;
        cursor.take(length, "text")?;
    }
    Ok(())
}

/// Decodes a training question; `None` if the data has another layout.
pub(super) fn decode(data: &[u8], texts: Texts) -> Option<Training> {
    let mut cursor = Cursor::new(data);
    let training = fields(&mut cursor, texts).ok()??;
    cursor.is_empty().then_some(training)
}

fn fields(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Option<Training>, Malformed> {
    let [_, _, variant] = cursor.array("mark")?;
    cursor.take(3, "zeros")?;
    let mut training = Training {
        seconds: cursor.i32_le("seconds")?,
        points: cursor.i16_le("points")?,
        ..Training::default()
    };
    for texts_of in [
        &mut training.question,
        &mut training.wrong,
        &mut training.first_help,
        &mut training.second_help,
    ] {
        let Some(list) = list(cursor, texts)? else {
            return Ok(None);
        };
        *texts_of = list;
    }
    for _ in 0..cursor.u8("solutions")? {
        if variant == CHOICES {
            let points = cursor.u8("points")?;
            let (answer, reply) = (list(cursor, texts)?, list(cursor, texts)?);
            let (Some(answer), Some(reply)) = (answer, reply) else {
                return Ok(None);
            };
            training.choices.push(TrainingChoice {
                points,
                answer,
                reply,
            });
            continue;
        }
        let [from, to, promotion, points] = cursor.array("solution")?;
        let (Some(from), Some(to), Some(comments)) =
            (decode_square(from), decode_square(to), list(cursor, texts)?)
        else {
            return Ok(None);
        };
        training.solutions.push(TrainingSolution {
            from,
            to,
            promotion,
            points,
            comments,
        });
    }
    Ok(Some(training))
}

/// Reads a list; `None` if it has contents of an unknown kind.
fn list(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Option<Vec<TrainingText>>, Malformed> {
    let mut list = Vec::new();
    for _ in 0..cursor.u16_le("texts")? {
        let content = cursor.u16_le("content")?;
        let length = cursor.u32_le("length")? as usize;
        let bytes = cursor.take(length, "text")?;
        let mut entry = TrainingText::new(ANY_LANGUAGE, "");
        let size = match content {
            content::TEXT => {
                texts.text(bytes, 0, &mut entry.text);
                list.push(entry);
                continue;
            }
            content::ARROWS => 3,
            content::SQUARES => 2,
            _ => return Ok(None),
        };
        let shapes: Option<Vec<Shape>> =
            bytes.chunks(size).map(|bytes| shape(bytes, size)).collect();
        match shapes.filter(|shapes| !shapes.is_empty()) {
            Some(shapes) => entry.shapes = shapes,
            None => return Ok(None),
        }
        list.push(entry);
    }
    Ok(Some(list))
}

/// Encodes a training question; `None` if a value does not fit its field.
pub(super) fn encode(training: &Training, data: &mut Sink) -> Option<()> {
    let variant = if training.solutions.is_empty() && !training.choices.is_empty() {
        CHOICES
    } else {
        MOVES
    };
    data.bytes(&[1, 1, variant, 0, 0, 0]);
    data.i32_le(training.seconds);
    data.i16_le(training.points);
    for list in [
        &training.question,
        &training.wrong,
        &training.first_help,
        &training.second_help,
    ] {
        put_list(list, data)?;
    }
    if variant == CHOICES {
        data.u8(u8::try_from(training.choices.len()).ok()?);
        for choice in &training.choices {
            data.u8(choice.points);
            put_list(&choice.answer, data)?;
            put_list(&choice.reply, data)?;
        }
        return Some(());
    }
    data.u8(u8::try_from(training.solutions.len()).ok()?);
    for solution in &training.solutions {
        data.bytes(&[
            encode_square(solution.from),
            encode_square(solution.to),
            solution.promotion,
            solution.points,
        ]);
        put_list(&solution.comments, data)?;
    }
    Some(())
}

fn put_list(list: &[TrainingText], data: &mut Sink) -> Option<()> {
    data.u16_le(u16::try_from(list.len()).ok()?);
    for entry in list {
        let mut bytes = Vec::new();
        let is_square = |shape: &Shape| matches!(shape.kind, ShapeKind::Square(_));
        let content = match entry.shapes.first() {
            None => {
                encode_text(&entry.text, 0, FORM, &mut bytes);
                content::TEXT
            }
            Some(first) if is_square(first) => content::SQUARES,
            Some(_) => content::ARROWS,
        };
        for shape in &entry.shapes {
            let (number, _) = color_number(shape.color);
            match (shape.kind, content) {
                (ShapeKind::Square(square), content::SQUARES) => {
                    bytes.extend([number, encode_square(square) + 1]);
                }
                (ShapeKind::Arrow(from, to), content::ARROWS) => {
                    bytes.extend([number, encode_square(from) + 1, encode_square(to) + 1]);
                }
                _ => {}
            }
        }
        data.u16_le(content);
        data.u32_le(u32::try_from(bytes.len()).ok()?);
        data.bytes(&bytes);
    }
    Some(())
}
