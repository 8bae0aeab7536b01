//! Start positions: the words between [`words::START`](super::move_codes::START) and the moves.

use tabia_core::chess::{Color, Piece, Role, Setup, Square};
use tabia_core::error::{Malformed, Why};
use tabia_core::game::Start;

/// In front of a set-up position it says that the game is Chess960.
pub(super) const CHESS960_SETUP: u16 = 1000;
/// The first word of a piece on a square.
pub(super) const FIRST_PIECE: u16 = 0xc02d;
/// The first word of a pawn on a square.
pub(super) const FIRST_PAWN: u16 = 0xc2ad;
/// The first word behind those.
const LAST: u16 = 0xc30d;

/// The order of the words of pieces.
pub(super) const PIECES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
];

/// Castling rights: whose, which side (0 h-side, 1 a-side), which bit.
pub(super) const RIGHTS: [(Color, usize, u8); 4] = [
    (Color::White, 1, 1),
    (Color::White, 0, 2),
    (Color::Black, 1, 4),
    (Color::Black, 0, 8),
];

/// The start that the words say, which begin at offset `at` of the content. `chess960` when the
/// record says so.
pub(super) fn read(words: &[u16], at: usize, chess960: bool) -> Result<Start, Malformed> {
    let fault = |place: usize, word: u16| Malformed {
        field: "start",
        at: at + 2 * place,
        why: Why::Value(word.into()),
    };
    let (setup, chess960) = match *words {
        [] => (Setup::standard(), chess960),
        [number] => {
            let setup = Setup::chess960_start(number).ok_or_else(|| fault(0, number))?;
            (setup, true)
        }
        [CHESS960_SETUP, ref rest @ ..] => {
            let setup = read_setup(rest, true);
            (setup.map_err(|(at, word)| fault(at + 1, word))?, true)
        }
        ref all => {
            let setup = read_setup(all, chess960);
            (setup.map_err(|(at, word)| fault(at, word))?, chess960)
        }
    };
    let setup = (setup != Setup::standard()).then(|| Box::new(setup));
    Ok(Start { setup, chess960 })
}

/// Move number, side to move and rights, en passant, then a word for each piece. On a fault the
/// place and the word.
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
    for (place, &word) in pieces.iter().enumerate() {
        let (piece, square) = read_piece(word).ok_or((place + 3, word))?;
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

fn read_piece(word: u16) -> Option<(Piece, Square)> {
    if word >= LAST {
        return None;
    }
    let color = |is_black: bool| if is_black { Color::Black } else { Color::White };
    if let Some(number) = word.checked_sub(FIRST_PAWN) {
        let place = (number % 48) as u8;
        let piece = Piece {
            color: color(number >= 48),
            role: Role::Pawn,
        };
        return Some((piece, Square::from_coords(place / 6, place % 6 + 1)?));
    }
    let number = word.checked_sub(FIRST_PIECE)?;
    let place = (number % 64) as u8;
    let kind = usize::from(number / 64);
    let piece = Piece {
        color: color(kind >= PIECES.len()),
        role: *PIECES.get(kind % PIECES.len())?,
    };
    Some((piece, Square::from_coords(place / 8, place % 8)?))
}

/// The rook farthest to a side of the king on the first rank.
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

/// The square behind a pawn of that file (from 1) that can just have made a double step.
fn read_en_passant(setup: &Setup, file: u8) -> Option<Square> {
    let file = file.checked_sub(1)?;
    let (passed, stands, from) = if setup.turn.is_white() {
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
    let is_there = at(stands).and_then(|square| setup.piece(square)) == Some(pawn);
    at(passed).filter(|_| is_there && is_free(passed) && is_free(from))
}
