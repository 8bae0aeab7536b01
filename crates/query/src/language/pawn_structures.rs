//! Structures of pawns: exact pawns, named structures, passed, isolated and doubled pawns.

use tabia_core::chess::{Bitboard, Color, HomePawns, Piece, Position, Role, Setup, Square};

use super::square_set::{FILE_A, mirror_squares};

/// A structure of pawns.
#[derive(Debug, Clone)]
pub(crate) enum PawnCheck {
    /// Exactly these pawns of White and Black.
    Exactly([u64; 2]),
    /// One of [`STRUCTURES`], for Black with the colours exchanged.
    Structure(Masks, Color),
    Passed(Color),
    Isolated(Color),
    Doubled(Color),
}

/// A named structure of White's pawns.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) name: &'static str,
    /// Squares with pawns of White and of Black.
    own: &'static [&'static str],
    other: &'static [&'static str],
    /// Files without a pawn of White, and of Black.
    no_own: &'static str,
    no_other: &'static str,
    /// Files with one pawn of White only.
    one_own: &'static str,
    /// Files with at least one pawn of White.
    some_own: &'static str,
}

const fn structure(
    name: &'static str,
    own: &'static [&'static str],
    other: &'static [&'static str],
    no_own: &'static str,
    no_other: &'static str,
) -> Structure {
    Structure {
        name,
        own,
        other,
        no_own,
        no_other,
        one_own: "",
        some_own: "",
    }
}

/// The named structures: the pawns of the side that has it, those of the other side, and the files
/// without pawns of the one and of the other.
pub(crate) const STRUCTURES: &[Structure] = &[
    Structure {
        one_own: "d",
        ..structure("iqp", &["d4"], &[], "ce", "d")
    },
    structure("hanging", &["c4", "d4"], &[], "be", "cd"),
    Structure {
        some_own: "e",
        ..structure("carlsbad", &["d4"], &["c6", "d5"], "c", "e")
    },
    structure("maroczy", &["c4", "e4"], &[], "d", "c"),
    structure(
        "hedgehog",
        &["a3", "b3", "d3", "e3"],
        &["c5", "e5"],
        "c",
        "d",
    ),
    structure("stonewall", &["d4", "e3", "f4"], &["d5"], "", ""),
    structure("benoni", &["d5"], &["c5", "d6"], "c", "e"),
    structure("frenchchain", &["d4", "e5"], &["d5", "e6"], "", ""),
    structure("kidchain", &["d5", "e4"], &["d6", "e5"], "", ""),
];

pub(super) fn file(number: u32) -> u64 {
    FILE_A << number
}

pub(super) fn files(letters: &str) -> u64 {
    let numbers = letters.bytes().map(|letter| u32::from(letter - b'a'));
    numbers.fold(0, |squares, number| squares | file(number))
}

pub(super) fn squares(names: &[&str]) -> u64 {
    let squares = names
        .iter()
        .filter_map(|name| Square::parse(name.as_bytes()));
    squares.fold(0, |set, square| set | square.bit())
}

/// A [`Structure`] as sets of squares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Masks {
    own: u64,
    other: u64,
    no_own: u64,
    no_other: u64,
    one_own: &'static str,
    some_own: &'static str,
}

impl Structure {
    fn masks(&self) -> Masks {
        Masks {
            own: squares(self.own),
            other: squares(self.other),
            no_own: files(self.no_own),
            no_other: files(self.no_other),
            one_own: self.one_own,
            some_own: self.some_own,
        }
    }
}

impl Masks {
    fn fits(&self, own: u64, other: u64) -> bool {
        if self.own & !own != 0
            || self.other & !other != 0
            || own & self.no_own != 0
            || other & self.no_other != 0
        {
            return false;
        }
        let on_files = |letters: &str, least: u32, most: u32| {
            letters.bytes().all(|letter| {
                let count = (own & file(u32::from(letter - b'a'))).count_ones();
                (least..=most).contains(&count)
            })
        };
        on_files(self.one_own, 1, 1) && on_files(self.some_own, 1, 8)
    }

    /// The files of whose pawns the own one, and the other one, is not on its first square.
    fn left_first_squares(&self) -> [u8; 2] {
        // The only pawn of its file, which has a square of its own.
        let only = self.own & files(self.one_own);
        let moved = (0..8).filter(|&number| only & file(number) & !0xff00 != 0);
        let moved = moved.fold(0, |files, number| files | 1 << number);
        [self.no_own as u8 | moved, self.no_other as u8]
    }
}

impl PawnCheck {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.contains('/') && text.matches('/').count() == 7 {
            let setup = Setup::parse_fen(text.as_bytes()).map_err(|error| error.to_string())?;
            let of = |color| {
                let role = Role::Pawn;
                setup.squares(Piece { color, role }).0
            };
            return Ok(Self::Exactly([of(Color::White), of(Color::Black)]));
        }
        let (name, color) = match text.split_once('/') {
            Some((name, "black")) => (name, Color::Black),
            Some((name, "white")) => (name, Color::White),
            _ => (text, Color::White),
        };
        let found = STRUCTURES
            .iter()
            .find(|row| name.eq_ignore_ascii_case(row.name));
        if let Some(row) = found {
            return Ok(Self::Structure(row.masks(), color));
        }
        Ok(match name {
            "passed" => Self::Passed(color),
            "isolated" => Self::Isolated(color),
            "doubled" => Self::Doubled(color),
            _ => {
                let names: Vec<&str> = STRUCTURES.iter().map(|row| row.name).collect();
                let names = names.join(", ");
                return Err(format!(
                    "is neither pawns in FEN nor one of {names}, passed, isolated, doubled"
                ));
            }
        })
    }

    pub(super) fn mirror(&self, color: bool, files: bool) -> Self {
        let side = |side: Color| if color { side.other() } else { side };
        match self {
            Self::Exactly(pawns) => {
                let [white, black] = pawns.map(|pawns| mirror_squares(pawns, color, files));
                Self::Exactly(if color {
                    [black, white]
                } else {
                    [white, black]
                })
            }
            Self::Structure(row, of) => Self::Structure(*row, side(*of)),
            Self::Passed(of) => Self::Passed(side(*of)),
            Self::Isolated(of) => Self::Isolated(side(*of)),
            Self::Doubled(of) => Self::Doubled(side(*of)),
        }
    }

    /// The pawns that have left their first squares wherever this fits.
    pub(super) fn left_first_squares(&self, is_mirrored: bool) -> HomePawns {
        let Self::Structure(row, color) = self else {
            return HomePawns::from_bits(0);
        };
        let [own, other] = row.left_first_squares();
        let (white, black) = match color {
            Color::White => (own, other),
            Color::Black => (other, own),
        };
        // The highest bit is that of file a.
        let of = |files: u8| {
            u16::from(if is_mirrored {
                files
            } else {
                files.reverse_bits()
            })
        };
        HomePawns::from_bits(of(white) << 8 | of(black))
    }

    /// Whether the pawns fit, or their mirror image with files exchanged.
    pub(super) fn fits(&self, position: &Position, is_mirrored: bool) -> bool {
        let is_mirrored = is_mirrored && !matches!(self, Self::Exactly(_));
        let of = |color| {
            let role = Role::Pawn;
            let pawns = position.by_piece(Piece { color, role }).0;
            mirror_squares(pawns, false, is_mirrored)
        };
        // The pawns as the side that has the structure sees them.
        let seen_by = |color: Color| match color {
            Color::White => (of(Color::White), of(Color::Black)),
            Color::Black => (of(Color::Black).swap_bytes(), of(Color::White).swap_bytes()),
        };
        match *self {
            Self::Exactly(pawns) => pawns == [of(Color::White), of(Color::Black)],
            Self::Structure(row, color) => {
                let (own, other) = seen_by(color);
                row.fits(own, other)
            }
            Self::Passed(color) => {
                let (own, other) = seen_by(color);
                Bitboard(own).into_iter().any(|square| {
                    let number = u32::from(square.file());
                    let ahead = u64::MAX.checked_shl(8 * (u32::from(square.rank()) + 1));
                    let near = near_files(number) | file(number);
                    other & near & ahead.unwrap_or_default() == 0
                })
            }
            Self::Isolated(color) => {
                let (own, _) = seen_by(color);
                let is_alone = |number| own & file(number) != 0 && own & near_files(number) == 0;
                (0..8).any(is_alone)
            }
            Self::Doubled(color) => {
                let (own, _) = seen_by(color);
                (0..8).any(|number| (own & file(number)).count_ones() > 1)
            }
        }
    }
}

/// The files next to a file.
fn near_files(number: u32) -> u64 {
    let left = if number > 0 { file(number - 1) } else { 0 };
    let right = if number < 7 { file(number + 1) } else { 0 };
    left | right
}
