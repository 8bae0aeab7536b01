//! An arrangement of pieces, legal or not.

use super::types::{Bitboard, Color, Piece, Role, Square};

/// An arrangement of pieces with the other fields of FEN. It need not be legal; see
/// [`Setup::legality`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Setup {
    board: [Option<Piece>; 64],
    /// The side to move.
    pub turn: Color,
    /// Squares of the rooks that may castle, by colour and side (0 h-side, 1 a-side).
    pub castling: [[Option<Square>; 2]; 2],
    /// The square that a pawn has just passed over; `None` without a double step.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub half_move_clock: u16,
    /// Number of the next full move, from 1. A 0 in a file is stored as it is.
    pub full_move_number: u16,
}

impl Default for Setup {
    fn default() -> Self {
        Self::standard()
    }
}

/// The pieces of a first rank, a-file first.
type Rank = [Role; 8];

const STANDARD: Rank = [
    Role::Rook,
    Role::Knight,
    Role::Bishop,
    Role::Queen,
    Role::King,
    Role::Bishop,
    Role::Knight,
    Role::Rook,
];

impl Setup {
    /// The standard start position of chess.
    pub fn standard() -> Self {
        Self::from_rank(STANDARD)
    }

    /// An empty board, White to move, move 1.
    pub const fn empty() -> Self {
        Self {
            board: [None; 64],
            turn: Color::White,
            castling: [[None; 2]; 2],
            en_passant: None,
            half_move_clock: 0,
            full_move_number: 1,
        }
    }

    fn from_rank(rank: Rank) -> Self {
        let mut setup = Self::empty();
        let mut king_seen = false;
        for (file, role) in (0u8..).zip(rank) {
            for color in [Color::White, Color::Black] {
                let back = if color.is_white() { 0 } else { 56 };
                let pawns = if color.is_white() { 8 } else { 48 };
                let square = Square::wrap(back + file);
                setup.set(square, Some(Piece { color, role }));
                setup.set(
                    Square::wrap(pawns + file),
                    Some(Piece {
                        color,
                        role: Role::Pawn,
                    }),
                );
                if role == Role::Rook {
                    setup.castling[color as usize][usize::from(!king_seen)] = Some(square);
                }
            }
            king_seen |= role == Role::King;
        }
        setup
    }

    /// The Chess960 start with that Scharnagl number, 0 to 959; `None` above. 518 is the standard
    /// start position.
    pub fn chess960_start(number: u16) -> Option<Self> {
        let number = usize::from(number);
        if number > 959 {
            return None;
        }
        let mut rank = [None; 8];
        *rank.get_mut(number % 4 * 2 + 1)? = Some(Role::Bishop);
        *rank.get_mut(number / 4 % 4 * 2)? = Some(Role::Bishop);
        *rank
            .iter_mut()
            .filter(|role| role.is_none())
            .nth(number / 16 % 6)? = Some(Role::Queen);
        let (first, second) = *KNIGHTS.get(number / 96)?;
        let mut free: Vec<_> = rank.iter_mut().filter(|role| role.is_none()).collect();
        **free.get_mut(first)? = Some(Role::Knight);
        **free.get_mut(second)? = Some(Role::Knight);
        let mut last = [Role::Rook, Role::King, Role::Rook].into_iter();
        let rank = rank.map(|role| role.or_else(|| last.next()).unwrap_or(Role::Rook));
        Some(Self::from_rank(rank))
    }

    /// The Scharnagl number of a Chess960 start with all castling rights; `None` for other setups.
    pub fn chess960_number(&self) -> Option<u16> {
        let mut rank = [Role::Pawn; 8];
        for (file, role) in rank.iter_mut().enumerate() {
            *role = self.piece(Square::wrap(file as u8))?.role;
        }
        let files = |wanted| (0usize..8).filter(move |&file| rank.get(file) == Some(&wanted));
        let light = files(Role::Bishop).find(|file| file % 2 == 1)?;
        let dark = files(Role::Bishop).find(|file| file % 2 == 0)?;
        let queen = files(Role::Queen).next()?;
        let queen_index = (0..queen)
            .filter(|&file| file != light && file != dark)
            .count();
        let mut knights = files(Role::Knight).map(|knight| {
            (0..knight)
                .filter(|f| ![light, dark, queen].contains(f))
                .count()
        });
        let pair = (knights.next()?, knights.next()?);
        let knights = KNIGHTS.iter().position(|&other| other == pair)?;
        let number = (light / 2 + dark / 2 * 4 + queen_index * 16 + knights * 96) as u16;
        (Self::chess960_start(number).as_ref() == Some(self)).then_some(number)
    }

    /// The piece on a square; `None` if it is empty.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// Puts a piece on a square, or empties it.
    pub fn set(&mut self, square: Square, piece: Option<Piece>) {
        self.board[square.index()] = piece;
    }

    /// The squares with a piece.
    pub fn occupied(&self) -> Bitboard {
        let mut squares = 0;
        // Without an unpredictable branch.
        for (number, piece) in self.board.iter().enumerate() {
            squares |= u64::from(piece.is_some()) << number;
        }
        Bitboard(squares)
    }

    /// The squares of a piece.
    pub fn squares(&self, piece: Piece) -> Bitboard {
        let mut squares = 0;
        for (number, other) in self.board.iter().enumerate() {
            squares |= u64::from(*other == Some(piece)) << number;
        }
        Bitboard(squares)
    }

    /// The square of a side's king; `None` unless the side has exactly one.
    pub fn king(&self, color: Color) -> Option<Square> {
        let kings = self.squares(Piece {
            color,
            role: Role::King,
        });
        if kings.count() == 1 {
            kings.first()
        } else {
            None
        }
    }

    /// Grants the castling right of a side (0 h-side, 1 a-side) if king and rook are on their
    /// classical squares; returns whether they are.
    pub fn grant_classical_castling(&mut self, color: Color, side: usize) -> bool {
        let back = if color.is_white() { 0 } else { 56 };
        let rook = Square::wrap(back + if side == 0 { 7 } else { 0 });
        let fits = self.king(color) == Some(Square::wrap(back + 4))
            && self.piece(rook)
                == Some(Piece {
                    color,
                    role: Role::Rook,
                });
        if fits && let Some(right) = self.castling[color as usize].get_mut(side) {
            *right = Some(rook);
        }
        fits
    }
}

/// Indices of the two knights among the five free squares of the first rank.
const KNIGHTS: [(usize, usize); 10] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (1, 2),
    (1, 3),
    (1, 4),
    (2, 3),
    (2, 4),
    (3, 4),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chess960_numbers_round_trip() {
        for number in 0..960 {
            let setup = Setup::chess960_start(number).unwrap();
            assert_eq!(setup.chess960_number(), Some(number));
        }
        assert_eq!(Setup::chess960_start(518).unwrap(), Setup::standard());
        assert_eq!(Setup::chess960_start(960), None);
        assert_eq!(Setup::empty().chess960_number(), None);
    }
}
