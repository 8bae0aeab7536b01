//! Books as tables, and tables as books: `tabia book build`, `tabia book convert`, `tabia book from-parquet`.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use tabia::core::BookFormat;
use tabia::{Error, InputItem};
use tabia_columns::book_rows::{write_book_rows, write_move_sums};
use tabia_columns::read::{book_from_rows, is_book_rows};
use tabia_columns::write::TableFile;

use super::build;
use super::report_written::report_merged;
use super::target_format::book_format;
use crate::args::book::{BookBuildArgs, BookConvertArgs, BookFromParquetArgs};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::refuse_inputs;
use crate::readable_numbers::counted;
use crate::report::Reporter;
use crate::resolve_output_target::refuse_existing;
use crate::stdout::StdoutWriter;

/// Whether the output of `book convert` is a table.
pub(super) fn is_asked_for(args: &BookConvertArgs) -> bool {
    is_table_name(args.output.as_deref(), args.to.as_deref())
}

/// Whether an output with that name, and the format that is asked for, is a table.
fn is_table_name(output: Option<&Path>, to: Option<&str>) -> bool {
    let name = output.map(Path::to_string_lossy);
    match to {
        Some(kind) => matches!(kind, "parquet" | "arrow"),
        None => name.is_some_and(|name| TableFile::of_name(&name).is_some()),
    }
}

/// Writes the moves of a book as a table.
pub(super) fn write(
    args: &BookConvertArgs,
    context: &Context,
    mut reporter: Reporter,
    item: &InputItem,
) -> Result<ExitCode, Error> {
    let mut out = StdoutWriter::new(&context.bar);
    let file = table_file(args.output.as_deref(), args.to.as_deref(), &mut out)?;
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

/// The file of a table; standard output for a stream of Arrow.
fn table_file<'a>(
    output: Option<&Path>,
    to: Option<&str>,
    out: &'a mut StdoutWriter,
) -> Result<TableFile<'a>, Error> {
    let is_arrow = to == Some("arrow");
    let name = output.map(Path::to_string_lossy);
    Ok(match name.as_deref() {
        None | Some("-") if !is_arrow => {
            let text =
                "Parquet cannot go to standard output; give a file with `-o`, or `--to arrow`";
            return Err(Error::usage(text));
        }
        None | Some("-") => TableFile::Stream(out.writer()),
        Some(name) => match TableFile::of_name(name) {
            Some(TableFile::Folder(folder, bytes)) if !is_arrow => TableFile::Folder(folder, bytes),
            Some(TableFile::Folder(..)) => {
                let text = "a folder has Parquet files; give a file for Arrow";
                return Err(Error::usage(text));
            }
            _ if is_arrow => TableFile::Arrow(name.into()),
            Some(TableFile::Arrow(path)) if to.is_none() => TableFile::Arrow(path),
            _ => TableFile::Parquet(name.into()),
        },
    })
}

/// Whether the output of `book build` is a table.
pub(super) fn is_to_be_built(args: &BookBuildArgs) -> bool {
    is_table_name(Some(&args.output), args.to.as_deref())
}

/// Writes the moves of games as a table, with their sums.
pub(super) fn build(args: &BookBuildArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    if let Some(option) = args.kvetka.used() {
        let text = format!("`{option}` is for books; a table has the sums of all moves");
        return Err(Error::usage(text));
    }
    let mut options = build::options(args, &context, true)?;
    options.require_sums_of_all_moves()?;
    refuse_existing(&args.output, args.force)?;
    options.move_filter.min_games = args.min_games.unwrap_or(1);
    let mut reporter = context.reporter("book build", args.force, None)?;
    let items = context.games(&args.paths, Some(&args.output), &mut reporter)?;
    let report = args.common.report.as_deref();
    refuse_inputs(&items, &[Some(&args.output), report])?;
    options.create.transaction = reporter.transaction();
    let start = Instant::now();
    let mut out = StdoutWriter::new(&context.bar);
    let file = table_file(Some(&args.output), args.to.as_deref(), &mut out)?;
    let display = context.display();
    let built = write_move_sums(&items, file, &options, &context.progress, &mut reporter);
    drop(display);
    let flushed = out.flush();
    let built = built?;
    flushed?;
    build::finish(
        &context,
        args,
        reporter,
        &built,
        start.elapsed().as_secs_f64(),
        None,
    )
}

/// Whether an input of `book convert` is a table of book rows.
pub(super) fn is_table(context: &Context, item: &InputItem) -> bool {
    item.format().book().is_none() && is_book_rows(item, &context.open)
}

/// Makes a book of tables.
pub(super) fn read(
    context: &Context,
    mut reporter: Reporter,
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
