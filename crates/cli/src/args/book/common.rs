//! Options that several verbs of `tabia book` share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use tabia::Error;

use crate::typed_position::{TypedPosition, board_alone, board_and_side};

/// A whole number that is not 0.
pub(super) fn above_zero<T: FromStr + Default + PartialEq>(text: &str) -> Result<T, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| *number != T::default());
    number.ok_or_else(|| "a whole number above 0".to_owned())
}

/// Options that choose a position.
#[derive(Debug, Clone, Args)]
pub(crate) struct PositionArgs {
    /// The position, as FEN [default: the standard position]
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
    /// The position after these moves, SAN or UCI, with or without numbers
    #[arg(long, visible_alias = "line", value_name = "MOVES")]
    pub(crate) moves: Option<String>,
}

impl PositionArgs {
    /// A FEN that ends after its board, from which it cannot be known which position is meant.
    pub(crate) fn board_alone(&self) -> Option<&str> {
        board_alone(self.fen.as_deref()?)
    }

    /// A FEN that ends after the side to move, as board and side: from it castling rights are not known.
    pub(crate) fn board_and_side(&self) -> Option<(&str, &str)> {
        board_and_side(self.fen.as_deref()?)
    }

    /// The position that the options name.
    pub(crate) fn parse(&self) -> Result<TypedPosition, Error> {
        let moves = self.moves.as_deref().unwrap_or_default();
        TypedPosition::parse(self.fen.as_deref(), "--moves", moves)
    }
}

/// Options for the book that is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct BookOutArgs {
    /// The book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The book's format [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
}
