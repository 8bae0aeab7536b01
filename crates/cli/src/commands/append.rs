//! `tabia append`: the games that a database does not have yet.

use std::path::Path;
use std::sync::Arc;

use tabia::Error;
use tabia::base::{IndexChange, build_index, index_path};
use tabia::core::io::SetLock;
use tabia::dedupe::{DedupeOptions, dropped_games, find_known};
use tabia::repair::remains;

use crate::args::AppendArgs;
use crate::commands::index::index_options;
use crate::commands::{convert, dedupe, salvage};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::readable_numbers::counted;

pub(crate) fn run(args: &AppendArgs) -> Result<ExitCode, Error> {
    if args.output == "-" || args.paths.iter().any(|path| path == "-") {
        let text = "the inputs and the database are read twice; save standard input to a file";
        let hint = "`tabia convert - -o games.pgn` does that";
        return Err(Error::usage(text).with_hint(hint));
    }
    let context = Context::new(&args.rows.common)?;
    let mut reporter = context.reporter("append", args.force, None)?;
    let explained = dedupe::explained_file(args.explain.as_deref(), args.force, &mut reporter)?;
    // Two processes that do not know each other's games would both add them. A set that is repaired has a
    // lock of its own.
    let path = Path::new(&args.output);
    let lock = if args.dry_run || args.salvage {
        None
    } else {
        SetLock::acquire_existing(path)?
    };
    let salvaged = if args.salvage {
        let item = remains(&context.resolver, &args.output)?;
        salvage::prepare(&context, &item, path, &mut reporter)?
    } else {
        None
    };
    let mut items = match &salvaged {
        Some(salvaged) => vec![salvaged.item()?],
        None => context.games(std::slice::from_ref(&args.output), None, &mut reporter)?,
    };
    let [base] = items.as_slice() else {
        return Err(Error::usage("`-o` names one database"));
    };
    let has_index = index_path(base, &index_options(&context)).is_some();
    items.extend(context.games(&args.paths, Some(path), &mut reporter)?);
    let mut options = DedupeOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.rows.common.strict;
    options.selection.deleted = args.rows.include_deleted;
    let display = context.display();
    let found = find_known(&items, 1, &options, &context.progress, &mut reporter);
    drop(display);
    let (summary, duplicates) = found?;
    let explained = dedupe::write_explained(explained, &duplicates, &items)?;
    let count = counted(duplicates.len() as u64, "duplicate");
    let code = ExitCode::of_problems(summary.problems.max(reporter.count()));
    if args.dry_run {
        explained.commit().map_err(Error::in_output)?;
        dedupe::show(&context, &args.rows.listing, &duplicates, &items)?;
        reporter.finish(Some(&summary))?;
        context.messages.note(&format!("{count} found"));
        return Ok(code);
    }
    context.messages.note(&format!("{count} left out"));
    let mut convert = convert::plain(&args.paths, &args.output, None, &args.rows.common);
    convert.append = true;
    convert.lock = lock.map(Arc::new);
    convert.select.records.include_deleted = args.rows.include_deleted;
    convert.dropped = dropped_games(items.len(), &duplicates).split_off(1);
    // Its problems are reported already.
    convert.common.quiet |= summary.problems > 0;
    convert.common.report = None;
    convert.repaired_output = salvaged.as_ref().map(|set| set.path().to_path_buf());
    let transaction = reporter.transaction();
    if salvaged.is_none() {
        convert.transaction.clone_from(&transaction);
    }
    let (mut code_of_games, _) = convert::convert_files(&convert)?;
    if let Some(mut salvaged) = salvaged {
        if let Some(transaction) = &transaction {
            salvaged.join(transaction);
        }
        salvaged.replace()?;
        code_of_games = code_of_games.worse(ExitCode::Problems);
    }
    explained.commit().map_err(Error::in_output)?;
    reporter.finish(Some(&summary))?;
    if has_index {
        grow_index(args, &context)?;
    }
    Ok(code.worse(code_of_games))
}

/// Adds the new games to the saved index.
fn grow_index(args: &AppendArgs, context: &Context) -> Result<(), Error> {
    let mut reporter = context.reporter("index", true, None)?;
    let options = index_options(context);
    // The files are others than before.
    for item in context.games(std::slice::from_ref(&args.output), None, &mut reporter)? {
        let built = build_index(&item, &options, &context.progress, &mut reporter)?;
        let done = match built.change {
            IndexChange::Built => "built again",
            IndexChange::Grown => "grown",
            IndexChange::None => "current",
        };
        let path = built.path.display();
        context.messages.note(&format!("{path}: {done}"));
    }
    Ok(())
}
