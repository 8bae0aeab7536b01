//! `tabia dedupe`: leaves duplicate games out.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use tabia::core::io::{OutputSet, is_stream_device};
use tabia::core::shell_argument::file_argument;
use tabia::dedupe::{
    DedupeOptions, Duplicate, DuplicateKind, dropped_games, find_duplicates, merges,
};
use tabia::{Error, InputItem};

use crate::args::{DedupeArgs, ListingArgs, SelectArgs};
use crate::commands::convert;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle, line};
use crate::output_conflicts::{refuse_inputs, refuse_only_itself};
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as};
use crate::report::Reporter;
use crate::resolve_output_target::{
    format_of_to, refuse_absent_folder, refuse_existing, target_file,
};

const COLUMNS: [&str; 6] = ["group", "kind", "kept", "dropped", "reason", "score"];

#[derive(Serialize)]
struct Row {
    group: u32,
    kind: &'static str,
    /// Number of the game, with its file before if there are several.
    kept: String,
    dropped: String,
    reason: String,
    /// Percentage of plies in common.
    score: u32,
}

impl Row {
    fn new(duplicate: &Duplicate, items: &[InputItem]) -> Self {
        let at = |(input, game): (u32, tabia::GameIndex)| {
            let number = u64::from(game.0) + 1;
            match items.get(input as usize) {
                Some(item) if items.len() > 1 => format!("{}:{number}", item.name()),
                _ => number.to_string(),
            }
        };
        let (kept, dropped) = duplicate.plies;
        let reason = match duplicate.kind {
            DuplicateKind::Exact if kept == 0 => "no moves, all else is the same".to_owned(),
            DuplicateKind::Exact => format!("the same {}", counted_as(kept.into(), "ply", "plies")),
            DuplicateKind::Near => format!(
                "the first {} of {kept} and {} are the same",
                duplicate.common,
                counted_as(dropped.into(), "ply", "plies")
            ),
            _ if duplicate.common == 1 => "the only ply of the shorter begins the other".to_owned(),
            _ => format!(
                "the {} plies of the shorter begin the other",
                duplicate.common
            ),
        };
        Self {
            group: duplicate.group,
            kind: duplicate.kind.name(),
            kept: at(duplicate.kept),
            dropped: at(duplicate.dropped),
            reason,
            score: duplicate.score(),
        }
    }
}

/// Whether an input is standard input or a pipe, whose bytes are there once.
pub(super) fn is_read_once(path: &OsStr) -> bool {
    path == "-" || is_stream_device(Path::new(path))
}

/// The error for an input that can be read once.
pub(super) fn read_twice(what: &str) -> Error {
    let text = format!("{what} are read twice; save standard input or the pipe to a file");
    let hint = "`tabia convert - -o games.pgn` at the end of the pipe does that";
    Error::usage(text).with_hint(hint)
}

pub(crate) fn run(args: &DedupeArgs) -> Result<ExitCode, Error> {
    if args.output.is_none() && !args.dry_run {
        let text =
            "`-o OUT` writes the games that are kept, `--dry-run` only shows what is dropped";
        let inputs: Vec<String> = args
            .paths
            .iter()
            .map(|path| path.path_text().into_owned())
            .collect();
        let inputs: Vec<_> = inputs.iter().map(|path| file_argument(path)).collect();
        let hint = format!("`tabia dedupe {} --dry-run`", inputs.join(" "));
        return Err(Error::usage(text).with_hint(hint));
    }
    if args.paths.iter().any(|path| is_read_once(path)) {
        return Err(read_twice("the inputs"));
    }
    let context = Context::new(&args.rows.common)?;
    let mut reporter = context.reporter("dedupe", args.force, None)?;
    let explained = explained_file(args.explain.as_deref(), args.force, &mut reporter)?;
    let target = args.output.as_deref().map(Path::new);
    let (items, unread) = match target {
        None => context.games_to_list(&args.paths, &mut reporter)?,
        // All games are to be in the output.
        Some(_) => (
            context.games(&args.paths, target, &mut reporter)?,
            ExitCode::Done,
        ),
    };
    refuse_only_itself(&items, target)?;
    refuse_inputs(&items, &[target, args.explain.as_deref()])?;
    let is_file = |path: &&Path| *path != "-" && !is_stream_device(path);
    if let Some(output) = target.filter(is_file) {
        refuse_existing(output, args.force)?;
        refuse_absent_folder(output)?;
        let to = format_of_to(&context.resolver, args.to.as_deref())?;
        let select = SelectArgs::default();
        if !is_table(args) {
            target_file(&context.resolver, output, to, &args.paths, &select)?;
        }
    }
    let mut options = DedupeOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.rows.common.strict;
    options.selection.deleted = args.rows.include_deleted;
    let display = context.display();
    let found = find_duplicates(&items, &options, &context.progress, &mut reporter);
    drop(display);
    let (mut summary, duplicates) = found?;
    let explained = write_explained(explained, &duplicates, &items)?;
    let count = counted(duplicates.len() as u64, "duplicate");
    let code = ExitCode::of_problems(summary.problems.max(reporter.count())).worse(unread);
    let Some(output) = &args.output else {
        explained.commit().map_err(Error::in_output)?;
        show(&context, &args.rows.listing, &duplicates, &items)?;
        reporter.finish(Some(&summary))?;
        context.messages.note(&format!("{count} found"));
        return Ok(code);
    };
    context.messages.note(&format!("{count} left out"));
    let mut convert = convert::plain(&args.paths, output, args.to.as_deref(), &args.rows.common);
    convert.force = args.force;
    convert.select.records.include_deleted = args.rows.include_deleted;
    convert.dropped = dropped_games(items.len(), &duplicates);
    if args.merge_annotations {
        convert.merges = merges(&items, &duplicates, &options, &context.progress)?;
    }
    convert.are_problems_reported = true;
    convert.common.report = None;
    convert.transaction = reporter.transaction();
    let converted = convert::convert_files(&convert)?;
    explained.commit().map_err(Error::in_output)?;
    summary.losses = converted.losses;
    let counts = GameCounts {
        written: converted.games,
        duplicates: duplicates.len() as u64,
        damaged: None,
    };
    reporter.finish_with(Some(&summary), Some(&counts))?;
    if args.rows.listing.has_style() && output != "-" {
        show(&context, &args.rows.listing, &duplicates, &items)?;
    }
    Ok(code.worse(converted.code))
}

/// Whether the games go to a table.
#[cfg(feature = "parquet")]
fn is_table(args: &DedupeArgs) -> bool {
    let Some(output) = &args.output else {
        return false;
    };
    let convert = convert::plain(&args.paths, output, args.to.as_deref(), &args.rows.common);
    super::convert_to_tables::is_asked_for(&convert)
}

/// Whether the games go to a table.
#[cfg(not(feature = "parquet"))]
fn is_table(_args: &DedupeArgs) -> bool {
    false
}

/// What became of the games; the beginning of the summary in a report.
#[derive(Serialize)]
pub(super) struct GameCounts {
    /// Games and guiding texts.
    pub(super) written: u64,
    pub(super) duplicates: u64,
    /// Records whose moves or names are lost and that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) damaged: Option<u64>,
}

/// The file of `--explain`, which gets its name together with the result.
pub(super) fn explained_file(
    path: Option<&Path>,
    force: bool,
    reporter: &mut Reporter,
) -> Result<OutputSet, Error> {
    let mut explained = OutputSet::new(force);
    if let Some(path) = path {
        reporter.begin_transaction().join(&mut explained);
        explained.create(path).map_err(Error::in_output)?;
    }
    Ok(explained)
}

/// Writes a row for each duplicate.
pub(super) fn write_explained(
    mut explained: OutputSet,
    duplicates: &[Duplicate],
    items: &[InputItem],
) -> Result<OutputSet, Error> {
    let Some(file) = explained.file(0) else {
        return Ok(explained);
    };
    let mut text = Vec::new();
    line(RowStyle::Tsv, COLUMNS.into_iter(), &mut text);
    for duplicate in duplicates {
        let row = Row::new(duplicate, items);
        let (group, score) = (row.group.to_string(), row.score.to_string());
        let cells = [
            group.as_str(),
            row.kind,
            &row.kept,
            &row.dropped,
            &row.reason,
            &score,
        ];
        line(RowStyle::Tsv, cells.into_iter(), &mut text);
    }
    // What does not fit on the disk is reported before any game is written.
    file.write_all(&text)
        .and_then(|()| file.flush())
        .map_err(|error| Error::from(error).in_output())?;
    Ok(explained)
}

/// Shows a row for each duplicate.
pub(super) fn show(
    context: &Context,
    args: &ListingArgs,
    duplicates: &[Duplicate],
    items: &[InputItem],
) -> Result<(), Error> {
    let listing = Listing::new(&context.bar, args, &COLUMNS, &["group", "score"]);
    // The plies that both games have in common, in percent.
    let listing = listing.with_header("score", "Same%");
    let mut listing = listing.paged(context);
    for duplicate in duplicates {
        listing.push(&Row::new(duplicate, items))?;
    }
    listing.finish()
}
