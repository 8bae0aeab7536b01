//! The text of each game and the keys of the files that get it.

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, Visitor};
use tabia_core::games::{OriginOffset, TextWriter};
use tabia_core::loss::Losses;
use tabia_core::{GameIndex, Problem};

use super::split_by::SplitBy;
use crate::scan::Task;

/// Writes games as text and notes their keys.
pub(super) struct SplitTask {
    writer: Box<dyn TextWriter>,
    by: SplitBy,
    game: GameIndex,
    keys: Vec<String>,
    records: Vec<SplitRecord>,
}

/// A game of a batch.
#[derive(Debug)]
pub(super) struct SplitRecord {
    pub(super) game: GameIndex,
    /// The end of its text in the batch.
    pub(super) end: usize,
    /// The keys of its files, `""` for an unknown one; none for files with a number of games.
    pub(super) keys: Vec<String>,
}

/// Texts of games, one after another.
#[derive(Debug, Default)]
pub(super) struct SplitBatch {
    pub(super) text: Vec<u8>,
    /// Where origins are to be put into it.
    pub(super) offsets: Vec<OriginOffset>,
    pub(super) records: Vec<SplitRecord>,
}

impl SplitTask {
    pub(super) fn new(mut writer: Box<dyn TextWriter>, by: SplitBy) -> Self {
        writer.defer_origins();
        Self {
            writer,
            by,
            game: GameIndex(0),
            keys: Vec::new(),
            records: Vec::new(),
        }
    }
}

/// The keys of the files that get a game.
fn keys(head: &GameHead, by: SplitBy) -> Vec<String> {
    let tags = &head.tags;
    let known = |value: &str| match value.trim() {
        value if value.chars().all(|c| c == '?') => String::new(),
        value => value.to_owned(),
    };
    match by {
        SplitBy::Count(_) => Vec::new(),
        SplitBy::Event => vec![known(tags.text("Event"))],
        SplitBy::Eco => {
            let eco = tags.eco();
            vec![eco.map_or_else(String::new, |eco| eco.to_string())]
        }
        SplitBy::Year => {
            let year = tags.date().map_or(0, |date| date.year);
            vec![if year == 0 {
                String::new()
            } else {
                format!("{year:04}")
            }]
        }
        SplitBy::Player => {
            let mut players = vec![known(tags.text("White")), known(tags.text("Black"))];
            players.dedup();
            players
        }
    }
}

impl Visitor for SplitTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game;
        self.keys = keys(head, self.by);
        self.writer.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.writer.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.writer.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.writer.begin_variation()
    }

    fn end_variation(&mut self) {
        self.writer.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.writer.end_game(result);
        self.records.push(SplitRecord {
            game: self.game,
            end: self.writer.text().len(),
            keys: std::mem::take(&mut self.keys),
        });
    }
}

impl Task for SplitTask {
    type Out = SplitBatch;

    fn swap(&mut self, out: &mut SplitBatch) {
        out.text.clear();
        out.records.clear();
        std::mem::swap(self.writer.text(), &mut out.text);
        out.offsets = self.writer.take_origins();
        std::mem::swap(&mut self.records, &mut out.records);
    }

    fn on_problem(&mut self, problem: &Problem) {
        // A writer does not end the reading.
        let _ = self.writer.problem(problem.clone());
    }

    fn take_losses(&mut self) -> Losses {
        self.writer.take_losses()
    }
}
