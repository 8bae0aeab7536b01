//! A server in a thread of the test, and requests to it.

#![allow(dead_code, reason = "not every test needs everything")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tabia::Resolver;
use tabia_serve::{Key, Server, ServerOptions, Shelf, StopHandle};

pub(crate) const KEY: &str = "00112233445566778899aabbccddeeff";

pub(crate) struct Running {
    pub(crate) port: u16,
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// A server over these paths, with options that `change` sets.
    pub(crate) fn start(paths: &[&Path], change: impl FnOnce(&mut ServerOptions)) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut options = ServerOptions::new(Key::parse(KEY).unwrap(), |_, _| b"{}".to_vec());
        change(&mut options);
        let shelf = Shelf::new(paths, &Resolver::default()).unwrap();
        let server = Server::new(listener, shelf, options).unwrap();
        let stop = StopHandle::new();
        let handle = stop.clone();
        let thread = std::thread::spawn(move || server.run(&handle).unwrap());
        Self {
            port,
            stop,
            thread: Some(thread),
        }
    }

    pub(crate) fn head(&self, request: &str, headers: &[&str]) -> String {
        let mut head = format!("{request} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", self.port);
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        head.push_str("Connection: close\r\n\r\n");
        head
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap()
    }

    /// Status and JSON of the answer to a request with these bytes.
    pub(crate) fn send(&self, head: &str, body: &[u8]) -> (u16, Value) {
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        // The server may answer, and close, before it has read everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
        (
            status.unwrap_or(0),
            serde_json::from_str(body).unwrap_or(Value::Null),
        )
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        let key = format!("Authorization: Bearer {KEY}");
        let head = self.head(&format!("GET /api/v1/{path}"), &[&key]);
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let found = self.send(&head, b"");
            if found.0 != 503 || Instant::now() > end {
                return found;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Status and body of the answer to another program, as text.
    pub(crate) fn text(&self, path: &str) -> (u16, String) {
        let mut stream = self.connect();
        let head = self.head(&format!("GET {path}"), &[]);
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
        (status.unwrap_or(0), body.to_owned())
    }

    pub(crate) fn stop(mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }

    /// A request with a body of JSON and the key.
    pub(crate) fn json(&self, request: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let length = format!("Content-Length: {}", body.len());
        let key = format!("Authorization: Bearer {KEY}");
        let head = self.head(request, &["Content-Type: application/json", &length, &key]);
        self.send(&head, body.as_bytes())
    }

    /// The job with a number, once it has ended.
    pub(crate) fn ended(&self, id: &Value) -> Value {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let (status, job) = self.get(&format!("jobs/{id}"));
            assert_eq!(status, 200, "{job}");
            if job["state"] != "running" {
                return job;
            }
            assert!(Instant::now() < end, "{job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Every file and folder below a folder.
pub(crate) fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}
