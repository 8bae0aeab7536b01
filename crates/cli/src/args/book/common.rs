//! Options that several verbs of `tabia book` share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use tabia::Error;
use tabia::book::position_arg::position_of_fen;

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

    /// A FEN that ends after the side to move, as board and side: from it castling rights are not known.
    pub(crate) fn board_and_side(&self) -> Option<(&str, &str)> {
        let mut fields = self.fen.as_deref()?.split_whitespace();
        let (board, side) = (fields.next()?, fields.next()?);
        let is_end = fields.next().is_none() && board.contains('/');
        (is_end && matches!(side, "w" | "b")).then_some((board, side))
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
        if let Some((board, side)) = self.board_and_side() {
            let key = |castling: &str| {
                let fen = format!("{board} {side} {castling} - 0 1");
                position_of_fen(&fen).ok().map(|position| position.key())
            };
            // With king and rooks away from home there are none.
            if key("KQkq").is_some_and(|with| Some(with) != key("-")) {
                let text = format!("`--fen '{board} {side}'` does not state castling rights");
                let hint =
                    format!("`--fen '{board} {side} - -'` has none, `{side} KQkq` all of them");
                return Err(Error::usage(text).with_hint(hint));
            }
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
