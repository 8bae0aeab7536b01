//! The parameters of a request.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Query};
use axum::http::Uri;
use axum::http::request::Parts;
use axum::response::Response;
use tabia::core::chess::{Ply, Position, uci};

use crate::problem::Problem;

/// Plies of `play` at most.
const MAX_PLIES: usize = 1000;

/// The pairs after `?`. Of equal names the first counts; the own API refuses them, and those that it does not know.
#[derive(Debug, Default)]
pub(crate) struct Params(pub(crate) Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        Self::of(&parts.uri).map_err(Problem::into_response)
    }
}

impl Params {
    /// The parameters of an address.
    pub(crate) fn of(uri: &Uri) -> Result<Self, Problem> {
        match Query::<Vec<(String, String)>>::try_from_uri(uri) {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(_) => Err(Problem::bad_request("the parameters cannot be read")),
        }
    }

    /// The value; `""` if absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The ids in a list separated by commas.
    pub(crate) fn ids(&self, name: &str) -> Vec<&str> {
        let parts = self.text(name).split(',');
        parts.filter(|id| !id.is_empty()).collect()
    }

    /// A number; `default` if absent.
    pub(crate) fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T, Problem> {
        match self.text(name) {
            "" => Ok(default),
            text => text.parse().map_err(|_| {
                Problem::bad_request(format!("`{name}={text}` is not a number in range"))
            }),
        }
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        matches!(self.text(name), "1" | "true")
    }

    /// The position of `fen` (the standard one if absent) after the moves of `play`.
    pub(crate) fn position(&self) -> Result<(Position, Vec<Ply>, Position), Problem> {
        let start = match self.text("fen") {
            "" => Position::standard(),
            fen => Position::parse_fen(fen.as_bytes())
                .map_err(|error| Problem::bad_request(error.to_string()))?,
        };
        let (plies, position) = self.play_from(&start)?;
        Ok((start, plies, position))
    }

    /// The moves of `play` from a position, and the position after them.
    pub(crate) fn play_from(&self, start: &Position) -> Result<(Vec<Ply>, Position), Problem> {
        let mut position = start.clone();
        let mut plies = Vec::new();
        for text in self.ids("play") {
            if plies.len() == MAX_PLIES {
                return Err(Problem::bad_request("play: more than 1,000 plies"));
            }
            let ply = uci::read(&position, text.as_bytes()).ok_or_else(|| {
                let number = plies.len() + 1;
                Problem::bad_request(format!("play: ply {number}, `{text}`, is not legal"))
            })?;
            position.play_ply(ply);
            plies.push(ply);
        }
        Ok((plies, position))
    }
}
