//! JSON schemas of the answers of the API, for the description of [`openapi`](crate::openapi).

use serde_json::{Map, Value, json};

/// The names of the schemas of answers by path; answers to other paths are objects.
const ANSWERS: &[(&str, &str)] = &[
    ("/api/v1/shelf", "Shelf"),
    ("/api/v1/state", "State"),
    ("/api/v1/db/{id}", "Input"),
    ("/api/v1/games", "Games"),
    ("/api/v1/row", "RowNumber"),
    ("/api/v1/db/{id}/games/{n}/moment", "Moment"),
    ("/api/v1/position", "Position"),
    ("/api/v1/explorer", "Explorer"),
    ("/api/v1/db/{id}/health", "Health"),
    ("/api/v1/db/{id}/repair", "Report"),
    ("/api/v1/db/{id}/unlikely", "Report"),
    ("/api/v1/db/{id}/charsets", "Report"),
    ("/api/v1/spellings", "Report"),
    ("/api/v1/fields", "Fields"),
    ("/api/v1/suggest", "Names"),
    ("/api/v1/player", "Report"),
    ("/api/v1/player/unfaced", "Report"),
    ("/api/v1/search", "Found"),
    ("/api/v1/tree", "Tree"),
    ("/api/v1/stats", "Stats"),
    ("/api/v1/duplicates", "Duplicates"),
    ("/api/v1/convert", "Report"),
    ("/api/v1/names/preview", "Report"),
    ("/api/v1/book/{id}", "BookPage"),
    ("/api/v1/book/{id}/preview", "Report"),
    ("/api/v1/drop", "Space"),
];

/// The schemas of answers that can come before their work is done.
const PARTIAL: &[&str] = &[
    "Games",
    "RowNumber",
    "Explorer",
    "Health",
    "Report",
    "Found",
    "Tree",
    "Stats",
    "Duplicates",
];

fn name_of(path: &str) -> Option<&'static str> {
    let found = ANSWERS.iter().find(|(known, _)| *known == path);
    found.map(|(_, name)| *name)
}

/// The schema of the answer to a path.
pub(crate) fn of_answer(path: &str, method: &str) -> Value {
    let is_report = method == "get" || path.ends_with("/preview");
    match name_of(path).filter(|_| is_report) {
        Some(name) => json!({"$ref": format!("#/components/schemas/{name}")}),
        None => json!({"type": ["object", "null"]}),
    }
}

/// Whether the answer can come before its work is done, so that the request may wait for it.
pub(crate) fn is_partial(path: &str) -> bool {
    name_of(path).is_some_and(|name| PARTIAL.contains(&name))
}

/// An object with these properties, all of which it has.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// As [`object`], of an answer that can come before its work is done.
fn so_far(properties: &[(&str, Value)]) -> Value {
    let mut all = vec![
        (
            "isDone",
            json!({"type": "boolean", "description": "whether the work is done; else ask again, or with `wait`"}),
        ),
        (
            "scanned",
            json!({"type": "integer", "minimum": 0, "description": "games read so far"}),
        ),
    ];
    all.extend_from_slice(properties);
    object(&all)
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// Every schema by its name.
pub(crate) fn components() -> Value {
    let (text, count, flag) = (
        json!({"type": "string"}),
        json!({"type": "integer", "minimum": 0}),
        json!({"type": "boolean"}),
    );
    let (text_or_null, count_or_null) = (
        json!({"type": ["string", "null"]}),
        json!({"type": ["integer", "null"], "minimum": 0}),
    );
    let opening = json!({
        "type": ["object", "null"],
        "required": ["eco", "name"],
        "properties": {"eco": text, "name": text},
    });
    let card = [
        ("id", text.clone()),
        ("name", text.clone()),
        ("folder", text.clone()),
        ("dropped", flag.clone()),
        ("container", text_or_null.clone()),
        (
            "kind",
            json!({"enum": ["database", "book", "archive", "unknown"]}),
        ),
        ("format", text_or_null.clone()),
        ("formatName", text_or_null.clone()),
        ("bytes", count_or_null.clone()),
        ("modified", count_or_null.clone()),
        ("error", text_or_null.clone()),
        ("problem", json!({"type": ["object", "null"]})),
        ("open", flag.clone()),
    ];
    let mut input = card.to_vec();
    input.push(("problems", list(&text)));
    input.push(("fingerprint", text.clone()));
    let problem = json!({
        "type": "object",
        "required": ["type", "title", "status", "code", "values", "detail"],
        "properties": {
            "type": text,
            "title": text,
            "status": {"type": "integer", "minimum": 400},
            "code": {"type": "string", "description": "what is wrong, whatever the language"},
            "values": {"type": "object", "description": "what a text for the code contains"},
            "detail": text,
            "text": {"type": "object", "description": "id and values of a text that the page has in its languages"},
            "hint": text,
            "hintText": {"type": "object", "description": "the same of the hint"},
            "column": {"type": "integer", "minimum": 1, "description": "of the query, in characters"},
        },
    });
    let mut source = object(&[("id", text.clone())]);
    source["properties"]["error"] = text.clone();
    source["properties"]["isDone"] = flag.clone();
    source["properties"]["moves"] = list(&object(&[("uci", text.clone()), ("san", text.clone())]));
    let row = json!({"type": "array", "minItems": 18, "maxItems": 18});
    let field = object(&[
        ("name", text.clone()),
        ("asks", text.clone()),
        ("values", text.clone()),
        ("example", text.clone()),
        ("hasNames", flag.clone()),
    ]);
    let mut left_out = list(&object(&[
        ("id", text.clone()),
        ("problem", json!({"type": "object"})),
    ]));
    left_out["description"] = json!("of all databases those that cannot be read");
    json!({
        "Problem": problem,
        "Shelf": object(&[
            ("version", text.clone()),
            ("canWrite", flag.clone()),
            ("inputs", list(&object(&card))),
        ]),
        "State": object(&[(
            "inputs",
            list(&object(&[
                ("id", text.clone()),
                ("name", text.clone()),
                ("fingerprint", text.clone()),
                (
                    "problem",
                    json!({
                        "type": ["object", "null"],
                        "description": "why one of its files cannot be read",
                    }),
                ),
            ])),
        )]),
        "Input": object(&input),
        "Games": so_far(&[
            ("total", count.clone()),
            ("texts", count.clone()),
            ("count", count.clone()),
            ("from", count.clone()),
            ("columns", list(&text)),
            ("sortable", list(&text)),
            ("fingerprints", json!({"type": "object"})),
            (
                "unread",
                json!({
                    "type": ["object", "null"],
                    "description": "games that cannot be read to their end, so that they may be missing; the first ones are named",
                    "required": ["count", "first"],
                    "properties": {
                        "count": count,
                        "first": list(&object(&[
                            ("db", text.clone()),
                            ("game", count.clone()),
                            ("text", text.clone()),
                        ])),
                    },
                }),
            ),
            ("rows", list(&row)),
        ]),
        "Moment": object(&[(
            "moment",
            json!({
                "type": ["object", "null"],
                "required": ["line", "ply"],
                "properties": {"line": count, "ply": count},
            }),
        )]),
        "RowNumber": so_far(&[("row", count_or_null.clone())]),
        "Position": object(&[
            ("fen", text.clone()),
            ("line", list(&text)),
            ("legal", list(&object(&[("uci", text.clone()), ("san", text.clone())]))),
            ("check", flag.clone()),
            ("checkmate", flag.clone()),
            ("stalemate", flag.clone()),
            ("chess960", flag.clone()),
            ("opening", opening.clone()),
        ]),
        "Explorer": so_far(&[
            ("fen", text.clone()),
            ("opening", opening.clone()),
            ("sources", list(&source)),
        ]),
        "Health": so_far(&[
            ("error", text_or_null.clone()),
            ("games", count.clone()),
            ("problems", count.clone()),
            ("kinds", list(&json!({"type": "object"}))),
        ]),
        "Report": so_far(&[]),
        "Found": so_far(&[
            ("hits", list(&object(&[("db", text.clone()), ("game", count.clone())]))),
            ("isLimited", flag.clone()),
            ("next", count_or_null.clone()),
            ("total", count.clone()),
            ("unindexed", list(&text)),
            ("leftOut", left_out.clone()),
        ]),
        "Tree": so_far(&[
            ("fen", text.clone()),
            ("leftOut", left_out.clone()),
            ("games", count.clone()),
            ("white", count.clone()),
            ("draws", count.clone()),
            ("black", count.clone()),
            (
                "moves",
                list(&object(&[
                    ("uci", text.clone()),
                    ("san", text.clone()),
                    ("games", count.clone()),
                ])),
            ),
        ]),
        "Stats": so_far(&[
            ("leftOut", left_out),
            ("groups", list(&object(&[("games", count.clone())]))),
            ("isLimited", flag.clone()),
        ]),
        "Duplicates": so_far(&[
            ("count", count.clone()),
            ("total", count.clone()),
            ("from", count.clone()),
            ("kinds", json!({"type": "object"})),
            ("pairs", list(&json!({"type": "object"}))),
        ]),
        "Fields": object(&[("fields", list(&field))]),
        "Names": object(&[(
            "names",
            list(&object(&[("name", text.clone()), ("games", count.clone())])),
        )]),
        "BookPage": object(&[
            ("id", text.clone()),
            ("name", text.clone()),
            ("format", text.clone()),
            ("fen", text.clone()),
            ("opening", opening),
            ("fingerprint", text),
        ]),
        "Space": object(&[("space", count)]),
    })
}
