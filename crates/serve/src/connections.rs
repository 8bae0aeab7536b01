//! Accepting connections, with limits.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Connections at the same time. The oldest silent one is closed for a further one.
const MAX_CONNECTIONS: usize = 512;
/// Time for the head of a request, also of the next one on an open connection.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Bytes of the head of a request.
const HEAD_BYTES: usize = 16 << 10;
/// Header lines of a request.
const HEADERS: usize = 100;

/// Ends a server from another thread.
#[derive(Debug, Clone, Default)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// A handle for [`Server::run`](crate::Server::run).
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the server: what can be cancelled is, and other requests get 0.8 seconds.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// The address of this machine that a connection has reached; an extension of its requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReachedAddress(pub(crate) IpAddr);

/// The open connections, oldest first.
type Open = Arc<Mutex<Vec<Connection>>>;

#[derive(Debug)]
struct Connection {
    task: AbortHandle,
    /// Whether a request is being answered.
    is_busy: Arc<AtomicBool>,
}

/// Answers requests on all listeners until `stop` is called; then `on_stop` is called, and running requests get
/// `grace`.
pub(crate) async fn serve(
    listeners: Vec<TcpListener>,
    router: &Router,
    stop: &StopHandle,
    grace: Duration,
    on_stop: impl FnOnce(),
) {
    let open = Open::default();
    let graceful = Arc::new(GracefulShutdown::new());
    let tasks: Vec<_> = listeners
        .into_iter()
        .map(|listener| {
            let (router, open) = (router.clone(), Arc::clone(&open));
            let graceful = Arc::clone(&graceful);
            tokio::spawn(accept(listener, router, open, graceful))
        })
        .collect();
    stop.0.notified().await;
    on_stop();
    for task in &tasks {
        task.abort();
    }
    for task in tasks {
        // It was aborted.
        let _ = task.await;
    }
    if let Some(graceful) = Arc::into_inner(graceful) {
        // What is not finished by then is cut off.
        let _ = tokio::time::timeout(grace, graceful.shutdown()).await;
    }
}

async fn accept(
    listener: TcpListener,
    router: Router,
    open: Open,
    graceful: Arc<GracefulShutdown>,
) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => start(stream, &router, &open, &graceful),
            // No file descriptors left, or the client is gone already.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

fn start(stream: TcpStream, router: &Router, open: &Open, graceful: &GracefulShutdown) {
    let is_busy = Arc::new(AtomicBool::new(false));
    let service = TowerToHyperService::new(router.clone());
    let busy = Arc::clone(&is_busy);
    let reached = stream.local_addr().ok();
    let reached = reached.map(|address| ReachedAddress(address.ip().to_canonical()));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        if let Some(reached) = reached {
            request.extensions_mut().insert(reached);
        }
        let (service, busy) = (service.clone(), Busy::new(&busy));
        async move {
            let response: Result<Response<Body>, Infallible> =
                hyper::service::Service::call(&service, request).await;
            drop(busy);
            response
        }
    });
    // Answers are small: without a delay for further bytes.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    let task = tokio::spawn(async move {
        // The client is gone, or what it sent is no HTTP.
        let _ = connection.await;
    });
    let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|connection| !connection.task.is_finished());
    if open.len() >= MAX_CONNECTIONS {
        let silent = open
            .iter()
            .position(|connection| !connection.is_busy.load(Ordering::Relaxed));
        match silent {
            Some(index) => open.remove(index).task.abort(),
            None => return task.abort(),
        }
    }
    open.push(Connection {
        task: task.abort_handle(),
        is_busy,
    });
}

/// Marks a connection as busy as long as it exists.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn new(flag: &Arc<AtomicBool>) -> Self {
        flag.store(true, Ordering::Relaxed);
        Self(Arc::clone(flag))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
