//! The kinds of annotations and the lengths of their data.

use tabia_core::error::Malformed;
use tabia_core::io::Cursor;

pub(super) use crate::games::cbh::annotations::kind;

use super::training;

/// Four bytes of unknown meaning.
const UNKNOWN_08: u8 = 0x08;
/// Two bytes of unknown meaning.
const UNKNOWN_27: u8 = 0x27;

/// Bytes of a quotation after its texts: tournament and players, round.
pub(super) const QUOTED_TOURNAMENT: usize = 35;
pub(super) const QUOTED_ROUND: usize = 44;
/// Bytes before the moves of a quotation; the one at [`USUAL_START`] is 1 for the standard start position.
pub(super) const QUOTED_START: usize = 29;
pub(super) const USUAL_START: usize = 26;
/// Bytes of the start position of a quotation, which follow the byte at [`USUAL_START`].
pub(super) const QUOTED_SETUP: usize = 64 + 11;
/// Bytes of a quoted move.
pub(super) const QUOTED_MOVE: usize = 5;

/// Skips the data of an annotation; `None` if its length is unknown.
pub(super) fn skip(kind: u16, cursor: &mut Cursor<'_>) -> Result<Option<()>, Malformed> {
    let length = match u8::try_from(kind).unwrap_or(0) {
        kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::VIDEO => {
            cursor.take(4, "language")?;
            cursor.u32_le("length")? as usize
        }
        kind::SYMBOLS => 3,
        kind::SQUARES | kind::ARROWS | kind::PIECE_PATH => cursor.u32_le("length")? as usize,
        kind::TIME_SPENT
        | UNKNOWN_08
        | kind::WHITE_CLOCK
        | kind::BLACK_CLOCK
        | kind::MEDALS
        | kind::VARIATION_COLOR
        | kind::VIDEO_TIME => 4,
        kind::PAWN_STRUCTURE | kind::CRITICAL => 1,
        kind::TRAINING => return training::skip(cursor),
        kind::QUOTATION => return skip_quotation(cursor).map(Some),
        kind::WEB_LINK => {
            cursor.u8("mark")?;
            let url = cursor.u32_le("length")? as usize;
            cursor.take(url, "url")?;
            cursor.u32_le("length")? as usize
        }
        kind::EVAL => 6,
        kind::TIME_CONTROL => 38,
        kind::EVAL_PROFILE => {
            cursor.u8("mark")?;
            cursor.u32_le("length")? as usize
        }
        UNKNOWN_27 => 2,
        _ => return Ok(None),
    };
    cursor.take(length, "annotation")?;
    Ok(Some(()))
}

/// Whether an annotation of this kind can have this data, so that what follows it is found again.
pub(super) fn is_complete(kind: u16, data: &[u8]) -> bool {
    let mut cursor = Cursor::new(data);
    matches!(skip(kind, &mut cursor), Ok(Some(()))) && cursor.is_empty()
}

fn skip_quotation(cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
    cursor.take(10, "quotation")?;
    for _ in 0..6 {
        let length = cursor.u8("length")?;
        cursor.take(length.into(), "text")?;
    }
    cursor.take(QUOTED_TOURNAMENT + QUOTED_ROUND, "quotation")?;
    for _ in 0..2 {
        cursor.take(5, "rating")?;
        let length = cursor.u32_le("length")? as usize;
        cursor.take(length, "rating")?;
    }
    cursor.take(USUAL_START, "start")?;
    if cursor.u8("start")? == 0 {
        cursor.take(QUOTED_SETUP, "setup")?;
    }
    cursor.take(QUOTED_START - USUAL_START - 1, "start")?;
    let moves = cursor.u32_le("moves")? as usize;
    cursor.take(moves.saturating_mul(QUOTED_MOVE), "moves")?;
    cursor.take(4, "end")?;
    Ok(())
}
