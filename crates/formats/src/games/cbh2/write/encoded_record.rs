//! A record encoded on a worker thread: complete except for the ids of its names and its file offsets,
//! which are filled in when it is appended.

use tabia_core::error::{Error, Result};
use tabia_core::io::{Cursor, Sink};

use super::header_fields::NameFields;
use crate::games::cbh2::records::SIZE;

/// A record that is not appended yet.
#[derive(Debug)]
pub(super) struct EncodedRecord<'d> {
    /// The header, without ids and offsets.
    pub(super) header: [u8; SIZE],
    /// The type of the record in `.2cbg`, and its content.
    pub(super) tag: u16,
    pub(super) moves: &'d [u8],
    /// The content of the record in `.2cba`.
    pub(super) annotations: &'d [u8],
    pub(super) white: &'d [u8],
    pub(super) black: &'d [u8],
    pub(super) tournament: &'d [u8],
    pub(super) annotator: &'d [u8],
    pub(super) source: &'d [u8],
    /// Empty if absent.
    pub(super) teams: [&'d [u8]; 2],
    pub(super) titles: &'d [u8],
}

/// Appends an encoded record to `out`.
///
/// # Errors
/// If a part has 4 GiB or more.
pub(super) fn write(
    header: &[u8],
    tag: u16,
    moves: &[u8],
    annotations: &[u8],
    names: &NameFields,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut sink = Sink::new();
    sink.bytes(header);
    sink.u16_le(tag);
    let [white_team, black_team] = &names.teams;
    for part in [
        moves,
        annotations,
        &names.white,
        &names.black,
        &names.tournament,
        &names.annotator,
        &names.source,
        white_team,
        black_team,
        &names.tag,
    ] {
        let size = u32::try_from(part.len());
        sink.u32_le(size.map_err(|_| Error::invalid("a record is too large"))?);
        sink.bytes(part);
    }
    out.extend_from_slice(sink.as_slice());
    Ok(())
}

impl<'d> EncodedRecord<'d> {
    /// Reads the next record.
    ///
    /// # Errors
    /// If it is cut off.
    pub(super) fn read(cursor: &mut Cursor<'d>) -> Result<Self> {
        let header = cursor.array("header")?;
        let tag = cursor.u16_le("tag")?;
        let mut part = || {
            let size = cursor.u32_le("size")? as usize;
            cursor.take(size, "part")
        };
        Ok(Self {
            header,
            tag,
            moves: part()?,
            annotations: part()?,
            white: part()?,
            black: part()?,
            tournament: part()?,
            annotator: part()?,
            source: part()?,
            teams: [part()?, part()?],
            titles: part()?,
        })
    }
}
