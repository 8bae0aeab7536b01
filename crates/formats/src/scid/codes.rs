//! The codes of moves: four bits beside the number of a piece. Scid and Scidb have the same ones,
//! except for kings.

use tabia_core::chess::{Move, Piece, Position, Role, Square};

const KING_STEPS: [i16; 8] = [-9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT_STEPS: [i16; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];

/// A pawn's step of two squares.
const DOUBLE_STEP: u8 = 15;

/// What a king's codes say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kings {
    /// The first of the codes of its eight steps.
    pub(crate) step: u8,
    /// Castling to each side: h-side, a-side.
    pub(crate) castling: [u8; 2],
}

impl Kings {
    /// The move of the king of the side to move. Castling is granted, since set-up positions of
    /// old databases lack the right.
    pub(crate) fn decode(self, position: &mut Position, from: Square, code: u8) -> Option<Move> {
        if let Some(side) = self.castling.iter().position(|&castling| castling == code) {
            let us = position.turn();
            if position.castling_rook(us, side).is_none() {
                position.grant_castling(us, side);
            }
            return Some(Move::castling(from, position.castling_rook(us, side)?));
        }
        Some(Move::normal(
            from,
            step(from, KING_STEPS, code.checked_sub(self.step)?)?,
        ))
    }

    fn code(self, m: Move) -> Option<u8> {
        if m.is_castling() {
            let [h_side, a_side] = self.castling;
            return Some(if m.to().file() > m.from().file() {
                h_side
            } else {
                a_side
            });
        }
        Some(self.step + step_code(KING_STEPS, m)?)
    }
}

/// The move of a piece that is no king; `second` gives the square of a queen's second byte.
pub(crate) fn decode(
    piece: Piece,
    from: Square,
    code: u8,
    second: impl FnOnce() -> Option<Square>,
) -> Option<Move> {
    let to = match piece.role {
        Role::King => return None,
        Role::Queen if code == from.file() => second(),
        Role::Queen | Role::Rook if code < 8 => Square::from_coords(code, from.rank()),
        Role::Queen | Role::Rook => Square::from_coords(from.file(), code.checked_sub(8)?),
        Role::Bishop => {
            let files = i16::from(code & 7) - i16::from(from.file());
            shifted(from, if code < 8 { 9 * files } else { -7 * files })
        }
        Role::Knight => step(from, KNIGHT_STEPS, code.checked_sub(1)?),
        Role::Pawn => {
            let by = match code {
                DOUBLE_STEP => 16,
                code => 7 + i16::from(code % 3),
            };
            let to = shifted(from, if piece.color.is_white() { by } else { -by })?;
            let promotion = match code {
                0..=2 | DOUBLE_STEP => return Some(Move::normal(from, to)),
                3..=5 => Role::Queen,
                6..=8 => Role::Rook,
                9..=11 => Role::Bishop,
                _ => Role::Knight,
            };
            return Some(Move::promotion(from, to, promotion));
        }
    };
    Some(Move::normal(from, to?))
}

/// Appends the byte or bytes of a move of the piece of that number; `false` for a move that has
/// none.
pub(crate) fn encode(kings: Kings, number: u8, role: Role, m: Move, out: &mut Vec<u8>) -> bool {
    let (from, to) = (m.from(), m.to());
    let code = match role {
        Role::King => kings.code(m),
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

/// Where the step of that place leads.
fn step(from: Square, steps: [i16; 8], place: u8) -> Option<Square> {
    shifted(from, *steps.get(usize::from(place))?)
}

fn step_code(steps: [i16; 8], m: Move) -> Option<u8> {
    let by = i16::from(m.to().number()) - i16::from(m.from().number());
    let place = steps.iter().position(|&step| step == by)?;
    Some(place as u8)
}

fn shifted(from: Square, by: i16) -> Option<Square> {
    u8::try_from(i16::from(from.number()) + by)
        .ok()
        .and_then(Square::new)
}
