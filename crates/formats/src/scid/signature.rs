//! Which pawns left home, in which order, as rows tell it.

use tabia_core::chess::{HomePawns, Position};

/// The pawns that left home; filled ply by ply.
#[derive(Debug, Clone)]
pub(crate) struct PawnMoves {
    home: HomePawns,
    /// How many left.
    pub(crate) count: u8,
    /// Their bits in [`HomePawns`], a nibble each, the first one high.
    pub(crate) list: [u8; 8],
}

impl PawnMoves {
    /// Before the first move of the usual start.
    pub(crate) const fn new() -> Self {
        Self {
            home: HomePawns::ALL,
            count: 0,
            list: [0; 8],
        }
    }

    /// The position after another ply.
    pub(crate) fn play(&mut self, position: &Position) {
        let now = HomePawns::of(position);
        let Some(bit) = self.home.gone(now) else {
            return;
        };
        self.home = now;
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
    use tabia_core::chess::san;

    #[test]
    fn pawns_leave_home_in_order() {
        let mut position = Position::standard();
        let mut pawns = PawnMoves::new();
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
