//! Records of games of other variants, kept as foreign bytes: version, index entry, body.

use tabia_core::game::{Annotation, Event, Foreign, Game};
use tabia_core::io::{Cursor, Sink};

use super::code_tables;
use super::entry::{ENTRY_LENGTH, Entry};
use super::format_identity::{ID, VERSION};
use super::record_body::Body;

/// Whether the games of a variant have the moves of chess, as those of Three-check and Losers have.
pub(super) fn has_chess_moves(variant: u8) -> bool {
    let variant = code_tables::text(&code_tables::VARIANTS, variant);
    variant.is_none_or(|name| ["Three-check", "Losers"].contains(&name))
}

/// The foreign bytes of a game whose moves are not read.
pub(super) fn to_bytes(entry: &Entry, body: &[u8], version: u16) -> Vec<u8> {
    let mut sink = Sink::new();
    sink.u16_be(version);
    entry.write(&mut sink);
    sink.bytes(body);
    sink.into_vec()
}

/// The index entry and the body in the foreign bytes of a game. `None` if it has none, or those of
/// another version.
pub(super) fn find(game: &Game) -> Option<(Entry, Body<'_>)> {
    let bytes = game.events().find_map(|event| match event {
        Event::Annotation(Annotation::Foreign(Foreign {
            format: ID,
            kind: Foreign::UNREAD_MOVES,
            bytes,
        })) => Some(bytes),
        _ => None,
    })?;
    let mut cursor = Cursor::new(bytes);
    if cursor.u16_be("version") != Ok(VERSION) {
        return None;
    }
    let entry = Entry::read(cursor.take(ENTRY_LENGTH, "entry").ok()?).ok()?;
    let (body, malformed) = Body::read(cursor.rest(), VERSION).ok()?;
    malformed.is_none().then_some((entry, body))
}
