//! [`FastReplay`]: the men along a line, and what is needed to recognise a position that is looked for.

use tabia_core::chess::{Color, Move, Ply, Position, Role, Square};

use crate::move_symbols::{self, Men};

/// A position that is looked for.
#[derive(Debug)]
pub(crate) struct Wanted<'p> {
    pub(crate) position: &'p Position,
    men: [u64; 2],
    roles: [Option<Role>; 64],
    count: u32,
    /// The pawns of each side that have not moved: no line that left one of these squares comes back to them.
    unmoved: [u64; 2],
}

impl<'p> Wanted<'p> {
    pub(crate) fn new(position: &'p Position) -> Self {
        let sides = [Color::White, Color::Black];
        let pawns = position.by_role(Role::Pawn).0;
        let men = sides.map(|color| position.by_color(color).0);
        let [white, black] = men;
        Self {
            position,
            men,
            roles: roles_of(position),
            count: (white | black).count_ones(),
            unmoved: [white & pawns & 0xff << 8, black & pawns & 0xff << 48],
        }
    }
}

/// Whether a position is the one that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sameness {
    Same,
    Other,
    /// All is the same but perhaps whether a pawn can be taken en passant, which is not known here.
    SameButForEnPassant,
}

fn roles_of(position: &Position) -> [Option<Role>; 64] {
    let mut roles = [None; 64];
    for (number, role) in (0..).zip(&mut roles) {
        let piece = Square::new(number).and_then(|square| position.piece_at(square));
        *role = piece.map(|piece| piece.role);
    }
    roles
}

/// The men and the side to move.
#[derive(Debug, Clone)]
pub(crate) struct FastReplay {
    men: [u64; 2],
    roles: [Option<Role>; 64],
    turn: Color,
    /// The rooks with which the sides could castle at the start: a symbol of castling is there only if they
    /// still can.
    rooks: [[Option<Square>; 2]; 2],
    /// The kings at the start.
    kings: [u64; 2],
    /// The squares that men left or came to.
    touched: u64,
    /// Whether the move before may allow to take en passant.
    may_take: bool,
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
        let king = start.by_role(Role::King).0;
        Self {
            men: sides.map(|color| start.by_color(color).0),
            roles: roles_of(start),
            turn: start.turn(),
            rooks: sides.map(|color| [0, 1].map(|side| start.castling_rook(color, side))),
            kings: sides.map(|color| start.by_color(color).0 & king),
            touched: 0,
            may_take: start.en_passant().is_some(),
        }
    }

    #[inline]
    fn side(&self, color: Color) -> u64 {
        let [white, black] = self.men;
        if color.is_white() { white } else { black }
    }

    /// Compares the position with the one that is looked for.
    #[inline]
    pub(crate) fn compare(&self, wanted: &Wanted<'_>) -> Sameness {
        if self.men != wanted.men || self.turn != wanted.position.turn() {
            return Sameness::Other;
        }
        self.compare_roles(wanted)
    }

    fn compare_roles(&self, wanted: &Wanted<'_>) -> Sameness {
        let sides = [Color::White, Color::Black].into_iter().zip(self.kings);
        let has_same_rights = sides.zip(self.rooks).all(|((color, king), rooks)| {
            (0..).zip(rooks).all(|(side, rook)| {
                let stays = |rook: &Square| self.touched & (king | rook.bit()) == 0;
                rook.filter(stays) == wanted.position.castling_rook(color, side)
            })
        });
        if self.roles != wanted.roles || !has_same_rights {
            Sameness::Other
        } else if self.may_take {
            Sameness::SameButForEnPassant
        } else if wanted.position.en_passant().is_some() {
            Sameness::Other
        } else {
            Sameness::Same
        }
    }

    /// Whether the position that is looked for may follow.
    #[inline]
    pub(crate) fn may_reach(&self, wanted: &Wanted<'_>) -> bool {
        let [white, black] = self.men;
        let [white_pawns, black_pawns] = wanted.unmoved;
        (white | black).count_ones() >= wanted.count
            && white_pawns & !white == 0
            && black_pawns & !black == 0
    }

    /// Plays the symbol at the start of `bytes`; its length, or `None` if it is no move.
    #[inline]
    pub(crate) fn play(&mut self, bytes: &[u8]) -> Option<usize> {
        self.may_take = false;
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
        if role == Role::Pawn {
            if from.file() != to.file() && self.side(them) & to.bit() == 0 {
                let taken = Square::from_coords(to.file(), from.rank())?;
                self.clear(them, taken);
            }
            self.may_take = from.index().abs_diff(to.index()) == 16;
        }
        self.touched |= from.bit() | to.bit();
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
        self.touched |= king.bit() | rook.bit();
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

    fn expect_same(replay: &FastReplay, position: &Position) {
        let wanted = Wanted::new(position);
        let expected = if replay.may_take {
            Sameness::SameButForEnPassant
        } else {
            assert_eq!(position.en_passant(), None, "{position:?}");
            Sameness::Same
        };
        assert_eq!(replay.compare(&wanted), expected, "{position:?}");
        assert!(replay.may_reach(&wanted));
        // Every difference is noticed.
        let fen = position.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        let [board, turn, rights, passed, ..] = fields.as_slice() else {
            panic!("{fen}")
        };
        let other_turn = if *turn == "w" { "b" } else { "w" };
        let swapped: String = board
            .chars()
            .map(|piece| match piece {
                'N' => 'B',
                'B' => 'N',
                piece => piece,
            })
            .collect();
        for other in [
            format!("{board} {other_turn} {rights} - 0 1"),
            format!("{swapped} {turn} {rights} {passed} 0 1"),
            format!("{board} {turn} - {passed} 0 1"),
        ] {
            let Ok(other) = Position::parse_fen(other.as_bytes()) else {
                continue;
            };
            if !crate::is_same(&other, position) && other.en_passant() == position.en_passant() {
                let wanted = Wanted::new(&other);
                assert_eq!(replay.compare(&wanted), Sameness::Other, "{fen}");
            }
        }
    }

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
            expect_same(replay, before);
            let men = before.occupied().count();
            assert_eq!(Wanted::new(before).count, men);
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
                expect_same(&replay, &position.after(ply));
            }
        }
    }
}
