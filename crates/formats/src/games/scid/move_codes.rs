//! The codes of moves: four bits after the number of a piece. Scid and Scidb have the same codes,
//! except for kings.

use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Square};

const KING_STEPS: [i16; 8] = [-9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT_STEPS: [i16; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];

/// A pawn's step of two squares.
const DOUBLE_STEP: u8 = 15;

/// The program whose codes of kings are used: of their eight steps, and of castling to the h-side
/// and the a-side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Scid,
    Scidb,
}

impl Dialect {
    const fn step(self) -> u8 {
        match self {
            Self::Scid => 1,
            Self::Scidb => 6,
        }
    }

    const fn castling(self) -> [u8; 2] {
        match self {
            Self::Scid => [10, 9],
            Self::Scidb => [14, 15],
        }
    }
}

/// A kind of piece, as far as the codes of its moves differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mover(u8);

impl Mover {
    const WHITE_PAWN: u8 = 0;
    const BLACK_PAWN: u8 = 1;
    const KNIGHT: u8 = 2;
    const BISHOP: u8 = 3;
    const ROOK: u8 = 4;
    const QUEEN: u8 = 5;
    const SCID_KING: u8 = 6;
    const SCIDB_KING: u8 = 7;

    /// For squares and numbers without a piece.
    pub(crate) const NONE: Mover = Mover(0);

    /// The mover of that number, of which the low three bits count.
    #[inline(always)]
    pub(crate) const fn wrap(number: u8) -> Self {
        Self(number & 7)
    }

    /// Its number, 0 to 7. Only pawns have numbers below 2.
    #[inline(always)]
    pub(crate) const fn number(self) -> u8 {
        self.0
    }

    pub(crate) const fn new(dialect: Dialect, piece: Piece) -> Self {
        Self(match (piece.role, piece.color, dialect) {
            (Role::Pawn, Color::White, _) => Self::WHITE_PAWN,
            (Role::Pawn, Color::Black, _) => Self::BLACK_PAWN,
            (Role::Knight, ..) => Self::KNIGHT,
            (Role::Bishop, ..) => Self::BISHOP,
            (Role::Rook, ..) => Self::ROOK,
            (Role::Queen, ..) => Self::QUEEN,
            (Role::King, _, Dialect::Scid) => Self::SCID_KING,
            (Role::King, _, Dialect::Scidb) => Self::SCIDB_KING,
        })
    }

    /// Decodes a code of the piece on `from`. Does not test whether the piece can go there.
    #[inline(always)]
    pub(crate) fn decode(self, from: Square, code: u8) -> Coded {
        Coded(TARGETS[usize::from(self.0 & 7)][from.index()][usize::from(code & 15)])
    }

    /// Appends the byte or bytes of a move of the piece of that number, 0 to 15. `false` if the
    /// piece has no such move.
    pub(crate) fn encode(self, number: u8, m: Move, out: &mut Vec<u8>) -> bool {
        if !m.is_normal() {
            let code = self.special_code(m);
            out.extend(code.map(|code| number << 4 | code));
            return code.is_some();
        }
        let Some(MoveBytes { bytes, length }) = self.normal(number, m) else {
            return false;
        };
        out.extend(bytes.into_iter().take(length));
        true
    }

    /// The bytes of a move that is neither castling nor a promotion.
    #[inline(always)]
    pub(crate) fn normal(self, number: u8, m: Move) -> Option<MoveBytes> {
        let code = CODES[usize::from(self.0 & 7)][usize::from(m.to_bits() & 0xfff)];
        (code != Code::NONE).then(|| MoveBytes {
            bytes: [number << 4 | code.0 & 15, 64 + m.to().number()],
            length: 1 + usize::from(code.0 >> 4),
        })
    }

    /// The code of castling or a promotion.
    #[inline(never)]
    fn special_code(self, m: Move) -> Option<u8> {
        let dialect = match self.0 {
            Self::SCID_KING => Dialect::Scid,
            Self::SCIDB_KING => Dialect::Scidb,
            Self::WHITE_PAWN | Self::BLACK_PAWN => {
                let role = match m.promotion_role()? {
                    Role::Queen => 3,
                    Role::Rook => 6,
                    Role::Bishop => 9,
                    _ => 12,
                };
                let by = m.from().number().abs_diff(m.to().number());
                let step = by.checked_sub(7).filter(|&step| step < 3)?;
                return Some(role + step);
            }
            _ => return None,
        };
        let [h_side, a_side] = dialect.castling();
        let is_short = m.to().file() > m.from().file();
        m.is_castling()
            .then_some(if is_short { h_side } else { a_side })
    }
}

/// The squares where king and rook go by castling, which is stored as the king's move onto the rook.
pub(crate) fn castling_targets(m: Move) -> Option<[Square; 2]> {
    let h_side = m.to().file() > m.from().file();
    let rank = m.from().rank();
    let king = Square::from_coords(if h_side { 6 } else { 2 }, rank)?;
    let rook = Square::from_coords(if h_side { 5 } else { 3 }, rank)?;
    Some([king, rook])
}

/// The target of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Coded(u8);

impl Coded {
    /// A null move: code 0 of Scid's kings.
    const NULL: Coded = Coded(0xc0);
    /// A queen's move whose square is in the next byte.
    const FAR: Coded = Coded(0xc1);
    const H_SIDE: Coded = Coded(0xc2);
    const A_SIDE: Coded = Coded(0xc3);
    const NOTHING: Coded = Coded(0xff);

    /// Bits above the square of a promotion, whose piece depends on the code.
    const PROMOTION: u8 = 0x40;

    /// The ply. `second` returns the square of a queen's second byte. `None` if the ply is illegal.
    #[inline(always)]
    pub(crate) fn ply(
        self,
        position: &mut Position,
        from: Square,
        code: u8,
        second: impl FnOnce() -> Option<Square>,
    ) -> Option<Ply> {
        let m = match Square::new(self.0) {
            Some(to) => Move::normal(from, to),
            None if self == Self::FAR => Move::normal(from, second()?),
            None if self == Self::NULL => return Some(Ply::Null),
            None => self.special(position, from, code)?,
        };
        position.is_legal_cached(m).then_some(Ply::Move(m))
    }

    /// Promotion or castling. The right to castle is granted, since setup positions of old databases
    /// lack it.
    #[inline(never)]
    fn special(self, position: &mut Position, from: Square, code: u8) -> Option<Move> {
        let side = match self {
            Self::H_SIDE => 0,
            Self::A_SIDE => 1,
            Self::NULL | Self::FAR | Self::NOTHING => return None,
            Self(target) => {
                let role = match code {
                    3..=5 => Role::Queen,
                    6..=8 => Role::Rook,
                    9..=11 => Role::Bishop,
                    _ => Role::Knight,
                };
                let to = Square::new(target ^ Self::PROMOTION)?;
                return Some(Move::promotion(from, to, role));
            }
        };
        let us = position.turn();
        if position.castling_rook(us, side).is_none() {
            position.grant_castling(us, side);
        }
        Some(Move::castling(from, position.castling_rook(us, side)?))
    }
}

/// The targets by mover, square and code. A table, since branches on the kind of the next piece are
/// mispredicted.
static TARGETS: [[[u8; 16]; 64]; 8] = {
    let mut table = [[[0; 16]; 64]; 8];
    let mut mover = 0;
    while mover < 8 {
        let mut from = 0;
        while from < 64 {
            let mut code = 0;
            while code < 16 {
                table[mover as usize][from as usize][code as usize] = coded(mover, from, code).0;
                code += 1;
            }
            from += 1;
        }
        mover += 1;
    }
    table
};

const fn coded(mover: u8, from: u8, code: u8) -> Coded {
    let (file, rank) = (from & 7, from & 0x38);
    match mover {
        Mover::WHITE_PAWN | Mover::BLACK_PAWN => {
            let by = match code {
                DOUBLE_STEP => 16,
                code => 7 + (code % 3) as i16,
            };
            let to = shifted(from, if mover == Mover::WHITE_PAWN { by } else { -by });
            match code {
                0..=2 | DOUBLE_STEP => to,
                _ if to.0 == Coded::NOTHING.0 => to,
                _ => Coded(to.0 | Coded::PROMOTION),
            }
        }
        Mover::KNIGHT => stepped(from, &KNIGHT_STEPS, code, 1),
        Mover::BISHOP => {
            let files = (code & 7) as i16 - file as i16;
            shifted(from, if code < 8 { 9 * files } else { -7 * files })
        }
        Mover::QUEEN if code == file => Coded::FAR,
        Mover::ROOK | Mover::QUEEN if code < 8 => Coded(rank | code),
        Mover::ROOK | Mover::QUEEN => Coded((code - 8) << 3 | file),
        _ => {
            let dialect = if mover == Mover::SCID_KING {
                Dialect::Scid
            } else {
                Dialect::Scidb
            };
            let [h_side, a_side] = dialect.castling();
            match code {
                0 if mover == Mover::SCID_KING => Coded::NULL,
                _ if code == h_side => Coded::H_SIDE,
                _ if code == a_side => Coded::A_SIDE,
                _ => stepped(from, &KING_STEPS, code, dialect.step()),
            }
        }
    }
}

/// The target of a piece with these steps, whose codes begin at `first`.
const fn stepped(from: u8, steps: &[i16; 8], code: u8, first: u8) -> Coded {
    if code < first || code >= first + 8 {
        return Coded::NOTHING;
    }
    shifted(from, steps[(code - first) as usize])
}

const fn shifted(from: u8, by: i16) -> Coded {
    match from as i16 + by {
        to @ 0..64 => Coded(to as u8),
        _ => Coded::NOTHING,
    }
}

/// The codes of normal moves by mover and the low twelve bits of the move: the reverse of
/// [`TARGETS`].
static CODES: [[Code; 64 * 64]; 8] = {
    let mut table = [[Code::NONE; 64 * 64]; 8];
    let mut mover = 0;
    while mover < 8 {
        let mut from = 0;
        while from < 64 {
            let moves = &mut table[mover];
            let mut code = 0;
            while code < 16 {
                let Coded(target) = Coded(TARGETS[mover][from][code as usize]);
                if target < 64 {
                    moves[from | (target as usize) << 6] = Code(code);
                }
                code += 1;
            }
            let mut to = 0;
            while mover == Mover::QUEEN as usize && to < 64 {
                if to & 7 != from & 7 && to >> 3 != from >> 3 {
                    moves[from | to << 6] = Code(Code::FAR | from as u8 & 7);
                }
                to += 1;
            }
            from += 1;
        }
        mover += 1;
    }
    table
};

/// The low four bits of a move's byte, and [`Code::FAR`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Code(u8);

impl Code {
    /// The square where a queen goes is in the next byte.
    const FAR: u8 = 0x10;
    /// The mover has no such move.
    const NONE: Code = Code(0xff);
}

/// The bytes of a move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoveBytes {
    /// Two bytes, of which the first `length` count.
    pub(crate) bytes: [u8; 2],
    /// 1 or 2.
    pub(crate) length: usize,
}
