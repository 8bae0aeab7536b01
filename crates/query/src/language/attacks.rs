//! `attacks`: men that attack squares or other men.

use tabia_core::chess::{Bitboard, Color, Position};

use super::piece_set::PieceSet;
use super::square_set::{mirror_squares, square_set};

/// Men that attack squares, or men on them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attack {
    from: PieceSet,
    from_squares: u64,
    /// The man on an attacked square; anything if `None`.
    to: Option<PieceSet>,
    to_squares: u64,
}

impl Attack {
    /// Parses `Q>h7`, `Nf5>[g7,h6]`, `R>q` or `[BQ]>ph7`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once(['>', '→'])?;
        let (from, squares) = PieceSet::parse(from)?;
        let from_squares = if squares.is_empty() {
            u64::MAX
        } else {
            square_set(squares)?
        };
        if let Some(to_squares) = square_set(to) {
            return Some(Self {
                from,
                from_squares,
                to: None,
                to_squares,
            });
        }
        let (to, squares) = PieceSet::parse(to)?;
        let to_squares = if squares.is_empty() {
            u64::MAX
        } else {
            square_set(squares)?
        };
        Some(Self {
            from,
            from_squares,
            to: Some(to),
            to_squares,
        })
    }

    pub(super) fn fits(&self, position: &Position) -> bool {
        let attackers = self.from.squares(position) & self.from_squares;
        if attackers == 0 {
            return false;
        }
        let targets = match self.to {
            Some(to) => to.squares(position) & self.to_squares,
            None => self.to_squares,
        };
        Bitboard(targets).into_iter().any(|square| {
            let by = |color| position.attackers_to(square, color).0 & attackers != 0;
            by(Color::White) || by(Color::Black)
        })
    }

    pub(super) fn mirror(&self, color: bool, files: bool) -> Self {
        Self {
            from: self.from.mirror(color),
            from_squares: mirror_squares(self.from_squares, color, files),
            to: self.to.map(|to| to.mirror(color)),
            to_squares: mirror_squares(self.to_squares, color, files),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::parse_fen(fen.as_bytes()).unwrap()
    }

    #[test]
    fn attacks_on_squares_and_men() {
        let position = position("4k3/7p/8/8/8/3B4/7R/Q3K3 w - - 0 1");
        for (text, expected) in [
            ("B>h7", true),
            ("Bd3>p", true),
            ("Q>h7", false),
            ("[RB]>ph7", true),
            ("Q>[a8,h8]", true),
            ("R>k", false),
            ("p>[g6,a1]", true),
            ("Ra1>h7", false),
            ("Q→K", true),
        ] {
            let attack = Attack::parse(text).unwrap();
            assert_eq!(attack.fits(&position), expected, "{text}");
        }
        for text in ["Q", ">h7", "Q>", "Q>i9", "X>h7", "Qz>h7"] {
            assert!(Attack::parse(text).is_none(), "{text}");
        }
    }
}
