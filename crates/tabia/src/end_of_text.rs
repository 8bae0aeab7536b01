//! [`TextEnd`]: how a text file ends to which games are added.

use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

use tabia_core::byte_sets::count_line_breaks;
use tabia_core::chess::{Ply, Position};
use tabia_core::formats::{OpenBlocks, OpenOptions};
use tabia_core::game::{Annotation, Flow, GameHead, Visitor, Want};
use tabia_core::games::{Block, TextFacts};
use tabia_core::io::Charset;
use tabia_core::{Error, ErrorKind, GameIndex, Problem, Result};
use tabia_formats::archives::OnError;
use tabia_formats::archives::compressed::{Compression, decompress_rest};

/// Bytes in which the end of a line is searched for.
pub(crate) const LINE_SAMPLE: usize = 1 << 16;

/// How a text file of games ends, and what follows from that for games that are added.
pub(crate) struct TextEnd {
    /// The compression that the file has, whatever its name; `None` if it is empty.
    pub(crate) compression: Option<Compression>,
    /// What must follow so that another game can begin.
    pub(crate) gap: &'static str,
    /// How its lines end.
    pub(crate) line_end: &'static str,
    /// The character set of bytes that are not UTF-8; `None` if there are none.
    pub(crate) charset: Option<Charset>,
}

impl TextEnd {
    /// Reads the whole file: what cannot be unpacked hides all that is written after it.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or what is added would become part of something in it.
    pub(crate) fn read(path: &Path, open: OpenBlocks, options: &OpenOptions) -> Result<Self> {
        Self::read_inner(path, open, options).map_err(|error| {
            if error.is_system() {
                return error.in_path(path).in_output();
            }
            let kind = match error.kind() {
                ErrorKind::Limit { .. } | ErrorKind::Unsupported(_) => return error.in_path(path),
                ErrorKind::OpenEnd(_) => {
                    format!("cannot grow: {error}, and what is added would become part of it")
                }
                _ => format!("is damaged and cannot grow: {error}"),
            };
            Error::not_in_file(kind).in_path(path)
        })
    }

    fn read_inner(path: &Path, open: OpenBlocks, options: &OpenOptions) -> Result<Self> {
        let file = Box::new(File::open(path)?);
        let stop = OnError::stop();
        let (mut text, compression) = decompress_rest(file, &options.limits, &stop)?;
        let mut mark = Vec::new();
        (&mut text).take(2).read_to_end(&mut mark)?;
        if matches!(mark.as_slice(), [0xff, 0xfe] | [0xfe, 0xff]) {
            let text = "is UTF-16; `tabia convert` makes a file in UTF-8, which can grow";
            return Err(Error::unsupported(text).in_output());
        }
        let is_empty = mark.is_empty() && compression == Compression::None;
        let mut options = options.clone();
        options.strict = false;
        let mut blocks = open(Box::new(Cursor::new(mark).chain(text)), &options)?;
        blocks.wait_for_full_blocks();
        let mut reader = blocks.reader();
        let (mut block, mut next) = (Block::default(), Block::default());
        let (mut lines, mut line_end) = (0, None);
        while blocks.next(&mut next)? {
            lines += count_line_breaks(&block.bytes, 0, block.bytes.len()) as u64;
            std::mem::swap(&mut block, &mut next);
            line_end = line_end.or_else(|| {
                let sample = block.bytes.get(..LINE_SAMPLE).unwrap_or(&block.bytes);
                line_end_of(sample)
            });
        }
        let found = blocks.found();
        require_english_letters(&found, "which can grow")?;
        let mut open_end = OpenEnd::default();
        let _ = reader.read(&block, Want::ALL, &mut open_end)?;
        if let Some(error) = open_end.0 {
            let at = error.location();
            let (line, column) = (at.line.unwrap_or(1), at.column.unwrap_or(1));
            let kind = Error::new(error.into_kind());
            return Err(kind.at_line(line.saturating_add(lines), column));
        }
        Ok(Self {
            compression: (!is_empty).then_some(compression),
            gap: gap_after(&block.bytes),
            line_end: line_end.unwrap_or("\n"),
            charset: found.charset,
        })
    }
}

/// Refuses a text with the piece letters of another language than that of the games that are written; `what` can be done
/// with a file that has those.
fn require_english_letters(found: &TextFacts, what: &str) -> Result<()> {
    let Some(letters) = found.pieces else {
        return Ok(());
    };
    let names = letters.languages().iter().map(|(_, name)| *name);
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    let text = format!(
        "has the piece letters of another language ({}); `tabia convert` makes a file with English ones, {what}",
        names.join(", ")
    );
    Err(Error::unsupported(text).in_output())
}

/// The character set of the bytes that are not UTF-8 in a text file of games in which one is replaced; `None` if there
/// are none.
///
/// # Errors
/// When the file cannot be read, or its moves have the piece letters of another language.
pub(crate) fn charset_of_text(
    path: &Path,
    open: OpenBlocks,
    options: &OpenOptions,
) -> Result<Option<Charset>> {
    let mut blocks = open(Box::new(File::open(path)?), options)?;
    blocks.wait_for_full_blocks();
    let mut block = Block::default();
    while blocks.next(&mut block)? {}
    let found = blocks.found();
    require_english_letters(&found, "whose games can be changed")?;
    Ok(found.charset)
}

/// The line ends that a text needs so that a blank line is at its end.
fn gap_after(text: &[u8]) -> &'static str {
    if text.is_empty() {
        return "";
    }
    let without_line = |text: &mut &[u8]| {
        let found = text
            .strip_suffix(b"\r\n")
            .or_else(|| text.strip_suffix(b"\n"))
            .or_else(|| text.strip_suffix(b"\r"));
        *text = found.unwrap_or(text);
        found.is_some()
    };
    let mut rest = text;
    match (without_line(&mut rest), without_line(&mut rest)) {
        (true, true) => "",
        (true, false) => "\n",
        _ => "\n\n",
    }
}

/// How lines end in a text; `None` if it has but one.
pub(crate) fn line_end_of(text: &[u8]) -> Option<&'static str> {
    let at = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    Some(match text.get(at..) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    })
}

/// What of the last game does not end.
#[derive(Default)]
struct OpenEnd(Option<Error>);

impl Visitor for OpenEnd {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        // The game before was ended by this one.
        self.0 = None;
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }

    fn visit_annotation(&mut self, _annotation: Annotation<'_>) -> Flow {
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Go
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        if matches!(problem.error.kind(), ErrorKind::OpenEnd(_)) {
            self.0 = Some(problem.error);
        }
        Flow::Go
    }
}

/// Writes a text with other ends of lines than `\n`.
pub(crate) struct LineEndWriter<W> {
    inner: W,
    line_end: &'static str,
    after_return: bool,
}

impl<W: Write> LineEndWriter<W> {
    pub(crate) fn new(inner: W, line_end: &'static str) -> Self {
        Self {
            inner,
            line_end,
            after_return: false,
        }
    }

    pub(crate) fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for LineEndWriter<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.line_end == "\n" {
            return self.inner.write(text);
        }
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some([]) if self.after_return => self.inner.write_all(b"\n")?,
                Some(rest @ [.., b'\r']) => {
                    self.inner.write_all(rest)?;
                    self.inner.write_all(b"\n")?;
                }
                Some(rest) => {
                    self.inner.write_all(rest)?;
                    self.inner.write_all(self.line_end.as_bytes())?;
                }
                None => self.inner.write_all(line)?,
            }
            self.after_return = line.ends_with(b"\r");
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_line_is_between_games() {
        for (text, gap) in [
            ("", ""),
            ("*", "\n\n"),
            ("*\n", "\n"),
            ("*\r\n", "\n"),
            ("*\r", "\n"),
            ("*\n\n", ""),
            ("*\r\n\r\n", ""),
            ("*\r\r", ""),
            ("*\n\r\n", ""),
        ] {
            assert_eq!(gap_after(text.as_bytes()), gap, "{text:?}");
        }
    }

    #[test]
    fn lines_get_other_ends() {
        for (end, expected) in [
            ("\n", "a\nb\r\n\nc"),
            ("\r\n", "a\r\nb\r\n\r\nc"),
            ("\r", "a\rb\r\n\rc"),
        ] {
            let text = b"a\nb\r\n\nc";
            for cut in 0..text.len() {
                let mut writer = LineEndWriter::new(Vec::new(), end);
                writer.write_all(&text[..cut]).unwrap();
                writer.write_all(&text[cut..]).unwrap();
                let written = String::from_utf8(writer.into_inner()).unwrap();
                assert_eq!(written, expected, "{end:?} {cut}");
            }
        }
    }
}
