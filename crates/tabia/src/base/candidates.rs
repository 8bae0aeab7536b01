//! The games that may fit a query, from the saved index of a database.

use std::sync::Arc;

use tabia_core::io::Progress;
use tabia_core::{GameIndex, Result};
use tabia_index::{PositionIndex, Unusable};
use tabia_query::Query;

use super::game_set::GameSet;
use super::saved_index::{IndexOptions, SavedIndex, build_index, open_index};
use crate::input::InputItem;
use crate::summary::Observer;

/// Whether saved indexes are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Index {
    /// Those that are current.
    Auto,
    /// None.
    #[default]
    Never,
    /// Those that are missing or not current are made first.
    Require,
}

/// The index of an item that may be used; the observer gets the reason if there is one that may not.
///
/// # Errors
/// When the files cannot be read, or an index that is required cannot be made.
pub(crate) fn usable_index(
    item: &InputItem,
    index: Index,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Box<PositionIndex>>> {
    match index {
        Index::Never => Ok(None),
        Index::Require => {
            build_index(item, options, progress, observer).map(|built| Some(built.index))
        }
        Index::Auto => match open_index(item, options)? {
            SavedIndex::Current(index) => Ok(Some(index)),
            other => {
                if let Some(why) = other.why_not() {
                    observer.index_unused(item, &why)?;
                }
                Ok(None)
            }
        },
    }
}

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
    let find = || -> std::result::Result<GameSet, Unusable> {
        let mut games = GameSet::default();
        for game in index.irregular()? {
            games.insert(GameIndex(game));
        }
        for position in &positions {
            for arrival in index.find(position)? {
                for row in index.rows(arrival.segment, arrival.ranks())? {
                    games.insert(row.game());
                }
            }
        }
        Ok(games)
    };
    match find() {
        Ok(games) => Ok(Some(Arc::new(games))),
        Err(error) => {
            observer.index_unused(item, &format!("the index is {error}"))?;
            Ok(None)
        }
    }
}
