//! The optional `@PG@` header in records with key 0.

use super::entry::Entry;
use zerocopy::IntoBytes;

/// The header of a book.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// Version of the header, `1.0`.
    pub version: String,
    /// Variants the book is for, in lower case: `normal`, `fischerandom`, ….
    pub variants: Vec<String>,
    /// The text after the predefined fields.
    pub comment: String,
}

impl Header {
    /// A header with a comment, for a book of the usual chess.
    pub fn with_comment(comment: impl Into<String>) -> Self {
        Self {
            version: "1.0".to_owned(),
            variants: vec!["normal".to_owned()],
            comment: comment.into(),
        }
    }

    /// The records that contain the header, for the start of a book.
    pub fn records(&self) -> Vec<[u8; Entry::SIZE]> {
        write(self)
    }
}

/// Bytes of text after which a header is rejected as too long.
const MAX_LENGTH: usize = 2048;

/// The number of records with key 0 at the start, and the header that they contain.
pub(super) fn read(entries: &[Entry]) -> (usize, Option<Header>) {
    let records = entries
        .iter()
        .take_while(|entry| entry.key.get() == 0)
        .count();
    let mut text = Vec::new();
    let mut is_terminated = false;
    'records: for entry in entries.iter().take(records) {
        for &byte in entry.as_bytes().iter().skip(8) {
            if byte == 0 {
                is_terminated = true;
                break 'records;
            }
            text.push(byte);
        }
        if text.len() > MAX_LENGTH {
            break;
        }
    }
    let header = if is_terminated { parse(&text) } else { None };
    (records, header)
}

fn parse(text: &[u8]) -> Option<Header> {
    let text = std::str::from_utf8(text).ok()?;
    let mut fields = text.split('\n');
    if fields.next()? != "@PG@" {
        return None;
    }
    let version = fields.next()?.to_owned();
    let predefined: usize = fields.next()?.trim().parse().ok()?;
    let mut predefined_fields = Vec::new();
    for _ in 0..predefined {
        predefined_fields.push(fields.next()?);
    }
    let count: usize = predefined_fields
        .first()
        .and_then(|count| count.trim().parse().ok())
        .unwrap_or(0);
    let variants = predefined_fields
        .iter()
        .skip(1)
        .take(count)
        .map(|&name| name.to_owned())
        .collect();
    let comment = fields.collect::<Vec<_>>().join("\n");
    Some(Header {
        version,
        variants,
        comment,
    })
}

/// The records of a header.
pub(super) fn write(header: &Header) -> Vec<[u8; Entry::SIZE]> {
    let mut fields = vec![
        "@PG@".to_owned(),
        header.version.clone(),
        (header.variants.len() + 1).to_string(),
        header.variants.len().to_string(),
    ];
    fields.extend(header.variants.iter().cloned());
    if !header.comment.is_empty() {
        fields.push(header.comment.clone());
    }
    let mut text = fields.join("\n").into_bytes();
    text.push(0);
    text.chunks(8)
        .map(|chunk| {
            let mut record = [0; Entry::SIZE];
            for (to, &from) in record.iter_mut().skip(8).zip(chunk) {
                *to = from;
            }
            record
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::FromBytes;

    #[test]
    fn header_round_trips() {
        let header = Header {
            version: "1.0".to_owned(),
            variants: vec!["normal".to_owned(), "fischerandom".to_owned()],
            comment: "first line\nsecond line".to_owned(),
        };
        let bytes: Vec<u8> = write(&header).concat();
        let entries = <[Entry]>::ref_from_bytes(&bytes).unwrap();
        assert_eq!(read(entries), (entries.len(), Some(header)));
    }

    #[test]
    fn null_records_without_the_magic_are_no_header() {
        let bytes = [0; 32];
        let entries = <[Entry]>::ref_from_bytes(&bytes).unwrap();
        assert_eq!(read(entries), (2, None));
    }
}
