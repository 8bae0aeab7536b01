//! `tabia repair`: recovers what is left of a database and accounts for every game.

use std::path::Path;

use serde::Serialize;
use tabia::Error;
use tabia::convert::Target;
use tabia::core::FormatId;
use tabia::formats::archives::compressed::Compression;
use tabia::repair::{RepairOptions, Repaired, remains, repair};

use crate::args::{ListingArgs, RepairArgs, SelectArgs};
use crate::commands::note_media::note_media;
use crate::commands::repair_all;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::{self, Displayed};
use crate::messages::Messages;
use crate::output_conflicts::refuse_inputs;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, grouped, size};
use crate::report::{LossRow, RecordRow, loss_rows, report_losses};
use crate::resolve_output_target::{format_of_to, refuse_existing, target_file};
use crate::stdout::StdoutWriter;

pub(crate) fn run(args: &RepairArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    if args.common.strict {
        let text = "`--strict` stops at the first problem; `check --strict` finds it";
        return Err(Error::usage(text));
    }
    if repair_all::is_asked_for(&context, args) {
        return repair_all::run(&context, args);
    }
    refuse_rows(&args.listing)?;
    let item = remains(&context.resolver, &args.path)?;
    let to = format_of_to(&context.resolver, args.to.as_deref())?;
    let output = Path::new(&args.output);
    let Target::File {
        format,
        path,
        compression: Compression::None,
    } = target_file(&context.resolver, output, to, &[], &SelectArgs::default())?
    else {
        let text = format!(
            "{}: a repaired database cannot be compressed",
            output.path_text()
        );
        return Err(Error::usage(text));
    };
    refuse_inputs(
        std::slice::from_ref(&item),
        &[Some(&path), args.common.report.as_deref()],
    )?;
    refuse_existing(&path, args.force)?;
    let mut reporter = context.reporter("repair", args.force, None)?;
    let mut options = RepairOptions::default();
    options.open = context.open.clone();
    options.create.force = args.force;
    options.create.transaction = reporter.transaction();
    options.threads = context.threads;
    let display = context.display();
    let repaired = repair(
        &item,
        format,
        &path,
        &options,
        &context.progress,
        &mut reporter,
    );
    drop(display);
    let repaired = repaired?;
    let counts = RecordCounts::new(&repaired);
    reporter.commit(Some(&repaired.summary), Some(&counts))?;
    if args.listing.json {
        let files = repaired.written.files.iter();
        let document = RepairDocument {
            path: item.name(),
            format: Displayed(item.format().id()),
            to: Displayed(format.file.id),
            files: files.map(|file| file.path_text().into_owned()).collect(),
            counts: &counts,
            record_list: &reporter.records,
            losses: loss_rows(&repaired.summary.losses),
        };
        let mut out = StdoutWriter::new(&context.bar);
        out.bytes(&json::compact(&document))?;
        out.text("\n")?;
        out.flush()?;
    }
    report_repaired(&context, &repaired);
    let not_whole = repaired.damaged + repaired.lost;
    let code = ExitCode::of_problems(repaired.summary.problems + not_whole);
    reporter.finish_with(Some(&repaired.summary), Some(&counts))?;
    Ok(code)
}

/// Refuses options for rows, which only the inputs of a folder or an archive have.
fn refuse_rows(args: &ListingArgs) -> Result<(), Error> {
    let is_set = args.has_style() && !args.json || args.no_header;
    if is_set || args.limit.is_some() || args.offset > 0 {
        let text = "one database has no rows: these are of a folder or an archive";
        return Err(Error::usage(text).with_hint("`--json` writes the account of a database"));
    }
    Ok(())
}

/// What `repair --json` writes of one database.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepairDocument<'a> {
    path: String,
    format: Displayed<FormatId>,
    to: Displayed<FormatId>,
    files: Vec<String>,
    #[serde(flatten)]
    counts: &'a RecordCounts<'a>,
    /// The first records with losses.
    record_list: &'a [RecordRow],
    losses: Vec<LossRow<'a>>,
}

/// How many records a repair saved, and the problems of the input as a whole.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecordCounts<'a> {
    records: u64,
    whole: u64,
    damaged: u64,
    lost: u64,
    /// Of the damaged ones, those without any moves, with moves kept as text, with a part of them, and without the names of both players.
    without_moves: u64,
    with_unread_moves: u64,
    with_cut_moves: u64,
    without_names: u64,
    ends_early: bool,
    #[serde(rename = "faults")]
    problems: &'a [String],
}

impl<'a> RecordCounts<'a> {
    fn new(repaired: &'a Repaired) -> Self {
        Self {
            records: repaired.whole + repaired.damaged + repaired.lost,
            whole: repaired.whole,
            damaged: repaired.damaged,
            lost: repaired.lost,
            without_moves: repaired.lost_parts.all_moves,
            with_unread_moves: repaired.lost_parts.unread_moves,
            with_cut_moves: repaired.lost_parts.some_moves,
            without_names: repaired.lost_parts.names,
            ends_early: repaired.ends_early,
            problems: &repaired.problems,
        }
    }
}

/// Notes how many records were recovered.
pub(crate) fn report_records(messages: &Messages, repaired: &Repaired) {
    let note = |text: String| messages.note(&text);
    let all = repaired.whole + repaired.damaged + repaired.lost;
    note(format!("{}:", counted(all, "record")));
    let width = grouped(all).len();
    for (count, outcome) in [
        (repaired.whole, "recovered completely"),
        (repaired.damaged, WITH_LOSSES),
        (repaired.lost, "lost"),
    ] {
        note(format!("  {:>width$}  {outcome}", grouped(count)));
        if outcome != WITH_LOSSES {
            continue;
        }
        let parts = &repaired.lost_parts;
        for (count, part) in [
            (
                parts.all_moves,
                "without any moves: of these only the header is left",
            ),
            (
                parts.unread_moves,
                "whose moves could not be read: they are kept as text",
            ),
            (
                parts.some_moves,
                "damaged at a move: moves, variations or comments are missing",
            ),
            (parts.names, "without the names of both players"),
        ] {
            if count > 0 {
                note(format!(
                    "  {:>width$}    {:>width$}  {part}",
                    "",
                    grouped(count)
                ));
            }
        }
    }
    if repaired.ends_early {
        note("the input ends early: what followed is unknown".to_owned());
    }
}

const WITH_LOSSES: &str = "recovered with losses";

fn report_repaired(context: &Context, repaired: &Repaired) {
    report_losses(&context.messages, &repaired.summary.losses, false);
    report_records(&context.messages, repaired);
    let note = |text: String| context.messages.note(&text);
    if let Some(file) = repaired.written.files.first() {
        let bytes = size(repaired.written.bytes);
        note(format!(
            "{} to {}: {bytes}",
            counted(repaired.written.records.into(), "record"),
            file.path_text()
        ));
    }
    note_media(context, &repaired.summary);
}
