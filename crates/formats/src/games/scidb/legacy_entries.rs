//! Entries of the index in all versions, of which 91 and 92 store other fields than today's.
//!
//! Known from Scidb's source; no file of these versions was at hand.

use tabia_core::error::Malformed;
use tabia_core::io::Cursor;

use super::entry::{Entry, STANDARD};
use super::format_identity::{SECTIONS_SINCE, WORDS_SINCE};

/// Reads the entry at the start of `bytes`.
pub(super) fn read(bytes: &[u8], version: u16) -> Result<Entry, Malformed> {
    match version {
        SECTIONS_SINCE.. => Entry::read(bytes),
        WORDS_SINCE => read_92(bytes),
        _ => read_91(bytes),
    }
}

/// An entry of version 92, which differs from today's in two words.
fn read_92(bytes: &[u8]) -> Result<Entry, Malformed> {
    let mut cursor = Cursor::new(bytes);
    cursor.seek(12, "entry")?;
    let players = cursor.u32_be("entry")?;
    cursor.seek(52, "entry")?;
    let last = cursor.u32_be("entry")?;
    let entry = Entry::read(bytes)?;
    Ok(Entry {
        plies: (players >> 4 & 0xfff) as u16,
        termination: (players & 15) as u8,
        day: (last >> 5 & 31) as u8,
        result: (last >> 2 & 7) as u8,
        is_setup: entry.start != STANDARD,
        ..entry
    })
}

/// The fields of a word from its lowest bit on, as compilers for x86 lay them out.
struct Fields(u64);

impl Fields {
    fn take(&mut self, width: u32) -> u32 {
        let field = self.0 & ((1 << width) - 1);
        self.0 >>= width;
        field as u32
    }

    fn byte(&mut self, width: u32) -> u8 {
        self.take(width) as u8
    }

    fn short(&mut self, width: u32) -> u16 {
        self.take(width) as u16
    }

    fn bit(&mut self) -> bool {
        self.take(1) != 0
    }
}

/// An entry of version 91. Pawns come before the opening; the latter is a number only for games from
/// the standard position, else two moves with their lower byte first.
fn read_91(bytes: &[u8]) -> Result<Entry, Malformed> {
    let mut cursor = Cursor::new(bytes);
    let home_pawns = cursor.array("home_pawns")?;
    let (high, low) = (cursor.u32_be("entry")?, cursor.u32_be("entry")?);
    let mut players = Fields(u64::from(high) << 32 | u64::from(low));
    let pawns = cursor.array("pawns")?;
    let [a, b, c, d]: [u8; 4] = cursor.array("opening")?;
    let record_at = cursor.u32_be("entry")?;
    let mut next = || cursor.u32_be("entry").map(|word| Fields(word.into()));
    let (mut counts, mut event, mut material, mut flags) = (next()?, next()?, next()?, next()?);
    let (mut start, mut black, mut white) = (next()?, next()?, next()?);
    // The order of these is the order of the fields.
    let mut entry = Entry {
        home_pawns,
        pawns,
        record_at,
        white: players.take(24),
        black: players.take(24),
        plies: players.short(12),
        termination: players.byte(4),
        annotator: counts.take(24),
        variations: counts.byte(4),
        comments: counts.byte(4),
        event: event.take(24),
        round: event.byte(8),
        material: material.take(24),
        home_pawn_count: material.byte(4),
        black_rating_kind: material.byte(3),
        under_promotion: material.bit(),
        flags: flags.take(24),
        castlings: flags.byte(4),
        white_rating_kind: flags.byte(3),
        promotion: flags.bit(),
        white_rating: start.short(12),
        start: start.short(12),
        sub_round: start.byte(8),
        black_elo: black.short(12),
        black_rating: black.short(12),
        month: black.byte(4),
        annotations: black.byte(4),
        white_elo: white.short(12),
        year: white.short(10),
        day: white.byte(5),
        result: white.byte(3),
        has_english: white.bit(),
        has_other_languages: white.bit(),
        ..Entry::default()
    };
    entry.is_setup = entry.start != STANDARD;
    let bytes = if entry.is_setup {
        [b, a, d, c]
    } else {
        [a, b, c, d]
    };
    entry.opening = Cursor::new(&bytes).u32_be("opening")?;
    Ok(entry)
}
