//! `tabia book merge`: one book from several.

use tabia::Error;
use tabia::book::merge::{MergeMode, merge};

use super::inputs::{book_format, book_inputs, merge_options, report_problems_of_all};
use super::report::report_merged;
use crate::args::book::{BookMergeArgs, MergeModeArg};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::report::Reporter;

pub(crate) fn run(args: &BookMergeArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let mut reporter = Reporter::new(&context, "book merge", args.out.force, None)?;
    let mut options = merge_options(&context, args.out.force);
    options.mode = match args.mode {
        MergeModeArg::Sum => MergeMode::Sum,
        MergeModeArg::Max => MergeMode::Max,
        MergeModeArg::Priority => MergeMode::Priority,
        MergeModeArg::Average => MergeMode::Average,
    };
    options.factors.clone_from(&args.factors);
    options.normalize = args.normalize;
    options.zero_wins = args.zero_wins;
    let items = book_inputs(&context, &args.books)?;
    if args.factors.len() > items.len() {
        let text = format!("{} factors for {} books", args.factors.len(), items.len());
        return Err(Error::usage(text));
    }
    report_problems_of_all(&context, &items, &mut reporter)?;
    let display = context.display();
    let merged = merge(
        &items,
        format,
        &args.out.output,
        &options,
        &context.progress,
    );
    drop(display);
    let merged = merged?;
    report_merged(&context, reporter, &items, &args.out.output, &merged)
}
