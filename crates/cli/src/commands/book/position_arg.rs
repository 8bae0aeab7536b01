//! The position that `--fen` and `--moves` of `tabia book` name, and moves as arguments.

use tabia::Error;
use tabia::book::position_arg;
use tabia::core::chess::{Move, Ply, Position, san, uci};

use crate::args::book::PositionArgs;

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
