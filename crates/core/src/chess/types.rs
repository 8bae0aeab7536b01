//! Colours, pieces, squares, sets of squares, moves.

use std::fmt;

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// White.
    White,
    /// Black.
    Black,
}

impl Color {
    /// The opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Whether this is White.
    pub const fn is_white(self) -> bool {
        matches!(self, Self::White)
    }
}

/// A kind of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Role {
    /// Every kind, pawn first.
    pub const ALL: [Role; 6] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
    ];

    /// The role of an English letter, in either case; `None` for other letters.
    pub const fn from_char(letter: u8) -> Option<Self> {
        Some(match letter {
            b'P' | b'p' => Self::Pawn,
            b'N' | b'n' => Self::Knight,
            b'B' | b'b' => Self::Bishop,
            b'R' | b'r' => Self::Rook,
            b'Q' | b'q' => Self::Queen,
            b'K' | b'k' => Self::King,
            _ => return None,
        })
    }

    /// The English letter in upper case; `P` for a pawn.
    pub const fn upper_char(self) -> u8 {
        match self {
            Self::Pawn => b'P',
            Self::Knight => b'N',
            Self::Bishop => b'B',
            Self::Rook => b'R',
            Self::Queen => b'Q',
            Self::King => b'K',
        }
    }
}

/// A piece: role and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The side it belongs to.
    pub color: Color,
    /// The kind of piece.
    pub role: Role,
}

impl Piece {
    /// The piece of a FEN letter, upper case for White; `None` for other letters.
    pub const fn from_fen_char(letter: u8) -> Option<Self> {
        match Role::from_char(letter) {
            None => None,
            Some(role) => {
                let color = if letter.is_ascii_uppercase() {
                    Color::White
                } else {
                    Color::Black
                };
                Some(Self { color, role })
            }
        }
    }

    /// Its FEN letter.
    pub const fn fen_char(self) -> u8 {
        let letter = self.role.upper_char();
        if self.color.is_white() {
            letter
        } else {
            letter.to_ascii_lowercase()
        }
    }
}

/// A square, 0 (a1) to 63 (h8): `rank * 8 + file`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

macro_rules! squares {
    ($($name:ident)*) => {
        squares!(@ 0u8; $($name)*);
    };
    (@ $n:expr; $name:ident $($rest:ident)*) => {
        #[doc = stringify!($name)]
        pub const $name: Square = Square($n);
        squares!(@ $n + 1; $($rest)*);
    };
    (@ $n:expr;) => {};
}

impl Square {
    squares! {
        A1 B1 C1 D1 E1 F1 G1 H1 A2 B2 C2 D2 E2 F2 G2 H2
        A3 B3 C3 D3 E3 F3 G3 H3 A4 B4 C4 D4 E4 F4 G4 H4
        A5 B5 C5 D5 E5 F5 G5 H5 A6 B6 C6 D6 E6 F6 G6 H6
        A7 B7 C7 D7 E7 F7 G7 H7 A8 B8 C8 D8 E8 F8 G8 H8
    }

    /// Every square, a1 first.
    pub const ALL: [Square; 64] = {
        let mut all = [Square(0); 64];
        let mut i = 0;
        while i < 64 {
            all[i] = Square(i as u8);
            i += 1;
        }
        all
    };

    /// The square of a number; `None` above 63.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The low six bits of a number as a square.
    pub(crate) const fn wrap(number: u8) -> Self {
        Self(number & 0x3f)
    }

    /// From file (0 = a) and rank (0 = first); `None` when either is above 7.
    pub const fn from_coords(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 {
            Some(Self(rank * 8 + file))
        } else {
            None
        }
    }

    /// 0 (a) to 7 (h).
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 (first) to 7 (eighth).
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Its number, 0 to 63, as an index.
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Its number, 0 to 63.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The square on the same file mirrored to the other side of the board: a1 and a8.
    pub const fn flip(self) -> Self {
        Self(self.0 ^ 0x38)
    }

    /// The bitboard that holds this square only.
    pub const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// Parses two letters, as in `e4`; `None` for anything else.
    pub const fn parse(text: &[u8]) -> Option<Self> {
        match *text {
            [file @ (b'a'..=b'h'), rank @ (b'1'..=b'8')] => {
                Some(Self((rank - b'1') * 8 + (file - b'a')))
            }
            _ => None,
        }
    }

    /// The two ASCII letters, as in `e4`.
    pub const fn letters(self) -> [u8; 2] {
        [b'a' + self.file(), b'1' + self.rank()]
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, rank] = self.letters();
        write!(f, "{}{}", char::from(file), char::from(rank))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of squares: bit 0 is a1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No squares.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// Whether the square is in the set.
    pub const fn has(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// This set with a square added.
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | square.bit())
    }

    /// This set with a square removed.
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !square.bit())
    }

    /// Number of squares.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The square with the lowest number; `None` if the set is empty.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::wrap(self.0.trailing_zeros() as u8))
        }
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

/// The squares of a [`Bitboard`], lowest first.
#[derive(Debug, Clone)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

/// A move in two bytes: bits 0-5 source square, 6-11 target square, 12-14 kind.
///
/// Castling is stored as the king taking its own rook. En passant is a pawn's normal move onto the
/// empty en passant square. A value need not be a legal move; see [`Position::is_legal`].
///
/// [`Position::is_legal`]: super::Position::is_legal
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    const CASTLING: u16 = 1;

    /// A move that neither promotes nor castles.
    pub const fn normal(from: Square, to: Square) -> Self {
        Self(from.0 as u16 | (to.0 as u16) << 6)
    }

    /// A promotion to knight, bishop, rook or queen; other roles give a normal move.
    pub const fn promotion(from: Square, to: Square, role: Role) -> Self {
        let kind = match role {
            Role::Knight => 2,
            Role::Bishop => 3,
            Role::Rook => 4,
            Role::Queen => 5,
            Role::Pawn | Role::King => 0,
        };
        Self(Self::normal(from, to).0 | kind << 12)
    }

    /// Castling of the king on `king` with the rook on `rook`.
    pub const fn castling(king: Square, rook: Square) -> Self {
        Self(Self::normal(king, rook).0 | Self::CASTLING << 12)
    }

    /// The source square.
    pub const fn from(self) -> Square {
        Square::wrap(self.0 as u8)
    }

    /// The target square; the rook's square for castling.
    pub const fn to(self) -> Square {
        Square::wrap((self.0 >> 6) as u8)
    }

    /// The role that a pawn promotes to; `None` if it does not.
    pub const fn promotion_role(self) -> Option<Role> {
        match self.0 >> 12 {
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Rook),
            5 => Some(Role::Queen),
            _ => None,
        }
    }

    /// Whether this is neither castling nor a promotion.
    #[inline(always)]
    pub const fn is_normal(self) -> bool {
        self.0 >> 12 == 0
    }

    /// Whether this is castling.
    pub const fn is_castling(self) -> bool {
        self.0 >> 12 == Self::CASTLING
    }

    /// The two bytes as described at [`Move`].
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move with the two bytes of [`Move::to_bits`]; `None` if the kind does not exist.
    pub const fn from_bits(bits: u16) -> Option<Self> {
        if bits >> 12 <= 5 {
            Some(Self(bits))
        } else {
            None
        }
    }
}

/// Writes coordinates, castling as king takes rook: `e2e4`, `e7e8q`, `e1h1`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion_role() {
            Some(role) => write!(f, "{}", char::from(role.upper_char().to_ascii_lowercase())),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move of a game as databases store it: a move, or an annotator's null move (`--`, `Z0`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ply {
    /// A move.
    Move(Move),
    /// A null move: the side to move passes.
    Null,
}

impl Ply {
    /// The move; `None` for a null move.
    pub const fn to_move(self) -> Option<Move> {
        match self {
            Self::Move(m) => Some(m),
            Self::Null => None,
        }
    }
}

impl From<Move> for Ply {
    fn from(m: Move) -> Self {
        Self::Move(m)
    }
}
