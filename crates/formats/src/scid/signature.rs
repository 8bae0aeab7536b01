//! Which pawns left home, in which order, as rows tell it.

/// The pawns that left home; filled ply by ply.
#[derive(Debug, Clone)]
pub(crate) struct PawnMoves {
    /// How many left.
    pub(crate) count: u8,
    /// Their bits in signatures, a nibble each, the first one high.
    pub(crate) list: [u8; 8],
}

impl PawnMoves {
    /// Before the first move of the usual start.
    pub(crate) const fn new() -> Self {
        Self {
            count: 0,
            list: [0; 8],
        }
    }

    /// Another pawn left, by its bit in [`HomePawns`](tabia_core::chess::HomePawns).
    pub(crate) fn push(&mut self, bit: u8) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scid::lists::Lists;
    use crate::scid::pieces::Board;
    use tabia_core::chess::san;

    #[test]
    fn pawns_leave_home_in_order() {
        let mut board = Board::standard();
        let mut lists = Lists::of(&board);
        let mut pawns = PawnMoves::new();
        for text in "e4 d5 exd5 Nf6 Nf3 Nxd5 a4".split(' ') {
            let ply = san::read(&board.position, text.as_bytes()).unwrap();
            let mut bytes = Vec::new();
            assert!(board.encode(ply, &mut bytes));
            board.play(bytes[0], ply);
            if let Some(bit) = lists.play(ply) {
                pawns.push(bit);
            }
        }
        // e2, d7, a2.
        assert_eq!(pawns.count, 3);
        assert_eq!(pawns.list, [0xb4, 0xf0, 0, 0, 0, 0, 0, 0]);
    }
}
