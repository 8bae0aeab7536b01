//! How an input is read.

use tabia_core::formats::OpenOptions;
use tabia_formats::Format;
use tabia_query::Query;

use crate::resolve::Resolver;

/// How an [`Input`](crate::Input) is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Takes the input for this format instead of recognising it.
    pub from: Option<Format>,
    /// How files are opened: strictness, limits, character set, password.
    pub open: OpenOptions,
    /// Which games; every game if the query is empty.
    pub filter: Query,
    /// Games marked as deleted too; not by default.
    pub deleted: bool,
    /// Threads that decode; at least 1, which is the default. The order of the results never
    /// depends on it.
    pub threads: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            from: None,
            open: OpenOptions::default(),
            filter: Query::default(),
            deleted: false,
            threads: 1,
        }
    }
}

impl ReadOptions {
    pub(crate) fn resolver(&self) -> Resolver {
        let mut resolver = Resolver::default();
        resolver.from = self.from;
        resolver.options.clone_from(&self.open);
        resolver
    }
}
