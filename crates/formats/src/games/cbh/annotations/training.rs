//! Training questions (kind 09): the fields that `.cba` and `.2cba` store alike, and variant 1 in `.cba`.
//! Little-endian, unlike the rest of `.cba`.

use tabia_core::error::Malformed;
use tabia_core::game::{Training, TrainingChoice, TrainingSolution, TrainingText};
use tabia_core::io::{Cursor, Sink};

use crate::games::cbh::charset::{TextForm, Texts, encode_text};
use crate::games::cbh::field_codecs::{decode_square, encode_square};

/// Reads and writes the lists of texts, which differ between the formats.
pub(crate) trait TrainingLists {
    /// Reads a list; `None` if it has another layout.
    fn read(&self, cursor: &mut Cursor<'_>) -> Result<Option<Vec<TrainingText>>, Malformed>;

    /// Appends a list; `None` if a value does not fit its field.
    fn write(&self, list: &[TrainingText], data: &mut Sink) -> Option<()>;
}

/// Reads the fields of a question from the time on, with moves as answers or, with `choices`, texts to
/// choose from. `None` if it has another layout.
pub(crate) fn read_training(
    cursor: &mut Cursor<'_>,
    lists: &impl TrainingLists,
    choices: bool,
) -> Result<Option<Training>, Malformed> {
    let mut training = Training {
        seconds: cursor.i32_le("seconds")?,
        points: cursor.i16_le("points")?,
        ..Training::default()
    };
    for texts in [
        &mut training.question,
        &mut training.wrong,
        &mut training.first_help,
        &mut training.second_help,
    ] {
        let Some(list) = lists.read(cursor)? else {
            return Ok(None);
        };
        *texts = list;
    }
    for _ in 0..cursor.u8("solutions")? {
        if choices {
            let points = cursor.u8("points")?;
            let (answer, reply) = (lists.read(cursor)?, lists.read(cursor)?);
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
            (decode_square(from), decode_square(to), lists.read(cursor)?)
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

/// Appends the fields of a question from the time on, as [`read_training`] reads them; `None` if a value
/// does not fit its field.
pub(crate) fn write_training(
    training: &Training,
    lists: &impl TrainingLists,
    choices: bool,
    data: &mut Sink,
) -> Option<()> {
    data.i32_le(training.seconds);
    data.i16_le(training.points);
    for list in [
        &training.question,
        &training.wrong,
        &training.first_help,
        &training.second_help,
    ] {
        lists.write(list, data)?;
    }
    if choices {
        data.u8(u8::try_from(training.choices.len()).ok()?);
        for choice in &training.choices {
            data.u8(choice.points);
            lists.write(&choice.answer, data)?;
            lists.write(&choice.reply, data)?;
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
        lists.write(&solution.comments, data)?;
    }
    Some(())
}

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
    let lists = Lists {
        texts,
        form: TextForm::UTF8,
    };
    read_training(cursor, &lists, false)
}

/// Encodes a training question; `None` if a value does not fit its field.
pub(super) fn encode(training: &Training, form: TextForm, data: &mut Sink) -> Option<()> {
    data.bytes(&[1, 0, 1]);
    let size_at = data.len();
    data.u16_le(0);
    let lists = Lists {
        texts: form.texts(),
        form,
    };
    write_training(training, &lists, false, data)?;
    let size = u16::try_from(data.len() - size_at).ok()?;
    data.patch_u16_le(size_at, size);
    Some(())
}

/// Lists of texts, each with its language.
struct Lists {
    texts: Texts,
    form: TextForm,
}

impl TrainingLists for Lists {
    fn read(&self, cursor: &mut Cursor<'_>) -> Result<Option<Vec<TrainingText>>, Malformed> {
        let mut list = Vec::new();
        for _ in 0..cursor.u16_le("texts")? {
            let language = cursor.u16_le("language")?;
            let length = cursor.u16_le("length")?;
            let bytes = cursor.take(usize::from(length), "text")?;
            let mut text = String::new();
            self.texts.text(bytes, 0, &mut text);
            list.push(TrainingText::new(language, text));
        }
        Ok(Some(list))
    }

    fn write(&self, list: &[TrainingText], data: &mut Sink) -> Option<()> {
        data.u16_le(u16::try_from(list.len()).ok()?);
        for entry in list {
            let mut bytes = Vec::new();
            encode_text(&entry.text, 0, self.form, &mut bytes);
            data.u16_le(entry.language);
            data.u16_le(u16::try_from(bytes.len()).ok()?);
            data.bytes(&bytes);
        }
        Some(())
    }
}
