//! The header before the first record.

use tabia_core::formats::CreateOptions;
use tabia_core::io::{Charset, Cursor, Sink, decode, encode};

use super::record::Record;

/// The first bytes of every book; the third letter differs.
pub(super) const MAGIC: &[u8] = b"\x03AB";
/// Number of the first record; the header occupies those before it.
pub(super) const ROOT: usize = 900;
/// Offset of the first record.
pub(super) const RECORDS_OFFSET: usize = ROOT * Record::SIZE;

/// The header of a book (FORMAT.md § Header).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// A comment, at most 120 bytes.
    pub comment: String,
    /// The author, at most 80 bytes.
    pub author: String,
    /// The numbers, in the order of [`Header::NAMES`].
    pub numbers: [u32; 10],
}

impl Header {
    /// Names of the numbers, as keys of facts.
    pub const NAMES: [&'static str; 10] = [
        "depth in plies",
        "moves in the tree",
        "least games",
        "least won games",
        "least percentage of White",
        "least percentage of Black",
        "weight of priority",
        "weight of games",
        "weight of score",
        "used until ply",
    ];

    /// Reads the header; `None` if the bytes are not those of an Arena book.
    pub(super) fn read(bytes: &[u8], charset: Charset) -> Option<Self> {
        if !is_arena(bytes) {
            return None;
        }
        let text = |at: usize, max: usize| {
            let length = usize::from(*bytes.get(at)?).min(max);
            let text = bytes.get(at + 1..at + 1 + length)?;
            Some(decode(text, charset).into_owned())
        };
        let mut numbers = [0; 10];
        let mut cursor = Cursor::new(bytes.get(214..)?);
        for (number, name) in numbers.iter_mut().zip(Self::NAMES) {
            *number = cursor.u32_le(name).ok()?;
        }
        Some(Self {
            comment: text(12, 120)?,
            author: text(133, 80)?,
            numbers,
        })
    }

    /// The header of a new book; depth and number of moves are set later.
    pub(super) fn new(options: &CreateOptions) -> Self {
        let fact = |name: &str| {
            let found = options.facts.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let mut header = Self {
            comment: fact("comment")
                .or_else(|| options.title.clone())
                .unwrap_or_default(),
            author: fact("author").unwrap_or_default(),
            numbers: [0, 0, 0, 0, 0, 0, 1, 1, 0, 9999],
        };
        for (number, name) in header.numbers.iter_mut().zip(Self::NAMES) {
            if let Some(value) = fact(name).and_then(|value| value.parse().ok()) {
                *number = value;
            }
        }
        header
    }

    /// The bytes up to the first record, filler included; `false` if a text is cut or has characters
    /// outside the set.
    pub(super) fn write(&self, charset: Charset) -> (Vec<u8>, bool) {
        let mut is_exact = true;
        let mut sink = Sink::new();
        sink.bytes(b"\x03ABKpb\0\0");
        sink.u32_le(Record::SIZE as u32);
        for (text, max) in [(&self.comment, 120), (&self.author, 80)] {
            let (bytes, fits) = encode(text, charset);
            let written = bytes.get(..max).unwrap_or(&bytes);
            is_exact &= fits && written.len() == bytes.len();
            sink.u8(written.len() as u8);
            sink.bytes(written);
            sink.zeros(max - written.len());
        }
        for number in self.numbers {
            sink.u32_le(number);
        }
        let mut bytes = sink.into_vec();
        bytes.resize(RECORDS_OFFSET, b'x');
        (bytes, is_exact)
    }
}

/// Whether these are the first bytes of a book with records of 28 bytes.
pub(super) fn is_arena(head: &[u8]) -> bool {
    let size = head
        .get(8..)
        .and_then(|rest| Cursor::new(rest).u32_le("record size").ok());
    head.starts_with(MAGIC) && size == Some(Record::SIZE as u32)
}
