//! The books that the paths of `tabia book` name: finding and opening them, and reporting their problems.

use std::ffi::OsString;
use std::path::Path;

use tabia::core::ErrorKind;
use tabia::core::books::Book;
use tabia::{Error, InputItem, Observer};

use crate::context::Context;
use crate::report::Reporter;

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
    reporter.add_book(item);
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

/// Reports the parts of a book that cannot be read; returns whether there are any.
pub(super) fn report_damage(
    context: &Context,
    item: &InputItem,
    book: &dyn Book,
    reporter: &mut Reporter,
) -> Result<bool, Error> {
    let damage = book.damage()?;
    for text in &damage {
        report_problem(context, item, item.problem_text(text), reporter)?;
    }
    Ok(!damage.is_empty())
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
