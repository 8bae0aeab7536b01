//! Start positions: the 28 bytes before the moves, and eight more for Chess960.
//!
//! | at | size | field | meaning |
//! |---:|-----:|-------|---------|
//! |  0 |    1 | | 1 |
//! |  1 |    1 | `turn` | bit 4 Black to move; bits 0–3 en passant file from 1, 0 if absent |
//! |  2 |    1 | `castling` | bit 0 White a-side, 1 White h-side, 2 Black a-side, 3 Black h-side |
//! |  3 |    1 | `move_number` | of the first move; 0 and 1 are both 1 |
//! |  4 |   24 | `board` | bits, highest first, squares a1, a2, … h8: `0` empty, `1cppp` a piece |
//! | 28 |    2 | `kings` | Chess960: squares of the white and the black king |
//! | 30 |    4 | `rooks` | Chess960: white h-side, white a-side, black h-side, black a-side |
//! | 34 |    2 | `number` | Chess960: Scharnagl number; often wrong, the board is right |
//!
//! Known from real files (FORMAT.md § Start positions).

use tabia_core::chess::{Color, Piece, Role, Setup, Square};
use tabia_core::error::{Malformed, Why};
use tabia_core::io::{Cursor, Sink};

use super::compact_codes;

/// Bytes of a start position.
#[cfg(test)]
const SIZE: usize = 28;

/// Castling rooks by colour: h-side, a-side.
pub(super) type Rooks = [[Option<Square>; 2]; 2];

/// The rooks of ordinary chess.
pub(super) const CLASSICAL: Rooks = [
    [Square::from_coords(7, 0), Square::from_coords(0, 0)],
    [Square::from_coords(7, 7), Square::from_coords(0, 7)],
];

/// The pieces by their three bits, from 1.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

/// Reads a start position and its castling rooks, which are stored with `chess960` and are those in
/// the corners otherwise. A castling right is kept only if king and rook are on their rank, an en
/// passant file only if a pawn can just have moved there.
///
/// # Errors
/// If the bytes end early or the board has bits that are not a piece.
pub(super) fn decode(cursor: &mut Cursor<'_>, chess960: bool) -> Result<(Setup, Rooks), Malformed> {
    let mut setup = Setup::empty();
    cursor.u8("start")?;
    let turn = cursor.u8("turn")?;
    let castling = cursor.u8("castling")?;
    let move_number = cursor.u8("move_number")?;
    setup.turn = if turn & 0x10 == 0 {
        Color::White
    } else {
        Color::Black
    };
    setup.full_move_number = u16::from(move_number).max(1);
    let malformed_board = cursor.malformed("board", Why::Value(0));
    decode_board(&cursor.array("board")?, &mut setup).ok_or(malformed_board)?;
    let rooks = if chess960 {
        decode_rooks(cursor)?
    } else {
        CLASSICAL
    };
    for (color, side, bit) in RIGHTS {
        let rook = rooks[color as usize][side];
        if castling & bit != 0 && has_rook(&setup, color, side, rook, chess960) {
            setup.castling[color as usize][side] = rook;
        }
    }
    setup.en_passant = en_passant(&setup, turn & 0x0f);
    Ok((setup, rooks))
}

/// Writes a start position and, with `chess960`, the squares of kings and rooks. `false` if the
/// board has more than the 32 pieces that fit, or the move number is above 255 and was cut. `number` is that
/// of the Chess960 start position.
pub(super) fn encode(setup: &Setup, chess960: bool, number: u16, sink: &mut Sink) -> bool {
    let mut castling = 0;
    for (color, side, bit) in RIGHTS {
        if setup.castling[color as usize][side].is_some() {
            castling |= bit;
        }
    }
    let turn = if setup.turn.is_white() { 0 } else { 0x10 };
    let file = setup.en_passant.map_or(0, |square| square.file() + 1);
    sink.u8(1);
    sink.u8(turn | file);
    sink.u8(castling);
    sink.u8(u8::try_from(setup.full_move_number).unwrap_or(u8::MAX));
    let fits = encode_board(setup, sink);
    if chess960 {
        let king = |color| setup.king(color).map_or(0, compact_codes::number) as u8;
        sink.u8(king(Color::White));
        sink.u8(king(Color::Black));
        for color in [Color::White, Color::Black] {
            for side in 0..2 {
                let rook =
                    setup.castling[color as usize][side].or_else(|| outer_rook(setup, color, side));
                sink.u8(rook.map_or(0, compact_codes::number) as u8);
            }
        }
        sink.u16_be(number);
    }
    fits && setup.full_move_number <= 255
}

/// Castling rights of ordinary chess that a setup lacks although king and rook are on their start
/// squares: colour and side (0 h-side, 1 a-side).
pub(super) fn missing_rights(setup: &Setup) -> Vec<(Color, usize)> {
    RIGHTS
        .into_iter()
        .map(|(color, side, _)| (color, side))
        .filter(|&(color, side)| {
            let rook = CLASSICAL[color as usize][side];
            setup.castling[color as usize][side].is_none()
                && has_rook(setup, color, side, rook, false)
        })
        .collect()
}

/// Castling rights: colour, side (0 h-side, 1 a-side), bit.
const RIGHTS: [(Color, usize, u8); 4] = [
    (Color::White, 1, 1),
    (Color::White, 0, 2),
    (Color::Black, 1, 4),
    (Color::Black, 0, 8),
];

/// `None` if the bits are not pieces or end too early.
fn decode_board(bytes: &[u8; 24], setup: &mut Setup) -> Option<()> {
    let mut bits = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    for number in 0..64 {
        if bits.next()? == 0 {
            continue;
        }
        let color = if bits.next()? == 0 {
            Color::White
        } else {
            Color::Black
        };
        let mut role = 0;
        for _ in 0..3 {
            role = role << 1 | usize::from(bits.next()?);
        }
        let role = *ROLES.get(role.wrapping_sub(1))?;
        setup.set(compact_codes::square(number), Some(Piece { color, role }));
    }
    Some(())
}

fn encode_board(setup: &Setup, sink: &mut Sink) -> bool {
    let mut board = [0u8; 24];
    let mut at = 0;
    for number in 0..64 {
        let Some(piece) = setup.piece(compact_codes::square(number)) else {
            at += 1;
            continue;
        };
        let color = if piece.color.is_white() { 0 } else { 8 };
        let role = ROLES.iter().position(|&role| role == piece.role);
        let code = 0x10 | color | role.map_or(0, |role| role + 1);
        for bit in (0..5).rev() {
            if let Some(byte) = board.get_mut(at / 8) {
                *byte |= ((code >> bit & 1) as u8) << (7 - at % 8);
            }
            at += 1;
        }
    }
    sink.bytes(&board);
    at <= 192
}

fn decode_rooks(cursor: &mut Cursor<'_>) -> Result<Rooks, Malformed> {
    cursor.take(2, "kings")?;
    let mut rooks = [[None; 2]; 2];
    for rook in rooks.as_flattened_mut() {
        *rook = Some(compact_codes::square(u16::from(cursor.u8("rooks")?)));
    }
    cursor.take(2, "number")?;
    Ok(rooks)
}

fn has_rook(
    setup: &Setup,
    color: Color,
    side: usize,
    rook: Option<Square>,
    chess960: bool,
) -> bool {
    let (Some(king), Some(rook)) = (setup.king(color), rook) else {
        return false;
    };
    let piece = Piece {
        color,
        role: Role::Rook,
    };
    let back = if color.is_white() { 0 } else { 7 };
    king.rank() == back
        && rook.rank() == back
        && (chess960 || king.file() == 4)
        && (rook.file() > king.file()) == (side == 0)
        && setup.piece(rook) == Some(piece)
}

/// The outermost rook on one side of the king.
fn outer_rook(setup: &Setup, color: Color, side: usize) -> Option<Square> {
    let back = if color.is_white() { 0 } else { 7 };
    (0..8)
        .map(|file| if side == 0 { 7 - file } else { file })
        .filter_map(|file| Square::from_coords(file, back))
        .find(|&rook| has_rook(setup, color, side, Some(rook), true))
}

/// The square passed over by a pawn that can just have moved two squares on this file (from 1).
fn en_passant(setup: &Setup, file: u8) -> Option<Square> {
    let file = file.checked_sub(1)?;
    let [from, over, to] = match setup.turn {
        Color::White => [6, 5, 4],
        Color::Black => [1, 2, 3],
    };
    let square = |rank| Square::from_coords(file, rank);
    let pawn = Piece {
        color: setup.turn.other(),
        role: Role::Pawn,
    };
    let fits = setup.piece(square(to)?) == Some(pawn)
        && setup.piece(square(over)?).is_none()
        && setup.piece(square(from)?).is_none();
    if fits { square(over) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(setup: &Setup, chess960: bool) -> Setup {
        let mut sink = Sink::new();
        assert!(encode(setup, chess960, 0, &mut sink));
        assert_eq!(sink.len(), SIZE + if chess960 { 8 } else { 0 });
        let mut cursor = Cursor::new(sink.as_slice());
        decode(&mut cursor, chess960).unwrap().0
    }

    #[test]
    fn positions_round_trip() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b Kq e3 0 3",
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 63",
            "8/8/8/8/8/8/8/8 b - - 0 255",
            "KKKKKKKK/8/8/pppppppp/8/8/8/PPPPPPPP w - - 0 1",
        ] {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            assert_eq!(round_trip(&setup, false), setup, "{fen}");
        }
        for number in 0..960 {
            let setup = Setup::chess960_start(number).unwrap();
            assert_eq!(round_trip(&setup, true), setup, "{number}");
        }
    }

    #[test]
    fn impossible_rights_are_dropped() {
        let mut sink = Sink::new();
        let mut setup = Setup::parse_fen(b"4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
        setup.castling = CLASSICAL;
        setup.en_passant = Square::from_coords(3, 5);
        encode(&setup, false, 0, &mut sink);
        let (decoded, _) = decode(&mut Cursor::new(sink.as_slice()), false).unwrap();
        assert_eq!(
            decoded.castling,
            [[Square::from_coords(7, 0), None], [None; 2]]
        );
        assert_eq!(decoded.en_passant, None);
    }

    #[test]
    fn too_many_pieces_do_not_fit() {
        let mut setup = Setup::empty();
        let queen = Piece {
            color: Color::White,
            role: Role::Queen,
        };
        for square in Square::ALL.iter().take(33) {
            setup.set(*square, Some(queen));
        }
        assert!(!encode(&setup, false, 0, &mut Sink::new()));
        let bytes = [0xff; SIZE];
        assert!(decode(&mut Cursor::new(&bytes), false).is_err());
        assert!(decode(&mut Cursor::new(&bytes[..27]), false).is_err());
    }
}
