//! What is reported of duplicate games.

use tabia_core::GameIndex;

use crate::job_summary::Summary;

/// What two games have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DuplicateKind {
    /// All moves.
    Exact,
    /// Most of the moves.
    Near,
    /// The moves of the one begin the other.
    Embedded,
}

impl DuplicateKind {
    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
            Self::Embedded => "embedded",
        }
    }
}

/// A game and another that is kept instead of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// Number of the kept game among those with duplicates, from 1.
    pub group: u32,
    /// What they have in common.
    pub kind: DuplicateKind,
    /// Index of the input and of the game in it.
    pub kept: (u32, GameIndex),
    /// The same of the duplicate.
    pub dropped: (u32, GameIndex),
    /// Plies in common from the start.
    pub common: u32,
    /// Plies of the kept game and of the duplicate.
    pub plies: (u32, u32),
}

impl Duplicate {
    /// Plies in common as a percentage of those of the longer game; 100 for games without moves, all of which
    /// is the same.
    pub fn score(&self) -> u32 {
        if self.plies == (0, 0) {
            return 100;
        }
        let longer = self.plies.0.max(self.plies.1).max(1);
        (u64::from(self.common) * 100 / u64::from(longer)) as u32
    }
}

/// A record of a damaged database that is not the game that it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedRecord {
    /// Index of the input and of the record in it.
    pub at: (u32, GameIndex),
    /// Some or all of its moves could not be read.
    pub moves: bool,
    /// The name of a player is lost.
    pub names: bool,
}

/// What [`find_known`](super::find_known) has found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Known {
    /// Records read and problems.
    pub summary: Summary,
    /// The new games that the database has, or that are twice among them.
    pub duplicates: Vec<Duplicate>,
    /// The damaged records of the new inputs, in their order.
    pub damaged: Vec<DamagedRecord>,
    /// The new guiding texts that the database has, with the same titles and bodies: index of the input and of the
    /// record in it.
    pub texts: Vec<(u32, GameIndex)>,
    /// New games that a database may change so that they are not recognised in it, in their order: those that are compared
    /// as a whole, and those whose moves it cannot have.
    pub(crate) changeable: Vec<(u32, GameIndex)>,
    /// The new guiding texts that the database does not have as they are.
    pub(crate) unknown_texts: Vec<(u32, GameIndex)>,
}
