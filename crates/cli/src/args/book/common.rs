//! Options that several verbs of `tabia book` share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use tabia::Error;

use crate::typed_position::TypedPosition;

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
        let fen = self.fen.as_deref()?.trim();
        (fen.contains('/') && !fen.contains(' ')).then_some(fen)
    }

    /// The position that the options name.
    pub(crate) fn parse(&self) -> Result<TypedPosition, Error> {
        if let Some(board) = self.board_alone() {
            let text = format!("`--fen {board}` does not state the side to move");
            let hint = format!(
                "`--fen '{board} w - -'` has White to move and no castling, `b KQkq` Black and all castling"
            );
            return Err(Error::usage(text).with_hint(hint));
        }
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
