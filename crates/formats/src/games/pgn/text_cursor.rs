//! The position of a reader in a text, with what error messages need: games, lines, offsets.

use tabia_core::byte_sets::count_line_breaks;
use tabia_core::error::{Error, GameIndex};

use super::event_boundary::EventBoundaries;

/// A position in a text that holds complete games.
#[derive(Debug, Clone, Default)]
pub(super) struct TextCursor {
    /// Offset of the next byte to read.
    pub(super) at: usize,
    /// The next event boundary, or the end of the text: the games before it are read without
    /// looking further. If it is not after `at`, the next one is not known.
    pub(super) part_end: usize,
    /// Games read so far, in this text and all before it.
    pub(super) games: u32,
    /// Bytes of the stream before this text.
    pub(super) offset: u64,
    /// Lines of the stream before this text.
    pub(super) lines: u64,
    /// An offset in this text and the number of lines before it, so that lines are counted once.
    counted: (usize, u64),
}

impl TextCursor {
    /// A cursor at `at` in a text that begins at `offset` of its stream.
    pub(super) fn new(at: usize, offset: u64) -> Self {
        Self {
            at,
            offset,
            ..Self::default()
        }
    }

    /// Moves to the start of the text that follows `previous`.
    pub(super) fn next_text(&mut self, previous: &[u8]) {
        self.lines += count_lines(previous, 0, previous.len());
        self.offset += previous.len() as u64;
        self.at = 0;
        self.part_end = 0;
        self.counted = (0, 0);
    }

    /// Whether no part is known that contains the next byte: the next event boundary is not searched yet.
    pub(super) fn is_between_parts(&self) -> bool {
        self.at >= self.part_end
    }

    /// Finds the event boundary after `start` if it is not known; returns the text before it.
    pub(super) fn part<'t>(
        &mut self,
        text: &'t [u8],
        start: usize,
        boundaries: &EventBoundaries,
    ) -> &'t [u8] {
        if self.is_between_parts() {
            self.part_end = boundaries.next_after(text, start);
        }
        text.get(..self.part_end).unwrap_or(text)
    }

    /// `error` with the current game, and the line, column and offset of `at`.
    pub(super) fn locate(&mut self, text: &[u8], at: usize, error: Error) -> Error {
        let (from, lines) = self.counted;
        let (from, lines) = if from <= at { (from, lines) } else { (0, 0) };
        let lines = lines + count_lines(text, from, at);
        self.counted = (at, lines);
        let line = text.get(..at).unwrap_or_default();
        let start = memchr::memrchr2(b'\n', b'\r', line).map_or(0, |found| found + 1);
        error
            .in_game(GameIndex(self.games))
            .at_line(self.lines + lines + 1, (at - start + 1) as u32)
            .at_offset(self.offset + at as u64)
    }
}

/// The number of line breaks in a range of `text`: `\n`, `\r\n` and `\r`.
pub(super) fn count_lines(text: &[u8], from: usize, to: usize) -> u64 {
    count_line_breaks(text, from, to) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_kinds_of_line_breaks_are_counted() {
        let mut text = Vec::new();
        let mut lines = 0;
        for i in 0..200_usize {
            text.resize(text.len() + i % 5, b'x');
            let ends: [&[u8]; 4] = [b"\r\n", b"\r", b"\n", b"\r\r\n"];
            let end = ends[i % 4];
            text.extend_from_slice(end);
            lines += if i % 4 == 3 { 2 } else { 1 };
            text.push(b'x');
            assert_eq!(count_lines(&text, 0, text.len()), lines);
        }
        assert_eq!(count_lines(b"a\r\nb", 0, 2), 0);
        assert_eq!(count_lines(b"a\r\nb", 2, 4), 1);
        assert_eq!(count_lines(b"a\r", 0, 2), 1);
    }
}
