//! Decodes items as annotations. Data that does not fit the known layout to the last byte becomes
//! [`Foreign`] data.

use std::time::Duration;

use tabia_core::error::Malformed;
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, Eval, EvalPoint,
    EvalProfile, Flow, Foreign, Media, MediaKind, Nag, PiecePath, Score, TimeControl, TimeStage,
    VariationColor, WebLink,
};
use tabia_core::io::Cursor;

use super::encode::symbol_slots;
use super::items::{Item, foreign, kind, web_link_texts};
use super::shapes::emit_shapes;
use super::{quotation, training};
use crate::games::cbh::charset::{Texts, until_zero};
use crate::games::cbh::field_codecs::decode_language;
use crate::games::cbh::format_id::ID;

/// Decodes items; its buffers are reused from item to item.
#[derive(Debug)]
pub struct Decoder {
    texts: Texts,
    /// Bytes after a zero byte in a comment, which no text has, are left out.
    leaves_out_rests: bool,
    text: String,
    second: String,
    profile: EvalProfile,
}

/// Receives annotations.
type Emit<'e> = &'e mut dyn FnMut(Annotation<'_>) -> Flow;

impl Decoder {
    /// A decoder for a database with these texts.
    pub fn new(texts: Texts) -> Self {
        Self {
            texts,
            leaves_out_rests: false,
            text: String::new(),
            second: String::new(),
            profile: EvalProfile::default(),
        }
    }

    /// The same decoder for a database that is repaired: what follows a zero byte in a comment is damage.
    #[must_use]
    pub fn for_repair(mut self) -> Self {
        self.leaves_out_rests = true;
        self
    }

    /// Emits the annotations of an item: several for NAGs, squares and arrows, one otherwise.
    pub fn decode(&mut self, item: &Item<'_>, emit: Emit<'_>) -> Flow {
        match item.kind {
            kind::TEXT_AFTER | kind::TEXT_BEFORE => self.comment(item, emit),
            kind::SYMBOLS => symbols(item, emit),
            kind::SQUARES | kind::ARROWS => shapes(item, emit),
            kind::TRAINING => match training::decode(item.data, self.texts) {
                Some(training) => emit(Annotation::Training(&training)),
                None => emit(item.foreign()),
            },
            kind::QUOTATION => match quotation::decode(item.data, self.texts) {
                Some(quotation) => emit(Annotation::Quotation(&quotation)),
                None => emit(item.foreign()),
            },
            kind::EVAL_PROFILE => match self.eval_profile(item.data) {
                Some(profile) => emit(Annotation::EvalProfile(profile)),
                None => emit(item.foreign()),
            },
            kind::WEB_LINK => match self.web_link(item.data) {
                Some(link) => emit(Annotation::WebLink(link)),
                None => emit(item.foreign()),
            },
            kind::SOUND | kind::PICTURE | kind::VIDEO => match self.media(item) {
                Some(media) => emit(Annotation::Media(media)),
                None => emit(item.foreign()),
            },
            _ => emit(fixed(item).unwrap_or_else(|| item.foreign())),
        }
    }

    fn comment(&mut self, item: &Item<'_>, emit: Emit<'_>) -> Flow {
        let [0, language, bytes @ ..] = item.data else {
            return emit(item.foreign());
        };
        let text = until_zero(bytes);
        self.text.clear();
        self.texts.text(text, *language, &mut self.text);
        let flow = emit(Annotation::Comment(Comment {
            placement: if item.kind == kind::TEXT_BEFORE {
                CommentPlacement::Before
            } else {
                CommentPlacement::After
            },
            language: decode_language(*language),
            text: &self.text,
        }));
        let is_kept = |rest: &[u8]| !self.leaves_out_rests || rest.iter().all(|&byte| byte == 0);
        match bytes.get(text.len()..) {
            Some(rest) if !rest.is_empty() && flow == Flow::Go && is_kept(rest) => {
                emit(Annotation::Foreign(Foreign {
                    format: ID,
                    kind: foreign::TEXT_REST,
                    bytes: rest,
                }))
            }
            _ => flow,
        }
    }

    fn eval_profile(&mut self, data: &[u8]) -> Option<&EvalProfile> {
        let mut cursor = Cursor::new(data);
        let count = cursor.u16_be("count").ok()?;
        if cursor.left() != usize::from(count) * 4 {
            return None;
        }
        self.profile.points.clear();
        while !cursor.is_empty() {
            let point = EvalPoint {
                flag: cursor.u8("flag").ok()?,
                depth: cursor.u8("depth").ok()?,
                value: cursor.i16_be("value").ok()?,
            };
            self.profile.points.push(point);
        }
        Some(&self.profile)
    }

    fn web_link(&mut self, data: &[u8]) -> Option<WebLink<'_>> {
        let texts = web_link_texts(data)?;
        for (text, bytes) in [&mut self.text, &mut self.second].into_iter().zip(texts) {
            text.clear();
            self.texts.text(bytes, 0, text);
        }
        Some(WebLink {
            url: &self.text,
            caption: &self.second,
        })
    }

    fn media(&mut self, item: &Item<'_>) -> Option<Media<'_>> {
        let (kind, language, bytes) = match (item.kind, item.data) {
            (kind::VIDEO, [1, language, text @ ..]) => {
                (MediaKind::Video, decode_language(*language), text)
            }
            (kind::SOUND, number) => (MediaKind::Sound, None, number),
            (kind::PICTURE, number) => (MediaKind::Picture, None, number),
            _ => return None,
        };
        if bytes.contains(&0) {
            return None;
        }
        self.text.clear();
        self.texts.text(bytes, 0, &mut self.text);
        Some(Media {
            kind,
            language,
            text: &self.text,
        })
    }
}

fn symbols(item: &Item<'_>, emit: Emit<'_>) -> Flow {
    let nags = || item.data.iter().copied().filter(|&nag| nag != 0);
    if item.data.len() > 3 || nags().next().is_none() {
        return emit(item.foreign());
    }
    for nag in nags() {
        match emit(Annotation::Nag(Nag(nag))) {
            Flow::Go => {}
            other => return other,
        }
    }
    let has_usual_slots = symbol_slots(nags())
        .as_ref()
        .is_some_and(|(slots, length)| slots.get(..*length) == Some(item.data));
    if has_usual_slots {
        return Flow::Go;
    }
    emit(Annotation::Foreign(Foreign {
        format: ID,
        kind: foreign::SYMBOL_SLOTS,
        bytes: item.data,
    }))
}

fn shapes(item: &Item<'_>, emit: Emit<'_>) -> Flow {
    let size = if item.kind == kind::SQUARES { 2 } else { 3 };
    match emit_shapes(item.data, size, emit) {
        Some(flow) => flow,
        None => emit(item.foreign()),
    }
}

/// An evaluation, little-endian in `.cba` too; `None` for an unknown kind of score or a negative
/// depth.
fn eval(cursor: &mut Cursor<'_>) -> Result<Option<Eval>, Malformed> {
    let value = i32::from(cursor.i16_le("value")?);
    let score = match cursor.i16_le("kind")? {
        0 => Score::Centipawns(value),
        1 => Score::Mate(value),
        _ => return Ok(None),
    };
    let depth = u16::try_from(cursor.i16_le("depth")?);
    Ok(depth.ok().map(|depth| Eval {
        score,
        depth: (depth != 0).then_some(depth),
        engine: 0,
    }))
}

/// An item of a kind with data of a fixed size; `None` if the data does not fit.
fn fixed(item: &Item<'_>) -> Option<Annotation<'static>> {
    let mut cursor = Cursor::new(item.data);
    let annotation = fixed_fields(item.kind, &mut cursor).ok()??;
    cursor.is_empty().then_some(annotation)
}

fn fixed_fields(
    kind: u8,
    cursor: &mut Cursor<'_>,
) -> Result<Option<Annotation<'static>>, Malformed> {
    Ok(Some(match kind {
        kind::TIME_SPENT => {
            let [hours, minutes, seconds, hundredths] = cursor.array("time_spent")?;
            return Ok(time_spent(hours, minutes, seconds, hundredths));
        }
        kind::MEDALS => Annotation::Medals(cursor.u32_be("medals")?),
        kind::VARIATION_COLOR => {
            let [flags, blue, green, red] = cursor.array("variation_color")?;
            Annotation::VariationColor(VariationColor {
                flags,
                red,
                green,
                blue,
            })
        }
        kind::TIME_CONTROL => Annotation::TimeControl(time_control(cursor)?),
        kind::VIDEO_TIME => Annotation::VideoTime(cursor.i32_be("video_time")?),
        _ => return common_fields(kind, cursor),
    }))
}

pub(super) fn time_control(cursor: &mut Cursor<'_>) -> Result<TimeControl, Malformed> {
    let mut stages = [TimeStage::default(); 3];
    for stage in &mut stages {
        *stage = TimeStage {
            start: cursor.i32_be("start")?,
            increment: cursor.i32_be("increment")?,
            moves: cursor.u16_be("moves")?,
            kind: cursor.u8("kind")?,
        };
    }
    Ok(TimeControl { stages })
}

/// The kinds of fixed size that `.cba` and `.2cba` store alike; `None` for other kinds and for
/// impossible values.
pub(crate) fn common_fields(
    kind: u8,
    cursor: &mut Cursor<'_>,
) -> Result<Option<Annotation<'static>>, Malformed> {
    Ok(Some(match kind {
        kind::PAWN_STRUCTURE => Annotation::PawnStructure(cursor.u8("pawn_structure")?),
        kind::PIECE_PATH => Annotation::PiecePath(PiecePath {
            kind: cursor.u8("piece_path")?,
            square: cursor.u8("piece_path")?,
        }),
        kind::CRITICAL => Annotation::Critical(CriticalPosition(cursor.u8("critical")?)),
        kind::EVAL => return Ok(eval(cursor)?.map(Annotation::Eval)),
        _ => return Ok(None),
    }))
}

/// The time spent on a move; `None` if a part is too large.
pub(crate) fn time_spent(
    hours: u8,
    minutes: u8,
    seconds: u8,
    hundredths: u8,
) -> Option<Annotation<'static>> {
    if minutes > 59 || seconds > 59 || hundredths > 99 {
        return None;
    }
    let seconds = (u64::from(hours) * 60 + u64::from(minutes)) * 60 + u64::from(seconds);
    Some(Annotation::Clock(Clock {
        kind: ClockKind::ElapsedMove,
        time: Duration::new(seconds, u32::from(hundredths) * 10_000_000),
    }))
}
