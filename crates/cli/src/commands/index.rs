//! `tabia index`: saved indexes of positions.

use std::path::PathBuf;

use serde::Serialize;
use tabia::base::{
    Index, IndexChange, IndexOptions, SavedIndex, build_index, check_index, drop_index, index_path,
    open_index,
};
use tabia::core::ErrorKind;
use tabia::core::shell_argument::file_argument;
use tabia::{Error, ErrorSide, InputItem, ProgressPhase};

use crate::args::{IndexArgs, IndexChoice};
use crate::context::{Context, Wanted, cache_folder};
use crate::exit_code::ExitCode;
use crate::listing::Listing;
use crate::path_text::PathText as _;
use crate::readable_numbers::percent;
use crate::report::Reporter;
use crate::resolve_output_target::free_name;

const COLUMNS: &[&str] = &[
    "path", "index", "state", "games", "added", "segments", "bytes",
];
const NUMERIC: &[&str] = &["games", "added", "segments", "bytes"];

const SECTION_COLUMNS: &[&str] = &["path", "section", "holds", "records", "bytes", "percent"];
const SECTION_NUMERIC: &[&str] = &["records", "bytes", "percent"];

/// The sections of a kind as a row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SectionRow {
    path: String,
    section: String,
    holds: String,
    records: u64,
    bytes: u64,
    /// Of the bytes of the file.
    percent: f64,
    /// Of the plies of all games; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_ply: Option<f64>,
}

/// An index as a row.
#[derive(Default, Serialize)]
struct Row {
    path: String,
    index: Option<String>,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

pub(crate) fn run(args: &IndexArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("index", args.replace.force, None)?;
    let (columns, numeric) = if args.sections {
        (SECTION_COLUMNS, SECTION_NUMERIC)
    } else {
        (COLUMNS, NUMERIC)
    };
    let mut listing = Listing::new(&context.bar, &args.listing, columns, numeric);
    let options = index_options(&context);
    let display = context.display();
    let done = context.for_each_input(&args.paths, Wanted::Games, |item| {
        // The archive or stream that an item without files of its own is in.
        let mut inside = None;
        let done = item.and_then(|item| {
            inside = item.source().is_none().then(|| item.name());
            if args.sections {
                return sections(&context, &options, &item, &mut listing);
            }
            let bytes = item.bytes().unwrap_or_default();
            context.progress.begin_phase(ProgressPhase::Reading, bytes);
            let (row, code) = one(args, &context, &options, &item, &mut reporter)?;
            listing.push(&row).map_err(Error::in_output)?;
            Ok(code)
        });
        match done {
            Ok(code) => Ok(code),
            Err(error) if error.side() == ErrorSide::Input => {
                let is_unsupported = matches!(error.kind(), ErrorKind::Unsupported(_));
                let hint = inside.filter(|_| is_unsupported).map(|name| {
                    let name = file_argument(&name).into_owned();
                    let target = free_name("games.pgn");
                    format!("`tabia convert {name} -o {target}` makes a file that can have one")
                });
                reporter.report_failed_input_with(&error, hint.as_deref())?;
                Ok(ExitCode::Input)
            }
            Err(other) => Err(other),
        }
    });
    drop(display);
    let code = reporter.end_at_strict(done)?;
    listing.finish_with(code)?;
    reporter.finish(None)?;
    Ok(code)
}

/// Lists the sections of the index of an item.
fn sections(
    context: &Context,
    options: &IndexOptions,
    item: &InputItem,
    listing: &mut Listing,
) -> Result<ExitCode, Error> {
    let index = match open_index(item, options)? {
        SavedIndex::Current(index) => index,
        other => {
            let why = other.why_not();
            let why = why.unwrap_or_else(|| "no index".to_owned());
            context.messages.warning(&format!("{}: {why}", item.name()));
            return Ok(ExitCode::Problems);
        }
    };
    let plies = index.plies();
    let share = |bytes: u64| bytes as f64 / index.bytes().max(1) as f64;
    let per_ply =
        |bytes: u64| (plies > 0).then(|| (bytes as f64 / plies as f64 * 1e3).round() / 1e3);
    for facts in index.sections() {
        let row = SectionRow {
            path: item.name(),
            section: facts.name,
            holds: facts.holds.to_owned(),
            records: facts.records,
            bytes: facts.bytes,
            percent: percent(share(facts.bytes)),
            bytes_per_ply: per_ply(facts.bytes),
        };
        listing.push(&row).map_err(Error::in_output)?;
    }
    let row = SectionRow {
        path: item.name(),
        section: String::new(),
        holds: "the whole file".to_owned(),
        records: index.games(),
        bytes: index.bytes(),
        percent: percent(share(index.bytes())),
        bytes_per_ply: per_ply(index.bytes()),
    };
    listing.push(&row).map_err(Error::in_output)?;
    Ok(ExitCode::Done)
}

fn one(
    args: &IndexArgs,
    context: &Context,
    options: &IndexOptions,
    item: &InputItem,
    reporter: &mut Reporter,
) -> Result<(Row, ExitCode), Error> {
    let mut row = Row {
        path: item.name(),
        ..Row::default()
    };
    let name = |path: PathBuf| Some(path.path_text().into_owned());
    if args.drop {
        let dropped = drop_index(item, options)?;
        let state = if dropped.is_some() {
            "dropped"
        } else {
            "absent"
        };
        state.clone_into(&mut row.state);
        row.index = dropped.and_then(name);
        return Ok((row, ExitCode::Done));
    }
    if args.check {
        row.index = index_path(item, options).and_then(name);
        let wrong = check_index(item, options, &context.progress)?;
        let code = match &wrong {
            Some(wrong) => {
                context
                    .messages
                    .warning(&format!("{}: {wrong}", item.name()));
                ExitCode::Problems
            }
            None => ExitCode::Done,
        };
        row.state = wrong.unwrap_or_else(|| "current".to_owned());
        return Ok((row, code));
    }
    let built = build_index(item, options, &context.progress, reporter)?;
    row.index = name(built.path);
    let state = match built.change {
        IndexChange::None => "current",
        IndexChange::Grown => "grown",
        IndexChange::Built => "built",
    };
    state.clone_into(&mut row.state);
    row.games = Some(built.index.games());
    row.added = Some(built.added);
    row.segments = Some(built.index.segments() as u64);
    row.bytes = Some(built.index.bytes());
    Ok((row, ExitCode::of_problems(built.summary.problems)))
}

/// How indexes are found and made: those of databases in folders that cannot be written to are in the
/// user's cache.
pub(crate) fn index_options(context: &Context) -> IndexOptions {
    let mut options = IndexOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.cache = cache_folder();
    options.strict = context.common.strict;
    options
}

impl From<IndexChoice> for Index {
    fn from(choice: IndexChoice) -> Self {
        match choice {
            IndexChoice::Auto => Self::Auto,
            IndexChoice::Never => Self::Never,
            IndexChoice::Require => Self::Require,
        }
    }
}
