//! The byte of a move: a piece, by its number among those of its kind, and its step.

use tabia_core::chess::{Move, Piece, Position, Role};

use crate::books::mirrored::orientation::Orientation;

/// A piece and its step. Steps count modulo eight in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Code {
    role: Role,
    /// How many pieces of the kind are before it, in the order of stored squares.
    number: u8,
    /// Files to the right.
    right: u8,
    /// Ranks up.
    up: u8,
}

/// The move of a byte in a position of an orientation; `None` if there is no such piece or the move is
/// not legal.
pub fn decode_move(position: &Position, orientation: Orientation, byte: u8) -> Option<Move> {
    let code = DECODE[usize::from(byte)]?;
    let color = position.turn();
    let role = code.role;
    let mut pieces = orientation.stored_squares(position.by_piece(Piece { color, role }));
    for _ in 0..code.number {
        pieces &= pieces.wrapping_sub(1);
    }
    if pieces == 0 {
        return None;
    }
    let from = pieces.trailing_zeros() as u8;
    let file = ((from >> 3) + code.right) & 7;
    let rank = (from + code.up) & 7;
    let (start, end) = (
        orientation.square(from),
        orientation.square(file << 3 | rank),
    );
    let m = match role {
        Role::King if code.up == 0 && code.right == 2 => {
            Move::castling(start, position.castling_rook(color, 0)?)
        }
        Role::King if code.up == 0 && code.right == 6 => {
            Move::castling(start, position.castling_rook(color, 1)?)
        }
        Role::Pawn if rank == 7 => Move::promotion(start, end, Role::Queen),
        _ => Move::normal(start, end),
    };
    position.is_legal(m).then_some(m)
}

/// The byte of a legal move. `None` for moves without a byte: promotions to other pieces than a
/// queen, and moves of a third queen, rook, bishop or knight.
pub fn encode_move(position: &Position, orientation: Orientation, m: Move) -> Option<u8> {
    let color = position.turn();
    let role = position.piece_at(m.from())?.role;
    let from = orientation.stored_square(m.from());
    let pieces = orientation.stored_squares(position.by_piece(Piece { color, role }));
    let before = pieces & (1u64 << (from & 63)).wrapping_sub(1);
    let slot = slot(role, before.count_ones())?;
    let (right, up) = if m.is_castling() {
        (
            if m.to().file() > m.from().file() {
                2
            } else {
                6
            },
            0,
        )
    } else {
        if m.promotion_role().is_some_and(|role| role != Role::Queen) {
            return None;
        }
        let to = orientation.stored_square(m.to());
        (
            (to >> 3).wrapping_sub(from >> 3) & 7,
            to.wrapping_sub(from) & 7,
        )
    };
    let steps = ENCODE.get(slot)?;
    let code = *steps.get(usize::from(right << 3 | up))?;
    u8::try_from(code).ok()
}

/// The index in [`ENCODE`] of a piece that has `number` pieces of its kind before it.
fn slot(role: Role, number: u32) -> Option<usize> {
    let (first, count) = SLOTS[role as usize];
    let number = number as usize;
    (number < count).then_some(first + number)
}

/// First index, and how many pieces of the kind have codes, by role.
const SLOTS: [(usize, usize); 6] = [(0, 8), (8, 2), (10, 2), (12, 2), (14, 2), (16, 1)];

/// One direction of a sliding piece: role, number, step, codes for one to seven squares.
type Line = (Role, u8, (u8, u8), [u8; 7]);

/// -1 and -2 modulo eight.
const M1: u8 = 7;
const M2: u8 = 6;

/// Code, files to the right, ranks up; two files are castling.
const KING: [(u8, u8, u8); 10] = [
    (0x13, 0, 1),
    (0x67, 1, 1),
    (0xbe, 1, 0),
    (0x44, 1, M1),
    (0x0a, 0, M1),
    (0x8c, M1, M1),
    (0x97, M1, 0),
    (0xdf, M1, 1),
    (0x6b, 2, 0),
    (0xf6, M2, 0),
];

/// One square ahead, two squares, capture to the right, capture to the left.
const PAWNS: [[u8; 4]; 8] = [
    [0xec, 0xdb, 0x8b, 0x0c],
    [0x04, 0x62, 0x96, 0xd1],
    [0x55, 0x9b, 0x7c, 0x27],
    [0xcf, 0xe6, 0xeb, 0x06],
    [0xbb, 0x5f, 0x00, 0xde],
    [0xcb, 0xb1, 0x2d, 0x82],
    [0x18, 0xc8, 0x5c, 0xc7],
    [0xa3, 0x4a, 0x14, 0x24],
];
const PAWN_STEPS: [(u8, u8); 4] = [(0, 1), (0, 2), (1, 1), (M1, 1)];

/// The third knight's codes are read only.
const KNIGHTS: [[u8; 8]; 3] = [
    [0x36, 0x34, 0x85, 0xf7, 0x0f, 0xda, 0x8a, 0xe9],
    [0xd2, 0x4c, 0xf3, 0xd3, 0x01, 0x30, 0x2a, 0xe0],
    [0x3f, 0x60, 0x2b, 0x19, 0x3d, 0xb4, 0x89, 0x43],
];
const KNIGHT_STEPS: [(u8, u8); 8] = [
    (2, 1),
    (1, 2),
    (M1, 2),
    (M2, 1),
    (M2, M1),
    (M1, M2),
    (1, M2),
    (2, M1),
];

const UP: (u8, u8) = (0, 1);
const RIGHT: (u8, u8) = (1, 0);
const RISING: (u8, u8) = (1, 1);
const FALLING: (u8, u8) = (1, M1);

/// Four squares along either diagonal end on the same square modulo eight and share a code.
#[rustfmt::skip]
const LINES: [Line; 16] = [
    (Role::Rook,   0, UP,      [0x81, 0xe8, 0x7a, 0x99, 0x87, 0x50, 0xe1]),
    (Role::Rook,   0, RIGHT,   [0x7f, 0xcd, 0x98, 0xef, 0x6e, 0x52, 0x86]),
    (Role::Rook,   1, UP,      [0x7d, 0xf4, 0xe3, 0xc5, 0xa5, 0x7b, 0x69]),
    (Role::Rook,   1, RIGHT,   [0xc4, 0xa9, 0x0e, 0xad, 0xb5, 0xd8, 0x21]),
    (Role::Bishop, 0, RISING,  [0x2e, 0xc1, 0x0d, 0x6a, 0x15, 0x3a, 0x12]),
    (Role::Bishop, 0, FALLING, [0x26, 0xb2, 0x3c, 0x6a, 0x66, 0xc3, 0x1b]),
    (Role::Bishop, 1, RISING,  [0xf5, 0xc2, 0xb9, 0x9f, 0x32, 0x09, 0x1d]),
    (Role::Bishop, 1, FALLING, [0x72, 0x79, 0xcc, 0x9f, 0xca, 0x22, 0x54]),
    (Role::Queen,  0, UP,      [0x05, 0x9d, 0x94, 0x37, 0xb7, 0x9a, 0xfd]),
    (Role::Queen,  0, RIGHT,   [0x2f, 0x74, 0x31, 0xe5, 0x39, 0x29, 0x8f]),
    (Role::Queen,  0, RISING,  [0xf1, 0xa2, 0x45, 0xe7, 0x28, 0x61, 0xed]),
    (Role::Queen,  0, FALLING, [0x42, 0x80, 0x4b, 0xe7, 0x7e, 0xd9, 0xd7]),
    (Role::Queen,  1, UP,      [0x4d, 0xbd, 0xa0, 0xb0, 0xc6, 0x1a, 0xc9]),
    (Role::Queen,  1, RIGHT,   [0xf8, 0x03, 0xfa, 0x08, 0xbc, 0xf9, 0xf0]),
    (Role::Queen,  1, RISING,  [0x92, 0xfb, 0xae, 0x38, 0x41, 0x23, 0x6f]),
    (Role::Queen,  1, FALLING, [0x63, 0xab, 0x3b, 0x38, 0xfe, 0x8e, 0xee]),
];

/// Codes of third pieces, never seen and never written.
#[rustfmt::skip]
const THIRD_LINES: [Line; 8] = [
    (Role::Queen,  2, UP,      [0x59, 0x65, 0x71, 0xea, 0x76, 0x57, 0xce]),
    (Role::Queen,  2, RIGHT,   [0x64, 0xd4, 0x9e, 0x17, 0x77, 0x90, 0x07]),
    (Role::Queen,  2, RISING,  [0x25, 0xba, 0xdc, 0x35, 0x46, 0x4e, 0xac]),
    (Role::Queen,  2, FALLING, [0x1e, 0x6c, 0x2c, 0x02, 0x70, 0x75, 0xd5]),
    (Role::Rook,   2, UP,      [0xa8, 0x10, 0x5e, 0x95, 0x9c, 0xc0, 0xd6]),
    (Role::Rook,   2, RIGHT,   [0xf2, 0x40, 0x5d, 0x33, 0x83, 0xbf, 0x0b]),
    (Role::Bishop, 2, RISING,  [0x73, 0x6d, 0xfc, 0x68, 0x3e, 0x16, 0x4f]),
    (Role::Bishop, 2, FALLING, [0x51, 0xe4, 0xb8, 0x48, 0xe2, 0x93, 0xa1]),
];

/// Second codes of four squares along a diagonal, never seen and never written.
const DOUBLES: [(Role, u8, u8); 4] = [
    (Role::Queen, 0, 0x47),
    (Role::Bishop, 0, 0xa7),
    (Role::Bishop, 1, 0x88),
    (Role::Queen, 1, 0x53),
];

static DECODE: [Option<Code>; 256] = {
    let mut table = [None; 256];
    let mut i = 0;
    while i < KING.len() {
        let (byte, right, up) = KING[i];
        table[byte as usize] = Some(code(Role::King, 0, right, up));
        i += 1;
    }
    let mut n = 0;
    while n < 8 {
        let mut i = 0;
        while i < 4 {
            let (right, up) = PAWN_STEPS[i];
            table[PAWNS[n][i] as usize] = Some(code(Role::Pawn, n as u8, right, up));
            i += 1;
        }
        n += 1;
    }
    n = 0;
    while n < 3 {
        let mut i = 0;
        while i < 8 {
            let (right, up) = KNIGHT_STEPS[i];
            table[KNIGHTS[n][i] as usize] = Some(code(Role::Knight, n as u8, right, up));
            i += 1;
        }
        n += 1;
    }
    n = 0;
    while n < LINES.len() + THIRD_LINES.len() {
        let (role, number, (right, up), bytes) = if n < LINES.len() {
            LINES[n]
        } else {
            THIRD_LINES[n - LINES.len()]
        };
        let mut i = 0;
        while i < 7 {
            let times = i as u8 + 1;
            table[bytes[i] as usize] = Some(code(role, number, right * times, up * times));
            i += 1;
        }
        n += 1;
    }
    n = 0;
    while n < DOUBLES.len() {
        let (role, number, byte) = DOUBLES[n];
        table[byte as usize] = Some(code(role, number, 4, 4));
        n += 1;
    }
    table
};

const fn code(role: Role, number: u8, right: u8, up: u8) -> Code {
    Code {
        role,
        number,
        right: right & 7,
        up: up & 7,
    }
}

/// Codes by slot, then by files to the right times eight plus ranks up; `u16::MAX` if there is no code.
static ENCODE: [[u16; 64]; 17] = {
    let mut table = [[u16::MAX; 64]; 17];
    let mut byte = 0;
    while byte < 256 {
        if let Some(code) = DECODE[byte] {
            let (first, count) = SLOTS[code.role as usize];
            let mut second = false;
            let mut i = 0;
            while i < DOUBLES.len() {
                second |= DOUBLES[i].2 as usize == byte;
                i += 1;
            }
            if (code.number as usize) < count && !second {
                let step = (code.right << 3 | code.up) as usize;
                table[first + code.number as usize][step] = byte as u16;
            }
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Setup;

    #[test]
    fn codes_are_distinct() {
        let used = DECODE.iter().flatten().count();
        // 166 codes that are written, four second ones, 7 lines and 8 leaps of third pieces.
        assert_eq!(used, 166 + 4 + 8 * 7 + 8);
        let written: usize = ENCODE.iter().flatten().filter(|&&code| code < 256).count();
        assert_eq!(written, 166);
    }

    fn position(fen: &str) -> Position {
        Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn moves_round_trip() {
        for (fen, without) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                0,
            ),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                0,
            ),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
                0,
            ),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 0),
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 9),
            ("3k4/8/8/8/Q6Q/8/8/1K6 w - - 0 1", 0),
        ] {
            let position = position(fen);
            let orientation = Orientation::of(&position);
            let mut missing = 0;
            for &m in &*position.legal_moves() {
                match encode_move(&position, orientation, m) {
                    Some(byte) => {
                        assert_eq!(decode_move(&position, orientation, byte), Some(m), "{fen}");
                    }
                    None => missing += 1,
                }
            }
            assert_eq!(missing, without, "{fen}");
        }
    }

    #[test]
    fn second_queen_has_distinct_codes_right_and_up() {
        let position = position("6k1/8/8/8/8/8/6K1/QQ6 w - - 0 1");
        let read =
            |byte| decode_move(&position, Orientation::IDENTITY, byte).map(|m| m.to_string());
        assert_eq!(read(0x1a).as_deref(), Some("b1b7"));
        assert_eq!(read(0xf9).as_deref(), Some("b1h1"));
    }

    #[test]
    fn moves_of_a_mirrored_record() {
        let position = position("rnbq1rk1/pp2ppbp/2pp1np1/6B1/3PP3/2N5/PPPQ1PPP/2KR1BNR w - - 0 1");
        let orientation = Orientation::of(&position);
        let read = |byte| decode_move(&position, orientation, byte).map(|m| m.to_string());
        assert_eq!(read(0xbe).as_deref(), Some("c1b1"));
        assert_eq!(read(0x1b).as_deref(), Some("g5h6"));
        assert_eq!(read(0x55).as_deref(), Some("f2f3"));
    }
}
