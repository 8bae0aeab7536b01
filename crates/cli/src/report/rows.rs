//! Rows about records: those of consecutive records that differ in nothing but their numbers are one.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use tabia::core::GameIndex;
use tabia::core::io::name_text;
use tabia::core::loss::Feature;
use tabia::repair::RecordOutcome;

use super::{LocationKeys, ProblemRow, kind_of, number};
use crate::messages::without_os_error_number;

/// Causes that are remembered; records with others have their reasons in full.
const MAX_CAUSES: usize = 1000;

/// What became of a record in a repair, or of several that follow each other.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordRow {
    file: String,
    game: u64,
    /// The last of several records.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_game: Option<u64>,
    #[serde(rename = "fate")]
    outcome: &'static str,
    saved_as: Option<u64>,
    /// A record with the same reasons, whose row lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<u64>,
    reasons: Vec<ProblemRow>,
}

/// Makes the rows of records. Records that lack something because a file is missing or cut off have one row
/// as long as they follow each other, and their reasons are listed once.
#[derive(Debug, Default)]
pub(super) struct RecordRuns {
    /// The row that may get more records, and its cause.
    open: Option<(RecordRow, Option<u64>)>,
    /// The first record of each cause.
    causes: HashMap<String, u64>,
}

impl RecordRuns {
    /// Adds a record; returns a complete row.
    pub(super) fn push(&mut self, file: &str, record: &RecordOutcome<'_>) -> Option<RecordRow> {
        let game = number(record.game);
        let saved_as = record.saved_as.map(number);
        let cause = self.cause(file, record);
        if let Some((row, Some(open))) = &mut self.open
            && cause == Some(*open)
            && row.file == file
        {
            let count = row.last_game.unwrap_or(row.game) + 1 - row.game;
            if game == row.game + count && saved_as == row.saved_as.map(|first| first + count) {
                row.last_game = Some(game);
                return None;
            }
        }
        let like = cause.filter(|&first| first != game);
        let reasons = record.reasons.iter().map(|reason| ProblemRow {
            at: LocationKeys {
                game: None,
                ..LocationKeys::new(&reason.at)
            },
            reason: without_os_error_number(&reason.text),
        });
        let row = RecordRow {
            file: file.to_owned(),
            game,
            last_game: None,
            outcome: record.outcome.name(),
            saved_as,
            like,
            reasons: match like {
                Some(_) => Vec::new(),
                None => reasons.collect(),
            },
        };
        self.open.replace((row, cause)).map(|(row, _)| row)
    }

    /// Takes the last row.
    pub(super) fn take(&mut self) -> Option<RecordRow> {
        self.causes.clear();
        self.open.take().map(|(row, _)| row)
    }

    /// The first record with the reasons of this one, itself too. `None` if a reason is about this record
    /// only.
    fn cause(&mut self, file: &str, record: &RecordOutcome<'_>) -> Option<u64> {
        if record.reasons.is_empty() || record.reasons.iter().any(|reason| !reason.is_common) {
            return None;
        }
        let mut key = format!("{file}\n{}", record.outcome.name());
        for reason in record.reasons {
            key.push('\n');
            if let Some(file) = &reason.at.file {
                key.push_str(&name_text(file.as_os_str()));
            }
            key.push('\t');
            key.push_str(&kind_of(&reason.text));
        }
        if let Some(&first) = self.causes.get(&key) {
            return Some(first);
        }
        if self.causes.len() == MAX_CAUSES {
            return None;
        }
        let game = number(record.game);
        self.causes.insert(key, game);
        Some(game)
    }
}

/// A kind of loss in one game, in several that follow each other, or in a file as a whole.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GameLossRow {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<u64>,
    /// The last of several games, each of which loses `count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_game: Option<u64>,
    kind: String,
    count: u64,
    reason: String,
}

/// Makes the rows of losses. Games that follow each other and lose the same have one row.
#[derive(Debug, Default)]
pub(super) struct LossRuns(BTreeMap<Feature, GameLossRow>);

impl LossRuns {
    /// Adds the loss of a game, or of a file as a whole; returns a complete row.
    pub(super) fn push(
        &mut self,
        file: &str,
        game: Option<GameIndex>,
        feature: Feature,
        count: u64,
    ) -> Option<GameLossRow> {
        let game = game.map(number);
        if let Some(row) = self.0.get_mut(&feature)
            && let (Some(first), Some(game)) = (row.game, game)
            && game == row.last_game.unwrap_or(first) + 1
            && row.count == count
            && row.file == file
        {
            row.last_game = Some(game);
            return None;
        }
        let row = GameLossRow {
            file: file.to_owned(),
            game,
            last_game: None,
            kind: feature.key(),
            count,
            reason: format!("not kept in the target format: {}", feature.label()),
        };
        self.0.insert(feature, row)
    }

    /// Takes the rows that are left.
    pub(super) fn take(&mut self) -> impl Iterator<Item = GameLossRow> + use<> {
        std::mem::take(&mut self.0).into_values()
    }
}
