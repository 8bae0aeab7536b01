//! Queries of Scoutfish, which are objects of JSON, as queries of tabia.

use serde_json::Value;
use tabia::Error;

/// The query that finds what one of Scoutfish finds.
///
/// # Errors
/// What of it is no JSON, unknown, or not in our queries.
pub(super) fn query_of(json: &str) -> Result<String, Error> {
    let value = serde_json::from_str(json).map_err(|error| {
        Error::usage(format!("the query is not JSON: {error}")).with_hint(
            "`--scoutfish` is for queries such as '{\"sub-fen\": \"8/8/8/8/8/5N2/8/8\", \"stm\": \"white\"}'",
        )
    })?;
    let mut game = Vec::new();
    let terms = rule(&value, &mut game)?;
    game.extend(Some(terms).filter(|terms| !terms.is_empty()));
    Ok(game.join(" "))
}

/// The terms of a rule about one moment, or of its sequence; those about the game go to `game`.
fn rule(value: &Value, game: &mut Vec<String>) -> Result<String, Error> {
    let Value::Object(keys) = value else {
        return Err(Error::usage(format!("`{value}` is no rule in braces")));
    };
    let mut terms = Vec::new();
    let mut steps = Vec::new();
    for (key, value) in keys {
        match key.as_str() {
            "sub-fen" => terms.push(list("sub", &texts(key, value)?)),
            "material" => terms.push(list("mat", &texts(key, value)?)),
            "imbalance" => terms.push(list("imb", &texts(key, value)?)),
            "white-move" => terms.push(list("by:white move", &texts(key, value)?)),
            "black-move" => terms.push(list("by:black move", &texts(key, value)?)),
            "moved" => terms.push(list("moved", &letters(key, value)?)),
            "captured" => terms.push(list("takes", &letters(key, value)?)),
            "stm" => terms.push(list("stm", &texts(key, &lower_case(value))?)),
            "result" => game.push(list("result", &texts(key, value)?)),
            "pass" => terms.push("ply:>=0".to_owned()),
            "sequence" => steps.push(joined(key, value, " -> ", game)?),
            "streak" => steps.push(joined(key, value, " => ", game)?),
            "skip" | "limit" => {
                let text = format!("`{key}` is about the rows");
                let hint = "`--offset` and `--limit` choose among the rows";
                return Err(Error::usage(text).with_hint(hint));
            }
            other => {
                let text = format!("`{other}` of Scoutfish is not in queries of tabia");
                let hint = "known are sub-fen, material, imbalance, white-move, black-move, moved, captured, stm, \
                            result, pass, sequence, streak";
                return Err(Error::usage(text).with_hint(hint));
            }
        }
    }
    match (steps.as_slice(), terms.is_empty()) {
        ([], _) => Ok(terms.join(" ")),
        ([steps], true) => Ok(steps.clone()),
        _ => Err(Error::usage(
            "a sequence and other conditions in one rule are not in queries of tabia",
        )),
    }
}

/// The steps of a sequence.
fn joined(key: &str, value: &Value, arrow: &str, game: &mut Vec<String>) -> Result<String, Error> {
    let Value::Array(rules) = value else {
        return Err(Error::usage(format!("`{key}` needs a list of rules")));
    };
    let steps: Vec<String> = rules
        .iter()
        .map(|value| rule(value, game))
        .collect::<Result<_, _>>()?;
    if steps.is_empty() || steps.iter().any(String::is_empty) {
        return Err(Error::usage(format!("`{key}` has an empty rule")));
    }
    Ok(steps.join(arrow))
}

/// One text, or several of which any may hold.
fn texts(key: &str, value: &Value) -> Result<Vec<String>, Error> {
    let one = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Ok(text.clone()),
        other => Err(Error::usage(format!("`{key}` cannot be `{other}`"))),
    };
    match value {
        Value::Array(values) if !values.is_empty() => values.iter().map(one).collect(),
        other => Ok(vec![one(other)?]),
    }
}

/// The letters of pieces, any of which may be meant.
fn letters(key: &str, value: &Value) -> Result<Vec<String>, Error> {
    let texts = texts(key, value)?.concat();
    Ok(texts.chars().map(String::from).collect())
}

fn lower_case(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.to_lowercase()),
        other => other.clone(),
    }
}

/// A term with values of which any may hold.
fn list(field: &str, values: &[String]) -> String {
    let quoted = values.iter().map(|value| {
        let is_plain = |c: char| c.is_ascii() && !c.is_whitespace() && !"\",()".contains(c);
        if value.chars().all(is_plain) {
            value.clone()
        } else {
            format!("\"{}\"", value.replace('"', ""))
        }
    });
    format!("{field}:{}", quoted.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_terms_that_are_queries() {
        for (json, expected) in [
            (
                r#"{"sub-fen": "8/8/p7/8/8/1B3N2/8/8"}"#,
                "sub:8/8/p7/8/8/1B3N2/8/8",
            ),
            (
                r#"{"sub-fen": ["8/8/8/q7/8/8/8/8", "8/8/8/r7/8/8/8/8"]}"#,
                "sub:8/8/8/q7/8/8/8/8,8/8/8/r7/8/8/8/8",
            ),
            (
                r#"{"material": "KBNKP", "stm": "BLACK"}"#,
                "mat:KBNKP stm:black",
            ),
            (r#"{"imbalance": "vPP"}"#, "imb:vPP"),
            (
                r#"{"white-move": ["O-O-O", "Nb7"]}"#,
                "by:white move:O-O-O,Nb7",
            ),
            (
                r#"{"moved": "KP", "captured": "Q", "result": "1-0"}"#,
                "result:1-0 takes:Q moved:K,P",
            ),
            (
                r#"{"sequence": [{"white-move": "Bxh7+"}, {"pass": true}, {"result": "1-0", "moved": "N"}]}"#,
                "result:1-0 by:white move:Bxh7+ -> ply:>=0 -> moved:N",
            ),
            (
                r#"{"streak": [{"white-move": "e5"}, {"black-move": "Qb6"}]}"#,
                "by:white move:e5 => by:black move:Qb6",
            ),
        ] {
            let query = query_of(json).unwrap();
            assert_eq!(query, expected);
            assert!(tabia::Query::parse(&query).is_ok(), "{query}");
        }
    }

    #[test]
    fn what_is_not_in_our_queries_is_refused() {
        for (json, expected) in [
            ("{", "is not JSON"),
            ("[]", "is no rule"),
            (r#"{"result-type": "mate"}"#, "`result-type` of Scoutfish"),
            (r#"{"limit": 5}"#, "is about the rows"),
            (r#"{"captured": ""}"#, "`captured` cannot be"),
            (r#"{"sequence": []}"#, "empty rule"),
            (r#"{"sequence": {}}"#, "a list of rules"),
            (
                r#"{"stm": "white", "streak": [{"moved": "K"}]}"#,
                "in one rule",
            ),
        ] {
            let error = query_of(json).unwrap_err().to_string();
            assert!(error.contains(expected), "{json}: {error}");
        }
    }
}
