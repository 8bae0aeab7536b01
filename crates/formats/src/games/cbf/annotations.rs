//! Annotations of moves: three codes and a text each, in the order of the moves.

use tabia_core::chess::Color;
use tabia_core::game::Nag;
use tabia_core::io::Charset;

use super::charset;

/// Ends an annotation, also in the middle of its codes.
const END: u8 = 0xff;

/// The annotations of one move.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MoveAnnotations {
    /// NAGs; 0 is none.
    pub(crate) nags: [u8; 3],
    pub(crate) text: String,
    /// Codes without a known meaning.
    pub(crate) unknown: Vec<u8>,
}

impl MoveAnnotations {
    /// The NAGs in order.
    pub(crate) fn nags(&self) -> impl Iterator<Item = Nag> {
        self.nags.into_iter().filter(|&number| number != 0).map(Nag)
    }
}

/// Reads the text area of a record, which contains the annotations of all moves.
#[derive(Debug, Clone)]
pub(crate) struct AnnotationReader<'a> {
    rest: &'a [u8],
}

impl<'a> AnnotationReader<'a> {
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// The bytes that have not been read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Skips the annotations of a move and returns their bytes; empty at the end of the area.
    pub(crate) fn skip(&mut self) -> &'a [u8] {
        let end = memchr::memchr(END, self.rest).unwrap_or(self.rest.len());
        let bytes = self.rest.get(..end).unwrap_or_default();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        bytes
    }

    /// The annotations of the next annotated move, which `mover` made.
    pub(crate) fn read(&mut self, mover: Color, charset: Charset) -> MoveAnnotations {
        let bytes = self.skip();
        let mut annotations = MoveAnnotations::default();
        for (index, table) in [EVALUATIONS.as_slice(), &POSITIONS, &REMARKS]
            .into_iter()
            .enumerate()
        {
            let Some(code) = bytes.get(index).copied().filter(|&code| code != 0) else {
                continue;
            };
            match (
                table.get(usize::from(code) - 1),
                annotations.nags.get_mut(index),
            ) {
                (Some(&(white, black)), Some(nag)) => {
                    *nag = if mover.is_white() { white } else { black };
                }
                _ => annotations.unknown.push(code),
            }
        }
        annotations.text = charset::comment(bytes.get(3..).unwrap_or_default(), charset);
        annotations
    }
}

/// NAGs for a move of White and of Black; 0 is none.
type Pair = (u8, u8);

const fn same(nag: u8) -> Pair {
    (nag, nag)
}

/// `!`, `?`, `!?`, `?!`, `!!`, `??`, mate (which the move itself shows), with the idea, better.
const EVALUATIONS: [Pair; 9] = [
    same(1),
    same(2),
    same(5),
    same(6),
    same(3),
    same(4),
    same(0),
    same(140),
    same(142),
];

/// Which side has the advantage, compensation, counterplay, initiative, attack, time trouble, only move.
const POSITIONS: [Pair; 15] = [
    same(18),
    same(16),
    same(14),
    same(10),
    same(13),
    same(15),
    same(17),
    same(19),
    same(44),
    same(45),
    (132, 133),
    (36, 37),
    (40, 41),
    (138, 139),
    same(8),
];

/// Editor's remark, better, with the idea, equivalent, better, worse, a break.
const REMARKS: [Pair; 7] = [
    same(145),
    same(142),
    same(140),
    same(144),
    same(142),
    same(143),
    same(0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_end_anywhere() {
        let bytes = b"\x01\xff\x02\x0b\xff\x00\x00\x01\x00\x00good\xff\x00\x00\x00cut";
        let mut reader = AnnotationReader::new(bytes);
        let mut read = |color| reader.read(color, Charset::Auto);
        assert_eq!(read(Color::White).nags, [1, 0, 0]);
        assert_eq!(read(Color::Black).nags, [2, 133, 0]);
        let third = read(Color::White);
        assert_eq!((third.nags, third.text.as_str()), ([0, 0, 145], "good"));
        assert_eq!(read(Color::White).text, "cut");
        assert_eq!(read(Color::White), MoveAnnotations::default());
    }
}
