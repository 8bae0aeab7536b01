//! What decides a test, so that it is asked only of positions and moves that may change its answer.

use tabia_core::chess::{Ply, Position, Role};

/// What of a position decides a test, so that it is asked again only when that has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    kinds: u8,
    /// The pieces on these squares.
    squares: u64,
}

impl Inputs {
    /// Nothing but that there is a position: asked once.
    pub(crate) const ONCE: Self = Self::of_kinds(1);
    /// The number of men of each kind, and the colours of the squares of bishops.
    pub(crate) const MATERIAL: Self = Self::of_kinds(2);
    /// The squares of the pawns.
    pub(crate) const PAWNS: Self = Self::of_kinds(4);
    /// Anything, the move played too.
    pub(crate) const ALL: Self = Self {
        kinds: 15,
        squares: u64::MAX,
    };

    /// What every ply changes.
    const ANY: u8 = 8;

    const fn of_kinds(kinds: u8) -> Self {
        Self { kinds, squares: 0 }
    }

    /// The pieces on these squares.
    pub(crate) const fn squares(squares: u64) -> Self {
        Self { kinds: 0, squares }
    }

    /// What a ply may change.
    #[inline]
    pub(crate) fn changed_by(before: &Position, ply: Ply) -> Self {
        let Some(m) = ply.to_move() else {
            return Self::of_kinds(Self::ANY);
        };
        let (from, to) = (m.from(), m.to());
        // Numbers, so that nothing branches: most of these are as likely as not.
        let captures = u8::from(before.occupied().has(to));
        let is_pawn = u8::from(before.by_role(Role::Pawn).has(from));
        let leaves_file = u8::from(from.file() != to.file());
        let is_special = u8::from(!m.is_normal());
        let pawns = (captures | is_pawn) * Self::PAWNS.kinds;
        let material = (captures | is_pawn & (leaves_file | is_special)) * Self::MATERIAL.kinds;
        // Castling changes squares of one rank; a pawn that is taken en passant stood on the rank of the other.
        let has_others = u8::from(m.is_castling()) | is_pawn & leaves_file & !captures;
        let others = u64::from(has_others & 1) * (0xff << (8 * from.rank()));
        Self {
            kinds: Self::ANY | pawns | material,
            squares: from.bit() | to.bit() | others,
        }
    }

    #[inline]
    pub(crate) const fn overlap(self, other: Self) -> bool {
        self.kinds & other.kinds != 0 || self.squares & other.squares != 0
    }

    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            kinds: self.kinds | other.kinds,
            squares: self.squares | other.squares,
        }
    }
}

/// The moves that a position may fit with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlayedMoves {
    /// They go to one of these squares; castling goes to that of the rook.
    pub(crate) to: u64,
    /// They take something.
    pub(crate) captures: bool,
}

impl Default for PlayedMoves {
    fn default() -> Self {
        Self::ANY
    }
}

impl PlayedMoves {
    /// Every move, and none.
    pub(crate) const ANY: Self = Self {
        to: u64::MAX,
        captures: false,
    };

    /// No move at all.
    pub(crate) const NEVER: Self = Self {
        to: 0,
        captures: true,
    };

    /// The moves of either.
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self {
            to: self.to | other.to,
            captures: self.captures & other.captures,
        }
    }

    /// The moves of both.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            to: self.to & other.to,
            captures: self.captures | other.captures,
        }
    }

    /// Whether the move is one of them; `false` is certain, `true` is not.
    #[inline]
    pub(crate) fn may_have(self, before: &Position, ply: Ply) -> bool {
        if self == Self::ANY {
            return true;
        }
        let Some(m) = ply.to_move() else {
            return false;
        };
        // A pawn may take on an empty square.
        let takes = || before.occupied().has(m.to()) || m.from().file() != m.to().file();
        self.to & m.to().bit() != 0 && (!self.captures || takes())
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::chess::{Material, Square, san};

    use super::*;

    /// Squares that differ between two positions.
    fn changed(before: &Position, after: &Position) -> u64 {
        (0..64)
            .filter_map(Square::new)
            .filter(|square| before.piece_at(*square) != after.piece_at(*square))
            .fold(0, |all, square| all | square.bit())
    }

    #[test]
    fn every_square_that_changes_is_among_the_inputs() {
        let games = [
            "e4 e6 e5 d5 exd6 Nf6 dxc7 Be7 cxb8=Q O-O Nf3 a5 Be2 a4 O-O Rxb8 b4 axb3 axb3",
            "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O h4 a5",
        ];
        let mut specials = 0;
        for game in games {
            let mut position = Position::standard();
            for text in game.split(' ') {
                let before = position.clone();
                let played = san::read_and_play(&mut position, text.as_bytes()).unwrap();
                let inputs = Inputs::changed_by(&before, played);
                let squares = changed(&before, &position);
                assert_eq!(squares & !inputs.squares, 0, "{text}");
                specials += u32::from(inputs.squares.count_ones() > 2);
                let counts = |position: &Position| Material::of(position);
                if counts(&before) != counts(&position) {
                    assert!(inputs.overlap(Inputs::MATERIAL), "{text}");
                }
            }
        }
        assert_eq!(specials, 6);
    }

    #[test]
    fn moves_are_excluded_by_target_and_capture() {
        let mut position = Position::standard();
        let mut moves = Vec::new();
        for text in "e4 d5 exd5 Nf6 Bb5+ c6 dxc6 a6 cxb7 Nc6 Nf3 Be6 O-O".split(' ') {
            let before = position.clone();
            let played = san::read_and_play(&mut position, text.as_bytes()).unwrap();
            moves.push((text, before, played));
        }
        let having = |wanted: PlayedMoves| -> Vec<&str> {
            let fit = moves
                .iter()
                .filter(|(_, before, ply)| wanted.may_have(before, *ply));
            fit.map(|(text, ..)| *text).collect()
        };
        let captures = PlayedMoves {
            captures: true,
            ..PlayedMoves::ANY
        };
        let to_c6 = PlayedMoves {
            to: 1 << 42,
            captures: false,
        };
        assert_eq!(having(PlayedMoves::ANY).len(), moves.len());
        assert!(having(PlayedMoves::NEVER).is_empty());
        assert_eq!(having(to_c6), ["c6", "dxc6", "Nc6"]);
        assert_eq!(having(to_c6.and(captures)), ["dxc6", "Nc6"]);
        let all: Vec<&str> = [
            "exd5", "Nf6", "Bb5+", "dxc6", "cxb7", "Nc6", "Nf3", "Be6", "O-O",
        ]
        .into();
        // Only certain moves are left out: one on the same file to an empty square takes nothing.
        assert_eq!(having(captures), all);
        assert_eq!(having(to_c6.or(captures)).len(), moves.len());
        assert!(PlayedMoves::ANY.may_have(&Position::standard(), Ply::Null));
        assert!(!to_c6.may_have(&Position::standard(), Ply::Null));
    }
}
