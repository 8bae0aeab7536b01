//! Squares attacked from a square.
//!
//! Whether a slider attacks one square follows from a table of the squares between two squares. The
//! set of all its targets is computed by hyperbola quintessence: on a line, blockers minus the slider
//! flips the bits up to the first blocker, and with the bytes swapped it does so in the other
//! direction. Ranks, which byte swapping does not reverse, have a table.

use super::types::{Color, Role, Square};

/// The squares attacked from a square on an empty board, by piece code (role + 1); one cache line.
/// Indices 0 and 1 hold the attacks of a white and a black pawn.
#[repr(align(64))]
struct Rays([u64; 8]);

/// The squares that a piece with that code (role + 1, not a pawn) attacks on an empty board.
#[inline(always)]
pub(super) fn rays(code: u8, from: Square) -> u64 {
    RAYS[from.index()].0[usize::from(code & 7)]
}

/// The squares that a piece of that colour and code (role + 1) attacks on an empty board, pawns
/// included.
#[inline(always)]
pub(super) fn attacks_from(code: u8, color: Color, from: Square) -> u64 {
    let index = if code == Role::Pawn as u8 + 1 {
        color as u8
    } else {
        code
    };
    rays(index, from)
}

/// The squares a piece can move to without and with a capture, on an otherwise empty board. `code` is
/// role + 1, and 8 more for Black. Empty for pawns that promote.
#[inline(always)]
pub(super) fn steps_and_captures(code: u8, from: Square) -> [u64; 2] {
    STEPS_AND_CAPTURES[usize::from(code & 15)][from.index()]
}

#[inline(always)]
pub(super) fn knight(from: Square) -> u64 {
    rays(Role::Knight as u8 + 1, from)
}

#[inline(always)]
pub(super) fn king(from: Square) -> u64 {
    rays(Role::King as u8 + 1, from)
}

/// The squares of the diagonals through `from`, without `from`.
#[inline(always)]
pub(super) fn diagonal_rays(from: Square) -> u64 {
    rays(Role::Bishop as u8 + 1, from)
}

/// The squares of the file and the rank through `from`, without `from`.
#[inline(always)]
pub(super) fn straight_rays(from: Square) -> u64 {
    rays(Role::Rook as u8 + 1, from)
}

/// The squares of the a-file.
pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The squares a pawn of that colour on `from` attacks.
#[inline(always)]
pub(super) fn pawn(color: Color, from: Square) -> u64 {
    RAYS[from.index()].0[color as usize]
}

/// The squares strictly between two squares on one line; empty if the two are not on one line.
#[inline(always)]
pub(super) fn between(a: Square, b: Square) -> u64 {
    BETWEEN[a.index()][b.index()]
}

/// The squares strictly between two squares on one line; all squares if the two are not on one line.
#[inline(always)]
pub(super) fn barriers(a: Square, b: Square) -> u64 {
    BARRIERS[a.index()][b.index()]
}

#[inline(always)]
pub(super) fn bishop(from: Square, occupied: u64) -> u64 {
    let [_, diagonal, antidiagonal] = LINES[from.index()];
    line(from, occupied, diagonal) | line(from, occupied, antidiagonal)
}

#[inline(always)]
pub(super) fn rook(from: Square, occupied: u64) -> u64 {
    let shift = from.number() & 0x38;
    let inner = (occupied >> shift >> 1 & 63) as usize;
    let rank = u64::from(RANKS[from.file() as usize][inner]) << shift;
    let [file, ..] = LINES[from.index()];
    rank | line(from, occupied, file)
}

#[inline(always)]
fn line(from: Square, occupied: u64, mask: u64) -> u64 {
    let forward = occupied & mask;
    let backward = forward
        .swap_bytes()
        .wrapping_sub(from.flip().bit())
        .swap_bytes();
    (forward.wrapping_sub(from.bit()) ^ backward) & mask
}

static RAYS: [Rays; 64] = {
    let mut table = [const { Rays([0; 8]) }; 64];
    let mut from = 0;
    while from < 64 {
        let diagonal = two_rays(from, 1, 1) | two_rays(from, 1, -1);
        let straight = two_rays(from, 0, 1) | two_rays(from, 1, 0);
        table[from] = Rays([
            leaps(from, &[(-1, 1), (1, 1)]),
            leaps(from, &[(-1, -1), (1, -1)]),
            leaps(
                from,
                &[
                    (1, 2),
                    (2, 1),
                    (2, -1),
                    (1, -2),
                    (-1, -2),
                    (-2, -1),
                    (-2, 1),
                    (-1, 2),
                ],
            ),
            diagonal,
            straight,
            diagonal | straight,
            leaps(
                from,
                &[
                    (0, 1),
                    (1, 1),
                    (1, 0),
                    (1, -1),
                    (0, -1),
                    (-1, -1),
                    (-1, 0),
                    (-1, 1),
                ],
            ),
            0,
        ]);
        from += 1;
    }
    table
};

/// By piece code and square: targets without and with a capture. They differ for pawns only.
static STEPS_AND_CAPTURES: [[[u64; 2]; 64]; 16] = {
    const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
    let mut table = [[[0; 2]; 64]; 16];
    let mut from = 0;
    while from < 64 {
        let mut code = 2;
        while code <= 6 {
            let seen = RAYS[from].0[code];
            table[code][from] = [seen, seen];
            table[code + 8][from] = [seen, seen];
            code += 1;
        }
        let bit = 1_u64 << from;
        let white = bit << 8 | (bit & 0xff00) << 16;
        let black = bit >> 8 | (bit & 0xff << 48) >> 16;
        table[1][from] = [white & !LAST_RANKS, RAYS[from].0[0] & !LAST_RANKS];
        table[9][from] = [black & !LAST_RANKS, RAYS[from].0[1] & !LAST_RANKS];
        from += 1;
    }
    table
};

/// File, diagonal, anti-diagonal through a square, without the square.
static LINES: [[u64; 3]; 64] = {
    let mut table = [[0; 3]; 64];
    let mut from = 0;
    while from < 64 {
        table[from] = [
            two_rays(from, 0, 1),
            two_rays(from, 1, 1),
            two_rays(from, 1, -1),
        ];
        from += 1;
    }
    table
};

static BETWEEN: [[u64; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let directions = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < 8 {
            let (files, ranks) = directions[i];
            let mut passed = 0;
            let mut steps = 1;
            while let Some(to) = step(from, files * steps, ranks * steps) {
                table[from][to] = passed;
                passed |= 1 << to;
                steps += 1;
            }
            i += 1;
        }
        from += 1;
    }
    table
};

static BARRIERS: [[u64; 64]; 64] = {
    let mut table = BETWEEN;
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            if RAYS[from].0[Role::Queen as usize + 1] >> to & 1 == 0 {
                table[from][to] = u64::MAX;
            }
            to += 1;
        }
        from += 1;
    }
    table
};

/// Attacks along a rank by file and the six inner bits of its occupancy.
static RANKS: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = inner << 1;
            let mut set = 0;
            let mut to = file + 1;
            while to < 8 {
                set |= 1 << to;
                if occupied >> to & 1 == 1 {
                    break;
                }
                to += 1;
            }
            to = file;
            while to > 0 {
                to -= 1;
                set |= 1 << to;
                if occupied >> to & 1 == 1 {
                    break;
                }
            }
            table[file][inner] = set;
            inner += 1;
        }
        file += 1;
    }
    table
};

/// The squares in a direction and in the opposite direction, on an empty board.
const fn two_rays(from: usize, files: isize, ranks: isize) -> u64 {
    let mut set = 0;
    let mut steps = 1;
    while let Some(to) = step(from, files * steps, ranks * steps) {
        set |= 1 << to;
        steps += 1;
    }
    steps = -1;
    while let Some(to) = step(from, files * steps, ranks * steps) {
        set |= 1 << to;
        steps -= 1;
    }
    set
}

const fn leaps(from: usize, offsets: &[(isize, isize)]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < offsets.len() {
        if let Some(to) = step(from, offsets[i].0, offsets[i].1) {
            set |= 1 << to;
        }
        i += 1;
    }
    set
}

const fn step(from: usize, files: isize, ranks: isize) -> Option<usize> {
    let file = (from % 8) as isize + files;
    let rank = (from / 8) as isize + ranks;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        Some((rank * 8 + file) as usize)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(from: Square, occupied: u64, directions: &[(isize, isize)]) -> u64 {
        let mut set = 0;
        for &(files, ranks) in directions {
            let mut steps = 1;
            while let Some(to) = step(from.index(), files * steps, ranks * steps) {
                set |= 1 << to;
                if occupied >> to & 1 == 1 {
                    break;
                }
                steps += 1;
            }
        }
        set
    }

    #[test]
    fn sliders_stop_at_the_first_piece() {
        let mut random = tabia_testkit::Random::new(1);
        for _ in 0..500 {
            let bits = random.next_u64();
            let occupied = bits & bits.rotate_left(23);
            for from in Square::ALL {
                let straight = walk(from, occupied, &[(0, 1), (0, -1), (1, 0), (-1, 0)]);
                let diagonal = walk(from, occupied, &[(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                assert_eq!(rook(from, occupied), straight);
                assert_eq!(bishop(from, occupied), diagonal);
            }
        }
    }

    #[test]
    fn a_slider_attacks_past_empty_squares_only() {
        let occupied = 0x0042_1800_2400_8100;
        for from in Square::ALL {
            for to in Square::ALL {
                let free = between(from, to) & occupied == 0;
                let straight = straight_rays(from) & to.bit() != 0;
                assert_eq!(straight && free, rook(from, occupied) & to.bit() != 0);
                let diagonal = diagonal_rays(from) & to.bit() != 0;
                assert_eq!(diagonal && free, bishop(from, occupied) & to.bit() != 0);
            }
        }
    }

    #[test]
    fn barriers_are_the_squares_between_or_all() {
        for a in Square::ALL {
            for b in Square::ALL {
                let queen = rays(Role::Queen as u8 + 1, a) & b.bit() != 0;
                let expected = if queen { between(a, b) } else { u64::MAX };
                assert_eq!(barriers(a, b), expected, "{a} {b}");
            }
        }
    }

    #[test]
    fn leapers_stay_on_the_board() {
        assert_eq!(knight(Square::A1).count_ones(), 2);
        assert_eq!(knight(Square::E4).count_ones(), 8);
        assert_eq!(king(Square::H8).count_ones(), 3);
        assert_eq!(pawn(Color::White, Square::A2), Square::B3.bit());
        assert_eq!(pawn(Color::Black, Square::H7), Square::G6.bit());
        assert_eq!(pawn(Color::White, Square::H8), 0);
    }
}
