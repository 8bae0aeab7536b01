//! `tabia book info`: what books are.

use std::fmt::Write as _;
use std::path::Path;

use tabia::book::inspect::{BookReport, survey};
use tabia::{Failure, InputItem, Observer};

use crate::args::book::BookInfoArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::{Listing, Style};
use crate::report::Reporter;
use crate::terminal::one_line;
use crate::units::grouped;

const COLUMNS: &[&str] = &[
    "path",
    "format",
    "positions",
    "moves",
    "games",
    "reachable",
    "depth",
    "learn",
    "problems",
    "defects",
];
const NUMERIC: &[&str] = &[
    "positions",
    "moves",
    "games",
    "reachable",
    "depth",
    "problems",
];

pub(crate) fn run(args: &BookInfoArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let mut reporter = Reporter::new(&context, "book info", false, None)?;
    let mut listing = Listing::new(&args.listing, COLUMNS, NUMERIC)?;
    let spelled_out = listing.style() == Style::Table && !args.listing.table;
    let mut gap = "";
    let display = context.display();
    let folders: Vec<&Path> = args.books.iter().map(Path::new).collect();
    let folders = folders.into_iter().filter(|path| path.is_dir());
    let folders: Vec<&Path> = folders.collect();
    let code = context.each(&args.books, true, |item| {
        // Of folders the books alone.
        let is_other = |item: &InputItem| {
            let is_inside = folders
                .iter()
                .any(|folder| item.label().starts_with(folder));
            is_inside && item.format().book().is_none()
        };
        if item.as_ref().is_ok_and(is_other) {
            return Ok(ExitCode::Done);
        }
        let found = item.and_then(|item| {
            let found = survey(&item, &context.open, args.walk, &context.progress)?;
            Ok((item, found))
        });
        let (item, found) = match found {
            Ok(found) => found,
            Err(failure @ Failure::Input(_)) => {
                reporter.failed_input(&failure)?;
                return Ok(ExitCode::Input);
            }
            Err(other) => return Err(other),
        };
        for problem in problems(&found) {
            let problem = item.problem_text(&problem).into();
            reporter.problem(&item, &problem).map_err(Failure::output)?;
        }
        let name = item.name();
        if spelled_out {
            listing.out().text(std::mem::replace(&mut gap, "\n"))?;
            let text = describe(&name, item.format().name(), &found);
            listing.out().text(&text)?;
        } else {
            listing.push(row(&name, &found))?;
        }
        Ok(ExitCode::Done)
    })?;
    drop(display);
    listing.finish()?;
    reporter.finish(None)?;
    Ok(code)
}

/// What is wrong, in the words of the format.
fn problems(survey: &BookReport) -> Vec<String> {
    let mut all = survey.info.problems.clone();
    for fault in &survey.faults {
        if !all.contains(fault) {
            all.push(fault.clone());
        }
    }
    all
}

/// The keys of `book info --json`; those that do not apply are absent.
fn row(path: &str, survey: &BookReport) -> Vec<(&'static str, Json)> {
    let mut row: Vec<(&'static str, Json)> = vec![
        ("path", path.into()),
        ("format", survey.info.format.to_string().into()),
        ("kind", "book".into()),
        ("positions", survey.positions.into()),
        ("moves", survey.moves.into()),
        ("boards", survey.boards.into()),
    ];
    let mut push = |key: &'static str, value: Json| {
        if value != Json::Null {
            row.push((key, value));
        }
    };
    let version = Some(survey.info.version.clone()).filter(|version| !version.is_empty());
    push("version", version.into());
    push("games", survey.games.into());
    let pair = |names: [&'static str; 2], counts: [u64; 2]| {
        Json::Object(names.into_iter().zip(counts.map(Json::from)).collect())
    };
    if let Some(sides) = survey.sides {
        push("toMove", pair(["white", "black"], sides));
    }
    if let Some(walked) = survey.walked {
        push("reachable", walked.positions.into());
        push("depth", walked.depth.into());
    }
    if let Some(castlings) = survey.castlings {
        push(
            "castlings",
            pair(["kingTakesRook", "kingTwoSteps"], castlings),
        );
    }
    push("learn", survey.learn.into());
    push("byWeight", survey.by_weight.into());
    let facts = survey.info.facts.iter().map(|(name, value)| {
        Json::Object(vec![
            ("name", name.clone().into()),
            ("value", value.clone().into()),
        ])
    });
    push("facts", Json::List(facts.collect()));
    let defects = survey.defects.iter().map(|(name, count)| {
        Json::Object(vec![("name", (*name).into()), ("count", (*count).into())])
    });
    push("defects", Json::List(defects.collect()));
    let problems = problems(survey);
    push("problems", problems.len().into());
    push("problemList", problems.into());
    row
}

/// What `book info` says on a terminal.
fn describe(path: &str, format: &str, survey: &BookReport) -> String {
    let mut lines: Vec<(&str, String)> = vec![
        ("format", format.to_owned()),
        ("positions", grouped(survey.positions)),
        ("moves", grouped(survey.moves)),
    ];
    if survey.boards != survey.positions {
        lines.push(("boards", grouped(survey.boards)));
    }
    if let Some(games) = survey.games {
        lines.push(("games", grouped(games)));
    }
    if let Some([white, black]) = survey.sides {
        let text = format!("White {}, Black {}", grouped(white), grouped(black));
        lines.push(("to move", text));
    }
    if let Some(walked) = survey.walked {
        lines.push(("reachable", grouped(walked.positions)));
        lines.push(("depth", format!("{} plies", walked.depth)));
    }
    if let Some([rook, steps]) = survey.castlings {
        let text = match (rook, steps) {
            (0, 0) => "none".to_owned(),
            (_, 0) => "king takes rook".to_owned(),
            (0, _) => "the king's two steps".to_owned(),
            _ => format!("both forms: {rook} king takes rook, {steps} two steps"),
        };
        lines.push(("castling", text));
    }
    if let Some(learn) = survey.learn {
        lines.push(("learn", learn.to_owned()));
    }
    for (name, value) in &survey.info.facts {
        lines.push((name, value.clone()));
    }
    for (name, count) in &survey.defects {
        lines.push((name, grouped(*count)));
    }
    let problems = match problems(survey).len() {
        0 => "none".to_owned(),
        count => grouped(count as u64),
    };
    lines.push(("problems", problems));
    let widest = lines
        .iter()
        .map(|(label, _)| label.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!("{}\n", one_line(path));
    for (label, value) in lines {
        let _ = writeln!(text, "  {label:<widest$}  {}", one_line(&value));
    }
    text
}
