//! `tabia book convert`: a book in another format, or as lines of PGN.

use std::path::Path;

use tabia::Error;
use tabia::book::convert::convert_book;
use tabia::core::chess::Position;

use super::convert_to_lines::to_lines;
use super::open_books::{book_input, report_problems_of_all};
use super::report_written::report_merged;
use super::target_format::{book_format, is_stdout, no_book_on_stdout};
use crate::args::book::BookConvertArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::refuse_inputs;
use crate::typed_position::TypedPosition;

pub(crate) fn run(args: &BookConvertArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let TypedPosition { position, .. } = args.position.parse()?;
    let extension = args
        .output
        .as_deref()
        .and_then(Path::extension)
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let wanted = args.to.as_deref().or(extension.as_deref());
    let output = args.output.as_deref().filter(|path| !is_stdout(path));
    let is_text = match (wanted, output) {
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
    #[cfg(feature = "parquet")]
    if super::tables::is_asked_for(args) {
        refuse_line_options(args, &position)?;
        report_problems_of_all(&context, std::slice::from_ref(&item), &mut reporter)?;
        return super::tables::write(args, &context, reporter, &item);
    }
    if is_text {
        let format = wanted.unwrap_or("pgn");
        return to_lines(args, &context, reporter, &item, &position, format);
    }
    let Some(output) = output else {
        return Err(no_book_on_stdout());
    };
    refuse_line_options(args, &position)?;
    let format = book_format(&context, output, args.to.as_deref())?;
    #[cfg(feature = "parquet")]
    if super::tables::is_table(&context, &item) {
        let items = std::slice::from_ref(&item);
        return super::tables::read(&context, reporter, items, format, output, args.force);
    }
    let create = reporter.create_options(args.force);
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

/// Refuses a position and a number of plies for outputs that hold the whole book.
fn refuse_line_options(args: &BookConvertArgs, position: &Position) -> Result<(), Error> {
    if args.plies.is_some() {
        return Err(Error::usage("`--plies` is for lines of PGN"));
    }
    if position.key() == Position::standard().key() {
        return Ok(());
    }
    let text = "`--fen` and `--moves` are for lines of PGN";
    Err(Error::usage(text))
}
