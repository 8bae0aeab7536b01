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

    /// By its number, of which the low three bits count.
    #[inline(always)]
    pub(crate) const fn wrap(number: u8) -> Self {
        Self(number & 7)
    }

    /// Its number, 0 to 7: two for pawns, which have no other number that is below 2.
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

    /// What a code means for the piece on `from`. Whether a piece can get there is not looked at.
    #[inline(always)]
    pub(crate) fn decode(self, from: Square, code: u8) -> Coded {
        Coded(TARGETS[usize::from(self.0 & 7)][from.index()][usize::from(code & 15)])
    }

    /// Appends the byte or bytes of a move of the piece of that number, 0 to 15; `false` for a
    /// move that has none.
    #[inline(always)]
    pub(crate) fn encode(self, number: u8, m: Move, out: &mut Vec<u8>) -> bool {
        let step = self.step(m);
        if !m.is_normal() {
            let Some(code) = self.special_code(m) else {
                return false;
            };
            out.push(number << 4 | code);
            return true;
        }
        if step == Step::NONE {
            return false;
        }
        // Both bytes, and one is cut: whether a queen moves cannot be foreseen.
        let length = out.len() + 1 + usize::from(step.0 & Step::FAR != 0);
        out.extend_from_slice(&[number << 4 | step.code(m), 64 + m.to().number()]);
        out.truncate(length);
        true
    }

    #[inline(always)]
    fn step(self, m: Move) -> Step {
        STEPS[usize::from(self.0 & 7)][distance(m)]
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
                let Step(way) = self.step(m);
                return (way < 3).then_some(way + role);
            }
            _ => return None,
        };
        let [h_side, a_side] = dialect.castling();
        let is_short = m.to().file() > m.from().file();
        m.is_castling()
            .then_some(if is_short { h_side } else { a_side })
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

/// How the code of a move is made of its squares, by mover and [`distance`].
static STEPS: [[Step; 256]; 8] = {
    let mut table = [[Step::NONE; 256]; 8];
    let mut mover = 0;
    while mover < 8 {
        let mut distance = 0;
        while distance < 15 * 16 {
            let files = (distance % 16) as i16 - 7;
            let ranks = (distance / 16) as i16 - 7;
            if files < 8 {
                table[mover as usize][distance] = Step::of(mover, files, ranks);
            }
            distance += 1;
        }
        mover += 1;
    }
    table
};

/// How far a move goes: 0 to 14 for seven files to the left up to seven to the right, and 16 times
/// the same for ranks.
#[inline(always)]
fn distance(m: Move) -> usize {
    let spread = |square: Square| square.number() + (square.number() & 0x38);
    usize::from((0x77 + spread(m.to())).wrapping_sub(spread(m.from())))
}

/// A number from 0 to 15, and what is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step(u8);

impl Step {
    /// The file or the rank where the move goes.
    const TO_FILE: u8 = 0x10;
    const TO_RANK: u8 = 0x20;
    /// The file where it comes from; where it goes is in the next byte.
    const FAR: u8 = 0x40;
    /// Nothing moves like that.
    const NONE: Step = Step(0xff);

    const fn of(mover: u8, files: i16, ranks: i16) -> Self {
        if files == 0 && ranks == 0 {
            return Self::NONE;
        }
        let by = 8 * ranks + files;
        let (is_straight, is_diagonal) = (files == 0 || ranks == 0, files.abs() == ranks.abs());
        let straight = if ranks == 0 {
            Step(Self::TO_FILE)
        } else {
            Step(8 | Self::TO_RANK)
        };
        match mover {
            Mover::WHITE_PAWN | Mover::BLACK_PAWN => {
                let ahead = if mover == Mover::WHITE_PAWN { by } else { -by };
                match ahead {
                    16 => Step(DOUBLE_STEP),
                    7..=9 if ranks.abs() == 1 => Step((ahead - 7) as u8),
                    _ => Self::NONE,
                }
            }
            Mover::KNIGHT if files.abs() + ranks.abs() == 3 && !is_straight => {
                Self::stepped(&KNIGHT_STEPS, by, 1)
            }
            Mover::BISHOP if is_diagonal => {
                Step(Self::TO_FILE | if (files > 0) == (ranks > 0) { 0 } else { 8 })
            }
            Mover::ROOK | Mover::QUEEN if is_straight => straight,
            Mover::QUEEN if is_diagonal => Step(Self::FAR),
            Mover::SCID_KING if files.abs() <= 1 && ranks.abs() <= 1 => {
                Self::stepped(&KING_STEPS, by, Dialect::Scid.step())
            }
            Mover::SCIDB_KING if files.abs() <= 1 && ranks.abs() <= 1 => {
                Self::stepped(&KING_STEPS, by, Dialect::Scidb.step())
            }
            _ => Self::NONE,
        }
    }

    const fn stepped(steps: &[i16; 8], by: i16, first: u8) -> Self {
        let mut place = 0;
        while place < 8 {
            if steps[place] == by {
                return Step(first + place as u8);
            }
            place += 1;
        }
        Self::NONE
    }

    /// The code of a move of this step.
    #[inline(always)]
    fn code(self, m: Move) -> u8 {
        let mask = |bit: u8| 0_u8.wrapping_sub(u8::from(self.0 & bit != 0));
        (self.0 & 15)
            + (m.to().file() & mask(Self::TO_FILE))
            + (m.to().rank() & mask(Self::TO_RANK))
            + (m.from().file() & mask(Self::FAR))
    }
}
