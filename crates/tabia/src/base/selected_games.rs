//! The games of databases that fit a query.

use std::sync::Arc;

use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_index::{PositionIndex, Unusable};
use tabia_query::{FactsMatcher, Query};

use super::game_set::GameSet;
use super::open_databases::{Base, Part};
use super::row_sums::RowSums;
use super::selection_cache::Selected;
use crate::list::list_opened;
use crate::observer::NoObserver;

/// Games that fit a query.
#[derive(Debug, Clone, Default)]
pub struct SelectedGames {
    query: Query,
    /// For each database with an index the games that fit; all if `None`.
    pub(super) sets: Vec<Option<Arc<Selected>>>,
}

impl SelectedGames {
    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The games of a database that has an index, if they are not all.
    pub fn games(&self, database: usize) -> Option<&GameSet> {
        self.sets.get(database)?.as_deref().map(|set| &set.games)
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
                Some(index) if !query.is_empty() => {
                    Some(self.selection(number, part, index, query, progress)?)
                }
                _ => None,
            });
        }
        Ok(SelectedGames {
            query: query.clone(),
            sets,
        })
    }

    fn selection(
        &self,
        number: usize,
        part: &Part,
        index: &PositionIndex,
        query: &Query,
        progress: &Progress,
    ) -> Result<Arc<Selected>> {
        let name = query.to_string();
        if let Some(games) = self.selections.get(number, &name) {
            return Ok(games);
        }
        let found = match self.games_by_facts(index, query, progress)? {
            Some(found) => found,
            None => self.listed_games(part, query, progress)?,
        };
        let selected = Arc::new(Selected {
            games: found,
            sums: RowSums::new(index),
        });
        self.selections.insert(number, name, Arc::clone(&selected));
        Ok(selected)
    }

    /// The games that fit, if the rows of the index decide that.
    fn games_by_facts(
        &self,
        index: &PositionIndex,
        query: &Query,
        progress: &Progress,
    ) -> Result<Option<GameSet>> {
        let Some(matcher) = FactsMatcher::new(query) else {
            return Ok(None);
        };
        let find = || {
            let mut found = GameSet::default();
            if !index.irregular()?.is_empty() {
                return Ok(None);
            }
            for segment in 0..index.segments() {
                if progress.is_cancelled() {
                    break;
                }
                for row in index.rows(segment, index.ranks(segment))? {
                    if matcher.fits(row.ratings(), row.date(), row.result())
                        && (self.options.deleted || !row.is_deleted())
                    {
                        found.insert(row.game());
                    }
                }
            }
            index.check_file()?;
            Ok(Some(found))
        };
        // Where the index is damaged, the database is read.
        let found: std::result::Result<_, Unusable> = find();
        progress.check()?;
        Ok(found.unwrap_or_default())
    }

    /// The games that fit, from the database.
    fn listed_games(&self, part: &Part, query: &Query, progress: &Progress) -> Result<GameSet> {
        let mut options = self.list_options();
        options.filter = query.clone();
        options.numbers_only = true;
        let mut found = GameSet::default();
        let opened = part.opened();
        list_opened(
            (&part.item, opened.as_deref()),
            &options,
            &|row, out: &mut Vec<GameIndex>| out.push(row.game),
            &Arc::default(),
            &mut NoObserver,
            &mut |games| {
                progress.check()?;
                for game in games.drain(..) {
                    found.insert(game);
                }
                Ok(())
            },
        )?;
        Ok(found)
    }
}
