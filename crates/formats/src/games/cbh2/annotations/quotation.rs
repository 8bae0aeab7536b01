//! Quoted games (kind 13).

use tabia_core::chess::{Move, Ply, Position, Role, Square};
use tabia_core::error::Malformed;
use tabia_core::game::Quotation;
use tabia_core::io::{Cursor, Sink};

use super::FORM;
use super::data_lengths::{
    QUOTED_MOVE, QUOTED_ROUND, QUOTED_SETUP, QUOTED_START, QUOTED_TOURNAMENT, USUAL_START,
};
use crate::games::cbh::charset::{Texts, encode_plain};
use crate::games::cbh::field_codecs::{
    decode_date, decode_result, decode_square, encode_date, encode_result, encode_square,
};

/// A quotation without moves, and one with moves.
const HEADER_ONLY: u16 = 1;
const WITH_MOVES: u16 = 2;
/// The bit of a move's first byte for promotions.
const PROMOTION: u8 = 0x40;
/// The promotions by the two highest bits of a move's second byte.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];
/// Type of a player's rating, and the name of the list.
const RATING: [u8; 5] = [1, 0, 1, 0, 0];
const RATING_LIST: &[u8] = b"FIDE";

/// Decodes a quotation; `None` if the data has another layout. The moves of one from a setup position,
/// and moves that cannot be played, are left out.
pub(super) fn decode(data: &[u8], texts: Texts) -> Option<Quotation> {
    let mut cursor = Cursor::new(data);
    let quotation = fields(&mut cursor, texts).ok()?;
    cursor.is_empty().then_some(quotation)
}

fn fields(cursor: &mut Cursor<'_>, texts: Texts) -> Result<Quotation, Malformed> {
    cursor.u8("mark")?;
    let content = cursor.u16_le("content")?;
    cursor.take(7, "unknown")?;
    let mut names = [const { String::new() }; 6];
    for name in &mut names {
        *name = text(cursor, texts)?;
    }
    let [
        white_last,
        white_first,
        black_last,
        black_first,
        site,
        event,
    ] = names;
    let mut part = Cursor::new(cursor.take(QUOTED_TOURNAMENT, "tournament")?);
    let date = decode_date(part.u32_le("date")?).unwrap_or_default();
    let tournament_type = part.u8("type")?.into();
    part.u8("unknown")?;
    let nation = part.u8("nation")?.into();
    part.take(3, "unknown")?;
    let rounds = part.u8("rounds")?.into();
    part.take(17, "unknown")?;
    let (white_elo, black_elo) = (part.u16_le("elo")?, part.u16_le("elo")?);
    let eco = part.u16_le("eco")?;
    let result = decode_result(part.u8("result")?).unwrap_or_default();
    let mut part = Cursor::new(cursor.take(QUOTED_ROUND, "round")?);
    part.take(8, "unknown")?;
    let [round, sub_round] = part.array("round")?;
    for _ in 0..2 {
        cursor.take(RATING.len(), "rating")?;
        let length = cursor.u32_le("length")? as usize;
        cursor.take(length, "rating")?;
    }
    cursor.take(USUAL_START, "start")?;
    let has_usual_start = cursor.u8("start")? != 0;
    if !has_usual_start {
        cursor.take(QUOTED_SETUP, "setup")?;
    }
    cursor.take(QUOTED_START - USUAL_START - 1, "start")?;
    let count = cursor.u32_le("moves")? as usize;
    let moves = cursor.take(count.saturating_mul(QUOTED_MOVE), "moves")?;
    cursor.take(4, "end")?;
    let moves = if has_usual_start && (content != HEADER_ONLY || count > 0) {
        decode_moves(moves)
    } else {
        None
    };
    Ok(Quotation {
        white: player(white_last, &white_first),
        black: player(black_last, &black_first),
        white_elo,
        black_elo,
        eco,
        event,
        site,
        date,
        tournament_type,
        nation,
        rounds,
        round,
        sub_round,
        result,
        moves,
        ..Quotation::default()
    })
}

/// `last,first`
fn player(last: String, first: &str) -> String {
    let mut name = last;
    if !first.is_empty() {
        name.push(',');
        name.push_str(first);
    }
    name
}

/// A text whose length includes its final zero.
fn text(cursor: &mut Cursor<'_>, texts: Texts) -> Result<String, Malformed> {
    let length = cursor.u8("length")?;
    let bytes = cursor.take(length.into(), "text")?;
    let text = bytes.split_last().map_or(&[][..], |(_, text)| text);
    Ok(texts.plain(text).into_owned())
}

/// The moves of a game from the standard start position; `None` if one is not legal.
fn decode_moves(bytes: &[u8]) -> Option<Vec<Ply>> {
    let mut position = Position::standard();
    let mut plies = Vec::new();
    for bytes in bytes.chunks_exact(QUOTED_MOVE) {
        let &[from, to, ..] = bytes else { return None };
        let is_promotion = from & PROMOTION != 0;
        let from = decode_square(from & !PROMOTION)?;
        let role = PROMOTIONS
            .get(usize::from(to >> 6))
            .filter(|_| is_promotion);
        let to = decode_square(if is_promotion { to & 63 } else { to })?;
        let m = find(&position, from, to, role.copied())?;
        position.play(m);
        plies.push(Ply::Move(m));
    }
    Some(plies)
}

/// The legal move between two squares; castling is the king's move of two squares.
fn find(position: &Position, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let us = position.turn();
    let is_king = position
        .piece_at(from)
        .is_some_and(|piece| piece.role == Role::King);
    let m = if is_king && from.file().abs_diff(to.file()) == 2 && from.rank() == to.rank() {
        let side = usize::from(to.file() < from.file());
        Move::castling(from, position.castling_rook(us, side)?)
    } else {
        match promotion {
            Some(role) => Move::promotion(from, to, role),
            None => Move::normal(from, to),
        }
    };
    position.is_legal(m).then_some(m)
}

/// Encodes a quotation; `None` if a text does not fit its field.
pub(super) fn encode(quotation: &Quotation, data: &mut Sink) -> Option<()> {
    let moves = quotation
        .moves
        .as_deref()
        .filter(|_| quotation.setup.is_none());
    let moves = moves.and_then(encode_moves);
    data.u8(1);
    data.u16_le(if moves.is_some() {
        WITH_MOVES
    } else {
        HEADER_ONLY
    });
    data.u16_le(0);
    data.u32_le(1);
    data.u8(0);
    for player in [&quotation.white, &quotation.black] {
        let (last, first) = player.split_once(',').unwrap_or((player, ""));
        put_text(last, data)?;
        put_text(first, data)?;
    }
    put_text(&quotation.site, data)?;
    put_text(&quotation.event, data)?;
    data.u32_le(encode_date(quotation.date));
    data.bytes(&[
        quotation.tournament_type as u8,
        0,
        quotation.nation as u8,
        0,
        0,
        0,
    ]);
    data.u8(quotation.rounds as u8);
    data.zeros(17);
    data.u16_le(quotation.white_elo);
    data.u16_le(quotation.black_elo);
    data.u16_le(quotation.eco);
    data.u8(encode_result(quotation.result));
    data.zeros(8);
    data.bytes(&[quotation.round, quotation.sub_round]);
    data.zeros(QUOTED_ROUND - 10);
    for _ in 0..2 {
        data.bytes(&RATING);
        data.u32_le(RATING_LIST.len() as u32);
        data.bytes(RATING_LIST);
    }
    data.zeros(USUAL_START);
    data.u8(1);
    data.zeros(QUOTED_START - USUAL_START - 1);
    let moves = moves.unwrap_or_default();
    data.u32_le(u32::try_from(moves.len() / QUOTED_MOVE).ok()?);
    data.bytes(&moves);
    data.u32_le(0);
    Some(())
}

/// The bytes of legal moves; `None` if there are others.
fn encode_moves(plies: &[Ply]) -> Option<Vec<u8>> {
    let mut position = Position::standard();
    let mut bytes = Vec::with_capacity(plies.len() * QUOTED_MOVE);
    for ply in plies {
        let Ply::Move(m) = *ply else { return None };
        if !position.is_legal(m) {
            return None;
        }
        let mut from = encode_square(m.from());
        let mut to = encode_square(m.to());
        if m.is_castling() {
            let file = if m.to().file() > m.from().file() {
                6
            } else {
                2
            };
            to = encode_square(Square::from_coords(file, m.from().rank())?);
        } else if let Some(role) = m.promotion_role() {
            let number = PROMOTIONS.iter().position(|&other| other == role)?;
            from |= PROMOTION;
            to |= (number as u8) << 6;
        }
        bytes.extend([from, to, 0, 0, 0]);
        position.play(m);
    }
    Some(bytes)
}

fn put_text(text: &str, data: &mut Sink) -> Option<()> {
    let mut bytes = Vec::new();
    encode_plain(text, FORM, &mut bytes);
    data.u8(u8::try_from(bytes.len() + 1).ok()?);
    data.bytes(&bytes);
    data.u8(0);
    Some(())
}
