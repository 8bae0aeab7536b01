//! Training questions (kind 09).

use tabia_core::error::Malformed;
use tabia_core::game::{Shape, Training, TrainingText};
use tabia_core::io::{Cursor, Sink};

use super::{ANY_LANGUAGE, FORM};
use crate::games::cbh::annotations::{
    TrainingLists, encode_shape, kind, read_training, shape, write_training,
};
use crate::games::cbh::charset::{Texts, encode_text};

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
    read_training(cursor, &Lists(texts), variant == CHOICES)
}

/// Encodes a training question; `None` if a value does not fit its field.
pub(super) fn encode(training: &Training, data: &mut Sink) -> Option<()> {
    let has_choices = training.solutions.is_empty() && !training.choices.is_empty();
    let variant = if has_choices { CHOICES } else { MOVES };
    data.bytes(&[1, 1, variant, 0, 0, 0]);
    write_training(training, &Lists(FORM.texts()), has_choices, data)
}

/// Lists of texts, squares and arrows; texts are written in [`FORM`].
struct Lists(Texts);

impl TrainingLists for Lists {
    /// `None` if the list has contents of an unknown kind.
    fn read(&self, cursor: &mut Cursor<'_>) -> Result<Option<Vec<TrainingText>>, Malformed> {
        let mut list = Vec::new();
        for _ in 0..cursor.u16_le("texts")? {
            let content = cursor.u16_le("content")?;
            let length = cursor.u32_le("length")? as usize;
            let bytes = cursor.take(length, "text")?;
            let mut entry = TrainingText::new(ANY_LANGUAGE, "");
            let size = match content {
                content::TEXT => {
                    self.0.text(bytes, 0, &mut entry.text);
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

    fn write(&self, list: &[TrainingText], data: &mut Sink) -> Option<()> {
        data.u16_le(u16::try_from(list.len()).ok()?);
        for entry in list {
            let mut bytes = Vec::new();
            let shapes = || entry.shapes.iter().filter_map(|shape| encode_shape(*shape));
            let kind = shapes().next().map(|shape| shape.kind);
            let content = match kind {
                None => {
                    encode_text(&entry.text, 0, FORM, &mut bytes);
                    content::TEXT
                }
                Some(kind::SQUARES) => content::SQUARES,
                Some(_) => content::ARROWS,
            };
            // Of one kind; what is missing is a loss.
            for shape in shapes().filter(|shape| Some(shape.kind) == kind) {
                bytes.extend(shape.bytes);
            }
            data.u16_le(content);
            data.u32_le(u32::try_from(bytes.len()).ok()?);
            data.bytes(&bytes);
        }
        Some(())
    }
}
