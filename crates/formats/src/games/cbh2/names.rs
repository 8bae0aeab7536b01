//! Names (`.2lid`): blocks with a slot for one name of each kind; the number of a name is that of its
//! block.

use tabia_core::error::{Malformed, Why};
use tabia_core::io::{Blob, Cursor};

/// The kinds of names, by the index of their slot in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntityKind {
    Player = 0,
    Tournament = 1,
    Source = 2,
    Team = 4,
    Tag = 5,
}

/// Number of kinds, one of them unused.
const KINDS: usize = 6;
/// The first bytes of a deleted name.
const DELETED: [u8; 8] = [0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];

/// The file of names.
#[derive(Debug)]
pub(super) struct Names {
    file: Blob,
    header_size: u64,
    /// Offset in a block and size of each kind's slot.
    slots: [(u64, u32); KINDS],
    block_size: u64,
    counts: [i64; KINDS],
}

impl Names {
    /// Reads the header of the file.
    ///
    /// # Errors
    /// If the header is cut off or has another number of kinds.
    pub(super) fn new(file: Blob) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(&file);
        let header_size = cursor.u32_be("header_size")?;
        let at = cursor.offset();
        let kinds = cursor.u32_be("kinds")?;
        if kinds as usize != KINDS {
            return Err(Malformed {
                field: "kinds",
                at,
                why: Why::Value(kinds.into()),
            });
        }
        let mut slots = [(0, 0); KINDS];
        let mut counts = [0; KINDS];
        let mut block_size = 0_u64;
        for (slot, count) in slots.iter_mut().zip(&mut counts) {
            let size = cursor.u32_be("slot_size")?;
            *slot = (block_size, size);
            block_size += u64::from(size);
            *count = cursor.i64_be("count")?;
            cursor.i64_be("first_deleted")?;
        }
        if block_size == 0 {
            return Err(cursor.malformed("slot_size", Why::Value(0)));
        }
        Ok(Self {
            file,
            header_size: header_size.into(),
            slots,
            block_size,
            counts,
        })
    }

    /// The number of names of a kind, as stored in the header.
    pub(super) fn count(&self, kind: EntityKind) -> u32 {
        let count = self.counts.get(kind as usize).copied().unwrap_or(0);
        u32::try_from(count.max(0)).unwrap_or(u32::MAX)
    }

    /// The fields of a name; `None` if it is absent or deleted.
    pub(super) fn get(&self, kind: EntityKind, number: u32) -> Option<Cursor<'_>> {
        let (offset, size) = *self.slots.get(kind as usize)?;
        let at = u64::from(number).checked_mul(self.block_size)?;
        let at = at.checked_add(self.header_size + offset)?;
        let slot = self.file.get(usize::try_from(at).ok()?..)?;
        let slot = slot.get(..size as usize).unwrap_or(slot);
        let mut cursor = Cursor::new(slot);
        let length = cursor.u32_le("length").ok()? as usize;
        let fields = cursor.take(length, "fields").ok()?;
        let is_deleted = fields.len() == 16 && fields.starts_with(&DELETED);
        (!fields.is_empty() && !is_deleted).then(|| Cursor::new(fields))
    }
}

/// The next text of a name, as stored.
pub(super) fn text<'f>(cursor: &mut Cursor<'f>) -> Result<&'f [u8], Malformed> {
    let length = cursor.u32_le("text_length")? as usize;
    cursor.take(length, "text")
}

/// A player.
#[derive(Debug, Default)]
pub(super) struct Player<'f> {
    pub(super) last: &'f [u8],
    pub(super) first: &'f [u8],
    /// The player's number in ChessBase's player database.
    pub(super) number: i32,
    /// The player's FIDE id.
    pub(super) fide: i64,
}

impl<'f> Player<'f> {
    pub(super) fn read(mut cursor: Cursor<'f>) -> Result<Self, Malformed> {
        let (last, first) = (text(&mut cursor)?, text(&mut cursor)?);
        cursor.take(8, "zeros")?;
        let number = cursor.i32_le("number")?;
        cursor.i32_le("eight")?;
        let fide = cursor.i64_le("fide")?;
        Ok(Self {
            last,
            first,
            number,
            fide,
        })
    }
}

/// A tournament.
#[derive(Debug, Default)]
pub(super) struct Tournament<'f> {
    pub(super) site: &'f [u8],
    pub(super) title: &'f [u8],
    pub(super) date: u32,
    pub(super) kind: u8,
    pub(super) team: u8,
    pub(super) nation: u8,
    pub(super) category: u8,
    pub(super) flags: u8,
    pub(super) rounds: u8,
    /// Degrees, as the bits of an `f32`.
    pub(super) latitude: u32,
    /// Degrees, as the bits of an `f32`.
    pub(super) longitude: u32,
    /// The nation to which the site belongs today.
    pub(super) nation_now: u8,
    pub(super) tie_breaks: Vec<u16>,
    pub(super) end_date: u32,
}

impl<'f> Tournament<'f> {
    pub(super) fn read(mut cursor: Cursor<'f>) -> Result<Self, Malformed> {
        let (site, title) = (text(&mut cursor)?, text(&mut cursor)?);
        let date = cursor.u32_le("date")?;
        let [kind, team, nation, _, category, flags, rounds, _] = cursor.array("type")?;
        let latitude = cursor.u32_le("latitude")?;
        let longitude = cursor.u32_le("longitude")?;
        let nation_now = cursor.u8("nation_now")?;
        cursor.take(37, "unknown")?;
        let mut tie_breaks = Vec::new();
        for _ in 0..cursor.u16_le("tie_break_count")? {
            tie_breaks.push(cursor.u16_le("tie_break")?);
        }
        let end_date = cursor.u32_le("end_date")?;
        Ok(Self {
            site,
            title,
            date,
            kind,
            team,
            nation,
            category,
            flags,
            rounds,
            latitude,
            longitude,
            nation_now,
            tie_breaks,
            end_date,
        })
    }
}

/// A source.
#[derive(Debug, Default)]
pub(super) struct Source<'f> {
    pub(super) title: &'f [u8],
    pub(super) publisher: &'f [u8],
    pub(super) publication: u32,
    pub(super) date: u32,
    pub(super) version: u16,
    pub(super) quality: u16,
}

impl<'f> Source<'f> {
    pub(super) fn read(mut cursor: Cursor<'f>) -> Result<Self, Malformed> {
        Ok(Self {
            title: text(&mut cursor)?,
            publisher: text(&mut cursor)?,
            publication: cursor.u32_le("publication")?,
            date: cursor.u32_le("date")?,
            version: cursor.u16_le("version")?,
            quality: cursor.u16_le("quality")?,
        })
    }
}

/// A team.
#[derive(Debug, Default)]
pub(super) struct Team<'f> {
    pub(super) title: &'f [u8],
    pub(super) number: u8,
    pub(super) season: u8,
    pub(super) year: i16,
    pub(super) nation: u8,
}

impl<'f> Team<'f> {
    pub(super) fn read(mut cursor: Cursor<'f>) -> Result<Self, Malformed> {
        Ok(Self {
            title: text(&mut cursor)?,
            number: cursor.u8("number")?,
            season: cursor.u8("season")?,
            year: cursor.i16_le("year")?,
            nation: cursor.u8("nation")?,
        })
    }
}

/// The titles of a game tag: nation and text.
pub(super) fn titles(mut cursor: Cursor<'_>) -> Result<Vec<(i32, &[u8])>, Malformed> {
    let mut titles = Vec::new();
    for _ in 0..cursor.u32_le("title_count")? {
        titles.push((cursor.i32_le("title_nation")?, text(&mut cursor)?));
    }
    Ok(titles)
}
