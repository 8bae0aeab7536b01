//! Incremental Zobrist-style hash equivalent to a CTG or Kvetka key, so that a lookup need not
//! encode the key. It is never stored in a file.
//!
//! The 64-bit hash is taken for the key without comparing keys: in the largest books, a collision
//! is less likely than an undetected disk error.

use tabia_core::books::BookEntry;
use tabia_core::chess::{Color, Move, Position, Role, Square};

use crate::books::mirrored::board_code::{CODES, KeyBits, MAX_KEY, piece_of};
use crate::books::mirrored::orientation::Orientation;

/// The hashes of a position for either side to move, without its en passant file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MirrorHash {
    /// By colour of the side to move; the hash for Black is that of the colour-flipped position.
    by_side: [u64; 2],
}

/// What a piece on a square adds to both hashes: by role, plus 8 for Black, and square.
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

/// The same by the number of a stored square times 16, plus the role, plus 8 for the opponent. Zero
/// for numbers that are no piece or no square.
static STORED_PIECES: [u64; 2048] = {
    let mut pieces = [0; 2048];
    let mut square = 0;
    while square < 64 {
        let mut piece = 0;
        while piece < 16 {
            if piece & 7 < CODES.len() {
                pieces[square << 4 | piece] = random(piece << 6 | (square & 7) << 3 | square >> 3);
            }
            piece += 1;
        }
        square += 1;
    }
    pieces
};

/// What the four castling rights add, in the order of a key's bits from the lowest.
static RIGHTS: [u64; 4] = [random(1024), random(1025), random(1026), random(1027)];

/// Bits of a key that [`RUNS`] decodes at once.
const RUN_BITS: u32 = 11;

/// The squares whose complete codes are the first of [`RUN_BITS`] bits, with at most three pieces.
#[derive(Clone, Copy)]
struct Run {
    bits: u8,
    squares: u8,
    /// A byte for each piece, the first in the lowest: the piece, and in the upper half the number
    /// of squares before it.
    pieces: u32,
}

/// By the next [`RUN_BITS`] bits of a key.
static RUNS: [Run; 1 << RUN_BITS] = {
    let no_pieces = 0x07_0707;
    let mut table = [Run {
        bits: 0,
        squares: 0,
        pieces: no_pieces,
    }; 1 << RUN_BITS];
    let mut number = 0;
    while number < 1 << RUN_BITS {
        let run = &mut table[number];
        let mut pieces = 0;
        loop {
            let left = RUN_BITS - run.bits as u32;
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

/// Evenly distributed numbers (the finisher of Steele, Lea and Flood's `SplitMix`).
const fn random(number: usize) -> u64 {
    let mut bits = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl MirrorHash {
    /// The hashes of a position.
    pub(crate) fn of(position: &Position) -> Self {
        Self::with_squares(position, 0)
    }

    /// The hashes of a position with its files exchanged.
    pub(crate) fn file_mirrored(position: &Position) -> Self {
        Self::with_squares(position, 7)
    }

    /// With `mask` applied to the numbers of all squares.
    fn with_squares(position: &Position, mask: usize) -> Self {
        let mut by_side = [0; 2];
        for square in position.occupied() {
            let Some(piece) = position.piece_at(square) else {
                continue;
            };
            let number = piece.role as usize | (piece.color as usize) << 3;
            let [white, black] = PIECES[number & 15][(square.index() ^ mask) & 63];
            by_side[0] ^= white;
            by_side[1] ^= black;
        }
        for color in [Color::White, Color::Black] {
            for side in 0..2 {
                if position.castling_rook(color, side).is_some() {
                    let right = 1 - side;
                    by_side[color as usize] ^= RIGHTS[right & 3];
                    by_side[color.other() as usize] ^= RIGHTS[(right | 2) & 3];
                }
            }
        }
        Self { by_side }
    }

    /// The hash of the position with this side to move, without its en passant file.
    pub(crate) const fn for_side(self, color: Color) -> u64 {
        self.by_side[color as usize]
    }

    /// The hash of a position in the orientation in which it is stored, without its en passant
    /// file; `self` is [`of`](Self::of) the position.
    pub(crate) fn in_orientation(self, position: &Position, orientation: Orientation) -> u64 {
        let hash = if orientation.mirrored {
            Self::file_mirrored(position)
        } else {
            self
        };
        hash.for_side(orientation.turn())
    }
}

/// Computes the hashes of positions after a move without playing it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChildHashes<'p> {
    position: &'p Position,
    hash: MirrorHash,
    /// Kings and rooks that may castle.
    castling_pieces: u64,
    /// The positions after all moves may be stored with files exchanged.
    may_mirror: bool,
}

impl<'p> ChildHashes<'p> {
    /// `hash` is that of the position.
    pub(crate) fn new(position: &'p Position, hash: MirrorHash) -> Self {
        let mut castling_pieces = 0;
        for color in [Color::White, Color::Black] {
            for rook in (0..2).filter_map(|side| position.castling_rook(color, side)) {
                castling_pieces |= 1 << rook.number() | 1 << position.king(color).number();
            }
        }
        let may_mirror = castling_pieces == 0 && position.king(position.turn().other()).file() < 4;
        Self {
            position,
            hash,
            castling_pieces,
            may_mirror,
        }
    }

    /// The hash after a legal move. `None` if the move has to be played to compute it: files may be
    /// exchanged after it, castling rights lost, or an en passant capture is involved.
    #[inline]
    pub(crate) fn after(&self, m: Move) -> Option<MirrorHash> {
        let (from, to) = (m.from(), m.to());
        let changes_rights = self.castling_pieces & (1 << from.number() | 1 << to.number()) != 0;
        if self.may_mirror || !m.is_normal() || changes_rights {
            return None;
        }
        let piece = self.position.piece_at(from)?;
        if piece.role == Role::Pawn {
            let is_double_step = from.number() ^ to.number() == 16;
            let allows_capture =
                is_double_step && is_next_to_enemy_pawn(self.position, piece.color, to);
            if self.position.en_passant() == Some(to) || allows_capture {
                return None;
            }
        }
        let keys = &PIECES[(piece.role as usize | (piece.color as usize) << 3) & 15];
        let (removed, added) = (keys[from.index()], keys[to.index()]);
        let mut captured = [0; 2];
        if let Some(piece) = self.position.piece_at(to) {
            let number = piece.role as usize | (piece.color as usize) << 3;
            captured = PIECES[number & 15][to.index()];
        }
        let [white, black] = self.hash.by_side;
        Some(MirrorHash {
            by_side: [
                white ^ removed[0] ^ added[0] ^ captured[0],
                black ^ removed[1] ^ added[1] ^ captured[1],
            ],
        })
    }

    /// One key for the position after each of up to [`BATCH`] moves: `usual` makes it from the hash
    /// for the side to move, `played` from the position, where the move has to be played.
    pub(crate) fn children<K: Copy>(
        &self,
        entries: &[BookEntry],
        usual: impl Fn(u64) -> K,
        played: impl Fn(&Position, MirrorHash) -> Option<K>,
    ) -> [Option<K>; BATCH] {
        map_moves(entries, |m| {
            if let Some(hash) = self.after(m) {
                return Some(usual(hash.for_side(self.turn())));
            }
            let child = play(self.position, m);
            played(&child, MirrorHash::of(&child))
        })
    }

    /// The side to move after the moves.
    pub(crate) fn turn(&self) -> Color {
        self.position.turn().other()
    }
}

/// Moves whose children are looked up together.
pub(crate) const BATCH: usize = 8;

/// What `lookup` returns for the positions after up to [`BATCH`] moves.
pub(crate) fn lookup_children<T: Copy>(
    position: &Position,
    entries: &[BookEntry],
    lookup: impl Fn(&Position) -> Option<T>,
) -> [Option<T>; BATCH] {
    map_moves(entries, |m| lookup(&play(position, m)))
}

#[inline(always)]
fn map_moves<T: Copy>(
    entries: &[BookEntry],
    map: impl Fn(Move) -> Option<T>,
) -> [Option<T>; BATCH] {
    let mut mapped = [None; BATCH];
    for (entry, mapped) in entries.iter().zip(&mut mapped) {
        *mapped = entry.m.and_then(&map);
    }
    mapped
}

/// Maps the first `count` items of a batch.
#[inline(always)]
pub(crate) fn map_batch<K: Copy, T: Copy>(
    count: usize,
    keys: &[Option<K>; BATCH],
    map: impl Fn(K) -> Option<T>,
) -> [Option<T>; BATCH] {
    let mut mapped = [None; BATCH];
    for (key, mapped) in keys.iter().zip(&mut mapped).take(count) {
        *mapped = key.and_then(&map);
    }
    mapped
}

fn play(position: &Position, m: Move) -> Position {
    let mut child = position.clone();
    child.play(m);
    child
}

/// Whether a pawn of the other colour is on a square left or right of this one.
fn is_next_to_enemy_pawn(position: &Position, color: Color, square: Square) -> bool {
    let pawns = position.by_role(Role::Pawn).0 & position.by_color(color.other()).0;
    let bit = 1u64 << square.number();
    let neighbours = (bit & !0x8080_8080_8080_8080) << 1 | (bit & !0x0101_0101_0101_0101) >> 1;
    pawns & neighbours != 0
}

/// What an en passant file of the stored position, 0 to 7, adds to the hash.
pub(crate) const fn en_passant(file: u8) -> u64 {
    random(1028 + (file & 7) as usize)
}

/// What the four bits of a key's castling rights add to the hash.
pub(crate) fn rights(bits: u8) -> u64 {
    let granted = |(bit, right): (usize, &u64)| (bits >> bit & 1 == 1).then_some(*right);
    RIGHTS
        .iter()
        .enumerate()
        .filter_map(granted)
        .fold(0, |sum, right| sum ^ right)
}

/// The hash of the pieces of a stored board whose codes begin at bit `start` of a key, and the bit
/// offset after the board; `None` if the key is longer than any key of a position.
pub(crate) fn stored_board(key: &[u8], start: usize) -> Option<(u64, usize)> {
    let bits = KeyBits::new(key)?;
    let mut hash = 0;
    let (mut offset, mut square) = (start, 0);
    // A run has at most as many squares as bits.
    let last_full_run = 64 - RUN_BITS as usize;
    while square <= last_full_run {
        let mut window = bits.window(offset);
        for _ in 0..5 {
            let run = RUNS[(window >> (64 - RUN_BITS)) as usize & ((1 << RUN_BITS) - 1)];
            for piece in 0..3 {
                let piece = (run.pieces >> (8 * piece)) as usize & 0xff;
                hash ^= STORED_PIECES[(square << 4).wrapping_add(piece) & 2047];
            }
            offset += usize::from(run.bits);
            square += usize::from(run.squares);
            window <<= run.bits;
            if square > last_full_run {
                break;
            }
        }
    }
    while square < 64 {
        let window = bits.window(offset);
        if window >> 63 == 0 {
            (offset, square) = (offset + 1, square + 1);
            continue;
        }
        let run = RUNS[(window >> (64 - RUN_BITS)) as usize & ((1 << RUN_BITS) - 1)];
        let piece = run.pieces as usize & 15;
        let (_, length) = CODES.get(piece & 7)?;
        hash ^= STORED_PIECES[(square << 4 | piece) & 2047];
        (offset, square) = (offset + usize::from(*length), square + 1);
    }
    (key.len() <= MAX_KEY).then_some((hash, offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Setup;

    /// Positions with castling, captures, promotions and en passant captures in their lines.
    const STARTS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2k5/1P4p1/8/pP3p2/4P1Pp/8/8/2K5 w - a6 0 1",
        "8/1p6/8/P1k5/5Pp1/8/6P1/3K4 b - f3 0 1",
    ];

    #[test]
    fn incremental_hash_equals_full_hash() {
        let mut random = tabia_testkit::Random::new(1);
        let mut compared = 0;
        for round in 0..200 {
            let fen = STARTS[round % STARTS.len()];
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let mut position = Position::from_setup(&setup).unwrap();
            for _ in 0..40 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let children = ChildHashes::new(&position, MirrorHash::of(&position));
                for &m in &*moves {
                    let child = play(&position, m);
                    let Some(hash) = children.after(m) else {
                        continue;
                    };
                    compared += 1;
                    assert_eq!(hash, MirrorHash::of(&child), "{} {m}", position.fen());
                    assert_eq!(child.en_passant(), None);
                    assert_eq!(children.turn(), child.turn());
                }
                let m = moves[random.below(moves.len())];
                position.play(m);
            }
        }
        assert!(compared > 50_000, "{compared}");
    }

    #[test]
    fn mirror_images_have_equal_hashes() {
        let position =
            |fen: &str| Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap();
        let white = position("r3k3/8/8/3p4/8/2N5/8/K6R w q - 0 1");
        let black = position("k6r/8/2n5/8/3P4/8/8/R3K3 b Q - 0 1");
        let hash = |position: &Position| MirrorHash::of(position).for_side(position.turn());
        assert_eq!(hash(&white), hash(&black));
        let original = position("4k3/8/8/3p4/8/2N5/8/K6R w - - 0 1");
        let mirrored = position("3k4/8/8/4p3/8/5N2/8/R6K w - - 0 1");
        let hash = MirrorHash::of(&original);
        assert_eq!(hash, MirrorHash::file_mirrored(&mirrored));
        assert_ne!(hash, MirrorHash::of(&mirrored));
    }
}
