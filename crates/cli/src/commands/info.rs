//! `tabia info`: what inputs are.

use std::fmt::Write as _;

use tabia::Failure;
use tabia::inspect::{Info, inspect};

use crate::args::InfoArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::{Listing, Style};
use crate::report::Reporter;
use crate::terminal::one_line;
use crate::units::{counted, grouped, size};

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

pub(crate) fn run(args: &InfoArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let mut reporter = Reporter::new(&context, "info", false, None)?;
    let mut listing = Listing::new(&args.listing, COLUMNS, NUMERIC)?;
    // On a terminal there is room to say more than a row.
    let spelled_out = listing.style() == Style::Table && !args.listing.table;
    let display = context.display();
    let mut gap = "";
    let code = context.each(&args.paths, false, |item| {
        let info = item.and_then(|item| {
            inspect(
                &context.resolver,
                &item,
                &context.open,
                context.threads,
                &context.progress,
            )
        });
        let info = match info {
            Ok(info) => info,
            Err(failure @ Failure::Input(_)) => {
                reporter.failed_input(&failure)?;
                return Ok(ExitCode::Input);
            }
            Err(other) => return Err(other),
        };
        for problem in &info.problems {
            context.messages.warning(problem);
        }
        if spelled_out {
            listing.out().text(std::mem::replace(&mut gap, "\n"))?;
            listing.out().text(&describe(&info, ""))?;
        } else {
            listing.push(row(&info))?;
        }
        Ok(ExitCode::Done)
    })?;
    drop(display);
    listing.finish()?;
    reporter.finish(None)?;
    Ok(code)
}

/// The keys of `info --json`; those that do not apply are absent.
fn row(info: &Info) -> Vec<(&'static str, Json)> {
    let mut row: Vec<(&'static str, Json)> = vec![
        ("path", info.path.clone().into()),
        ("format", info.format.to_string().into()),
        ("formatName", info.format_name.into()),
        ("kind", info.kind.into()),
    ];
    let mut push = |key: &'static str, value: Json| {
        if value != Json::Null && value != Json::List(Vec::new()) {
            row.push((key, value));
        }
    };
    let version = Some(info.version.clone()).filter(|version| !version.is_empty());
    push("version", version.into());
    push("title", info.title.clone().into());
    push("games", info.games.into());
    push("texts", info.texts.into());
    push("deleted", info.deleted.into());
    push("positions", info.positions.into());
    push("moves", info.moves.into());
    push("members", info.members.into());
    push("encoding", info.encoding.clone().into());
    push("bytes", info.bytes.into());
    let names = info.names.iter().map(|(kind, count)| {
        Json::Object(vec![
            ("kind", format!("{kind:?}").to_lowercase().into()),
            ("count", (*count).into()),
        ])
    });
    push("names", Json::List(names.collect()));
    let facts = info.facts.iter().map(|(name, value)| {
        Json::Object(vec![
            ("name", name.clone().into()),
            ("value", value.clone().into()),
        ])
    });
    push("facts", Json::List(facts.collect()));
    let companions = info.companions.iter().map(|(file, present)| {
        Json::Object(vec![
            ("file", file.clone().into()),
            ("present", (*present).into()),
        ])
    });
    push("companions", Json::List(companions.collect()));
    // Archives inside archives are not looked into, so this goes one level deep.
    let inner = info.databases.iter().map(|info| Json::Object(row_of(info)));
    push("databases", Json::List(inner.collect()));
    push("problems", info.problems.len().into());
    push("problemList", info.problems.clone().into());
    row
}

fn row_of(info: &Info) -> Vec<(&'static str, Json)> {
    row(info)
}

/// What `info` says on a terminal.
fn describe(info: &Info, indent: &str) -> String {
    let lines = facts(info);
    let widest = lines
        .iter()
        .map(|(label, _)| label.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!("{indent}{}\n", one_line(&info.path));
    for (label, value) in &lines {
        let value = one_line(value);
        let _ = writeln!(text, "{indent}  {label:<widest$}  {value}");
    }
    for inner in &info.databases {
        text += &describe(inner, &format!("{indent}  "));
    }
    text
}

fn facts(info: &Info) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut push = |label: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push((label.to_owned(), value));
        }
    };
    let mut format = format!("{} ({})", info.format_name, info.format);
    if !info.version.is_empty() {
        let _ = write!(format, ", {}", info.version);
    }
    push("format", Some(format));
    push("title", info.title.clone());
    push("games", info.games.map(|games| counts(games, info)));
    push("positions", info.positions.map(grouped));
    push("moves", info.moves.map(grouped));
    push("members", info.members.map(grouped));
    for (kind, count) in &info.names {
        let label = format!("{kind:?}s").to_lowercase();
        push(&label, Some(grouped(*count)));
    }
    push("texts in", info.encoding.clone());
    push("size", info.bytes.map(size));
    for (name, value) in &info.facts {
        push(name, Some(value.clone()));
    }
    let files = |wanted: bool| {
        let files = info.companions.iter().filter(|file| file.1 == wanted);
        let names: Vec<&str> = files.map(|(name, _)| name.as_str()).collect();
        Some(names.join(" "))
    };
    push("files", files(true));
    push("not there", files(false));
    let problems = match info.problems.len() {
        0 => "none".to_owned(),
        count => grouped(count as u64),
    };
    push("problems", Some(problems));
    lines
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
