//! The server of `tabia serve`: a page over databases and books, and its API, for browsers and programs of the
//! same machine.
//!
//! [`Shelf`] holds the inputs under ids, [`Server`] answers requests about them. Nothing is written to the
//! inputs, and no request names a path.
//!
//! | module | contains |
//! |---|---|
//! | `shelf` | the inputs, opened at first use and closed when they are idle or changed |
//! | `view` | the rows of a list: filtered and sorted record numbers |
//! | `rows` | rows as JSON |
//! | `explore` | moves of a position in books and databases |
//! | `health` | checks that run while the page shows what they found so far |
//! | `jobs` | work in threads that ends when it is no longer asked for |
//! | `app` | what all requests work with |
//! | `api` | the requests and their answers |
//! | `guard` | which requests are answered at all |
//! | `assets` | the files of the page |
//! | `connections` | accepting and limiting connections |
#![warn(missing_docs)]

mod api;
mod app;
mod assets;
mod connections;
mod explore;
mod guard;
mod health;
mod jobs;
mod openapi;
mod params;
mod problem;
mod rows;
mod server;
mod shelf;
mod view;

pub use app::GameDocument;
pub use connections::StopHandle;
pub use guard::Key;
pub use server::{Server, ServerOptions};
pub use shelf::{Shelf, ShelfCounts};
