//! A hash of what the keys of CTG and Kvetka tell, kept along while moves are made: no key need be
//! put together to find a position. Nothing in the files has to do with it.
//!
//! 64 bits stand for a key here. By chance two positions of a book share them less often than a
//! disk misreads.

use tabia_core::books::BookEntry;
use tabia_core::chess::{Color, Move, Position, Role, Square};

use zerocopy::byteorder::big_endian::U64;

use crate::books::mirrored::board_code::CODES;

/// A position as each side sees it: as it stands for White, turned over for Black.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    views: [u64; 2],
}

/// Pieces by role, Black's eight places on, and square: what they add to both views.
static PIECES: [[[u64; 2]; 64]; 16] = {
    let mut pieces = [[[0; 2]; 64]; 16];
    let mut piece = 0;
    while piece < 16 {
        let mut square = 0;
        while square < 64 {
            pieces[piece][square] = [
                random(piece << 6 | square),
                random((piece ^ 8) << 6 | (square ^ 0x38)),
            ];
            square += 1;
        }
        piece += 1;
    }
    pieces
};

/// By the number of a stored square times 16, plus the piece: role, the opponent's eight on. Zero
/// for pieces that are none and squares that are none.
static STORED: [u64; 2048] = {
    let mut pieces = [0; 2048];
    let mut place = 0;
    while place < 64 {
        let mut piece = 0;
        while piece < 16 {
            if piece & 7 < CODES.len() {
                pieces[place << 4 | piece] = random(piece << 6 | (place & 7) << 3 | place >> 3);
            }
            piece += 1;
        }
        place += 1;
    }
    pieces
};

/// The four rights, in the order of a key's bits from the low one.
static RIGHTS: [u64; 4] = [random(1024), random(1025), random(1026), random(1027)];

/// Bits of a key that are read at once.
const AT_ONCE: u32 = 11;

/// Some squares of a key: the first that begin with whole codes among [`AT_ONCE`] bits, three
/// pieces at most.
#[derive(Clone, Copy)]
struct Run {
    bits: u8,
    squares: u8,
    /// From the low bits, a byte a piece: the piece, and the squares before it.
    pieces: u32,
}

/// By the next bits of a key.
static RUNS: [Run; 1 << AT_ONCE] = {
    let no_pieces = 0x07_0707;
    let mut table = [Run {
        bits: 0,
        squares: 0,
        pieces: no_pieces,
    }; 1 << AT_ONCE];
    let mut number = 0;
    while number < 1 << AT_ONCE {
        let run = &mut table[number];
        let mut pieces = 0;
        loop {
            let left = AT_ONCE - run.bits as u32;
            let rest = number & ((1 << left) - 1);
            if left == 0 {
                break;
            }
            if rest >> (left - 1) == 0 {
                (run.bits, run.squares) = (run.bits + 1, run.squares + 1);
                continue;
            }
            let Some((piece, length)) = piece_of(rest, left) else {
                break;
            };
            if pieces == 3 {
                break;
            }
            run.pieces &= !(0xff << (8 * pieces));
            run.pieces |= (piece as u32 | (run.squares as u32) << 4) << (8 * pieces);
            (run.bits, run.squares) = (run.bits + length, run.squares + 1);
            pieces += 1;
        }
        number += 1;
    }
    table
};

/// The piece whose code so many bits begin with, and the length of the code, if all of it is there.
const fn piece_of(bits: usize, count: u32) -> Option<(u8, u8)> {
    let mut role = 0;
    while role < CODES.len() {
        let (code, length) = CODES[role];
        if length as u32 <= count {
            let start = (bits >> (count - length as u32)) as u8;
            if start | 1 == code | 1 {
                return Some((role as u8 | (start & 1) << 3, length));
            }
        }
        role += 1;
    }
    None
}

/// A piece, whether it is the opponent's, and the length of its code, by the five bits behind the
/// first one.
static CODED: [(Role, bool, usize); 32] = {
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let mut table = [(Role::King, false, 6); 32];
    let mut bits = 0;
    while bits < table.len() {
        if let Some((piece, length)) = piece_of(32 | bits, 6) {
            table[bits] = (roles[piece as usize & 7], piece & 8 != 0, length as usize);
        }
        bits += 1;
    }
    table
};

/// Evenly spread numbers (the finisher of Steele, Lea and Flood's `SplitMix`).
const fn random(number: usize) -> u64 {
    let mut bits = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl Sight {
    pub(crate) fn of(position: &Position) -> Self {
        Self::turned(position, 0)
    }

    fn turned(position: &Position, turn: usize) -> Self {
        let mut views = [0; 2];
        for square in position.occupied() {
            let Some(piece) = position.piece_at(square) else {
                continue;
            };
            let number = piece.role as usize | (piece.color as usize) << 3;
            let [white, black] = PIECES[number & 15][(square.index() ^ turn) & 63];
            views[0] ^= white;
            views[1] ^= black;
        }
        for color in [Color::White, Color::Black] {
            for side in 0..2 {
                if position.castling_rook(color, side).is_some() {
                    let own = 1 - side;
                    views[color as usize] ^= RIGHTS[own & 3];
                    views[color.other() as usize] ^= RIGHTS[(own | 2) & 3];
                }
            }
        }
        Self { views }
    }

    /// The same with files exchanged.
    pub(crate) fn mirrored(position: &Position) -> Self {
        Self::turned(position, 7)
    }

    /// The hash of the position without its en passant file when this side is to move.
    pub(crate) const fn seen_by(self, color: Color) -> u64 {
        self.views[color as usize]
    }
}

/// Looks from a position at what its moves lead to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookout<'p> {
    position: &'p Position,
    sight: Sight,
    /// Kings and rooks that may castle.
    castlers: u64,
    /// Files may be exchanged in what is stored behind any move.
    is_odd: bool,
}

impl<'p> Lookout<'p> {
    /// `sight` is that of the position.
    pub(crate) fn new(position: &'p Position, sight: Sight) -> Self {
        let mut castlers = 0;
        for color in [Color::White, Color::Black] {
            for rook in (0..2).filter_map(|side| position.castling_rook(color, side)) {
                castlers |= 1 << rook.number() | 1 << position.king(color).number();
            }
        }
        let is_odd = castlers == 0 && position.king(position.turn().other()).file() < 4;
        Self {
            position,
            sight,
            castlers,
            is_odd,
        }
    }

    /// What is to be seen behind a legal move. `None`: the move has to be played, because files may
    /// be exchanged behind it, rights be lost, or a pawn take en passant before it or after it.
    #[inline]
    pub(crate) fn behind(&self, m: Move) -> Option<Sight> {
        let (from, to) = (m.from(), m.to());
        let touches_rights = self.castlers & (1 << from.number() | 1 << to.number()) != 0;
        if self.is_odd || !m.is_normal() || touches_rights {
            return None;
        }
        let piece = self.position.piece_at(from)?;
        if piece.role == Role::Pawn {
            let two = from.number() ^ to.number() == 16;
            let is_taken = two && meets_pawn(self.position, piece.color, to);
            if self.position.en_passant() == Some(to) || is_taken {
                return None;
            }
        }
        let keys = &PIECES[(piece.role as usize | (piece.color as usize) << 3) & 15];
        let (gone, come) = (keys[from.index()], keys[to.index()]);
        let mut taken = [0; 2];
        if let Some(piece) = self.position.piece_at(to) {
            let number = piece.role as usize | (piece.color as usize) << 3;
            taken = PIECES[number & 15][to.index()];
        }
        let [white, black] = self.sight.views;
        Some(Sight {
            views: [
                white ^ gone[0] ^ come[0] ^ taken[0],
                black ^ gone[1] ^ come[1] ^ taken[1],
            ],
        })
    }

    /// The keys behind the moves of some entries: `usual` makes one of a hash, `played` of the
    /// position where it has to be.
    pub(crate) fn keys<K: Copy>(
        &self,
        entries: &[BookEntry],
        usual: impl Fn(u64) -> K,
        played: impl Fn(&Position, Sight) -> Option<K>,
    ) -> [Option<K>; TOGETHER] {
        of_each(entries, |m| {
            if let Some(sight) = self.behind(m) {
                return Some(usual(sight.seen_by(self.turn())));
            }
            let next = after(self.position, m);
            played(&next, Sight::of(&next))
        })
    }

    /// Who is to move behind the moves.
    pub(crate) fn turn(&self) -> Color {
        self.position.turn().other()
    }
}

/// Moves whose children are looked for together.
pub(crate) const TOGETHER: usize = 8;

/// What `look` finds behind the moves of some entries.
pub(crate) fn behind_each<C: Copy>(
    position: &Position,
    entries: &[BookEntry],
    look: impl Fn(&Position) -> Option<C>,
) -> [Option<C>; TOGETHER] {
    of_each(entries, |m| look(&after(position, m)))
}

#[inline(always)]
fn of_each<T: Copy>(
    entries: &[BookEntry],
    find: impl Fn(Move) -> Option<T>,
) -> [Option<T>; TOGETHER] {
    let mut found = [None; TOGETHER];
    for (entry, found) in entries.iter().zip(&mut found) {
        *found = entry.m.and_then(&find);
    }
    found
}

/// What is found for the first so many of these.
#[inline(always)]
pub(crate) fn for_each<K: Copy, T: Copy>(
    count: usize,
    keys: &[Option<K>; TOGETHER],
    find: impl Fn(K) -> Option<T>,
) -> [Option<T>; TOGETHER] {
    let mut all = [None; TOGETHER];
    for (key, found) in keys.iter().zip(&mut all).take(count) {
        *found = key.and_then(&find);
    }
    all
}

fn after(position: &Position, m: Move) -> Position {
    let mut next = position.clone();
    next.play(m);
    next
}

/// Whether a pawn of the other side stands beside a square.
fn meets_pawn(position: &Position, color: Color, square: Square) -> bool {
    let pawns = position.by_role(Role::Pawn).0 & position.by_color(color.other()).0;
    let bit = 1u64 << square.number();
    let beside = (bit & !0x8080_8080_8080_8080) << 1 | (bit & !0x0101_0101_0101_0101) >> 1;
    pawns & beside != 0
}

/// What an en passant file adds, as stored.
pub(crate) const fn en_passant(file: u8) -> u64 {
    random(1028 + (file & 7) as usize)
}

/// What the bits of a key's rights add.
pub(crate) fn rights(bits: u8) -> u64 {
    let given = |(bit, right): (usize, &u64)| (bits >> bit & 1 == 1).then_some(*right);
    RIGHTS
        .iter()
        .enumerate()
        .filter_map(given)
        .fold(0, |sum, right| sum ^ right)
}

/// The hash of the pieces of a stored board whose codes begin at a bit, and the bit behind them;
/// `None` for more bytes than keys have.
pub(crate) fn board(key: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut bytes = [0; 48];
    bytes
        .get_mut(..key.len().min(32))?
        .copy_from_slice(key.get(..32).unwrap_or(key));
    // At least 57 bits from any place.
    let window = |at: usize| -> u64 {
        let ahead = bytes
            .get((at / 8) & 31..)
            .and_then(|rest| rest.first_chunk());
        let ahead = ahead.map_or(0, |ahead| U64::from_bytes(*ahead).get());
        ahead << (at % 8)
    };
    let mut hash = 0;
    let (mut at, mut square) = (start, 0);
    // Runs have as many squares as bits at most.
    let whole = 64 - AT_ONCE as usize;
    while square <= whole {
        let mut ahead = window(at);
        for _ in 0..5 {
            let run = RUNS[(ahead >> (64 - AT_ONCE)) as usize & ((1 << AT_ONCE) - 1)];
            for piece in 0..3 {
                let piece = (run.pieces >> (8 * piece)) as usize & 0xff;
                hash ^= STORED[(square << 4).wrapping_add(piece) & 2047];
            }
            at += usize::from(run.bits);
            square += usize::from(run.squares);
            ahead <<= run.bits;
            if square > whole {
                break;
            }
        }
    }
    while square < 64 {
        let ahead = window(at);
        if ahead >> 63 == 0 {
            (at, square) = (at + 1, square + 1);
            continue;
        }
        let run = RUNS[(ahead >> (64 - AT_ONCE)) as usize & ((1 << AT_ONCE) - 1)];
        let piece = run.pieces as usize & 15;
        let (_, length) = CODES.get(piece & 7)?;
        hash ^= STORED[(square << 4 | piece) & 2047];
        (at, square) = (at + usize::from(*length), square + 1);
    }
    (key.len() <= 32).then_some((hash, at))
}

/// The pieces of a stored board whose codes begin at a bit, with the numbers of their stored squares
/// and whether they are the opponent's; the bit behind them. `None` for more bytes than keys have.
pub(crate) fn each_piece(
    key: &[u8],
    start: usize,
    mut each: impl FnMut(u8, Role, bool),
) -> Option<usize> {
    let mut bytes = [0; 48];
    bytes
        .get_mut(..key.len().min(32))?
        .copy_from_slice(key.get(..32).unwrap_or(key));
    let (mut at, mut square) = (start, 0);
    while square < 64 {
        // At least 57 bits from any place.
        let ahead = bytes
            .get((at / 8) & 31..)
            .and_then(|rest| rest.first_chunk());
        let ahead = ahead.map_or(0, |ahead| U64::from_bytes(*ahead).get()) << (at % 8);
        // The longest code has six bits.
        let empty = ahead.leading_zeros().min(57 - 6).min(64 - square);
        (at, square) = (at + empty as usize, square + empty);
        let ahead = ahead << empty;
        if ahead >> 63 == 0 || square == 64 {
            continue;
        }
        let (role, is_theirs, length) = CODED[(ahead >> 58) as usize & 31];
        each(square as u8, role, is_theirs);
        (at, square) = (at + length, square + 1);
    }
    (key.len() <= 32).then_some(at)
}

/// Whether a key has only zeros from one bit up to another.
pub(crate) fn is_empty(key: &[u8], from: usize, to: usize) -> bool {
    (from..to).all(|at| {
        key.get(at / 8)
            .is_none_or(|byte| byte >> (7 - at % 8) & 1 == 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Setup;

    /// Ways through castling, captures, promotions and pawns that meet.
    const STARTS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2k5/1P4p1/8/pP3p2/4P1Pp/8/8/2K5 w - a6 0 1",
        "8/1p6/8/P1k5/5Pp1/8/6P1/3K4 b - f3 0 1",
    ];

    #[test]
    fn sights_kept_along_are_those_of_the_positions() {
        let mut seed = 1u64;
        let mut kept = 0;
        for round in 0..200 {
            let fen = STARTS[round % STARTS.len()];
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let mut position = Position::from_setup(&setup).unwrap();
            for _ in 0..40 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let lookout = Lookout::new(&position, Sight::of(&position));
                for &m in &*moves {
                    let mut next = position.clone();
                    next.play(m);
                    let Some(sight) = lookout.behind(m) else {
                        continue;
                    };
                    kept += 1;
                    assert_eq!(sight, Sight::of(&next), "{} {m}", position.fen());
                    assert_eq!(next.en_passant(), None);
                    assert_eq!(lookout.turn(), next.turn());
                }
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let m = moves[(seed % moves.len() as u64) as usize];
                position.play(m);
            }
        }
        assert!(kept > 50_000, "{kept}");
    }

    #[test]
    fn both_sides_see_twins_alike() {
        let position =
            |fen: &str| Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap();
        let white = position("r3k3/8/8/3p4/8/2N5/8/K6R w q - 0 1");
        let black = position("k6r/8/2n5/8/3P4/8/8/R3K3 b Q - 0 1");
        let seen = |position: &Position| Sight::of(position).seen_by(position.turn());
        assert_eq!(seen(&white), seen(&black));
        let plain = position("4k3/8/8/3p4/8/2N5/8/K6R w - - 0 1");
        let mirrored = position("3k4/8/8/4p3/8/5N2/8/R6K w - - 0 1");
        assert_eq!(Sight::of(&plain), Sight::mirrored(&mirrored));
        assert_ne!(Sight::of(&plain), Sight::of(&mirrored));
    }
}
