//! The files of the page, which the program contains.

mod table;

use std::io::Write;
use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use flate2::Compression;
use flate2::write::GzEncoder;

use table::ASSETS;

/// A file of the page.
#[derive(Debug)]
struct Asset {
    path: &'static str,
    content_type: &'static str,
    /// SHA-256 of its bytes.
    sha256: &'static str,
    /// Whether the path changes with the contents.
    is_immutable: bool,
    bytes: &'static [u8],
}

/// The compressed files, each made at its first request.
#[derive(Debug)]
pub(crate) struct Assets {
    compressed: Vec<OnceLock<Bytes>>,
}

/// The digest of the page itself, which names its scripts and so changes with them.
pub(crate) fn page_digest() -> &'static str {
    let page = ASSETS.iter().find(|asset| asset.path == "/index.html");
    page.map_or("", |asset| asset.sha256)
}

/// The first parts of the addresses that the page shows views at.
const VIEWS: [&str; 10] = [
    "",
    "games",
    "db",
    "explorer",
    "health",
    "book",
    "player",
    "search",
    "duplicates",
    "convert",
];

impl Assets {
    pub(crate) fn new() -> Self {
        Self {
            compressed: ASSETS.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The file at a path; the page itself at the address of a view. The page is also what a browser shows at an
    /// address that there is not, so that its reader finds the way to one that there is.
    pub(crate) fn answer(&self, path: &str, headers: &HeaderMap) -> Response<Body> {
        let first = path
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default();
        let wanted = if VIEWS.contains(&first) {
            "/index.html"
        } else {
            path
        };
        if let Some(response) = self.file(wanted, headers) {
            return response;
        }
        let accepted = headers.get(header::ACCEPT);
        let is_for_reader = accepted
            .is_some_and(|value| value.to_str().is_ok_and(|text| text.contains("text/html")));
        // One that the browser has is another answer than this one.
        let mut encodings = HeaderMap::new();
        for value in headers.get_all(header::ACCEPT_ENCODING) {
            encodings.append(header::ACCEPT_ENCODING, value.clone());
        }
        let page = is_for_reader.then(|| self.file("/index.html", &encodings));
        let page = page.flatten();
        let mut response = page.unwrap_or_else(|| Response::new(Body::from("not found\n")));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.headers_mut().remove(header::ETAG);
        response
    }

    fn file(&self, path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
        let index = ASSETS.iter().position(|asset| asset.path == path)?;
        let (asset, compressed) = (ASSETS.get(index)?, self.compressed.get(index)?);
        Some(asset.answer(compressed, headers))
    }
}

impl Asset {
    fn answer(&self, compressed: &OnceLock<Bytes>, headers: &HeaderMap) -> Response<Body> {
        let tag = format!("\"{}\"", self.sha256.get(..32).unwrap_or_default());
        let is_known = headers
            .get(header::IF_NONE_MATCH)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.split(',').any(|known| known.trim() == tag));
        let is_compressible = !self.content_type.starts_with("image/png");
        let takes_gzip = is_compressible
            && headers
                .get_all(header::ACCEPT_ENCODING)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .any(|value| value.split(',').any(|coding| coding.trim() == "gzip"));
        let body = match (is_known, takes_gzip) {
            (true, _) => Bytes::new(),
            (false, true) => compressed.get_or_init(|| gzip(self.bytes)).clone(),
            (false, false) => Bytes::from_static(self.bytes),
        };
        let mut response = Response::new(Body::from(body));
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        let content_type = HeaderValue::from_static(self.content_type);
        headers.insert(header::CONTENT_TYPE, content_type);
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        let cache = if self.is_immutable {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        if takes_gzip && !is_known {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector does not fail.
    let _ = encoder.write_all(bytes);
    Bytes::from(encoder.finish().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_the_page_and_other_paths_are_files() {
        let assets = Assets::new();
        let status = |path: &str| assets.answer(path, &HeaderMap::new()).status().as_u16();
        for path in ["/", "/games", "/db/mega.cbh/game/1", "/index.html"] {
            assert_eq!(status(path), 200, "{path}");
        }
        for path in [
            "/../Cargo.toml",
            "/etc/passwd",
            "//etc/passwd",
            "/dist",
            "/src/main.tsx",
        ] {
            assert_eq!(status(path), 404, "{path}");
        }
    }

    #[test]
    fn a_browser_shows_the_page_at_an_address_that_is_none() {
        let assets = Assets::new();
        let mut headers = HeaderMap::new();
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("text/html,*/*;q=0.8"),
        );
        let page = assets.answer("/", &headers);
        let tag = page.headers().get(header::ETAG).unwrap().clone();
        headers.insert(header::IF_NONE_MATCH, tag);
        let kind_at = |path: &str, headers: &HeaderMap| {
            let answer = assets.answer(path, headers);
            let kind = answer.headers().get(header::CONTENT_TYPE);
            let kind = kind.map(|kind| kind.to_str().unwrap().to_owned());
            (answer.status().as_u16(), kind)
        };
        let html = Some("text/html; charset=utf-8".to_owned());
        assert_eq!(kind_at("/nonsense", &headers), (404, html));
        assert!(
            !assets
                .answer("/nonsense", &headers)
                .headers()
                .contains_key(header::ETAG)
        );
        // Scripts and programs get no page.
        assert_eq!(kind_at("/assets/gone.js", &HeaderMap::new()), (404, None));
    }

    #[test]
    fn known_files_are_not_sent_again() {
        let assets = Assets::new();
        let first = assets.answer("/", &HeaderMap::new());
        let mut headers = HeaderMap::new();
        let tag = first.headers().get(header::ETAG).unwrap().clone();
        headers.insert(header::IF_NONE_MATCH, tag);
        assert_eq!(
            assets.answer("/", &headers).status(),
            StatusCode::NOT_MODIFIED
        );
    }

    #[test]
    fn the_page_has_no_scripts_or_styles_of_its_own() {
        let page = ASSETS
            .iter()
            .find(|asset| asset.path == "/index.html")
            .unwrap();
        let text = std::str::from_utf8(page.bytes).unwrap();
        assert!(!text.contains("style="), "the policy blocks it");
        for part in text.split("<script").skip(1) {
            assert!(
                part.split('>').next().unwrap().contains("src="),
                "the policy blocks it"
            );
        }
    }
}
