//! [`CountedGames`]: which games of an index count.

use tabia_query::FactsMatcher;

use super::game_set::GameSet;

/// Which games count.
#[derive(Debug)]
pub(super) enum CountedGames {
    /// Those of a set.
    InSet(GameSet),
    /// Those whose rows in the index fit.
    ByRow(FactsMatcher),
}

impl Default for CountedGames {
    fn default() -> Self {
        Self::InSet(GameSet::default())
    }
}

impl CountedGames {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::InSet(games) => games.bytes(),
            Self::ByRow(_) => 0,
        }
    }
}
