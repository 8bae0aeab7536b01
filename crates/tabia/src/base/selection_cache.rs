//! Sets of games that fit queries, kept for the next time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::counted_games::CountedGames;
use super::row_sums::RowSums;

/// Bytes of sets that are kept.
const CACHED_BYTES: u64 = 256 << 20;

/// Sets of games by database and normal form of the query. Those used least lately go first.
#[derive(Debug, Default)]
pub(super) struct SelectionCache(Mutex<Vec<Selection>>);

/// The games of one database with an index that fit a query, and what was summed up of them.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) games: CountedGames,
    pub(super) sums: RowSums,
}

#[derive(Debug)]
struct Selection {
    database: usize,
    query: String,
    games: Arc<Selected>,
}

impl Selection {
    fn bytes(&self) -> u64 {
        let selected = &self.games;
        selected.games.bytes() + selected.sums.most_bytes() + self.query.len() as u64
    }
}

impl SelectionCache {
    /// The games of a database that fit a query, if they are known.
    pub(super) fn get(&self, database: usize, query: &str) -> Option<Arc<Selected>> {
        let mut kept = self.lock();
        let is_asked = |other: &Selection| other.database == database && other.query == query;
        let index = kept.iter().position(is_asked)?;
        let selection = kept.remove(index);
        let games = Arc::clone(&selection.games);
        kept.push(selection);
        Some(games)
    }

    /// Keeps the games of a database that fit a query.
    pub(super) fn insert(&self, database: usize, query: String, games: Arc<Selected>) {
        let mut kept = self.lock();
        kept.push(Selection {
            database,
            query,
            games,
        });
        while kept.iter().map(Selection::bytes).sum::<u64>() > CACHED_BYTES && kept.len() > 1 {
            kept.remove(0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Selection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_kept_for_each_database_and_query() {
        let cache = SelectionCache::default();
        assert!(cache.get(0, "white:tal").is_none());
        let games = Arc::new(Selected::default());
        cache.insert(0, "white:tal".to_owned(), Arc::clone(&games));
        assert!(Arc::ptr_eq(&cache.get(0, "white:tal").unwrap(), &games));
        assert!(cache.get(1, "white:tal").is_none());
        assert!(cache.get(0, "black:tal").is_none());
    }
}
