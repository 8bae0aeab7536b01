//! What a query without a result was probably meant to be.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use tabia::Query;
use tabia::list::ListOptions;
use tabia::names::similar_players;
use tabia::select::Selection;

use crate::context::{Context, Wanted};
use crate::control_char_filter::one_line;
use crate::readable_numbers::counted;
use crate::terminal;

/// Writes hints for a query that no game of the inputs fits. On a terminal, players with similar names are looked for.
pub(crate) fn hints_of_empty_result(
    context: &Context,
    inputs: &[OsString],
    options: &ListOptions,
    query: &str,
) {
    let mut hints = Vec::new();
    if terminal::stdout_is_terminal() {
        hints.extend(similar_players_of(context, inputs, options, query));
    }
    hints.extend(exact_rating(query));
    if !options.selection.deleted && has_term(query, "is:deleted") {
        let hint = "`--include-deleted` looks at the games that are marked as deleted too";
        hints.push(hint.to_owned());
    }
    if !options.selection.texts && has_term(query, "is:text") {
        hints.push("`--texts` looks at guiding texts too".to_owned());
    }
    for hint in hints {
        context.messages.hint(&hint);
    }
}

/// A hint at a rating in a query that fits this number alone, `elo:2700`, where at least that much was probably meant.
fn exact_rating(query: &str) -> Option<String> {
    let fields = ["elo", "anyelo", "avgelo", "whiteelo", "blackelo"];
    let mut terms = query.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    let (name, value) = terms.find_map(|term| {
        let (name, value) = term.split_once(':')?;
        let is_rating = fields.iter().any(|field| field.eq_ignore_ascii_case(name))
            && value.len() == 4
            && value.bytes().all(|byte| byte.is_ascii_digit());
        is_rating.then_some((name, value))
    })?;
    Some(format!(
        "`{name}:{value}` is exactly {value}; `{name}:>={value}` is at least"
    ))
}

/// Whether a query has a term, as `is:deleted`.
fn has_term(query: &str, wanted: &str) -> bool {
    let mut terms = query.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    terms.any(|term| term.eq_ignore_ascii_case(wanted))
}

/// How long players with similar names are looked for.
const LOOKING_FOR_PLAYERS: Duration = Duration::from_secs(1);
/// Players that are proposed at most.
const MOST_PLAYERS: usize = 3;

/// The players that a query may mean by a name that no game has.
fn similar_players_of(
    context: &Context,
    paths: &[OsString],
    options: &ListOptions,
    query: &str,
) -> Option<String> {
    let (field, name) = wanted_player(query)?;
    let mut inputs = Vec::new();
    for path in paths.iter().filter(|path| *path != "-") {
        inputs.extend(
            context
                .find(path, Wanted::Games)
                .ok()?
                .into_iter()
                .flatten(),
        );
    }
    inputs.retain(|item| !item.is_once());
    let mut all_games = options.clone();
    all_games.filter = Query::default();
    all_games.selection = Selection::games();
    let deadline = Instant::now() + LOOKING_FOR_PLAYERS;
    // What cannot be read was reported with the rows.
    let found = similar_players(&inputs, &name, &all_games, deadline).ok()?;
    let players = found.iter().take(MOST_PLAYERS).map(|player| {
        let games = counted(player.games, "game");
        format!("`{field}:\"{}\"` ({games})", one_line(&player.name))
    });
    let players: Vec<String> = players.collect();
    (!players.is_empty()).then(|| format!("did you mean {}?", players.join(", ")))
}

/// The first term of a query that names a player: its field and the name.
fn wanted_player(query: &str) -> Option<(&'static str, String)> {
    const FIELDS: [&str; 3] = ["player", "white", "black"];
    let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
    FIELDS.into_iter().find_map(|field| {
        let lower = query.to_ascii_lowercase();
        let start = lower.match_indices(field).find_map(|(at, _)| {
            let before = query.get(..at)?.chars().next_back();
            let is_term = before.is_none_or(is_end);
            let value = at + field.len() + 1;
            (is_term && lower.get(at + field.len()..value)? == ":").then_some(value)
        })?;
        let value = query.get(start..)?;
        let name = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => value.split(is_end).next()?,
        };
        (!name.is_empty()).then(|| (field, name.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_player_is_found_in_a_query() {
        for (query, expected) in [
            ("player:Karpof", Some(("player", "Karpof"))),
            (
                "year:2001 (White:\"Carlson, M\" OR eco:B)",
                Some(("white", "Carlson, M")),
            ),
            ("elo:>2700", None),
            ("myplayer:Tal", None),
            ("player:", None),
            ("player", None),
            ("event:Äußerst black:Örn", Some(("black", "Örn"))),
        ] {
            let expected = expected.map(|(field, name)| (field, name.to_owned()));
            assert_eq!(wanted_player(query), expected, "{query}");
        }
    }
}
