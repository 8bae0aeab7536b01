//! Reports of a book that was written.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use tabia::book::merge::Merged;
use tabia::core::games::Written;
use tabia::core::loss::Feature;
use tabia::{Error, InputItem, Observer};

use super::build_record::remove_old_record;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, grouped, size};
use crate::report::{Reporter, report_file_losses};

/// Reports what was written, corrected and lost, and completes the report. Exit code 3 if entries or
/// positions of the inputs are not in the book; 1 if it is empty and would replace another, which stays ([`keeps_old`]).
pub(super) fn report_merged(
    context: &Context,
    mut reporter: Reporter,
    inputs: &[InputItem],
    output: &Path,
    merged: &Merged,
) -> Result<ExitCode, Error> {
    let main = merged.written.files.first().map_or(output, |file| file);
    let mut text = format!(
        "{}: {}, {}, {}",
        main.path_text(),
        counted(merged.positions, "position"),
        counted(merged.moves, "move"),
        size(merged.written.bytes)
    );
    let fixes = merged.fixes;
    if fixes.out_of_order > 0 {
        // The book has reported these as a problem of its own.
        let count = counted_as(fixes.out_of_order, "entry", "entries");
        let _ = write!(text, "; {count} put in order");
    }
    if fixes.copies > 0 {
        let count = counted_as(fixes.copies, "copy", "copies");
        let _ = write!(text, "; {count} out of order dropped");
    }
    if fixes.zeros > 0 {
        let count = counted_as(fixes.zeros, "entry", "entries");
        let _ = write!(text, "; {count} of zeros dropped, whose moves are lost");
    }
    let problems = Problems::of(merged);
    for problem in &problems.entries {
        let _ = write!(text, "; {problem}");
    }
    if fixes.castlings > 0 {
        let count = counted(fixes.castlings, "castling");
        let _ = write!(text, "; {count} rewritten");
    }
    if merged.scaled_positions > 0 {
        let count = counted(merged.scaled_positions, "position");
        let _ = write!(
            text,
            "; weights of {count} scaled, because their greatest is above {}",
            grouped(u64::from(u16::MAX))
        );
    }
    let mut notes = vec![text];
    notes.extend(problems.positions.iter().cloned());
    for text in problems.all() {
        let error = Error::invalid(text);
        reporter.count_reported(&match inputs {
            [only] => error.in_file(only.label()),
            _ => error,
        })?;
    }
    report_damage(&mut reporter, inputs, merged)?;
    if keeps_old(output, merged) {
        reporter.discard_result();
        for note in notes.into_iter().skip(1) {
            context.messages.note(&note);
        }
        let text = format!(
            "the new book is empty; {} is left as it was",
            main.path_text()
        );
        reporter.finish(None)?;
        context.messages.error(&Error::invalid(text));
        return Ok(ExitCode::NoMatch);
    }
    let lost_moves = merged.losses.count(Feature::BookMoves);
    let code = ExitCode::of_problems(reporter.count().max(lost_moves).max(merged.assumed_games));
    let counts = WrittenCounts::new(merged.positions, merged.moves, &merged.written);
    reporter.commit_file(main, &merged.losses, &counts)?;
    for note in notes {
        context.messages.note(&note);
    }
    report_file_losses(&context.messages, &merged.losses);
    if merged.invented_games > 0 {
        let mut text = format!(
            "the book has no weights: those of {} became numbers of games, all drawn, from which programs choose; no \
             such games were played",
            counted(merged.invented_games, "move")
        );
        if merged.shared_games > 0 {
            let lead = counted_as(
                merged.shared_games,
                "move leads to a position that another leads to",
                "moves lead to positions that others lead to",
            );
            text = format!(
                "{text}. The book counts games by the position after a move: {lead}, so that their weights add up and \
                 are no longer in proportion"
            );
        }
        context.messages.note(&text);
    }
    if merged.unplayed_moves > 0 {
        context.messages.note(&format!(
            "{} of weight 0 marked as not to be played, with 1 game each where the book has none: no record is without \
             games",
            counted(merged.unplayed_moves, "move")
        ));
    }
    if merged.assumed_games > 0 {
        context.messages.note(&format!(
            "{} whose own records are lost: the format has no record without games, so that each of them has 1 \
             game, of no known result",
            counted_as(merged.assumed_games, "position is that of a move", "positions are those of moves")
        ));
    }
    reporter.finish(None)?;
    let is_input = inputs.iter().any(|item| item.label().as_ref() == output);
    if !is_input && let Some(record) = remove_old_record(output)? {
        let text = format!(
            "{}: removed, the record of the book that was replaced",
            record.path_text()
        );
        context.messages.note(&text);
    }
    Ok(code)
}

/// What was corrected or left out of the books of a merge, in sentences.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    /// About entries.
    entries: Vec<String>,
    /// About positions and moves.
    positions: Vec<String>,
}

impl Problems {
    pub(crate) fn of(merged: &Merged) -> Self {
        let fixes = merged.fixes;
        let mut problems = Self::default();
        if fixes.repeats > 0 {
            let text = format!("{} added up", counted(fixes.repeats, "repeat"));
            problems.entries.push(text);
        }
        if fixes.no_moves > 0 {
            let count = counted_as(fixes.no_moves, "entry", "entries");
            let text = format!("{count} without a move dropped");
            problems.entries.push(text);
        }
        if fixes.illegal > 0 {
            let count = counted_as(fixes.illegal, "entry", "entries");
            let text = format!("{count} whose move is not legal dropped");
            problems.entries.push(text);
        }
        if merged.unreached > 0 {
            let count = counted(merged.unreached, "position");
            problems.positions.push(format!(
                "{count} known only by key and not reached from the usual start: not in the target"
            ));
        }
        if merged.without_side > 0 {
            let count = counted(merged.without_side, "position");
            problems.positions.push(format!(
                "{count} whose side to move the book does not state and no line shows: not in the target"
            ));
        }
        if merged.edits.missing > 0 {
            let count = counted_as(merged.edits.missing, "move", "moves");
            let text = format!("{count} to be removed not in the book");
            problems.positions.push(text);
        }
        if merged.edits.unfit > 0 {
            let count = counted_as(merged.edits.unfit, "move", "moves");
            let text =
                format!("{count} to be added cannot be held by the format: not in the new book");
            problems.positions.push(text);
        }
        problems
    }

    pub(crate) fn all(self) -> impl Iterator<Item = String> {
        self.entries.into_iter().chain(self.positions)
    }
}

/// Whether the book is empty and would replace another, which stays, as with `book build`.
pub(super) fn keeps_old(output: &Path, merged: &Merged) -> bool {
    let main = merged.written.files.first().map_or(output, |file| file);
    merged.moves == 0 && main.is_file()
}

/// Reports what could not be read of the inputs.
fn report_damage(
    reporter: &mut Reporter,
    inputs: &[InputItem],
    merged: &Merged,
) -> Result<(), Error> {
    for (item, damage) in inputs.iter().zip(&merged.damage) {
        for text in damage {
            let problem = item.problem_text(text).into();
            reporter.problem(item, &problem).map_err(Error::in_output)?;
        }
    }
    Ok(())
}

/// The counts of a report's summary for a book that was written.
#[derive(Serialize)]
pub(super) struct WrittenCounts {
    positions: u64,
    moves: u64,
    files: Vec<String>,
    bytes: u64,
}

impl WrittenCounts {
    pub(super) fn new(positions: u64, moves: u64, written: &Written) -> Self {
        let files = written.files.iter();
        Self {
            positions,
            moves,
            files: files.map(|file| file.path_text().into_owned()).collect(),
            bytes: written.bytes,
        }
    }
}

/// The author's advice in a word.
pub(super) fn advice_name(recommended: bool) -> &'static str {
    if recommended { "play" } else { "avoid" }
}
