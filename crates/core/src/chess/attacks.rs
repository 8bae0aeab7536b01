//! Squares attacked from a square. Sliders by hyperbola quintessence on file and diagonals, by a
//! table on the rank.

use super::types::{Color, Square};

const fn steps(from: i32, deltas: &[(i32, i32)]) -> u64 {
    let (file, rank) = (from % 8, from / 8);
    let mut set = 0;
    let mut i = 0;
    while i < deltas.len() {
        let (f, r) = (file + deltas[i].0, rank + deltas[i].1);
        if f >= 0 && f < 8 && r >= 0 && r < 8 {
            set |= 1 << (r * 8 + f);
        }
        i += 1;
    }
    set
}

const fn leaper(deltas: &[(i32, i32)]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = steps(i as i32, deltas);
        i += 1;
    }
    table
}

static KNIGHT: [u64; 64] = leaper(&[
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
]);
static KING: [u64; 64] = leaper(&[
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
]);
static PAWN: [[u64; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

/// File, diagonal and anti-diagonal through a square, without the square.
#[derive(Clone, Copy)]
struct Lines {
    file: u64,
    diagonal: u64,
    anti: u64,
}

const fn ray(from: i32, df: i32, dr: i32) -> u64 {
    let mut set = 0;
    let (mut f, mut r) = (from % 8 + df, from / 8 + dr);
    while f >= 0 && f < 8 && r >= 0 && r < 8 {
        set |= 1 << (r * 8 + f);
        f += df;
        r += dr;
    }
    set
}

static LINES: [Lines; 64] = {
    let mut table = [Lines {
        file: 0,
        diagonal: 0,
        anti: 0,
    }; 64];
    let mut i = 0;
    while i < 64 {
        let n = i as i32;
        table[i] = Lines {
            file: ray(n, 0, 1) | ray(n, 0, -1),
            diagonal: ray(n, 1, 1) | ray(n, -1, -1),
            anti: ray(n, 1, -1) | ray(n, -1, 1),
        };
        i += 1;
    }
    table
};

/// Attacks along a rank by file and the six inner bits of its occupancy.
static RANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = (inner as u32) << 1;
            let mut set = 0u32;
            let mut f = file as i32 + 1;
            while f < 8 {
                set |= 1 << f;
                if occupied & 1 << f != 0 {
                    break;
                }
                f += 1;
            }
            f = file as i32 - 1;
            while f >= 0 {
                set |= 1 << f;
                if occupied & 1 << f != 0 {
                    break;
                }
                f -= 1;
            }
            table[file][inner] = set as u8;
            inner += 1;
        }
        file += 1;
    }
    table
};

#[inline(always)]
pub(super) fn knight(from: Square) -> u64 {
    KNIGHT[from.index()]
}

#[inline(always)]
pub(super) fn king(from: Square) -> u64 {
    KING[from.index()]
}

/// The squares a pawn of that colour on `from` attacks.
#[inline(always)]
pub(super) fn pawn(color: Color, from: Square) -> u64 {
    PAWN[color as usize][from.index()]
}

/// Attacks along a line that is reversed by swapping bytes.
#[inline(always)]
fn line(bit: u64, occupied: u64, mask: u64) -> u64 {
    let forward = occupied & mask;
    let reverse = forward.swap_bytes();
    let forward = forward.wrapping_sub(bit.wrapping_mul(2));
    let reverse = reverse
        .wrapping_sub(bit.swap_bytes().wrapping_mul(2))
        .swap_bytes();
    (forward ^ reverse) & mask
}

#[inline(always)]
pub(super) fn bishop(from: Square, occupied: u64) -> u64 {
    let lines = &LINES[from.index()];
    line(from.bit(), occupied, lines.diagonal) | line(from.bit(), occupied, lines.anti)
}

#[inline(always)]
pub(super) fn rook(from: Square, occupied: u64) -> u64 {
    let shift = from.number() & 0x38;
    let inner = (occupied >> shift >> 1 & 63) as usize;
    let rank = u64::from(RANK[from.file() as usize][inner]) << shift;
    rank | line(from.bit(), occupied, LINES[from.index()].file)
}

/// The squares of the file and the rank through `from`, without `from`.
#[inline(always)]
pub(super) fn straight_rays(from: Square) -> u64 {
    (LINES[from.index()].file | 0xff << (from.number() & 0x38)) & !from.bit()
}

/// The squares of the diagonals through `from`, without `from`.
#[inline(always)]
pub(super) fn diagonal_rays(from: Square) -> u64 {
    let lines = &LINES[from.index()];
    lines.diagonal | lines.anti
}

/// The squares strictly between two squares on one line; none when they are not on one.
pub(super) fn between(a: Square, b: Square) -> u64 {
    let (bit_a, bit_b) = (a.bit(), b.bit());
    if rook(a, 0) & bit_b != 0 {
        rook(a, bit_b) & rook(b, bit_a)
    } else if bishop(a, 0) & bit_b != 0 {
        bishop(a, bit_b) & bishop(b, bit_a)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(from: Square, occupied: u64, directions: &[(i32, i32)]) -> u64 {
        let mut set = 0;
        for &(df, dr) in directions {
            let (mut f, mut r) = (i32::from(from.file()) + df, i32::from(from.rank()) + dr);
            while (0..8).contains(&f) && (0..8).contains(&r) {
                let bit = 1u64 << (r * 8 + f);
                set |= bit;
                if occupied & bit != 0 {
                    break;
                }
                f += df;
                r += dr;
            }
        }
        set
    }

    #[test]
    fn sliders_stop_at_the_first_piece() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..2000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let occupied = seed & seed.rotate_left(23);
            for from in Square::ALL {
                let straight = slow(from, occupied, &[(0, 1), (0, -1), (1, 0), (-1, 0)]);
                let diagonal = slow(from, occupied, &[(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                assert_eq!(rook(from, occupied), straight);
                assert_eq!(bishop(from, occupied), diagonal);
            }
        }
    }
}
