//! Start positions: the words between [`START`](super::move_codes::START) and the moves.

use tabia_core::chess::{Color, Piece, Role, Setup, Square};
use tabia_core::error::{Malformed, Why};
use tabia_core::game::Start;

/// The number of the standard start position among those of Chess960.
pub(super) const STANDARD_NUMBER: u16 = 518;
/// Marks a Chess960 game, before a setup position.
const CHESS960_SETUP: u16 = 1000;
/// The first word of pieces other than pawns.
const FIRST_PIECE: u16 = 0xc02d;
/// The first word of pawns.
const FIRST_PAWN: u16 = 0xc2ad;
/// The first word after those of pieces.
const AFTER_PIECES: u16 = 0xc30d;

/// The order of the words of pieces.
const PIECES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
];

/// Castling rights: colour, side (0 h-side, 1 a-side), bit.
const RIGHTS: [(Color, usize, u8); 4] = [
    (Color::White, 1, 1),
    (Color::White, 0, 2),
    (Color::Black, 1, 4),
    (Color::Black, 0, 8),
];

/// Decodes the words of a start position; they begin at offset `at` of the content. `chess960` is
/// whether the record is marked as a Chess960 game.
///
/// # Errors
/// If a word is not one of a start position.
pub(super) fn read(words: &[u16], at: usize, chess960: bool) -> Result<Start, Malformed> {
    let malformed = |index: usize, word: u16| Malformed {
        field: "start",
        at: at + 2 * index,
        why: Why::Value(word.into()),
    };
    let (setup, chess960) = match *words {
        [] => (Setup::standard(), chess960),
        [number] => {
            let setup = Setup::chess960_start(number).ok_or_else(|| malformed(0, number))?;
            (setup, true)
        }
        [CHESS960_SETUP, ref rest @ ..] => {
            let setup = read_setup(rest, true);
            let setup = setup.map_err(|(index, word)| malformed(index + 1, word))?;
            (setup, true)
        }
        ref all => {
            let setup = read_setup(all, chess960);
            let setup = setup.map_err(|(index, word)| malformed(index, word))?;
            (setup, chess960)
        }
    };
    let setup = (setup != Setup::standard()).then(|| Box::new(setup));
    Ok(Start { setup, chess960 })
}

/// Decodes a setup position: move number, side to move and castling rights, en passant, then a word
/// for each piece. The error contains the index and the value of an impossible word.
fn read_setup(words: &[u16], chess960: bool) -> Result<Setup, (usize, u16)> {
    let [number, turn, en_passant, pieces @ ..] = words else {
        return Err((words.len(), 0));
    };
    let mut setup = Setup::empty();
    setup.full_move_number = (*number).max(1);
    let [side, rights] = [*turn as u8, (*turn >> 8) as u8];
    if side == 1 {
        setup.turn = Color::Black;
    }
    for (index, &word) in pieces.iter().enumerate() {
        let (piece, square) = read_piece(word).ok_or((index + 3, word))?;
        setup.set(square, Some(piece));
    }
    for (color, side, bit) in RIGHTS {
        if rights & bit != 0 && !setup.grant_classical_castling(color, side) && chess960 {
            let rook = outer_rook(&setup, color, side);
            if let Some(right) = setup.castling[color as usize].get_mut(side) {
                *right = rook;
            }
        }
    }
    setup.en_passant = read_en_passant(&setup, *en_passant as u8);
    Ok(setup)
}

/// The words of a start position, none for that of ordinary chess.
pub(super) fn write(setup: &Setup, chess960: bool) -> Vec<u16> {
    if chess960 && let Some(number) = setup.chess960_number() {
        return vec![number];
    }
    if !chess960 && *setup == Setup::standard() {
        return Vec::new();
    }
    let mut rights = 0;
    for (color, side, bit) in RIGHTS {
        if setup.castling[color as usize][side].is_some() {
            rights |= u16::from(bit);
        }
    }
    let en_passant = setup.en_passant.map(|square| u16::from(square.file()) + 1);
    let mut words = Vec::with_capacity(36);
    if chess960 {
        words.push(CHESS960_SETUP);
    }
    words.extend([
        setup.full_move_number,
        u16::from(!setup.turn.is_white()) | rights << 8,
        en_passant.unwrap_or(0),
    ]);
    for number in 0..64 {
        let square = Square::from_coords(number / 8, number % 8);
        words.extend(square.and_then(|at| piece_word(setup.piece(at)?, at)));
    }
    words
}

/// The number of a Chess960 start position whose kings and castling rooks are on the same files as those
/// of a setup position.
pub(super) fn castling_start(setup: &Setup) -> u16 {
    if let Some(number) = setup.chess960_number() {
        return number;
    }
    let fits = |number: &u16| {
        let Some(start) = Setup::chess960_start(*number) else {
            return false;
        };
        [Color::White, Color::Black].into_iter().all(|color| {
            let rooks = |setup: &Setup| setup.castling.get(color as usize).copied();
            let (wanted, found) = (rooks(setup), rooks(&start));
            let pairs = wanted
                .into_iter()
                .flatten()
                .zip(found.into_iter().flatten());
            let has_right = wanted.is_some_and(|rooks| rooks.iter().any(Option::is_some));
            let file = |setup: &Setup| setup.king(color).map(Square::file);
            (!has_right || file(setup) == file(&start))
                && pairs
                    .into_iter()
                    .all(|(wanted, found)| wanted.is_none_or(|rook| found == Some(rook)))
        })
    };
    (0..960).find(fits).unwrap_or(0)
}

/// The word of a piece; `None` for a pawn on the first or the last rank.
fn piece_word(piece: Piece, square: Square) -> Option<u16> {
    let black = piece.color as u16;
    let (file, rank) = (u16::from(square.file()), u16::from(square.rank()));
    match PIECES.iter().position(|&role| role == piece.role) {
        Some(kind) => Some(FIRST_PIECE + 320 * black + 64 * kind as u16 + 8 * file + rank),
        None if (1..7).contains(&rank) => Some(FIRST_PAWN + 48 * black + 6 * file + rank - 1),
        None => None,
    }
}

fn read_piece(word: u16) -> Option<(Piece, Square)> {
    if word >= AFTER_PIECES {
        return None;
    }
    let color = |is_black: bool| if is_black { Color::Black } else { Color::White };
    if let Some(number) = word.checked_sub(FIRST_PAWN) {
        let square = (number % 48) as u8;
        let piece = Piece {
            color: color(number >= 48),
            role: Role::Pawn,
        };
        return Some((piece, Square::from_coords(square / 6, square % 6 + 1)?));
    }
    let number = word.checked_sub(FIRST_PIECE)?;
    let square = (number % 64) as u8;
    let kind = usize::from(number / 64);
    let piece = Piece {
        color: color(kind >= PIECES.len()),
        role: *PIECES.get(kind % PIECES.len())?,
    };
    Some((piece, Square::from_coords(square / 8, square % 8)?))
}

/// The outermost rook of the back rank on a side of the king.
fn outer_rook(setup: &Setup, color: Color, side: usize) -> Option<Square> {
    let king = setup.king(color)?;
    let back = if color.is_white() { 0 } else { 7 };
    let rook = Piece {
        color,
        role: Role::Rook,
    };
    let is_rook = |file: &u8| {
        let square = Square::from_coords(*file, back);
        square.and_then(|square| setup.piece(square)) == Some(rook)
    };
    let file = if side == 0 {
        (king.file() + 1..8).rev().find(is_rook)
    } else {
        (0..king.file()).find(is_rook)
    };
    Square::from_coords(file?, back).filter(|_| king.rank() == back)
}

/// The square passed over by a pawn that can just have moved two squares on this file (from 1).
fn read_en_passant(setup: &Setup, file: u8) -> Option<Square> {
    let file = file.checked_sub(1)?;
    let (passed, target, from) = if setup.turn.is_white() {
        (5, 4, 6)
    } else {
        (2, 3, 1)
    };
    let pawn = Piece {
        color: setup.turn.other(),
        role: Role::Pawn,
    };
    let at = |rank| Square::from_coords(file, rank);
    let is_free = |rank| at(rank).is_some_and(|square| setup.piece(square).is_none());
    let has_pawn = at(target).and_then(|square| setup.piece(square)) == Some(pawn);
    at(passed).filter(|_| has_pawn && is_free(passed) && is_free(from))
}
