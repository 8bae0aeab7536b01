//! A record of a database as it is stored: its index entry and its bytes.

use serde_json::{Value, json};
use tabia::core::games::{IndexEntry, NameId, NameKind, StoredPart};
use tabia::core::hexadecimal;
use tabia::{Database, GameIndex};

use crate::opened_input::OpenedInput;
use crate::problem::Problem;

/// Bytes of a part of a record that are shown.
const MAX_BYTES: usize = 4096;

/// The index entry of a record and the first bytes of its parts in the files of the database.
///
/// # Errors
/// When the record does not exist or its entry cannot be read.
pub(crate) fn stored_record(opened: &OpenedInput, game: GameIndex) -> Result<Value, Problem> {
    let database = opened
        .database()
        .ok_or_else(|| Problem::bad_request("a book has no games"))?;
    let entry = database.entry(game)?;
    let parts = database.stored_parts(game);
    Ok(json!({
        "fields": fields(database, &entry),
        "parts": parts.iter().map(part).collect::<Vec<Value>>(),
    }))
}

/// A part of a record, with the name of its file but without the folder.
fn part(part: &StoredPart<'_>) -> Value {
    let shown = part.bytes.get(..MAX_BYTES).unwrap_or(part.bytes);
    let file = part.file.file_name().unwrap_or_default();
    json!({
        "kind": part.kind.name(),
        "file": file.to_string_lossy(),
        "offset": part.offset,
        "length": part.bytes.len(),
        "bytes": hexadecimal::digits(shown),
    })
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
