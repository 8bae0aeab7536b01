//! The inputs of `tabia book`: books, positions, moves; and the format of the book to write.

use std::ffi::OsString;
use std::path::Path;

use tabia::book::merge::MergeOptions;
use tabia::book::position_arg;
use tabia::core::books::Book;
use tabia::core::chess::{Move, Ply, Position, san, uci};
use tabia::core::{BookFormat, ErrorKind};
use tabia::formats::Format;
use tabia::{Error, InputItem, Observer};

use crate::args::book::PositionArgs;
use crate::context::Context;
use crate::report::Reporter;

/// The position of `--fen` and `--moves`.
pub(super) struct QueriedPosition {
    /// The position of `--fen`, else the standard one.
    pub(super) start: Position,
    /// The moves from there.
    pub(super) plies: Vec<Ply>,
    /// The position after the moves.
    pub(super) position: Position,
}

impl QueriedPosition {
    pub(super) fn parse(args: &PositionArgs) -> Result<Self, Error> {
        let start = match &args.fen {
            Some(fen) => position_arg::position_of_fen(fen)
                .map_err(|why| Error::usage(format!("`--fen {fen}`: {why}")))?,
            None => Position::standard(),
        };
        let moves = args.moves.as_deref().unwrap_or_default();
        let (position, plies) = position_arg::play_moves(&start, moves)
            .map_err(|why| Error::usage(format!("`--moves`: {why}")))?;
        Ok(Self {
            start,
            plies,
            position,
        })
    }
}

/// A legal move of a position, in UCI or SAN.
pub(super) fn parse_move(position: &Position, text: &str) -> Result<Move, Error> {
    let read =
        uci::read(position, text.as_bytes()).or_else(|| san::read(position, text.as_bytes()).ok());
    match read {
        Some(Ply::Move(m)) => Ok(m),
        _ => Err(Error::usage(format!(
            "`{text}` is not a legal move in {}",
            position.fen()
        ))),
    }
}

/// Opens a book and reports the problems of the book as a whole.
pub(super) fn open_book(
    context: &Context,
    item: &InputItem,
    reporter: &mut Reporter,
) -> Result<Box<dyn Book>, Error> {
    let (book, problems) = tabia::book::open_with_problems(item, &context.open)?;
    for error in problems {
        report_problem(context, item, error, reporter)?;
    }
    report_problems(context, item, &*book, reporter)?;
    Ok(book)
}

/// Reports the problems of a book as a whole; with `--strict` the first of them is the failure.
pub(super) fn report_problems(
    context: &Context,
    item: &InputItem,
    book: &dyn Book,
    reporter: &mut Reporter,
) -> Result<(), Error> {
    for text in &book.info().problems {
        report_problem(context, item, item.problem_text(text), reporter)?;
    }
    Ok(())
}

fn report_problem(
    context: &Context,
    item: &InputItem,
    error: Error,
    reporter: &mut Reporter,
) -> Result<(), Error> {
    if context.common.strict {
        return Err(error.under_strict());
    }
    let reported = reporter.problem(item, &error.into());
    reported.map_err(Error::in_output)
}

/// Reports the problems of books before anything is made of them. Inputs that can be read only once
/// are skipped.
pub(super) fn report_problems_of_all(
    context: &Context,
    items: &[InputItem],
    reporter: &mut Reporter,
) -> Result<(), Error> {
    let mut files = items.iter().filter(|item| !item.is_once());
    files.try_for_each(|item| open_book(context, item, reporter).map(drop))
}

/// The books that paths name; of folders and archives all books in them.
pub(super) fn book_inputs(context: &Context, paths: &[OsString]) -> Result<Vec<InputItem>, Error> {
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

/// The single book that a path names.
pub(super) fn book_input(context: &Context, path: &OsString) -> Result<InputItem, Error> {
    let mut items = book_inputs(context, std::slice::from_ref(path))?;
    match (items.pop(), items.len()) {
        (Some(item), 0) => Ok(item),
        _ => Err(Error::new(ErrorKind::Unsupported(
            "several books are here: name one of them".to_owned(),
        ))
        .in_path(Path::new(path))),
    }
}

/// The format of a book to be written: of `--to`, else of the target's extension.
pub(super) fn book_format(
    context: &Context,
    path: &Path,
    to: Option<&str>,
) -> Result<&'static BookFormat, Error> {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let name = to.or(extension.as_deref()).unwrap_or_default();
    let books = || {
        let formats = context.resolver.formats().iter();
        formats.filter_map(|format| format.book())
    };
    let by_name = context.resolver.format(name).and_then(Format::book);
    let chosen = by_name.or_else(|| books().find(|book| book.file.extensions.contains(&name)));
    chosen.ok_or_else(|| {
        let names: Vec<String> = books()
            .map(|book| format!("{} (.{})", book.file.id, book.file.extensions.join(", .")))
            .collect();
        Error::usage(format!(
            "{}: not a book format that can be written; these can: {}",
            path.display(),
            names.join(", ")
        ))
    })
}

/// How books are opened and the new one is created, with the defaults of a merge.
pub(super) fn merge_options(context: &Context, force: bool) -> MergeOptions {
    let mut options = MergeOptions::default();
    options.open = context.open.clone();
    options.create.force = force;
    options
}
