//! `tabia book`: opening books.

mod build;
mod convert;
mod diff;
mod edit;
mod explain;
mod find;
mod info;
mod line;
mod merge;
mod novelty;

use std::ffi::OsString;
use std::path::Path;

use tabia::book::position_arg;
use tabia::core::BookFormat;
use tabia::core::books::Book;
use tabia::core::chess::{Move, Ply, Position, san, uci};
use tabia::core::{Error, ErrorKind};
use tabia::formats::Format;
use tabia::{Failure, InputItem, Observer};

use crate::args::book::{BookVerb, PositionArgs};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::report::Reporter;

pub(crate) fn run(verb: &BookVerb) -> Result<ExitCode, Failure> {
    match verb {
        BookVerb::Info(args) => info::run(args),
        BookVerb::Find(args) => find::run(args),
        BookVerb::Line(args) => line::run(args),
        BookVerb::Build(args) => build::run(args),
        BookVerb::Merge(args) => merge::run(args),
        BookVerb::Convert(args) => convert::run(args),
        BookVerb::Diff(args) => diff::run(args),
        BookVerb::Fix(args) => merge::fix(args),
        BookVerb::Edit(args) => edit::run(args),
        BookVerb::Explain(args) => explain::run(args),
        BookVerb::Novelty(args) => novelty::run(args),
    }
}

/// The position asked for: where it starts, the moves to it, and itself.
fn asked(args: &PositionArgs) -> Result<(Position, Vec<Ply>, Position), Failure> {
    let start = match &args.fen {
        Some(fen) => position_arg::position_of_fen(fen)
            .map_err(|why| Failure::Usage(format!("`--fen {fen}`: {why}")))?,
        None => Position::standard(),
    };
    let moves = args.moves.as_deref().unwrap_or_default();
    let (position, plies) = position_arg::play_moves(&start, moves)
        .map_err(|why| Failure::Usage(format!("`--moves`: {why}")))?;
    Ok((start, plies, position))
}

/// A move of a position, as typed.
fn move_of(position: &Position, text: &str) -> Result<Move, Failure> {
    let read =
        uci::read(position, text.as_bytes()).or_else(|| san::read(position, text.as_bytes()).ok());
    match read {
        Some(Ply::Move(m)) => Ok(m),
        _ => Err(Failure::Usage(format!(
            "`{text}` is no legal move in {}",
            position.fen()
        ))),
    }
}

/// Opens a book and tells what is wrong with it as a whole.
fn open(
    context: &Context,
    item: &InputItem,
    reporter: &mut Reporter,
) -> Result<Box<dyn Book>, Failure> {
    let book = tabia::book::open(item, &context.open)?;
    told(context, item, &*book, reporter)?;
    Ok(book)
}

fn told(
    context: &Context,
    item: &InputItem,
    book: &dyn Book,
    reporter: &mut Reporter,
) -> Result<(), Failure> {
    for text in &book.info().problems {
        let error = item.fault(text);
        if context.common.strict {
            return Err(Failure::Strict(error));
        }
        let told = reporter.problem(item, &error.into());
        told.map_err(Failure::output)?;
    }
    Ok(())
}

/// Tells what is wrong with books as wholes, before anything is made of them; what can be read but
/// once is left alone.
fn tell(context: &Context, items: &[InputItem], reporter: &mut Reporter) -> Result<(), Failure> {
    let mut files = items.iter().filter(|item| !item.is_once());
    files.try_for_each(|item| open(context, item, reporter).map(drop))
}

/// The books that paths name; of folders and archives all that are in them.
fn items(context: &Context, paths: &[OsString]) -> Result<Vec<InputItem>, Failure> {
    let mut books = Vec::new();
    for path in paths {
        let mut items = context.contents(std::slice::from_ref(path))?;
        if items.len() > 1 && items.iter().any(is_book) {
            items.retain(is_book);
        }
        books.extend(items);
    }
    Ok(books)
}

fn is_book(item: &InputItem) -> bool {
    item.format().book().is_some()
}

/// The one book that a path names.
fn item(context: &Context, path: &OsString) -> Result<InputItem, Failure> {
    let mut items = items(context, std::slice::from_ref(path))?;
    match (items.pop(), items.len()) {
        (Some(item), 0) => Ok(item),
        _ => Err(Failure::input(
            Error::new(ErrorKind::Unsupported(
                "several books are here: name one of them".to_owned(),
            ))
            .in_path(Path::new(path)),
        )),
    }
}

/// The format of a book to be written: by name, else by the target's extension.
fn book_format(
    context: &Context,
    path: &Path,
    to: Option<&str>,
) -> Result<&'static BookFormat, Failure> {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let name = to.or(extension.as_deref()).unwrap_or_default();
    let books = || {
        let known = context.resolver.formats().iter();
        known.filter_map(|format| format.book())
    };
    let by_name = context.resolver.format(name).and_then(Format::book);
    let chosen = by_name.or_else(|| books().find(|book| book.file.extensions.contains(&name)));
    chosen.ok_or_else(|| {
        let names: Vec<String> = books()
            .map(|book| format!("{} (.{})", book.file.id, book.file.extensions.join(", .")))
            .collect();
        Failure::Usage(format!(
            "{}: not a book that can be written; there are {}",
            path.display(),
            names.join(", ")
        ))
    })
}
