//! A record of a database as it is stored: its index entry and its bytes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use serde_json::{Value, json};
use tabia::core::games::{IndexEntry, NameId, NameKind};
use tabia::core::hexadecimal;
use tabia::{Database, GameIndex};

use crate::inputs_by_id::{OpenedInput, ShelfInput};
use crate::problem::Problem;

/// Bytes of a record that are shown.
const MAX_BYTES: u64 = 4096;

/// The index entry of a record and, if its bytes are in one piece of the main file, the first of them.
///
/// # Errors
/// When the record does not exist or its entry cannot be read.
pub(crate) fn stored_record(
    input: &ShelfInput,
    opened: &OpenedInput,
    game: GameIndex,
) -> Result<Value, Problem> {
    let database = opened
        .database()
        .ok_or_else(|| Problem::bad_request("a book has no games"))?;
    let entry = database.entry(game)?;
    let span = database.span(game);
    let bytes = span.and_then(|(offset, length)| bytes_of(input, offset, length));
    Ok(json!({
        "fields": fields(database, &entry),
        "file": bytes.as_ref().map(|(file, _)| file),
        "offset": bytes.as_ref().and(span).map(|(offset, _)| offset),
        "length": bytes.as_ref().and(span).map(|(_, length)| length),
        "bytes": bytes.map(|(_, bytes)| hexadecimal::digits(&bytes)),
    }))
}

/// The name of the main file and a part of it; `None` for what is unpacked from an archive or a compressed file.
fn bytes_of(input: &ShelfInput, offset: u64, length: u64) -> Option<(String, Vec<u8>)> {
    let item = input.resolve().ok()?;
    let path = item.source()?.main().path()?.to_path_buf();
    let mut file = File::open(&path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(length.min(MAX_BYTES))
        .read_to_end(&mut bytes)
        .ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some((name, bytes))
}

/// What the index entry states, in its order; names with their numbers.
fn fields(database: &dyn Database, entry: &IndexEntry) -> Vec<Value> {
    let mut fields = Vec::new();
    let mut add = |name: &str, value: Value| {
        if !value.is_null() {
            fields.push(json!({"name": name, "value": value}));
        }
    };
    let named = |kind: NameKind, id: Option<NameId>| match id {
        Some(id) => match database.name(kind, id) {
            Ok(name) => json!(format!("{} \u{2192} {name}", id.0)),
            Err(error) => json!(format!("{} \u{2192} {error}", id.0)),
        },
        None => Value::Null,
    };
    add("white", named(NameKind::Player, entry.white));
    add("black", named(NameKind::Player, entry.black));
    add("event", named(NameKind::Event, entry.event));
    add("site", named(NameKind::Site, entry.site));
    add("round", named(NameKind::Round, entry.round));
    add("annotator", named(NameKind::Annotator, entry.annotator));
    add("date", json!(entry.date.to_string()));
    add("whiteElo", json!(entry.white_elo));
    add("blackElo", json!(entry.black_elo));
    add("result", json!(entry.result.to_string()));
    add("eco", json!(entry.eco.map(|eco| eco.to_string())));
    add("plyCount", json!(entry.ply_count));
    add("moveCount", json!(entry.move_count));
    add("deleted", json!(entry.deleted));
    add("isText", json!(entry.is_text));
    add("hasSetup", json!(entry.has_setup));
    add("hasVariations", json!(entry.has_variations));
    add("hasComments", json!(entry.has_comments));
    add("hasNags", json!(entry.has_nags));
    fields
}
