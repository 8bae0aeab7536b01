//! Losses and problems, counted and reported in input order.

use std::collections::{BTreeMap, BTreeSet};

use tabia_core::loss::{Feature, Losses};
use tabia_core::{Error, ErrorKind, GameIndex, Problem, Result};

use crate::input::InputItem;
use crate::select::SelectionCounts;

/// Receives every problem and loss in the order of the input, whatever the number of threads. Its
/// errors end the job.
pub trait Observer {
    /// Something could not be read.
    fn problem(&mut self, item: &InputItem, problem: &Problem) -> Result<()> {
        let _ = (item, problem);
        Ok(())
    }

    /// The target cannot hold this of a game.
    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> Result<()> {
        let _ = (item, game, losses);
        Ok(())
    }

    /// A saved index of an input is not used, for the reason given.
    fn index_unused(&mut self, item: &InputItem, why: &str) -> Result<()> {
        let _ = (item, why);
        Ok(())
    }

    /// An input is done.
    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> Result<()> {
        let _ = (item, counts);
        Ok(())
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// What a job has counted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Records by what became of them.
    pub counts: SelectionCounts,
    /// Problems, those of whole inputs too.
    pub problems: u64,
    /// What was lost.
    pub losses: LossTable,
    /// Missing files that were reported with a game: every other game lacks them for the same reason.
    missing_files: BTreeSet<String>,
}

impl Summary {
    /// Whether an earlier game was reported with the same missing file.
    pub(crate) fn is_repeated(&mut self, error: &Error) -> bool {
        let at = error.location();
        match (error.kind(), &at.file) {
            (ErrorKind::MissingFile(_), Some(file)) if at.game.is_some() => {
                !self.missing_files.insert(file.display().to_string())
            }
            _ => false,
        }
    }
}

/// What was lost, by kind, with the input and the game of the first of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LossTable(BTreeMap<Feature, LossEntry>);

/// One kind of loss.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LossEntry {
    /// How many items.
    pub count: u64,
    /// How many games lost some.
    pub games: u64,
    /// The input that lost one first, by label.
    pub input: String,
    /// The first game of that input that lost one; `None` when the database as a whole did.
    pub first: Option<GameIndex>,
}

impl LossTable {
    /// Counts the losses of one game.
    pub fn add(&mut self, input: &str, game: GameIndex, losses: &Losses) {
        self.count_in(input, Some(game), losses);
    }

    /// Counts the losses of a database as a whole.
    pub fn add_whole(&mut self, input: &str, losses: &Losses) {
        self.count_in(input, None, losses);
    }

    fn count_in(&mut self, input: &str, game: Option<GameIndex>, losses: &Losses) {
        for (feature, loss) in losses.iter() {
            let row = self.0.entry(feature).or_insert_with(|| LossEntry {
                count: 0,
                games: 0,
                input: input.to_owned(),
                first: game,
            });
            row.count += loss.count;
            row.games += u64::from(game.is_some());
        }
    }

    /// The rows in display order.
    pub fn iter(&self) -> impl Iterator<Item = (Feature, &LossEntry)> {
        self.0.iter().map(|(feature, row)| (*feature, row))
    }

    /// How many items of one kind were lost.
    pub fn count(&self, feature: Feature) -> u64 {
        self.0.get(&feature).map_or(0, |row| row.count)
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Counts, problems and losses of one piece of work, with positions relative to that piece.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) counts: SelectionCounts,
    pub(crate) problems: Vec<Problem>,
    pub(crate) losses: Vec<(GameIndex, Losses)>,
}

/// Where a piece of work begins in its input.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Base {
    pub(crate) games: u32,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

impl Base {
    pub(crate) fn game(self, game: GameIndex) -> GameIndex {
        GameIndex(game.0.saturating_add(self.games))
    }

    /// The error as seen from the start of the input, with the input's name.
    pub(crate) fn locate(self, error: Error, item: &InputItem) -> Error {
        error
            .shift(self.games, self.bytes, self.lines)
            .in_file(item.label())
    }
}
