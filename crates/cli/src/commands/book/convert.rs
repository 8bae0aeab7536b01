//! `tabia book convert`: a book in another format, or as lines of PGN.

use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use tabia::book::convert::{convert_book, lines};
use tabia::core::chess::Position;
use tabia::core::formats::CreateOptions;
use tabia::core::io::OutputSet;
use tabia::{Error, InputItem};

use super::inputs::{QueriedPosition, book_format, book_input, open_book, report_problems_of_all};
use super::report_written::report_merged;
use crate::args::book::BookConvertArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::format_arg::find_format;
use crate::output_conflicts::refuse_inputs;
use crate::report::Reporter;
use crate::stdout::StdoutWriter;
use crate::units::counted;

pub(crate) fn run(args: &BookConvertArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let QueriedPosition { position, .. } = QueriedPosition::parse(&args.position)?;
    let extension = args
        .output
        .as_deref()
        .and_then(Path::extension)
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let wanted = args.to.as_deref().or(extension.as_deref());
    let is_text = match (wanted, &args.output) {
        (None, None) => true,
        (Some(name), _) => {
            let format = context.resolver.format(name);
            format.is_some_and(|format| format.games().is_some())
        }
        (None, Some(_)) => false,
    };
    let item = book_input(&context, &args.book)?;
    refuse_inputs(
        std::slice::from_ref(&item),
        &[args.output.as_deref(), args.common.report.as_deref()],
    )?;
    let mut reporter = context.reporter("book convert", args.force, None)?;
    if is_text {
        let format = wanted.unwrap_or("pgn");
        return to_lines(args, &context, reporter, &item, &position, format);
    }
    let Some(output) = &args.output else {
        let text = "books cannot go to standard output; give a file with `-o`";
        return Err(Error::usage(text));
    };
    if position.key() != Position::standard().key() {
        let text = "`--fen` and `--moves` are for lines of PGN";
        return Err(Error::usage(text));
    }
    let format = book_format(&context, output, args.to.as_deref())?;
    let mut create = CreateOptions::default();
    create.force = args.force;
    let items = std::slice::from_ref(&item);
    report_problems_of_all(&context, items, &mut reporter)?;
    let display = context.display();
    let merged = convert_book(
        &item,
        format,
        output,
        &context.open,
        &create,
        &context.progress,
    );
    drop(display);
    report_merged(&context, reporter, items, output, &merged?)
}

fn to_lines(
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
        return Err(Error::usage(text));
    };
    let book = open_book(context, item, &mut reporter)?;
    let mut writer = create(&CreateOptions::default()).map_err(Error::in_output)?;
    let mut out = StdoutWriter::new(&context.bar);
    let mut set = OutputSet::new(args.force);
    if let Some(path) = &args.output {
        set.create(path).map_err(Error::in_output)?;
    }
    let display = context.display();
    let name = item.name();
    let done = lines(
        &*book,
        &name,
        start,
        args.plies,
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
    out.flush()?;
    if let Some(path) = &args.output {
        set.commit().map_err(Error::in_output)?;
        let lines = counted(done.lines, "line");
        let positions = counted(done.positions, "position");
        let text = format!("{}: {lines}, {positions}", path.display());
        context.messages.note(&text);
    }
    let is_complete = args.position.fen.is_none() && args.position.moves.is_none();
    if is_complete {
        let all = book.size()?.positions;
        let count = counted(all.saturating_sub(done.positions), "position");
        if all > done.positions {
            let text = format!("{count} of the book not on these lines");
            context.messages.note(&text);
        }
    }
    let code = ExitCode::of_problems(reporter.count());
    let counts = LineCounts {
        lines: done.lines,
        positions: done.positions,
    };
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
