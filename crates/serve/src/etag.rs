//! Tags of answers: an answer that the client already has is not computed and sent again.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;

use crate::assets::page_digest;

/// What a request asks, and the tags of the answers that the client has.
#[derive(Debug)]
pub(crate) struct Asked {
    path_and_query: String,
    known: Vec<HeaderValue>,
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let path = parts.uri.path_and_query();
        let known = parts.headers.get_all(header::IF_NONE_MATCH).iter();
        Ok(Self {
            path_and_query: path.map(ToString::to_string).unwrap_or_default(),
            known: known.cloned().collect(),
        })
    }
}

/// The tag of the complete answer to one request in one state of its inputs.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    value: HeaderValue,
    is_known: bool,
}

impl Asked {
    /// The tag of the answer as long as `state` is the same: the fingerprints of the inputs; empty if the answer
    /// depends on the request only.
    pub(crate) fn tag(&self, state: &str) -> Tag {
        // Another page can need what an answer to the one before lacks.
        let program = (env!("CARGO_PKG_VERSION"), page_digest());
        let value = tag_of(&(program, state, &self.path_and_query));
        let is_known = self.known.iter().any(|known| names(known, &value));
        Tag { value, is_known }
    }
}

impl Tag {
    /// The answer without a body, if the client has it.
    pub(crate) fn if_known(&self) -> Option<Response<Body>> {
        self.is_known
            .then(|| self.mark(Response::new(Body::empty())))
            .map(without_body)
    }

    /// Adds the tag to a complete answer.
    pub(crate) fn mark(&self, response: Response<Body>) -> Response<Body> {
        with_tag(response, self.value.clone())
    }
}

/// Adds a tag made from the bytes of the answer.
pub(crate) fn mark_with_content(response: Response<Body>, bytes: &[u8]) -> Response<Body> {
    with_tag(response, tag_of(&bytes))
}

fn tag_of(value: &impl Hash) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    let text = format!("\"{:016x}\"", hasher.finish());
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("\"\""))
}

fn with_tag(mut response: Response<Body>, tag: HeaderValue) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag);
    // Each use is asked about, with the key.
    let cache = HeaderValue::from_static("private, no-cache");
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::VARY, HeaderValue::from_static("authorization"));
    response
}

/// Whether a list of tags contains a tag; `*` contains all.
fn names(list: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(list), Ok(tag)) = (list.to_str(), tag.to_str()) else {
        return false;
    };
    list.split(',')
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == "*" || known == tag)
}

fn without_body(mut response: Response<Body>) -> Response<Body> {
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    *response.body_mut() = Body::empty();
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.headers_mut().remove(header::CONTENT_TYPE);
    response
}

/// Leaves the body out of answers that the client has.
pub(crate) async fn not_modified(request: Request, next: Next) -> Response<Body> {
    let known: Vec<HeaderValue> = tags(request.headers());
    let response = next.run(request).await;
    let is_known = response.status() == StatusCode::OK
        && response
            .headers()
            .get(header::ETAG)
            .is_some_and(|tag| known.iter().any(|known| names(known, tag)));
    if is_known {
        without_body(response)
    } else {
        response
    }
}

fn tags(headers: &HeaderMap) -> Vec<HeaderValue> {
    let tags = headers.get_all(header::IF_NONE_MATCH).iter();
    tags.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str, known: &[&str]) -> Asked {
        Asked {
            path_and_query: path.to_owned(),
            known: known
                .iter()
                .map(|tag| HeaderValue::from_str(tag).unwrap())
                .collect(),
        }
    }

    #[test]
    fn tags_change_with_request_and_state() {
        assert_eq!(page_digest().len(), 64);
        let value = |path: &str, state: &str| asked(path, &[]).tag(state).value;
        assert_eq!(value("/a?x=1", "s"), value("/a?x=1", "s"));
        assert_ne!(value("/a?x=1", "s"), value("/a?x=2", "s"));
        assert_ne!(value("/a?x=1", "s"), value("/a?x=1", "t"));
    }

    #[test]
    fn lists_weak_tags_and_stars_are_known() {
        let own = asked("/a", &[]).tag("s").value;
        let own = own.to_str().unwrap();
        for known in [own, &format!("\"x\", {own}"), &format!("W/{own}"), "*"] {
            assert!(asked("/a", &[known]).tag("s").is_known, "{known}");
        }
        for unknown in ["\"x\"", "", &own.replace('"', "")] {
            assert!(!asked("/a", &[unknown]).tag("s").is_known, "{unknown}");
        }
    }
}
