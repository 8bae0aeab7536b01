//! The parts of a record of the game file.

use tabia_core::chess::{Color, Role, Setup, Square};
use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Start, Tags};
use tabia_core::io::{Charset, Cursor, decode};

use super::board::token;
use super::code_tables::{OWN_NAME, TAGS};
use super::entry::STANDARD;
use super::format_identity::{SECTIONS_SINCE, SEPARATE_NAGS_SINCE, VERSION, WORDS_SINCE};
use super::shapes_clocks_and_evals;
use super::shapes_clocks_and_evals::SideItem;

/// Bytes of the length that begins a record.
pub(crate) const LENGTH: usize = 3;

/// Bits of the first word of a body, above the number of the start.
pub(crate) mod section {
    pub(crate) const TIME_TABLE: u16 = 1 << 12;
    pub(crate) const ENGINES: u16 = 1 << 13;
    pub(crate) const TAGS: u16 = 1 << 14;
    pub(crate) const TEXT: u16 = 1 << 15;
}

/// The parts of a body. Offsets count from its first byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'a> {
    /// Number of the start position; 0 if it is stored as FEN.
    pub(crate) start: u16,
    pub(crate) fen: Option<&'a [u8]>,
    /// The number of moves before the first token.
    pub(crate) run: u16,
    /// The moves with their tokens.
    pub(crate) moves: &'a [u8],
    pub(crate) moves_at: usize,
    pub(crate) text: &'a [u8],
    pub(crate) tags: &'a [u8],
    /// Names of engines, each with a final zero.
    pub(crate) engines: &'a [u8],
    pub(crate) time_table: &'a [u8],
    /// The data of tokens.
    pub(crate) side: &'a [u8],
    pub(crate) side_at: usize,
}

impl<'a> Body<'a> {
    /// Finds the parts. A problem in the sections after the moves loses only these: it is returned
    /// with the body.
    pub(crate) fn read(
        bytes: &'a [u8],
        version: u16,
    ) -> Result<(Self, Option<Malformed>), Malformed> {
        let mut cursor = Cursor::new(bytes);
        let flags = cursor.u16_be("flags")?;
        let start = if version < WORDS_SINCE {
            flags
        } else {
            flags & 0xfff
        };
        let fen = if start == 0 {
            Some(zero_ended(&mut cursor, "fen")?)
        } else {
            None
        };
        let data_at = cursor.u24_be("data_at")? as usize;
        let run = cursor.u16_be("run_length")?;
        let moves_at = cursor.offset();
        let mut malformed = None;
        let end = if (moves_at..=bytes.len()).contains(&data_at) {
            data_at
        } else {
            malformed = Some(Malformed {
                field: "data_at",
                at: moves_at.saturating_sub(5),
                why: Why::Value(data_at as u64),
            });
            bytes.len()
        };
        let mut body = Self {
            start,
            fen,
            run,
            moves: bytes.get(moves_at..end).unwrap_or_default(),
            moves_at,
            text: &[],
            tags: &[],
            engines: &[],
            time_table: &[],
            side: &[],
            side_at: end,
        };
        if malformed.is_none() {
            cursor.seek(end, "data_at")?;
            malformed = match version {
                SECTIONS_SINCE.. => body.read_sections(&mut cursor, flags, version),
                WORDS_SINCE => body.read_sections_92(&mut cursor, flags),
                _ => body.read_sections_91(&mut cursor),
            }
            .err();
        }
        Ok((body, malformed))
    }

    fn read_sections(
        &mut self,
        cursor: &mut Cursor<'a>,
        flags: u16,
        version: u16,
    ) -> Result<(), Malformed> {
        if flags & section::TEXT != 0 {
            self.read_text(cursor)?;
        }
        if flags & section::TAGS != 0 {
            self.tags = bytes_read(cursor, |cursor| {
                while next_tag(cursor)?.is_some() {}
                Ok(())
            })?;
        }
        if flags & section::ENGINES != 0 {
            self.read_engines(cursor)?;
        }
        if flags & section::TIME_TABLE != 0 {
            self.time_table = bytes_read(cursor, |cursor| skip_time_table(cursor, version))?;
        }
        self.side_at = cursor.offset();
        self.side = cursor.rest();
        Ok(())
    }

    /// In version 92 the tags follow the side data, whose end depends on the moves.
    fn read_sections_92(&mut self, cursor: &mut Cursor<'a>, flags: u16) -> Result<(), Malformed> {
        if flags & section::TEXT != 0 {
            self.read_text(cursor)?;
        }
        if flags & (section::TAGS | section::ENGINES | section::TIME_TABLE) != 0 {
            self.read_engines(cursor)?;
        }
        self.side_at = cursor.offset();
        self.side = cursor.rest();
        let moves = self.moves;
        let side = bytes_read(cursor, |cursor| skip_side_data(moves, cursor, WORDS_SINCE))?;
        self.side = side;
        // The zero that ends tags may be missing.
        self.tags = bytes_read(cursor, |cursor| {
            while !cursor.is_empty() && next_tag(cursor)?.is_some() {}
            Ok(())
        })?;
        Ok(())
    }

    /// Version 91 has no flags for its sections: texts with their length, tags, side data.
    fn read_sections_91(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Malformed> {
        self.side_at = cursor.offset();
        if cursor.is_empty() {
            return Ok(());
        }
        self.read_text(cursor)?;
        self.tags = bytes_read(cursor, |cursor| {
            while !cursor.is_empty() && next_tag(cursor)?.is_some() {}
            Ok(())
        })?;
        self.side_at = cursor.offset();
        self.side = cursor.rest();
        Ok(())
    }

    fn read_text(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Malformed> {
        let length = cursor.u24_be("text_length")? as usize;
        self.text = cursor.take(length, "text")?;
        Ok(())
    }

    fn read_engines(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Malformed> {
        let count = cursor.u8("engines")?;
        self.engines = bytes_read(cursor, |cursor| {
            (0..count).try_for_each(|_| zero_ended(cursor, "engine").map(drop))
        })?;
        Ok(())
    }

    /// Appends the tags of the record in order.
    pub(crate) fn push_tags(&self, charset: Charset, tags: &mut Tags) {
        let mut cursor = Cursor::new(self.tags);
        while let Ok(Some((number, name, value))) = next_tag(&mut cursor) {
            let value = decode(value, charset);
            match (name, TAGS.get(usize::from(number))) {
                (Some(name), _) => tags.push(&decode(name, charset), &value),
                (None, Some(name)) => tags.push(name, &value),
                (None, None) => tags.push(&format!("ScidbTag{number}"), &value),
            };
        }
    }
}

/// A tag: code, stored name, value.
type RawTag<'a> = (u8, Option<&'a [u8]>, &'a [u8]);

/// Reads the next tag. `None` at the end of the tags.
fn next_tag<'a>(cursor: &mut Cursor<'a>) -> Result<Option<RawTag<'a>>, Malformed> {
    let number = cursor.u8("tag")?;
    if number == 0 {
        return Ok(None);
    }
    let name = if number == OWN_NAME {
        Some(zero_ended(cursor, "tag_name")?)
    } else {
        None
    };
    let value = zero_ended(cursor, "tag_value")?;
    Ok(Some((number, name, value)))
}

fn zero_ended<'a>(cursor: &mut Cursor<'a>, field: &'static str) -> Result<&'a [u8], Malformed> {
    let end = memchr::memchr(0, cursor.rest()).unwrap_or(cursor.left());
    let text = cursor.take(end, field)?;
    cursor.u8(field)?;
    Ok(text)
}

/// The bytes that `read` reads.
fn bytes_read<'a>(
    cursor: &mut Cursor<'a>,
    read: impl FnOnce(&mut Cursor<'a>) -> Result<(), Malformed>,
) -> Result<&'a [u8], Malformed> {
    let start = *cursor;
    read(cursor)?;
    let length = cursor.offset() - start.offset();
    Ok(start.rest().get(..length).unwrap_or_default())
}

/// Skips the data of the tokens, in a version with NAGs among the moves.
fn skip_side_data(moves: &[u8], side: &mut Cursor<'_>, version: u16) -> Result<(), Malformed> {
    let mut bytes = moves.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            token::MARK => drop(shapes_clocks_and_evals::read(side, version)?),
            token::NAG => drop(bytes.next()),
            token::COMMENT => drop(side.u8("comment_flag")?),
            token::END if bytes.next() == Some(&token::COMMENT) => {
                side.u8("comment_flag")?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Skips a time table: columns of move informations, each with its length, until one of length 0. An
/// older form has one column with a length of two bytes, the first of them mostly 0.
fn skip_time_table(cursor: &mut Cursor<'_>, version: u16) -> Result<(), Malformed> {
    each_time(cursor, version, &mut |_, _| {})
}

/// Calls `found` with each move information of a time table and its index in the column, which is
/// that of its move.
fn each_time<'a>(
    cursor: &mut Cursor<'a>,
    version: u16,
    found: &mut dyn FnMut(usize, SideItem<'a>),
) -> Result<(), Malformed> {
    let mut column = |cursor: &mut Cursor<'a>, length: usize| -> Result<(), Malformed> {
        for index in 0..length {
            let first = cursor.rest().first().copied().unwrap_or(0);
            let mut bytes =
                Cursor::new(cursor.take(shapes_clocks_and_evals::length(first, version), "time")?);
            let item = match first {
                shapes_clocks_and_evals::INFORMATION.. => {
                    shapes_clocks_and_evals::read(&mut bytes, version)?
                }
                _ => SideItem::Empty,
            };
            found(index, item);
        }
        Ok(())
    };
    if version < SEPARATE_NAGS_SINCE || cursor.rest().first() == Some(&0) {
        let length = cursor.u16_be("time_table")?;
        return column(cursor, usize::from(length));
    }
    loop {
        let mut length = 0_usize;
        loop {
            let part = cursor.u8("time_table")?;
            length += usize::from(part);
            if part < 255 {
                break;
            }
        }
        if length == 0 {
            return Ok(());
        }
        column(cursor, length)?;
    }
}

/// Whether the bytes are exactly one time table.
pub(crate) fn is_time_table(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    skip_time_table(&mut cursor, VERSION).is_ok() && cursor.is_empty()
}

/// The annotations of a time table by ply of the mainline. `None` if some have no common meaning or
/// belong to no ply.
pub(crate) fn times(
    table: &[u8],
    version: u16,
    plies: usize,
) -> Option<Vec<Vec<Annotation<'static>>>> {
    let mut times: Vec<Vec<Annotation<'static>>> = Vec::new();
    let mut is_complete = true;
    let read = each_time(
        &mut Cursor::new(table),
        version,
        &mut |index, item| match item {
            SideItem::Empty => {}
            SideItem::Annotation(annotation) if index < plies => {
                if times.len() <= index {
                    times.resize_with(index + 1, Vec::new);
                }
                if let Some(of_ply) = times.get_mut(index) {
                    of_ply.push(annotation);
                }
            }
            _ => is_complete = false,
        },
    );
    (read.is_ok() && is_complete).then_some(times)
}

/// The start position of a number, and whether all pieces and pawns are on their first ranks. `None`
/// for other numbers.
///
/// 1 to 960 are Chess960 starts (960 is number 0). Those plus 960 have both rooks on the king's
/// a-side, plus 1920 both on the h-side, plus 2880 the Chess960 array: these three without castling.
pub(crate) fn start(number: u16) -> Option<(Start, bool)> {
    if number == STANDARD {
        return Some((Start::default(), true));
    }
    let kind = number.checked_sub(1)? / 960;
    let mut setup = Setup::chess960_start(number % 960)?;
    match kind {
        0 => {}
        1 => rearrange(&mut setup, [Role::Rook, Role::Rook, Role::King]),
        2 => rearrange(&mut setup, [Role::King, Role::Rook, Role::Rook]),
        3 => setup.castling = Default::default(),
        _ => return None,
    }
    let start = Start {
        setup: Some(Box::new(setup)),
        chess960: kind == 0,
    };
    Some((start, true))
}

/// Reorders king and rooks on their squares, and removes the rights to castle.
fn rearrange(setup: &mut Setup, order: [Role; 3]) {
    setup.castling = Default::default();
    for (color, rank) in [(Color::White, 0), (Color::Black, 7)] {
        let mut order = order.into_iter();
        for square in (0..8).filter_map(|file| Square::from_coords(file, rank)) {
            let Some(mut piece) = setup.piece(square) else {
                continue;
            };
            if matches!(piece.role, Role::King | Role::Rook)
                && piece.color == color
                && let Some(role) = order.next()
            {
                piece.role = role;
                setup.set(square, Some(piece));
            }
        }
    }
}

/// The number of the standard position or of a Chess960 start. `None` for others, and for the start of a
/// game that is none of Chess960, which a number would make one.
pub(crate) fn number_of(start: &Start) -> Option<u16> {
    let Some(setup) = start.setup.as_deref() else {
        return Some(STANDARD);
    };
    match setup.chess960_number()? {
        number if number != STANDARD && !start.chess960 => None,
        0 => Some(960),
        number => Some(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::FenStyle;

    #[test]
    fn start_positions_have_numbers() {
        for number in 1..=960 {
            let (found, _) = start(number).unwrap();
            assert_eq!(number_of(&found), Some(number));
            assert_eq!(found.chess960, number != STANDARD);
        }
        let fen = |number| {
            let (start, _) = start(number).unwrap();
            start.setup.unwrap().fen(FenStyle::XFen)
        };
        let pawns = "pppppppp/8/8/8/8/PPPPPPPP";
        assert_eq!(
            fen(960 + 518),
            format!("rnbqrbnk/{pawns}/RNBQRBNK w - - 0 1")
        );
        assert_eq!(
            fen(1920 + 518),
            format!("knbqrbnr/{pawns}/KNBQRBNR w - - 0 1")
        );
        assert_eq!(
            fen(2880 + 518),
            format!("rnbqkbnr/{pawns}/RNBQKBNR w - - 0 1")
        );
        assert!(start(3841).is_none() && start(4000).is_none() && start(0).is_none());
    }

    #[test]
    fn time_tables_are_skipped() {
        for (bytes, left) in [
            (&[2, 0x90, 0, 1, 0, 0, 9][..], 1),
            (&[0, 1, 0xd0, 0, 1, 9], 1),
            (&[1, 0x80, 1, 2, 3, 1, 0xe0, 1, 2, 3, 4, 0], 0),
        ] {
            let mut cursor = Cursor::new(bytes);
            skip_time_table(&mut cursor, VERSION).unwrap();
            assert_eq!(cursor.left(), left, "{bytes:?}");
        }
        assert!(skip_time_table(&mut Cursor::new(&[255, 255]), VERSION).is_err());
    }
}
