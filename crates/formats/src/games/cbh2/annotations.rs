//! Annotations of a game: blocks of them by the number of their move in PGN order. Nothing says how
//! long one is, so the first of an unknown kind ends what can be read.

use std::ops::Range;
use std::time::Duration;

use tabia_core::chess::Color;
use tabia_core::error::{Error, Malformed};
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, CriticalPosition, EvalPoint,
    EvalProfile, Flow, Foreign, Language, Nag, PiecePath, Shape, ShapeColor, ShapeKind, StartClock,
    Training, TrainingSolution, TrainingText, Visitor, WebLink,
};
use tabia_core::io::Cursor;

use super::ID;
use crate::games::cbh::annotations::{eval, kind};
use crate::games::cbh::charset::Texts;
use crate::games::cbh::field_codecs::decode_square;

/// Where the blocks end.
pub(super) const END: i32 = i32::MAX;

/// Kinds of kept bytes beside the kinds of annotations.
pub(super) mod foreign {
    /// The medals of the header when they are not those of the annotations.
    pub(crate) const HEADER_MEDALS: u16 = 0x7001;
    /// All that follows in the annotations from one of an unknown kind on.
    pub(crate) const REST: u16 = 0x7002;
    /// The content of a record that is no text although it should be one.
    pub(crate) const BODY: u16 = 0x7003;
}

/// Languages of comments and texts by their number; 7 is any.
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

/// The number of texts for every language.
pub(super) const ANY_LANGUAGE: u16 = 7;

/// An annotation in its record.
#[derive(Debug, Clone)]
struct Item {
    position: i32,
    kind: u16,
    data: Range<usize>,
}

/// The annotations of one game.
#[derive(Debug)]
pub(super) struct Notes<'c> {
    content: &'c [u8],
    /// Sorted by position.
    items: Vec<Item>,
    texts: Texts,
}

impl<'c> Notes<'c> {
    /// None.
    pub(super) fn none(texts: Texts) -> Self {
        Self {
            content: &[],
            items: Vec::new(),
            texts,
        }
    }

    /// Those of a record's content, and what ended them too early.
    pub(super) fn read(content: &'c [u8], texts: Texts) -> (Self, Option<Error>) {
        let mut notes = Self {
            content,
            items: Vec::new(),
            texts,
        };
        let mut cursor = Cursor::new(content);
        let mut position = -1;
        let fault = notes.read_items(&mut cursor, &mut position);
        let fault = match fault {
            Ok(None) => None,
            Ok(Some((kind, at))) => {
                notes.keep_rest(position, at);
                let text = format!(
                    "the notes on this format do not say how long an annotation of kind {kind:#x} \
                     is: it and those behind it are kept unread"
                );
                Some(Error::unsupported(text).at_offset(at as u64))
            }
            Err((fault, at)) => {
                notes.keep_rest(position, at);
                Some(fault.at_base(0))
            }
        };
        notes.items.sort_by_key(|item| item.position);
        (notes, fault)
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

    /// What is said of the game.
    pub(super) fn visit_game(&self, visitor: &mut dyn Visitor) -> Flow {
        let end = self.items.partition_point(|item| item.position < 0);
        self.hand_on(0..end, visitor)
    }

    /// What is said of the moves of these numbers.
    pub(super) fn visit(&self, from: u32, to: u32, visitor: &mut dyn Visitor) -> Flow {
        let below = |number: u32| {
            let items = &self.items;
            items.partition_point(|item| i64::from(item.position) < i64::from(number))
        };
        self.hand_on(below(from)..below(to), visitor)
    }

    fn hand_on(&self, range: Range<usize>, visitor: &mut dyn Visitor) -> Flow {
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

    /// An unknown kind and where its annotation begins, or a fault and where that of it begins.
    fn read_items(
        &mut self,
        cursor: &mut Cursor<'_>,
        position: &mut i32,
    ) -> Result<Option<(u16, usize)>, (Malformed, usize)> {
        loop {
            let at = cursor.offset();
            let here = cursor.i32_le("position").map_err(|fault| (fault, at))?;
            if here == END {
                return Ok(None);
            }
            *position = here.max(-1);
            for _ in 0..cursor.u32_le("count").map_err(|fault| (fault, at))? {
                let at = cursor.offset();
                let kind = cursor.u16_le("kind").map_err(|fault| (fault, at))?;
                let from = cursor.offset();
                if skip(kind, cursor).map_err(|fault| (fault, at))?.is_none() {
                    return Ok(Some((kind, at)));
                }
                self.items.push(Item {
                    position: *position,
                    kind,
                    data: from..cursor.offset(),
                });
            }
        }
    }

    fn keep_rest(&mut self, position: i32, at: usize) {
        self.items.push(Item {
            position,
            kind: foreign::REST,
            data: at..self.content.len(),
        });
    }
}

/// Goes past the data of an annotation; `None` when nothing is known of its length.
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
            return Ok((!matches!(training, Question::Unknown)).then_some(()));
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

/// A kind of four bytes whose meaning is unknown.
const CORRESPONDENCE_HEADER: u8 = 0x08;

/// Receives annotations.
type Emit<'e> = &'e mut dyn FnMut(Annotation<'_>) -> Flow;

/// Hands on what an annotation says; what does not fit to the last byte as it is.
fn decode(kind: u16, data: &[u8], texts: Texts, emit: Emit<'_>) -> Flow {
    let mut cursor = Cursor::new(data);
    let said = match u8::try_from(kind).unwrap_or(0) {
        kind::TEXT_AFTER | kind::TEXT_BEFORE => comment(kind, &mut cursor, texts, emit),
        kind::SYMBOLS => Ok(symbols(data, emit)),
        kind::SQUARES => Ok(shapes(data, 2, emit)),
        kind::ARROWS => Ok(shapes(data, 3, emit)),
        kind::WEB_LINK => web_link(&mut cursor, texts, emit),
        kind::TRAINING => match training(&mut cursor) {
            Ok(Question::Texts(training)) if cursor.is_empty() => {
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
    said.ok().flatten().unwrap_or_else(|| {
        emit(Annotation::Foreign(Foreign {
            format: ID,
            kind,
            bytes: data,
        }))
    })
}

/// What was said; `None` when the data is not as described.
type Said = Result<Option<Flow>, Malformed>;

fn comment(kind: u16, cursor: &mut Cursor<'_>, texts: Texts, emit: Emit<'_>) -> Said {
    let unknown = cursor.u16_le("unknown")?;
    let number = cursor.u16_le("language")?;
    let length = cursor.u32_le("length")? as usize;
    let bytes = cursor.take(length, "text")?;
    let language = match LANGUAGES.iter().find(|(known, _)| *known == number) {
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

/// A colour and one square, or a colour and two; square numbers from 1.
fn shapes(data: &[u8], size: usize, emit: Emit<'_>) -> Option<Flow> {
    let items = data.get(4..).unwrap_or_default();
    let square = |number: u8| decode_square(number.checked_sub(1)?);
    let shape = |bytes: &[u8]| {
        let (color, kind) = match *bytes {
            [color, at] if size == 2 => (color, ShapeKind::Square(square(at)?)),
            [color, from, to] => (color, ShapeKind::Arrow(square(from)?, square(to)?)),
            _ => return None,
        };
        let color = match color {
            2 => ShapeColor::Green,
            3 => ShapeColor::Yellow,
            4 => ShapeColor::Red,
            other => ShapeColor::ChessBase(other),
        };
        Some(Shape { kind, color })
    };
    let all = || items.chunks(size).map(shape);
    if items.is_empty() || all().any(|shape| shape.is_none()) {
        return None;
    }
    for shape in all().flatten() {
        let flow = emit(Annotation::Shape(shape));
        if flow != Flow::Go {
            return Some(flow);
        }
    }
    Some(Flow::Go)
}

fn web_link(cursor: &mut Cursor<'_>, texts: Texts, emit: Emit<'_>) -> Said {
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

/// A training question.
enum Question {
    /// Of a layout that is not known.
    Unknown,
    /// With something else than texts.
    Mixed,
    Texts(Training),
}

fn training(cursor: &mut Cursor<'_>) -> Result<Question, Malformed> {
    let [first, second, variant] = cursor.array("mark")?;
    if (first, second, variant) != (1, 1, 1) {
        return Ok(Question::Unknown);
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
        Question::Texts(training)
    } else {
        Question::Mixed
    })
}

/// A list of texts; whether it holds nothing else.
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

/// Kinds whose data has a fixed size.
fn fixed(kind: u16, cursor: &mut Cursor<'_>) -> Result<Option<Annotation<'static>>, Malformed> {
    Ok(Some(match u8::try_from(kind).unwrap_or(0) {
        kind::TIME_SPENT => {
            // The first is unknown; in `.cba` the fourth is hundredths.
            let [0, seconds @ 0..60, minutes @ 0..60, hours] = cursor.array("time_spent")? else {
                return Ok(None);
            };
            let seconds = (u64::from(hours) * 60 + u64::from(minutes)) * 60 + u64::from(seconds);
            Annotation::Clock(Clock {
                kind: ClockKind::ElapsedMove,
                time: Duration::from_secs(seconds),
            })
        }
        kind::PAWN_STRUCTURE => Annotation::PawnStructure(cursor.u8("pawn_structure")?),
        kind::PIECE_PATH => {
            cursor.u32_le("length")?;
            Annotation::PiecePath(PiecePath {
                kind: cursor.u8("piece_path")?,
                square: cursor.u8("piece_path")?,
            })
        }
        kind::WHITE_CLOCK | kind::BLACK_CLOCK => Annotation::StartClock(StartClock {
            color: if kind == u16::from(kind::WHITE_CLOCK) {
                Color::White
            } else {
                Color::Black
            },
            hundredths: cursor.i32_le("clock")?,
        }),
        kind::CRITICAL => Annotation::Critical(CriticalPosition(cursor.u8("critical")?)),
        kind::EVAL => match eval(cursor)? {
            Some(eval) => Annotation::Eval(eval),
            None => return Ok(None),
        },
        kind::MEDALS => Annotation::Medals(cursor.u32_le("medals")?),
        kind::VIDEO_TIME => Annotation::VideoTime(cursor.i32_le("video_time")?),
        _ => return Ok(None),
    }))
}
