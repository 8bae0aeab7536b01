//! Reports of a book that was written.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use tabia::book::merge::Merged;
use tabia::core::games::Written;
use tabia::{Error, InputItem, Observer};

use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::readable_numbers::{counted, counted_as, size};
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
        main.display(),
        counted(merged.positions, "position"),
        counted(merged.moves, "move"),
        size(merged.written.bytes)
    );
    let fixes = merged.fixes;
    let entries = |count| counted_as(count, "entry", "entries");
    let mut problems = Vec::new();
    if fixes.repeats > 0 {
        problems.push(format!("{} added up", counted(fixes.repeats, "repeat")));
    }
    if fixes.no_moves > 0 {
        problems.push(format!(
            "{} without a move dropped",
            entries(fixes.no_moves)
        ));
    }
    if fixes.out_of_order > 0 {
        // The book has reported these as a problem of its own.
        let count = entries(fixes.out_of_order);
        let _ = write!(text, "; {count} out of order dropped");
    }
    for problem in &problems {
        let _ = write!(text, "; {problem}");
    }
    if fixes.castlings > 0 {
        let count = counted(fixes.castlings, "castling");
        let _ = write!(text, "; {count} rewritten");
    }
    let mut notes = vec![text];
    if merged.unreached > 0 {
        let count = counted(merged.unreached, "position");
        let text = format!(
            "{count} known only by key and not reached from the usual start: not in the target"
        );
        notes.push(text.clone());
        problems.push(text);
    }
    if merged.without_side > 0 {
        let count = counted(merged.without_side, "position");
        let text = format!(
            "{count} whose side to move the book does not state and no line shows: not in the target"
        );
        notes.push(text.clone());
        problems.push(text);
    }
    if merged.edits.missing > 0 {
        let count = counted_as(merged.edits.missing, "move", "moves");
        let text = format!("{count} to be removed not in the book");
        notes.push(text.clone());
        problems.push(text);
    }
    for text in problems {
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
            main.display()
        );
        context.messages.warning(&text);
        let code = ExitCode::NoMatch.worse(ExitCode::of_problems(reporter.count()));
        reporter.finish(None)?;
        return Ok(code);
    }
    let code = ExitCode::of_problems(reporter.count());
    let counts = WrittenCounts::new(merged.positions, merged.moves, &merged.written);
    reporter.commit_file(main, &merged.losses, &counts)?;
    for note in notes {
        context.messages.note(&note);
    }
    report_file_losses(&context.messages, &merged.losses);
    reporter.finish(None)?;
    Ok(code)
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
            files: files.map(|file| file.display().to_string()).collect(),
            bytes: written.bytes,
        }
    }
}

/// The author's advice in a word.
pub(super) fn advice_name(recommended: bool) -> &'static str {
    if recommended { "play" } else { "avoid" }
}
