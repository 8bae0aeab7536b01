//! Books as tables, and tables as books: `tabia book convert`, `tabia book from-parquet`.

use std::ffi::OsString;
use std::path::Path;

use tabia::core::BookFormat;
use tabia::{Error, InputItem};
use tabia_columns::book_rows::write_book_rows;
use tabia_columns::read::{book_from_rows, is_book_rows};
use tabia_columns::write::TableFile;

use super::report_written::report_merged;
use super::target_format::book_format;
use crate::args::book::{BookConvertArgs, BookFromParquetArgs};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::refuse_inputs;
use crate::readable_numbers::counted;
use crate::report::Reporter;
use crate::stdout::StdoutWriter;

/// Whether the output of `book convert` is a table.
pub(super) fn is_asked_for(args: &BookConvertArgs) -> bool {
    let name = args.output.as_deref().map(Path::to_string_lossy);
    match args.to.as_deref() {
        Some(kind) => matches!(kind, "parquet" | "arrow"),
        None => name.is_some_and(|name| TableFile::of_name(&name).is_some()),
    }
}

/// Writes the moves of a book as a table.
pub(super) fn write(
    args: &BookConvertArgs,
    context: &Context,
    reporter: Reporter,
    item: &InputItem,
) -> Result<ExitCode, Error> {
    let mut out = StdoutWriter::new(&context.bar);
    let is_arrow = args.to.as_deref() == Some("arrow");
    let name = args.output.as_deref().map(Path::to_string_lossy);
    let file = match name.as_deref() {
        None | Some("-") if !is_arrow => {
            let text =
                "Parquet cannot go to standard output; give a file with `-o`, or `--to arrow`";
            return Err(Error::usage(text));
        }
        None | Some("-") => TableFile::Stream(out.writer()),
        Some(name) => match TableFile::of_name(name) {
            Some(folder @ TableFile::Folder(..)) if !is_arrow => folder,
            Some(TableFile::Folder(..)) => {
                let text = "a folder has Parquet files; give a file for Arrow";
                return Err(Error::usage(text));
            }
            _ if is_arrow => TableFile::Arrow(name.into()),
            Some(file) if args.to.is_none() => file,
            _ => TableFile::Parquet(name.into()),
        },
    };
    let display = context.display();
    let create = reporter.create_options(args.force);
    let written = write_book_rows(item, file, &context.open, &create, &context.progress);
    drop(display);
    let flushed = out.flush();
    let mut merged = written?;
    flushed?;
    let unreached = std::mem::take(&mut merged.unreached);
    if unreached > 0 {
        let count = counted(unreached, "position");
        let text = format!(
            "{count} known only by key and not reached from the usual start: their rows have no `fen`"
        );
        context.messages.note(&text);
    }
    let output = args
        .output
        .as_deref()
        .unwrap_or(Path::new("standard output"));
    report_merged(
        context,
        reporter,
        std::slice::from_ref(item),
        output,
        &merged,
    )
}

/// Whether an input of `book convert` is a table of book rows.
pub(super) fn is_table(context: &Context, item: &InputItem) -> bool {
    item.format().book().is_none() && is_book_rows(item, &context.open)
}

/// Makes a book of tables.
pub(super) fn read(
    context: &Context,
    reporter: Reporter,
    items: &[InputItem],
    format: &'static BookFormat,
    output: &Path,
    force: bool,
) -> Result<ExitCode, Error> {
    let create = reporter.create_options(force);
    let display = context.display();
    let merged = book_from_rows(
        items,
        format,
        output,
        &context.open,
        &create,
        &context.progress,
    );
    drop(display);
    report_merged(context, reporter, items, output, &merged?)
}

pub(super) fn from_parquet(args: &BookFromParquetArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let reporter = context.reporter("book from-parquet", args.out.force, None)?;
    let mut items = Vec::new();
    for path in &args.tables {
        items.extend(tables_of(&context, path)?);
    }
    refuse_inputs(
        &items,
        &[Some(&args.out.output), args.common.report.as_deref()],
    )?;
    let output = &args.out.output;
    read(&context, reporter, &items, format, output, args.out.force)
}

/// The tables that a path names, those of a folder in the order of their names.
fn tables_of(context: &Context, path: &OsString) -> Result<Vec<InputItem>, Error> {
    let mut items = context.contents(std::slice::from_ref(path))?;
    items.sort_by(|one, other| one.label().cmp(other.label()));
    Ok(items)
}
