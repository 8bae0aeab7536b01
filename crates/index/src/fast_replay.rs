//! [`FastReplay`]: the squares of the men along a line, without anything else of a position. It leaves out
//! most positions of a line when one is looked for.

use tabia_core::chess::{Color, Move, Ply, Position, Role, Square};

use crate::move_symbols::{self, Men};

/// The men and the side to move.
#[derive(Debug, Clone)]
pub(crate) struct FastReplay {
    men: [u64; 2],
    roles: [Option<Role>; 64],
    turn: Color,
    /// The rooks with which the sides could castle at the start: a symbol of castling is there only if they
    /// still can.
    rooks: [[Option<Square>; 2]; 2],
}

impl Men for FastReplay {
    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn own(&self) -> u64 {
        self.side(self.turn)
    }

    #[inline]
    fn role_at(&self, square: Square) -> Option<Role> {
        self.roles.get(square.index()).copied().flatten()
    }

    fn castling_rook(&self, side: usize) -> Option<Square> {
        let rooks = self.rooks.get(self.turn as usize)?;
        rooks.get(side).copied().flatten()
    }
}

impl FastReplay {
    /// At the start of a line.
    pub(crate) fn at(start: &Position) -> Self {
        let sides = [Color::White, Color::Black];
        let mut roles = [None; 64];
        for (number, role) in (0..).zip(&mut roles) {
            let piece = Square::new(number).and_then(|square| start.piece_at(square));
            *role = piece.map(|piece| piece.role);
        }
        Self {
            men: sides.map(|color| start.by_color(color).0),
            roles,
            turn: start.turn(),
            rooks: sides.map(|color| [0, 1].map(|side| start.castling_rook(color, side))),
        }
    }

    #[inline]
    fn side(&self, color: Color) -> u64 {
        let [white, black] = self.men;
        if color.is_white() { white } else { black }
    }

    /// Whether each side has men on the same squares as in a position with the same side to move.
    #[inline]
    pub(crate) fn resembles(&self, position: &Position) -> bool {
        let [white, black] = self.men;
        white == position.by_color(Color::White).0
            && black == position.by_color(Color::Black).0
            && self.turn == position.turn()
    }

    /// Whether each side has men on all of these squares.
    #[inline]
    pub(crate) fn has_men_on(&self, [white, black]: [u64; 2]) -> bool {
        white & !self.men[0] == 0 && black & !self.men[1] == 0
    }

    /// Number of men.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        let [white, black] = self.men;
        (white | black).count_ones()
    }

    /// Plays the symbol at the start of `bytes`; its length, or `None` if it is no move.
    #[inline]
    pub(crate) fn play(&mut self, bytes: &[u8]) -> Option<usize> {
        match move_symbols::decode(self, bytes)? {
            Ply::Null => {}
            Ply::Move(m) if m.is_castling() => self.castle(m)?,
            Ply::Move(m) => self.shift(m)?,
        }
        self.turn = self.turn.other();
        bytes.first().map(|&first| move_symbols::length(first))
    }

    #[inline]
    fn shift(&mut self, m: Move) -> Option<()> {
        let (from, to) = (m.from(), m.to());
        let role = self.role_at(from)?;
        let them = self.turn.other();
        if role == Role::Pawn && from.file() != to.file() && self.side(them) & to.bit() == 0 {
            let taken = Square::from_coords(to.file(), from.rank())?;
            self.clear(them, taken);
        }
        self.clear(them, to);
        self.clear(self.turn, from);
        self.set(to, m.promotion_role().unwrap_or(role));
        Some(())
    }

    fn castle(&mut self, m: Move) -> Option<()> {
        let (king, rook) = (m.from(), m.to());
        let files = if rook.file() > king.file() {
            [6, 5]
        } else {
            [2, 3]
        };
        self.clear(self.turn, king);
        self.clear(self.turn, rook);
        for (file, role) in files.into_iter().zip([Role::King, Role::Rook]) {
            let to = Square::from_coords(file, king.rank())?;
            self.set(to, role);
        }
        Some(())
    }

    #[inline]
    fn clear(&mut self, color: Color, square: Square) {
        if let Some(men) = self.men.get_mut(color as usize) {
            *men &= !square.bit();
        }
        if let Some(role) = self.roles.get_mut(square.index()) {
            *role = None;
        }
    }

    /// Puts a man of the side to move on a square.
    #[inline]
    fn set(&mut self, square: Square, role: Role) {
        if let Some(men) = self.men.get_mut(self.turn as usize) {
            *men |= square.bit();
        }
        if let Some(slot) = self.roles.get_mut(square.index()) {
            *slot = Some(role);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::GameIndex;
    use tabia_core::game::{Flow, GameHead, Visitor, Want};
    use tabia_testkit::arbitrary_game::arbitrary_game;

    /// Compares the men before every move.
    #[derive(Default)]
    struct Check {
        replay: Option<FastReplay>,
        moves: usize,
    }

    impl Visitor for Check {
        fn begin_game(&mut self, _: GameIndex, _: &GameHead) -> Flow {
            self.replay = None;
            Flow::Go
        }

        fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
            let replay = self.replay.get_or_insert_with(|| FastReplay::at(before));
            assert!(replay.resembles(before), "{before:?}");
            assert_eq!(replay.count(), before.occupied().count());
            for number in 0..64 {
                let square = Square::new(number).unwrap();
                let role = before.piece_at(square).map(|piece| piece.role);
                assert_eq!(replay.role_at(square), role, "{before:?}");
            }
            let mut bytes = Vec::new();
            move_symbols::encode(before, ply, &mut bytes);
            assert_eq!(replay.play(&bytes), Some(bytes.len()));
            self.moves += 1;
            Flow::Go
        }
    }

    #[test]
    fn the_men_are_those_of_the_position() {
        let mut check = Check::default();
        for seed in 0..400 {
            let _ = arbitrary_game(seed).replay(GameIndex(0), Want::MAINLINE, &mut check);
        }
        assert!(check.moves > 3000, "{}", check.moves);
    }

    #[test]
    fn every_legal_move_leads_to_the_same_men() {
        for fen in [
            "r3k2r/1P1q3P/8/3pP3/3Q4/8/1p5p/R3K2R w KQkq d6 0 1",
            "r3k2r/1P1q3P/8/3pP3/3Q4/8/1p4bp/R3K1NR b KQkq - 0 1",
            "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
            "5k2/8/8/8/8/8/8/1RK4R w HB - 0 1",
        ] {
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            let moves: Vec<Ply> = position.legal_moves().iter().map(|&m| m.into()).collect();
            for ply in moves.into_iter().chain([Ply::Null]) {
                let mut bytes = Vec::new();
                move_symbols::encode(&position, ply, &mut bytes);
                let mut replay = FastReplay::at(&position);
                assert_eq!(replay.play(&bytes), Some(bytes.len()));
                assert!(replay.resembles(&position.after(ply)), "{fen} {ply:?}");
            }
        }
    }
}
