//! [`Base::stats`]: statistics of the games that fit a query, in groups.

use std::sync::Arc;

use tabia_core::Result;
use tabia_core::io::Progress;
use tabia_query::Query;

use super::open_databases::Base;
use crate::job_summary::Summary;
use crate::list::ListOptions;
use crate::observer::{NoObserver, Observer};
use crate::stats::{StatsOptions, StatsRow, stats_of};

impl Base {
    /// The games of all databases that fit a query, in groups: what `tabia stats` shows. Of the options the keys,
    /// the player and the order count; games are read as the base reads them. The rows of all groups are in
    /// memory; [`stats_with`](Self::stats_with) hands them out one by one.
    ///
    /// # Errors
    /// When a database cannot be read, or a temporary file cannot be written.
    ///
    /// ```
    /// use tabia::stats::{StatsKey, StatsOptions, StatsValue};
    /// use tabia::{Base, Index, Query};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
    /// let base = Base::open(&[path], Index::Auto)?;
    /// let mut options = StatsOptions::default();
    /// options.keys = StatsKey::parse_list("result").unwrap();
    /// let rows = base.stats(&Query::parse("player:anderssen")?, &options)?;
    /// assert_eq!(rows[0].values, [StatsValue::Text("1-0".into())]);
    /// assert_eq!(rows[0].games, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stats(&self, query: &Query, options: &StatsOptions) -> Result<Vec<StatsRow>> {
        let mut rows = Vec::new();
        self.stats_with(
            query,
            options,
            &Arc::default(),
            &mut NoObserver,
            &mut |row| {
                rows.push(row.clone());
                Ok(true)
            },
        )?;
        Ok(rows)
    }

    /// As [`stats`](Self::stats), with progress and cancellation: `emit` gets the rows in order until it returns
    /// `false`, the observer the problems of the databases.
    ///
    /// # Errors
    /// As [`stats`](Self::stats), when `progress` is cancelled, and errors of `emit`.
    pub fn stats_with(
        &self,
        query: &Query,
        options: &StatsOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
        emit: &mut dyn FnMut(&StatsRow) -> Result<bool>,
    ) -> Result<Summary> {
        let options = StatsOptions {
            list: ListOptions {
                filter: query.clone(),
                ..self.list_options()
            },
            ..options.clone()
        };
        stats_of(&mut self.items(), &options, progress, observer, emit)
    }
}
