//! Quoted games (kind 13).

use tabia_core::chess::Setup;
use tabia_core::error::{Malformed, Why};
use tabia_core::game::Quotation;
use tabia_core::io::{Charset, Cursor, Sink};

use crate::games::cbh::charset::{TextForm, Texts, encode_plain};
use crate::games::cbh::field_codecs::{decode_date, decode_result, encode_date, encode_result};
use crate::games::cbh::moves::{
    decode_quoted_moves, decode_quoted_start, encode_quoted_moves, encode_quoted_start,
};

/// A quotation without moves.
const HEADER_ONLY: u16 = 1;
/// Flag: a start position follows.
const HAS_SETUP: u16 = 0x40;
/// A quotation with moves.
const WITH_MOVES: u16 = 2;

/// Decodes a quotation; `None` if the data has another layout.
pub(super) fn decode(data: &[u8], texts: Texts) -> Option<Quotation> {
    let mut cursor = Cursor::new(data);
    let quotation = fields(&mut cursor, texts).ok()??;
    cursor.is_empty().then_some(quotation)
}

/// Whether the layout is that of a quotation.
pub(super) fn is_readable(data: &[u8]) -> Option<()> {
    decode(data, Texts::new(Charset::Utf8, encoding_rs::WINDOWS_1252)).map(|_| ())
}

fn fields(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Option<Quotation>, Malformed> {
    let length = cursor.left();
    if usize::from(cursor.u16_be("size")?) != length {
        return Ok(None);
    }
    let content = cursor.u16_be("content")?;
    let flags = cursor.u16_be("flags")?;
    let setup = if flags & HAS_SETUP == 0 {
        None
    } else {
        match setup(cursor)? {
            Some(setup) => Some(Box::new(setup)),
            None => return Ok(None),
        }
    };
    let mut quotation = Quotation {
        flags,
        setup,
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
    let bytes = cursor.take(cursor.left(), "moves")?;
    let moves = decode_quoted_moves(bytes, quotation.setup.as_deref())?;
    let mut encoded = Sink::new();
    let is_encoded = encode_quoted_moves(&moves, quotation.setup.as_deref(), &mut encoded);
    if is_encoded.is_none() || encoded.as_slice() != bytes {
        return Ok(None);
    }
    quotation.moves = match content {
        WITH_MOVES => Some(moves),
        HEADER_ONLY if moves.is_empty() => None,
        _ => return Ok(None),
    };
    Ok(Some(quotation))
}

/// A start position; `None` if encoding it would give other bytes.
fn setup(cursor: &mut Cursor<'_>) -> Result<Option<Setup>, Malformed> {
    let bytes = cursor.rest();
    let setup = decode_quoted_start(cursor)?;
    let mut encoded = Sink::new();
    let is_exact = encode_quoted_start(&setup, &mut encoded);
    Ok((is_exact && bytes.starts_with(encoded.as_slice())).then_some(setup))
}

fn text(cursor: &mut Cursor<'_>, texts: Texts) -> Result<String, Malformed> {
    let length = cursor.u8("length")?;
    let bytes = cursor.take(usize::from(length), "text")?;
    let end = cursor.malformed("text_end", Why::Text);
    if cursor.u8("text_end")? != 0 {
        return Err(end);
    }
    Ok(texts.plain(bytes).into_owned())
}

/// Encodes a quotation; `None` if a value does not fit its field.
pub(super) fn encode(quotation: &Quotation, form: TextForm, data: &mut Sink) -> Option<()> {
    let content = match quotation.moves {
        Some(_) => WITH_MOVES,
        None => HEADER_ONLY,
    };
    data.u16_be(0);
    data.u16_be(content);
    match &quotation.setup {
        Some(setup) => {
            data.u16_be(quotation.flags | HAS_SETUP);
            encode_quoted_start(setup, data).then_some(())?;
        }
        None => data.u16_be(quotation.flags & !HAS_SETUP),
    }
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
    let moves = quotation.moves.as_deref().unwrap_or_default();
    encode_quoted_moves(moves, quotation.setup.as_deref(), data)?;
    let size = u16::try_from(data.len()).ok()?;
    data.patch_u16_be(0, size);
    Some(())
}

fn put_text(text: &str, form: TextForm, data: &mut Sink) -> Option<()> {
    let mut bytes = Vec::new();
    encode_plain(text, form, &mut bytes);
    data.u8(u8::try_from(bytes.len()).ok()?);
    data.bytes(&bytes);
    data.u8(0);
    Some(())
}
