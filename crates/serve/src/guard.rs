//! Which requests are answered: those with our `Host`, from our own page or a program, with the key.

use std::collections::VecDeque;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use tabia::core::hexadecimal;

use crate::lichess_paths::is_explorer;
use crate::problem::Problem;
use crate::problem_codes::Code;

/// Wrong keys that are answered in a minute; further ones are refused without being compared.
const WRONG_KEYS: usize = 10;
/// Where files are dropped.
const DROP: &str = "/api/v1/drop/";
/// Where jobs are started, followed and cancelled.
const JOBS: &str = "/api/v1/jobs";
/// Where new files are written, if any are.
const CONVERT: &str = "/api/v1/convert";
const DEDUPE: &str = "/api/v1/dedupe";
const NAMES: &str = "/api/v1/names";
/// Where the games are found in which names would change.
const NAMES_PREVIEW: &str = "/api/v1/names/preview";
const INPUT: &str = "/api/v1/db";
/// After the id of an archive: its password.
const PASSWORD: &str = "/password";
const BOOK: &str = "/api/v1/book";
/// What is after the id of a book where its changes are tried.
const PREVIEW: &str = "/preview";
const MINUTE: Duration = Duration::from_mins(1);

/// Nothing is loaded from elsewhere, and nothing in a page is run that is not a file of ours.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The key that requests have to carry: 128 random bits as 32 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// The key made of these bytes, which have to be random.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(hexadecimal::digits(&bytes))
    }

    /// Reads 32 hexadecimal digits; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_key.then(|| Self(text.to_ascii_lowercase()))
    }

    /// The 32 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `text` is the key; takes the same time wherever they differ.
    fn is(&self, text: &str) -> bool {
        let mut difference = u8::from(text.len() != self.0.len());
        for (a, b) in self.0.bytes().zip(text.bytes().chain(std::iter::repeat(0))) {
            difference |= a ^ b;
        }
        difference == 0
    }
}

/// Who is answered.
#[derive(Debug)]
pub(crate) struct GuardOptions {
    pub(crate) key: Key,
    pub(crate) port: u16,
    /// Requests may write new files.
    pub(crate) writes: bool,
    /// The key is needed for the explorer that other programs ask, too.
    pub(crate) is_private: bool,
    /// Origins whose pages may ask that explorer.
    pub(crate) origins: Vec<String>,
    /// Names and addresses of this machine other than the loopback ones, in lower case.
    pub(crate) hosts: Vec<String>,
}

/// Decides on requests before they are routed.
#[derive(Debug)]
pub(crate) struct Guard {
    options: GuardOptions,
    wrong: Mutex<VecDeque<Instant>>,
}

impl Guard {
    pub(crate) fn new(options: GuardOptions) -> Self {
        Self {
            options,
            wrong: Mutex::default(),
        }
    }

    /// Why a request is not answered.
    ///
    /// `reached`: the address of this machine that the connection has reached.
    pub(crate) fn refuse(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        reached: Option<IpAddr>,
    ) -> Option<Problem> {
        if !self.is_our_host(uri, headers, reached) {
            let text = "the request names another host than this machine";
            return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, text));
        }
        let is_allowed_origin = self.allowed_origin(uri, headers).is_some();
        if *method == Method::OPTIONS && is_allowed_origin {
            return None;
        }
        if !is_allowed_method(method, uri.path(), self.options.writes) {
            let text = "the server only reads: GET and HEAD, PUT of a dropped file, POST and DELETE of a job";
            let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, text);
            let is_allowed_elsewhere = is_allowed_method(method, uri.path(), true);
            let hint = "`tabia serve --write --out DIR` writes new files into a folder";
            return Some(if is_allowed_elsewhere {
                problem.with_hint(hint)
            } else {
                problem
            });
        }
        let is_explorer = is_explorer(uri.path());
        if !is_explorer && !uri.path().starts_with("/api/") {
            return None;
        }
        if !is_allowed_origin && !self.is_our_page(headers, reached) {
            let text = "the request comes from a page of another site";
            return Some(Problem::new(StatusCode::FORBIDDEN, text));
        }
        if is_explorer && !self.options.is_private {
            // Programs may send the key of another server.
            return None;
        }
        self.check_key(headers).err()
    }

    /// The origin of a request for the explorer, if its pages may ask.
    pub(crate) fn allowed_origin(&self, uri: &Uri, headers: &HeaderMap) -> Option<HeaderValue> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else {
            return None;
        };
        let known = self.options.origins.iter();
        let is_known = known.into_iter().any(|known| origin == known.as_str());
        (is_known && is_explorer(uri.path())).then(|| origin.clone())
    }

    fn is_our_host(&self, uri: &Uri, headers: &HeaderMap, reached: Option<IpAddr>) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            _ => return false,
        };
        let in_uri = uri.authority();
        self.is_our_authority(host, reached)
            && in_uri.is_none_or(|authority| self.is_our_authority(authority.as_str(), reached))
    }

    fn is_our_authority(&self, host: &str, reached: Option<IpAddr>) -> bool {
        // An address cannot be rebound as a name can.
        let is_reached = host.rsplit_once(':').is_some_and(|(address, port)| {
            let address = address.trim_start_matches('[').trim_end_matches(']');
            port == self.options.port.to_string()
                && reached.is_some_and(|reached| address.parse() == Ok(reached))
        });
        if is_reached {
            return true;
        }
        let loopback = ["127.0.0.1", "localhost", "[::1]"].into_iter();
        let own = self.options.hosts.iter().map(String::as_str);
        loopback.chain(own).any(|name| {
            let rest = host
                .get(..name.len())
                .filter(|start| start.eq_ignore_ascii_case(name))
                .and_then(|_| host.get(name.len()..));
            match rest {
                Some("") => self.options.port == 80,
                Some(rest) => {
                    rest.strip_prefix(':') == Some(self.options.port.to_string().as_str())
                }
                None => false,
            }
        })
    }

    fn is_our_page(&self, headers: &HeaderMap, reached: Option<IpAddr>) -> bool {
        let is_ours = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| self.is_our_authority(host, reached))
        };
        let is_same_site = |site: &HeaderValue| site != "cross-site" && site != "same-site";
        headers.get_all(header::ORIGIN).iter().all(is_ours)
            && headers.get_all("sec-fetch-site").iter().all(is_same_site)
    }

    fn check_key(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let value = headers.get(header::AUTHORIZATION);
        let key = value
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "));
        if key.is_some_and(|key| self.options.key.is(key)) {
            return Ok(());
        }
        if key.is_some() {
            let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
            while wrong.front().is_some_and(|first| first.elapsed() > MINUTE) {
                wrong.pop_front();
            }
            if wrong.len() >= WRONG_KEYS {
                let text = "too many wrong keys";
                let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, text);
                return Err(problem.coded(Code::WrongKeys, &[]));
            }
            wrong.push_back(Instant::now());
        }
        let text = "the key is missing or wrong";
        Err(Problem::new(StatusCode::UNAUTHORIZED, text)
            .coded(Code::Key, &[])
            .with_hint("open the address that `tabia serve` printed, with everything after `#`"))
    }
}

/// Whether a path has a method at all: nothing is written but dropped files and what jobs make, which are new files
/// only if `writes`.
fn is_allowed_method(method: &Method, path: &str, writes: bool) -> bool {
    let has_id = |folder: &str| is_id_in(folder, path);
    let is_preview = || {
        let book = path.strip_suffix(PREVIEW);
        book.is_some_and(|book| is_id_in(BOOK, book))
    };
    match *method {
        Method::GET | Method::HEAD => true,
        Method::PUT => path.starts_with(DROP),
        Method::POST => {
            path == JOBS
                || path
                    .strip_suffix(PASSWORD)
                    .is_some_and(|input| is_id_in(INPUT, input))
                || (writes
                    && (matches!(path, CONVERT | DEDUPE | NAMES | NAMES_PREVIEW) || is_preview()))
        }
        Method::PATCH => writes && has_id(BOOK),
        Method::DELETE => has_id(JOBS),
        _ => false,
    }
}

/// Whether a path is one name in a folder.
fn is_id_in(folder: &str, path: &str) -> bool {
    let id = path
        .strip_prefix(folder)
        .and_then(|rest| rest.strip_prefix('/'));
    id.is_some_and(|id| !id.is_empty() && !id.contains('/'))
}

/// Adds the headers that every answer has, and those for a page of another origin that may read it.
pub(crate) fn protect(response: &mut Response<Body>, origin: Option<&HeaderValue>) {
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
        let policy = HeaderValue::from_static("cross-origin");
        headers.insert("cross-origin-resource-policy", policy);
    }
    let no_store = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(no_store);
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let methods = HeaderValue::from_static("GET, HEAD");
        let headers = response.headers_mut();
        headers.entry(header::ALLOW).or_insert(methods);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "00112233445566778899aabbccddeeff";

    fn guard(is_private: bool, origins: &[&str]) -> Guard {
        Guard::new(GuardOptions {
            key: Key::parse(DIGITS).unwrap(),
            port: 6464,
            writes: false,
            is_private,
            origins: origins.iter().map(|&origin| origin.to_owned()).collect(),
            hosts: Vec::new(),
        })
    }

    fn status(method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let guard = guard(false, &[]);
        refused_by(&guard, method, path, headers)
    }

    fn refused_by(guard: &Guard, method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = header::HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let problem = guard.refuse(&method, &path.parse().unwrap(), &map, None);
        problem.map_or(200, |problem| problem.status.as_u16())
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        for host in [
            "127.0.0.1:6464",
            "localhost:6464",
            "LOCALHOST:6464",
            "[::1]:6464",
        ] {
            assert_eq!(status("GET", "/", &[("host", host)]), 200, "{host}");
        }
        let wrong = [
            "evil.example",
            "evil.example:6464",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:6464.evil.example",
            "localhost.evil.example:6464",
            "127.0.0.1:06464",
            "",
        ];
        for host in wrong {
            assert_eq!(status("GET", "/", &[("host", host)]), 421, "{host}");
        }
        assert_eq!(status("GET", "/", &[]), 421);
        let two = [("host", "127.0.0.1:6464"), ("host", "evil.example")];
        assert_eq!(status("GET", "/", &two), 421);
        let uri = "http://evil.example/";
        assert_eq!(status("GET", uri, &[("host", "127.0.0.1:6464")]), 421);
    }

    #[test]
    fn addresses_of_this_machine_are_hosts_on_a_network() {
        let guard = Guard::new(GuardOptions {
            key: Key::parse(DIGITS).unwrap(),
            port: 6464,
            writes: false,
            is_private: true,
            origins: Vec::new(),
            hosts: vec![
                "192.168.1.5".to_owned(),
                "[fd00::5]".to_owned(),
                "box.local".to_owned(),
            ],
        });
        for host in [
            "192.168.1.5:6464",
            "[fd00::5]:6464",
            "Box.local:6464",
            "localhost:6464",
        ] {
            assert_eq!(
                refused_by(&guard, "GET", "/", &[("host", host)]),
                200,
                "{host}"
            );
            let masters = refused_by(&guard, "GET", "/masters", &[("host", host)]);
            assert_eq!(masters, 401, "{host}");
        }
        for host in [
            "192.168.1.6:6464",
            "192.168.1.5",
            "box.local.evil.example:6464",
            "box:6464",
        ] {
            assert_eq!(
                refused_by(&guard, "GET", "/", &[("host", host)]),
                421,
                "{host}"
            );
        }
    }

    #[test]
    fn the_address_that_a_connection_has_reached_is_a_host() {
        let guard = guard(true, &[]);
        let ask = |host: &str, reached: &str| {
            let host = HeaderValue::from_str(host).unwrap();
            let map = HeaderMap::from_iter([(header::HOST, host)]);
            let uri = "/".parse().unwrap();
            let problem = guard.refuse(&Method::GET, &uri, &map, reached.parse().ok());
            problem.map_or(200, |problem| problem.status.as_u16())
        };
        assert_eq!(ask("10.0.0.7:6464", "10.0.0.7"), 200);
        assert_eq!(ask("[fd00::7]:6464", "fd00::7"), 200);
        assert_eq!(ask("[FD00:0::7]:6464", "fd00::7"), 200);
        for (host, reached) in [
            ("10.0.0.8:6464", "10.0.0.7"),
            ("10.0.0.7", "10.0.0.7"),
            ("10.0.0.7:6465", "10.0.0.7"),
            ("evil.example:6464", "10.0.0.7"),
            ("10.0.0.7:6464", ""),
            ("[fd00::8]:6464", "fd00::7"),
        ] {
            assert_eq!(ask(host, reached), 421, "{host} {reached}");
        }
    }

    #[test]
    fn methods_that_write_are_refused() {
        for method in [
            "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
        ] {
            assert_eq!(
                status(method, "/", &[("host", "localhost:6464")]),
                405,
                "{method}"
            );
        }
    }

    #[test]
    fn files_are_dropped_with_the_key_and_from_our_page_only() {
        let bearer = format!("Bearer {DIGITS}");
        let host = ("host", "127.0.0.1:6464");
        let key = ("authorization", bearer.as_str());
        let path = "/api/v1/drop/games.pgn";
        assert_eq!(status("PUT", path, &[host, key]), 200);
        assert_eq!(status("PUT", path, &[host]), 401);
        assert_eq!(status("PUT", path, &[("host", "evil.example"), key]), 421);
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
        ] {
            assert_eq!(
                status("PUT", path, &[host, key, (name, value)]),
                403,
                "{value}"
            );
        }
        for method in ["POST", "PATCH", "DELETE", "OPTIONS"] {
            assert_eq!(status(method, path, &[host, key]), 405, "{method}");
        }
        for path in ["/api/v1/drop", "/api/v1/shelf", "/drop/x", "/masters"] {
            assert_eq!(status("PUT", path, &[host, key]), 405, "{path}");
        }
    }

    #[test]
    fn jobs_are_started_and_cancelled_with_the_key_and_from_our_page_only() {
        let bearer = format!("Bearer {DIGITS}");
        let host = ("host", "127.0.0.1:6464");
        let key = ("authorization", bearer.as_str());
        for (method, path) in [("POST", "/api/v1/jobs"), ("DELETE", "/api/v1/jobs/7")] {
            assert_eq!(status(method, path, &[host, key]), 200, "{method}");
            assert_eq!(status(method, path, &[host]), 401, "{method}");
            let elsewhere = ("host", "evil.example");
            assert_eq!(status(method, path, &[elsewhere, key]), 421, "{method}");
            for (name, value) in [
                ("origin", "http://evil.example"),
                ("origin", "null"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-site", "same-site"),
            ] {
                let headers = [host, key, (name, value)];
                assert_eq!(status(method, path, &headers), 403, "{method} {value}");
            }
        }
        for (method, path) in [
            ("POST", "/api/v1/jobs/7"),
            ("PUT", "/api/v1/jobs"),
            ("PATCH", "/api/v1/jobs/7"),
            ("OPTIONS", "/api/v1/jobs"),
            ("DELETE", "/api/v1/jobs"),
            ("DELETE", "/api/v1/jobs/"),
            ("DELETE", "/api/v1/jobs/7/files/0"),
            ("DELETE", "/api/v1/jobsx/7"),
            ("POST", "/api/v1/events"),
        ] {
            assert_eq!(status(method, path, &[host, key]), 405, "{method} {path}");
        }
    }

    #[test]
    fn files_are_written_only_if_the_server_may() {
        let bearer = format!("Bearer {DIGITS}");
        let host = ("host", "127.0.0.1:6464");
        let key = ("authorization", bearer.as_str());
        let mut writing = guard(false, &[]);
        writing.options.writes = true;
        for (method, path) in [
            ("POST", "/api/v1/convert"),
            ("POST", "/api/v1/dedupe"),
            ("POST", "/api/v1/names"),
            ("POST", "/api/v1/names/preview"),
            ("POST", "/api/v1/book/a.bin/preview"),
            ("PATCH", "/api/v1/book/a.bin"),
        ] {
            assert_eq!(status(method, path, &[host, key]), 405, "{method}");
            let ask = |headers: &[(&str, &str)]| refused_by(&writing, method, path, headers);
            assert_eq!(ask(&[host, key]), 200, "{method}");
            assert_eq!(ask(&[host]), 401, "{method}");
            assert_eq!(ask(&[("host", "evil.example"), key]), 421, "{method}");
            assert_eq!(ask(&[host, key, ("origin", "null")]), 403, "{method}");
            let cross = ("sec-fetch-site", "cross-site");
            assert_eq!(ask(&[host, key, cross]), 403, "{method}");
        }
        for (method, path) in [
            ("PUT", "/api/v1/convert"),
            ("DELETE", "/api/v1/book/a.bin"),
            ("POST", "/api/v1/book/a.bin"),
            ("POST", "/api/v1/book//preview"),
            ("POST", "/api/v1/book/a/b/preview"),
            ("PATCH", "/api/v1/book"),
            ("PATCH", "/api/v1/db/a.pgn"),
            ("POST", "/api/v1/shelf"),
            ("POST", "/api/v1/names/"),
            ("POST", "/masters"),
        ] {
            let found = refused_by(&writing, method, path, &[host, key]);
            assert_eq!(found, 405, "{method} {path}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let bearer = format!("Bearer {DIGITS}");
        let with = |name: &str, value: &str| {
            let headers = [
                ("host", "127.0.0.1:6464"),
                ("authorization", bearer.as_str()),
                (name, value),
            ];
            status("GET", "/api/v1/shelf", &headers)
        };
        assert_eq!(with("accept", "*/*"), 200);
        assert_eq!(with("origin", "http://127.0.0.1:6464"), 200);
        for site in ["same-origin", "none"] {
            assert_eq!(with("sec-fetch-site", site), 200, "{site}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(with("sec-fetch-site", site), 403, "{site}");
        }
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:6464",
            "http://127.0.0.1:6465",
            "http://127.0.0.1:6464.evil.example",
        ] {
            assert_eq!(with("origin", origin), 403, "{origin}");
        }
    }

    #[test]
    fn the_key_is_needed_for_data_only() {
        let host = ("host", "127.0.0.1:6464");
        assert_eq!(status("GET", "/", &[host]), 200);
        assert_eq!(status("GET", "/api/v1/shelf", &[host]), 401);
        for key in ["", "Bearer ", "Bearer 0", DIGITS, "Basic abc"] {
            let headers = [host, ("authorization", key)];
            assert_eq!(status("GET", "/api/v1/shelf", &headers), 401, "{key}");
        }
    }

    #[test]
    fn wrong_keys_are_counted_and_the_right_one_still_works() {
        let guard = guard(false, &[]);
        let ask = |key: &str| {
            let key = format!("Bearer {key}");
            let headers = [("host", "127.0.0.1:6464"), ("authorization", key.as_str())];
            refused_by(&guard, "GET", "/api/v1/shelf", &headers)
        };
        let wrong = "ffffffffffffffffffffffffffffffff";
        let answers: Vec<u16> = (0..12).map(|_| ask(wrong)).collect();
        assert_eq!(answers.iter().filter(|status| **status == 401).count(), 10);
        assert_eq!(answers.last(), Some(&429));
        assert_eq!(ask(DIGITS), 200);
    }

    #[test]
    fn the_explorer_of_other_programs_needs_no_key_unless_it_is_private() {
        let host = ("host", "127.0.0.1:6464");
        for path in [
            "/masters?play=e2e4",
            "/lichess",
            "/player",
            "/game/export/00000000",
        ] {
            assert_eq!(refused_by(&guard(false, &[]), "GET", path, &[host]), 200);
            assert_eq!(refused_by(&guard(true, &[]), "GET", path, &[host]), 401);
            let cross = [host, ("sec-fetch-site", "cross-site")];
            assert_eq!(refused_by(&guard(false, &[]), "GET", path, &cross), 403);
            let foreign = [host, ("authorization", "Bearer lip_another")];
            assert_eq!(refused_by(&guard(false, &[]), "GET", path, &foreign), 200);
        }
    }

    #[test]
    fn allowed_origins_reach_the_explorer_only() {
        let guard = guard(false, &["https://example.org"]);
        let host = ("host", "127.0.0.1:6464");
        let from =
            |origin: &'static str| [host, ("origin", origin), ("sec-fetch-site", "cross-site")];
        let ask = |method: &str, path: &str, origin: &'static str| {
            refused_by(&guard, method, path, &from(origin))
        };
        assert_eq!(ask("GET", "/masters", "https://example.org"), 200);
        assert_eq!(ask("OPTIONS", "/masters", "https://example.org"), 200);
        assert_eq!(ask("POST", "/masters", "https://example.org"), 405);
        assert_eq!(ask("GET", "/api/v1/shelf", "https://example.org"), 403);
        assert_eq!(ask("OPTIONS", "/api/v1/shelf", "https://example.org"), 405);
        for origin in [
            "https://example.org.evil",
            "http://example.org",
            "null",
            "*",
        ] {
            assert_eq!(ask("GET", "/masters", origin), 403, "{origin}");
            assert_eq!(ask("OPTIONS", "/masters", origin), 405, "{origin}");
        }
    }

    #[test]
    fn keys_are_compared_whole() {
        let key = Key::parse(DIGITS).unwrap();
        assert!(key.is(DIGITS));
        assert!(!key.is(&DIGITS[..31]));
        assert!(!key.is(&format!("{DIGITS}0")));
        assert!(!key.is(""));
        assert_eq!(Key::from_bytes([0xab; 16]).as_str(), "ab".repeat(16));
        assert_eq!(Key::parse("xyz"), None);
    }
}
