//! A record encoded on a worker thread: complete except for the ids of its names and its file offsets,
//! which are filled in when it is appended.

#![allow(
    missing_debug_implementations,
    reason = "zerocopy's derives make hidden helper types without it"
)]

use tabia_core::error::{Error, Result};
use tabia_core::io::Cursor;
use zerocopy::byteorder::big_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::header_fields::HeaderFields;
use crate::games::cbh::records::{
    AnnotatorRecord, ExtendedRecord, GameRecord, GameTagRecord, PlayerRecord, SourceRecord,
    TOURNAMENT_EXTRA_DEFAULT, TYPE_TEXT, TeamRecord, TournamentExtraRecord, TournamentRecord,
};

/// A record that is not appended yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct EncodedRecord<'d> {
    pub(super) fixed: &'d FixedFields,
    /// The `.cbtt` record of the tournament, unless it is default.
    pub(super) extra: Option<&'d TournamentExtraRecord>,
    pub(super) teams: [Option<&'d TeamRecord>; 2],
    pub(super) game_tag: Option<&'d GameTagRecord>,
    /// The record of `.cbg`.
    pub(super) moves: &'d [u8],
    /// The record of `.cba`, without its game's number; empty if absent.
    pub(super) annotations: &'d [u8],
    /// The text of the record of `.cbm`; empty if absent.
    pub(super) media: &'d [u8],
}

/// The fields that every record has.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct FixedFields {
    /// The bytes of a game's or a text's record of `.cbh`.
    pub(super) header: [u8; GameRecord::SIZE],
    pub(super) extended: ExtendedRecord,
    pub(super) white: PlayerRecord,
    pub(super) black: PlayerRecord,
    pub(super) tournament: TournamentRecord,
    pub(super) annotator: AnnotatorRecord,
    pub(super) source: SourceRecord,
    pub(super) top_game: u8,
    /// The optional parts that follow, one bit each.
    has: u8,
    moves: U32,
    annotations: U32,
    media: U32,
    /// Texts that are read differently in either set that may be detected.
    differing: [U32; 2],
}

const HAS_EXTRA: u8 = 1;
const HAS_WHITE_TEAM: u8 = 2;
const HAS_BLACK_TEAM: u8 = 4;
const HAS_GAME_TAG: u8 = 8;

/// The parts of a record that are not in its header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'d> {
    /// The record of `.cbg`.
    pub(super) moves: &'d [u8],
    /// The record of `.cba`, without its game's number; empty if absent.
    pub(super) annotations: &'d [u8],
    /// The text of the record of `.cbm`; empty if absent.
    pub(super) media: &'d [u8],
    /// Texts that are read differently if the set of the database is taken for windows-1252, or
    /// windows-1251.
    pub(super) differing: [u32; 2],
}

/// Appends an encoded record to `out`.
pub(super) fn write(
    header: [u8; GameRecord::SIZE],
    fields: &HeaderFields,
    Parts {
        moves,
        annotations,
        media,
        differing,
    }: Parts<'_>,
    out: &mut Vec<u8>,
) {
    let [white_team, black_team] = &fields.teams;
    let extra = (fields.tournament_extra != TOURNAMENT_EXTRA_DEFAULT)
        .then_some(fields.tournament_extra.as_bytes());
    let parts = [
        (HAS_EXTRA, extra),
        (HAS_WHITE_TEAM, white_team.as_ref().map(IntoBytes::as_bytes)),
        (HAS_BLACK_TEAM, black_team.as_ref().map(IntoBytes::as_bytes)),
        (
            HAS_GAME_TAG,
            fields.game_tag.as_deref().map(IntoBytes::as_bytes),
        ),
    ];
    let has = parts.iter().filter(|(_, part)| part.is_some());
    let fixed = FixedFields {
        header,
        extended: fields.extended,
        white: fields.white,
        black: fields.black,
        tournament: fields.tournament,
        annotator: fields.annotator,
        source: fields.source,
        top_game: fields.top_game,
        has: has.map(|(bit, _)| bit).sum(),
        moves: (moves.len() as u32).into(),
        annotations: (annotations.len() as u32).into(),
        media: (media.len() as u32).into(),
        differing: differing.map(U32::new),
    };
    out.extend_from_slice(fixed.as_bytes());
    for part in parts.iter().filter_map(|(_, part)| *part) {
        out.extend_from_slice(part);
    }
    for part in [moves, annotations, media] {
        out.extend_from_slice(part);
    }
}

impl<'d> EncodedRecord<'d> {
    /// Reads the next record.
    ///
    /// # Errors
    /// If it is cut off.
    pub(super) fn read(cursor: &mut Cursor<'d>) -> Result<Self> {
        let fixed: &FixedFields = part(cursor)?;
        let has = |bit| fixed.has & bit != 0;
        Ok(Self {
            fixed,
            extra: has(HAS_EXTRA).then(|| part(cursor)).transpose()?,
            teams: [
                has(HAS_WHITE_TEAM).then(|| part(cursor)).transpose()?,
                has(HAS_BLACK_TEAM).then(|| part(cursor)).transpose()?,
            ],
            game_tag: has(HAS_GAME_TAG).then(|| part(cursor)).transpose()?,
            moves: cursor.take(fixed.moves.get() as usize, "moves")?,
            annotations: cursor.take(fixed.annotations.get() as usize, "annotations")?,
            media: cursor.take(fixed.media.get() as usize, "media")?,
        })
    }

    /// The number of texts that are read differently if the set of the database is taken for windows-1252,
    /// and for windows-1251.
    pub(super) fn differing(&self) -> [u64; 2] {
        self.fixed.differing.map(|count| u64::from(count.get()))
    }

    /// Whether the record is a guiding text.
    pub(super) fn is_text(&self) -> bool {
        let [kind, ..] = self.fixed.header;
        kind & TYPE_TEXT != 0
    }
}

fn part<'d, T>(cursor: &mut Cursor<'d>) -> Result<&'d T>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    let bytes = cursor.take(size_of::<T>(), "record")?;
    T::ref_from_bytes(bytes).map_err(|_| Error::invalid("an encoded record is cut off"))
}
