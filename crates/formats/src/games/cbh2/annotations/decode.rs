//! Decodes the data of annotations.

use tabia_core::error::Malformed;
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, EvalPoint, EvalProfile, Flow, Foreign, Language, Media,
    MediaKind, Nag, TimeControl, TimeStage, VariationColor, WebLink,
};
use tabia_core::io::{Cursor, Sink};

use super::data_lengths::kind;
use super::encode::{encode, usual_symbols};
use super::{ANY_LANGUAGE, LANGUAGES, foreign, quotation, training};
use crate::games::cbh::annotations::{common_fields, emit_shapes, time_spent};
use crate::games::cbh::charset::Texts;
use crate::games::cbh2::format_id::ID;

/// Receives annotations.
type Emit<'e> = &'e mut dyn FnMut(Annotation<'_>) -> Flow;

/// Emits an annotation; as [`Foreign`] data if it does not fit the known layout to the last byte. Bytes of
/// unknown meaning that a writer would write differently follow it, see [`foreign::EXACT`].
pub(super) fn decode(kind: u16, data: &[u8], texts: Texts, emit: Emit<'_>) -> Flow {
    let mut cursor = Cursor::new(data);
    let flow = match u8::try_from(kind).unwrap_or(0) {
        kind::TEXT_AFTER | kind::TEXT_BEFORE => comment(kind, &mut cursor, texts, emit),
        kind::SYMBOLS => Ok(symbols(data, emit)),
        kind::SQUARES => Ok(shapes(data, 2, emit)),
        kind::ARROWS => Ok(shapes(data, 3, emit)),
        _ => single(kind, &mut cursor, texts, emit),
    };
    flow.ok().flatten().unwrap_or_else(|| {
        emit(Annotation::Foreign(Foreign {
            format: ID,
            kind,
            bytes: data,
        }))
    })
}

/// The visitor's answer; `None` if the data has another layout and was not emitted.
type Emitted = Result<Option<Flow>, Malformed>;

/// An annotation that is stored alone.
fn single(kind: u16, cursor: &mut Cursor<'_>, texts: Texts, emit: Emit<'_>) -> Emitted {
    let data = cursor.rest();
    let (url, caption, profile, question, game);
    let annotation = match u8::try_from(kind).unwrap_or(0) {
        kind::WEB_LINK => {
            cursor.u8("mark")?;
            url = text(cursor, texts)?;
            caption = text(cursor, texts)?;
            Annotation::WebLink(WebLink {
                url: &url,
                caption: &caption,
            })
        }
        kind::VIDEO => {
            cursor.u16_le("mark")?;
            let number = cursor.u16_le("language")?;
            caption = text(cursor, texts)?;
            Annotation::Media(Media {
                kind: MediaKind::Video,
                language: language(number),
                text: &caption,
            })
        }
        kind::TRAINING => {
            let Some(decoded) = training::decode(data, texts) else {
                return Ok(None);
            };
            question = decoded;
            cursor.take(data.len(), "training")?;
            Annotation::Training(&question)
        }
        kind::QUOTATION => {
            let Some(decoded) = quotation::decode(data, texts) else {
                return Ok(None);
            };
            game = decoded;
            cursor.take(data.len(), "quotation")?;
            Annotation::Quotation(&game)
        }
        kind::EVAL_PROFILE => {
            profile = eval_profile(cursor)?;
            Annotation::EvalProfile(&profile)
        }
        _ => match fixed(kind, cursor)? {
            Some(annotation) => annotation,
            None => return Ok(None),
        },
    };
    if !cursor.is_empty() {
        return Ok(None);
    }
    let flow = emit(annotation);
    if flow != Flow::Go || is_written_again(kind, &annotation, data) {
        return Ok(Some(flow));
    }
    Ok(Some(emit(exact(kind, data))))
}

/// Whether a writer would write an annotation as these bytes.
fn is_written_again(kind: u16, annotation: &Annotation<'_>, data: &[u8]) -> bool {
    let mut written = Sink::new();
    encode(annotation, &mut written) == Ok(kind) && written.as_slice() == data
}

/// The bytes of the annotation before it.
fn exact(kind: u16, bytes: &[u8]) -> Annotation<'_> {
    Annotation::Foreign(Foreign {
        format: ID,
        kind: foreign::EXACT | kind,
        bytes,
    })
}

fn text(cursor: &mut Cursor<'_>, texts: Texts) -> Result<String, Malformed> {
    let length = cursor.u32_le("length")? as usize;
    let mut text = String::new();
    texts.text(cursor.take(length, "text")?, 0, &mut text);
    Ok(text)
}

/// The language with a number; `None` for any language and for numbers without a known language.
fn language(number: u16) -> Option<Language> {
    let known = LANGUAGES.iter().find(|(other, ..)| *other == number);
    known.and_then(|(_, code, _)| Language::iso(*code))
}

fn comment(kind: u16, cursor: &mut Cursor<'_>, texts: Texts, emit: Emit<'_>) -> Emitted {
    let head = cursor.rest().get(..4).unwrap_or_default();
    let unknown = cursor.u16_le("unknown")?;
    let number = cursor.u16_le("language")?;
    let length = cursor.u32_le("length")? as usize;
    let bytes = cursor.take(length, "text")?;
    let nation = LANGUAGES.iter().find(|(other, ..)| *other == number);
    let nation = nation.map_or(0, |(.., nation)| *nation);
    let mut text = String::new();
    texts.text(bytes, nation, &mut text);
    let language = language(number);
    let flow = emit(Annotation::Comment(Comment {
        placement: if kind == u16::from(kind::TEXT_BEFORE) {
            CommentPlacement::Before
        } else {
            CommentPlacement::After
        },
        language,
        text: &text,
    }));
    let is_usual = unknown == 0 && (language.is_some() || number == ANY_LANGUAGE);
    if is_usual || flow != Flow::Go {
        return Ok(Some(flow));
    }
    Ok(Some(emit(Annotation::Foreign(Foreign {
        format: ID,
        kind: foreign::COMMENT_HEAD,
        bytes: head,
    }))))
}

fn symbols(data: &[u8], emit: Emit<'_>) -> Option<Flow> {
    let nags = || data.iter().copied().filter(|&nag| nag != 0);
    nags().next()?;
    for nag in nags() {
        let flow = emit(Annotation::Nag(Nag(nag)));
        if flow != Flow::Go {
            return Some(flow);
        }
    }
    if usual_symbols(nags()).as_ref().map(<[u8; 3]>::as_slice) == Some(data) {
        return Some(Flow::Go);
    }
    Some(emit(exact(kind::SYMBOLS.into(), data)))
}

/// Shapes of `size` bytes each, after four bytes of length.
fn shapes(data: &[u8], size: usize, emit: Emit<'_>) -> Option<Flow> {
    emit_shapes(data.get(4..)?, size, emit)
}

fn eval_profile(cursor: &mut Cursor<'_>) -> Result<EvalProfile, Malformed> {
    cursor.u8("mark")?;
    cursor.u32_le("length")?;
    let mut profile = EvalProfile::default();
    for _ in 0..cursor.u16_le("count")? {
        profile.points.push(EvalPoint {
            value: cursor.i16_le("value")?,
            depth: cursor.u8("depth")?,
            flag: cursor.u8("flag")?,
        });
    }
    Ok(profile)
}

/// A kind with data of a fixed size; `None` for other kinds and for impossible values.
fn fixed(kind: u16, cursor: &mut Cursor<'_>) -> Result<Option<Annotation<'static>>, Malformed> {
    Ok(Some(match u8::try_from(kind).unwrap_or(0) {
        kind::TIME_SPENT => {
            let [hundredths, seconds, minutes, hours] = cursor.array("time_spent")?;
            let hundredths = if hundredths > 99 { 0 } else { hundredths };
            return Ok(time_spent(hours, minutes, seconds, hundredths));
        }
        kind::PIECE_PATH => {
            cursor.u32_le("length")?;
            return common_fields(kind::PIECE_PATH, cursor);
        }
        kind::MEDALS => Annotation::Medals(cursor.u32_le("medals")?),
        kind::VARIATION_COLOR => {
            let [red, green, blue, flags] = cursor.array("variation_color")?;
            Annotation::VariationColor(VariationColor {
                flags,
                red,
                green,
                blue,
            })
        }
        kind::TIME_CONTROL => Annotation::TimeControl(time_control(cursor)?),
        kind::VIDEO_TIME => Annotation::VideoTime(cursor.i32_le("video_time")?),
        kind => return common_fields(kind, cursor),
    }))
}

pub(super) fn time_control(cursor: &mut Cursor<'_>) -> Result<TimeControl, Malformed> {
    cursor.u8("mark")?;
    let mut stages = [TimeStage::default(); 3];
    for stage in &mut stages {
        *stage = TimeStage {
            start: cursor.i32_le("start")?,
            increment: cursor.i32_le("increment")?,
            moves: cursor.u16_le("moves")?,
            kind: cursor.u8("kind")?,
        };
    }
    cursor.u32_le("end")?;
    Ok(TimeControl { stages })
}
