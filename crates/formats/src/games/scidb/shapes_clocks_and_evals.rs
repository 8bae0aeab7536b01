//! Marks and move informations: the items of the side data, one for each token.

use std::time::Duration;

use tabia_core::chess::Square;
use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Clock, ClockKind, Eval, Score, Shape, ShapeColor, ShapeKind};
use tabia_core::io::{Cursor, Sink};

use super::format_identity::SECTIONS_SINCE;

/// Kinds of foreign bytes.
pub(crate) mod foreign {
    /// Names of engines, each with a final zero.
    pub(crate) const ENGINES: u16 = 1;
    /// A table of times, as stored.
    pub(crate) const TIME_TABLE: u16 = 2;
    /// A mark or move information, as stored.
    pub(crate) const INFORMATION: u16 = 3;
    /// A text whose markup is more than languages, as stored.
    pub(crate) const MARKUP: u16 = 4;
    /// The move is marked as illegal.
    pub(crate) const ILLEGAL: u16 = 5;
    /// The rest of side data and texts.
    pub(crate) const REST: u16 = 6;
    /// A move information of version 92, as stored.
    pub(crate) const OLD_INFORMATION: u16 = 7;
}

/// An item of the side data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SideItem<'a> {
    Empty,
    Annotation(Annotation<'static>),
    /// A diagram with its caption.
    Diagram(&'a [u8]),
    /// The bytes of an item without a common meaning.
    Bytes(&'a [u8]),
}

/// The bit of the first byte of a move information, which marks lack.
pub(crate) const INFORMATION: u8 = 0x80;

/// The pawns of an evaluation that is a mate. The hundredths are then moves.
const MATE: u32 = 1023;

const COLORS: [ShapeColor; 9] = [
    ShapeColor::Red,
    ShapeColor::Orange,
    ShapeColor::Yellow,
    ShapeColor::Green,
    ShapeColor::Blue,
    ShapeColor::DarkBlue,
    ShapeColor::Purple,
    ShapeColor::White,
    ShapeColor::Black,
];

/// Bytes of the move information that begins with this byte. A byte below [`INFORMATION`] is an empty
/// one. Version 92 has other codes for the kinds.
pub(crate) const fn length(first: u8, version: u16) -> usize {
    if first < INFORMATION {
        return 1;
    }
    let kind = first >> 4 & 7;
    if version < SECTIONS_SINCE {
        return match kind {
            0 => 1,
            1 | 5 => 4,
            7 => 5,
            _ => 3,
        };
    }
    match kind {
        1 | 2 | 3 | 5 => 3,
        6 => 5,
        _ => 4,
    }
}

/// Reads the next item.
pub(crate) fn read<'a>(cursor: &mut Cursor<'a>, version: u16) -> Result<SideItem<'a>, Malformed> {
    let start = *cursor;
    let first = cursor.u8("side_data")?;
    if first >= INFORMATION {
        let mut item = start;
        let bytes = item.take(length(first, version), "move_information")?;
        *cursor = item;
        let annotation = if version < SECTIONS_SINCE {
            old_information(bytes)
        } else {
            information(bytes)
        };
        return Ok(annotation.map_or(SideItem::Bytes(bytes), SideItem::Annotation));
    }
    match first {
        0 => Ok(SideItem::Empty),
        1 => {
            let (square, kind) = (cursor.u8("mark_square")?, cursor.u8("mark_type")?);
            let mut color = cursor.u8("mark_color")?;
            let mut to = None;
            if color & 0x80 != 0 {
                to = Some(color & 63);
                color = cursor.u8("mark_color")?;
            }
            let length = cursor.offset() - start.offset();
            let bytes = start.rest().get(..length).unwrap_or_default();
            let shape = shape(square, kind, to, color);
            Ok(shape.map_or(SideItem::Bytes(bytes), |shape| {
                SideItem::Annotation(Annotation::Shape(shape))
            }))
        }
        2 => {
            let end = memchr::memchr(0, cursor.rest()).unwrap_or(cursor.left());
            let caption = cursor.take(end, "mark_caption")?;
            cursor.u8("mark_caption")?;
            Ok(SideItem::Diagram(caption))
        }
        other => Err(start.malformed("mark", Why::Value(other.into()))),
    }
}

fn shape(square: u8, kind: u8, to: Option<u8>, color: u8) -> Option<Shape> {
    let square = Square::new(square)?;
    let color = *COLORS.get(usize::from(color))?;
    let kind = match (kind, to) {
        (3, Some(to)) => ShapeKind::Arrow(square, Square::new(to)?),
        (1, None) => ShapeKind::Square(square),
        (2, None) => ShapeKind::Frame(square),
        (4, None) => ShapeKind::Circle(square),
        (5, None) => ShapeKind::Disk(square),
        (letter @ 0x20..0x7f, None) => ShapeKind::Letter(square, char::from(letter)),
        _ => return None,
    };
    Some(Shape { kind, color })
}

/// The annotation of a move information. `None` if it has no common meaning.
fn information(bytes: &[u8]) -> Option<Annotation<'static>> {
    let (&first, rest) = bytes.split_first()?;
    let value = number(rest);
    let low = u32::from(first & 15);
    let clock = |kind| {
        clock(
            kind,
            first & 15,
            [value >> 12 & 15, value >> 6 & 63, value & 63],
        )
    };
    match first >> 4 & 7 {
        0 => {
            let (pawns, hundredths) = (value >> 7 & MATE, value & 127);
            let is_negative = value >> 17 & 1 != 0;
            let score = if pawns == MATE {
                let sign = if is_negative { -1 } else { 1 };
                Score::Mate(sign * hundredths.cast_signed())
            } else {
                centipawns(is_negative, pawns, hundredths)?
            };
            Some(Annotation::Eval(Eval {
                score,
                depth: Some((value >> 18) as u16).filter(|&depth| depth > 0),
                engine: first & 15,
            }))
        }
        1 => clock(ClockKind::Remaining),
        2 => clock(ClockKind::ElapsedGame),
        3 => clock(ClockKind::ElapsedMove),
        4 => {
            let seconds = low << 14 | value >> 10;
            let milliseconds = value & 0x3ff;
            (milliseconds < 1000).then_some(Annotation::Clock(Clock {
                kind: ClockKind::ElapsedMove,
                time: Duration::from_millis(u64::from(seconds) * 1000 + u64::from(milliseconds)),
            }))
        }
        _ => None,
    }
}

/// As [`information`] for version 92, where the fields begin with the lowest bit.
fn old_information(bytes: &[u8]) -> Option<Annotation<'static>> {
    let (&first, rest) = bytes.split_first()?;
    let value = number(rest);
    let clock = |kind| {
        clock(
            kind,
            first & 15,
            [value & 15, value >> 4 & 63, value >> 10 & 63],
        )
    };
    match first >> 4 & 7 {
        1 => Some(Annotation::Eval(Eval {
            score: centipawns(value >> 5 & 1 != 0, value >> 6 & 0x7ff, value >> 17 & 127)?,
            depth: Some((value & 31) as u16).filter(|&depth| depth > 0),
            engine: first & 15,
        })),
        2 => clock(ClockKind::Remaining),
        3 => clock(ClockKind::ElapsedGame),
        4 => clock(ClockKind::ElapsedMove),
        _ => None,
    }
}

fn number(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter();
    bytes.fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// A clock of a player. `None` for the clock of an engine.
fn clock(kind: ClockKind, engine: u8, time: [u32; 3]) -> Option<Annotation<'static>> {
    let [hours, minutes, seconds] = time;
    let seconds = hours * 3600 + minutes * 60 + seconds;
    (engine == 0).then_some(Annotation::Clock(Clock {
        kind,
        time: Duration::from_secs(seconds.into()),
    }))
}

fn centipawns(is_negative: bool, pawns: u32, hundredths: u32) -> Option<Score> {
    let sign = if is_negative { -1 } else { 1 };
    let value = sign * (pawns * 100 + hundredths).cast_signed();
    (hundredths < 100).then_some(Score::Centipawns(value))
}

/// Appends a shape. `false` if it has no code.
pub(crate) fn write_shape(shape: Shape, sink: &mut Sink) -> bool {
    let Some(color) = COLORS.iter().position(|&color| color == shape.color) else {
        return false;
    };
    let (square, kind, to) = match shape.kind {
        ShapeKind::Square(square) => (square, 1, None),
        ShapeKind::Frame(square) => (square, 2, None),
        ShapeKind::Arrow(square, to) => (square, 3, Some(to)),
        ShapeKind::Circle(square) => (square, 4, None),
        ShapeKind::Disk(square) => (square, 5, None),
        ShapeKind::Letter(square, letter) => match u8::try_from(letter) {
            Ok(letter @ 0x20..0x7f) => (square, letter, None),
            _ => return false,
        },
        _ => return false,
    };
    sink.bytes(&[1, square.number(), kind]);
    if let Some(to) = to {
        sink.u8(0x80 | to.number());
    }
    sink.u8(color as u8);
    true
}

/// Appends a clock. `false` if it is too long or has no code. Only the time spent on a move has
/// fractions of a second; see [`is_exact`] for their loss.
pub(crate) fn write_clock(clock: Clock, sink: &mut Sink) -> bool {
    let seconds = clock.time.as_secs();
    let milliseconds = clock.time.subsec_millis();
    let code: u8 = match clock.kind {
        ClockKind::Remaining => 1,
        ClockKind::ElapsedGame => 2,
        ClockKind::ElapsedMove => 3,
        _ => return false,
    };
    if clock.kind == ClockKind::ElapsedMove && (milliseconds != 0 || seconds >= 16 * 3600) {
        let Ok(seconds @ 0..0x4_0000) = u32::try_from(seconds) else {
            return false;
        };
        sink.u8(INFORMATION | 4 << 4 | (seconds >> 14) as u8);
        sink.u24_be((seconds & 0x3fff) << 10 | milliseconds);
        return true;
    }
    let Ok(seconds @ 0..57_600) = u32::try_from(seconds) else {
        return false;
    };
    sink.u8(INFORMATION | code << 4);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let word = hours << 12 | minutes << 6 | (seconds % 60);
    sink.u16_be(word as u16);
    true
}

/// Whether [`write_clock`] writes the exact time.
pub(crate) fn is_exact(clock: Clock) -> bool {
    let nanos = clock.time.subsec_nanos();
    match clock.kind {
        ClockKind::ElapsedMove => nanos.is_multiple_of(1_000_000),
        _ => nanos == 0,
    }
}

/// Appends an evaluation. `false` if its score has no code.
pub(crate) fn write_eval(eval: Eval, sink: &mut Sink) -> bool {
    let (is_negative, pawns, hundredths) = match eval.score {
        Score::Centipawns(value) => {
            let size = value.unsigned_abs();
            (value < 0, size / 100, size % 100)
        }
        Score::Mate(moves) => (moves < 0, MATE, moves.unsigned_abs()),
    };
    let is_mate = matches!(eval.score, Score::Mate(_));
    if hundredths > 127 || pawns > MATE || (pawns == MATE) != is_mate {
        return false;
    }
    let depth = u32::from(eval.depth.unwrap_or(0)) & 63;
    sink.u8(INFORMATION | eval.engine & 15);
    sink.u24_be(depth << 18 | u32::from(is_negative) << 17 | pawns << 7 | hundredths);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::scidb::format_identity::VERSION;

    fn read_back(sink: &Sink) -> Annotation<'static> {
        let mut cursor = Cursor::new(sink.as_slice());
        let item = read(&mut cursor, VERSION);
        assert!(cursor.is_empty());
        match item {
            Ok(SideItem::Annotation(annotation)) => annotation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn shapes_round_trip() {
        let kinds = [
            ShapeKind::Square(Square::E4),
            ShapeKind::Frame(Square::A1),
            ShapeKind::Arrow(Square::E2, Square::H8),
            ShapeKind::Circle(Square::H8),
            ShapeKind::Disk(Square::B3),
            ShapeKind::Letter(Square::C5, '?'),
        ];
        for kind in kinds {
            for color in COLORS {
                let shape = Shape { kind, color };
                let mut sink = Sink::new();
                assert!(write_shape(shape, &mut sink));
                assert_eq!(read_back(&sink), Annotation::Shape(shape));
            }
        }
        let without = [
            (kinds[0], ShapeColor::Cyan),
            (ShapeKind::Letter(Square::A1, 'é'), ShapeColor::Red),
        ];
        for (kind, color) in without {
            assert!(!write_shape(Shape { kind, color }, &mut Sink::new()));
        }
    }

    #[test]
    fn clocks_round_trip() {
        for kind in [
            ClockKind::Remaining,
            ClockKind::ElapsedGame,
            ClockKind::ElapsedMove,
        ] {
            for seconds in [0, 59, 3600 + 62, 57_599] {
                let time = Duration::from_secs(seconds);
                let mut sink = Sink::new();
                assert!(write_clock(Clock { kind, time }, &mut sink));
                assert_eq!(read_back(&sink), Annotation::Clock(Clock { kind, time }));
            }
        }
        let spent = |millis| Clock {
            kind: ClockKind::ElapsedMove,
            time: Duration::from_millis(millis),
        };
        for millis in [1, 16_384_999, 0x3_ffff * 1000 + 999] {
            let mut sink = Sink::new();
            assert!(write_clock(spent(millis), &mut sink) && is_exact(spent(millis)));
            assert_eq!(read_back(&sink), Annotation::Clock(spent(millis)));
        }
        assert!(!write_clock(spent(0x4_0000 * 1000), &mut Sink::new()));
        let left = Clock {
            kind: ClockKind::Remaining,
            time: Duration::from_millis(500),
        };
        assert!(!is_exact(left));
    }

    #[test]
    fn evaluations_round_trip() {
        for score in [
            Score::Centipawns(0),
            Score::Centipawns(-31),
            Score::Centipawns(102_299),
            Score::Mate(-3),
            Score::Mate(127),
        ] {
            for depth in [None, Some(1), Some(63)] {
                let eval = Eval {
                    score,
                    depth,
                    engine: 2,
                };
                let mut sink = Sink::new();
                assert!(write_eval(eval, &mut sink));
                assert_eq!(read_back(&sink), Annotation::Eval(eval));
            }
        }
        for score in [Score::Centipawns(102_300), Score::Mate(128)] {
            let eval = Eval {
                score,
                depth: None,
                engine: 0,
            };
            assert!(!write_eval(eval, &mut Sink::new()), "{score:?}");
        }
    }

    #[test]
    fn items_of_version_92_are_read() {
        fn item(bytes: &[u8]) -> SideItem<'_> {
            read(&mut Cursor::new(bytes), 92).unwrap()
        }
        let time = Duration::from_secs(3600 + 40 * 60 + 39);
        assert_eq!(
            item(&[0xa0, 0x9e, 0x81]),
            SideItem::Annotation(Annotation::Clock(Clock {
                kind: ClockKind::Remaining,
                time,
            }))
        );
        assert_eq!(
            item(&[0x92, 0x3e, 0x00, 0xf6]),
            SideItem::Annotation(Annotation::Eval(Eval {
                score: Score::Centipawns(-331),
                depth: Some(22),
                engine: 2,
            }))
        );
        assert_eq!(
            item(&[0xf0, 1, 2, 3, 4]),
            SideItem::Bytes(&[0xf0, 1, 2, 3, 4])
        );
    }

    #[test]
    fn items_without_a_common_meaning_stay_bytes() {
        for bytes in [
            &[0xd0, 0, 1][..],
            &[0xe1, 1, 2, 3, 4],
            &[0xf0, 0, 1, 2],
            &[0x91, 0, 1],
        ] {
            let mut cursor = Cursor::new(bytes);
            assert_eq!(read(&mut cursor, VERSION), Ok(SideItem::Bytes(bytes)));
            assert!(cursor.is_empty());
        }
        let mut cursor = Cursor::new(b"\x02here\0\x00");
        assert_eq!(read(&mut cursor, VERSION), Ok(SideItem::Diagram(b"here")));
        assert_eq!(read(&mut cursor, VERSION), Ok(SideItem::Empty));
        assert!(read(&mut cursor, VERSION).is_err());
        assert!(read(&mut Cursor::new(&[7]), VERSION).is_err());
    }
}
