//! The games that may fit a query, from the saved index of a database.

use std::sync::Arc;

use tabia_core::chess::Position;
use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_index::{PositionIndex, Unusable};
use tabia_query::Query;

use super::game_set::GameSet;
use super::index_policy::{Index, usable_index};
use super::open_databases::Base;
use super::saved_index::IndexOptions;
use crate::input::InputItem;
use crate::observer::Observer;

/// The games of an item that may fit a query; `None` if its index does not decide that.
///
/// # Errors
/// As for [`usable_index`].
pub(crate) fn candidates(
    item: &InputItem,
    query: &Query,
    index: Index,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Arc<GameSet>>> {
    if index == Index::Never {
        return Ok(None);
    }
    let Some(positions) = query.required_positions() else {
        return Ok(None);
    };
    let Some(index) = usable_index(item, index, options, progress, observer)? else {
        return Ok(None);
    };
    match games_with(&index, &positions) {
        Ok(games) => Ok(Some(Arc::new(games))),
        Err(error) => {
            observer.index_unused(item, &format!("the index is {error}"))?;
            Ok(None)
        }
    }
}

/// The games that reached one of the positions, and those that the index does not know.
fn games_with(
    index: &PositionIndex,
    positions: &[Position],
) -> std::result::Result<GameSet, Unusable> {
    let mut games = GameSet::default();
    for game in index.irregular()? {
        games.insert(GameIndex(game));
    }
    for position in positions {
        for arrival in index.find(position)? {
            for row in index.rows(arrival.segment, arrival.ranks())? {
                games.insert(row.game());
            }
        }
    }
    Ok(games)
}

impl Base {
    /// The games of the database with a number that may fit a query, by its saved index; `None` if there is none
    /// that can be used, or if the query asks for no position. A game that is not among them does not fit.
    pub fn candidates(&self, database: usize, query: &Query) -> Option<GameSet> {
        let index = self.parts.get(database)?.index.as_ref()?;
        let positions = query.required_positions()?;
        games_with(index, &positions).ok()
    }
}
