//! [`SeenMoves`]: what was made of the moves of earlier games, for games whose moves are stored by the same
//! bytes. These need not be played again.

use std::collections::HashMap;

use tabia_core::GameIndex;
use tabia_core::games::{Database, StoredMoves};

/// Bytes of values, at most; then all are forgotten.
const MEMORY: usize = 64 << 20;

/// The game in which moves were seen first, and where their value is.
#[derive(Debug, Clone, Copy)]
struct Seen {
    game: GameIndex,
    from: u32,
    to: u32,
}

/// A value for the moves of each game of one database, by the bytes that store them.
#[derive(Debug, Default)]
pub(crate) struct SeenMoves {
    games: HashMap<u64, Seen>,
    values: Vec<u8>,
}

impl SeenMoves {
    /// The value of an earlier game with the same moves.
    pub(crate) fn get(&self, database: &dyn Database, moves: StoredMoves<'_>) -> Option<&[u8]> {
        let seen = *self.games.get(&hash(moves.bytes))?;
        if database.stored_moves(seen.game)?.bytes != moves.bytes {
            return None;
        }
        self.values.get(seen.from as usize..seen.to as usize)
    }

    /// Keeps the value of a game.
    pub(crate) fn insert(&mut self, database: &dyn Database, game: GameIndex, value: &[u8]) {
        let Some(moves) = database.stored_moves(game) else {
            return;
        };
        if self.values.len() + value.len() > MEMORY {
            self.games.clear();
            self.values.clear();
        }
        let from = self.values.len() as u32;
        self.values.extend_from_slice(value);
        let to = self.values.len() as u32;
        self.games
            .insert(hash(moves.bytes), Seen { game, from, to });
    }
}

/// A hash of some bytes; different bytes may have the same one.
fn hash(bytes: &[u8]) -> u64 {
    u64::from(tabia_index::crc32(bytes)) | (bytes.len() as u64) << 32
}
