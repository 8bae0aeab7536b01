//! Guiding texts in `.cbg`: titles and bodies in several languages, in three versions. Little-endian
//! after the big-endian record head.

use std::ops::RangeInclusive;

use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Flow, Foreign, TextKind, TextPart};
use tabia_core::io::{Cursor, Sink};

use super::annotations::foreign;
use super::charset::{TextForm, Texts, encode_plain, encode_text};
use super::format_id::ID;
use super::records::MovesHead;

/// The first word of a formatting block.
const FORMAT_MARK: u16 = 300;

/// The versions of records that are read.
const VERSIONS: RangeInclusive<u16> = 1..=3;

/// Whether a record, which begins with its head, is of a version after those that are read: it cannot be written in
/// another form.
pub fn has_newer_version(record: &[u8]) -> bool {
    let mut cursor = Cursor::new(record);
    let version = cursor.take(MovesHead::SIZE, "text_head");
    let version = version.and_then(|_| cursor.u16_le("text_version"));
    version.is_ok_and(|version| version > *VERSIONS.end())
}

/// Emits the titles and bodies of a record, which begins with its head.
///
/// # Errors
/// If the record is malformed; the parts before the error have been emitted.
pub fn decode(
    record: &[u8],
    texts: Texts,
    emit: &mut dyn FnMut(Annotation<'_>) -> Flow,
) -> Result<Flow, Malformed> {
    let mut cursor = Cursor::new(record);
    cursor.take(MovesHead::SIZE, "text_head")?;
    let at = cursor.offset();
    let version = cursor.u16_le("text_version")?;
    if !VERSIONS.contains(&version) {
        return Err(Malformed {
            field: "text_version",
            at,
            why: Why::Value(u64::from(version)),
        });
    }
    for _ in 0..cursor.u16_le("title_count")? {
        let language = cursor.u16_le("title_language")?;
        let length = cursor.u16_le("title_length")?;
        let bytes = cursor.take(usize::from(length), "title")?;
        let part = TextPart {
            kind: TextKind::Title,
            language,
            text: &texts.plain(bytes),
        };
        if emit(Annotation::Text(part)) == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    let at = cursor.offset();
    let mark = cursor.u8("bodies_mark")?;
    if mark != 1 {
        return Err(Malformed {
            field: "bodies_mark",
            at,
            why: Why::Value(u64::from(mark)),
        });
    }
    for _ in 0..cursor.u16_le("body_count")? {
        if body(version, &mut cursor, texts, emit)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    if cursor.is_empty() {
        Ok(Flow::Go)
    } else {
        Err(cursor.malformed("text_end", Why::Value(cursor.left() as u64)))
    }
}

fn body(
    version: u16,
    cursor: &mut Cursor<'_>,
    texts: Texts,
    emit: &mut dyn FnMut(Annotation<'_>) -> Flow,
) -> Result<Flow, Malformed> {
    let language = cursor.u16_le("body_language")?;
    let length = size(version, cursor, "body_length")?;
    let bytes = cursor.take(length, "body")?;
    let html;
    let mut plain = String::new();
    let (kind, text, tail) = if version == 3 {
        html = texts.verbatim(bytes);
        let tail = cursor.take(4, "body_tail")?;
        (TextKind::Html, &*html, (foreign::TEXT_TAIL, tail))
    } else {
        texts.text(bytes, 0, &mut plain);
        let length = size(version, cursor, "format_length")?;
        let kind = if version == 1 {
            foreign::TEXT_FORMAT_1
        } else {
            foreign::TEXT_FORMAT_2
        };
        let format = cursor.take(length, "format")?;
        (TextKind::Plain, plain.as_str(), (kind, format))
    };
    let part = TextPart {
        kind,
        language,
        text,
    };
    if emit(Annotation::Text(part)) == Flow::Stop {
        return Ok(Flow::Stop);
    }
    let (kind, bytes) = tail;
    if version == 3 && bytes.iter().all(|&byte| byte == 0) {
        return Ok(Flow::Go);
    }
    let flow = emit(Annotation::Foreign(Foreign {
        format: ID,
        kind,
        bytes,
    }));
    Ok(flow)
}

fn size(version: u16, cursor: &mut Cursor<'_>, field: &'static str) -> Result<usize, Malformed> {
    if version == 1 {
        Ok(usize::from(cursor.u16_le(field)?))
    } else {
        Ok(cursor.u32_le(field)? as usize)
    }
}

/// Collects the parts of a text and encodes its record.
#[derive(Debug, Default, PartialEq)]
pub struct Encoder {
    titles: Vec<(u16, String)>,
    bodies: Vec<Body>,
}

#[derive(Debug, PartialEq)]
struct Body {
    language: u16,
    html: bool,
    text: String,
    /// Kind and bytes of the foreign data after it.
    tail: Option<(u16, Vec<u8>)>,
}

impl Encoder {
    /// Adds a title, a body, or the foreign data of the last body; ignores other annotations.
    pub fn push(&mut self, annotation: &Annotation<'_>) {
        match annotation {
            // Zeros that were written over a text are none of it.
            Annotation::Text(part) if part.text.contains('\0') => {
                let text = &*part.text.replace('\0', "");
                self.push(&Annotation::Text(TextPart { text, ..*part }));
            }
            Annotation::Text(part) => match part.kind {
                TextKind::Title => self.titles.push((part.language, part.text.to_owned())),
                TextKind::Plain | TextKind::Html => self.bodies.push(Body {
                    language: part.language,
                    html: part.kind == TextKind::Html,
                    text: part.text.to_owned(),
                    tail: None,
                }),
                _ => {}
            },
            Annotation::Foreign(foreign) if foreign.format == ID => {
                if let Some(body) = self.bodies.last_mut() {
                    body.tail = Some((foreign.kind, foreign.bytes.to_vec()));
                }
            }
            _ => {}
        }
    }

    /// Whether a record has the same parts, decoded with `texts`.
    pub(crate) fn is_in(&self, record: &[u8], texts: Texts) -> bool {
        let mut other = Self::default();
        let mut has_zeros = false;
        let read = decode(record, texts, &mut |annotation| {
            has_zeros |= matches!(&annotation, Annotation::Text(part) if part.text.contains('\0'));
            other.push(&annotation);
            Flow::Go
        });
        read.is_ok() && !has_zeros && *self == other
    }

    /// The complete record. Its version is that of the formatting blocks, 3 if there are none.
    /// `None` if a part or the record is too large.
    pub fn finish(&self, form: TextForm) -> Option<Vec<u8>> {
        let version = self
            .bodies
            .iter()
            .find_map(|body| match body.tail {
                Some((foreign::TEXT_FORMAT_1, _)) => Some(1),
                Some((foreign::TEXT_FORMAT_2, _)) => Some(2),
                _ => None,
            })
            .unwrap_or(3);
        let mut sink = Sink::new();
        sink.u8(0x80);
        sink.u24_be(0);
        sink.u16_le(version);
        sink.u16_le(u16::try_from(self.titles.len()).ok()?);
        for (language, title) in &self.titles {
            let mut bytes = Vec::new();
            encode_plain(title, form, &mut bytes);
            sink.u16_le(*language);
            sink.u16_le(u16::try_from(bytes.len()).ok()?);
            sink.bytes(&bytes);
        }
        sink.u8(1);
        sink.u16_le(u16::try_from(self.bodies.len()).ok()?);
        for body in &self.bodies {
            sink.u16_le(body.language);
            let mut text = Vec::new();
            if body.html {
                text.extend_from_slice(body.text.as_bytes());
            } else {
                encode_text(&body.text, 0, form, &mut text);
            }
            put_sized(version, &text, &mut sink)?;
            let tail = body.tail.as_ref().map(|(_, bytes)| bytes.as_slice());
            if version == 3 {
                sink.bytes(tail.unwrap_or(&[0; 4]));
            } else {
                put_sized(version, tail.unwrap_or_default(), &mut sink)?;
            }
        }
        let size = u32::try_from(sink.len())
            .ok()
            .filter(|&size| size < 1 << 24)?;
        sink.patch_u24_be(1, size);
        Some(sink.into_vec())
    }
}

fn put_sized(version: u16, bytes: &[u8], sink: &mut Sink) -> Option<()> {
    if version == 1 {
        sink.u16_le(u16::try_from(bytes.len()).ok()?);
    } else {
        sink.u32_le(u32::try_from(bytes.len()).ok()?);
    }
    sink.bytes(bytes);
    Some(())
}

/// The parts of a formatting block of a version 1 body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Formatting {
    /// Number of embedded objects: links, pictures, diagrams.
    pub objects: u16,
    /// Number of styles.
    pub styles: u16,
    /// Number of runs of text in one style.
    pub runs: u32,
}

/// Parses a formatting block to its last byte; `text_length` is the length of its body in bytes. Only
/// a check: readers and writers keep the block as bytes.
///
/// # Errors
/// If the block has another layout.
pub fn formatting(block: &[u8], text_length: usize) -> Result<Formatting, Malformed> {
    let mut cursor = Cursor::new(block);
    let mark = cursor.u16_le("format_mark")?;
    if mark != FORMAT_MARK {
        return Err(cursor.malformed("format_mark", Why::Value(u64::from(mark))));
    }
    let objects = cursor.u16_le("object_count")?;
    cursor.u16_le("media_count")?;
    for _ in 0..objects {
        cursor.take(4, "object_head")?;
        let length = cursor.u16_le("object_length")?;
        cursor.take(usize::from(length), "object")?;
    }
    let styles = cursor.u16_le("style_count")?;
    for _ in 0..styles {
        cursor.u16_le("style_number")?;
        attributes(&mut cursor)?;
    }
    let (mut runs, mut length) = (0, 0_usize);
    while length < text_length {
        let run = cursor.u16_le("run_length")?;
        cursor.take(4, "run")?;
        runs += 1;
        length += usize::from(run);
    }
    let end = cursor.u16_le("format_end")?;
    if end != 0xffff {
        return Err(cursor.malformed("format_end", Why::Value(u64::from(end))));
    }
    for _ in 0..3 {
        attributes(&mut cursor)?;
    }
    if !cursor.is_empty() {
        return Err(cursor.malformed("format_end", Why::Value(cursor.left() as u64)));
    }
    Ok(Formatting {
        objects,
        styles,
        runs,
    })
}

fn attributes(cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
    for _ in 0..cursor.u16_le("attribute_count")? {
        cursor.u16_le("attribute_id")?;
        let length = cursor.u16_le("attribute_length")?;
        cursor.take(usize::from(length), "attribute")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;
    use tabia_core::io::Charset;

    use super::*;

    fn title(language: u16, text: &str) -> Annotation<'_> {
        Annotation::Text(TextPart {
            kind: TextKind::Title,
            language,
            text,
        })
    }

    fn html(language: u16, text: &str) -> Annotation<'_> {
        Annotation::Text(TextPart {
            kind: TextKind::Html,
            language,
            text,
        })
    }

    fn parts(record: &[u8]) -> Result<Vec<String>, Malformed> {
        let mut parts = Vec::new();
        let texts = Texts::new(Charset::Auto, WINDOWS_1252);
        let flow = decode(record, texts, &mut |annotation| {
            if let Annotation::Text(part) = annotation {
                parts.push(format!("{:?} {} {}", part.kind, part.language, part.text));
            }
            Flow::Go
        })?;
        assert_eq!(flow, Flow::Go);
        Ok(parts)
    }

    #[test]
    fn texts_round_trip() {
        let mut encoder = Encoder::default();
        encoder.push(&title(1, "Vorwort"));
        encoder.push(&title(0, "Preface"));
        encoder.push(&html(0, "<p>1 < 2</p>"));
        let record = encoder.finish(TextForm::UTF8).unwrap();
        assert_eq!(record[..4], [0x80, 0, 0, record.len() as u8]);
        assert_eq!(
            parts(&record).unwrap(),
            ["Title 1 Vorwort", "Title 0 Preface", "Html 0 <p>1 < 2</p>"]
        );
        for length in 0..record.len() {
            assert!(parts(&record[..length]).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn formatting_blocks_are_parsed() {
        let mut sink = Sink::new();
        for word in [300, 1, 0, 0x10, 0, 2, 0x4141, 1, 0, 1, 1, 1] {
            sink.u16_le(word); // one object of 2 bytes, one style with an attribute of 1 byte
        }
        sink.u8(1);
        for word in [3, 0, 0, 2, 0, 0, 0xffff, 0, 0, 0] {
            sink.u16_le(word); // two runs, the end, three empty default styles
        }
        let block = sink.into_vec();
        let expected = Formatting {
            objects: 1,
            styles: 1,
            runs: 2,
        };
        assert_eq!(formatting(&block, 5), Ok(expected));
        assert!(formatting(&block, 4).is_ok() && formatting(&block, 6).is_err());
        for length in 0..block.len() {
            assert!(formatting(&block[..length], 5).is_err(), "cut at {length}");
        }
    }
}
