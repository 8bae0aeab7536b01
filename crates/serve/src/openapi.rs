//! The description of the API: one table, from which the `OpenAPI` document is made.

use serde_json::{Map, Value, json};

use crate::answer_schemas;
use crate::params::Params;
use crate::problem::Problem;

/// A request of the API.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) params: &'static [Param],
    pub(crate) content_type: &'static str,
}

#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) is_required: bool,
    pub(crate) kind: &'static str,
    pub(crate) about: &'static str,
}

const fn param(name: &'static str, kind: &'static str, about: &'static str) -> Param {
    Param {
        name,
        is_required: false,
        kind,
        about,
    }
}

const fn required(param: &Param) -> Param {
    Param {
        is_required: true,
        name: param.name,
        kind: param.kind,
        about: param.about,
    }
}

const DB: Param = param("db", "string", "ids of databases, separated by commas");
const WHERE: Param = param("where", "string", "a query, as `player:carlsen elo:>=2700`");
const ALL_OR_DB: Param = param(
    "db",
    "string",
    "ids of databases, separated by commas; all if absent",
);
const Q: Param = param(
    "q",
    "string",
    "a query, as `player:carlsen elo:>=2700`; also `where`",
);
const FEN: Param = param("fen", "string", "a position; the standard one if absent");
const PLAY: Param = param(
    "play",
    "string",
    "moves from there in UCI notation, separated by commas",
);
/// The first moves of a game, which can be more than an address can hold.
const DB_OF_GAME: Param = param("db", "string", "id of the database of `game`");
const GAME: Param = param(
    "game",
    "integer",
    "number of a game, from 1, whose start position and moves are those before `play`, instead of `fen`",
);
const PLIES: Param = param(
    "plies",
    "integer",
    "how many plies of the mainline of `game` are played",
);
const SINCE: Param = param("since", "string", "first year, or month as 2012-01");
const UNTIL: Param = param("until", "string", "last year, or month as 2012-12");
const VARIANT: Param = param(
    "variant",
    "string",
    "standard, chess960 or fromPosition; no games of the other variants of Lichess are found",
);
const SPEEDS: Param = param(
    "speeds",
    "string",
    "ultraBullet, bullet, blitz, rapid, classical, correspondence",
);
const RATINGS: Param = param(
    "ratings",
    "string",
    "groups by mean rating: 0, 1000, 1200, … 2200, 2500",
);
const MOVES: Param = param("moves", "integer", "number of moves; 12 if absent");
const TOP_GAMES: Param = param(
    "topGames",
    "integer",
    "number of games with the highest ratings",
);
const RECENT_GAMES: Param = param("recentGames", "integer", "number of last games");
const HISTORY: Param = param("history", "boolean", "the results by month too");
const WAIT: Param = param(
    "wait",
    "integer",
    "milliseconds to wait for the complete answer, at most 20,000; none if absent",
);
const WAIT_OF_EXPLORER: Param = param(
    "wait",
    "integer",
    "milliseconds to wait for the complete answer, at most 20,000; 10,000 if absent",
);
const JSON: &str = "application/json";

/// Every request.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/api/v1/shelf",
        summary: "The databases, books and archives",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/state",
        summary: "Whether the files of inputs can be read just now, and a fingerprint that changes when they do; \
                  unknown ids are left out",
        params: &[required(&DB)],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}",
        summary: "Counts and properties of an input, which is opened for it",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/games",
        summary: "Rows of a list of games",
        params: &[
            required(&DB),
            WHERE,
            param(
                "sort",
                "string",
                "columns separated by commas, with `-` before those that descend",
            ),
            param("deleted", "boolean", "records marked as deleted too"),
            param("from", "integer", "first row, from 0"),
            param("n", "integer", "number of rows, at most 500"),
            param(
                "details",
                "string",
                "columns that are read from the moves, `opening` and `medals`; null in all rows if absent",
            ),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/row",
        summary: "The row number of a game in a list",
        params: &[
            required(&DB),
            WHERE,
            param("sort", "string", "as of games"),
            param("deleted", "boolean", "as of games"),
            required(&param("in", "string", "id of the database of the game")),
            required(&param("game", "integer", "number of the game, from 1")),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/games/{n}",
        summary: "A game as `tabia show --json` prints it; `n` counts from 1 and may end in `.pgn`, \
                  for which `profile` is one of those of `tabia convert`",
        params: &[param(
            "profile",
            "string",
            "for PGN: standard, full, lichess, chessbase or seven",
        )],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/games/{n}/stored",
        summary: "The index entry of a record and its parts in the files of the database, of each at most the first 4,096 bytes",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/games/{n}/moment",
        summary: "The first position of a game at which a query fits: the plies before it, and the number of the variation in \
                  the order of PGN, 0 for the mainline; `null` if the query asks for none, or does not fit",
        params: &[required(&WHERE)],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/position",
        summary: "The legal moves and the opening of a position",
        params: &[FEN, PLAY, DB_OF_GAME, GAME, PLIES],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/explorer",
        summary: "The moves of a position in books and databases",
        params: &[
            required(&param(
                "src",
                "string",
                "ids of at most 6 books and databases",
            )),
            FEN,
            PLAY,
            DB_OF_GAME,
            GAME,
            PLIES,
            WHERE,
            param(
                "where1",
                "string",
                "a query for the first source only; also where2 to where6",
            ),
            param(
                "stop",
                "integer",
                "1: the answer is no longer wanted; counting ends, and no source is answered",
            ),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/health",
        summary: "The problems of an input, as `tabia check` finds them",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/repair",
        summary: "What `tabia repair` would save of a database; nothing is kept",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/unlikely",
        summary: "The games whose date does not exist, is older than any known game or later than the file, and those \
                  whose result the last position contradicts",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/db/{id}/charsets",
        summary: "The first 20 names of players that are not ASCII, in several character sets",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/spellings",
        summary: "Names that are probably spelt in several ways, as `tabia names` finds them",
        params: &[
            required(&DB),
            param("of", "string", "player: no events, sites and annotators"),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/fields",
        summary: "The fields of the query language",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/suggest",
        summary: "Names that begin with a text, the most frequent ones first",
        params: &[
            required(&DB),
            required(&param(
                "field",
                "string",
                "player, event, site or annotator",
            )),
            param("q", "string", "the start of a word of the name"),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/player",
        summary: "What a player played: results by colour, opening, year, rating of the opponents and speed, and \
                  the first 12 plies as trees",
        params: &[
            required(&DB),
            required(&param("name", "string", "the whole name")),
            param("also", "string", "other spellings of it, a line each"),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/player/unfaced",
        summary: "Replies that are frequent in the reference after the first plies of a player, and that none of the \
                  player's games has",
        params: &[
            required(&DB),
            required(&param("name", "string", "the whole name")),
            param(
                "reference",
                "string",
                "ids of the databases to compare with; those of `db` if absent",
            ),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/search",
        summary: "Games that fit a query, with the moment at which each does, as `tabia search` finds them",
        params: &[
            ALL_OR_DB,
            Q,
            param(
                "limit",
                "integer",
                "number of games, at most and if absent 500",
            ),
            param(
                "after",
                "integer",
                "number of games that are left out: `next` of the answer before, which is null at the end",
            ),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/tree",
        summary: "The moves of a position in databases together, as `tabia tree` counts them: a game counts once, with the \
                  move after its first arrival",
        params: &[ALL_OR_DB, Q, FEN, PLAY],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/stats",
        summary: "Games in groups, as `tabia stats` counts them; at most 10,000 groups",
        params: &[
            ALL_OR_DB,
            Q,
            param(
                "by",
                "string",
                "keys of groups separated by commas, as `year,result`; all games are one group if absent",
            ),
            param(
                "player",
                "string",
                "count for players with this name, from their side",
            ),
            param(
                "order",
                "string",
                "key or games; if absent, games if one key has names",
            ),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/duplicates",
        summary: "Pairs of duplicate games, as `tabia dedupe` finds them",
        params: &[
            required(&DB),
            param("from", "integer", "first pair, from 0"),
            param("n", "integer", "number of pairs, at most 500"),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/duplicates/merged",
        summary: "A game with the annotations of its duplicate, as `tabia dedupe --merge-annotations` writes it",
        params: &[
            required(&param("db", "string", "id of the database of the game")),
            required(&param("game", "integer", "number of the game, from 1")),
            param(
                "of",
                "string",
                "id of the database of the duplicate, if it is another one",
            ),
            required(&param(
                "duplicate",
                "integer",
                "number of the duplicate, from 1",
            )),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/formats",
        summary: "The formats that games and books can be written in, and the profiles of PGN",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/convert",
        summary: "What games lose in another format; nothing is kept",
        params: &[
            required(&DB),
            WHERE,
            param("deleted", "boolean", "records marked as deleted too"),
            required(&param("to", "string", "id of a format")),
            param(
                "profile",
                "string",
                "for PGN: standard, full, lichess, chessbase or seven",
            ),
            param(
                "sample",
                "boolean",
                "only size and time, estimated from the first 200 records",
            ),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/convert/game",
        summary: "A game as it is read from a file of another format; `null` if the format keeps nothing of it",
        params: &[
            required(&param("db", "string", "id of a database")),
            required(&param("game", "integer", "number of the game, from 1")),
            required(&param("to", "string", "id of a format")),
            param("profile", "string", "for PGN, as of convert"),
        ],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/book/{id}",
        summary: "The entries of a position of a book, in stored order",
        params: &[FEN, PLAY],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/drop",
        summary: "The number of bytes that dropped files may still have",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/jobs",
        summary: "The jobs that were started: indexes that are built, files that are written",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/jobs/{id}",
        summary: "The progress or the result of a job",
        params: &[],
        content_type: JSON,
    },
    Route {
        path: "/api/v1/jobs/{id}/files/{n}",
        summary: "A file that a job has written; `n` counts from 0",
        params: &[],
        content_type: "application/octet-stream",
    },
    Route {
        path: "/api/v1/events",
        summary: "All jobs as one event `jobs`, then each as an event `job` when it changes, and `forgotten` when \
                  it is gone",
        params: &[],
        content_type: "text/event-stream",
    },
    Route {
        path: "/masters",
        summary: "The moves of a position, as Lichess' explorer of masters' games answers; also /master",
        params: &[FEN, PLAY, SINCE, UNTIL, MOVES, TOP_GAMES, WAIT_OF_EXPLORER],
        content_type: JSON,
    },
    Route {
        path: "/lichess",
        summary: "The moves of a position, as Lichess' explorer of its games answers",
        params: &[
            FEN,
            PLAY,
            SINCE,
            UNTIL,
            VARIANT,
            SPEEDS,
            RATINGS,
            MOVES,
            TOP_GAMES,
            RECENT_GAMES,
            HISTORY,
            WAIT_OF_EXPLORER,
        ],
        content_type: JSON,
    },
    Route {
        path: "/lichess/history",
        summary: "The results of a position by month",
        params: &[
            FEN,
            PLAY,
            SINCE,
            UNTIL,
            VARIANT,
            SPEEDS,
            RATINGS,
            WAIT_OF_EXPLORER,
        ],
        content_type: JSON,
    },
    Route {
        path: "/player",
        summary: "The moves of one player in a position, as Lichess' explorer answers; also /personal",
        params: &[
            required(&param("player", "string", "the whole name")),
            required(&param("color", "string", "white or black")),
            FEN,
            PLAY,
            SINCE,
            UNTIL,
            VARIANT,
            SPEEDS,
            param("modes", "string", "casual, rated"),
            MOVES,
            RECENT_GAMES,
            HISTORY,
        ],
        content_type: "application/x-ndjson",
    },
    Route {
        path: "/game/export/{id}",
        summary: "A game by its id in an answer; also /masters/pgn/{id}, /master/pgn/{id}",
        params: &[],
        content_type: "application/x-chess-pgn",
    },
    Route {
        path: "/api/v1/openapi.json",
        summary: "This document",
        params: &[],
        content_type: JSON,
    },
];

const DROP: Route = Route {
    path: "/api/v1/drop/{name}",
    summary: "Stores the body as a file until the server ends, and opens it",
    params: &[
        param(
            "set",
            "integer",
            "a number that the files of one database have in common; without it a file is alone",
        ),
        param("more", "boolean", "further files of the set follow"),
    ],
    content_type: JSON,
};

const PASSWORD: Route = Route {
    path: "/api/v1/db/{id}/password",
    summary: "Opens an archive that needs a password: `{\"password\": TEXT}`; answers with the archive and what is in it",
    params: &[],
    content_type: JSON,
};

const START: Route = Route {
    path: "/api/v1/jobs",
    summary: "Starts a job: `{\"kind\": \"index\", \"db\": ID}` makes the saved index of a database, in the cache",
    params: &[],
    content_type: JSON,
};

const CONVERT: Route = Route {
    path: "/api/v1/convert",
    summary: "With `--write`: a job that writes databases, or the games of them that fit a query, as a new file: \
              `{\"db\": IDS, \"where\": QUERY, \"games\": \"1-3,7\", \"deleted\": false, \"to\": FORMAT, \
              \"profile\": PROFILE, \"name\": NAME, \"force\": false}`; `games` are numbers of one database",
    params: &[],
    content_type: JSON,
};

const DEDUPE: Route = Route {
    path: "/api/v1/dedupe",
    summary: "With `--write`: a job that writes databases without the duplicates that were decided about: \
              `{\"db\": IDS, \"to\": FORMAT, \"profile\": PROFILE, \"name\": NAME, \"force\": false, \
              \"decisions\": [{\"kept\": {\"db\": ID, \"game\": 1}, \"dropped\": {\"db\": ID, \"game\": 2}, \
              \"choice\": \"left\"}]}` with the choices left, right, merge and both; pairs without one keep both",
    params: &[],
    content_type: JSON,
};

const RENAME: Route = Route {
    path: "/api/v1/names",
    summary: "With `--write`: a job that writes databases in which names have other spellings: \
              `{\"db\": IDS, \"to\": FORMAT, \"profile\": PROFILE, \"name\": NAME, \"force\": false, \
              \"renames\": [{\"kind\": \"player\", \"name\": NAME, \"proposal\": NAME}]}` with the kinds player, event, \
              site and annotator",
    params: &[],
    content_type: JSON,
};

const RENAME_PREVIEW: Route = Route {
    path: "/api/v1/names/preview",
    summary: "With `--write`: the games in which names would change: `{\"db\": IDS, \"renames\": […]}`; asked again until \
              `isDone`",
    params: &[],
    content_type: JSON,
};

const EDIT: Route = Route {
    path: "/api/v1/book/{id}",
    summary: "With `--write`: a job that writes a copy of a book with changes: `{\"name\": NAME, \"to\": FORMAT, \"force\": false, \
              \"changes\": [{\"fen\": FEN, \"play\": MOVES, \"move\": UCI, \"remove\": false, \"weight\": 1, \
              \"annotation\": \"!\", \"advice\": \"play\", \"comment\": TEXT}]}`",
    params: &[],
    content_type: JSON,
};

const EDIT_PREVIEW: Route = Route {
    path: "/api/v1/book/{id}/preview",
    summary: "With `--write`: what a copy of a book with changes would lose: `{\"to\": FORMAT, \"changes\": […]}`; asked again \
              until `isDone`",
    params: &[],
    content_type: JSON,
};

const CANCEL: Route = Route {
    path: "/api/v1/jobs/{id}",
    summary: "Cancels a job that runs, forgets one that has ended",
    params: &[],
    content_type: JSON,
};

/// The requests that are no GET: method, content type of the body, and description.
const OTHERS: &[(&str, Option<&str>, &Route)] = &[
    ("put", Some("application/octet-stream"), &DROP),
    ("post", Some(JSON), &PASSWORD),
    ("post", Some(JSON), &START),
    ("delete", None, &CANCEL),
    ("post", Some(JSON), &CONVERT),
    ("post", Some(JSON), &DEDUPE),
    ("post", Some(JSON), &RENAME),
    ("post", Some(JSON), &RENAME_PREVIEW),
    ("patch", Some(JSON), &EDIT),
    ("post", Some(JSON), &EDIT_PREVIEW),
];

/// Whether a path is one of a route's, whose segments in braces are any.
fn is_path_of(template: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted == found || wanted.starts_with('{') => {}
            _ => return false,
        }
    }
}

/// Whether a parameter of a request is one that is described by `known`.
fn is_param(known: &Param, name: &str) -> bool {
    let numbered = |rest: &str| matches!(rest.as_bytes(), [b'1'..=b'6']);
    match known.name {
        "q" => matches!(name, "q" | "where"),
        "where1" => name.strip_prefix("where").is_some_and(numbered),
        known => name == known,
    }
}

/// Refuses parameters that a request of the page's own API does not have, and those that it has twice: what is ignored
/// would make a wrong answer look right.
///
/// # Errors
/// Names the parameter.
pub(crate) fn check_params(path: &str, params: &Params) -> Result<(), Problem> {
    // No path is one of two routes.
    let Some(route) = ROUTES.iter().find(|route| is_path_of(route.path, path)) else {
        return Ok(());
    };
    for (number, (name, _)) in params.0.iter().enumerate() {
        if name != WAIT.name && !route.params.iter().any(|known| is_param(known, name)) {
            let text = format!("`{name}` is not a parameter of this request");
            return Err(Problem::bad_request(text));
        }
        let earlier = params.0.iter().take(number);
        if earlier.into_iter().any(|(other, _)| other == name) {
            return Err(Problem::bad_request(format!("`{name}` is given twice")));
        }
    }
    Ok(())
}

/// The `OpenAPI` document.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    let gets = ROUTES.iter().map(|route| ("get", None, route));
    for (method, body, route) in gets.chain(OTHERS.iter().copied()) {
        let operation = operation(method, body, route);
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "tabia serve", "version": env!("CARGO_PKG_VERSION")},
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": answer_schemas::components(),
        },
    })
}

/// One method of a path; `body` is the content type of what is sent.
fn operation(method: &str, body: Option<&str>, route: &Route) -> Value {
    let in_path = ["id", "n", "name"].iter().filter(|name| {
        let part = format!("{{{name}}}");
        route.path.contains(&part)
    });
    let in_path = in_path.map(
        |name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}),
    );
    let waits = method == "get" && answer_schemas::is_partial(route.path);
    let params = route.params.iter().chain(waits.then_some(&WAIT));
    let in_query = params.map(|param| {
        json!({
            "name": param.name,
            "in": "query",
            "required": param.is_required,
            "description": param.about,
            "schema": {"type": param.kind},
        })
    });
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let answer = match route.content_type {
        JSON => json!({"schema": answer_schemas::of_answer(route.path, method)}),
        _ => json!({}),
    };
    let problem = json!({"schema": {"$ref": "#/components/schemas/Problem"}});
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "The answer", "content": {route.content_type: answer}},
            "default": {
                "description": "An error as RFC 9457 describes it",
                "content": {"application/problem+json": problem},
            },
        },
    });
    if let Some(body) = body {
        operation["requestBody"] = json!({"content": {body: {}}});
    }
    // What starts a job answers at once.
    let starts_job = method == "post"
        && (route.summary.contains(": a job that ") || route.summary.starts_with("Starts a job"));
    if starts_job {
        let accepted = operation["responses"]["200"].take();
        operation["responses"] = json!({
            "202": accepted,
            "default": operation["responses"]["default"].take(),
        });
        operation["responses"]["202"]["description"] = json!("The job that was started");
    }
    operation
}
