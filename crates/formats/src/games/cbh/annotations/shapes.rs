//! Coloured squares and arrows, which `.cba` and `.2cba` store alike: a colour and the numbers of one or two
//! squares, from 1.

use tabia_core::game::{Annotation, Flow, Shape, ShapeColor, ShapeKind};

use super::items::kind;
use crate::games::cbh::field_codecs::{decode_square, encode_square};

/// Receives annotations.
type Emit<'e> = &'e mut dyn FnMut(Annotation<'_>) -> Flow;

/// Emits shapes of `size` bytes each; `None`, and no shape, if there is none, one is malformed, or bytes
/// are left over.
pub(crate) fn emit_shapes(data: &[u8], size: usize, emit: Emit<'_>) -> Option<Flow> {
    let shapes = || data.chunks(size).map(|bytes| shape(bytes, size));
    if data.is_empty() || shapes().any(|shape| shape.is_none()) {
        return None;
    }
    for shape in shapes().flatten() {
        match emit(Annotation::Shape(shape)) {
            Flow::Go => {}
            other => return Some(other),
        }
    }
    Some(Flow::Go)
}

/// A colour and one square, or a colour and two, in `size` bytes; square numbers are from 1.
pub(crate) fn shape(bytes: &[u8], size: usize) -> Option<Shape> {
    if bytes.len() != size {
        return None;
    }
    let square = |number: u8| decode_square(number.checked_sub(1)?);
    let (color, kind) = match *bytes {
        [color, at] => (color, ShapeKind::Square(square(at)?)),
        [color, from, to] => (color, ShapeKind::Arrow(square(from)?, square(to)?)),
        _ => return None,
    };
    Some(Shape {
        kind,
        color: ShapeColor::of_chessbase(color),
    })
}

/// A shape as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct EncodedShape {
    /// The kind of its item: squares or arrows.
    pub(crate) kind: u8,
    pub(crate) bytes: Vec<u8>,
    /// Whether its colour is one of ChessBase's.
    pub(crate) is_exact: bool,
}

/// Encodes a square or an arrow; `None` for other shapes.
pub(crate) fn encode_shape(shape: Shape) -> Option<EncodedShape> {
    let (color, is_exact) = color_number(shape.color);
    let number = |square| encode_square(square) + 1;
    let (kind, bytes) = match shape.kind {
        ShapeKind::Square(at) => (kind::SQUARES, vec![color, number(at)]),
        ShapeKind::Arrow(from, to) => (kind::ARROWS, vec![color, number(from), number(to)]),
        _ => return None,
    };
    Some(EncodedShape {
        kind,
        bytes,
        is_exact,
    })
}

/// ChessBase's number of a colour, or of the nearest of its four, and whether it is the same colour.
fn color_number(color: ShapeColor) -> (u8, bool) {
    match color {
        ShapeColor::Green => (2, true),
        ShapeColor::Yellow => (3, true),
        ShapeColor::Red => (4, true),
        ShapeColor::Blue => (7, true),
        ShapeColor::ChessBase(number) => (number, true),
        ShapeColor::Orange => (3, false),
        ShapeColor::Magenta | ShapeColor::Purple => (4, false),
        ShapeColor::Cyan | ShapeColor::DarkBlue => (7, false),
        ShapeColor::Rgb(rgb) => (nearest_number(rgb), false),
        _ => (2, false),
    }
}

/// The number of the colour that is nearest to `0xRRGGBB`.
fn nearest_number(rgb: u32) -> u8 {
    let parts = [rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255];
    let distance = |(_, color): &(u8, [u32; 3])| -> u32 {
        parts
            .iter()
            .zip(color)
            .map(|(a, b)| a.abs_diff(*b).pow(2))
            .sum()
    };
    let colors = [
        (2, [0, 160, 0]),
        (3, [240, 240, 0]),
        (4, [240, 0, 0]),
        (7, [0, 0, 240]),
    ];
    colors
        .iter()
        .min_by_key(|color| distance(color))
        .map_or(2, |(number, _)| *number)
}
