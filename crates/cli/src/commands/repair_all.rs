//! `tabia repair FOLDER` and `tabia repair ARCHIVE`: every database and book in it, each into a file of its own.

use std::path::{Path, PathBuf};

use serde::Serialize;
use tabia::book::merge::Merged;
use tabia::core::FormatId;
use tabia::core::io::is_stream_device;
use tabia::core::shell_argument::file_argument;
use tabia::repair::{
    PlannedRepair, RepairJob, RepairOptions, Repaired, RepairedFile, plan_repairs,
};
use tabia::{Error, ErrorSide, Summary};

use crate::args::RepairArgs;
use crate::commands::book::Problems;
use crate::commands::other_files::OtherFiles;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Displayed;
use crate::listing::Listing;
use crate::output_conflicts::refuse_inputs;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, grouped};
use crate::report::{ProblemRow, Reporter, report_losses};
use crate::resolve_output_target::{format_of_to, refuse_existing};

const COLUMNS: &[&str] = &[
    "path",
    "format",
    "outcome",
    "output",
    "records",
    "whole",
    "damaged",
    "lost",
    "positions",
    "problems",
];

const NUMERIC: &[&str] = &[
    "records",
    "whole",
    "damaged",
    "lost",
    "positions",
    "problems",
];

/// Whether everything in a folder or an archive is repaired, or the output is a folder.
pub(crate) fn is_asked_for(context: &Context, args: &RepairArgs) -> bool {
    if is_folder(context, Path::new(&args.output)) {
        return true;
    }
    args.path != "-" && (Path::new(&args.path).is_dir() || is_archive(context, args))
}

fn is_archive(context: &Context, args: &RepairArgs) -> bool {
    // The bytes of a pipe are there once, and none is an archive.
    if is_stream_device(Path::new(&args.path)) {
        return false;
    }
    // Errors are those of what follows.
    let items = context.resolver.resolve(&args.path).unwrap_or_default();
    matches!(items.as_slice(), [only] if only.is_archive())
}

/// Whether the name is that of a folder: with a separator at its end, or of an existing one that is not called like
/// a file.
fn is_folder(context: &Context, path: &Path) -> bool {
    let name = path.as_os_str().to_string_lossy();
    name.ends_with(std::path::is_separator) || path.is_dir() && !is_named_as_file(context, path)
}

/// Whether the name has the extension of a format.
fn is_named_as_file(context: &Context, path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    context.resolver.format(&extension.to_lowercase()).is_some()
}

pub(crate) fn run(context: &Context, args: &RepairArgs) -> Result<ExitCode, Error> {
    let folder = Path::new(&args.output);
    refuse_file(context, args, folder)?;
    let to = format_of_to(&context.resolver, args.to.as_deref())?;
    let planned = plan_repairs(&context.resolver, &args.path, folder, to)?;
    refuse_targets(context, args, &planned)?;
    let mut reporter = context.reporter("repair", args.force, None)?;
    let mut listing = Listing::new(&context.bar, &args.listing, COLUMNS, NUMERIC);
    let mut options = RepairOptions::default();
    options.open = context.open.clone();
    options.create.force = args.force;
    options.threads = context.threads;
    let display = context.display();
    let mut work = Work {
        context,
        options: &options,
        reporter: &mut reporter,
        summary: Summary::default(),
        totals: Totals::default(),
    };
    let mut planned = planned.into_iter().peekable();
    while let Some(next) = planned.next() {
        let row = match next {
            PlannedRepair::Job(job) => work.repair(&job)?,
            PlannedRepair::Unreadable(error) => work.unreadable(None, &error)?,
            PlannedRepair::Damaged(error) => {
                let file = error.location().file.clone();
                let mut errors = vec![error];
                let is_same = |planned: &PlannedRepair| matches!(planned, PlannedRepair::Damaged(error) if error.location().file == file);
                while let Some(PlannedRepair::Damaged(error)) = planned.next_if(is_same) {
                    errors.push(error);
                }
                work.damaged_archive(&errors)?
            }
        };
        listing.push(&row)?;
    }
    let (summary, totals) = (work.summary, work.totals);
    drop(display);
    listing.finish()?;
    report_losses(&context.messages, &summary.losses, true);
    context.messages.note(&totals.text(folder));
    let code = totals.code();
    let others = OtherFiles::of(&context.resolver, std::slice::from_ref(&args.path));
    others.report(&context.messages, "repaired");
    let account = Account {
        totals: &totals,
        others: &others,
    };
    reporter.finish_with(Some(&summary), Some(&account))?;
    Ok(code)
}

/// Refuses the name of a file as output: what is in a folder or an archive needs a folder.
fn refuse_file(context: &Context, args: &RepairArgs, folder: &Path) -> Result<(), Error> {
    if is_folder(context, folder) {
        return Ok(());
    }
    let path = Path::new(&args.path).path_text().into_owned();
    let name = folder.path_text().into_owned();
    if folder == Path::new("-") || is_named_as_file(context, folder) {
        let text = format!("all that is in {path} does not fit into the file {name}");
        let repair = repair_into_folder(&args.path, &path);
        let hint = format!("`{repair}` repairs each database and book in it into a folder");
        return Err(Error::usage(text).with_hint(hint));
    }
    // Looked at once: another process may make the folder meanwhile.
    let is_taken = match std::fs::metadata(folder) {
        Ok(found) => !found.is_dir(),
        Err(_) => std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()),
    };
    if is_taken {
        let text = format!("{name} is a file, and what is in {path} needs a folder");
        return Err(Error::usage(text).with_hint("`-o FOLDER` names one, which need not exist"));
    }
    Ok(())
}

/// The command that repairs what is in a folder or an archive, with the name of a folder that does not exist.
pub(crate) fn repair_into_folder(path: &std::ffi::OsStr, name: &str) -> String {
    let saved = PathBuf::from(format!("saved-{}", stem_of(path)));
    let saved = crate::archive_of_games::free_path(saved);
    let saved = saved.path_text();
    format!(
        "tabia repair {} -o {}",
        file_argument(name),
        file_argument(&saved)
    )
}

fn stem_of(path: &std::ffi::OsStr) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy();
    // Of a member of an archive, as `a.zip:b.cbv`, its own name.
    match stem.rsplit(':').next().unwrap_or_default() {
        "" | "." | ".." => "folder".to_owned(),
        stem => stem.to_owned(),
    }
}

/// Refuses targets that exist, and a report that is an input or a target, before the work.
fn refuse_targets(
    context: &Context,
    args: &RepairArgs,
    planned: &[PlannedRepair],
) -> Result<(), Error> {
    let report = context.common.report.as_deref();
    for planned in planned {
        if let PlannedRepair::Job(job) = planned {
            let item = std::slice::from_ref(job.item());
            refuse_inputs(item, &[Some(job.target()), report])?;
            refuse_existing(job.target(), args.force)?;
        }
    }
    Ok(())
}

struct Work<'a> {
    context: &'a Context,
    options: &'a RepairOptions,
    reporter: &'a mut Reporter,
    summary: Summary,
    totals: Totals,
}

impl Work<'_> {
    /// Repairs one input and returns its row. What cannot be read does not end the others.
    fn repair(&mut self, job: &RepairJob) -> Result<Row, Error> {
        self.reporter.input_problems.clear();
        let before = self.reporter.count();
        let done = job.run(self.options, &self.context.progress, self.reporter);
        let mut row = match done {
            Ok(RepairedFile::Database(repaired)) => self.database_row(job, &repaired),
            Ok(RepairedFile::Book(merged)) => self.book_row(job, &merged)?,
            Err(error) if error.side() == ErrorSide::Input => {
                return self.unreadable(Some(job), &error);
            }
            Err(other) => return Err(other),
        };
        row.problems = self.reporter.count() - before;
        row.problem_list = std::mem::take(&mut self.reporter.input_problems);
        let not_whole = row.damaged.unwrap_or_default() + row.lost.unwrap_or_default();
        row.outcome = match row.problems + not_whole {
            0 => Outcome::Complete,
            _ => Outcome::Damaged,
        };
        self.totals.add(&row);
        Ok(row)
    }

    fn database_row(&mut self, job: &RepairJob, repaired: &Repaired) -> Row {
        self.summary.losses.add_table(&repaired.summary.losses);
        Row {
            records: Some(repaired.whole + repaired.damaged + repaired.lost),
            whole: Some(repaired.whole),
            damaged: Some(repaired.damaged),
            lost: Some(repaired.lost),
            ..Row::written(job, &repaired.written.files)
        }
    }

    fn book_row(&mut self, job: &RepairJob, merged: &Merged) -> Result<Row, Error> {
        let target = job.target().path_text().into_owned();
        self.summary.losses.add_whole(&target, &merged.losses);
        for text in Problems::of(merged).all() {
            let error = Error::invalid(text).in_file(job.item().label());
            self.reporter.report_problem_in_folder(&error)?;
            self.reporter.input_problems.push(ProblemRow::new(&error));
        }
        Ok(Row {
            positions: Some(merged.positions),
            moves: Some(merged.moves),
            ..Row::written(job, &merged.written.files)
        })
    }

    fn unreadable(&mut self, job: Option<&RepairJob>, error: &Error) -> Result<Row, Error> {
        let error = match job {
            Some(job) => error.clone().in_file(job.item().label()),
            None => error.clone(),
        };
        self.reporter.report_problem_in_folder(&error)?;
        let mut row = Row::of_problems(std::slice::from_ref(&error), Outcome::Unreadable);
        if let Some(job) = job {
            row.path = job.item().name();
            row.format = Some(Displayed(job.item().format().id()));
        }
        self.totals.add(&row);
        Ok(row)
    }

    fn damaged_archive(&mut self, errors: &[Error]) -> Result<Row, Error> {
        for error in errors {
            self.reporter.report_problem_in_folder(error)?;
        }
        let row = Row::of_problems(errors, Outcome::Damaged);
        self.totals.add(&row);
        Ok(row)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Complete,
    Damaged,
    Unreadable,
}

/// What became of one input; keys that do not apply are absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Displayed<FormatId>>,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Displayed<FormatId>>,
    /// The main file of what was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u64>,
    problems: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problem_list: Vec<ProblemRow>,
}

impl Row {
    fn written(job: &RepairJob, files: &[PathBuf]) -> Self {
        let names = files.iter().map(|file| file.path_text().into_owned());
        let names: Vec<String> = names.collect();
        Self {
            path: job.item().name(),
            format: Some(Displayed(job.item().format().id())),
            to: Some(Displayed(job.format().id())),
            output: names.first().cloned(),
            files: names,
            ..Self::of_problems(&[], Outcome::Complete)
        }
    }

    /// The row of something that was not written, with its problems.
    fn of_problems(errors: &[Error], outcome: Outcome) -> Self {
        let file = errors
            .first()
            .and_then(|error| error.location().file.clone());
        Self {
            path: file.map_or_else(String::new, |file| file.path_text().into_owned()),
            format: None,
            outcome,
            to: None,
            output: None,
            files: Vec::new(),
            records: None,
            whole: None,
            damaged: None,
            lost: None,
            positions: None,
            moves: None,
            problems: errors.len() as u64,
            problem_list: errors.iter().map(ProblemRow::new).collect(),
        }
    }
}

/// What the report states of a folder or an archive as a whole.
#[derive(Serialize)]
struct Account<'a> {
    #[serde(flatten)]
    totals: &'a Totals,
    #[serde(flatten)]
    others: &'a OtherFiles,
}

/// The counts of all inputs.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Totals {
    complete: u64,
    with_losses: u64,
    unreadable: u64,
    records: u64,
    whole: u64,
    damaged: u64,
    lost: u64,
}

impl Totals {
    fn add(&mut self, row: &Row) {
        *match row.outcome {
            Outcome::Complete => &mut self.complete,
            Outcome::Damaged => &mut self.with_losses,
            Outcome::Unreadable => &mut self.unreadable,
        } += 1;
        self.records += row.records.unwrap_or_default();
        self.whole += row.whole.unwrap_or_default();
        self.damaged += row.damaged.unwrap_or_default();
        self.lost += row.lost.unwrap_or_default();
    }

    /// 4 if an input could not be read, 3 if something was lost.
    fn code(&self) -> ExitCode {
        match self {
            Self {
                unreadable: 1.., ..
            } => ExitCode::Input,
            Self { with_losses, .. } => ExitCode::of_problems(*with_losses),
        }
    }

    fn text(&self, folder: &Path) -> String {
        let all = counted(self.complete + self.with_losses + self.unreadable, "input");
        let mut parts = vec![format!("{} complete", grouped(self.complete))];
        if self.with_losses > 0 {
            parts.push(format!("{} with problems", grouped(self.with_losses)));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} that cannot be read", grouped(self.unreadable)));
        }
        let records = counted(self.records, "record");
        let lost = match self.lost {
            0 => String::new(),
            lost => format!(", {} lost", grouped(lost)),
        };
        let parts = parts.join(", ");
        format!("{all} to {}: {parts}; {records}{lost}", folder.path_text())
    }
}
