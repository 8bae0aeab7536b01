//! The byte of a move: a piece, by its number among those of its kind, and its step on a board that
//! wraps around.

use tabia_core::chess::{Move, Piece, Position, Role};

use crate::books::mirrored::orientation::Orientation;

const SHORT: u8 = 0xc4;
const LONG: u8 = 0xc5;

/// First code, steps and pieces of each kind (FORMAT.md § Move).
const KINDS: [(Role, u8, u8, u8); 6] = [
    (Role::Pawn, 0x00, 4, 8),
    (Role::Knight, 0x20, 8, 2),
    (Role::Bishop, 0x30, 14, 2),
    (Role::Rook, 0x4c, 14, 2),
    (Role::Queen, 0x68, 28, 3),
    (Role::King, 0xbc, 8, 1),
];

const PAWN: [(u8, u8); 4] = [(0, 1), (0, 2), (1, 1), (7, 1)];
const KNIGHT: [(u8, u8); 8] = [
    (1, 2),
    (7, 2),
    (2, 1),
    (6, 1),
    (2, 7),
    (6, 7),
    (1, 6),
    (7, 6),
];
const KING: [(u8, u8); 8] = [
    (0, 1),
    (1, 1),
    (7, 1),
    (1, 0),
    (7, 0),
    (0, 7),
    (1, 7),
    (7, 7),
];

/// The byte of a legal move. `None` for moves without a byte: promotions to other pieces than a queen,
/// pieces beyond those numbered, castling of Chess960.
pub fn encode_move(position: &Position, orientation: Orientation, m: Move) -> Option<u8> {
    if m.is_castling() {
        let is_standard = m.from().file() == 4 && !orientation.mirrored;
        return match m.to().file() {
            7 if is_standard => Some(SHORT),
            0 if is_standard => Some(LONG),
            _ => None,
        };
    }
    if m.promotion_role().is_some_and(|role| role != Role::Queen) {
        return None;
    }
    let piece = position.piece_at(m.from())?;
    let (_, first, steps, pieces) = KINDS.into_iter().find(|kind| kind.0 == piece.role)?;
    let (from, to) = (
        orientation.stored_square(m.from()),
        orientation.stored_square(m.to()),
    );
    // Pieces are numbered in the order of stored squares.
    let before = orientation.stored_squares(position.by_piece(piece))
        & (1u64 << (from & 63)).wrapping_sub(1);
    let ordinal = before.count_ones() as u8;
    if ordinal >= pieces {
        return None;
    }
    let x = (to >> 3).wrapping_sub(from >> 3) & 7;
    let y = to.wrapping_sub(from) & 7;
    let step = match piece.role {
        Role::Pawn => index_of(&PAWN, x, y),
        Role::Knight => index_of(&KNIGHT, x, y),
        Role::King => index_of(&KING, x, y),
        Role::Rook => straight(x, y),
        Role::Bishop => diagonal(x, y),
        Role::Queen => straight(x, y).or_else(|| Some(14 + diagonal(x, y)?)),
    }?;
    Some(first + steps * ordinal + step)
}

/// The move of a byte in a position of an orientation; `None` if it is not legal.
pub fn decode_move(position: &Position, orientation: Orientation, code: u8) -> Option<Move> {
    let us = position.turn();
    let m = if code == SHORT || code == LONG {
        let rook = position.castling_rook(us, usize::from(code == LONG))?;
        Move::castling(position.king(us), rook)
    } else {
        let Step {
            role,
            ordinal,
            x,
            y,
        } = STEPS[usize::from(code)]?;
        let mut pieces = orientation.stored_squares(position.by_piece(Piece { color: us, role }));
        for _ in 0..ordinal {
            pieces &= pieces.wrapping_sub(1);
        }
        if pieces == 0 {
            return None;
        }
        let from = pieces.trailing_zeros() as u8;
        let (file, rank) = (((from >> 3) + x) & 7, (from + y) & 7);
        let (from, to) = (
            orientation.square(from),
            orientation.square(file << 3 | rank),
        );
        if role == Role::Pawn && (to.rank() == 0 || to.rank() == 7) {
            Move::promotion(from, to, Role::Queen)
        } else {
            Move::normal(from, to)
        }
    };
    position.is_legal(m).then_some(m)
}

/// A piece and its step to the right and up, modulo eight.
#[derive(Clone, Copy)]
struct Step {
    role: Role,
    /// How many pieces of the kind are before it, in the order of stored squares.
    ordinal: u8,
    x: u8,
    y: u8,
}

/// By code, except castling.
static STEPS: [Option<Step>; 256] = {
    let mut table = [None; 256];
    let mut kind = 0;
    while kind < KINDS.len() {
        let (role, first, steps, pieces) = KINDS[kind];
        let mut number = 0;
        while number < steps * pieces {
            if let Some((x, y)) = step_of(role, number % steps) {
                let ordinal = number / steps;
                table[(first + number) as usize] = Some(Step {
                    role,
                    ordinal,
                    x,
                    y,
                });
            }
            number += 1;
        }
        kind += 1;
    }
    table
};

fn index_of(steps: &[(u8, u8)], x: u8, y: u8) -> Option<u8> {
    let found = steps.iter().position(|step| *step == (x, y))?;
    Some(found as u8)
}

fn straight(x: u8, y: u8) -> Option<u8> {
    match (x, y) {
        (0, 1..) => Some(y - 1),
        (1.., 0) => Some(6 + x),
        _ => None,
    }
}

fn diagonal(x: u8, y: u8) -> Option<u8> {
    match (x, y) {
        (0, _) | (_, 0) => None,
        _ if x == y => Some(x - 1),
        _ if x + y == 8 => Some(6 + y),
        _ => None,
    }
}

const fn step_of(role: Role, step: u8) -> Option<(u8, u8)> {
    let at = step as usize;
    match role {
        Role::Pawn if at < PAWN.len() => Some(PAWN[at]),
        Role::Knight if at < KNIGHT.len() => Some(KNIGHT[at]),
        Role::King if at < KING.len() => Some(KING[at]),
        Role::Pawn | Role::Knight | Role::King => None,
        Role::Rook => Some(straight_step(step)),
        Role::Bishop => diagonal_step(step),
        Role::Queen if step < 14 => Some(straight_step(step)),
        Role::Queen => diagonal_step(step - 14),
    }
}

const fn straight_step(step: u8) -> (u8, u8) {
    if step < 7 {
        (0, step + 1)
    } else {
        (step - 6, 0)
    }
}

/// Four squares along either diagonal end on the same square modulo eight and share a code.
const fn diagonal_step(step: u8) -> Option<(u8, u8)> {
    match step {
        0..=6 => Some((step + 1, step + 1)),
        10 => None,
        _ => Some((14 - step, step - 6)),
    }
}
