//! The first page of `.ctg`.

use tabia_core::error::Malformed;
use tabia_core::io::{Cursor, Sink};

use super::record::PAGE;

/// Bytes of the header at the start of the first page.
pub(super) const LENGTH: u16 = 32;

/// The fields of the first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Two numbers that are 1 in every known book.
    pub version: (u16, u16),
    /// Number of pages after the first.
    pub pages: u32,
    /// The first unused page; `u32::MAX` if absent.
    pub free: u32,
    /// Number of records ever added, including those removed since.
    pub added: u32,
    /// Number of games imported.
    pub games: u32,
}

/// The value of two fields in every known book; their meaning is unknown.
const UNKNOWN: u16 = 0x7fff;
/// No free page.
pub(super) const NO_PAGE: u32 = u32::MAX;
/// Offset and content of a table that is the same in every known book.
const TABLE_OFFSET: usize = 0x400;
const TABLE: [u16; 12] = [1, 5, 1, 0x7fff, 3, 0x7fff, 5, 0x1e, 6, 2, 7, 1];

impl Header {
    /// Whether a file begins with the header of a book.
    pub(super) fn is_book(head: &[u8]) -> bool {
        let mut cursor = Cursor::new(head);
        cursor.u16_be("length") == Ok(LENGTH) && cursor.u16_be("page") == Ok(PAGE as u16)
    }

    pub(super) fn read(page: &[u8]) -> Result<Self, Malformed> {
        let mut page = Cursor::new(page);
        page.u16_be("length")?;
        page.u16_be("page")?;
        let version = (page.u16_be("version")?, page.u16_be("version")?);
        page.u32_be("data")?;
        page.u32_be("unknown")?;
        Ok(Self {
            version,
            pages: page.u32_be("pages")?,
            free: page.u32_be("free")?,
            added: page.u32_be("added")?,
            games: page.u32_be("games")?,
        })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.u16_be(LENGTH);
        sink.u16_be(PAGE as u16);
        sink.u16_be(self.version.0);
        sink.u16_be(self.version.1);
        sink.u32_be(PAGE as u32);
        sink.u16_be(UNKNOWN);
        sink.u16_be(UNKNOWN);
        sink.u32_be(self.pages);
        sink.u32_be(self.free);
        sink.u32_be(self.added);
        sink.u32_be(self.games);
        sink.zeros(TABLE_OFFSET - sink.len());
        for number in TABLE {
            sink.u16_be(number);
        }
        sink.zeros(PAGE - sink.len());
        sink.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_round_trips() {
        let header = Header {
            version: (1, 1),
            pages: 3,
            free: NO_PAGE,
            added: 70,
            games: 9,
        };
        let page = header.write();
        assert_eq!(page.len(), PAGE);
        assert!(Header::is_book(&page));
        assert_eq!(Header::read(&page), Ok(header));
        assert!(Header::read(&page[..31]).is_err());
    }
}
