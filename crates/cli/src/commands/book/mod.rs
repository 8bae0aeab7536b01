//! `tabia book`: opening books.

mod find;
mod info;
mod line;

use std::ffi::OsString;
use std::path::Path;

use tabia::book::ask;
use tabia::core::chess::{Ply, Position};
use tabia::core::{Error, ErrorKind};
use tabia::{Failure, Item};

use crate::book_args::{BookVerb, PositionArgs};
use crate::context::Context;
use crate::exit_code::ExitCode;

pub(crate) fn run(verb: &BookVerb) -> Result<ExitCode, Failure> {
    match verb {
        BookVerb::Info(args) => info::run(args),
        BookVerb::Find(args) => find::run(args),
        BookVerb::Line(args) => line::run(args),
    }
}

/// The position asked for: where it starts, the moves to it, and itself.
fn asked(args: &PositionArgs) -> Result<(Position, Vec<Ply>, Position), Failure> {
    let start = match &args.fen {
        Some(fen) => ask::position_of_fen(fen)
            .map_err(|why| Failure::Usage(format!("`--fen {fen}`: {why}")))?,
        None => Position::standard(),
    };
    let moves = args.moves.as_deref().unwrap_or_default();
    let (position, plies) = ask::play_moves(&start, moves)
        .map_err(|why| Failure::Usage(format!("`--moves`: {why}")))?;
    Ok((start, plies, position))
}

/// The books that paths name.
fn items(context: &Context, paths: &[OsString]) -> Result<Vec<Item>, Failure> {
    context.contents(paths)
}

/// The one book that a path names.
fn item(context: &Context, path: &OsString) -> Result<Item, Failure> {
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
