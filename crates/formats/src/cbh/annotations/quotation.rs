//! Quoted games (kind 13).

use tabia_core::error::{Malformed, Why};
use tabia_core::game::Quotation;
use tabia_core::io::{Cursor, Sink};

use crate::cbh::charset::{TextForm, Texts, encode_text};
use crate::cbh::values::{decode_date, decode_result, encode_date, encode_result};

/// A quotation without moves.
const HEADER_ONLY: u16 = 1;
/// Flag: a start position follows.
const HAS_SETUP: u16 = 0x40;
/// The moves of a quotation without moves: the coded end mark.
const NO_MOVES: [u8; 2] = [0xb5, 0xaf];

/// `None` when the layout is another one.
pub(super) fn decode(data: &[u8], texts: Texts) -> Option<Quotation> {
    let mut cursor = Cursor::new(data);
    let quotation = fields(&mut cursor, texts).ok()??;
    cursor.is_empty().then_some(quotation)
}

fn fields(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Option<Quotation>, Malformed> {
    let length = cursor.left();
    if usize::from(cursor.u16_be("size")?) != length {
        return Ok(None);
    }
    let content = cursor.u16_be("content")?;
    let flags = cursor.u16_be("flags")?;
    if content != HEADER_ONLY || flags & HAS_SETUP != 0 {
        return Ok(None);
    }
    let mut quotation = Quotation {
        flags,
        white: text(cursor, texts)?,
        black: text(cursor, texts)?,
        white_elo: cursor.u16_be("white_elo")?,
        black_elo: cursor.u16_be("black_elo")?,
        eco: cursor.u16_be("eco")?,
        event: text(cursor, texts)?,
        site: text(cursor, texts)?,
        ..Quotation::default()
    };
    let date = decode_date(cursor.u32_be("date")?);
    quotation.tournament_type = cursor.u16_be("type")?;
    quotation.nation = cursor.u16_be("nation")?;
    quotation.category = cursor.u16_be("category")?;
    quotation.rounds = cursor.u16_be("rounds")?;
    quotation.sub_round = cursor.u8("sub_round")?;
    quotation.round = cursor.u8("round")?;
    let result = decode_result(cursor.u8("result")?);
    quotation.unknown = cursor.u16_be("unknown")?;
    let (Some(date), Some(result)) = (date, result) else {
        return Ok(None);
    };
    quotation.date = date;
    quotation.result = result;
    if cursor.array("moves")? != NO_MOVES {
        return Ok(None);
    }
    Ok(Some(quotation))
}

fn text(cursor: &mut Cursor<'_>, texts: Texts) -> Result<String, Malformed> {
    let length = cursor.u8("length")?;
    let bytes = cursor.take(usize::from(length), "text")?;
    let end = cursor.fault("text_end", Why::Text);
    if cursor.u8("text_end")? != 0 {
        return Err(end);
    }
    Ok(texts.plain(bytes).into_owned())
}

/// `None` when something does not fit its field.
pub(super) fn encode(quotation: &Quotation, form: TextForm, data: &mut Sink) -> Option<()> {
    if quotation.moves.is_some() || quotation.setup.is_some() {
        return None;
    }
    data.u16_be(0);
    data.u16_be(HEADER_ONLY);
    data.u16_be(quotation.flags);
    put_text(&quotation.white, form, data)?;
    put_text(&quotation.black, form, data)?;
    data.u16_be(quotation.white_elo);
    data.u16_be(quotation.black_elo);
    data.u16_be(quotation.eco);
    put_text(&quotation.event, form, data)?;
    put_text(&quotation.site, form, data)?;
    data.u32_be(encode_date(quotation.date));
    data.u16_be(quotation.tournament_type);
    data.u16_be(quotation.nation);
    data.u16_be(quotation.category);
    data.u16_be(quotation.rounds);
    data.u8(quotation.sub_round);
    data.u8(quotation.round);
    data.u8(encode_result(quotation.result));
    data.u16_be(quotation.unknown);
    data.bytes(&NO_MOVES);
    let size = u16::try_from(data.len()).ok()?;
    data.patch_u16_be(0, size);
    Some(())
}

fn put_text(text: &str, form: TextForm, data: &mut Sink) -> Option<()> {
    let mut bytes = Vec::new();
    encode_text(text, form, &mut bytes);
    data.u8(u8::try_from(bytes.len()).ok()?);
    data.bytes(&bytes);
    data.u8(0);
    Some(())
}
