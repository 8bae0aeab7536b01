//! Answers that are errors, as RFC 9457 describes them.

use std::fmt::Display;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};
use tabia::{Error, ErrorKind, ErrorSide, FilterError};

use crate::known_texts::{HINTS, KnownText, PROBLEMS, QUERIES, known_text};
use crate::opening_inputs::Opening;
use crate::problem_codes::{Code, values_of};

/// An error as an answer: the text of the command line, and what to do.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// What is wrong, for texts in other languages.
    pub(crate) code: Code,
    /// What these texts contain.
    pub(crate) values: Vec<(&'static str, String)>,
    pub(crate) detail: String,
    pub(crate) hint: Option<String>,
    /// Column of a query in characters, from 1.
    pub(crate) column: Option<usize>,
    /// The input that another request opens just now.
    pub(crate) opening: Option<Opening>,
}

#[derive(Serialize)]
struct ProblemDocument<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    code: &'static str,
    values: Value,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(rename = "hintText", skip_serializing_if = "Option::is_none")]
    hint_text: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        let code = match status {
            StatusCode::NOT_FOUND => Code::NotFound,
            StatusCode::CONFLICT => Code::Conflict,
            StatusCode::SERVICE_UNAVAILABLE => Code::Busy,
            StatusCode::INTERNAL_SERVER_ERROR => Code::Internal,
            StatusCode::BAD_REQUEST => Code::Request,
            StatusCode::UNPROCESSABLE_ENTITY => Code::Other,
            _ => Code::Refused,
        };
        Self {
            status,
            code,
            values: vec![("detail", detail.clone())],
            detail,
            hint: None,
            column: None,
            opening: None,
        }
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// The request may be repeated in a second.
    pub(crate) fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }

    /// As [`busy`](Self::busy), until another request has opened the input.
    pub(crate) fn opening(opening: Opening) -> Self {
        Self {
            opening: Some(opening),
            ..Self::busy("the input is being opened")
        }
    }

    /// With a code that states more than the status, and the values of its texts.
    pub(crate) fn coded(mut self, code: Code, values: &[(&'static str, &dyn Display)]) -> Self {
        self.code = code;
        let values = values.iter();
        self.values
            .extend(values.map(|(name, value)| (*name, value.to_string())));
        self
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// With all its texts changed: folders are left out.
    pub(crate) fn map_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        self.detail = change(&self.detail);
        for (_, value) in &mut self.values {
            *value = change(value);
        }
        self
    }

    fn values(&self) -> Value {
        let values = self.values.iter();
        values
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect()
    }

    /// What the message of a query or the detail of another error is, if the page has it in its languages.
    fn text(&self) -> Option<Value> {
        let value = |wanted| {
            let found = self.values.iter().rfind(|(name, _)| *name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let found = if let Some(message) = value("message") {
            known_text(QUERIES, message)
        } else {
            let detail = value("detail")?;
            // The page states the kind of error in its own words, such as "not cbh".
            let reason = detail.split_once(": ").map_or("", |(_, reason)| reason);
            known_text(PROBLEMS, detail).or_else(|| known_text(PROBLEMS, reason))
        };
        found.as_ref().map(KnownText::json)
    }

    fn hint_text(&self) -> Option<Value> {
        known_text(HINTS, self.hint.as_deref()?).map(|text| text.json())
    }

    /// What a page needs to state it, in a document about something else.
    pub(crate) fn summary(&self) -> Value {
        let mut summary = json!({
            "code": self.code.name(),
            "values": self.values(),
            "detail": self.detail,
            "hint": self.hint,
        });
        for (name, known) in [("text", self.text()), ("hintText", self.hint_text())] {
            if let Some(known) = known {
                summary[name] = known;
            }
        }
        summary
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let document = ProblemDocument {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            code: self.code.name(),
            values: self.values(),
            detail: &self.detail,
            text: self.text(),
            hint: self.hint.as_deref(),
            hint_text: self.hint_text(),
            column: self.column,
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if let Some(opening) = self.opening {
            response.extensions_mut().insert(opening);
        }
        response
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let status = match (error.side(), error.kind()) {
            (ErrorSide::Usage, _) => StatusCode::BAD_REQUEST,
            (ErrorSide::Cancelled, _) => StatusCode::SERVICE_UNAVAILABLE,
            (_, ErrorKind::Exists) => StatusCode::CONFLICT,
            (_, ErrorKind::Io(_) | ErrorKind::MissingFile(_)) => StatusCode::NOT_FOUND,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let mut problem = Self::new(status, error.to_string());
        problem.code = Code::from(error.kind());
        problem.values = values_of(&error);
        if let ErrorKind::Query { column, hint, .. } = error.kind() {
            problem.column = Some(*column);
            problem.hint.clone_from(hint);
        }
        problem
    }
}

impl From<FilterError> for Problem {
    fn from(error: FilterError) -> Self {
        let message = error.message;
        let mut problem = Self::bad_request(message.as_str()).coded(
            Code::Query,
            &[("column", &error.column), ("message", &message)],
        );
        problem.hint = error.hint;
        problem.column = Some(error.column);
        problem
    }
}
