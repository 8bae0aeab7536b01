//! `tabia book novelty`: marks where games leave a book.

use serde::Serialize;
use tabia::Error;
use tabia::book::novelty::{NoveltyOptions, mark_novelties};
use tabia::core::io::OutputSet;

use super::open_books::book_input;
use super::target_format::is_stdout;
use crate::absent_games::AbsentGames;
use crate::args::book::BookNoveltyArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::format_arg::find_format;
use crate::parse_where_and_games::parse_games;
use crate::readable_numbers::{counted, grouped};
use crate::stdout::StdoutWriter;

pub(crate) fn run(args: &BookNoveltyArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let format = find_format(&context.resolver, "pgn")?;
    let Some(create) = format.games().and_then(|format| format.create_text) else {
        return Err(Error::usage("PGN cannot be written"));
    };
    let book = tabia::book::open(&book_input(&context, &args.book)?, &context.open)?;
    let mut out = StdoutWriter::new(&context.bar);
    let mut reporter = context.reporter("book novelty", args.force, None)?;
    let mut set = OutputSet::new(args.force);
    if let Some(transaction) = reporter.transaction() {
        transaction.join(&mut set);
    }
    let output = args.output.as_deref().filter(|path| !is_stdout(path));
    if let Some(path) = output {
        set.create(path).map_err(Error::in_output)?;
    }
    let mut options = NoveltyOptions::default();
    options.open = context.open.clone();
    options.plan.threads = context.threads;
    options.plan.selection.numbers = parse_games(args.games.as_deref())?;
    options.plan.strict = args.common.strict;
    let items = context.games(&args.paths, output, &mut reporter)?;
    let display = context.display();
    let target: &mut dyn std::io::Write = match set.file(0) {
        Some(file) => file,
        None => out.writer(),
    };
    let marked = mark_novelties(
        &items,
        &*book,
        create,
        target,
        &options,
        &context.progress,
        &mut reporter,
    );
    drop(display);
    let flushed = out.flush();
    let (counts, summary) = marked?;
    flushed?;
    if output.is_some() {
        set.commit().map_err(Error::in_output)?;
    }
    let sums = NoveltyCounts {
        games: counts.games,
        left: counts.left,
        inside: counts.inside,
    };
    let problems = summary.problems.max(reporter.count());
    reporter.commit(Some(&summary), Some(&sums))?;
    let text = format!(
        "{}: {} left the book, {} ended in it",
        counted(counts.games, "game"),
        grouped(counts.left),
        grouped(counts.inside)
    );
    context.messages.note(&text);
    reporter.finish(None)?;
    let mut absent = AbsentGames::new(options.plan.selection.numbers.as_ref());
    for item in &items {
        absent.add(&context, item, (items.len() == 1).then_some(counts.games));
    }
    Ok(ExitCode::of_problems(problems).worse(absent.report(&context)))
}

/// The counts of a report's summary.
#[derive(Serialize)]
struct NoveltyCounts {
    games: u64,
    /// Games that left the book.
    left: u64,
    /// Games that ended in the book.
    inside: u64,
}
