//! Annotations of a game, in blocks by the number of their move in PGN order. Their lengths are not
//! stored, so that an annotation of an unknown kind ends the readable part.

use std::ops::Range;

use tabia_core::error::{Error, Malformed};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, EvalPoint, EvalProfile, Flow, Foreign, Language, Nag,
    Training, TrainingSolution, TrainingText, Visitor, WebLink,
};
use tabia_core::io::Cursor;

use super::companions::ID;
use crate::games::cbh::annotations::{common_fields, emit_shapes, kind, start_clock, time_spent};
use crate::games::cbh::charset::Texts;
use crate::games::cbh::field_codecs::decode_square;

/// The move number after the last block.
pub(super) const END: i32 = i32::MAX;

/// Kinds of [`Foreign`] data that are not kinds of annotations.
pub(super) mod foreign {
    /// The medals of the header if they differ from those of the annotations.
    pub(crate) const HEADER_MEDALS: u16 = 0x7001;
    /// The rest of the annotations, from one of an unknown kind on.
    pub(crate) const REST: u16 = 0x7002;
    /// The content of a text's record that has another layout.
    pub(crate) const BODY: u16 = 0x7003;
}

/// Languages of comments and texts by number.
const LANGUAGES: [(u16, [u8; 2]); 9] = [
    (0, *b"en"),
    (1, *b"de"),
    (2, *b"fr"),
    (3, *b"es"),
    (4, *b"it"),
    (5, *b"nl"),
    (6, *b"pt"),
    (12, *b"pl"),
    (18, *b"el"),
];

/// The language number of texts for all languages.
pub(super) const ANY_LANGUAGE: u16 = 7;

/// An annotation; `data` is its range in the content of the record.
#[derive(Debug, Clone)]
struct ItemRange {
    position: i32,
    kind: u16,
    data: Range<usize>,
}

/// The annotations of one game.
#[derive(Debug)]
pub(super) struct GameAnnotations<'c> {
    content: &'c [u8],
    /// Sorted by position.
    items: Vec<ItemRange>,
    texts: Texts,
}

impl<'c> GameAnnotations<'c> {
    /// No annotations.
    pub(super) fn empty(texts: Texts) -> Self {
        Self {
            content: &[],
            items: Vec::new(),
            texts,
        }
    }

    /// Reads the content of a record; also the error that ended the readable part early.
    pub(super) fn read(content: &'c [u8], texts: Texts) -> (Self, Option<Error>) {
        let mut annotations = Self {
            content,
            items: Vec::new(),
            texts,
        };
        let mut cursor = Cursor::new(content);
        let mut position = -1;
        let end = annotations.read_items(&mut cursor, &mut position);
        let error = match end {
            Ok(None) => None,
            Ok(Some((kind, at))) => {
                annotations.keep_rest(position, at);
                let text = format!(
                    "the length of annotations of kind {kind:#x} is unknown: this one and those \
                     after it are kept unread"
                );
                Some(Error::unsupported(text).at_offset(at as u64))
            }
            Err((malformed, at)) => {
                annotations.keep_rest(position, at);
                Some(malformed.at_base(0))
            }
        };
        annotations.items.sort_by_key(|item| item.position);
        (annotations, error)
    }

    /// The medals of all annotations together.
    pub(super) fn medals(&self) -> u16 {
        let medals = self
            .items
            .iter()
            .filter(|item| item.kind == u16::from(kind::MEDALS));
        medals
            .filter_map(|item| self.content.get(item.data.clone()))
            .filter_map(|data| data.first_chunk::<2>())
            .fold(0, |all, [low, high]| {
                all | u16::from(*high) << 8 | u16::from(*low)
            })
    }

    /// Visits the annotations of the game.
    pub(super) fn visit_game(&self, visitor: &mut dyn Visitor) -> Flow {
        let end = self.items.partition_point(|item| item.position < 0);
        self.visit_items(0..end, visitor)
    }

    /// Visits the annotations of the moves `from` to `to` (exclusive).
    pub(super) fn visit(&self, from: u32, to: u32, visitor: &mut dyn Visitor) -> Flow {
        let count_below = |number: u32| {
            let items = &self.items;
            items.partition_point(|item| i64::from(item.position) < i64::from(number))
        };
        self.visit_items(count_below(from)..count_below(to), visitor)
    }

    fn visit_items(&self, range: Range<usize>, visitor: &mut dyn Visitor) -> Flow {
        for item in self.items.get(range).unwrap_or_default() {
            let data = self.content.get(item.data.clone()).unwrap_or_default();
            let emit = &mut |annotation: Annotation<'_>| visitor.visit_annotation(annotation);
            let flow = decode(item.kind, data, self.texts, emit);
            if flow != Flow::Go {
                return flow;
            }
        }
        Flow::Go
    }

    /// Reads all items. Returns an unknown kind that ends them early, if any, with its offset; the
    /// error contains the offset of the malformed annotation.
    fn read_items(
        &mut self,
        cursor: &mut Cursor<'_>,
        position: &mut i32,
    ) -> Result<Option<(u16, usize)>, (Malformed, usize)> {
        loop {
            let at = cursor.offset();
            let with_offset = |malformed| (malformed, at);
            let number = cursor.i32_le("position").map_err(with_offset)?;
            if number == END {
                return Ok(None);
            }
            *position = number.max(-1);
            for _ in 0..cursor.u32_le("count").map_err(with_offset)? {
                let at = cursor.offset();
                let with_offset = |malformed| (malformed, at);
                let kind = cursor.u16_le("kind").map_err(with_offset)?;
                let from = cursor.offset();
                if skip(kind, cursor).map_err(with_offset)?.is_none() {
                    return Ok(Some((kind, at)));
                }
                self.items.push(ItemRange {
                    position: *position,
                    kind,
                    data: from..cursor.offset(),
                });
            }
        }
    }

    /// Adds the rest of the content as foreign data.
    fn keep_rest(&mut self, position: i32, at: usize) {
        self.items.push(ItemRange {
            position,
            kind: foreign::REST,
            data: at..self.content.len(),
        });
    }
}

/// Skips the data of an annotation; `None` if its length is unknown.
fn skip(kind: u16, cursor: &mut Cursor<'_>) -> Result<Option<()>, Malformed> {
    let length = match u8::try_from(kind).unwrap_or(0) {
        kind::TEXT_AFTER | kind::TEXT_BEFORE => {
            cursor.take(4, "language")?;
            cursor.u32_le("length")? as usize
        }
        kind::SYMBOLS => 3,
        kind::SQUARES | kind::ARROWS | kind::PIECE_PATH => cursor.u32_le("length")? as usize,
        kind::TIME_SPENT
        | CORRESPONDENCE_HEADER
        | kind::WHITE_CLOCK
        | kind::BLACK_CLOCK
        | kind::MEDALS
        | kind::VARIATION_COLOR
        | kind::VIDEO_TIME => 4,
        kind::PAWN_STRUCTURE | kind::CRITICAL => 1,
        kind::TRAINING => {
            let training = training(cursor)?;
            return Ok((!matches!(training, TrainingData::Unknown)).then_some(()));
        }
        kind::WEB_LINK => {
            cursor.u8("mark")?;
            let url = cursor.u32_le("length")? as usize;
            cursor.take(url, "url")?;
            cursor.u32_le("length")? as usize
        }
        kind::EVAL => 6,
        kind::TIME_CONTROL => 41,
        kind::EVAL_PROFILE => {
            cursor.u8("mark")?;
            cursor.u32_le("length")? as usize
        }
        _ => return Ok(None),
    };
    cursor.take(length, "annotation")?;
    Ok(Some(()))
}

/// A kind with four bytes of unknown meaning.
const CORRESPONDENCE_HEADER: u8 = 0x08;

/// Receives annotations.
type Emit<'e> = &'e mut dyn FnMut(Annotation<'_>) -> Flow;

/// Emits an annotation; as [`Foreign`] data if it does not fit the known layout to the last byte.
fn decode(kind: u16, data: &[u8], texts: Texts, emit: Emit<'_>) -> Flow {
    let mut cursor = Cursor::new(data);
    let flow = match u8::try_from(kind).unwrap_or(0) {
        kind::TEXT_AFTER | kind::TEXT_BEFORE => comment(kind, &mut cursor, texts, emit),
        kind::SYMBOLS => Ok(symbols(data, emit)),
        kind::SQUARES => Ok(shapes(data, 2, emit)),
        kind::ARROWS => Ok(shapes(data, 3, emit)),
        kind::WEB_LINK => web_link(&mut cursor, texts, emit),
        kind::TRAINING => match training(&mut cursor) {
            Ok(TrainingData::Texts(training)) if cursor.is_empty() => {
                Ok(Some(emit(Annotation::Training(&training))))
            }
            _ => Ok(None),
        },
        kind::EVAL_PROFILE => match eval_profile(&mut cursor) {
            Ok(profile) if cursor.is_empty() => Ok(Some(emit(Annotation::EvalProfile(&profile)))),
            _ => Ok(None),
        },
        _ => match fixed(kind, &mut cursor) {
            Ok(Some(annotation)) if cursor.is_empty() => Ok(Some(emit(annotation))),
            _ => Ok(None),
        },
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

fn comment(kind: u16, cursor: &mut Cursor<'_>, texts: Texts, emit: Emit<'_>) -> Emitted {
    let unknown = cursor.u16_le("unknown")?;
    let number = cursor.u16_le("language")?;
    let length = cursor.u32_le("length")? as usize;
    let bytes = cursor.take(length, "text")?;
    let language = match LANGUAGES.iter().find(|(other, _)| *other == number) {
        Some((_, code)) => Language::iso(*code),
        None if number == ANY_LANGUAGE => None,
        None => return Ok(None),
    };
    if unknown != 0 {
        return Ok(None);
    }
    Ok(Some(emit(Annotation::Comment(Comment {
        placement: if kind == u16::from(kind::TEXT_BEFORE) {
            CommentPlacement::Before
        } else {
            CommentPlacement::After
        },
        language,
        text: &texts.plain(bytes),
    }))))
}

fn symbols(data: &[u8], emit: Emit<'_>) -> Option<Flow> {
    let mut nags = data.iter().filter(|&&nag| nag != 0).peekable();
    nags.peek()?;
    for nag in nags {
        let flow = emit(Annotation::Nag(Nag(*nag)));
        if flow != Flow::Go {
            return Some(flow);
        }
    }
    Some(Flow::Go)
}

/// Shapes of `size` bytes each, after four bytes of length.
fn shapes(data: &[u8], size: usize, emit: Emit<'_>) -> Option<Flow> {
    let shapes = data.get(4..).unwrap_or_default();
    if shapes.len().is_multiple_of(size) {
        emit_shapes(shapes, size, emit)
    } else {
        None
    }
}

fn web_link(cursor: &mut Cursor<'_>, texts: Texts, emit: Emit<'_>) -> Emitted {
    cursor.u8("mark")?;
    let length = cursor.u32_le("length")? as usize;
    let url = cursor.take(length, "url")?;
    let length = cursor.u32_le("length")? as usize;
    let caption = cursor.take(length, "caption")?;
    Ok(Some(emit(Annotation::WebLink(WebLink {
        url: &texts.plain(url),
        caption: &texts.plain(caption),
    }))))
}

/// The data of a training question.
enum TrainingData {
    /// The layout is unknown.
    Unknown,
    /// Not all elements are texts in UTF-8.
    Mixed,
    Texts(Training),
}

fn training(cursor: &mut Cursor<'_>) -> Result<TrainingData, Malformed> {
    let [first, second, variant] = cursor.array("mark")?;
    if (first, second, variant) != (1, 1, 1) {
        return Ok(TrainingData::Unknown);
    }
    cursor.take(3, "zeros")?;
    let seconds = cursor.i32_le("seconds")?;
    let points = cursor.i16_le("points")?;
    let mut is_text = true;
    let mut lists = [const { Vec::new() }; 4];
    for list in &mut lists {
        is_text &= training_texts(cursor, list)?;
    }
    let [question, wrong, first_help, second_help] = lists;
    let mut training = Training {
        seconds,
        points,
        question,
        wrong,
        first_help,
        second_help,
        solutions: Vec::new(),
    };
    for _ in 0..cursor.u8("solutions")? {
        let [from, to, promotion, points] = cursor.array("solution")?;
        let mut comments = Vec::new();
        is_text &= training_texts(cursor, &mut comments)?;
        let (Some(from), Some(to)) = (decode_square(from), decode_square(to)) else {
            is_text = false;
            continue;
        };
        training.solutions.push(TrainingSolution {
            from,
            to,
            promotion,
            points,
            comments,
        });
    }
    Ok(if is_text {
        TrainingData::Texts(training)
    } else {
        TrainingData::Mixed
    })
}

/// Reads a list of texts; `false` if it contains other elements too, which are left out.
fn training_texts(
    cursor: &mut Cursor<'_>,
    list: &mut Vec<TrainingText>,
) -> Result<bool, Malformed> {
    let mut is_text = true;
    for _ in 0..cursor.u16_le("texts")? {
        let kind = cursor.u16_le("kind")?;
        let length = cursor.u32_le("length")? as usize;
        let text = std::str::from_utf8(cursor.take(length, "text")?);
        match text {
            Ok(text) if kind == 0 => list.push(TrainingText {
                language: ANY_LANGUAGE,
                text: text.to_owned(),
            }),
            _ => is_text = false,
        }
    }
    Ok(is_text)
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
            // The meaning of the first byte is unknown; in `.cba` the fourth is hundredths.
            let [0, seconds, minutes, hours] = cursor.array("time_spent")? else {
                return Ok(None);
            };
            return Ok(time_spent(hours, minutes, seconds, 0));
        }
        kind::PIECE_PATH => {
            cursor.u32_le("length")?;
            return common_fields(kind::PIECE_PATH, cursor);
        }
        kind @ (kind::WHITE_CLOCK | kind::BLACK_CLOCK) => {
            start_clock(kind, cursor.i32_le("clock")?)
        }
        kind::MEDALS => Annotation::Medals(cursor.u32_le("medals")?),
        kind::VIDEO_TIME => Annotation::VideoTime(cursor.i32_le("video_time")?),
        kind => return common_fields(kind, cursor),
    }))
}
