//! Settings of a new book.

use tabia_core::formats::CreateOptions;
use tabia_core::io::Charset;

use super::block_writer::MAX_PART;
use super::read_element::{BLOCK, ListForm};
use super::text_byte_order::TextOrder;

/// Bytes of contributions kept in memory before they go to disk.
const MEMORY: usize = 128 << 20;

/// How a new book is written, apart from its header.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) text_order: TextOrder,
    pub(super) list_form: ListForm,
    /// Character set of the players' names.
    pub(super) charset: Charset,
    /// Bytes of a block after which no further element is put into it.
    pub(super) fill: usize,
    /// Bytes of the longest part.
    pub(super) max_part: u64,
    /// Bytes of contributions kept in memory before they go to disk.
    pub(super) memory: usize,
    /// Whether games from other positions than the standard one are accepted.
    pub(super) any_start: bool,
}

impl Settings {
    pub(super) fn new(options: &CreateOptions) -> Self {
        let fact = |name: &str| {
            let found = options.facts.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        let number = |name: &str| fact(name).and_then(|value| value.parse::<u64>().ok());
        let percent = number("kvetka.fill").unwrap_or(100).clamp(1, 100);
        Self {
            text_order: fact("kvetka.strings")
                .and_then(TextOrder::parse)
                .unwrap_or_default(),
            list_form: fact("kvetka.list")
                .and_then(ListForm::parse)
                .unwrap_or_default(),
            charset: match options.charset {
                Charset::Auto => Charset::Single(encoding_rs::WINDOWS_1252),
                other => other,
            },
            fill: BLOCK * percent as usize / 100,
            max_part: number("kvetka.part").unwrap_or(MAX_PART),
            memory: number("kvetka.memory").map_or(MEMORY, |bytes| bytes as usize),
            any_start: fact("kvetka.any_start") == Some("yes"),
        }
    }
}
