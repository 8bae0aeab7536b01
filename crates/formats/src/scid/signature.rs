//! What rows say of a game's mainline so that searches need not decode it: the material of its
//! last position, and which pawns left home in which order.

use tabia_core::chess::{Color, Piece, Position, Role};

/// The material of a position in 24 bits: for White, then Black, two bits each for queens, rooks,
/// bishops and knights (3 is *three or more*) and four for pawns.
pub(crate) fn material(position: &Position) -> u32 {
    let mut bits = 0;
    for color in [Color::White, Color::Black] {
        for (role, width) in [
            (Role::Queen, 2),
            (Role::Rook, 2),
            (Role::Bishop, 2),
            (Role::Knight, 2),
            (Role::Pawn, 4),
        ] {
            let count = position.by_piece(Piece { color, role }).count();
            bits = bits << width | count.min((1 << width) - 1);
        }
    }
    bits
}

/// The pawns that stand where they stood at the start: bit 15 is a2, bit 8 h2, bit 7 a7, bit 0 h7.
fn home_pawns(position: &Position) -> u16 {
    let pawns = |color| {
        position
            .by_piece(Piece {
                color,
                role: Role::Pawn,
            })
            .0
    };
    let white = (pawns(Color::White) >> 8) as u8;
    let black = (pawns(Color::Black) >> 48) as u8;
    u16::from(white.reverse_bits()) << 8 | u16::from(black.reverse_bits())
}

/// The pawns that left home, in order; filled ply by ply.
#[derive(Debug, Clone)]
pub(crate) struct HomePawns {
    home: u16,
    /// How many left.
    pub(crate) count: u8,
    /// Their bits in [`home_pawns`], a nibble each, the first one high.
    pub(crate) list: [u8; 8],
}

impl HomePawns {
    /// Before the first move of the usual start.
    pub(crate) const fn new() -> Self {
        Self {
            home: u16::MAX,
            count: 0,
            list: [0; 8],
        }
    }

    /// The position after another ply.
    pub(crate) fn play(&mut self, position: &Position) {
        let now = home_pawns(position) & self.home;
        let mut left = self.home & !now;
        self.home = now;
        while left != 0 {
            let bit = left.ilog2() as u8;
            left &= !(1 << bit);
            if let Some(byte) = self.list.get_mut(usize::from(self.count / 2)) {
                *byte |= if self.count.is_multiple_of(2) {
                    bit << 4
                } else {
                    bit
                };
                self.count += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::san;

    #[test]
    fn material_is_capped() {
        assert_eq!(
            material(&Position::standard()),
            0b01_10_10_10_1000_01_10_10_10_1000
        );
        let setup = tabia_core::chess::Setup::parse_fen(b"QQQQk3/8/8/8/8/8/8/4K3 w - - 0 1");
        let position = Position::from_setup(&setup.unwrap()).unwrap();
        assert_eq!(material(&position), 0b11 << 22);
    }

    #[test]
    fn pawns_leave_home_in_order() {
        let mut position = Position::standard();
        let mut pawns = HomePawns::new();
        for text in "e4 d5 exd5 Nf6 Nf3 Nxd5 a4".split(' ') {
            let ply = san::read(&position, text.as_bytes()).unwrap();
            position.play_ply(ply);
            pawns.play(&position);
        }
        // e2, d7, a2.
        assert_eq!(pawns.count, 3);
        assert_eq!(pawns.list, [0xb4, 0xf0, 0, 0, 0, 0, 0, 0]);
    }
}
