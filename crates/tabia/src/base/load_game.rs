//! A game of a [`Base`], whole.

use std::sync::{Arc, Mutex};

use tabia_core::formats::OpenOptions;
use tabia_core::game::Game;
use tabia_core::{Error, GameIndex, Problem, Result};

use super::open_databases::{Base, Part};
use crate::game_iterators::{SharedProblems, take_problems};
use crate::read_one::load;

impl Base {
    /// A game with its variations and annotations, and what of it could not be read; `None` if the database
    /// with that number has fewer records. Deleted games are read too.
    ///
    /// Of a text, the games before it are read each time: [`load_each`](crate::read_one::load_each) reads many
    /// games at once.
    ///
    /// # Errors
    /// When there is no such database, or it cannot be read.
    ///
    /// ```
    /// use tabia::{Base, GameIndex, Index};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbh");
    /// let base = Base::open(&[path], Index::Auto)?;
    /// if let Some((game, problems)) = base.game(0, GameIndex(1))? {
    ///     println!("{} plies, {} problems", game.ply_count(), problems.len());
    ///     # assert_eq!(game.head.tags.text("White"), "Morphy, Paul");
    /// }
    /// # assert!(base.game(0, GameIndex(1000))?.is_none());
    /// # assert!(base.game(1, GameIndex(0)).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn game(&self, database: usize, game: GameIndex) -> Result<Option<(Game, Vec<Problem>)>> {
        load_game(self.parts(), database, game, &self.base_options().open)
    }
}

/// A game of one of some databases, and its problems.
pub(super) fn load_game(
    parts: &[Part],
    database: usize,
    game: GameIndex,
    options: &OpenOptions,
) -> Result<Option<(Game, Vec<Problem>)>> {
    let Some(part) = parts.get(database) else {
        let text = format!("there is no database {}", database.saturating_add(1));
        return Err(Error::usage(text));
    };
    let problems = Mutex::new(Vec::new());
    let mut observer = SharedProblems::new(&problems);
    let found = load(&part.item, game, options, &Arc::default(), &mut observer)?;
    Ok(found.map(|found| (found, take_problems(&problems))))
}
