//! Mirror images of what is asked of a moment, for `flip`.

use tabia_core::chess::{Bitboard, Position, Setup, Square};

use super::moment_terms::{Check, MomentTerm};
use super::square_set::mirror_squares;

impl MomentTerm {
    /// What holds at a position if this term holds at its mirror image: colours exchanged together with
    /// the ranks, or the files exchanged.
    pub(crate) fn mirror(&self, color: bool, files: bool) -> Self {
        let values = self.values.iter();
        Self {
            field: self.field,
            values: values
                .map(|(text, check)| (text.clone(), check.mirror(color, files)))
                .collect(),
        }
    }
}

impl Check {
    fn mirror(&self, color: bool, files: bool) -> Self {
        match self {
            Self::Fen(position, fields) => match mirror_position(position, color, files) {
                Some(position) => Self::Fen(Box::new(position), *fields),
                None => Self::Never,
            },
            Self::Squares(parts) => {
                let mirrored = parts.iter().map(|&(set, squares, any)| {
                    (
                        set.mirror(color),
                        mirror_squares(squares, color, files),
                        any,
                    )
                });
                Self::Squares(mirrored.collect())
            }
            Self::Material([white, black]) if color => Self::Material([*black, *white]),
            Self::Count(set, bounds) => Self::Count(set.mirror(color), *bounds),
            Self::Imbalance(wanted) if color => {
                Self::Imbalance(wanted.map(|difference| difference.map(|number| -number)))
            }
            Self::Balance(bounds) if color => Self::Balance(bounds.negated()),
            Self::Pawns(check, is_mirrored) => {
                Self::Pawns(check.mirror(color, files), *is_mirrored != files)
            }
            Self::Turn(turn) if color => Self::Turn(turn.other()),
            Self::Move(pattern) => Self::Move(Box::new(pattern.mirror(color, files))),
            Self::Attack(attack) => Self::Attack(attack.mirror(color, files)),
            Self::Pinned(set) => Self::Pinned(set.mirror(color)),
            Self::Later(later) => Self::Later(later.mirror(color)),
            other => other.clone(),
        }
    }
}

/// A position with colours or files exchanged; `None` if no game has it, as castling is never to the
/// other side.
fn mirror_position(position: &Position, color: bool, files: bool) -> Option<Position> {
    let from = position.to_setup();
    if files && from.castling.as_flattened().iter().any(Option::is_some) {
        return None;
    }
    let square = |square: Square| Bitboard(mirror_squares(square.bit(), color, files)).first();
    let mut to = Setup::empty();
    for from_square in Square::ALL {
        let piece = from.piece(from_square).map(|mut piece| {
            if color {
                piece.color = piece.color.other();
            }
            piece
        });
        to.set(square(from_square)?, piece);
    }
    to.turn = if color { from.turn.other() } else { from.turn };
    let [white, black] = from.castling;
    let sides = if color {
        [black, white]
    } else {
        [white, black]
    };
    to.castling = sides.map(|rooks| rooks.map(|rook| rook.and_then(square)));
    to.en_passant = from.en_passant.and_then(square);
    Position::from_setup(&to).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_mirrored() {
        let najdorf = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
        let position = Position::parse_fen(najdorf.as_bytes()).unwrap();
        let other = mirror_position(&position, true, false).unwrap();
        assert_eq!(
            other.fen(),
            "r1bqkb1r/ppp2ppp/2n5/3np3/8/P2P1N2/1P2PPPP/RNBQKB1R b KQkq - 0 1"
        );
        assert!(mirror_position(&position, false, true).is_none());
        let ending = Position::parse_fen(b"4k3/8/8/1Pp5/8/8/8/R3K3 w - c6 0 1").unwrap();
        let other = mirror_position(&ending, true, true).unwrap();
        assert_eq!(other.fen(), "3k3r/8/8/8/5Pp1/8/8/3K4 b - f3 0 1");
    }
}
