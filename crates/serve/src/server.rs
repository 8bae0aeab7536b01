//! The server: what it is made of, and its life.

use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use tabia::Error;
use tabia::base::IndexOptions;
use tabia::dedupe::Duplicate;
use tokio::sync::Semaphore;

use crate::answers::wait_until_done;
use crate::api;
use crate::app_state::{App, GameDocument};
use crate::assets::Assets;
use crate::connections::{self, ReachedAddress, StopHandle};
use crate::decided_duplicates;
use crate::dropped_files::{self, DroppedFiles};
use crate::guard::{Guard, GuardOptions, Key, protect};
use crate::indexed_databases::Bases;
use crate::input_health::Health;
use crate::inputs_by_id::Shelf;
use crate::job_requests;
use crate::jobs::{JobTable, RunningJobs};
use crate::lichess;
use crate::lichess_answer_cache::Answers;
use crate::opening_inputs::wait_for_inputs;
use crate::out_folder::OutFolder;
use crate::private_folder::remove_abandoned_files;
use crate::problem::Problem;
use crate::renamed_spellings;
use crate::write_requests;

/// Requests that may wait for a thread.
const QUEUE: usize = 64;
/// Pages that follow the jobs at the same time.
const MAX_LISTENERS: usize = 32;
/// Bytes of rows of lists that are kept.
const MAX_VIEW_BYTES: usize = 256 << 20;
/// How long requests and jobs that run may take to end: what can be cancelled is, and who ends a server waits for it.
const GRACE: Duration = Duration::from_millis(800);

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
    /// Where the saved indexes of databases are.
    pub index: IndexOptions,
    /// The key is needed for the explorer that other programs ask, too.
    pub is_private: bool,
    /// Origins whose pages may ask that explorer, as `https://example.org`.
    pub origins: Vec<String>,
    /// Without the page.
    pub is_api_only: bool,
    /// Other machines may ask: the listener may have any address, and the key is needed for everything. The names
    /// and addresses of this machine that requests may name, IPv6 ones in brackets.
    pub lan_hosts: Option<Vec<String>>,
    /// The folder in which a private folder is made for files that are dropped on the page.
    pub drop_folder: PathBuf,
    /// Bytes of dropped files at most.
    pub drop_quota: u64,
    /// An existing folder for the new files that requests may write; without it they write none.
    pub out: Option<PathBuf>,
}

impl ServerOptions {
    /// Options with one thread for each search.
    pub fn new(key: Key, game_document: GameDocument) -> Self {
        Self {
            key,
            threads: 1,
            game_document,
            index: IndexOptions::default(),
            is_private: false,
            origins: Vec::new(),
            is_api_only: false,
            lan_hosts: None,
            drop_folder: std::env::temp_dir(),
            drop_quota: dropped_files::QUOTA,
            out: None,
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    shelf: Shelf,
    out: Option<Arc<OutFolder>>,
    options: ServerOptions,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// A server on a listener, which has to be bound to a loopback address unless other machines may ask.
    ///
    /// # Errors
    /// When the listener has no address, or another than a loopback one though they may not; when the folder for
    /// outputs is none.
    pub fn new(listener: TcpListener, shelf: Shelf, options: ServerOptions) -> Result<Self, Error> {
        let address = listener.local_addr().map_err(in_output)?;
        if !address.ip().is_loopback() && options.lan_hosts.is_none() {
            return Err(Error::usage(
                "the server listens on loopback addresses only",
            ));
        }
        let out = options.out.as_deref().map(OutFolder::new).transpose()?;
        Ok(Self {
            shelf,
            out: out.map(Arc::new),
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
        let of_lan = v6_addresses(self.options.lan_hosts.as_deref().unwrap_or_default());
        remove_abandoned_files(&self.options.drop_folder);
        let running = RunningJobs::default();
        let writes = self.out.is_some();
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
            reports: JobTable::new(&running),
            duplicates: JobTable::new(&running),
            started: Arc::default(),
            out: self.out,
            listeners: Arc::new(Semaphore::new(MAX_LISTENERS)),
            answers: Answers::default(),
            dropped: Arc::new(DroppedFiles::new(
                self.options.drop_folder,
                self.options.drop_quota,
            )),
            is_api_only: self.options.is_api_only,
            bases: Bases::new(self.options.index, self.options.threads.max(1)),
            assets: Assets::new(),
            guard: Guard::new(GuardOptions {
                key: self.options.key,
                port: self.address.port(),
                writes,
                is_private: self.options.is_private || self.options.lan_hosts.is_some(),
                origins: self.options.origins,
                hosts: lower_case(self.options.lan_hosts.unwrap_or_default()),
            }),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(cores.min(4))
            .max_blocking_threads(workers)
            .enable_all()
            .build()
            .map_err(in_output)?;
        let port = self.address.port();
        let mut ended = None;
        let result = runtime.block_on(async {
            self.listener.set_nonblocking(true)?;
            let mut listeners = vec![tokio::net::TcpListener::from_std(self.listener)?];
            // Browsers may try these addresses first; without IPv6 they take the other one.
            for address in std::iter::once(Ipv6Addr::LOCALHOST).chain(of_lan) {
                let address = SocketAddr::from((address, port));
                if let Ok(listener) = tokio::net::TcpListener::bind(address).await {
                    listeners.push(listener);
                }
            }
            let cleaner = tokio::spawn(clean(Arc::clone(&app)));
            let router = api::router()
                .merge(job_requests::router())
                .merge(write_requests::router())
                .merge(decided_duplicates::router())
                .merge(renamed_spellings::router())
                .merge(lichess::router())
                .layer(from_fn(wait_for_inputs))
                .layer(from_fn(wait_until_done))
                .fallback(file)
                .layer(from_fn_with_state(Arc::clone(&app), guarded))
                .with_state(Arc::clone(&app));
            connections::serve(listeners, &router, stop, GRACE, || {
                ended = Some(Instant::now() + GRACE);
                app.cancel_everything();
            })
            .await;
            cleaner.abort();
            Ok::<(), std::io::Error>(())
        });
        app.cancel_everything();
        let left = || ended.map_or(GRACE, |end| end.saturating_duration_since(Instant::now()));
        app.started.wait_until_idle(left());
        app.dropped.close();
        runtime.shutdown_timeout(left());
        result.map_err(in_output)
    }
}

/// The IPv6 addresses among hosts; the listener has those of IPv4.
fn v6_addresses(hosts: &[String]) -> Vec<Ipv6Addr> {
    let addresses = hosts
        .iter()
        .filter_map(|host| host.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
    addresses.collect()
}

fn lower_case(hosts: Vec<String>) -> Vec<String> {
    let hosts = hosts.into_iter();
    hosts.map(|host| host.to_ascii_lowercase()).collect()
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
            app.reports.clean(|_| 256 << 10, MAX_VIEW_BYTES);
            app.duplicates.clean(
                |found| found.capacity() * size_of::<Duplicate>(),
                MAX_VIEW_BYTES,
            );
            app.bases.clean();
        });
        // A panic here is one of a bug; the next round runs all the same.
        let _ = cleaned.await;
    }
}

/// Refuses what is not from our page or a program of this user, and protects the answers.
async fn guarded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    let origin = app.guard.allowed_origin(uri, headers);
    let reached = request.extensions().get::<ReachedAddress>();
    let reached = reached.map(|reached| reached.0);
    let mut response = match app.guard.refuse(method, uri, headers, reached) {
        Some(problem) => problem.into_response(),
        // Only what a browser asks first is not refused.
        None if *method == Method::OPTIONS => preflight(),
        None => next.run(request).await,
    };
    protect(&mut response, origin.as_ref());
    response
}

/// The answer to a browser that asks what a page of another origin may do.
fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    for (name, value) in [
        ("access-control-allow-methods", "GET, HEAD"),
        ("access-control-allow-headers", "authorization, accept"),
        ("access-control-allow-private-network", "true"),
        ("access-control-max-age", "600"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Everything outside the API.
async fn file(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path = request.uri().path();
    if app.is_api_only || path.starts_with("/api/") {
        return Problem::not_found("the API has no such path").into_response();
    }
    app.assets.answer(path, request.headers())
}
