//! The codes of moves: four bits beside the number of a piece. Scid and Scidb have the same ones,
//! except for kings.

use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Square};

const KING_STEPS: [i16; 8] = [-9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT_STEPS: [i16; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];

/// A pawn's step of two squares.
const DOUBLE_STEP: u8 = 15;

/// Whose codes of kings: the first one of their eight steps, and castling to the h-side and the
/// a-side.
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

    fn king_code(self, m: Move) -> Option<u8> {
        if m.is_castling() {
            let [h_side, a_side] = self.castling();
            let is_short = m.to().file() > m.from().file();
            return Some(if is_short { h_side } else { a_side });
        }
        Some(self.step() + step_code(KING_STEPS, m)?)
    }
}

/// A piece as the codes of its moves know it.
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

    /// Where no piece is.
    pub(crate) const NOBODY: Mover = Mover(0);

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

    /// What a code means for the piece on `from`. Whether a piece can get there is not looked at.
    #[inline(always)]
    pub(crate) fn decode(self, from: Square, code: u8) -> Coded {
        Coded(TARGETS[usize::from(self.0 & 7)][from.index()][usize::from(code & 15)])
    }
}

/// Where a code leads.
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

    /// Bits above the square of a promotion: which piece is in the code.
    const PROMOTION: u8 = 0x40;

    /// The ply, if it can be played; `second` gives the square of a queen's second byte.
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
        position.foresee_legal(m).then_some(Ply::Move(m))
    }

    /// Promotion or castling. Castling is granted, since set-up positions of old databases lack the
    /// right.
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

/// What the codes mean, by mover, square and code: a table, since which piece moves next cannot be
/// foreseen.
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

/// Where a stepping piece gets whose steps have codes from `first` on.
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

/// Appends the byte or bytes of a move of the piece of that number; `false` for a move that has
/// none.
pub(crate) fn encode(dialect: Dialect, number: u8, role: Role, m: Move, out: &mut Vec<u8>) -> bool {
    let (from, to) = (m.from(), m.to());
    let code = match role {
        Role::King => dialect.king_code(m),
        Role::Queen if from.file() != to.file() && from.rank() != to.rank() => {
            out.extend([number << 4 | from.file(), 64 + to.number()]);
            return true;
        }
        Role::Queen | Role::Rook if from.rank() == to.rank() => Some(to.file()),
        Role::Queen | Role::Rook => Some(8 + to.rank()),
        Role::Bishop => {
            let rises = (to.file() > from.file()) == (to.rank() > from.rank());
            Some(to.file() + if rises { 0 } else { 8 })
        }
        Role::Knight => step_code(KNIGHT_STEPS, m).map(|place| place + 1),
        Role::Pawn => pawn_code(m),
    };
    let Some(code) = code else {
        return false;
    };
    out.push(number << 4 | code);
    true
}

fn pawn_code(m: Move) -> Option<u8> {
    let by = m.from().number().abs_diff(m.to().number());
    if by == 16 {
        return Some(DOUBLE_STEP);
    }
    let way = by.checked_sub(7).filter(|&way| way < 3)?;
    let role = match m.promotion_role() {
        None => 0,
        Some(Role::Queen) => 3,
        Some(Role::Rook) => 6,
        Some(Role::Bishop) => 9,
        Some(_) => 12,
    };
    Some(way + role)
}

fn step_code(steps: [i16; 8], m: Move) -> Option<u8> {
    let by = i16::from(m.to().number()) - i16::from(m.from().number());
    let place = steps.iter().position(|&step| step == by)?;
    Some(place as u8)
}
