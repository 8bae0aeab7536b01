//! `tabia search`: the games that fit a query.

use std::ffi::OsString;
use std::path::Path;

use indicatif::ProgressBar;
use serde::Serialize;
use tabia::base::{IndexUse, index_use};
use tabia::core::shell_argument::{argument, file_argument};
use tabia::count_games_per_query::{ExplainOptions, count_each};
use tabia::{Error, ErrorSide, Query, Resolver, Want};

use crate::absent_games::AbsentGames;
use crate::args::{LsArgs, ReplaceReportArgs, SearchArgs, SelectArgs};
use crate::commands::index::index_options;
use crate::commands::{convert, ls, scoutfish_query};
use crate::context::{Context, Wanted};
use crate::exit_code::ExitCode;
use crate::listing::Listing;
use crate::messages::{Messages, is_named_like};
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::path_text::PathText as _;
use crate::resolve_output_target::arguments;

pub(crate) fn run(args: &SearchArgs) -> Result<ExitCode, Error> {
    if let Some(error) = option_as_word(&args.inputs) {
        return Err(error);
    }
    let Some((query, paths)) = args.inputs.split_last() else {
        return Err(Error::usage("name a database and a query"));
    };
    let Some(filter) = query.to_str() else {
        return Err(Error::usage("the query is not UTF-8"));
    };
    // The blank that protects a query that begins with `-`.
    let filter = filter.strip_prefix(' ').unwrap_or(filter).to_owned();
    let filter = if args.scoutfish {
        let query = scoutfish_query::query_of(&filter)?;
        let messages = Messages::new(&args.rows.common, &ProgressBar::hidden());
        messages.note(&format!("the query here: {query}"));
        query
    } else {
        filter
    };
    if let Some(error) = missing_query(&args.inputs) {
        return Err(error);
    }
    if let Some(error) = misplaced_query(&args.inputs) {
        return Err(error);
    }
    let select = SelectArgs {
        records: args.records.clone(),
        filter,
    };
    let listing = &args.rows.listing;
    if args.count && (listing.limit.is_some() || listing.offset > 0) {
        let text = "`--count` counts all games that fit; `--limit` and `--offset` are for rows";
        return Err(Error::usage(text).with_hint("`--games 1-1000` chooses among which games"));
    }
    if args.explain {
        return explain(args, paths, &select);
    }
    if let Some(output) = &args.output {
        return write(args, paths, select, output);
    }
    let rows = LsArgs {
        paths: paths.to_vec(),
        select,
        texts: args.texts,
        columns: args.columns.clone(),
        sort: args.sort.clone(),
        replace: ReplaceReportArgs { force: args.force },
        rows: args.rows.clone(),
    };
    ls::search(&rows, args.count)
}

/// The error of an option that was typed after `--`, where it is a word of the query or the name of a file.
fn option_as_word(inputs: &[OsString]) -> Option<Error> {
    // The list of options takes a millisecond to make.
    let begins_with_dash = |input: &OsString| input.as_encoded_bytes().first() == Some(&b'-');
    if !inputs.iter().any(begins_with_dash) {
        return None;
    }
    let root = crate::args::command();
    let verb = root.find_subcommand("search")?;
    let (last, _) = inputs.split_last()?;
    let is_option = |input: &&OsString| {
        let Some(text) = input.to_str().filter(|_| !Path::new(input).exists()) else {
            return false;
        };
        let name = text.split('=').next().unwrap_or_default();
        verb.get_arguments().any(|option| {
            let short = option.get_short().map(|short| format!("-{short}"));
            let long = option.get_long();
            long.is_some_and(|long| name.strip_prefix("--") == Some(long))
                // As a query alone it is a letter that is not to be found.
                || short.is_some_and(|short| text == short && *input != last)
        })
    };
    let word = inputs.iter().find(is_option)?.to_string_lossy();
    let text = format!("`{word}` is after `--`, where nothing is an option");
    let hint = "options go before it: `tabia search OPTIONS -- IN QUERY`";
    Some(Error::usage(text).with_hint(hint))
}

/// Whether an argument is the name of a field and a colon, as a shell leaves of `elo:>=2800`.
fn is_field_alone(text: &str) -> bool {
    let name = text.trim_start_matches(['-', '(']).strip_suffix(':');
    name.is_some_and(|name| {
        tabia::query::fields().iter().any(|field| {
            let mut names = field.aliases.iter().chain([&field.name]);
            names.any(|other| other.eq_ignore_ascii_case(name))
        })
    })
}

/// The error of files without a query: the last one would be searched as a word.
fn missing_query(inputs: &[OsString]) -> Option<Error> {
    let (last, before) = inputs.split_last()?;
    let path = Path::new(last);
    let is_database = path.is_file() && is_named_like(path, |format| format.games().is_some());
    if !is_database || !before.iter().all(|input| Path::new(input).exists()) {
        return None;
    }
    let files = arguments(inputs, "IN");
    let text = format!("the query is missing: {} is a file", path.path_text());
    Some(Error::usage(text).with_hint(format!(
        "it is the last argument, for example `tabia search {files} player:carlsen`"
    )))
}

/// The error of a query that is several arguments, or is before the paths.
fn misplaced_query(inputs: &[OsString]) -> Option<Error> {
    let (_, before) = inputs.split_last()?;
    let is_term = |input: &OsString| {
        let text = input.to_string_lossy();
        // Of `archive:member` the part before a colon is a file.
        let mut parts = text.match_indices(':').map(|(colon, _)| &text[..colon]);
        let is_path = Path::new(input).exists()
            || text.contains(['/', '\\', '*'])
            || parts.any(|part| Path::new(part).is_file());
        let is_query = || Query::parse(&text).is_ok() || is_field_alone(&text);
        // `player carlsen` without quotation marks: neither a file nor the first part of a set's names.
        let is_word = || {
            before.len() > 1
                && Path::new(input).extension().is_none()
                && std::fs::symlink_metadata(input).is_err()
                && Resolver::default().resolve(input).is_err()
        };
        !is_path && (text.contains(':') && is_query() || !text.contains(':') && is_word())
    };
    let first = before.iter().find(|input| is_term(input))?;
    let (paths, words): (Vec<&OsString>, Vec<&OsString>) =
        inputs.iter().partition(|input| Path::new(input).exists());
    let texts = |inputs: &[&OsString]| -> Vec<String> {
        let texts = inputs.iter().map(|input| input.to_string_lossy());
        texts.map(std::borrow::Cow::into_owned).collect()
    };
    let words = texts(&words);
    let without_value = words.iter().find(|word| is_field_alone(word));
    let query: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut query = match query.as_slice() {
        // A field and its value.
        [field, value]
            if !field.contains(':') && Query::parse(&format!("{field}:{value}")).is_ok() =>
        {
            format!("{field}:{value}")
        }
        words => words.join(" "),
    };
    let paths = texts(&paths);
    let paths = paths.iter().map(|path| file_argument(path) + " ");
    let paths: String = paths.collect();
    if let Some(word) = without_value {
        query = query.replacen(word.as_str(), &format!("{word}>=…"), 1);
        let text = format!(
            "`{word}` has no value: outside quotation marks the shell takes `>` and `<`, and `>` writes to a file"
        );
        let hint = format!(
            "the query is one argument: `tabia search {paths}{}`",
            argument(&query)
        );
        return Some(Error::usage(text).with_hint(hint));
    }
    let first = first.to_string_lossy();
    let text = if first.contains(':') {
        format!("`{first}` is a part of a query, which is one argument and the last one")
    } else {
        format!("`{first}` is no file; a query is one argument, the last one")
    };
    let hint = format!("`tabia search {paths}{}`", argument(&query));
    Some(Error::usage(text).with_hint(hint))
}

/// Writes the games to a new file.
fn write(
    args: &SearchArgs,
    paths: &[OsString],
    select: SelectArgs,
    output: &OsString,
) -> Result<ExitCode, Error> {
    let listing = &args.rows.listing;
    if listing.limit.is_some() || listing.offset > 0 {
        return Err(Error::usage(
            "`--limit` and `--offset` are for rows; `--games` chooses games",
        ));
    }
    if args.columns.is_some() || listing.no_header || listing.has_style() {
        let text = "`--columns`, `--no-header`, `--json` and the like are for rows, not for games that are written";
        return Err(Error::usage(text).with_hint(
            "without `-o` rows go to standard output; the extension of `-o` names a format",
        ));
    }
    let mut arguments = convert::plain(paths, output, args.to.as_deref(), &args.rows.common);
    arguments.force = args.force;
    arguments.select = select;
    arguments.mark.clone_from(&args.mark);
    arguments.sort.clone_from(&args.sort);
    arguments.position = args.position;
    arguments.prefers_moments = true;
    arguments.index = args.rows.index.clone();
    convert::convert_files(&arguments).map(|converted| converted.code)
}

/// A row of the plan.
#[derive(Serialize)]
struct PlanRow {
    alternative: Option<u32>,
    term: String,
    /// What of a game decides it.
    reads: &'static str,
    /// Games that fit the terms up to here.
    games: u64,
}

/// Shows how many games each term leaves.
fn explain(args: &SearchArgs, paths: &[OsString], select: &SelectArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.rows.common)?;
    let mut reporter = context.reporter("search", args.force, None)?;
    let plan = parse_query(&select.filter, &context.messages)?.plan();
    let queries: Vec<Query> = plan.iter().map(|step| step.query.clone()).collect();
    let mut options = ExplainOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    options.strict = args.rows.common.strict;
    options.selection.numbers = parse_games(select.records.games.as_deref())?;
    options.selection.deleted = select.records.include_deleted;
    options.selection.texts = args.texts;
    let mut sums = vec![0; queries.len() + 1];
    // Of each step the least that an index does for a database.
    let mut uses: Vec<Option<IndexUse>> = vec![None; queries.len()];
    let index_options = index_options(&context);
    let index = args.rows.index.use_index.into();
    let mut absent = AbsentGames::new(options.selection.numbers.as_ref());
    let display = context.display();
    let code = context.for_each_input(paths, Wanted::Games, |item| {
        let counted = item.and_then(|item| {
            let (progress, reports) = (&context.progress, &mut reporter);
            let counted = count_each(&item, &queries, &options, progress, reports)?;
            for (query, least) in queries.iter().zip(&mut uses) {
                let found = index_use(&item, query, index, &index_options, progress, reports)?;
                *least = Some(least.map_or(found, |least| least.min(found)));
            }
            let all = counted.1.first().copied();
            absent.add(&context, &item, all);
            Ok(counted)
        });
        match counted {
            Ok((summary, counts)) => {
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += count;
                }
                Ok(ExitCode::of_problems(summary.problems))
            }
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                Ok(ExitCode::Input)
            }
            Err(other) => Err(other),
        }
    })?;
    drop(display);
    let columns = ["alternative", "term", "reads", "games"];
    let mut listing = Listing::new(&context.bar, &args.rows.listing, &columns, &["games"]);
    let mut counts = sums.into_iter();
    listing.push(&PlanRow {
        alternative: None,
        term: "all games".to_owned(),
        reads: "header",
        games: counts.next().unwrap_or_default(),
    })?;
    let mut last = None;
    for ((step, games), by_index) in plan.into_iter().zip(counts).zip(uses) {
        last = Some(games);
        let by_index = by_index.filter(|_| step.want.has(Want::MAINLINE));
        let reads = if by_index == Some(IndexUse::Decides) {
            "index"
        } else if by_index == Some(IndexUse::Narrows) {
            "index, moves"
        } else if step.want.has(Want::ANNOTATIONS) {
            "annotations"
        } else if step.want.has(Want::MAINLINE) {
            "moves"
        } else {
            "header"
        };
        listing.push(&PlanRow {
            alternative: step.alternative,
            term: step.text,
            reads,
            games,
        })?;
    }
    listing.finish()?;
    let code = code.worse(ExitCode::of_problems(reporter.count()));
    reporter.finish_reading()?;
    let code = code.worse(absent.report(&context));
    Ok(if last == Some(0) {
        code.worse(ExitCode::NoMatch)
    } else {
        code
    })
}
