//! The answers of the API are what its description states, and requests wait for complete ones.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::Running;
use serde_json::Value;
use tabia_testkit::Scratch;

/// Why `value` does not fit a schema; only the keywords that the description uses are known.
fn misfit(value: &Value, schema: &Value, all: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let target = all.pointer(name.strip_prefix('#').unwrap());
        let target = target.unwrap_or_else(|| panic!("{name} is not defined"));
        return misfit(value, target, all, at);
    }
    for keyword in schema.as_object().unwrap().keys() {
        let known = [
            "type",
            "required",
            "properties",
            "items",
            "enum",
            "minimum",
            "minItems",
            "maxItems",
            "description",
        ];
        assert!(
            known.contains(&keyword.as_str()),
            "{keyword} is not checked"
        );
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = match &schema["type"] {
        Value::Null => true,
        Value::String(wanted) => wanted == kind,
        wanted => wanted
            .as_array()
            .unwrap()
            .iter()
            .any(|wanted| wanted == kind),
    };
    if !fits {
        return Some(format!("{at} is of type {kind}, not {}", schema["type"]));
    }
    if let Some(wanted) = schema["enum"].as_array()
        && !wanted.contains(value)
    {
        return Some(format!("{at} is {value}"));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
        && number < least
    {
        return Some(format!("{at} is {number}"));
    }
    if let Some(values) = value.as_array() {
        let len = values.len() as u64;
        let is_short = schema["minItems"].as_u64().is_some_and(|least| len < least);
        if is_short || schema["maxItems"].as_u64().is_some_and(|most| len > most) {
            return Some(format!("{at} has {len} items"));
        }
        if !schema["items"].is_null() {
            let mut values = values.iter().enumerate();
            return values.find_map(|(index, value)| {
                misfit(value, &schema["items"], all, &format!("{at}/{index}"))
            });
        }
    }
    if !value.is_object() {
        return None;
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if value.get(name).is_none() {
            return Some(format!("{at} has no `{name}`"));
        }
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .filter_map(|(name, schema)| Some((name, value.get(name)?, schema)))
        .find_map(|(name, value, schema)| misfit(value, schema, all, &format!("{at}/{name}")))
}

fn samples() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/tabia.cbh")
}

/// The schema of the answer to a GET of a path of the description.
fn schema<'d>(description: &'d Value, path: &str, status: &str) -> &'d Value {
    let content = &description["paths"][path]["get"]["responses"][status]["content"];
    let schemas = content.as_object().unwrap().values();
    let mut schemas = schemas.map(|content| &content["schema"]);
    schemas.next().unwrap()
}

#[test]
fn answers_fit_their_schemas() {
    let folder = Scratch::new("serve-schemas");
    let book = folder.join("small.bin");
    // One Polyglot entry: 1.e4 from the standard position.
    let entry = [
        0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0, 1, 0, 0, 0, 0,
    ];
    std::fs::write(&book, entry).unwrap();
    let server = Running::start(&[&samples(), &book], |_| {});
    let (_, description) = server.get("openapi.json");
    let db = "db=tabia.cbh";
    let asked = [
        ("/api/v1/shelf", "shelf".to_owned()),
        ("/api/v1/state", format!("state?{db},absent")),
        ("/api/v1/db/{id}", "db/tabia.cbh".to_owned()),
        ("/api/v1/games", format!("games?{db}")),
        (
            "/api/v1/games",
            format!("games?{db}&where=white:morphy&sort=-date"),
        ),
        (
            "/api/v1/row",
            format!("row?{db}&in=tabia.cbh&game=2&sort=-date"),
        ),
        (
            "/api/v1/db/{id}/games/{n}/moment",
            "db/tabia.cbh/games/1/moment?where=move:Nf3".to_owned(),
        ),
        ("/api/v1/position", "position?play=e2e4,e7e5".to_owned()),
        (
            "/api/v1/explorer",
            "explorer?src=tabia.cbh,small.bin".to_owned(),
        ),
        ("/api/v1/db/{id}/health", "db/tabia.cbh/health".to_owned()),
        ("/api/v1/db/{id}/repair", "db/tabia.cbh/repair".to_owned()),
        (
            "/api/v1/db/{id}/unlikely",
            "db/tabia.cbh/unlikely".to_owned(),
        ),
        (
            "/api/v1/db/{id}/charsets",
            "db/tabia.cbh/charsets".to_owned(),
        ),
        ("/api/v1/spellings", format!("spellings?{db}")),
        ("/api/v1/fields", "fields".to_owned()),
        ("/api/v1/suggest", format!("suggest?{db}&field=player&q=m")),
        ("/api/v1/player", format!("player?{db}&name=Morphy,%20Paul")),
        (
            "/api/v1/player/unfaced",
            format!("player/unfaced?{db}&name=Morphy,%20Paul"),
        ),
        ("/api/v1/search", format!("search?{db}&where=white:morphy")),
        ("/api/v1/search", "search?q=elo:..9999&limit=2".to_owned()),
        ("/api/v1/tree", "tree?play=e2e4&q=white:morphy".to_owned()),
        ("/api/v1/stats", format!("stats?{db}&by=result")),
        ("/api/v1/duplicates", format!("duplicates?{db}")),
        ("/api/v1/convert", format!("convert?{db}&to=si5")),
        ("/api/v1/book/{id}", "book/small.bin".to_owned()),
        ("/api/v1/drop", "drop".to_owned()),
    ];
    let partial = |path: &str| {
        let params = description["paths"][path]["get"]["parameters"].as_array();
        params.unwrap().iter().any(|param| param["name"] == "wait")
    };
    for (path, request) in asked {
        let waits = partial(path);
        let sign = if request.contains('?') { '&' } else { '?' };
        let request = if waits {
            format!("{request}{sign}wait=20000")
        } else {
            request
        };
        let (status, answer) = server.get(&request);
        assert_eq!(status, 200, "{request}: {answer}");
        let schema = schema(&description, path, "200");
        assert!(schema["$ref"].is_string(), "{path} has no schema");
        assert_eq!(
            misfit(&answer, schema, &description, path),
            None,
            "{answer}"
        );
        assert_eq!(
            answer["isDone"].as_bool(),
            waits.then_some(true),
            "{request}"
        );
        // What has the shape of no answer does not fit.
        assert!(misfit(&Value::from(1), schema, &description, path).is_some());
        assert!(misfit(&serde_json::json!({}), schema, &description, path).is_some());
    }
    server.stop();
}

#[test]
fn errors_fit_their_schema() {
    let server = Running::start(&[&samples()], |_| {});
    let (_, description) = server.get("openapi.json");
    for (path, request, wanted) in [
        ("/api/v1/games", "games?db=absent", 404),
        ("/api/v1/games", "games?db=tabia.cbh&where=nofield:1", 400),
        ("/api/v1/games", "games?db=tabia.cbh&n=501", 400),
        ("/api/v1/games", "games?db=tabia.cbh&wait=20001", 400),
        ("/api/v1/games", "games?db=tabia.cbh&wait=-1", 400),
        ("/api/v1/position", "position?fen=nonsense", 400),
    ] {
        let (status, answer) = server.get(request);
        assert_eq!(status, wanted, "{request}: {answer}");
        let schema = schema(&description, path, "default");
        assert_eq!(misfit(&answer, schema, &description, request), None);
        assert_eq!(answer["status"], wanted);
    }
    server.stop();
}

#[test]
fn a_request_waits_for_the_complete_answer_at_most_as_long_as_it_states() {
    let folder = Scratch::new("serve-wait");
    let games = folder.join("games.pgn");
    let game = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *\n\n";
    std::fs::write(&games, game.repeat(60_000)).unwrap();
    let server = Running::start(&[&games], |options| options.threads = 1);
    let (status, _) = server.get("games?db=games.pgn&n=1");
    assert_eq!(status, 200);
    let ask = |wait: u64| {
        let begin = Instant::now();
        let (status, answer) =
            server.get(&format!("search?db=games.pgn&where=move:Qh5&wait={wait}"));
        assert_eq!(status, 200, "{answer}");
        (answer, begin.elapsed())
    };
    let (answer, time) = ask(300);
    // At most one look longer than it may wait; the machine can be busy.
    assert!(answer["isDone"] == true || time >= Duration::from_millis(300));
    assert!(time < Duration::from_secs(10), "{time:?}");
    let (answer, _) = ask(20_000);
    assert_eq!(answer["isDone"], true, "{answer}");
    server.stop();
}
