//! The games of databases that fit a query.

use std::sync::Arc;

use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_query::Query;

use super::game_set::GameSet;
use super::open_databases::{Base, Part};
use crate::list::list;
use crate::observer::NoObserver;

/// Games that fit a query.
#[derive(Debug, Clone, Default)]
pub struct SelectedGames {
    query: Query,
    /// For each database with an index the games that fit; all if `None`.
    pub(super) sets: Vec<Option<Arc<GameSet>>>,
}

impl SelectedGames {
    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The games of a database that has an index, if they are not all.
    pub fn games(&self, database: usize) -> Option<&GameSet> {
        self.sets.get(database)?.as_deref()
    }
}

impl Base {
    /// The games that fit a query, for [`tree`](Self::tree). They are looked up now in databases with an
    /// index, and kept for the next time; without an index the games are asked when they are read.
    ///
    /// # Errors
    /// When a database cannot be read, or `progress` is cancelled.
    pub fn select(&self, query: &Query, progress: &Progress) -> Result<SelectedGames> {
        let mut sets = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            progress.check()?;
            sets.push(match &part.index {
                Some(_) if !query.is_empty() => Some(self.selection(number, part, query)?),
                _ => None,
            });
        }
        Ok(SelectedGames {
            query: query.clone(),
            sets,
        })
    }

    fn selection(&self, number: usize, part: &Part, query: &Query) -> Result<Arc<GameSet>> {
        let name = query.to_string();
        if let Some(games) = self.selections.get(number, &name) {
            return Ok(games);
        }
        let mut options = self.list_options();
        options.filter = query.clone();
        options.numbers_only = true;
        let mut set = GameSet::default();
        list(
            &part.item,
            &options,
            &|row, out: &mut Vec<GameIndex>| out.push(row.game),
            &Arc::default(),
            &mut NoObserver,
            &mut |games| {
                for game in games.drain(..) {
                    set.insert(game);
                }
                Ok(())
            },
        )?;
        let set = Arc::new(set);
        self.selections.insert(number, name, Arc::clone(&set));
        Ok(set)
    }
}
