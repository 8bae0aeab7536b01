//! Names (`.2lid`): blocks with a slot for one name of each kind; the number of a name is that of its
//! block.

use tabia_core::error::{Malformed, Why};
use tabia_core::io::{Blob, Cursor, Sink};
use tabia_core::plural::counted;

use crate::games::common::zeroed_files::has_only_zeros;

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
pub(super) const KINDS: usize = 6;
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

    /// A message about the last name of a kind that is beyond the end of the file; `None` if the file has
    /// all of them.
    pub(super) fn cut_text(&self) -> Option<String> {
        let kinds = ["player", "tournament", "source", "name", "team", "title"];
        let mut last = kinds.iter().zip(self.slots.iter().zip(self.counts));
        last.find_map(|(what, (&(offset, _), count))| {
            let number = u64::try_from(count).ok()?.checked_sub(1)?;
            let at = number.checked_mul(self.block_size);
            let at = at.and_then(|at| at.checked_add(self.header_size + offset));
            let slot = at.and_then(|at| self.file.get(usize::try_from(at).ok()?..));
            let mut cursor = Cursor::new(slot.unwrap_or_default());
            let length = cursor.u32_le("length").ok();
            let fields = length.and_then(|length| cursor.take(length as usize, "fields").ok());
            let size = counted(self.file.len() as u64, "byte", "bytes");
            fields.is_none().then(|| {
                format!("the file has {size} and ends before {what} {number}, the last one")
            })
        })
    }

    /// Whether the last name of a kind has no bytes, which even a deleted one has: zeros were written over it.
    pub(super) fn ends_in_zeros(&self) -> bool {
        let mut last = self.slots.iter().zip(self.counts);
        last.any(|(&(offset, size), count)| {
            let number = u64::try_from(count)
                .ok()
                .and_then(|count| count.checked_sub(1));
            let at = number.and_then(|number| number.checked_mul(self.block_size));
            let at = at.and_then(|at| at.checked_add(self.header_size + offset));
            at.is_some_and(|at| size > 0 && has_only_zeros(&self.file, at, size.into()))
        })
    }

    /// The number of names of a kind, as stored in the header.
    pub(super) fn count(&self, kind: EntityKind) -> u32 {
        let count = self.counts.get(kind as usize).copied().unwrap_or(0);
        u32::try_from(count.max(0)).unwrap_or(u32::MAX)
    }

    /// The number of names of a kind, at most as many as the file has space for.
    pub(super) fn stored(&self, kind: EntityKind) -> u32 {
        let size = self.block_size.max(64);
        let space = self.file.len() as u64 / size + 1;
        self.count(kind)
            .min(u32::try_from(space).unwrap_or(u32::MAX))
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

impl Names {
    /// Whether a name is there and all of its fields can be read.
    pub(super) fn is_readable(&self, kind: EntityKind, number: u32) -> bool {
        self.get(kind, number).is_some_and(|fields| match kind {
            EntityKind::Player => Player::read(fields).is_ok(),
            EntityKind::Tournament => Tournament::read(fields).is_ok(),
            EntityKind::Source => Source::read(fields).is_ok(),
            EntityKind::Team => Team::read(fields).is_ok(),
            EntityKind::Tag => titles(fields).is_ok(),
        })
    }

    /// Whether the fields of a name cannot be read: bytes were inserted into the file or lost from it, so that other names
    /// may be wrong, too.
    pub(super) fn are_misread(&self) -> bool {
        let kinds = [
            EntityKind::Player,
            EntityKind::Tournament,
            EntityKind::Source,
            EntityKind::Team,
            EntityKind::Tag,
        ];
        kinds.into_iter().any(|kind| {
            let is_misread =
                |number| self.get(kind, number).is_some() && !self.is_readable(kind, number);
            (0..self.stored(kind)).any(is_misread)
        })
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
    /// Appends the fields to a record.
    pub(super) fn write(&self, sink: &mut Sink) {
        put_text(self.last, sink);
        put_text(self.first, sink);
        sink.zeros(8);
        sink.i32_le(self.number);
        sink.u32_le(8);
        sink.i64_le(self.fide);
    }

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

/// The unknown bytes of nearly every tournament.
pub(super) const USUAL_BYTES: [u8; 37] = {
    let mut bytes = [0; 37];
    bytes[13] = 7;
    bytes[24] = 7;
    bytes[35] = 7;
    bytes
};

/// A tournament.
#[derive(Debug)]
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
    /// Bytes of unknown meaning, see [`USUAL_BYTES`].
    pub(super) unknown: [u8; 37],
    pub(super) tie_breaks: Vec<u16>,
    pub(super) end_date: u32,
}

impl Default for Tournament<'_> {
    fn default() -> Self {
        Self {
            site: &[],
            title: &[],
            date: 0,
            kind: 0,
            team: 0,
            nation: 0,
            category: 0,
            flags: 0,
            rounds: 0,
            latitude: 0,
            longitude: 0,
            nation_now: 0,
            unknown: USUAL_BYTES,
            tie_breaks: Vec::new(),
            end_date: 0,
        }
    }
}

impl<'f> Tournament<'f> {
    /// Appends the fields to a record.
    pub(super) fn write(&self, sink: &mut Sink) {
        put_text(self.site, sink);
        put_text(self.title, sink);
        sink.u32_le(self.date);
        sink.bytes(&[self.kind, self.team, self.nation, 0]);
        sink.bytes(&[self.category, self.flags, self.rounds, 0]);
        sink.u32_le(self.latitude);
        sink.u32_le(self.longitude);
        sink.u8(self.nation_now);
        sink.bytes(&self.unknown);
        sink.u16_le(self.tie_breaks.len() as u16);
        for rule in &self.tie_breaks {
            sink.u16_le(*rule);
        }
        sink.u32_le(self.end_date);
        sink.zeros(44);
    }

    pub(super) fn read(mut cursor: Cursor<'f>) -> Result<Self, Malformed> {
        let (site, title) = (text(&mut cursor)?, text(&mut cursor)?);
        let date = cursor.u32_le("date")?;
        let [kind, team, nation, _, category, flags, rounds, _] = cursor.array("type")?;
        let latitude = cursor.u32_le("latitude")?;
        let longitude = cursor.u32_le("longitude")?;
        let nation_now = cursor.u8("nation_now")?;
        let unknown = cursor.array("unknown")?;
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
            unknown,
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
    /// Appends the fields to a record.
    pub(super) fn write(&self, sink: &mut Sink) {
        put_text(self.title, sink);
        put_text(self.publisher, sink);
        sink.u32_le(self.publication);
        sink.u32_le(self.date);
        sink.u16_le(self.version);
        sink.u16_le(self.quality);
    }

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
    /// Appends the fields to a record.
    pub(super) fn write(&self, sink: &mut Sink) {
        put_text(self.title, sink);
        sink.u8(self.number);
        sink.u8(self.season);
        sink.i16_le(self.year);
        sink.u8(self.nation);
    }

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

/// Appends the titles of a game tag to a record, in the order of their nations. A tag with a title has one in
/// each of ChessBase's languages, empty if absent.
pub(super) fn write_titles(titles: &[(i32, &[u8])], sink: &mut Sink) {
    let mut all: Vec<(i32, &[u8])> = titles.to_vec();
    if !all.is_empty() {
        let is_absent = |nation: &i32| all.iter().all(|(other, _)| other != nation);
        let absent: Vec<i32> = NATIONS.into_iter().filter(is_absent).collect();
        all.extend(absent.into_iter().map(|nation| (nation, &[][..])));
        all.sort_by_key(|(nation, _)| *nation);
    }
    sink.u32_le(all.len() as u32);
    for (nation, title) in all {
        sink.i32_le(nation);
        put_text(title, sink);
    }
}

/// The nations of ChessBase's languages, in ascending order.
pub(super) const NATIONS: [i32; 7] = [42, 43, 49, 53, 70, 103, 117];

/// Appends a text with its length.
pub(super) fn put_text(text: &[u8], sink: &mut Sink) {
    sink.u32_le(text.len() as u32);
    sink.bytes(text);
}
