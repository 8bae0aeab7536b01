//! `tabia book merge` and `fix`: books written anew.

use std::fmt::Write as _;
use std::path::Path;

use tabia::book::merge::{MergeMode, MergeOptions, Merged, merge};
use tabia::core::Error;
use tabia::core::formats::CreateOptions;
use tabia::core::games::Written;
use tabia::core::loss::{Feature, Losses};
use tabia::{Failure, InputItem};

use super::{book_format, item, items, tell};
use crate::args::book::{BookFixArgs, BookMergeArgs, MergeModeArg};
use crate::commands::info::size;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::progress::{counted, grouped};
use crate::report::Reporter;

pub(crate) fn run(args: &BookMergeArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let mut reporter = Reporter::new(&context, "book merge", args.out.force, None)?;
    let options = MergeOptions {
        mode: match args.mode {
            MergeModeArg::Sum => MergeMode::Sum,
            MergeModeArg::Max => MergeMode::Max,
            MergeModeArg::Priority => MergeMode::Priority,
            MergeModeArg::Average => MergeMode::Average,
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
    tell(&context, &items, &mut reporter)?;
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
    settle(&context, reporter, &items, &args.out.output, &merged)
}

/// `tabia book fix`: a merge of one.
pub(crate) fn fix(args: &BookFixArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let format = book_format(&context, &args.out.output, args.out.to.as_deref())?;
    let item = item(&context, &args.book)?;
    let mut reporter = Reporter::new(&context, "book fix", args.out.force, None)?;
    if format.file.id != item.format().id() {
        let text = "`book fix` keeps the format; `book convert` changes it";
        return Err(Failure::Usage(text.to_owned()));
    }
    let options = options(&context, args.out.force);
    let items = std::slice::from_ref(&item);
    tell(&context, items, &mut reporter)?;
    let display = context.display();
    let merged = merge(items, format, &args.out.output, &options, &context.progress);
    drop(display);
    settle(&context, reporter, items, &args.out.output, &merged?)
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

/// Tells what was written, put right and lost, and completes the report. Code 3 when entries or
/// positions of the inputs are not in the book.
pub(super) fn settle(
    context: &Context,
    mut reporter: Reporter,
    inputs: &[InputItem],
    output: &Path,
    merged: &Merged,
) -> Result<ExitCode, Failure> {
    let main = merged.written.files.first().map_or(output, |file| file);
    let mut text = format!(
        "{}: {}, {}, {}",
        main.display(),
        counted(merged.positions, "position"),
        counted(merged.moves, "move"),
        size(merged.written.bytes)
    );
    let mended = merged.mended;
    let plural = |count, one: &str, more: &str, what: &str| {
        let things = if count == 1 { one } else { more };
        format!("{} {things} {what}", grouped(count))
    };
    let mut wrong = Vec::new();
    let stale = plural(
        mended.out_of_order,
        "entry",
        "entries",
        "out of order dropped",
    );
    for (count, one, more, what) in [
        (mended.repeats, "repeat", "repeats", "added up"),
        (
            mended.no_moves,
            "entry",
            "entries",
            "without a move dropped",
        ),
    ] {
        if count > 0 {
            wrong.push(plural(count, one, more, what));
        }
    }
    let castlings = plural(mended.castlings, "castling", "castlings", "rewritten");
    let harmless = (mended.castlings > 0).then_some(&castlings);
    // The book has told those itself.
    let stale = (mended.out_of_order > 0).then_some(&stale);
    for what in stale.into_iter().chain(&wrong).chain(harmless) {
        let _ = write!(text, "; {what}");
    }
    context.messages.note(&text);
    if merged.unreached > 0 {
        let (one, more) = ("position", "positions");
        let what = "known only by key and not reached from the usual start: not in the target";
        let text = plural(merged.unreached, one, more, what);
        context.messages.note(&text);
        wrong.push(text);
    }
    for text in wrong {
        let error = Error::invalid(text);
        reporter.note(&match inputs {
            [only] => error.in_file(only.label()),
            _ => error,
        })?;
    }
    tell_losses(context, &merged.losses);
    let code = ExitCode::of_problems(reporter.count());
    reporter.extra = sums(merged.positions, merged.moves, &merged.written);
    reporter.finish_whole(main, &merged.losses)?;
    Ok(code)
}

/// What the target does not hold.
pub(super) fn tell_losses(context: &Context, losses: &Losses) {
    let rows = losses.iter().map(|(feature, loss)| {
        let label = match feature {
            Feature::BookMoves => "book moves without a place",
            other => other.label(),
        };
        (grouped(loss.count), label)
    });
    let rows: Vec<(String, &str)> = rows.collect();
    let Some(width) = rows.iter().map(|(count, _)| count.len()).max() else {
        return;
    };
    context.messages.note("not kept in the target format:");
    for (count, label) in rows {
        context
            .messages
            .note(&format!("  {count:>width$}  {label}"));
    }
}

/// What the summary of a report says of a book that was written.
pub(super) fn sums(positions: u64, moves: u64, written: &Written) -> Vec<(&'static str, Json)> {
    let files = written.files.iter();
    let files = files.map(|file| file.display().to_string().into());
    vec![
        ("positions", positions.into()),
        ("moves", moves.into()),
        ("files", Json::List(files.collect())),
        ("bytes", written.bytes.into()),
    ]
}
