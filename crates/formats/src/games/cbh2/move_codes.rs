//! The words of moves: each is one move of one piece from one square to another, with the captured
//! piece and the promotion, numbered in the order of FORMAT.md § Moves.

use std::sync::OnceLock;

use tabia_core::chess::{Color, Move, Piece, Position, Role, Square};

use crate::games::cbh::field_codecs::encode_square;

/// A null move.
pub(super) const NULL: u16 = 0xfffa;
/// A start position follows.
pub(super) const START: u16 = 0xfffb;
/// The moves follow.
pub(super) const MOVES: u16 = 0xfffc;
/// An alternative to the last move is stored later.
pub(super) const ALTERNATIVE: u16 = 0xfffd;
/// The line ends.
pub(super) const END: u16 = 0xffff;

/// The first word that is not a move.
pub(super) const AFTER_MOVES: u16 = 0xc02d;
/// The first word of castling: four words for ordinary chess, then four for each start position of
/// Chess960.
pub(super) const CASTLING: u16 = 0xb129;

/// Whether a word is a move, a null move included.
pub(super) const fn is_move(word: u16) -> bool {
    word == NULL || word != 0 && word < AFTER_MOVES
}

/// The move of a word; `None` if it is not legal. Grants a missing castling right.
pub(super) fn find(word: u16, position: &mut Position) -> Option<Move> {
    let us = position.turn();
    if word >= CASTLING {
        let number = word.wrapping_sub(CASTLING) & 3;
        let color = if number < 2 {
            Color::White
        } else {
            Color::Black
        };
        // The a-side comes first.
        let side = usize::from(number & 1 == 0);
        if word >= AFTER_MOVES || color != us {
            return None;
        }
        if position.castling_rook(us, side).is_none() {
            // Games with a setup position may castle without the right.
            position.grant_castling(us, side);
        }
        let rook = position.castling_rook(us, side)?;
        let m = Move::castling(position.king(us), rook);
        return position.is_legal(m).then_some(m);
    }
    let entry = entries().get(usize::from(word).checked_sub(1)?)?;
    if entry.piece.color != us || position.piece_at(entry.from) != Some(entry.piece) {
        return None;
    }
    let captured = position.piece_at(entry.to).map(|piece| piece.role);
    if captured != entry.captured {
        return None;
    }
    let is_passed = position.en_passant() == Some(entry.to);
    if entry.en_passant && !is_passed {
        return None;
    }
    let m = match entry.promotion {
        Some(role) => Move::promotion(entry.from, entry.to, role),
        None => Move::normal(entry.from, entry.to),
    };
    position.is_legal(m).then_some(m)
}

/// The word of a legal move in a game of ordinary chess or, with `start`, one from the Chess960 start
/// position with that number.
pub(super) fn word(position: &Position, m: Move, start: Option<u16>) -> u16 {
    let color = position.turn();
    let (from, to) = (m.from(), m.to());
    if m.is_castling() {
        let first = CASTLING + start.map_or(0, |number| 4 + 4 * number);
        return first + 2 * color as u16 + u16::from(to.file() > from.file());
    }
    let piece = position.piece_at(from);
    let role = piece.map_or(Role::Pawn, |piece| piece.role);
    let captured = position.piece_at(to).map(|piece| piece.role);
    let index = |roles: &[Option<Role>], role| {
        let found = roles.iter().position(|&other| other == role);
        found.unwrap_or(0) as u16
    };
    let promotion = |role| {
        let found = PROMOTIONS.iter().position(|&other| Some(other) == role);
        found.unwrap_or(0) as u16
    };
    let offset = match (role, captured, m.promotion_role()) {
        (Role::Pawn, None, None) if from.file() == to.file() => 0,
        (Role::Pawn, None, Some(role)) => promotion(Some(role)),
        (Role::Pawn, captured, Some(role)) => 4 * promotion(captured) + promotion(Some(role)),
        // En passant comes after all captures.
        (Role::Pawn, None, None) => 5,
        (Role::Pawn, captured, None) => index(&CAPTURED, captured) - 1,
        (_, captured, _) => index(&CAPTURED, captured),
    };
    let slot = first_word_slot(Piece { color, role }, from, to);
    first_words().get(slot).copied().unwrap_or(0) + offset
}

/// The first words of each piece from each square to each other, 0 if it never moves there.
fn first_words() -> &'static [u16] {
    static FIRST: OnceLock<Vec<u16>> = OnceLock::new();
    FIRST.get_or_init(|| {
        let mut first = vec![0; 2 * 6 * 64 * 64];
        for (word, entry) in (1..).zip(entries()) {
            let slot = first_word_slot(entry.piece, entry.from, entry.to);
            if let Some(stored) = first.get_mut(slot).filter(|stored| **stored == 0) {
                *stored = word;
            }
        }
        first
    })
}

fn first_word_slot(piece: Piece, from: Square, to: Square) -> usize {
    let number = |square| usize::from(encode_square(square));
    let kind = piece.color as usize * 6 + piece.role as usize;
    (kind * 64 + number(from)) * 64 + number(to)
}

/// The meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) piece: Piece,
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) captured: Option<Role>,
    pub(super) en_passant: bool,
    pub(super) promotion: Option<Role>,
}

/// The words from 1 up to those of castling; the entry of a word is at `word - 1`.
pub(super) fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let mut entries = Vec::with_capacity(usize::from(CASTLING));
        for color in [Color::White, Color::Black] {
            for role in PIECES {
                pieces(Piece { color, role }, &mut entries);
            }
        }
        for color in [Color::White, Color::Black] {
            pawns(color, &mut entries);
        }
        entries
    })
}

const PIECES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
];

/// The captures of a piece, in order; the first is no capture.
const CAPTURED: [Option<Role>; 6] = [
    None,
    Some(Role::Queen),
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Pawn),
];

/// The promotions of a pawn, and the pieces it may capture while promoting.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];

/// Steps in files and ranks.
type Steps = &'static [(i8, i8)];

const KING_STEPS: Steps = &[
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT_STEPS: Steps = &[
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
const BISHOP_STEPS: Steps = &[(-1, -1), (1, -1), (1, 1), (-1, 1)];
const ROOK_STEPS: Steps = &[(-1, 0), (0, -1), (1, 0), (0, 1)];
const QUEEN_STEPS: Steps = &[
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];

/// The square one step away; `None` outside the board.
fn step(from: Square, (files, ranks): (i8, i8)) -> Option<Square> {
    let file = from.file().checked_add_signed(files)?;
    let rank = from.rank().checked_add_signed(ranks)?;
    Square::from_coords(file, rank)
}

/// All squares, a1, a2, … h8.
fn squares() -> impl Iterator<Item = Square> {
    (0..64).filter_map(|number| Square::from_coords(number / 8, number % 8))
}

fn pieces(piece: Piece, out: &mut Vec<Entry>) {
    let (steps, slides) = match piece.role {
        Role::King => (KING_STEPS, false),
        Role::Knight => (KNIGHT_STEPS, false),
        Role::Bishop => (BISHOP_STEPS, true),
        Role::Rook => (ROOK_STEPS, true),
        _ => (QUEEN_STEPS, true),
    };
    for from in squares() {
        for &direction in steps {
            let mut last = from;
            while let Some(to) = step(last, direction) {
                out.extend(CAPTURED.map(|captured| Entry {
                    piece,
                    from,
                    to,
                    captured,
                    en_passant: false,
                    promotion: None,
                }));
                if !slides {
                    break;
                }
                last = to;
            }
        }
    }
}

fn pawns(color: Color, out: &mut Vec<Entry>) {
    let piece = Piece {
        color,
        role: Role::Pawn,
    };
    let white = color.is_white();
    let forward = if white { 1 } else { -1 };
    for from in squares().filter(|from| (1..7).contains(&from.rank())) {
        // The rank seen by the pawn: 1 at its start, 4 for en passant captures, 6 before promotion.
        let rank = if white { from.rank() } else { 7 - from.rank() };
        let mut push = |to: Option<Square>, captured, en_passant, promotion| {
            out.extend(to.map(|to| Entry {
                piece,
                from,
                to,
                captured,
                en_passant,
                promotion,
            }));
        };
        let ahead = step(from, (0, forward));
        if rank == 1 {
            push(step(from, (0, 2 * forward)), None, false, None);
        }
        if rank == 6 {
            for role in PROMOTIONS {
                push(ahead, None, false, Some(role));
            }
        } else {
            push(ahead, None, false, None);
        }
        for files in [-1, 1] {
            let to = step(from, (files, forward));
            if rank == 6 {
                for captured in PROMOTIONS {
                    for role in PROMOTIONS {
                        push(to, Some(captured), false, Some(role));
                    }
                }
                continue;
            }
            for captured in CAPTURED.into_iter().flatten() {
                push(to, Some(captured), false, None);
            }
            if rank == 4 {
                push(to, None, true, None);
            }
        }
    }
}
