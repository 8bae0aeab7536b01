//! The server: what it is made of, and its life.

use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::middleware::{Next, from_fn_with_state};
use tabia::Error;
use tokio::sync::Semaphore;

use crate::api;
use crate::app::{App, GameDocument};
use crate::assets::Assets;
use crate::connections::{self, StopHandle};
use crate::guard::{Guard, Key, protect};
use crate::input_health::Health;
use crate::inputs_by_id::Shelf;
use crate::jobs::{JobTable, RunningJobs};
use crate::problem::Problem;

/// Requests that may wait for a thread.
const QUEUE: usize = 64;
/// Bytes of rows of lists that are kept.
const MAX_VIEW_BYTES: usize = 256 << 20;
/// How long running requests may take to end.
const GRACE: Duration = Duration::from_secs(2);

/// How a server answers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The key that requests for data have to carry.
    pub key: Key,
    /// Threads of one search.
    pub threads: usize,
    /// Writes games as `tabia show --json` does.
    pub game_document: GameDocument,
}

impl ServerOptions {
    /// Options with one thread for each search.
    pub fn new(key: Key, game_document: GameDocument) -> Self {
        Self {
            key,
            threads: 1,
            game_document,
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    shelf: Shelf,
    options: ServerOptions,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// A server on a listener, which has to be bound to a loopback address.
    ///
    /// # Errors
    /// When the listener has no address, or another than a loopback one.
    pub fn new(listener: TcpListener, shelf: Shelf, options: ServerOptions) -> Result<Self, Error> {
        let address = listener.local_addr().map_err(in_output)?;
        if !address.ip().is_loopback() {
            return Err(Error::usage(
                "the server listens on loopback addresses only",
            ));
        }
        Ok(Self {
            shelf,
            options,
            listener,
            address,
        })
    }

    /// Answers requests until `stop` is called.
    ///
    /// # Errors
    /// When the system refuses threads or sockets.
    pub fn run(self, stop: &StopHandle) -> Result<(), Error> {
        let running = RunningJobs::default();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = cores.max(4);
        let app = Arc::new(App {
            shelf: self.shelf,
            queue: Arc::new(Semaphore::new(QUEUE + workers)),
            threads: self.options.threads.max(1),
            game_document: self.options.game_document,
            views: JobTable::new(&running),
            scans: JobTable::new(&running),
            checks: JobTable::new(&running),
            assets: Assets::new(),
            guard: Guard::new(self.options.key, self.address.port()),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(cores.min(4))
            .max_blocking_threads(workers)
            .enable_all()
            .build()
            .map_err(in_output)?;
        let port = self.address.port();
        let result = runtime.block_on(async {
            self.listener.set_nonblocking(true)?;
            let mut listeners = vec![tokio::net::TcpListener::from_std(self.listener)?];
            // Browsers may try this address first; without IPv6 they take the other one.
            let v6 = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
            if let Ok(listener) = tokio::net::TcpListener::bind(v6).await {
                listeners.push(listener);
            }
            let cleaner = tokio::spawn(clean(Arc::clone(&app)));
            let router = api::router()
                .fallback(file)
                .layer(from_fn_with_state(Arc::clone(&app), guarded))
                .with_state(Arc::clone(&app));
            connections::serve(listeners, &router, stop, GRACE).await;
            cleaner.abort();
            Ok::<(), std::io::Error>(())
        });
        app.views.close();
        app.scans.close();
        app.checks.close();
        runtime.shutdown_timeout(GRACE);
        result.map_err(in_output)
    }
}

fn in_output(error: std::io::Error) -> Error {
    Error::from(error).in_output()
}

/// Closes what nothing asks about any more.
async fn clean(app: Arc<App>) {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let app = Arc::clone(&app);
        let cleaned = tokio::task::spawn_blocking(move || {
            app.shelf.close_idle();
            app.views
                .clean(|view| view.rows.capacity() * 4, MAX_VIEW_BYTES);
            app.scans.clean(|_| 4096, MAX_VIEW_BYTES);
            app.checks.clean(Health::weight, MAX_VIEW_BYTES);
        });
        // A panic here is one of a bug; the next round runs all the same.
        let _ = cleaned.await;
    }
}

/// Refuses what is not from our page or a program of this user, and protects the answers.
async fn guarded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let refused = app
        .guard
        .refuse(request.method(), request.uri(), request.headers());
    let mut response = match refused {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    protect(&mut response);
    response
}

/// Everything outside the API.
async fn file(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path = request.uri().path();
    if path.starts_with("/api/") {
        return Problem::not_found("the API has no such path").into_response();
    }
    app.assets.answer(path, request.headers())
}
