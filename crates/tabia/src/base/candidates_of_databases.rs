//! The games of open databases that may fit a query.

use tabia_query::Query;

use super::candidates::games_with;
use super::game_set::GameSet;
use super::open_databases::Base;

impl Base {
    /// The games of the database with a number that may fit a query, by its saved index; `None` if there is none
    /// that can be used, or if the query asks for no position. A game that is not among them does not fit.
    pub fn candidates(&self, database: usize, query: &Query) -> Option<GameSet> {
        let index = self.parts.get(database)?.index.as_ref()?;
        let positions = query.required_positions()?;
        games_with(index, &positions).ok()
    }
}
