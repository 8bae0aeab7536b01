//! The order in which pawns left their home squares, as index entries store it.

use zerocopy::byteorder::big_endian;

/// The pawns that left home, added ply by ply.
#[derive(Debug, Clone, Default)]
pub(crate) struct PawnMoves {
    count: u8,
    /// Their [`home_number`]s, a nibble each, the last one low.
    nibbles: u64,
}

impl PawnMoves {
    /// Adds the pawn that left the square of that bit, if there is a bit.
    #[inline(always)]
    pub(crate) fn push(&mut self, square: u64) {
        if square != 0 {
            self.nibbles = self.nibbles << 4 | u64::from(home_number(square));
            self.count += 1;
        }
    }

    /// The number of pawns, 0 to 16.
    pub(crate) const fn count(&self) -> u8 {
        self.count
    }

    /// Their [`home_number`]s, a nibble each, the first one high.
    pub(crate) fn list(&self) -> [u8; 8] {
        let unused = 64 - 4 * u32::from(self.count.min(16));
        big_endian::U64::new(self.nibbles.checked_shl(unused).unwrap_or_default()).to_bytes()
    }
}

/// The bit of a pawn's first square in [`HomePawns`](tabia_core::chess::HomePawns), 0 to 15: 15
/// for a2 to 8 for h2, 7 for a7 to 0 for h7.
#[inline(always)]
pub(crate) const fn home_number(square: u64) -> u8 {
    let number = square.trailing_zeros() as u8;
    !number & 7 | (number & 0x10 ^ 0x10) >> 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::scid::board::Board;
    use crate::games::scid::piece_lists::PieceLists;
    use tabia_core::chess::san;

    #[test]
    fn pawns_leave_home_in_order() {
        let mut board = Board::standard();
        let mut lists = PieceLists::of(&board);
        let mut pawns = PawnMoves::default();
        for text in "e4 d5 exd5 Nf6 Nf3 Nxd5 a4".split(' ') {
            let ply = san::read(&board.position, text.as_bytes()).unwrap();
            let mut bytes = Vec::new();
            assert!(board.encode(ply, &mut bytes));
            board.play(bytes[0], ply);
            pawns.push(lists.play(ply));
        }
        // e2, d7, a2.
        assert_eq!(pawns.count(), 3);
        assert_eq!(pawns.list(), [0xb4, 0xf0, 0, 0, 0, 0, 0, 0]);
    }
}
