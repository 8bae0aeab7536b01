//! `tabia book info`: format, size and defects of books.

use std::path::Path;

use serde::Serialize;
use tabia::book::inspect::{BookReport, inspect};
use tabia::core::FormatId;
use tabia::{Error, ErrorSide, InputItem, Observer};

use crate::args::book::BookInfoArgs;
use crate::context::{Context, Wanted};
use crate::exit_code::ExitCode;
use crate::fact_row::{FactRow, fact_lines, fact_rows};
use crate::json::Displayed;
use crate::listing::{Listing, RowStyle};
use crate::readable_numbers::{counted, counted_as, grouped};
use crate::table::describe;

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

pub(crate) fn run(args: &BookInfoArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("book info", args.replace.force, None)?;
    let mut listing = Listing::new(&context.bar, &args.listing, COLUMNS, NUMERIC);
    let is_described = listing.style() == RowStyle::Table && !args.listing.table;
    let mut gap = "";
    let display = context.display();
    let folders: Vec<&Path> = args.books.iter().map(Path::new).collect();
    let folders = folders.into_iter().filter(|path| path.is_dir());
    let folders: Vec<&Path> = folders.collect();
    let code = context.for_each_input(&args.books, Wanted::Contents, |item| {
        // Other files of folders are skipped.
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
            let found = inspect(&item, &context.open, args.walk, &context.progress)?;
            Ok((item, found))
        });
        let (item, found) = match found {
            Ok(found) => found,
            Err(error) if error.side() == ErrorSide::Input => {
                reporter.report_failed_input(&error)?;
                return Ok(ExitCode::Input);
            }
            Err(other) => return Err(other),
        };
        let code = ExitCode::of_problems(problems(&found).len() as u64);
        for problem in problems(&found) {
            let problem = item.problem_text(&problem).into();
            reporter
                .problem(&item, &problem)
                .map_err(Error::in_output)?;
        }
        let name = item.name();
        if is_described {
            listing.out().text(std::mem::replace(&mut gap, "\n"))?;
            let lines = facts(item.format().name(), &found, args.common.verbose);
            describe(&name, &lines, "", listing.out())?;
        } else {
            let row = InfoRow::new(&name, &found, listing.style());
            listing.push(&row)?;
        }
        Ok(code)
    })?;
    drop(display);
    listing.finish_with(code)?;
    let code = code.worse(ExitCode::of_problems(reporter.count()));
    reporter.finish(None)?;
    Ok(code)
}

/// The problems of the file and of its entries.
fn problems(report: &BookReport) -> Vec<String> {
    let mut all = report.info.problems.clone();
    for problem in &report.problems {
        if !all.contains(problem) {
            all.push(problem.clone());
        }
    }
    all
}

/// What `book info` shows of a book; keys that do not apply are absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InfoRow<'a> {
    path: &'a str,
    format: Displayed<FormatId>,
    kind: &'static str,
    positions: u64,
    moves: u64,
    boards: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_move: Option<SideCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reachable: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    castlings: Option<CastlingCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learn: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_weight: Option<bool>,
    facts: Vec<FactRow<'a>>,
    defects: Defects,
    /// How many there are.
    problems: usize,
    problem_list: Vec<String>,
}

/// Positions by the side to move.
#[derive(Serialize)]
struct SideCounts {
    white: u64,
    black: u64,
}

/// Castling moves by how they are written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CastlingCounts {
    king_takes_rook: u64,
    king_two_steps: u64,
}

/// Defects by name; in a cell one text.
#[derive(Serialize)]
#[serde(untagged)]
enum Defects {
    Rows(Vec<DefectRow>),
    Text(String),
}

#[derive(Serialize)]
struct DefectRow {
    name: &'static str,
    count: u64,
}

impl<'a> InfoRow<'a> {
    fn new(path: &'a str, book: &'a BookReport, style: RowStyle) -> Self {
        let defects = book.defects.iter();
        let defects = defects.map(|(name, count)| DefectRow {
            name,
            count: *count,
        });
        let defects = if style.has_cells() {
            let texts = defects.map(|row| format!("{} {}", row.name, row.count));
            Defects::Text(texts.collect::<Vec<_>>().join("; "))
        } else {
            Defects::Rows(defects.collect())
        };
        let problem_list = problems(book);
        Self {
            path,
            format: Displayed(book.info.format),
            kind: "book",
            positions: book.positions,
            moves: book.moves,
            boards: book.boards,
            version: &book.info.version,
            games: book.games,
            to_move: book.sides.map(|[white, black]| SideCounts { white, black }),
            reachable: book.walked.map(|walked| walked.positions),
            depth: book.walked.map(|walked| walked.depth),
            castlings: book.castlings.map(|[rook, steps]| CastlingCounts {
                king_takes_rook: rook,
                king_two_steps: steps,
            }),
            learn: book.learn,
            by_weight: book.by_weight,
            facts: fact_rows(&book.info.facts),
            defects,
            problems: problem_list.len(),
            problem_list,
        }
    }
}

/// What `book info` shows of a book on a terminal.
fn facts(format: &str, book: &BookReport, is_verbose: bool) -> Vec<(String, String)> {
    let mut lines: Vec<(&str, String)> = vec![
        ("format", format.to_owned()),
        ("positions", grouped(book.positions)),
        ("moves", grouped(book.moves)),
    ];
    if book.boards != book.positions {
        lines.push(("boards", grouped(book.boards)));
    }
    if let Some(games) = book.games {
        lines.push(("games", grouped(games)));
    }
    if let Some([white, black]) = book.sides {
        let text = format!("White {}, Black {}", grouped(white), grouped(black));
        lines.push(("to move", text));
    }
    if let Some(walked) = book.walked {
        let mut reachable = match walked.positions {
            0 if book.positions > 0 => {
                "0: no line from the usual start leads to its positions, as in a book of Chess960"
                    .to_owned()
            }
            count => grouped(count),
        };
        if walked.positions > book.positions {
            // One record may be that of several.
            reachable += " boards";
        }
        lines.push(("reachable", reachable));
        let mut depth = counted_as(walked.depth.into(), "ply", "plies");
        if walked.other_moves > 0 {
            let moves = counted(walked.other_moves, "move");
            depth = format!("{depth}, with {moves} that the book does not have");
        }
        lines.push(("depth", depth));
    }
    if let Some([rook, steps]) = book.castlings {
        let text = match (rook, steps) {
            (0, 0) => "none".to_owned(),
            (_, 0) => "king takes rook".to_owned(),
            (0, _) => "the king's two steps".to_owned(),
            _ => format!("both forms: {rook} king takes rook, {steps} two steps"),
        };
        lines.push(("castling", text));
    }
    if let Some(learn) = book.learn {
        lines.push(("learn", learn.to_owned()));
    }
    let own = fact_lines(&book.info.facts, book.info.counts, is_verbose);
    lines.extend(
        own.iter()
            .map(|(name, value)| (name.as_str(), value.clone())),
    );
    for (name, count) in &book.defects {
        lines.push((name, grouped(*count)));
    }
    let problems = match problems(book).len() {
        0 => "none".to_owned(),
        count => grouped(count as u64),
    };
    lines.push(("problems", problems));
    let lines = lines.into_iter();
    lines
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
