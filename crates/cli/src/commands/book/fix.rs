//! `tabia book fix`: rewrites one book, as a merge of a single book.

use tabia::Error;
use tabia::book::merge::merge;
use tabia::core::shell_argument::file_argument;

use super::merge::merge_options;
use super::open_books::{book_input, report_problems_of_all};
use super::report_written::report_merged;
use super::target_format::book_format;
use crate::archive_of_games::quoted;
use crate::args::book::BookFixArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::refuse_inputs;

pub(crate) fn run(args: &BookFixArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let item = book_input(&context, &args.book)?;
    refuse_inputs(
        std::slice::from_ref(&item),
        &[Some(&args.out.output), args.common.report.as_deref()],
    )?;
    let mut reporter = context.reporter("book fix", args.out.force, None)?;
    if item.format().book().is_none() {
        let name = item.name();
        let text = format!("{name} is no book: its format is {}", item.format().name());
        let hint = format!(
            "`tabia book build {} -o {}` makes a book of games",
            file_argument(&name),
            quoted(&args.out.output)
        );
        return Err(Error::usage(text).with_hint(hint));
    }
    if format.file.id != item.format().id() {
        let text = "`book fix` keeps the format";
        return Err(Error::usage(text).with_hint(format!(
            "`tabia book convert {} -o {}` changes it",
            file_argument(&item.name()),
            quoted(&args.out.output)
        )));
    }
    let mut options = merge_options(&context, args.out.force, &mut reporter);
    options.only_legal = true;
    let items = std::slice::from_ref(&item);
    report_problems_of_all(&context, items, &mut reporter)?;
    let display = context.display();
    let merged = merge(items, format, &args.out.output, &options, &context.progress);
    drop(display);
    report_merged(&context, reporter, items, &args.out.output, &merged?)
}
