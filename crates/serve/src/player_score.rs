//! Results of a player.

use serde_json::{Value, json};
use tabia::GameResult;

/// Games between two looks at the progress.
pub(crate) const CHUNK: u32 = 4096;

/// Games, and their results for one player.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Score {
    pub(crate) games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

impl Score {
    pub(crate) fn add(&mut self, result: GameResult, is_white: bool) {
        self.games += 1;
        match (result.to_pgn(), is_white) {
            (GameResult::WhiteWins, true) | (GameResult::BlackWins, false) => self.wins += 1,
            (GameResult::WhiteWins, false) | (GameResult::BlackWins, true) => self.losses += 1,
            (GameResult::Draw, _) => self.draws += 1,
            _ => {}
        }
    }

    pub(crate) fn document(&self) -> Value {
        json!({"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses})
    }
}
