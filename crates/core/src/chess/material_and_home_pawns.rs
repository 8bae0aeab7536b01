//! Signatures of material and unmoved pawns. Both change in one direction only, so that comparing the
//! signatures of two positions can exclude that one follows from the other, without playing a move.

use super::position::Position;
use super::types::{Bitboard, Color, Piece, Role};

/// Both signatures of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The pieces, whatever their squares.
    pub material: Material,
    /// The pawns that have not moved.
    pub home_pawns: HomePawns,
}

impl Signature {
    /// The signatures of a position.
    pub fn of(position: &Position) -> Self {
        Self {
            material: Material::of(position),
            home_pawns: HomePawns::of(position),
        }
    }

    /// Whether a game may lead from this position to one with the signature `later`. `false` is
    /// certain, `true` is not.
    pub const fn can_become(self, later: Self) -> bool {
        self.material.can_become(later.material) && self.home_pawns.can_become(later.home_pawns)
    }
}

/// Number of pieces of each kind, in the 24 bits of Scid's index: bits 23-22 white queens, 21-20
/// rooks, 19-18 bishops, 17-16 knights, 15-12 pawns, 11-0 the same for Black. The count 3 means three
/// or more, for pawns 15 means fifteen or more.
///
/// Known from: Scid's final-material signature, recomputed for real games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material(u32);

/// The kinds except the king, from the lowest bits up.
const KINDS: [Role; 5] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
];

impl Material {
    /// The material of a position.
    pub fn of(position: &Position) -> Self {
        let mut word = 0;
        for color in [Color::White, Color::Black] {
            for role in KINDS {
                let (shift, max) = bits(color, role);
                let count = position.by_piece(Piece { color, role }).count();
                word |= if count < max { count } else { max } << shift;
            }
        }
        Self(word)
    }

    /// From the bits described at [`Material`]; higher bits are ignored.
    pub const fn from_bits(word: u32) -> Self {
        Self(word & 0xff_ffff)
    }

    /// The bits described at [`Material`].
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Number of pieces; 3 (15 for pawns) means that many or more. Always 1 for a king.
    pub const fn count(self, color: Color, role: Role) -> u32 {
        if matches!(role, Role::King) {
            return 1;
        }
        let (shift, max) = bits(color, role);
        self.0 >> shift & max
    }

    /// Whether a game may lead from this material to the material `later`: pawns do not come back,
    /// and each additional piece needs a pawn that has promoted. `false` is certain, `true` is not.
    pub const fn can_become(self, later: Self) -> bool {
        self.side_can_become(later, Color::White) && self.side_can_become(later, Color::Black)
    }

    const fn side_can_become(self, later: Self, color: Color) -> bool {
        let pawns = self.count(color, Role::Pawn);
        let pawns_later = later.count(color, Role::Pawn);
        if pawns == 15 {
            // Fifteen or more: the number that may promote is unknown.
            return true;
        }
        if pawns_later > pawns {
            return false;
        }
        let mut promoted = 0;
        let mut i = 1;
        while i < KINDS.len() {
            let now = self.count(color, KINDS[i]);
            if now < 3 {
                promoted += later.count(color, KINDS[i]).saturating_sub(now);
            }
            i += 1;
        }
        promoted <= pawns - pawns_later
    }
}

/// The lowest bit of a kind's count, and the largest count.
const fn bits(color: Color, role: Role) -> (u32, u32) {
    let side = if color.is_white() { 12 } else { 0 };
    match role {
        Role::Pawn | Role::King => (side, 15),
        _ => (side + 2 + 2 * role as u32, 3),
    }
}

/// The pawns on their start squares: bit 15 for a2 to 8 for h2, 7 for a7 to 0 for h7.
///
/// Known from: Scid's home-pawn signature, recomputed for real games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HomePawns(u16);

impl HomePawns {
    /// All sixteen pawns.
    pub const ALL: HomePawns = HomePawns(0xffff);

    /// The pawns on their start squares in a position.
    pub fn of(position: &Position) -> Self {
        let pawns = |color| {
            position.by_piece(Piece {
                color,
                role: Role::Pawn,
            })
        };
        let rank = |set: Bitboard, rank: u32| ((set.0 >> (8 * rank)) as u8).reverse_bits();
        let (white, black) = (rank(pawns(Color::White), 1), rank(pawns(Color::Black), 6));
        Self(u16::from(white) << 8 | u16::from(black))
    }

    /// From the bits described at [`HomePawns`].
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The bits described at [`HomePawns`].
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Whether a game may lead from these pawns to `later`: a pawn never returns to its start square.
    pub const fn can_become(self, later: Self) -> bool {
        later.0 & !self.0 == 0
    }

    /// The number of the highest bit that is set here and not in `later`; one ply clears at most one
    /// bit.
    pub const fn gone(self, later: Self) -> Option<u8> {
        let gone = self.0 & !later.0;
        if gone == 0 {
            None
        } else {
            Some(15 - gone.leading_zeros() as u8)
        }
    }
}

/// The pawns that left their start squares during a game, in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PawnsGone {
    count: u8,
    /// Their bits in [`HomePawns`], 0 to 15, a nibble each, the first one high.
    list: u64,
}

impl PawnsGone {
    /// The first `count` of the nibbles of `list`, from its highest on; 16 at most.
    ///
    /// ```
    /// use tabia_core::chess::{HomePawns, PawnsGone};
    ///
    /// // e2, d7, a2.
    /// let gone = PawnsGone::new(3, [0xb4, 0xf0, 0, 0, 0, 0, 0, 0]);
    /// assert!(gone.passes(HomePawns::ALL));
    /// assert!(gone.passes(HomePawns::from_bits(!(1 << 11 | 1 << 4))));
    /// assert!(!gone.passes(HomePawns::from_bits(!(1 << 4))));
    /// ```
    pub const fn new(count: u8, list: [u8; 8]) -> Self {
        const fn two(high: u8, low: u8) -> u64 {
            (high as u64) << 8 | low as u64
        }
        let [a, b, c, d, e, f, g, h] = list;
        let list = two(a, b) << 48 | two(c, d) << 32 | two(e, f) << 16 | two(g, h);
        Self {
            count: if count < 16 { count } else { 16 },
            list,
        }
    }

    /// Whether all of these pawns left their start squares.
    ///
    /// ```
    /// use tabia_core::chess::{HomePawns, PawnsGone};
    ///
    /// let gone = PawnsGone::new(2, [0xb4, 0, 0, 0, 0, 0, 0, 0]);
    /// assert!(gone.has_all(HomePawns::from_bits(1 << 11 | 1 << 4)));
    /// assert!(!gone.has_all(HomePawns::from_bits(1 << 12)));
    /// ```
    pub const fn has_all(self, pawns: HomePawns) -> bool {
        if pawns.0 == 0 {
            return true;
        }
        let (mut gone, mut number) = (0_u16, 0);
        while number < self.count as u32 {
            gone |= 1 << (self.list >> (60 - 4 * number) & 15);
            number += 1;
        }
        pawns.0 & !gone == 0
    }

    /// Whether the game had a position with these pawns on their start squares, if all were there at its
    /// start.
    pub const fn passes(self, pawns: HomePawns) -> bool {
        let gone = !pawns.0;
        let count = gone.count_ones();
        if count > self.count as u32 {
            return false;
        }
        let (mut first, mut rest, mut number) = (0_u16, self.list, 0);
        while number < count {
            let pawn = 1 << (rest >> 60);
            if gone & pawn == 0 {
                return false;
            }
            first |= pawn;
            rest <<= 4;
            number += 1;
        }
        first == gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Setup, san};

    fn signature(fen: &str) -> Signature {
        let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
        Signature::of(&Position::from_setup(&setup).unwrap())
    }

    #[test]
    fn bits_are_scids() {
        let start = Signature::of(&Position::standard());
        assert_eq!(start.material.to_bits(), 0x6a_86a8);
        assert_eq!(start.home_pawns, HomePawns::ALL);
        let queens = signature("4k3/QQQQ4/8/8/8/8/7P/4K3 w - - 0 1");
        assert_eq!(queens.material.count(Color::White, Role::Queen), 3);
        assert_eq!(queens.home_pawns.to_bits(), 1 << 8);
        assert_eq!(
            signature("4k3/p7/8/8/8/8/8/4K3 w - - 0 1")
                .home_pawns
                .to_bits(),
            1 << 7
        );
        assert_eq!(HomePawns::ALL.gone(HomePawns::from_bits(0xf7ff)), Some(11));
        assert_eq!(HomePawns::ALL.gone(HomePawns::ALL), None);
    }

    #[test]
    fn a_game_can_become_what_it_becomes() {
        let mut position = Position::standard();
        let mut seen = vec![Signature::of(&position)];
        let game = "e4 d5 exd5 c6 dxc6 Nf6 cxb7 Bd7 bxa8=N Qc8 Nc7+ Qxc7 Nf3 e5";
        for text in game.split(' ') {
            san::read_and_play(&mut position, text.as_bytes()).unwrap();
            let now = Signature::of(&position);
            assert!(seen.iter().all(|earlier| earlier.can_become(now)));
            seen.push(now);
        }
        assert!(!seen[14].can_become(seen[0]));
    }

    #[test]
    fn pieces_need_pawns() {
        let rook = signature("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").material;
        let bishop = signature("4k3/8/8/8/8/8/8/B3K3 w - - 0 1").material;
        let rook_and_pawn = signature("4k3/8/8/8/8/P7/8/R3K3 w - - 0 1").material;
        assert!(!rook.can_become(bishop));
        assert!(rook_and_pawn.can_become(bishop) && rook_and_pawn.can_become(rook));
        assert!(!rook.can_become(rook_and_pawn));
    }
}
