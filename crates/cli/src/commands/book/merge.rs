//! `tabia book merge` and `fix`: books written anew.

use std::fmt::Write as _;
use std::path::Path;

use tabia::Failure;
use tabia::book::merge::{MergeOptions, Merged, Mode, merge};
use tabia::core::format::CreateOptions;

use super::{book_format, item, items};
use crate::book_args::{BookFixArgs, BookMergeArgs, MergeMode};
use crate::commands::info::size;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::progress::grouped;
use crate::report::Reporter;

pub(crate) fn run(args: &BookMergeArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let reporter = Reporter::new(&context, "book merge", args.out.force, None)?;
    let options = MergeOptions {
        mode: match args.mode {
            MergeMode::Sum => Mode::Sum,
            MergeMode::Max => Mode::Max,
            MergeMode::Priority => Mode::Priority,
            MergeMode::Average => Mode::Average,
        },
        factors: args.factors.clone(),
        normalize: args.normalize,
        zero_wins: args.zero_wins,
        ..options(&context, args.out.force)
    };
    let items = items(&context, &args.books)?;
    if args.factors.len() > items.len() {
        let text = format!("{} factors for {} books", args.factors.len(), items.len());
        return Err(Failure::Usage(text));
    }
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
    tell(&context, &args.out.output, &merged);
    reporter.finish(None)?;
    Ok(ExitCode::Done)
}

/// `tabia book fix`: a merge of one.
pub(crate) fn fix(args: &BookFixArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let item = item(&context, &args.book)?;
    let reporter = Reporter::new(&context, "book fix", args.out.force, None)?;
    if format.id != item.format().id {
        let text = "`book fix` keeps the format; `book convert` changes it";
        return Err(Failure::Usage(text.to_owned()));
    }
    let options = options(&context, args.out.force);
    let display = context.display();
    let merged = merge(
        std::slice::from_ref(&item),
        format,
        &args.out.output,
        &options,
        &context.progress,
    );
    drop(display);
    tell(&context, &args.out.output, &merged?);
    reporter.finish(None)?;
    Ok(ExitCode::Done)
}

pub(super) fn options(context: &Context, force: bool) -> MergeOptions {
    let mut create = CreateOptions::default();
    create.force = force;
    MergeOptions {
        open: context.open.clone(),
        create,
        ..MergeOptions::default()
    }
}

/// What was written, what was put right, what was lost.
pub(super) fn tell(context: &Context, output: &Path, merged: &Merged) {
    let main = merged.written.files.first().map_or(output, |file| file);
    let mut text = format!(
        "{}: {} positions, {} moves, {}",
        main.display(),
        grouped(merged.positions),
        grouped(merged.moves),
        size(merged.written.bytes)
    );
    let mended = merged.mended;
    for (count, what) in [
        (mended.out_of_order, "entries out of order dropped"),
        (mended.repeats, "repeats added up"),
        (mended.castlings, "castlings rewritten"),
        (mended.no_moves, "entries without a move dropped"),
    ] {
        if count > 0 {
            let _ = write!(text, "; {} {what}", grouped(count));
        }
    }
    context.messages.note(&text);
    if merged.unreached > 0 {
        let count = grouped(merged.unreached);
        let text = format!(
            "{count} positions are known only by key and were not reached from the usual start"
        );
        context.messages.note(&text);
    }
    for (feature, loss) in merged.losses.iter() {
        let (count, label) = (grouped(loss.count), feature.label());
        let text = format!("not kept in the target format: {count} {label}");
        context.messages.note(&text);
    }
}
