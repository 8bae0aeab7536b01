//! `tabia info`: format, size and problems of inputs.

use std::fmt::Write as _;

use serde::Serialize;
use tabia::core::FormatId;
use tabia::inspect::{Info, inspect};
use tabia::{Error, ErrorSide};

use crate::args::InfoArgs;
use crate::commands::other_files::OtherFiles;
use crate::context::{Context, Wanted};
use crate::exit_code::ExitCode;
use crate::fact_row::{FactRow, fact_lines, fact_rows};
use crate::json::Displayed;
use crate::listing::{Listing, RowStyle};
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, grouped, size};
use crate::stdout::StdoutWriter;
use crate::table::describe;

const COLUMNS: &[&str] = &[
    "path",
    "format",
    "kind",
    "games",
    "texts",
    "deleted",
    "positions",
    "encoding",
    "problems",
];
const NUMERIC: &[&str] = &["games", "texts", "deleted", "positions", "problems"];

pub(crate) fn run(args: &InfoArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("info", args.replace.force, None)?;
    let mut listing = Listing::new(&context.bar, &args.listing, COLUMNS, NUMERIC);
    // On a terminal an input is described instead of listed as a row.
    let is_described = listing.style() == RowStyle::Table && !args.listing.table;
    let display = context.display();
    let mut gap = "";
    let done = context.for_each_input(&args.paths, Wanted::Inputs, |item| {
        let found = item.and_then(|item| {
            let info = inspect(
                &context.resolver,
                &item,
                &context.open,
                context.threads,
                &context.progress,
            )?;
            Ok((item, info))
        });
        let (item, info) = match found {
            Ok(found) => found,
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                let file = error.location().file.as_deref();
                if let Some(file) = file.filter(|file| file.exists() && !is_described) {
                    let mut info = Info::default();
                    info.path = file.path_text().into_owned();
                    info.problems.push(error.to_string());
                    listing.push(&InfoRow::new(&info))?;
                }
                return Ok(ExitCode::Input);
            }
            Err(other) => return Err(other),
        };
        let first = info.problems.first().filter(|_| context.common.strict);
        let first = first.map(|problem| item.problem_text(problem));
        if let Some(first) = &first {
            reporter.count_reported(first)?;
        }
        let problems = info.problems.iter().filter(|_| first.is_none());
        for problem in problems {
            reporter.group_text(context.messages.plain(problem), &item.problem_text(problem))?;
        }
        reporter.show_groups();
        if is_described {
            listing.out().text(std::mem::replace(&mut gap, "\n"))?;
            write_description(&info, args.common.verbose, "", listing.out())?;
        } else {
            listing.push(&InfoRow::new(&info))?;
        }
        match first {
            Some(first) => Err(first.under_strict()),
            None => Ok(ExitCode::of_problems(info.problems.len() as u64)),
        }
    });
    drop(display);
    let code = reporter.end_at_strict(done)?;
    listing.finish_with(code)?;
    let others = OtherFiles::of(&context.resolver, &args.paths);
    reporter.finish_with(None, Some(&others))?;
    others.report(&context.messages, "looked at");
    Ok(code)
}

/// What `info` shows of an input; keys that do not apply are absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InfoRow<'a> {
    path: &'a str,
    format: Displayed<FormatId>,
    format_name: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    years: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elo: Option<Span>,
    /// Games with variations, comments, symbols or training questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Of all files of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<NameCount>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<FactRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    companions: Vec<CompanionRow<'a>>,
    /// Of an archive: databases, books, and archives, which have databases of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    databases: Vec<InfoRow<'a>>,
    /// How many there are.
    problems: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    problem_list: &'a [String],
}

/// The lowest and the highest value.
#[derive(Serialize)]
struct Span {
    first: u16,
    last: u16,
}

impl Span {
    fn new((first, last): (u16, u16)) -> Self {
        Self { first, last }
    }
}

#[derive(Serialize)]
struct NameCount {
    kind: String,
    count: u64,
}

#[derive(Serialize)]
struct CompanionRow<'a> {
    file: &'a str,
    present: bool,
}

impl<'a> InfoRow<'a> {
    fn new(info: &'a Info) -> Self {
        let names = info.names.iter().map(|(kind, count)| NameCount {
            kind: format!("{kind:?}").to_lowercase(),
            count: *count,
        });
        let companions = info.companions.iter();
        let companions = companions.map(|(file, present)| CompanionRow {
            file,
            present: *present,
        });
        Self {
            path: &info.path,
            format: Displayed(info.format),
            format_name: info.format_name,
            kind: info.kind,
            version: &info.version,
            title: info.title.as_deref(),
            games: info.games,
            texts: info.texts,
            deleted: info.deleted,
            years: info.years.map(Span::new),
            elo: info.elo.map(Span::new),
            annotated: info.annotated,
            positions: info.positions,
            moves: info.moves,
            members: info.members,
            encoding: info.encoding.as_deref(),
            bytes: info.bytes,
            total_bytes: info.total_bytes,
            names: names.collect(),
            facts: fact_rows(&info.facts),
            companions: companions.collect(),
            databases: info.databases.iter().map(Self::new).collect(),
            problems: info.problem_count(),
            problem_list: &info.problems,
        }
    }
}

/// What `info` shows of an input on a terminal.
fn write_description(
    info: &Info,
    is_verbose: bool,
    indent: &str,
    out: &mut StdoutWriter,
) -> Result<(), Error> {
    describe(&info.path, &facts(info, is_verbose), indent, out)?;
    for inner in &info.databases {
        write_description(inner, is_verbose, &format!("{indent}  "), out)?;
    }
    Ok(())
}

fn facts(info: &Info, is_verbose: bool) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut push = |label: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push((label.to_owned(), value));
        }
    };
    let mut format = format!("{} ({})", info.format_name, info.format);
    // A version that only repeats the name, as `Scid 5`, adds nothing.
    if !info.version.is_empty() && !info.format_name.contains(&info.version) {
        let _ = write!(format, ", {}", info.version);
    }
    push("format", Some(format));
    push("title", info.title.clone());
    push("games", info.games.map(|games| counts(games, info)));
    push("years", info.years.map(|span| range(span, "-")));
    push("Elo", info.elo.map(|span| range(span, " to ")));
    push("annotated", annotated(info));
    push("positions", info.positions.map(grouped));
    push("moves", info.moves.map(grouped));
    push("members", info.members.map(grouped));
    let names = info.names.iter().filter(|(_, count)| *count > 0);
    let names = names.map(|(kind, count)| counted(*count, &format!("{kind:?}").to_lowercase()));
    push("names", Some(names.collect::<Vec<_>>().join(", ")));
    push("texts in", info.encoding.clone());
    // Names of fields of a file are for `--json`.
    let is_field = |name: &str| info.kind == "archive" && name.starts_with(char::is_uppercase);
    let own = info.facts.iter().filter(|(name, _)| !is_field(name));
    let own: Vec<_> = own.cloned().collect();
    for (name, value) in fact_lines(&own, info.counts, is_verbose) {
        push(&name, Some(value));
    }
    let files = match (info.total_bytes.or(info.bytes).map(size), info.files) {
        (size, 0 | 1) => size,
        (size, files) => {
            let files = counted(files as u64, "file");
            size.map(|size| format!("{size} in {files}"))
        }
    };
    push("size", files);
    let all = if info.positions.is_some() {
        "position"
    } else {
        "game"
    };
    push(
        "health",
        Some(match info.problem_count() {
            0 => format!("no problems; `tabia check` reads every {all}"),
            count => {
                let count = counted(count, "problem");
                let next = match (info.games, info.positions) {
                    (_, Some(_)) => "; `tabia book fix` corrects a copy",
                    (Some(0) | None, _) => "",
                    _ => "; `tabia repair` saves the rest",
                };
                // With the label it fits into 80 columns.
                format!("{count}: see `tabia check`{next}")
            }
        }),
    );
    lines
}

/// `1851-2024`, or one number.
fn range((first, last): (u16, u16), between: &str) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}{between}{last}")
    }
}

/// How many of the games are annotated.
fn annotated(info: &Info) -> Option<String> {
    let (annotated, games) = (info.annotated?, info.games?);
    Some(match annotated {
        0 => "none of the games".to_owned(),
        all if all == games => "all games".to_owned(),
        some => {
            let percent = some as f64 * 100.0 / games as f64;
            // Not "100%" while there are games without.
            let percent = match percent {
                some if some < 10.0 => format!("{some:.1}"),
                most if most > 99.0 => format!("{:.1}", (most * 10.0).floor() / 10.0),
                other => format!("{other:.0}"),
            };
            format!("{} ({percent}%)", counted(some, "game"))
        }
    })
}

fn counts(games: u64, info: &Info) -> String {
    let mut text = grouped(games);
    if let Some(deleted) = info.deleted.filter(|count| *count > 0) {
        let _ = write!(text, ", {} deleted", grouped(deleted));
    }
    if let Some(texts) = info.texts.filter(|count| *count > 0) {
        let _ = write!(text, "; {}", counted(texts, "guiding text"));
    }
    text
}
