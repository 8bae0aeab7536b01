//! What positions are found by: their key, and the class of a position, which stays the same from one
//! capture or pawn move to the next.

use tabia_core::chess::{Color, Material, Piece, Position, Role};

/// Spreads the bits of a number; a bijection.
pub(crate) fn mix(number: u64) -> u64 {
    let mut hash = number;
    hash ^= hash >> 30;
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^= hash >> 27;
    hash = hash.wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// The hash by which a position is found that few games share.
pub(crate) fn hash_of(position: &Position) -> u64 {
    mix(position.key())
}

/// A hash of White's men and their squares.
pub(crate) fn white_of(position: &Position) -> u64 {
    let white = position.by_color(Color::White);
    let hash = Role::ALL.iter().fold(0, |hash: u64, &role| {
        let men = position.by_role(role).0 & white.0;
        (hash ^ men)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    });
    mix(hash)
}

/// The bits that a posting of [`white_of`] has for a position: three of its hash, in a position for each side
/// to move. The first number has the bits of that position.
pub(crate) fn extra_of(position: &Position) -> (u64, u64) {
    let shift = if position.turn().is_white() { 0 } else { 3 };
    (7 << shift, (hash_of(position) & 7) << shift)
}

/// A hash of the pawns and of the number of pieces of each kind.
pub(crate) fn class_of(position: &Position) -> u64 {
    class_with(position, Material::of(position))
}

/// The same for a position whose material is known.
pub(crate) fn class_with(position: &Position, material: Material) -> u64 {
    let pawns = |color| {
        let role = Role::Pawn;
        position.by_piece(Piece { color, role }).0
    };
    let material = u64::from(material.to_bits());
    let white = mix(pawns(Color::White) ^ 0x5851_f42d_4c95_7f2d);
    let black = mix(pawns(Color::Black) ^ 0x1405_7b7e_f767_814f);
    mix(white.rotate_left(1) ^ black ^ material << 20)
}

/// Whether positions are equal but for their clocks: pieces, side to move, castling rooks and en passant
/// square.
pub fn is_same(a: &Position, b: &Position) -> bool {
    let sides = [Color::White, Color::Black];
    a.key() == b.key()
        && a.turn() == b.turn()
        && a.en_passant() == b.en_passant()
        && sides.iter().all(|&color| {
            a.by_color(color) == b.by_color(color)
                && (0..2).all(|side| a.castling_rook(color, side) == b.castling_rook(color, side))
        })
        && Role::ALL
            .iter()
            .all(|&role| a.by_role(role) == b.by_role(role))
}

/// Castling rights, one bit each.
pub(crate) fn rights_of(position: &Position) -> u8 {
    let mut rights = 0;
    for (number, (color, side)) in [
        (Color::White, 0),
        (Color::White, 1),
        (Color::Black, 0),
        (Color::Black, 1),
    ]
    .into_iter()
    .enumerate()
    {
        rights |= u8::from(position.castling_rook(color, side).is_some()) << number;
    }
    rights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::parse_fen(fen.as_bytes()).unwrap()
    }

    #[test]
    fn clocks_do_not_matter() {
        let a = position("4k2r/8/8/8/8/8/8/4K3 w k - 0 1");
        assert!(is_same(&a, &position("4k2r/8/8/8/8/8/8/4K3 w k - 9 40")));
        for other in [
            "4k2r/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k2r/8/8/8/8/8/8/4K3 b k - 0 1",
            "4k2r/8/8/8/8/8/8/3K4 w k - 0 1",
        ] {
            assert!(!is_same(&a, &position(other)), "{other}");
        }
    }

    #[test]
    fn a_class_has_many_positions() {
        let a = position("4k2r/1p6/8/8/8/8/8/4K3 w k - 0 1");
        assert_eq!(
            class_of(&a),
            class_of(&position("r7/1p4k1/8/8/8/8/8/K7 b - - 0 1"))
        );
        assert_ne!(
            class_of(&a),
            class_of(&position("4k2r/8/1p6/8/8/8/8/4K3 w k - 0 1"))
        );
        assert_ne!(
            class_of(&a),
            class_of(&position("4k2b/1p6/8/8/8/8/8/4K3 w - - 0 1"))
        );
    }
}
