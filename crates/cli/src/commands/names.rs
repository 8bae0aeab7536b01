//! `tabia names`: spellings of names.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use tabia::Error;
use tabia::names::{
    FideList, NameCluster, NamesOptions, Renames, Spelling, SpellingFile, find_clusters,
};

use crate::absent_games::AbsentGames;
use crate::args::NamesArgs;
use crate::commands::convert;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle};
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::path_text::PathText as _;
use crate::readable_numbers::counted;
use crate::resolve_output_target::arguments;
use crate::spreadsheet_rows::with_tabs;

const COLUMNS: [&str; 8] = [
    "cluster", "kind", "name", "games", "years", "elo", "proposal", "reason",
];

#[derive(Serialize)]
struct Row<'a> {
    cluster: u64,
    kind: &'static str,
    name: &'a str,
    games: u64,
    /// `1999-2005`.
    years: Option<String>,
    elo: Option<String>,
    /// `None` for the proposal itself.
    proposal: Option<&'a str>,
    reason: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn new(number: u64, cluster: &'a NameCluster, spelling: &'a Spelling) -> Self {
        let range = |range: (u16, u16)| match range {
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from}-{to}"),
        };
        let is_changed = spelling.name != cluster.proposal;
        Self {
            cluster: number,
            kind: cluster.kind.name(),
            name: &spelling.name,
            games: spelling.games,
            years: spelling.years.map(range),
            elo: spelling.elo.map(range),
            proposal: Some(cluster.proposal.as_str()).filter(|_| is_changed),
            reason: Some(spelling.reason.as_str()).filter(|_| is_changed),
        }
    }
}

pub(crate) fn run(args: &NamesArgs) -> Result<ExitCode, Error> {
    if let (Some(file), Some(output)) = (&args.apply, &args.output) {
        return apply(args, file, output);
    }
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("names", args.force, None)?;
    let mut options = NamesOptions::default();
    options.kinds.clone_from(&args.kind);
    options.spelling = args
        .spelling
        .as_deref()
        .map(SpellingFile::open)
        .transpose()?;
    options.fide = args.fide.as_deref().map(FideList::new);
    let list = &mut options.list;
    list.open = context.open.clone();
    list.threads = context.threads;
    list.strict = args.common.strict;
    list.selection.numbers = parse_games(args.select.records.games.as_deref())?;
    list.selection.deleted = args.select.records.include_deleted;
    list.filter = parse_query(&args.select.filter, &context.messages)?;
    let (items, unread) = context.games_to_list(&args.paths, &mut reporter)?;
    let display = context.display();
    let found = find_clusters(&items, &options, &context.progress, &mut reporter);
    drop(display);
    let (summary, clusters) = found?;
    let numeric = ["cluster", "games"];
    let listing = Listing::new(&context.bar, &args.listing, &COLUMNS, &numeric);
    let mut listing = listing.paged(&context);
    // What the list is for.
    listing.keep_column("proposal");
    let is_table = listing.style() == RowStyle::Table;
    for (number, cluster) in (1..).zip(&clusters) {
        for spelling in &cluster.spellings {
            listing.push(&Row::new(number, cluster, spelling))?;
        }
    }
    listing.finish()?;
    if clusters.is_empty() {
        context
            .messages
            .note("no name is spelt in several ways, as far as the names themselves show");
    } else if is_table {
        let paths = arguments(&args.paths, "IN");
        context.messages.hint(&format!(
            "`tabia names {paths} --tsv > names.tsv`, to be edited; then `tabia names {paths} --apply names.tsv -o NEW`"
        ));
    }
    let code = ExitCode::of_problems(summary.problems.max(reporter.count()));
    let code = code.worse(unread);
    let mut absent = AbsentGames::new(options.list.selection.numbers.as_ref());
    let chosen = summary.counts.games + summary.counts.deleted;
    let is_single = items.len() == 1 && options.list.filter.is_empty();
    for item in &items {
        absent.add(&context, item, is_single.then_some(chosen));
    }
    let code = code.worse(absent.report(&context));
    reporter.finish(None)?;
    Ok(if clusters.is_empty() {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}

/// Writes the games with the names that a file proposes.
fn apply(args: &NamesArgs, file: &Path, output: &OsString) -> Result<ExitCode, Error> {
    let listing = &args.listing;
    if listing.limit.is_some() || listing.offset > 0 {
        return Err(Error::usage(
            "`--limit` and `--offset` are for rows; `--games` chooses games",
        ));
    }
    let is_stdin = file == Path::new("-");
    if is_stdin && args.paths.iter().any(|path| path == "-") {
        let text = "standard input cannot be both the games and the rows of `--apply`";
        return Err(Error::usage(text).with_hint("`--apply FILE` reads the rows from a file"));
    }
    let bytes = if is_stdin {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let bytes = bytes.map_err(|error| Error::from(error).in_path(file).in_input())?;
    let rows = with_tabs(&bytes);
    let renames = Renames::parse(&rows).map_err(|error| error.in_path(file).in_input())?;
    let context = Context::new(&args.common)?;
    let mut convert = convert::plain(&args.paths, output, args.to.as_deref(), &args.common);
    convert.force = args.force;
    convert.select = args.select.clone();
    let renames = Arc::new(renames);
    convert.renames = Some(Arc::clone(&renames));
    let converted = convert::convert_files(&convert)?;
    let (spellings, games) = renames.applied();
    context.messages.note(&format!(
        "{} replaced in {}",
        counted(spellings, "spelling"),
        counted(games, "game")
    ));
    warn_of_unused_names(&renames, file, &context);
    Ok(converted.code)
}

/// Names that no game has are probably misspelt.
fn warn_of_unused_names(renames: &Renames, file: &Path, context: &Context) {
    /// Names that are listed.
    const MOST: usize = 3;
    let unused = renames.unused();
    if unused.is_empty() {
        return;
    }
    let names = unused.iter().take(MOST);
    let mut names: Vec<_> = names
        .map(|(kind, name)| format!("{} `{name}`", kind.name()))
        .collect();
    if let Some(more) = unused.len().checked_sub(MOST).filter(|more| *more > 0) {
        names.push(format!("{more} more"));
    }
    context.messages.warning(&format!(
        "no game has {} of {}: {}",
        counted(unused.len() as u64, "name"),
        file.path_text(),
        names.join(", ")
    ));
}
