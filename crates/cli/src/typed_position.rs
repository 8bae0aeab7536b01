//! The position that `--fen` and an option with moves name.

use tabia::Error;
use tabia::book::position_arg::{IllegalMove, play_moves, position_of_fen};
use tabia::core::chess::{Move, Ply, Position, san, uci};
use tabia::core::shell_argument::argument;

/// The position of `--fen` and of moves from there.
pub(crate) struct TypedPosition {
    /// The position of `--fen`, else the standard one.
    pub(crate) start: Position,
    /// The moves from there.
    pub(crate) plies: Vec<Ply>,
    /// The position after the moves.
    pub(crate) position: Position,
}

impl TypedPosition {
    /// `option` takes the moves: `--moves` or `--line`.
    ///
    /// # Errors
    /// A usage error with an example of a FEN, or with the legal moves that were probably meant.
    pub(crate) fn parse(fen: Option<&str>, option: &str, moves: &str) -> Result<Self, Error> {
        let start = match fen {
            Some(fen) => position_of_fen(fen).map_err(|why| {
                Error::usage(format!("`--fen {fen}`: {why}")).with_hint(fen_hint())
            })?,
            None => Position::standard(),
        };
        let (position, plies) = play_moves(&start, moves).map_err(|illegal| {
            let hint = move_hint(&illegal, option, &start);
            Error::usage(format!("`{option}`: {illegal}")).with_hint(hint)
        })?;
        Ok(Self {
            start,
            plies,
            position,
        })
    }
}

/// A legal move of a position, in UCI or SAN, that `--move` names.
///
/// # Errors
/// A usage error with the legal moves that were probably meant.
pub(crate) fn parse_move(position: &Position, text: &str) -> Result<Move, Error> {
    let read =
        uci::read(position, text.as_bytes()).or_else(|| san::read(position, text.as_bytes()).ok());
    if let Some(Ply::Move(m)) = read {
        return Ok(m);
    }
    let illegal = IllegalMove {
        word: text.to_owned(),
        played: Vec::new(),
        position: Box::new(position.clone()),
    };
    let hint = format!(
        "{}; `--move` takes a move as `Nf3` or `g1f3`",
        legal_there(&illegal)
    );
    Err(Error::usage(illegal.to_string()).with_hint(hint))
}

/// What a FEN looks like.
fn fen_hint() -> String {
    let fen = Position::standard().fen();
    format!(
        "a FEN has the ranks from the eighth to the first, the side to move, castling rights and the en-passant \
         square, as in `--fen '{fen}'`; `--fen startpos` is the standard position"
    )
}

/// The legal moves that were probably meant, and the option with the moves before.
fn move_hint(illegal: &IllegalMove, option: &str, start: &Position) -> String {
    let legal = legal_there(illegal);
    if illegal.played.is_empty() {
        return format!("{legal}; `{option}` takes moves as `'1.e4 c5 2.Nf3'`");
    }
    let mut position = start.clone();
    let mut moves = Vec::new();
    for ply in &illegal.played {
        moves.push(position.san(*ply).to_string());
        position.play_ply(*ply);
    }
    let moves = moves.join(" ");
    format!("{legal}; `{option} {}` ends before it", argument(&moves))
}

fn legal_there(illegal: &IllegalMove) -> String {
    let similar = illegal.similar();
    if similar.is_empty() {
        return "no move is legal there".to_owned();
    }
    format!("legal there: {}", similar.join(", "))
}
