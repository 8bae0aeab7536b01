//! `attacks` and `pinned`: men that attack others, and men pinned to their king.

use tabia_core::chess::{Bitboard, Color, Position, Role, Square};

use super::piece_set::{PieceSet, square_set};

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

/// The men that cannot leave their line without exposing their own king.
pub(super) fn pinned(position: &Position) -> u64 {
    const STEPS: [(i8, i8); 8] = [
        (1, 0),
        (-1, 0),
        (0, 1),
        (0, -1),
        (1, 1),
        (1, -1),
        (-1, 1),
        (-1, -1),
    ];
    let mut found = 0;
    for color in [Color::White, Color::Black] {
        let king = position.king(color);
        for (file_step, rank_step) in STEPS {
            let is_straight = file_step == 0 || rank_step == 0;
            let (mut file, mut rank) = (king.file() as i8, king.rank() as i8);
            let mut shield: Option<Square> = None;
            loop {
                (file, rank) = (file + file_step, rank + rank_step);
                let (Ok(file), Ok(rank)) = (u8::try_from(file), u8::try_from(rank)) else {
                    break;
                };
                let Some(square) = Square::from_coords(file, rank) else {
                    break;
                };
                let Some(piece) = position.piece_at(square) else {
                    continue;
                };
                match shield {
                    None if piece.color == color => shield = Some(square),
                    None => break,
                    Some(shield) => {
                        let slides = match piece.role {
                            Role::Queen => true,
                            Role::Rook => is_straight,
                            Role::Bishop => !is_straight,
                            _ => false,
                        };
                        if piece.color != color && slides {
                            found |= shield.bit();
                        }
                        break;
                    }
                }
            }
        }
    }
    found
}

/// Squares on the board with ranks or files exchanged.
pub(super) fn mirror_squares(squares: u64, ranks: bool, files: bool) -> u64 {
    let mut squares = squares;
    if ranks {
        squares = squares.swap_bytes();
    }
    if files {
        squares = squares.reverse_bits().swap_bytes();
    }
    squares
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

    #[test]
    fn pins_on_lines_and_diagonals() {
        for (fen, squares) in [
            ("4k3/4n3/8/8/8/8/8/4RK2 w - - 0 1", 1 << 52),
            ("4k3/3n4/8/1B6/8/8/8/4K3 w - - 0 1", 1 << 51),
            ("4k3/3n4/2n5/1B6/8/8/8/4K3 w - - 0 1", 0),
            ("4k3/3n4/8/1R6/8/8/8/4K3 w - - 0 1", 0),
            ("4k3/8/8/8/1b6/2N5/3K4/8 w - - 0 1", 1 << 18),
        ] {
            assert_eq!(pinned(&position(fen)), squares, "{fen}");
        }
    }

    #[test]
    fn squares_are_mirrored() {
        let square = |name: &str| Square::parse(name.as_bytes()).unwrap().bit();
        assert_eq!(mirror_squares(square("c2"), true, false), square("c7"));
        assert_eq!(mirror_squares(square("c2"), false, true), square("f2"));
        assert_eq!(mirror_squares(square("c2"), true, true), square("f7"));
    }
}
