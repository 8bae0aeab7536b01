//! The games of databases that fit a query.

use std::sync::Arc;

use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_index::PositionIndex;
use tabia_query::{FactsMatcher, Query};

use super::counted_games::CountedGames;
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
    pub(super) games: Vec<Option<Arc<Selected>>>,
}

impl SelectedGames {
    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }
}

impl Base {
    /// The games that fit a query, for [`tree`](Self::tree). Of databases with an index they are looked up now, and kept
    /// for the next time, unless ratings, date and result decide; without an index the games are asked when they are read.
    ///
    /// # Errors
    /// When a database cannot be read, or `progress` is cancelled.
    pub fn select(&self, query: &Query, progress: &Progress) -> Result<SelectedGames> {
        let mut games = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            progress.check()?;
            games.push(match &part.index {
                Some(index) if !query.is_empty() => {
                    Some(self.selection(number, part, index, query, progress)?)
                }
                _ => None,
            });
        }
        Ok(SelectedGames {
            query: query.clone(),
            games,
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
        // Where the index is damaged, the database is read.
        let knows_all = index.irregular().is_ok_and(|games| games.is_empty());
        let games = match FactsMatcher::new(query).filter(|_| knows_all) {
            Some(matcher) => CountedGames::ByRow(matcher),
            None => CountedGames::InSet(self.listed_games(part, query, progress)?),
        };
        let selected = Arc::new(Selected {
            games,
            sums: RowSums::new(index),
        });
        self.selections.insert(number, name, Arc::clone(&selected));
        Ok(selected)
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
