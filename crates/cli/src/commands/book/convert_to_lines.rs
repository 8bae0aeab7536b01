//! `tabia book convert` to text: the lines of a book as games, in PGN or another format of text.

use std::io::Write as _;

use serde::Serialize;
use tabia::book::convert::lines;
use tabia::core::books::{BookEntry, BookKey, BookSize, illegal_entries};
use tabia::core::chess::Position;
use tabia::core::formats::CreateOptions;
use tabia::core::game::Flow;
use tabia::core::io::OutputSet;
use tabia::core::shell_argument::file_argument;
use tabia::{Error, InputItem};

use super::open_books::open_book;
use super::target_format::is_stdout;
use crate::args::book::BookConvertArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::format_arg::find_format;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, grouped};
use crate::report::{Reporter, report_file_losses};
use crate::stdout::StdoutWriter;

/// Writes the lines of a book from a position on, to the output or to standard output.
pub(super) fn to_lines(
    args: &BookConvertArgs,
    context: &Context,
    mut reporter: Reporter,
    item: &InputItem,
    start: &Position,
    format: &str,
) -> Result<ExitCode, Error> {
    let format = find_format(&context.resolver, format)?;
    let Some(create) = format.games().and_then(|format| format.create_text) else {
        let text = format!(
            "a book can be converted to another book or to text, not to a {}",
            format.name()
        );
        let (book, output) = (item.name(), args.output.as_deref());
        let output = output
            .map(|path| path.path_text().into_owned())
            .unwrap_or_default();
        return Err(Error::usage(text).with_hint(format!(
            "`tabia book convert {} -o lines.pgn`, then `tabia convert lines.pgn -o {}`",
            file_argument(&book),
            file_argument(&output)
        )));
    };
    let book = open_book(context, item, &mut reporter)?;
    let mut writer = create(&CreateOptions::default()).map_err(Error::in_output)?;
    let mut out = StdoutWriter::new(&context.bar);
    let mut set = OutputSet::new(args.force);
    if let Some(transaction) = reporter.transaction() {
        transaction.join(&mut set);
    }
    let output = args.output.as_ref().filter(|path| !is_stdout(path));
    if let Some(path) = output {
        set.create(path).map_err(Error::in_output)?;
    }
    let display = context.display();
    let name = item.name();
    let done = lines(
        &*book,
        &name,
        start,
        args.plies(),
        &mut *writer,
        &context.progress,
        &mut |text| match set.file(0) {
            Some(file) => file
                .write_all(text)
                .map_err(|error| Error::from(error).in_path(file.target()).in_output()),
            None => out.bytes(text),
        },
    );
    drop(display);
    let done = done?;
    let counts = LineCounts {
        lines: done.lines,
        positions: done.positions,
    };
    out.flush()?;
    if let Some(path) = output {
        set.commit().map_err(Error::in_output)?;
        reporter.commit_file(path, &done.losses, &counts)?;
        let lines = counted(done.lines, "line");
        let positions = counted(done.positions, "position");
        let moves = counted(done.moves, "move");
        let text = format!("{}: {lines}, {positions}, {moves}", path.path_text());
        context.messages.note(&text);
    }
    if done.other_moves > 0 {
        let count = counted(done.other_moves, "move");
        let text = format!(
            "{count} on these lines not in the book, each with a comment: they lead to positions that its own moves do \
             not reach"
        );
        context.messages.note(&text);
    }
    report_file_losses(&context.messages, &done.losses);
    let is_complete = args.position.fen.is_none() && args.position.moves.is_none();
    if is_complete {
        // A record of mirrored positions counts for each of them, as on the lines.
        let mut all = BookSize::default();
        book.for_each(&mut |key, page| {
            let is_known = |entry: &BookEntry| entry.m.is_some() || matches!(key, BookKey::Key(_));
            all.positions += 1;
            all.moves += page.entries.iter().filter(|entry| is_known(entry)).count() as u64;
            Flow::Go
        })?;
        let positions = all.positions.saturating_sub(done.positions);
        if positions > 0 {
            let count = counted(positions, "position");
            let moves = counted(all.moves.saturating_sub(done.moves), "move");
            let mut text = format!("{count} with {moves} of the book not on these lines");
            if args.plies.is_none() {
                // Not asked for: no moves lead to them.
                let why = "its own moves do not lead there; `book info --walk` counts what other moves reach";
                text = format!("{text}: {why}");
                let error = Error::invalid(text.clone()).in_file(item.label());
                reporter.count_reported(&error)?;
            }
            context.messages.note(&text);
        }
    }
    if done.illegal > 0 {
        let (count, entries) = (grouped(done.illegal), illegal_entries(done.illegal));
        let text = format!("{count} {entries} and on no line");
        let error = Error::invalid(text.clone()).in_file(item.label());
        reporter.count_reported(&error)?;
        context.messages.note(&text);
    }
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish_with(None, Some(&counts))?;
    if done.lines == 0 {
        context
            .messages
            .note("the book has no moves in this position");
        return Ok(ExitCode::NoMatch);
    }
    Ok(code)
}

/// The counts of a report's summary for lines of PGN.
#[derive(Serialize)]
struct LineCounts {
    lines: u64,
    positions: u64,
}
