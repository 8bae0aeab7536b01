//! `tabia book merge`: merges several books into one.

use tabia::book::merge::{MergeMode, MergeOptions, Merged, merge};
use tabia::core::BookFormat;
use tabia::core::loss::Feature;
use tabia::formats::books::MoveValues;
use tabia::{Error, InputItem};

use super::open_books::{book_inputs, report_problems_of_all};
use super::report_written::report_merged;
use super::target_format::book_format;
use crate::args::book::{BookMergeArgs, MergeModeArg};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::output_conflicts::refuse_inputs;
use crate::readable_numbers::{counted, grouped};
use crate::report::Reporter;

pub(crate) fn run(args: &BookMergeArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let mut reporter = context.reporter("book merge", args.out.force, None)?;
    let mut options = merge_options(&context, args.out.force, &mut reporter);
    options.mode = match args.mode {
        MergeModeArg::Sum => MergeMode::Sum,
        MergeModeArg::Max => MergeMode::Max,
        MergeModeArg::Priority => MergeMode::Priority,
        MergeModeArg::Average => MergeMode::Average,
    };
    options.factors.clone_from(&args.factors);
    options.normalize = args.normalize;
    options.zero_wins = args.zero_wins;
    options.only_legal = true;
    let items = book_inputs(&context, &args.books)?;
    refuse_inputs(
        &items,
        &[Some(&args.out.output), args.common.report.as_deref()],
    )?;
    if !args.factors.is_empty() && args.factors.len() != items.len() {
        let text = format!(
            "{} for {}",
            counted(args.factors.len() as u64, "factor"),
            counted(items.len() as u64, "book")
        );
        let given = args.factors.iter().copied().chain(std::iter::repeat(1.0));
        let given = given.take(items.len()).map(|factor| factor.to_string());
        let given: Vec<String> = given.collect();
        let hint = format!("each book has one: `--factors {}`", given.join(","));
        return Err(Error::usage(text).with_hint(hint));
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
    let is_weighted = args.normalize || !args.factors.is_empty();
    if options.mode != MergeMode::Priority && !is_weighted {
        warn_of_scales(&context, &items, format, &merged);
    }
    report_merged(&context, reporter, &items, &args.out.output, &merged)
}

/// Ratio of the greatest weights of two books from which on their scales are different.
const SCALE_RATIO: u32 = 10;

/// Warns if the weights of the books have different scales, at least in the standard position, so that those of one
/// book hardly count.
fn warn_of_scales(context: &Context, items: &[InputItem], format: &BookFormat, merged: &Merged) {
    let advice = if format.can.has(Feature::BookWeights) {
        "`--normalize` gives the books equal influence, `--factors` any other"
    } else if MoveValues::of(format).weights_become_games {
        "`--factors` gives the books of weights another influence"
    } else {
        return;
    };
    let of_all = differing_scales(items, &merged.max_weights);
    let text = of_all.map(|weights| format!("the weights have different scales: {weights}"));
    let text = text.or_else(|| {
        let weights = differing_scales(items, &merged.first_weights)?;
        let position = "in the standard position the weights have different scales";
        Some(format!("{position}: {weights}"))
    });
    if let Some(text) = text {
        context.messages.warning(&format!("{text}; {advice}"));
    }
}

/// The least and the greatest of the weights, if their scales are different.
fn differing_scales(items: &[InputItem], weights: &[Option<u32>]) -> Option<String> {
    let weights = items.iter().zip(weights);
    let weights = weights.filter_map(|(item, max)| Some((item, (*max).filter(|max| *max > 0)?)));
    let weights: Vec<_> = weights.collect();
    let (small, low) = weights.iter().min_by_key(|(_, max)| *max)?;
    let (great, high) = weights.iter().max_by_key(|(_, max)| *max)?;
    (high / low >= SCALE_RATIO).then(|| {
        format!(
            "at most {} in {}, at most {} in {}",
            grouped(u64::from(*low)),
            small.name(),
            grouped(u64::from(*high)),
            great.name()
        )
    })
}

/// How books are opened and the new one is created, with the defaults of a merge.
pub(super) fn merge_options(
    context: &Context,
    force: bool,
    reporter: &mut Reporter,
) -> MergeOptions {
    let mut options = MergeOptions::default();
    options.open = context.open.clone();
    options.create = reporter.create_options(force);
    options
}
