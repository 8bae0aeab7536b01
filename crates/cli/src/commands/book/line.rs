//! `tabia book line`: plays lines out of a book.

use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher, RandomState};

use serde::Serialize;
use tabia::Error;
use tabia::book::find::opening_of;
use tabia::book::pick_line::{MoveChoice, line};
use tabia::core::chess::{Ply, Position};

use super::one_sided_books::note_other_side;
use super::open_books::{book_input, open_book, report_damage};
use crate::args::book::BookLineArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle};
use crate::stdout::StdoutWriter;
use crate::terminal;
use crate::typed_position::TypedPosition;

const COLUMNS: &[&str] = &["moves", "plies", "opening"];
const NUMERIC: &[&str] = &["plies"];

pub(crate) fn run(args: &BookLineArgs) -> Result<ExitCode, Error> {
    if args.best && args.count > 1 {
        let text = "`--best` is one line, and `--count` is for lines that are drawn";
        return Err(
            Error::usage(text).with_hint("without `--best` moves are drawn by their weights")
        );
    }
    let context = Context::new(&args.common)?;
    let TypedPosition {
        start,
        plies: before,
        position,
    } = args.position.parse()?;
    let item = book_input(&context, &args.book)?;
    let mut reporter = context.reporter("book line", args.replace.force, None)?;
    let book = open_book(&context, &item, &mut reporter)?;
    let seed = args.seed.unwrap_or_else(any_seed);
    // Without a style of rows only the moves are printed, which people and engines read.
    let is_bare = match RowStyle::of(&args.listing) {
        RowStyle::Table => !args.listing.table,
        RowStyle::Tsv => !args.listing.tsv,
        _ => false,
    };
    let mut out = StdoutWriter::new(&context.bar);
    let mut listing =
        (!is_bare).then(|| Listing::new(&context.bar, &args.listing, COLUMNS, NUMERIC));
    let mut code = ExitCode::Done;
    for number in 0..u64::from(args.count) {
        let choice = if args.best {
            MoveChoice::Best
        } else {
            MoveChoice::Random(seed.wrapping_add(number))
        };
        let moves = line(&*book, &position, choice, args.plies)?;
        if moves.is_empty() {
            code = if book.info().is_cut {
                ExitCode::Problems
            } else {
                ExitCode::NoMatch
            };
            break;
        }
        let plies: Vec<Ply> = before
            .iter()
            .copied()
            .chain(moves.into_iter().map(Ply::Move))
            .collect();
        let text = numbered(&start, &plies);
        let opening =
            opening_of(&start, &plies).map(|opening| format!("{} {}", opening.eco, opening.name));
        let Some(listing) = &mut listing else {
            let limit = args.listing.limit.unwrap_or(u64::MAX);
            if number < args.listing.offset || number - args.listing.offset >= limit {
                continue;
            }
            // A line that is longer than the terminal breaks between moves.
            let is_terminal = terminal::stdout_is_terminal();
            let width = is_terminal.then(terminal::width);
            out.text(&wrapped(&text, width.unwrap_or(usize::MAX)))?;
            out.text("\n")?;
            continue;
        };
        listing.push(&LineRow {
            moves: text,
            plies: plies.len(),
            opening,
            uci: coordinates(&start, &plies),
        })?;
    }
    if let Some(listing) = listing {
        listing.finish()?;
    }
    out.flush()?;
    if code == ExitCode::Problems {
        let text = "what is left of the book has no move to play in this position; one may be in the part that is missing";
        context.messages.note(text);
    }
    if code == ExitCode::NoMatch {
        context
            .messages
            .note("the book has no move to play in this position");
        if report_damage(&context, &item, &*book, &mut reporter)? {
            code = ExitCode::Problems;
        } else {
            note_other_side(&context, &*book, &position)?;
        }
    }
    reporter.finish(None)?;
    Ok(code)
}

#[derive(Serialize)]
struct LineRow {
    /// SAN with move numbers.
    moves: String,
    plies: usize,
    opening: Option<String>,
    uci: Vec<String>,
}

/// Moves with line breaks instead of spaces where a line would be longer than `width`. Numbers stay with their moves.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut used = 0;
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let next = words.peek().filter(|_| word.ends_with('.'));
        let needed = word.len() + next.map_or(0, |next| 1 + next.len());
        let fits = out.ends_with('.') || used + 1 + needed <= width;
        if used > 0 {
            out.push(if fits { ' ' } else { '\n' });
        }
        used = if used > 0 && fits { used + 1 } else { 0 } + word.len();
        out.push_str(word);
    }
    out
}

/// A random seed, from the standard library's hash maps.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// `1. e4 c5 2. Nf3`.
fn numbered(start: &Position, plies: &[Ply]) -> String {
    let mut position = start.clone();
    let mut text = String::new();
    for (i, ply) in plies.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        if position.turn().is_white() {
            let _ = write!(text, "{}. ", position.full_move_number());
        } else if i == 0 {
            let _ = write!(text, "{}... ", position.full_move_number());
        }
        let _ = write!(text, "{}", position.san(*ply));
        position.play_ply(*ply);
    }
    text
}

fn coordinates(start: &Position, plies: &[Ply]) -> Vec<String> {
    let mut position = start.clone();
    let mut all = Vec::new();
    for ply in plies {
        all.push(position.uci(*ply).to_string());
        position.play_ply(*ply);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_moves() {
        assert_eq!(wrapped("1. e4 c5 2. Nf3", 8), "1. e4 c5\n2. Nf3");
        assert_eq!(wrapped("1. e4 c5 2. Nf3", 12), "1. e4 c5\n2. Nf3");
        assert_eq!(wrapped("1. e4 c5 2. Nf3", usize::MAX), "1. e4 c5 2. Nf3");
        assert_eq!(wrapped("Nf3", 2), "Nf3");
    }
}
